/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * duel - two or more sides measured in interleaved blocks until every primary metric has its verdict.
 *
 * Used by `compare` and for the head-to-head of a search. The first side is the baseline. Samples can also come from files,
 * so that numbers that exist already are judged by the same code.
 */
#pragma once

#include "brain/judge.h"
#include "hunt/measure.h"

/* All values of one metric of one side, in the order measured. */
struct metric_series {
	char *metric, *unit;
	enum better better;
	bool counter, primary, coarse;
	double resolution;
	double *v;
	int64_t *build, *boot; /* journal ids, parallel to v */
	size_t n, cap, cap_ids;
};
struct duel_side {
	size_t number; /* from 0, as it was made: stays when others are dropped */
	char *label;   /* as the user wrote it */
	char *node;    /* what its observations are filed under */
	struct variant variant;
	struct mbuild **builds; /* one, or K layouts */
	size_t n_builds;
	struct metric_series *series;
	size_t n_series, cap_series;
	unsigned runs, failed, failed_in_a_row;
	int64_t last_run; /* in the journal; 0 = none yet */
	char *last_reason;
};
struct duel {
	struct duel_side *sides;
	size_t n_sides;
	struct judge_plan plan;
	unsigned plan_most, plan_primaries; /* what the plan was made from */
	bool plan_known;
	double margin, alpha;
	unsigned look;	     /* index of the last look that was taken; UINT_MAX before the first */
	unsigned fixed_runs; /* > 0: exactly so many a side, one look (`run`) */
	bool settles;	     /* fixed_runs are the most: counts that agree are enough (`explain`) */
	bool no_probe;	     /* the price of a run is known already */
	bool imported, simulated, out_of_budget;
	const char *target; /* as the hunt's question has it, borrowed; NULL = not known */
	const char
		*only; /* the one metric that decides, whatever the session's are; NULL = those */
	const char *
		tag; /* sets its notes apart from those of another duel of the same hunt; NULL = the only or the first one */
	bool (*enough)(
		const struct
		duel *); /* asked at a look where all is final: false goes on to the next; NULL = it is */
	size_t noted; /* replay: 1 + the number of the last "visit of side" note; 0 = none */
	const char *benchmark; /* its name, borrowed */
};
enum { DUEL_FAILURES = 3 }; /* so many failed runs of a side in a row are an error */
void duel_init(struct duel *d, size_t n_sides, double alpha, double margin);
/* What it says of the session in its answer: benchmark, target. */
void duel_enter(struct duel *d, const struct session *s);
void duel_done(struct duel *d);
/* A side cannot be measured: as if it had never been there. The ones behind it move up. */
void duel_drop(struct duel *d, size_t i);

/* Adds a value to a side's series, creating it. False if the unit differs from the series' unit. */
bool duel_add(struct duel_side *side, const struct reading *r, enum better better, bool primary,
	      int64_t build, int64_t boot);
struct metric_series *duel_series(const struct duel_side *side, const char *metric);
/* How many values of a series this look sees. */
size_t duel_seen(const struct duel *d, unsigned look, const struct metric_series *x);

/*
 * Verdicts of side `i` (>= 1) against side 0, one per metric of the baseline, primary ones first: of all looks so far for the primary ones (a
 * verdict stands at the look that made it; Holm over them), of the last look for the others.
 */
struct duel_row {
	const struct metric_series *a, *b;
	size_t base, side; /* whose a and b are; base 0 in duel_judge */
	size_t n_a, n_b;   /* values that the verdict rests on: the first so many of each */
	struct judgement j;
};
struct duel_rows {
	struct duel_row *v;
	size_t n, cap;
};
void duel_judge(const struct duel *d, struct duel_rows *ret);
/* One metric of any two sides at one look, on its own: a and b are set, the rest is filled in. */
void duel_judge_pair(const struct duel *d, unsigned look, struct duel_row *row);

/*
 * Take the runs among these observations (resume); their builds must be in the session. Boots are not counted here.
 */
int duel_replay(struct session *s, struct duel *d, const struct observations *obs,
		struct err *e) MUST_USE;
/* Take the looks that the present numbers allow; true if it is decided or there is none left. */
bool duel_look(struct duel *d);
/* Make the plan from the budget, measure, look, until decided. Builds must be there. */
int duel_run(struct session *s, struct duel *d, unsigned max_runs, struct err *e) MUST_USE;
