/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "base/num.h"
#include "bench/benchmark.h"
#include "text/json.h"

#include <stdlib.h>
#include <unistd.h>

/* A file with this text; the name is short so that messages read as they do for a user. */
struct place {
	char dir[64], old[4096];
};

static void place_open(struct place *p, const char *text)
{
	FILE *f;

	snprintf(p->dir, sizeof(p->dir), "/tmp/culprit-config-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	assert_non_null(getcwd(p->old, sizeof(p->old)));
	assert_int_equal(chdir(p->dir), 0);
	f = fopen("culprit.yaml", "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void place_done(struct place *p)
{
	unlink("culprit.yaml");
	assert_int_equal(chdir(p->old), 0);
	rmdir(p->dir);
}

static int load_text(const char *text, const char *const *set, const char *build, const char *bench,
		     struct config *c, struct err *e)
{
	AUTO(place) struct place p;

	place_open(&p, text);
	return config_load(NULL, "culprit.yaml", set, build, bench, c, e);
}

static const char design[] =
	"project:\n"
	"  build: make -j$JOBS\n"
	"  artefacts: [minigzip]\n"
	"benchmarks:\n"
	"  deflate:\n"
	"    command: ./minigzip -9 < $CULPRIT_DATA/corpus > /dev/null\n"
	"    primary: [wall]\n"
	"  rr:\n"
	"    command: |\n"
	"      netserver -L 127.0.0.1\n"
	"      netperf -H 127.0.0.1 -l 3 -c -C -t TCP_RR\n"
	"    measure: callgrind\n"
	"metrics:\n"
	"  cpu_per_gbit: {formula: cpu_seconds / (bytes * 8 / 1e9), unit: s/Gbit, better: lower}\n"
	"kernel:\n"
	"  config: [defconfig, fragments/lab.config]\n"
	"targets:\n"
	"  exact: {memory: 2G, programs: [netperf, netserver, stress-ng]}\n";

static void the_design_is_read(void **state UNUSED)
{
	AUTO(config) struct config c = { 0 };
	const struct benchmark *b;

	assert_int_equal(load_text(design, NULL, NULL, NULL, &c, NULL), 0);
	assert_string_equal(c.path, "culprit.yaml");
	assert_string_equal(c.project.build, "make -j$JOBS");
	assert_string_equal(c.project.artefacts[0], "minigzip");
	assert_int_equal(c.project.build_timeout_ns, 3600 * NS_PER_S);
	assert_null(c.project.inputs[0]);
	assert_int_equal(c.n_benchmarks, 2);
	assert_int_equal(config_benchmark(&c, "rr", &b, NULL), 0);
	assert_true(ends_with(b->command, "-t TCP_RR\n"));
	assert_null(b->reader);
	assert_int_equal(b->measure, MEASURE_CALLGRIND);
	assert_int_equal(b->warmup, 0);
	assert_int_equal(b->timeout_ns, 600 * NS_PER_S);
	assert_null(b->primary[0]);
	assert_int_equal(config_benchmark(&c, "deflate", &b, NULL), 0);
	assert_string_equal(b->primary[0], "wall");
	assert_string_equal(config_metric(&c, "cpu_per_gbit")->formula,
			    "cpu_seconds / (bytes * 8 / 1e9)");
	assert_int_equal(config_metric(&c, "cpu_per_gbit")->better, BETTER_LOWER);
	assert_null(config_metric(&c, "wall"));
	assert_string_equal(c.kernel.config[1], "fragments/lab.config");
	assert_int_equal(config_target(&c, "exact")->memory_bytes, INT64_C(2) << 30);
	assert_string_equal(config_target(&c, "exact")->programs[2], "stress-ng");
}

static void later_sources_win(void **state UNUSED)
{
	static const char *const set[] = { "benchmarks.default.better=higher",
					   "project.build=from -c", "benchmarks.deflate.runs=7",
					   NULL };
	AUTO(config) struct config c = { 0 };
	const struct benchmark *b;

	assert_int_equal(load_text(design, set, "from the flag", "./bench.sh", &c, NULL), 0);
	assert_string_equal(c.project.build, "from the flag");
	assert_int_equal(c.n_benchmarks, 3);
	assert_int_equal(config_benchmark(&c, NULL, &b, NULL), 0);
	assert_string_equal(b->name, "default");
	assert_string_equal(b->command, "./bench.sh");
	assert_int_equal(b->better, BETTER_HIGHER);
	assert_int_equal(config_benchmark(&c, "deflate", &b, NULL), 0);
	assert_int_equal(b->runs, 7);
}

static void flags_alone_are_enough(void **state UNUSED)
{
	AUTO(config) struct config c = { 0 };
	const struct benchmark *b;

	assert_int_equal(config_load(NULL, NULL, NULL, "make", "./b", &c, NULL), 0);
	assert_null(c.path);
	assert_int_equal(config_benchmark(&c, NULL, &b, NULL), 0);
	assert_string_equal(b->command, "./b");
}

static void the_benchmark_is_chosen_in_words(void **state UNUSED)
{
	AUTO(config) struct config two = { 0 }, none = { 0 };
	const struct benchmark *b;
	struct err e = ERR_INIT;

	assert_int_equal(load_text(design, NULL, NULL, NULL, &two, NULL), 0);
	assert_int_equal(config_benchmark(&two, NULL, &b, &e), -ERR_USAGE);
	assert_string_equal(e.msg, "several benchmarks; choose one of: deflate, rr");
	assert_int_equal(config_benchmark(&two, "delfate", &b, &e), -ERR_USAGE);
	assert_string_equal(e.msg, "no benchmark 'delfate', did you mean 'deflate'?");
	assert_int_equal(config_benchmark(&two, "nonsense", &b, &e), -ERR_USAGE);
	assert_string_equal(e.msg, "no benchmark 'nonsense'; there are: deflate, rr");
	assert_int_equal(config_load(NULL, NULL, NULL, NULL, NULL, &none, NULL), 0);
	assert_int_equal(config_benchmark(&none, NULL, &b, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "culprit init"));
}

static void contradictions_are_found(void **state UNUSED)
{
#define BENCH(text) "benchmarks:\n  a:\n    command: x\n" text
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "benchmarks:\n  a:\n    primary: [wall]\n",
		  "culprit.yaml:2: benchmarks.a has no command; give it one: 'command: ./bench.sh'" },
		{ "benchmarks:\n  a: {command: ' '}\n",
		  "culprit.yaml:2: benchmarks.a has no command; give it one: 'command: ./bench.sh'" },
		{ BENCH("    regex: '([0-9]+)'\n    reader: json\n"),
		  "culprit.yaml:5: benchmarks.a has both a reader ('json') and a regex; remove one" },
		{ BENCH("    regex: '([0-9]+)'\n    reader: lines\n"),
		  "culprit.yaml:5: benchmarks.a has both a reader ('lines') and a regex; remove one" },
		{ BENCH("    regex: '([0-9]+'\n"),
		  "culprit.yaml:4: benchmarks.a.regex: regex '([0-9]+': Unmatched ( or \\(" },
		{ BENCH("    regex: '[0-9]+'\n"),
		  "culprit.yaml:4: benchmarks.a.regex: regex '[0-9]+' has no group: put ( ) around the value" },
		{ BENCH("    reader: regex\n"),
		  "culprit.yaml:4: benchmarks.a.reader: give the expression: 'regex: ...' stands for both" },
		{ BENCH("    reader: lnies\n"),
		  "culprit.yaml:4: benchmarks.a.reader: no reader 'lnies', did you mean 'lines'?" },
		{ BENCH("    reject: '[a'\n"),
		  "culprit.yaml:4: benchmarks.a.reject: Unmatched [, [^, [:, [., or [= in '[a'" },
		{ BENCH("    pin: 1-2-3\n"),
		  "culprit.yaml:4: benchmarks.a.pin wants CPUs like 2-3,5, not '1-2-3'" },
		{ BENCH("    primary: [wall, user, wall]\n"),
		  "culprit.yaml:4: benchmarks.a.primary names 'wall' twice" },
		{ BENCH("    files: [corpus, ../secret]\n"),
		  "culprit.yaml:4: benchmarks.a.files: '../secret' is not inside the repository; name it from its top" },
		{ BENCH("    runs: 0\n"),
		  "culprit.yaml:4: benchmarks.a.runs wants a number from 1 to 100000, not '0'" },
		{ "project:\n  subdir: /etc\n",
		  "culprit.yaml:2: project.subdir: '/etc' is not inside the repository; name it from its top" },
		{ "benchmarks:\n  a/b: {command: x}\n",
		  "culprit.yaml:2: 'a/b' is no name: up to 64 letters, digits and _-.+" },
		{ "targets:\n  exat: {memory: 1G}\n",
		  "culprit.yaml:2: no target 'exat', did you mean 'exact'?" },
		{ "metrics:\n  m: {formula: ''}\n", "culprit.yaml:2: metrics.m.formula is empty" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(config) struct config c = { 0 };
		struct err e = ERR_INIT;

		if (load_text(rows[i].text, NULL, NULL, NULL, &c, &e) != -ERR_USAGE)
			fail_msg("accepted: %s", rows[i].text);
		assert_string_equal(e.msg, rows[i].message);
		assert_null(c.arena.head);
	}
}

static void a_regex_is_its_own_reader(void **state UNUSED)
{
	AUTO(config) struct config c = { 0 };

	assert_int_equal(load_text(BENCH("    regex: 't=([0-9]+)'\n    regex_metric: t\n"), NULL,
				   NULL, NULL, &c, NULL),
			 0);
	assert_string_equal(c.benchmarks[0].reader, "regex");
	assert_string_equal(c.benchmarks[0].regex_metric, "t");
}

static void harmless_dots_stay(void **state UNUSED)
{
	AUTO(config) struct config c = { 0 };

	assert_int_equal(
		load_text(BENCH("    files: [a..b, ..c, d/..e/f]\n"), NULL, NULL, NULL, &c, NULL),
		0);
	assert_string_equal(c.benchmarks[0].files[1], "..c");
}

static void flags_and_overrides_fail_in_words(void **state UNUSED)
{
	static const char *const bad[] = { "benchmarks.a.runs=often", NULL };
	AUTO(config) struct config c = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(config_load(NULL, NULL, bad, NULL, NULL, &c, &e), -ERR_USAGE);
	assert_string_equal(e.msg, "-c benchmarks.a.runs wants a whole number, not 'often'");
	assert_int_equal(config_load(NULL, NULL, NULL, NULL, " ", &c, &e), -ERR_USAGE);
	assert_string_equal(e.msg, "--bench wants a shell command, not nothing");
	assert_true(config_load(NULL, "/nonexistent/culprit.yaml", NULL, NULL, NULL, &c, &e) < 0);
	assert_non_null(strstr(e.msg, "/nonexistent/culprit.yaml"));
}

static void print(const char *text, struct str *out)
{
	AUTO(config) struct config c = { 0 };

	assert_int_equal(load_text(text, NULL, NULL, NULL, &c, NULL), 0);
	config_fingerprint(&c, out);
}

static void the_fingerprint_is_of_the_measurement(void **state UNUSED)
{
	static const char base[] =
		"project: {build: make}\nbenchmarks: {a: {command: x}, b: {command: y}}\n";
	static const char *const same[] = {
		"benchmarks:\n  b:\n    command: y\n  a:\n    command: 'x'\n    warmup: 0\nproject:\n  build: make\n",
		"project: {build: make, jobs: 7}\nbenchmarks: {a: {command: x}, b: {command: y}}\n",
	};
	static const char *const other[] = {
		"project: {build: make}\nbenchmarks: {a: {command: x}, b: {command: z}}\n",
		"project: {build: make}\nbenchmarks: {a: {command: x}}\n",
		"project: {build: make}\nbenchmarks: {a: {command: x, env: {A: 1}}, b: {command: y}}\n",
		"project: {build: make, subdir: s}\nbenchmarks: {a: {command: x}, b: {command: y}}\n",
	};
	AUTO(str) struct str want = STR_INIT;
	AUTO(json_root) struct json *root = NULL;

	print(base, &want);
	assert_int_equal(json_parse(want.p, want.n, "fingerprint", &root, NULL), 0);
	assert_string_equal(json_to_text(root, "benchmarks.b.command"), "y");
	assert_string_equal(json_to_text(root, "benchmarks.a.measure"), "wall");
	for (size_t i = 0; i < ARRAY_LEN(same); i++) {
		AUTO(str) struct str got = STR_INIT;

		print(same[i], &got);
		assert_string_equal(got.p, want.p);
	}
	for (size_t i = 0; i < ARRAY_LEN(other); i++) {
		AUTO(str) struct str got = STR_INIT;

		print(other[i], &got);
		assert_string_not_equal(got.p, want.p);
	}
}

static void many_benchmarks_keep_their_keys(void **state UNUSED)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO(config) struct config c = { 0 };

	str_puts(&text, "benchmarks:\n");
	for (int i = 0; i < 100; i++)
		str_addf(&text, "  b%d: {command: c%d, runs: %d}\n", i, i, i + 1);
	assert_int_equal(load_text(text.p, NULL, NULL, NULL, &c, NULL), 0);
	assert_int_equal(c.n_benchmarks, 100);
	for (unsigned i = 0; i < 100; i++) {
		AUTO_FREE char *name = xasprintf("b%u", i);

		assert_string_equal(c.benchmarks[i].name, name);
		assert_string_equal(c.benchmarks[i].command + 1, name + 1);
		assert_int_equal(c.benchmarks[i].runs, i + 1);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_design_is_read),
		cmocka_unit_test(later_sources_win),
		cmocka_unit_test(flags_alone_are_enough),
		cmocka_unit_test(the_benchmark_is_chosen_in_words),
		cmocka_unit_test(contradictions_are_found),
		cmocka_unit_test(a_regex_is_its_own_reader),
		cmocka_unit_test(harmless_dots_stay),
		cmocka_unit_test(flags_and_overrides_fail_in_words),
		cmocka_unit_test(the_fingerprint_is_of_the_measurement),
		cmocka_unit_test(many_benchmarks_keep_their_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
