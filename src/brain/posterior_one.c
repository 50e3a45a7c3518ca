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

double shift_scarcity(const struct posterior_scratch *s, double d, double margin)
{
	double size = fabs(d);

	return 2 * (size > margin ? size : margin) * s->ln_margin;
}

/* The share of a shift N(dd, sd) that is at least the margin. */
static double share_above(double dd, double sd, double margin)
{
	if (fabs(dd) > margin + 7 * sd)
		return 1;
	return normal_cdf((dd - margin) / sd) + normal_cdf((-margin - dd) / sd);
}

void posterior_one(struct posterior_scratch *s, const struct posterior_in *in, double base)
{
	size_t at = s->n_grid * s->n_classes;
	struct log_sum small = { .top = LOG_ZERO };

	for (uint32_t i = 0; i < s->n_classes; i++) {
		double dd = s->bad[i].mean - s->good[i].mean;
		double dv = s->bad[i].var + s->good[i].var, sd = sqrt(dv);
		double keep = share_above(dd, sd, in->margin);
		double levels = base + s->good[i].log_sum + s->bad[i].log_sum + s->adjust[i];
		double mass = in->classes->mass[in->classes->order[i]];

		s->L[at + i] =
			levels + log((keep + LEAST_SHARE) / shift_scarcity(s, dd, in->margin));
		s->dd[at + i] = dd;
		s->dv[at + i] = dv;
		log_sum_add(&small, levels, mass * (1 - keep));
	}
	s->Ls[s->n_grid] = small.sum > 0
				   ? small.top + log(small.sum / shift_scarcity(s, 0, in->margin))
				   : LOG_ZERO;
}
