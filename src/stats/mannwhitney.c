/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The number of arrangements with U = u is the coefficient of q^u in the Gaussian binomial
 *     prod_{i=1..n} (1 - q^(m+i)) / (1 - q^i),
 * built factor by factor; every partial product is again a Gaussian binomial, so its coefficients
 * stay positive and near their size. Only the lower half is kept: the distribution is symmetric.
 * The classic recurrence over (n, m, u) costs n m n m steps and was refused; so was keeping tables
 * between calls (global state for 0.2 ms at n = m = 60).
 *
 * Above: U is nearly normal with mean n m / 2 and variance n m (n + m + 1) / 12; the interval's
 * rank is floor(n m / 2 - z sd) (Hollander and Wolfe), and p is its inverse.
 */
#include "stats/mannwhitney.h"

#include "base/mem.h"
#include "stats/dist.h"

#include <math.h>
#include <stdbool.h>

#define EXACT_COST 216000.0

static bool is_exact(size_t n, size_t m)
{
	double lo = (double)(n < m ? n : m), hi = (double)(n < m ? m : n);

	return lo * lo * hi <= EXACT_COST;
}

static double binomial(size_t n, size_t m)
{
	double c = 1;

	for (size_t i = 1; i <= n; i++)
		c *= (double)(m + i) / (double)i;
	return c;
}

/* Probabilities of U = 0 .. n m / 2; the caller frees. */
static double *lower_half(size_t n, size_t m)
{
	if (n > m) {
		size_t t = n;

		n = m;
		m = t;
	}
	size_t limit = n * m / 2;
	double *c = xcalloc(limit + 1, sizeof(*c));

	c[0] = 1;
	for (size_t i = 1; i <= n; i++) {
		for (size_t u = limit; u >= m + i; u--)
			c[u] -= c[u - m - i];
		for (size_t u = i; u <= limit; u++)
			c[u] += c[u - i];
	}
	double total = binomial(n, m);

	for (size_t u = 0; u <= limit; u++)
		c[u] /= total;
	return c;
}

static double normal_sd(size_t n, size_t m)
{
	double a = (double)n, b = (double)m;

	return sqrt(a * b * (a + b + 1) / 12);
}

/* The tail's own rounding: a level that equals an attainable one to 1e-12 is that one. */
static double level_of(double alpha)
{
	return alpha * (1 + 1e-12);
}

static struct mann_whitney approximate(size_t n, size_t m, double alpha, uint64_t count)
{
	double middle = (double)n * (double)m / 2, sd = normal_sd(n, m);
	double k = floor(middle + dist_normal_quantile(fmin(1, alpha) / 2) * sd);
	double z = (middle - (double)count - 1) / sd;
	struct mann_whitney r = { 0, 0, z > 0 ? 2 * dist_normal_cdf(-z) : 1 };

	if (k >= 1) {
		r.rank = (size_t)k;
		r.used = 2 * dist_normal_cdf((k - middle) / sd);
	}
	return r;
}

struct mann_whitney mann_whitney(size_t n, size_t m, double alpha, uint64_t count)
{
	struct mann_whitney r = { 0, 0, 1 };

	if (!n || !m)
		return r;
	if (!is_exact(n, m))
		return approximate(n, m, alpha, count);
	AUTO_FREE double *p = lower_half(n, m);
	size_t limit = n * m / 2, most = (n * m + 1) / 2;
	double tail = 0;

	for (size_t k = 0; k < most; k++) {
		tail += p[k];
		if (k == count)
			r.p = fmin(1, 2 * tail);
		if (2 * tail <= level_of(alpha)) {
			r.rank = k + 1;
			r.used = 2 * tail;
		} else if (k >= count || count > limit) {
			break;
		}
	}
	return r;
}

size_t mann_whitney_rank(size_t n, size_t m, double alpha)
{
	return mann_whitney(n, m, alpha, UINT64_MAX).rank;
}

double mann_whitney_p(size_t n, size_t m, uint64_t count)
{
	return mann_whitney(n, m, 0, count).p;
}

double mann_whitney_finest(size_t n, size_t m)
{
	return mann_whitney_p(n, m, 0);
}
