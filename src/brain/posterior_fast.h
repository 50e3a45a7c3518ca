/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_fast - the inner loops of the posterior, compiled with -O3 -ffast-math: no NaN, no infinity goes in or out.
 *
 * Densities are relative to their height, f = c exp(-(x-m)^2 / (2 v)) + floor, so logarithms stay within a few dozens.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* ret[i] = ln(sum over k of c[k] exp(-(x0 + i h - m[k])^2 / (2 v[k])) + floor) for i < n; c, v, floor > 0. */
void fast_log_mixture(double *ret, size_t n, double x0, double h, unsigned bells, const double *m,
		      const double *v, const double *c, double floor);
/* acc[i] += sign * add[i] */
void fast_add(double *acc, const double *add, size_t n, double sign);
/*
 * The normalised measure exp(l[i]) on the nodes x0 + i h: ln of its sum (without h), its mean and its variance.
 */
struct fast_moments {
	double log_sum, mean, var;
};
void fast_moments(const double *l, size_t n, double x0, double h, struct fast_moments *ret);
