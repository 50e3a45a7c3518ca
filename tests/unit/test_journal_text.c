/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "cli/export_rows.h"
#include "cli/journal_text.h"

#define OID "0123456789abcdef0123456789abcdef01234567"

/* --- a hunt in words ---------------------------------------------------------------------------------------------- */

static void questions_are_short(void **state UNUSED)
{
	static const struct {
		const char *question, *answer, *text;
	} rows[] = {
		{ "{\"kind\":\"compare\",\"question\":{\"variants\":[\"" OID
		  "\",\"v2\"]},\"benchmark\":\"default\"}",
		  NULL, "0123456789ab v2" },
		{ "{\"question\":{\"variants\":[\"" OID ":env.X=1\"]},\"benchmark\":\"deflate\"}",
		  NULL, "0123456789ab:env.X=1 (deflate)" },
		{ "{\"question\":{\"variants\":[\"" OID "\"]}}", "{\"variants\":[\"v1\",\"HEAD\"]}",
		  "v1 HEAD" },
		{ "{\"question\":{\"old\":\"" OID "\",\"new\":\"v2\"}}", NULL,
		  "0123456789ab .. v2" },
		{ "{\"question\":{\"old\":\"" OID "\",\"new\":\"v2\"}}",
		  "{\"old\":{\"name\":\"v1\"},\"new\":{\"name\":\"v2\"}}", "v1 .. v2" },
		{ "{\"variants\":[\"a\"]}", NULL, "a" },
		{ "{\"variants\":[\"a\\u001b[31m\"]}", NULL, "a?[31m" },
		{ "not json", NULL, "?" },
		{ "{\"variants\":7}", "[]", "?" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct hunt_row h = { .question = (char *)rows[i].question,
				      .answer = (char *)rows[i].answer };
		AUTO(str) struct str s = STR_INIT;

		journal_question(&h, &s);
		assert_string_equal(s.p, rows[i].text);
	}
}

static void answers_are_short(void **state UNUSED)
{
	static const struct hunt_counts counts = {
		.builds = 9, .failed_builds = 1, .boots = 1, .runs = 29, .failed_runs = 2
	};
	static const struct {
		const char *status, *answer, *text;
	} rows[] = {
		{ "open", NULL, "open: 9 builds (1 failed), 1 boot, 31 runs (2 failed)" },
		{ "stopped", "{\"verdict\":\"undecided\"}",
		  "stopped: 9 builds (1 failed), 1 boot, 31 runs (2 failed)" },
		{ "answered",
		  "{\"verdict\":\"named\",\"culprit\":\"" OID
		  "\",\"change\":0.0712,\"probability\":0.992,\"named\":{\"subject\":\"x: y\"}}",
		  "0123456789ab +7.1 %, P = 99.2 %  x: y" },
		{ "answered",
		  "{\"verdict\":\"named\",\"culprit\":\"" OID
		  "\",\"change\":22.71,\"probability\":0.99996,\"named\":{\"subject\":\"x: y\"}}",
		  "0123456789ab 23.7 times, P = over 99.9 %  x: y" },
		{ "answered", "{\"verdict\":\"set\",\"suspects\":[{},{},{}]}", "one of 3 commits" },
		{ "answered", "{\"verdict\":\"no-change\"}", "no change" },
		{ "answered", "{\"verdict\":\"multiple\"}", "more than one change" },
		{ "answered",
		  "{\"metrics\":[{\"metric\":\"wall\",\"unit\":\"s\",\"primary\":true,\"change\":0.05,\"verdict\":\"slower\"},"
		  "{\"metric\":\"rss\",\"unit\":\"B\",\"primary\":false,\"verdict\":\"undecided\"}]}",
		  "wall +5.0 % slower" },
		{ "answered",
		  "{\"metrics\":[{\"metric\":\"wall\",\"unit\":\"s\",\"verdict\":\"identical\"}]}",
		  "wall identical" },
		{ "answered", "{}", "answered" },
		{ "answered", NULL, "answered" },
		{ "answered", "oops", "answered" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct hunt_row h = { .status = (char *)rows[i].status,
				      .answer = (char *)rows[i].answer };
		AUTO(str) struct str s = STR_INIT;

		journal_answer(&h, &counts, &s);
		assert_string_equal(s.p, rows[i].text);
	}
}

static void observations_are_one_line(void **state UNUSED)
{
	struct readings r = { 0 };

	readings_add(&r, "wall", "s", 0.01241, 0, BETTER_LOWER, false);
	readings_add(&r, "user", "s", 0.0119, 0, BETTER_LOWER, false);

	const struct {
		struct observation o;
		const char *text;
	} rows[] = {
		{ { .kind = OBS_BUILD,
		    .build = 4,
		    .node = (char *)OID,
		    .outcome = OUTCOME_FAILED,
		    .reason = (char *)"exit status 2",
		    .seconds = 4.25 },
		  "build  b4 for 0123456789ab: failed (exit status 2), 4.2 s" },
		{ { .kind = OBS_BOOT, .boot = 12, .build = 4 }, "boot   v12 of b4: ok" },
		{ { .kind = OBS_RUN,
		    .run = 17,
		    .build = 4,
		    .index = 3,
		    .benchmark = (char *)"rr",
		    .readings = r },
		  "run    r17 of b4, rr #3: ok, wall 12.41 ms, user 11.90 ms" },
		{ { .kind = OBS_RUN,
		    .run = 17,
		    .build = 4,
		    .index = -1,
		    .benchmark = (char *)"rr",
		    .outcome = OUTCOME_CRASHED,
		    .reason = (char *)"a\nb" },
		  "run    r17 of b4, rr warm-up 1: crashed (a?b)" },
		{ { .kind = OBS_MARK,
		    .node = (char *)"commit=" OID "\nenv.X=1\n",
		    .text = (char *)"bad" },
		  "mark   0123456789ab:env.X=1 bad" },
		{ { .kind = OBS_MARK, .node = (char *)OID, .text = (char *)"skip" },
		  "mark   0123456789ab skip" },
		{ { .kind = OBS_NOTE, .text = (char *)"hello" }, "note   hello" },
		{ { .kind = OBS_ACTION, .text = (char *)"{}" }, "action {}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str s = STR_INIT;

		journal_observation(&rows[i].o, &s);
		assert_string_equal(s.p, rows[i].text);
	}

	AUTO(str) struct str s = STR_INIT;

	journal_readings(&r, 1, &s);
	assert_string_equal(s.p, "wall 12.41 ms, and 1 more");
	readings_done(&r);
}

/* --- samples for others ------------------------------------------------------------------------------------------- */

static void fields_are_quoted_as_rfc_4180_says(void **state UNUSED)
{
	static const char *const rows[][2] = {
		{ "", "" },
		{ "plain text", "plain text" },
		{ "a,b", "\"a,b\"" },
		{ "say \"hi\"", "\"say \"\"hi\"\"\"" },
		{ "two\nlines", "\"two\nlines\"" },
		{ "cr\r", "\"cr\r\"" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str s = STR_INIT;

		export_csv_field(rows[i][0], &s);
		assert_string_equal(s.p, rows[i][1]);
	}
}

static void go_names_are_one_word(void **state UNUSED)
{
	static const struct {
		const char *name;
		bool upper;
		const char *text;
	} rows[] = { { "deflate -9", true, "Deflate_-9" },
		     { "x\ty\nz", false, "x_y_z" },
		     { "", true, "_" },
		     { "\xc3\xa9", true, "\xc3\xa9" } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str s = STR_INIT;

		export_go_name(rows[i].name, rows[i].upper, &s);
		assert_string_equal(s.p, rows[i].text);
	}
}

/* Two runs of v 1 with two metrics, a failed one, a run of v2. */
static const struct sample_row samples[] = {
	{ .hunt = 3,
	  .build = 1,
	  .boot = 2,
	  .run = 5,
	  .node = "ab",
	  .variant = "v 1",
	  .commit = "ab",
	  .benchmark = "rr",
	  .metric = "wall",
	  .unit = "s",
	  .better = BETTER_LOWER,
	  .value = 0.25,
	  .resolution = 0.01,
	  .order = 0,
	  .began_ns = INT64_C(1700000000123456789),
	  .seconds = 0.5,
	  .reason = "" },
	{ .hunt = 3,
	  .build = 1,
	  .boot = 2,
	  .run = 5,
	  .node = "ab",
	  .variant = "v 1",
	  .commit = "ab",
	  .benchmark = "rr",
	  .metric = "user",
	  .unit = "s",
	  .better = BETTER_LOWER,
	  .value = 0.1,
	  .reason = "" },
	{ .hunt = 3,
	  .build = 1,
	  .boot = 2,
	  .run = 6,
	  .node = "ab",
	  .variant = "v 1",
	  .commit = "ab",
	  .benchmark = "rr",
	  .unit = "",
	  .value = (double)NAN,
	  .order = 1,
	  .outcome = OUTCOME_FAILED,
	  .reason = "no, really",
	  .withdrawn = true },
	{ .hunt = 3,
	  .build = 2,
	  .boot = 4,
	  .run = 7,
	  .node = "commit=cd\nenv.X=1\n",
	  .variant = "v2",
	  .commit = "cd",
	  .benchmark = "rr",
	  .metric = "ops",
	  .unit = "",
	  .better = BETTER_HIGHER,
	  .value = 1.0 / 3,
	  .order = 2,
	  .reason = "" },
};

static void export_all(enum export_format format, struct str *out)
{
	struct exporter x;

	export_begin(&x, format, 3, out);
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		export_row(&x, &samples[i]);
	export_end(&x);
}

static void csv_has_a_row_a_value(void **state UNUSED)
{
	AUTO(str) struct str s = STR_INIT;

	export_all(EXPORT_CSV, &s);
	assert_string_equal(
		s.p,
		"hunt,node,variant,commit,build,boot,run,index,order,began,seconds,outcome,reason,withdrawn,benchmark,metric,unit,better,value,resolution\r\n"
		"3,ab,v 1,ab,1,2,5,0,0,2023-11-14T22:13:20.123456Z,0.5,ok,,0,rr,wall,s,lower,0.25,0.01\r\n"
		"3,ab,v 1,ab,1,2,5,0,0,1970-01-01T00:00:00.000000Z,0,ok,,0,rr,user,s,lower,0.1,\r\n"
		"3,ab,v 1,ab,1,2,6,0,1,1970-01-01T00:00:00.000000Z,0,failed,\"no, really\",1,rr,,,,,\r\n"
		"3,commit=cd:env.X=1,v2,cd,2,4,7,0,2,1970-01-01T00:00:00.000000Z,0,ok,,0,rr,ops,,higher,0.3333333333333333,\r\n");
}

static void go_text_has_a_line_a_run(void **state UNUSED)
{
	AUTO(str) struct str s = STR_INIT;

	export_all(EXPORT_GO, &s);
	assert_string_equal(s.p, "culprit-hunt: 3\n"
				 "variant: v_1\n"
				 "BenchmarkRr 1 250000000 ns/op 0.1 user-s\n"
				 "variant: commit=cd:env.X=1\n"
				 "BenchmarkRr 1 0.3333333333333333 ops\n");
}

static void json_reads_back(void **state UNUSED)
{
	AUTO(str) struct str s = STR_INIT;
	struct json *root = NULL;
	double v;

	export_all(EXPORT_JSON, &s);
	assert_int_equal(json_parse(s.p, s.n, "export", &root, NULL), 0);
	assert_int_equal(json_count(json_get(root, "samples")), ARRAY_LEN(samples));
	assert_true(json_to_number(root, "samples[3].value", &v) && v == 1.0 / 3);
	assert_string_equal(json_to_text(root, "samples[2].outcome"), "failed");
	assert_null(json_get(root, "samples[2].value"));
	json_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(questions_are_short),
		cmocka_unit_test(answers_are_short),
		cmocka_unit_test(observations_are_one_line),
		cmocka_unit_test(fields_are_quoted_as_rfc_4180_says),
		cmocka_unit_test(go_names_are_one_word),
		cmocka_unit_test(csv_has_a_row_a_value),
		cmocka_unit_test(go_text_has_a_line_a_run),
		cmocka_unit_test(json_reads_back),
	};

	return cmocka_run_group_tests_name("journal_text", tests, NULL, NULL);
}
