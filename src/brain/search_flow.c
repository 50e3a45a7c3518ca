/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search_flow - first whether the ends differ, then where (STATISTICS.md 1.6).
 *
 * Each decision looks at nothing but the observations and what follows from them. In particular "confirmed" is not a
 * state but a property of the data: the units that separate the best class from its neighbours have enough visits.
 */
#include "brain/search_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define Z_EQUAL 3 /* standard errors: the ends count as equal in a search inside */
#define P_TWO 0.75
#define P_TWO_CAREFUL 0.5 /* where no fresh build could tell two changes from build offsets */
#define END_DOUBT 0.4	  /* P(no change) at which an end's own build is suspected */
#define LEAST_NATS 0.231  /* what all that the limits allow must promise */

static bool over_budget(const struct search *s)
{
	return search_runs_spent(s) || s->builds >= s->params.max_builds;
}

static void act_choice(struct search *s, const struct choice *c)
{
	char why[64];

	snprintf(why, sizeof(why), "splits %.0f : %.0f", 100 * (1 - c->q), 100 * c->q);
	switch (c->kind) {
	case CHOICE_NEW:
		search_act(s, PHASE_SEARCH, ACTION_BUILD_FIRST, c->node, -1, why);
		break;
	case CHOICE_RELAYOUT:
		search_act(s, PHASE_SEARCH, ACTION_BUILD_RELAYOUT, c->node, -1, why);
		break;
	case CHOICE_RERUN:
	case CHOICE_MORE_RUNS:
		search_visit_unit(s, PHASE_SEARCH, c->unit, why);
		break;
	case CHOICE_NONE:
		break;
	}
	s->next.runs = c->runs;
	if (c->kind == CHOICE_MORE_RUNS)
		s->next.new_boot = false;
}

/*
 * Ends are runs too: while some build inside has twice the visits of an end, that end is the weakest link, and if its few runs
 * misled, no others would ever tell.
 */
static bool end_neglected(const struct search *s, bool bad, const struct choice *c)
{
	unsigned mine = search_visits_of(s, bad ? s->g->bad : s->g->good);

	return c->kind == CHOICE_RERUN && mine && s->data.units.v[c->unit].n_visits >= 2 * mine;
}

/* Is the level of one side known worse than the measurement planned next, for want of runs at its end? */
static bool end_behind(const struct search *s, bool bad, const struct choice *c)
{
	const struct posterior *p = &s->post;
	double w = 0, tau2 = 0, s2 = 0;
	unsigned visits = search_visits_of(s, bad ? s->g->bad : s->g->good);

	for (unsigned t = 0; t < p->n_tau; t++) {
		tau2 += p->w_tau[t] * p->tau2[t];
		s2 += p->w_tau[t] * (p->s2[t] + p->kappa2[t]);
	}
	for (uint32_t u = 0; u < s->data.units.n; u++) {
		double m, v, prior;

		if (!s->data.units.v[u].n)
			continue;
		double q = search_unit_side(s, u, &prior);

		unit_location(&s->data, u, sqrt(s2), 0, &m, &v);
		w += (bad ? q : 1 - q) / (tau2 + v);
	}
	return visits && 1 / w > 0.85 * c->var && s2 / visits > tau2 / 2;
}

/* The share of one commit alone, given that there is a change. */
static double likeliest_commit(const struct search *s)
{
	const struct classes *c = &s->classes;
	uint32_t best = s->post.best;
	double most = 0;

	for (uint32_t i = 0; i < s->g->n; i++)
		if (c->of[i] == best && c->prior[i] > most)
			most = c->prior[i];
	return c->mass[best] > 0 ? s->post.p[best] * most / c->mass[best] : 0;
}

/*
 * "No change" stays possible after several builds, or one commit is left after few. If one side rests on few builds, one of them
 * may be the odd one: a fresh build of that end. Visits to what is there otherwise come from the search itself.
 */
static bool doubt_ends(struct search *s, const struct ends *e, unsigned units)
{
	unsigned good = 1 + e->extra_good, bad = 1 + e->extra_bad;
	double enough = 1 - s->params.alpha;

	if (good >= 3 && bad >= 3)
		return false;
	if (units < 6 ? likeliest_commit(s) < enough || search_confident(s, s->post.best)
		      : s->post.p_none <= END_DOUBT)
		return false;
	if (e->starved != NO_UNIT && s->post.none > 0.5) {
		search_visit_unit(s, PHASE_SEARCH, e->starved, "neighbour of an end");
		return true;
	}
	return search_fresh_end(s, bad < good, PHASE_SEARCH);
}

/* Class probabilities by offset sd had the user given no weights. */
static double *flat_by_offset(const struct search *s)
{
	const struct posterior *p = &s->post;
	const struct classes *c = &s->classes;
	double *q = xcalloc((size_t)p->n * p->n_tau, sizeof(*q));

	for (unsigned t = 0; t < p->n_tau; t++) {
		double sum = 1e-300;

		for (uint32_t k = 0; k < p->n; k++)
			if (c->mass[k] > 0)
				sum += q[(size_t)t * p->n + k] = p->p_tau[(size_t)t * p->n + k] *
								 c->mass_flat[k] / c->mass[k];
		for (uint32_t k = 0; k < p->n; k++)
			q[(size_t)t * p->n + k] /= sum;
	}
	return q;
}

/* What the best measurement would teach if all builds and runs that the limits allow taught as much for their price. */
static double hope(const struct search *s, const struct costs *c, double value)
{
	return value * (s->params.max_builds * c->build + s->params.max_runs * (c->run + c->boot));
}

static void next_best(struct search *s, const struct ends *e)
{
	double enough = 1 - s->params.alpha;
	uint32_t best = s->post.best;
	AUTO_FREE double *flat = NULL;
	struct choose_in in;
	struct choice c;

	search_choose_in(s, &in);
	/* Once only an equal or the careful prior is in the way of a name, its doubts are the ones to settle. */
	if (s->post.p[best] * (1 - s->post.none) > enough) {
		if (s->post.p_flat[best] * (1 - s->post.none_flat) < enough) {
			flat = flat_by_offset(s);
			in.p = s->post.p_flat;
			in.p_tau = flat;
		} else if (!search_can_relayout(s)) {
			in.p = s->post.p_careful;
			in.w_tau = s->post.w_careful;
		}
	}
	choose_best(&s->chooser, &in, &c);
	if (c.kind == CHOICE_NONE || hope(s, &in.costs, c.value) < LEAST_NATS) {
		if (e->good < 24 || e->bad < 24)
			search_visit_ends(s, e, "ends");
		else if (!search_lower(s) && !search_back_to_ends(s, e))
			search_undecided(s, "no affordable measurement would tell more");
		return;
	}
	for (int bad = 0; bad < 2; bad++)
		if (!s->data.noise.exact && (end_behind(s, bad, &c) || end_neglected(s, bad, &c))) {
			search_visit(s, PHASE_SEARCH, bad ? s->g->bad : s->g->good, "reference");
			return;
		}
	act_choice(s, &c);
}

/* A build that stands there without a value: its run failed, or the caller stopped in between. */
static bool finish_build(struct search *s)
{
	for (uint32_t u = 0; u < s->data.units.n; u++)
		if (!s->data.units.v[u].n && search_build_of_unit(s, u) >= 0) {
			search_visit_unit(s, PHASE_SEARCH, u, "built, not yet run");
			return true;
		}
	return false;
}

static void search_stage(struct search *s, const struct ends *e)
{
	const struct posterior *p = &s->post;
	unsigned units = 0;

	s->next.phase = PHASE_SEARCH;
	for (uint32_t u = 0; u < s->data.units.n; u++)
		units += s->data.units.v[u].n > 0;
	if (search_none_likely(s) && units >= 4)
		search_no_change(s);
	else if (p->p_two > P_TWO && units >= 4 &&
		 p->two_careful > (search_can_relayout(s) ? 0.95 : P_TWO_CAREFUL)) {
		if (over_budget(s) || !search_confirm_multiple(s, e))
			search_answer_multiple(s);
	} else if (over_budget(s)) {
		if (!s->params.coarser || !search_give_up_equal_ends(s))
			search_undecided(s, "the limit of builds or runs is reached");
	} else if (!finish_build(s) && !doubt_ends(s, e, units) && !search_try_to_name(s)) {
		next_best(s, e);
	}
}

/* Both ends' builds are one and the same, byte for byte: no run can tell them apart. */
static bool same_ends(const struct search *s)
{
	int64_t good = search_build_of(s, s->g->good), bad = search_build_of(s, s->g->bad);

	return good >= 0 && bad >= 0 && s->data.builds.v[good].unit == s->data.builds.v[bad].unit;
}

/* Inside equal ends a probe that differs fits none of the posterior's hypotheses, so it is judged apart. */
static bool probing(const struct search *s)
{
	const struct posterior *p = &s->post;

	return s->params.inside &&
	       p->change_end * p->change_end <= Z_EQUAL * Z_EQUAL * p->change_end_var;
}

void search_decide(struct search *s)
{
	struct ends e;

	s->status = (struct search_status){ .margin = s->params.margin };
	s->n_suspects = 0;
	s->lowered = s->found_inside = false;
	s->next.phase = PHASE_ENDS;
	if (!search_runs_spent(s) && search_ends_between_looks(s))
		return;
	search_update(s);
	if ((s->failed[s->g->good] || s->failed[s->g->bad]) && !s->known) {
		search_undecided(s, s->failed[s->g->good] ? "the good end cannot be measured"
							  : "the bad end cannot be measured");
		return;
	}
	if (same_ends(s)) {
		if (s->params.inside)
			search_inside(s);
		else
			search_answer(s, ANSWER_NO_CHANGE, "the ends build to the same artefacts");
		return;
	}
	search_look_at_ends(s, &e);
	if (!s->known) {
		if (over_budget(s))
			search_undecided(s, "the ends gave no values to compare");
		else
			search_visit_ends(s, &e, "ends");
		return;
	}
	if (!e.interior && search_ends_stage(s, &e))
		return;
	if (e.interior && probing(s)) {
		search_inside(s);
		return;
	}
	search_stage(s, &e);
}
