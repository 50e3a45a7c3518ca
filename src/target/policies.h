/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policies - rivals to culprit's own search, for `culprit simulate`: what people do today, on the
 * same histories.
 *
 * policy_threshold is `git bisect run` with a script that measures `runs` times and compares with a
 * threshold halfway between the ends. policy_bayesect is a Bayesian bisection of pass/fail
 * outcomes, as git_bayesect does: unknown failure rates on both sides of the change, tests chosen
 * by expected entropy. Both are written here from their descriptions (STATISTICS.md 2).
 */
#pragma once

#include "model/model.h"
#include "target/sim.h"

/* What one policy made of one history. */
struct policy_result {
	enum answer answer;
	uint32_t culprit;  /* the name, or the likeliest */
	double stated;	   /* confidence that the policy states; NaN where it states none */
	uint32_t set_size; /* for set and undecided: how many suspects ... */
	bool holds; /* ... and whether a true culprit is among them; for named: whether the name is
		       right */
	unsigned builds; /* failed ones included */
	unsigned boots;
	unsigned runs;	/* discarded ones included */
	unsigned steps; /* decisions */
	unsigned
		changes; /* true changes of this history: 0 means that "no change" would be right */
	bool stuck;	 /* given up: it did not end (a fault of the policy) */
	double step_seconds; /* processor time of the slowest decision; 0 where not taken */
};

/* Both measure 5 runs at each end first, alternating; both need a line (p.dag false) and begin with
 * sim_rewind. */
void policy_threshold(struct sim *sim, unsigned runs, struct policy_result *ret);
/* Stops at 95 % on one commit, or undecided after 1000 runs with the likeliest as its set. */
void policy_bayesect(struct sim *sim, struct policy_result *ret);
