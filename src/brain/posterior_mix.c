/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_mix - which values of a unit are sound is marginalised, not decided.
 *
 * A robust mean with an error rate, as one would do it by hand, throws away what agreement says: two runs that agree are
 * hardly both wild in the same way, two that do not leave two possible levels. Up to three boots all subsets are summed;
 * from four on the sets that are sound once up to three extremes are taken off either side, which is where
 * wild values are. The sums within a set are those of the normal model with boot and run variance, level free:
 *     integral over the level of the product = E_S * bell(x; m_S, a_S).
 * A unit as a whole may be odd for reasons outside the model (a broken build, a disturbed machine): ODD_UNIT bounds its vote.
 */
#include "brain/posterior_mix.h"

#include <math.h>
#include <string.h>

#define ODD_UNIT 0.004
#define EXTREMES 3
#define HOPELESS 8.0 /* further than this many sds from the median: wild for certain */

struct atom {
	double y, var, log_var, log_wild, log_sound;
};

static int by_y(const void *a, const void *b)
{
	const struct atom *x = a, *y = b;

	return (x->y > y->y) - (x->y < y->y);
}

struct bells {
	unsigned n;
	double m[16], a[16], lw[16];
};

/* The bell of a set of sound atoms, given by sums over it; `rest` = ln weight of the others being wild. */
static void bell_add(struct bells *b, double w, double wy, double wyy, double log_var, double rest,
		     unsigned n)
{
	if (b->n == 16)
		return;
	double m = wy / w, q = wyy - wy * m;

	b->m[b->n] = m;
	b->a[b->n] = 1 / w;
	b->lw[b->n++] = rest - 0.5 * ((n - 1) * log(2 * M_PI) + log_var + log(w) + fmax(0, q));
}

static void subsets(const struct atom *t, unsigned n, double origin, struct bells *b)
{
	for (unsigned set = 1; set < 1u << n; set++) {
		double w = 0, wy = 0, wyy = 0, lv = 0, rest = 0;
		unsigned k = 0;

		for (unsigned i = 0; i < n; i++) {
			if (!(set >> i & 1)) {
				rest += t[i].log_wild;
				continue;
			}
			double y = t[i].y - origin;

			w += 1 / t[i].var;
			wy += y / t[i].var;
			wyy += y * y / t[i].var;
			lv += t[i].log_var;
			rest += t[i].log_sound;
			k++;
		}
		bell_add(b, w, wy, wyy, lv, rest, k);
	}
}

/* Atoms in order; sets without the i lowest and j highest. */
static void trimmed(const struct atom *t, unsigned n, double origin, struct bells *b)
{
	for (unsigned i = 0; i <= EXTREMES; i++)
		for (unsigned j = 0; i + j <= EXTREMES && 2 * (i + j) <= n; j++) {
			double w = 0, wy = 0, wyy = 0, lv = 0, rest = 0;

			for (unsigned k = 0; k < n; k++) {
				if (k < i || k >= n - j) {
					rest += t[k].log_wild;
					continue;
				}
				double y = t[k].y - origin;

				w += 1 / t[k].var;
				wy += y / t[k].var;
				wyy += y * y / t[k].var;
				lv += t[k].log_var;
				rest += t[k].log_sound;
			}
			bell_add(b, w, wy, wyy, lv, rest, n - i - j);
		}
}

/* Keep what matters, join bells that are nearly one, heaviest first. */
static void condense(const struct bells *b, double visits, double origin, double wild,
		     double log_all_wild, struct mixture *ret)
{
	unsigned order[16];
	double top = -1e300, total = 0;

	for (unsigned i = 0; i < b->n; i++) {
		unsigned k = i;

		top = fmax(top, b->lw[i]);
		for (; k > 0 && b->lw[order[k - 1]] < b->lw[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	*ret = (struct mixture){ .log_scale = top };
	for (unsigned i = 0; i < b->n; i++)
		total += exp(b->lw[i] - top);
	ret->floor = fmax(ODD_UNIT / (visits * visits) * wild * total,
			  exp(fmax(-600, log_all_wild - top)));
	for (unsigned i = 0; i < b->n; i++) {
		unsigned k = order[i], j = 0;
		double w = exp(b->lw[k] - top), m = b->m[k] + origin, a = b->a[k];

		if (i && w / sqrt(2 * M_PI * a) < 0.5 * ret->floor)
			break;
		for (; j < ret->n; j++) {
			double gap = m - ret->m[j], ratio = a / ret->a[j];

			if (gap * gap < 0.3 * fmin(a, ret->a[j]) && ratio < 1.6 && ratio > 0.6)
				break;
		}
		if (j == ret->n) {
			if (j == MIX_MAX)
				break;
			ret->m[j] = m;
			ret->a[j] = a;
			ret->w[j] = w;
			ret->n++;
			continue;
		}
		double sum = ret->w[j] + w, share = w / sum, gap = m - ret->m[j];

		ret->a[j] = (1 - share) * ret->a[j] + share * a + share * (1 - share) * gap * gap;
		ret->m[j] += share * gap;
		ret->w[j] = sum;
	}
}

static struct atom atom_of(unsigned runs, double eps, double s, double kappa, double wild)
{
	double e = spoiled_chance(eps, runs);
	double var = kappa * kappa + s * s * (runs > 2 ? 1.08 : 1) / runs;

	return (struct atom){
		.var = var, .log_var = log(var), .log_wild = log(e * wild), .log_sound = log1p(-e)
	};
}

void mixture_make(struct mixture *ret, const struct data *d, uint32_t u, double s, double kappa,
		  double wild)
{
	const struct unit *unit = &d->units.v[u];
	const struct visit *v = d->visits + unit->first_visit;
	struct atom few[64];
	AUTO_FREE struct atom *many = NULL;
	struct atom *t = few;
	unsigned n = unit->n_visits, kept = 0;
	double all_wild = 0, certain = 0;
	struct bells b = { 0 };

	if (n > ARRAY_LEN(few))
		t = many = xcalloc(n, sizeof(*many));
	for (unsigned i = 0; i < n; i++) {
		/* Most visits are alike. */
		if (i && v[i].n == v[i - 1].n)
			t[i] = t[i - 1];
		else
			t[i] = atom_of(v[i].n, d->noise.eps, s, kappa, wild);
		t[i].y = v[i].loc;
		all_wild += t[i].log_wild;
	}
	if (n > 1)
		qsort(t, n, sizeof(*t), by_y);
	double low = t[(n - 1) / 2].y, high = t[n / 2].y, middle = (low + high) / 2;

	for (unsigned i = 0; i < n; i++) {
		/* From the nearer of the two values in the middle: their mean may be far from all of them. */
		double far = fmin(fabs(t[i].y - low), fabs(t[i].y - high));

		if (n >= 4 && far * far > HOPELESS * HOPELESS * t[i].var)
			certain += t[i].log_wild;
		else
			t[kept++] = t[i];
	}
	if (kept <= 3)
		subsets(t, kept, middle, &b);
	else
		trimmed(t, kept, middle, &b);
	for (unsigned i = 0; i < b.n; i++)
		b.lw[i] += certain;
	condense(&b, n, middle, wild, all_wild, ret);
}
