/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reclaim - what of a store can be made or fetched again, least recently used first: built trees, kernels that were given or fetched, with the unpacked
 * packages that they are made of, and the initramfs images of guests. `culprit clean` and the ceiling of kept trees (hunt/evict.h) choose from it.
 *
 * A build's own time of use is the journal's; a kernel that no build claims (a guest's, under programs) and an initramfs have their files' times,
 * which each use sets.
 */
#pragma once

#include "store/query.h"

struct reclaimable {
	int64_t build; /* 0: no build claims it */
	char *path;    /* relative to the store */
	char *with; /* an unpacked package that is of no use without it, relative too; NULL = none */
	char *variant;	  /* of the build, "" without one */
	const char *what; /* "built tree", "kernel", "initramfs" */
	int64_t used_ns;
	int64_t needed; /* number of a hunt that is not answered and uses it; 0 = none */
};
struct reclaimables {
	struct reclaimable *v;
	size_t n, cap;
};
int reclaim_list(struct store *st, struct reclaimables *ret, struct err *e) MUST_USE;
void reclaimables_done(struct reclaimables *r);
/* Is `path` one of them, or goes with one? */
bool reclaim_claims(const struct reclaimables *r, const char *path);
