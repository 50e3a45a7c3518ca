/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A path matters if some learnt build read it, or if no learnt build can tell: it does not exist in any of them. The two ends
 * of the range are learnt, so a file that exists at either end and was read at neither does not matter between them
 * (a file that an intermediate commit alone reads is the residual risk, and why the weight is small and not zero). Adding or
 * removing a file in a folder that a build listed (a wildcard, a directory walk) matters as well.
 *
 * Lookups go through sorted lists; the lists come sorted from build.c.
 */
#include "hunt/prior.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static size_t list_len(char **list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool listed(char **list, size_t n, const char *path)
{
	return n && bsearch(&path, list, n, sizeof(*list), by_text);
}

/* Is there an entry below "path/"? A submodule changes as one path, and its files are read one by one. */
static bool listed_below(char **list, size_t n, const char *path)
{
	AUTO_FREE char *folder = xasprintf("%s/", path);
	size_t lo = 0, hi = n, len = strlen(folder);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(list[mid], folder) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* the folder itself is listed when it was walked through, which reads nothing of it */
	while (lo < n && !strcmp(list[lo], folder))
		lo++;
	return lo < n && !strncmp(list[lo], folder, len);
}

struct learnt {
	char ***lists;
	size_t *len, n;
};

static bool folder_listed(const struct learnt *l, const char *path)
{
	const char *slash = strrchr(path, '/');
	AUTO_FREE char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup("./");

	for (size_t i = 0; i < l->n; i++)
		if (listed(l->lists[i], l->len[i], folder))
			return true;
	return false;
}

/* The lists hold what was read as "path" and what existed but was not read as "!path". */
static bool path_matters(const struct learnt *l, const char *path, char status)
{
	AUTO_FREE char *unread = xasprintf("!%s", path);
	bool exists = false;

	for (size_t i = 0; i < l->n; i++) {
		if (listed(l->lists[i], l->len[i], path) ||
		    listed_below(l->lists[i], l->len[i], path))
			return true;
		exists = exists || listed(l->lists[i], l->len[i], unread);
	}
	if (!exists)
		return true;
	return (status == 'A' || status == 'D' || status == 'R') && folder_listed(l, path);
}

static bool matches_any(const char *const *globs, const char *path)
{
	for (; globs && *globs; globs++)
		if (!fnmatch(*globs, path, 0))
			return true;
	return false;
}

static bool commit_matters(const struct learnt *l, const struct touched *t, uint32_t node,
			   const char *const *globs)
{
	for (uint32_t k = t->start[node]; k < t->start[node + 1]; k++)
		if (matches_any(globs, t->path[k]) || path_matters(l, t->path[k], t->status[k]))
			return true;
	return false;
}

static uint32_t parents_of(const struct graph *g, uint32_t i)
{
	return g->parent_start[i + 1] - g->parent_start[i];
}

uint32_t prior_from_inputs(const struct range *range, const struct touched *touched,
			   char **const *inputs, size_t n_inputs, const char *const *extra_globs,
			   uint8_t *flags)
{
	const struct graph *g = &range->g;
	AUTO_FREE char ***lists = xcalloc(n_inputs, sizeof(*lists));
	AUTO_FREE size_t *len = xcalloc(n_inputs, sizeof(*len));
	struct learnt l = { lists, len, n_inputs };
	uint32_t count = 0;

	memset(flags, 0, g->n);
	for (size_t i = 0; i < n_inputs; i++) {
		lists[i] = (char **)inputs[i];
		len[i] = list_len(lists[i]);
	}
	for (uint32_t i = 0; n_inputs && i < g->n; i++) {
		if (g->boundary[i] || parents_of(g, i) > 1)
			continue;
		if (!commit_matters(&l, touched, i, extra_globs)) {
			flags[i] = PRIOR_IDLE;
			count++;
		}
	}
	for (uint32_t i = 0; i < g->n; i++)
		if (!g->boundary[i] && parents_of(g, i) > 1 &&
		    touched->start[i] == touched->start[i + 1])
			flags[i] = PRIOR_MERGE;
	return count;
}

void prior_apply(struct range *range, const uint8_t *flags)
{
	struct graph *g = &range->g;

	for (uint32_t i = 0; i < g->n; i++)
		g->weight[i] *= flags[i] == PRIOR_IDLE	  ? PRIOR_CANNOT_MATTER
				: flags[i] == PRIOR_MERGE ? PRIOR_CLEAN_MERGE
							  : 1;
}

static bool path_suspected(const char *path, const char *suspect)
{
	size_t n = strlen(suspect);

	while (n && suspect[n - 1] == '/')
		n--;
	if (!strncmp(path, suspect, n) && (path[n] == '/' || !path[n]))
		return true;
	return !fnmatch(suspect, path, 0);
}

uint32_t prior_suspect_path(struct range *range, const struct touched *touched, const char *path)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < range->g.n; i++)
		for (uint32_t k = touched->start[i]; k < touched->start[i + 1]; k++)
			if (path_suspected(touched->path[k], path)) {
				range->g.weight[i] *= PRIOR_SUSPECT;
				count++;
				break;
			}
	return count;
}

static void write_list(const uint8_t *flags, uint8_t value, uint32_t n, struct str *out)
{
	const char *comma = "";

	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = i;

		if (flags[i] != value)
			continue;
		while (j + 1 < n && flags[j + 1] == value)
			j++;
		str_addf(out, j > i ? "%s%u-%u" : "%s%u", comma, i, j);
		comma = ",";
		i = j;
	}
}

void prior_write(const uint8_t *flags, uint32_t n, struct str *out)
{
	str_puts(out, "prior: idle ");
	write_list(flags, PRIOR_IDLE, n, out);
	str_puts(out, "; merges ");
	write_list(flags, PRIOR_MERGE, n, out);
}

/* Reads a list up to its end or ';'; NULL if it is malformed. */
static const char *read_list(const char *text, uint8_t value, uint8_t *flags, uint32_t n)
{
	while (*text && *text != ';') {
		char *end;
		unsigned long lo, hi;

		if (!isdigit((unsigned char)*text))
			return NULL;
		lo = hi = strtoul(text, &end, 10);
		if (*end == '-') {
			text = end + 1;
			if (!isdigit((unsigned char)*text))
				return NULL;
			hi = strtoul(text, &end, 10);
		}
		if (lo > hi || hi >= n)
			return NULL;
		memset(flags + lo, value, hi - lo + 1);
		text = end;
		if (*text == ',')
			text++;
		else if (*text && *text != ';')
			return NULL;
	}
	return text;
}

bool prior_read(const char *text, uint8_t *flags, uint32_t n)
{
	static const char idle[] = "prior: idle ", merges[] = "; merges ";

	memset(flags, 0, n);
	if (!starts_with(text, idle))
		return false;
	text = read_list(text + strlen(idle), PRIOR_IDLE, flags, n);
	if (!text || !starts_with(text, merges))
		return false;
	text = read_list(text + strlen(merges), PRIOR_MERGE, flags, n);
	return text && !*text;
}
