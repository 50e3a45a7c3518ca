/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/place.h"

#include "base/str.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool src_taken; /* by this process, where trees are moved */

int place_mend(const char *store_dir, struct err *e)
{
	AUTO_FREE char *note = fs_join(store_dir, "src.tree");
	AUTO_FREE char *src = fs_join(store_dir, "src");
	AUTO(str) struct str tree = STR_INIT;

	if (!fs_exists(note))
		return 0;
	int r = fs_read(note, 4096, &tree, e);

	if (r < 0)
		return r;
	AUTO_FREE char *home = fs_join(store_dir, tree.p);

	if (fs_is_dir(src) && !fs_exists(home) && rename(src, home) < 0)
		return err_errno(e, "moving '%s' back to '%s'", src, home);
	unlink(note);
	return 0;
}

static int move_there(struct place *p, const char *store_dir, const char *tree, struct err *e)
{
	AUTO_FREE char *note = fs_join(store_dir, "src.tree");
	int r = fs_write_atomic(note, tree, strlen(tree), e);

	if (r < 0)
		return r;
	rmdir(p->src);
	if (rename(p->tree, p->src) < 0) {
		r = err_errno(e, "moving '%s' to '%s'", p->tree, p->src);
		unlink(note);
	}
	return r;
}

int place_take(const char *store_dir, const char *tree, struct place *ret, struct err *e)
{
	return place_take_by(store_dir, tree, proc_can_bind(), ret, e);
}

int place_take_by(const char *store_dir, const char *tree, bool bind, struct place *ret,
		  struct err *e)
{
	AUTO_FREE char *store = NULL;
	struct place p = { .is_bound = bind };
	int r = src_taken
			? err_set(e, ERR_BUSY,
				  "'%s/src' is in use, and without mount namespaces only one tree can be used at a time",
				  store_dir)
			: fs_realpath(store_dir, &store, e);

	if (r == 0)
		r = place_mend(store, e);
	if (r < 0)
		return r;
	p.tree = fs_join(store, tree);
	p.src = fs_join(store, "src");
	if (!fs_is_dir(p.tree))
		r = err_set(e, ERR_MISSING, "the built tree '%s' is gone", p.tree);
	else
		r = p.is_bound ? fs_mkdirs(p.src, e) : move_there(&p, store, tree, e);
	if (r < 0) {
		free(p.tree);
		free(p.src);
		return r;
	}
	src_taken = !p.is_bound;
	*ret = p;
	return 0;
}

static bool is_within(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

/* A folder within one that is listed goes with it. */
static void add_outermost(struct strvec *list, const char *const *folders, const char *more)
{
	for (size_t i = 0; folders && folders[i]; i++)
		strvec_add(list, folders[i]);
	strvec_add(list, more);
	for (size_t i = 0; i < list->n; i++)
		for (size_t k = 0; k < list->n; k++)
			if (i != k && is_within(list->v[i], list->v[k])) {
				free(list->v[i]);
				memmove(&list->v[i], &list->v[i + 1],
					(list->n - i) * sizeof(*list->v));
				list->n--;
				i--;
				break;
			}
}

void place_rules(const char *store, const char *const *folders, struct strvec *read_only,
		 struct strvec *writable)
{
	AUTO_FREE char *ccache = fs_join(store, "ccache");
	const char *tmp = getenv("TMPDIR");

	add_outermost(read_only, folders, store);
	if (fs_is_dir(ccache))
		strvec_add(writable, ccache);
	for (size_t i = 0; tmp && *tmp == '/' && i < read_only->n; i++)
		if (is_within(tmp, read_only->v[i]) && fs_is_dir(tmp))
			strvec_add(writable, tmp);
}

void place_protect(struct place *p, const char *const *folders)
{
	AUTO_FREE char *store = xstrndup(p->src, strlen(p->src) - strlen("/src"));

	if (p->is_bound)
		place_rules(store, folders, &p->read_only, &p->writable);
}

void place_explain(struct str *reason)
{
	if (strstr(reason->p, "Read-only file system"))
		str_puts(reason, " (builds and runs write to their own tree, not to the checkout)");
}

const char *place_files(const struct place *p)
{
	return p->is_bound ? p->tree : p->src;
}

void place_done(struct place *p)
{
	struct err e = ERR_INIT;

	if (p->src && !p->is_bound) {
		src_taken = false;
		AUTO_FREE char *store = xstrndup(p->src, strlen(p->src) - strlen("/src"));

		if (place_mend(store, &e) < 0)
			errno = 0; /* the note stays: the next take tries again and says why */
	}
	free(p->tree);
	free(p->src);
	strvec_done(&p->read_only);
	strvec_done(&p->writable);
	*p = (struct place){ 0 };
}
