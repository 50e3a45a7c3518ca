/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each repetition is a history of target/sim with one commit: node 0 is A and node 1 is B. A cell is one thread's work.
 *
 * Targets are STATISTICS.md section 3: coverage .935 of a nominal .95 for n = 4..30, false slower or faster at most .04 in a sequential
 * comparison without a change, mean n 9 at 2 sigma and 5.5 at 4 sigma (gauss), and .05 for a family.
 */
#include "hunt/sim_ab.h"

#include "brain/judge.h"
#include "hunt/sim_targets.h"
#include "target/sim.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SIGMA .01
#define ALPHA .05
#define SIGNIFICANCE 1e-4
enum { MAX_N = 64, MAX_METRICS = 32, TAG_FIRST = 100, TAG_COMMON };

static const struct ab_noise {
	const char *name;
	enum sim_noise noise;
	double drift_sd, quant;
} noises[] = {
	{ "gauss", SIM_GAUSS, 0, 0 },	  { "skew", SIM_SKEW, 0, 0 },
	{ "bimod", SIM_BIMOD, 0, 0 },	  { "out", SIM_OUT, 0, 0 },
	{ "out15", SIM_OUT15, 0, 0 },	  { "t3", SIM_T3, 0, 0 },
	{ "ar", SIM_AR, 0, 0 },		  { "drift", SIM_GAUSS, SIGMA, 0 },
	{ "quant", SIM_GAUSS, 0, SIGMA },
};

const char *ab_noise_name(unsigned noise)
{
	return noise < ARRAY_LEN(noises) ? noises[noise].name : NULL;
}

/* --- the samples of one repetition ---------------------------------------------------------------------------------- */

struct pair {
	double a[MAX_N], b[MAX_N];
};

/* n runs of each: A B B A, A B B A, ..., or with the letters exchanged. */
static void draw_pair(const struct ab_cell *c, double d, uint64_t seed, uint32_t rep, unsigned n,
		      struct pair *ret)
{
	const struct ab_noise *k = &noises[c->noise];
	struct sim_scenario p = { .n = 1,
				  .d = d,
				  .s = SIGMA,
				  .noise = k->noise,
				  .drift_sd = k->drift_sd,
				  .drift_phi = .98,
				  .quant = k->quant };
	struct sim sim;
	bool a_first;

	assert(n <= MAX_N);
	sim_open(&sim, &p, seed, rep, NULL);
	a_first = sim_uniform(sim.key, TAG_FIRST, 0, 0) < .5;
	for (unsigned i = 0; i < n; i++) {
		bool a = (i % 2 == 0) == a_first;
		for (unsigned half = 0; half < 2; half++, a = !a) {
			double v = sim_run(&sim, a ? 0 : 1, 0, 0, i);
			*(a ? &ret->a[i] : &ret->b[i]) = v;
		}
	}
	sim_done(&sim);
}

/* --- the three kinds of cell ---------------------------------------------------------------------------------------- */

static int compare_doubles(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

struct coverage {
	double *widths;
	uint32_t n, covered, none;
};

static void coverage_add(struct coverage *v, const struct comparison *c, double d)
{
	if (isnan(c->low) || isnan(c->high)) {
		v->none++;
		return;
	}
	v->widths[v->n++] = (log1p(c->high) - log1p(c->low)) / 2 / SIGMA;
	v->covered += log1p(c->low) <= d + 1e-9 && d - 1e-9 <= log1p(c->high);
}

static void coverage_finish(struct coverage *v, struct ab_cell *c)
{
	qsort(v->widths, v->n, sizeof(*v->widths), compare_doubles);
	c->half_width = v->n ? v->widths[v->n / 2] : NAN;
	c->coverage = v->n ? (double)v->covered / v->n : NAN;
	c->no_interval = (double)v->none / c->repetitions;
	free(v->widths);
}

static void run_coverage(struct ab_cell *c, uint64_t seed)
{
	struct coverage v = { .widths = xcalloc(c->repetitions, sizeof(double)) };
	struct comparison cmp;
	struct pair s;

	for (uint32_t r = 0; r < c->repetitions; r++) {
		draw_pair(c, c->d * SIGMA, seed, r, c->n, &s);
		compare_samples(s.a, c->n, s.b, c->n, ALPHA, &cmp);
		coverage_add(&v, &cmp, c->d * SIGMA);
	}
	c->target = .935;
	c->ok = v.none == 0 && binomial_at_most(v.covered, v.n, c->target) >= SIGNIFICANCE;
	coverage_finish(&v, c);
}

static void run_sequential(struct ab_cell *c, uint64_t seed)
{
	struct coverage v = { .widths = xcalloc(c->repetitions, sizeof(double)) };
	const struct judge_params p = { .margin = expm1(SIGMA), .better = BETTER_LOWER };
	uint32_t different = 0, on_par = 0;
	double runs = 0, squares = 0, n = c->repetitions;
	struct judge_plan plan;
	struct judgement j;
	struct pair s;

	judge_plan_make(ALPHA, 0, 1, &plan);
	for (uint32_t r = 0; r < c->repetitions; r++) {
		unsigned look = 0;
		draw_pair(c, c->d * SIGMA, seed, r, plan.n[plan.looks - 1], &s);
		do {
			judge_runs(s.a, plan.n[look], s.b, plan.n[look], &p, &plan, look, &j);
			judge_family(&j, 1, &plan, look);
		} while (!j.final && ++look < plan.looks);
		look = look < plan.looks ? look : plan.looks - 1;
		different += j.verdict == VERDICT_SLOWER || j.verdict == VERDICT_FASTER;
		on_par += j.verdict == VERDICT_ON_PAR || j.verdict == VERDICT_IDENTICAL;
		runs += plan.n[look];
		squares += plan.n[look] * plan.n[look];
		coverage_add(&v, &j.cmp, c->d * SIGMA);
	}
	c->different = different / n;
	c->on_par = on_par / n;
	c->undecided = (n - different - on_par) / n;
	c->mean_n = runs / n;
	double slack = 3 * sqrt(fmax(0, squares / n - c->mean_n * c->mean_n) / n);
	c->ok = binomial_at_most(v.covered, v.n, .935) >= SIGNIFICANCE;
	c->target = NAN;
	if (c->d == 0) {
		c->target = .04;
		c->ok &= binomial_at_least(different, c->repetitions, .04) >= SIGNIFICANCE;
	} else if (strcmp(noises[c->noise].name, "gauss") == 0 && c->d >= 2) {
		c->target = c->d >= 4 ? 5.5 : 9;
		c->ok &= c->mean_n <= c->target + slack;
	}
	coverage_finish(&v, c);
}

/* A common part of the noise makes the metrics correlate: it multiplies run by run, the same for all. */
static void correlate(const struct ab_cell *c, uint64_t key, unsigned n, struct pair *s)
{
	double own = sqrt(1 - c->rho), shared = sqrt(c->rho) * SIGMA;

	for (unsigned i = 0; i < n; i++) {
		double za = sim_normal(key, TAG_COMMON, i, 0),
		       zb = sim_normal(key, TAG_COMMON, i, 1);
		s->a[i] = 100 * exp(own * log(s->a[i] / 100) + shared * za);
		s->b[i] = 100 * exp(own * log(s->b[i] / 100) + shared * zb);
	}
}

static void draw_family(const struct ab_cell *c, uint64_t seed, uint32_t rep, unsigned n,
			struct pair *s)
{
	double times = exp(c->d * SIGMA * sqrt(2. / n));

	for (unsigned m = 0; m < c->n; m++) {
		draw_pair(c, 0, sim_key(seed, m), rep, n, &s[m]);
		correlate(c, sim_key(seed, rep), n, &s[m]);
		for (unsigned i = 0; i < n && m < c->real; i++)
			s[m].b[i] *= times;
	}
}

static bool says_different(const struct judgement *j)
{
	return j->verdict == VERDICT_SLOWER || j->verdict == VERDICT_FASTER;
}

static void judge_all(const struct ab_cell *c, const struct pair *s, const struct judge_plan *plan,
		      struct judgement *j)
{
	/* A change of 4 standard errors is below 1 sigma: with that as the margin it would be on par, rightly. */
	const struct judge_params p = { .margin = expm1(SIGMA / 10), .better = BETTER_LOWER };

	memset(j, 0, c->n * sizeof(*j));
	for (unsigned look = 0; look < plan->looks; look++) {
		unsigned n = plan->n[look], open = 0;
		for (unsigned m = 0; m < c->n; m++)
			if (!j[m].final)
				judge_runs(s[m].a, n, s[m].b, n, &p, plan, look, &j[m]);
		judge_family(j, c->n, plan, look);
		for (unsigned m = 0; m < c->n; m++)
			open += !j[m].final;
		if (!open)
			return;
	}
}

static void run_family(struct ab_cell *c, uint64_t seed)
{
	struct pair *s = xcalloc(c->n, sizeof(*s));
	struct judgement j[MAX_METRICS];
	struct judge_plan plan;
	uint32_t alarms = 0, found = 0;

	assert(c->n <= MAX_METRICS);
	judge_plan_make(ALPHA, 0, c->n, &plan);
	for (uint32_t r = 0; r < c->repetitions; r++) {
		bool alarm = false;
		draw_family(c, seed, r, plan.n[plan.looks - 1], s);
		judge_all(c, s, &plan, j);
		for (unsigned m = 0; m < c->n; m++) {
			found += m < c->real && says_different(&j[m]);
			alarm |= m >= c->real && says_different(&j[m]);
		}
		alarms += alarm;
	}
	c->alarm = (double)alarms / c->repetitions;
	c->power = c->real ? (double)found / c->repetitions / c->real : NAN;
	c->coverage = c->half_width = NAN;
	c->target = ALPHA;
	c->ok = binomial_at_least(alarms, c->repetitions, ALPHA) >= SIGNIFICANCE;
	free(s);
}

/* --- the table ------------------------------------------------------------------------------------------------------ */

struct cells {
	struct ab_cell *v;
	size_t n, cap;
};

struct ab_cell *ab_table(bool reduced, size_t *ret_n)
{
	static const unsigned sizes[] = { 4, 6, 10, 20, 30 };
	static const double shifts[] = { 0, 1, 2, 4 };
	struct cells c = { 0 };
	uint32_t half = reduced ? 2 : 1;

	for (unsigned k = 0; ab_noise_name(k); k++)
		for (unsigned i = 0; i < ARRAY_LEN(sizes); i++)
			ARRAY_PUSH(&c, ((struct ab_cell){ .kind = AB_COVERAGE,
							  .noise = k,
							  .n = sizes[i],
							  .repetitions = 1500 / half }));
	for (unsigned k = 0; ab_noise_name(k); k++) {
		for (unsigned i = 0; i < ARRAY_LEN(shifts); i++) {
			if (reduced && (shifts[i] == 1 || (k && shifts[i] > 0)))
				continue;
			ARRAY_PUSH(&c, ((struct ab_cell){ .kind = AB_SEQUENTIAL,
							  .noise = k,
							  .d = shifts[i],
							  .repetitions = 2000 / (half * half) }));
		}
	}
	for (unsigned i = 0; i < (reduced ? 1 : 4); i++)
		ARRAY_PUSH(&c, ((struct ab_cell){ .kind = AB_FAMILY,
						  .n = 20,
						  .d = 4,
						  .real = i % 2 ? 3 : 0,
						  .rho = i / 2 ? .5 : 0,
						  .repetitions = 1000 / half }));
	*ret_n = c.n;
	return c.v;
}

struct work {
	struct ab_cell *cells;
	size_t n;
	uint64_t seed;
	atomic_uint next;
};

static void *worker(void *arg)
{
	struct work *w = arg;

	for (;;) {
		unsigned i = atomic_fetch_add(&w->next, 1);
		if (i >= w->n)
			return NULL;
		struct ab_cell *c = &w->cells[i];
		uint64_t seed =
			sim_key(w->seed, i); /* else ranks would be the same in every cell */
		switch (c->kind) {
		case AB_COVERAGE:
			run_coverage(c, seed);
			break;
		case AB_SEQUENTIAL:
			run_sequential(c, seed);
			break;
		case AB_FAMILY:
			run_family(c, seed);
			break;
		}
	}
}

void ab_run(struct ab_cell *cells, size_t n, uint64_t seed, unsigned jobs)
{
	struct work w = { .cells = cells, .n = n, .seed = seed };
	pthread_t *threads = xcalloc(jobs ? jobs : 1, sizeof(*threads));
	unsigned started = 0;

	atomic_init(&w.next, 0);
	while (started + 1 < jobs && !pthread_create(&threads[started], NULL, worker, &w))
		started++;
	worker(&w);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}
