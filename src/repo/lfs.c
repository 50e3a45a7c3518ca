/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files are git-lfs's is for the attributes to say. Only if the .gitattributes at the root speaks of it (where `git lfs track`
 * writes) is git asked for the list: a checkout of a project without it pays for one small file. The index holds the
 * pointers' hashes; filled files are marked as assumed unchanged, or `git describe --dirty` would call every build dirty.
 */
#include "repo/lfs.h"

#include "sys/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static bool speaks_of_lfs(const struct worktree *t)
{
	AUTO_FREE char *path = fs_join(t->work_dir, ".gitattributes");
	AUTO(str) struct str text = STR_INIT;
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       fs_read(path, INT64_C(1) << 20, &text, NULL) == 0 && strstr(text.p, "filter=lfs");
}

/* The name and size that the pointer file `path` holds; false if it is none. */
static bool read_pointer(const char *path, char ret_hash[65], int64_t *ret_size)
{
	AUTO(str) struct str text = STR_INIT;
	long long size;
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > 1024 ||
	    fs_read(path, 1024, &text, NULL) < 0)
		return false;
	const char *oid = strstr(text.p, "\noid sha256:");

	if (!starts_with(text.p, "version https://git-lfs.github.com/spec/v1\n") || !oid ||
	    sscanf(oid, "\noid sha256:%64[0-9a-f]\nsize %lld", ret_hash, &size) != 2 ||
	    strlen(ret_hash) != 64)
		return false;
	*ret_size = size;
	return true;
}

/* Writes the content over the pointer; the file's mode stays. */
static int copy(int from, const char *path, int64_t size, struct err *e)
{
	int to = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
	int n = 0;

	if (to < 0)
		return err_errno(e, "cannot write '%s'", path);
	while (n == 0 && size > 0) {
		ssize_t done = sendfile(to, from, NULL, (size_t)size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			n = err_errno(e, "cannot write '%s'", path);
		size -= done;
	}
	if (close(to) < 0 && n == 0)
		n = err_errno(e, "cannot write '%s'", path);
	return n;
}

enum filling { NO_POINTER, POINTER_STAYS, FILLED };

static int fill_file(const char *path, const char *common_dir, enum filling *ret, struct err *e)
{
	char hash[65];
	int64_t size;
	struct stat st;
	int n = 0;

	*ret = NO_POINTER;
	if (!read_pointer(path, hash, &size))
		return 0;
	*ret = POINTER_STAYS;
	AUTO_FREE char *object =
		xasprintf("%s/lfs/objects/%.2s/%.2s/%s", common_dir, hash, hash + 2, hash);
	int from = open(object, O_RDONLY | O_CLOEXEC);

	if (from < 0)
		return 0;
	if (fstat(from, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == size) {
		n = copy(from, path, size, e);
		*ret = FILLED;
	}
	close(from);
	return n;
}

int lfs_fill(const struct worktree *t, const char *common_dir, struct str *why, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT, marked = GIT_RESULT_INIT;
	AUTO(str) struct str filled = STR_INIT;
	struct git_at at = worktree_at(t);
	unsigned pointers = 0;
	int n;

	if (!speaks_of_lfs(t))
		return 0;
	n = git_check(&at, GIT_ARGS("ls-files", "-z", "--", ":(attr:filter=lfs)"), &g, e);
	for (const char *p = g.out.p; n == 0 && p < g.out.p + g.out.n; p += strlen(p) + 1) {
		AUTO_FREE char *path = fs_join(t->work_dir, p);
		enum filling what = NO_POINTER;

		n = fill_file(path, common_dir, &what, e);
		pointers += what == POINTER_STAYS;
		if (what == FILLED)
			str_add(&filled, p, strlen(p) + 1);
	}
	if (n < 0)
		return n;
	if (pointers)
		str_addf(
			why,
			"%s%u file%s of git-lfs only a pointer: the content is not here (git lfs fetch --all)",
			why->n ? "; " : "", pointers, pointers == 1 ? " is" : "s are");
	if (!filled.n)
		return 0;
	at.stdin_bytes = filled.p;
	at.stdin_n = filled.n;
	return git_check(&at, GIT_ARGS("update-index", "--assume-unchanged", "-z", "--stdin"),
			 &marked, e);
}
