/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "bench/benchmark.h"
#include "bench/example.h"
#include "bench/recognise.h"
#include "sys/fs.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	char dir[64];
};

static void tree_open(struct tree *t)
{
	snprintf(t->dir, sizeof(t->dir), "/tmp/culprit-tree-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
}

static void tree_done(struct tree *t)
{
	assert_int_equal(fs_remove_tree(t->dir, NULL), 0);
}

static void put(const struct tree *t, const char *name, const char *text)
{
	AUTO_FREE char *path = fs_join(t->dir, name);
	AUTO_FREE char *dir = xstrdup(path);

	*strrchr(dir, '/') = '\0';
	assert_int_equal(fs_mkdirs(dir, NULL), 0);
	assert_int_equal(fs_write_atomic(path, text, strlen(text), NULL), 0);
}

/* Writes the file for what was recognised, and reads it back as configuration. */
static void load(const struct tree *t, const struct recognised *r, struct config *c)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO_FREE char *path = fs_join(t->dir, "culprit.yaml");
	struct err e = ERR_INIT;

	recognise_write(r, &text);
	assert_int_equal(fs_write_atomic(path, text.p, text.n, NULL), 0);
	if (config_load(NULL, path, NULL, NULL, NULL, c, &e))
		fail_msg("%s\n%s", e.msg, text.p);
}

#define KERNEL_MAKEFILE "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 0\nall: vmlinux\n"

static const struct {
	const char *files[9]; /* name, text, name, text ... */
	const char *system, *subdir, *build, *artefact, *bench;
} rows[] = {
	{ { "Makefile",
	    "all: tool lib.a\n\ntool: tool.c\n\tcc -o $@ $<\n.PHONY: all\nbench: tool\n\t./tool\n" },
	  "make",
	  NULL,
	  "make -j$JOBS",
	  "tool",
	  "make -s bench" },
	{ { "Makefile", "X := 1\nbench := 2\nall:\n\ttrue\n" },
	  "make",
	  NULL,
	  "make -j$JOBS",
	  NULL,
	  NULL },
	{ { "CMakeLists.txt",
	    "project(x)\nadd_executable(mini gzip.c)\nadd_executable( other o.c)\n", "Makefile",
	    "all:\n", "bench.sh", "#!/bin/sh\n" },
	  "cmake",
	  NULL,
	  "set -e\ncmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo\ncmake --build build -j$JOBS\n",
	  "build/mini",
	  "sh bench.sh" },
	{ { "meson.build", "project('x', 'c')\nexecutable('runner', 'r.c')\nbenchmark('b', x)\n" },
	  "meson",
	  NULL,
	  "set -e\n[ -e build/build.ninja ] || meson setup build --buildtype=release\nninja -C build -j$JOBS\n",
	  "build/runner",
	  "meson test -C build --benchmark --verbose" },
	{ { "configure.ac", "AC_INIT\n", "Makefile.am", "bin_PROGRAMS = jq yq\nbenchmark: all\n" },
	  "autotools",
	  NULL,
	  "set -e\nautoreconf -fi\n./configure\nmake -j$JOBS\n",
	  "jq",
	  "make -s benchmark" },
	{ { "configure", "#!/bin/sh\n", "Makefile.in", "all:\n" },
	  "autotools",
	  NULL,
	  "set -e\n./configure\nmake -j$JOBS\n",
	  NULL,
	  NULL },
	{ { "Cargo.toml", "[package]\nname = \"ripgrep\"\n[[bin]]\npath = \"x\"\nname = \"rg\"\n",
	    "Cargo.lock", "", "benches/a.rs", "" },
	  "cargo",
	  NULL,
	  "cargo build --release --locked",
	  "target/release/rg",
	  "cargo bench" },
	{ { "Cargo.toml", "[package]\nname=\"fd\"\n", "src/main.rs", "" },
	  "cargo",
	  NULL,
	  "cargo build --release",
	  "target/release/fd",
	  NULL },
	{ { "Cargo.toml", "[package]\nname = \"somelib\"\n" },
	  "cargo",
	  NULL,
	  "cargo build --release",
	  NULL,
	  NULL },
	{ { "package.json", "{\"scripts\": {\"build\": \"tsc\", \"bench\": \"node b.js\"}}",
	    "package-lock.json", "{}" },
	  "npm",
	  NULL,
	  "set -e\nnpm ci\nnpm run build\n",
	  NULL,
	  "npm run --silent bench" },
	{ { "package.json", "not json" }, "npm", NULL, "npm install", NULL, NULL },
	{ { "Makefile", KERNEL_MAKEFILE, "Kconfig", "", "Kbuild", "" },
	  "kbuild",
	  NULL,
	  NULL,
	  NULL,
	  NULL },
	{ { "Makefile", "obj-m += hello.o\nall:\n\tmake -C /x\n" },
	  "kbuild",
	  NULL,
	  "make -j$JOBS -C /lib/modules/$(uname -r)/build M=\"$PWD\" modules",
	  "*.ko",
	  NULL },
	{ { "README", "", "docs/x.txt", "", "src/Makefile", "all: p\np: p.c\n", "web/package.json",
	    "{}" },
	  "make",
	  "src",
	  "make -j$JOBS",
	  "p",
	  NULL },
	{ { "README", "nothing to see" }, NULL, NULL, NULL, NULL, NULL },
};

static void each_build_system_is_recognised(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(tree) struct tree t;
		AUTO(recognised) struct recognised r = { 0 };
		AUTO(config) struct config c = { 0 };

		tree_open(&t);
		for (size_t k = 0; rows[i].files[k]; k += 2)
			put(&t, rows[i].files[k], rows[i].files[k + 1]);
		assert_int_equal(recognise(t.dir, &r, NULL), 0);
		if (!rows[i].system) {
			assert_null(r.system);
			continue;
		}
		assert_string_equal(r.system, rows[i].system);
		load(&t, &r, &c);
		assert_int_equal(!c.project.build, !rows[i].build);
		if (rows[i].build)
			assert_string_equal(c.project.build, rows[i].build);
		assert_int_equal(!c.project.subdir, !rows[i].subdir);
		if (rows[i].subdir)
			assert_string_equal(c.project.subdir, rows[i].subdir);
		assert_int_equal(!c.project.artefacts[0], !rows[i].artefact);
		if (rows[i].artefact)
			assert_string_equal(c.project.artefacts[0], rows[i].artefact);
		assert_int_equal(c.n_benchmarks, rows[i].bench ? 1 : 0);
		if (rows[i].bench)
			assert_string_equal(c.benchmarks[0].command, rows[i].bench);
	}
}

static void what_was_passed_over_is_said(void **state UNUSED)
{
	AUTO(tree) struct tree t;
	AUTO(recognised) struct recognised r = { 0 };
	AUTO(str) struct str text = STR_INIT;

	tree_open(&t);
	put(&t, "CMakeLists.txt", "");
	put(&t, "configure", "");
	put(&t, "Makefile", "all:\n");
	assert_int_equal(recognise(t.dir, &r, NULL), 0);
	recognise_write(&r, &text);
	assert_non_null(strstr(text.p, "# Passed over: configure (autotools), Makefile (make)\n"));
}

static void hostile_names_stay_values(void **state UNUSED)
{
	AUTO(tree) struct tree t;
	AUTO(recognised) struct recognised r = { 0 };
	AUTO(config) struct config c = { 0 };

	tree_open(&t);
	put(&t, "a: [b] #'\"\n{x}/Makefile", "all: p\np:\n");
	assert_int_equal(recognise(t.dir, &r, NULL), 0);
	load(&t, &r, &c);
	assert_string_equal(c.project.subdir, "a: [b] #'\"\n{x}");
}

static void an_unreadable_folder_is_an_error(void **state UNUSED)
{
	AUTO(recognised) struct recognised r = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(recognise("/nonexistent/tree", &r, &e), -ERR_ENV);
	assert_non_null(strstr(e.msg, "/nonexistent/tree"));
}

static void scalars_read_back(void **state UNUSED)
{
	static const char *const texts[] = { "make -j$JOBS",
					     "a: b",
					     "x #y",
					     "- dash",
					     "'q'",
					     "two\nlines\n",
					     "no end\nhere",
					     "\ttab",
					     " lead",
					     "trail ",
					     "[x]",
					     "*star",
					     "@at",
					     "a\\b\"c",
					     "!tag",
					     "%d",
					     "~",
					     "key:",
					     "",
					     "one\n\nthree\n",
					     " indented\nblock\n",
					     "caf\xc3\xa9" };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		AUTO(tree) struct tree t;
		AUTO(str) struct str text = STR_INIT;
		AUTO(config) struct config c = { 0 };
		struct err e = ERR_INIT;

		tree_open(&t);
		AUTO_FREE char *path = fs_join(t.dir, "c");

		str_puts(&text, "project:\n  build: ");
		example_scalar(&text, texts[i], 4);
		str_putc(&text, '\n');
		assert_int_equal(fs_write_atomic(path, text.p, text.n, NULL), 0);
		if (config_load(NULL, path, NULL, NULL, NULL, &c, &e))
			fail_msg("%s\n%s", e.msg, text.p);
		assert_string_equal(c.project.build, texts[i]);
	}
}

/* Every key stands in the example, with a value that its type takes; so it documents nothing that does not work. */
static void the_example_parses_and_is_whole(void **state UNUSED)
{
	AUTO(tree) struct tree t;
	AUTO(str) struct str text = STR_INIT;
	AUTO(config) struct config c = { 0 };
	struct err e = ERR_INIT;

	tree_open(&t);
	AUTO_FREE char *path = fs_join(t.dir, "c");

	example_file(&text);
	assert_int_equal(fs_write_atomic(path, text.p, text.n, NULL), 0);
	if (config_load(NULL, path, NULL, NULL, NULL, &c, &e))
		fail_msg("%s\n%s", e.msg, text.p);
	for (const struct conf_key *k = config_keys; k->path; k++) {
		AUTO_FREE char *line = xasprintf(" %s: ", strrchr(k->path, '.') + 1);

		if (!strstr(text.p, line))
			fail_msg("no '%s' in the example", k->path);
		assert_true(k->help && *k->help && !ends_with(k->help, "."));
	}
	assert_int_equal(c.n_benchmarks, 2);
	assert_string_equal(c.benchmarks[1].reader, "regex");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_build_system_is_recognised),
		cmocka_unit_test(what_was_passed_over_is_said),
		cmocka_unit_test(hostile_names_stay_values),
		cmocka_unit_test(an_unreadable_folder_is_an_error),
		cmocka_unit_test(scalars_read_back),
		cmocka_unit_test(the_example_parses_and_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
