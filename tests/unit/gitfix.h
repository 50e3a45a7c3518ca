/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gitfix - git repositories for tests, made by short shell scripts in a folder of their own.
 *
 * Nothing of the caller's counts: HOME is the folder, no system or user configuration, fixed names, dates that go on by a minute a
 * commit. Scripts know  c FILE TEXT [MESSAGE]  (write, add, commit),  m BRANCH...  (merge, no fast-forward) and  t TAG  (annotated).
 */
#pragma once

#include "unit.h"

#include "base/str.h"
#include "repo/repo.h"
#include "sys/fs.h"

#include <stdlib.h>
#include <unistd.h>

struct fix {
	char dir[64];
	struct repo *repo;
	char *store;
};

static const char fix_prelude[] =
	"set -eu\n"
	"tick() { n=$(cat ../.tick 2>/dev/null || echo 0); n=$((n + 1)); echo $n >../.tick;\n"
	"  export GIT_AUTHOR_DATE=\"@$((1600000000 + 60 * n)) +0000\" GIT_COMMITTER_DATE=\"@$((1600000000 + 60 * n)) +0000\"; }\n"
	"c() { tick; printf '%s\\n' \"$2\" >\"$1\"; git add -- \"$1\"; git commit -q -m \"${3:-set $1}\"; }\n"
	"m() { tick; git merge -q --no-ff --no-edit -m \"merge $*\" \"$@\" >/dev/null; }\n"
	"t() { tick; git tag -a -m \"release $1\" \"$1\"; }\n"
	"exec </dev/null\n";

/* Runs a script in DIR/SUB; its output (less the last newline) in `out` if wanted. Fails the test if the script fails. */
static inline void fix_out(struct fix *f, const char *sub, struct str *out, const char *script)
{
	AUTO_FREE char *path = xasprintf("%s/.script", f->dir);
	AUTO_FREE char *command = xasprintf(
		"mkdir -p '%s/%s' && cd '%s/%s' && env -i PATH=\"$PATH\" HOME='%s' LC_ALL=C TZ=UTC "
		"GIT_CONFIG_NOSYSTEM=1 GIT_TEST_FSYNC=0 GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.org "
		"GIT_COMMITTER_NAME=Com GIT_COMMITTER_EMAIL=com@example.org sh '%s' 2>'%s/.stderr'",
		f->dir, sub, f->dir, sub, f->dir, path, f->dir);
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	fputs(fix_prelude, to);
	fputs(script, to);
	fclose(to);

	FILE *from = popen(command, "r");
	char buf[4096];
	size_t n;

	assert_non_null(from);
	while ((n = fread(buf, 1, sizeof(buf), from)) > 0)
		if (out)
			str_add(out, buf, n);
	if (pclose(from) != 0) {
		AUTO(str) struct str said = STR_INIT;
		AUTO_FREE char *err = xasprintf("%s/.stderr", f->dir);

		(void)!fs_read(err, 65536, &said, NULL);
		fail_msg("script failed in %s/%s: %s\n%s", f->dir, sub, script, said.p);
	}
	if (out)
		str_trim_end(out);
}

static inline void fix_sh(struct fix *f, const char *sub, const char *script)
{
	fix_out(f, sub, NULL, script);
}

static inline void fix_begin(struct fix *f)
{
	memset(f, 0, sizeof(*f));
	strcpy(f->dir, "/tmp/culprit-test-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	/* What the tester has set must not reach the code under test. */
	unsetenv("GIT_DIR");
	unsetenv("GIT_WORK_TREE");
	unsetenv("GIT_INDEX_FILE");
	setenv("HOME", f->dir, 1);
	unsetenv("XDG_CONFIG_HOME");
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
}

static inline void fix_end(struct fix *f)
{
	repo_close(f->repo);
	assert_int_equal(fs_remove_tree(f->dir, NULL), 0);
	free(f->store);
	memset(f, 0, sizeof(*f));
}

/* Opens DIR/SUB and prepares DIR/store. */
static inline void fix_open(struct fix *f, const char *sub)
{
	AUTO_FREE char *start = fs_join(f->dir, sub);
	struct err e = ERR_INIT;

	repo_close(f->repo);
	free(f->store);
	f->repo = NULL;
	f->store = fs_join(f->dir, "store");
	if (repo_open(start, &f->repo, &e) < 0 || repo_prepare(f->repo, f->store, &e) < 0)
		fail_msg("opening %s: %s", sub, e.msg);
}

/* A new repository DIR/r made by the script, opened. */
static inline void fix_repo(struct fix *f, const char *script)
{
	AUTO_FREE char *whole = xasprintf("git init -q -b main .\n%s", script);

	fix_begin(f);
	fix_sh(f, "r", whole);
	fix_open(f, "r");
}

/* Full name of the commit that git in DIR/SUB says `rev` is; valid until the next call but seven. */
static inline const char *fix_oid_in(struct fix *f, const char *sub, const char *rev)
{
	static char names[8][65];
	static unsigned at;
	AUTO(str) struct str out = STR_INIT;
	AUTO_FREE char *script = xasprintf("git rev-parse --verify '%s^{}'", rev);
	char *ret = names[at++ % 8];

	fix_out(f, sub, &out, script);
	assert_true(out.n == 40 || out.n == 64);
	memcpy(ret, out.p, out.n + 1);
	return ret;
}

static inline const char *fix_oid(struct fix *f, const char *rev)
{
	return fix_oid_in(f, "r", rev);
}

/* Everything in DIR/SUB but .culprit: names, kinds, modes, times, links and contents. */
static inline char *fix_sum(struct fix *f, const char *sub)
{
	struct str out = STR_INIT;

	fix_out(f, sub, &out,
		"{ find . -name .culprit -prune -o -printf '%p %y %m %s %T@ %l\\n' | sort;\n"
		"find . -name .culprit -prune -o -type f -print0 | sort -z | xargs -0 sha256sum; } | sha256sum");
	return str_take(&out);
}

/* The error that a call must give: its kind, and a text that its one line must hold. */
#define assert_err(call, e, wanted_kind, text)                                                     \
	do {                                                                                       \
		int got_ = (call);                                                                 \
		if (got_ != -(int)(wanted_kind) || !strstr((e)->msg, (text)))                      \
			fail_msg("%s gave %d, '%s'; wanted '%s'", #call, got_, (e)->msg, text);    \
	} while (0)
#define assert_ok(call, e)                                                                         \
	do {                                                                                       \
		if ((call) < 0)                                                                    \
			fail_msg("%s: %s", #call, (e)->msg);                                       \
	} while (0)
