/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_ab - does the A/B verdict keep its promises? Simulated comparisons, run in the order ABBA ABBA.
 *
 * Three questions, a cell of a table each: how often the interval of a fixed size holds the truth, what a comparison with early stopping
 * comes to, and how often a family of metrics without any change raises an alarm. The noise has sd 1 % of the value, so that
 * "sigma" below is 0.01 on ln.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ab_kind { AB_COVERAGE, AB_SEQUENTIAL, AB_FAMILY };

struct ab_cell {
	enum ab_kind kind;
	unsigned noise; /* index for ab_noise_name */
	unsigned n;	/* coverage: runs a side; family: metrics */
	double d; /* true shift in sigma; family: of `real` metrics, in standard errors at the last look */
	unsigned real; /* family: how many metrics did change */
	double rho;    /* family: correlation between metrics */
	uint32_t repetitions;
	/* results, shares of the repetitions */
	double coverage; /* of the interval that was printed last; those with none are left out */
	double no_interval;
	double half_width; /* median, in sigma, on ln */
	double different;  /* said slower or faster */
	double on_par, undecided;
	double mean_n; /* runs a side at the end */
	double alarm;  /* family: any metric without a change was called different */
	double power;  /* family: of the real ones, the share found */
	double target; /* what is promised, NaN: nothing */
	bool ok;       /* not significantly worse (1e-4) */
};

/* gauss skew bimod out out15 t3 ar drift quant; NULL beyond the last. */
const char *ab_noise_name(unsigned noise);
/* All the cells of a full table, or of a reduced one; the caller frees. */
struct ab_cell *ab_table(bool reduced, size_t *ret_n);
/* Fills in the results; depends on seed and cells only. */
void ab_run(struct ab_cell *cells, size_t n, uint64_t seed, unsigned jobs);
