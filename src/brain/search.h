/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search - which measurement next, or the answer: the noisy search over a commit graph.
 *
 * A pure state machine: what it decides is a function of the problem, the parameters and the sequence of calls
 * that reported observations, and of nothing else. No I/O, no clock, no randomness. Feeding the same
 * observations again gives the same actions to the last bit on the same machine; that is how a hunt is resumed after
 * kill -9, undone and verified.
 *
 * The caller loops: search_next() -> do what the action says -> report with search_built / search_boot /
 * search_value / ... -> search_next(). An action may be reported partly (a run failed, a boot died); the next
 * search_next() decides anew from what is known.
 *
 * Method: STATISTICS.md 1.1-1.8 and docs/design; everything is on ln(value) (or value / median(good end) where values <= 0 occur).
 */
#pragma once

#include "base/err.h"
#include "model/graph.h"
#include "model/model.h"

struct search_params {
	double alpha;  /* 1 - confidence that a name needs; 0.05 */
	double margin; /* smallest relative change of interest; 0.01 */
	double offset_scale; /* T0: typical relative sd of the per-build offset; 0.006. Counters: 0.0001 */
	bool offset_measured; /* T0 is a measurement of this target: even a careful mind does not think it much larger */
	double boot_scale; /* the same for a boot (a visit: a fresh process environment, a VM boot) */
	double cost_build; /* seconds; the guess to price actions with until times are reported */
	double cost_boot;
	double cost_run;
	bool counter;	   /* values are exact counts: equal repeats mean no noise */
	bool can_relayout; /* a fresh build of a tested commit is possible (another layout) */
	bool inside;	   /* ends may be equal: search for changes inside the range */
	bool coarser; /* ends that cannot be told apart may be "no change" of more than the margin, up to five times as much */
	unsigned
		max_runs; /* limits; 0 = the defaults: 1500, and more for ends where builds are dear; 70 (+ log2 of the candidates) */
	unsigned max_builds;
	unsigned runs_per_boot; /* least runs that a visit makes; 1 */
	bool boot_each; /* the runs of an action are not of one boot: each is a visit of its own (guests, which boot side by side) */
	bool exact_sides; /* no sketch of the posterior: for tests and simulations, O(N^2) a decision */
};
void search_params_default(struct search_params *p);

struct search;

/* `g` is borrowed and must outlive the search. Weights must be finite and >= 0, some candidate > 0 (assert). */
struct search *search_new(const struct graph *g, const struct search_params *p) MUST_USE;
void search_free(struct search *s);

/* --- observations, in the order in which they happened ------------------------------------------------------------- */

/*
 * A build of `node` ended. `build` is the caller's number for it, any value not used before. `artefact` is equal for builds whose
 * declared artefacts are identical (they share one offset and count as one candidate), and is >= 0; ignored unless ok.
 * `relayout` says that this is a fresh build in another layout.
 */
void search_built(struct search *s, uint32_t node, int64_t build, enum outcome outcome,
		  int64_t artefact, bool relayout, double seconds);
/* A boot (visit) of `build` began or failed; `boot` is the caller's number. A failed boot of a commit counts towards skipping it. */
void search_booted(struct search *s, int64_t build, int64_t boot, enum outcome outcome,
		   double seconds);
/* One run gave a value. `index` is the run's position in its boot (0 = first counted run). `resolution` as in struct reading. */
void search_value(struct search *s, int64_t boot, unsigned index, double value, double resolution,
		  double seconds);
/* One run failed: no sample. Three in a row on one build without a value make its commit untestable. */
void search_run_failed(struct search *s, int64_t boot, double seconds);
/* Marked by hand, or unbuildable for the search's purposes. */
enum search_mark { MARK_GOOD, MARK_BAD, MARK_SKIP };
void search_mark(struct search *s, uint32_t node, enum search_mark mark);

/* --- decisions ------------------------------------------------------------------------------------------------------ */

enum action_kind { ACTION_MEASURE, ACTION_ANSWER };
enum action_build {
	ACTION_BUILD_FIRST,    /* build `node` (it has no usable build yet) */
	ACTION_BUILD_EXISTING, /* use `build` */
	ACTION_BUILD_RELAYOUT, /* make another build of `node` in another layout */
};
enum action_phase { PHASE_ENDS, PHASE_SEARCH, PHASE_CONFIRM, PHASE_INSIDE };
struct action {
	enum action_kind kind;
	enum action_phase phase;
	enum action_build how;
	uint32_t node;
	int64_t build; /* for ACTION_BUILD_EXISTING */
	bool new_boot; /* begin a fresh boot for these runs (always true for a new build) */
	unsigned runs;
	char why[96]; /* "ends", "splits 46 : 54", "confirm culprit against parent", ... */
};
/* Deterministic: calling it twice without an observation between gives the same action. */
void search_next(struct search *s, struct action *ret);

/* What is known now; valid at any time, final when the action was ACTION_ANSWER. */
struct search_status {
	enum answer answer; /* meaningful once final */
	bool final;
	enum action_phase phase;
	uint32_t culprit;   /* the likeliest candidate; the name if answer is ANSWER_NAMED */
	double probability; /* confidence in the class that `culprit` belongs to */
	uint32_t alike;	    /* candidates in that class: nothing measured tells them apart */
	double alike_share; /* of the class's probability, what `culprit` itself has */
	double p_no_change;
	double p_multiple;
	double margin; /* what "no change" is said of: the parameter, or more (params.coarser) */
	double change; /* relative: 0.071 = 7.1 % more; NaN while unknown. Posterior mean and 95 % interval */
	double low, high;
	double run_sd, boot_sd, build_sd; /* relative; NaN while unknown */
	bool counter;			  /* repeats were proved equal at a fine resolution */
	unsigned builds, boots, runs;	  /* reported so far, failed ones included */
	unsigned more_runs;  /* when undecided: about how many more would help; 0 = not known */
	double seconds_left; /* expected cost to the end, from reported times; NaN while unknown */
	char why[240]; /* why it stopped, in words: "only unbuildable commits are left", "builds differ by about 1.2 % for no reason" */
	unsigned warnings; /* SEARCH_WARN_* */
};
enum {
	SEARCH_WARN_DRIFT = 1 << 0,   /* the ends' values have a trend over the hunt */
	SEARCH_WARN_OFFSETS = 1 << 1, /* d < 3 tau: not resolvable without rebuilds */
	SEARCH_WARN_LOWERED = 1 << 2, /* a name was lowered to a set */
	SEARCH_WARN_SPREAD = 1 << 3,  /* the ends differ in spread, not in level */
};
void search_status(struct search *s, struct search_status *ret);

/* Posterior probability of every candidate (n_nodes entries; boundary 0); sums to 1 over the one-change hypothesis. Exact. */
void search_posterior(struct search *s, double *ret);
/* Probability that each node is on the bad side (n_nodes entries). */
void search_side(struct search *s, double *ret);
/*
 * The answer's suspects, likeliest first: for ANSWER_SET the set, for ANSWER_UNDECIDED the smallest set with >= 1 - alpha
 * of the mass, for ANSWER_MULTIPLE the likeliest candidate of each change (ret_change says which), for ANSWER_NAMED the
 * name followed by the next suspects. Returns the count written, at most `max`.
 */
size_t search_suspects(struct search *s, uint32_t *ret_nodes, double *ret_probability,
		       unsigned *ret_change, size_t max);
/* ANSWER_MULTIPLE: the sub-ranges to search next: each change lies after `lo` (good side) and at or before `hi`. */
struct search_range {
	uint32_t lo, hi;
	double change;
};
size_t search_ranges(struct search *s, struct search_range *ret, size_t max);
