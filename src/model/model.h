/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model - the words of DESIGN section 2 as plain records and enums with names.
 *
 * Nothing here does anything: names go to text and back, in one spelling for code, journal, JSON and manual.
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>

/* What became of a build, a boot or a run. Data, never an error. */
enum outcome {
	OUTCOME_OK,
	OUTCOME_FAILED,	 /* ended with a non-zero status, or its output was refused */
	OUTCOME_TIMEOUT, /* its deadline passed; it was ended */
	OUTCOME_CRASHED, /* ended by a signal; of a boot: panic, oops */
	OUTCOME_SKIPPED, /* not tried, with a reason (a checkout that fails, marked by hand) */
};
const char *outcome_name(enum outcome o);
bool outcome_parse(const char *name, enum outcome *ret);

enum better { BETTER_UNKNOWN, BETTER_LOWER, BETTER_HIGHER };
const char *better_name(enum better b); /* "lower", "higher", "unknown" */
bool better_parse(const char *name, enum better *ret);

/* Verdict of a comparison. slower/faster mean worse/better in the metric's direction. */
enum verdict {
	VERDICT_SLOWER,
	VERDICT_FASTER,
	VERDICT_ON_PAR,
	VERDICT_UNDECIDED,
	VERDICT_IDENTICAL
};
const char *verdict_name(
	enum verdict v); /* "slower", "faster", "on-par", "undecided", "identical" */
bool verdict_parse(const char *name, enum verdict *ret);
/* The word for people: slower/faster for time, rate and latency; worse/better for the rest (by unit and name). */
const char *verdict_word(enum verdict v, const char *metric, const char *unit);

/* Answer of a search. */
enum answer { ANSWER_NAMED, ANSWER_SET, ANSWER_NO_CHANGE, ANSWER_MULTIPLE, ANSWER_UNDECIDED };
const char *answer_name(enum answer a); /* "named", "set", "no-change", "multiple", "undecided" */
bool answer_parse(const char *name, enum answer *ret);

/* Where a number comes from. */
enum evidence { EVIDENCE_MEASURED, EVIDENCE_EMULATED, EVIDENCE_MODEL, EVIDENCE_IMPORTED };
const char *evidence_name(enum evidence v);
bool evidence_parse(const char *name, enum evidence *ret);

/*
 * Direction from a metric's name and unit by well-known words: time-like units and names are lower-better, "per second",
 * ops and throughput are higher-better. BETTER_UNKNOWN when neither is known.
 */
enum better better_guess(const char *metric, const char *unit);

/* One value that a run gave. Strings are owned by whoever owns the array. */
struct reading {
	char *metric; /* "wall", "user", "latency" */
	char *unit;   /* "s", "B", "ops/s", "" */
	double value; /* finite */
	double resolution; /* unit of the last printed digit in the metric's unit; 0 = not known (binary source) */
	enum better better;
	bool counter; /* a deterministic count by nature (instructions under callgrind) */
};
struct readings {
	struct reading *v;
	size_t n, cap;
};
void readings_add(struct readings *r, const char *metric, const char *unit, double value,
		  double resolution, enum better better, bool counter);
void readings_add_copy(struct readings *r, const struct reading *x);
const struct reading *readings_find(const struct readings *r, const char *metric);
void readings_done(struct readings *r);
