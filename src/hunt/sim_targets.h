/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_targets - what the search must reach in simulation, as a text file, and whether it does.
 *
 * One row a line: SCENARIO POLICY HISTORIES CRITERION..., where HISTORIES is for each seed and `#` starts a comment.
 * A criterion is WHAT>=VALUE or WHAT<=VALUE. Rates (99.5% or 0.995):
 *
 *	right false no-change multiple set undecided	shares of all histories
 *	right+held	named rightly, or a set (or an undecided one's suspects) that holds a true culprit
 *	right+multiple	named one of the true changes, or said that there are several
 *	held		of the sets and suspects given, those that hold a true culprit
 *	actual		of the named, those that were right; its value may be `stated-0.02`
 *
 * fail only if significantly worse: the exact binomial chance of what was seen, at the target, is under 1e-4. Amounts:
 *
 *	builds runs cost	means; `builds<=12.3/13` sets the p90 too
 *	excess		mean cost above 10 (log2 N + 2)
 *	cost-P0, cost-P1	mean cost over a rival's on the same histories, minus 1: cost-P0<=5%
 *	builds-exact	mean builds minus those of the search without the sketch of the posterior, on the same histories
 *	step		milliseconds of processor time of the slowest decision of a hunt, median over hunts
 *	speed		hunts a second of processor time, on one core
 *
 * Means may exceed the target by 3 standard errors, a p90 by 3 of the share above it; step and speed are taken as they are.
 */
#pragma once

#include "base/err.h"
#include "hunt/simulate.h"

enum target_what {
	TARGET_RIGHT,
	TARGET_FALSE,
	TARGET_NO_CHANGE,
	TARGET_MULTIPLE,
	TARGET_SET,
	TARGET_UNDECIDED,
	TARGET_RIGHT_HELD,
	TARGET_RIGHT_MULTIPLE,
	TARGET_HELD,
	TARGET_ACTUAL,
	TARGET_BUILDS,
	TARGET_RUNS,
	TARGET_COST,
	TARGET_EXCESS,
	TARGET_COST_P0,
	TARGET_COST_P1,
	TARGET_BUILDS_EXACT,
	TARGET_STEP,
	TARGET_SPEED,
};
const char *target_what_name(enum target_what w);
bool target_is_rate(enum target_what w);

enum { TARGET_MAX = 12 };
struct target {
	enum target_what what;
	bool at_least;	   /* else at most */
	double value;	   /* a rate as 0..1 */
	double p90;	   /* NaN: none asked */
	bool below_stated; /* value is subtracted from the mean stated confidence */
};
struct target_row {
	struct sim_scenario scenario;
	enum sim_policy policy;
	uint32_t histories; /* for each seed */
	struct target v[TARGET_MAX];
	unsigned n;
};
struct target_file {
	struct target_row *v;
	size_t n, cap;
};
int target_file_parse(struct target_file *f, const char *text, size_t n, const char *name,
		      struct err *e) MUST_USE;
void target_file_done(struct target_file *f);

struct target_result {
	const struct target *target;
	double wanted;	 /* the value after below_stated */
	double measured; /* rate or mean */
	double p90;	 /* NaN unless asked */
	double p;	 /* of a rate: the chance of this or worse at the target; NaN for amounts */
	bool ok;
};
/*
 * Runs one row over all seeds, pooled, and judges it. `plan` gives jobs and the search's parameters (scenario, policy, seed and
 * histories are the row's). Fills ret[0 .. row->n) and returns the number of histories; 0 if it was stopped.
 */
uint32_t target_row_run(const struct target_row *row, const struct simulate_plan *plan,
			const uint64_t *seeds, size_t n_seeds, double scale,
			struct target_result *ret);

/* The exact binomial tails, by summing: chance of x or fewer, of x or more, successes of n at p. */
double binomial_at_most(uint32_t x, uint32_t n, double p);
double binomial_at_least(uint32_t x, uint32_t n, double p);
