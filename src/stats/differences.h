/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * differences - order statistics of all n m differences y_j - x_i, without making them.
 *
 * Both arrays are sorted ascending, finite and borrowed; n and m are at least 1 and n m fits 63
 * bits. The differences are the floating-point ones, so the answers are equal to sorting the whole
 * matrix to the last bit.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The rank-th smallest difference for each rank (from 1), ranks ascending. O((n + m) log(n m)) for
 * each at worst. */
void differences_select(const double *x, size_t n, const double *y, size_t m, const uint64_t *ranks,
			size_t count, double *ret);
/* Their median: the Hodges-Lehmann shift of y against x. */
double differences_median(const double *x, size_t n, const double *y, size_t m);
/* How many differences are < 0 and > 0. */
void differences_signs(const double *x, size_t n, const double *y, size_t m, uint64_t *ret_negative,
		       uint64_t *ret_positive);
