/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose_sketch - how likely each commit is on the bad side, for all commits at once (STATISTICS.md 1.8).
 *
 * Commit t is bad if the culprit is among its ancestors or itself. The exact sum for all t costs N^2 / 64 words, so
 * candidates are sampled systematically from the posterior, each sample is one bit, and bits are ORed along the parents:
 * q_t = share of the bits that arrived at t, off by less than 1/samples for each class on a line. Commits whose only
 * parent has the same bits share its row, so a line costs no more than one pass over its nodes.
 */
#pragma once

#include "brain/posterior_class.h"

enum { SKETCH_WORDS = 8, SKETCH_BITS = SKETCH_WORDS * 64 };

struct sketch {
	const struct classes *
		exact; /* set before sketch_make: no sampling, O(N^2) a step; the yardstick of the sketch */
	uint32_t *row_of; /* per node */
	uint64_t *rows;	  /* SKETCH_WORDS each; row 0 is empty */
	uint32_t n_rows, cap_rows;
	uint32_t *first; /* per node: first sample bit + 1 of a node that was drawn, else 0 */
	uint32_t n_samples;
	double *q; /* per row */
	/* runs of bits of one class, in bit order */
	uint32_t n_runs;
	struct {
		uint32_t cls, from, to;
	} run[SKETCH_BITS];
	uint32_t *drawn; /* nodes with bits, to reset `first` */
	uint32_t n_drawn;
};

/* Draw from `p` (one probability per class) and propagate. */
void sketch_make(struct sketch *k, const struct classes *c, const double *p);
/* The same with one bit for each possible candidate of class `cls` (or an even sample of them if they are too many). */
void sketch_class(struct sketch *k, const struct classes *c, uint32_t cls);
static inline double sketch_q(const struct sketch *k, uint32_t node)
{
	return k->q[k->row_of[node]];
}
/* q of `node` when the classes have the probabilities `p` (those of the sampled classes count). */
double sketch_q_given(const struct sketch *k, uint32_t node, const double *p);
void sketch_done(struct sketch *k);
