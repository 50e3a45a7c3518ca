/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_fast - the inner loops of the posterior, for vector registers: no NaN, no infinity goes in or out.
 *
 * Densities are relative to their height, f = c exp(-(x-m)^2 / (2 v)) + floor, so logarithms stay within a few dozens.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef FAST_ONLY /* one width under names of its own, for test_fast */
#define FAST_PASTE(a, b) a##_##b
#define FAST_NAME(a, b) FAST_PASTE(a, b)
#define fast_log_mixture FAST_NAME(fast_log_mixture, FAST_ONLY)
#define fast_add FAST_NAME(fast_add, FAST_ONLY)
#define fast_sums FAST_NAME(fast_sums, FAST_ONLY)
#define fast_moments FAST_NAME(fast_moments, FAST_ONLY)
#define fast_information FAST_NAME(fast_information, FAST_ONLY)
#endif

/* Nodes come in whole blocks. */
enum { FAST_BLOCK = 16, FAST_BELLS = 8, FAST_LANES = 8 };

/*
 * ret[i] = ln(sum over k of c[k] exp(-g[k]^2 (x0 + i h - m[k])^2) + floor) for i < n, to 1e-6; c, g, floor > 0. At most
 * FAST_BELLS bells.
 */
void fast_log_mixture(float *ret, size_t n, double x0, double h, unsigned bells, const double *m,
		      const double *g, const double *c, double floor);
/* acc[i] += sign * add[i] */
void fast_add(double *acc, const float *add, size_t n, double sign);
/* Sums of exp(l[i] - top) times 1, x and x^2, where x counts nodes from the middle. */
struct fast_sums {
	double top;
	float s0, s1, s2;
};
void fast_sums(const double *l, size_t n, struct fast_sums *ret);
/* The measure exp(l[i]) h on the nodes x0 + i h: ln of its sum, its mean and its variance; for many sums over n nodes each. */
struct fast_moments {
	double log_sum, mean, var;
};
void fast_moments(const struct fast_sums *sums, size_t n_sums, size_t n, double x0, double h,
		  struct fast_moments *ret);

/*
 * choose_information of many sides: q[i] in 0..1, x[i] >= 0, e and its entropy. n is rounded up to whole FAST_LANES: what lies behind is
 * read and written too.
 */
void fast_information(size_t n, const double *q, const double *x, double e, double entropy_e,
		      double *ret);
