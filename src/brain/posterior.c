/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior - adds the evidence over the grid: probabilities of classes, of no change and of two changes.
 */
#include "brain/posterior.h"

#include <math.h>
#include <string.h>

#define PRIOR_ONE 0.8
#define PRIOR_NONE 0.1
#define PRIOR_TWO 0.1
/* Of one change, as a weight on its prior of sizes, for those below the margin. */
#define PRIOR_SMALL 0.24

#define RESIZE(field, count) (field) = xreallocarray((field), (count), sizeof(*(field)))

/* --- adding up ------------------------------------------------------------------------------------------------ */

struct totals {
	double top, one, one_flat, one_careful, none, none_flat, none_careful, two, two_careful;
	double small, small_careful; /* one change, below the margin */
};

static void sum_classes(struct posterior *p, const struct posterior_in *in, struct totals *t)
{
	struct posterior_scratch *s = p->scratch;
	const struct classes *c = in->classes;

	double modal[POSTERIOR_MAX_TAU] = { 0 };

	t->top = LOG_ZERO;
	for (size_t k = 0; k < s->n_grid * s->n_classes; k++)
		t->top = fmax(t->top, s->L[k]);
	for (size_t g = 0; g < s->n_grid; g++)
		t->top = fmax(t->top, fmax(s->L0[g], s->Ls[g]));
	for (size_t g = 0; g < s->n_grid; g++) {
		unsigned tau = s->tau_of[g];
		double w = 0, careful = exp(s->lw_careful[tau] - s->lw_tau[tau]);

		for (uint32_t i = 0; i < s->n_classes; i++) {
			double e = exp(s->L[g * s->n_classes + i] - t->top);
			uint32_t k = c->order[i];
			double e1 = e * c->mass[k];
			double dd = s->dd[g * s->n_classes + i];

			p->p[k] += e1;
			p->p_flat[k] += e * c->mass_flat[k];
			p->p_careful[k] += e1 * careful;
			p->p_tau[(size_t)tau * p->n + k] += e1;
			p->change += e1 * dd;
			p->change_var += e1 * (dd * dd + s->dv[g * s->n_classes + i]);
			w += e1;
		}
		p->w_tau[tau] += w;
		p->s2[tau] += w * s->s2_of[g];
		p->kappa2[tau] += w * s->k2_of[g];
		if (s->scale_of[g] == s->modal)
			modal[tau] = w;
		t->one += w;
		t->one_careful += w * careful;
		t->none += exp(s->L0[g] - t->top);
		t->none_careful += exp(s->L0[g] - t->top) * careful;
		t->small += exp(s->Ls[g] - t->top);
		t->small_careful += exp(s->Ls[g] - t->top) * careful;
	}
	t->none_flat = t->none;
	for (uint32_t k = 0; k < p->n; k++)
		t->one_flat += p->p_flat[k];
	/* Two changes were weighed at one run and boot sd; the others get the share that they have under one change. */
	for (unsigned k = 0; k < p->n_tau; k++) {
		if (s->L2[k] <= LOG_ZERO)
			continue;
		double share = modal[k] > 1e-290 ? p->w_tau[k] / modal[k] : 1;
		double w = exp(fmin(600, s->L2[k] - t->top)) * share;

		t->two += w;
		t->two_careful += w * exp(s->lw_careful[k] - s->lw_tau[k]);
	}
}

/*
 * That two builds came out identical, and what a person marked, says nothing about whether there is a change: it is part of the
 * prior, and "one change" must not pay for the candidates that it excludes.
 */
static void discount_excluded(struct posterior *p, const struct classes *c, struct totals *t)
{
	const struct posterior_scratch *s = p->scratch;
	double left = 1e-300, left_flat = 1e-300;

	for (uint32_t i = 0; i < s->n_classes; i++) {
		left += c->mass[c->order[i]] * exp(s->adjust[i]);
		left_flat += c->mass_flat[c->order[i]] * exp(s->adjust[i]);
	}
	for (uint32_t i = 0; i < s->n_classes; i++)
		p->p_before[c->order[i]] =
			c->mass_flat[c->order[i]] * exp(s->adjust[i]) / left_flat;
	t->none *= left;
	t->none_careful *= left;
	t->none_flat *= left_flat;
	t->two /= left;
	t->two_careful /= left;
	/* "No change of at least the margin" is no change or a smaller one. */
	t->none += PRIOR_SMALL / PRIOR_NONE * t->small;
	t->none_flat += PRIOR_SMALL / PRIOR_NONE * t->small;
	t->none_careful += PRIOR_SMALL / PRIOR_NONE * t->small_careful;
}

static void normalise(struct posterior *p, const struct totals *t)
{
	double one = PRIOR_ONE * t->one, none = PRIOR_NONE * t->none, two = PRIOR_TWO * t->two;
	double all = one + none + two + 1e-300;

	for (unsigned k = 0; k < p->n_tau; k++) {
		double w = p->w_tau[k] + 1e-300;

		for (uint32_t i = 0; i < p->n; i++)
			p->p_tau[(size_t)k * p->n + i] /= w;
		p->s2[k] /= w;
		p->kappa2[k] /= w;
		p->w_careful[k] = w * exp(p->scratch->lw_careful[k] - p->scratch->lw_tau[k]) /
				  (t->one_careful + 1e-300);
		p->w_tau[k] /= t->one + 1e-300;
	}
	p->best = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		p->p[i] /= t->one + 1e-300;
		p->p_flat[i] /= t->one_flat + 1e-300;
		p->p_careful[i] /= t->one_careful + 1e-300;
		if (p->p[i] > p->p[p->best])
			p->best = i;
	}
	p->change /= t->one + 1e-300;
	p->change_var = fmax(0, p->change_var / (t->one + 1e-300) - p->change * p->change);
	p->p_none = none / all;
	p->p_two = two / all;
	p->none = none / (none + one + 1e-300);
	p->none_careful = PRIOR_NONE * t->none_careful /
			  (PRIOR_NONE * t->none_careful + PRIOR_ONE * t->one_careful + 1e-300);
	p->two_careful = PRIOR_TWO * t->two_careful /
			 (PRIOR_TWO * t->two_careful + PRIOR_NONE * t->none_careful +
			  PRIOR_ONE * t->one_careful + 1e-300);
	p->none_flat = PRIOR_NONE * t->none_flat /
		       (PRIOR_NONE * t->none_flat + PRIOR_ONE * t->one_flat + 1e-300);
}

static void results_reset(struct posterior *p, uint32_t classes, unsigned n_tau)
{
	if (classes > p->cap_p) {
		p->cap_p = classes + 16;
		RESIZE(p->p, p->cap_p);
		RESIZE(p->p_flat, p->cap_p);
		RESIZE(p->p_careful, p->cap_p);
		RESIZE(p->p_before, p->cap_p);
		RESIZE(p->p_tau, p->cap_p * POSTERIOR_MAX_TAU);
	}
	p->n = classes;
	p->n_tau = n_tau;
	memset(p->p, 0, classes * sizeof(*p->p));
	memset(p->p_flat, 0, classes * sizeof(*p->p_flat));
	memset(p->p_careful, 0, classes * sizeof(*p->p_careful));
	memset(p->p_tau, 0, (size_t)classes * n_tau * sizeof(*p->p_tau));
	memset(p->w_tau, 0, sizeof(p->w_tau));
	memset(p->s2, 0, sizeof(p->s2));
	memset(p->kappa2, 0, sizeof(p->kappa2));
	p->change = p->change_var = 0;
}

bool posterior_compute(struct posterior *p, const struct posterior_in *in)
{
	if (!p->scratch)
		p->scratch = xcalloc(1, sizeof(*p->scratch));
	struct posterior_scratch *s = p->scratch;

	if (!posterior_grid_prepare(s, in))
		return false;
	posterior_grid_run(s, in);
	results_reset(p, s->n_classes, s->n_tau);
	p->scale = s->size;
	p->change_end = s->change_end;
	p->change_end_var = s->change_end_var;
	for (unsigned k = 0; k < s->n_tau; k++)
		p->tau2[k] = s->tau[k] * s->tau[k];
	for (int k = 0; k < 2; k++) {
		p->pair[k] = s->pair[k];
		p->pair_change[k] = s->pair_change[k];
	}
	struct totals t = { 0 };

	sum_classes(p, in, &t);
	if (!(t.one > 0 &&
	      t.one < 1e300)) /* no evidence can be that strange; better nothing than nonsense */
		return false;
	discount_excluded(p, in->classes, &t);
	normalise(p, &t);
	return true;
}

void posterior_done(struct posterior *p)
{
	posterior_grid_free(p->scratch);
	free(p->p);
	free(p->p_flat);
	free(p->p_careful);
	free(p->p_before);
	free(p->p_tau);
	*p = (struct posterior){ 0 };
}
