/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose - which measurement buys most information about the culprit per second (STATISTICS.md 1.5).
 */
#pragma once

#include "brain/choose_sketch.h"
#include "brain/posterior.h"

enum choice_kind { CHOICE_NONE, CHOICE_NEW, CHOICE_RERUN, CHOICE_RELAYOUT, CHOICE_MORE_RUNS };

struct costs {
	double build, boot, run; /* seconds, > 0 but for boot */
};

struct choose_in {
	const struct posterior *posterior;
	const struct classes *classes;
	const struct data *data;
	const uint8_t *closed; /* per node: built already, cannot be built, or marked by hand */
	const uint8_t
		*failed; /* per node: a build of it failed (its neighbours are then suspect too) */
	struct costs costs;
	bool can_relayout;
	unsigned runs_per_boot; /* least */
	const double *p;	/* of classes: posterior->p or p_careful */
	const double *p_tau;	/* the same by offset sd, as in struct posterior */
	const double *w_tau;	/* and the weights of offset sds that go with it */
	double boot_scale;	/* what is believed of the boot sd while nothing is known */
	uint32_t
		last_unit; /* measured last, NO_UNIT if none: a drift would fall on all of its runs */
};

struct choice {
	enum choice_kind kind;
	uint32_t node;
	uint32_t unit; /* of a rerun */
	unsigned runs; /* to make now */
	double value;  /* nats per second */
	double q;      /* probability of the bad side */
	double var; /* offset, boot and run variance that the measurement will have when done as planned */
};

struct chooser {
	struct sketch sketch;
	uint32_t *best_of;  /* per class: its best commit to build */
	double *best_score; /* per class */
	size_t cap;
	uint8_t *hops; /* per node: distance to a commit that failed */
};

/* Runs in one boot that inform best per second: sqrt(boot cost / run cost * run variance / boot variance). */
unsigned choose_runs_per_boot(const struct choose_in *in);
/* The best measurement; kind CHOICE_NONE if nothing informs at all. Leaves the sketch of the posterior in `c`. */
void choose_best(struct chooser *c, const struct choose_in *in, struct choice *ret);
/*
 * The untested, testable commit that divides class `cls` most evenly, whatever its probability; false if none divides it.
 */
bool choose_divider(struct chooser *c, const struct choose_in *in, uint32_t cls,
		    uint32_t *ret_node);
/*
 * An untested, testable commit that is as surely on the given side as any, nearest to the end by index; false if none
 * is surer than `doubt`. Needs the sketch that choose_best or choose_sides left.
 */
bool choose_neighbour(const struct chooser *c, const struct choose_in *in, bool bad_side,
		      double doubt, uint32_t *ret_node);
/* Draw the sketch only. */
void choose_sides(struct chooser *c, const struct choose_in *in);
void chooser_done(struct chooser *c);

/*
 * Mutual information (nats) between a side that is bad with probability q and a summary with squared separation x that is spoiled
 * with probability e.
 */
double choose_information(double q, double x, double e);
