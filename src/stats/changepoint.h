/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changepoint - where did a series of values (one median per commit, release or night) change its level?
 *
 * Levels are constant between changes; noise is whatever is left: run noise, build offsets. Single spikes (one or two odd
 * points) are not changes. A change needs points on both sides: what the last points alone suggest is reported as
 * pending, "too early to say". The chance that a series without any change yields one is about `alpha` for independent noise
 * of any shape (measured in docs/design/012-history.md); noise with memory of many points looks like changes and is told apart
 * by nobody. Time and memory O(n).
 *
 * Method: penalised least squares with the bounded (biweight) loss, minimised exactly by functional pruning: Fearnhead and
 * Rigaill, "Changepoint detection in the presence of outliers" (JASA 2019). docs/design/012-history.md says why.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From fewer points nothing is told. */
enum { CHANGEPOINT_LEAST = 6 };

struct changepoint_params {
	double alpha; /* chance of any false change in a series; 0.05; kept within [0.001, 0.5] */
	double floor; /* relative sd below which noise is not taken to be, e.g. the values' resolution / 3.46; 0 = none */
	double level; /* of the intervals; 0.95 */
};
void changepoint_params_default(struct changepoint_params *p);

struct changepoint {
	size_t at;	    /* index of the first value of the new level */
	size_t first, last; /* `at` lies in [first, last] with probability `level` */
	size_t from, to;    /* the segments compared: [from, at) and [at, to) */
	/* Relative change of the level; interval NaN when the segments are too short for one (see stats/compare.h). */
	double shift, low, high;
	double p; /* two-sided, of the two segments taken alone: not corrected for having been searched for */
};

struct changepoints {
	struct changepoint *v; /* ascending by `at`; owned */
	size_t n, cap;
	bool memory; /* the noise remembers its neighbours: changes may be drift */
	double sd;   /* noise of single points, relative */
	size_t pending; /* the last so many values are off the level before them: too early to say; 0 = none */
	double pending_shift; /* by how much, relative; NaN if none */
};

/* The price of a change in units of the noise's variance, for a series of n and a false-alarm rate. */
double changepoint_penalty(size_t n, double alpha);

/*
 * Values finite, in order. Works on logarithms if all are positive, else relative to |median of all| (nothing is found if that
 * is 0). n below CHANGEPOINT_LEAST gives no change: there are too few points to know noise from level.
 */
void changepoints_find(const double *v, size_t n, const struct changepoint_params *p,
		       struct changepoints *ret);
void changepoints_done(struct changepoints *c);
