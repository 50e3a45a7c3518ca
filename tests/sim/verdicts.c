/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdicts - what the A/B method promises, counted: coverage, false verdicts over looks and metrics, builds as units, recovery,
 * warnings. Prints the tables of docs/design/013-verdicts.md.
 *
 *     build/sim_verdicts TABLE [REPETITIONS [SEED]]      TABLE: coverage looks family builds recovery symptoms
 *
 * Values are exp(ln 100 + shift + 0.01 e) with e a noise of STATISTICS.md section 4, measured in the order A B B A; every
 * draw is a hash of (seed, repetition), so a table is the same on every machine and for every order of its rows.
 */
#include "brain/judge.h"
#include "stats/sample.h"
#include "target/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400, TAG_ORDER = 100, TAG_DRIFT, TAG_SHIFT, TAG_OFFSET, TAG_COMMON };
#define SD 0.01

enum kind { GAUSS, SKEW, BIMOD, OUT, OUT15, T3, AR, DRIFT, QUANT, QUANT2, KINDS };
static const char *const kind_names[KINDS] = { "gauss", "skew", "bimod", "out",	  "out15",
					       "t3",	"ar",	"drift", "quant", "quant2" };

static enum sim_noise noise_of(enum kind k)
{
	static const enum sim_noise table[KINDS] = { SIM_GAUSS, SIM_SKEW, SIM_BIMOD, SIM_OUT,
						     SIM_OUT15, SIM_T3,	  SIM_AR,    SIM_GAUSS,
						     SIM_GAUSS, SIM_GAUSS };

	return table[k];
}

/* One interleaved experiment: shift of each side; sides in turn A B B A, or for three sides A B C C B A. */
struct experiment {
	enum kind kind;
	uint64_t key;
	unsigned sides;
	double shift[3];
	double v[3][MOST];
};

static void experiment_run(struct experiment *e, unsigned n)
{
	double memory = 0, phi = e->kind == AR ? 0.8 : 0.98;
	double size = e->kind == AR ? 0.7 : e->kind == DRIFT ? 1 : 0;
	bool swapped = sim_uniform(e->key, TAG_ORDER, 0, 0) < 0.5;

	for (unsigned i = 0, t = 0; i < n; i++) {
		for (unsigned k = 0; k < e->sides; k++, t++) {
			unsigned side = (i % 2 == 1) != swapped ? e->sides - 1 - k : k;
			double x = SD * sim_noise_draw(noise_of(e->kind), e->key, side, i);

			memory = sim_ar_step(memory, phi, sim_normal(e->key, TAG_DRIFT, t, 0), t);
			e->v[side][i] = exp(log(100) + e->shift[side] + x + SD * size * memory);
			if (e->kind == QUANT2)
				e->v[side][i] = 2 * round(e->v[side][i] / 2);
			if (e->kind == QUANT)
				e->v[side][i] = round(e->v[side][i]);
		}
	}
}

static struct judge_params params_of(enum kind k, double margin)
{
	return (struct judge_params){ .margin = margin,
				      .better = BETTER_LOWER,
				      .resolution = k == QUANT	  ? 1
						    : k == QUANT2 ? 2
								  : 0 };
}

static double median_of(double *v, size_t n)
{
	return n ? sample_median(v, n) : NAN;
}

/* --- coverage of the fixed-size interval ------------------------------------------------------------------------------ */

static void coverage(unsigned reps, uint64_t seed)
{
	static const unsigned sizes[] = { 4, 5, 6, 8, 10, 14, 20, 30 };
	struct judge_plan plan;
	static double half[100000];

	judge_plan_fixed(0.05, &plan);
	printf("coverage of the 95 %% interval (median half-width in sd), %u repetitions, seed %llu\n| noise |",
	       reps, (unsigned long long)seed);
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
		printf(" n = %u |", sizes[s]);
	printf("\n");
	for (enum kind k = 0; k < KINDS; k++) {
		printf("| %s |", kind_names[k]);
		for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
			unsigned held = 0;

			for (unsigned r = 0; r < reps; r++) {
				uint64_t key = sim_key(seed, ((uint64_t)k << 40) +
								     ((uint64_t)s << 32) + r);
				double d = 2 * SD * sim_uniform(key, TAG_SHIFT, 0, 0);
				struct experiment e = {
					.kind = k, .key = key, .sides = 2, .shift = { 0, d }
				};
				struct judge_params p = params_of(k, 0.01);
				struct judgement j;

				experiment_run(&e, sizes[s]);
				judge_runs(e.v[0], sizes[s], e.v[1], sizes[s], &p, &plan, 0, &j);
				held += j.cmp.low <= expm1(d) && expm1(d) <= j.cmp.high;
				half[r] = (log1p(j.cmp.high) - log1p(j.cmp.low)) / 2 / SD;
			}
			printf(" %.3f (%.2f) |", (double)held / reps, median_of(half, reps));
		}
		printf("\n");
	}
}

/* --- early stopping --------------------------------------------------------------------------------------------------- */

struct outcome_count {
	unsigned slower, faster, on_par, undecided;
	double runs;
	unsigned covered;
};

static void one_hunt(struct experiment *e, const struct judge_plan *plan,
		     const struct judge_params *p, struct outcome_count *c)
{
	struct judgement j;
	bool covered = true, counted = false;

	experiment_run(e, plan->n[plan->looks - 1]);
	/* All looks are made, so that coverage is over all of them; the verdict is the first final one. */
	for (unsigned look = 0; look < plan->looks; look++) {
		unsigned n = plan->n[look];
		double d = expm1(e->shift[1] - e->shift[0]);

		judge_runs(e->v[0], n, e->v[1], n, p, plan, look, &j);
		covered = covered && !(j.cmp.low > d || j.cmp.high < d);
		if (!j.final || counted)
			continue;
		counted = true;
		c->slower += j.verdict == VERDICT_SLOWER;
		c->faster += j.verdict == VERDICT_FASTER;
		c->on_par += j.verdict == VERDICT_ON_PAR;
		c->undecided += j.verdict == VERDICT_UNDECIDED;
		c->runs += n;
	}
	c->covered += covered;
}

static void looks(unsigned reps, uint64_t seed)
{
	static const double shifts[] = { 0, 1, 2, 4 };
	static const unsigned budgets[] = { 0, 12, 200 };

	for (size_t b = 0; b < ARRAY_LEN(budgets); b++) {
		struct judge_plan plan;

		judge_plan_make(0.05, budgets[b], 1, &plan);
		printf("early stopping, at most %u a side, margin 1 sd, %u repetitions, seed %llu\n",
		       plan.n[plan.looks - 1], reps, (unsigned long long)seed);
		printf("| noise | d = 0: false | on par, mean n | all looks cover | d = 1 sd: found, mean n | 2 sd | 4 sd |\n");
		for (enum kind k = 0; k < KINDS; k++) {
			struct judge_params p = params_of(k, expm1(SD));

			printf("| %s |", kind_names[k]);
			for (size_t s = 0; s < ARRAY_LEN(shifts); s++) {
				struct outcome_count c = { 0 };

				for (unsigned r = 0; r < reps; r++) {
					struct experiment e = { .kind = k,
								.sides = 2,
								.shift = { 0, shifts[s] * SD } };

					e.key = sim_key(seed, ((uint64_t)k << 40) +
								      ((uint64_t)s << 32) + r);
					one_hunt(&e, &plan, &p, &c);
				}
				if (s == 0)
					printf(" %.4f | %.2f, %.1f | %.3f |",
					       (double)(c.slower + c.faster) / reps,
					       (double)c.on_par / reps, c.runs / reps,
					       (double)c.covered / reps);
				else
					printf(" %.2f, %.1f |", (double)c.slower / reps,
					       c.runs / reps);
			}
			printf("\n");
		}
	}
}

/* --- many metrics ----------------------------------------------------------------------------------------------------- */

struct family_count {
	unsigned any_false, listed, listed_false;
	double found, runs, fdr;
};

enum { METRICS = 20 };

/* All metrics of a run share part of their noise; the first `real` metrics really shift by d. */
static void family_hunt(unsigned metrics, unsigned real, double d, double rho, uint64_t key,
			enum kind kind, const struct judge_plan *plan, struct family_count *c)
{
	static struct experiment e[METRICS];
	struct judgement j[METRICS];
	bool listed[METRICS], any = false;
	unsigned n = 0, open = metrics, last = plan->looks - 1;

	for (unsigned m = 0; m < metrics; m++) {
		e[m] = (struct experiment){ .kind = kind,
					    .key = sim_key(key, m),
					    .sides = 2,
					    .shift = { 0, m < real ? d : 0 } };
		experiment_run(&e[m], plan->n[last]);
		for (unsigned side = 0; side < 2; side++)
			for (unsigned i = 0; i < plan->n[last]; i++) {
				double own = log(e[m].v[side][i] / 100) - e[m].shift[side];
				double common = SD * sim_normal(key, TAG_COMMON, side, i);

				e[m].v[side][i] = 100 * exp(e[m].shift[side] + sqrt(1 - rho) * own +
							    sqrt(rho) * common);
			}
	}
	for (unsigned look = 0; look <= last && open; look++) {
		struct judge_params p = params_of(kind, expm1(SD));

		n = plan->n[look];
		for (unsigned m = 0; m < metrics; m++)
			if (!look || !j[m].final)
				judge_runs(e[m].v[0], n, e[m].v[1], n, &p, plan, look, &j[m]);
		judge_family(j, metrics, plan, look);
		open = 0;
		for (unsigned m = 0; m < metrics; m++)
			open += !j[m].final;
	}
	c->runs += n;
	for (unsigned m = 0; m < metrics; m++) {
		bool different = j[m].verdict == VERDICT_SLOWER || j[m].verdict == VERDICT_FASTER;

		any = any || (m >= real && different);
		c->found += m < real && different ? 1.0 / real : 0;
	}
	c->any_false += any;
	struct judge_params p = params_of(kind, expm1(SD));
	struct judge_plan fixed;
	unsigned wrong = 0;

	judge_plan_fixed(0.05, &fixed);
	for (unsigned m = 0; m < metrics; m++)
		judge_runs(e[m].v[0], 20, e[m].v[1], 20, &p, &fixed, 0, &j[m]);
	size_t k = judge_explore(j, metrics, 0.05, listed);

	for (unsigned m = real; m < metrics; m++)
		wrong += listed[m];
	c->fdr += k ? (double)wrong / (double)k : 0;
}

static void family(unsigned reps, uint64_t seed)
{
	static const struct {
		unsigned metrics, real;
		double rho;
		enum kind kind;
	} rows[] = {
		{ 1, 0, 0, GAUSS },  { 2, 0, 0, GAUSS },    { 5, 0, 0, GAUSS },
		{ 20, 0, 0, GAUSS }, { 20, 0, 0.5, GAUSS }, { 20, 0, 0.9, GAUSS },
		{ 20, 3, 0, GAUSS }, { 20, 3, 0.5, GAUSS }, { 20, 10, 0, GAUSS },
		{ 20, 0, 0, T3 },    { 20, 3, 0, SKEW },    { 5, 2, 0, OUT },
	};

	printf("families with early stopping (to 56 a side, real shift 1.5 sd, margin 1 sd), %u repetitions, seed %llu\n",
	       reps, (unsigned long long)seed);
	printf("| metrics | real | rho | noise | any false slower/faster | real ones found | mean n to the end | BH at n = 20: false share |\n");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct family_count c = { 0 };
		struct judge_plan plan;

		judge_plan_make(0.05, 0, rows[i].metrics, &plan);
		for (unsigned r = 0; r < reps; r++)
			family_hunt(rows[i].metrics, rows[i].real, 1.5 * SD, rows[i].rho,
				    sim_key(seed, ((uint64_t)i << 32) + r), rows[i].kind, &plan,
				    &c);
		printf("| %u | %u | %.1f | %s | %.4f | %.2f | %.1f | %.3f |\n", rows[i].metrics,
		       rows[i].real, rows[i].rho, kind_names[rows[i].kind],
		       (double)c.any_false / reps, c.found / reps, c.runs / reps, c.fdr / reps);
		fflush(stdout);
	}
}

/* --- builds as units -------------------------------------------------------------------------------------------------- */

static void builds(unsigned reps, uint64_t seed)
{
	static const unsigned counts[] = { 1, 3, 4, 5, 6, 8, 12 };
	static double half[100000];
	struct judge_plan plan;

	judge_plan_fixed(0.05, &plan);
	printf("K builds a side, 5 runs each, sd between builds = run sd, nothing changed, %u repetitions, seed %llu\n",
	       reps, (unsigned long long)seed);
	printf("| K | false slower/faster | half-width in offset sd | 'by runs' for comparison: false |\n");
	for (size_t s = 0; s < ARRAY_LEN(counts); s++) {
		unsigned k = counts[s], wrong = 0, wrong_runs = 0;

		for (unsigned r = 0; r < reps; r++) {
			struct experiment e = { .kind = GAUSS,
						.key = sim_key(seed, ((uint64_t)s << 32) + r),
						.sides = 2 };
			struct judge_params p = params_of(GAUSS, 1e-9);
			struct judgement j;
			int64_t group[MOST];

			experiment_run(&e, 5 * k);
			for (unsigned i = 0; i < 5 * k; i++) {
				group[i] = i % k;
				for (unsigned side = 0; side < 2; side++)
					e.v[side][i] *= exp(
						SD * sim_normal(e.key, TAG_OFFSET, side, i % k));
			}
			judge_builds(e.v[0], group, 5 * k, e.v[1], group, 5 * k, &p, &plan, 0, &j);
			wrong += j.verdict != VERDICT_UNDECIDED;
			half[r] = (log1p(j.cmp.high) - log1p(j.cmp.low)) / 2 / SD;
			judge_runs(e.v[0], 5 * k, e.v[1], 5 * k, &p, &plan, 0, &j);
			wrong_runs += j.verdict != VERDICT_UNDECIDED;
		}
		printf("| %u | %.3f | %.2f | %.3f |\n", k, (double)wrong / reps,
		       median_of(half, reps), (double)wrong_runs / reps);
	}
}

/* --- recovery --------------------------------------------------------------------------------------------------------- */

static void recovery(unsigned reps, uint64_t seed)
{
	static const unsigned sizes[] = { 5, 8, 14, 30 };
	static const double losses[] = { 2, 5, 20 }, shares[] = { 0, 0.5, 1 };
	static double half[100000];

	printf("recovery: coverage of the 95 %% interval where the loss is shown (share of those; median half-width), "
	       "%u repetitions, seed %llu\n| noise | loss, share |",
	       reps, (unsigned long long)seed);
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
		printf(" n = %u |", sizes[s]);
	printf("\n");
	for (enum kind k = 0; k < KINDS; k++) {
		for (unsigned q = 0; q < ARRAY_LEN(losses) * ARRAY_LEN(shares); q++) {
			double loss = expm1(losses[q / 3] * SD), share = shares[q % 3];

			printf("| %s | %g sd, %.0f %% |", kind_names[k], losses[q / 3],
			       100 * share);
			for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
				unsigned shown = 0, held = 0;

				for (unsigned r = 0; r < reps; r++) {
					struct experiment e = { .kind = k, .sides = 3 };
					struct recovery x;
					unsigned n = sizes[s];

					e.shift[1] = log1p(loss);
					e.shift[2] = log1p(loss * (1 - share));
					e.key = sim_key(seed, ((uint64_t)k << 48) +
								      ((uint64_t)q << 40) +
								      ((uint64_t)s << 32) + r);
					experiment_run(&e, n);
					judge_recovery(e.v[0], n, e.v[1], n, e.v[2], n, 0.05, &x);
					if (isnan(x.share))
						continue;
					held += x.low <= share && share <= x.high;
					half[shown++] = (x.high - x.low) / 2;
				}
				printf(" %.3f (%.2f; %.2f) |", shown ? (double)held / shown : NAN,
				       (double)shown / reps, median_of(half, shown));
			}
			printf("\n");
		}
	}
}

/* --- warnings --------------------------------------------------------------------------------------------------------- */

static void symptoms(unsigned reps, uint64_t seed)
{
	static const unsigned sizes[] = { 8, 10, 14, 20, 30, 60, 200, 400 };

	printf("how often each warning is raised, in %%: bimodal / outliers / drift / spread, %u repetitions, seed %llu\n| noise |",
	       reps, (unsigned long long)seed);
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
		printf(" n = %u |", sizes[s]);
	printf("\n");
	for (enum kind k = 0; k < QUANT; k++) {
		printf("| %s |", kind_names[k]);
		for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
			unsigned count[4] = { 0 };

			for (unsigned r = 0; r < reps; r++) {
				struct experiment e = {
					.kind = k,
					.sides = 2,
					.key = sim_key(seed, ((uint64_t)k << 40) +
								     ((uint64_t)s << 32) + r)
				};
				struct comparison c;

				experiment_run(&e, sizes[s]);
				compare_samples(e.v[0], sizes[s], e.v[1], sizes[s], 0.05, &c);
				count[0] += (c.warnings & COMPARE_BIMODAL) != 0;
				count[1] += (c.warnings & COMPARE_OUTLIERS) != 0;
				count[2] += (c.warnings & COMPARE_DRIFT) != 0;
				count[3] += (c.warnings & COMPARE_SPREAD) != 0;
			}
			printf(" %.1f / %.1f / %.1f / %.1f |", 100.0 * count[0] / reps,
			       100.0 * count[1] / reps, 100.0 * count[2] / reps,
			       100.0 * count[3] / reps);
		}
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(unsigned reps, uint64_t seed);
		unsigned reps;
	} tables[] = {
		{ "coverage", coverage, 4000 }, { "looks", looks, 4000 },
		{ "family", family, 4000 },	{ "builds", builds, 4000 },
		{ "recovery", recovery, 2000 }, { "symptoms", symptoms, 4000 },
	};
	unsigned long reps = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 777;

	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(tables); i++) {
		if (strcmp(argv[1], tables[i].name) || reps > 100000)
			continue;
		tables[i].run(reps ? (unsigned)reps : tables[i].reps, seed);
		return 0;
	}
	fprintf(stderr,
		"usage: sim_verdicts coverage|looks|family|builds|recovery|symptoms [REPETITIONS [SEED]]\n");
	return 2;
}
