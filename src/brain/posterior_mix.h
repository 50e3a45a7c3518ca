/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_mix - the likelihood of a unit's values as a function of its level: a few bells and a floor.
 *
 * Every boot's summary is either sound or wild. For each set of sound ones the values are a bell about their weighted mean;
 * sets with little weight are left out and near-equal bells are joined.
 */
#pragma once

#include "brain/posterior_data.h"

enum { MIX_MAX = 8 };

struct mixture {
	unsigned n;
	double m[MIX_MAX], a[MIX_MAX]; /* centre; variance without the build offset */
	double w[MIX_MAX];	       /* weight of each bell, relative to exp(log_scale) */
	double floor;		       /* density everywhere, relative to exp(log_scale) */
	double log_scale;
};

/*
 * The mixture of unit `u` (which has values) for run sd `s`, boot sd `kappa`; `wild` is the density of a wild summary.
 * All bells and the floor are positive.
 */
void mixture_make(struct mixture *ret, const struct data *d, uint32_t u, double s, double kappa,
		  double wild);
