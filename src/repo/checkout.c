/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree on disk: one `git read-tree --reset -u` into a folder with a repository of its own that borrows from STORE/repo.git (mirror.c), so
 * that `git describe`, `git log -1` and `git rev-parse` in a build answer. It is the fastest way that honours attributes: one process reads
 * the tree, writes the index and the files. Refused: `git worktree add` (a second process; shares refs between builds; wants the folder to
 * stay where it is), `git archive | tar` (export-ignore and export-subst change the tree, no .git).
 *
 * Filters: attributes of the tree (text, eol, working-tree-encoding, ident) count, the user's configuration does not: no
 * core.autocrlf, no .git/info/attributes, no smudge filter is run, whoever configured it. What was measured must not
 * depend on them. The content of git-lfs files is put in by hand where the user has it (lfs.c); a pointer that stays is said.
 *
 * Every file and folder gets the revision's date as its modification time: a checkout writes files in the order of their names, which to
 * make looks as if a shipped `configure` were older or newer than its source, by chance.
 */
#include "repo/variant.h"

#include "repo/lfs.h"
#include "repo/place.h"
#include "repo/repo.h"
#include "repo/submodule.h"
#include "repo/worktree.h"
#include "sys/clock.h"
#include "sys/fs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What time files get: not before 1980 (zip refuses it), not in the future (make warns and builds for ever). */
static struct timespec file_time(int64_t commit_time)
{
	const int64_t first = 315619200; /* 1980-01-02 */
	int64_t now = clock_realtime_ns() / 1000000000;
	int64_t t = commit_time < first ? first : commit_time > now ? now : commit_time;

	return (struct timespec){ .tv_sec = t };
}

/* All below the folder `fd` (which is closed), deepest first. A file that cannot be touched keeps its time. */
static void set_times(int fd, const struct timespec times[2])
{
	DIR *d = fdopendir(fd);
	struct dirent *entry;

	if (!d) {
		close(fd);
		return;
	}
	while ((entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    !strcmp(entry->d_name, ".git"))
			continue;
		int sub =
			openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (sub >= 0)
			set_times(sub, times);
		utimensat(fd, entry->d_name, times, AT_SYMLINK_NOFOLLOW);
	}
	futimens(fd, times);
	closedir(d);
}

/* Absolute path of a folder that need not exist; its parent must. */
static int absolute(const char *dir, char **ret, struct err *e)
{
	const char *slash = strrchr(dir, '/');
	AUTO_FREE char *above = slash ? xstrndup(dir, (size_t)(slash - dir) + 1) : xstrdup(".");
	char *real;
	int n = fs_realpath(above, &real, e);

	if (n < 0)
		return n;
	*ret = fs_join(real, slash ? slash + 1 : dir);
	free(real);
	return 0;
}

/* The commit that the checkout's HEAD is: the revision, or one on top of it that holds the changes. */
static int head_commit(struct repo *r, const struct variant *v, const struct commit_info *c,
		       const char *tree, char ret[65], struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	AUTO(str) struct str message = STR_INIT;
	struct git_at at = repo_store_at(r);
	int n;

	snprintf(ret, 65, "%s", v->oid);
	if (!strcmp(tree, c->tree))
		return 0;
	at.date = c->time;
	variant_describe(v, &message);
	n = git_check(&at, GIT_ARGS("commit-tree", "-m", message.p, "-p", v->oid, tree), &g, e);
	if (n < 0)
		return n;
	str_trim_end(&g.out);
	snprintf(ret, 65, "%s", g.out.p);
	return 0;
}

static int fill(struct repo *r, const char *dir, const char *head, const struct commit_info *c,
		bool *ret_ok, struct str *why, struct err *e)
{
	struct submodule_lender lender = { .git_dir = r->git_dir,
					   .common_dir = r->common_dir,
					   .top = r->bare ? NULL : r->top,
					   .format = r->format };
	struct worktrees made = { 0 };
	AUTO_FREE char *objects = fs_join(r->store_git, "objects");
	AUTO_FREE char *shallow = fs_join(r->store_git, "shallow");
	AUTO_FREE char *packed = fs_join(r->store_git, "packed-refs");
	struct mirror_from from = {
		.objects = objects, .shallow = shallow, .format = r->format, .packed_refs = packed
	};
	struct timespec t = file_time(c->time);
	int n = worktree_fill(&made, &from, dir, head, ret_ok, why, e);

	if (n == 0 && *ret_ok)
		n = lfs_fill(&made.v[0], r->common_dir, why, e);
	if (n == 0 && *ret_ok)
		n = submodules_fill(&made, &lender, why, e);
	if (n == 0 && *ret_ok) {
		int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0)
			set_times(fd, (const struct timespec[2]){ t, t });
		n = worktrees_settle(&made, e);
	}
	worktrees_done(&made);
	if (n < 0)
		(void)!fs_remove_tree(dir, NULL); /* a second failure would hide the first */
	else if (!*ret_ok)
		n = fs_remove_tree(dir, e);
	return n;
}

int variant_checkout(struct repo *r, const struct variant *v, const char *dir, bool *ret_ok,
		     char ret_tree[65], struct str *why, struct err *e)
{
	AUTO_FREE char *path = NULL;
	struct commit_info c;
	char tree[65], head[65];
	int n = variant_tree(r, v, ret_ok, tree, why, e);

	if (n < 0 || !*ret_ok)
		return n;
	if ((n = absolute(dir, &path, e)) < 0 || (n = repo_commit(r, v->oid, &c, e)) < 0 ||
	    (n = head_commit(r, v, &c, tree, head, e)) < 0)
		return err_wrap(e, "checking out %s", v->text);
	if (fs_exists(path))
		return err_set(e, ERR_ENV, "checking out %s: %s is there already", v->text, path);
	n = fill(r, path, head, &c, ret_ok, why, e);
	if (n == 0 && *ret_ok)
		memcpy(ret_tree, tree, sizeof(tree));
	return n;
}

/* What git left when it was killed in the middle: the move begins again, so nobody holds it. */
static void drop_locks(const struct worktree *t)
{
	static const char *const names[] = { "index.lock", "HEAD.lock" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *path = fs_join(t->git_dir, names[i]);

		unlink(path);
	}
}

static int move(const char *dir, const char *head, bool *ret_ok, struct str *why, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	AUTO_FREE char *git_dir = fs_join(dir, ".git");
	AUTO_FREE char *head_file = fs_join(git_dir, "HEAD");
	AUTO_FREE char *line = xasprintf("%s\n", head);
	struct worktree t = { .work_dir = (char *)dir, .git_dir = git_dir };
	struct git_at at = worktree_at(&t);
	int n;

	drop_locks(&t);
	n = git_run(&at, GIT_ARGS("read-tree", "--reset", "-u", head), &g, e);
	if (n < 0)
		return n;
	*ret_ok = g.status == 0;
	if (*ret_ok)
		return fs_write_atomic(head_file, line, strlen(line), e);
	if (worktree_machine_failed(g.err.p))
		return err_set(e, ERR_ENV, "checking out %.12s: git: %s", head, git_reason(&g));
	str_addf(why, "%schecking out %.12s failed: %s", why->n ? "; " : "", head, git_reason(&g));
	return 0;
}

int variant_move(struct repo *r, const struct variant *v, const char *dir, bool *ret_ok,
		 char ret_tree[65], struct str *why, struct err *e)
{
	AUTO_FREE char *path = NULL;
	struct commit_info c;
	char tree[65], head[65];
	int n;

	if (!fs_exists(dir))
		return variant_checkout(r, v, dir, ret_ok, ret_tree, why, e);
	n = variant_tree(r, v, ret_ok, tree, why, e);
	if (n < 0 || !*ret_ok)
		return n;
	if ((n = fs_realpath(dir, &path, e)) < 0 || (n = repo_commit(r, v->oid, &c, e)) < 0 ||
	    (n = head_commit(r, v, &c, tree, head, e)) < 0)
		return err_wrap(e, "checking out %s", v->text);
	n = move(path, head, ret_ok, why, e);
	if (n == 0 && *ret_ok)
		memcpy(ret_tree, tree, sizeof(tree));
	return n;
}
