/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search_ends - do the ends differ (STATISTICS.md 1.6, stage 0)? And the care for the ends later on.
 */
#include "brain/search_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define Z_ENDS 2.4 /* standard errors that the ends must differ by before the search starts */
#define P_NONE 0.95
#define MANY_UNITS 10
#define P_NONE_MANY 0.9
#define END_VISITS_MAX 128

/* Under either prior of the offsets: large ones explain away a difference of the ends. */
bool search_none_likely(const struct search *s)
{
	double p = fmax(s->post.p_none, s->post.none_careful * (1 - s->post.p_two));
	unsigned units = 0;

	for (uint32_t u = 0; u < s->data.units.n; u++)
		units += s->data.units.v[u].n > 0;
	return p > (units >= MANY_UNITS ? P_NONE_MANY : P_NONE);
}

/* Probability that a unit is on the bad side, now and before any measurement. */
double search_unit_side(const struct search *s, uint32_t u, double *ret_prior)
{
	uint32_t bit = unit_bit(&s->classes, &s->data.units.v[u]);
	double q = 0, prior = 0;

	for (uint32_t k = 0; k < s->classes.n; k++) {
		if (bit == NO_BIT || !class_makes_bad(&s->classes, k, bit))
			continue;
		q += s->post.p[k];
		prior += s->classes.mass[k];
	}
	*ret_prior = prior;
	return q;
}

void search_look_at_ends(const struct search *s, struct ends *ret)
{
	*ret = (struct ends){ .starved = NO_UNIT };
	ret->good = search_visits_of(s, s->g->good);
	ret->bad = search_visits_of(s, s->g->bad);
	if (!s->known)
		return;
	for (uint32_t u = 0; u < s->data.units.n; u++) {
		const struct unit *unit = &s->data.units.v[u];
		double prior, q = search_unit_side(s, u, &prior);

		if (unit->nodes.v[0] == s->g->good || unit->nodes.v[0] == s->g->bad)
			continue;
		ret->extra_good += q < 0.02;
		ret->extra_bad += q > 0.98;
		/* A build is of the search, not of the ends, by what was known when it was made: q may be settled by now. */
		if (prior >= 0.02 && prior <= 0.98)
			ret->interior = true;
		else if (unit->n_visits < 4 && ret->starved == NO_UNIT &&
			 search_build_of_unit(s, u) >= 0)
			ret->starved = u;
	}
}

/* Runs of the first stage: 3, 5, 7, 10, 14, ... */
static unsigned next_target(unsigned n)
{
	unsigned target = 3;

	while (target < n)
		target += target / 3 + 1;
	return target;
}

static bool measured_last(const struct search *s, uint32_t node)
{
	if (s->last_boot < 0)
		return false;
	return s->data.builds.v[s->data.boots.v[s->last_boot].build].node == node;
}

/* One visit to the end with fewer, in the order B G G B ...: a drift then falls on both. */
void search_visit_ends(struct search *s, const struct ends *e, const char *why)
{
	bool bad = e->bad < e->good || (e->bad == e->good && !measured_last(s, s->g->good));

	search_visit(s, PHASE_ENDS, bad ? s->g->bad : s->g->good, why);
}

/* A fresh build on one side: another layout of the end, or a neighbour that is on that side as surely as the end. */
bool search_fresh_end(struct search *s, bool bad_side, enum action_phase phase)
{
	uint32_t node, end = bad_side ? s->g->bad : s->g->good;
	struct choose_in in;

	if (search_can_relayout(s) && !s->barren[end] && search_build_of(s, end) >= 0) {
		search_act(s, phase, ACTION_BUILD_RELAYOUT, end, -1, "fresh build of an end");
		return true;
	}
	search_choose_in(s, &in);
	choose_sides(&s->chooser, &in);
	if (!choose_neighbour(&s->chooser, &in, bad_side, 0.02, &node))
		return false;
	search_act(s, phase, ACTION_BUILD_FIRST, node, -1,
		   bad_side ? "neighbour of the bad end" : "neighbour of the good end");
	return true;
}

/* Fresh builds of both ends when they look equal: two builds may differ by chance, or hide a shift by chance. */
static bool more_end_builds(struct search *s, const struct ends *e)
{
	bool bad_first = e->extra_bad <= e->extra_good;

	for (int k = 0; k < 2; k++) {
		bool bad = k ? !bad_first : bad_first;

		if ((bad ? e->extra_bad : e->extra_good) < 3 &&
		    search_fresh_end(s, bad, PHASE_ENDS))
			return true;
	}
	return false;
}

void search_no_change(struct search *s)
{
	if (s->params.inside)
		search_inside(s);
	else
		search_answer(s, ANSWER_NO_CHANGE, "no change between the ends");
}

/* Stage 0. True if an action or an answer was found; false to go on to the search. */
bool search_ends_stage(struct search *s, const struct ends *e)
{
	const struct posterior *p = &s->post;
	bool exact = s->data.noise.exact;
	unsigned n = e->good < e->bad ? e->good : e->bad,
		 most = e->good > e->bad ? e->good : e->bad;
	unsigned target = exact ? 1 : n < 2 ? 2 : next_target(most);
	double se = sqrt(p->change_end_var), z = fabs(p->change_end) / se;

	if (n < target) {
		search_visit_ends(s, e, "ends");
		return true;
	}
	/* A difference that is there and is smaller than what is asked for is an answer, not a reason to search. */
	bool small = fabs(p->change_end) + 2.6 * se < search_margin(s);

	if (z > Z_ENDS && !small)
		return false;
	if (search_none_likely(s) && (n >= 6 || exact)) {
		search_no_change(s);
		return true;
	}
	if (e->starved != NO_UNIT) {
		search_visit_unit(s, PHASE_ENDS, e->starved, "neighbour of an end");
		return true;
	}
	if (n >= 6 && small && more_end_builds(s, e))
		return true;
	if (n >= END_VISITS_MAX) {
		if (z >= 2.5 && !small)
			return false;
		search_undecided(s, "the ends differ by less than their noise can show");
		return true;
	}
	search_visit(s, PHASE_ENDS, e->bad <= e->good ? s->g->bad : s->g->good, "ends");
	return true;
}
