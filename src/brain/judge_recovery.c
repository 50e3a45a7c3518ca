/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recovery is a ratio of two differences that share two of their three samples. Dividing the two
 * intervals is wrong (the shared samples correlate them), and the delta method is wrong when the
 * loss is hardly larger than its noise. Fieller's way is neither: the shares s are kept that the
 * data do not refute, i.e. those for which the contrast
 *     c(s) = (1 - s) bad + s good - fixed,   which is 0 if the share is s,
 * stays within t standard errors of 0 (Satterthwaite's degrees of freedom).
 *
 * The levels are 20 % trimmed means with Yuen's variance, in the metric's own unit (a share is of
 * the loss as people measure it). They scale with the values, so skewed noise, additive or relative,
 * cancels from c like the level itself. That is why ranks are not used here: (1 - s) bad + s good
 * and fixed have noise of different shapes, so the median of their differences is off under skew.
 * Huber's location with its usual error was tried: coverage .88 under skew and two modes at n = 30.
 */
#include "brain/judge.h"

#include "base/mem.h"
#include "stats/dist.h"
#include "stats/sample.h"

#include <math.h>

/* Location of one side of two values or more, the variance of that location, and its degrees of freedom. */
struct level {
	double at, var, df;
};

/* The fifth that is cut off each end; of five values cutting two would leave too few to know the spread. */
static size_t trimmed(size_t n)
{
	return n < 6 ? 0 : n / 5;
}

/* Yuen's: the variance of a trimmed mean from the winsorised values; right for skewed noise too. */

static struct level level_of(const double *v, size_t n)
{
	size_t cut = trimmed(n), kept = n - 2 * cut;
	AUTO_FREE double *w = sample_sorted(v, n);
	double h = (double)kept;

	double at = sample_mean(w + cut, kept), step = sample_step_sorted(w, n);

	for (size_t i = 0; i < cut; i++) {
		w[i] = w[cut];
		w[n - 1 - i] = w[n - 1 - cut];
	}
	double sd = sample_sd(w, n);

	/* A trimmed mean of coarsely printed values is off by up to .08 of their step (noise of half a step or more). */
	double rounding = 0.08 * step;

	return (struct level){ at, ((double)n - 1) * sd * sd / (h * (h - 1)) + rounding * rounding,
			       h - 1 };
}

struct contrast {
	struct level good, bad, fixed;
	double alpha;
};

/* < 0: the share s is not refuted. */
static double refutes(const struct contrast *k, double s)
{
	double c = (1 - s) * k->bad.at + s * k->good.at - k->fixed.at;
	double var[3] = { (1 - s) * (1 - s) * k->bad.var, s * s * k->good.var, k->fixed.var };
	double sum = var[0] + var[1] + var[2];
	double df = dist_pooled_df(var, (double[]){ k->bad.df, k->good.df, k->fixed.df }, 3);
	double t = dist_t_quantile(1 - k->alpha / 2, fmax(1, fmin(df, 1e9)));

	return c * c - t * t * sum;
}

/* The end of the interval on one side of `from`; NaN if the data refute no share there. */
static double end_of(const struct contrast *k, double from, double direction)
{
	double inside = from, step = 0.01;

	for (; step < 1e4; step *= 1.5) {
		double s = from + direction * step;

		if (refutes(k, s) < 0) {
			inside = s;
			continue;
		}
		double outside = s;

		for (int i = 0; i < 60; i++) {
			double mid = (inside + outside) / 2;

			if (refutes(k, mid) < 0)
				inside = mid;
			else
				outside = mid;
		}
		return outside;
	}
	return NAN;
}

void judge_recovery(const double *good, size_t n_good, const double *bad, size_t n_bad,
		    const double *fixed, size_t n_fixed, double alpha, struct recovery *ret)
{
	*ret = (struct recovery){ NAN, NAN, NAN, 1 - alpha };
	if (n_good < 2 || n_bad < 2 || n_fixed < 2)
		return;
	struct contrast k = { level_of(good, n_good), level_of(bad, n_bad),
			      level_of(fixed, n_fixed), alpha };
	double share = (k.bad.at - k.fixed.at) / (k.bad.at - k.good.at);
	struct comparison loss;

	compare_samples(good, n_good, bad, n_bad, alpha, &loss);
	if (loss.p > alpha || !isfinite(share))
		return;
	if (k.good.var + k.bad.var + k.fixed.var == 0) { /* counts without noise */
		*ret = (struct recovery){ share, share, share, 1 - alpha };
		return;
	}
	double low = end_of(&k, share, -1), high = end_of(&k, share, 1);

	if (isnan(low) || isnan(high))
		return;
	*ret = (struct recovery){ share, low, high, 1 - alpha };
}
