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

size_t mann_whitney_rank(size_t n, size_t m, double alpha)
{
	if (!n || !m || !(alpha > 0))
		return 0;
	if (!is_exact(n, m)) {
		double nm = (double)n * (double)m;
		double z = -dist_normal_quantile(fmin(1, alpha) / 2);
		double k = floor(nm / 2 - z * normal_sd(n, m));

		return k >= 1 ? (size_t)k : 0;
	}
	AUTO_FREE double *p = lower_half(n, m);
	size_t k = 0, most = (n * m + 1) / 2;
	double tail = 0;

	while (k < most) {
		tail += p[k];
		if (2 * tail > level_of(alpha))
			break;
		k++;
	}
	return k;
}

double mann_whitney_p(size_t n, size_t m, uint64_t count)
{
	double nm = (double)n * (double)m;

	if (!n || !m)
		return 1;
	if (!is_exact(n, m)) {
		double z = (nm / 2 - (double)count - 1) / normal_sd(n, m);

		return z > 0 ? 2 * dist_normal_cdf(-z) : 1;
	}
	if ((double)count >= nm / 2)
		return 1;
	AUTO_FREE double *p = lower_half(n, m);
	double tail = 0;

	for (uint64_t u = 0; u <= count; u++)
		tail += p[u];
	return fmin(1, 2 * tail);
}

double mann_whitney_finest(size_t n, size_t m)
{
	return n && m ? fmin(1, mann_whitney_p(n, m, 0)) : 1;
}
