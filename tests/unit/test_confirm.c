/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "hunt/confirm_work.h"

#include <math.h>

/* n values around `at`, spread by `step` in a fixed disorder. */
static void fill(struct duel_side *side, const char *metric, size_t n, double at, double step,
		 bool counter)
{
	for (size_t i = 0; i < n; i++) {
		struct reading r = { .metric = (char *)metric,
				     .unit = (char *)"ms",
				     .counter = counter,
				     .value = at * (1 + step * ((double)((i * 11) % n) -
								(double)(n - 1) / 2)) };

		assert_true(duel_add(side, &r, BETTER_LOWER, true, 1, (int64_t)i));
	}
}

static void begin(struct duel *d, size_t n_sides)
{
	duel_init(d, n_sides, 0.05, 0.01);
	judge_plan_make(0.05, 0, (unsigned)n_sides - 1, &d->plan);
	for (size_t i = 0; i < n_sides; i++) {
		d->sides[i].label = xasprintf("side %zu", i);
		d->sides[i].node = xasprintf("node %zu", i);
	}
}

/* All looks were taken of so many runs a side at these levels. */
static void measured(struct duel *d, const char *metric, const double *level, double step)
{
	enum { ALL = 56 };

	for (size_t i = 0; i < d->n_sides; i++)
		fill(&d->sides[i], metric, ALL, level[i], step, false);
	d->look = d->plan.looks - 1;
	assert_int_equal(d->plan.n[d->look], ALL);
}

static void what_is_left_of_the_loss_decides(void **state UNUSED)
{
	static const struct {
		double level[3]; /* good, bad, without */
		enum confirm_verdict verdict;
		double share;
	} rows[] = {
		{ { 100, 108, 100 }, CONFIRM_CONFIRMED, 1 },
		{ { 100, 108, 104 }, CONFIRM_PARTLY, 0.5 },
		{ { 100, 108, 108 }, CONFIRM_REFUTED, 0 },
		{ { 100, 108, 107.5 }, CONFIRM_REFUTED, 0.0625 }, /* within the margin of BAD */
		{ { 100, 108, 112 }, CONFIRM_REFUTED, -0.5 },
		{ { 100, 108, 96 }, CONFIRM_CONFIRMED, 1.5 }, /* more than all */
		{ { 100, 92, 100 }, CONFIRM_CONFIRMED, 1 },   /* a gain that goes away */
		{ { 100, 100.2, 100 }, CONFIRM_NO_LOSS, NAN },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(duel) struct duel d;
		struct confirm_findings f = { 0 };

		begin(&d, 3);
		measured(&d, "time", rows[i].level, 1e-4);
		confirm_find(&d, CONFIRM_FIXED, CONFIRM_PICKED, &f);
		assert_int_equal(f.n, 1);
		if (f.v[0].verdict != rows[i].verdict)
			fail_msg("row %zu: %s", i, confirm_verdict_name(f.v[0].verdict));
		assert_int_equal(confirm_sum(&f), rows[i].verdict);
		if (!isnan(rows[i].share)) {
			assert_double(f.v[0].share.share, rows[i].share, 1e-6);
			assert_true(f.v[0].share.low < rows[i].share &&
				    f.v[0].share.high > rows[i].share);
			assert_double(f.v[0].share.level, 0.95, 1e-12);
		}
		assert_true(confirm_enough(&d));
		free(f.v);
	}
}

/* A share that is known to within more than half of the loss is no reason to stop; nor is a look that never was one to say a share. */
static void a_wide_share_goes_on(void **state UNUSED)
{
	static const double level[] = { 100, 108, 104 };
	struct confirm_findings f = { 0 };
	AUTO(duel) struct duel d;

	begin(&d, 3);
	measured(&d, "time", level, 0.004);
	confirm_find(&d, CONFIRM_FIXED, CONFIRM_PICKED, &f);
	assert_int_equal(f.v[0].loss.j.verdict, VERDICT_SLOWER);
	assert_true(f.v[0].share.high - f.v[0].share.low > 0.5);
	assert_false(confirm_enough(&d));
	f.n = 0;
	d.look = UINT32_MAX;
	confirm_find(&d, CONFIRM_FIXED, CONFIRM_PICKED, &f);
	assert_true(isnan(f.v[0].share.share));
	free(f.v);
}

static void exact_counts_give_the_share_itself(void **state UNUSED)
{
	static const double level[] = { 1000, 1100, 1025, 1075 };
	struct confirm_findings f = { 0 };
	AUTO(duel) struct duel d;

	begin(&d, 4);
	for (size_t i = 0; i < 4; i++)
		fill(&d.sides[i], "instructions", 2, level[i], 0, true);
	confirm_find(&d, CONFIRM_FIXED, CONFIRM_PICKED, &f);
	assert_int_equal(f.v[0].verdict, CONFIRM_PARTLY);
	assert_double(f.v[0].share.share, 0.75, 1e-12);
	assert_double(f.v[0].share.low, f.v[0].share.high, 0);
	assert_double(f.v[0].again.share, 0.75, 1e-12);
	assert_non_null(f.v[0].picked.a);
	free(f.v);
}

static void picking_brings_the_rest_of_the_share(void **state UNUSED)
{
	static const double level[] = { 100, 108, 100, 106 };
	struct confirm_findings f = { 0 };
	AUTO(duel) struct duel d;

	begin(&d, 4);
	measured(&d, "time", level, 1e-4);
	confirm_find(&d, CONFIRM_FIXED, CONFIRM_PICKED, &f);
	assert_double(f.v[0].again.share, 0.75, 1e-6);
	assert_true(f.v[0].again.low < 0.75 && f.v[0].again.high > 0.75);
	free(f.v);
}

/* --- over all looks -------------------------------------------------------------------------------------------- */

static double uniform(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(uint64_t *seed)
{
	double r = sqrt(-2 * log(uniform(seed)));

	return r * cos(6.283185307179586 * uniform(seed));
}

/* Runs until it is enough or the plan ends, as a hunt does. */
static void simulate(struct duel *d, const double *level, double sd, uint64_t *seed)
{
	unsigned most = d->plan.n[d->plan.looks - 1];

	d->enough = confirm_enough;
	for (unsigned n = 0; n < most; n++) {
		for (size_t i = 0; i < d->n_sides; i++) {
			struct reading r = { .metric = (char *)"time",
					     .unit = (char *)"ms",
					     .value = level[i] * (1 + sd * gauss(seed)) };

			assert_true(duel_add(&d->sides[i], &r, BETTER_LOWER, true, 1, n));
			d->sides[i].runs++;
		}
		if (duel_look(d))
			return;
	}
}

/* When to stop is decided by what is seen; the share's interval holds its level all the same (a bound at 1e-4 below it). */
static void the_share_keeps_its_level_over_all_looks(void **state UNUSED)
{
	enum { HISTORIES = 200 };
	static const double levels[][3] = { { 100, 108, 104 }, { 100, 108, 100 } };
	uint64_t seed = 777;

	for (size_t k = 0; k < ARRAY_LEN(levels); k++) {
		double truth = (levels[k][1] - levels[k][2]) / 8, bound;
		unsigned covered = 0, told = 0, wrong = 0;

		for (int i = 0; i < HISTORIES; i++) {
			struct confirm_findings f = { 0 };
			AUTO(duel) struct duel d;

			begin(&d, 3);
			simulate(&d, levels[k], 0.03, &seed);
			confirm_find(&d, CONFIRM_FIXED, CONFIRM_PICKED, &f);
			told += !isnan(f.v[0].share.share);
			covered += f.v[0].share.low <= truth && f.v[0].share.high >= truth;
			wrong += f.v[0].verdict == CONFIRM_REFUTED ||
				 (k == 0 && f.v[0].verdict == CONFIRM_CONFIRMED);
			free(f.v);
		}
		bound = 0.95 - 3.72 * sqrt(0.95 * 0.05 / told);
		if (told < HISTORIES * 3 / 4 || covered < bound * told)
			fail_msg("row %zu: %u of %u, wanted %.3f of them", k, covered, told, bound);
		assert_true(wrong <= HISTORIES * 0.05);
	}
}

static void metrics_without_a_loss_do_not_count(void **state UNUSED)
{
	static const struct {
		double one[3], two[3];
		enum confirm_verdict verdict;
	} rows[] = {
		{ { 100, 108, 100 }, { 100, 100, 100 }, CONFIRM_CONFIRMED },
		{ { 100, 100, 100 }, { 100, 108, 108 }, CONFIRM_REFUTED },
		{ { 100, 108, 100 }, { 100, 108, 108 }, CONFIRM_PARTLY },
		{ { 100, 108, 100 }, { 100, 108, 100 }, CONFIRM_CONFIRMED },
		{ { 100, 100, 100 }, { 100, 100, 100 }, CONFIRM_NO_LOSS },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct confirm_findings f = { 0 };
		AUTO(duel) struct duel d;

		begin(&d, 3);
		judge_plan_make(0.05, 0, 4, &d.plan);
		measured(&d, "one", rows[i].one, 1e-4);
		measured(&d, "two", rows[i].two, 1e-4);
		confirm_find(&d, CONFIRM_FIXED, CONFIRM_PICKED, &f);
		assert_int_equal(f.n, 2);
		if (confirm_sum(&f) != rows[i].verdict)
			fail_msg("row %zu: %s", i, confirm_verdict_name(confirm_sum(&f)));
		free(f.v);
	}
	struct confirm_findings none = { 0 };

	assert_int_equal(confirm_sum(&none), CONFIRM_UNDECIDED);
}

static void a_change_that_another_layout_does_not_have_is_its(void **state UNUSED)
{
	static const struct {
		enum verdict relaid, loss;
		enum confirm_survival survival;
	} rows[] = {
		{ VERDICT_SLOWER, VERDICT_SLOWER, SURVIVAL_SURVIVES },
		{ VERDICT_FASTER, VERDICT_FASTER, SURVIVAL_SURVIVES },
		{ VERDICT_FASTER, VERDICT_SLOWER, SURVIVAL_LAYOUT },
		{ VERDICT_ON_PAR, VERDICT_SLOWER, SURVIVAL_LAYOUT },
		{ VERDICT_IDENTICAL, VERDICT_SLOWER, SURVIVAL_LAYOUT },
		{ VERDICT_UNDECIDED, VERDICT_SLOWER, SURVIVAL_UNDECIDED },
		{ VERDICT_SLOWER, VERDICT_ON_PAR, SURVIVAL_SURVIVES },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct judgement j = { .verdict = rows[i].relaid };

		assert_int_equal(confirm_survives(&j, rows[i].loss), rows[i].survival);
	}
}

static void verdicts_have_names(void **state UNUSED)
{
	for (int v = CONFIRM_UNDECIDED; v <= CONFIRM_BROKEN; v++) {
		enum confirm_verdict back;

		assert_true(confirm_verdict_parse(confirm_verdict_name((enum confirm_verdict)v),
						  &back));
		assert_int_equal(back, v);
	}
	enum confirm_verdict none;

	assert_false(confirm_verdict_parse("perhaps", &none));
	assert_false(confirm_verdict_parse(NULL, &none));
}

static void a_refusal_survives_the_journal(void **state UNUSED)
{
	struct confirm a = { .refusal = { .verdict = CONFIRM_CONFLICT } }, b = { 0 };
	AUTO(str) struct str note = STR_INIT, again = STR_INIT;

	a.refusal.why = xstrdup("reverting x conflicts in \"a\nb\"");
	a.refusal.undone_by = NULL;
	a.refusal.dependents.complete = true;
	strvec_add(&a.refusal.paths, "a\nb");
	strvec_add(&a.refusal.dependents.commits, "0123");
	confirm_refusal_note(&a, &note);
	assert_false(confirm_take_refusal(&b, "look plan: 3 4"));
	assert_true(confirm_take_refusal(&b, note.p));
	confirm_refusal_note(&b, &again);
	assert_string_equal(again.p, note.p);
	assert_int_equal(b.refusal.verdict, CONFIRM_CONFLICT);
	assert_string_equal(b.refusal.paths.v[0], "a\nb");
	struct confirm *both[] = { &a, &b };

	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		free(both[i]->refusal.why);
		strvec_done(&both[i]->refusal.paths);
		dependents_done(&both[i]->refusal.dependents);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_of_the_loss_decides),
		cmocka_unit_test(a_wide_share_goes_on),
		cmocka_unit_test(exact_counts_give_the_share_itself),
		cmocka_unit_test(picking_brings_the_rest_of_the_share),
		cmocka_unit_test(the_share_keeps_its_level_over_all_looks),
		cmocka_unit_test(metrics_without_a_loss_do_not_count),
		cmocka_unit_test(a_change_that_another_layout_does_not_have_is_its),
		cmocka_unit_test(verdicts_have_names),
		cmocka_unit_test(a_refusal_survives_the_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
