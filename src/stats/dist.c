/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * r-mathlib is R's own nmath as a library. Own code was refused (there is nothing to win in another
 * incomplete beta), and so was GSL (its licence would decide ours). All that this file adds is the
 * check of each domain: nmath answers a bad argument with NaN *and* a line on stdout.
 */
#include "stats/dist.h"

#include <math.h>
#include <stdbool.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

static bool is_probability(double p)
{
	return p >= 0 && p <= 1;
}

static bool is_positive(double v)
{
	return v > 0 && isfinite(v);
}

static bool is_count(double n, double max)
{
	return n >= 0 && n <= max && n == floor(n);
}

double dist_normal_cdf(double x)
{
	return isnan(x) ? NAN : pnorm5(x, 0, 1, 1, 0);
}

double dist_normal_quantile(double p)
{
	return is_probability(p) ? qnorm5(p, 0, 1, 1, 0) : NAN;
}

double dist_t_cdf(double x, double df)
{
	return isnan(x) || !is_positive(df) ? NAN : pt(x, df, 1, 0);
}

double dist_t_quantile(double p, double df)
{
	return is_probability(p) && is_positive(df) ? qt(p, df, 1, 0) : NAN;
}

double dist_pooled_df(const double *var, const double *df, size_t n)
{
	double sum = 0, square = 0;

	for (size_t i = 0; i < n; i++)
		sum += var[i];
	/* Shares, not squares of variances: those leave the range of a double. */
	for (size_t i = 0; i < n; i++)
		square += (var[i] / sum) * (var[i] / sum) / df[i];
	return 1 / square;
}

/* Shapes for which nmath's incomplete beta is silent. */
static bool is_shape(double v)
{
	return v >= DIST_SHAPE_MIN && v <= DIST_SHAPE_MAX;
}

double dist_beta_cdf(double x, double a, double b)
{
	return isnan(x) || !is_shape(a) || !is_shape(b) ? NAN : pbeta(x, a, b, 1, 0);
}

/*
 * Where a beta variable has p below it, or (upper) 1 - where: by halving, geometrically as long as the ends are far apart. nmath's
 * qbeta is faster, and prints a warning for many a p below 1e-100.
 */
static double beta_halving(double p, double a, double b, bool upper)
{
	double lo = 0x1p-1022, hi = 1;

	for (int step = 0; step < 300; step++) {
		double mid = hi > 4 * lo ? sqrt(lo) * sqrt(hi) : lo + (hi - lo) / 2;

		if (mid <= lo || mid >= hi)
			break;
		if (upper ? pbeta(mid, b, a, 0, 0) > p : pbeta(mid, a, b, 1, 0) < p)
			lo = mid;
		else
			hi = mid;
	}
	return lo + (hi - lo) / 2;
}

double dist_beta_quantile(double p, double a, double b)
{
	if (!is_probability(p) || !is_shape(a) || !is_shape(b))
		return NAN;
	if (p == 0 || p == 1)
		return p;
	return pbeta(0.5, a, b, 1, 0) >= p ? beta_halving(p, a, b, false)
					   : 1 - beta_halving(p, a, b, true);
}

double dist_f_cdf(double x, double df1, double df2)
{
	return isnan(x) || !is_shape(df1) || !is_shape(df2) ? NAN : pf(x, df1, df2, 1, 0);
}

/* F = (df2 / df1) B / (1 - B) with a beta variable B. */
double dist_f_quantile(double p, double df1, double df2)
{
	if (!is_probability(p) || !is_shape(df1) || !is_shape(df2))
		return NAN;
	if (p == 0 || p == 1)
		return p == 0 ? 0 : HUGE_VAL;
	double a = df1 / 2, b = df2 / 2;

	if (pbeta(0.5, a, b, 1, 0) >= p) {
		double x = beta_halving(p, a, b, false);

		return df2 / df1 * x / (1 - x);
	}
	double y = beta_halving(p, a, b, true);

	return df2 / df1 * (1 - y) / y;
}

double dist_chi2_cdf(double x, double df)
{
	return isnan(x) || !is_positive(df) ? NAN : pchisq(x, df, 1, 0);
}

double dist_chi2_upper(double x, double df)
{
	return isnan(x) || !is_positive(df) ? NAN : pchisq(x, df, 0, 0);
}

double dist_chi2_quantile(double p, double df)
{
	return is_probability(p) && is_positive(df) ? qchisq(p, df, 1, 0) : NAN;
}

double dist_binomial_cdf(double k, double n, double prob)
{
	return isnan(k) || !is_count(n, 1e15) || !is_probability(prob) ? NAN
								       : pbinom(k, n, prob, 1, 0);
}

double dist_binomial_upper(double k, double n, double prob)
{
	return isnan(k) || !is_count(n, 1e15) || !is_probability(prob) ? NAN
								       : pbinom(k, n, prob, 0, 0);
}

double dist_binomial_quantile(double p, double n, double prob)
{
	return is_probability(p) && is_count(n, 1e15) && is_probability(prob)
		       ? qbinom(p, n, prob, 1, 0)
		       : NAN;
}

static bool is_rank_size(double n)
{
	return n >= 1 && is_count(n, DIST_RANK_MAX);
}

double dist_ranksum_cdf(double u, double n, double m)
{
	return isnan(u) || !is_rank_size(n) || !is_rank_size(m) ? NAN : pwilcox(u, m, n, 1, 0);
}

double dist_signrank_cdf(double v, double n)
{
	return isnan(v) || !is_rank_size(n) ? NAN : psignrank(v, n, 1, 0);
}
