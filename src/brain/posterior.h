/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior - where the change may be, given all that was measured (STATISTICS.md 1.3, 1.4).
 *
 * Exact up to quadrature for the model y = level(side) + build offset + boot offset + run noise: both levels, the run sd,
 * the boot sd and the offset sd are marginalised, for every class of candidates, and so are the rivals "no change" and
 * "two changes". A pure function of its arguments; keeps no state but scratch memory.
 */
#pragma once

#include "brain/posterior_grid.h"

struct posterior {
	uint32_t n;	   /* classes */
	double *p;	   /* of each class, given one change; sums to 1 */
	double *p_flat;	   /* the same had the user given no weights */
	double *p_careful; /* the same for a prior that expects larger build offsets */
	double *p_before; /* of an equal prior after what identical artefacts and marks exclude: without a value */
	double none_careful;
	double two_careful;   /* of all three, under that prior */
	double p_none, p_two; /* of all three hypotheses */
	double none_flat;     /* p_none / (p_none + p_one) under the flat prior */
	double none;	      /* the same under the user's */
	uint32_t best;	      /* likeliest class */
	/* By offset sd: weight, squared sds, and class probabilities p_tau[t * n + class]. */
	unsigned n_tau;
	double w_tau[POSTERIOR_MAX_TAU], w_careful[POSTERIOR_MAX_TAU]; /* under the two priors */
	double tau2[POSTERIOR_MAX_TAU];
	double s2[POSTERIOR_MAX_TAU], kappa2[POSTERIOR_MAX_TAU];
	double *p_tau;
	double change, change_var;	   /* of the shift bad - good, given one change */
	double scale;			   /* D: the size that the grids were made for */
	double change_end, change_end_var; /* the shift as the two ends alone show it */
	uint32_t pair[2];		   /* likeliest two changes: older, younger class */
	double pair_change[2];
	/* scratch */
	size_t cap_p, cap_tau;
	struct posterior_scratch *scratch;
};

/* False, leaving the rest unset, while either end has no value. */
bool posterior_compute(struct posterior *p, const struct posterior_in *in);
void posterior_done(struct posterior *p);
