/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * surroundings - two descriptions of a machine set against each other: tunables, configuration, mitigations, modules, what the kernel said.
 *
 * A description is lines `GROUP KEY VALUE` (guest/machine.h). Pure. What counts something, is an address, a time, random or a version is no
 * difference; what is one is ranked by how often such a thing turned out to be the cause: a tunable with another value first.
 */
#pragma once

#include "base/str.h"

struct surrounding {
	const char *group, *key;
	const char *before, *after; /* NULL = it is not there */
	unsigned rank;		    /* 0 = look here first */
};
struct surroundings {
	struct surrounding *v; /* by rank, then by group and key */
	size_t n, cap;
	size_t noise;	      /* keys that differ and say nothing */
	size_t follow_memory; /* numbers that differ by so little that they follow the size of memory */
	struct arena arena;
};
void surroundings_compare(const char *before, const char *after, struct surroundings *ret);
void surroundings_done(struct surroundings *s);
