/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_grid - the evidence of every class at every point of the grid of noise scales. For posterior*.c only.
 */
#pragma once

#include "brain/posterior_class.h"
#include "brain/posterior_data.h"
#include "brain/posterior_fast.h"
#include "brain/posterior_mix.h"

enum { POSTERIOR_MAX_TAU = 12 };

struct posterior_in {
	const struct classes *classes;
	const struct data *data;
	double margin;	      /* smallest effect of interest on the scale of y, > 0 */
	double offset_scale;  /* 0 = known to be none */
	bool offset_measured; /* on this target, not assumed for any */
	double boot_scale;    /* 0 = known to be none */
	const int8_t *mark;   /* per node: +1 bad, -1 good by hand, 0 not marked */
	bool two_changes;     /* weigh them too: costs classes squared */
};

#define NODES_MAX 192
#define LOG_ZERO (-1e300)
#define MAX_SCALES 40

struct scale_point {
	double s, kappa, lw;
};

struct posterior_scratch {
	size_t cap_units, cap_classes, cap_grid;
	uint32_t n_units, n_classes;
	/* per unit with values */
	uint32_t *unit;	    /* index in data->units */
	uint32_t *bit;	    /* NO_BIT: always good */
	uint8_t *end;	    /* 1 always good, 2 always bad */
	double *m, *v0, *v; /* of the heaviest bell; v with the build offset */
	struct mixture *mix;
	double *c, *var,
		*narrow; /* MIX_MAX each: heights relative to the unit's, variances, 1 / sqrt(2 var) */
	double *floor;		   /* relative too */
	float *log_good, *log_bad; /* n_units * NODES_MAX */
	/* per class in walking order */
	uint32_t *toggle_at, *toggle; /* unit * 2 + (1 if it becomes bad) */
	size_t cap_toggle;
	double *adjust; /* ln of impossibilities */
	struct fast_sums *sums[2];
	struct fast_moments *good, *bad;
	/* per grid point and class */
	double *L, *dd, *dv;
	double *L0; /* no change */
	double *Ls; /* a change that is smaller than the margin, wherever */
	uint8_t *tau_of, *scale_of;
	double *s2_of, *k2_of;
	size_t n_grid;
	struct scale_point scales[MAX_SCALES];
	size_t n_scales;
	/* two changes, at the scale point `modal`: ln evidence by tau, likeliest pair */
	size_t modal;
	double L2[POSTERIOR_MAX_TAU];
	double pair_top;
	uint32_t pair[2];
	double pair_change[2];
	double tau[POSTERIOR_MAX_TAU], lw_tau[POSTERIOR_MAX_TAU], lw_careful[POSTERIOR_MAX_TAU];
	unsigned n_tau;
	double size; /* D: the size of things that the grids are made for */
	double change_end, change_end_var;
	double ln_margin; /* integral of 1/|d| over the shifts expected */
	double floor_u;	  /* density of a spoiled summary */
	double acc[2][NODES_MAX];
};

/* The tested commit that stands for a unit with values: its bit, or NO_BIT if the unit is good whatever the culprit is. */
uint32_t unit_bit(const struct classes *c, const struct unit *u);
/* 1 / prior density of a shift, which is 1/|d| from the margin up and flat below. */
double shift_scarcity(const struct posterior_scratch *s, double d, double margin);
/* The run and boot sds to try; `modal` is the likeliest before boots are compared. */
void posterior_scales(struct posterior_scratch *s, const struct posterior_in *in);
/* Sets `modal` by what the boots of the units say, too. Leaves the mixtures of the last scale point. */
void posterior_likeliest_scale(struct posterior_scratch *s, const struct data *d);
/* The units' mixtures at one run and boot sd. */
void posterior_mix_units(struct posterior_scratch *s, const struct data *d, double run,
			 double boot);
/* The evidence for one change at the grid point just walked, by class (L, dd, dv) and below the margin (Ls). */
void posterior_one(struct posterior_scratch *s, const struct posterior_in *in, double base);
/*
 * ln of the evidence for two changes at the grid point just walked, whose common factor is `base`; keeps the likeliest pair in `s`.
 */
double posterior_two(struct posterior_scratch *s, const struct posterior_in *in, double base,
		     double scale);

/* Ready for posterior_grid_run; false while either end has no value. Sets everything but the evidence. */
bool posterior_grid_prepare(struct posterior_scratch *s, const struct posterior_in *in);
/* Fill L, L0, dd, dv and their companions. */
void posterior_grid_run(struct posterior_scratch *s, const struct posterior_in *in);
void posterior_grid_free(struct posterior_scratch *s);
