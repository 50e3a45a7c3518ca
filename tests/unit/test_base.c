/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

static void numbers_are_strict(void **state UNUSED)
{
	static const char *const bad[] = { "",	    "nan",   "inf", "-inf", "0x10",
					   "1e400", "12abc", ".",   "--1",  "1 2" };
	static const struct {
		const char *text;
		double value, resolution;
	} good[] = {
		{ "12.34", 12.34, 0.01 }, { "-3", -3, 1 }, { "1.5e2", 150, 10 },
		{ "+.5", 0.5, 0.1 },	  { " 7 ", 7, 1 }, { "1E-3", 0.001, 0.001 },
	};
	double v, res;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(num_parse_double(bad[i], "x", &v, &res, &e), -ERR_USAGE);
		assert_non_null(strstr(e.msg, "x wants"));
	}
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		assert_int_equal(num_parse_double(good[i].text, "x", &v, &res, NULL), 0);
		assert_double(v, good[i].value, 1e-12);
		assert_double(res, good[i].resolution, 1e-12);
	}
}

/* What is read is the nearest double, as strtod finds it; by the short way and by the long one. */
static void numbers_are_the_nearest_doubles(void **state UNUSED)
{
	static const char *const texts[] = { "0.1",
					     "123456789012345",
					     "1234567890123456",
					     "0.000001",
					     "1e22",
					     "1e23",
					     "3.14159e-20",
					     "9007199254740993",
					     "-0.3",
					     "4.35",
					     "00000000000000000000001.5",
					     "1e-300",
					     "0.1e1",
					     "123456.789e3",
					     "8.5e-23" };
	uint64_t x = 1;
	double v;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		assert_int_equal(num_parse_double(texts[i], "x", &v, NULL, NULL), 0);
		assert_true(v == strtod(texts[i], NULL));
	}
	for (int i = 0; i < 20000; i++) {
		char text[64];

		x = x * 6364136223846793005u + 1442695040888963407u;
		snprintf(text, sizeof(text), "%.*f", (int)(x >> 60),
			 (double)(int64_t)x / (double)(1 << (x >> 40 & 15)) / 1e9);
		assert_int_equal(num_parse_double(text, "x", &v, NULL, NULL), 0);
		assert_true(v == strtod(text, NULL));
	}
}

static void durations_and_sizes(void **state UNUSED)
{
	int64_t v;
	double r;

	assert_int_equal(num_parse_duration("1h30m", "t", &v, NULL), 0);
	assert_int_equal(v, 5400 * NS_PER_S);
	assert_int_equal(num_parse_duration("250ms", "t", &v, NULL), 0);
	assert_int_equal(v, 250 * NS_PER_MS);
	assert_int_equal(num_parse_duration("20", "t", &v, NULL), 0);
	assert_int_equal(v, 20 * NS_PER_S);
	assert_true(num_parse_duration("soon", "t", &v, NULL) < 0);
	assert_true(num_parse_duration("-5s", "t", &v, NULL) < 0);
	assert_int_equal(num_parse_size("2G", "s", &v, NULL), 0);
	assert_int_equal(v, INT64_C(2) << 30);
	assert_true(num_parse_size("2X", "s", &v, NULL) < 0);
	assert_int_equal(num_parse_ratio("1 %", "m", &r, NULL), 0);
	assert_double(r, 0.01, 1e-15);
}

static void values_scale(void **state UNUSED)
{
	static const struct {
		double v;
		const char *unit, *text;
	} rows[] = {
		{ 0.01241, "s", "12.41 ms" },
		{ 12.5, "s", "12.50 s" },
		{ 5343078363, "", "5.343 G" },
		{ 1536, "KiB", "1.500 MiB" },
		{ 40329846, "B/s", "38.46 MiB/s" },
		{ 10578835773.0, "bit/s", "10.58 Gbit/s" },
		{ 1500, "Mbit/s", "1.500 Gbit/s" },
		{ 49, "", "49" },
		{ 0, "s", "0 s" },
		{ 321.4, "bogo ops/s", "321.4 bogo ops/s" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str s = STR_INIT;

		num_put_value(&s, rows[i].v, rows[i].unit, 4);
		assert_string_equal(s.p, rows[i].text);
	}
}

static void strings_keep_their_ceiling(void **state UNUSED)
{
	AUTO(str) struct str s = STR_INIT_MAX(5);

	str_puts(&s, "abc");
	str_puts(&s, "defg");
	assert_string_equal(s.p, "abcde");
	assert_true(s.truncated);
	assert_int_equal(str_distance("benchmrak", "benchmark"), 1);
	assert_int_equal(str_distance("runs", "rnus"), 1);
}

static void errors_are_one_line(void **state UNUSED)
{
	struct err e = ERR_INIT;

	assert_int_equal(err_set(&e, ERR_USAGE, "bad\nthing\n"), -ERR_USAGE);
	assert_int_equal(err_wrap(&e, "reading '%s'", "x"), -ERR_USAGE);
	assert_string_equal(e.msg, "reading 'x': bad thing");
	assert_int_equal(err_exit_code(&e), 2);
}

static void messages_hold_what_can_be_printed(void **state UNUSED)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "plain", "plain" },
		{ "a\tb\x1b[1m\x7f", "a?b?[1m?" },
		{ "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80",
		  "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "\xc2\x9b", "??" },		/* C1: a control sequence to some terminals */
		{ "\x80\xff\xc0\xaf", "????" }, /* no UTF-8, an overlong slash */
		{ "\xed\xa0\x80", "???" },	/* half a surrogate pair */
		{ "cut \xe2\x82", "cut ??" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str s = STR_INIT;

		str_puts(&s, rows[i].in);
		str_make_printable(&s);
		assert_string_equal(s.p, rows[i].out);
	}
}

static void a_path_keeps_its_last_two_parts(void **state UNUSED)
{
	static const char *const rows[][2] = { { "/k/6.12/bzImage", "6.12/bzImage" },
					       { "/k/bzImage", "k/bzImage" },
					       { "k/bzImage", "k/bzImage" },
					       { "/bzImage", "bzImage" },
					       { "bzImage", "bzImage" },
					       { "", "" } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(str_path_tail(rows[i][0]), rows[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_keeps_its_last_two_parts),
		cmocka_unit_test(messages_hold_what_can_be_printed),
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(numbers_are_the_nearest_doubles),
		cmocka_unit_test(durations_and_sizes),
		cmocka_unit_test(values_scale),
		cmocka_unit_test(strings_keep_their_ceiling),
		cmocka_unit_test(errors_are_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
