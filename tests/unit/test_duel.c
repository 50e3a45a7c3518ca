/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "hunt/duel.h"

/* n values around `at`, spread by `step` in a fixed disorder. */
static void fill(struct duel_side *side, const char *metric, size_t n, double at, double step)
{
	for (size_t i = 0; i < n; i++) {
		struct reading r = { .metric = (char *)metric,
				     .unit = (char *)"ms",
				     .value = at * (1 + step * ((double)((i * 11) % n) -
								(double)(n - 1) / 2)) };

		assert_true(duel_add(side, &r, BETTER_LOWER, true, 1, (int64_t)i));
	}
}

static void two_sides(struct duel *d, unsigned most, unsigned primaries)
{
	duel_init(d, 2, 0.05, 0.01);
	judge_plan_make(0.05, most, primaries, &d->plan);
	for (int i = 0; i < 2; i++) {
		d->sides[i].label = xstrdup(i ? "b" : "a");
		d->sides[i].node = xstrdup(i ? "b" : "a");
	}
}

/* What a look said stands, whatever later runs show, and names the runs that it rests on. */
static void a_verdict_stands_at_its_look(void **state UNUSED)
{
	AUTO(duel) struct duel d;
	struct duel_rows rows = { 0 };

	two_sides(&d, 0, 1);
	fill(&d.sides[0], "time", 5, 100, 0.001);
	fill(&d.sides[1], "time", 5, 110, 0.001);
	fill(&d.sides[0], "time", 5, 120, 0.1);
	fill(&d.sides[1], "time", 5, 100, 0.1);
	d.look = 2; /* 10 a side */
	duel_judge(&d, &rows);
	assert_int_equal(rows.n, 1);
	assert_int_equal(rows.v[0].j.verdict, VERDICT_SLOWER);
	assert_int_equal(rows.v[0].j.look, 0);
	assert_int_equal(rows.v[0].n_a, 5);
	assert_int_equal(rows.v[0].n_b, 5);
	free(rows.v);
}

/* Runs that came after a look, as when the budget ends between two, are not looked at. */
static void between_looks_there_is_no_verdict(void **state UNUSED)
{
	AUTO(duel) struct duel d;
	struct duel_rows rows = { 0 };

	two_sides(&d, 0, 1);
	fill(&d.sides[0], "time", 5, 100, 0.01);
	fill(&d.sides[1], "time", 5, 101, 0.01);
	d.look = 0;
	duel_judge(&d, &rows);
	assert_int_equal(rows.v[0].j.verdict, VERDICT_UNDECIDED);
	double high = rows.v[0].j.cmp.high;

	rows.n = 0;
	fill(&d.sides[0], "time", 1, 100, 0);
	fill(&d.sides[1], "time", 1, 300, 0);
	duel_judge(&d, &rows);
	assert_double(rows.v[0].j.cmp.high, high, 0);
	assert_int_equal(rows.v[0].n_b, 5);
	free(rows.v);
}

/* A metric that was decided early leaves its part of alpha to the other at later looks. */
static void early_verdicts_pass_on_their_alpha(void **state UNUSED)
{
	double level[2];

	for (int early = 0; early < 2; early++) {
		AUTO(duel) struct duel d;
		struct duel_rows rows = { 0 };

		two_sides(&d, 0, 2);
		fill(&d.sides[0], "one", 10, 100, 0.001);
		fill(&d.sides[1], "one", 10, early ? 120 : 100, 0.0001);
		fill(&d.sides[0], "two", 10, 100, 0.01);
		fill(&d.sides[1], "two", 10, 101, 0.01);
		d.look = 2;
		assert_int_equal(d.plan.n[2], 10);
		duel_judge(&d, &rows);
		assert_int_equal(rows.n, 2);
		assert_int_equal(rows.v[0].j.verdict, early ? VERDICT_SLOWER : VERDICT_ON_PAR);
		assert_int_equal(rows.v[1].j.verdict, VERDICT_UNDECIDED);
		level[early] = 1 - rows.v[1].j.cmp.level;
		free(rows.v);
	}
	assert_double(level[1], 2 * level[0], 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_verdict_stands_at_its_look),
		cmocka_unit_test(between_looks_there_is_no_verdict),
		cmocka_unit_test(early_verdicts_pass_on_their_alpha),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
