/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which tracked files a kernel build reads, from what Kbuild itself writes down: beside each thing that it makes stands a file .NAME.cmd with the command and
 * every source and header that went into it. Words of these files that name a file of the source tree are inputs; more than needed does no harm.
 *
 * What no .cmd file mentions is added by rule, generously: makefiles of the folders that the build descended into (an O= folder has the same
 * folders), all Kconfig files but those of other architectures, all of scripts/, fragments of configurations. Access times, as for
 * programs, were refused: an incremental build reads only what changed.
 */
#include "kernel/kbuild_work.h"

#include "sys/fs.h"
#include "sys/walk.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CMD_MAX = 64 << 20 };

struct scan {
	const char *src, *out;
	int src_fd, out_fd;
	struct strvec words; /* candidates, relative to src, with repetitions */
	struct strvec list;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_unique(struct strvec *s)
{
	size_t kept = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_text);
	for (size_t i = 0; i < s->n; i++) {
		if (kept && !strcmp(s->v[kept - 1], s->v[i]))
			free(s->v[i]);
		else
			s->v[kept++] = s->v[i];
	}
	s->n = kept;
}

/* "a/./b/../c" without its dots; false if it leads out. */
static bool tidy(char *path)
{
	char *to = path;

	for (char *p = path; *p;) {
		size_t n = strcspn(p, "/");
		char *next = p + n + strspn(p + n, "/");

		if (n == 2 && !memcmp(p, "..", 2)) {
			if (to == path)
				return false;
			to--;
			while (to > path && to[-1] != '/')
				to--;
		} else if (n && !(n == 1 && *p == '.')) {
			memmove(to, p, n);
			to += n;
			if (*next)
				*to++ = '/';
		}
		p = next;
	}
	while (to > path && to[-1] == '/')
		to--;
	*to = '\0';
	return to > path;
}

/* A word of a .cmd file: absolute, or relative to the O= folder, where commands run. */
static void take_word(struct scan *s, const char *word, size_t n)
{
	size_t src_n = strlen(s->src);

	if (n < 2 || (*word == '/' ? strncmp(word, s->src, src_n) : strncmp(word, "..", 2)))
		return;
	AUTO_FREE char *path =
		*word == '/' ? xstrndup(word, n) : xasprintf("%s/%.*s", s->out, (int)n, word);
	AUTO_FREE char *inner = xstrdup(*path == '/' ? path + 1 : path);

	if (!tidy(inner) || strncmp(inner, s->src + 1, src_n - 1) || inner[src_n - 1] != '/')
		return;
	strvec_add(&s->words, inner + src_n);
}

static void take_words(struct scan *s, const char *text)
{
	static const char between[] = " \t\r\n\\;:=()'\"<>|&,";

	while (*text) {
		size_t n = strcspn(text, between);

		take_word(s, text, n);
		text += n;
		text += strspn(text, between);
	}
}

static int visit_cmd(void *arg, const struct walk_entry *x, struct err *e)
{
	struct scan *s = arg;
	AUTO_FREE char *path = fs_join(s->out, x->path);
	AUTO(str) struct str text = STR_INIT;
	int r;

	if (!S_ISREG(x->st->st_mode) || *x->name != '.' || !ends_with(x->name, ".cmd"))
		return WALK_ON;
	if ((r = fs_read(path, CMD_MAX, &text, e)) < 0)
		return r;
	take_words(s, text.p);
	/* a build has ten thousand of these, all naming the same headers */
	if (s->words.n > 200000)
		sort_unique(&s->words);
	return WALK_ON;
}

static bool exists_in(int fd, const char *path, mode_t kind)
{
	struct stat st;

	return fstatat(fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_mode & S_IFMT) == kind;
}

/* Did the build descend into the folder of this file? */
static bool is_visited(const struct scan *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	AUTO_FREE char *folder = slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");

	return exists_in(s->out_fd, folder, S_IFDIR);
}

/* arch/X of another architecture than the one that is built. */
static bool is_foreign(const struct scan *s, const char *path)
{
	size_t n = starts_with(path, "arch/") ? strcspn(path + 5, "/") : 0;
	AUTO_FREE char *folder = xasprintf("arch/%.*s", (int)n, path + (n ? 5 : 0));

	return n && path[5 + n] == '/' && !exists_in(s->out_fd, folder, S_IFDIR);
}

static bool is_read_by_rule(const struct scan *s, const char *path, const char *name)
{
	if (starts_with(path, "scripts/") || starts_with(path, "tools/build/") ||
	    starts_with(path, "tools/scripts/"))
		return true;
	if (starts_with(name, "Kconfig") || ends_with(path, "config") || ends_with(path, ".config"))
		return !starts_with(path, "tools/") && !is_foreign(s, path);
	if (starts_with(name, "Makefile") || !strcmp(name, "Kbuild") || !strcmp(name, "Build") ||
	    starts_with(name, "Platform"))
		return is_visited(s, path);
	return false;
}

static int visit_source(void *arg, const struct walk_entry *x, struct err *e UNUSED)
{
	struct scan *s = arg;

	if (!strcmp(x->name, ".git"))
		return WALK_SKIP;
	if (!S_ISDIR(x->st->st_mode) && is_read_by_rule(s, x->path, x->name))
		strvec_add(&s->list, x->path);
	return WALK_ON;
}

static int scan_all(struct scan *s, struct err *e)
{
	int r = walk_tree(s->out, visit_cmd, s, e);

	if (r == 0)
		r = walk_tree(s->src, visit_source, s, e);
	if (r < 0)
		return r;
	sort_unique(&s->words);
	for (size_t i = 0; i < s->words.n; i++)
		if (exists_in(s->src_fd, s->words.v[i], S_IFREG) ||
		    exists_in(s->src_fd, s->words.v[i], S_IFLNK))
			strvec_add(&s->list, s->words.v[i]);
	sort_unique(&s->list);
	return 0;
}

int kbuild_inputs(const char *src, const char *out, char ***ret, struct err *e)
{
	AUTO_FREE char *real_src = NULL, *real_out = NULL;
	struct scan s = { .src_fd = -1, .out_fd = -1 };
	int r;

	/* make writes real paths; either folder may be a link to another disk */
	if ((r = fs_realpath(src, &real_src, e)) < 0 || (r = fs_realpath(out, &real_out, e)) < 0)
		return r;
	s.src = real_src;
	s.out = real_out;
	s.src_fd = open(src, O_PATH | O_DIRECTORY | O_CLOEXEC);
	s.out_fd = open(out, O_PATH | O_DIRECTORY | O_CLOEXEC);
	r = s.src_fd < 0 || s.out_fd < 0 ? err_errno(e, "reading '%s' and '%s'", src, out)
					 : scan_all(&s, e);
	if (s.src_fd >= 0)
		close(s.src_fd);
	if (s.out_fd >= 0)
		close(s.out_fd);
	strvec_done(&s.words);
	if (r < 0) {
		strvec_done(&s.list);
		return r;
	}
	ARRAY_RESERVE(&s.list, s.list.n + 1);
	s.list.v[s.list.n] = NULL;
	*ret = s.list.v;
	return 0;
}
