/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_one - the evidence for one change, of at least the margin and below it.
 *
 * The walk left the integrals over both levels; the shift follows from their means, and its variance tells how much of it lies
 * on either side of the margin. What lies below is no change of interest, wherever it is: one number for all classes.
 */
#include "brain/posterior_grid.h"

#include <math.h>

/* Stands in for a share too small to be written: no class may vanish, since the classes are compared with each other. */
#define LEAST_SHARE 1e-200

static double log_add(double a, double b)
{
	double top = fmax(a, b);

	return top <= LOG_ZERO ? LOG_ZERO : top + log1p(exp(fmin(a, b) - top));
}

static double normal_cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

double log_shift_prior(double d, double m)
{
	return -log(2 * fmax(fabs(d), m) * (1 + log(1 / fmin(m, 0.5))));
}

void posterior_one(struct posterior_scratch *s, const struct posterior_in *in, double base)
{
	size_t at = s->n_grid * s->n_classes;
	double small = LOG_ZERO;

	for (uint32_t i = 0; i < s->n_classes; i++) {
		double dd = s->bad[i].mean - s->good[i].mean;
		double dv = s->bad[i].var + s->good[i].var, sd = sqrt(dv);
		double keep =
			normal_cdf((dd - in->margin) / sd) + normal_cdf((-in->margin - dd) / sd);
		double levels = base + s->good[i].log_sum + s->bad[i].log_sum + s->adjust[i];
		double mass = in->classes->mass[in->classes->order[i]];

		s->L[at + i] = levels + log_shift_prior(dd, in->margin) + log(keep + LEAST_SHARE);
		s->dd[at + i] = dd;
		s->dv[at + i] = dv;
		if (mass > 0 && keep < 1)
			small = log_add(small, levels + log_shift_prior(0, in->margin) +
						       log(mass * (1 - keep)));
	}
	s->Ls[s->n_grid] = small;
}
