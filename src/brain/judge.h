/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge - from numbers to a verdict: slower, faster, on par within m, undecided, identical; and what more it would take.
 *
 * STATISTICS.md 1.9 and 1.10. The look schedule is fixed before the first run (judge_plan), so that early stopping keeps
 * the promised error rate; verdicts between looks do not exist.
 */
#pragma once

#include "model/model.h"
#include "stats/compare.h"

enum { JUDGE_MAX_LOOKS = 16 };

/* When to look and what error each look may spend; chosen from the budget before the first run. */
struct judge_plan {
	unsigned looks;
	unsigned n[JUDGE_MAX_LOOKS];	 /* runs (or builds) a side at each look */
	double alpha[JUDGE_MAX_LOOKS]; /* sums to alpha */
	double total_alpha;
};
/*
 * The table of STATISTICS.md 1.9, cut to `max_n` runs a side (the spare error goes to the looks that are left, earlier than
 * the first run). `primary` metrics share alpha (Holm within each look, see docs/design): with many, early looks that can decide
 * nothing are dropped. max_n 0 = no limit (56).
 */
void judge_plan_make(double alpha, unsigned max_n, unsigned primary, struct judge_plan *ret);
/* One look at a fixed size: numbers that exist already (two files). */
void judge_plan_fixed(double alpha, struct judge_plan *ret);

struct judge_params {
	double margin;	     /* relative: 0.01 */
	enum better better;  /* BETTER_UNKNOWN counts as lower */
	bool counter;	     /* exact counts: equal means identical, one run is enough */
};

struct judgement {
	struct comparison cmp;
	enum verdict verdict;
	bool on_par_but_differs; /* inside the margin, yet 0 is outside the interval */
	bool final;		 /* no later look can change it, or there is none */
	unsigned more_runs;	 /* about how many more a side would decide; 0 with unresolvable = not resolvable */
	bool unresolvable;	 /* more than 64 times the runs */
	bool need_minimum;	 /* too few for any interval: more_runs more of each are the least */
};
/* `look` is the index into the plan; n_a and n_b should be plan->n[look] or more. One build a side: the unit is the run. */
void judge_runs(const double *a, size_t n_a, const double *b, size_t n_b,
		const struct judge_params *p, const struct judge_plan *plan, unsigned look,
		struct judgement *ret);
/* K builds (or boots) a side: the unit is the summary of each; group ids are any integers. Falls back to judge_runs for one group a side. */
void judge_builds(const double *a, const int64_t *group_a, size_t n_a, const double *b,
		  const int64_t *group_b, size_t n_b, const struct judge_params *p,
		  const struct judge_plan *plan, unsigned look, struct judgement *ret);
/*
 * Many metrics at one look: Holm over the two-sided p; decides which of the n judgements may be called different
 * at the family's level. Lowers the others' slower/faster to undecided and recomputes their intervals at the level Holm gave them.
 */
void judge_family(struct judgement *j, size_t n, const struct judge_plan *plan, unsigned look);

/* How much of the loss came back: 1 - shift(fixed against good) / shift(bad against good), with an interval. */
struct recovery {
	double share, low, high; /* 0.96 = 96 %; NaN when the loss itself is not shown */
	double level;
};
void judge_recovery(const double *good, size_t n_good, const double *bad, size_t n_bad,
		    const double *fixed, size_t n_fixed, double alpha, struct recovery *ret);
