/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "reader/points.h"

static void parse(const char *text, bool labels, struct points *ret)
{
	struct err e = ERR_INIT;

	if (points_parse(text, strlen(text), "f", labels, ret, &e) < 0)
		fail_msg("%s", e.msg);
}

static void a_column_of_numbers(void **state UNUSED)
{
	AUTO(points) struct points p = { 0 };

	parse("# nights\n12.5\n\n 13.25  # slow\n1e1\r\n", false, &p);
	assert_int_equal(p.n, 3);
	assert_double(p.v[1].value, 13.25, 0);
	assert_int_equal(p.v[1].line, 4);
	assert_double(p.v[2].value, 10, 0);
	assert_null(p.v[0].label);
	assert_string_equal(p.unit, "");
	assert_double(p.resolution, 0.01, 1e-12);
}

static void labels_with_repeats_and_units(void **state UNUSED)
{
	AUTO(points) struct points p = { 0 };

	parse("v5.14: 12 14 13 ms\nv5.15\t20, 10 ms\n5-rc1 7 ms\n", false, &p);
	assert_int_equal(p.n, 3);
	assert_string_equal(p.v[0].label, "v5.14");
	assert_double(p.v[0].value, 13, 0);
	assert_double(p.v[1].value, 15, 0);
	assert_string_equal(p.v[2].label, "5-rc1");
	assert_string_equal(p.unit, "ms");
}

static void numbers_for_labels_when_told(void **state UNUSED)
{
	AUTO(points) struct points p = { 0 };

	parse("2020 12\n2021 13\nx 14\n", true, &p);
	assert_int_equal(p.n, 3);
	assert_string_equal(p.v[1].label, "2021");
	assert_double(p.v[1].value, 13, 0);
}

static void what_is_not_understood_is_refused(void **state UNUSED)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "no number in it" },
		{ "# only\n", "no number in it" },
		{ "2020 12\n2021 13\n", "f:1: several numbers without a label" },
		{ "12\na 13\n", "f:2: a label, where the lines above have none" },
		{ "a 12\n13\n", "f:2: a number for a label" },
		{ "a 12\nb\n", "f:2: a label without a value" },
		{ "a nan\n", "f:1: not a finite number: 'nan'" },
		{ "12\ninf\n", "f:2: not a finite number" },
		{ "1e999\n", "f:1: not a finite number" },
		{ "a 12 x 13\n", "f:1: not a number: 'x'" },
		{ "a 12ms\n", "f:1: not a number: '12ms'" },
		{ "a 12 ms\nb 13 s\n", "f:2: the unit changes from 'ms' to 's'" },
		{ "a 1,5\n", "f:1: not a number: '1,5'" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct points p = { 0 };
		struct err e = ERR_INIT;

		if (points_parse(rows[i].text, strlen(rows[i].text), "f", false, &p, &e) == 0)
			fail_msg("row %zu is taken", i);
		if (!strstr(e.msg, rows[i].why))
			fail_msg("row %zu: %s", i, e.msg);
		assert_int_equal(p.n, 0);
	}
}

/* Any bytes: an error or points, and nothing else. */
static void any_bytes(void **state UNUSED)
{
	uint64_t x = 88172645463325252u;

	for (int r = 0; r < 3000; r++) {
		static const char alphabet[] = "0123456789.eE+-ab:;, \t\n\r#nif\x80\xff";
		char text[41];
		size_t n = (size_t)(r % 40);
		struct points p = { 0 };
		struct err e = ERR_INIT;

		for (size_t i = 0; i < n; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			text[i] = alphabet[x % (sizeof(alphabet) - 1)];
		}
		text[n] = 0;
		if (points_parse(text, n, "f", r % 2, &p, &e) == 0)
			assert_true(p.n > 0 && p.unit && isfinite(p.v[0].value));
		else
			assert_true(*e.msg && !p.n);
		points_done(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_column_of_numbers),
		cmocka_unit_test(labels_with_repeats_and_units),
		cmocka_unit_test(numbers_for_labels_when_told),
		cmocka_unit_test(what_is_not_understood_is_refused),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
