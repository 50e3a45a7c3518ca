/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt/redact.h"
#include "unit.h"

static void fill(struct redactor *r)
{
	redactor_add_name(r, "labhost7");
	redactor_add_name(r, "ada");
	redactor_add_name(r, "linux"); /* too common to be looked for */
	redactor_add_project(r, "/home/ada/zlib");
}

static void words_paths_and_secrets(void **state UNUSED)
{
	static const char *const rows[][2] = {
		{ "make -j2", "make -j2" },
		{ "built on labhost7 by ada", "built on <left out> by <left out>" },
		{ "adapter of linux, canada", "adapter of linux, canada" },
		{ "/home/ada/zlib/src/deflate.c:7", "./src/deflate.c:7" },
		{ "/home/ada/zlib2/x", ".../x" },
		{ "/home/ada", "..." },
		{ "cc -I/opt/inc -o x /tmp/w/mdrv.c", "cc -I.../inc -o x .../mdrv.c" },
		{ "file:///srv/secret/x", "file:.../x" },
		{ "/usr/bin/perf < /dev/null", "/usr/bin/perf < /dev/null" },
		{ "https://example.org/a/b and 3/4 and ops/s",
		  "https://example.org/a/b and 3/4 and ops/s" },
		{ "API_TOKEN=abc ./bench", "API_TOKEN=<left out> ./bench" },
		{ "DB_PASSWORD='a b' x", "DB_PASSWORD=<left out> x" },
		{ "image=/srv/k/vmlinuz", "image=.../vmlinuz" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(redactor) struct redactor r = { .more = false };
		AUTO(str) struct str out = STR_INIT;

		fill(&r);
		redact_text(&r, rows[i][0], &out);
		assert_string_equal(out.p, rows[i][1]);
	}
}

static void json_is(const char *json, bool more, const char *wanted)
{
	AUTO(redactor) struct redactor r = { .more = more };
	AUTO(str) struct str out = STR_INIT;

	fill(&r);
	assert_int_equal(redact_json(&r, json, "text", &out, NULL), 0);
	assert_string_equal(out.p, wanted);
}

static void json_keeps_numbers_and_loses_the_environment(void **state UNUSED)
{
	json_is("{\"env\":[\"LC_ALL=C\",\"HOME=/home/ada\"],\"x\":[1,2.5,true,null],\"c\":\"/tmp/a/b\"}",
		false,
		"{\"env\":[\"LC_ALL=C\",\"HOME=<left out>\"],\"x\":[1,2.5,true,null],\"c\":\".../b\"}");
	json_is("{\"cpu\":\"Z80\",\"cpus\":2,\"command\":\"./x\",\"surroundings\":{\"a\":1}}", true,
		"{\"cpus\":2}");
	json_is("{\"cpu\":\"Z80\",\"cpus\":2}", false, "{\"cpu\":\"Z80\",\"cpus\":2}");
}

static void what_was_left_out_is_known_once(void **state UNUSED)
{
	AUTO(redactor) struct redactor r = { .more = false };
	AUTO(str) struct str out = STR_INIT;

	fill(&r);
	redact_text(&r, "labhost7 labhost7 /tmp/a/b /tmp/a/b", &out);
	assert_int_equal(r.done.n, 2);
	assert_string_equal(r.done.v[0], "name labhost7");
	assert_string_equal(r.done.v[1], "path /tmp/a/b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_paths_and_secrets),
		cmocka_unit_test(json_keeps_numbers_and_loses_the_environment),
		cmocka_unit_test(what_was_left_out_is_known_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
