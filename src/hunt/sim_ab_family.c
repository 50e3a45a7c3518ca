/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Families: every metric of a run shares part of the run's noise; the first `real` metrics did change. Nothing is assumed by the judge about
 * that correlation, so it is simulated at several.
 */
#include "hunt/sim_ab_draw.h"

#include "target/sim.h"

#include <assert.h>
#include <math.h>

enum { MOST_METRICS = 32, TAG_COMMON = 210, EXPLORE_AT = 20 };

struct family {
	const struct ab_cell *c;
	const struct judge_plan *plan;
	struct ab_experiment e[MOST_METRICS];
	struct judgement j[MOST_METRICS];
};

static bool is_different(const struct judgement *j)
{
	return j->verdict == VERDICT_SLOWER || j->verdict == VERDICT_FASTER;
}

static void draw(struct family *f, uint64_t key)
{
	const struct ab_cell *c = f->c;
	unsigned n = f->plan->n[f->plan->looks - 1];

	for (unsigned m = 0; m < c->n; m++) {
		struct ab_experiment *e = &f->e[m];

		*e = (struct ab_experiment){ .noise = c->noise,
					     .key = sim_key(key, m),
					     .sides = 2,
					     .shift = { 0, m < c->real ? c->d * AB_SIGMA : 0 } };
		ab_measure(e, n);
		for (unsigned i = 0; c->rho > 0 && i < 2 * n; i++) {
			double *v = &e->v[i % 2][i / 2], shift = e->shift[i % 2];
			double own = log(*v / 100) - shift;
			double common = AB_SIGMA * ab_normal(key, TAG_COMMON, i % 2, i / 2);

			*v = 100 * exp(shift + sqrt(1 - c->rho) * own + sqrt(c->rho) * common);
		}
	}
}

/* Judges until every metric is final; the runs a side at that look. */
static unsigned stop_early(struct family *f)
{
	const struct ab_cell *c = f->c;
	struct judge_params p = ab_params(c->noise, c->margin);
	unsigned n = 0, open = c->n;

	for (unsigned look = 0; look < f->plan->looks && open; look++) {
		n = f->plan->n[look];
		for (unsigned m = 0; m < c->n; m++)
			if (!look || !f->j[m].final)
				judge_runs(f->e[m].v[0], n, f->e[m].v[1], n, &p, f->plan, look,
					   &f->j[m]);
		if (c->fault != AB_UNCORRECTED)
			judge_family(f->j, c->n, f->plan, look);
		open = 0;
		for (unsigned m = 0; m < c->n; m++)
			open += !f->j[m].final;
	}
	return n;
}

/* Benjamini and Hochberg at one look: the share of metrics without a change among those listed. */
static double explore(const struct family *f)
{
	const struct ab_cell *c = f->c;
	struct judge_params p = ab_params(c->noise, c->margin);
	struct judgement j[MOST_METRICS];
	bool listed[MOST_METRICS];
	struct judge_plan plan;
	size_t wrong = 0, k;

	judge_plan_fixed(AB_ALPHA, &plan);
	for (unsigned m = 0; m < c->n; m++)
		judge_runs(f->e[m].v[0], EXPLORE_AT, f->e[m].v[1], EXPLORE_AT, &p, &plan, 0, &j[m]);
	k = judge_explore(j, c->n, AB_ALPHA, listed);
	for (unsigned m = c->real; m < c->n; m++)
		wrong += listed[m];
	return k ? (double)wrong / (double)k : 0;
}

void ab_run_family(struct ab_cell *c, uint64_t seed)
{
	AUTO_FREE struct family *f = xcalloc(1, sizeof(*f));
	struct judge_plan plan;
	uint32_t alarms = 0, found = 0;
	double runs = 0, listed = 0, n = c->repetitions;

	assert(c->n <= MOST_METRICS);
	judge_plan_make(AB_ALPHA, c->budget, c->fault == AB_UNCORRECTED ? 1 : c->n, &plan);
	assert(plan.n[plan.looks - 1] >= EXPLORE_AT);
	f->c = c;
	f->plan = &plan;
	for (uint32_t r = 0; r < c->repetitions; r++) {
		bool alarm = false;

		draw(f, sim_key(seed, r));
		runs += stop_early(f);
		for (unsigned m = 0; m < c->n; m++) {
			found += m < c->real && is_different(&f->j[m]);
			alarm |= m >= c->real && is_different(&f->j[m]);
		}
		alarms += alarm;
		listed += explore(f);
	}
	c->alarm = alarms / n;
	c->power = c->real ? found / n / c->real : NAN;
	c->mean_n = runs / n;
	c->listed_false = listed / n;
	c->coverage = c->half_width = NAN;
	c->target = AB_ALPHA;
	c->ok = !ab_too_many(alarms, c->repetitions, AB_ALPHA);
}
