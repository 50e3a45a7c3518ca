/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs - files and folders.
 *
 * Trees are walked with descriptors (openat), never by joined paths: no path limit, and a link that
 * somebody puts in our way is not followed. Test suites leave folders thousands deep; removal moves
 * what lies deeper than DEEP to the top of the tree, so that neither descriptors nor the stack run
 * out.
 */
#include "sys/fs.h"

#include "base/num.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { DEEP = 100 };

int fs_read(const char *path, int64_t max, struct str *out, struct err *e)
{
	static _Thread_local char buf[65536];
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int64_t total = 0;
	int r = 0;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return err_set(e, ERR_MISSING, "'%s' does not exist", path);
	if (fd < 0)
		return err_errno(e, "opening '%s'", path);
	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			r = err_errno(e, "reading '%s'", is_stdin ? "standard input" : path);
		if (n <= 0)
			break;
		total += n;
		if (total > max) {
			AUTO(str) struct str size = STR_INIT;

			num_put_size(&size, max);
			r = err_set(e, ERR_USAGE, "'%s' is longer than %s", path, size.p);
			break;
		}
		str_add(out, buf, (size_t)n);
	}
	if (!is_stdin)
		close(fd);
	return r;
}

int fs_read_named(const char *path, int64_t max, struct str *out, struct err *e)
{
	if (!strcmp(path, "-"))
		return fs_read(path, max, out, e);
	if (fs_is_dir(path))
		return err_set(e, ERR_USAGE, "'%s' is a folder, not a file", path);
	if (!fs_exists(path))
		return err_set(e, ERR_USAGE, "'%s' does not exist", path);
	return fs_read(path, max, out, e);
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t k = write(fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

/* So that the new name itself survives a power cut. */
static void sync_folder_of(const char *path)
{
	AUTO_FREE char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');

	if (slash)
		slash[slash == dir] = '\0';
	int fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int fs_write_atomic(const char *path, const char *bytes, size_t n, struct err *e)
{
	AUTO_FREE char *tmp = xasprintf("%s.tmp%d", path, (int)getpid());
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (fd < 0)
		return err_errno(e, "creating '%s'", tmp);
	int bad = write_all(fd, bytes, n) < 0 || fsync(fd) < 0;
	int saved = errno;

	close(fd);
	if (!bad && rename(tmp, path) == 0) {
		sync_folder_of(path);
		return 0;
	}
	if (!bad)
		saved = errno;
	unlink(tmp);
	errno = saved;
	return err_errno(e, "writing '%s'", path);
}

int fs_mkdirs(const char *path, struct err *e)
{
	if (fs_is_dir(path))
		return 0;
	AUTO_FREE char *copy = xstrdup(path);
	char *p = copy;

	do {
		p = strchr(p + 1, '/');
		if (p)
			*p = '\0';
		if (*copy && mkdir(copy, 0777) < 0 && errno != EEXIST) {
			int saved = errno;

			/* an existing folder on a read-only file system is not EEXIST */
			if (!fs_is_dir(copy)) {
				errno = saved;
				return err_errno(e, "creating folder '%s'", copy);
			}
		}
		if (p)
			*p = '/';
	} while (p);
	return fs_is_dir(path) ? 0 : err_set(e, ERR_ENV, "'%s' is in the way: not a folder", path);
}

/* --- removing
 * ------------------------------------------------------------------------------------------------------
 */

struct removal {
	int top_fd; /* of the tree's root */
	unsigned long moved;
	int error; /* the first errno */
};

static void note(struct removal *r)
{
	if (!r->error)
		r->error = errno;
}

/* A folder that we may list and change, whatever its mode was. */
static int open_writable_dir(int at, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(at, name, flags);

	if (fd < 0 && errno == EACCES && fchmodat(at, name, 0700, 0) == 0)
		fd = openat(at, name, flags);
	if (fd >= 0) {
		struct stat st;

		if (!fstat(fd, &st) && (st.st_mode & 0700) != 0700)
			fchmod(fd, 0700); /* fails where it is not ours: then removing says why */
	}
	return fd;
}

static bool empty_dir(struct removal *r, int fd, int depth);

static bool remove_entry(struct removal *r, int at, const char *name, int depth)
{
	if (!unlinkat(at, name, 0) || errno == ENOENT)
		return true;
	if (errno != EISDIR && errno != EPERM) {
		note(r);
		return false;
	}
	if (depth >= DEEP) {
		char flat[64];

		snprintf(flat, sizeof(flat), ".culprit-rm-%d-%lu", (int)getpid(), r->moved++);
		if (renameat(at, name, r->top_fd, flat) < 0) {
			note(r);
			return false;
		}
		return true;
	}
	int fd = open_writable_dir(at, name);

	if (fd < 0) {
		note(r);
		return false;
	}
	if (!empty_dir(r, fd, depth + 1))
		return false;
	if (unlinkat(at, name, AT_REMOVEDIR) < 0 && errno != ENOENT) {
		note(r);
		return false;
	}
	return true;
}

/* Takes fd over. Reads again until a whole pass finds nothing: names moved here meanwhile are found
 * too. */
static bool empty_dir(struct removal *r, int fd, int depth)
{
	DIR *d = fdopendir(fd);
	bool ok = true, any = true;

	if (!d) {
		note(r);
		close(fd);
		return false;
	}
	while (ok && any) {
		struct dirent *x;

		any = false;
		rewinddir(d);
		while ((x = readdir(d))) {
			if (!strcmp(x->d_name, ".") || !strcmp(x->d_name, ".."))
				continue;
			any = true;
			ok = remove_entry(r, fd, x->d_name, depth) && ok;
		}
	}
	closedir(d);
	return ok;
}

int fs_remove_tree(const char *path, struct err *e)
{
	struct removal r = { 0 };

	if (!unlink(path) || errno == ENOENT || errno == ENOTDIR)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return err_errno(e, "removing '%s'", path);
	r.top_fd = open_writable_dir(AT_FDCWD, path);
	if (r.top_fd < 0)
		return err_errno(e, "removing '%s'", path);
	bool ok = empty_dir(&r, r.top_fd, 0);

	if (ok && rmdir(path) == 0)
		return 0;
	if (!ok)
		errno = r.error;
	return err_errno(e, "removing '%s'", path);
}

/* --- sizes
 * ----------------------------------------------------------------------------------------------------------
 */

struct inode {
	dev_t dev;
	ino_t ino;
	int64_t bytes;
};
struct usage {
	int64_t bytes;
	struct {
		struct inode *v;
		size_t n, cap;
	} linked; /* files with several names */
};

static void measure_entry(struct usage *u, int at, const char *name, int depth)
{
	struct stat st;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (!S_ISDIR(st.st_mode) && st.st_nlink > 1) {
		struct inode i = { st.st_dev, st.st_ino, (int64_t)st.st_blocks * 512 };

		ARRAY_PUSH(&u->linked, i);
		return;
	}
	u->bytes += (int64_t)st.st_blocks * 512;
	if (!S_ISDIR(st.st_mode) || depth > 500)
		return;
	/* quietly: a folder that we list must not look as if a build had (bench/inputs.c) */
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NOATIME);

	if (fd < 0 && errno == EPERM)
		fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *x;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((x = readdir(d)))
		if (strcmp(x->d_name, ".") && strcmp(x->d_name, ".."))
			measure_entry(u, fd, x->d_name, depth + 1);
	closedir(d);
}

static int by_inode(const void *a, const void *b)
{
	const struct inode *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return (x->ino > y->ino) - (x->ino < y->ino);
}

int64_t fs_tree_size(const char *path)
{
	struct usage u = { 0 };

	measure_entry(&u, AT_FDCWD, path, 0);
	if (u.linked.n)
		qsort(u.linked.v, u.linked.n, sizeof(u.linked.v[0]), by_inode);
	for (size_t i = 0; i < u.linked.n; i++)
		if (!i || by_inode(&u.linked.v[i - 1], &u.linked.v[i]))
			u.bytes += u.linked.v[i].bytes;
	free(u.linked.v);
	return u.bytes;
}

int64_t fs_time(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0
		       ? 0
		       : (int64_t)st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
}

void fs_touch(const char *path)
{
	(void)!utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

int64_t fs_free_bytes(const char *path)
{
	struct statvfs v;
	int64_t bytes;

	if (statvfs(path, &v) < 0 ||
	    __builtin_mul_overflow((int64_t)v.f_bavail, (int64_t)v.f_frsize, &bytes))
		return -1;
	return bytes;
}

/* --- paths
 * ----------------------------------------------------------------------------------------------------------
 */

bool fs_exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

bool fs_is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int fs_realpath(const char *path, char **ret, struct err *e)
{
	char *p = realpath(path, NULL);

	if (!p && errno == ENOENT)
		return err_set(e, ERR_MISSING, "'%s' does not exist", path);
	if (!p)
		return err_errno(e, "finding '%s'", path);
	*ret = p;
	return 0;
}

char *fs_join(const char *a, const char *b)
{
	if (*b == '/' || !*a)
		return xstrdup(b);
	return xasprintf("%s%s%s", a, ends_with(a, "/") ? "" : "/", b);
}

char *fs_dirname(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
}

char *fs_find_program(const char *name, const char *path)
{
	if (!path)
		path = getenv("PATH");
	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : xstrdup(name);
	if (!path)
		path = "/usr/local/bin:/usr/bin:/bin";
	while (*name) {
		size_t n = strcspn(path, ":");
		char *full = n ? xasprintf("%.*s/%s", (int)n, path, name) : xasprintf("./%s", name);

		if (!access(full, X_OK) && !fs_is_dir(full))
			return full;
		free(full);
		if (!path[n])
			break;
		path += n + 1;
	}
	return NULL;
}
