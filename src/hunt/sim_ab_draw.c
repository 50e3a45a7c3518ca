/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values are exp(ln 100 + shift + 0.01 e) with e a noise of STATISTICS.md section 4. Every draw is a hash of (seed, repetition), so a
 * table is the same on every machine, for every order of its rows and any number of threads.
 */
#include "hunt/sim_ab_draw.h"

#include "stats/dist.h"
#include "stats/sample.h"
#include "target/sim.h"

#include <assert.h>
#include <math.h>

enum { TAG_ORDER = 100, TAG_DRIFT };

static const struct ab_noise {
	const char *name;
	enum sim_noise noise;
	double memory, phi; /* an AR(1) over the order of runs: its sd in sigma */
	double unit;	    /* printed to so much; 0: exactly */
} noises[] = {
	{ "gauss", SIM_GAUSS, 0, 0, 0 }, { "skew", SIM_SKEW, 0, 0, 0 },
	{ "bimod", SIM_BIMOD, 0, 0, 0 }, { "out", SIM_OUT, 0, 0, 0 },
	{ "out15", SIM_OUT15, 0, 0, 0 }, { "t3", SIM_T3, 0, 0, 0 },
	{ "ar", SIM_AR, 0.7, 0.8, 0 },	 { "drift", SIM_GAUSS, 1, 0.98, 0 },
	{ "quant", SIM_GAUSS, 0, 0, 1 }, { "quant2", SIM_GAUSS, 0, 0, 2 },
};

const char *ab_noise_name(unsigned noise)
{
	return noise < ARRAY_LEN(noises) ? noises[noise].name : NULL;
}

void ab_measure(struct ab_experiment *e, unsigned n)
{
	const struct ab_noise *k = &noises[e->noise];
	bool swapped = sim_uniform(e->key, TAG_ORDER, 0, 0) < 0.5;
	double memory = 0;

	assert(n <= AB_MOST_RUNS && e->sides <= 3);
	for (unsigned i = 0, t = 0; i < n; i++) {
		for (unsigned s = 0; s < e->sides; s++, t++) {
			unsigned side = (i % 2 == 1) != swapped ? e->sides - 1 - s : s;
			double x = sim_noise_draw(k->noise, e->key, side, i), *v = &e->v[side][i];

			if (k->memory > 0) {
				memory = sim_ar_step(memory, k->phi,
						     sim_normal(e->key, TAG_DRIFT, t, 0), t);
				x += k->memory * memory;
			}
			*v = exp(log(100) + e->shift[side] + AB_SIGMA * x);
			if (k->unit > 0)
				*v = k->unit * round(*v / k->unit);
		}
	}
}

struct judge_params ab_params(unsigned noise, double margin)
{
	return (struct judge_params){ .margin = expm1(margin * AB_SIGMA),
				      .better = BETTER_LOWER,
				      .resolution = noises[noise].unit };
}

double ab_uniform(uint64_t key, unsigned tag, uint64_t a, uint64_t b)
{
	return sim_uniform(key, tag, a, b);
}

double ab_normal(uint64_t key, unsigned tag, uint64_t a, uint64_t b)
{
	return sim_normal(key, tag, a, b);
}

bool ab_too_many(uint32_t count, uint32_t n, double rate)
{
	return dist_binomial_upper(count - 1.0, n, rate) < 1e-4;
}

void ab_intervals_init(struct ab_intervals *v, uint32_t most)
{
	*v = (struct ab_intervals){ .widths = xcalloc(most + 1, sizeof(*v->widths)) };
}

void ab_intervals_add(struct ab_intervals *v, double low, double high, double truth)
{
	if (isnan(low) || isnan(high)) {
		v->none++;
		return;
	}
	v->widths[v->n++] = (high - low) / 2;
	v->missed += low > truth + 1e-9 || high < truth - 1e-9;
}

void ab_intervals_finish(struct ab_intervals *v, struct ab_cell *c)
{
	c->half_width = v->n ? sample_median(v->widths, v->n) : NAN;
	c->coverage = v->n ? 1 - (double)v->missed / v->n : NAN;
	c->no_interval = (double)v->none / c->repetitions;
	free(v->widths);
}
