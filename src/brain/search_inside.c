/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search_inside - a regression and its repair leave the ends equal: probe the range.
 *
 * Nothing is known about where, so the range is halved again and again: always the commit that divides the largest untested
 * class most evenly. A probe counts as different if it is off the mean of all others by the margin and by four
 * standard errors, offsets included, after four visits; the others' own scatter tells the offsets. What this finds is an
 * interval with a change on either side, and both are then searched as ranges of their own; what it does not find
 * may still be there between the probes, so the answer never says "nothing inside".
 */
#include "brain/search_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PROBES 15 /* the range is cut into sixteenths */
#define PROBE_VISITS 3
#define DOUBT_VISITS 6 /* of a probe that looks different */
#define Z_DIFFERENT 4

struct level {
	double mean, sd, se; /* of the units; se of their mean */
	unsigned n;
};

/* The common level of all units but `except`, and how they scatter about it. */
static void others(const struct search *s, uint32_t except, double run_sd, struct level *ret)
{
	double sum = 0, sq = 0, own = 0;
	unsigned n = 0;

	for (uint32_t u = 0; u < s->data.units.n; u++) {
		double m, v;

		if (u == except || !s->data.units.v[u].n)
			continue;
		unit_location(&s->data, u, run_sd, 0, &m, &v);
		sum += m;
		sq += m * m;
		own += v;
		n++;
	}
	double mean = sum / n, var = n > 1 ? fmax(0, (sq - sum * mean) / (n - 1)) : 0;

	/* Two or three units may agree by chance: their runs' own noise is the least scatter that counts. */
	var = fmax(var, own / n);
	*ret = (struct level){ mean, sqrt(var), sqrt(var / n), n };
}

static bool is_end(const struct search *s, uint32_t u)
{
	for (size_t i = 0; i < s->data.units.v[u].nodes.n; i++) {
		uint32_t node = s->data.units.v[u].nodes.v[i];

		if (node == s->g->good || node == s->g->bad)
			return true;
	}
	return false;
}

/* The probe that differs most from all else; its standardised difference in *ret_z. NO_UNIT if none was measured. */
static uint32_t oddest(const struct search *s, double *ret_z, double *ret_change)
{
	double run_sd = fmax(s->data.noise.s, s->data.noise.floor);
	uint32_t best = NO_UNIT;

	*ret_z = *ret_change = 0;
	for (uint32_t u = 0; u < s->data.units.n; u++) {
		struct level l;
		double m, v;

		if (!s->data.units.v[u].n || is_end(s, u))
			continue;
		others(s, u, run_sd, &l);
		unit_location(&s->data, u, run_sd, 0, &m, &v);
		double z = fabs(m - l.mean) / sqrt(v + l.sd * l.sd + l.se * l.se);

		if (fabs(m - l.mean) >= search_margin(s) && z > *ret_z) {
			*ret_z = z;
			*ret_change = m - l.mean;
			best = u;
		}
	}
	return best;
}

static bool next_probe(struct search *s, uint32_t *ret_node)
{
	const struct classes *c = &s->classes;
	struct choose_in in;
	AUTO_FREE uint8_t *tried = xcalloc(c->n, 1);

	search_choose_in(s, &in);
	for (;;) {
		uint32_t largest = UINT32_MAX;

		for (uint32_t k = 0; k < c->n; k++)
			if (!tried[k] && (largest == UINT32_MAX || c->mass[k] > c->mass[largest]))
				largest = k;
		if (largest == UINT32_MAX || c->mass[largest] <= 0)
			return false;
		if (choose_divider(&s->chooser, &in, largest, ret_node))
			return true;
		tried[largest] = 1;
	}
}

void search_inside(struct search *s)
{
	double z, change;
	uint32_t odd = oddest(s, &z, &change), node;
	unsigned probes = 0;
	unsigned want = s->data.noise.exact ? 1 : PROBE_VISITS;
	char why[160];

	s->next.phase = PHASE_INSIDE;
	for (uint32_t u = 0; u < s->data.units.n; u++) {
		const struct unit *unit = &s->data.units.v[u];

		probes += !is_end(s, u);
		if (unit->n_visits >= want || search_build_of_unit(s, u) < 0)
			continue;
		search_visit_unit(s, PHASE_INSIDE, u, is_end(s, u) ? "ends" : "probe inside");
		return;
	}
	if (odd != NO_UNIT && z >= Z_DIFFERENT) {
		if (!s->data.noise.exact && s->data.units.v[odd].n_visits < DOUBT_VISITS &&
		    search_build_of_unit(s, odd) >= 0) {
			search_visit_unit(s, PHASE_INSIDE, odd,
					  "differs from both ends: once more");
			return;
		}
		s->middle = s->data.units.v[odd].nodes.v[0];
		s->found_inside = true;
		s->inside_change = change;
		search_answer(s, ANSWER_MULTIPLE,
			      "the ends are equal, a commit inside differs from both");
		return;
	}
	if (probes < PROBES && s->builds < s->params.max_builds && !search_runs_spent(s) &&
	    next_probe(s, &node)) {
		search_act(s, PHASE_INSIDE, ACTION_BUILD_FIRST, node, -1, "probe inside");
		return;
	}
	snprintf(why, sizeof(why), "no change between the ends, nor at %u commits inside", probes);
	search_answer(s, ANSWER_NO_CHANGE, why);
}
