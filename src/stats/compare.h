/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare - the shift between two samples with its interval: Hodges-Lehmann and the exact Mann-Whitney null.
 *
 * STATISTICS.md 1.9. Works on raw values and decides itself whether logarithms apply (all values > 0): then the
 * shift is a ratio minus one; otherwise differences are divided by |median of the baseline|. No verdicts here (brain/judge makes
 * them) and no normality assumed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum compare_warning {
	COMPARE_FEW = 1 << 0,	     /* no interval at this level with so few values */
	COMPARE_TIES = 1 << 1,	     /* at least half of the values are ties: coarse resolution */
	COMPARE_BIMODAL = 1 << 2,
	COMPARE_OUTLIERS = 1 << 3,
	COMPARE_DRIFT = 1 << 4,	     /* a trend within a side over its order */
	COMPARE_SPREAD = 1 << 5,     /* the spread changed, whatever the level did */
	COMPARE_ALL_EQUAL = 1 << 6,  /* every value on both sides is equal */
	COMPARE_RAW_SCALE = 1 << 7,  /* values <= 0: shift is relative to |median of the baseline| */
	COMPARE_NO_BASE = 1 << 8,    /* the baseline's median is 0: no relative change exists */
};

struct comparison {
	size_t n_a, n_b;
	double median_a, median_b;
	double shift;	  /* relative change b against a: 0.03 = b is 3 % larger; NaN if undefined */
	double low, high; /* interval at `level`; NaN when COMPARE_FEW */
	double level;	  /* the confidence asked for: 1 - a */
	double achieved;  /* the confidence that the exact null gives (>= level) */
	double p;	  /* two-sided: smallest a at which 0 leaves the interval */
	double sd;	  /* robust run-to-run sd (relative), pooled */
	unsigned warnings;
};

/* a is the baseline. `alpha` is the two-sided error of the interval. `values` in the order measured. n >= 1 each. */
void compare_samples(const double *a, size_t n_a, const double *b, size_t n_b, double alpha,
		     struct comparison *ret);

/* Largest k with 2 P(U <= k - 1) <= alpha under the exact Mann-Whitney null (normal approximation above 60); 0 = none. */
size_t mann_whitney_rank(size_t n, size_t m, double alpha);
