/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three steps: the noise of single points from differences of neighbours (changes hardly touch those), the optimal segmentation
 * (fpop.h) on values in units of that noise, and for each change the two neighbouring segments compared by ranks.
 *
 * The loss is bounded at BOUND sd: a spike costs at most BOUND^2 and a segment of its own twice the penalty, so one odd point, or two,
 * never pay for a change, while three or more in a row do. The penalty is set so that a series without a change stays
 * whole with probability 1 - alpha; its table comes from simulation (build/sim_history calibrate).
 */
#include "stats/changepoint.h"

#include "base/mem.h"
#include "stats/compare.h"
#include "stats/fpop.h"
#include "stats/sample.h"

#include <math.h>
#include <string.h>

#define BOUND 3.0

void changepoint_params_default(struct changepoint_params *p)
{
	*p = (struct changepoint_params){ .alpha = 0.05, .level = 0.95 };
}

/* Median of the absolute differences at `lag`, as the sd of independent noise. */
static double sd_at_lag(const double *x, size_t n, size_t lag, double *work)
{
	size_t k = n - lag;

	for (size_t i = 0; i < k; i++)
		work[i] = fabs(x[i + lag] - x[i]);
	sample_sort(work, k);
	/* |N(0, 2 sd^2)| has the median .9539 sd. */
	double sd = sample_median_sorted(work, k) / 0.9538725524;

	if (sd > 0)
		return sd;
	sd = sample_quantile_sorted(work, k, 0.8) / 1.8123876;
	if (sd > 0)
		return sd;
	/* Nearly all values repeat their neighbour: what moves at all, moves by a quarter of the least move or more. */
	for (size_t i = 0; i < k; i++)
		if (work[i] > 0)
			return work[i] / 4;
	return 0;
}

/*
 * Noise with a short memory makes neighbours alike, and differences between them small: the largest of the lags 1 to 3 counts, as far
 * as the series is long enough for three estimates to be about equal without memory.
 */
static double noise_sd(const double *x, size_t n)
{
	AUTO_FREE double *work = xmalloc(n * sizeof(*work));
	double sd = 0;

	for (size_t lag = 1; lag <= 3 && 4 * lag < n; lag++)
		sd = fmax(sd, sd_at_lag(x, n, lag, work));
	return sd;
}

/*
 * Fitted to the 95 % quantile, over Gaussian, t3, log-normal and two-mode noise, of the largest penalty at which a series without a change
 * is split (build/sim_history calibrate; 3,000 series each): the worst noise of each n counts. It includes what the estimated
 * noise costs: below 10 points that is most of it. Never below BOUND^2, where the last point alone would be a change.
 */
double changepoint_penalty(size_t n, double alpha)
{
	double base = n < 10 ? 15 : 5.3 + 1.55 * log((double)n);
	double stricter = log(0.05 / fmax(0.001, fmin(0.5, alpha)));
	double slope = stricter < 0 ? 1.5 : n < 10 ? 6.5 : 3;

	return fmax(BOUND * BOUND + 0.5, base + slope * stricter);
}

/* The level of x[from, to) under the bounded loss, near its median. */
static double level_of(const double *x, size_t from, size_t to)
{
	double at = sample_median(x + from, to - from);

	for (int step = 0; step < 20; step++) {
		double sum = 0, k = 0;

		for (size_t i = from; i < to; i++) {
			if (fabs(x[i] - at) < BOUND) {
				sum += x[i];
				k++;
			}
		}
		if (k == 0 || sum / k == at)
			break;
		at = sum / k;
	}
	return at;
}

static double loss(double x, double level)
{
	double d = x - level;

	return fmin(d * d, BOUND * BOUND);
}

/* Where else the change from level a to b may lie: the shortest stretch around c->at with `level` of the likelihood. */
static void locate(const double *x, struct changepoint *c, double a, double b, double level)
{
	size_t k = c->to - c->from;
	AUTO_FREE double *w = xmalloc(k * sizeof(*w));
	double cost = 0, least = HUGE_VAL, all = 0, inside;

	/* w[i]: the new level begins at from + i; i = 0 would leave nothing before it. */
	for (size_t i = 1; i < k; i++) {
		cost += loss(x[c->from + i - 1], a) - loss(x[c->from + i - 1], b);
		w[i] = cost;
		least = fmin(least, cost);
	}
	for (size_t i = 1; i < k; i++)
		all += w[i] = exp((least - w[i]) / 2);
	size_t lo = c->at - c->from, hi = lo;

	inside = w[lo];
	while (inside < level * all && (lo > 1 || hi + 1 < k)) {
		if (hi + 1 >= k || (lo > 1 && w[lo - 1] >= w[hi + 1]))
			inside += w[--lo];
		else
			inside += w[++hi];
	}
	c->first = c->from + lo;
	c->last = c->from + hi;
}

static void measure(const double *v, struct changepoint *c, double level)
{
	struct comparison k;

	compare_samples(v + c->from, c->at - c->from, v + c->at, c->to - c->at, 1 - level, &k);
	c->shift = k.shift;
	/* Coarsely printed values are known to half a step. */
	c->low = k.low - k.step / 2;
	c->high = k.high + k.step / 2;
	c->p = k.p;
}

/* The last values that lie beyond the bound on one side of the last level. */
static void look_at_the_end(const double *v, const double *x, size_t n, size_t from, double level,
			    struct changepoints *ret)
{
	size_t k = 0;
	double side = x[n - 1] - level;
	struct comparison c;

	while (k < n - from && (x[n - 1 - k] - level) * side > 0 &&
	       fabs(x[n - 1 - k] - level) > BOUND)
		k++;
	ret->pending_shift = NAN;
	if (!k || k == n - from)
		return;
	ret->pending = k;
	compare_samples(v + from, n - from - k, v + n - k, k, 0.05, &c);
	ret->pending_shift = c.shift;
}

/* Values in units of the noise; false if the series has no noise and no change, or no scale. */
static bool to_units(const double *v, size_t n, double floor_sd, double *x, double *ret_sd)
{
	bool positive = true;
	double base = 1, sd;

	for (size_t i = 0; i < n; i++)
		positive = positive && v[i] > 0;
	if (!positive)
		base = fabs(sample_median(v, n));
	if (base == 0)
		return false;
	for (size_t i = 0; i < n; i++)
		x[i] = positive ? log(v[i]) : fmax(-1e70, fmin(1e70, v[i] / base));
	sd = fmax(noise_sd(x, n), floor_sd);
	*ret_sd = sd;
	for (size_t i = 0; sd > 0 && i < n; i++)
		x[i] /= sd;
	return sd > 0;
}

/* Correlation of neighbours among what the levels leave of x, clipped at the bound. */
static double memory_of(const double *x, const size_t *start, size_t segments)
{
	double product = 0, square = 0, last = 0;

	for (size_t s = 0; s < segments; s++) {
		double level = level_of(x, start[s], start[s + 1]);

		for (size_t i = start[s]; i < start[s + 1]; i++) {
			double r = fmax(-BOUND, fmin(BOUND, x[i] - level));

			square += r * r;
			product += r * last;
			last = r;
		}
	}
	return square > 0 ? product / square : 0;
}

/*
 * Segments of x. Noise with memory moves levels for a while, which looks like changes: if what is left of it remembers
 * its neighbour beyond what chance gives once in 200 series, the noise is taken to be as much larger as it makes means scatter
 * more (an AR(1)), and the series is cut again, in fewer pieces, in which more of the memory shows; four times at most.
 */
static size_t segment(double *x, size_t n, double penalty, size_t *start, struct changepoints *ret)
{
	double factor = 1;
	size_t segments = 0;

	for (int round = 0; round < 5; round++) {
		segments = fpop_segments(x, n, BOUND, penalty, start);
		start[segments] = n;
		double memory = memory_of(x, start, segments);

		if (!(memory * sqrt((double)n) > 2.6))
			break;
		ret->memory = true;
		double wanted = sqrt((1 + memory) / (1 - fmin(memory, 0.98)));

		if (wanted < 1.05 * factor)
			break;
		for (size_t i = 0; i < n; i++)
			x[i] *= factor / wanted;
		ret->sd *= wanted / factor;
		factor = wanted;
	}
	return segments;
}

void changepoints_find(const double *v, size_t n, const struct changepoint_params *p,
		       struct changepoints *ret)
{
	*ret = (struct changepoints){ .sd = NAN, .pending_shift = NAN };
	if (n < CHANGEPOINT_LEAST)
		return;
	AUTO_FREE double *x = xmalloc(n * sizeof(*x));
	AUTO_FREE size_t *start = xmalloc((n + 1) * sizeof(*start));

	if (!to_units(v, n, p->floor, x, &ret->sd))
		return;
	size_t segments = segment(x, n, changepoint_penalty(n, p->alpha), start, ret);
	double before = level_of(x, 0, start[1]);

	for (size_t i = 1; i < segments; i++) {
		struct changepoint *c = ARRAY_GROW(ret);
		double after = level_of(x, start[i], start[i + 1]);

		c->at = start[i];
		c->from = start[i - 1];
		c->to = start[i + 1];
		measure(v, c, p->level);
		locate(x, c, before, after, p->level);
		before = after;
	}
	look_at_the_end(v, x, n, start[segments - 1], before, ret);
}

void changepoints_done(struct changepoints *c)
{
	free(c->v);
	*c = (struct changepoints){ 0 };
}
