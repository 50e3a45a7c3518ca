/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisect - the search, with real builds and runs: brain, journal and hands put together.
 *
 * The loop is: ask the search for an action, journal the action, do it, journal what came of it, tell the search. Resuming
 * feeds the journal through the same calls; it also asks the search at each journaled action, so that the search's own
 * state is the same as if the process had never died.
 */
#pragma once

#include "brain/search.h"
#include "hunt/measure.h"
#include "hunt/duel.h"
#include "repo/dag.h"

struct bisect_options {
	const char *good,
		*bad; /* as the user wrote them; with `fix`, good is the later, repaired one */
	bool fix;
	bool first_parent, inside, counter, relayout, no_relayout, no_duel, dry_run;
	const char *const *paths;    /* NULL-terminated or NULL */
	const char *const *suspects; /* revisions or paths; NULL-terminated or NULL */
	const char
		*introduced; /* fix: the known culprit; commits without it cannot count as fixed */
	const char *from;    /* a git bisect log, or NULL */
	const char *
		over; /* a list of releases (hunt/releases.h) instead of commits; good and bad may be NULL then */
	double alpha, margin;
	bool coarser; /* the margin is a default: "no change" may be said of a larger one */
	uint64_t seed;
	unsigned max_runs, max_builds;
	unsigned depth; /* a search of one of several changes: how deep */
};

struct bisect {
	struct session *s;
	const struct bisect_options *o;
	struct bisect_options own; /* of a list of releases: with its ends' names */
	char *end_names[2];
	struct search_params params;
	bool fix;
	struct range range; /* old end first: good for a regression, bad for a fix */
	uint8_t *cannot_matter;
	uint32_t n_cannot_matter;
	uint32_t introduced_node, n_guarded; /* fix: see guard_fix */
	struct search *search;
	struct {
		struct numbered {
			int64_t build; /* the journal's id: commits with equal trees share one */
			uint32_t node;
		} * v; /* index = the search's number of the build */
		size_t n, cap;
	} map;
	int64_t replayed; /* replay: the number that the last action and build were about; -1 = no action yet */
	bool past_answer;      /* replay: what follows in the journal is the head-to-head's */
	bool answered;	       /* the last journaled action was the answer */
	struct strvec skipped; /* "commit reason", for the report */
	struct duel duel;
	bool dueled, out_of_budget, said_ends;
	unsigned failed_runs; /* of those that the search asked for */
	char *last_failure;   /* why the last of them failed */
};

/*
 * The whole hunt. *ret_answer is the answer as JSON (the contract of DESIGN 4 and more), the caller's; it is stored as well.
 * A finished hunt with the same question is answered from the store: *ret_stored.
 */
int bisect_hunt(struct session *s, const struct bisect_options *o, char **ret_answer,
		bool *ret_stored, struct err *e) MUST_USE;

/* --- pieces, for bisect.c's neighbours ------------------------------------------------------------ */
const char *bisect_old_rev(const struct bisect_options *o);
const char *bisect_new_rev(const struct bisect_options *o);
struct json;
struct json_out;
/* Everything that the search's decisions depend on besides what is observed; stored with the question. */
void bisect_set_params(struct bisect *b);
/* The number of the next layout that a commit was not built in yet. */
unsigned bisect_next_layout(const struct bisect *b, const char *node);
/* Say so if a build in another layout came out like an earlier one. The search does not ask again: it then counts with builds that differ for no reason. */
void bisect_note_layout(const struct bisect *b, const struct mbuild *m);
/* The parameters as part of the question, and back (what is absent keeps the default). */
void bisect_params_json(const struct search_params *p, struct json_out *w);
void bisect_params_read(const struct json *question, struct search_params *ret);
void bisect_tell_built(struct bisect *b, uint32_t node, const struct mbuild *m);
/* A run that gave no value: told to the search and counted for the answer. */
void bisect_run_failed(struct bisect *b, int64_t boot, double seconds, const char *why);
/* The action as the journal keeps it. */
void bisect_action_text(const struct bisect *b, const struct action *a, struct str *out);
/* Fills b->range with the user's suspects weighed in. */
int bisect_load_range(struct bisect *b, struct err *e) MUST_USE;
/* From the inputs of the two ends' builds; journals what it found. */
int bisect_learn_weights(struct bisect *b, struct mbuild *old_end, struct mbuild *new_end,
			 struct str *ret_note, struct err *e) MUST_USE;
/* If the note is a prior: weigh the range by it. */
bool bisect_take_prior(struct bisect *b, const char *note);
/* Feed the journal. `verify`: actions must be the same as the journaled ones; the first difference is ERR_BROKEN. */
int bisect_replay(struct bisect *b, const struct observations *obs, bool verify,
		  struct err *e) MUST_USE;
/* How many commits hold the change with the confidence asked for, and how probable that is; given that there is one change. */
size_t bisect_set_size(const struct bisect *b, double *ret_p);
/* The progress line for the action that comes next. */
int bisect_progress(struct bisect *b, const struct action *a, struct err *e) MUST_USE;
/* The answer from what the search knows now. */
int bisect_answer(struct bisect *b, char **ret, struct err *e) MUST_USE;
/* The head-to-head of a named commit against its first parent; `obs` is what the journal has of it already. */
int bisect_duel(struct bisect *b, const struct observations *obs, struct err *e) MUST_USE;
void bisect_done(struct bisect *b);
/* Create b->search from the range and weights; marks by hand and guards are applied. */
void bisect_start_search(struct bisect *b);
int bisect_node(const struct bisect *b, const char *oid, uint32_t *ret, struct err *e) MUST_USE;
