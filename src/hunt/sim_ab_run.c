/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables, cell by cell, and the threads that count them. */
#include "hunt/sim_ab.h"

#include "base/mem.h"
#include "hunt/sim_ab_draw.h"
#include "target/sim.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[AB_KINDS] = {
	[AB_COVERAGE] = "coverage", [AB_LOOKS] = "looks",	[AB_FAMILY] = "family",
	[AB_BUILDS] = "builds",	    [AB_RECOVERY] = "recovery", [AB_MORE] = "more",
	[AB_SYMPTOMS] = "symptoms",
};

const char *ab_kind_name(enum ab_kind k)
{
	return kind_names[k];
}

bool ab_holds(const struct ab_cell *c)
{
	return c->ok == (c->fault == AB_SOUND);
}

/* --- the tables ------------------------------------------------------------------------------------------------------ */

struct cells {
	struct ab_cell *v;
	size_t n, cap;
};

static void table_coverage(struct cells *c, bool reduced)
{
	static const unsigned few[] = { 4, 6, 10, 20, 30 };
	struct ab_cell x = { .kind = AB_COVERAGE, .d = NAN, .repetitions = reduced ? 500 : 4000 };

	for (; ab_noise_name(x.noise); x.noise++)
		for (unsigned i = 0; i < (reduced ? ARRAY_LEN(few) : 27); i++) {
			x.n = reduced ? few[i] : 4 + i;
			ARRAY_PUSH(c, x);
		}
	x.noise = 0;
	x.n = 10;
	x.fault = AB_TWICE_ALPHA;
	x.repetitions = 4000;
	ARRAY_PUSH(c, x);
}

static void table_looks(struct cells *c, bool reduced)
{
	static const unsigned budgets[] = { 0, 12, 200 };
	static const double shifts[] = { 0, 1, 2, 4 };
	struct ab_cell x = { .kind = AB_LOOKS, .margin = 1, .repetitions = reduced ? 500 : 2000 };

	for (unsigned b = 0; b < (reduced ? 1 : ARRAY_LEN(budgets)); b++)
		for (x.noise = 0; ab_noise_name(x.noise); x.noise++)
			for (unsigned i = 0; i < ARRAY_LEN(shifts); i++) {
				x.budget = budgets[b];
				x.d = shifts[i];
				/* The rate that matters most is counted most often. */
				x.repetitions = reduced ? 500 : b || i ? 2000 : 10000;
				if (!reduced || i == 0 || x.noise == 0)
					ARRAY_PUSH(c, x);
			}
	x.noise = x.budget = 0;
	x.d = 0;
	x.fault = AB_PEEKING;
	x.repetitions = reduced ? 500 : 2000;
	ARRAY_PUSH(c, x);
}

static unsigned noise_called(const char *name)
{
	unsigned k = 0;

	while (strcmp(ab_noise_name(k), name))
		k++;
	return k;
}

static void table_family(struct cells *c, bool reduced)
{
	/* A change of .756 sigma is one of 4 standard errors at 56 a side; it needs a small margin not to be on par. */
	static const struct {
		unsigned metrics, real, budget;
		double d, margin, rho;
		const char *noise;
	} rows[] = {
		{ 20, 3, 0, .756, .1, 0, "gauss" },  { 1, 0, 0, 0, 1, 0, "gauss" },
		{ 2, 0, 0, 0, 1, 0, "gauss" },	     { 5, 0, 0, 0, 1, 0, "gauss" },
		{ 20, 0, 0, 0, 1, 0, "gauss" },	     { 20, 0, 0, 0, 1, .5, "gauss" },
		{ 20, 0, 0, 0, 1, .9, "gauss" },     { 1, 1, 0, .756, .1, 0, "gauss" },
		{ 2, 1, 0, .756, .1, 0, "gauss" },   { 5, 2, 0, .756, .1, 0, "gauss" },
		{ 20, 3, 0, .756, .1, .5, "gauss" }, { 20, 3, 0, .756, .1, .9, "gauss" },
		{ 20, 10, 0, .756, .1, 0, "gauss" }, { 20, 3, 0, 1.5, 1, 0, "gauss" },
		{ 20, 3, 20, 1.5, 1, 0, "gauss" },   { 20, 3, 0, .756, .1, 0, "t3" },
		{ 20, 3, 0, .756, .1, 0, "skew" },   { 20, 3, 0, .756, .1, 0, "ar" },
		{ 20, 3, 0, .756, .1, 0, "quant" },  { 5, 2, 0, 1.5, 1, 0, "out" },
	};
	struct ab_cell x = { .kind = AB_FAMILY, .repetitions = reduced ? 250 : 1000 };

	for (unsigned i = 0; i < (reduced ? 1 : ARRAY_LEN(rows)); i++) {
		x.n = rows[i].metrics;
		x.real = rows[i].real;
		x.budget = rows[i].budget;
		x.d = rows[i].d;
		x.margin = rows[i].margin;
		x.rho = rows[i].rho;
		x.noise = noise_called(rows[i].noise);
		ARRAY_PUSH(c, x);
	}
	x = (struct ab_cell){
		.kind = AB_FAMILY, .n = 20, .margin = 1, .fault = AB_UNCORRECTED, .repetitions = 250
	};
	ARRAY_PUSH(c, x);
}

static void table_builds(struct cells *c, bool reduced)
{
	static const unsigned counts[] = { 3, 5, 4, 6, 8, 12 };
	struct ab_cell x = { .kind = AB_BUILDS, .repetitions = reduced ? 500 : 4000 };

	for (unsigned i = 0; i < (reduced ? 2 : ARRAY_LEN(counts)); i++) {
		x.n = counts[i];
		ARRAY_PUSH(c, x);
	}
	x.n = 5;
	x.fault = AB_RUNS_AS_UNITS;
	ARRAY_PUSH(c, x);
}

static void table_recovery(struct cells *c, bool reduced)
{
	static const unsigned sizes[] = { 8, 5, 14, 30 };
	static const double losses[] = { 5, 2, 20 }, shares[] = { 1, 0, 0.5 };
	struct ab_cell x = { .kind = AB_RECOVERY, .repetitions = reduced ? 500 : 2000 };

	for (; ab_noise_name(x.noise); x.noise++)
		for (unsigned q = 0; q < (reduced ? 1 : 9); q++)
			for (unsigned i = 0; i < (reduced ? 1 : ARRAY_LEN(sizes)); i++) {
				x.d = losses[q / 3];
				x.share = shares[q % 3];
				x.n = sizes[i];
				ARRAY_PUSH(c, x);
			}
	x = (struct ab_cell){ .kind = AB_RECOVERY,
			      .n = 8,
			      .d = 5,
			      .share = 1,
			      .fault = AB_TWICE_ALPHA,
			      .repetitions = 4000 };
	ARRAY_PUSH(c, x);
}

static void table_more(struct cells *c, bool reduced)
{
	static const unsigned sizes[] = { 10, 5, 20 };
	static const double shifts[] = { 0, .5, 1, 1.5 };
	struct ab_cell x = { .kind = AB_MORE, .margin = 1, .repetitions = reduced ? 300 : 2000 };

	/* Not for what is printed to twice its noise: there no number can be told (docs/design/013-verdicts.md). */
	for (; strcmp(ab_noise_name(x.noise), "quant2"); x.noise++)
		for (unsigned i = 0; i < (reduced ? 1 : ARRAY_LEN(sizes)); i++)
			for (unsigned q = 0; q < ARRAY_LEN(shifts); q++) {
				x.n = sizes[i];
				x.d = shifts[q];
				if (!reduced || (x.noise == 0 && q % 2 == 0))
					ARRAY_PUSH(c, x);
			}
	x = (struct ab_cell){ .kind = AB_MORE,
			      .n = 10,
			      .margin = 1,
			      .fault = AB_A_QUARTER,
			      .repetitions = reduced ? 300 : 2000 };
	ARRAY_PUSH(c, x);
}

static void table_symptoms(struct cells *c, bool reduced)
{
	static const unsigned sizes[] = { 8, 20, 10, 14, 30, 60, 200, 400 };
	struct ab_cell x = { .kind = AB_SYMPTOMS, .repetitions = reduced ? 500 : 2000 };

	for (; ab_noise_name(x.noise); x.noise++)
		for (unsigned i = 0; i < (reduced ? 2 : ARRAY_LEN(sizes)); i++) {
			x.n = sizes[i];
			if (!reduced || x.noise == 0)
				ARRAY_PUSH(c, x);
		}
}

struct ab_cell *ab_table(enum ab_kind k, bool reduced, uint32_t repetitions, size_t *ret_n)
{
	static void (*const tables[AB_KINDS])(struct cells * c, bool reduced) = {
		[AB_COVERAGE] = table_coverage, [AB_LOOKS] = table_looks,
		[AB_FAMILY] = table_family,	[AB_BUILDS] = table_builds,
		[AB_RECOVERY] = table_recovery, [AB_MORE] = table_more,
		[AB_SYMPTOMS] = table_symptoms,
	};
	struct cells c = { 0 };

	tables[k](&c, reduced);
	for (size_t i = 0; repetitions && i < c.n; i++)
		c.v[i].repetitions = repetitions;
	*ret_n = c.n;
	return c.v;
}

/* --- counting -------------------------------------------------------------------------------------------------------- */

struct work {
	struct ab_cell *cells;
	size_t n;
	uint64_t seed;
	atomic_uint next;
};

static void *worker(void *arg)
{
	static void (*const run[AB_KINDS])(struct ab_cell * c, uint64_t seed) = {
		[AB_COVERAGE] = ab_run_coverage, [AB_LOOKS] = ab_run_looks,
		[AB_FAMILY] = ab_run_family,	 [AB_BUILDS] = ab_run_builds,
		[AB_RECOVERY] = ab_run_recovery, [AB_MORE] = ab_run_more,
		[AB_SYMPTOMS] = ab_run_symptoms,
	};
	struct work *w = arg;

	for (;;) {
		unsigned i = atomic_fetch_add(&w->next, 1);
		if (i >= w->n)
			return NULL;
		struct ab_cell *c = &w->cells[i];

		/* Cells share no draws: else ranks would be the same in every row of a column. */
		run[c->kind](c, sim_key(w->seed, ((uint64_t)c->kind << 32) + i));
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
