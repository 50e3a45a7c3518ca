/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/walk.h"

#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MAX = 500 };

struct walk {
	int (*visit)(void *arg, const struct walk_entry *x, struct err *e);
	void *arg;
	struct str path;
};

/* O_NOATIME is for owners only; without it the listing itself leaves a trace. */
static DIR *open_quietly(int at, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(at, name, flags | O_NOATIME);

	if (fd < 0 && errno == EPERM)
		fd = openat(at, name, flags);
	if (fd < 0)
		return NULL;
	DIR *d = fdopendir(fd);

	if (!d)
		close(fd);
	return d;
}

static int walk_dir(struct walk *w, int at, const char *name, int depth, struct err *e)
{
	DIR *d = open_quietly(at, name);
	size_t before = w->path.n;
	struct dirent *x;
	int r = 0;

	if (!d)
		return 0;
	while (r >= 0 && (x = readdir(d))) {
		struct stat st;

		if (!strcmp(x->d_name, ".") || !strcmp(x->d_name, ".."))
			continue;
		if (fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		str_cut(&w->path, before);
		if (before)
			str_putc(&w->path, '/');
		str_puts(&w->path, x->d_name);
		r = w->visit(w->arg, &(struct walk_entry){ w->path.p, dirfd(d), x->d_name, &st },
			     e);
		if (r == WALK_ON && S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			r = walk_dir(w, dirfd(d), x->d_name, depth + 1, e);
	}
	closedir(d);
	str_cut(&w->path, before);
	return r < 0 ? r : 0;
}

int walk_tree(const char *root, int (*visit)(void *arg, const struct walk_entry *x, struct err *e),
	      void *arg, struct err *e)
{
	struct walk w = { visit, arg, STR_INIT };
	DIR *d = open_quietly(AT_FDCWD, root);

	if (!d)
		return err_errno(e, "reading folder '%s'", root);
	int r = walk_dir(&w, dirfd(d), ".", 0, e);

	closedir(d);
	str_done(&w.path);
	return r;
}
