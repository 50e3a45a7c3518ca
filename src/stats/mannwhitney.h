/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mannwhitney - the null distribution of the Mann-Whitney count U for n and m values without ties.
 *
 * Exact by an own programme while min(n, m) n m is at most 216,000 (60 and 60, or 5 and 8,000); the
 * normal approximation above, which is on the safe side there. With ties the exact null is
 * conservative. The count is of pairs, so it is up to n m.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Largest k with 2 P(U <= k - 1) <= alpha; 0 = none: no interval exists at this level. The interval
 * for the shift is then from the k-th smallest to the k-th largest difference.
 */
size_t mann_whitney_rank(size_t n, size_t m, double alpha);
/* min(1, 2 P(U <= count)): the two-sided p when the smaller of #(difference <= 0) and #(difference
 * >= 0) is `count`. */
double mann_whitney_p(size_t n, size_t m, uint64_t count);
/* The rank, the level that it really uses (2 P(U <= rank - 1), 0 for rank 0), and p for `count`, at the price of one. */
struct mann_whitney {
	size_t rank;
	double used, p;
};
struct mann_whitney mann_whitney(size_t n, size_t m, double alpha, uint64_t count);
/* The finest two-sided level that n and m values can reach: 2 / C(n + m, n). */
double mann_whitney_finest(size_t n, size_t m);
