/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_pace - the machine's pace, taken out where other builds show it.
 *
 * A machine that is slow for some seconds (another guest on the same core, a clock that steps) slows whatever runs then. Two builds
 * that take turns see the same spells, so what one shows about its own median predicts the other's next value. That part of
 * a value says nothing about its build and is subtracted. Only *other units'* values are asked: a boot's own effect, shared by its
 * runs, must stay in them, since it is error of the build's level and has to be counted as such.
 *
 * The mean difference of two builds in turns is the same with and without; what changes is the spread that it is judged by. A
 * machine with two speeds 40 % apart gives runs of sd 20 %, and ends that differ by nothing stay undecided for ever, while
 * neighbouring runs agree within 3 %.
 *
 * The prediction is an exponentially weighted mean about each moment, in time and not in runs, so that a build between two
 * visits parts them; its memory is the best of three, its weight the regression's. Where it predicts nothing (correlation within
 * Z_PACE standard errors of 0) the values stay as they are, to the last bit: a quiet machine pays nothing.
 *
 * Refused: a hidden speed in the likelihood (all builds' levels hang together then, and each decision costs n^3); an estimate from
 * runs of a fixed reference program (it costs time in each run and knows one kind of slowness).
 */
#include "brain/posterior_data.h"

#include <math.h>
#include <string.h>

#define LEAST_VALUES 4 /* of each unit */
#define LEAST_TOTAL 24 /* of all together */
#define Z_PACE 4
#define CLIP 2.5
#define ROUNDS 4
#define PSEUDO 0.5 /* weight of "the usual pace" in the mean */

/* Sum and weight of what was told up to now, by all units and by each. */
struct memory {
	double sum, weight, at;
};

struct pace {
	const struct data *d;
	double *level;	 /* of each unit */
	double *r;	 /* value about its unit's level, clipped */
	double *guess;	 /* what the others say about that moment */
	double *weight;	 /* their weight in it */
	double *scratch; /* as long as these */
	struct memory *of;
	double slope; /* how much of the guess is believed */
	double clip;
};

/*
 * Moves the level of unit `u` by `step` of the way to the median of its values without the pace as it is guessed. Returns how many values
 * there are; nothing is done if they are too few.
 */
static size_t centre(struct pace *p, uint32_t u, double step)
{
	const struct data *d = p->d;
	size_t n = 0;

	for (size_t i = 0; i < d->values.n; i++)
		if (d->values.v[i].unit == u)
			p->scratch[n++] = d->values.v[i].y - p->slope * p->guess[i];
	if (n >= LEAST_VALUES)
		p->level[u] += step * (median_of(p->scratch, n) - p->level[u]);
	return n;
}

static void take_residuals(struct pace *p)
{
	for (size_t i = 0; i < p->d->values.n; i++) {
		const struct obs_value *o = &p->d->values.v[i];

		p->r[i] = fmax(-p->clip, fmin(p->clip, o->y - p->level[o->unit]));
	}
}

/* A first p->r, about medians. False if there are not two units with enough values each. */
static bool residuals(struct pace *p)
{
	const struct data *d = p->d;
	unsigned units = 0;

	for (uint32_t u = 0; u < d->units.n; u++) {
		size_t n = centre(p, u, 1);

		if (n && n < LEAST_VALUES)
			return false;
		units += n > 0;
	}
	p->clip = INFINITY;
	take_residuals(p);
	for (size_t i = 0; i < d->values.n; i++)
		p->scratch[i] = fabs(p->r[i]);
	p->clip = CLIP * 1.4826 * median_of(p->scratch, d->values.n);
	take_residuals(p);
	return units >= 2 && p->clip > 0;
}

static void forget(struct memory *m, double at, double span)
{
	double keep = exp(-fabs(at - m->at) / span);

	m->sum *= keep;
	m->weight *= keep;
	m->at = at;
}

/* One pass over the values, forwards or backwards; what earlier ones of other units say is added to guess and weight. */
static void sweep(struct pace *p, double span, bool backwards)
{
	const struct data *d = p->d;
	struct memory all = { .at = 0 };

	memset(p->of, 0, d->units.n * sizeof(*p->of));
	for (size_t k = 0; k < d->values.n; k++) {
		size_t i = backwards ? d->values.n - 1 - k : k;
		const struct obs_value *o = &d->values.v[i];
		struct memory *own = &p->of[o->unit];

		forget(&all, o->at, span);
		forget(own, o->at, span);
		p->guess[i] += all.sum - own->sum;
		p->weight[i] += all.weight - own->weight;
		all.sum += p->r[i];
		all.weight += 1;
		own->sum += p->r[i];
		own->weight += 1;
	}
}

/* The guesses for all moments, about their mean: how fast the machine is as a whole is no business of theirs. */
static void predict(struct pace *p, double span)
{
	size_t n = p->d->values.n;
	double mean = 0;

	memset(p->guess, 0, n * sizeof(*p->guess));
	memset(p->weight, 0, n * sizeof(*p->weight));
	sweep(p, span, false);
	sweep(p, span, true);
	for (size_t i = 0; i < n; i++) {
		p->guess[i] /= p->weight[i] + PSEUDO;
		mean += p->guess[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		p->guess[i] -= mean;
}

/* Squared correlation of the guesses with what came; *ret_slope: of the regression through 0, at most 1. */
static double correlation2(const struct pace *p, double *ret_slope)
{
	double xx = 0, xy = 0, yy = 0;

	for (size_t i = 0; i < p->d->values.n; i++) {
		xx += p->guess[i] * p->guess[i];
		xy += p->guess[i] * p->r[i];
		yy += p->r[i] * p->r[i];
	}
	*ret_slope = xx > 0 ? fmin(1, xy / xx) : 0;
	return xx > 0 && yy > 0 && xy > 0 ? xy * xy / (xx * yy) : 0;
}

/* The usual time from one run to the next. */
static double usual_gap(const struct pace *p)
{
	const struct data *d = p->d;

	for (size_t i = 1; i < d->values.n; i++)
		p->scratch[i - 1] = d->values.v[i].at - d->values.v[i - 1].at;
	return fmax(1e-9, median_of(p->scratch, d->values.n - 1));
}

/* The memory that predicts best; 0 if none predicts. */
static double best_span(struct pace *p, double *ret_correlation)
{
	static const double spans[] = { 1.5, 6, 24 };
	double gap = usual_gap(p), most = 0, slope, ret = 0;

	for (size_t k = 0; k < sizeof(spans) / sizeof(spans[0]); k++) {
		predict(p, spans[k] * gap);
		double c2 = correlation2(p, &slope);

		if (c2 > most) {
			most = c2;
			p->slope = slope;
			ret = spans[k] * gap;
		}
	}
	*ret_correlation = sqrt(most);
	return most * (double)p->d->values.n > Z_PACE * Z_PACE ? ret : 0;
}

/*
 * Levels and pace hang together: medians of a machine with two speeds lie anywhere between them, on each side somewhere else, and a
 * guess about such a median carries its error over to the other side. So levels and guesses are made to agree; by half steps, since two
 * levels that each follow the other would change places for ever.
 */
static void settle(struct pace *p, double span)
{
	for (int round = 0; round < ROUNDS; round++) {
		predict(p, span);
		for (uint32_t u = 0; u < p->d->units.n; u++)
			centre(p, u, 0.5);
		take_residuals(p);
	}
	predict(p, span);
}

void data_take_pace_out(struct data *d)
{
	size_t n = d->values.n;

	d->noise.pace = 0;
	if (n < LEAST_TOTAL)
		return;
	AUTO_FREE double *mem = xcalloc(4 * n, sizeof(*mem));
	AUTO_FREE struct memory *of = xcalloc(d->units.n, sizeof(*of));
	AUTO_FREE double *level = xcalloc(d->units.n, sizeof(*level));
	struct pace p = { .d = d,
			  .level = level,
			  .r = mem,
			  .guess = mem + n,
			  .weight = mem + 2 * n,
			  .scratch = mem + 3 * n,
			  .of = of };
	double correlation, span;

	if (!residuals(&p))
		return;
	span = best_span(&p, &correlation);
	if (span <= 0)
		return;
	d->noise.pace = correlation;
	settle(&p, span);
	for (size_t i = 0; i < n; i++)
		d->values.v[i].y -= p.slope * p.guess[i];
}
