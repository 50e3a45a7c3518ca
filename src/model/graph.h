/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph - the commits of a range as plain arrays: who is whose parent, and how likely each is a priori.
 *
 * Nodes are 0..n-1 in topological order: every parent has a smaller number than its children.
 * The graph holds the candidates (reachable from BAD, not from GOOD) and the *boundary*: nodes known to be on the good
 * side before anything is measured (GOOD itself, and the parents of candidates that are reachable from GOOD).
 * A line of commits is simply a graph in which every node has one parent. Names live elsewhere.
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct graph {
	uint32_t n;
	uint32_t *parent_start; /* n + 1 entries; parents of i are parents[parent_start[i] .. parent_start[i+1]) */
	uint32_t *parents;
	uint8_t *boundary; /* n flags: on the good side by definition, cannot be the culprit */
	double *weight;	   /* n relative prior weights, > 0 for candidates, 0 for the boundary */
	uint32_t good;	   /* the node measured as the good end */
	uint32_t bad;	   /* the node measured as the bad end */
};

/* Grows a graph; parents must have been added before. Weight 1, or 0 on the boundary. */
struct graph_builder {
	struct graph g;
	size_t cap_nodes, cap_parents;
};
uint32_t graph_add(struct graph_builder *b, const uint32_t *parents, uint32_t n_parents,
		   bool boundary);
/* Moves the graph out; the builder is empty after it. */
struct graph graph_finish(struct graph_builder *b, uint32_t good, uint32_t bad);
void graph_done(struct graph *g);

/* Number of candidates. */
uint32_t graph_candidates(const struct graph *g);
/* Is a an ancestor of b, or b itself? O(n) walk with early end. */
bool graph_reaches(const struct graph *g, uint32_t a, uint32_t b);
/* Mark (set to 1) every ancestor-or-self of `node` in flags[n]. */
void graph_mark_ancestors(const struct graph *g, uint32_t node, uint8_t *flags);
/* Mark every descendant-or-self of `node`. */
void graph_mark_descendants(const struct graph *g, uint32_t node, uint8_t *flags);
/* A plain line of n candidates after one good end: nodes 0 (good) .. n (bad). */
struct graph graph_line(uint32_t n);
