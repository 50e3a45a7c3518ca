/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * versus - `compare` and `run` as hunts: build the variants, measure them in interleaved blocks, answer and store.
 */
#pragma once

#include "hunt/duel.h"

struct versus_options {
	const char *const *variants; /* as the user wrote them; the first is the baseline */
	size_t n;
	double alpha, margin;
	uint64_t seed;
	unsigned max_runs;   /* 0 = the plan's own limit */
	unsigned fixed_runs; /* `run`: exactly so many */
	unsigned layouts;    /* builds a variant; 0 = 1 */
	/* Two variants and fixed_runs: what differs beside the metrics too (hunt/explain.h). With max_runs, too, fewer are enough where counts agree. */
	bool explain;
	bool dry_run;
	/* Set, with the error, if it is a variant other than the baseline that does not build or cannot run the benchmark. May be NULL. */
	bool *ret_untestable;
};
/* *ret_answer is JSON, the caller's; stored too. */
int versus_hunt(struct session *s, const struct versus_options *o, char **ret_answer,
		bool *ret_stored, struct err *e) MUST_USE;

struct json;
/* The answer again, from the journal alone (session.journal_only; builds adopted). */
int versus_recompute(struct session *s, const char *kind, const struct json *question,
		     const struct observations *obs, char **ret_answer, struct err *e) MUST_USE;

/* Results that exist already: each file a side; no repository, no store. "-" is stdin. */
struct reader;
struct versus_files_options {
	const char *const *paths;
	size_t n;
	double alpha, margin;
	enum better better;	     /* BETTER_UNKNOWN: as the format says, or by name and unit */
	const char *metric;	     /* only this one; NULL = all */
	const struct reader *reader; /* NULL: found by looking at each file */
};
int versus_files(const struct versus_files_options *o, char **ret_answer, struct err *e) MUST_USE;
