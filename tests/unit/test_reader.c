/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "reader/numbers.h"
#include "reader/reader.h"

static struct reader_result read_text(const char *reader, struct reader_input in)
{
	const struct reader *r;
	struct reader_result got;
	struct err e = ERR_INIT;

	in.out = in.out ? in.out : "";
	in.err = in.err ? in.err : "";
	in.out_n = in.out_n ? in.out_n : strlen(in.out);
	in.err_n = strlen(in.err);
	assert_int_equal(reader_find(reader, &r, &e), 0);
	if (reader_read(r, &in, &got, &e) < 0)
		fail_msg("%s", e.msg);
	return got;
}

/* "a=1[ms] b=2[]" of what was read. */
static char *shown(const struct reader_result *got)
{
	AUTO(str) struct str s = STR_INIT;

	for (size_t i = 0; i < got->readings.n; i++)
		str_addf(&s, "%s%s=%g[%s]", i ? "; " : "", got->readings.v[i].metric,
			 got->readings.v[i].value, got->readings.v[i].unit);
	return str_take(&s);
}

static void lines_that_are_readings(void **state UNUSED)
{
	static const struct {
		const char *out, *want;
		bool whole;
	} rows[] = {
		{ "latency: 12.5 ms", "latency=12.5[ms]", true },
		{ "latency=12.5ms\n", "latency=12.5[ms]", true },
		{ "rate = 3e6 ops/s", "rate=3e+06[ops/s]", true },
		{ "  Elapsed time:  7 s \r\n", "Elapsed time=7[s]", true },
		{ "a=1 b=2ms c=-3", "a=1[]; b=2[ms]; c=-3[]", true },
		{ "load: 97.5 %\ncpu: 3 s/Gbit\nx: 2 1/s", "load=97.5[%]; cpu=3[s/Gbit]; x=2[1/s]",
		  true },
		{ "hello world\nx: 1\n\n", "x=1[]", false },
		{ "t: 1 s\nt: 2 s\nt: 6 s", "t=3[s]", true },
		{ "p99/8(us): 4", "p99/8(us)=4[]", true },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct reader_result got =
			read_text("lines", (struct reader_input){ .out = rows[i].out });
		AUTO_FREE char *s = shown(&got);

		assert_string_equal(s, rows[i].want);
		assert_string_equal(got.problem, "");
		assert_int_equal(got.whole, rows[i].whole);
		reader_result_done(&got);
	}
}

static void lines_that_are_none(void **state UNUSED)
{
	static const char *const rows[] = {
		"12:30:05 started",
		"foo.c:12: warning: x",
		"version: 1.2.3",
		"date: 2024-01-02",
		"time: 12:30",
		"error: 404 Not Found",
		"size: 1,234 bytes",
		"url: http://x/",
		": 3",
		"x:",
		"x: y",
		"1: 2",
		"x: 3 ms, done",

		"-",
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct reader_result got =
			read_text("lines", (struct reader_input){ .out = rows[i] });

		if (got.readings.n)
			fail_msg("'%s' was read as '%s'", rows[i], got.readings.v[0].metric);
		assert_non_null(strstr(got.problem, "no 'name: value unit' line"));
		assert_false(got.whole);
		reader_result_done(&got);
	}
}

static void what_is_printed_several_times_is_averaged(void **state UNUSED)
{
	struct reader_result got = read_text(
		"lines", (struct reader_input){ .out = "t: 1.0 s\nu: 5\nt: 2.0 s\nu: 5\n" });

	assert_int_equal(got.readings.n, 2);
	assert_double(got.readings.v[0].value, 1.5, 1e-15);
	assert_double(got.readings.v[0].resolution, 0.05, 1e-15);
	assert_int_equal(got.readings.v[0].better, BETTER_LOWER);
	reader_result_done(&got);
}

static void problems_are_one_line(void **state UNUSED)
{
	static const struct {
		const char *reader, *out, *err, *words, *metric;
		int status;
	} rows[] = {
		{ "lines", "t: nan s", "", "metric 't' is not a finite number: 't: nan s'", "t",
		  0 },
		{ "lines", "t: -inf", "", "not a finite number", "t", 0 },
		{ "lines", "t: Infinity ms", "", "not a finite number", "t", 0 },
		{ "lines", "t: 1e400 s", "", "not a finite number", "t", 0 },
		{ "lines", "t: -1 ms", "", "metric 't' is a negative time: -1 ms", "t", 0 },
		{ "lines", "t: 1 ms\nt: 1 s", "",
		  "metric 't' is printed in 'ms' and in 's' by one run", "t", 0 },
		{ "lines", "", "", "printed nothing", "", 0 },
		{ "lines", "hi", "t: 1 ms", "add 2>&1", "", 0 },
		{ "lines", "\x01\x02\xff\n", "", "begins '??", "", 0 },
		{ "regex", "took abc", "", "found 'abc', which is not", "took", 0 },
		{ "regex", "took nan", "", "found 'nan', which is not", "took", 0 },
		{ "regex", "nothing", "", "no line of the output matches", "took", 0 },
		{ "regex", "", "", "printed nothing", "took", 0 },
		{ "exit-status", "", "", "not found", "status", 127 },
		{ "exit-status", "", "", "not executable", "status", 126 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct reader_result got =
			read_text(rows[i].reader,
				  (struct reader_input){ .out = rows[i].out,
							 .err = rows[i].err,
							 .status = rows[i].status,
							 .regex = "^took ([a-z0-9.]+)( [a-z]+)?",
							 .regex_metric = "took" });

		if (!strstr(got.problem, rows[i].words))
			fail_msg("'%s' lacks '%s'", got.problem, rows[i].words);
		assert_string_equal(got.problem_metric, rows[i].metric);
		assert_null(strchr(got.problem, '\n'));
		reader_result_done(&got);
	}
}

static void regex_and_exit_status(void **state UNUSED)
{
	static const struct {
		const char *reader, *regex, *out, *err, *want;
		int status;
	} rows[] = {
		{ "regex", "took ([0-9.]+) ([a-z]+)", "x\nit took 2.5 ms here\n", "",
		  "value=2.5[ms]", 0 },
		{ "regex", "took ([0-9.]+)", "took 1\ntook 2", "", "value=1.5[]", 0 },
		{ "regex", "^user ([0-9.]+)$", "", "real 1\nuser 0.25\n", "value=0.25[]", 0 },
		{ "exit-status", NULL, "", "", "status=0[]", 0 },
		{ "exit-status", NULL, "", "", "status=1[]", 3 },
		{ "exit-status", NULL, "", "", "status=1[]", 139 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct reader_result got =
			read_text(rows[i].reader, (struct reader_input){ .out = rows[i].out,
									 .err = rows[i].err,
									 .status = rows[i].status,
									 .regex = rows[i].regex });
		AUTO_FREE char *s = shown(&got);

		assert_string_equal(got.problem, "");
		assert_string_equal(s, rows[i].want);
		reader_result_done(&got);
	}
}

/* As stress-ng 0.15.06 of Debian 12 wrote it: stress-ng --clone 1 --clone-ops 1000 --no-rand-seed --metrics-brief (--fork 1 too). */
static void the_table_of_stress_ng(void **state UNUSED)
{
	static const char head[] =
		"stress-ng: info:  [18868] dispatching hogs: 1 clone\n"
		"stress-ng: metrc: [18868] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s\n"
		"stress-ng: metrc: [18868]                           (secs)    (secs)    (secs)   (real time) (usr+sys time)\n"
		"stress-ng: metrc: [18868] clone              1000     53.56      0.62      5.01        18.67         177.67\n";
	static const char more[] =
		"stress-ng: metrc: [18868] fork                 10      0.50      0.00      0.01        20.00        1000.00\n";
	static const char tail[] =
		"stress-ng: metrc: [18868] miscellaneous metrics:\n"
		"stress-ng: metrc: [18868] clone              23649.62 microsecs per clone (geometic mean of 1 instances)\n"
		"stress-ng: info:  [18868] successful run completed in 53.61s\n";
	AUTO_FREE char *one = xasprintf("%s%s", head, tail),
		       *two = xasprintf("%s%s%s", head, more, tail);
	const struct {
		const char *out, *err, *want;
	} rows[] = {
		{ "", one,
		  "bogo-ops/s=18.67[ops/s]; bogo-ops=1000[]; bogo-ops/cpu-s=177.67[ops/s]" },
		{ one, "",
		  "bogo-ops/s=18.67[ops/s]; bogo-ops=1000[]; bogo-ops/cpu-s=177.67[ops/s]" },
		{ "", two,
		  "clone bogo-ops/s=18.67[ops/s]; clone bogo-ops=1000[]; clone bogo-ops/cpu-s=177.67[ops/s]; "
		  "fork bogo-ops/s=20[ops/s]; fork bogo-ops=10[]; fork bogo-ops/cpu-s=1000[ops/s]" },
		{ "", "stress-ng: info:  [1] passed: 1", "" },
		{ "stress-ng: metrc: [1", "stress-ng: metrc: [1] clone 1 2 3 4 5", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct reader_result got =
			read_text("stress-ng",
				  (struct reader_input){ .out = rows[i].out, .err = rows[i].err });
		AUTO_FREE char *s = shown(&got);

		assert_string_equal(s, rows[i].want);
		assert_true(*rows[i].want ? !*got.problem
					  : !!strstr(got.problem, "--metrics-brief"));
		reader_result_done(&got);
	}
}

static void binary_output_is_fine(void **state UNUSED)
{
	struct reader_result got =
		read_text("lines", (struct reader_input){ .out = "\0\xff\0\nt: 3 ms\n\0x: 1\n",
							  .out_n = 18 });

	assert_int_equal(got.readings.n, 1);
	assert_string_equal(got.readings.v[0].metric, "t");
	reader_result_done(&got);
}

static void readers_by_name(void **state UNUSED)
{
	const struct reader *r;
	struct err e = ERR_INIT;

	assert_int_equal(reader_find(NULL, &r, &e), 0);
	assert_string_equal(r->name, "lines");
	assert_int_equal(reader_find("line", &r, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "did you mean 'lines'"));
	assert_int_equal(reader_find("quite other", &r, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "exit-status"));
	assert_int_equal(reader_check_regex("a(b)", &e), 0);
	assert_int_equal(reader_check_regex("ab", &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "no group"));
	assert_int_equal(reader_check_regex("a(", &e), -ERR_USAGE);
}

static void files_of_numbers(void **state UNUSED)
{
	static const struct {
		const char *text, *metric, *unit;
		size_t n;
		double sum;
	} rows[] = {
		{ "1\n2\n3\n", "value", "", 3, 6 },
		{ "# times\n322.29 319.42 317.64 326.27\n", "value", "", 4, 1285.62 },
		{ "1, 2; 3 # c\n\n4,\n", "value", "", 4, 10 },
		{ "12.5 ms\n13 ms", "value", "ms", 2, 25.5 },
		{ "t: 1 s\nt: 2 s\nt=4 s", "t", "s", 3, 7 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct numbers got;
		struct err e = ERR_INIT;
		double sum = 0;

		if (numbers_parse(rows[i].text, strlen(rows[i].text), "f", &got, NULL, &e) < 0)
			fail_msg("%s", e.msg);
		assert_int_equal(got.n, 1);
		assert_string_equal(got.v[0].metric, rows[i].metric);
		assert_string_equal(got.v[0].unit, rows[i].unit);
		assert_int_equal(got.v[0].n, rows[i].n);
		for (size_t k = 0; k < got.v[0].n; k++)
			sum += got.v[0].v[k];
		assert_double(sum, rows[i].sum, 1e-12);
		numbers_done(&got);
	}
}

static void files_that_are_refused(void **state UNUSED)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "", "f.txt: no number in it" },
		{ "# only\n", "f.txt: no number in it" },
		{ "1\nabc\n", "f.txt:2: neither numbers nor 'name: value unit': 'abc'" },
		{ "1\nnan\n", "f.txt:2: not a finite number: 'nan'" },
		{ "t: inf s\n", "f.txt:1: not a finite number" },
		{ "1e400", "f.txt:1: not a finite number" },
		{ "12,5\n", "f.txt:1: a comma without a blank" },
		{ "1 2 ms", "f.txt:1: neither" },
		{ "1\nt: 3\n", "f.txt:2: a named value in a column of numbers" },
		{ "t: 3\n1\n", "f.txt:2: expected 'name: value unit' as above" },
		{ "t: 3 s\nt: 3 ms\n", "f.txt:2: metric 't' changes its unit from 's' to 'ms'" },
		{ "1 ms\n2\n", "f.txt:2: metric 'value' changes its unit from 'ms' to ''" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct numbers got = { 0 };
		struct err e = ERR_INIT;

		assert_int_equal(
			numbers_parse(rows[i].text, strlen(rows[i].text), "f.txt", &got, NULL, &e),
			-ERR_USAGE);
		if (!strstr(e.msg, rows[i].words))
			fail_msg("'%s' lacks '%s'", e.msg, rows[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_are_readings),
		cmocka_unit_test(lines_that_are_none),
		cmocka_unit_test(what_is_printed_several_times_is_averaged),
		cmocka_unit_test(problems_are_one_line),
		cmocka_unit_test(regex_and_exit_status),
		cmocka_unit_test(the_table_of_stress_ng),
		cmocka_unit_test(binary_output_is_fine),
		cmocka_unit_test(readers_by_name),
		cmocka_unit_test(files_of_numbers),
		cmocka_unit_test(files_that_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
