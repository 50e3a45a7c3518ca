/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * families - ways to share an error among metrics and looks, compared on the same draws: the table of what was tried in
 * docs/design/013-verdicts.md.
 *
 *     build/sim_families METRICS [REPETITIONS [CORRELATION [SEED]]]
 *
 * A sixth of the metrics (one at least) change by d sd, the others do not; Gaussian noise of sd 1 %, at most 56 runs a side. Any false alarm,
 * the share of real changes found, and the mean number of runs a side at which they are (56 where they are not).
 */
#include "brain/judge.h"
#include "target/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, RUNS = 56, SCHEMES = 12, TAG_OWN = 300 };
#define SD 0.01
#define ALPHA 0.05

/* Levels by look and by the number of metrics that are still open. */
struct scheme {
	const char *name;
	bool memory; /* p of earlier looks count against today's levels: Holm over their weighted minimum */
	unsigned looks, n[JUDGE_MAX_LOOKS];
	double alpha[JUDGE_MAX_LOOKS];
	/* counts */
	unsigned any;
	double found, runs;
};

static void from_plan(struct scheme *s, const char *name, unsigned metrics, double early,
		      bool memory)
{
	struct judge_plan p;

	if (early < 0)
		judge_plan_make(ALPHA, 0, metrics, &p);
	else
		judge_plan_shaped(ALPHA, 0, metrics, early, &p);
	*s = (struct scheme){ .name = name, .memory = memory, .looks = p.looks };
	memcpy(s->n, p.n, sizeof(s->n));
	memcpy(s->alpha, p.alpha, sizeof(s->alpha));
}

/* z = C / sqrt(n / 56), with C such that the union bound over looks and metrics is alpha. */
static void from_obrien_fleming(struct scheme *s, unsigned metrics)
{
	static const unsigned n[] = { 8, 10, 14, 20, 28, 40, 56 };
	double lo = 1, hi = 8;

	*s = (struct scheme){ .name = "O'Brien-Fleming", .looks = ARRAY_LEN(n) };
	for (int step = 0; step < 60; step++) {
		double c = (lo + hi) / 2, sum = 0;

		for (unsigned i = 0; i < s->looks; i++) {
			s->n[i] = n[i];
			s->alpha[i] = metrics * erfc(c * sqrt((double)RUNS / n[i]) / sqrt(2));
			sum += s->alpha[i];
		}
		*(sum > ALPHA ? &lo : &hi) = c;
	}
}

/* p of every metric at every number of runs. */
struct table {
	double p[MOST][RUNS + 1];
};

static void draw(struct table *t, const bool *wanted, unsigned metrics, unsigned real, double d,
		 double rho, uint64_t key)
{
	for (unsigned m = 0; m < metrics; m++) {
		double v[2][RUNS];

		for (unsigned side = 0; side < 2; side++)
			for (unsigned i = 0; i < RUNS; i++) {
				double own = sim_normal(key, TAG_OWN + 2 * m, side, i);
				double common = sim_normal(key, TAG_OWN + 1, side, i);

				v[side][i] = exp(SD * (sqrt(1 - rho) * own + sqrt(rho) * common +
						       (side && m < real ? d : 0)));
			}
		for (unsigned n = 1; n <= RUNS; n++) {
			struct comparison c;

			if (!wanted[n])
				continue;
			compare_samples(v[0], n, v[1], n, ALPHA, &c);
			t->p[m][n] = c.p;
		}
	}
}

/* Is metric m shown at look `now`, if so many are still open? */
static bool is_shown(const struct scheme *s, const struct table *t, unsigned m, unsigned now,
		     unsigned open)
{
	for (unsigned look = s->memory ? 0 : now; look <= now; look++)
		if (t->p[m][s->n[look]] <= s->alpha[look] / open * (1 + 1e-12))
			return true;
	return false;
}

static void apply(struct scheme *s, const struct table *t, unsigned metrics, unsigned real)
{
	bool shown[MOST] = { false }, any = false;
	unsigned open = metrics;

	for (unsigned look = 0; look < s->looks; look++) {
		for (bool again = true; again && open;) {
			again = false;
			for (unsigned m = 0; m < metrics; m++) {
				if (shown[m] || !is_shown(s, t, m, look, open))
					continue;
				shown[m] = again = true;
				open--;
				any = any || m >= real;
				s->found += m < real;
				s->runs += m < real ? (double)s->n[look] - RUNS : 0;
				if (!open)
					break;
			}
		}
	}
	s->any += any;
	s->runs += (double)real * RUNS;
}

static void compare_schemes(struct scheme *s, unsigned schemes, unsigned metrics, double d,
			    double rho, unsigned reps, uint64_t seed)
{
	unsigned real = d == 0 ? 0 : (metrics + 5) / 6;
	bool wanted[RUNS + 1] = { false };
	static struct table t;

	for (unsigned k = 0; k < schemes; k++) {
		s[k].any = 0;
		s[k].found = s[k].runs = 0;
		for (unsigned i = 0; i < s[k].looks; i++)
			wanted[s[k].n[i]] = true;
	}
	for (unsigned r = 0; r < reps; r++) {
		draw(&t, wanted, metrics, real, d, rho, sim_key(seed, r));
		for (unsigned k = 0; k < schemes; k++)
			apply(&s[k], &t, metrics, real);
	}
	for (unsigned k = 0; k < schemes; k++)
		printf("| %s | %g | %.4f | %.3f | %.1f |\n", s[k].name, d, (double)s[k].any / reps,
		       real ? s[k].found / reps / real : NAN, real ? s[k].runs / reps / real : NAN);
}

int main(int argc, char **argv)
{
	static const double shifts[] = { 0, .756, 1, 1.5, 2, 4 };
	unsigned long metrics = argc > 1 ? strtoul(argv[1], NULL, 10) : 0,
		      reps = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
	double rho = argc > 3 ? strtod(argv[3], NULL) : 0;
	uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 777;
	struct scheme s[SCHEMES];
	unsigned k = 0;

	if (metrics < 1 || metrics > MOST || reps < 1 || reps > 1000000) {
		fprintf(stderr, "usage: sim_families METRICS [REPETITIONS [CORRELATION [SEED]]]\n");
		return 2;
	}
	from_plan(&s[k++], "as for one metric (.07 last)", (unsigned)metrics, 1, false);
	from_plan(&s[k++], "the same with memory", (unsigned)metrics, 1, true);
	from_plan(&s[k++], ".30 last", (unsigned)metrics, .70 / .93, false);
	from_plan(&s[k++], ".50 last", (unsigned)metrics, .50 / .93, false);
	from_plan(&s[k++], ".70 last", (unsigned)metrics, .30 / .93, false);
	from_plan(&s[k++], ".80 last", (unsigned)metrics, .20 / .93, false);
	from_plan(&s[k++], "used", (unsigned)metrics, -1, false);
	from_plan(&s[k++], "used, with memory", (unsigned)metrics, -1, true);
	from_obrien_fleming(&s[k++], (unsigned)metrics);
	s[k++] = (struct scheme){
		.name = "one look at 56", .looks = 1, .n = { RUNS }, .alpha = { ALPHA }
	};
	printf("%lu metrics, correlation %g, %lu repetitions, seed %llu\n| way | shift, sd | any false | found | mean n |\n|---|---|---|---|---|\n",
	       metrics, rho, reps, (unsigned long long)seed);
	for (size_t i = 0; i < ARRAY_LEN(shifts); i++) {
		compare_schemes(s, k, (unsigned)metrics, shifts[i], rho, (unsigned)reps,
				sim_key(seed, i));
		fflush(stdout);
	}
	return 0;
}
