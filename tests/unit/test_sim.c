/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "target/policies.h"
#include "target/sim.h"

#include <math.h>

static struct sim_scenario scenario(const char *name)
{
	const struct sim_scenario *p = sim_scenario_find(name);

	assert_non_null(p);
	return *p;
}

static void draws_do_not_depend_on_what_was_asked_before(void **state)
{
	struct sim_scenario p = scenario("messy");
	struct sim a, b;

	(void)state;
	p.drift_sd = 0;
	sim_open(&a, &p, 777, 5, NULL);
	sim_open(&b, &p, 777, 5, NULL);
	double first = sim_run(&a, 400, 0, 0, 3);
	for (unsigned i = 0; i < 50; i++)
		(void)sim_run(&b, 17 * i, i % 3, i, i);
	assert_true(sim_run(&b, 400, 0, 0, 3) == first);
	assert_false(sim_run(&b, 400, 0, 0, 4) == first);
	assert_false(sim_run(&b, 400, 1, 0, 3) == first);
	assert_memory_equal(a.changes, b.changes, sizeof(a.changes));
	assert_memory_equal(a.broken, b.broken, a.g->n);
	sim_done(&a);
	sim_done(&b);
}

static void seeds_and_histories_differ(void **state)
{
	const struct sim_scenario p = scenario("g3s");
	struct sim s;
	double v[3];
	const uint64_t seed[3] = { 1, 1, 2 };
	const uint32_t history[3] = { 1, 2, 1 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		sim_open(&s, &p, seed[i], history[i], NULL);
		v[i] = sim_run(&s, 1, 0, 0, 0);
		sim_done(&s);
	}
	assert_true(v[0] != v[1] && v[0] != v[2] && v[1] != v[2]);
}

static void drift_restarts_for_each_policy(void **state)
{
	const struct sim_scenario p = scenario("drift2x");
	struct sim s;
	double first[20];

	(void)state;
	sim_open(&s, &p, 3, 0, NULL);
	for (unsigned i = 0; i < 20; i++)
		first[i] = sim_run(&s, 0, 0, 0, i);
	sim_rewind(&s);
	for (unsigned i = 0; i < 20; i++)
		assert_true(sim_run(&s, 0, 0, 0, i) == first[i]);
	sim_done(&s);
}

/* Mean and variance by formula; the tolerances are 5 standard errors at 200000 draws (variance of
 * out: by its fourth moment). */
static void noise_has_the_moments_of_its_formula(void **state)
{
	static const struct {
		enum sim_noise kind;
		double mean, var, tol_mean, tol_var;
	} rows[] = {
		{ SIM_GAUSS, 0, 1, .0112, .0158 },
		{ SIM_SKEW, 0, 1, .0112, .08 },
		{ SIM_OUT, .4, 1 + .05 * 128 - .16, .031, .65 },
		{ SIM_OUT15, 1.2, 1 + .15 * 128 - 1.44, .049, 1.15 },
		{ SIM_BIMOD, 0, .25 + 4 * .35 * .65, .0121, .013 },
		{ SIM_DET, 0, 0, 0, 0 },
		{ SIM_AR, 0, .49, .0079, .0078 },
	};
	const unsigned n = 200000;

	(void)state;
	for (unsigned r = 0; r < ARRAY_LEN(rows); r++) {
		double sum = 0, sq = 0, mean;
		for (unsigned i = 0; i < n; i++) {
			double e = sim_noise_draw(rows[r].kind, 42, i / 7, i % 7);
			sum += e;
			sq += e * e;
		}
		mean = sum / n;
		if (fabs(mean - rows[r].mean) > rows[r].tol_mean ||
		    fabs(sq / n - mean * mean - rows[r].var) > rows[r].tol_var)
			fail_msg("%s: mean %g var %g", sim_noise_name(rows[r].kind), mean,
				 sq / n - mean * mean);
	}
}

/* The variance of t3 is there but its fourth moment is not: quantiles instead. P(|t3| < 0.7649) =
 * 1/2, P(t3 > 3.1824) = .025. */
static void t3_has_its_quantiles(void **state)
{
	const unsigned n = 200000;
	unsigned inner = 0, above = 0;

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		double e = sim_noise_draw(SIM_T3, 42, i, 0);
		inner += fabs(e) < .764892;
		above += e > 3.182446;
	}
	assert_double((double)inner / n, .5, .0056);
	assert_double((double)above / n, .025, .00175);
}

static void normals_are_normal(void **state)
{
	static const double z[] = { -2, -1, 0, 1, 2 };
	static const double phi[] = { .02275, .15866, .5, .84134, .97725 };
	const unsigned n = 100000;

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(z); k++) {
		unsigned below = 0;
		for (unsigned i = 0; i < n; i++)
			below += sim_normal(9, 200, i, k) < z[k];
		assert_double((double)below / n, phi[k], .008);
	}
}

static void drift_remembers(void **state)
{
	const unsigned n = 200000;
	double g = 0, last = 0, sum = 0, lag = 0, lag50 = 0;
	static double past[50];

	(void)state;
	for (unsigned t = 0; t < n; t++) {
		g = sim_ar_step(g, .98, sim_normal(5, 201, t, 0), t);
		sum += g * g;
		lag += g * last;
		lag50 += g * past[t % 50];
		last = past[t % 50] = g;
	}
	assert_double(sum / n, 1, .12);
	assert_double(lag / sum, .98, .01);
	assert_double(lag50 / sum, pow(.98, 50), .12);
}

static void ar_starts_in_its_stationary_law(void **state)
{
	double sq = 0;

	(void)state;
	for (unsigned h = 0; h < 20000; h++) {
		double z = sim_normal(sim_key(1, h), 202, 0, 0);
		double g = sim_ar_step(99, .98, z, 0);
		sq += g * g;
	}
	assert_double(sq / 20000, 1, .05);
}

static void coarse_values_are_multiples_of_the_step(void **state)
{
	struct sim_scenario p = scenario("quant");
	struct sim s;

	(void)state;
	sim_open(&s, &p, 1, 0, NULL);
	for (unsigned i = 0; i < 200; i++) {
		double v = sim_run(&s, 5, 0, 0, i);
		assert_true(fmod(v, 2) == 0);
	}
	assert_double(sim_resolution(&s), 1, 0);
	sim_done(&s);
	p = scenario("g3s");
	sim_open(&s, &p, 1, 0, NULL);
	assert_double(sim_resolution(&s), 1e-6, 0);
	sim_done(&s);
}

static void only_the_first_run_of_a_build_is_cold(void **state)
{
	struct sim_scenario p = scenario("warm");
	struct sim s;

	(void)state;
	p.s = 0;
	sim_open(&s, &p, 1, 0, NULL);
	assert_double(log(sim_run(&s, 0, 0, 0, 0) / 100), .05, 1e-7);
	assert_double(log(sim_run(&s, 0, 0, 0, 1) / 100), 0, 1e-7);
	assert_double(log(sim_run(&s, 0, 0, 1, 2) / 100), 0, 1e-7);
	assert_double(log(sim_run(&s, 0, 1, 0, 0) / 100), .05, 1e-7);
	sim_done(&s);
}

/* The offset belongs to the build, or to the boot, and to nothing finer. */
static void offsets_have_their_level(void **state)
{
	struct sim_scenario p = scenario("g3s");
	struct sim s;

	(void)state;
	p.s = 0;
	p.tau = .01;
	sim_open(&s, &p, 1, 0, NULL);
	assert_true(sim_run(&s, 3, 0, 0, 0) == sim_run(&s, 3, 0, 1, 1));
	assert_false(sim_run(&s, 3, 0, 0, 0) == sim_run(&s, 3, 1, 0, 0));
	sim_done(&s);
	p.tau = 0;
	p.boot_sd = .01;
	sim_open(&s, &p, 1, 0, NULL);
	assert_true(sim_run(&s, 3, 0, 0, 0) == sim_run(&s, 3, 0, 0, 1));
	assert_false(sim_run(&s, 3, 0, 0, 0) == sim_run(&s, 3, 0, 1, 2));
	sim_done(&s);
}

static void changes_shift_what_comes_after(void **state)
{
	struct sim_scenario p = scenario("two");
	struct sim s;

	(void)state;
	for (uint32_t h = 0; h < 50; h++) {
		sim_open(&s, &p, 11, h, NULL);
		assert_int_equal(s.n_changes, 2);
		uint32_t a = s.changes[0], b = s.changes[1];
		assert_true(b - a >= 128);
		assert_double(s.shift[a - 1], 0, 0);
		assert_double(s.shift[a], .04, 1e-15);
		assert_double(s.shift[b - 1], .04, 1e-15);
		assert_double(s.shift[b], .08, 1e-15);
		sim_done(&s);
	}
	p = scenario("fixed_again");
	sim_open(&s, &p, 11, 0, NULL);
	assert_double(s.shift[s.changes[0]], .04, 1e-15);
	assert_double(s.shift[1024], 0, 1e-15);
	sim_done(&s);
	p = scenario("none");
	sim_open(&s, &p, 11, 0, NULL);
	assert_int_equal(s.n_changes, 0);
	sim_done(&s);
}

static void the_culprit_is_uniform(void **state)
{
	const struct sim_scenario p = scenario("g3s_N16");
	unsigned count[17] = { 0 };
	double chi = 0;

	(void)state;
	for (uint32_t h = 0; h < 3200; h++) {
		struct sim s;
		sim_open(&s, &p, 5, h, NULL);
		count[s.changes[0]]++;
		sim_done(&s);
	}
	assert_int_equal(count[0], 0);
	for (unsigned i = 1; i <= 16; i++)
		chi += (count[i] - 200.) * (count[i] - 200.) / 200;
	assert_true(chi < 44.3); /* 1 - 1e-4 quantile of chi squared with 15 degrees of freedom */
}

static void broken_stretches_have_mean_length_three(void **state)
{
	struct sim_scenario p = scenario("skip20");
	struct sim s;
	unsigned broken = 0, starts = 0;

	(void)state;
	p.n = 100000;
	sim_open(&s, &p, 2, 0, NULL);
	for (uint32_t c = 1; c < p.n; c++) {
		broken += !sim_builds(&s, c);
		starts += !sim_builds(&s, c) && sim_builds(&s, c - 1);
	}
	assert_true(sim_builds(&s, 0) && sim_builds(&s, p.n));
	/* A stretch ends after 3 on average, and 1 in 15 is followed at once by another. */
	assert_double((double)broken / starts, 3 / (1 - .2 / 3), .15);
	assert_double((double)broken / p.n, 3. / 17, .01);
	sim_done(&s);
}

static void dag_has_its_merges_and_one_end(void **state)
{
	const struct sim_scenario p = scenario("dag3s");

	(void)state;
	for (uint32_t h = 0; h < 20; h++) {
		struct sim s;
		unsigned merges = 0;
		sim_open(&s, &p, 4, h, NULL);
		assert_int_equal(s.g->n, 1501);
		assert_int_equal(graph_candidates(s.g), 1500);
		uint8_t *flags = xcalloc(s.g->n, 1);
		graph_mark_ancestors(s.g, s.g->bad, flags);
		for (uint32_t i = 0; i < s.g->n; i++) {
			assert_int_equal(flags[i], 1);
			merges += s.g->parent_start[i + 1] - s.g->parent_start[i] > 1;
		}
		assert_in_range(merges, 60, 130);
		for (uint32_t i = 0; i < s.g->n; i++)
			assert_double(s.shift[i], graph_reaches(s.g, s.changes[0], i) ? .03 : 0, 0);
		free(flags);
		sim_done(&s);
	}
}

static void same_artefacts_give_the_same_runs(void **state)
{
	const struct sim_scenario p = scenario("same40");
	struct sim s;
	unsigned same = 0;

	(void)state;
	sim_open(&s, &p, 5, 0, NULL);
	for (uint32_t c = 1; c < s.g->n; c++) {
		uint32_t a = sim_artefact(&s, c);
		assert_int_equal(sim_artefact(&s, a), a);
		assert_true(a == c || a == sim_artefact(&s, c - 1));
		assert_double(s.shift[c], s.shift[a], 0);
		if (a != c)
			assert_true(sim_run(&s, c, 0, 0, 3) == sim_run(&s, a, 0, 0, 3));
		same += a != c;
	}
	assert_double(same / 1024., .4, .06);
	assert_int_equal(sim_artefact(&s, s.changes[0]), s.changes[0]);
	assert_int_equal(sim_artefact(&s, s.g->bad), s.g->bad);
	sim_done(&s);
}

static void hints_point_at_a_tenth(void **state)
{
	static const struct {
		const char *name;
		double culprit;
	} rows[] = { { "hint_right", 20 }, { "hint_wrong", 1 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct sim_scenario p = scenario(rows[i].name);
		unsigned heavy = 0;
		struct sim s;
		sim_open(&s, &p, 5, 0, NULL);
		for (uint32_t c = 0; c < s.g->n; c++)
			heavy += s.g->weight[c] == 20;
		assert_in_range(heavy, 70, 135);
		assert_double(s.g->weight[s.changes[0]], rows[i].culprit, 0);
		assert_double(s.g->weight[0], 0, 0);
		sim_done(&s);
	}
}

static void mix_draws_within_its_ranges(void **state)
{
	const struct sim_scenario p = scenario("mix");
	unsigned still = 0, drifting = 0, flat = 0, kinds[SIM_NOISES] = { 0 };
	const unsigned n = 2000;

	(void)state;
	for (uint32_t h = 0; h < n; h++) {
		struct sim s;
		sim_open(&s, &p, 8, h, NULL);
		assert_true(s.p.d == 0 || (s.p.d >= .01 && s.p.d <= .10));
		assert_true(s.p.s >= .003 && s.p.s <= .03);
		assert_true(s.p.tau >= 0 && s.p.tau <= .02);
		assert_int_equal(s.n_changes, s.p.d != 0);
		still += s.p.d == 0;
		drifting += s.p.drift_sd > 0;
		flat += s.p.tau == 0;
		kinds[s.p.noise]++;
		sim_done(&s);
	}
	assert_double(still / (double)n, .15, .04);
	assert_double(drifting / (double)n, .3, .05);
	assert_double(flat / (double)n, .3, .05);
	for (unsigned k = SIM_GAUSS; k <= SIM_T3; k++)
		assert_double(kinds[k] / (double)n, .2, .045);
}

static void every_scenario_opens(void **state)
{
	(void)state;
	for (size_t i = 0; sim_scenario_at(i); i++) {
		const struct sim_scenario *p = sim_scenario_at(i);
		struct sim s;
		assert_true(sim_scenario_margin(p) > 0 || p->mix);
		sim_open(&s, p, 1, 0, NULL);
		assert_true(isfinite(sim_run(&s, s.g->good, 0, 0, 0)));
		assert_true(isfinite(sim_run(&s, s.g->bad, 0, 0, 0)));
		sim_done(&s);
	}
	assert_string_equal(sim_scenario_near("g3"), "g3s");
	assert_null(sim_scenario_near("nothing like it"));
}

/*
 * The rows of STATISTICS.md 2.1 for policies whose rules leave no freedom: they check that our
 * histories are those that its tables were made from. 1000 histories there and here: 4.2 standard
 * errors of a difference.
 */
static void thresholds_give_the_tables_of_the_method(void **state)
{
	static const struct {
		const char *scenario;
		unsigned runs_each;
		double right, wrong, builds, runs;
	} rows[] = {
		{ "huge50s", 1, 1, 0, 12, 20 },
		{ "huge50s", 5, 1, 0, 12, 60 },
		{ "g3s", 1, .423, .577, 12, 20 },
		{ "g3s", 5, .909, .091, 12, 60 },
		{ "g1s", 5, .098, .902, 12, 60 },
		{ "det", 1, 1, 0, 12, 20 },
		{ "det", 5, 1, 0, 12, 60 },
		{ "skip20", 1, .341, .476, 16.1, 19.6 },
		{ "skip20", 5, .714, .075, 16.2, 57.9 },
		{ "skew3s", 1, .628, .372, 12, 20 },
		{ "out3s", 5, .853, .147, 12, 60 },
		{ "bimod3s", 5, .691, .309, 12, 60 },
		{ "t3_3s", 5, .796, .204, 12, 60 },
		{ "quant", 1, .369, .631, 12, 20 },
		{ "off_d3", 5, .252, .748, 12, 60 },
		{ "drift3s", 5, .559, .441, 12, 60 },
	};
	const unsigned n = 1000;

	(void)state;
	for (unsigned r = 0; r < ARRAY_LEN(rows); r++) {
		const struct sim_scenario p = scenario(rows[r].scenario);
		struct graph line = graph_line(p.n);
		double right = 0, wrong = 0, builds = 0, runs = 0;
		for (uint32_t h = 0; h < n; h++) {
			struct sim s;
			struct policy_result res;
			sim_open(&s, &p, 777, h, &line);
			policy_threshold(&s, rows[r].runs_each, &res);
			right += res.answer == ANSWER_NAMED && res.holds;
			wrong += res.answer == ANSWER_NAMED && !res.holds;
			builds += res.builds;
			runs += res.runs;
			sim_done(&s);
		}
		graph_done(&line);
		double q = rows[r].right;
		double tol = 4.2 * sqrt(2 * q * (1 - q) / n);
		if (fabs(right / n - q) > tol || fabs(wrong / n - rows[r].wrong) > tol ||
		    fabs(builds / n - rows[r].builds) > .6 || fabs(runs / n - rows[r].runs) > .6)
			fail_msg("%s with %u runs: right %g wrong %g builds %g runs %g",
				 rows[r].scenario, rows[r].runs_each, right / n, wrong / n,
				 builds / n, runs / n);
	}
}

static void bayesect_stops_at_its_confidence(void **state)
{
	const struct sim_scenario p = scenario("g3s_N128");
	struct graph line = graph_line(p.n);
	double right = 0, builds = 0, runs = 0;
	const unsigned n = 300;

	(void)state;
	for (uint32_t h = 0; h < n; h++) {
		struct sim s;
		struct policy_result res;
		sim_open(&s, &p, 777, h, &line);
		policy_bayesect(&s, &res);
		assert_int_equal(res.answer, ANSWER_NAMED);
		assert_in_range((uint64_t)(res.stated * 1000), 950, 1000);
		right += res.holds;
		builds += res.builds;
		runs += res.runs;
		sim_done(&s);
	}
	graph_done(&line);
	/* STATISTICS.md 2.1: 97.0 %, 10.9 builds, 26.3 runs over 100 histories. */
	assert_true(right / n > .93);
	assert_double(builds / n, 10.9, .12);
	assert_double(runs / n, 26.3, .12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_do_not_depend_on_what_was_asked_before),
		cmocka_unit_test(seeds_and_histories_differ),
		cmocka_unit_test(drift_restarts_for_each_policy),
		cmocka_unit_test(noise_has_the_moments_of_its_formula),
		cmocka_unit_test(t3_has_its_quantiles),
		cmocka_unit_test(normals_are_normal),
		cmocka_unit_test(drift_remembers),
		cmocka_unit_test(ar_starts_in_its_stationary_law),
		cmocka_unit_test(coarse_values_are_multiples_of_the_step),
		cmocka_unit_test(only_the_first_run_of_a_build_is_cold),
		cmocka_unit_test(offsets_have_their_level),
		cmocka_unit_test(changes_shift_what_comes_after),
		cmocka_unit_test(the_culprit_is_uniform),
		cmocka_unit_test(broken_stretches_have_mean_length_three),
		cmocka_unit_test(dag_has_its_merges_and_one_end),
		cmocka_unit_test(same_artefacts_give_the_same_runs),
		cmocka_unit_test(hints_point_at_a_tenth),
		cmocka_unit_test(mix_draws_within_its_ranges),
		cmocka_unit_test(every_scenario_opens),
		cmocka_unit_test(thresholds_give_the_tables_of_the_method),
		cmocka_unit_test(bayesect_stops_at_its_confidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
