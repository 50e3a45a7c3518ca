/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample - location, spread and order of one set of values.
 *
 * Values are finite (callers refuse the rest at the door); arrays are borrowed and left as they
 * are, but for the two functions that say otherwise. What is not defined for so few values is NaN,
 * never 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Ascending, in place; O(n log n) for every input. */
void sample_sort(double *v, size_t n);
/* A sorted copy; the caller frees it. n = 0 gives a valid pointer too. */
double *sample_sorted(const double *v, size_t n);
/* The k-th smallest (from 0); reorders v; expected O(n). */
double sample_select(double *v, size_t n, size_t k);

/* Of sorted values. Median of 1,2,3,10 is 2.5. Quantile: linear interpolation between order
 * statistics (R's type 7). */
double sample_median_sorted(const double *v, size_t n);
double sample_quantile_sorted(const double *v, size_t n, double p);
double sample_median(const double *v, size_t n);
/* Median of |v - median|, unscaled (times 1.4826 it estimates a Gaussian's sd). */
double sample_mad(const double *v, size_t n);

/* Mean and sd by Welford's update: no sums of squares, so that 1e13 + {1..5} has sd 1.58. Zero is
 * the empty state. */
struct moments {
	size_t n;
	double mean, m2;
};
void moments_add(struct moments *m, double x);
double moments_mean(const struct moments *m); /* NaN for n = 0 */
double moments_sd(
	const struct moments *m); /* of the values, n - 1 in the denominator; NaN for n < 2 */
double sample_mean(const double *v, size_t n);
double sample_sd(const double *v, size_t n);

/*
 * Huber's M-estimate of location with k = 1.5 and a known scale (STATISTICS 1.2): the mean for n <=
 * 2 or scale 0, else four fixed-point steps from the median.
 */
double sample_huber(const double *v, size_t n, double scale);

/* Values that are equal to another one, counted on sorted values. */
size_t sample_ties_sorted(const double *v, size_t n);
/*
 * The step of coarsely printed values: the smallest non-zero difference between neighbours if at
 * least half of the values (n >= 4) are ties; 0 if they are not, or all are equal.
 */
double sample_step_sorted(const double *v, size_t n);

/*
 * The interval of the median between two order statistics, distribution-free: the narrowest symmetric pair of ranks that covers it with at least `level`
 * (by the binomial distribution with p = 1/2, as Conover has it). Of sorted values. False where so few cannot give one (under 6 for 0.95).
 */
bool sample_median_interval(const double *v, size_t n, double level, double *ret_low,
			    double *ret_high);
