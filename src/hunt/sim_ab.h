/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_ab - does the A/B verdict keep its promises? Simulated comparisons, measured in the order ABBA ABBA.
 *
 * One list of cells for the command (`culprit simulate --ab`), the benchmark, the unit tests and the tables of
 * docs/design/013-verdicts.md. The noise has sd 1 % of the value, so that "sigma" below is 0.01 on ln.
 *
 * A cell may have a deliberate fault. It is there to be refused: a count that would pass with the method broken proves nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ab_kind {
	AB_COVERAGE, /* how often an interval of a fixed size holds the truth */
	AB_LOOKS,    /* what a comparison with early stopping comes to */
	AB_FAMILY,   /* several metrics: any false alarm, and what is found */
	AB_BUILDS,   /* builds as units */
	AB_RECOVERY, /* the share of a loss that came back */
	AB_MORE,     /* "about N more runs": do they decide it? */
	AB_SYMPTOMS, /* how often warnings are raised */
	AB_KINDS
};
const char *ab_kind_name(enum ab_kind k);

enum ab_fault {
	AB_SOUND,
	AB_PEEKING,	  /* looks: a 95 % interval at every look instead of the spending table */
	AB_TWICE_ALPHA,	  /* coverage, recovery: the interval is made for twice the error */
	AB_UNCORRECTED,	  /* family: each metric as if it were alone */
	AB_RUNS_AS_UNITS, /* builds: as if all runs came from one build */
	AB_A_QUARTER,	  /* more: a quarter of the number */
};

enum { AB_WARNINGS = 4 }; /* bimodal, outliers, drift, spread */

struct ab_cell {
	enum ab_kind kind;
	enum ab_fault fault;
	unsigned noise;	 /* index for ab_noise_name */
	unsigned n;	 /* runs a side; family: metrics; builds: builds a side of 5 runs each */
	unsigned budget; /* looks, family: at most so many runs a side; 0 = the plan's own, 56 */
	double d; /* true shift in sigma, family: of the `real` metrics; NaN: drawn between 0 and 2 */
	double margin; /* in sigma */
	unsigned real; /* family: how many metrics did change */
	double rho;    /* family: correlation between metrics */
	double share;  /* recovery: how much of d came back */
	uint32_t repetitions;
	/* results, shares of the repetitions */
	double coverage; /* of the intervals that there are; looks: of all looks together */
	double no_interval;
	double half_width; /* median; in sigma, on ln; recovery: of the share */
	double different;  /* said slower or faster */
	double on_par, undecided;
	double mean_n; /* runs a side at the end; family: when the last metric was decided */
	double alarm;  /* family: any metric without a change was called different */
	double power; /* family: of the real ones, the share found; more: of the undecided, those decided by the number */
	double twice; /* more: those decided by twice the number */
	double listed_false; /* family: mean share of false ones in Benjamini and Hochberg's list at n = 20 */
	double raised[AB_WARNINGS];
	double target; /* what is promised, NaN: nothing */
	bool ok;       /* not significantly worse (1e-4); of a fault: false is as it should be */
};

/* gauss skew bimod out out15 t3 ar drift quant (printed to 1 sigma) quant2 (to 2); NULL beyond the last. */
const char *ab_noise_name(unsigned noise);
/* All the cells of one kind, or of its reduced table; the caller frees. repetitions 0 = the table's own. */
struct ab_cell *ab_table(enum ab_kind k, bool reduced, uint32_t repetitions, size_t *ret_n);
/* Fills in the results; depends on seed and cells only. */
void ab_run(struct ab_cell *cells, size_t n, uint64_t seed, unsigned jobs);
/* Is the cell what it should be: a sound one within its target, a faulty one refused? */
bool ab_holds(const struct ab_cell *c);
