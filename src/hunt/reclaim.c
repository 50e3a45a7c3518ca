/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt/reclaim.h"

#include "kernel/kept.h"
#include "store/store.h"
#include "sys/fs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static char *package_of(const struct store *st, const char *path)
{
	AUTO_FREE char *dir = fs_join(store_dir(st), path);
	AUTO_FREE char *debs = fs_join(store_dir(st), "debs/");
	struct kernel_image k = { 0 };
	struct err ignored = ERR_INIT;
	char *ret = NULL;

	/* packages elsewhere ($CULPRIT_DEBS) are not ours to remove */
	if (kept_read(dir, &k, &ignored) == 0 && starts_with(k.image, debs)) {
		const char *name = k.image + strlen(debs);

		ret = xasprintf("debs/%.*s", (int)strcspn(name, "/"), name);
	}
	kernel_image_done(&k);
	return ret;
}

static void add(struct reclaimables *r, const struct store *st, const struct reclaimable *x)
{
	struct reclaimable *n = ARRAY_GROW(r);

	*n = *x;
	if (starts_with(n->path, "kernels/")) {
		n->what = "kernel";
		n->with = package_of(st, n->path);
	}
}

bool reclaim_claims(const struct reclaimables *r, const char *path)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->v[i].path, path) || (r->v[i].with && !strcmp(r->v[i].with, path)))
			return true;
	return false;
}

/* What stands in a folder of the store and no build claims. `mark`: the file of it whose time is that of the last use. */
static void add_folder(const struct store *st, const char *name, const char *mark, const char *what,
		       struct reclaimables *r)
{
	AUTO_FREE char *folder = fs_join(store_dir(st), name);
	DIR *d = opendir(folder);
	struct dirent *entry;

	while (d && (entry = readdir(d)) != NULL) {
		AUTO_FREE char *path = fs_join(name, entry->d_name);
		AUTO_FREE char *full = fs_join(store_dir(st), path);
		AUTO_FREE char *marked = *mark ? fs_join(full, mark) : xstrdup(full);

		/* KEY.size beside kernels/KEY is no kernel */
		if (*entry->d_name == '.' || (*mark && !fs_is_dir(full)) || reclaim_claims(r, path))
			continue;
		add(r, st,
		    &(struct reclaimable){ .path = TAKE_PTR(path),
					   .variant = xstrdup(""),
					   .what = what,
					   .used_ns = fs_time(marked) });
	}
	if (d)
		closedir(d);
}

static int by_use(const void *a, const void *b)
{
	const struct reclaimable *x = a, *y = b;

	if (x->used_ns != y->used_ns)
		return x->used_ns < y->used_ns ? -1 : 1;
	return x->build != y->build ? (x->build < y->build ? -1 : 1) : strcmp(x->path, y->path);
}

int reclaim_list(struct store *st, struct reclaimables *ret, struct err *e)
{
	AUTO(tree_rows) struct tree_rows trees = { 0 };
	int r = query_trees(st, &trees, e);

	*ret = (struct reclaimables){ 0 };
	if (r < 0)
		return r;
	for (size_t i = 0; i < trees.n; i++) {
		struct tree_row *t = &trees.v[i];

		add(ret, st,
		    &(struct reclaimable){ .build = t->build,
					   .path = TAKE_PTR(t->path),
					   .variant = TAKE_PTR(t->variant),
					   .what = "built tree",
					   .used_ns = t->used_ns,
					   .needed = t->needed });
	}
	add_folder(st, "kernels", "kernel", "kernel", ret);
	add_folder(st, "initramfs", "", "initramfs", ret);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_use);
	return 0;
}

void reclaimables_done(struct reclaimables *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i].path);
		free(r->v[i].with);
		free(r->v[i].variant);
	}
	free(r->v);
	*r = (struct reclaimables){ 0 };
}
