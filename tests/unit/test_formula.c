/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "bench/benchmark.h"
#include "bench/formula.h"

static struct readings made(void)
{
	struct readings r = { 0 };

	readings_add(&r, "cache-misses", "", 26632656, 1, BETTER_LOWER, true);
	readings_add(&r, "cache-references", "", 5343078363, 1, BETTER_UNKNOWN, true);
	readings_add(&r, "a", "", 6, 0.5, BETTER_UNKNOWN, false);
	readings_add(&r, "b", "", 4, 0, BETTER_UNKNOWN, false);
	readings_add(&r, "x.y_2", "s", 0, 0, BETTER_UNKNOWN, false);
	return r;
}

static void values(void **state UNUSED)
{
	static const struct {
		const char *text;
		double want;
	} rows[] = {
		{ "cache-misses / cache-references", 26632656. / 5343078363 },
		{ "a - b", 2 },
		{ "a-1", NAN }, /* a name, not a difference */
		{ "a - -b", 10 },
		{ "a - b - 1", 1 },
		{ "2 + 3 * a / b", 6.5 },
		{ "(2 + 3) * a / b", 7.5 },
		{ "a / b / 2", 0.75 },
		{ "a / (b * 8 / 1e9)", 187500000 },
		{ "  -( a )\t", -6 },
		{ "x.y_2 * .5", 0 },
	};
	AUTO(readings) struct readings r = made();

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct formula_result x;
		struct err e = ERR_INIT;

		if (formula_check(rows[i].text, &e) < 0)
			fail_msg("%s: %s", rows[i].text, e.msg);
		assert_int_equal(formula_value(rows[i].text, &r, &x), !isnan(rows[i].want));
		if (!isnan(rows[i].want))
			assert_double(x.value, rows[i].want, 1e-12 * fabs(rows[i].want));
	}
}

static void what_the_digits_leave_open(void **state UNUSED)
{
	AUTO(readings) struct readings r = made();
	struct formula_result x;

	assert_true(formula_value("a / b", &r, &x));
	assert_double(x.resolution, 0.125, 1e-15);
	assert_false(x.counter);
	assert_true(formula_value("3 * a - b", &r, &x));
	assert_double(x.resolution, 1.5, 1e-15);
	assert_true(formula_value("100 * cache-misses / cache-references", &r, &x));
	assert_true(x.counter);
	assert_true(x.resolution > 0 && x.resolution < 1e-7);
}

static void no_value_says_why(void **state UNUSED)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "a / misses", "needs 'misses', which the run did not give" },
		{ "a / x.y_2", "divides by 0" },
		{ "a * 1e300 * 1e300", "is not a finite number" },
	};
	AUTO(readings) struct readings r = made();

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct formula_result x;

		assert_false(formula_value(rows[i].text, &r, &x));
		if (!strstr(x.problem, rows[i].why))
			fail_msg("%s: %s", rows[i].text, x.problem);
	}
}

static void what_is_no_formula(void **state UNUSED)
{
	static const char *const rows[] = { "",	     " ",  "a +",     "(a",	"a)",
					    "a b",   "2x", "a ^ b",   "a // b", "a, b",
					    "1e999", "..", "a + * b", "%" };
	char deep[400];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = ERR_INIT;

		if (formula_check(rows[i], &e) == 0)
			fail_msg("'%s' is taken", rows[i]);
		assert_true(*e.msg && !strchr(e.msg, '\n'));
	}
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = 0;
	struct err e = ERR_INIT;

	assert_true(formula_check(deep, &e) < 0);
}

static void the_configuration_is_applied(void **state UNUSED)
{
	struct formula_metric m[] = {
		{ .name = "a", .unit = "ops", .better = BETTER_HIGHER },
		{ .name = "rate", .formula = "a / b", .unit = "1", .better = BETTER_LOWER },
		{ .name = "twice", .formula = "2 * rate" },
		{ .name = "none", .formula = "a / nothing" },
		{ .name = "b", .formula = "a" },
	};
	struct config c = { .metrics = m, .n_metrics = ARRAY_LEN(m) };
	AUTO(readings) struct readings r = made();

	formula_apply(&c, &r);
	assert_string_equal(readings_find(&r, "a")->unit, "ops");
	assert_int_equal(readings_find(&r, "a")->better, BETTER_HIGHER);
	assert_double(readings_find(&r, "rate")->value, 1.5, 1e-15);
	assert_int_equal(readings_find(&r, "rate")->better, BETTER_LOWER);
	assert_double(readings_find(&r, "twice")->value, 3, 1e-15);
	assert_null(readings_find(&r, "none"));
	assert_double(readings_find(&r, "b")->value, 4, 0);
	formula_apply(NULL, &r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(what_the_digits_leave_open),
		cmocka_unit_test(no_value_says_why),
		cmocka_unit_test(what_is_no_formula),
		cmocka_unit_test(the_configuration_is_applied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
