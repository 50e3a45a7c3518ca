/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search_ends - do the ends differ (STATISTICS.md 1.6, stage 0)? And the care for the ends later on.
 */
#include "brain/search_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define Z_ENDS 2.4 /* standard errors that the ends must differ by before the search starts */
#define Z_ENDS_SURE                                                                                \
	3.2 /* after END_VISITS, with that many looks chance alone passes the first; and where a false start is dear */
#define Z_ENDS_PLAIN 8 /* no doubt, however few the runs */
#define DEAR                                                                                       \
	50 /* visits that a build costs, from where the ends are looked at twice before the first build */
#define OFFSET_DOUBT                                                                               \
	2.5 /* standard deviations that what differs must be of what two builds of one source differ by */
#define END_BUILDS 4
#define P_NONE 0.95
#define MANY_UNITS 10
#define P_NONE_MANY 0.9
#define END_VISITS                                                                                 \
	128 /* before "they cannot be told apart"; more where a search would cost more than that */
#define END_VISITS_MAX 2000

/* Under either prior of the offsets: large ones explain away a difference of the ends. */
static bool none_likely(const struct search *s, const struct posterior *post)
{
	double p = fmax(post->p_none, post->none_careful * (1 - post->p_two));
	unsigned units = 0;

	for (uint32_t u = 0; u < s->data.units.n; u++)
		units += s->data.units.v[u].n > 0;
	return p > (units >= MANY_UNITS ? P_NONE_MANY : P_NONE);
}

bool search_none_likely(const struct search *s)
{
	return none_likely(s, &s->post);
}

/*
 * Visits of each end after which they count as not to be told apart: as many as take the time of the search that would follow, were they
 * to differ. Builds of a minute are worth more than a hundred runs of a few milliseconds.
 */
static unsigned end_visits(const struct search *s)
{
	struct costs c;

	search_costs(s, &c);
	double builds = log2((double)graph_candidates(s->g) + 1) + 2;
	double visits = builds * c.build / (2 * (c.run * s->params.runs_per_boot + c.boot));

	if (s->given_max_runs)
		visits = fmin(visits, s->params.max_runs / 2.0);
	return (unsigned)fmax(END_VISITS, fmin(END_VISITS_MAX, visits));
}

bool search_runs_spent(const struct search *s)
{
	if (s->given_max_runs || s->runs < s->params.max_runs)
		return s->runs >= s->params.max_runs;
	return s->runs >=
	       s->params.max_runs + 2 * (end_visits(s) - END_VISITS) * s->params.runs_per_boot;
}

/* The least of some larger margins of which "no change" can be said; 0 if there is none. */
static double shown_margin(const struct search *s)
{
	static const double times[] = { 1.5, 2, 3, 4, 5 };
	double ret = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]) && ret == 0; i++) {
		struct posterior wider = { .n = 0 };
		double margin = times[i] * s->params.margin;

		if (search_posterior_for(s, margin, &wider) && none_likely(s, &wider))
			ret = margin;
		posterior_done(&wider);
	}
	return ret;
}

static const char too_noisy[] = "the ends differ by less than their noise can show";

/* The ends were visited as often as is worth it. What can be said of them may be less than what was asked. */
static void give_up_ends(struct search *s, const char *why)
{
	double margin = s->params.coarser && !s->params.inside ? shown_margin(s) : 0;

	if (margin > 0) {
		search_answer(s, ANSWER_NO_CHANGE, "the runs scatter too much for that");
		s->status.margin = margin;
	} else {
		search_undecided(s, why);
	}
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
		bool is_good = unit->nodes.v[0] == s->g->good,
		     is_bad = unit->nodes.v[0] == s->g->bad;

		ret->most = unit->n_visits > ret->most ? unit->n_visits : ret->most;
		ret->builds_good += unit->n_visits && (is_good || prior < 0.02);
		ret->builds_bad += unit->n_visits && (is_bad || prior > 0.98);
		if (is_good || is_bad)
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

	if (s->builds >= s->params.max_builds)
		return false;
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

/*
 * Looks are at equal and growing numbers of visits of both ends. An end that one action takes past its number would move the next look away from the
 * other one, and the two would chase each other for ever.
 */
static void keep_to(struct search *s, const struct ends *e, unsigned target)
{
	unsigned n = s->next.node == s->g->bad ? e->bad : e->good;
	unsigned missing = target > n ? target - n : 1;

	if (s->params.boot_each && s->next.runs > missing)
		s->next.runs = missing;
}

/* Visits with values of an end's newest build, reported but not yet summarised ones too. */
static unsigned visits_so_far(const struct search *s, uint32_t node)
{
	int64_t b = search_build_of(s, node);
	unsigned n = 0;

	for (size_t i = 0; b >= 0 && i < s->data.boots.n; i++) {
		const struct obs_boot *t = &s->data.boots.v[i];

		n += t->runs > 0 && s->data.builds.v[t->build].unit == s->data.builds.v[b].unit;
	}
	return n;
}

bool search_ends_between_looks(struct search *s)
{
	struct ends e = { .good = 0 };

	if (!s->known || s->boots < 2 * END_VISITS)
		return false;
	for (size_t u = 0; u < s->data.units.n; u++)
		if (s->data.units.v[u].nodes.v[0] != s->g->good &&
		    s->data.units.v[u].nodes.v[0] != s->g->bad)
			return false;
	e.good = visits_so_far(s, s->g->good);
	e.bad = visits_so_far(s, s->g->bad);
	unsigned n = e.good < e.bad ? e.good : e.bad, most = e.good > e.bad ? e.good : e.bad;

	if (n < END_VISITS || n >= next_target(most))
		return false;
	search_visit_ends(s, &e, "ends");
	keep_to(s, &e, next_target(most));
	return true;
}

static bool builds_are_dear(const struct search *s)
{
	struct costs c;

	search_costs(s, &c);
	return c.build >= DEAR * (c.run * s->params.runs_per_boot + c.boot);
}

static bool look_equal(const struct search *s)
{
	const struct posterior *p = &s->post;

	return p->change_end * p->change_end <= Z_ENDS * Z_ENDS * p->change_end_var;
}

bool search_give_up_equal_ends(struct search *s)
{
	if (!look_equal(s))
		return false;
	give_up_ends(s, too_noisy);
	return true;
}

bool search_back_to_ends(struct search *s, const struct ends *e)
{
	if (!look_equal(s))
		return false;
	for (uint32_t u = 0; u < s->data.units.n; u++)
		if (s->data.units.v[u].n < 4 && search_build_of_unit(s, u) >= 0) {
			search_visit_unit(s, PHASE_ENDS, u, "ends that look equal after all");
			return true;
		}
	if (e->good < end_visits(s) || e->bad < end_visits(s))
		search_visit_ends(s, e, "ends that look equal after all");
	else
		give_up_ends(s, too_noisy);
	return true;
}

/*
 * Do the ends differ by what chance does not do, and by more than what is of no interest? A difference that is there and is smaller than what
 * is asked for is an answer, not a reason to search.
 */
static bool ends_differ(const struct search *s, unsigned visits, bool *ret_small)
{
	const struct posterior *p = &s->post;
	double se = sqrt(p->change_end_var), z = fabs(p->change_end) / se;

	*ret_small = fabs(p->change_end) + 2.6 * se < search_margin(s);
	if (*ret_small)
		return false;
	if (visits > END_VISITS)
		return z > Z_ENDS_SURE;
	if (!builds_are_dear(s))
		return z > Z_ENDS;
	return z > (visits < 6 ? Z_ENDS_PLAIN : Z_ENDS_SURE);
}

/* The unit with the fewest visits of those with less (or not less) than `n`. */
static uint32_t least_visited(const struct search *s, unsigned n, bool less)
{
	uint32_t ret = NO_UNIT;

	for (uint32_t u = 0; u < s->data.units.n; u++) {
		unsigned k = s->data.units.v[u].n_visits;

		if (k && (k < n) == less && search_build_of_unit(s, u) >= 0 &&
		    (ret == NO_UNIT || k < s->data.units.v[ret].n_visits))
			ret = u;
	}
	return ret;
}

/*
 * A fresh build of an end is visited half as often as the first ones, in turns with them, so that all see the same machine. True if such a
 * visit is due.
 */
static bool catch_up(struct search *s, const struct ends *e)
{
	uint32_t u = least_visited(s, e->most / 2, true);

	if (u == NO_UNIT)
		return false;
	bool was_last = s->last_boot >= 0 &&
			s->data.builds.v[s->data.boots.v[s->last_boot].build].unit == u;

	if (was_last)
		u = least_visited(s, e->most / 2, false);
	if (u == NO_UNIT || search_runs_spent(s))
		return false;
	search_visit_unit(s, PHASE_ENDS, u, "another build of an end, in turns with the first");
	return true;
}

static bool guards_its_search(const struct search *s, const struct ends *e)
{
	return !s->data.noise.exact && (e->most > END_VISITS || builds_are_dear(s));
}

/*
 * How far the means of so many builds of each side lie apart where the source is the same: by what was expected, or by what was seen if that is less
 * and there were enough to see it.
 */
static double usual_difference(const struct search *s, const struct ends *e)
{
	const struct posterior *p = &s->post;
	double scale = s->params.offset_scale, tau2 = 0;

	for (unsigned t = 0; t < p->n_tau; t++)
		tau2 += p->w_tau[t] * p->tau2[t];
	if (e->builds_good >= 3 && e->builds_bad >= 3)
		scale = fmin(scale, sqrt(tau2));
	return scale * sqrt(1.0 / e->builds_good + 1.0 / e->builds_bad);
}

/*
 * What differs may be the two builds and not the source: one per cent is nothing unusual for that, and no run of the same two tells. Where a search
 * costs more than some fresh builds of the ends, these come first, and if they do not settle it there is nothing to search for.
 */
static bool ask_other_builds(struct search *s, const struct ends *e)
{
	bool bad = e->builds_bad < e->builds_good;

	if (!guards_its_search(s, e) ||
	    fabs(s->post.change_end) > OFFSET_DOUBT * usual_difference(s, e))
		return false;
	for (int k = 0; k < 2; k++, bad = !bad)
		if ((bad ? e->builds_bad : e->builds_good) < END_BUILDS &&
		    search_fresh_end(s, bad, PHASE_ENDS))
			return true;
	if (e->builds_good < 2 || e->builds_bad < 2)
		return false;
	give_up_ends(s, "the ends differ by no more than builds of one source do");
	return true;
}

/* Stage 0. True if an action or an answer was found; false to go on to the search. */
bool search_ends_stage(struct search *s, const struct ends *e)
{
	bool exact = s->data.noise.exact, small;
	unsigned n = e->good < e->bad ? e->good : e->bad,
		 most = e->good > e->bad ? e->good : e->bad;
	unsigned target = exact ? 1 : n < 2 ? 2 : next_target(most);

	if (guards_its_search(s, e) && catch_up(s, e))
		return true;
	if (n < target) {
		search_visit_ends(s, e, "ends");
		keep_to(s, e, target);
		return true;
	}
	if (ends_differ(s, e->most, &small))
		return ask_other_builds(s, e);
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
	if (n >= end_visits(s)) {
		give_up_ends(s, too_noisy);
		return true;
	}
	search_visit(s, PHASE_ENDS, e->bad <= e->good ? s->g->bad : s->g->good, "ends");
	keep_to(s, e, next_target(most + 1));
	return true;
}
