/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for files of results of every format; the formats themselves are in test_reader_formats.c and its neighbours. */
#include "reader_unit.h"

#include "reader/units.h"

#define HYPERFINE(command, times)                                                                  \
	"{\"results\":[{\"command\":\"" command "\",\"mean\":1,\"times\":" times "}]}"

static void a_file_is_known_by_its_contents(void **state UNUSED)
{
	static const struct {
		const char *reader, *text, *want;
	} rows[] = {
		{ NULL, "1\n2\n", "numbers: value [] ? 1 2" },
		{ NULL, "t: 1 ms\nt: 2 ms\n", "numbers: t [ms] ? 1 2" },
		{ NULL, HYPERFINE("a", "[0.071,0.072]"),
		  "hyperfine: a time [s] - 0.070999999999999994 0.071999999999999995" },
		{ NULL, "\xef\xbb\xbf" HYPERFINE("a", "[1]") "\r\n", "hyperfine: a time [s] - 1" },
		{ NULL, "Warning: noisy\n[12] hm\n" HYPERFINE("a", "[1]"),
		  "hyperfine: a time [s] - 1" },
		{ NULL,
		  HYPERFINE("a", "[1]") "\ndone\n" HYPERFINE("b", "[3]") HYPERFINE("a", "[2]"),
		  "hyperfine: a time [s] - 1 2; b time [s] - 3" },
		{ "lines", "hello\nt: 1 ms\nt: 3 ms\n", "lines: t [ms] ? 1 3" },
		{ NULL, HYPERFINE("a", "[NaN, 2]"), "hyperfine: a time [s] - 2" },
		{ NULL, HYPERFINE("NaN", "[-Infinity, 2]"), "hyperfine: NaN time [s] - 2" },
		{ NULL, HYPERFINE("a", "[18446744073709551616]"),
		  "hyperfine: a time [s] - 1.8446744073709552e+19" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *s = file_shown(rows[i].reader, rows[i].text, strlen(rows[i].text));

		assert_string_equal(s, rows[i].want);
	}
}

static void what_is_wrong_is_said_in_one_line(void **state UNUSED)
{
	static const struct {
		const char *reader, *text, *words;
	} rows[] = {
		{ NULL, "", "f: no number in it (tried: numbers, " },
		{ NULL, "hello world\n",
		  "f:1: neither numbers nor 'name: value unit': 'hello world' (tried: numbers, " },
		{ NULL, "1\nhello\n", "f:2: neither numbers nor 'name: value unit': 'hello'" },
		{ NULL, "{\"a\":1,\"b\":[{}]}",
		  "f: JSON of no known format; its keys are 'a', 'b' (tried: " },
		{ NULL, "{\"results\":[{\"comm", "f:1:18: not JSON: " },
		{ NULL, "{", "f:1:1: not JSON: " },
		{ NULL, "oops\n\n" HYPERFINE("a", "[1,1e400]"),
		  "f:3:52: not JSON: real number overflow" },
		{ NULL, HYPERFINE("a", "[1]") "\n{\"other\": 1}",
		  "f:2: this JSON is not what hyperfine writes" },
		{ NULL, HYPERFINE("a", "[1]") "\n{\"other\": ", "f:2:" },
		{ NULL, HYPERFINE("a", "[\"x\"]"),
		  "f: metric 'time' should be a number and is \"x\"" },
		{ NULL, HYPERFINE("a", "[-1]"), "f: metric 'time' is a negative time: -1 s" },
		{ "hyperfine", "1\n2\n", "f: no JSON in it" },
		{ "hyperfine", "{\"x\":1}", "f:1: this JSON is not what hyperfine writes" },
		{ "exit-status", "1", "the reader 'exit-status' reads no files" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *s = file_shown(rows[i].reader, rows[i].text, strlen(rows[i].text));

		if (strncmp(s, rows[i].words, strlen(rows[i].words)) != 0)
			fail_msg("'%s' does not begin '%s'", s, rows[i].words);
		assert_null(strchr(s, '\n'));
	}
}

static void resolution(const char *text, double want)
{
	AUTO(numbers) struct numbers got = { 0 };
	const char *format;
	struct err e = ERR_INIT;

	if (reader_file(NULL, text, strlen(text), "f", &got, &format, &e) < 0)
		fail_msg("%s", e.msg);
	assert_double(got.v[0].resolution / want, 1, 1e-12);
}

static void the_resolution_is_that_of_the_digits(void **state UNUSED)
{
	resolution(HYPERFINE("a", "[0.071]"), 1e-3);
	resolution(HYPERFINE("a", "[0.5, 0.07, 0.0712, 3]"), 1e-4);
	resolution(HYPERFINE("a", "[12]"), 1);
	resolution(HYPERFINE("a", "[1200.0, 1300]"), 1);
	resolution(HYPERFINE("a", "[288.5]"), 0.1);
	resolution(HYPERFINE("a", "[1.5e9]"), 1);
}

static void a_run_of_several_values_is_their_mean(void **state UNUSED)
{
	static const char one[] = HYPERFINE("a", "[1,2]") HYPERFINE("a", "[6,7]");
	static const char two[] = HYPERFINE("a", "[1,2]") HYPERFINE("b", "[6,7]");
	static const struct {
		const char *text, *metric;
		size_t n;
		double value;
	} rows[] = { { one, "time", 1, 4 }, { two, "a time", 2, 1.5 } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct reader_input in = { .out = rows[i].text,
						 .out_n = strlen(rows[i].text),
						 .err = "" };
		const struct reader *r;
		struct reader_result got;
		struct err e = ERR_INIT;

		assert_int_equal(reader_find("hyperfine", &r, &e), 0);
		assert_int_equal(reader_read(r, &in, &got, &e), 0);
		assert_string_equal(got.problem, "");
		assert_int_equal(got.readings.n, rows[i].n);
		assert_string_equal(got.readings.v[0].metric, rows[i].metric);
		assert_double(got.readings.v[0].value, rows[i].value, 1e-15);
		assert_int_equal(got.readings.v[0].better, BETTER_LOWER);
		reader_result_done(&got);
	}
}

static void units_that_are_one_scaled(void **state UNUSED)
{
	static const struct {
		const char *from, *to;
		double value, want; /* want < 0: of different kinds */
	} rows[] = {
		{ "ms", "s", 71, 0.071 },
		{ "s", "ms", 0.5, 500 },
		{ "us/op", "ns/op", 3, 3000 },
		{ "us/op", "ns", 3, -1 },
		{ "KiB/s", "MiB/s", 2048, 2 },
		{ "MB/sec", "B/s", 1, 1e6 },
		{ "Mbits/sec", "Gbits/sec", 1500, 1.5 },
		{ "s", "B", 1, -1 },
		{ "parsecs", "s", 1, -1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double by, over;
		bool can = units_factor(rows[i].from, rows[i].to, &by, &over);

		assert_int_equal(can, rows[i].want >= 0);
		if (can)
			assert_true(rows[i].value * by / over == rows[i].want);
	}
}

static void many_metrics_in_any_order(void **state UNUSED)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO(numbers) struct numbers got = { 0 };
	const char *format;
	struct err e = ERR_INIT;

	/* 600 benchmarks, then again from the last to the first, then every seventh */
	for (unsigned i = 0; i < 600 + 600 + 600; i++)
		str_addf(&text, "{\"results\":[{\"command\":\"b%u\",\"mean\":%u}]}\n",
			 i < 600    ? i
			 : i < 1200 ? 1199 - i
				    : (i * 7) % 600,
			 i);
	assert_int_equal(reader_file(NULL, text.p, text.n, "f", &got, &format, &e), 0);
	assert_int_equal(got.n, 600);
	for (size_t i = 0; i < got.n; i++) {
		AUTO_FREE char *want = xasprintf("b%zu", i);

		assert_string_equal(got.v[i].bench, want);
		assert_int_equal(got.v[i].n, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_known_by_its_contents),
		cmocka_unit_test(what_is_wrong_is_said_in_one_line),
		cmocka_unit_test(the_resolution_is_that_of_the_digits),
		cmocka_unit_test(a_run_of_several_values_is_their_mean),
		cmocka_unit_test(units_that_are_one_scaled),
		cmocka_unit_test(many_metrics_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
