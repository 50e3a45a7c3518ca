/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout is written by hand: a few small files and two folders, whose format gitrepository-layout(5) documents and git has kept for
 * fifteen years. `git init` would bring templates, the default branch's advice and whatever a newer git makes the default format;
 * `git clone --shared` would write each ref, and again at every refresh. References are copied as one packed-refs file.
 *
 * A checkout gets a repository of its own rather than being a linked worktree of one: builds tag, branch, commit, stash and collect garbage, and
 * what one leaves in shared refs the next one trips over ("a branch named 'build' already exists"). It goes away with its folder, it may be
 * moved or bound elsewhere, and `test -d .git`, which many build systems do, says what it says in the user's clone.
 */
#include "repo/mirror.h"

#include "base/str.h"
#include "sys/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int write_if_changed(const char *dir, const char *name, const char *bytes, size_t n,
			    struct err *e)
{
	AUTO_FREE char *path = fs_join(dir, name);
	AUTO(str) struct str old = STR_INIT;

	if (fs_exists(path)) {
		int r = fs_read(path, INT64_C(1) << 30, &old, e);

		if (r < 0)
			return r;
		if (old.n == n && !memcmp(old.p, bytes, n))
			return 0;
	}
	return fs_write_atomic(path, bytes, n, e);
}

static int write_text(const char *dir, const char *name, const struct str *text, struct err *e)
{
	return write_if_changed(dir, name, text->p, text->n, e);
}

/* A line of objects/info/alternates; git reads a leading '"' as C quoting, which a path with a newline needs. */
static void add_alternate(struct str *s, const char *path, size_t n)
{
	if (!memchr(path, '\n', n)) {
		str_add(s, path, n);
		str_putc(s, '\n');
		return;
	}
	str_putc(s, '"');
	for (size_t i = 0; i < n; i++) {
		if (path[i] == '\n')
			str_puts(s, "\\n");
		else if (path[i] == '"' || path[i] == '\\')
			str_addf(s, "\\%c", path[i]);
		else
			str_putc(s, path[i]);
	}
	str_puts(s, "\"\n");
}

static void put_alternates(const struct mirror_from *from, struct str *s)
{
	add_alternate(s, from->objects, strlen(from->objects));
	for (const char *p = from->more; p && *p;) {
		size_t n = strcspn(p, ":");

		if (n && *p == '/')
			add_alternate(s, p, n);
		p += n + (p[n] == ':');
	}
}

static void put_config(const struct mirror_from *from, bool bare, struct str *s)
{
	bool sha1 = !strcmp(from->format, "sha1");

	str_addf(s,
		 "[core]\n"
		 "\trepositoryFormatVersion = %d\n"
		 "\tbare = %s\n"
		 "\tfileMode = true\n"
		 "\tsymlinks = true\n"
		 "\tautocrlf = false\n"
		 "\ttrustctime = false\n"
		 "\tlogAllRefUpdates = false\n"
		 "\thooksPath = /dev/null\n"
		 "[gc]\n"
		 "\tauto = 0\n"
		 "[maintenance]\n"
		 "\tauto = false\n",
		 sha1 ? 0 : 1, bare ? "true" : "false");
	if (!sha1)
		str_addf(s, "[extensions]\n\tobjectFormat = %s\n", from->format);
}

static int copy_shallow(const char *git_dir, const char *from, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO_FREE char *mine = fs_join(git_dir, "shallow");

	if (!from || !fs_exists(from))
		return fs_remove_tree(mine, e);
	int r = fs_read(from, INT64_C(64) << 20, &text, e);

	return r < 0 ? r : write_text(git_dir, "shallow", &text, e);
}

static void put_refs(const struct mirror_from *from, struct str *s)
{
	str_puts(s, "# pack-refs with: sorted \n");
	str_puts(s, from->refs);
}

int mirror_refresh(const char *git_dir, const struct mirror_from *from, struct err *e)
{
	AUTO_FREE char *info = fs_join(git_dir, "objects/info");
	AUTO_FREE char *heads = fs_join(git_dir, "refs/heads");
	AUTO(str) struct str alternates = STR_INIT, config = STR_INIT, packed = STR_INIT;
	static const char head[] = "ref: refs/heads/none\n";
	int r;

	put_alternates(from, &alternates);
	put_config(from, true, &config);
	put_refs(from, &packed);
	if ((r = fs_mkdirs(info, e)) < 0 || (r = fs_mkdirs(heads, e)) < 0 ||
	    (r = write_text(info, "alternates", &alternates, e)) < 0 ||
	    (r = copy_shallow(git_dir, from->shallow, e)) < 0 ||
	    (r = write_text(git_dir, "packed-refs", &packed, e)) < 0 ||
	    (r = write_text(git_dir, "config", &config, e)) < 0 ||
	    (r = write_if_changed(git_dir, "HEAD", head, sizeof(head) - 1, e)) < 0)
		return err_wrap(e, "preparing %s", git_dir);
	return 0;
}

/* A small file in a folder that was just made. It is not synced: after a crash the checkout is made anew. */
static int write_new(const char *dir, const char *name, const char *text, size_t n, struct err *e)
{
	AUTO_FREE char *path = fs_join(dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int r = 0;

	if (fd < 0)
		return err_errno(e, "cannot write '%s'", path);
	while (n && r == 0) {
		ssize_t done = write(fd, text, n);

		if (done < 0 && errno != EINTR)
			r = err_errno(e, "cannot write '%s'", path);
		text += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	if (close(fd) < 0 && r == 0)
		r = err_errno(e, "cannot write '%s'", path);
	return r;
}

/* git replaces this file by renaming another over it, so a second link to ours is as good as a copy. */
static int place_refs(const char *git_dir, const struct mirror_from *from, struct err *e)
{
	AUTO_FREE char *path = fs_join(git_dir, "packed-refs");
	AUTO(str) struct str packed = STR_INIT;

	if (from->packed_refs && link(from->packed_refs, path) == 0)
		return 0;
	if (from->packed_refs) {
		int r = fs_read(from->packed_refs, INT64_C(1) << 30, &packed, e);

		if (r < 0)
			return r;
	} else {
		put_refs(from, &packed);
	}
	return write_new(git_dir, "packed-refs", packed.p, packed.n, e);
}

static int place_shallow(const char *git_dir, const struct mirror_from *from, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;

	if (!from->shallow || !fs_exists(from->shallow))
		return 0;
	int r = fs_read(from->shallow, INT64_C(64) << 20, &text, e);

	return r < 0 ? r : write_new(git_dir, "shallow", text.p, text.n, e);
}

int mirror_in(const char *work_dir, const struct mirror_from *from, const char *oid, struct err *e)
{
	AUTO_FREE char *git_dir = fs_join(work_dir, ".git");
	AUTO_FREE char *info = fs_join(git_dir, "objects/info");
	AUTO_FREE char *heads = fs_join(git_dir, "refs/heads");
	AUTO(str) struct str alternates = STR_INIT, config = STR_INIT, head = STR_INIT;
	int r;

	put_alternates(from, &alternates);
	put_config(from, false, &config);
	str_addf(&head, "%s\n", oid);
	if ((r = fs_mkdirs(info, e)) < 0 || (r = fs_mkdirs(heads, e)) < 0 ||
	    (r = write_new(info, "alternates", alternates.p, alternates.n, e)) < 0 ||
	    (r = place_shallow(git_dir, from, e)) < 0 || (r = place_refs(git_dir, from, e)) < 0 ||
	    (r = write_new(git_dir, "config", config.p, config.n, e)) < 0 ||
	    (r = write_new(git_dir, "HEAD", head.p, head.n, e)) < 0)
		return err_wrap(e, "preparing a checkout in %s", work_dir);
	return 0;
}
