/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which words of a command are files? Every blank-separated word, without quotes, that names an existing regular text file below
 * the checkout which git neither tracks nor ignores there. Tracked files are part of the commit that is measured; ignored files and
 * binaries are products of the user's own build, and measuring one of those instead of the tree's would be the
 * worst of mistakes. Whoever needs such a file says so in `files:`.
 *
 * A file is laid over a tree where the tree has none of that name, or where we laid one before (STORE/trees/KEY.laid
 * remembers); what `files:` names is laid in any case.
 */
#include "hunt/freeze.h"

#include "sys/fs.h"

#include <ctype.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 1 << 28 };

/* Text, below the checkout, neither tracked nor ignored. */
static bool is_script(struct session *s, const char *path)
{
	AUTO_FREE char *full = fs_join(s->top, path);
	AUTO(str) struct str bytes = STR_INIT;
	bool untracked = false;

	if (fs_read(full, FILE_MAX, &bytes, NULL) < 0 ||
	    memchr(bytes.p, 0, bytes.n < 8000 ? bytes.n : 8000))
		return false;
	return s->repo && repo_is_untracked(s->repo, path, &untracked, NULL) == 0 && untracked;
}

/* `rel` is relative to the checkout's root; kept once. */
static void keep(struct session *s, const char *rel)
{
	for (size_t i = 0; i < s->data_files.n; i++)
		if (!strcmp(s->data_files.v[i], rel))
			return;
	strvec_add(&s->data_files, rel);
}

static bool is_file_below(const char *top, const char *rel)
{
	AUTO_FREE char *path = fs_join(top, rel);
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size < FILE_MAX;
}

static const char *without_dots(const char *p)
{
	while (starts_with(p, "./"))
		p += 2;
	return p;
}

/* Words of the command that are untracked files. */
static void keep_words(struct session *s, const char *command)
{
	const char *top = s->top;
	const char *subdir = s->config.project.subdir;

	for (const char *p = command; *p;) {
		size_t n = strcspn(p, " \t\r\n;|&<>()'\"$`");
		AUTO_FREE char *word = xstrndup(p, n);
		const char *w = without_dots(word);

		p += n + (p[n] ? 1 : 0);
		if (!*w || *w == '/' || *w == '-' || strstr(w, ".."))
			continue;
		AUTO_FREE char *inside = subdir ? fs_join(subdir, w) : NULL;
		const char *candidates[] = { inside, w };

		for (size_t i = 0; i < ARRAY_LEN(candidates); i++) {
			const char *c = candidates[i];

			if (c && is_file_below(top, c) && !starts_with(c, ".culprit/") &&
			    is_script(s, c)) {
				keep(s, c);
				break;
			}
		}
	}
}

static int keep_globs(struct session *s, struct err *e)
{
	const char *top = s->top;

	for (const char **f = s->bench->files; f && *f; f++) {
		AUTO_FREE char *pattern = fs_join(top, without_dots(*f));
		glob_t g = { 0 };

		if (glob(pattern, 0, NULL, &g) || !g.gl_pathc) {
			globfree(&g);
			return err_set(e, ERR_USAGE,
				       "benchmarks.%s.files: '%s' matches nothing in %s",
				       s->bench->name, *f, top);
		}
		for (size_t i = 0; i < g.gl_pathc; i++) {
			const char *rel = g.gl_pathv[i] + strlen(top) + 1;

			if (is_file_below(top, rel))
				keep(s, rel);
		}
		globfree(&g);
	}
	return 0;
}

static int copy_one(const char *from_dir, const char *to_dir, const char *rel, struct err *e)
{
	AUTO_FREE char *from = fs_join(from_dir, rel);
	AUTO_FREE char *to = fs_join(to_dir, rel);
	AUTO(str) struct str bytes = STR_INIT;
	AUTO(str) struct str old = STR_INIT;
	struct stat st;
	int r = fs_read(from, FILE_MAX, &bytes, e);

	if (r < 0)
		return r;
	if (fs_exists(to) && fs_read(to, FILE_MAX, &old, NULL) == 0 && old.n == bytes.n &&
	    !memcmp(old.p, bytes.p, bytes.n))
		return 0;
	AUTO_FREE char *parent = xstrdup(to);

	*strrchr(parent, '/') = '\0';
	if ((r = fs_mkdirs(parent, e)) < 0 || (r = fs_write_atomic(to, bytes.p, bytes.n, e)) < 0)
		return r;
	if (stat(from, &st) || chmod(to, st.st_mode & 0777))
		return err_errno(e, "setting the mode of %s", to);
	return 0;
}

/* The hash over names and contents, in the order of `files` and then of the command's words. */
static int hash_files(struct session *s, const char *top, char ret[65], struct err *e)
{
	struct sha256 *h = sha256_new();
	int r = 0;

	for (size_t i = 0; i < s->data_files.n && r == 0; i++) {
		AUTO_FREE char *path = fs_join(top, s->data_files.v[i]);
		AUTO(str) struct str bytes = STR_INIT;

		r = fs_read(path, FILE_MAX, &bytes, e);
		sha256_add(h, s->data_files.v[i], strlen(s->data_files.v[i]) + 1);
		sha256_add(h, bytes.p, bytes.n);
	}
	sha256_finish(h, ret);
	return r;
}

int freeze_files(struct session *s, struct err *e)
{
	const char *top = s->top;
	char hash[65], name[80];
	int r = keep_globs(s, e);

	if (r < 0)
		return r;
	s->n_forced_files = s->data_files.n;

	const char *commands[] = { s->bench->command, s->bench->prepare, s->bench->cleanup,
				   s->config.project.build };

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (commands[i])
			keep_words(s, commands[i]);
	r = hash_files(s, top, hash, e);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "data/%.16s", hash);
	s->data_dir = fs_join(s->store_dir, name);
	s->data_hash = xstrdup(s->data_files.n ? hash : "");
	r = fs_mkdirs(s->data_dir, e);
	for (size_t i = 0; i < s->data_files.n && r == 0; i++) {
		session_note(s, "takes %s from the checkout (frozen for this hunt)",
			     s->data_files.v[i]);
		r = copy_one(top, s->data_dir, s->data_files.v[i], e);
	}
	return r;
}

static bool has_line(const char *text, const char *line)
{
	size_t n = strlen(line);

	for (const char *p = text; (p = strstr(p, line)); p++)
		if ((p == text || p[-1] == '\n') && (p[n] == '\n' || !p[n]))
			return true;
	return false;
}

/* Is the file one of those that `files:` names (the first of the list)? They win over what the tree holds. */
static bool always(const struct session *s, size_t i)
{
	return i < s->n_forced_files;
}

int freeze_overlay(const struct session *s, const char *dir, struct err *e)
{
	AUTO_FREE char *list = xasprintf("%s.laid", dir);
	AUTO(str) struct str laid = STR_INIT;
	bool changed = false;
	int r;

	if (!s->data_files.n)
		return 0;
	if (fs_exists(list) && (r = fs_read(list, 1 << 20, &laid, e)) < 0)
		return r;
	for (size_t i = 0; i < s->data_files.n; i++) {
		const char *rel = s->data_files.v[i];
		AUTO_FREE char *to = fs_join(dir, rel);
		bool ours = has_line(laid.p, rel);

		if (fs_exists(to) && !ours && !always(s, i))
			continue;
		if ((r = copy_one(s->data_dir, dir, rel, e)) < 0)
			return err_wrap(e, "laying %s over the tree", rel);
		if (!ours) {
			str_addf(&laid, "%s\n", rel);
			changed = true;
		}
	}
	return changed ? fs_write_atomic(list, laid.p, laid.n, e) : 0;
}
