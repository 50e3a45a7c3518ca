/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "brain/judge.h"

static const struct judge_params one_percent = { .margin = 0.01, .better = BETTER_LOWER };
static const struct judge_params rate = { .margin = 0.01, .better = BETTER_HIGHER };

static void judge_fixed(const double *a, size_t n, const double *b, size_t m,
			const struct judge_params *p, struct judgement *ret)
{
	struct judge_plan plan;

	judge_plan_fixed(0.05, &plan);
	judge_runs(a, n, b, m, p, &plan, 0, ret);
}

static void assert_text(const struct judgement *j, const char *metric, const char *unit,
			const char *want)
{
	AUTO(str) struct str s = STR_INIT;

	judge_text(&s, j, metric, unit);
	assert_string_equal(s.p, want);
}

/* --- published numbers
 * --------------------------------------------------------------------------------------------------
 */

static void clone_numbers_are_undecided(void **state UNUSED)
{
	/* stress-ng --clone before and after always inlining _compound_head, said to be a gain of 3
	 * %. */
	double before[] = { 322.29, 319.42, 317.64, 326.27 },
	       after[] = { 320.50, 323.26, 324.27, 315.38 };
	struct judgement j;

	judge_fixed(before, 4, after, 4, &rate, &j);
	assert_int_equal(j.verdict, VERDICT_UNDECIDED);
	assert_double(j.cmp.achieved, 1 - 2.0 / 70, 1e-12);
	assert_true(j.cmp.high < 0.03); /* the 3 % are outside */
	assert_true(j.final);
	assert_text(&j, "clone", "bogo ops/s",
		    "-0.1 % [-3.3, +2.1] undecided, about 40 more runs of each");
}

static void usr_sys_rates_are_undecided(void **state UNUSED)
{
	double before[] = { 84.75, 84.56, 83.33, 86.89 }, after[] = { 84.03, 86.13, 86.27, 84.46 };
	struct judgement j;

	judge_fixed(before, 4, after, 4, &rate, &j);
	assert_int_equal(j.verdict, VERDICT_UNDECIDED);
	assert_text(&j, "usr+sys rate", "bogo ops/s",
		    "+0.4 % [-3.3, +3.5] undecided, about 123 more runs of each");
}

static void durations_two_and_two_have_no_interval(void **state UNUSED)
{
	double before[] = { 709, 710 }, after[] = { 672, 683 };
	struct judgement j;

	judge_fixed(before, 2, after, 2, &one_percent, &j);
	assert_int_equal(j.verdict, VERDICT_UNDECIDED);
	assert_true(j.need_minimum);
	assert_int_equal(j.more_runs, 3);
	assert_double(j.cmp.p, 1.0 / 3, 1e-12);
	assert_text(&j, "duration", "s",
		    "-4.5 % undecided, no interval from so few: at least 3 more runs of each");
}

static void single_values_have_no_interval(void **state UNUSED)
{
	static const double reports[3] = { 16.394, 15.465, 16.461 };
	struct judgement j;
	struct recovery r;

	for (int i = 1; i < 3; i++) {
		judge_fixed(&reports[0], 1, &reports[i], 1, &rate, &j);
		assert_int_equal(j.verdict, VERDICT_UNDECIDED);
		assert_true(isnan(j.cmp.low) && isnan(j.cmp.high) && j.need_minimum);
	}
	judge_fixed(&reports[0], 1, &reports[1], 1, &rate, &j);
	assert_text(&j, "throughput", "Gbit/s",
		    "-5.7 % undecided, no interval from so few: at least 4 more runs of each");
	judge_recovery(&reports[0], 1, &reports[1], 1, &reports[2], 1, 0.05, &r);
	assert_true(isnan(r.share) && isnan(r.low));
}

/* cache-misses of cache-references, system wide, before and after: 0.498 % and 6.480 % (a formula makes the rate: test_formula.c). */
static void one_miss_rate_each_is_no_interval(void **state UNUSED)
{
	double before = 26632656.0 / 5343078363.0, after = 319495743.0 / 4930300091.0;
	struct judgement j;

	assert_double(before, 0.0049845, 1e-7);
	assert_double(after, 0.0648025, 1e-7);
	judge_fixed(&before, 1, &after, 1, &one_percent, &j);
	assert_int_equal(j.verdict, VERDICT_UNDECIDED); /* however large the change */
	assert_true(isnan(j.cmp.low) && j.need_minimum);
}

/* --- verdicts
 * -------------------------------------------------------------------------------------------------------------
 */

/* n values around `at` with a small regular spread. */
static void spread_values(double *v, size_t n, double at, double step)
{
	for (size_t i = 0; i < n; i++)
		v[i] = at * (1 + step * ((double)((i * 11) % n) - (double)(n - 1) / 2));
}

static void four_verdicts_and_their_direction(void **state UNUSED)
{
	enum { N = 12 };
	double base[N], other[N];
	static const struct {
		double at, step;
		enum better better;
		enum verdict want;
	} rows[] = {
		{ 107, 0.001, BETTER_LOWER, VERDICT_SLOWER },
		{ 107, 0.001, BETTER_HIGHER, VERDICT_FASTER },
		{ 93, 0.001, BETTER_LOWER, VERDICT_FASTER },
		{ 93, 0.001, BETTER_HIGHER, VERDICT_SLOWER },
		{ 107, 0.001, BETTER_UNKNOWN, VERDICT_SLOWER },
		{ 100.1, 0.001, BETTER_LOWER, VERDICT_ON_PAR },
		{ 100.9, 0.01, BETTER_LOWER, VERDICT_UNDECIDED },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct judgement j;
		struct judge_params p = { .margin = 0.01, .better = rows[i].better };

		spread_values(base, N, 100, rows[i].step);
		spread_values(other, N, rows[i].at, rows[i].step);
		judge_fixed(base, N, other, N, &p, &j);
		if (j.verdict != rows[i].want)
			fail_msg("row %zu: %s", i, verdict_name(j.verdict));
	}
}

static void on_par_may_still_differ(void **state UNUSED)
{
	enum { N = 12 };
	double base[N], other[N];
	struct judgement j;

	spread_values(base, N, 100, 0.0001);
	spread_values(other, N, 100.4, 0.0001);
	judge_fixed(base, N, other, N, &one_percent, &j);
	assert_int_equal(j.verdict, VERDICT_ON_PAR);
	assert_true(j.on_par_but_differs);
}

static void words_for_people(void **state UNUSED)
{
	struct judgement j = { .cmp = { .shift = 0.0712, .low = 0.0641, .high = 0.0779 },
			       .verdict = VERDICT_SLOWER,
			       .params = one_percent };

	j.cmp.low = 0.058;
	j.cmp.high = 0.086;
	assert_text(&j, "wall", "s", "+7.1 % [+5.8, +8.6] slower");
	assert_text(&j, "rss", "KiB", "+7.1 % [+5.8, +8.6] worse");
	j.verdict = VERDICT_FASTER;
	assert_text(&j, "wall", "s", "+7.1 % [+5.8, +8.6] faster");
	j.cmp = (struct comparison){ .shift = -0.002, .low = -0.006, .high = 0.003 };
	j.verdict = VERDICT_ON_PAR;
	assert_text(&j, "wall", "s", "-0.2 % [-0.6, +0.3] on par within 1 %");
	/* A difference of 0.03 % is not printed as +0.0. */
	j.cmp = (struct comparison){ .shift = 0.0015, .low = 0.0003, .high = 0.0035 };
	j.verdict = VERDICT_SLOWER;
	assert_text(&j, "wall", "s", "+0.15 % [+0.03, +0.35] slower");
	j.verdict = VERDICT_IDENTICAL;
	assert_text(&j, "instructions", "", "identical");
	j.verdict = VERDICT_UNDECIDED;
	j.more_runs = 1;
	assert_text(&j, "wall", "s", "+0.15 % [+0.03, +0.35] undecided, about 1 more run of each");
	j.more_runs = 0;
	j.unresolvable = true;
	assert_text(
		&j, "wall", "s",
		"+0.15 % [+0.03, +0.35] undecided, not resolvable (more than 64 times the runs)");
}

static void counters_need_one_run(void **state UNUSED)
{
	static const struct judge_params counter = { .margin = 0.01,
						     .better = BETTER_LOWER,
						     .counter = true };
	double a = 1000000, same = 1000000, little = 1000001, much = 1310000, zero = 0;
	struct judgement j;

	judge_fixed(&a, 1, &same, 1, &counter, &j);
	assert_int_equal(j.verdict, VERDICT_IDENTICAL);
	judge_fixed(&a, 1, &little, 1, &counter, &j);
	assert_int_equal(j.verdict, VERDICT_ON_PAR);
	assert_true(j.on_par_but_differs && j.exact);
	assert_double(j.cmp.low, 1e-6, 1e-12);
	judge_fixed(&a, 1, &much, 1, &counter, &j);
	assert_int_equal(j.verdict, VERDICT_SLOWER);
	assert_text(&j, "instructions", "", "+31.0 % worse");
	judge_fixed(&zero, 1, &zero, 1, &counter, &j);
	assert_int_equal(j.verdict, VERDICT_IDENTICAL);
	judge_fixed(&zero, 1, &a, 1, &counter, &j);
	assert_int_equal(j.verdict, VERDICT_SLOWER);
	assert_text(&j, "faults", "", "0 -> 1e+06 worse");
	/* Noise in what was called a counter: back to statistics. */
	double noisy[2] = { 1000000, 1000003 };

	judge_fixed(noisy, 2, &a, 1, &counter, &j);
	assert_int_equal(j.verdict, VERDICT_UNDECIDED);
	assert_true(j.need_minimum);
}

static void coarse_numbers_do_not_pretend(void **state UNUSED)
{
	double twelve[5] = { 12, 12, 12, 12, 12 }, thirteen[5] = { 13, 13, 13, 13, 13 };
	struct judge_params p = one_percent;
	struct judgement j;

	/* Printed as 12 and 12: the true values may differ by 8 %. */
	p.resolution = 1;
	judge_fixed(twelve, 5, twelve, 5, &p, &j);
	assert_int_equal(j.verdict, VERDICT_UNDECIDED);
	assert_double(j.cmp.high, 1.0 / 12, 1e-6);
	assert_double(j.rounding, 1.0 / 12, 1e-9);
	assert_true(
		j.unresolvable); /* no number of runs makes up for digits that are not printed */
	assert_text(&j, "time", "s",
		    "+0.0 % [-8.3, +8.3] undecided, not resolvable at the printed resolution");
	judge_fixed(twelve, 5, thirteen, 5, &p, &j);
	assert_int_equal(j.verdict, VERDICT_SLOWER);
	p.resolution = 0.01;
	judge_fixed(twelve, 5, twelve, 5, &p, &j);
	assert_int_equal(j.verdict, VERDICT_ON_PAR);
	assert_double(j.cmp.high, 0.01 / 12, 1e-6);
	/* Noise as large as the step smooths it: no end of the interval needs to be on the lattice. */
	double a[6] = { 1.00, 1.02, 1.00, 1.02, 1.02, 1.00 };

	judge_fixed(a, 6, a, 6, &one_percent, &j);
	assert_true(j.cmp.warnings & COMPARE_TIES);
	assert_double(j.cmp.step, 0.02 / 1.01, 1e-9);
	assert_double(j.cmp.shift, 0, 1e-12);
	assert_true(j.cmp.high > 0.012 && j.cmp.high < 0.0199);
	assert_double(log1p(j.cmp.low), -log1p(j.cmp.high), 1e-9);
	/* Four of five on one value: the rounding may hide anything up to half a step. */
	double c[5] = { 1.00, 1.00, 1.00, 1.00, 1.02 };

	judge_fixed(c, 5, c, 5, &one_percent, &j);
	assert_double(j.cmp.high, 0.02 + 0.01, 1e-6);
}

/* --- plans
 * ----------------------------------------------------------------------------------------------------------------
 */

static void plans_never_spend_more_than_alpha(void **state UNUSED)
{
	static const unsigned budgets[] = { 0,	1,  3,	4,  5,	6,   7,	  9,   12,
					    20, 27, 41, 56, 57, 100, 400, 5000 };
	static const unsigned metrics[] = { 1, 2, 5, 20, 100 };

	for (size_t b = 0; b < ARRAY_LEN(budgets); b++) {
		for (size_t k = 0; k < ARRAY_LEN(metrics); k++) {
			struct judge_plan plan;
			double sum = 0, alone = 0;

			judge_plan_make(0.05, budgets[b], metrics[k], &plan);
			assert_in_range(plan.looks, 1, JUDGE_MAX_LOOKS);
			for (unsigned i = 0; i < plan.looks; i++) {
				assert_true(plan.alpha[i] > 0);
				assert_true(!i || plan.n[i] > plan.n[i - 1]);
				sum += plan.alpha[i];
				alone += plan.alone[i];
			}
			assert_true(alone <= 0.05 * (1 + 1e-12) && alone > 0.05 * (1 - 1e-6));
			assert_true(sum <= 0.05 * (1 + 1e-12) && sum > 0.05 * (1 - 1e-6));
			assert_int_equal(plan.n[plan.looks - 1], budgets[b] ? budgets[b] : 56);
		}
	}
}

static void looks_that_can_decide_nothing_are_dropped(void **state UNUSED)
{
	struct judge_plan one, many;

	judge_plan_make(0.05, 0, 1, &one);
	judge_plan_make(0.05, 0, 20, &many);
	assert_int_equal(one.looks, 8);
	assert_int_equal(one.n[0], 5);
	assert_in_range(many.n[0], 8, 9); /* put off, not dropped: 7 and 7 cannot tell one of 20 */
	assert_int_equal(many.n[many.looks - 1], 56);
	/* What is left can reject the first of 20. */
	for (unsigned i = 0; i < many.looks; i++)
		assert_true(mann_whitney_finest(many.n[i], many.n[i]) <= many.alpha[i] / 20);
	/* The level that n = 5 uses is 2 / 252; the rest of its .015 went on to the next look. */
	assert_double(one.alpha[0], 2.0 / 252, 1e-9);
	assert_true(one.alpha[1] <= 0.008 + 0.015 - 2.0 / 252);
}

/* With one metric the table stands; with many, most of alpha waits for the last look, while "on par" keeps the table. */
static void many_metrics_wait_for_the_last_look(void **state UNUSED)
{
	struct judge_plan one, two, many;

	judge_plan_make(0.05, 0, 1, &one);
	judge_plan_make(0.05, 0, 2, &two);
	judge_plan_make(0.05, 0, 20, &many);
	for (unsigned i = 0; i < one.looks; i++)
		assert_double(one.alpha[i], one.alone[i], 1e-15);
	assert_double(one.alpha[one.looks - 1], 0.05 * 0.07, 1e-5);
	assert_double(two.alpha[two.looks - 1], 0.05 * 0.285, 1e-4);
	assert_double(many.alpha[many.looks - 1], 0.05 * 0.702, 1e-4);
	assert_double(many.alone[many.looks - 1], 0.05 * 0.07, 2e-4);
}

/* At the last look of many metrics Holm's level is above the level of one alone: it counts. */
static void the_family_may_find_what_one_alone_may_not(void **state UNUSED)
{
	enum { N = 12 };
	double a[N], b[N], same[N];
	struct judge_plan plan = { .looks = 1,
				   .n = { N },
				   .alpha = { 0.04 },
				   .alone = { 0.003 },
				   .total_alpha = 0.05,
				   .primary = 2 };
	struct judgement j[2];

	spread_values(a, N, 100, 0.004);
	spread_values(b, N, 101.9, 0.004);
	spread_values(same, N, 100, 0.004);
	judge_runs(a, N, b, N, &one_percent, &plan, 0, &j[0]);
	judge_runs(a, N, same, N, &one_percent, &plan, 0, &j[1]);
	assert_int_equal(j[0].verdict, VERDICT_UNDECIDED);
	assert_true(j[0].cmp.p > 0.003 && j[0].cmp.p < 0.02);
	judge_family(j, 2, &plan, 0);
	assert_int_equal(j[0].verdict, VERDICT_SLOWER);
	assert_double(j[0].cmp.level, 0.98, 1e-12);
	assert_int_equal(j[1].verdict, VERDICT_UNDECIDED);
}

static void later_looks_are_announced(void **state UNUSED)
{
	enum { N = 7 };
	double a[N], b[N];
	struct judge_plan plan;
	struct judgement j;

	judge_plan_make(0.05, 20, 1, &plan);
	spread_values(a, N, 100, 0.01);
	spread_values(b, N, 101, 0.01);
	judge_runs(a, N, b, N, &one_percent, &plan, 1, &j);
	assert_int_equal(j.verdict, VERDICT_UNDECIDED);
	assert_false(j.final);
	assert_true(j.more_runs > 0);
	judge_runs(a, N, b, N, &one_percent, &plan, plan.looks - 1, &j);
	assert_true(j.final);
}

/* --- builds
 * ---------------------------------------------------------------------------------------------------------------
 */

/* k builds of 4 runs each; each build has its own offset. */
static size_t build_values(double *v, int64_t *group, size_t k, double at, const double *offset)
{
	for (size_t i = 0; i < 4 * k; i++) {
		group[i] = 100 - (int64_t)(i % k); /* interleaved, ids in any order */
		v[i] = at * (1 + offset[i % k]) * (1 + 0.0001 * (double)(i / k));
	}
	return 4 * k;
}

static void builds_are_the_unit(void **state UNUSED)
{
	static const double off_a[6] = { -0.004, 0.006, 0.001, -0.007, 0.003, 0.002 };
	static const double off_b[6] = { 0.009, -0.002, 0.004, 0.002, -0.007, 0.005 };
	double a[24], b[24];
	int64_t ga[24], gb[24];
	struct judge_plan plan;
	struct judgement j;

	judge_plan_fixed(0.05, &plan);
	for (size_t k = 1; k <= 6; k++) {
		size_t n = build_values(a, ga, k, 100, off_a);

		build_values(b, gb, k, 100, off_b);
		judge_builds(a, ga, n, b, gb, n, &one_percent, &plan, 0, &j);
		if (k == 1) {
			/* One build a side: the verdict is about these two binaries, and they do
			 * differ. */
			assert_false(j.per_build);
			assert_int_equal(j.verdict, VERDICT_SLOWER);
			continue;
		}
		assert_true(j.per_build);
		assert_int_equal(j.cmp.n_a, k);
		if (k == 2) {
			assert_true(j.need_minimum);
			assert_int_equal(j.more_runs, 1);
			assert_text(
				&j, "wall", "s",
				"+0.25 % undecided, no interval from so few: at least 1 more build of each");
		}
		assert_int_not_equal(j.verdict, VERDICT_SLOWER);
		assert_int_not_equal(j.verdict, VERDICT_FASTER);
	}
	/* A change of 5 % stands out of offsets of half a percent. */
	for (size_t k = 3; k <= 6; k++) {
		size_t n = build_values(a, ga, k, 100, off_a);

		build_values(b, gb, k, 105, off_b);
		judge_builds(a, ga, n, b, gb, n, &one_percent, &plan, 0, &j);
		assert_int_equal(j.verdict, VERDICT_SLOWER);
	}
}

/* --- families
 * -------------------------------------------------------------------------------------------------------------
 */

static void holm_lowers_what_is_not_shown(void **state UNUSED)
{
	enum { N = 10, M = 4 };
	double a[N], b[M][N];
	struct judge_plan plan;
	struct judgement j[M];

	judge_plan_fixed(0.05, &plan);
	spread_values(a, N, 100, 0.004);
	spread_values(b[0], N, 110, 0.004);   /* clear */
	spread_values(b[1], N, 101.3, 0.004); /* p between .0125 and .05 */
	spread_values(b[2], N, 100.2, 0.004);
	spread_values(b[3], N, 100, 0.0004);
	for (int i = 0; i < M; i++)
		judge_runs(a, N, b[i], N, &one_percent, &plan, 0, &j[i]);
	assert_int_equal(j[1].verdict, VERDICT_SLOWER);
	assert_true(j[1].cmp.p > 0.05 / 3 && j[1].cmp.p < 0.05);
	double alone = j[1].cmp.low;

	judge_family(j, M, &plan, 0);
	assert_int_equal(j[0].verdict, VERDICT_SLOWER);
	assert_int_equal(j[1].verdict, VERDICT_UNDECIDED);
	assert_double(j[0].cmp.level, 1 - 0.05 / 4, 1e-12);
	assert_double(j[1].cmp.level, 1 - 0.05 / 3, 1e-12);
	assert_true(j[1].cmp.low < alone && j[1].cmp.low <= 0);
}

static void earlier_decisions_stand_and_pass_on_their_alpha(void **state UNUSED)
{
	enum { N = 12 };
	double a[N], b[N];
	struct judge_plan plan = { .looks = 2,
				   .n = { 6, N },
				   .alpha = { 0.02, 0.03 },
				   .alone = { 0.02, 0.03 },
				   .total_alpha = 0.05,
				   .primary = 2 };
	struct judgement j[2];

	spread_values(a, N, 100, 0.004);
	spread_values(b, N, 101.6, 0.004);
	judge_runs(a, N, b, N, &one_percent, &plan, 1, &j[1]);
	assert_true(j[1].cmp.p > 0.015 && j[1].cmp.p <= 0.03);
	j[0] = (struct judgement){
		.verdict = VERDICT_FASTER, .final = true, .look = 0, .cmp = { .p = 0.9 }
	};
	judge_family(j, 2, &plan, 1);
	assert_int_equal(j[0].verdict, VERDICT_FASTER);
	assert_int_equal(j[1].verdict, VERDICT_SLOWER);
	/* Without the earlier decision half of the look's alpha is not enough. */
	j[0].verdict = VERDICT_UNDECIDED;
	judge_runs(a, N, b, N, &one_percent, &plan, 1, &j[1]);
	judge_family(j, 2, &plan, 1);
	assert_int_equal(j[1].verdict, VERDICT_UNDECIDED);
}

static void exploration_lists_by_false_discovery_rate(void **state UNUSED)
{
	/* The example of Benjamini and Hochberg (1995), 15 p-values: four at q = .05. */
	static const double p[15] = { .0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
				      .0459, .3240, .4262, .5719, .6528, .7590, 1.000 };
	struct judgement j[15] = { 0 };
	bool listed[15];

	for (int i = 0; i < 15; i++)
		j[14 - i].cmp.p = p[i];
	assert_int_equal(judge_explore(j, 15, 0.05, listed), 4);
	for (int i = 0; i < 15; i++)
		assert_int_equal(listed[14 - i], i < 4);
	assert_int_equal(judge_explore(j, 0, 0.05, listed), 0);
}

/* --- recovery and warm-up
 * -------------------------------------------------------------------------------------------------
 */

static void recovery_of_a_clear_loss(void **state UNUSED)
{
	enum { N = 10 };
	double good[N], bad[N], fixed[N];
	struct recovery r;
	AUTO(str) struct str s = STR_INIT;

	spread_values(good, N, 100, 0.001);
	spread_values(bad, N, 110, 0.001);
	spread_values(fixed, N, 100.4, 0.001);
	judge_recovery(good, N, bad, N, fixed, N, 0.05, &r);
	assert_double(r.share, 0.96, 0.001);
	assert_true(r.low < 0.96 && r.low > 0.85 && r.high > 0.96 && r.high < 1.07);
	recovery_text(&s, &r);
	assert_non_null(strstr(s.p, "recovers 96 % ["));
	/* Throughput: the same share. */
	spread_values(bad, N, 90, 0.001);
	spread_values(fixed, N, 99.6, 0.001);
	judge_recovery(good, N, bad, N, fixed, N, 0.05, &r);
	assert_double(r.share, 0.96, 0.001);
}

static void no_loss_no_share(void **state UNUSED)
{
	enum { N = 10 };
	double good[N], bad[N];
	struct recovery r;
	AUTO(str) struct str s = STR_INIT;

	spread_values(good, N, 100, 0.005);
	spread_values(bad, N, 100.5, 0.005);
	judge_recovery(good, N, bad, N, bad, N, 0.05, &r);
	assert_true(isnan(r.share) && isnan(r.low) && isnan(r.high));
	recovery_text(&s, &r);
	assert_non_null(strstr(s.p, "not shown"));
	/* One bad run against many good ones is a loss shown by ranks, but its own noise is not known. */
	double many[60], one = 130;

	spread_values(many, 60, 100, 0.001);
	judge_recovery(many, 60, &one, 1, good, N, 0.05, &r);
	assert_true(isnan(r.share) && isnan(r.low));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clone_numbers_are_undecided),
		cmocka_unit_test(usr_sys_rates_are_undecided),
		cmocka_unit_test(durations_two_and_two_have_no_interval),
		cmocka_unit_test(single_values_have_no_interval),
		cmocka_unit_test(one_miss_rate_each_is_no_interval),
		cmocka_unit_test(four_verdicts_and_their_direction),
		cmocka_unit_test(on_par_may_still_differ),
		cmocka_unit_test(words_for_people),
		cmocka_unit_test(counters_need_one_run),
		cmocka_unit_test(coarse_numbers_do_not_pretend),
		cmocka_unit_test(plans_never_spend_more_than_alpha),
		cmocka_unit_test(looks_that_can_decide_nothing_are_dropped),
		cmocka_unit_test(many_metrics_wait_for_the_last_look),
		cmocka_unit_test(the_family_may_find_what_one_alone_may_not),
		cmocka_unit_test(later_looks_are_announced),
		cmocka_unit_test(builds_are_the_unit),
		cmocka_unit_test(holm_lowers_what_is_not_shown),
		cmocka_unit_test(earlier_decisions_stand_and_pass_on_their_alpha),
		cmocka_unit_test(exploration_lists_by_false_discovery_rate),
		cmocka_unit_test(recovery_of_a_clear_loss),
		cmocka_unit_test(no_loss_no_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
