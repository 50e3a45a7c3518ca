/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_data - what was observed, and the summary of each build that the posterior works with (STATISTICS.md 1.2).
 *
 * The noise has three levels: run < boot < build. A *unit* is what shares one build offset: all builds with identical
 * artefacts. Its values are kept by boot, so that the boot level can be marginalised.
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct obs_value {
	double raw;
	double y;     /* what the statistics see; set by data_summarise */
	double plain; /* the same, with the machine's pace still in it */
	double resolution;
	double at;	/* seconds of building and running before it */
	uint32_t index; /* position in its boot */
	uint32_t boot;	/* indices into the arrays below */
	uint32_t unit;
};

struct obs_boot {
	int64_t id;
	uint32_t build;
	bool ok;
	unsigned runs; /* values */
};

struct obs_build {
	int64_t id;
	uint32_t node;
	uint32_t unit; /* NO_UNIT unless ok */
	bool ok, relayout;
	unsigned run_failures;	/* in a row without a value */
	unsigned boot_failures; /* in a row */
};
#define NO_UNIT UINT32_MAX

/* One boot's values inside a unit. */
struct visit {
	uint32_t boot;
	unsigned n;
	double loc; /* robust location of its runs */
	double ss;  /* sum of squares about it, clipped */
};

struct unit {
	int64_t artefact;
	struct {
		uint32_t *v;
		size_t n, cap;
	} nodes; /* commits with this artefact, first built first */
	uint32_t last_build;
	unsigned n;	      /* values */
	unsigned n_visits;    /* boots with values */
	uint32_t first_visit; /* index into data->visits after data_summarise */
	uint64_t last_seq;    /* number of the value seen last, 1-based; 0 = none */
};

/* Noise scales as the data give them, before any prior. */
struct noise {
	double s; /* run sd within a boot (of a single run in a fresh boot if no boot has two) */
	double nu, ss;	   /* degrees of freedom and clipped sum of squares behind it */
	bool boots;	   /* some boot has two or more values: the boot level can be told apart */
	double boot_scale; /* rough sd between boots of a unit; only sets a grid */
	double floor;	   /* least sd that the printed resolution allows */
	double eps;	   /* rate of wild runs */
	bool exact;	   /* repeats equal at a fine resolution */
	double pace; /* how well the runs of other builds about the same time tell a run: a correlation, 0 = not at all */
};

struct data {
	struct {
		struct obs_value *v;
		size_t n, cap;
	} values;
	struct {
		struct obs_boot *v;
		size_t n, cap;
	} boots;
	struct {
		struct obs_build *v;
		size_t n, cap;
	} builds;
	struct {
		struct unit *v;
		size_t n, cap;
	} units;
	struct visit *visits;
	size_t n_visits, cap_visits;
	struct noise noise;
	bool ratio; /* y = value / |median of the good end| instead of ln(value) */
};

void data_done(struct data *d);
uint32_t data_find_build(const struct data *d, int64_t id); /* UINT32_MAX if unknown */
uint32_t data_find_boot(const struct data *d, int64_t id);
/* The unit with this artefact, made if new. */
uint32_t data_unit(struct data *d, int64_t artefact);
/*
 * Transform the values and summarise all boots and units. `good` is the node whose median scales values when some are <= 0;
 * `counter`: values are exact counts, so the position of a run in its boot has an effect of its own, which is taken out.
 */
void data_summarise(struct data *d, uint32_t good, bool counter);
/*
 * Subtracts from each y what other units' values of about the same time say about the machine's pace then, where they say anything
 * (posterior_pace.c); sets noise.pace.
 */
void data_take_pace_out(struct data *d);
/*
 * Location of unit `u` and the variance that the run and boot levels leave in it, for run sd `s` and boot sd `kappa`.
 * The unit must have values.
 */
void unit_location(const struct data *d, uint32_t u, double s, double kappa, double *ret_m,
		   double *ret_var);
/* Chance that the summary of n independent values is spoiled: at least half of them are wild. */
double spoiled_chance(double eps, unsigned n);
/*
 * Log likelihood of what boots of the same unit say about each other, given s and kappa: the contrasts free of levels and
 * build offsets. 0 where there is one boot a unit.
 */
double data_boot_loglik(const struct data *d, double s, double kappa);

/* Median of v[0..n), n > 0; reorders v. */
double median_of(double *v, size_t n);
