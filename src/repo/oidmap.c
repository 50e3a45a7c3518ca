/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open addressing with linear probing, at most half full. Object names are uniform already, but entries of a release
 * list are not, so eight bytes at a time are mixed by a multiplication and a shift (a 64-bit odd constant).
 */
#include "repo/oidmap.h"

#include <string.h>

static uint32_t hash(const char *s)
{
	size_t n = strlen(s);
	uint64_t h = n;

	for (size_t i = 0; i < n; i += 8) {
		uint64_t w = 0;

		memcpy(&w, s + i, n - i < 8 ? n - i : 8);
		h = (h ^ w) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return (uint32_t)h;
}

int64_t oidmap_find(const struct oidmap *m, char *const *names, const char *name)
{
	if (!m->slot)
		return -1;
	for (uint32_t i = hash(name) & m->mask; m->slot[i]; i = (i + 1) & m->mask)
		if (!strcmp(names[m->slot[i] - 1], name))
			return m->slot[i] - 1;
	return -1;
}

static void place(struct oidmap *m, char *const *names, uint32_t number)
{
	uint32_t i = hash(names[number]) & m->mask;

	while (m->slot[i])
		i = (i + 1) & m->mask;
	m->slot[i] = number + 1;
}

void oidmap_add(struct oidmap *m, char *const *names, uint32_t number)
{
	if (!m->slot || m->n + 1 > (m->mask + 1) / 2) {
		struct oidmap old = *m;

		m->mask = old.slot ? old.mask * 2 + 1 : 255;
		m->slot = xcalloc((size_t)m->mask + 1, sizeof(*m->slot));
		for (uint32_t i = 0; old.slot && i <= old.mask; i++)
			if (old.slot[i])
				place(m, names, old.slot[i] - 1);
		free(old.slot);
	}
	place(m, names, number);
	m->n++;
}

void oidmap_done(struct oidmap *m)
{
	free(m->slot);
	*m = (struct oidmap){ 0 };
}
