/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/inputs.h"

#include "base/str.h"
#include "sys/fs.h"
#include "sys/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONG_AGO 1 /* seconds since 1970: no clock that is right shows it */

struct input {
	char *path; /* folders end in '/' */
	uint64_t ino;
	bool is_read;
};
struct inputs {
	struct input *v;
	size_t n, cap;
};

/* A link's own time is set, not its target's; the modification time stays. */
static bool set_long_ago(int dir_fd, const char *name)
{
	struct timespec t[2] = { { .tv_sec = LONG_AGO }, { .tv_nsec = UTIME_OMIT } };

	return !utimensat(dir_fd, name, t, AT_SYMLINK_NOFOLLOW);
}

bool inputs_can_learn(const char *dir)
{
	AUTO_FREE char *path = xasprintf("%s/.atime-%d-XXXXXX", dir, (int)getpid());
	int fd = mkostemp(path, O_CLOEXEC);
	struct stat st;
	char c;
	bool can = fd >= 0 && write(fd, "x", 1) == 1 && set_long_ago(AT_FDCWD, path) &&
		   !fstat(fd, &st) && st.st_atim.tv_sec == LONG_AGO && pread(fd, &c, 1, 0) == 1 &&
		   !fstat(fd, &st) && st.st_atim.tv_sec != LONG_AGO;

	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	return can;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct input *)a)->path, ((const struct input *)b)->path);
}

static int begin_one(void *arg, const struct walk_entry *x, struct err *e)
{
	struct inputs *in = arg;
	bool is_dir = S_ISDIR(x->st->st_mode);
	struct input one = { .ino = (uint64_t)x->st->st_ino };

	if (!strcmp(x->name, ".git"))
		return WALK_SKIP;
	if (!set_long_ago(x->dir_fd, x->name))
		return err_errno(e, "setting the access time of '%s'", x->path);
	one.path = xasprintf("%s%s", x->path, is_dir ? "/" : "");
	ARRAY_PUSH(in, one);
	return WALK_ON;
}

int inputs_begin(const char *root, struct inputs **ret, struct err *e)
{
	struct inputs *in = xcalloc(1, sizeof(*in));
	struct stat st;
	int r = walk_tree(root, begin_one, in, e);

	if (r == 0 && (stat(root, &st) < 0 || !set_long_ago(AT_FDCWD, root)))
		r = err_errno(e, "setting the access time of '%s'", root);
	if (r < 0) {
		inputs_free(in);
		return r;
	}
	struct input top = { xstrdup("./"), (uint64_t)st.st_ino, false };

	ARRAY_PUSH(in, top);
	qsort(in->v, in->n, sizeof(in->v[0]), by_path);
	*ret = in;
	return 0;
}

int inputs_look(struct inputs *in, const char *root, struct err *e)
{
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(e, "reading folder '%s'", root);
	for (size_t i = 0; i < in->n; i++) {
		struct input *x = &in->v[i];
		AUTO_FREE char *name = xstrdup(x->path);
		struct stat st;

		if (x->is_read)
			continue;
		if (ends_with(name, "/"))
			name[strlen(name) - 1] = '\0';
		x->is_read = fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
			     (uint64_t)st.st_ino != x->ino || st.st_atim.tv_sec != LONG_AGO;
	}
	close(fd);
	return 0;
}

char **inputs_list(const struct inputs *in)
{
	struct strvec list = STRVEC_INIT;

	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].is_read)
			strvec_add(&list, in->v[i].path);
	ARRAY_RESERVE(&list, 1);
	list.v[list.n] = NULL;
	return list.v;
}

struct inputs *inputs_of_list(char *const *paths)
{
	struct inputs *in = xcalloc(1, sizeof(*in));

	for (; *paths; paths++) {
		struct input one = { xstrdup(*paths), 0, true };

		ARRAY_PUSH(in, one);
	}
	return in;
}

/* Records "r INODE PATH" and "- INODE PATH", each ended by a zero byte: paths may hold anything else. */
int inputs_save(const struct inputs *in, const char *path, struct err *e)
{
	AUTO(str) struct str s = STR_INIT;

	for (size_t i = 0; i < in->n; i++) {
		str_addf(&s, "%c %llu %s", in->v[i].is_read ? 'r' : '-',
			 (unsigned long long)in->v[i].ino, in->v[i].path);
		str_putc(&s, '\0');
	}
	return fs_write_atomic(path, s.p, s.n, e);
}

int inputs_load(const char *path, struct inputs **ret, struct err *e)
{
	AUTO(str) struct str s = STR_INIT;
	struct inputs *in;
	int r = fs_read(path, INT64_C(1) << 30, &s, e);

	if (r < 0)
		return r;
	in = xcalloc(1, sizeof(*in));
	for (const char *p = s.p; p < s.p + s.n; p += strlen(p) + 1) {
		char *rest = NULL;
		struct input one = { .is_read = *p == 'r' };

		if ((*p != 'r' && *p != '-') || p[1] != ' ')
			goto broken;
		one.ino = strtoull(p + 2, &rest, 10);
		if (*rest != ' ' || !rest[1])
			goto broken;
		one.path = xstrdup(rest + 1);
		ARRAY_PUSH(in, one);
	}
	*ret = in;
	return 0;
broken:
	inputs_free(in);
	return err_set(e, ERR_BROKEN, "'%s' is not a list of inputs", path);
}

void inputs_free(struct inputs *in)
{
	if (!in)
		return;
	for (size_t i = 0; i < in->n; i++)
		free(in->v[i].path);
	free(in->v);
	free(in);
}
