/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare - the shift between two samples with its interval: Hodges-Lehmann and the exact
 * Mann-Whitney null.
 *
 * STATISTICS.md 1.9. Works on raw values and decides itself whether logarithms apply (all values >
 * 0): then the shift is a ratio minus one; otherwise differences are divided by |median of the
 * baseline|. No verdicts here (brain/judge makes them) and no normality assumed.
 */
#pragma once

#include "stats/mannwhitney.h"

#include <stdbool.h>
#include <stddef.h>

enum compare_warning {
	COMPARE_FEW = 1 << 0,  /* no interval at this level with so few values */
	COMPARE_TIES = 1 << 1, /* at least half of the values are ties: coarse resolution */
	COMPARE_BIMODAL = 1 << 2,
	COMPARE_OUTLIERS = 1 << 3,
	COMPARE_DRIFT = 1 << 4,	    /* a trend within a side over its order */
	COMPARE_SPREAD = 1 << 5,    /* the spread changed, whatever the level did */
	COMPARE_ALL_EQUAL = 1 << 6, /* every value on both sides is equal */
	COMPARE_RAW_SCALE = 1 << 7, /* values <= 0: shift is relative to |median of the baseline| */
	COMPARE_NO_BASE = 1 << 8,   /* the baseline's median is 0: no relative change exists */
};

struct comparison {
	size_t n_a, n_b;
	double median_a, median_b;
	double shift; /* relative change b against a: 0.03 = b is 3 % larger; NaN if undefined */
	double low, high; /* interval at `level`; NaN when COMPARE_FEW */
	double level;	  /* the confidence asked for: 1 - a */
	double achieved;  /* the confidence that the exact null gives (>= level) */
	double p;	  /* two-sided: smallest a at which 0 leaves the interval */
	double sd;   /* robust run-to-run sd (relative), pooled; NaN unless a side has two values */
	double step; /* coarsely printed values: their step (relative), 0 otherwise */
	unsigned warnings;
};

/* a is the baseline. `alpha` is the two-sided error of the interval. `values` in the order
 * measured. n >= 1 each. */
void compare_samples(const double *a, size_t n_a, const double *b, size_t n_b, double alpha,
		     struct comparison *ret);

/*
 * The same record by Welch's t on the (log) values: for 3 or 4 summaries of builds a side, which
 * are near enough to normal and too few for ranks. Needs 2 values a side and some spread for an
 * interval (COMPARE_FEW otherwise). `achieved` is `level`.
 */
void compare_welch(const double *a, size_t n_a, const double *b, size_t n_b, double alpha,
		   struct comparison *ret);

/* Short names for JSON ("few", "ties", "bimodal" ...) and one line for people; `w` is one bit. */
const char *compare_warning_name(enum compare_warning w);
const char *compare_warning_text(enum compare_warning w);
