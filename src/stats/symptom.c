/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain statistics with few parts, because a warning must be explainable on one line:
 *
 *   two modes   the best split of the sorted values into two groups leaves so little of the sum of
 *               squares inside them that not even a flat distribution, the widest of those with one
 *               mode, would. Its limit is 1/4; the bound is its 1 % quantile by simulation,
 *               1/4 - .62 / sqrt(n). Hartigan's dip asks the same with more code; kernel estimates
 *               need a bandwidth.
 *   outliers    a value further from the median than a bound in MAD units that grows for small n.
 *   drift       Spearman's rank correlation with the order; above 512 values, of block medians.
 *   spread      Mann-Whitney on the distances from the own median (a rank version of Levene's test).
 */
#include "stats/symptom.h"

#include "base/mem.h"
#include "stats/differences.h"
#include "stats/dist.h"
#include "stats/sample.h"

#include <math.h>
#include <string.h>

enum { LEAST = 8, BLOCKS = 512 };

bool symptom_bimodal(const double *sorted, size_t n)
{
	size_t part = (n + 4) / 5;
	double mean = 0, all = 0, left = 0, best = 0, dn = (double)n;

	if (n < LEAST)
		return false;
	for (size_t i = 0; i < n; i++)
		mean += (sorted[i] - sorted[0]) / dn;
	for (size_t i = 0; i < n; i++) {
		double d = sorted[i] - sorted[0] - mean;

		all += d * d;
		left += d;
		if (i + 1 >= part && i + 1 <= n - part) {
			double k = (double)(i + 1);

			best = fmax(best, left * left * dn / (k * (dn - k)));
		}
	}
	return all > 0 && 1 - best / all < 0.25 - 0.62 / sqrt(dn);
}

bool symptom_outliers(const double *sorted, size_t n)
{
	if (n < LEAST)
		return false;
	AUTO_FREE double *dev = sorted_deviations(sorted, n);
	double scale = 1.4826 * sample_median_sorted(dev, n);
	double bound = scale * (5 + 30 / (double)n);
	size_t out = 0;

	while (out < n && dev[n - 1 - out] > bound)
		out++;
	return scale > 0 && out > n / 500;
}

/* Mean rank (from 1) of v among sorted values that hold it. */
static double rank_of(const double *sorted, size_t n, double v)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (sorted[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	size_t end = lo;

	while (end < n && sorted[end] == v)
		end++;
	return (double)(lo + end + 1) / 2;
}

static double spearman_with_order(const double *v, const double *sorted, size_t n)
{
	double middle = ((double)n + 1) / 2, sxy = 0, sxx = 0, syy = 0;

	for (size_t i = 0; i < n; i++) {
		double x = (double)(i + 1) - middle, y = rank_of(sorted, n, v[i]) - middle;

		sxy += x * y;
		sxx += x * x;
		syy += y * y;
	}
	return syy > 0 ? sxy / sqrt(sxx * syy) : 0;
}

bool symptom_drift(const double *v, const double *sorted, size_t n)
{
	AUTO_FREE double *blocks = NULL, *blocks_sorted = NULL;
	double share = 1;

	if (n < LEAST)
		return false;
	if (n > BLOCKS) {
		size_t each = (n + BLOCKS - 1) / BLOCKS, k = 0;
		AUTO_FREE double *part = xmalloc(each * sizeof(*part));

		blocks = xmalloc(BLOCKS * sizeof(*blocks));
		for (size_t i = 0; i + each <= n; i += each) {
			memcpy(part, v + i, each * sizeof(*part));
			blocks[k++] = sample_select(part, each, each / 2);
		}
		blocks_sorted = sample_sorted(blocks, k);
		/* A drift below a tenth of the spread is nobody's worry, however many values show
		 * it. */
		share = (sample_quantile_sorted(blocks_sorted, k, 0.9) -
			 sample_quantile_sorted(blocks_sorted, k, 0.1)) /
			(sample_quantile_sorted(sorted, n, 0.75) -
			 sample_quantile_sorted(sorted, n, 0.25));
		v = blocks;
		sorted = blocks_sorted;
		n = k;
	}
	double r = spearman_with_order(v, sorted, n);
	double t = fabs(r) * sqrt(((double)n - 2) / fmax(1e-12, 1 - r * r));

	return t > dist_t_quantile(1 - 0.0035 / 2, (double)n - 2) && share > 0.1;
}

double *sorted_deviations(const double *sorted, size_t n)
{
	double *dev = xmalloc((n + 1) * sizeof(*dev));
	double median = sample_median_sorted(sorted, n);
	size_t right = 0, k = 0;

	while (right < n && sorted[right] < median)
		right++;
	size_t left = right;

	while (k < n)
		if (right >= n || (left > 0 && median - sorted[left - 1] < sorted[right] - median))
			dev[k++] = median - sorted[--left];
		else
			dev[k++] = sorted[right++] - median;
	return dev;
}

bool symptom_spread(const double *a, size_t n, const double *b, size_t m)
{
	if (n < LEAST || m < LEAST)
		return false;
	AUTO_FREE double *da = sorted_deviations(a, n);
	AUTO_FREE double *db = sorted_deviations(b, m);
	double ma = sample_median_sorted(da, n), mb = sample_median_sorted(db, m);
	double dn = (double)n, dm = (double)m;
	uint64_t less, more;

	differences_signs(da, n, db, m, &less, &more);
	double z = ((double)more - (double)less) / 2 / sqrt(dn * dm * (dn + dm + 1) / 12);

	return fabs(z) > 2.81 && fmax(ma, mb) >= 1.25 * fmin(ma, mb);
}
