/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gitfix.h"

#include "base/num.h"
#include "bench/artefact.h"
#include "bench/build.h"
#include "bench/layout.h"
#include "bench/place.h"
#include "sys/proc.h"

#include <errno.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* A small C project: a program of two sources, a script, a Makefile. */
static const char project_script[] =
	"mkdir src doc\n"
	"printf 'int twice(int);\\nint main(void) { return twice(0); }\\n' >src/main.c\n"
	"printf 'int twice(int x) { return 2 * x; }\\n' >src/twice.c\n"
	"printf 'int unused;\\n' >src/unused.c\n"
	"printf 'text\\n' >doc/read.md\n"
	"printf 'echo hi\\n' >run.sh\n"
	"printf 'prog: src/main.c src/twice.c\\n\\t$(CC) -O2 -g -o prog src/main.c src/twice.c\\n' >Makefile\n"
	"git add . && c first 1 one && t v1\n"
	"c doc/read.md other && t docs\n"
	"printf 'int twice(int x) { /* comment */ return 2 * x; }\\n' >src/twice.c && git commit -q -am comment && t comment\n"
	"printf 'int twice(int x) { return 3 * x; }\\n' >src/twice.c && git commit -q -am change && t change\n"
	"c run.sh 'echo ho' && t script\n";

static struct build_request request(struct fix *f, const struct variant *v, const struct project *p)
{
	return (struct build_request){
		.repo = f->repo, .store_dir = f->store, .project = p, .variant = v, .jobs = 2
	};
}

/* Key and build; the result. */
static struct build_result built(const struct build_request *q)
{
	AUTO(str) struct str why = STR_INIT;
	char key[65], tree[65];
	struct build_result r;
	struct err e = ERR_INIT;
	bool ok = false;

	if (build_key(q, key, tree, &ok, &why, &e) < 0)
		fail_msg("build_key: %s", e.msg);
	assert_true(ok);
	if (build_run(q, key, &r, &e) < 0)
		fail_msg("build_run: %s", e.msg);
	return r;
}

static struct build_result build_rev(struct fix *f, const char *rev, const struct project *p)
{
	struct variant v = { 0 };

	variant_of_commit(fix_oid(f, rev), &v);
	struct build_request q = request(f, &v, p);
	struct build_result r = built(&q);

	variant_done(&v);
	return r;
}

static bool has(char **list, const char *path)
{
	for (; list && *list; list++)
		if (!strcmp(*list, path))
			return true;
	return false;
}

static bool tree_has(struct fix *f, const struct build_result *r, const char *path)
{
	AUTO_FREE char *full = xasprintf("%s/%s/%s", f->store, r->path, path);

	return r->path[0] && fs_exists(full);
}

static void equal_artefacts_are_one_candidate(void **state UNUSED)
{
	static const struct {
		const char *a, *b;
		bool declared, same;
	} rows[] = {
		{ "v1", "v1", true, true },	      { "v1", "docs", true, true },
		{ "docs", "change", true, false },    { "change", "script", true, true },
		{ "v1", "docs", false, true },	      { "docs", "change", false, false },
		{ "change", "script", false, false }, /* a script may be run */
	};
	const char *names[] = { "prog", NULL };
	struct project declared = { .build = "make -s", .artefacts = names };
	struct project plain = { .build = "make -s" };
	struct fix f;

	fix_repo(&f, project_script);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct project *p = rows[i].declared ? &declared : &plain;
		struct build_result a = build_rev(&f, rows[i].a, p),
				    b = build_rev(&f, rows[i].b, p);

		assert_int_equal(a.outcome, OUTCOME_OK);
		assert_int_equal(strlen(a.artefact), 64);
		if (!strcmp(a.artefact, b.artefact) != rows[i].same)
			fail_msg("%s and %s, declared %d: expected same %d", rows[i].a, rows[i].b,
				 rows[i].declared, rows[i].same);
		assert_true(tree_has(&f, &a, "prog"));
		build_result_done(&a);
		build_result_done(&b);
	}
	fix_end(&f);
}

static void nothing_compiled_means_all_counts(void **state UNUSED)
{
	struct project none = { 0 },
		       packages = { .build = "mkdir node_modules; echo x > node_modules/dep.js" };
	struct fix f;

	fix_repo(&f, project_script);
	for (int i = 0; i < 2; i++) {
		const struct project *p = i ? &packages : &none;
		struct build_result a = build_rev(&f, "v1", p), b = build_rev(&f, "docs", p),
				    c = build_rev(&f, "v1", p);

		assert_string_not_equal(a.artefact, b.artefact);
		assert_string_equal(a.artefact, c.artefact);
		build_result_done(&a);
		build_result_done(&b);
		build_result_done(&c);
	}
	fix_end(&f);
}

static void the_key_knows_what_matters(void **state UNUSED)
{
	struct project make = { .build = "make" }, other = { .build = "make -s" };
	char keys[6][65], tree[65];
	struct fix f;

	fix_repo(&f, project_script);
	const char *v1 = fix_oid(&f, "v1");

	for (size_t i = 0; i < 6; i++) {
		struct variant v = { 0 };
		AUTO(str) struct str why = STR_INIT;
		struct err e = ERR_INIT;
		bool ok;

		if (i == 4) {
			AUTO_FREE char *text = xasprintf("%s:env.FOO=1", v1);

			assert_int_equal(variant_parse(f.repo, text, &v, &e), 0);
		} else {
			variant_of_commit(i == 1 ? fix_oid(&f, "docs") : v1, &v);
		}
		struct build_request q = request(&f, &v, i == 2 ? &other : &make);

		q.layout = i == 3;
		q.jobs = i == 5 ? 7 : 2; /* does not matter */
		assert_int_equal(build_key(&q, keys[i], tree, &ok, &why, &e), 0);
		variant_done(&v);
	}
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(keys[i], keys[k]);
	assert_string_equal(keys[0], keys[5]);
	fix_end(&f);
}

static void the_environment_is_reproducible(void **state UNUSED)
{
	struct project p = {
		.build =
			"echo $LC_ALL $TZ $SOURCE_DATE_EPOCH $JOBS $(umask); pwd; test $PWD = $CULPRIT_SRC; echo $?"
	};
	struct fix f;

	fix_repo(&f, project_script);
	struct build_result r = build_rev(&f, "v1", &p);
	AUTO_FREE char *want = xasprintf("C.UTF-8 UTC 946684800 2 0022\n%s/src\n0\n", f.store);

	assert_string_equal(r.log.p, want);
	build_result_done(&r);
	fix_end(&f);
}

static void bad_builds_are_outcomes(void **state UNUSED)
{
	static const struct {
		const char *build, *artefact, *subdir;
		enum outcome outcome;
		const char *words;
	} rows[] = {
		{ "echo 'x.c:3: error: no such thing'; echo 'make: *** [all] Error 1'; exit 2",
		  NULL, NULL, OUTCOME_FAILED, "exit status 2: 'x.c:3: error: no such thing'" },
		{ "no-such-builder", NULL, NULL, OUTCOME_FAILED, "exit status 127" },
		{ "kill -SEGV $$", NULL, NULL, OUTCOME_CRASHED, "signal 11" },
		{ "echo waiting; sleep 100", NULL, NULL, OUTCOME_TIMEOUT,
		  "deadline of 300 ms passed: 'waiting'" },
		{ "read answer && echo got it", NULL, NULL, OUTCOME_FAILED, "exit status 1" },
		{ "read answer </dev/tty", NULL, NULL, OUTCOME_FAILED, "/dev/tty" },
		{ "true", "prog*", NULL, OUTCOME_FAILED, "made no 'prog*' (artefacts)" },
		{ NULL, "prog", NULL, OUTCOME_FAILED, "no build command" },
		{ "true", NULL, "nowhere", OUTCOME_SKIPPED,
		  "this revision has no folder 'nowhere'" },
	};
	struct fix f;

	fix_repo(&f, project_script);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *artefacts[] = { rows[i].artefact, NULL };
		struct project p = { .build = rows[i].build,
				     .artefacts = artefacts,
				     .subdir = rows[i].subdir,
				     .build_timeout_ns = rows[i].outcome == OUTCOME_TIMEOUT
								 ? 300 * NS_PER_MS
								 : 60 * NS_PER_S };
		struct build_result r = build_rev(&f, "v1", &p);

		if (r.outcome != rows[i].outcome || !r.reason || !strstr(r.reason, rows[i].words))
			fail_msg("%s: %s: '%s'", rows[i].build, outcome_name(r.outcome), r.reason);
		assert_string_equal(r.path, "");
		build_result_done(&r);
	}
	/* No tree was kept. */
	AUTO_FREE char *trees = fs_join(f.store, "trees");

	assert_int_equal(rmdir(trees), 0);
	fix_end(&f);
}

static void a_flood_keeps_its_last_lines(void **state UNUSED)
{
	struct project p = {
		.build = "yes | head -c 20000000; echo 'the end: error: here'; exit 1"
	};
	struct fix f;

	fix_repo(&f, project_script);
	struct build_result r = build_rev(&f, "v1", &p);

	assert_true(r.log.n < 5 << 20);
	assert_true(ends_with(r.log.p, "the end: error: here\n"));
	assert_non_null(strstr(r.reason, "error: here"));
	build_result_done(&r);
	fix_end(&f);
}

static void failed_trees_can_be_kept(void **state UNUSED)
{
	struct project p = { .build = "touch made; exit 1" };
	struct variant v = { 0 };
	struct fix f;

	fix_repo(&f, project_script);
	variant_of_commit(fix_oid(&f, "v1"), &v);
	struct build_request q = request(&f, &v, &p);

	q.keep_failed = true;
	struct build_result r = built(&q);

	assert_int_equal(r.outcome, OUTCOME_FAILED);
	assert_true(tree_has(&f, &r, "made"));
	build_result_done(&r);
	r = built(&q); /* again, over what is there */
	assert_true(tree_has(&f, &r, "made"));
	build_result_done(&r);
	variant_done(&v);
	fix_end(&f);
}

static bool stop_now(void)
{
	return true;
}

static void stopping_leaves_no_tree(void **state UNUSED)
{
	struct project p = { .build = "touch made; sleep 100" };
	struct variant v = { 0 };
	struct build_result r;
	struct err e = ERR_INIT;
	struct fix f;

	fix_repo(&f, project_script);
	variant_of_commit(fix_oid(&f, "v1"), &v);
	struct build_request q = request(&f, &v, &p);
	AUTO_FREE char *tree = fs_join(f.store, "trees/abc");

	q.stop = stop_now;
	assert_int_equal(build_run(&q, "abc", &r, &e), -ERR_STOPPED);
	assert_false(fs_exists(tree));
	variant_done(&v);
	fix_end(&f);
}

/* A build that does not apply or check out is skipped with its reason. */
static void what_does_not_apply_is_skipped(void **state UNUSED)
{
	struct project p = { .build = "make -s" };
	struct variant v = { 0 };
	AUTO(str) struct str why = STR_INIT;
	struct build_result r;
	struct err e = ERR_INIT;
	char key[65], tree[65];
	bool ok = true;
	struct fix f;

	fix_repo(&f, project_script);
	AUTO_FREE char *text =
		xasprintf("%s:revert=%s", fix_oid(&f, "script"), fix_oid(&f, "comment"));

	assert_int_equal(variant_parse(f.repo, text, &v, &e), 0);
	struct build_request q = request(&f, &v, &p);

	assert_int_equal(build_key(&q, key, tree, &ok, &why, &e), 0);
	assert_false(ok);
	assert_true(why.n > 0);
	assert_int_equal(build_run(&q, "abc", &r, &e), 0);
	assert_int_equal(r.outcome, OUTCOME_SKIPPED);
	assert_true(r.reason[0]);
	build_result_done(&r);
	variant_done(&v);
	fix_end(&f);
}

static int lay_over(void *arg, const char *tree, struct err *e)
{
	AUTO_FREE char *path = fs_join(tree, "extra");

	(void)arg;
	return fs_write_atomic(path, "mine\n", 5, e);
}

static void inputs_are_learnt_from_access_times(void **state UNUSED)
{
	struct project p = { .build = "make -s; cat extra" };
	struct variant v = { 0 };
	struct err e = ERR_INIT;
	struct fix f;

	fix_repo(&f, project_script);
	variant_of_commit(fix_oid(&f, "v1"), &v);
	struct build_request q = request(&f, &v, &p);

	q.learn_inputs = true;
	q.overlay = lay_over;
	struct build_result r = built(&q);

	assert_int_equal(r.outcome, OUTCOME_OK);
	if (!r.inputs)
		skip(); /* this file system does not record reads */
	assert_true(has(r.inputs, "Makefile"));
	assert_true(has(r.inputs, "src/main.c"));
	assert_true(has(r.inputs, "src/twice.c"));
	assert_false(has(r.inputs, "src/unused.c"));
	assert_false(has(r.inputs, "doc/read.md"));
	assert_false(has(r.inputs, "doc/"));
	assert_false(has(r.inputs, "run.sh"));
	assert_false(has(r.inputs, "extra")); /* not tracked */
	assert_false(has(r.inputs, "prog"));

	/* What a run reads adds up. */
	AUTO_FREE char *script = xasprintf("%s/%s/run.sh", f.store, r.path);
	AUTO(str) struct str text = STR_INIT;

	assert_int_equal(fs_read(script, 1000, &text, &e), 0);
	assert_int_equal(build_inputs_again(f.store, r.path, &e), 0);
	char **again = build_saved_inputs(f.store, r.path);

	assert_true(has(again, "run.sh"));
	assert_true(has(again, "src/main.c"));
	assert_false(has(again, "src/unused.c"));
	assert_null(build_saved_inputs(f.store, "trees/none"));
	for (char **x = again; *x; x++)
		free(*x);
	free(again);
	build_result_done(&r);
	variant_done(&v);
	fix_end(&f);
}

/* `git status` in a build must not read every file because their times were changed. */
static void git_in_a_build_reads_nothing_by_itself(void **state UNUSED)
{
	struct project p = {
		.build = "git describe --dirty --always; git rev-parse --show-toplevel"
	};
	struct variant v = { 0 };
	struct fix f;

	fix_repo(&f, project_script);
	variant_of_commit(fix_oid(&f, "v1"), &v);
	struct build_request q = request(&f, &v, &p);

	q.learn_inputs = true;
	struct build_result r = built(&q);
	AUTO_FREE char *want = xasprintf("v1\n%s/src\n", f.store);

	assert_string_equal(r.log.p, want);
	assert_false(has(r.inputs, "src/unused.c"));
	build_result_done(&r);
	variant_done(&v);
	fix_end(&f);
}

static void layouts_move_code_and_are_reproducible(void **state UNUSED)
{
	const char *names[] = { "prog", NULL };
	struct project p = { .build = "make -s", .artefacts = names };
	char hashes[4][65];
	struct variant v = { 0 };
	struct fix f;

	fix_repo(&f, project_script);
	variant_of_commit(fix_oid(&f, "v1"), &v);
	for (unsigned i = 0; i < 4; i++) {
		struct build_request q = request(&f, &v, &p);

		q.layout = i < 3 ? i : 1;
		struct build_result r = built(&q);

		assert_int_equal(r.outcome, OUTCOME_OK);
		assert_string_equal(r.log.p, ""); /* no compiler complained */
		memcpy(hashes[i], r.artefact, 65);
		build_result_done(&r);
	}
	assert_string_not_equal(hashes[0], hashes[1]);
	assert_string_not_equal(hashes[0], hashes[2]);
	assert_string_not_equal(hashes[1], hashes[2]);
	assert_string_equal(hashes[1], hashes[3]);
	variant_done(&v);
	fix_end(&f);
}

static void compilers_take_the_layout_options(void **state UNUSED)
{
	static const char *const compilers[] = { "gcc", "clang" };

	for (size_t c = 0; c < ARRAY_LEN(compilers); c++) {
		AUTO_FREE char *path = fs_find_program(compilers[c], NULL);

		for (unsigned n = 1; n < 14 && path; n++) {
			char options[200];
			AUTO(str) struct str said = STR_INIT;
			struct proc_result r;
			struct err e = ERR_INIT;

			layout_options(n, options);
			AUTO_FREE char *text = xasprintf(
				"echo 'int f(void) { return 1; }' | %s -Wall -Werror -O2 %s -x c -c -o /dev/null -",
				compilers[c], options);
			const char *argv[] = { "sh", "-c", text, NULL };
			struct proc_spec spec = { .argv = argv, .merge_stderr = true };

			assert_int_equal(proc_run(&spec, &said, NULL, &r, &e), 0);
			assert_string_equal(said.p, "");
			assert_int_equal(r.status, 0);
		}
	}
}

/* A file system of one megabyte, where we may mount one. */
static void a_full_disk_is_not_the_commits_fault(void **state UNUSED)
{
	struct project p = { .build = "head -c 50000000 /dev/zero > big" };
	struct variant v = { 0 };
	struct build_result r;
	struct err e = ERR_INIT;
	struct fix f;

	fix_repo(&f, project_script);
	AUTO_FREE char *trees = fs_join(f.store, "trees");
	AUTO_FREE char *tree = fs_join(trees, "abc");

	assert_int_equal(fs_mkdirs(trees, &e), 0);
	if (mount("tmpfs", trees, "tmpfs", 0, "size=1m") < 0) {
		fix_end(&f);
		skip(); /* not allowed to mount */
	}
	variant_of_commit(fix_oid(&f, "v1"), &v);
	struct build_request q = request(&f, &v, &p);
	int x = build_run(&q, "abc", &r, &e);
	bool gone = !fs_exists(tree);

	umount(trees);
	assert_int_equal(x, -ERR_ENV);
	assert_non_null(strstr(e.msg, "the disk is full"));
	assert_true(gone);
	variant_done(&v);
	fix_end(&f);
}

static void folders_and_globs_as_artefacts(void **state UNUSED)
{
	static const struct {
		const char *build;
		bool same;
	} rows[] = {
		{ "mkdir -p out/a; echo 1 > out/a/x; echo 2 > out/b.bin; echo 3 > other", true },
		{ "mkdir -p out/a; echo 1 > out/a/x; echo 2 > out/b.bin; echo 4 > other", true },
		{ "mkdir -p out/a; echo 9 > out/a/x; echo 2 > out/b.bin", false },
		{ "mkdir -p out/a; echo 1 > out/a/y; echo 2 > out/b.bin", false },
		{ "mkdir -p out/a; echo 1 > out/a/x; echo 2 > out/b.bin; chmod +x out/b.bin",
		  false },
		{ "mkdir -p out/a; echo 1 > out/a/x; echo 2 > out/c.bin", false },
	};
	const char *names[] = { "out/a", "out/*.bin", NULL };
	char first[65] = "";
	struct fix f;

	fix_repo(&f, project_script);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct project p = { .build = rows[i].build, .artefacts = names };
		struct build_result r = build_rev(&f, "v1", &p);

		assert_int_equal(r.outcome, OUTCOME_OK);
		if (!i)
			memcpy(first, r.artefact, 65);
		assert_int_equal(!strcmp(first, r.artefact), rows[i].same);
		build_result_done(&r);
	}
	fix_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_artefacts_are_one_candidate),
		cmocka_unit_test(nothing_compiled_means_all_counts),
		cmocka_unit_test(the_key_knows_what_matters),
		cmocka_unit_test(the_environment_is_reproducible),
		cmocka_unit_test(bad_builds_are_outcomes),
		cmocka_unit_test(a_flood_keeps_its_last_lines),
		cmocka_unit_test(failed_trees_can_be_kept),
		cmocka_unit_test(stopping_leaves_no_tree),
		cmocka_unit_test(what_does_not_apply_is_skipped),
		cmocka_unit_test(inputs_are_learnt_from_access_times),
		cmocka_unit_test(git_in_a_build_reads_nothing_by_itself),
		cmocka_unit_test(layouts_move_code_and_are_reproducible),
		cmocka_unit_test(compilers_take_the_layout_options),
		cmocka_unit_test(a_full_disk_is_not_the_commits_fault),
		cmocka_unit_test(folders_and_globs_as_artefacts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
