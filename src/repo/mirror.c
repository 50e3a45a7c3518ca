/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout is written by hand: four small files and two folders, whose format gitrepository-layout(5) documents and git has kept for
 * fifteen years. `git init` would bring templates, the default branch's advice and whatever a newer git makes the default format;
 * `git clone --shared` would write each ref, and again at every refresh. References are copied as one packed-refs file.
 *
 * Worktrees are attached by hand too, for the same reason and one more: `git worktree add` wants a name that is free and a
 * folder that is where it will stay, while a tree here is bound or renamed to one canonical path for its build. git never needs the
 * back link (`gitdir`) but for pruning, which is off here.
 */
#include "repo/mirror.h"

#include "base/str.h"
#include "sys/fs.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
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

static void put_config(const struct mirror_from *from, struct str *s)
{
	bool sha1 = !strcmp(from->format, "sha1");

	str_addf(s,
		 "[core]\n"
		 "\trepositoryFormatVersion = %d\n"
		 "\tbare = true\n"
		 "\tfileMode = true\n"
		 "\tsymlinks = true\n"
		 "\tautocrlf = false\n"
		 "\ttrustctime = false\n"
		 "\tlogAllRefUpdates = false\n"
		 "\thooksPath = /dev/null\n"
		 "[gc]\n"
		 "\tauto = 0\n"
		 "\tworktreePruneExpire = never\n"
		 "[maintenance]\n"
		 "\tauto = false\n",
		 sha1 ? 0 : 1);
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

static int refresh(const char *git_dir, const struct mirror_from *from, struct err *e)
{
	AUTO_FREE char *info = fs_join(git_dir, "objects/info");
	AUTO_FREE char *refs = fs_join(git_dir, "refs");
	AUTO_FREE char *heads = fs_join(refs, "heads");
	AUTO(str) struct str alternates = STR_INIT, config = STR_INIT, packed = STR_INIT;
	static const char head[] = "ref: refs/heads/none\n";
	int r;

	put_alternates(from, &alternates);
	put_config(from, &config);
	str_puts(&packed, "# pack-refs with: sorted \n");
	str_puts(&packed, from->refs);
	/* Loose references are left by builds that tag or branch; the next build must not trip over them. */
	if ((r = fs_mkdirs(info, e)) < 0 || (r = fs_remove_tree(refs, e)) < 0 ||
	    (r = fs_mkdirs(heads, e)) < 0 ||
	    (r = write_text(info, "alternates", &alternates, e)) < 0 ||
	    (r = copy_shallow(git_dir, from->shallow, e)) < 0 ||
	    (r = write_text(git_dir, "packed-refs", &packed, e)) < 0 ||
	    (r = write_text(git_dir, "config", &config, e)) < 0 ||
	    (r = write_if_changed(git_dir, "HEAD", head, sizeof(head) - 1, e)) < 0)
		return err_wrap(e, "preparing %s", git_dir);
	return 0;
}

/* Checkouts run side by side, and two may bring the same submodule's repository up to date. */
int mirror_refresh(const char *git_dir, const struct mirror_from *from, struct err *e)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	int r = refresh(git_dir, from, e);

	pthread_mutex_unlock(&lock);
	return r;
}

/* A small file in a folder that was just made. It is not synced: after a crash the checkout is made anew. */
static int write_new(const char *dir, const char *name, const char *text, struct err *e)
{
	AUTO_FREE char *path = fs_join(dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	size_t n = strlen(text);

	if (fd < 0)
		return err_errno(e, "cannot write '%s'", path);
	ssize_t done = write(fd, text, n);

	if (close(fd) < 0 || done != (ssize_t)n)
		return err_errno(e, "cannot write '%s'", path);
	return 0;
}

/* worktrees/NAME-HASH: the hash of the whole path keeps equal base names apart. FNV-1a, 64 bits. */
char *mirror_admin_dir(const char *git_dir, const char *work_dir)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	const char *base = strrchr(work_dir, '/');

	for (const char *p = work_dir; *p; p++)
		h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	base = base ? base + 1 : work_dir;
	return xasprintf("%s/worktrees/%.40s-%016llx", git_dir, base, (unsigned long long)h);
}

int mirror_attach(const char *git_dir, const char *work_dir, const char *oid, char **ret_admin,
		  struct err *e)
{
	AUTO_FREE char *admin = mirror_admin_dir(git_dir, work_dir);
	AUTO_FREE char *head = xasprintf("%s\n", oid);
	AUTO_FREE char *back = xasprintf("%s/.git\n", work_dir);
	AUTO_FREE char *link = xasprintf("gitdir: %s\n", admin);
	int r;

	if ((r = fs_remove_tree(admin, e)) < 0 || (r = fs_mkdirs(admin, e)) < 0 ||
	    (r = fs_mkdirs(work_dir, e)) < 0 || (r = write_new(admin, "HEAD", head, e)) < 0 ||
	    (r = write_new(admin, "gitdir", back, e)) < 0 ||
	    (r = write_new(admin, "commondir", "../..\n", e)) < 0 ||
	    (r = write_new(work_dir, ".git", link, e)) < 0)
		return err_wrap(e, "preparing a checkout in %s", work_dir);
	*ret_admin = TAKE_PTR(admin);
	return 0;
}

int mirror_detach(const char *git_dir, const char *work_dir, struct err *e)
{
	AUTO_FREE char *admin = mirror_admin_dir(git_dir, work_dir);

	return fs_remove_tree(admin, e);
}
