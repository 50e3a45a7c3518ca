/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search_name - when an answer is good enough.
 */
#include "brain/search_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONFIRM_VISITS 2 /* least visits of the units that a name rests on */
#define CONFIRM_BUILDS                                                                             \
	2 /* least builds of the commits that a name rests on, where another layout can be had */
#define TWO_BUILDS 2 /* least builds between two changes */
#define TWO_VISITS 3 /* least visits of each, and of the ends */
#define NEAR_STEPS 8
#define LARGE_OFFSETS 0.5 /* P(offset sd > shift / 4) from which a name is lowered to a set */
#define PESSIMIST 0.93	  /* unless its probability given such offsets is at least this */

/* Is `b` a class that differs from `a` by the sides of tested commits of unit `u` alone? */
static bool separated_by(const struct search *s, uint32_t a, uint32_t b, uint32_t u)
{
	const struct classes *c = &s->classes;
	bool differ = false;

	for (uint32_t bit = 0; bit < c->n_bits; bit++) {
		if (class_makes_bad(c, a, bit) == class_makes_bad(c, b, bit))
			continue;
		bool mine = false;

		for (size_t i = 0; i < s->data.units.v[u].nodes.n; i++)
			mine |= s->data.units.v[u].nodes.v[i] == c->bit_node[bit];
		if (!mine)
			return false;
		differ = true;
	}
	return differ;
}

/* Does unit `u` alone keep a rival away from the best class? */
static bool decisive(const struct search *s, uint32_t cls, uint32_t u)
{
	for (uint32_t k = 0; k < s->classes.n; k++)
		if (k != cls && s->classes.mass[k] > 0 && separated_by(s, cls, k, u))
			return true;
	return false;
}

/* A decisive unit with too few visits; NO_UNIT if none. */
static uint32_t unconfirmed(const struct search *s, uint32_t cls)
{
	uint32_t found = NO_UNIT;
	unsigned least = CONFIRM_VISITS;

	if (s->data.noise.exact)
		return NO_UNIT;
	for (uint32_t u = 0; u < s->data.units.n; u++) {
		const struct unit *unit = &s->data.units.v[u];

		if (!unit->n || unit->n_visits >= least || search_build_of_unit(s, u) < 0)
			continue;
		if (decisive(s, cls, u)) {
			found = u;
			least = unit->n_visits;
		}
	}
	return found;
}

static unsigned units_of(const struct search *s, uint32_t node)
{
	unsigned n = 0;

	for (uint32_t u = 0; u < s->data.units.n; u++)
		n += s->data.units.v[u].nodes.v[0] == node;
	return n;
}

/*
 * A commit that a name rests on and that should be built in another layout: offsets may be at work, and a build of its own luck
 * was what convinced us.
 */
static bool wants_relayout(const struct search *s, uint32_t cls, uint32_t *ret_node)
{
	const struct posterior *p = &s->post;
	unsigned least = CONFIRM_BUILDS;
	double w = 0;

	if (!search_can_relayout(s) || s->data.noise.exact)
		return false;
	for (unsigned t = 0; t < p->n_tau; t++)
		if (p->tau2[t] > 0.06 * 0.06 * p->scale * p->scale)
			w += p->w_careful[t];
	if (w <= 0.2)
		return false;
	for (uint32_t u = 0; u < s->data.units.n; u++) {
		const struct unit *unit = &s->data.units.v[u];
		uint32_t node = unit->nodes.v[0];
		unsigned n = units_of(s, node);

		if (!unit->n || s->barren[node] || s->failed[node] || n >= least ||
		    !decisive(s, cls, u))
			continue;
		least = n;
		*ret_node = node;
	}
	return least < CONFIRM_BUILDS;
}

/* Is tested commit `node` between the two likeliest changes? */
static bool between(const struct search *s, uint32_t node)
{
	return class_side(&s->classes, s->post.pair[0], node) &&
	       !class_side(&s->classes, s->post.pair[1], node);
}

/*
 * A commit next to one between the two changes, so most likely between them itself: its parent or child, or one of theirs.
 */
static bool neighbour_between(const struct search *s, uint32_t *ret_node)
{
	const struct graph *g = s->g;
	AUTO_FREE uint8_t *near = xcalloc(g->n, 1); /* 1 + steps */
	uint32_t best = UINT32_MAX;

	for (uint32_t b = 0; b < s->classes.n_bits; b++)
		if (between(s, s->classes.bit_node[b]))
			near[s->classes.bit_node[b]] = 1;
	for (int step = 1; step <= NEAR_STEPS && best == UINT32_MAX; step++)
		for (uint32_t i = 0; i < g->n; i++)
			for (uint32_t k = g->parent_start[i]; k < g->parent_start[i + 1]; k++) {
				uint32_t a = g->parents[k];
				uint32_t fresh = near[i] == step && !near[a]   ? a
						 : near[a] == step && !near[i] ? i
									       : UINT32_MAX;

				if (fresh == UINT32_MAX || g->boundary[fresh])
					continue;
				near[fresh] = (uint8_t)(step + 1);
				if (!s->closed[fresh] && best == UINT32_MAX)
					best = fresh;
			}
	*ret_node = best;
	return best != UINT32_MAX;
}

/* May a build's own offset be a good part of the smaller of two changes? */
static bool odd_build_possible(const struct search *s)
{
	const struct posterior *p = &s->post;
	double part = fmin(fabs(p->pair_change[0]), fabs(p->pair_change[1])), w = 0;

	for (unsigned t = 0; t < p->n_tau; t++)
		if (p->tau2[t] * 9 > part * part)
			w += p->w_careful[t];
	return w > 0.2;
}

/*
 * One odd build in the middle, or a machine that drifted, looks like two changes: the level between them must have been seen
 * in two builds, and all three levels in several visits taken in turn.
 */
bool search_confirm_multiple(struct search *s, const struct ends *e)
{
	uint32_t builds = 0, least_unit = NO_UNIT, node;

	if (s->data.noise.exact)
		return false;
	for (uint32_t u = 0; u < s->data.units.n; u++) {
		const struct unit *unit = &s->data.units.v[u];

		if (!unit->n || !between(s, unit->nodes.v[0]))
			continue;
		builds++;
		if (search_build_of_unit(s, u) >= 0 &&
		    (least_unit == NO_UNIT ||
		     unit->n_visits < s->data.units.v[least_unit].n_visits))
			least_unit = u;
	}
	if (builds < TWO_BUILDS && odd_build_possible(s) && neighbour_between(s, &node)) {
		search_act(s, PHASE_CONFIRM, ACTION_BUILD_FIRST, node, -1,
			   "between two likely changes");
		return true;
	}
	unsigned least = least_unit == NO_UNIT ? TWO_VISITS : s->data.units.v[least_unit].n_visits;
	unsigned end = e->good < e->bad ? e->good : e->bad;

	if (end < TWO_VISITS && end <= least) {
		search_visit_ends(s, e, "confirm two changes");
		s->next.phase = PHASE_CONFIRM;
		return true;
	}
	if (least >= TWO_VISITS)
		return false;
	search_visit_unit(s, PHASE_CONFIRM, least_unit, "confirm two changes");
	return true;
}

/* The tested commit between the two likeliest changes that was measured most: both sub-ranges end there. */
void search_answer_multiple(struct search *s)
{
	const struct classes *c = &s->classes;
	const uint32_t *pair = s->post.pair;
	unsigned most = 0;

	s->middle = UINT32_MAX;
	for (uint32_t b = 0; b < c->n_bits; b++) {
		uint32_t node = c->bit_node[b];

		if (!class_makes_bad(c, pair[0], b) || class_makes_bad(c, pair[1], b))
			continue;
		if (search_visits_of(s, node) > most) {
			most = search_visits_of(s, node);
			s->middle = node;
		}
	}
	search_answer(s, ANSWER_MULTIPLE, "more than one change");
}

/*
 * Where offsets above a quarter of the shift are likely and no fresh build can be had, a build on the wrong side of the culprit may
 * look right however often it is run. What is answered then must hold if offsets are that large: the class
 * probabilities given a large offset sd go to ret_p. False if offsets are no threat.
 */
static bool offsets_threaten(const struct search *s, double *ret_p)
{
	const struct posterior *p = &s->post;
	double w = 0;

	if (search_can_relayout(s))
		return false;
	memset(ret_p, 0, p->n * sizeof(*ret_p));
	for (unsigned t = 0; t < p->n_tau; t++) {
		if (p->tau2[t] * 16 <= p->change * p->change)
			continue;
		w += p->w_tau[t];
		for (uint32_t i = 0; i < p->n; i++)
			ret_p[i] += p->w_tau[t] * p->p_tau[(size_t)t * p->n + i];
	}
	if (w <= LARGE_OFFSETS)
		return false;
	for (uint32_t i = 0; i < p->n; i++)
		ret_p[i] /= w;
	return true;
}

static void answer_lowered(struct search *s, const double *pessimist)
{
	double tau2 = 0;
	char why[160];

	search_fill_set(s, pessimist, 1 - s->params.alpha, SIZE_MAX);
	for (unsigned t = 0; t < s->post.n_tau; t++)
		tau2 += s->post.w_tau[t] * s->post.tau2[t];
	snprintf(why, sizeof(why),
		 "builds differ by about %.2g %% for no reason, and no fresh build can be had",
		 100 * sqrt(tau2));
	s->lowered = true;
	search_answer(s, ANSWER_SET, why);
}

bool search_lower(struct search *s)
{
	const struct posterior *p = &s->post;
	double enough = 1 - s->params.alpha;

	if (search_can_relayout(s) || p->p[p->best] * (1 - p->none) < enough ||
	    p->p_flat[p->best] * (1 - p->none_flat) < enough)
		return false;
	search_fill_set(s, p->p_careful, enough, SIZE_MAX);
	s->lowered = true;
	search_answer(
		s, ANSWER_SET,
		"builds may differ for no reason, there are too few to tell, and no fresh build "
		"can be had");
	return true;
}

static void name(struct search *s, uint32_t cls)
{
	const struct classes *c = &s->classes;
	AUTO_FREE double *p = xcalloc(c->n, sizeof(*p));
	uint32_t members = 0;

	if (offsets_threaten(s, p) && p[cls] < PESSIMIST) {
		answer_lowered(s, p);
		return;
	}
	for (uint32_t i = 0; i < s->g->n; i++)
		members += c->of[i] == cls && c->prior[i] > 0;
	if (members == 1) {
		search_fill_set(s, s->post.p, 1, 20);
		search_answer(s, ANSWER_NAMED, "");
		return;
	}
	/* All of them, however the prior weighs them: none was measured apart from the others. */
	memset(p, 0, c->n * sizeof(*p));
	p[cls] = s->post.p[cls];
	search_fill_set(s, p, 1, SIZE_MAX);
	search_answer(s, ANSWER_SET, "only commits that cannot be tested are left");
}

/* True if the best class can be answered, or an action towards it was found. */
bool search_try_to_name(struct search *s)
{
	uint32_t best = s->post.best, node;
	struct choose_in in;

	if (!search_confident(s, best))
		return false;
	search_choose_in(s, &in);
	if (s->classes.size[best] > 1 && choose_divider(&s->chooser, &in, best, &node)) {
		search_act(s, PHASE_SEARCH, ACTION_BUILD_FIRST, node, -1,
			   "inside the likeliest range");
		return true;
	}
	uint32_t u = unconfirmed(s, best);

	if (u != NO_UNIT) {
		search_visit_unit(s, PHASE_CONFIRM, u, "confirm culprit against parent");
		return true;
	}
	if (wants_relayout(s, best, &node)) {
		search_act(s, PHASE_CONFIRM, ACTION_BUILD_RELAYOUT, node, -1,
			   "confirm on a fresh build");
		return true;
	}
	name(s, best);
	return true;
}
