/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpio - see cpio.h.
 *
 * The key is the hash of the archive's own bytes, made by the code that writes it, so that nothing can be in the archive and not in
 * its key. That reads every file twice when the archive is new; at some tens of megabytes it costs a tenth of a second, once.
 * Names are looked up in a plain array: an initramfs has some hundreds of entries.
 */
#include "kernel/cpio.h"

#include "sys/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cpio_done(struct cpio *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].path);
		free(c->v[i].host);
		free(c->v[i].bytes);
	}
	free(c->v);
	*c = (struct cpio){ 0 };
}

static struct cpio_entry *find(const struct cpio *c, const char *path)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].path, path))
			return &c->v[i];
	return NULL;
}

/* Without slashes at the start, at the end and doubled. */
static int clean_path(const char *path, struct str *out, struct err *e)
{
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");

		if ((n == 1 && p[0] == '.') || (n == 2 && !strncmp(p, "..", 2)))
			return err_set(e, ERR_USAGE,
				       "'%s' cannot be a path of a guest: it has a '%.*s'", path,
				       (int)n, p);
		if (n && out->n)
			str_putc(out, '/');
		str_add(out, p, n);
		p += n;
		p += strspn(p, "/");
	}
	if (!out->n)
		return err_set(e, ERR_USAGE, "'%s' cannot be a path of a guest: it names nothing",
			       path);
	return 0;
}

bool cpio_has(const struct cpio *c, const char *path)
{
	AUTO(str) struct str clean = STR_INIT;

	return clean_path(path, &clean, NULL) == 0 && find(c, clean.p);
}

static void add_parents(struct cpio *c, const char *path)
{
	for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		AUTO_FREE char *dir = xstrndup(path, (size_t)(p - path));

		if (!find(c, dir))
			*ARRAY_GROW(c) = (struct cpio_entry){ .path = TAKE_PTR(dir),
							      .mode = S_IFDIR | 0755 };
	}
}

/* A place for `path`; *ret is NULL where it is taken already. */
static int add(struct cpio *c, const char *path, mode_t mode, struct cpio_entry **ret,
	       struct err *e)
{
	AUTO(str) struct str clean = STR_INIT;
	struct cpio_entry *x;
	int r = clean_path(path, &clean, e);

	if (r < 0)
		return r;
	*ret = NULL;
	x = find(c, clean.p);
	if (x) {
		if (S_ISDIR(x->mode) && S_ISDIR(mode))
			x->mode = mode;
		return 0;
	}
	add_parents(c, clean.p);
	x = ARRAY_GROW(c);
	x->path = str_take(&clean);
	x->mode = mode;
	*ret = x;
	return 0;
}

int cpio_add_dir(struct cpio *c, const char *path, mode_t permissions, struct err *e)
{
	struct cpio_entry *x;

	return add(c, path, S_IFDIR | permissions, &x, e);
}

int cpio_add_bytes(struct cpio *c, const char *path, mode_t permissions, const char *bytes,
		   size_t n, struct err *e)
{
	struct cpio_entry *x;
	int r = add(c, path, S_IFREG | permissions, &x, e);

	if (r < 0 || !x)
		return r;
	x->bytes = xmemdup(n ? bytes : "", n ? n : 1);
	x->n = n;
	return 0;
}

int cpio_add_file(struct cpio *c, const char *path, mode_t permissions, const char *host,
		  struct err *e)
{
	struct cpio_entry *x;
	int r = add(c, path, S_IFREG | permissions, &x, e);

	if (r < 0 || !x)
		return r;
	x->host = xstrdup(host);
	return 0;
}

int cpio_add_link(struct cpio *c, const char *path, const char *target, struct err *e)
{
	struct cpio_entry *x;
	int r = add(c, path, S_IFLNK | 0777, &x, e);

	if (r < 0 || !x)
		return r;
	x->bytes = xstrdup(target);
	x->n = strlen(target);
	return 0;
}

int cpio_add_device(struct cpio *c, const char *path, mode_t permissions, unsigned major,
		    unsigned minor, struct err *e)
{
	struct cpio_entry *x;
	int r = add(c, path, S_IFCHR | permissions, &x, e);

	if (r < 0 || !x)
		return r;
	x->dev_major = major;
	x->dev_minor = minor;
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct cpio_entry *)a)->path, ((const struct cpio_entry *)b)->path);
}

/* Where the bytes go: into a hash or into a file. */
struct sink {
	struct sha256 *hash;
	FILE *file;
	uint64_t n;
};

static void put(struct sink *s, const void *bytes, size_t n)
{
	if (s->hash)
		sha256_add(s->hash, bytes, n);
	else
		(void)!fwrite(bytes, 1, n, s->file); /* cpio_write asks ferror at the end */
	s->n += n;
}

static void put_padding(struct sink *s, unsigned align)
{
	static const char zero[512];

	put(s, zero, (size_t)((align - s->n % align) % align));
}

static void put_header(struct sink *s, const struct cpio_entry *x, const char *path, size_t place,
		       uint64_t size)
{
	AUTO(str) struct str h = STR_INIT;

	str_addf(&h, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", (unsigned)place,
		 x->mode, 0U, 0U, S_ISDIR(x->mode) ? 2U : 1U, (unsigned)CPIO_TIME, (unsigned)size,
		 0U, 0U, x->dev_major, x->dev_minor, (unsigned)strlen(path) + 1, 0U);
	put(s, h.p, h.n);
	put(s, path, strlen(path) + 1);
	put_padding(s, 4);
}

static int put_host_file(struct sink *s, const struct cpio_entry *x, size_t place, struct err *e)
{
	static _Thread_local char buf[65536];
	int fd = open(x->host, O_RDONLY | O_CLOEXEC), r = 0;
	uint64_t left;
	struct stat st;

	if (fd < 0)
		return err_errno(e, "opening '%s' for the initramfs", x->host);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > UINT32_MAX) {
		close(fd);
		return err_set(e, ERR_ENV,
			       "'%s' cannot go into an initramfs: it is not a file below 4 GiB",
			       x->host);
	}
	put_header(s, x, x->path, place, (uint64_t)st.st_size);
	for (left = (uint64_t)st.st_size; left;) {
		ssize_t n = read(fd, buf, left < sizeof(buf) ? left : sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			r = err_errno(e, "reading '%s'", x->host);
		else if (n == 0)
			r = err_set(e, ERR_ENV, "'%s' became shorter while it was read", x->host);
		if (n <= 0)
			break;
		put(s, buf, (size_t)n);
		left -= (uint64_t)n;
	}
	close(fd);
	return r;
}

static int put_all(struct cpio *c, struct sink *s, struct err *e)
{
	static const struct cpio_entry trailer = { 0 };

	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_path);
	for (size_t i = 0; i < c->n; i++) {
		const struct cpio_entry *x = &c->v[i];
		int r;

		if (x->host) {
			r = put_host_file(s, x, i + 1, e);
			if (r < 0)
				return r;
		} else {
			put_header(s, x, x->path, i + 1, x->n);
			put(s, x->bytes, x->n);
		}
		put_padding(s, 4);
	}
	put_header(s, &trailer, "TRAILER!!!", 0, 0);
	put_padding(s, 512);
	return 0;
}

int cpio_key(struct cpio *c, char ret[65], struct err *e)
{
	struct sink s = { .hash = sha256_new() };
	char hex[65];
	int r = put_all(c, &s, e);

	sha256_finish(s.hash, hex);
	if (r == 0)
		memcpy(ret, hex, sizeof(hex));
	return r;
}

int cpio_write(struct cpio *c, const char *path, struct err *e)
{
	AUTO_FREE char *temporary = xasprintf("%s.%d.tmp", path, (int)getpid());
	struct sink s = { .file = fopen(temporary, "we") };
	int r;

	if (!s.file)
		return err_errno(e, "creating '%s'", temporary);
	r = put_all(c, &s, e);
	if (fflush(s.file) == EOF || ferror(s.file))
		r = r < 0 ? r : err_errno(e, "writing '%s'", temporary);
	if (fclose(s.file) == EOF && r == 0)
		r = err_errno(e, "writing '%s'", temporary);
	if (r == 0 && rename(temporary, path) < 0)
		r = err_errno(e, "renaming '%s'", temporary);
	if (r < 0)
		unlink(temporary);
	return r;
}
