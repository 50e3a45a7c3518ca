/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function for each kind of cell but the families (sim_ab_family.c). Targets are STATISTICS.md section 3: coverage .935 of a nominal .95,
 * false slower or faster at most .04 in a comparison with early stopping, mean n 9 at 2 sigma and 5.5 at 4 sigma (gauss).
 */
#include "hunt/sim_ab_draw.h"

#include "target/sim.h"

#include <math.h>
#include <string.h>

#define COVERAGE 0.935
enum { TAG_SHIFT = 200, TAG_OFFSET };

static bool is_different(const struct judgement *j)
{
	return j->verdict == VERDICT_SLOWER || j->verdict == VERDICT_FASTER;
}

static double alpha_of(const struct ab_cell *c)
{
	return c->fault == AB_TWICE_ALPHA ? 2 * AB_ALPHA : AB_ALPHA;
}

/* The true shift is drawn, so that rounded noise is not favoured by lying on its lattice. */
static double shift_of(const struct ab_cell *c, uint64_t key)
{
	return AB_SIGMA * (isnan(c->d) ? 2 * ab_uniform(key, TAG_SHIFT, 0, 0) : c->d);
}

void ab_run_coverage(struct ab_cell *c, uint64_t seed)
{
	struct judge_params p = ab_params(c->noise, 1);
	struct ab_intervals v;
	struct judge_plan plan;

	judge_plan_fixed(alpha_of(c), &plan);
	ab_intervals_init(&v, c->repetitions);
	for (uint32_t r = 0; r < c->repetitions; r++) {
		uint64_t key = sim_key(seed, r);
		double d = shift_of(c, key);
		struct ab_experiment e = {
			.noise = c->noise, .key = key, .sides = 2, .shift = { 0, d }
		};
		struct judgement j;

		ab_measure(&e, c->n);
		judge_runs(e.v[0], c->n, e.v[1], c->n, &p, &plan, 0, &j);
		ab_intervals_add(&v, log1p(j.cmp.low) / AB_SIGMA, log1p(j.cmp.high) / AB_SIGMA,
				 d / AB_SIGMA);
	}
	c->target = COVERAGE;
	c->ok = v.none == 0 && !ab_too_many(v.missed, v.n, 1 - COVERAGE);
	ab_intervals_finish(&v, c);
}

/* All looks are made, so that coverage is over all of them; the verdict is the first final one, its look is returned. */
static unsigned all_looks(const struct ab_cell *c, const struct judge_plan *plan,
			  struct ab_experiment *e, struct judgement *ret, bool *ret_missed)
{
	struct judge_params p = ab_params(c->noise, c->margin);
	unsigned ended = UINT32_MAX;

	ab_measure(e, plan->n[plan->looks - 1]);
	*ret_missed = false;
	for (unsigned look = 0; look < plan->looks; look++) {
		unsigned n = plan->n[look];
		struct judgement j;

		judge_runs(e->v[0], n, e->v[1], n, &p, plan, look, &j);
		judge_family(&j, 1, plan, look);
		*ret_missed |= log1p(j.cmp.low) > e->shift[1] + 1e-9 ||
			       log1p(j.cmp.high) < e->shift[1] - 1e-9;
		if (j.final && ended == UINT32_MAX) {
			ended = look;
			*ret = j;
		}
	}
	return ended;
}

static void looks_verdict(struct ab_cell *c, uint32_t different, uint32_t on_par, uint32_t missed,
			  double sd)
{
	double slack = 3 * sd / sqrt(c->repetitions);

	c->ok = c->fault == AB_PEEKING || !ab_too_many(missed, c->repetitions, 1 - COVERAGE);
	/* A change of the margin or more is not "on par"; it can be missed on one side only, so half of alpha is spent. */
	c->ok &= !(c->d >= c->margin && ab_too_many(on_par, c->repetitions, AB_ALPHA / 2));
	c->target = NAN;
	if (c->d == 0) {
		c->target = 0.04;
		c->ok &= !ab_too_many(different, c->repetitions, 0.04);
	} else if (!strcmp(ab_noise_name(c->noise), "gauss") && !c->budget && c->d >= 2) {
		c->target = c->d >= 4 ? 5.5 : 9;
		c->ok &= c->mean_n <= c->target + slack;
	}
}

void ab_run_looks(struct ab_cell *c, uint64_t seed)
{
	uint32_t different = 0, on_par = 0, missed = 0;
	double runs = 0, squares = 0, n = c->repetitions;
	struct judge_plan plan;

	judge_plan_make(AB_ALPHA, c->budget, 1, &plan);
	for (unsigned i = 0; c->fault == AB_PEEKING && i < plan.looks; i++)
		plan.alpha[i] = plan.alone[i] = AB_ALPHA;
	for (uint32_t r = 0; r < c->repetitions; r++) {
		struct ab_experiment e = { .noise = c->noise,
					   .key = sim_key(seed, r),
					   .sides = 2,
					   .shift = { 0, c->d * AB_SIGMA } };
		struct judgement j = { .verdict = VERDICT_UNDECIDED };
		bool miss;
		unsigned at = plan.n[all_looks(c, &plan, &e, &j, &miss)];

		missed += miss;
		different += is_different(&j);
		on_par += j.verdict == VERDICT_ON_PAR || j.verdict == VERDICT_IDENTICAL;
		runs += at;
		squares += (double)at * at;
	}
	c->different = different / n;
	c->on_par = on_par / n;
	c->undecided = (n - different - on_par) / n;
	c->mean_n = runs / n;
	c->coverage = 1 - missed / n;
	c->half_width = NAN;
	looks_verdict(c, different, on_par, missed,
		      sqrt(fmax(0, squares / n - c->mean_n * c->mean_n)));
}

/* K builds of 5 runs a side; builds differ by as much as runs do, and nothing changed. */
void ab_run_builds(struct ab_cell *c, uint64_t seed)
{
	struct judge_params p = ab_params(c->noise, 1e-7);
	unsigned k = c->n, n = 5 * k;
	uint32_t wrong = 0;
	struct ab_intervals v;
	struct judge_plan plan;

	judge_plan_fixed(AB_ALPHA, &plan);
	ab_intervals_init(&v, c->repetitions);
	for (uint32_t r = 0; r < c->repetitions; r++) {
		struct ab_experiment e = { .noise = c->noise, .key = sim_key(seed, r), .sides = 2 };
		int64_t group[AB_MOST_RUNS];
		struct judgement j;

		ab_measure(&e, n);
		for (unsigned i = 0; i < 2 * n; i++) {
			group[i / 2] = c->fault == AB_RUNS_AS_UNITS ? 0 : i / 2 % k;
			e.v[i % 2][i / 2] *=
				exp(AB_SIGMA * ab_normal(e.key, TAG_OFFSET, i % 2, i / 2 % k));
		}
		judge_builds(e.v[0], group, n, e.v[1], group, n, &p, &plan, 0, &j);
		wrong += is_different(&j);
		ab_intervals_add(&v, log1p(j.cmp.low) / AB_SIGMA, log1p(j.cmp.high) / AB_SIGMA, 0);
	}
	c->different = (double)wrong / c->repetitions;
	c->target = AB_ALPHA;
	c->ok = !ab_too_many(wrong, c->repetitions, AB_ALPHA);
	ab_intervals_finish(&v, c);
}

/* Good, bad and fixed, A B C C B A. Coverage is of what is printed: where the loss is shown. */
void ab_run_recovery(struct ab_cell *c, uint64_t seed)
{
	double loss = expm1(c->d * AB_SIGMA);
	struct ab_intervals v;

	ab_intervals_init(&v, c->repetitions);
	for (uint32_t r = 0; r < c->repetitions; r++) {
		struct ab_experiment e = { .noise = c->noise,
					   .key = sim_key(seed, r),
					   .sides = 3,
					   .shift = { 0, log1p(loss),
						      log1p(loss * (1 - c->share)) } };
		struct recovery x;

		ab_measure(&e, c->n);
		judge_recovery(e.v[0], c->n, e.v[1], c->n, e.v[2], c->n, alpha_of(c), &x);
		ab_intervals_add(&v, x.low, x.high, c->share);
	}
	c->target = COVERAGE;
	c->ok = !ab_too_many(v.missed, v.n, 1 - COVERAGE);
	ab_intervals_finish(&v, c);
}

static bool is_decided(const struct ab_cell *c, const struct ab_experiment *e, unsigned n,
		       struct judgement *ret)
{
	struct judge_params p = ab_params(c->noise, c->margin);
	struct judge_plan plan;

	judge_plan_fixed(AB_ALPHA, &plan);
	n = n < AB_MOST_RUNS ? n : AB_MOST_RUNS;
	judge_runs(e->v[0], n, e->v[1], n, &p, &plan, 0, ret);
	return ret->verdict != VERDICT_UNDECIDED;
}

/* Of comparisons that n runs a side leave undecided: what the number that the judge gives comes to, and twice that. */
void ab_run_more(struct ab_cell *c, uint64_t seed)
{
	uint32_t undecided = 0, once = 0, twice = 0;

	for (uint32_t r = 0; r < c->repetitions; r++) {
		struct ab_experiment e = { .noise = c->noise,
					   .key = sim_key(seed, r),
					   .sides = 2,
					   .shift = { 0, c->d * AB_SIGMA } };
		struct judgement j;

		ab_measure(&e, AB_MOST_RUNS);
		if (is_decided(c, &e, c->n, &j) || j.unresolvable)
			continue;
		unsigned more = c->fault == AB_A_QUARTER ? j.more_runs / 4 : j.more_runs;

		undecided++;
		once += is_decided(c, &e, c->n + more, &j);
		twice += is_decided(c, &e, c->n + 2 * more, &j);
	}
	c->undecided = (double)undecided / c->repetitions;
	c->power = undecided ? (double)once / undecided : NAN;
	c->twice = undecided ? (double)twice / undecided : NAN;
	c->target = 0.7;
	c->ok = !ab_too_many(undecided - twice, undecided, 1 - c->target);
}

void ab_run_symptoms(struct ab_cell *c, uint64_t seed)
{
	static const unsigned bits[AB_WARNINGS] = { COMPARE_BIMODAL, COMPARE_OUTLIERS,
						    COMPARE_DRIFT, COMPARE_SPREAD };
	bool is_quiet = !strcmp(ab_noise_name(c->noise), "gauss");
	uint32_t count[AB_WARNINGS] = { 0 };

	for (uint32_t r = 0; r < c->repetitions; r++) {
		struct ab_experiment e = { .noise = c->noise, .key = sim_key(seed, r), .sides = 2 };
		struct comparison k;

		ab_measure(&e, c->n);
		compare_samples(e.v[0], c->n, e.v[1], c->n, AB_ALPHA, &k);
		for (unsigned w = 0; w < AB_WARNINGS; w++)
			count[w] += (k.warnings & bits[w]) != 0;
	}
	c->target = is_quiet ? 0.02 : NAN;
	c->ok = true;
	for (unsigned w = 0; w < AB_WARNINGS; w++) {
		c->raised[w] = (double)count[w] / c->repetitions;
		c->ok &= !is_quiet || !ab_too_many(count[w], c->repetitions, 0.02);
	}
}
