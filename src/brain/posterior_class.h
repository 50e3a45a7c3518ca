/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_class - candidates that no measurement so far can tell apart (STATISTICS.md 1.8).
 *
 * Candidate c makes the tested commit t bad iff c is an ancestor of t or t itself. Two candidates with the same set of
 * tested commits made bad are one class: the evidence cannot tell them apart. The partition is refined when a
 * commit is tested, O(nodes + edges); afterwards every cost depends on the number of classes only.
 */
#pragma once

#include "model/graph.h"

#include <stdbool.h>
#include <stdint.h>

#define NO_CLASS UINT32_MAX
#define NO_BIT UINT32_MAX

struct classes {
	const struct graph *g;
	uint32_t n;	    /* classes */
	uint32_t n_bits;    /* tested commits */
	uint32_t words;	    /* 64-bit words a signature */
	uint32_t *bit_node; /* n_bits: the tested commit */
	uint32_t *bit_of;   /* g->n: its bit, or NO_BIT */
	uint32_t *of;	    /* g->n: class of a candidate, NO_CLASS on the boundary */
	double *prior;	    /* g->n: prior of a candidate, sums to 1 */
	double *flat; /* g->n: the same without the user's weights: equal for all of weight > 0 */
	double *mass, *mass_flat; /* n: sums of those */
	uint32_t *size;		  /* n: candidates inside */
	uint64_t *sig;		  /* n * words */
	uint32_t *order;	  /* n: classes so that neighbours differ in few bits */
	uint32_t *
		members; /* candidates by class, in the order `order`, topological inside a class */
	uint32_t *members_at; /* n + 1: start of the class order[i] in members */
	double *cum;	      /* cum[i] = prior of members[0..i) */
	uint32_t cap_class, cap_bits;
};

void classes_init(struct classes *c, const struct graph *g);
void classes_done(struct classes *c);
/* Make `node` a tested commit. Boundary nodes and nodes tested before change nothing. */
void classes_test(struct classes *c, uint32_t node);
static inline bool class_makes_bad(const struct classes *c, uint32_t cls, uint32_t bit)
{
	return c->sig[(size_t)cls * c->words + bit / 64] >> (bit % 64) & 1;
}
/* Is `node` (tested, or on the boundary) on the bad side if the culprit is in class `cls`? */
static inline bool class_side(const struct classes *c, uint32_t cls, uint32_t node)
{
	return c->bit_of[node] != NO_BIT && class_makes_bad(c, cls, c->bit_of[node]);
}
