/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulate - many simulated hunts by one policy, and what came of them.
 *
 * The loop that a real hunt runs (brain/search and a target), with target/sim in the place of
 * builds and machines. Results depend on the plan alone, not on `jobs`: history i is drawn from
 * (seed, i) and results are kept by i.
 */
#pragma once

#include "target/policies.h"
#include "target/sim_file.h"

enum sim_policy {
	POLICY_P0,	   /* one run and a threshold */
	POLICY_P1,	   /* median of five runs and a threshold */
	POLICY_P3,	   /* Bayesian pass/fail bisection */
	POLICY_P4,	   /* culprit's own search */
	POLICY_P4_REBUILD, /* the same, able to make a tested commit's build anew in another layout
			    */
	POLICY_P4_EXACT,   /* the same without the sketch of the posterior: its yardstick */
};
const char *sim_policy_name(enum sim_policy p); /* "P0", ..., "P4+rebuild" */
bool sim_policy_parse(const char *name, enum sim_policy *ret);

struct simulate_plan {
	struct sim_scenario scenario;
	const struct sim_file *file; /* instead of the scenario's own histories; borrowed */
	enum sim_policy policy;
	uint64_t seed;
	uint32_t first; /* the first history's number */
	uint32_t histories;
	unsigned jobs;			 /* threads; 0 counts as 1 */
	double alpha;			 /* for P4, 0 = its default ... */
	double margin;			 /* ... a ratio; 0 = sim_scenario_margin */
	double offset_scale, boot_scale; /* negative = its default */
	double cost_build, cost_boot, cost_run;
	unsigned max_runs, max_builds; /* 0 = its default */
	bool (*stop)(void);	       /* asked now and then; may be NULL */
};
/* B = 10, R = 1, boots free, seed 777, 400 histories of g3s by P4. */
void simulate_plan_default(struct simulate_plan *plan);

/* Fills ret[0 .. histories). False if it was stopped: then ret is not to be used. Rivals need a line: see simulate_impossible. */
bool simulate_run(const struct simulate_plan *plan, struct policy_result *ret);
/* Why a policy cannot play a scenario, or NULL. */
const char *simulate_impossible(const struct simulate_plan *plan);

enum { SIM_BINS = 6 };
struct sim_bin {
	double from; /* stated confidence at least */
	uint32_t n, right;
	double stated; /* mean */
};
struct sim_spread {
	double mean, se; /* se of the mean */
	double p90;
};
struct simulate_tally {
	uint32_t n;
	uint32_t right, wrong, no_change, multiple, set, undecided; /* sum to n */
	uint32_t set_holds,
		undecided_holds;       /* of set and undecided: those that hold a true culprit */
	uint32_t multiple_holds;       /* of multiple: every range given holds one */
	uint32_t null, null_no_change; /* histories without a change, and those answered so */
	double set_size;	       /* mean over set and undecided; NaN if none */
	struct sim_spread builds, runs, boots, cost;
	double stated, actual; /* of the named: mean stated confidence, share that was right; NaN if
				  none */
	uint32_t stuck;	       /* hunts that were given up, among the undecided */
	double step_seconds;   /* the slowest decision */
	struct sim_bin bins[SIM_BINS];
};
void simulate_tally(const struct simulate_plan *plan, const struct policy_result *r, uint32_t n,
		    struct simulate_tally *ret);
