/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search_report - what is reported to a search; the decisions are in search_flow.c.
 */
#include "brain/search_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void search_params_default(struct search_params *p)
{
	*p = (struct search_params){
		.alpha = 0.05,
		.margin = 0.01,
		.offset_scale = 0.006,
		.boot_scale = 0.003,
		.cost_build = 10,
		.cost_boot = 0,
		.cost_run = 1,
		.runs_per_boot = 1,
	};
}

struct search *search_new(const struct graph *g, const struct search_params *p)
{
	struct search *s = xcalloc(1, sizeof(*s));

	assert(p->alpha > 0 && p->alpha < 1 && p->margin > 0);
	s->g = g;
	s->params = *p;
	if (!s->params.runs_per_boot)
		s->params.runs_per_boot = 1;
	s->given_max_runs = p->max_runs > 0;
	if (!s->given_max_runs)
		s->params.max_runs = DEFAULT_MAX_RUNS;
	if (!s->params.max_builds)
		s->params.max_builds =
			DEFAULT_MAX_BUILDS + (unsigned)ceil(log2((double)graph_candidates(g) + 1));
	classes_init(&s->classes, g);
	s->mark = xcalloc(g->n, 1);
	s->closed = xcalloc(g->n, 1);
	s->failed = xcalloc(g->n, 1);
	s->barren = xcalloc(g->n, 1);
	s->last_boot = -1;
	s->chooser.sketch.exact = p->exact_sides ? &s->classes : NULL;
	/* Both ends are told apart from the start, measured or not. */
	classes_test(&s->classes, g->bad);
	return s;
}

void search_free(struct search *s)
{
	if (!s)
		return;
	data_done(&s->data);
	classes_done(&s->classes);
	posterior_done(&s->post);
	chooser_done(&s->chooser);
	free(s->mark);
	free(s->closed);
	free(s->failed);
	free(s->barren);
	free(s->suspect);
	free(s->suspect_p);
	free(s);
}

/* --- reports --------------------------------------------------------------------------------------------------- */

static void changed(struct search *s)
{
	s->summed = s->decided = false;
}

static void add_seconds(struct search *s, struct seconds *t, double seconds)
{
	if (isfinite(seconds) && seconds >= 0) {
		t->sum += seconds;
		t->n++;
		s->elapsed += seconds;
	}
}

static bool has_values(const struct search *s, uint32_t node)
{
	for (size_t i = 0; i < s->data.builds.n; i++) {
		const struct obs_build *b = &s->data.builds.v[i];

		if (b->node != node || !b->ok)
			continue;
		for (size_t k = 0; k < s->data.values.n; k++)
			if (s->data.values.v[k].unit == b->unit)
				return true;
	}
	return false;
}

static void give_up(struct search *s, uint32_t node)
{
	s->closed[node] = 1;
	if (!has_values(s, node))
		s->failed[node] = 1;
}

/* All commits of a unit count as tested once the unit has a value. */
static void unit_tested(struct search *s, uint32_t unit)
{
	const struct unit *u = &s->data.units.v[unit];

	for (size_t i = 0; i < u->nodes.n; i++)
		classes_test(&s->classes, u->nodes.v[i]);
}

void search_built(struct search *s, uint32_t node, int64_t build, enum outcome outcome,
		  int64_t artefact, bool relayout, double seconds)
{
	assert(node < s->g->n && data_find_build(&s->data, build) == UINT32_MAX);
	struct obs_build *b = ARRAY_GROW(&s->data.builds);

	*b = (struct obs_build){ .id = build,
				 .node = node,
				 .unit = NO_UNIT,
				 .ok = outcome == OUTCOME_OK,
				 .relayout = relayout };
	uint32_t index = (uint32_t)(s->data.builds.n - 1);

	changed(s);
	s->builds++;
	add_seconds(s, &s->t_build, seconds);
	s->relayouts += relayout;
	if (!b->ok) {
		if (relayout)
			s->barren[node] = 1;
		else
			give_up(s, node);
		return;
	}
	size_t known = s->data.units.n;

	b->unit = data_unit(&s->data, artefact);
	struct unit *u = &s->data.units.v[b->unit];

	if (relayout && b->unit < known)
		s->barren[node] = 1;
	else if (relayout)
		s->fresh++;
	s->closed[node] = 1;
	u->last_build = index;
	bool listed = false;

	for (size_t i = 0; i < u->nodes.n; i++)
		listed |= u->nodes.v[i] == node;
	if (!listed)
		ARRAY_PUSH(&u->nodes, node);
	for (size_t i = 0; i < s->data.values.n; i++)
		if (s->data.values.v[i].unit == b->unit) {
			unit_tested(s, b->unit);
			break;
		}
}

void search_booted(struct search *s, int64_t build, int64_t boot, enum outcome outcome,
		   double seconds)
{
	uint32_t b = data_find_build(&s->data, build);

	assert(b != UINT32_MAX && data_find_boot(&s->data, boot) == UINT32_MAX);
	struct obs_boot *t = ARRAY_GROW(&s->data.boots);

	*t = (struct obs_boot){ .id = boot, .build = b, .ok = outcome == OUTCOME_OK };
	changed(s);
	s->boots++;
	s->last_boot = (int64_t)s->data.boots.n - 1;
	add_seconds(s, &s->t_boot, seconds);
	if (t->ok) {
		s->data.builds.v[b].boot_failures = 0;
	} else if (++s->data.builds.v[b].boot_failures >= 2) {
		s->data.builds.v[b].ok = false;
		give_up(s, s->data.builds.v[b].node);
	}
}

void search_value(struct search *s, int64_t boot, unsigned index, double value, double resolution,
		  double seconds)
{
	uint32_t t = data_find_boot(&s->data, boot);

	assert(t != UINT32_MAX && isfinite(value));
	struct obs_boot *ob = &s->data.boots.v[t];
	struct obs_build *b = &s->data.builds.v[ob->build];
	struct obs_value *v;

	assert(b->unit != NO_UNIT);
	v = ARRAY_GROW(&s->data.values);
	*v = (struct obs_value){ .raw = value,
				 .resolution =
					 isfinite(resolution) && resolution > 0 ? resolution : 0,
				 .at = s->elapsed,
				 .index = index,
				 .boot = t,
				 .unit = b->unit };
	ob->runs++;
	b->run_failures = 0;
	s->runs++;
	add_seconds(s, &s->t_run, seconds);
	changed(s);
	unit_tested(s, b->unit);
}

void search_run_failed(struct search *s, int64_t boot, double seconds)
{
	uint32_t t = data_find_boot(&s->data, boot);

	assert(t != UINT32_MAX);
	struct obs_build *b = &s->data.builds.v[s->data.boots.v[t].build];

	s->runs++;
	add_seconds(s, &s->t_run, seconds);
	changed(s);
	if (++b->run_failures >= 3) {
		b->ok = false;
		give_up(s, b->node);
	}
}

void search_mark(struct search *s, uint32_t node, enum search_mark mark)
{
	assert(node < s->g->n);
	changed(s);
	s->closed[node] = 1;
	switch (mark) {
	case MARK_SKIP:
		for (size_t i = 0; i < s->data.builds.n; i++)
			if (s->data.builds.v[i].node == node)
				s->data.builds.v[i].ok = false;
		give_up(s, node);
		return;
	case MARK_GOOD:
		s->mark[node] = -1;
		break;
	case MARK_BAD:
		s->mark[node] = 1;
		break;
	}
	classes_test(&s->classes, node);
}

/* --- what is known --------------------------------------------------------------------------------------------- */

static double on_scale(const struct search *s, double margin)
{
	return s->data.ratio ? margin : log1p(margin);
}

double search_margin(const struct search *s)
{
	return on_scale(s, s->params.margin);
}

#define CAREFUL_SLACK 0.08 /* the careful prior may fall short of 1 - alpha by this */

static double average(const struct seconds *t, double guess)
{
	return t->n && t->sum > 0 ? t->sum / t->n : guess;
}

void search_costs(const struct search *s, struct costs *ret)
{
	ret->run = fmax(1e-6, average(&s->t_run, s->params.cost_run));
	ret->boot = s->t_boot.n ? s->t_boot.sum / s->t_boot.n : s->params.cost_boot;
	ret->build = average(&s->t_build, s->params.cost_build);
}

void search_choose_in(const struct search *s, struct choose_in *ret)
{
	*ret = (struct choose_in){
		.posterior = &s->post,
		.p = s->post.p,
		.p_tau = s->post.p_tau,
		.w_tau = s->post.w_tau,
		.classes = &s->classes,
		.data = &s->data,
		.closed = s->closed,
		.failed = s->failed,
		.can_relayout = search_can_relayout(s),
		.runs_per_boot = s->params.runs_per_boot,
		.boot_scale = s->params.boot_scale,
		.last_unit = s->last_boot < 0
				     ? NO_UNIT
				     : s->data.builds.v[s->data.boots.v[s->last_boot].build].unit,
	};
	search_costs(s, &ret->costs);
}

bool search_posterior_for(const struct search *s, double margin, struct posterior *ret)
{
	struct posterior_in in = {
		.classes = &s->classes,
		.data = &s->data,
		.margin = on_scale(s, margin),
		.offset_scale = s->params.offset_scale,
		.offset_measured = s->params.offset_measured,
		.boot_scale = s->params.boot_scale,
		.mark = s->mark,
		.two_changes = true,
	};

	return posterior_compute(ret, &in);
}

bool search_update(struct search *s)
{
	if (s->summed)
		return s->known;
	data_summarise(&s->data, s->g->good, s->params.counter);
	s->known = search_posterior_for(s, s->params.margin, &s->post);
	s->summed = true;
	return s->known;
}

/*
 * Is one class left before any value, since no other commit in the range changes what is built? Then whatever the ends show comes from
 * there, and that builds differ for no reason is no rival: only that the runs do.
 */
static bool located(const struct search *s, uint32_t cls)
{
	return s->post.p_before[cls] >= 1 - s->params.alpha;
}

/* Chance that the ends' runs differ as they do without a difference of their builds, and a little more. */
static double ends_by_chance(const struct search *s)
{
	const struct posterior *p = &s->post;

	return erfc(fabs(p->change_end) / sqrt(2 * p->change_end_var));
}

bool search_can_relayout(const struct search *s)
{
	return s->params.can_relayout && (!s->relayouts || s->fresh);
}

bool search_confident(const struct search *s, uint32_t cls)
{
	const struct posterior *p = &s->post;
	double enough = 1 - s->params.alpha;

	if (located(s, cls))
		return p->p[cls] * (1 - ends_by_chance(s)) >= enough;
	return p->p[cls] * (1 - p->none) >= enough &&
	       p->p_flat[cls] * (1 - p->none_flat) >= enough &&
	       (search_can_relayout(s) ||
		p->p_careful[cls] * (1 - p->none_careful) >= enough - CAREFUL_SLACK);
}

double search_confidence(const struct search *s, uint32_t cls)
{
	const struct posterior *p = &s->post;
	double c = fmin(p->p[cls] * (1 - p->none), p->p_flat[cls] * (1 - p->none_flat));

	if (located(s, cls))
		return p->p[cls] * (1 - ends_by_chance(s));
	/* It may fall short of what a name needs; what is stated says so. */
	if (!search_can_relayout(s))
		c = fmin(c, p->p_careful[cls] * (1 - p->none_careful));
	return c;
}

void search_next(struct search *s, struct action *ret)
{
	if (!s->decided)
		search_decide(s);
	s->decided = true;
	*ret = s->next;
}
