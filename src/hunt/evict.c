/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree's size is measured once and remembered in a small file beside it: walking fifty trees of a kernel after each build would
 * cost more than the build. A tree grows a little when it is run; `culprit clean` and `culprit status` measure anew. The size lies outside of
 * the journal, which never changes what it has.
 */
#include "hunt/evict.h"

#include "base/num.h"
#include "store/query.h"
#include "sys/fs.h"

#include <string.h>

/* 0 where nothing is. */
static int64_t size_of(const struct store *st, const char *path)
{
	AUTO_FREE char *dir = fs_join(store_dir(st), path);
	AUTO_FREE char *memo = xasprintf("%s.size", dir);
	AUTO(str) struct str text = STR_INIT;
	struct err ignored = ERR_INIT;
	int64_t bytes;

	if (!fs_is_dir(dir))
		return 0;
	if (fs_exists(memo) && fs_read(memo, 64, &text, &ignored) == 0 &&
	    num_parse_int(text.p, "size", 0, INT64_MAX, &bytes, &ignored) == 0)
		return bytes;
	bytes = fs_tree_size(dir);
	str_clear(&text);
	str_addf(&text, "%lld", (long long)bytes);
	if (fs_write_atomic(memo, text.p, text.n, &ignored) < 0)
		return bytes; /* measured again next time */
	return bytes;
}

static bool is_ours(const struct session *s, const struct tree_row *t)
{
	if (s->first_made && t->build >= s->first_made)
		return true;
	for (size_t i = 0; i < s->builds.n; i++)
		if (!strcmp(s->builds.v[i]->path, t->path))
			return true;
	return false;
}

static int remove_tree(struct session *s, const struct tree_row *t, struct err *e)
{
	static const char *const beside[] = { "", ".inputs", ".laid", ".size" };
	AUTO_FREE char *dir = fs_join(store_dir(s->store), t->path);
	int r = store_build_cleaned(s->store, t->build, e);

	for (size_t i = 0; i < ARRAY_LEN(beside) && r == 0; i++) {
		AUTO_FREE char *path = xasprintf("%s%s", dir, beside[i]);

		r = fs_remove_tree(path, e);
	}
	if (r == 0)
		session_note(s, "the tree of %.40s made room (project.cache)", t->variant);
	return r;
}

static void say_too_large(struct session *s, int64_t total)
{
	AUTO(str) struct str have = STR_INIT, ceiling = STR_INIT;

	if (s->said_cache)
		return;
	s->said_cache = true;
	num_put_size(&have, total);
	num_put_size(&ceiling, s->config.project.cache_bytes);
	session_warn(s, "the builds of this hunt take %s, above the ceiling of %s (project.cache)",
		     have.p, ceiling.p);
}

int evict_trees(struct session *s, struct err *e)
{
	AUTO(tree_rows) struct tree_rows trees = { 0 };
	int64_t total = 0, ceiling = s->config.project.cache_bytes;
	int r = query_trees(s->store, &trees, e);

	if (r < 0)
		return r;
	AUTO_FREE int64_t *bytes = xcalloc(trees.n, sizeof(*bytes));

	for (size_t i = 0; i < trees.n; i++) {
		bytes[i] = size_of(s->store, trees.v[i].path);
		total += bytes[i];
	}
	for (int needed = 0; needed < 2; needed++)
		for (size_t i = 0; i < trees.n && total > ceiling; i++) {
			const struct tree_row *t = &trees.v[i];

			if (!bytes[i] || (t->needed != 0) != needed || is_ours(s, t))
				continue;
			if ((r = remove_tree(s, t, e)) < 0)
				return r;
			total -= bytes[i];
		}
	if (total > ceiling)
		say_too_large(s, total);
	return 0;
}

int evict_usage(struct store *st, int64_t *ret_bytes, size_t *ret_n, struct err *e)
{
	AUTO(tree_rows) struct tree_rows trees = { 0 };
	int r = query_trees(st, &trees, e);

	if (r < 0)
		return r;
	*ret_bytes = 0;
	*ret_n = 0;
	for (size_t i = 0; i < trees.n; i++) {
		int64_t bytes = size_of(st, trees.v[i].path);

		*ret_bytes += bytes;
		*ret_n += bytes > 0;
	}
	return 0;
}
