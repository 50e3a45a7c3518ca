/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules - see modules.h.
 *
 * One walk over the folder gives name -> path; a kernel of Debian has some four thousand. Only modules that are needed are unpacked and read.
 * Dependencies have no cycles (depmod refuses them); should there be one, the module that is met again counts as placed.
 */
#include "kernel/modules.h"

#include "kernel/decompress.h"
#include "kernel/elf.h"
#include "sys/fs.h"
#include "sys/walk.h"

#include <string.h>
#include <sys/stat.h>

enum { MODULE_MAX = 256 << 20 };

void kernel_modules_done(struct kernel_modules *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->v[i].name);
		free(m->v[i].path);
		free(m->v[i].args);
		str_done(&m->v[i].bytes);
	}
	free(m->v);
	*m = (struct kernel_modules){ 0 };
}

/* "kernel/drivers/block/null-blk.ko.xz" -> "null_blk"; NULL for other files. */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dot = strstr(base, ".ko");
	char *name;

	if (!dot || (dot[3] && dot[3] != '.'))
		return NULL;
	name = xstrndup(base, (size_t)(dot - base));
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

/* All there are, by name. */
struct known {
	char *name, *path;
};
struct index {
	const char *folder;
	struct known *v;
	size_t n, cap;
	struct strvec builtin;
	struct strvec met; /* placed, or being placed */
};

static void index_done(struct index *x)
{
	for (size_t i = 0; i < x->n; i++) {
		free(x->v[i].name);
		free(x->v[i].path);
	}
	free(x->v);
	strvec_done(&x->builtin);
	strvec_done(&x->met);
}

static int visit(void *arg, const struct walk_entry *w, struct err *e UNUSED)
{
	struct index *x = arg;
	AUTO_FREE char *name = S_ISREG(w->st->st_mode) ? name_of(w->path) : NULL;

	/* "build" and "source" link to trees with everything once more; links are not followed. */
	if (name)
		*ARRAY_GROW(x) = (struct known){ TAKE_PTR(name), fs_join(x->folder, w->path) };
	return WALK_ON;
}

static int by_name(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : strcmp(x->path, y->path);
}

static void read_builtin(struct index *x)
{
	AUTO_FREE char *path = fs_join(x->folder, "modules.builtin");
	AUTO(str) struct str text = STR_INIT;
	char *save = NULL;

	if (fs_read(path, 16 << 20, &text, NULL) < 0)
		return;
	for (char *line = strtok_r(text.p, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *name = name_of(line);

		if (name)
			strvec_take(&x->builtin, name);
	}
}

static bool listed(const struct strvec *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->v[i], name))
			return true;
	return false;
}

static const struct known *lookup(const struct index *x, const char *name)
{
	struct known key = { .name = (char *)(uintptr_t)name, .path = str_empty };
	size_t lo = 0, hi = x->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_name(&x->v[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < x->n && !strcmp(x->v[lo].name, name) ? &x->v[lo] : NULL;
}

static int place(struct index *x, const char *name, const char *args, bool optional,
		 const char *needed_by, struct kernel_modules *ret, struct err *e);

/* "a,b" of depends=, "a b" of softdep=pre: */
static int place_list(struct index *x, const char *list, bool optional, const char *by,
		      struct kernel_modules *ret, struct err *e)
{
	while (*list) {
		size_t n = strcspn(list, ", ");
		AUTO_FREE char *name = xstrndup(list, n);
		int r;

		list += n;
		list += strspn(list, ", ");
		if (ends_with(name, ":")) { /* "post:", or a second "pre:" */
			if (!strcmp(name, "post:"))
				return 0;
			continue;
		}
		r = *name ? place(x, name, "", optional, by, ret, e) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

static int place_dependencies(struct index *x, const char *name, const char *path,
			      const struct str *bytes, struct kernel_modules *ret, struct err *e)
{
	AUTO(str) struct str info = STR_INIT;
	AUTO_FREE char *what = xasprintf("the module '%s'", path);
	int r = elf_section(bytes->p, bytes->n, ".modinfo", what, &info, e);

	for (size_t at = 0; r == 0 && at < info.n; at += strlen(info.p + at) + 1) {
		if (starts_with(info.p + at, "depends="))
			r = place_list(x, info.p + at + strlen("depends="), false, name, ret, e);
		else if (starts_with(info.p + at, "softdep=pre: "))
			r = place_list(x, info.p + at + strlen("softdep=pre: "), true, name, ret,
				       e);
	}
	return r;
}

static int missing(const struct index *x, const char *name, const char *needed_by, struct err *e)
{
	if (needed_by)
		return err_set(e, ERR_MISSING, "the module '%s' needs '%s', which is not in '%s'",
			       needed_by, name, x->folder);
	return err_set(e, ERR_MISSING,
		       "this kernel has no module '%s', nor is it built in ('%s' has %zu modules)",
		       name, x->folder, x->n);
}

static int place(struct index *x, const char *wanted, const char *args, bool optional,
		 const char *needed_by, struct kernel_modules *ret, struct err *e)
{
	AUTO_FREE char *file = xasprintf("%s.ko", wanted);
	AUTO_FREE char *name = name_of(file);
	AUTO(str) struct str packed = STR_INIT, bytes = STR_INIT;
	const struct known *k;
	int r;

	if (listed(&x->met, name) || listed(&x->builtin, name))
		return 0;
	k = lookup(x, name);
	if (!k)
		return optional ? 0 : missing(x, name, needed_by, e);
	strvec_add(&x->met, name);
	r = fs_read(k->path, MODULE_MAX, &packed, e);
	if (r == 0)
		r = decompress(packed.p, packed.n, MODULE_MAX, k->path, &bytes, e);
	if (r == 0)
		r = place_dependencies(x, name, k->path, &bytes, ret, e);
	if (r < 0)
		return r;
	*ARRAY_GROW(ret) = (struct kernel_module){ .name = TAKE_PTR(name),
						   .path = xstrdup(k->path),
						   .args = xstrdup(args),
						   .bytes = bytes };
	bytes = (struct str)STR_INIT;
	return 0;
}

int kernel_modules_find(const char *folder, const char *const *wanted, struct kernel_modules *ret,
			struct err *e)
{
	AUTO(index) struct index x = { .folder = folder };
	AUTO(kernel_modules) struct kernel_modules found = { 0 };
	int r;

	if (!folder || !wanted || !wanted[0])
		return 0;
	if (!fs_is_dir(folder))
		return err_set(e, ERR_MISSING, "'%s' is not a folder of modules", folder);
	r = walk_tree(folder, visit, &x, e);
	if (x.n)
		qsort(x.v, x.n, sizeof(*x.v), by_name);
	read_builtin(&x);
	for (size_t i = 0; r == 0 && wanted[i]; i++) {
		bool optional = wanted[i][0] == '?';
		const char *text = wanted[i] + optional;
		size_t n = strcspn(text, " ");
		AUTO_FREE char *name = xstrndup(text, n);

		r = place(&x, name, text[n] ? text + n + 1 : "", optional, NULL, &found, e);
	}
	if (r < 0)
		return r;
	kernel_modules_done(ret);
	*ret = found;
	found = (struct kernel_modules){ 0 };
	return 0;
}
