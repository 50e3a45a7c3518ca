/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * artefact - made or changed by (size, mtime, ctime, inode) against a snapshot, then hashed by content.
 *
 * Comparing with git's own hashes was refused: it needs the attributes machinery (line endings, filters) and reads every file. The
 * price is that a tracked file that is only touched counts with its content, which can only split candidates, never
 * merge them.
 */
#include "bench/artefact.h"

#include "sys/fs.h"
#include "sys/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct file {
	char *path;
	struct stat st;
};
struct snapshot {
	struct file *v;
	size_t n, cap;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static int take_one(void *arg, const struct walk_entry *x, struct err *e UNUSED)
{
	struct snapshot *s = arg;
	struct file f = { NULL, *x->st };

	if (!strcmp(x->name, ".git"))
		return WALK_SKIP;
	if (S_ISDIR(x->st->st_mode))
		return WALK_ON;
	f.path = xstrdup(x->path);
	ARRAY_PUSH(s, f);
	return WALK_ON;
}

int snapshot_take(const char *root, struct snapshot **ret, struct err *e)
{
	struct snapshot *s = xcalloc(1, sizeof(*s));
	int r = walk_tree(root, take_one, s, e);

	if (r < 0) {
		snapshot_free(s);
		return r;
	}
	if (s->n)
		qsort(s->v, s->n, sizeof(s->v[0]), by_path);
	*ret = s;
	return 0;
}

void snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].path);
	free(s->v);
	free(s);
}

/* --- which files count ---------------------------------------------------------------------------------------------- */

static bool matches(const char *path, const char *const *patterns)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	for (; *patterns; patterns++) {
		const char *p = *patterns;

		/* "x/" is a folder anywhere, the rest is the file's own name */
		if (ends_with(p, "/")) {
			size_t n = strlen(p);

			for (const char *at = path; at;
			     at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
				if (!strncmp(at, p, n))
					return true;
		} else if (!fnmatch(p, name, 0)) {
			return true;
		}
	}
	return false;
}

static bool is_by_product(const char *path)
{
	static const char *const patterns[] = {
		"*.o",
		"*.lo",
		"*.obj",
		"*.d",
		"*.dep",
		"*.dwo",
		"*.gcno",
		"*.gcda",
		"*.log",
		"*.tmp",
		"*.pyc",
		"*.stamp",
		"stamp-*",
		"*.cmd",
		"config.status",
		"config.cache",
		".ninja_log",
		".ninja_deps",
		".deps/",
		"CMakeFiles/",
		"CMakeCache.txt",
		"autom4te.cache/",
		"meson-logs/",
		"meson-private/",
		"meson-info/",
		"__pycache__/",
		".cache/",
		"incremental/",
		".fingerprint/",
		".cargo-lock",
		".rustc_info.json",
		".package-lock.json",
		NULL,
	};

	return matches(path, patterns);
}

/* Read by a compiler or by people, not by the program that was built. */
static bool is_compile_only(const char *path)
{
	static const char *const patterns[] = {
		"*.c",
		"*.h",
		"*.cc",
		"*.cpp",
		"*.cxx",
		"*.c++",
		"*.hh",
		"*.hpp",
		"*.hxx",
		"*.inl",
		"*.S",
		"*.s",
		"*.asm",
		"*.rs",
		"*.go",
		"*.f",
		"*.f90",
		"*.zig",
		"*.md",
		"*.rst",
		"*.adoc",
		"*.texi",
		"*.[1-9]",
		"COPYING*",
		"LICENSE*",
		"ChangeLog*",
		"README*",
		"NEWS*",
		"AUTHORS*",
		".gitignore",
		".gitattributes",
		".github/",
		".clang-format",
		NULL,
	};

	return matches(path, patterns);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mode == b->st_mode &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Present before, and untouched? */
static bool is_untouched(const struct snapshot *before, const struct file *now)
{
	const struct file *was =
		before->n ? bsearch(now, before->v, before->n, sizeof(before->v[0]), by_path)
			  : NULL;

	return was && is_same(&was->st, &now->st);
}

/* An ELF program or shared library (e_type 2 or 3), as a build makes it. */
static bool is_program(const char *root, const struct file *f)
{
	AUTO_FREE char *path = fs_join(root, f->path);
	unsigned char head[18] = { 0 };

	if (!S_ISREG(f->st.st_mode) || f->st.st_size < 64)
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOATIME);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, head, sizeof(head));

	close(fd);
	if (n != (ssize_t)sizeof(head) || memcmp(head, "\177ELF", 4) != 0)
		return false;
	int type = head[5] == 2 ? head[17] : head[16]; /* e_type in the file's byte order */

	return type == 2 || type == 3;
}

/* --- hashing -------------------------------------------------------------------------------------------------------- */

/* Name, kind, executable bit and content. */
static int add_file(struct sha256 *h, const char *root, const struct file *f, struct err *e)
{
	AUTO_FREE char *path = fs_join(root, f->path);
	char text[4200];
	int r = 0;

	sha256_add(h, f->path, strlen(f->path) + 1);
	if (S_ISLNK(f->st.st_mode)) {
		ssize_t n = readlink(path, text, sizeof(text));

		sha256_add(h, "link", 5);
		if (n > 0)
			sha256_add(h, text, (size_t)n);
	} else if (S_ISREG(f->st.st_mode)) {
		sha256_add(h, f->st.st_mode & 0100 ? "exec" : "file", 5);
		r = sha256_file(path, text, e);
		if (r == 0)
			sha256_add(h, text, 65);
	} else {
		sha256_add(h, "other", 6);
	}
	return r;
}

static int hash_undeclared(struct sha256 *h, const char *root, const struct snapshot *before,
			   struct err *e)
{
	struct snapshot *now = NULL;
	bool made_program = false;
	int r = snapshot_take(root, &now, e);

	for (size_t i = 0; r == 0 && i < now->n && !made_program; i++)
		made_program = !is_untouched(before, &now->v[i]) &&
			       !is_by_product(now->v[i].path) && is_program(root, &now->v[i]);
	for (size_t i = 0; r == 0 && i < now->n; i++) {
		const struct file *f = &now->v[i];
		bool counts = is_untouched(before, f) ? !(made_program && is_compile_only(f->path))
						      : !is_by_product(f->path);

		if (counts)
			r = add_file(h, root, f, e);
	}
	snapshot_free(now);
	return r;
}

/* A pattern's matches below dir. The dir's own characters are taken literally. */
static int match_glob(const char *dir, const char *pattern, glob_t *ret)
{
	AUTO(str) struct str full = STR_INIT;

	for (const char *p = dir; *p; p++) {
		if (strchr("*?[\\", *p))
			str_putc(&full, '\\');
		str_putc(&full, *p);
	}
	str_addf(&full, "/%s", pattern);
	return glob(full.p, GLOB_NOSORT, NULL, ret);
}

/* One declared artefact: a file, or all that a folder holds. */
static int add_declared(struct snapshot *files, const char *root, const char *path, struct err *e)
{
	struct file f = { NULL, { 0 } };
	size_t root_n = strlen(root) + 1, first = files->n;

	if (fs_is_dir(path)) {
		int r = walk_tree(path, take_one, files, e);

		for (size_t i = first; r == 0 && i < files->n; i++) {
			char *inner = files->v[i].path;

			files->v[i].path = xasprintf("%s/%s", path + root_n, inner);
			free(inner);
		}
		return r;
	}
	/* A declared link counts as what it points to. */
	if (stat(path, &f.st) < 0)
		return err_errno(e, "reading '%s'", path);
	f.path = xstrdup(path + root_n);
	ARRAY_PUSH(files, f);
	return 0;
}

static int hash_declared(struct sha256 *h, const char *root, const char *subdir,
			 const char *const *declared, char **ret_missing, struct err *e)
{
	AUTO_FREE char *dir = subdir ? fs_join(root, subdir) : xstrdup(root);
	struct snapshot *files = xcalloc(1, sizeof(*files));
	int r = 0;

	for (; *declared && r == 0 && !*ret_missing; declared++) {
		glob_t g;

		if (match_glob(dir, *declared, &g) != 0) {
			*ret_missing = xstrdup(*declared);
			break;
		}
		for (size_t i = 0; i < g.gl_pathc && r == 0; i++)
			r = add_declared(files, root, g.gl_pathv[i], e);
		globfree(&g);
	}
	if (files->n)
		qsort(files->v, files->n, sizeof(files->v[0]), by_path);
	for (size_t i = 0; i < files->n && r == 0 && !*ret_missing; i++)
		r = add_file(h, root, &files->v[i], e);
	snapshot_free(files);
	return r;
}

int artefact_hash(const char *root, const char *subdir, const char *const *declared,
		  const struct snapshot *before, const char *extra, char ret[65],
		  char **ret_missing, struct err *e)
{
	struct sha256 *h = sha256_new();
	char hex[65];
	int r;

	*ret_missing = NULL;
	sha256_add(h, extra, strlen(extra) + 1);
	if (declared && declared[0])
		r = hash_declared(h, root, subdir, declared, ret_missing, e);
	else
		r = hash_undeclared(h, root, before, e);
	sha256_finish(h, hex);
	if (r == 0 && !*ret_missing)
		memcpy(ret, hex, sizeof(hex));
	return r;
}
