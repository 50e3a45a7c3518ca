/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search_status - what a search knows, for people and for the journal.
 */
#include "brain/search_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct ranked {
	uint32_t node;
	double p;
};

static int by_probability(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Probability of each node under class probabilities `p`. */
static void spread(const struct search *s, const double *p, double *ret)
{
	const struct classes *c = &s->classes;

	for (uint32_t i = 0; i < s->g->n; i++) {
		uint32_t k = c->of[i];

		ret[i] = k == NO_CLASS || c->mass[k] <= 0 ? 0 : p[k] * c->prior[i] / c->mass[k];
	}
}

/* Keep the `max` best of those that come by, in order. */
static size_t keep_best(struct ranked *r, size_t n, size_t max, struct ranked x)
{
	size_t k = n < max ? n : max - 1;

	if (n == max && by_probability(&x, &r[max - 1]) >= 0)
		return n;
	for (; k > 0 && by_probability(&x, &r[k - 1]) < 0; k--)
		r[k] = r[k - 1];
	r[k] = x;
	return n < max ? n + 1 : n;
}

void search_fill_set(struct search *s, const double *p, double mass, size_t max)
{
	AUTO_FREE double *q = xcalloc(s->g->n, sizeof(*q));
	AUTO_FREE struct ranked *r = xcalloc(max < s->g->n ? max : s->g->n, sizeof(*r));
	size_t n = 0;
	double sum = 0;

	spread(s, p, q);
	/* What is left out weighs half of 1 - mass at most, so what is kept suffices. */
	for (uint32_t i = 0; i < s->g->n; i++) {
		if (q[i] <= 0.5 * (1 - mass) / s->g->n)
			continue;
		if (max < s->g->n)
			n = keep_best(r, n, max, (struct ranked){ i, q[i] });
		else
			r[n++] = (struct ranked){ i, q[i] };
	}
	if (max >= s->g->n)
		qsort(r, n, sizeof(*r), by_probability);
	s->suspect = xreallocarray(s->suspect, n + 1, sizeof(*s->suspect));
	s->suspect_p = xreallocarray(s->suspect_p, n + 1, sizeof(*s->suspect_p));
	s->n_suspects = 0;
	for (size_t i = 0; i < n && (sum < mass || r[i].p >= r[i - 1].p * (1 - 1e-9)); i++) {
		s->suspect[i] = r[i].node;
		s->suspect_p[i] = r[i].p;
		sum += r[i].p;
		s->n_suspects++;
	}
}

static void fill_levels(const struct search *s, struct search_status *ret)
{
	const struct posterior *p = &s->post;
	double d = p->change, sd = sqrt(p->change_var), s2 = 0, k2 = 0, t2 = 0;
	bool log_scale = !s->data.ratio;

	ret->change = log_scale ? expm1(d) : d;
	ret->low = log_scale ? expm1(d - 1.96 * sd) : d - 1.96 * sd;
	ret->high = log_scale ? expm1(d + 1.96 * sd) : d + 1.96 * sd;
	for (unsigned t = 0; t < p->n_tau; t++) {
		s2 += p->w_tau[t] * p->s2[t];
		k2 += p->w_tau[t] * p->kappa2[t];
		t2 += p->w_tau[t] * p->tau2[t];
	}
	ret->run_sd = sqrt(s2);
	ret->boot_sd = s->data.noise.boots ? sqrt(k2) : NAN;
	ret->build_sd = sqrt(t2);
	if (fabs(d) < 3 * ret->build_sd && !(ret->final && ret->answer == ANSWER_NO_CHANGE))
		ret->warnings |= SEARCH_WARN_OFFSETS;
}

static void fill_alike(const struct search *s, uint32_t best, struct search_status *ret)
{
	const struct classes *c = &s->classes;
	uint32_t cls = c->of[best];

	ret->alike = 0;
	for (uint32_t i = 0; i < s->g->n; i++)
		ret->alike += c->of[i] == cls && c->prior[i] > 0;
	ret->alike_share = cls != NO_CLASS && c->mass[cls] > 0 ? c->prior[best] / c->mass[cls] : 1;
}

static double entropy_bits(const struct search *s)
{
	double h = 0;

	for (uint32_t k = 0; k < s->classes.n; k++)
		if (s->post.p[k] > 1e-12 && s->classes.mass[k] > 0)
			h -= s->post.p[k] *
			     log2(s->post.p[k] / s->classes.mass_flat[k] / graph_candidates(s->g));
	return h;
}

void search_status(struct search *s, struct search_status *ret)
{
	struct action a;
	struct costs c;

	search_next(s, &a);
	*ret = s->status;
	ret->phase = a.phase;
	ret->builds = s->builds;
	ret->boots = s->boots;
	ret->runs = s->runs;
	ret->change = ret->low = ret->high = NAN;
	ret->run_sd = ret->boot_sd = ret->build_sd = ret->seconds_left = NAN;
	ret->counter = s->known && s->data.noise.exact;
	if (!s->known)
		return;
	AUTO_FREE double *q = xcalloc(s->g->n, sizeof(*q));
	uint32_t best = 0;

	spread(s, s->post.p, q);
	for (uint32_t i = 0; i < s->g->n; i++)
		if (q[i] > q[best])
			best = i;
	ret->culprit = best;
	ret->probability = search_confidence(s, s->classes.of[best]);
	fill_alike(s, best, ret);
	ret->p_no_change = s->post.p_none;
	ret->p_multiple = s->post.p_two;
	fill_levels(s, ret);
	ret->warnings |= search_warnings(s);
	if (s->lowered)
		ret->warnings |= SEARCH_WARN_LOWERED;
	search_costs(s, &c);
	ret->seconds_left =
		ret->final ? 0 : (c.build + c.boot + 2 * c.run) * fmax(1, entropy_bits(s));
}

void search_posterior(struct search *s, double *ret)
{
	if (search_update(s)) {
		spread(s, s->post.p, ret);
		return;
	}
	memcpy(ret, s->classes.prior, s->g->n * sizeof(*ret));
}

void search_side(struct search *s, double *ret)
{
	struct choose_in in;

	if (!search_update(s)) {
		for (uint32_t i = 0; i < s->g->n; i++)
			ret[i] = i == s->g->bad ? 1 : i == s->g->good ? 0 : 0.5;
		return;
	}
	search_choose_in(s, &in);
	choose_sides(&s->chooser, &in);
	for (uint32_t i = 0; i < s->g->n; i++)
		ret[i] = sketch_q(&s->chooser.sketch, i);
}

/* The likeliest candidate of a class, by prior; the youngest of equals, since the tested end of a range is in it. */
static uint32_t likeliest_in(const struct search *s, uint32_t cls)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < s->g->n; i++)
		if (s->classes.of[i] == cls &&
		    (best == UINT32_MAX || s->classes.prior[i] >= s->classes.prior[best]))
			best = i;
	return best;
}

static size_t suspects_of_two(const struct search *s, uint32_t *ret_nodes, double *ret_probability,
			      unsigned *ret_change, size_t max)
{
	size_t n = 0;

	for (unsigned k = 0; k < 2 && n < max; k++, n++) {
		uint32_t cls = s->found_inside ? s->classes.of[k ? s->g->bad : s->middle]
					       : s->post.pair[k];

		ret_nodes[n] = likeliest_in(s, cls);
		ret_probability[n] = s->classes.prior[ret_nodes[n]] / s->classes.mass[cls];
		if (ret_change)
			ret_change[n] = k;
	}
	return n;
}

size_t search_suspects(struct search *s, uint32_t *ret_nodes, double *ret_probability,
		       unsigned *ret_change, size_t max)
{
	struct action a;
	size_t n = 0;

	search_next(s, &a);
	if (s->status.final && s->status.answer == ANSWER_MULTIPLE)
		return suspects_of_two(s, ret_nodes, ret_probability, ret_change, max);
	for (; n < s->n_suspects && n < max; n++) {
		ret_nodes[n] = s->suspect[n];
		ret_probability[n] = s->suspect_p[n];
		if (ret_change)
			ret_change[n] = 0;
	}
	return n;
}

size_t search_ranges(struct search *s, struct search_range *ret, size_t max)
{
	struct action a;

	search_next(s, &a);
	if (!s->status.final || s->status.answer != ANSWER_MULTIPLE || s->middle == UINT32_MAX ||
	    max < 2)
		return 0;
	for (int k = 0; k < 2; k++) {
		double d = s->found_inside ? (k ? -s->inside_change : s->inside_change)
					   : s->post.pair_change[k];

		ret[k].lo = k ? s->middle : s->g->good;
		ret[k].hi = k ? s->g->bad : s->middle;
		ret[k].change = s->data.ratio ? d : expm1(d);
	}
	return 2;
}
