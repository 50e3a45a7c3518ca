/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim_ab_draw - the numbers of one simulated comparison, and how a cell is counted; for sim_ab*.c alone. */
#pragma once

#include "brain/judge.h"
#include "hunt/sim_ab.h"

#define AB_SIGMA 0.01
#define AB_ALPHA 0.05
enum { AB_MOST_RUNS = 400 };

/* One interleaved comparison of two or three sides, each with its shift on ln: A B B A ..., A B C C B A ... */
struct ab_experiment {
	unsigned noise;
	uint64_t key;
	unsigned sides;
	double shift[3];
	double v[3][AB_MOST_RUNS];
};
void ab_measure(struct ab_experiment *e, unsigned n);
/* What the judge is told: the margin in sigma, and the printed unit of rounded noise. */
struct judge_params ab_params(unsigned noise, double margin);
/* Uniform and normal draws of a repetition for callers' own ends (`tag` from 200 on). */
double ab_uniform(uint64_t key, unsigned tag, uint64_t a, uint64_t b);
double ab_normal(uint64_t key, unsigned tag, uint64_t a, uint64_t b);

/* Is `count` of n more than chance allows at this rate, once in 10,000? */
bool ab_too_many(uint32_t count, uint32_t n, double rate);

/* Intervals of one cell: how many hold the truth, and their widths. */
struct ab_intervals {
	double *widths;
	uint32_t n, missed, none;
};
void ab_intervals_init(struct ab_intervals *v, uint32_t most);
void ab_intervals_add(struct ab_intervals *v, double low, double high, double truth);
/* Writes coverage, half_width and no_interval of the cell, and releases. */
void ab_intervals_finish(struct ab_intervals *v, struct ab_cell *c);

/* Count one cell. */
void ab_run_coverage(struct ab_cell *c, uint64_t seed);
void ab_run_looks(struct ab_cell *c, uint64_t seed);
void ab_run_family(struct ab_cell *c, uint64_t seed);
void ab_run_builds(struct ab_cell *c, uint64_t seed);
void ab_run_recovery(struct ab_cell *c, uint64_t seed);
void ab_run_more(struct ab_cell *c, uint64_t seed);
void ab_run_symptoms(struct ab_cell *c, uint64_t seed);
