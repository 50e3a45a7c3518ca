/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search_act - the actions and answers that decisions are made of.
 */
#include "brain/search_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static unsigned visit_runs(const struct search *s)
{
	struct choose_in in;

	if (!s->known)
		return s->params.runs_per_boot;
	search_choose_in(s, &in);
	return choose_runs_per_boot(&in);
}

void search_act(struct search *s, enum action_phase phase, enum action_build how, uint32_t node,
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
int64_t search_build_of(const struct search *s, uint32_t node)
{
	for (size_t i = s->data.builds.n; i-- > 0;)
		if (s->data.builds.v[i].node == node && s->data.builds.v[i].ok)
			return (int64_t)i;
	return -1;
}

/* The newest usable build of a unit, or -1. */
int64_t search_build_of_unit(const struct search *s, uint32_t unit)
{
	for (size_t i = s->data.builds.n; i-- > 0;)
		if (s->data.builds.v[i].unit == unit && s->data.builds.v[i].ok)
			return (int64_t)i;
	return -1;
}

unsigned search_visits_of(const struct search *s, uint32_t node)
{
	int64_t b = search_build_of(s, node);

	return b < 0 ? 0 : s->data.units.v[s->data.builds.v[b].unit].n_visits;
}

void search_visit_unit(struct search *s, enum action_phase phase, uint32_t unit, const char *why)
{
	int64_t b = search_build_of_unit(s, unit);

	search_act(s, phase, ACTION_BUILD_EXISTING, s->data.builds.v[b].node,
		   s->data.builds.v[b].id, why);
}

/* Visit a node, building it first if needed. */
void search_visit(struct search *s, enum action_phase phase, uint32_t node, const char *why)
{
	int64_t b = search_build_of(s, node);

	if (b < 0)
		search_act(s, phase, ACTION_BUILD_FIRST, node, -1, why);
	else
		search_act(s, phase, ACTION_BUILD_EXISTING, node, s->data.builds.v[b].id, why);
}

void search_answer(struct search *s, enum answer a, const char *why)
{
	s->next = (struct action){ .kind = ACTION_ANSWER, .phase = s->next.phase };
	snprintf(s->next.why, sizeof(s->next.why), "%s", answer_name(a));
	s->status.final = true;
	s->status.answer = a;
	snprintf(s->status.why, sizeof(s->status.why), "%s", why);
}

void search_undecided(struct search *s, const char *why)
{
	if (s->known)
		search_fill_set(s, s->post.p, 1 - s->params.alpha, SIZE_MAX);
	search_answer(s, ANSWER_UNDECIDED, why);
}
