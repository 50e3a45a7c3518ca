/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rivals, kept as plain as they are in use.
 *
 * On a line the candidates that a bisection has left are an interval (good, bad]; its set answer,
 * when only commits that do not build are left inside, is that interval. A DAG would need git's own
 * weighing of ancestors and is not modelled.
 *
 * The Bayesian rival: with the change at j, outcomes of commits before j are Bernoulli with one
 * unknown rate and those from j on with another, both with Jeffreys' prior, so that the marginal
 * likelihood is a product of two Beta functions of counts. The next commit minimises the expected
 * entropy of the posterior. Hypotheses between two neighbouring tested commits have the same
 * likelihood, but the expected entropy differs inside, so all N are scored, by prefix sums in O(N).
 */
#include "target/policies.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { END_RUNS = 5, BAYES_MAX_RUNS = 1000 };

/* One build of each commit and its runs so far. */
struct lab {
	struct sim *sim;
	unsigned *runs; /* per artefact */
	uint8_t *built;
	struct policy_result *res;
};

static void lab_init(struct lab *l, struct sim *sim, struct policy_result *ret)
{
	assert(!sim->p.dag);
	sim_rewind(sim);
	*ret = (struct policy_result){ .stated = NAN };
	*l = (struct lab){ .sim = sim, .res = ret };
	l->runs = xcalloc(sim->g->n, sizeof(*l->runs));
	l->built = xcalloc(sim->g->n, 1);
}

static void lab_done(struct lab *l)
{
	free(l->runs);
	free(l->built);
}

static bool lab_build(struct lab *l, uint32_t node)
{
	if (l->built[node])
		return true;
	l->res->builds++;
	l->built[node] = sim_builds(l->sim, node);
	return l->built[node];
}

static double lab_run(struct lab *l, uint32_t node)
{
	unsigned run = l->runs[sim_artefact(l->sim, node)]++;

	if (run == 0)
		l->res->boots++;
	l->res->runs++;
	return sim_run(l->sim, node, 0, 0, run);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), compare_doubles);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Above it (times sign) is bad. The values of the ends' runs are left in good and bad, sorted. */
struct threshold {
	double at, sign;
	double good[END_RUNS], bad[END_RUNS];
};

static void measure_ends(struct lab *l, struct threshold *t)
{
	const struct graph *g = l->sim->g;
	double mg, mb;

	lab_build(l, g->good);
	lab_build(l, g->bad);
	for (unsigned i = 0; i < END_RUNS; i++) {
		t->good[i] = log(lab_run(l, g->good));
		t->bad[i] = log(lab_run(l, g->bad));
	}
	mg = median(t->good, END_RUNS);
	mb = median(t->bad, END_RUNS);
	t->at = (mg + mb) / 2;
	t->sign = mb >= mg ? 1 : -1;
}

static bool is_bad(const struct threshold *t, double y)
{
	return t->sign * (y - t->at) > 0;
}

/* The untried commit of (lo, hi) nearest to its middle, as a person would go on by hand; 0: all
 * were tried. */
static uint32_t next_in_gap(const uint8_t *failed, uint32_t lo, uint32_t hi)
{
	uint32_t mid = lo + (hi - lo) / 2;

	for (uint32_t far = 0; far < hi - lo; far++) {
		if (mid > lo + far && !failed[mid - far])
			return mid - far;
		if (mid + far < hi && !failed[mid + far])
			return mid + far;
	}
	return 0;
}

void policy_threshold(struct sim *sim, unsigned runs, struct policy_result *ret)
{
	struct lab l;
	struct threshold t;
	double *y = xreallocarray(NULL, runs, sizeof(*y));
	uint8_t *failed = xcalloc(sim->g->n, 1);
	uint32_t lo = sim->g->good, hi = sim->g->bad, c;

	lab_init(&l, sim, ret);
	measure_ends(&l, &t);
	while (hi - lo > 1 && (c = next_in_gap(failed, lo, hi)) != 0) {
		ret->steps++;
		if (!lab_build(&l, c)) {
			failed[c] = 1;
			continue;
		}
		for (unsigned i = 0; i < runs; i++)
			y[i] = log(lab_run(&l, c));
		if (is_bad(&t, median(y, runs)))
			hi = c;
		else
			lo = c;
	}
	ret->answer = hi - lo == 1 ? ANSWER_NAMED : ANSWER_SET;
	ret->culprit = hi;
	ret->set_size = hi - lo;
	for (uint32_t i = lo + 1; i <= hi; i++)
		ret->holds |= sim_is_change(sim, i);
	free(failed);
	free(y);
	lab_done(&l);
}

/* --- the Bayesian rival
 * --------------------------------------------------------------------------------------------- */

struct bayes {
	uint32_t n;	       /* nodes; hypotheses are 1..n-1: the first bad commit */
	unsigned *fail, *pass; /* outcomes per node */
	uint8_t *skip;
	double *p;	      /* posterior of each hypothesis */
	double *left, *right; /* predictive failure rate before and from the change, under each
				 hypothesis */
};

static double log_beta(double a, double b)
{
	int sign;

	return lgamma_r(a, &sign) + lgamma_r(b, &sign) - lgamma_r(a + b, &sign);
}

static void bayes_posterior(struct bayes *b)
{
	double f_all = 0, p_all = 0, f = b->fail[0], q = b->pass[0], top = -INFINITY, sum = 0;
	double l = 0, rate_l = 0, rate_r = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		f_all += b->fail[i];
		p_all += b->pass[i];
	}
	for (uint32_t j = 1; j < b->n; j++) {
		if (j == 1 || b->fail[j - 1] || b->pass[j - 1]) {
			double fr = f_all - f, pr = p_all - q;
			l = log_beta(f + .5, q + .5) + log_beta(fr + .5, pr + .5);
			rate_l = (f + .5) / (f + q + 1);
			rate_r = (fr + .5) / (fr + pr + 1);
		}
		b->p[j] = l;
		b->left[j] = rate_l;
		b->right[j] = rate_r;
		top = fmax(top, l);
		f += b->fail[j];
		q += b->pass[j];
	}
	double last = NAN, likelihood = 0; /* most neighbours are equal */
	for (uint32_t j = 1; j < b->n; j++) {
		if (b->p[j] != last) {
			last = b->p[j];
			likelihood = exp(last - top);
		}
		sum += b->p[j] = likelihood;
	}
	for (uint32_t j = 1; j < b->n; j++)
		b->p[j] /= sum;
}

/* Sums over hypotheses that put the tested commit on one side, of w and w ln w for both outcomes, w = p times its chance. */
struct tally {
	double w[2], wlog[2];
};

static double x_log_x(double x)
{
	return x > 0 ? x * log(x) : 0;
}

/* Neighbouring hypotheses are mostly alike, and then so are their parts: the logarithms are taken once for all of them. */
struct part {
	double p, rate;
	struct tally t;
};

static const struct tally *part_of(struct part *last, double p, double rate)
{
	if (last->p != p || last->rate != rate) {
		double f = p * rate, q = p * (1 - rate);
		*last = (struct part){ p, rate, { { f, q }, { x_log_x(f), x_log_x(q) } } };
	}
	return &last->t;
}

static void tally_add(struct tally *t, const struct tally *part, double times)
{
	for (unsigned o = 0; o < 2; o++) {
		t->w[o] += times * part->w[o];
		t->wlog[o] += times * part->wlog[o];
	}
}

/*
 * Expected entropy after one more run of c, for all c from left to right: hypotheses j <= c see c
 * on their right side, the others on their left. With W = sum w and S = sum w ln w of an outcome,
 * its part is W ln W - S.
 */
static uint32_t bayes_choose(const struct bayes *b)
{
	struct tally after = { 0 }, before = { 0 };
	struct part left = { 0 }, right = { 0 };
	double least = INFINITY;
	uint32_t best = 0;

	for (uint32_t j = 1; j < b->n; j++)
		tally_add(&before, part_of(&left, b->p[j], b->left[j]), 1);
	for (uint32_t c = 0; c < b->n; c++) {
		double h = 0;
		if (c > 0) {
			tally_add(&before, part_of(&left, b->p[c], b->left[c]), -1);
			tally_add(&after, part_of(&right, b->p[c], b->right[c]), 1);
		}
		if (b->skip[c])
			continue;
		for (unsigned o = 0; o < 2; o++) {
			double w = after.w[o] + before.w[o];
			if (w > 0)
				h += w * log(w) - after.wlog[o] - before.wlog[o];
		}
		if (h < least) {
			least = h;
			best = c;
		}
	}
	return best;
}

static uint32_t bayes_top(const struct bayes *b)
{
	uint32_t top = 1;

	for (uint32_t j = 2; j < b->n; j++)
		if (b->p[j] > b->p[top])
			top = j;
	return top;
}

static void bayes_search(struct bayes *b, struct lab *l, const struct threshold *t)
{
	struct policy_result *ret = l->res;

	for (;;) {
		bayes_posterior(b);
		ret->culprit = bayes_top(b);
		ret->stated = b->p[ret->culprit];
		ret->answer = ret->stated >= .95 ? ANSWER_NAMED : ANSWER_UNDECIDED;
		if (ret->answer == ANSWER_NAMED || ret->runs >= BAYES_MAX_RUNS)
			break;
		uint32_t c = bayes_choose(b);
		ret->steps++;
		if (!lab_build(l, c)) {
			b->skip[c] = 1;
			continue;
		}
		if (is_bad(t, log(lab_run(l, c))))
			b->fail[c]++;
		else
			b->pass[c]++;
	}
	ret->set_size = 1;
	ret->holds = sim_is_change(l->sim, ret->culprit);
}

void policy_bayesect(struct sim *sim, struct policy_result *ret)
{
	struct bayes b = { .n = sim->g->n };
	struct threshold t;
	struct lab l;

	b.fail = xcalloc(b.n, sizeof(*b.fail));
	b.pass = xcalloc(b.n, sizeof(*b.pass));
	b.skip = xcalloc(b.n, 1);
	b.p = xcalloc(b.n, sizeof(*b.p));
	b.left = xcalloc(b.n, sizeof(*b.left));
	b.right = xcalloc(b.n, sizeof(*b.right));
	lab_init(&l, sim, ret);
	measure_ends(&l, &t);
	for (unsigned i = 0; i < END_RUNS; i++) {
		if (is_bad(&t, t.good[i]))
			b.fail[0]++;
		else
			b.pass[0]++;
		if (is_bad(&t, t.bad[i]))
			b.fail[b.n - 1]++;
		else
			b.pass[b.n - 1]++;
	}
	bayes_search(&b, &l, &t);
	lab_done(&l);
	free(b.fail);
	free(b.pass);
	free(b.skip);
	free(b.p);
	free(b.left);
	free(b.right);
}
