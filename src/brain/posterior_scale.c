/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_scale - which run and boot sds are tried, and which of them is the likeliest.
 *
 * What several runs of one boot say is in the weights; how far the boots of a unit are apart, whatever the unit's level is, is in its
 * mixture. The choice of the likeliest needs both: by the weights alone a boot sd of zero, the likeliest of all beforehand, would be taken
 * for granted as soon as one boot had two runs, and offsets of builds would then have to explain what the boots do.
 */
#include "brain/posterior_grid.h"

#include <math.h>

static size_t kappa_grid(const struct posterior_in *in, double s_hat, double *kappa, double *lw)
{
	static const double mult[] = { .35, .7, 1, 1.5, 2.5 };
	const struct noise *n = &in->data->noise;
	double scale = fmax(fmax(n->boot_scale, 0.3 * s_hat), n->floor), sum = 0;

	kappa[0] = 0;
	lw[0] = 0;
	if (!n->boots || in->boot_scale <= 0)
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(mult); i++) {
		double t = mult[i] * scale / in->boot_scale;

		kappa[i + 1] = mult[i] * scale;
		lw[i + 1] = t / (1 + t * t);
		sum += lw[i + 1];
	}
	for (size_t i = 1; i <= ARRAY_LEN(mult); i++)
		lw[i] = log(0.75 * lw[i] / sum);
	lw[0] = log(0.25);
	return ARRAY_LEN(mult) + 1;
}

void posterior_scales(struct posterior_scratch *s, const struct posterior_in *in)
{
	static const double few[] = { .6, .8, 1, 1.25, 1.6, 2.2 }, some[] = { .84, 1, 1.2 },
			    one[] = { 1 };
	const struct noise *n = &in->data->noise;
	double s_hat = fmax(n->s, n->floor), kappa[8], lw[8], top = LOG_ZERO;
	const double *mult = n->nu < 10 ? few : n->nu < 60 ? some : one;
	size_t n_mult = n->nu < 10 ? ARRAY_LEN(few) : n->nu < 60 ? ARRAY_LEN(some) : 1, k = 0;

	if (n->exact) {
		mult = one;
		n_mult = 1;
	} else if (n->nu < 1) {
		s_hat = fmax(n->floor, in->margin);
	}
	size_t n_kappa = kappa_grid(in, s_hat, kappa, lw);

	for (size_t i = 0; i < n_mult; i++)
		for (size_t j = 0; j < n_kappa; j++) {
			struct scale_point *q = &s->scales[k++];
			double off = log(mult[i]) / 0.5;

			q->s = fmax(n->floor, s_hat * mult[i]);
			q->kappa = kappa[j];
			q->lw = lw[j] - 0.5 * off * off;
			/* Runs inside a boot speak here; boots of a unit, and single runs, in the mixtures. */
			if (n->boots && n->nu >= 1)
				q->lw -= n->nu * log(q->s) + n->ss / (2 * q->s * q->s);
			top = fmax(top, q->lw);
		}
	s->n_scales = 0;
	s->modal = 0;
	for (size_t i = 0; i < k; i++)
		if (s->scales[i].lw > top - 10) {
			if (s->scales[i].lw == top)
				s->modal = s->n_scales;
			s->scales[s->n_scales] = s->scales[i];
			s->scales[s->n_scales++].lw -= top;
		}
}

void posterior_mix_units(struct posterior_scratch *s, const struct data *d, double run, double boot)
{
	for (uint32_t u = 0; u < s->n_units; u++)
		mixture_make(&s->mix[u], d, s->unit[u], run, boot, s->floor_u);
}

void posterior_likeliest_scale(struct posterior_scratch *s, const struct data *d)
{
	double most = LOG_ZERO;

	for (size_t i = 0; i < s->n_scales; i++) {
		double e = s->scales[i].lw;

		posterior_mix_units(s, d, s->scales[i].s, s->scales[i].kappa);
		for (uint32_t u = 0; u < s->n_units; u++) {
			const struct mixture *x = &s->mix[u];
			double w = 0;

			for (unsigned k = 0; k < x->n; k++)
				w += x->w[k];
			e += x->log_scale + log(w);
		}
		if (e > most) {
			most = e;
			s->modal = i;
		}
	}
}
