/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_two - the evidence for two changes, so that one of them is not blamed with a confidence that it does not have.
 *
 * For an older and a younger class the units fall into good, middle and bad. The outer levels have their integrals from
 * the walk; the middle level is integrated in closed form. Pairs one of whose parts is below three tenths of the whole are left
 * out: a tiny second change is indistinguishable from none and must not eat confidence. Pairs on parallel branches are left out
 * too.
 */
#include "brain/posterior_grid.h"

#include <math.h>
#include <string.h>

#define LEAST_PART 0.3
#define CLASSES_MAX 128

struct middle {
	double w, wy, wyy;
};

/* Sums over the units that the class makes bad, about `origin`. */
static void bad_sums(const struct posterior_scratch *s, const struct classes *c, double origin,
		     struct middle *sum)
{
	for (uint32_t i = 0; i < c->n; i++) {
		sum[i] = (struct middle){ 0 };
		for (uint32_t u = 0; u < s->n_units; u++) {
			if (s->bit[u] == NO_BIT || !class_makes_bad(c, c->order[i], s->bit[u]))
				continue;
			double w = 1 / s->v[u], y = s->m[u] - origin;

			sum[i].w += w;
			sum[i].wy += w * y;
			sum[i].wyy += w * y * y;
		}
	}
}

/* Does the older class make bad all that the younger one does, and more? */
static bool nested(const struct classes *c, uint32_t older, uint32_t younger)
{
	bool more = false;

	for (uint32_t w = 0; w < c->words; w++) {
		uint64_t a = c->sig[(size_t)older * c->words + w];
		uint64_t b = c->sig[(size_t)younger * c->words + w];

		if (b & ~a)
			return false;
		more |= a != b;
	}
	return more;
}

/* `base` holds the heights of all units; the middle's bells are integrated in closed form, without floors. */
static double pair_evidence(const struct posterior_scratch *s, const struct posterior_in *in,
			    uint32_t i, uint32_t j, const struct middle *sum, double origin,
			    double size, double mass, double *change)
{
	struct middle m = { sum[i].w - sum[j].w, sum[i].wy - sum[j].wy, sum[i].wyy - sum[j].wyy };

	if (m.w <= 0)
		return LOG_ZERO;
	double level = m.wy / m.w + origin;

	change[0] = level - s->good[i].mean;
	change[1] = s->bad[j].mean - level;
	if (fmin(fabs(change[0]), fabs(change[1])) < fmax(LEAST_PART * size, in->margin / 2))
		return LOG_ZERO;
	return s->good[i].log_sum + s->bad[j].log_sum + s->adjust[i] + s->adjust[j] -
	       0.5 * fmax(0, m.wyy - m.wy * m.wy / m.w) +
	       log(mass * sqrt(2 * M_PI / m.w) /
		   (shift_scarcity(s, change[0], in->margin) *
		    shift_scarcity(s, change[1], in->margin)));
}

double posterior_two(struct posterior_scratch *s, const struct posterior_in *in, double base,
		     double size)
{
	const struct classes *c = in->classes;
	struct middle sum[CLASSES_MAX];
	double origin = s->m[0], top = LOG_ZERO, total = 0, change[2];

	if (c->n < 2 || c->n > CLASSES_MAX)
		return LOG_ZERO;
	bad_sums(s, c, origin, sum);
	for (uint32_t i = 0; i < c->n; i++)
		for (uint32_t j = 0; j < c->n; j++) {
			double mass = 2 * c->mass[c->order[i]] * c->mass[c->order[j]];

			if (mass <= 0 || !nested(c, c->order[i], c->order[j]))
				continue;
			double L = pair_evidence(s, in, i, j, sum, origin, size, mass, change);

			if (L <= LOG_ZERO)
				continue;
			L += base;
			if (L > top) {
				total *= exp(fmax(-700, top - L));
				top = L;
			}
			total += exp(fmax(-700, L - top));
			if (L > s->pair_top) {
				s->pair_top = L;
				s->pair[0] = c->order[i];
				s->pair[1] = c->order[j];
				s->pair_change[0] = change[0];
				s->pair_change[1] = change[1];
			}
		}
	return total > 0 ? top + log(total) : LOG_ZERO;
}
