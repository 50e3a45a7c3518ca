/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gitfix.h"

#include "repo/variant.h"

#include <pthread.h>

static void texts_are_cut_at_known_keys_only(void **state UNUSED)
{
	static const struct {
		const char *text, *base;
		size_t n;
		enum change_kind kind; /* of the last change */
		const char *key, *value;
	} rows[] = {
		{ "v5.14", "v5.14", 0, 0, NULL, NULL },
		{ "v5.14:revert=44042b4", "v5.14", 1, CHANGE_REVERT, NULL, "44042b4" },
		{ "v5.14:patch=a:b.diff", "v5.14", 1, CHANGE_PATCH, NULL, "a:b.diff" },
		{ "v5.14:pick=f2:pick=f3", "v5.14", 2, CHANGE_PICK, NULL, "f3" },
		{ "v5.14:env.PATH=/a:/b", "v5.14", 1, CHANGE_ENV, "PATH", "/a:/b" },
		{ "v5.14:env.X=", "v5.14", 1, CHANGE_ENV, "X", "" },
		{ "v5.14:cmdline=mitigations=off nosmt:env.A=1:2", "v5.14", 2, CHANGE_ENV, "A",
		  "1:2" },
		{ "v5.14:sysctl.vm.x=3", "v5.14", 1, CHANGE_SYSCTL, "vm.x", "3" },
		{ "v5.14:config.CONFIG_X=n", "v5.14", 1, CHANGE_CONFIG, "CONFIG_X", "n" },
		{ "HEAD^{/fix: x}", "HEAD^{/fix: x}", 0, 0, NULL, NULL },
		{ "HEAD^{/x:env.A=1}:env.B=2", "HEAD^{/x:env.A=1}", 1, CHANGE_ENV, "B", "2" },
		{ ":/fix: x", ":/fix: x", 0, 0, NULL, NULL },
		{ ":/a {b:revert=c", ":/a {b", 1, CHANGE_REVERT, NULL, "c" },
		{ "HEAD:dir/file", "HEAD:dir/file", 0, 0, NULL, NULL },
		{ "HEAD:revert", "HEAD:revert", 0, 0, NULL, NULL },
		{ "HEAD:envy=1", "HEAD:envy=1", 0, 0, NULL, NULL },
		{ "image=./a.out:env.X=1", "./a.out", 1, CHANGE_ENV, "X", "1" },
		{ "deb=linux-image-amd64=1:6.1-2:cmdline=quiet", "linux-image-amd64=1:6.1-2", 1,
		  CHANGE_CMDLINE, NULL, "quiet" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct variant v;
		struct err e = ERR_INIT;

		assert_ok(variant_scan(rows[i].text, &v, &e), &e);
		assert_string_equal(v.rev ? v.rev : v.image ? v.image : v.deb, rows[i].base);
		assert_int_equal(v.n_changes, rows[i].n);
		if (v.n_changes) {
			const struct change *c = &v.changes[v.n_changes - 1];

			assert_int_equal(c->kind, rows[i].kind);
			assert_string_equal(c->value, rows[i].value);
			assert_string_equal(c->key ? c->key : "", rows[i].key ? rows[i].key : "");
		}
		variant_done(&v);
	}
}

static void malformed_texts_get_one_line(void **state UNUSED)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "names nothing" },
		{ ":revert=x", "names nothing" },
		{ "image=", "names nothing" },
		{ "v1:revert=", "a value is missing" },
		{ "v1:env.=1", "a name is missing" },
		{ "v1:env.a-b=1", "cannot be the name of an environment variable" },
		{ "v1:env.1A=1", "cannot be the name of an environment variable" },
		{ "v1:config.SMP=n", "write config.CONFIG_SMP=n" },
		{ "image=x:revert=abc", "needs a revision" },
		{ "deb=x:patch=abc", "needs a revision" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct variant v;
		struct err e = ERR_INIT;

		assert_err(variant_scan(rows[i].text, &v, &e), &e, ERR_USAGE, rows[i].says);
	}
}

static const char plain[] = "c a 1 'fix: x'\nmkdir d; c d/b 1\nc a 2\nc d/b 2\nt v1\n";

static void parse(struct fix *f, const char *text, struct variant *v)
{
	struct err e = ERR_INIT;

	assert_ok(variant_parse(f->repo, text, v, &e), &e);
}

static void names_are_resolved(void **state UNUSED)
{
	struct fix f;
	struct variant v;
	AUTO(str) struct str key = STR_INIT, text = STR_INIT, wanted = STR_INIT;

	fix_repo(&f, plain);
	fix_sh(&f, "r", "git diff HEAD~1 >d/p.diff");
	fix_open(&f, "r/d"); /* the patch is looked for where the user stands */
	parse(&f, "v1:revert=HEAD~1:patch=p.diff:env.A=x\ny", &v);
	assert_string_equal(v.oid, fix_oid(&f, "main"));
	assert_string_equal(v.rev, "v1");
	assert_string_equal(v.changes[0].value, fix_oid(&f, "main~1"));
	assert_int_equal(strlen(v.changes[1].value), 64);
	assert_memory_equal(v.changes[1].patch, "diff --git", 10);
	variant_key(&v, &key);
	str_addf(&wanted, "commit=%s\nrevert=%s\npatch=%s\nenv.A=x\\ny\n", v.oid,
		 v.changes[0].value, v.changes[1].value);
	assert_string_equal(key.p, wanted.p);
	variant_done(&v);
	parse(&f, "v1:revert=HEAD~1,2:pick=HEAD~1,1", &v);
	assert_int_equal(v.changes[0].parent, 2);
	str_clear(&key);
	variant_key(&v, &key);
	str_clear(&wanted);
	str_addf(&wanted, "commit=%s\nrevert=%s,2\npick=%s\n", v.oid, v.changes[0].value,
		 v.changes[0].value);
	assert_string_equal(key.p, wanted.p);
	variant_done(&v);
	parse(&f, "v1:revert=HEAD~1:patch=p.diff:env.A=x\ny", &v);
	variant_describe(&v, &text);
	str_clear(&wanted);
	str_addf(&wanted, "v1 without %.12s, with p.diff, with A=x\ny", v.changes[0].value);
	assert_string_equal(text.p, wanted.p);
	variant_done(&v);
	fix_end(&f);
}

static void wrong_variants_get_one_line(void **state UNUSED)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "v1:revrt=main~1",
		  "unknown change 'revrt=' in 'v1:revrt=main~1', did you mean 'revert'?" },
		{ "v1:frob=1", "known are revert, patch" },
		{ "v1:revert=v7", "revert=: unknown revision 'v7'" },
		{ "v1:pick=HEAD:a", "pick=: 'HEAD:a' is a blob" },
		{ "v1:patch=none.diff", "there is no such file" },
		{ "v1:patch=d", "is a folder" },
		{ "v1:patch=-", "not from standard input" },
		{ "v1:modules=none", "there is no such folder" },
		{ "image=none", "image=none: there is no such file" },
		{ "image=d", "image=d: there is no such file" },
		{ "both", "is both a file and a revision: write ./both" },
		{ "a",
		  "'a' is a file, not a revision; a program or kernel to measure is given as image=a" },
		{ "./both", "is a file, not a revision" },
		{ "v1..main", "is a range" },
	};
	struct fix f;

	fix_repo(&f, plain);
	fix_sh(&f, "r", "git branch both; touch both");
	fix_open(&f, "r");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct variant v;
		struct err e = ERR_INIT;

		assert_err(variant_parse(f.repo, rows[i].text, &v, &e), &e, ERR_USAGE,
			   rows[i].says);
	}
	fix_end(&f);
}

static void artefacts_need_no_repository(void **state UNUSED)
{
	struct fix f;
	struct variant v;
	struct err e = ERR_INIT;
	AUTO(str) struct str text = STR_INIT;

	fix_begin(&f);
	fix_sh(&f, "", "touch kernel");
	AUTO_FREE char *path = fs_join(f.dir, "kernel");
	AUTO_FREE char *arg = xasprintf("image=%s:cmdline=quiet", path);

	assert_ok(variant_parse(NULL, arg, &v, &e), &e);
	assert_string_equal(v.image, path);
	assert_null(v.oid);
	variant_describe(&v, &text);
	assert_string_equal(text.p, "kernel with quiet");
	variant_done(&v);
	assert_err(variant_parse(NULL, "v1", &v, &e), &e, ERR_USAGE, "no git repository here");
	fix_end(&f);
}

static void a_git_folders_own_files_are_no_artefacts(void **state UNUSED)
{
	struct fix f;
	struct variant v;

	fix_repo(&f, plain);
	fix_open(&f, "r/.git");
	parse(&f, "HEAD", &v); /* though a file of that name is here */
	assert_string_equal(v.oid, fix_oid(&f, "main"));
	variant_done(&v);
	fix_end(&f);
}

/* The tree of a variant, both ways; `rev` is where the same tree stands in the repository's own history, NULL: not known. */
static void expect_tree(struct fix *f, const char *text, const char *rev, const char *remark)
{
	struct variant v;
	struct err e = ERR_INIT;
	AUTO(str) struct str why = STR_INIT;
	char tree[65];
	bool ok = false;

	parse(f, text, &v);
	assert_ok(variant_tree(f->repo, &v, &ok, tree, &why, &e), &e);
	if (!ok)
		fail_msg("%s: %s", text, why.p);
	if (rev) {
		AUTO(str) struct str out = STR_INIT;
		AUTO_FREE char *script = xasprintf("git rev-parse '%s^{tree}'", rev);

		fix_out(f, "r", &out, script);
		assert_string_equal(tree, out.p);
	}
	if (!strstr(why.p, remark) || (!*remark && why.n))
		fail_msg("%s: remarks '%s', wanted '%s'", text, why.p, remark);
	variant_done(&v);
}

static void expect_unread(struct fix *f, const char *text, const char *says)
{
	struct variant v;
	struct err e = ERR_INIT;

	assert_err(variant_parse(f->repo, text, &v, &e), &e, ERR_USAGE, says);
}

static void expect_refused(struct fix *f, const char *text, const char *says)
{
	struct variant v;
	struct err e = ERR_INIT;
	AUTO(str) struct str why = STR_INIT;
	AUTO_FREE char *dir = fs_join(f->dir, "refused");
	char tree[65];
	bool ok = true;

	parse(f, text, &v);
	assert_ok(variant_tree(f->repo, &v, &ok, tree, &why, &e), &e);
	assert_false(ok);
	if (!strstr(why.p, says))
		fail_msg("%s: '%s', wanted '%s'", text, why.p, says);
	ok = true;
	str_clear(&why);
	assert_ok(variant_checkout(f->repo, &v, dir, &ok, tree, &why, &e), &e);
	assert_false(ok);
	assert_false(fs_exists(dir));
	variant_done(&v);
}

static void reverts_and_picks(void **state UNUSED)
{
	struct fix f;

	/* x, y, z each add a file; `other` has one more; main~2 (b) is undone on `without` */
	fix_repo(
		&f,
		"c base 1\nc x 1\nc y 1\nc z 1\ngit checkout -q -b without main~2\nc z 1\n"
		"git checkout -q -b other main~3\nc o 1\ngit checkout -q -b want main\nc o 1\ngit checkout -q main\n");
	expect_tree(&f, "main", "main", "");
	expect_tree(&f, "main:revert=main~1", "without", "");
	expect_tree(&f, "main:pick=other", "want", "");
	expect_tree(&f, "main:pick=other:revert=other", "main", "");
	expect_tree(&f, "main:revert=main:revert=main~1:revert=main~2", "main~3", "");
	expect_tree(&f, "want:revert=main~1:env.A=1", NULL, "");
	fix_end(&f);
}

static void a_revert_follows_renames_and_keeps_modes(void **state UNUSED)
{
	struct fix f;

	fix_repo(&f, "seq 40 >a; c n 1; git add a; tick; git commit -q -m lines\n"
		     "seq 40 | sed s/^7$/seven/ >a; tick; git commit -q -a -m seven\n"
		     "tick; git mv a renamed; chmod +x renamed; git commit -q -a -m rename\n"
		     "git branch has; seq 40 >renamed; tick; git commit -q -a -m expected\n");
	expect_tree(&f, "has:revert=has~1", "main", "");
	fix_end(&f);
}

static void merges_go_against_their_first_parent(void **state UNUSED)
{
	struct fix f;

	fix_repo(
		&f,
		"c a 1\ngit branch side\nc a 2\ngit checkout -q side\nc s 1\ngit checkout -q main\nm side\n");
	expect_tree(&f, "main:revert=main", "main~1", "a merge, against its first parent");
	expect_tree(&f, "main:revert=main,1", "main~1", "");
	expect_tree(&f, "main:revert=main,2", "side", "");
	expect_tree(&f, "side:pick=main,2", "main", "");
	expect_refused(&f, "main:revert=main,3", "against parent 3: it has 2");
	expect_refused(&f, "main:revert=side,2", "against parent 2: it has 1");
	expect_tree(&f, "main~1:pick=main", "main", "a merge, against its first parent");
	fix_end(&f);
}

static void the_first_commit_too(void **state UNUSED)
{
	struct fix f;

	fix_repo(
		&f,
		"c a 1\nc b 1\ngit checkout -q --orphan other; git rm -q -f a b\nc b 1\n"
		"git checkout -q --orphan third; git rm -q -f b; c c 1\ngit checkout -q main; git branch both; "
		"git checkout -q both; c c 1; git checkout -q main\n");
	expect_tree(&f, "main:revert=main~1", "other", "");
	expect_tree(&f, "main:pick=third", "both", "");
	fix_end(&f);
}

static void what_does_not_fit_is_refused_with_its_paths(void **state UNUSED)
{
	struct fix f;

	fix_repo(
		&f,
		"c a 1\nc a 2\nc a 3\nmkdir d; c d/b 1\nc d/b 2\nc d/b 3\ngit checkout -q -b far main~5\nc q 1\ngit checkout -q main\n");
	expect_refused(&f, "main:revert=main~4", "conflicts in a");
	expect_refused(&f, "main:revert=main~1", "conflicts in d/b");
	expect_refused(&f, "main~3:pick=main", "conflicts in d/b");
	expect_refused(&f, "main:revert=far", "changes nothing");
	expect_refused(&f, "main:pick=main", "changes nothing");
	expect_refused(&f, "main:pick=far:revert=main~4", "reverting");
	fix_end(&f);
}

static void patches(void **state UNUSED)
{
	struct fix f;

	fix_repo(
		&f,
		"seq 30 >a; git add a; c d 1\n"
		"seq 30 | sed s/^3$/three/ >a; head -c 300 /dev/urandom >bin; git add -A; tick; git commit -q -m one\n"
		"chmod +x a; ln -s a l; git rm -q d; c 'odd \"na\nme' 1 two\n"
		"git format-patch -q --stdout main~2 >../mails\n"
		"git diff --binary main~2 main >../whole\n"
		"git diff main~2 main~1 -- a >../half\n"
		"git diff --no-prefix main~2 main~1 -- a >../bare\n"
		"sed s/^-3$/-33/ ../half >../four\n"
		"echo hello >../text; : >../empty; echo '<!DOCTYPE html>' >../page\n"
		"printf -- '--- a/../../x\\n+++ b/../../x\\n@@ -0,0 +1 @@\\n+x\\n' >../evil\n");
	expect_tree(&f, "main~2:patch=../mails", "main", "");
	expect_tree(&f, "main~2:patch=../whole", "main", "");
	expect_tree(&f, "main~2:patch=../half", NULL, "");
	expect_tree(&f, "main~2:patch=../half:revert=main~1", NULL, "");
	expect_refused(&f, "main:patch=../half", "patch ../half changes nothing");
	expect_refused(&f, "main~2:patch=../four",
		       "patch ../four does not apply: patch failed: a:1");
	expect_refused(&f, "main~2:patch=../bare", "patch ../bare does not apply");
	expect_unread(&f, "main~2:patch=../text", "patch=../text is no patch");
	expect_unread(&f, "main~2:patch=../empty", "patch=../empty is empty");
	expect_unread(&f, "main~2:patch=../page", "patch=../page is an HTML page");
	expect_refused(&f, "main~2:patch=../evil", "invalid path");
	fix_end(&f);
}

static void a_patch_finds_its_place_by_its_blobs(void **state UNUSED)
{
	struct fix f;

	/* The lines around the place have changed since; git knows the blob that the patch was made for. */
	fix_repo(
		&f,
		"seq 30 >a; git add a; tick; git commit -q -m one\n"
		"seq 30 | sed s/^15$/fifteen/ >a; tick; git commit -q -a -m two; git diff HEAD~1 >../p\n"
		"git checkout -q -b moved HEAD~1; seq 30 | sed 's/^12$/twelve/;s/^18$/eighteen/' >a; tick; git commit -q -a -m around\n"
		"git checkout -q -b want; sed -i s/^15$/fifteen/ a; tick; git commit -q -a -m want; git checkout -q main\n");
	expect_tree(&f, "moved:patch=../p", "want", "");
	fix_end(&f);
}

/* Checks `text` out into DIR/NAME and returns its tree. */
static void checkout(struct fix *f, const char *text, const char *name, const char *remark,
		     char tree[65])
{
	struct variant v;
	struct err e = ERR_INIT;
	AUTO(str) struct str why = STR_INIT;
	AUTO_FREE char *dir = fs_join(f->dir, name);
	bool ok = false;

	parse(f, text, &v);
	assert_ok(variant_checkout(f->repo, &v, dir, &ok, tree, &why, &e), &e);
	if (!ok)
		fail_msg("%s: %s", text, why.p);
	if (!strstr(why.p, remark) || (!*remark && why.n))
		fail_msg("%s: remarks '%s', wanted '%s'", text, why.p, remark);
	variant_done(&v);
}

static void expect_output(struct fix *f, const char *sub, const char *script, const char *wanted)
{
	AUTO(str) struct str out = STR_INIT;

	fix_out(f, sub, &out, script);
	assert_string_equal(out.p, wanted);
}

static void a_checkout_is_what_git_has(void **state UNUSED)
{
	struct fix f;
	struct variant v;
	struct err e = ERR_INIT;
	char tree[65];

	fix_repo(
		&f,
		"c a 1\nt v1\nmkdir d; c d/b 2\nln -s d/b l; printf '#!/bin/sh\\n' >x; chmod +x x\n"
		"head -c 999 /dev/zero >bin; printf 'one\\ntwo\\n' >dos; echo 'dos text eol=crlf' >.gitattributes\n"
		"git add .; c 'new\nline \"q\"' 1\n");
	AUTO_FREE char *before = fix_sum(&f, "r");

	checkout(&f, "main", "out", "", tree);
	expect_output(
		&f, "",
		"git -C r archive main | tar -x -f - -C $(mkdir -p want; echo want); diff -r --no-dereference -x .git want out; readlink out/l; stat -c %A out/x",
		"d/b\n-rwxr-xr-x");
	expect_output(&f, "out", "od -An -c dos | tr -d ' \\n'", "one\\r\\ntwo\\r\\n");
	expect_output(
		&f, "out",
		"git describe --dirty | sed 's/-g.*-/-/;s/-g[0-9a-f]*$//'; git diff-index HEAD; git status --porcelain; git rev-parse HEAD | cmp - /dev/fd/3 3<<E\n$(cd ../r; git rev-parse main)\nE\n",
		"v1-2");
	/* every file and folder has the commit's date */
	expect_output(&f, "out", "find . -name .git -prune -o -printf '%T@\\n' | sort -u",
		      "1600000240.0000000000");
	AUTO_FREE char *after = fix_sum(&f, "r");

	assert_string_equal(before, after);
	/* works from another place as well */
	fix_sh(&f, "", "mv out moved; cd moved; test -d .git; git describe >/dev/null");
	parse(&f, "main", &v);
	fix_sh(&f, "taken", "true");
	AUTO_FREE char *taken = fs_join(f.dir, "taken");
	AUTO(str) struct str why = STR_INIT;
	bool ok;

	assert_err(variant_checkout(f.repo, &v, taken, &ok, tree, &why, &e), &e, ERR_ENV,
		   "is there already");
	variant_done(&v);
	fix_end(&f);
}

static void what_a_build_does_to_git_stays_in_its_tree(void **state UNUSED)
{
	struct fix f;
	char tree[65];

	fix_repo(&f, "c a 1\nt v1\nc a 2\n");
	AUTO_FREE char *before = fix_sum(&f, "r");

	for (int i = 0; i < 2; i++) {
		checkout(&f, "main", i ? "two" : "one", "", tree);
		AUTO_FREE char *store = fix_sum(&f, "store");

		fix_sh(&f, i ? "two" : "one",
		       "git describe | grep v1-1-g; git checkout -q -b build; c a 3; git tag build-1; git tag -d v1; echo x >a; git stash -q; git gc -q --prune=now; git pack-refs --all");
		AUTO_FREE char *after = fix_sum(&f, "store");

		assert_string_equal(store, after);
	}
	AUTO_FREE char *after = fix_sum(&f, "r");

	assert_string_equal(before, after);
	fix_end(&f);
}

static void a_changed_checkout_has_a_commit_of_its_own(void **state UNUSED)
{
	struct fix f;
	char tree[65], again[65];

	fix_repo(&f, "c a 1\nc b 1\nt v1\nc c 1\n");
	checkout(&f, "main:revert=main~1", "out", "", tree);
	expect_output(
		&f, "out",
		"ls; git log -1 --format='%an %s' | cut -d' ' -f1-3; git status --porcelain; git describe --dirty | cut -c1-6",
		"a\nc\nculprit main without\nv1-2-g");
	checkout(&f, "main:revert=main~1", "out2", "", again);
	assert_string_equal(tree, again);
	expect_output(&f, "", "cmp out/.git/HEAD out2/.git/HEAD", "");
	fix_end(&f);
}

static void attributes_count_and_the_users_filters_do_not(void **state UNUSED)
{
	struct fix f;
	char tree[65];

	fix_repo(
		&f,
		"printf 'f filter=shout\\n' >.gitattributes; git add .gitattributes; c f quiet\n"
		"git config filter.shout.smudge 'tr a-z A-Z'; git config filter.shout.required true\n"
		"git config core.autocrlf true; echo '* ident' >.git/info/attributes\n");
	checkout(&f, "main", "out", "", tree);
	expect_output(&f, "out", "cat f; git status --porcelain", "quiet");
	fix_end(&f);
}

static void content_of_large_files(void **state UNUSED)
{
	static const char script[] =
		"echo '*.big filter=lfs diff=lfs merge=lfs -text' >.gitattributes\n"
		"p() { printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %d\\n' $1 $2; }\n"
		"h=$(printf 'large content' | sha256sum | cut -c1-64)\n"
		"d=.git/lfs/objects/$(echo $h | cut -c1-2)/$(echo $h | cut -c3-4); mkdir -p $d; printf 'large content' >$d/$h\n"
		"p $h 13 >here.big; mkdir d; p $h 13 >d/here.big; p $(echo x | sha256sum | cut -c1-64) 2 >gone.big\n"
		"p $h 99 >wrong.big; echo none >plain.big; ln -s /etc/passwd link.big; git add .; c a 1\n";
	struct fix f;
	char tree[65];

	fix_repo(&f, script);
	checkout(&f, "main", "out", "2 files are of git-lfs only a pointer", tree);
	expect_output(
		&f, "out",
		"cat here.big; echo; cat d/here.big; echo; head -c 7 gone.big; echo; cat plain.big; git status --porcelain; git describe --always --dirty | grep -c dirty || :",
		"large content\nlarge content\nversion\nnone\n0");
	fix_end(&f);
}

/* The object of REV in DIR/r is lost. */
static void lose(struct fix *f, const char *rev)
{
	AUTO_FREE char *script = xasprintf(
		"o=$(git rev-parse '%s'); rm -f .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)\n",
		rev);

	fix_sh(f, "r", script);
}

static void expect_no_checkout(struct fix *f, const char *rev, const char *says)
{
	struct variant v;
	struct err e = ERR_INIT;
	AUTO(str) struct str why = STR_INIT;
	AUTO_FREE char *dir = fs_join(f->dir, "nothing");
	char tree[65];
	bool ok = true;

	parse(f, rev, &v);
	assert_ok(variant_checkout(f->repo, &v, dir, &ok, tree, &why, &e), &e);
	assert_false(ok);
	if (!strstr(why.p, "checking out") || !strstr(why.p, says))
		fail_msg("'%s', wanted '%s'", why.p, says);
	assert_false(fs_exists(dir));
	variant_done(&v);
}

static void files_that_are_lost_are_left_out_and_named(void **state UNUSED)
{
	struct fix f;
	char tree[65];

	fix_repo(&f, "c a 1\nc e 1\nmkdir d\nc d/b gone\nc d/b 2\n");
	lose(&f, "main~1:d/b");
	checkout(&f, "main~1", "out",
		 "1 file is left out, whose content this copy of the repository lacks: d/b", tree);
	expect_output(
		&f, "out",
		"find . -type f | grep -v .git | sort; git status --porcelain; git diff-index HEAD",
		"./a\n./e");
	checkout(&f, "main", "whole", "", tree);
	expect_output(&f, "whole", "cat d/b", "2");
	fix_end(&f);
}

static void too_much_is_lost(void **state UNUSED)
{
	struct fix f;

	fix_repo(&f, "c a one\nc b two\nc c three\nc .gitattributes '* text'\nmkdir d\nc d/e 1\n");
	lose(&f, "main~3:a");
	lose(&f, "main~3:b");
	expect_no_checkout(&f, "main~3", "unable to read");
	lose(&f, "main:.gitattributes"); /* the others would be checked out in another way */
	expect_no_checkout(&f, "main~1", "unable to read");
	lose(&f, "main:d");
	expect_no_checkout(&f, "main", "");
	fix_end(&f);
}

static void a_partial_clone_fetches_nothing(void **state UNUSED)
{
	struct fix f;
	struct variant v;
	struct err e = ERR_INIT;
	AUTO(str) struct str why = STR_INIT;
	char tree[65], oid[65];
	bool ok = true;

	fix_repo(
		&f,
		"c a 1\nc a 2\ngit config uploadpack.allowFilter true; git config uploadpack.allowAnySHA1InWant true\n");
	fix_sh(&f, "", "git clone -q --no-checkout --filter=blob:none file://$PWD/r p");
	fix_open(&f, "p");
	AUTO_FREE char *before = fix_sum(&f, "p");
	AUTO_FREE char *dir = fs_join(f.dir, "out");

	assert_non_null(strstr(repo_notes(f.repo), "partial clone"));
	parse(&f, "origin/main~1", &v);
	assert_ok(variant_checkout(f.repo, &v, dir, &ok, tree, &why, &e), &e);
	assert_false(ok);
	variant_done(&v);
	assert_true(repo_resolve(f.repo, "origin/main:a", oid, &e) < 0);
	AUTO_FREE char *after = fix_sum(&f, "p");

	assert_string_equal(before, after);
	fix_end(&f);
}

static void submodules_come_from_the_users_checkout(void **state UNUSED)
{
	struct fix f;
	char tree[65];

	fix_repo(&f, "c lib 1\nt lib-1\nc lib 2\n");
	fix_sh(&f, "mid",
	       "git init -q -b main .\ngit -c protocol.file.allow=always submodule --quiet add $HOME/r inner\nc m 1\n");
	fix_sh(&f, "top",
	       "git init -q -b main .\nc t 1\n"
	       "git -c protocol.file.allow=always submodule --quiet add --name a/b $HOME/mid 'sub dir/mid'\n"
	       "git -c protocol.file.allow=always submodule --quiet update --init --recursive\nc t 2\nt top-1\n");
	fix_open(&f, "top");
	AUTO_FREE char *before = fix_sum(&f, "top");

	checkout(&f, "main", "out", "", tree);
	expect_output(
		&f, "out",
		"cat 'sub dir/mid/m' 'sub dir/mid/inner/lib'; git status --porcelain; "
		"git -C 'sub dir/mid/inner' describe | cut -c1-7; git -C 'sub dir/mid/inner' status --porcelain; "
		"find . -name .git -prune -o -printf '%T@\\n' | sort -u | wc -l",
		"1\n2\nlib-1-1\n1");
	AUTO_FREE char *after = fix_sum(&f, "top");

	assert_string_equal(before, after);
	checkout(&f, "main~1", "before", "", tree);
	fix_end(&f);
}

struct job {
	struct fix *f;
	const char *rev;
	char dir[128], tree[65], why[200];
	bool ok;
};

static void *run_job(void *arg)
{
	struct job *j = arg;
	struct variant v;
	struct err e = ERR_INIT;
	AUTO(str) struct str why = STR_INIT;

	variant_of_commit(j->rev, &v);
	if (variant_checkout(j->f->repo, &v, j->dir, &j->ok, j->tree, &why, &e) < 0)
		str_puts(&why, e.msg);
	snprintf(j->why, sizeof(j->why), "%s", why.p);
	variant_done(&v);
	return NULL;
}

static void checkouts_side_by_side(void **state UNUSED)
{
	struct fix f;
	struct job jobs[6];
	pthread_t threads[6];

	fix_repo(&f, "c lib 1\n");
	fix_sh(&f, "top",
	       "git init -q -b main .\n"
	       "git -c protocol.file.allow=always submodule --quiet add $HOME/r one\nfor i in 1 2 3 4 5 6; do c a $i; done\n");
	fix_open(&f, "top");
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
		AUTO_FREE char *rev = xasprintf("main~%zu", i);

		jobs[i] = (struct job){ .f = &f, .rev = fix_oid_in(&f, "top", rev) };
		snprintf(jobs[i].dir, sizeof(jobs[i].dir), "%s/out%zu", f.dir, i);
	}
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
		assert_string_equal(jobs[i].why, "");
		assert_true(jobs[i].ok);
	}
	expect_output(&f, "", "cat out?/a out?/one/lib | tr -d '\\n'", "654321111111");
	fix_end(&f);
}

static void a_submodule_that_is_not_there_is_said(void **state UNUSED)
{
	struct fix f;
	char tree[65];

	fix_repo(&f, "c lib 1\n");
	fix_sh(&f, "top",
	       "git init -q -b main .\n"
	       "git -c protocol.file.allow=always submodule --quiet add $HOME/r one\ntick; git commit -q -m one\n"
	       "(cd ../r; c lib 2)\n"
	       "git update-index --add --cacheinfo 160000,$(git -C ../r rev-parse main),one; tick; git commit -q -m ahead\n");
	fix_open(&f, "top");
	checkout(&f, "main~1", "ok", "", tree);
	checkout(&f, "main", "ahead", "submodule one stays empty: your copy lacks its commit",
		 tree);
	fix_sh(&f, "", "git clone -q top fresh");
	fix_open(&f, "fresh");
	checkout(&f, "main", "none", "submodule one stays empty: it is not initialised", tree);
	expect_output(&f, "none", "ls -A one", "");
	fix_end(&f);
}

static void evil_submodule_names_reach_nothing(void **state UNUSED)
{
	struct fix f;
	char tree[65];

	fix_repo(&f, "c lib 1\n");
	fix_sh(&f, "top",
	       "git init -q -b main .\nln -s ../outside link; mkdir ../outside\n"
	       "printf '[submodule \"../../r\"]\\npath = one\\n[submodule \"x\"]\\npath = link/in\\n[submodule \"y\"]\\npath = ../up\\n' >.gitmodules\n"
	       "git add -A; git update-index --add --cacheinfo 160000,$(git -C ../r rev-parse main),one; tick; git commit -q -m evil\n");
	fix_open(&f, "top");
	checkout(&f, "main", "out",
		 "submodule one stays empty: its name or path in .gitmodules is not a plain one",
		 tree);
	expect_output(&f, "", "ls -A outside; ls -A out/one", "");
	fix_end(&f);
}

static void other_kinds_of_repositories(void **state UNUSED)
{
	struct fix f;
	char tree[65];

	fix_begin(&f);
	fix_sh(&f, "s", "git init -q -b main --object-format=sha256 .\nc a 1\nc b 1\nt v1\n");
	fix_open(&f, "s");
	checkout(&f, "main:revert=main~1", "s-out", "", tree);
	assert_int_equal(strlen(tree), 64);
	expect_output(&f, "s-out", "ls; git status --porcelain", "b");
	fix_sh(&f, "", "rm -rf store; git clone -q --bare s b.git; mv b.git bare.git");
	fix_open(&f, "bare.git");
	checkout(&f, "main", "b-out", "", tree);
	expect_output(&f, "b-out", "ls; git describe", "a\nb\nv1");
	fix_sh(&f, "", "rm -rf store; git clone -q --depth 1 file://$PWD/s sh 2>/dev/null");
	fix_open(&f, "sh");
	checkout(&f, "main", "sh-out", "", tree);
	expect_output(&f, "sh-out", "ls; git log --oneline | wc -l", "a\nb\n1");
	expect_refused(&f, "main:revert=main", "beyond the cut of this shallow clone");
	fix_sh(&f, "s", "git worktree add -q ../w main~1 2>/dev/null");
	fix_sh(&f, "", "rm -rf store");
	fix_open(&f, "w");
	checkout(&f, "HEAD", "w-out", "", tree);
	expect_output(&f, "w-out", "ls", "a");
	fix_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_cut_at_known_keys_only),
		cmocka_unit_test(malformed_texts_get_one_line),
		cmocka_unit_test(names_are_resolved),
		cmocka_unit_test(wrong_variants_get_one_line),
		cmocka_unit_test(artefacts_need_no_repository),
		cmocka_unit_test(a_git_folders_own_files_are_no_artefacts),
		cmocka_unit_test(reverts_and_picks),
		cmocka_unit_test(a_revert_follows_renames_and_keeps_modes),
		cmocka_unit_test(merges_go_against_their_first_parent),
		cmocka_unit_test(the_first_commit_too),
		cmocka_unit_test(what_does_not_fit_is_refused_with_its_paths),
		cmocka_unit_test(patches),
		cmocka_unit_test(a_patch_finds_its_place_by_its_blobs),
		cmocka_unit_test(a_checkout_is_what_git_has),
		cmocka_unit_test(what_a_build_does_to_git_stays_in_its_tree),
		cmocka_unit_test(a_changed_checkout_has_a_commit_of_its_own),
		cmocka_unit_test(attributes_count_and_the_users_filters_do_not),
		cmocka_unit_test(content_of_large_files),
		cmocka_unit_test(files_that_are_lost_are_left_out_and_named),
		cmocka_unit_test(too_much_is_lost),
		cmocka_unit_test(a_partial_clone_fetches_nothing),
		cmocka_unit_test(submodules_come_from_the_users_checkout),
		cmocka_unit_test(checkouts_side_by_side),
		cmocka_unit_test(a_submodule_that_is_not_there_is_said),
		cmocka_unit_test(evil_submodule_names_reach_nothing),
		cmocka_unit_test(other_kinds_of_repositories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
