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

/* The sum of terms exp(log) * factor, as a logarithm, with one exp for each term that matters. */
struct log_sum {
	double top, sum;
};

static void log_sum_add(struct log_sum *s, double log, double factor)
{
	if (log > s->top) {
		s->sum *= exp(fmax(-700, s->top - log));
		s->top = log;
	}
	if (factor > 1e-15 && log > s->top - 40)
		s->sum += factor * exp(log - s->top);
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
	struct log_sum small = { .top = LOG_ZERO };

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
		log_sum_add(&small, levels, mass * (1 - keep));
	}
	s->Ls[s->n_grid] = small.sum > 0
				   ? small.top + log(small.sum) + log_shift_prior(0, in->margin)
				   : LOG_ZERO;
}
