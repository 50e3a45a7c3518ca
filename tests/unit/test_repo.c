/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gitfix.h"

static const char four[] =
	"c a 1 'first'\nc a 2 'fix: x'\nt v1\nc b 1 third\ngit branch side\nc a 3 last\n";

static void the_usual_places(void **state UNUSED)
{
	struct fix f;
	AUTO_FREE char *top = NULL;
	AUTO_FREE char *store = NULL;

	fix_repo(&f, four);
	fix_sh(&f, "r/sub/dir", "true");
	fix_open(&f, "r/sub/dir");
	top = fs_join(f.dir, "r");
	store = fs_join(top, ".culprit");
	assert_string_equal(repo_top(f.repo), top);
	assert_string_equal(repo_prefix(f.repo), "sub/dir/");
	assert_string_equal(repo_default_store(f.repo), store);
	assert_string_equal(repo_notes(f.repo), "");
	fix_end(&f);
}

static void names_become_commits(void **state UNUSED)
{
	static const struct {
		const char *rev, *same;
	} rows[] = {
		{ "HEAD", "main" },	    { "@", "main" },	      { "main~2", "v1" },
		{ "v1", "main~2" },	    { "side", "main~1" },     { ":/fix: x", "main~2" },
		{ "HEAD^{/fix: x}", "v1" }, { "refs/tags/v1", "v1" }, { "v1^{}", "v1" },
		{ "main@{u}", "side" },	    { "HEAD@{1}", "main~1" },
	};
	struct fix f;
	char oid[65];
	struct err e = ERR_INIT;

	fix_repo(&f, four);
	fix_sh(&f, "r", "git branch -q -u side");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_ok(repo_resolve(f.repo, rows[i].rev, oid, &e), &e);
		assert_string_equal(oid, fix_oid(&f, rows[i].same));
	}
	const char *full = fix_oid(&f, "main");
	char part[11] = "";

	memcpy(part, full, 10);
	assert_ok(repo_resolve(f.repo, part, oid, &e), &e);
	assert_string_equal(oid, full);
	fix_end(&f);
}

static void wrong_names_get_one_line(void **state UNUSED)
{
	static const struct {
		const char *rev, *says;
	} rows[] = {
		{ "", "empty" },
		{ "--all", "looks like an option" },
		{ "-n1", "looks like an option" },
		{ "v2", "unknown revision 'v2', did you mean 'v1'?" },
		{ "mian", "did you mean 'main'?" },
		{ "nothing-like-it", "unknown revision 'nothing-like-it'" },
		{ "HEAD:a", "is a blob, not a commit" },
		{ "HEAD^{tree}", "is a tree, not a commit" },
		{ "v1..main", "is a range" },
		{ "main~40", "unknown revision" },
		{ ":/no such text", "unknown revision" },
		{ "main@{u}", "no upstream" },
		{ "HEAD:none", "unknown revision" },
		{ "1234567890123456789012345678901234567890", "there is no object 123456789012" },
		{ "a b\nc", "unknown revision" },
	};
	struct fix f;
	char oid[65];

	fix_repo(&f, four);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = ERR_INIT;

		assert_err(repo_resolve(f.repo, rows[i].rev, oid, &e), &e, ERR_USAGE, rows[i].says);
		assert_null(strchr(e.msg, '\n'));
	}
	fix_end(&f);
}

static void a_name_that_is_two_things_is_refused(void **state UNUSED)
{
	struct fix f;
	char oid[65];
	struct err e = ERR_INIT;

	fix_repo(&f, four);
	fix_sh(&f, "r",
	       "git tag both HEAD~1; git branch both HEAD~2; git tag same side; git branch same side~0");
	fix_open(&f, "r");
	assert_err(repo_resolve(f.repo, "both", oid, &e), &e, ERR_USAGE, "refs/heads/both");
	assert_non_null(strstr(e.msg, "refs/tags/both"));
	assert_err(repo_resolve(f.repo, "both~1", oid, &e), &e, ERR_USAGE, "'both' is ambiguous");
	assert_ok(repo_resolve(f.repo, "refs/heads/both", oid, &e), &e);
	assert_string_equal(oid, fix_oid(&f, "v1"));
	assert_ok(repo_resolve(f.repo, "same", oid, &e), &e); /* two names of one commit */
	fix_end(&f);
}

static void short_names_that_several_commits_share(void **state UNUSED)
{
	struct fix f;
	char oid[65], four_digits[5] = "";
	struct err e = ERR_INIT;

	/* 600 commits: two of them share their first four digits almost surely, and surely with these fixed dates. */
	fix_repo(
		&f,
		"for i in $(seq 600); do printf 'commit refs/heads/main\\ncommitter C <c@x> %d +0000\\n"
		"data 1\\nx\\n' $((1600000000 + i)); done | git fast-import --quiet\n");
	AUTO(str) struct str out = STR_INIT;

	fix_out(&f, "r", &out, "git rev-list main | cut -c1-4 | sort | uniq -d | head -n 1");
	assert_int_equal(out.n, 4);
	memcpy(four_digits, out.p, 4);
	assert_err(repo_resolve(f.repo, four_digits, oid, &e), &e, ERR_USAGE, "is ambiguous");
	assert_non_null(strstr(e.msg, "commit 2020-09-13"));
	fix_end(&f);
}

static void a_branch_without_a_commit(void **state UNUSED)
{
	struct fix f;
	char oid[65];
	struct err e = ERR_INIT;

	fix_repo(&f, "");
	assert_err(repo_resolve(f.repo, "HEAD", oid, &e), &e, ERR_USAGE,
		   "nothing has been committed");
	fix_end(&f);
}

static void no_repository(void **state UNUSED)
{
	struct fix f;
	struct repo *r = NULL;
	struct err e = ERR_INIT;

	fix_begin(&f);
	fix_sh(&f, "plain", "echo x >file");
	AUTO_FREE char *dir = fs_join(f.dir, "plain");
	AUTO_FREE char *file = fs_join(dir, "file");
	AUTO_FREE char *none = fs_join(dir, "none");

	assert_err(repo_open(dir, &r, &e), &e, ERR_USAGE, "not a git repository (or any parent)");
	assert_err(repo_open(file, &r, &e), &e, ERR_USAGE, "is not a folder");
	assert_true(repo_open(none, &r, &e) < 0);
	assert_null(r);
	fix_end(&f);
}

static void nothing_of_the_users_changes(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	struct commit_info c;
	char oid[65];
	bool untracked;

	fix_repo(&f, four);
	fix_sh(&f, "r",
	       "echo dirty >>a; echo new >new; git add new; echo more >>new; echo loose >loose");
	AUTO_FREE char *before = fix_sum(&f, "r");

	fix_open(&f, "r");
	assert_ok(repo_resolve(f.repo, "HEAD", oid, &e), &e);
	assert_ok(repo_commit(f.repo, oid, &c, &e), &e);
	assert_ok(repo_is_untracked(f.repo, "loose", &untracked, &e), &e);
	assert_true(untracked);
	assert_true(repo_resolve(f.repo, "nope", oid, &e) < 0);
	AUTO_FREE char *after = fix_sum(&f, "r");

	assert_string_equal(before, after);
	fix_end(&f);
}

static void commits_have_their_texts(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	struct commit_info c, again;

	fix_repo(&f, "c a 1 \"$(printf 'sub\\033[1mject line\\n\\nbody')\"\n");
	const char *oid = fix_oid(&f, "main");

	assert_ok(repo_commit(f.repo, oid, &c, &e), &e);
	assert_string_equal(c.oid, oid);
	assert_int_equal(strlen(c.abbrev), 12);
	assert_memory_equal(c.abbrev, oid, 12);
	assert_string_equal(c.subject,
			    "sub?[1mject line"); /* no escape sequence reaches a terminal */
	assert_string_equal(c.author, "Ann");
	assert_int_equal(c.time, 1600000060);
	assert_int_equal(strlen(c.tree), 40);
	assert_ok(repo_commit(f.repo, oid, &again, &e), &e);
	assert_ptr_equal(again.oid, c.oid);
	assert_true(repo_commit(f.repo, "1234567890123456789012345678901234567890", &c, &e) < 0);
	fix_end(&f);
}

static void untracked_is_neither_tracked_nor_ignored(void **state UNUSED)
{
	static const struct {
		const char *path;
		bool untracked;
	} rows[] = { { "a", false },	 { "loose", true },	{ "out.o", false },
		     { "sub/x*", true }, { "sub/none", false }, { "sub", false } };
	struct fix f;
	struct err e = ERR_INIT;

	fix_repo(&f, "c a 1\nc .gitignore '*.o'\nmkdir sub; touch loose out.o 'sub/x*'\n");
	fix_open(&f, "r/sub"); /* paths are of the root wherever one stands */
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool untracked;

		assert_ok(repo_is_untracked(f.repo, rows[i].path, &untracked, &e), &e);
		assert_int_equal(untracked, rows[i].untracked);
	}
	fix_end(&f);
}

static void a_bare_repository(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	char oid[65];

	fix_repo(&f, four);
	fix_sh(&f, "", "git clone -q --bare r b.git");
	fix_open(&f, "b.git");
	AUTO_FREE char *top = fs_join(f.dir, "b.git");
	AUTO_FREE char *store = fs_join(top, "culprit");

	assert_string_equal(repo_top(f.repo), top);
	assert_string_equal(repo_default_store(f.repo), store);
	assert_ok(repo_resolve(f.repo, "HEAD", oid, &e), &e);
	assert_string_equal(oid, fix_oid(&f, "main"));
	bool untracked = true;

	assert_ok(repo_is_untracked(f.repo, "HEAD", &untracked, &e), &e);
	assert_false(untracked);
	fix_end(&f);
}

static void a_linked_worktree(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	char oid[65];

	fix_repo(&f, four);
	fix_sh(&f, "r", "git worktree add -q ../w side");
	fix_open(&f, "w");
	AUTO_FREE char *top = fs_join(f.dir, "w");
	AUTO_FREE char *store = fs_join(f.dir, "r/.culprit"); /* that of the main one */

	assert_string_equal(repo_top(f.repo), top);
	assert_string_equal(repo_default_store(f.repo), store);
	assert_ok(repo_resolve(f.repo, "HEAD", oid, &e), &e);
	assert_string_equal(oid, fix_oid(&f, "side"));
	fix_end(&f);
}

static void a_sha256_repository(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	struct commit_info c;
	char oid[65];

	fix_begin(&f);
	fix_sh(&f, "r", "git init -q -b main --object-format=sha256 .\nc a 1\nc a 2\n");
	fix_open(&f, "r");
	assert_ok(repo_resolve(f.repo, "HEAD", oid, &e), &e);
	assert_int_equal(strlen(oid), 64);
	assert_ok(repo_commit(f.repo, oid, &c, &e), &e);
	assert_string_equal(c.subject, "set a");
	fix_end(&f);
}

static void a_shallow_clone_says_so(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	AUTO(str) struct str out = STR_INIT;
	char oid[65];

	fix_repo(&f, four);
	fix_sh(&f, "", "git clone -q --depth 2 file://$PWD/r s 2>/dev/null");
	fix_open(&f, "s");
	assert_non_null(strstr(repo_notes(f.repo), "shallow clone"));
	assert_ok(repo_resolve(f.repo, "HEAD", oid, &e), &e);
	assert_err(repo_resolve(f.repo, fix_oid(&f, "v1"), oid, &e), &e, ERR_USAGE, "--unshallow");
	assert_ok(repo_git(f.repo, &out, &e, "rev-list", "--count", oid, NULL), &e);
	assert_string_equal(out.p, "2\n");
	fix_end(&f);
}

static void a_submodules_checkout(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	char oid[65];

	fix_repo(&f, four);
	fix_sh(&f, "outer",
	       "git init -q -b main .\ngit -c protocol.file.allow=always submodule --quiet add "
	       "$HOME/r lib\ngit commit -q -m sub\n");
	fix_open(&f, "outer/lib");
	AUTO_FREE char *store = fs_join(f.dir, "outer/lib/.culprit");

	assert_string_equal(repo_default_store(f.repo), store);
	assert_ok(repo_resolve(f.repo, "HEAD", oid, &e), &e);
	assert_string_equal(oid, fix_oid(&f, "main"));
	fix_sh(&f, "outer/lib", "git worktree add -q ../../w HEAD~1");
	fix_open(&f, "w");
	assert_string_equal(repo_default_store(f.repo), store);
	fix_end(&f);
}

static void git_dir_in_the_environment(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	char oid[65];

	fix_repo(&f, four);
	AUTO_FREE char *dir = fs_join(f.dir, "r/.git");

	fix_sh(&f, "elsewhere", "true");
	setenv("GIT_DIR", dir, 1);
	fix_open(&f, "elsewhere");
	assert_ok(repo_resolve(f.repo, "main~1", oid, &e), &e);
	unsetenv("GIT_DIR");
	assert_string_equal(oid, fix_oid(&f, "main~1"));
	fix_end(&f);
}

static void borrowed_objects_of_borrowed_objects(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	AUTO(str) struct str out = STR_INIT;

	fix_repo(&f, four);
	fix_sh(&f, "", "git clone -q --shared r one; git clone -q --shared one two");
	/* The middle one by a relative path, as `git clone --reference` of old and hand-made mirrors have it. */
	fix_sh(&f, "", "echo ../../../r/.git/objects >one/.git/objects/info/alternates");
	fix_open(&f, "two");
	assert_ok(repo_git(f.repo, &out, &e, "rev-list", "--count", fix_oid(&f, "main"), NULL), &e);
	assert_string_equal(out.p, "4\n");
	fix_end(&f);
}

static void folders_with_odd_names(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	AUTO(str) struct str out = STR_INIT;
	char oid[65];

	fix_begin(&f);
	fix_sh(&f, "a\n\"b\\ c", "git init -q -b main .\nc a 1\nmkdir 'd\ne'\n");
	fix_open(&f, "a\n\"b\\ c/d\ne");
	assert_string_equal(repo_prefix(f.repo), "d\ne/");
	assert_ok(repo_resolve(f.repo, "HEAD", oid, &e), &e);
	assert_ok(repo_git(f.repo, &out, &e, "rev-list", "--count", oid, NULL), &e);
	assert_string_equal(out.p, "1\n");
	fix_end(&f);
}

static void objects_that_the_environment_adds(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	AUTO(str) struct str out = STR_INIT;
	char oid[65];

	fix_repo(&f, four);
	fix_sh(&f, "", "cp -r r bare; mv bare/.git/objects far; mkdir bare/.git/objects");
	AUTO_FREE char *far = fs_join(f.dir, "far");

	setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", far, 1);
	fix_open(&f, "bare");
	assert_ok(repo_resolve(f.repo, "v1", oid, &e), &e);
	unsetenv("GIT_ALTERNATE_OBJECT_DIRECTORIES");
	assert_ok(repo_git(f.repo, &out, &e, "rev-list", "--count", oid, NULL), &e);
	assert_string_equal(out.p, "2\n");
	fix_end(&f);
}

static void the_users_names_resolve_in_our_copy(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	AUTO(str) struct str out = STR_INIT;

	fix_repo(&f, four);
	assert_ok(repo_git(f.repo, &out, &e, "describe", fix_oid(&f, "main"), NULL), &e);
	assert_memory_equal(out.p, "v1-2-g", 6);
	fix_sh(&f, "r", "git tag -d v1 >/dev/null; t v9");
	fix_open(&f, "r"); /* refreshed */
	str_clear(&out);
	assert_ok(repo_git(f.repo, &out, &e, "describe", fix_oid(&f, "main"), NULL), &e);
	assert_string_equal(out.p, "v9\n");
	fix_end(&f);
}

static void another_owners_repository(void **state UNUSED)
{
	struct fix f;
	struct repo *r = NULL;
	struct err e = ERR_INIT;

	if (geteuid() != 0)
		skip(); /* only root can give a folder away */
	fix_repo(&f, four);
	fix_sh(&f, "r", "chown -R 65534:65534 .");
	AUTO_FREE char *dir = fs_join(f.dir, "r");

	assert_err(repo_open(dir, &r, &e), &e, ERR_USAGE,
		   "git config --global --add safe.directory");
	fix_sh(&f, "", "printf '[safe]\\n\\tdirectory = %s\\n' \"$PWD/r\" >.gitconfig");
	assert_ok(repo_open(dir, &r, &e), &e);
	repo_close(r);
	fix_end(&f);
}

static void configuration_runs_nothing(void **state UNUSED)
{
	struct fix f;
	struct err e = ERR_INIT;
	char oid[65];
	bool untracked;

	fix_repo(&f, four);
	fix_sh(&f, "r",
	       "printf '#!/bin/sh\\ntouch %s/ran\\n' \"$HOME\" >../evil; chmod +x ../evil\n"
	       "for k in core.fsmonitor core.pager core.editor core.sshCommand gpg.program diff.external; do\n"
	       "git config $k \"$HOME/evil\"; done; mkdir -p .git/hooks\n"
	       "for h in post-checkout post-index-change reference-transaction; do cp ../evil .git/hooks/$h; done\n");
	fix_open(&f, "r");
	assert_ok(repo_resolve(f.repo, "HEAD", oid, &e), &e);
	assert_ok(repo_is_untracked(f.repo, "a", &untracked, &e), &e);
	AUTO_FREE char *ran = fs_join(f.dir, "ran");

	assert_false(fs_exists(ran));
	fix_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_usual_places),
		cmocka_unit_test(names_become_commits),
		cmocka_unit_test(wrong_names_get_one_line),
		cmocka_unit_test(a_name_that_is_two_things_is_refused),
		cmocka_unit_test(short_names_that_several_commits_share),
		cmocka_unit_test(a_branch_without_a_commit),
		cmocka_unit_test(no_repository),
		cmocka_unit_test(nothing_of_the_users_changes),
		cmocka_unit_test(commits_have_their_texts),
		cmocka_unit_test(untracked_is_neither_tracked_nor_ignored),
		cmocka_unit_test(a_bare_repository),
		cmocka_unit_test(a_linked_worktree),
		cmocka_unit_test(a_sha256_repository),
		cmocka_unit_test(a_shallow_clone_says_so),
		cmocka_unit_test(a_submodules_checkout),
		cmocka_unit_test(git_dir_in_the_environment),
		cmocka_unit_test(borrowed_objects_of_borrowed_objects),
		cmocka_unit_test(folders_with_odd_names),
		cmocka_unit_test(objects_that_the_environment_adds),
		cmocka_unit_test(the_users_names_resolve_in_our_copy),
		cmocka_unit_test(another_owners_repository),
		cmocka_unit_test(configuration_runs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
