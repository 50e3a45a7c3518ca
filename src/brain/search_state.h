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
	int8_t *mark;	 /* per node: +1 bad, -1 good */
	uint8_t *closed; /* per node: need not or cannot be built */
	uint8_t *failed; /* per node: cannot be built or run */
	uint8_t *barren; /* per node: a relayout build of it came out identical, or failed */
	unsigned relayouts,
		fresh; /* relayout builds reported; those of them that were another artefact */
	unsigned builds, boots, runs; /* reported, failed ones included */
	struct seconds t_build, t_boot, t_run;
	double elapsed;	   /* of all that was reported */
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
	bool given_max_runs;
	bool found_inside; /* multiple: by a probe inside equal ends */
	double inside_change;
};

/* The scale of y: ln(1 + margin), or the margin for ratios. */
double search_margin(const struct search *s);
void search_costs(const struct search *s, struct costs *ret);
void search_choose_in(const struct search *s, struct choose_in *ret);
/* What the summaries say if the smallest change of interest were `margin` (relative); as posterior_compute. */
bool search_posterior_for(const struct search *s, double margin, struct posterior *ret);
/* Summaries and posterior up to date; false while an end has no value. */
bool search_update(struct search *s);
/*
 * Confidence in class `cls`: "one change, and it is there", the least of what follows from the user's prior, from an equal prior and,
 * where no fresh build can be had, from the prior that expects build offsets.
 */
double search_confidence(const struct search *s, uint32_t cls);
/* Is that enough for a name? The careful prior may fall short of 1 - alpha by a little: it is there to catch luck, not to double the cost. */
bool search_confident(const struct search *s, uint32_t cls);
/*
 * Can a fresh build in another layout be had? What the caller believed, until the first one comes out identical or fails: the recipe does
 * not take another layout then, and what is known must do.
 */
bool search_can_relayout(const struct search *s);
/* Fill s->next and the answer (search_flow.c). */
void search_decide(struct search *s);
/* The smallest set with at least `mass` under the class probabilities `p`, at most `max` of them; fills s->suspect. */
void search_fill_set(struct search *s, const double *p, double mass, size_t max);

/* --- search_act.c: what to do and what to say ------------------------------------------------------------------ */

void search_act(struct search *s, enum action_phase phase, enum action_build how, uint32_t node,
		int64_t build, const char *why);
/* The newest usable build of a node, or -1. */
int64_t search_build_of(const struct search *s, uint32_t node);
/* The newest usable build of a unit, or -1. */
int64_t search_build_of_unit(const struct search *s, uint32_t unit);
/* Boots with values of the newest usable build of a node. */
unsigned search_visits_of(const struct search *s, uint32_t node);
void search_visit_unit(struct search *s, enum action_phase phase, uint32_t unit, const char *why);
/* Visit a node, building it first if needed. */
void search_visit(struct search *s, enum action_phase phase, uint32_t node, const char *why);
void search_answer(struct search *s, enum answer a, const char *why);
void search_undecided(struct search *s, const char *why);

/* --- search_ends.c --------------------------------------------------------------------------------------------- */

struct ends {
	unsigned good, bad; /* visits of the two end commits' builds */
	unsigned extra_good,
		extra_bad; /* further units that are on that side whatever the culprit is, or nearly so */
	unsigned builds_good,
		builds_bad; /* units that were made for an end, other layouts of it too */
	unsigned most;	    /* visits of the one that has most */
	bool interior;	    /* a unit is neither */
	uint32_t starved;   /* an extra unit with few visits, NO_UNIT if none */
};
void search_look_at_ends(const struct search *s, struct ends *ret);
/* Probability that a unit is on the bad side, now and before any measurement. */
double search_unit_side(const struct search *s, uint32_t u, double *ret_prior);
/* One visit to the end with fewer, in the order B G G B ...: a drift then falls on both. */
void search_visit_ends(struct search *s, const struct ends *e, const char *why);
/* A fresh build on one side: another layout of the end, or a neighbour that is on that side as surely; false if none can be had. */
bool search_fresh_end(struct search *s, bool bad_side, enum action_phase phase);
bool search_none_likely(const struct search *s);
/* Is the limit of runs reached: the caller's, or the default and what the ends may take where builds are dear? */
bool search_runs_spent(const struct search *s);
/* "No change" is the answer, or the moment to look inside if that was asked for. */
void search_no_change(struct search *s);
/*
 * The search cannot go on. Were the ends taken for different by chance, it is they that want a closer look, or an answer: true if so, and an
 * action or an answer was found.
 */
bool search_back_to_ends(struct search *s, const struct ends *e);
/* The same where nothing may be measured any more. */
bool search_give_up_equal_ends(struct search *s);
/*
 * After many visits of the ends and nothing else they are looked at now and then, and visited (true) in between: nothing that a single run
 * more could show is worth the computing.
 */
bool search_ends_between_looks(struct search *s);
/* Stage 0. True if an action or an answer was found; false to go on to the search. */
bool search_ends_stage(struct search *s, const struct ends *e);

/* --- search_name.c --------------------------------------------------------------------------------------------- */

/* True if the best class can be answered, or an action towards it was found. */
bool search_try_to_name(struct search *s);
/*
 * Are the likeliest two changes backed by enough builds and visits between them? If not, an action towards that was found.
 */
bool search_confirm_multiple(struct search *s, const struct ends *e);
void search_answer_multiple(struct search *s);
/*
 * Nothing more can be measured, and only the prior that expects build offsets stands against a name: the answer is the set that holds under
 * it. False if more than that is in the way.
 */
bool search_lower(struct search *s);

/* --- search_warn.c --------------------------------------------------------------------------------------------- */

/* SEARCH_WARN_DRIFT and SEARCH_WARN_SPREAD, as the ends' values have it. */
unsigned search_warnings(const struct search *s);

/* --- search_inside.c ------------------------------------------------------------------------------------------- */

/*
 * The ends are equal: look for a commit inside that differs from both. Always leaves an action or an answer.
 */
void search_inside(struct search *s);
