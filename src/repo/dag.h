/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dag - the commits between good and bad as a graph, with their names.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "model/graph.h"
#include "repo/oidmap.h"

struct repo;

struct range {
	struct graph g;
	char **oid;	/* per node; the texts are in `names` */
	char *good_oid; /* what was asked for */
	char *bad_oid;
	bool good_is_ancestor; /* false: searching from the merge base(s); g.good is then the merge base */
	/*
	 * Good and bad were given the wrong way round: bad is an ancestor of good. The graph then runs from the older one to the
	 * newer one all the same (g.good is asked-for bad); good_oid and bad_oid stay as they were asked for.
	 */
	bool swapped;
	uint32_t merges; /* candidates with several parents */
	uint32_t outside; /* range_load with paths: candidates that touch none of them */
	uint32_t
		bases; /* merge bases; above 1 (criss-cross) g.good is the newest, the others are taken for good unmeasured */
	struct arena names;
	struct oidmap map;
};
void range_done(struct range *r);

enum { RANGE_FIRST_PARENT = 1 << 0 };
/*
 * Candidates = ancestors(bad) minus ancestors(good); the boundary = good (or the merge bases) and every other parent outside. With `paths` (NULL-terminated, may be
 * NULL) commits that touch none of them stay in the graph with a tiny weight (1e-6 of the others). Empty range: ERR_USAGE "nothing between".
 * Good not an ancestor: from the merge base, good_is_ancestor = false. No common history: ERR_USAGE.
 */
int range_load(struct repo *r, const char *good_oid, const char *bad_oid, unsigned flags,
	       const char *const *paths, struct range *ret, struct err *e) MUST_USE;
/* Node of a full object name, or -1. */
int64_t range_find(const struct range *r, const char *oid);

/* The paths that every candidate touches (a merge: those that differ from all its parents), for priors. */
struct touched {
	uint32_t n;	 /* nodes */
	uint32_t *start; /* n + 1; paths of node i are start[i] .. start[i + 1] */
	char **path;	 /* into `bytes`; as in the tree: '/' between, any byte but 0 */
	char *status;	 /* per path: 'A', 'M', 'D', 'T' */
	char *bytes;
};
int range_touched(struct repo *r, const struct range *g, struct touched *ret,
		  struct err *e) MUST_USE;
void touched_done(struct touched *t);

/*
 * The range as text and back, for the journal: resuming never depends on the repository having kept its refs. Names may be any text
 * without a newline (an entry of a list of releases). Text that is not a range: ERR_BROKEN with its line.
 */
void range_write(const struct range *r, struct str *out);
int range_parse(const char *text, struct range *ret, struct err *e) MUST_USE;
