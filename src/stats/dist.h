/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dist - distribution functions and quantiles, from r-mathlib behind one door.
 *
 * A cdf is P(X <= x), accurate in its lower tail to about 1e-14 relative; for an upper tail use the
 * symmetry or the _upper function, never 1 - cdf. Outside the domain (a negative df, a probability
 * above 1, a NaN) the answer is NaN and nothing is printed: the library itself would print a
 * warning on stdout, where culprit's answer goes.
 */
#pragma once

#include <stddef.h>

double dist_normal_cdf(double x);
/* 0 < p < 1; 0 and 1 give the infinities. */
double dist_normal_quantile(double p);

/* df > 0, not necessarily whole. */
double dist_t_cdf(double x, double df);
double dist_t_quantile(double p, double df);

/* Satterthwaite's degrees of freedom of a sum of n independent variance estimates var[i] with df[i]; NaN if all are 0. */
double dist_pooled_df(const double *var, const double *df, size_t n);

/* Shapes a and b, and the degrees of freedom of an F, lie between these. */
#define DIST_SHAPE_MIN 1e-3
#define DIST_SHAPE_MAX 1e9
double dist_beta_cdf(double x, double a, double b);
double dist_beta_quantile(double p, double a, double b);

double dist_f_cdf(double x, double df1, double df2);
double dist_f_quantile(double p, double df1, double df2);

double dist_chi2_cdf(double x, double df);
double dist_chi2_upper(double x, double df);
double dist_chi2_quantile(double p, double df);

/* n trials, a whole number >= 0; 0 <= prob <= 1. P(X <= k) and P(X > k). */
double dist_binomial_cdf(double k, double n, double prob);
double dist_binomial_upper(double k, double n, double prob);
double dist_binomial_quantile(double p, double n, double prob);

/*
 * Exact nulls of the Wilcoxon tests without ties: of the Mann-Whitney count U (0 .. n m) and of the
 * signed-rank sum (0 .. n (n + 1) / 2). The library keeps tables for them that grow as n m n m / 4,
 * so the size is limited: DIST_RANK_MAX values a side, NaN above. compare.c has its own programme;
 * this one is its oracle.
 */
enum { DIST_RANK_MAX = 60 };
double dist_ranksum_cdf(double u, double n, double m);
double dist_signrank_cdf(double v, double n);
