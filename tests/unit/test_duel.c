/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "hunt/duel.h"
#include "hunt/duel_json.h"
#include "text/json.h"

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

/* Beside a primary metric: one that stands out of eight, seven that do not; the false-discovery rate lists the one. */
static void what_stands_out_is_listed(void **state UNUSED)
{
	static const char *const names[] = { "time", "far", "b", "c", "d", "e", "f", "g", "h" };
	AUTO(duel) struct duel d;
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;

	two_sides(&d, 0, 1);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		fill(&d.sides[0], names[i], 10, 100, 0.01);
		fill(&d.sides[1], names[i], 10, i == 1 ? 200 : 100.2, 0.01);
		for (int k = 0; k < 2; k++)
			duel_series(&d.sides[k], names[i])->primary = i == 0;
	}
	d.look = 2;
	json_out_object(&w, NULL);
	duel_json(&d, &w);
	json_out_close(&w);
	assert_int_equal(json_parse(out.p, out.n, "rows", &root, NULL), 0);
	const struct json *rows = json_get(root, "metrics");

	assert_int_equal(json_count(rows), ARRAY_LEN(names));
	assert_null(json_get(json_at(rows, 0), "listed"));
	for (size_t i = 1; i < ARRAY_LEN(names); i++) {
		bool listed;

		assert_true(json_to_bool(json_at(rows, i), "listed", &listed));
		assert_int_equal(listed, i == 1);
	}
}

/* Of a count that repeats, ties say that it is exact; of a printed time, that it was printed coarsely. */
static void ties_of_counts_are_no_warning(void **state UNUSED)
{
	static const double values[] = { 100, 100, 100, 101, 100 };

	for (int counter = 0; counter < 2; counter++) {
		AUTO(duel) struct duel d;
		AUTO(str) struct str out = STR_INIT;
		struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);

		two_sides(&d, 0, 1);
		for (size_t i = 0; i < 2 * ARRAY_LEN(values); i++) {
			size_t side = i % 2;
			struct reading r = { .metric = (char *)"work",
					     .unit = (char *)"",
					     .value = values[i / 2] * (1 + (double)side),
					     .counter = counter };

			assert_true(
				duel_add(&d.sides[side], &r, BETTER_LOWER, true, 1, (int64_t)i));
		}
		d.look = 0;
		json_out_object(&w, NULL);
		duel_json(&d, &w);
		json_out_close(&w);
		assert_int_equal(!strstr(out.p, "coarsely printed"), counter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ties_of_counts_are_no_warning),
		cmocka_unit_test(a_verdict_stands_at_its_look),
		cmocka_unit_test(between_looks_there_is_no_verdict),
		cmocka_unit_test(early_verdicts_pass_on_their_alpha),
		cmocka_unit_test(what_stands_out_is_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
