/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two questions, not one: does the interval leave 0 out, and is all of it inside the margin. "No
 * significant difference" is never turned into "no difference": on par is a claim of its own, which
 * needs its own evidence; whatever supports neither is undecided.
 *
 * Many metrics: each look tests all metrics by Holm at the look's own part of alpha. A metric that
 * was called different, now or at an earlier look, leaves its part to those that were not (the
 * graphical procedure of Maurer and Bretz, 2013, with equal weights: a closed test of union bounds,
 * so strong control over all looks and metrics for any dependence). On par is judged without Holm and at the
 * levels of a metric alone: "nothing regressed" says that *all* are on par, and such a claim is wrong
 * only if one of its parts is (an intersection-union test), so each part may have the whole alpha. It is
 * wrong on one side only, which costs half of a level: where Holm's level is the larger one, both spend
 * alpha at most.
 *
 * Printed values are rounded. Where the unit of the last digit is known, or a step shows in the
 * data, tied values are spread over their unit if the noise smooths the rounding (stats/rounding.h);
 * else the interval is widened by half a unit to each side, by a whole one if a side shows no spread.
 */
#include "brain/judge.h"

#include "base/mem.h"
#include "stats/rounding.h"
#include "stats/sample.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static bool all_equal(const double *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (v[i] != v[0])
			return false;
	return true;
}

/* --- the builds of a side as units
 * ------------------------------------------------------------------------------------ */

/* Values by build: builds in order of appearance, each one's runs together in the order measured.
 */
struct units {
	double *runs;  /* on the log scale if `log` */
	size_t *start; /* count + 1 */
	double *value; /* the summary of each, on the original scale */
	size_t count;
};

static void units_done(struct units *u)
{
	free(u->runs);
	free(u->start);
	free(u->value);
}

static void units_fill(struct units *u, const double *v, const int64_t *group, size_t n,
		       bool log_scale)
{
	AUTO_FREE bool *taken = xcalloc(n + 1, sizeof(*taken));
	size_t k = 0;

	*u = (struct units){ .runs = xmalloc((n + 1) * sizeof(*u->runs)),
			     .start = xmalloc((n + 1) * sizeof(*u->start)),
			     .value = xmalloc((n + 1) * sizeof(*u->value)) };
	for (size_t i = 0; i < n; i++) {
		if (taken[i])
			continue;
		u->start[u->count++] = k;
		for (size_t j = i; j < n; j++) {
			if (group[j] != group[i])
				continue;
			taken[j] = true;
			u->runs[k++] = log_scale ? log(v[j]) : v[j];
		}
	}
	u->start[u->count] = k;
}

static size_t count_groups(const int64_t *group, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		while (j < i && group[j] != group[i])
			j++;
		count += j == i;
	}
	return count;
}

static size_t add_residuals(const struct units *u, double *r)
{
	size_t k = 0;

	for (size_t b = 0; b < u->count; b++) {
		size_t n = u->start[b + 1] - u->start[b];
		const double *v = u->runs + u->start[b];
		double median = sample_median(v, n);

		for (size_t i = 0; n >= 2 && i < n; i++)
			r[k++] = fabs(v[i] - median) * sqrt((double)n / ((double)n - 1));
	}
	return k;
}

/* Huber's location of each build with the run noise pooled over all (STATISTICS 1.2). */
static void units_summarise(struct units *a, struct units *b, bool log_scale)
{
	struct units *side[2] = { a, b };
	AUTO_FREE double *r = xmalloc((a->start[a->count] + b->start[b->count]) * sizeof(*r));
	size_t k = add_residuals(a, r);

	k += add_residuals(b, r + k);
	double scale = k ? 1.4826 * sample_median(r, k) : 0;

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s]->count; i++) {
			const struct units *u = side[s];
			double at = sample_huber(u->runs + u->start[i],
						 u->start[i + 1] - u->start[i], scale);

			u->value[i] = log_scale ? exp(at) : at;
		}
}

static bool all_positive(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(v[i] > 0))
			return false;
	return true;
}

/* Below this many builds a side the spread between builds is not known, whatever the number of
 * runs. */
enum { LEAST_BUILDS = 3, RANK_BUILDS = 5 };

static void compare_builds(struct judgement *j, double alpha)
{
	const struct judge_input *in = &j->input;
	bool log_scale = all_positive(in->a, in->n_a) && all_positive(in->b, in->n_b);
	struct comparison runs;
	AUTO(units) struct units a = { 0 };
	AUTO(units) struct units b = { 0 };

	compare_samples(in->a, in->n_a, in->b, in->n_b, alpha, &runs);
	units_fill(&a, in->a, in->group_a, in->n_a, log_scale);
	units_fill(&b, in->b, in->group_b, in->n_b, log_scale);
	units_summarise(&a, &b, log_scale);
	size_t least = a.count < b.count ? a.count : b.count;

	if (least >= RANK_BUILDS)
		compare_samples(a.value, a.count, b.value, b.count, alpha, &j->cmp);
	else
		compare_welch(a.value, a.count, b.value, b.count, alpha, &j->cmp);
	if (least < LEAST_BUILDS) {
		j->cmp.low = j->cmp.high = j->cmp.achieved = NAN;
		j->cmp.p = 1;
		j->cmp.warnings |= COMPARE_FEW;
	}
	/* Run noise and the oddities of the runs are those of the runs; the median of all runs is
	 * what a reader looks up. */
	j->cmp.sd = runs.sd;
	j->cmp.median_a = runs.median_a;
	j->cmp.median_b = runs.median_b;
	j->cmp.warnings = (j->cmp.warnings & (COMPARE_FEW | COMPARE_NO_BASE)) |
			  (runs.warnings & ~(unsigned)COMPARE_FEW);
	j->cmp.step = runs.step;
}

/* --- one judgement
 * ----------------------------------------------------------------------------------------------------
 */

/* The scale on which margins are symmetric. */
static double to_scale(const struct judgement *j, double change)
{
	if (j->cmp.warnings & COMPARE_RAW_SCALE)
		return change;
	return log1p(fmax(change, -1 + 1e-9));
}

/* The unit that the values were rounded to, in theirs; 0 = none that matters. */
static double rounding_unit(const struct judgement *j)
{
	double unit = fmax(j->cmp.step * fabs(j->cmp.median_a), j->params.resolution);

	return j->params.counter || isnan(j->cmp.low) ? 0 : unit;
}

static void widen(struct judgement *j, double q)
{
	/* A true value lies strictly inside its rounding interval, so the ends themselves are excluded. */
	j->rounding = q;
	j->cmp.low -= q * (1 - 1e-6);
	j->cmp.high += q * (1 - 1e-6);
	if (!(j->cmp.warnings & COMPARE_RAW_SCALE))
		j->cmp.low = fmax(j->cmp.low, -1);
}

/* The comparison of the values spread over their units; false if that changes the scale (values near 0). */
static bool compare_spread(struct judgement *j, double unit, double alpha)
{
	const struct judge_input *in = &j->input;
	AUTO_FREE double *a = rounding_spread(in->a, in->n_a, unit);
	AUTO_FREE double *b = rounding_spread(in->b, in->n_b, unit);
	struct comparison c;

	compare_samples(a, in->n_a, b, in->n_b, alpha, &c);
	if ((c.warnings ^ j->cmp.warnings) & COMPARE_RAW_SCALE)
		return false;
	j->cmp.shift = c.shift;
	j->cmp.low = c.low;
	j->cmp.high = c.high;
	j->cmp.achieved = c.achieved;
	j->cmp.p = c.p;
	return true;
}

/* Smoothed by the noise: spread the values. Else add what rounding can do at most. */
static void allow_for_rounding(struct judgement *j, double alpha)
{
	const struct judge_input *in = &j->input;
	double unit = rounding_unit(j), q = unit / fabs(j->cmp.median_a);

	if (unit == 0 || j->cmp.median_a == 0)
		return;
	/* A unit far finer than the interval is no business of ranks. */
	bool fine = q < 0.1 * (j->cmp.high - j->cmp.low);

	if (!j->per_build && !fine && rounding_is_smoothed(in->a, in->n_a) &&
	    rounding_is_smoothed(in->b, in->n_b) && compare_spread(j, unit, alpha))
		return;
	if (!all_equal(in->a, in->n_a) && !all_equal(in->b, in->n_b))
		q /= 2;
	widen(j, q);
}

/* Counts without noise: the difference is what it is. */
static void make_exact(struct judgement *j)
{
	const struct judge_input *in = &j->input;
	bool equal = in->a[0] == in->b[0];

	j->exact = true;
	j->cmp.p = equal ? 1 : 0;
	j->cmp.achieved = 1;
	j->cmp.warnings &= ~(unsigned)(COMPARE_FEW | COMPARE_TIES);
	if (equal)
		j->cmp.shift = 0;
	else if (in->a[0] != 0)
		j->cmp.shift = (in->b[0] - in->a[0]) / fabs(in->a[0]);
	j->cmp.low = j->cmp.high = j->cmp.shift;
}

static enum verdict direction(const struct judgement *j, bool more)
{
	return more == (j->params.better != BETTER_HIGHER) ? VERDICT_SLOWER : VERDICT_FASTER;
}

static void decide(struct judgement *j, double alpha)
{
	const struct comparison *c = &j->cmp;
	double m = j->params.margin;
	double floor = c->warnings & COMPARE_RAW_SCALE ? -m : -m / (1 + m);

	j->verdict = VERDICT_UNDECIDED;
	if ((c->warnings & COMPARE_ALL_EQUAL) && j->exact)
		j->verdict = VERDICT_IDENTICAL;
	else if (c->warnings & COMPARE_NO_BASE) {
		if (c->p <= alpha && c->median_b != 0)
			j->verdict = direction(j, c->median_b > 0);
	} else if (isnan(c->low))
		return;
	else if (c->low >= floor && c->high <= m) {
		j->verdict = VERDICT_ON_PAR;
		j->on_par_but_differs = c->low > 0 || c->high < 0;
	} else if (c->low > 0)
		j->verdict = direction(j, true);
	else if (c->high < 0)
		j->verdict = direction(j, false);
}

/* What would decide an undecided one: STATISTICS 1.9. */
static void estimate_more(struct judgement *j, double alpha)
{
	double na = (double)j->cmp.n_a, nb = (double)j->cmp.n_b, n = 2 * na * nb / (na + nb);
	unsigned least = (unsigned)fmin(na, nb), need = 5;

	if (isnan(j->cmp.shift))
		return;
	if (isnan(j->cmp.low)) {
		while (need < 60 && mann_whitney_finest(need, need) > alpha)
			need++;
		if (j->per_build && least < LEAST_BUILDS)
			need = LEAST_BUILDS;
		j->need_minimum = true;
		j->more_runs = need > least ? need - least : 1;
		return;
	}
	double low = to_scale(j, j->cmp.low), high = to_scale(j, j->cmp.high);
	double hl = fabs(to_scale(j, j->cmp.shift)), w = (high - low) / 2;
	double margin =
		j->cmp.warnings & COMPARE_RAW_SCALE ? j->params.margin : log1p(j->params.margin);
	double target = fmax(hl, margin - hl);

	/* What rounding may hide stays, however many runs there are (where it is of any size: a digit in 20 of the width). */
	if (j->rounding > 0.05 * w) {
		w = fmax(0, w - j->rounding);
		target -= j->rounding;
	}
	if (!(target >= w / 8)) {
		j->unresolvable = true;
		return;
	}
	j->more_runs = (unsigned)fmax(1, ceil(1.1 * n * pow(w / target, 2)) - n);
}

static void judge_at(struct judgement *j, double alpha, const struct judge_plan *plan,
		     unsigned look)
{
	const struct judge_input *in = &j->input;

	j->on_par_but_differs = j->unresolvable = j->need_minimum = j->exact = false;
	j->more_runs = 0;
	j->rounding = 0;
	j->look = look;
	if (j->per_build)
		compare_builds(j, alpha);
	else
		compare_samples(in->a, in->n_a, in->b, in->n_b, alpha, &j->cmp);
	if (j->params.counter && all_equal(in->a, in->n_a) && all_equal(in->b, in->n_b))
		make_exact(j);
	else
		allow_for_rounding(j, alpha);
	decide(j, alpha);
	j->final = j->verdict != VERDICT_UNDECIDED || look + 1 >= plan->looks;
	if (j->verdict == VERDICT_UNDECIDED)
		estimate_more(j, alpha);
}

void judge_runs(const double *a, size_t n_a, const double *b, size_t n_b,
		const struct judge_params *p, const struct judge_plan *plan, unsigned look,
		struct judgement *ret)
{
	assert(look < plan->looks);
	*ret = (struct judgement){ .params = *p, .input = { a, b, NULL, NULL, n_a, n_b } };
	judge_at(ret, plan->alone[look], plan, look);
}

void judge_builds(const double *a, const int64_t *group_a, size_t n_a, const double *b,
		  const int64_t *group_b, size_t n_b, const struct judge_params *p,
		  const struct judge_plan *plan, unsigned look, struct judgement *ret)
{
	assert(look < plan->looks);
	*ret = (struct judgement){ .params = *p, .input = { a, b, group_a, group_b, n_a, n_b } };
	ret->per_build = group_a && group_b &&
			 (count_groups(group_a, n_a) > 1 || count_groups(group_b, n_b) > 1);
	judge_at(ret, plan->alone[look], plan, look);
}

/* --- many metrics
 * -----------------------------------------------------------------------------------------------------
 */

struct ranked {
	double p;
	size_t i;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

static bool is_different(const struct judgement *j)
{
	return j->verdict == VERDICT_SLOWER || j->verdict == VERDICT_FASTER;
}

/* Those that this look may still decide, by p; returns their number. */
static size_t rank_open(const struct judgement *j, size_t n, unsigned look, struct ranked *ret)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (!j[i].final || j[i].look >= look)
			ret[k++] = (struct ranked){ j[i].cmp.p, i };
	qsort(ret, k, sizeof(*ret), by_p);
	return k;
}

/* At another level than it was judged at. */
static void judge_again(struct judgement *j, double level, const struct judge_plan *plan,
			unsigned look)
{
	if (j->cmp.level != 1 - level)
		judge_at(j, level, plan, look);
}

void judge_family(struct judgement *j, size_t n, const struct judge_plan *plan, unsigned look)
{
	size_t family = n > plan->primary ? n : plan->primary, different = 0;
	double alpha = plan->alpha[look];
	AUTO_FREE struct ranked *open = xmalloc((n + 1) * sizeof(*open));
	AUTO_FREE bool *done = xcalloc(n + 1, sizeof(*done));
	size_t k = rank_open(j, n, look, open);

	for (size_t i = 0; i < n; i++)
		different += j[i].final && j[i].look < look && is_different(&j[i]);
	for (size_t r = 0; r < k; r++) {
		struct judgement *x = &j[open[r].i];
		double level = alpha / (double)(family - different);

		if (open[r].p > level)
			break;
		if (x->verdict == VERDICT_ON_PAR || x->verdict == VERDICT_IDENTICAL)
			continue;
		judge_again(x, level, plan, look);
		done[open[r].i] = is_different(x);
		different += is_different(x);
	}
	for (size_t r = 0; r < k; r++) {
		struct judgement *x = &j[open[r].i];

		if (!done[open[r].i] && x->verdict != VERDICT_ON_PAR &&
		    x->verdict != VERDICT_IDENTICAL)
			judge_again(x, alpha / (double)(family - different), plan, look);
	}
}

size_t judge_explore(const struct judgement *j, size_t n, double q, bool *ret_listed)
{
	AUTO_FREE struct ranked *order = xmalloc((n + 1) * sizeof(*order));
	size_t listed = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = (struct ranked){ j[i].cmp.p, i };
	qsort(order, n, sizeof(*order), by_p);
	for (size_t r = 0; r < n; r++)
		if (order[r].p <= q * (double)(r + 1) / (double)n)
			listed = r + 1;
	for (size_t r = 0; r < n; r++)
		ret_listed[order[r].i] = r < listed;
	return listed;
}
