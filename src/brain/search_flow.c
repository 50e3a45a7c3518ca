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

#define Z_ENDS 3 /* standard errors that the ends must differ by before the search starts */
#define P_NONE 0.95
#define MANY_UNITS 10
#define P_NONE_MANY 0.9
#define P_TWO 0.95
#define END_DOUBT 0.4	 /* P(no change) at which an end's own build is suspected */
#define CONFIRM_VISITS 2 /* least visits of the units that a name rests on */
#define CONFIRM_BUILDS                                                                             \
	2 /* least builds of the commits that a name rests on, where another layout can be had */
#define LARGE_OFFSETS 0.4 /* P(offset sd > shift / 4) from which a name is lowered to a set */
#define PESSIMIST 0.93	  /* unless its probability given such offsets is at least this */
#define END_VISITS_MAX 128
#define LEAST_VALUE 1e-4 /* nats per run */

/* --- actions ----------------------------------------------------------------------------------------------------- */

static unsigned visit_runs(const struct search *s)
{
	struct choose_in in;

	if (!s->known)
		return s->params.runs_per_boot;
	search_choose_in(s, &in);
	return choose_runs_per_boot(&in);
}

static void act(struct search *s, enum action_phase phase, enum action_build how, uint32_t node,
		int64_t build, const char *why)
{
	s->next = (struct action){ .kind = ACTION_MEASURE,
				   .phase = phase,
				   .how = how,
				   .node = node,
				   .build = build,
				   .new_boot = true,
				   .runs = visit_runs(s) };
	snprintf(s->next.why, sizeof(s->next.why), "%s", why);
}

/* The newest usable build of a node, or -1. */
static int64_t build_of(const struct search *s, uint32_t node)
{
	for (size_t i = s->data.builds.n; i-- > 0;)
		if (s->data.builds.v[i].node == node && s->data.builds.v[i].ok)
			return (int64_t)i;
	return -1;
}

/* The newest usable build of a unit, or -1. */
static int64_t build_of_unit(const struct search *s, uint32_t unit)
{
	for (size_t i = s->data.builds.n; i-- > 0;)
		if (s->data.builds.v[i].unit == unit && s->data.builds.v[i].ok)
			return (int64_t)i;
	return -1;
}

static unsigned visits_of(const struct search *s, uint32_t node)
{
	int64_t b = build_of(s, node);

	return b < 0 ? 0 : s->data.units.v[s->data.builds.v[b].unit].n_visits;
}

static void act_visit_unit(struct search *s, enum action_phase phase, uint32_t unit,
			   const char *why)
{
	int64_t b = build_of_unit(s, unit);

	act(s, phase, ACTION_BUILD_EXISTING, s->data.builds.v[b].node, s->data.builds.v[b].id, why);
}

/* Visit a node, building it first if needed. */
static void act_visit(struct search *s, enum action_phase phase, uint32_t node, const char *why)
{
	int64_t b = build_of(s, node);

	if (b < 0)
		act(s, phase, ACTION_BUILD_FIRST, node, -1, why);
	else
		act(s, phase, ACTION_BUILD_EXISTING, node, s->data.builds.v[b].id, why);
}

/* --- answers ----------------------------------------------------------------------------------------------------- */

static void answer(struct search *s, enum answer a, const char *why)
{
	s->next = (struct action){ .kind = ACTION_ANSWER, .phase = s->next.phase };
	snprintf(s->next.why, sizeof(s->next.why), "%s", answer_name(a));
	s->status.final = true;
	s->status.answer = a;
	snprintf(s->status.why, sizeof(s->status.why), "%s", why);
}

static void answer_undecided(struct search *s, const char *why)
{
	if (s->known)
		search_fill_set(s, s->post.p, 1 - s->params.alpha, SIZE_MAX);
	answer(s, ANSWER_UNDECIDED, why);
}

/* Under either prior of the offsets: large ones explain away a difference of the ends. */
static bool none_likely(const struct search *s)
{
	double p = fmax(s->post.p_none, s->post.none_careful * (1 - s->post.p_two));
	unsigned units = 0;

	for (uint32_t u = 0; u < s->data.units.n; u++)
		units += s->data.units.v[u].n > 0;
	return p > (units >= MANY_UNITS ? P_NONE_MANY : P_NONE);
}

/* --- the ends ---------------------------------------------------------------------------------------------------- */

struct ends {
	unsigned good, bad; /* visits of the two end commits' builds */
	unsigned extra_good,
		extra_bad; /* further units that are on that side whatever the culprit is, or nearly so */
	bool interior;	  /* a unit is neither */
	uint32_t starved; /* an extra unit with few visits, NO_UNIT if none */
};

/* Probability that a unit is on the bad side, now and before any measurement. */
static double unit_side(const struct search *s, uint32_t u, double *ret_prior)
{
	const struct unit *unit = &s->data.units.v[u];
	double q = 0, prior = 0;

	for (uint32_t k = 0; k < s->classes.n; k++) {
		bool bad = false;

		for (size_t i = 0; i < unit->nodes.n; i++)
			bad |= class_side(&s->classes, k, unit->nodes.v[i]);
		if (!bad)
			continue;
		q += s->post.p[k];
		prior += s->classes.mass[k];
	}
	*ret_prior = prior;
	return q;
}

static void look_at_ends(const struct search *s, struct ends *ret)
{
	*ret = (struct ends){ .starved = NO_UNIT };
	ret->good = visits_of(s, s->g->good);
	ret->bad = visits_of(s, s->g->bad);
	if (!s->known)
		return;
	for (uint32_t u = 0; u < s->data.units.n; u++) {
		const struct unit *unit = &s->data.units.v[u];
		double prior, q = unit_side(s, u, &prior);

		if (unit->nodes.v[0] == s->g->good || unit->nodes.v[0] == s->g->bad)
			continue;
		ret->extra_good += q < 0.02;
		ret->extra_bad += q > 0.98;
		/* A build is of the search, not of the ends, by what was known when it was made: q may be settled by now. */
		if (prior >= 0.02 && prior <= 0.98)
			ret->interior = true;
		else if (unit->n_visits < 4 && ret->starved == NO_UNIT && build_of_unit(s, u) >= 0)
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
static void visit_ends(struct search *s, const struct ends *e, const char *why)
{
	bool bad = e->bad < e->good || (e->bad == e->good && !measured_last(s, s->g->good));

	act_visit(s, PHASE_ENDS, bad ? s->g->bad : s->g->good, why);
}

/* A fresh build on one side: another layout of the end, or a neighbour that is on that side as surely as the end. */
static bool fresh_end(struct search *s, bool bad_side, enum action_phase phase)
{
	uint32_t node, end = bad_side ? s->g->bad : s->g->good;
	struct choose_in in;

	if (s->params.can_relayout && !s->barren[end] && build_of(s, end) >= 0) {
		act(s, phase, ACTION_BUILD_RELAYOUT, end, -1, "fresh build of an end");
		return true;
	}
	search_choose_in(s, &in);
	choose_sides(&s->chooser, &in);
	if (!choose_neighbour(&s->chooser, &in, bad_side, 0.02, &node))
		return false;
	act(s, phase, ACTION_BUILD_FIRST, node, -1,
	    bad_side ? "neighbour of the bad end" : "neighbour of the good end");
	return true;
}

/* Fresh builds of both ends when they look equal: two builds may differ by chance, or hide a shift by chance. */
static bool more_end_builds(struct search *s, const struct ends *e)
{
	bool bad_first = e->extra_bad <= e->extra_good;

	for (int k = 0; k < 2; k++) {
		bool bad = k ? !bad_first : bad_first;

		if ((bad ? e->extra_bad : e->extra_good) < 3 && fresh_end(s, bad, PHASE_ENDS))
			return true;
	}
	return false;
}

/* Stage 0. True if an action or an answer was found; false to go on to the search. */
static bool ends_stage(struct search *s, const struct ends *e)
{
	const struct posterior *p = &s->post;
	bool exact = s->data.noise.exact;
	unsigned n = e->good < e->bad ? e->good : e->bad,
		 most = e->good > e->bad ? e->good : e->bad;
	unsigned target = exact ? 1 : n < 2 ? 2 : next_target(most);
	double se = sqrt(p->change_end_var), z = fabs(p->change_end) / se;

	if (n < target) {
		visit_ends(s, e, "ends");
		return true;
	}
	if (z > Z_ENDS)
		return false;
	if (none_likely(s) && (n >= 6 || exact)) {
		answer(s, ANSWER_NO_CHANGE, "no change between the ends");
		return true;
	}
	if (e->starved != NO_UNIT) {
		act_visit_unit(s, PHASE_ENDS, e->starved, "neighbour of an end");
		return true;
	}
	if (n >= 6 && fabs(p->change_end) + 2.6 * se < search_margin(s) && more_end_builds(s, e))
		return true;
	if (n >= END_VISITS_MAX) {
		if (z >= 2.5)
			return false;
		answer_undecided(s, "the ends differ by less than their noise can show");
		return true;
	}
	act_visit(s, PHASE_ENDS, e->bad <= e->good ? s->g->bad : s->g->good, "ends");
	return true;
}

/* --- naming -------------------------------------------------------------------------------------------------------- */

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

		if (!unit->n || unit->n_visits >= least || build_of_unit(s, u) < 0)
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

	if (!s->params.can_relayout || s->data.noise.exact)
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

/* The tested commit between the two likeliest changes that was measured most: both sub-ranges end there. */
static void answer_multiple(struct search *s)
{
	const struct classes *c = &s->classes;
	const uint32_t *pair = s->post.pair;
	unsigned most = 0;

	s->middle = UINT32_MAX;
	for (uint32_t b = 0; b < c->n_bits; b++) {
		uint32_t node = c->bit_node[b];

		if (!class_makes_bad(c, pair[0], b) || class_makes_bad(c, pair[1], b))
			continue;
		if (visits_of(s, node) > most) {
			most = visits_of(s, node);
			s->middle = node;
		}
	}
	answer(s, ANSWER_MULTIPLE, "more than one change");
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

	if (s->params.can_relayout)
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
	answer(s, ANSWER_SET, why);
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
		answer(s, ANSWER_NAMED, "");
		return;
	}
	/* All of them, however the prior weighs them: none was measured apart from the others. */
	memset(p, 0, c->n * sizeof(*p));
	p[cls] = s->post.p[cls];
	search_fill_set(s, p, 1, SIZE_MAX);
	answer(s, ANSWER_SET, "only commits that cannot be tested are left");
}

/* True if the best class can be answered, or an action towards it was found. */
static bool try_to_name(struct search *s)
{
	uint32_t best = s->post.best, node;
	struct choose_in in;

	if (!search_confident(s, best))
		return false;
	search_choose_in(s, &in);
	if (s->classes.size[best] > 1 && choose_divider(&s->chooser, &in, best, &node)) {
		act(s, PHASE_SEARCH, ACTION_BUILD_FIRST, node, -1, "inside the likeliest range");
		return true;
	}
	uint32_t u = unconfirmed(s, best);

	if (u != NO_UNIT) {
		act_visit_unit(s, PHASE_CONFIRM, u, "confirm culprit against parent");
		return true;
	}
	if (wants_relayout(s, best, &node)) {
		act(s, PHASE_CONFIRM, ACTION_BUILD_RELAYOUT, node, -1, "confirm on a fresh build");
		return true;
	}
	name(s, best);
	return true;
}

/* A build that stands there without a value: its run failed, or the caller stopped in between. */
static bool finish_build(struct search *s)
{
	for (uint32_t u = 0; u < s->data.units.n; u++)
		if (!s->data.units.v[u].n && build_of_unit(s, u) >= 0) {
			act_visit_unit(s, PHASE_SEARCH, u, "built, not yet run");
			return true;
		}
	return false;
}

/* --- the search ---------------------------------------------------------------------------------------------------- */

static bool over_budget(const struct search *s)
{
	return s->runs >= s->params.max_runs || s->builds >= s->params.max_builds;
}

static void act_choice(struct search *s, const struct choice *c)
{
	char why[64];

	snprintf(why, sizeof(why), "splits %.0f : %.0f", 100 * (1 - c->q), 100 * c->q);
	switch (c->kind) {
	case CHOICE_NEW:
		act(s, PHASE_SEARCH, ACTION_BUILD_FIRST, c->node, -1, why);
		break;
	case CHOICE_RELAYOUT:
		act(s, PHASE_SEARCH, ACTION_BUILD_RELAYOUT, c->node, -1, why);
		break;
	case CHOICE_RERUN:
	case CHOICE_MORE_RUNS:
		act_visit_unit(s, PHASE_SEARCH, c->unit, why);
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
	unsigned mine = visits_of(s, bad ? s->g->bad : s->g->good);

	return c->kind == CHOICE_RERUN && mine && s->data.units.v[c->unit].n_visits >= 2 * mine;
}

/* Is the level of one side known worse than the measurement planned next, for want of runs at its end? */
static bool end_behind(const struct search *s, bool bad, const struct choice *c)
{
	const struct posterior *p = &s->post;
	double w = 0, tau2 = 0, s2 = 0;
	unsigned visits = visits_of(s, bad ? s->g->bad : s->g->good);

	for (unsigned t = 0; t < p->n_tau; t++) {
		tau2 += p->w_tau[t] * p->tau2[t];
		s2 += p->w_tau[t] * (p->s2[t] + p->kappa2[t]);
	}
	for (uint32_t u = 0; u < s->data.units.n; u++) {
		double m, v, prior;

		if (!s->data.units.v[u].n)
			continue;
		double q = unit_side(s, u, &prior);

		unit_location(&s->data, u, sqrt(s2), 0, &m, &v);
		w += (bad ? q : 1 - q) / (tau2 + v);
	}
	return visits && 1 / w > 0.7 * c->var && s2 / visits > tau2 / 2;
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
		act_visit_unit(s, PHASE_SEARCH, e->starved, "neighbour of an end");
		return true;
	}
	return fresh_end(s, bad < good, PHASE_SEARCH);
}

static void next_best(struct search *s, const struct ends *e)
{
	struct choose_in in;
	struct choice c;

	search_choose_in(s, &in);
	/* Once only the careful prior is in the way of a name, its doubts are the ones to settle. */
	if (!s->params.can_relayout &&
	    s->post.p[s->post.best] * (1 - s->post.none) > 1 - s->params.alpha) {
		in.p = s->post.p_careful;
		in.w_tau = s->post.w_careful;
	}
	choose_best(&s->chooser, &in, &c);
	if (c.kind == CHOICE_NONE || c.value * in.costs.run < LEAST_VALUE) {
		if (e->good < 24 || e->bad < 24)
			visit_ends(s, e, "ends");
		else
			answer_undecided(s, "no affordable measurement would tell more");
		return;
	}
	for (int bad = 0; bad < 2; bad++)
		if (!s->data.noise.exact && (end_behind(s, bad, &c) || end_neglected(s, bad, &c))) {
			act_visit(s, PHASE_SEARCH, bad ? s->g->bad : s->g->good, "reference");
			return;
		}
	act_choice(s, &c);
}

static void search_stage(struct search *s, const struct ends *e)
{
	const struct posterior *p = &s->post;
	unsigned units = 0;

	s->next.phase = PHASE_SEARCH;
	for (uint32_t u = 0; u < s->data.units.n; u++)
		units += s->data.units.v[u].n > 0;
	if (none_likely(s) && units >= 4)
		answer(s, ANSWER_NO_CHANGE, "no change between the ends");
	else if (fmin(p->p_two, p->two_careful) > P_TWO && units >= 4)
		answer_multiple(s);
	else if (over_budget(s))
		answer_undecided(s, "the limit of builds or runs is reached");
	else if (!finish_build(s) && !doubt_ends(s, e, units) && !try_to_name(s))
		next_best(s, e);
}

/* Both ends' builds are one and the same, byte for byte: no run can tell them apart. */
static bool same_ends(const struct search *s)
{
	int64_t good = build_of(s, s->g->good), bad = build_of(s, s->g->bad);

	return good >= 0 && bad >= 0 && s->data.builds.v[good].unit == s->data.builds.v[bad].unit;
}

void search_decide(struct search *s)
{
	struct ends e;

	s->status = (struct search_status){ .final = false };
	s->n_suspects = 0;
	s->lowered = false;
	s->next.phase = PHASE_ENDS;
	search_update(s);
	if ((s->failed[s->g->good] || s->failed[s->g->bad]) && !s->known) {
		answer_undecided(s, s->failed[s->g->good] ? "the good end cannot be measured"
							  : "the bad end cannot be measured");
		return;
	}
	if (!s->params.inside && same_ends(s)) {
		answer(s, ANSWER_NO_CHANGE, "the ends build to the same artefacts");
		return;
	}
	look_at_ends(s, &e);
	if (!s->known) {
		visit_ends(s, &e, "ends");
		return;
	}
	if (!e.interior && ends_stage(s, &e))
		return;
	search_stage(s, &e);
}
