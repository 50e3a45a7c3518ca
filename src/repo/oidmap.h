/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oidmap - a hash map from names (object names mostly) to their numbers in an array that the caller keeps.
 *
 * The map stores numbers only; the names stay where they are, so a range of 100,000 commits costs 1 MiB here.
 */
#pragma once

#include "base/mem.h"

struct oidmap {
	uint32_t *slot; /* number + 1, 0 = free */
	uint32_t mask, n;
};
/* Number of `name` in names[], or -1. */
int64_t oidmap_find(const struct oidmap *m, char *const *names, const char *name);
/* Says that names[number] is now there; it must not have been. */
void oidmap_add(struct oidmap *m, char *const *names, uint32_t number);
void oidmap_done(struct oidmap *m);
