/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "repo/worktree.h"

#include "sys/fs.h"

#include <string.h>

void worktrees_done(struct worktrees *w)
{
	for (size_t i = 0; i < w->n; i++) {
		free(w->v[i].git_dir);
		free(w->v[i].work_dir);
	}
	free(w->v);
	*w = (struct worktrees){ 0 };
}

bool worktree_machine_failed(const char *s)
{
	static const char *const signs[] = { "No space left on device", "Disk quota exceeded",
					     "Read-only file system",	"Input/output error",
					     "Cannot allocate memory",	"Too many open files" };

	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (strstr(s, signs[i]))
			return true;
	return false;
}

struct git_at worktree_at(const struct worktree *t)
{
	return (struct git_at){ .git_dir = t->git_dir,
				.work_tree = t->work_dir,
				.cwd = t->work_dir };
}

/* "MODE OID STAGE TAB PATH": the object's name ends at the second blank. */
static const char *entry_oid(const char *entry, size_t *ret_n)
{
	const char *oid = entry + strcspn(entry, " ");

	oid += *oid == ' ';
	*ret_n = strcspn(oid, " ");
	return oid;
}

/* Asks for all objects of an index listing at once: one line each, "OID missing" for those that are not here. */
static int ask_presence(const struct git_at *at, const struct str *listing, struct git_result *g,
			struct err *e)
{
	AUTO(str) struct str names = STR_INIT;
	struct git_at feed = *at;

	for (const char *p = listing->p; p < listing->p + listing->n; p += strlen(p) + 1) {
		size_t n;
		const char *oid = entry_oid(p, &n);

		str_add(&names, oid, n);
		str_putc(&names, '\n');
	}
	feed.stdin_bytes = names.p;
	feed.stdin_n = names.n;
	return git_check(&feed, GIT_ARGS("cat-file", "--batch-check=%(objectname)"), g, e);
}

struct absent {
	struct str paths; /* 0 after each */
	struct str shown; /* the first few, for people */
	unsigned n, total;
	bool vital; /* without it git itself would do something else */
};
static void absent_done(struct absent *a)
{
	str_done(&a->paths);
	str_done(&a->shown);
}

static void take_absent(const struct str *listing, const char *answers, struct absent *a)
{
	for (const char *p = listing->p; p < listing->p + listing->n && *answers;
	     p += strlen(p) + 1) {
		const char *path = strchr(p, '\t');
		size_t n = strcspn(answers, "\n");
		bool gone = n > 8 && !strncmp(answers + n - 8, " missing", 8);

		answers += n + (answers[n] == '\n');
		a->total++;
		if (!gone || !path || starts_with(p, "160000 "))
			continue;
		path++;
		str_add(&a->paths, path, strlen(path) + 1);
		if (a->n++ < 3)
			str_addf(&a->shown, "%s%s", a->n > 1 ? ", " : "", path);
		a->vital |= ends_with(path, ".gitattributes") || ends_with(path, ".gitmodules");
	}
}

/*
 * A copy of a repository may lack blobs, large ones mostly (a partial clone). Most builds do not need them, so the rest is checked out, the
 * lacking files are marked as not wanted here, and a remark names them. Not so if half of the files are missing.
 */
static int fill_what_is_there(const struct git_at *at, const char *head, bool *ret_ok,
			      struct str *why, struct err *e)
{
	AUTO(git_result) struct git_result listing = GIT_RESULT_INIT, g = GIT_RESULT_INIT;
	AUTO(absent) struct absent a = { .paths = STR_INIT, .shown = STR_INIT };
	struct git_at feed = *at;
	int n;

	*ret_ok = false;
	if ((n = git_run(at, GIT_ARGS("read-tree", "--reset", head), &g, e)) < 0 || g.status)
		return n;
	if ((n = git_check(at, GIT_ARGS("ls-files", "-s", "-z"), &listing, e)) < 0 ||
	    (n = ask_presence(at, &listing.out, &g, e)) < 0)
		return n;
	take_absent(&listing.out, g.out.p, &a);
	if (!a.n || a.vital || a.n > a.total / 2)
		return 0;
	feed.stdin_bytes = a.paths.p;
	feed.stdin_n = a.paths.n;
	if ((n = git_check(&feed, GIT_ARGS("update-index", "--skip-worktree", "-z", "--stdin"), &g,
			   e)) < 0 ||
	    (n = git_run(at, GIT_ARGS("checkout-index", "-a", "-f", "-q", "-u"), &g, e)) < 0 ||
	    g.status)
		return n;
	for (char *p = a.shown.p; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	str_addf(why, "%u file%s left out, whose content this copy of the repository lacks: %s%s",
		 a.n, a.n == 1 ? " is" : "s are", a.shown.p, a.n > 3 ? ", ..." : "");
	*ret_ok = true;
	return 0;
}

int worktree_fill(struct worktrees *w, const struct mirror_from *from, const char *work_dir,
		  const char *head, bool *ret_ok, struct str *why, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	AUTO(str) struct str remark = STR_INIT;
	struct worktree t = { .work_dir = xstrdup(work_dir), .git_dir = fs_join(work_dir, ".git") };
	int n;

	ARRAY_PUSH(w, t);
	n = mirror_in(work_dir, from, head, e);
	if (n < 0)
		return n;

	struct git_at at = worktree_at(&t);

	n = git_run(&at, GIT_ARGS("read-tree", "--reset", "-u", head), &g, e);
	if (n < 0)
		return n;
	*ret_ok = g.status == 0;
	if (*ret_ok)
		return 0;
	if (worktree_machine_failed(g.err.p))
		return err_set(e, ERR_ENV, "checking out %.12s: git: %s", head, git_reason(&g));
	n = fill_what_is_there(&at, head, ret_ok, &remark, e);
	if (n < 0)
		return n;
	str_puts(why, why->n ? "; " : "");
	if (*ret_ok)
		str_puts(why, remark.p);
	else
		str_addf(why, "checking out %.12s failed: %s", head, git_reason(&g));
	return 0;
}

int worktrees_settle(struct worktrees *w, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;

	for (size_t i = 0; i < w->n; i++) {
		struct git_at at = worktree_at(&w->v[i]);
		/* Its status says only whether a file differs, which a filter of the tree's own may bring about. */
		int n = git_run(&at, GIT_ARGS("update-index", "-q", "--refresh"), &g, e);

		if (n < 0)
			return n;
	}
	return 0;
}
