/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * duel_series - the sides of a duel and what each has measured so far.
 */
#include "hunt/duel.h"

#include <string.h>

void duel_init(struct duel *d, size_t n_sides, double alpha, double margin)
{
	memset(d, 0, sizeof(*d));
	d->sides = xcalloc(n_sides, sizeof(*d->sides));
	for (size_t i = 0; i < n_sides; i++)
		d->sides[i].number = i;
	d->n_sides = n_sides;
	d->alpha = alpha;
	d->margin = margin;
	d->look = UINT32_MAX;
}

void duel_enter(struct duel *d, const struct session *s)
{
	d->benchmark = s->bench->name;
	d->simulated = session_is_simulated(s);
	d->target = s->target_name;
}

static void series_done(struct metric_series *s)
{
	free(s->metric);
	free(s->unit);
	free(s->v);
	free(s->build);
	free(s->boot);
}

static void side_done(struct duel_side *side)
{
	for (size_t k = 0; k < side->n_series; k++)
		series_done(&side->series[k]);
	free(side->series);
	free(side->builds);
	free(side->label);
	free(side->node);
	free(side->last_reason);
	variant_done(&side->variant);
}

void duel_drop(struct duel *d, size_t i)
{
	side_done(&d->sides[i]);
	d->n_sides--;
	memmove(&d->sides[i], &d->sides[i + 1], (d->n_sides - i) * sizeof(*d->sides));
}

void duel_done(struct duel *d)
{
	for (size_t i = 0; i < d->n_sides; i++)
		side_done(&d->sides[i]);
	free(d->sides);
	memset(d, 0, sizeof(*d));
}

struct metric_series *duel_series(const struct duel_side *side, const char *metric)
{
	for (size_t i = 0; i < side->n_series; i++)
		if (!strcmp(side->series[i].metric, metric))
			return &side->series[i];
	return NULL;
}

bool duel_add(struct duel_side *side, const struct reading *r, enum better better, bool primary,
	      int64_t build, int64_t boot)
{
	struct metric_series *s = duel_series(side, r->metric);

	if (!s) {
		array_reserve_((void **)&side->series, &side->cap_series, side->n_series + 1,
			       sizeof(*side->series));
		s = &side->series[side->n_series++];
		*s = (struct metric_series){ .metric = xstrdup(r->metric),
					     .unit = xstrdup(r->unit),
					     .better = better,
					     .counter = r->counter,
					     .primary = primary,
					     .resolution = r->resolution };
	}
	if (strcmp(s->unit, r->unit))
		return false;
	if (s->n == s->cap) {
		s->cap = s->cap * 2 + 16;
		s->v = xreallocarray(s->v, s->cap, sizeof(*s->v));
		s->build = xreallocarray(s->build, s->cap, sizeof(*s->build));
		s->boot = xreallocarray(s->boot, s->cap, sizeof(*s->boot));
	}
	s->v[s->n] = r->value;
	s->build[s->n] = build;
	s->boot[s->n] = boot;
	s->n++;
	s->counter = s->counter && r->counter;
	if (r->resolution > s->resolution)
		s->resolution = r->resolution;
	return true;
}
