/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search_state - the inside of a search, shared by search*.c.
 *
 * Everything that decides is a function of what was reported: there are no phases to be in, no flags set by having asked.
 * What is computed from it is cached until the next report.
 */
#pragma once

#include "brain/choose.h"
#include "brain/posterior.h"
#include "brain/search.h"

#define DEFAULT_MAX_RUNS 1500
#define DEFAULT_MAX_BUILDS 70

struct seconds {
	double sum;
	unsigned n;
};

struct search {
	const struct graph *g;
	struct search_params params;
	struct data data;
	struct classes classes;
	int8_t *mark;		      /* per node: +1 bad, -1 good */
	uint8_t *closed;	      /* per node: need not or cannot be built */
	uint8_t *failed;	      /* per node: cannot be built or run */
	uint8_t *barren;	      /* per node: a relayout build of it came out identical */
	unsigned builds, boots, runs; /* reported, failed ones included */
	struct seconds t_build, t_boot, t_run;
	int64_t last_boot; /* index of the boot reported last, -1 = none; it alone may be continued */

	/* computed on demand */
	bool summed, known, decided;
	struct posterior post;
	struct chooser chooser;
	struct action next;
	struct search_status status;
	uint32_t *suspect; /* nodes by probability, of the answer */
	double *suspect_p;
	size_t n_suspects;
	uint32_t middle; /* multiple: the tested commit between the changes */
	bool lowered;
};

/* The scale of y: ln(1 + margin), or the margin for ratios. */
double search_margin(const struct search *s);
void search_costs(const struct search *s, struct costs *ret);
void search_choose_in(const struct search *s, struct choose_in *ret);
/* Summaries and posterior up to date; false while an end has no value. */
bool search_update(struct search *s);
/*
 * Confidence in class `cls`: "one change, and it is there", the least of what follows from the user's prior, from an equal prior and,
 * where no fresh build can be had, from the prior that expects build offsets.
 */
double search_confidence(const struct search *s, uint32_t cls);
/* Is that enough for a name? The careful prior may fall short of 1 - alpha by a little: it is there to catch luck, not to double the cost. */
bool search_confident(const struct search *s, uint32_t cls);
/* Fill s->next and the answer (search_flow.c). */
void search_decide(struct search *s);
/* The smallest set with at least `mass` under the class probabilities `p`, at most `max` of them; fills s->suspect. */
void search_fill_set(struct search *s, const double *p, double mass, size_t max);
