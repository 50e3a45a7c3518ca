/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's repository of a submodule lends its objects to the .git of the submodule's folder, as STORE/repo.git does to that of the
 * checkout. Names and paths in .gitmodules come from whoever wrote the history: a name with '..' and a path that leads
 * through a symbolic link are refused.
 */
#include "repo/submodule.h"

#include "sys/fs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 8 };

static int fill_all(struct worktrees *w, size_t parent, const struct submodule_lender *lender,
		    int depth, struct str *why, struct err *e);

struct submodule {
	const char *name, *path;
	char oid[65]; /* empty: not in this tree */
};

static void remark(struct str *why, const char *path, const char *what)
{
	AUTO_FREE char *name = xstrdup(path);

	for (char *p = name; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	str_addf(why, "%ssubmodule %s stays empty: %s", why->n ? "; " : "", name, what);
}

/* Relative and without "..". */
static bool is_safe_path(const char *name)
{
	if (!*name || *name == '/')
		return false;
	for (const char *p = name; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (starts_with(p, "..") && (p[2] == '/' || !p[2]))
			return false;
	}
	return true;
}

/* Is DIR/PATH a folder inside DIR, with no symbolic link on the way? */
static bool is_real_folder(const char *dir, const char *path)
{
	AUTO_FREE char *wanted = fs_join(dir, path);
	AUTO_FREE char *real = NULL;

	return fs_is_dir(wanted) && fs_realpath(wanted, &real, NULL) == 0 && !strcmp(real, wanted);
}

/* The user's repository of this submodule, or NULL. */
static char *find_lender(const struct submodule_lender *l, const struct submodule *s)
{
	const char *const roots[] = { l->git_dir, l->common_dir };

	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		AUTO_FREE char *dir = xasprintf("%s/modules/%s", roots[i], s->name);
		AUTO_FREE char *objects = fs_join(dir, "objects");

		if (fs_is_dir(objects))
			return TAKE_PTR(dir);
	}
	if (!l->top)
		return NULL;
	AUTO_FREE char *dir = xasprintf("%s/%s/.git", l->top, s->path);
	AUTO_FREE char *objects = fs_join(dir, "objects");

	return fs_is_dir(objects) ? TAKE_PTR(dir) : NULL;
}

/* Checks the submodule out from the repository `theirs`. */
static int fill_from(struct worktrees *w, const char *theirs, const char *format, const char *dir,
		     const char *oid, bool *ret_ok, struct str *why, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	AUTO_FREE char *objects = fs_join(theirs, "objects");
	AUTO_FREE char *shallow = fs_join(theirs, "shallow");
	AUTO_FREE char *commit = xasprintf("%s^{commit}", oid);
	struct git_at at = { .git_dir = theirs };
	struct mirror_from from = { .objects = objects, .shallow = shallow, .format = format };
	int n = git_run(&at, GIT_ARGS("cat-file", "-e", commit), &g, e);

	*ret_ok = false;
	if (n < 0)
		return n;
	if (g.status) {
		str_addf(why, "your copy lacks its commit %.12s", oid);
		return 0;
	}
	n = git_run(&at,
		    GIT_ARGS("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads",
			     "refs/remotes", "refs/tags"),
		    &g, e);
	if (n < 0)
		return n;
	from.refs = g.status ? "" : g.out.p;
	return worktree_fill(w, &from, dir, oid, ret_ok, why, e);
}

static int fill_one(struct worktrees *w, size_t parent, const struct submodule_lender *lender,
		    const struct submodule *s, int depth, struct str *why, struct err *e)
{
	AUTO(str) struct str reason = STR_INIT;
	AUTO_FREE char *theirs = find_lender(lender, s);
	AUTO_FREE char *dir = fs_join(w->v[parent].work_dir, s->path);
	bool ok = false;
	int n;

	if (!theirs) {
		remark(why, s->path,
		       "it is not initialised in your checkout (git submodule update --init)");
		return 0;
	}
	n = fill_from(w, theirs, lender->format, dir, s->oid, &ok, &reason, e);
	if (n < 0)
		return n;
	if (!ok) {
		remark(why, s->path, reason.p);
		return 0;
	}
	AUTO_FREE char *top = lender->top ? fs_join(lender->top, s->path) : NULL;
	struct submodule_lender next = {
		.git_dir = theirs, .common_dir = theirs, .top = top, .format = lender->format
	};

	return fill_all(w, w->n - 1, &next, depth + 1, why, e);
}

/* "160000 OID 0 TAB PATH 0": which of the paths are submodules of this tree, and at what commit. */
static int find_commits(const struct worktree *t, struct submodule *subs, size_t n_subs,
			struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	AUTO(strvec) struct strvec args = STRVEC_INIT;
	struct git_at at = worktree_at(t);
	int n;

	strvec_add(&args, "ls-files");
	strvec_add(&args, "-s");
	strvec_add(&args, "-z");
	strvec_add(&args, "--");
	for (size_t i = 0; i < n_subs; i++)
		strvec_addf(&args, ":(literal)%s", subs[i].path);
	n = git_check(&at, (const char *const *)args.v, &g, e);
	if (n < 0)
		return n;
	for (const char *p = g.out.p; p < g.out.p + g.out.n; p += strlen(p) + 1) {
		const char *tab = strchr(p, '\t');
		char oid[65];

		if (!tab || sscanf(p, "160000 %64[0-9a-f] ", oid) != 1)
			continue;
		for (size_t i = 0; i < n_subs; i++)
			if (!strcmp(subs[i].path, tab + 1))
				memcpy(subs[i].oid, oid, sizeof(oid));
	}
	return 0;
}

/* Records of `git config -z`: "submodule.NAME.path NEWLINE PATH 0", cut up in place. */
static size_t split_paths(struct str *out, struct submodule *subs, size_t max)
{
	size_t n = 0;

	for (char *p = out->p, *next; p < out->p + out->n && n < max; p = next) {
		char *path = strchr(p, '\n');
		char *name = p + strlen("submodule.");

		next = p + strlen(p) + 1;
		if (!path || path - name < (ptrdiff_t)strlen(".path"))
			continue;
		path[-(ptrdiff_t)strlen(".path")] = '\0';
		if (!is_safe_path(path + 1)) /* so no path of a tree either */
			continue;
		subs[n++] = (struct submodule){ .name = name, .path = path + 1 };
	}
	return n;
}

static int fill_all(struct worktrees *w, size_t parent, const struct submodule_lender *lender,
		    int depth, struct str *why, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	AUTO_FREE char *file = fs_join(w->v[parent].work_dir, ".gitmodules");
	struct git_at at = { .git_dir = w->v[parent].git_dir };
	struct submodule subs[512] = { 0 };
	struct stat st;
	int n;

	if (depth > MAX_DEPTH || lstat(file, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	n = git_run(&at,
		    GIT_ARGS("config", "-z", "-f", file, "--get-regexp", "^submodule\\..*\\.path$"),
		    &g, e);
	if (n < 0 || g.status)
		return n;
	size_t n_subs = split_paths(&g.out, subs, ARRAY_LEN(subs));

	if (n_subs == ARRAY_LEN(subs))
		remark(why, "number 512 and above", "more than culprit can count");

	n = n_subs ? find_commits(&w->v[parent], subs, n_subs, e) : 0;
	for (size_t i = 0; n == 0 && i < n_subs; i++) {
		if (!*subs[i].oid)
			continue;
		if (!is_safe_path(subs[i].name) ||
		    !is_real_folder(w->v[parent].work_dir, subs[i].path))
			remark(why, subs[i].path,
			       "its name or path in .gitmodules is not a plain one");
		else
			n = fill_one(w, parent, lender, &subs[i], depth, why, e);
	}
	return n;
}

int submodules_fill(struct worktrees *w, const struct submodule_lender *lender, struct str *why,
		    struct err *e)
{
	return fill_all(w, 0, lender, 0, why, e);
}
