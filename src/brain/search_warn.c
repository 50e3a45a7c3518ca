/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search_warn - what is odd about the ends' values, for people: none of it changes an answer.
 *
 * The ends are visited all through a hunt, so their values, each about its own median, in the order in which they came, are the
 * hunt's clock: a trend in them is a machine that drifted. Ends of equal level whose spread differs are a change too, one that
 * a search for a shift cannot find; to say nothing of it would be a silent miss.
 */
#include "brain/search_state.h"
#include "stats/sample.h"
#include "stats/symptom.h"

#include <math.h>
#include <string.h>

#define Z_LEVEL 3 /* standard errors from which the ends differ in level */

struct end_values {
	double *v, *sorted; /* in order; ascending */
	size_t n;
};

static uint32_t unit_of_end(const struct search *s, uint32_t node)
{
	int64_t b = search_build_of(s, node);

	return b < 0 ? NO_UNIT : s->data.builds.v[b].unit;
}

static void end_values(const struct search *s, uint32_t unit, struct end_values *ret)
{
	*ret = (struct end_values){ .v = xcalloc(s->data.values.n + 1, sizeof(double)) };
	for (size_t i = 0; i < s->data.values.n; i++)
		if (s->data.values.v[i].unit == unit)
			ret->v[ret->n++] = s->data.values.v[i].plain;
	ret->sorted = ret->n ? sample_sorted(ret->v, ret->n) : NULL;
}

static void end_values_done(struct end_values *e)
{
	free(e->v);
	free(e->sorted);
}

/* Both ends' values about their own medians, in the order in which they came. */
static bool drifted(const struct search *s, const uint32_t *unit, const struct end_values *e)
{
	AUTO_FREE double *r = xcalloc(e[0].n + e[1].n + 1, sizeof(*r));
	double median[2];
	size_t n = 0;

	for (int k = 0; k < 2; k++)
		median[k] = sample_median_sorted(e[k].sorted, e[k].n);
	for (size_t i = 0; i < s->data.values.n; i++)
		for (int k = 0; k < 2; k++)
			if (s->data.values.v[i].unit == unit[k])
				r[n++] = s->data.values.v[i].plain - median[k];
	AUTO_FREE double *sorted = sample_sorted(r, n);

	return symptom_drift(r, sorted, n);
}

unsigned search_warnings(const struct search *s)
{
	uint32_t unit[2] = { unit_of_end(s, s->g->good), unit_of_end(s, s->g->bad) };
	struct end_values e[2];
	unsigned w = 0;

	if (!s->known || s->data.noise.exact || unit[0] == NO_UNIT || unit[1] == NO_UNIT ||
	    unit[0] == unit[1])
		return 0;
	for (int k = 0; k < 2; k++)
		end_values(s, unit[k], &e[k]);
	if (e[0].n && e[1].n) {
		double z2 = s->post.change_end * s->post.change_end / s->post.change_end_var;

		if (drifted(s, unit, e))
			w |= SEARCH_WARN_DRIFT;
		if (z2 < Z_LEVEL * Z_LEVEL &&
		    symptom_spread(e[0].sorted, e[0].n, e[1].sorted, e[1].n))
			w |= SEARCH_WARN_SPREAD;
	}
	for (int k = 0; k < 2; k++)
		end_values_done(&e[k]);
	return w;
}
