/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree's size is measured once and remembered in a small file beside it: walking fifty trees of a kernel after each build would
 * cost more than the build. A tree grows a little when it is run; `culprit clean` and `culprit status` measure anew. The size lies outside of
 * the journal, which never changes what it has.
 */
#include "hunt/evict.h"

#include "base/num.h"
#include "hunt/reclaim.h"
#include "sys/clock.h"
#include "sys/fs.h"

#include <string.h>

/* An initramfs that was used a moment ago: its emulator may just be opening it. */
#define FRESH_NS (60 * NS_PER_S)

/* 0 where nothing is. What goes with it counts as its own. */
static int64_t size_of(const struct store *st, const struct reclaimable *x)
{
	AUTO_FREE char *path = fs_join(store_dir(st), x->path);
	AUTO_FREE char *with = x->with ? fs_join(store_dir(st), x->with) : NULL;
	AUTO_FREE char *memo = xasprintf("%s.size", path);
	AUTO(str) struct str text = STR_INIT;
	struct err ignored = ERR_INIT;
	int64_t bytes;

	if (!fs_is_dir(path))
		return fs_exists(path) ? fs_tree_size(path) : 0;
	if (fs_exists(memo) && fs_read(memo, 64, &text, &ignored) == 0 &&
	    num_parse_int(text.p, "size", 0, INT64_MAX, &bytes, &ignored) == 0)
		return bytes;
	bytes = fs_tree_size(path) + (with ? fs_tree_size(with) : 0);
	str_clear(&text);
	str_addf(&text, "%lld", (long long)bytes);
	if (fs_write_atomic(memo, text.p, text.n, &ignored) < 0)
		return bytes; /* measured again next time */
	return bytes;
}

static bool is_ours(const struct session *s, const struct reclaimable *x)
{
	if (x->build && s->first_made && x->build >= s->first_made)
		return true;
	if (!x->build && starts_with(x->path, "initramfs/"))
		return clock_realtime_ns() - x->used_ns < FRESH_NS;
	if (s->guest_kernel && !strcmp(s->guest_kernel, x->path))
		return true;
	for (size_t i = 0; i < s->builds.n; i++)
		if (!strcmp(s->builds.v[i]->path, x->path))
			return true;
	return false;
}

static int remove_one(struct session *s, const struct reclaimable *x, struct err *e)
{
	static const char *const beside[] = { "", ".inputs", ".laid", ".size" };
	AUTO_FREE char *dir = fs_join(store_dir(s->store), x->path);
	AUTO_FREE char *with = x->with ? fs_join(store_dir(s->store), x->with) : NULL;
	int r = x->build ? store_build_cleaned(s->store, x->build, e) : 0;

	for (size_t i = 0; i < ARRAY_LEN(beside) && r == 0; i++) {
		AUTO_FREE char *path = xasprintf("%s%s", dir, beside[i]);

		r = fs_remove_tree(path, e);
	}
	if (r == 0 && with)
		r = fs_remove_tree(with, e);
	if (r == 0)
		session_note(s, "the %s of %.40s made room (project.cache)",
			     x->build && !x->with ? "tree" : x->what,
			     x->build ? x->variant : x->path);
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
	AUTO(reclaimables) struct reclaimables all = { 0 };
	int64_t total = 0, ceiling = s->config.project.cache_bytes;
	int r = reclaim_list(s->store, &all, e);

	if (r < 0)
		return r;
	AUTO_FREE int64_t *bytes = xcalloc(all.n, sizeof(*bytes));

	for (size_t i = 0; i < all.n; i++) {
		bytes[i] = size_of(s->store, &all.v[i]);
		total += bytes[i];
	}
	for (int needed = 0; needed < 2; needed++)
		for (size_t i = 0; i < all.n && total > ceiling; i++) {
			const struct reclaimable *x = &all.v[i];

			if (!bytes[i] || (x->needed != 0) != needed || is_ours(s, x))
				continue;
			if ((r = remove_one(s, x, e)) < 0)
				return r;
			total -= bytes[i];
		}
	if (total > ceiling)
		say_too_large(s, total);
	return 0;
}

int evict_usage(struct store *st, int64_t *ret_bytes, size_t *ret_n, struct err *e)
{
	AUTO(reclaimables) struct reclaimables all = { 0 };
	int r = reclaim_list(st, &all, e);

	if (r < 0)
		return r;
	*ret_bytes = 0;
	*ret_n = 0;
	for (size_t i = 0; i < all.n; i++) {
		int64_t bytes = size_of(st, &all.v[i]);

		*ret_bytes += bytes;
		*ret_n += bytes > 0 && all.v[i].build;
	}
	return 0;
}
