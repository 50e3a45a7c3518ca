/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "report/answer_suite.h"
#include "text/json.h"

#include <string.h>

struct made {
	const char *group, *metric, *better, *verdict;
	double p, change;
};

/* One answer for each row, of one look at level 0.95. */
static void summarise(const struct made *rows, size_t n, struct suite_summary *ret, struct str *out)
{
	static const struct answer_style plain = { false, 0 };
	AUTO_FREE struct suite_answer *v = xcalloc(n, sizeof(*v));
	AUTO_FREE struct json **roots = xcalloc(n, sizeof(struct json *));
	struct err e = ERR_INIT;

	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *text = xasprintf(
			"{\"level\":0.95,\"metrics\":[{\"benchmark\":\"w%zu\",\"metric\":\"%s\",\"unit\":\"s\",\"better\":\"%s\",\"primary\":true,"
			"\"baseline_median\":1,\"median\":%g,\"change\":%g,\"low\":0,\"high\":0,\"level\":0.95,\"p\":%g,\"verdict\":\"%s\","
			"\"margin\":0.01},{\"benchmark\":\"w%zu\",\"metric\":\"beside\",\"primary\":false,\"p\":0.0001,\"verdict\":\"slower\"}]}",
			i, rows[i].metric, rows[i].better, 1 + rows[i].change, rows[i].change,
			rows[i].p, rows[i].verdict, i);

		assert_int_equal(json_parse(text, strlen(text), "made", &roots[i], &e), 0);
		v[i] = (struct suite_answer){ rows[i].group, roots[i] };
	}
	answer_suite(v, n, &plain, ret, out);
	for (size_t i = 0; i < n; i++)
		json_root_done(&roots[i]);
}

/* Of 4 tests the smallest p is asked at 0.0125, the next at 0.0167, then 0.025 and 0.05; the first that fails ends it. */
static void a_difference_must_stand_among_all(void **state UNUSED)
{
	static const struct {
		double p[4];
		size_t worse, weak;
	} rows[] = {
		{ { 0.012, 0.016, 0.024, 0.049 }, 4, 0 }, { { 0.049, 0.016, 0.024, 0.012 }, 4, 0 },
		{ { 0.013, 0.016, 0.024, 0.049 }, 0, 4 }, { { 0.012, 0.017, 0.018, 0.049 }, 1, 3 },
		{ { 0.001, 0.001, 0.026, 0.030 }, 2, 2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct made made[4];
		struct suite_summary got;

		for (size_t k = 0; k < 4; k++)
			made[k] =
				(struct made){ "g", "time", "lower", "slower", rows[i].p[k], 0.1 };
		summarise(made, 4, &got, NULL);
		assert_int_equal(got.tests, 4);
		assert_int_equal(got.worse, rows[i].worse);
		assert_int_equal(got.weak, rows[i].weak);
		assert_int_equal(got.better, 0);
	}
}

static void groups_tell_how_far_they_went(void **state UNUSED)
{
	static const struct made rows[] = {
		{ "network", "rate", "higher", "slower", 0.001, -0.5 },
		{ "network", "time", "lower", "slower", 0.001, 0.2 },
		{ "network", "time", "lower", "on-par", 0.9, 0 },
		{ "storage", "time", "lower", "faster", 0.04, -0.1 },
		{ "storage", "time", "lower", "undecided", 0.6, 0.1 },
	};
	AUTO(str) struct str out = STR_INIT;
	struct suite_summary got;

	summarise(rows, ARRAY_LEN(rows), &got, &out);
	assert_int_equal(got.worse, 2);
	assert_int_equal(got.weak, 1);
	assert_int_equal(got.undecided, 1);
	/* a rate that halved is a factor of 2; (2 * 1.2 * 1) to the power of 1/3 is 1.339 */
	assert_non_null(strstr(
		out.p, "network: up to 100 % worse (w0, rate); geometric mean of 3: 34 % worse\n"));
	assert_non_null(
		strstr(out.p, "storage: nothing worse; geometric mean of 2: 0.5 % better\n"));
	assert_non_null(strstr(out.p, "(faster)"));
	/* the worst first */
	assert_true(strstr(out.p, "w0") < strstr(out.p, "w1") &&
		    strstr(out.p, "w1") < strstr(out.p, "w2"));
	assert_null(strstr(out.p, "beside"));
}

static void nothing_was_compared(void **state UNUSED)
{
	struct suite_summary got;

	summarise(NULL, 0, &got, NULL);
	assert_int_equal(got.tests, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_difference_must_stand_among_all),
		cmocka_unit_test(groups_tell_how_far_they_went),
		cmocka_unit_test(nothing_was_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
