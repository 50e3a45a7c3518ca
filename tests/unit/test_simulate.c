/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "hunt/sim_targets.h"
#include "hunt/simulate.h"

#include <math.h>

static struct simulate_plan plan_of(const char *scenario, enum sim_policy policy, uint32_t n)
{
	struct simulate_plan plan;

	simulate_plan_default(&plan);
	plan.scenario = *sim_scenario_find(scenario);
	plan.policy = policy;
	plan.histories = n;
	return plan;
}

static void the_number_of_jobs_changes_nothing(void **state)
{
	static const enum sim_policy policies[] = { POLICY_P1, POLICY_P3, POLICY_P4,
						    POLICY_P4_REBUILD };
	struct policy_result one[40], three[40];

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(policies); k++) {
		struct simulate_plan plan = plan_of("g3s_N128", policies[k], ARRAY_LEN(one));
		plan.scenario.drift_sd = .005;
		plan.scenario.drift_phi = .98;
		simulate_run(&plan, one);
		plan.jobs = 3;
		simulate_run(&plan, three);
		for (unsigned i = 0; i < ARRAY_LEN(one); i++) {
			assert_int_equal(one[i].answer, three[i].answer);
			assert_int_equal(one[i].culprit, three[i].culprit);
			assert_int_equal(one[i].runs, three[i].runs);
			assert_int_equal(one[i].builds, three[i].builds);
		}
	}
}

static void histories_can_be_run_in_pieces(void **state)
{
	struct simulate_plan plan = plan_of("g3s_N16", POLICY_P4, 20);
	struct policy_result all[20], part[5];

	(void)state;
	simulate_run(&plan, all);
	plan.first = 15;
	plan.histories = 5;
	simulate_run(&plan, part);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(part[i].runs, all[15 + i].runs);
}

static void a_tally_adds_up(void **state)
{
	const struct simulate_plan plan = plan_of("g3s", POLICY_P4, 10);
	struct policy_result r[10] = {
		{ .answer = ANSWER_NAMED,
		  .holds = true,
		  .stated = .96,
		  .builds = 1,
		  .runs = 10,
		  .changes = 1 },
		{ .answer = ANSWER_NAMED,
		  .holds = true,
		  .stated = .9995,
		  .builds = 2,
		  .runs = 20,
		  .changes = 1 },
		{ .answer = ANSWER_NAMED,
		  .holds = false,
		  .stated = .965,
		  .builds = 3,
		  .runs = 30,
		  .changes = 1 },
		{ .answer = ANSWER_SET,
		  .holds = true,
		  .set_size = 4,
		  .builds = 4,
		  .runs = 40,
		  .changes = 1 },
		{ .answer = ANSWER_SET,
		  .holds = false,
		  .set_size = 2,
		  .builds = 5,
		  .runs = 50,
		  .changes = 1 },
		{ .answer = ANSWER_UNDECIDED,
		  .holds = true,
		  .set_size = 9,
		  .builds = 6,
		  .runs = 60,
		  .changes = 1 },
		{ .answer = ANSWER_NO_CHANGE,
		  .builds = 7,
		  .runs = 70,
		  .changes = 0,
		  .holds = true },
		{ .answer = ANSWER_NO_CHANGE, .builds = 8, .runs = 80, .changes = 1 },
		{ .answer = ANSWER_MULTIPLE, .builds = 9, .runs = 90, .changes = 2, .holds = true },
		{ .answer = ANSWER_MULTIPLE, .builds = 10, .runs = 100, .changes = 1 },
	};
	struct simulate_tally t;

	(void)state;
	simulate_tally(&plan, r, 10, &t);
	assert_int_equal(t.right, 2);
	assert_int_equal(t.wrong, 1);
	assert_int_equal(t.right + t.wrong + t.no_change + t.multiple + t.set + t.undecided, 10);
	assert_int_equal(t.set_holds, 1);
	assert_int_equal(t.undecided_holds, 1);
	assert_int_equal(t.multiple_holds, 1);
	assert_int_equal(t.null, 1);
	assert_int_equal(t.null_no_change, 1);
	assert_double(t.set_size, 5, 1e-15);
	assert_double(t.builds.mean, 5.5, 1e-15);
	assert_double(t.builds.p90, 9, 0);
	assert_double(t.builds.se, sqrt(82.5 / 9 / 10), 1e-12);
	assert_double(t.cost.mean, 110, 1e-12);
	assert_double(t.actual, 2. / 3, 1e-15);
	assert_int_equal(t.bins[2].n, 2);
	assert_int_equal(t.bins[2].right, 1);
	assert_double(t.bins[2].stated, .9625, 1e-12);
	assert_int_equal(t.bins[5].n, 1);
}

/* From scipy.stats.binom: cdf(3, 20, .3), sf(6, 400, .005), cdf(390, 400, .995). */
static void binomial_tails_are_exact(void **state)
{
	(void)state;
	assert_double(binomial_at_most(3, 20, .3), 0.10708680450373087, 1e-13);
	assert_double(binomial_at_least(7, 400, .005), 0.004414087313355391, 1e-13);
	assert_double(binomial_at_most(390, 400, .995), 4.323890570316292e-05, 1e-15);
	assert_double(binomial_at_most(0, 5, 0), 1, 0);
	assert_double(binomial_at_least(1, 5, 0), 0, 0);
	assert_double(binomial_at_least(0, 5, 0), 1, 0);
	assert_double(binomial_at_most(4, 5, 1), 0, 0);
	assert_double(binomial_at_most(5, 5, 1), 1, 0);
}

static void parse(struct target_file *f, const char *text)
{
	struct err e = ERR_INIT;

	if (target_file_parse(f, text, strlen(text), "t.txt", &e) < 0)
		fail_msg("%s", e.msg);
}

static void a_target_file_is_read(void **state)
{
	struct target_file f;

	(void)state;
	parse(&f, "# comment\n\ng3s P4 30 right>=98.5% builds<=13.5/15 # tail\n"
		  "mix P4+rebuild 5 actual>=stated-0.02 cost-P1<=5%\n");
	assert_int_equal(f.n, 2);
	assert_int_equal(f.v[0].histories, 30);
	assert_double(f.v[0].v[0].value, .985, 1e-15);
	assert_true(f.v[0].v[0].at_least);
	assert_double(f.v[0].v[1].p90, 15, 0);
	assert_int_equal(f.v[1].policy, POLICY_P4_REBUILD);
	assert_true(f.v[1].v[0].below_stated);
	assert_double(f.v[1].v[0].value, .02, 1e-15);
	assert_int_equal(f.v[1].v[1].what, TARGET_COST_P1);
	target_file_done(&f);
}

static void a_bad_target_file_says_where(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "", "t.txt: no targets" },
		{ "g3s P4\n", "t.txt:1: a row is SCENARIO POLICY HISTORIES CRITERION..." },
		{ "g4s P4 3\n", "t.txt:1: unknown scenario 'g4s'" },
		{ "g3s P9 3\n", "t.txt:1: unknown policy 'P9'" },
		{ "g3s P4 3 right=1\n", "t.txt:1: 'right=1' is not WHAT>=VALUE or WHAT<=VALUE" },
		{ "g3s P4 3 left>=1\n", "t.txt:1: unknown criterion 'left>=1'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = ERR_INIT;
		struct target_file f;
		assert_int_equal(
			target_file_parse(&f, rows[i].text, strlen(rows[i].text), "t.txt", &e),
			-ERR_USAGE);
		assert_string_equal(e.msg, rows[i].message);
		target_file_done(&f);
	}
}

/* Every file of targets in bench/ must parse, or the bench cannot run. */
static void the_files_in_bench_parse(void **state)
{
	static const char *const names[] = { "stats-targets.txt", "stats-targets-ci.txt" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *path = xasprintf("%s/bench/%s", getenv("CULPRIT_SRCDIR"), names[i]);
		char text[16384];
		struct target_file f;
		struct err e = ERR_INIT;
		FILE *in = fopen(path, "r");
		assert_non_null(in);
		size_t n = fread(text, 1, sizeof(text), in);
		fclose(in);
		assert_int_equal(target_file_parse(&f, text, n, names[i], &e), 0);
		target_file_done(&f);
	}
}

static bool at_once(void)
{
	return true;
}

static void a_stop_is_heard(void **state)
{
	struct simulate_plan plan = plan_of("g3s", POLICY_P4, 5);
	struct policy_result r[5];

	(void)state;
	plan.stop = at_once;
	assert_false(simulate_run(&plan, r));
}

/* A commit next to the good end with the good end's artefacts once left the posterior without a good end, for ever. */
static void equal_artefacts_do_not_lose_the_ends(void **state)
{
	struct simulate_plan plan = plan_of("same40", POLICY_P4, 12);
	struct policy_result r[12];
	struct simulate_tally t;

	(void)state;
	assert_true(simulate_run(&plan, r));
	simulate_tally(&plan, r, ARRAY_LEN(r), &t);
	assert_int_equal(t.stuck, 0);
	assert_int_equal(t.right, ARRAY_LEN(r));
}

static bool row_holds(const char *text, const struct simulate_plan *plan)
{
	const uint64_t seeds[] = { 777, 2024 };
	struct target_result r[TARGET_MAX];
	struct target_file f;
	bool ok = true;

	parse(&f, text);
	for (size_t i = 0; i < f.n; i++) {
		target_row_run(&f.v[i], plan, seeds, ARRAY_LEN(seeds), 1, r);
		for (unsigned k = 0; k < f.v[i].n; k++)
			ok &= r[k].ok;
	}
	target_file_done(&f);
	return ok;
}

/* The rows that P0 and P1 reach, and fail, show that each criterion can say both. */
static void criteria_can_pass_and_fail(void **state)
{
	static const struct {
		const char *row;
		bool ok;
	} rows[] = {
		{ "huge50s P1 30 right>=99.5% false<=0% builds<=12/12 runs<=60/60 cost<=180 excess<=60",
		  true },
		{ "g3s P0 50 right>=40% false<=60%", true },
		{ "g3s P0 50 right>=70%", false },
		{ "g3s P0 50 false<=30%", false },
		{ "huge50s P1 10 builds<=11.9", false },
		{ "huge50s P1 10 builds<=12/11", false },
		{ "huge50s P1 10 runs>=61", false },
		{ "huge50s P1 10 excess<=59", false },
		{ "huge50s P1 10 cost-P0<=28%", false },
		{ "huge50s P1 10 cost-P0<=29%", true },
		{ "skip20 P1 50 right+held>=92% held>=90% set<=25%", true },
		{ "skip20 P0 200 held>=90%", false },
		{ "none P0 10 no-change>=50%", false },
		{ "g3s_N128 P3 50 actual>=stated-0.02", true },
		{ "off_d3 P3 25 actual>=stated-0.02", false },
	};
	struct simulate_plan plan;

	(void)state;
	simulate_plan_default(&plan);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (row_holds(rows[i].row, &plan) != rows[i].ok)
			fail_msg("%s: %s", rows[i].row, rows[i].ok ? "fails" : "passes");
}

/* A method that takes builds for identical must not get through the rows of bench/stats-targets-ci.txt. */
static void a_dropped_offset_model_is_seen(void **state)
{
	const char *misses = "off_d6 P4 25 right>=93%", *blames = "off_d3 P4 25 false<=5%";
	struct simulate_plan plan;

	(void)state;
	simulate_plan_default(&plan);
	assert_true(row_holds(misses, &plan));
	plan.offset_scale = 0;
	assert_false(row_holds(misses, &plan));
	assert_false(row_holds(blames, &plan));
}

static void rivals_refuse_merges(void **state)
{
	struct simulate_plan plan = plan_of("dag3s", POLICY_P0, 1);

	(void)state;
	assert_non_null(simulate_impossible(&plan));
	plan.policy = POLICY_P4;
	assert_null(simulate_impossible(&plan));
}

static void a_file_is_searched_like_a_scenario(void **state)
{
	static const char text[] =
		"%margin 1%\na - level 10\nb a level 10\nc b level 10\nd c level 10.4\n"
		"e d level 10.4\nf e level 10.4\n";
	struct simulate_plan plan = plan_of("g3s", POLICY_P4, 1);
	struct policy_result r;
	struct sim_file f;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(sim_file_parse(&f, text, sizeof(text) - 1, "h", &e), 0);
	plan.scenario = f.p;
	plan.file = &f;
	simulate_run(&plan, &r);
	assert_int_equal(r.answer, ANSWER_NAMED);
	assert_string_equal(f.names[r.culprit], "d");
	assert_true(r.holds);
	plan.policy = POLICY_P0;
	assert_null(simulate_impossible(&plan));
	simulate_run(&plan, &r);
	assert_string_equal(f.names[r.culprit], "d");
	sim_file_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_number_of_jobs_changes_nothing),
		cmocka_unit_test(histories_can_be_run_in_pieces),
		cmocka_unit_test(a_tally_adds_up),
		cmocka_unit_test(binomial_tails_are_exact),
		cmocka_unit_test(a_target_file_is_read),
		cmocka_unit_test(a_bad_target_file_says_where),
		cmocka_unit_test(the_files_in_bench_parse),
		cmocka_unit_test(a_stop_is_heard),
		cmocka_unit_test(equal_artefacts_do_not_lose_the_ends),
		cmocka_unit_test(criteria_can_pass_and_fail),
		cmocka_unit_test(a_dropped_offset_model_is_seen),
		cmocka_unit_test(rivals_refuse_merges),
		cmocka_unit_test(a_file_is_searched_like_a_scenario),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
