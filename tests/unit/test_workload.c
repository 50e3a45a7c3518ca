/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "bench/needs.h"
#include "bench/workload.h"
#include "sys/fs.h"

#include <unistd.h>

static void put(const char *name, const char *text)
{
	AUTO_FREE char *path = fs_join(scratch, name);
	struct err e = ERR_INIT;

	assert_int_equal(fs_write_atomic(path, text, strlen(text), &e), 0);
}

/* Every file that is shipped: it says what it does, what decides, what counts and what it is blind to. */
static void shipped_workloads_are_whole(void **state UNUSED)
{
	AUTO(workloads) struct workloads all = { 0 };
	AUTO_FREE char *folder = xasprintf("%s/workloads", getenv("CULPRIT_SRCDIR"));
	struct err e = ERR_INIT;

	setenv("CULPRIT_WORKLOADS", folder, 1);
	if (workload_list(&all, &e) < 0)
		fail_msg("%s", e.msg);
	assert_true(all.n >= 3);
	for (size_t i = 0; i < all.n; i++) {
		const struct benchmark *b = all.v[i].bench;

		assert_string_equal(b->name, all.v[i].name);
		if (!b->about || !b->operations || !b->primary[0] || !b->blind[0] ||
		    !b->programs[0] || !b->packages[0] || !b->suites[0])
			fail_msg("%s lacks something", b->name);
	}
}

static void a_workload_lies_under_the_configuration(void **state UNUSED)
{
	static const char *const overrides[] = { "benchmarks.w.runs=7", NULL };
	AUTO_FREE char *workload = fs_join(scratch, "w.yaml"),
		       *own = fs_join(scratch, "culprit.yaml");
	struct config c = { 0 };
	const struct benchmark *b;
	struct err e = ERR_INIT;

	put("w.yaml", "benchmarks: {w: {command: a, runs: 2, warmup: 3}}\n");
	put("culprit.yaml", "benchmarks: {w: {warmup: 4}, other: {command: b}}\n");
	const struct config_base base = { workload, NULL };

	assert_int_equal(config_load(&base, own, overrides, NULL, NULL, &c, &e), 0);
	assert_int_equal(config_benchmark(&c, "w", &b, &e), 0);
	assert_string_equal(b->command, "a");
	assert_int_equal(b->warmup, 4);
	assert_int_equal(b->runs, 7);
	config_done(&c);
}

static void mistakes_say_their_file_and_line(void **state UNUSED)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "benchmarks:\n  w: {comand: a}\n",
		  "w.yaml:2: unknown key 'benchmarks.w.comand', did you mean 'command'?" },
		{ "benchmarks: {w: {command: a, operations: '1 +'}}\n", "benchmarks.w.operations" },
		{ "project: {build: make}\n", "it has 0 benchmarks, not one" },
		{ "benchmarks: {w: {command: a}, v: {command: a}}\n",
		  "it has 2 benchmarks, not one" },
	};
	AUTO_FREE char *path = fs_join(scratch, "w.yaml");

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(workload) struct workload w = { 0 };
		struct err e = ERR_INIT;

		put("w.yaml", rows[i].text);
		assert_int_equal(workload_open(path, &w, &e), -ERR_USAGE);
		if (!strstr(e.msg, rows[i].words))
			fail_msg("'%s' lacks '%s'", e.msg, rows[i].words);
	}
}

static void names_that_are_none(void **state UNUSED)
{
	AUTO(workload) struct workload w = { 0 };
	AUTO(workloads) struct workloads all = { 0 };
	struct err e = ERR_INIT;

	setenv("CULPRIT_WORKLOADS", scratch, 1);
	put("hackbench.yaml", "benchmarks: {hackbench: {command: a}}\n");
	assert_int_equal(workload_open("hackbnech", &w, &e), -ERR_USAGE);
	assert_string_equal(e.msg, "no workload 'hackbnech', did you mean 'hackbench'?");
	setenv("CULPRIT_WORKLOADS", "/nonexistent", 1);
	assert_int_equal(workload_list(&all, &e), -ERR_ENV);
	assert_int_equal(workload_open("hackbench", &w, &e), -ERR_ENV);
	assert_int_equal(workload_open("/nonexistent/x.yaml", &w, &e), -ERR_USAGE);
}

static void what_is_missing_comes_with_its_package(void **state UNUSED)
{
	static const char *programs[] = { "sh", "no-such-a", "no-such-b", NULL };
	static const char *packages[] = { "pack", NULL }, *none[] = { NULL };
	static const char *unfree[] = { "pack", "non-free/other", NULL };
	static const struct {
		const char **programs, **packages;
		const char *want;
		bool how;
	} rows[] = {
		{ programs, packages, "no-such-a, no-such-b (apt install pack)", true },
		{ programs, none, "no-such-a, no-such-b", true },
		{ none, packages, "", true },
		{ NULL, NULL, "", true },
		{ programs, unfree,
		  "no-such-a, no-such-b (apt install pack other, from Debian's non-free)", false },
		{ programs, unfree,
		  "no-such-a, no-such-b (apt install pack other, from Debian's non-free, which is added to the components of the "
		  "archive in /etc/apt/sources.list or sources.list.d/*.sources, before apt update)",
		  true },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct benchmark b = { .programs = rows[i].programs, .packages = rows[i].packages };
		AUTO(str) struct str got = STR_INIT;

		needs_put_programs(&b, rows[i].how, &got);
		assert_string_equal(got.p, rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_workloads_are_whole),
		cmocka_unit_test(a_workload_lies_under_the_configuration),
		cmocka_unit_test(mistakes_say_their_file_and_line),
		cmocka_unit_test(names_that_are_none),
		cmocka_unit_test(what_is_missing_comes_with_its_package),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
