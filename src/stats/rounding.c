/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spreading is deterministic, not random: a brain has no dice, and even places scatter less than drawn ones. Values that are equal
 * go up in the order in which they came, so that a verdict does not depend on the sort.
 */
#include "stats/rounding.h"

#include "base/mem.h"
#include "stats/sample.h"

bool rounding_is_smoothed(const double *v, size_t n)
{
	AUTO_FREE double *s = sample_sorted(v, n);
	size_t most = 0;

	for (size_t from = 0, to = 0; from < n; from = to) {
		while (to < n && s[to] == s[from])
			to++;
		most = to - from > most ? to - from : most;
	}
	return 10 * most <= 7 * n;
}

/* Distinct values of sorted v, in place, each with its count; returns how many there are. */
static size_t distinct(double *v, size_t n, size_t *ret_count)
{
	size_t k = 0;

	for (size_t from = 0, to = 0; from < n; from = to) {
		while (to < n && v[to] == v[from])
			to++;
		v[k] = v[from];
		ret_count[k++] = to - from;
	}
	return k;
}

static size_t find(const double *v, size_t n, double x)
{
	size_t lo = 0, hi = n;

	while (hi - lo > 1) {
		size_t mid = (lo + hi) / 2;

		*(v[mid] <= x ? &lo : &hi) = mid;
	}
	return lo;
}

double *rounding_spread(const double *v, size_t n, double unit)
{
	AUTO_FREE double *values = sample_sorted(v, n);
	AUTO_FREE size_t *count = xcalloc(n + 1, sizeof(*count));
	AUTO_FREE size_t *seen = xcalloc(n + 1, sizeof(*seen));
	double *ret = xmalloc((n + 1) * sizeof(*ret));
	size_t k = distinct(values, n, count);

	for (size_t i = 0; i < n; i++) {
		size_t g = find(values, k, v[i]);

		ret[i] = v[i] + unit * (((double)seen[g]++ + 0.5) / (double)count[g] - 0.5);
	}
	return ret;
}
