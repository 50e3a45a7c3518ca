/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge - from numbers to a verdict: slower, faster, on par within m, undecided, identical; and
 * what more it would take.
 *
 * STATISTICS.md 1.9 and 1.10. The look schedule is fixed before the first run (judge_plan), so that
 * early stopping keeps the promised error rate; verdicts between looks do not exist. How it is
 * used:
 *
 *     judge_plan_make(0.05, budget, primary_metrics, &plan);
 *     for (look = 0; look < plan.looks && !all final; look++) {
 *             measure until each side has plan.n[look] runs, interleaved;
 *             for each metric that is not final: judge_runs(..., &plan, look, &j[metric]);
 *             judge_family(j, metrics, &plan, look);
 *     }
 *
 * A judgement that became final at a look stays as it is: pass it on to the later judge_family
 * untouched. Then, over all looks and all metrics, the chance that any metric without a change is
 * called slower or faster is at most alpha, and every interval printed at the end of a plan with
 * one metric holds its true value with probability 1 - alpha.
 */
#pragma once

#include "base/str.h"
#include "model/model.h"
#include "stats/compare.h"

#include <stdint.h>

enum { JUDGE_MAX_LOOKS = 16 };

/* When to look and what error each look may spend; chosen from the budget before the first run. */
struct judge_plan {
	unsigned looks;
	unsigned n[JUDGE_MAX_LOOKS]; /* runs (or builds) a side at each look */
	double alpha
		[JUDGE_MAX_LOOKS]; /* shared by the primary metrics; sums to total_alpha, or less */
	double alone[JUDGE_MAX_LOOKS]; /* for a metric on its own, and for "on par"; sums alike */
	double total_alpha;
	unsigned primary; /* metrics that share it; 1 or more */
};
/*
 * The table of STATISTICS.md 1.9, cut to `max_n` runs a side (the spare error goes to the looks
 * that are left, earlier than the first run). `primary` metrics share alpha (Holm within each look,
 * see docs/design/013-verdicts.md): the more there are, the more of it waits for the last look, and early looks that can decide nothing
 * are put off or dropped.
 * max_n 0 = no limit (56); above 56 the table goes on by steps of 1.4.
 */
void judge_plan_make(double alpha, unsigned max_n, unsigned primary, struct judge_plan *ret);
/*
 * The same with another split: the looks before the last keep `early` (0..1) of what the table gives them. judge_plan_make chooses it from
 * `primary`; this is for comparing choices (tests/sim/families.c).
 */
void judge_plan_shaped(double alpha, unsigned max_n, unsigned primary, double early,
		       struct judge_plan *ret);
/* One look at a fixed size: numbers that exist already (two files). */
void judge_plan_fixed(double alpha, struct judge_plan *ret);

struct judge_params {
	double margin;	    /* relative: 0.01 */
	enum better better; /* BETTER_UNKNOWN counts as lower */
	bool counter;	    /* exact counts: equal means identical, one run is enough */
	double resolution; /* unit of the last printed digit, in the metric's unit; 0 = not known */
};

struct judgement {
	struct comparison cmp;
	enum verdict verdict;
	bool on_par_but_differs; /* inside the margin, yet 0 is outside the interval */
	bool final;		 /* no later look can change it, or there is none */
	unsigned more_runs; /* about how many more a side would decide; 0 with unresolvable = not
			       resolvable */
	bool unresolvable;  /* more than 64 times the runs */
	bool need_minimum;  /* too few for any interval: more_runs more of each are the least */
	bool exact;	    /* counts without noise: the interval is the value itself */
	bool per_build;	    /* the unit is the build: cmp.n_a and n_b count builds, more_runs means
			       builds */
	unsigned look;	    /* the look that made it */
	double rounding; /* by how much each end was moved out for coarse printing (relative); no run shrinks that */
	struct judge_params params;
	struct judge_input { /* borrowed: must stay valid until judge_family returned */
		const double *a, *b;
		const int64_t *group_a, *group_b; /* NULL: one build a side */
		size_t n_a, n_b;
	} input;
};
/*
 * `look` is the index into the plan; n_a and n_b should be plan->n[look] or more. One build a side:
 * the unit is the run. The values are borrowed by *ret (see struct judge_input).
 */
void judge_runs(const double *a, size_t n_a, const double *b, size_t n_b,
		const struct judge_params *p, const struct judge_plan *plan, unsigned look,
		struct judgement *ret);
/*
 * K builds (or boots) a side: the unit is the summary of each; group ids are any integers. Falls
 * back to judge_runs for one group a side. Welch's t on 3 or 4 summaries, Hodges-Lehmann above;
 * fewer than 3 on a side are never enough.
 */
void judge_builds(const double *a, const int64_t *group_a, size_t n_a, const double *b,
		  const int64_t *group_b, size_t n_b, const struct judge_params *p,
		  const struct judge_plan *plan, unsigned look, struct judgement *ret);
/*
 * Many metrics at one look: Holm over the two-sided p; decides which of the n judgements may be
 * called different at the family's level. Lowers the others' slower/faster to undecided and
 * recomputes their intervals at the level Holm gave them. Entries that became final at an earlier
 * look are left alone and count as decided. n should be plan->primary or less.
 */
void judge_family(struct judgement *j, size_t n, const struct judge_plan *plan, unsigned look);
/*
 * Exploration, not a gate: which of n judgements Benjamini and Hochberg would list at
 * false-discovery rate q: of those listed, up to a share q is expected to be false. Say so where it
 * is shown. Returns the number listed.
 */
size_t judge_explore(const struct judgement *j, size_t n, double q, bool *ret_listed);

/* How much of the loss came back: 1 - shift(fixed against good) / shift(bad against good), with an
 * interval. */
struct recovery {
	double share, low, high; /* 0.96 = 96 %; NaN when the loss itself is not shown */
	double level;
};
void judge_recovery(const double *good, size_t n_good, const double *bad, size_t n_bad,
		    const double *fixed, size_t n_fixed, double alpha, struct recovery *ret);

/*
 * Words for people, one line, no newline:
 *     "+7.1 % [+6.4, +7.8] slower"   "-0.2 % [-0.6, +0.3] on par within 1 %"   "identical"
 *     "-0.1 % [-3.3, +2.1] undecided, about 36 more runs of each"
 * metric and unit choose slower/worse; neither may be NULL.
 */
void judge_text(struct str *out, const struct judgement *j, const char *metric, const char *unit);
/* "recovers 96 % [88, 104] of the loss", or why not. */
void recovery_text(struct str *out, const struct recovery *r);
