/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "repo/worktree.h"

#include "repo/git.h"
#include "repo/mirror.h"
#include "sys/fs.h"

#include <string.h>

/* In the administrative folder of the outermost: GIT_DIR 0 FOLDER 0 of each submodule, for worktree_forget. */
static const char list_name[] = "culprit-submodules";

void worktrees_done(struct worktrees *w)
{
	for (size_t i = 0; i < w->n; i++) {
		free(w->v[i].git_dir);
		free(w->v[i].work_dir);
		free(w->v[i].admin);
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

static struct git_at inside(const struct worktree *t)
{
	return (struct git_at){ .git_dir = t->admin, .work_tree = t->work_dir, .cwd = t->work_dir };
}

int worktree_fill(struct worktrees *w, const char *git_dir, const char *work_dir, const char *head,
		  bool *ret_ok, struct str *why, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	struct worktree t = { 0 };
	int n = mirror_attach(git_dir, work_dir, head, &t.admin, e);

	if (n < 0)
		return n;
	t.git_dir = xstrdup(git_dir);
	t.work_dir = xstrdup(work_dir);
	ARRAY_PUSH(w, t);

	struct git_at at = inside(&t);

	n = git_run(&at, GIT_ARGS("read-tree", "--reset", "-u", head), &g, e);
	if (n < 0)
		return n;
	*ret_ok = g.status == 0;
	if (*ret_ok)
		return 0;
	if (worktree_machine_failed(g.err.p))
		return err_set(e, ERR_ENV, "checking out %.12s: git: %s", head, git_reason(&g));
	str_addf(why, "checking out %.12s failed: %s", head, git_reason(&g));
	return 0;
}

int worktrees_settle(struct worktrees *w, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	AUTO(str) struct str list = STR_INIT;

	for (size_t i = 0; i < w->n; i++) {
		struct git_at at = inside(&w->v[i]);
		int n = git_run(&at, GIT_ARGS("update-index", "-q", "--refresh"), &g, e);

		if (n < 0)
			return n;
		if (!i)
			continue;
		str_add(&list, w->v[i].git_dir, strlen(w->v[i].git_dir) + 1);
		str_add(&list, w->v[i].work_dir, strlen(w->v[i].work_dir) + 1);
	}
	if (!list.n)
		return 0;
	AUTO_FREE char *path = fs_join(w->v[0].admin, list_name);

	return fs_write_atomic(path, list.p, list.n, e);
}

void worktrees_undo(struct worktrees *w)
{
	/* A clean-up after a failure: a second failure would hide the first. */
	for (size_t i = 0; i < w->n; i++) {
		(void)!mirror_detach(w->v[i].git_dir, w->v[i].work_dir, NULL);
		if (!i)
			(void)!fs_remove_tree(w->v[i].work_dir, NULL);
	}
}

int worktree_forget(const char *git_dir, const char *work_dir, struct err *e)
{
	AUTO_FREE char *admin = mirror_admin_dir(git_dir, work_dir);
	AUTO_FREE char *path = fs_join(admin, list_name);
	AUTO(str) struct str list = STR_INIT;
	int n = fs_exists(path) ? fs_read(path, INT64_C(16) << 20, &list, e) : 0;

	for (size_t i = 0; n == 0 && i < list.n;) {
		const char *sub_git = list.p + i, *sub_dir = sub_git + strlen(sub_git) + 1;

		if (sub_dir >= list.p + list.n)
			break;
		n = mirror_detach(sub_git, sub_dir, e);
		i = (size_t)(sub_dir - list.p) + strlen(sub_dir) + 1;
	}
	return n < 0 ? n : mirror_detach(git_dir, work_dir, e);
}
