/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_grid - for a grid point of the noise scales, walk the classes and integrate both levels.
 *
 * For a class the data split into units on the good side and units on the bad side, and the evidence is
 *     integral over the good level of prod f_u(x)  *  the same for the bad level  *  prior of the difference.
 * Each integral is a sum over equally spaced nodes (for bell-shaped integrands the trapezoidal rule is exact to 1e-6
 * with a spacing of 1.2 sd of the narrowest product). ln f_u on the nodes is tabulated once per unit; walking from class
 * to class then adds and subtracts the few units that change sides, so that a line costs O(units), a DAG little
 * more. Refused: plug-in levels (the first steps, when the levels are least known, decide the cost), Gibbs sampling (not
 * reproducible to the last digit), and products instead of sums of logarithms (they underflow at 70 units).
 *
 * f_u is never 0: with a small chance the summary of a unit is spoiled, and then it says nothing. That bounds the vote of each unit.
 */
#include "brain/posterior_grid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define W0 0.5
#define LN_IMPOSSIBLE (-20.7) /* 1e-9: two commits with one artefact on two sides */
#define W0_CAREFUL 0.1
#define T0_CAREFUL 5
#define T0_CAREFUL_MEASURED 1.5 /* a scale from a dozen builds is known within a fifth */
#define HOPELESS 10.0
#define SPACING                                                                                    \
	1.6 /* of nodes, in sds of the narrowest product there can be: off by 1e-3 at worst */
#define LN_SLIP (-13.8) /* 1e-6: a hand-made mark is wrong */

struct window {
	double x0, h;
	size_t n;
};

void posterior_grid_free(struct posterior_scratch *s)
{
	if (!s)
		return;
	free(s->unit);
	free(s->bit);
	free(s->end);
	free(s->m);
	free(s->v0);
	free(s->mix);
	free(s->c);
	free(s->var);
	free(s->narrow);
	free(s->floor);
	free(s->v);
	free(s->log_good);
	free(s->log_bad);
	free(s->toggle_at);
	free(s->toggle);
	free(s->adjust);
	free(s->good);
	free(s->bad);
	free(s->sums[0]);
	free(s->sums[1]);
	free(s->L);
	free(s->dd);
	free(s->dv);
	free(s->L0);
	free(s->Ls);
	free(s->tau_of);
	free(s->scale_of);
	free(s->s2_of);
	free(s->k2_of);
	free(s);
}

#define RESIZE(field, count) (field) = xreallocarray((field), (count), sizeof(*(field)))

static void scratch_reserve(struct posterior_scratch *s, size_t units, size_t classes)
{
	if (units > s->cap_units) {
		s->cap_units = units + 16;
		RESIZE(s->unit, s->cap_units);
		RESIZE(s->bit, s->cap_units);
		RESIZE(s->end, s->cap_units);
		RESIZE(s->m, s->cap_units);
		RESIZE(s->v0, s->cap_units);
		RESIZE(s->mix, s->cap_units);
		RESIZE(s->c, s->cap_units * MIX_MAX);
		RESIZE(s->var, s->cap_units * MIX_MAX);
		RESIZE(s->narrow, s->cap_units * MIX_MAX);
		RESIZE(s->floor, s->cap_units);
		RESIZE(s->v, s->cap_units);
		RESIZE(s->log_good, s->cap_units * NODES_MAX);
		RESIZE(s->log_bad, s->cap_units * NODES_MAX);
	}
	if (classes > s->cap_classes) {
		s->cap_classes = classes + 16;
		RESIZE(s->toggle_at, s->cap_classes + 1);
		RESIZE(s->adjust, s->cap_classes);
		RESIZE(s->good, s->cap_classes);
		RESIZE(s->bad, s->cap_classes);
		RESIZE(s->sums[0], s->cap_classes);
		RESIZE(s->sums[1], s->cap_classes);
	}
}

static bool always_bad(const struct classes *c, uint32_t bit)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (!class_makes_bad(c, i, bit))
			return false;
	return true;
}

/*
 * One commit known to be good makes the unit good, one known to be bad makes it bad: its artefacts are what was measured there,
 * whatever else has the same.
 */
uint32_t unit_bit(const struct classes *c, const struct unit *u)
{
	uint32_t bit = NO_BIT;

	for (size_t i = 0; i < u->nodes.n; i++) {
		uint32_t b = c->bit_of[u->nodes.v[i]];

		if (b == NO_BIT)
			return NO_BIT;
		if (bit == NO_BIT || always_bad(c, b))
			bit = b;
	}
	return bit;
}

static void collect_units(struct posterior_scratch *s, const struct posterior_in *in)
{
	const struct classes *c = in->classes;
	const struct data *d = in->data;
	uint32_t k = 0;

	for (uint32_t u = 0; u < d->units.n; u++) {
		const struct unit *unit = &d->units.v[u];

		if (!unit->n)
			continue;
		s->unit[k] = u;
		s->bit[k] = unit_bit(c, unit);
		s->end[k] = s->bit[k] == NO_BIT ? 1 : always_bad(c, s->bit[k]) ? 2 : 0;
		k++;
	}
	s->n_units = k;
	s->n_classes = c->n;
}

/* What the class order asks to move from side to side, and what is impossible about each class. */
static void plan_walk(struct posterior_scratch *s, const struct posterior_in *in)
{
	const struct classes *c = in->classes;
	size_t n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		s->toggle_at[i] = (uint32_t)n;
		for (uint32_t u = 0; u < s->n_units; u++) {
			bool bad =
				s->bit[u] != NO_BIT && class_makes_bad(c, c->order[i], s->bit[u]);
			bool was = i && s->bit[u] != NO_BIT &&
				   class_makes_bad(c, c->order[i - 1], s->bit[u]);

			if (i ? bad == was : !bad)
				continue;
			if (n == s->cap_toggle) {
				s->cap_toggle = s->cap_toggle * 2 + 64;
				RESIZE(s->toggle, s->cap_toggle);
			}
			s->toggle[n++] = u * 2 + bad;
		}
	}
	s->toggle_at[c->n] = (uint32_t)n;
}

static double class_adjust(const struct posterior_in *in, uint32_t cls)
{
	const struct classes *c = in->classes;
	double a = 0;

	for (uint32_t u = 0; u < in->data->units.n; u++) {
		const struct unit *unit = &in->data->units.v[u];

		for (size_t i = 1; i < unit->nodes.n; i++)
			if (class_side(c, cls, unit->nodes.v[i]) !=
			    class_side(c, cls, unit->nodes.v[0])) {
				a += LN_IMPOSSIBLE;
				break;
			}
	}
	for (uint32_t b = 0; b < c->n_bits; b++) {
		int8_t mark = in->mark[c->bit_node[b]];

		if (mark && (mark > 0) != class_makes_bad(c, cls, b))
			a += LN_SLIP;
	}
	return a;
}

/* --- grids (STATISTICS 1.3) -------------------------------------------------------------------------------- */

/*
 * Half-Cauchy on the grid with an extra mass at no offset. The careful prior expects offsets, and larger ones: a name has to hold under
 * it too, since a dozen builds are easily too alike by chance.
 */
static void tau_prior(const double *tau, unsigned n, double zero, double t0, double *lw)
{
	double sum = 0;

	for (unsigned i = 1; i < n; i++) {
		double t = tau[i] / t0;

		lw[i] = t / (1 + t * t);
		sum += lw[i];
	}
	for (unsigned i = 1; i < n; i++)
		lw[i] = log((1 - zero) * lw[i] / sum);
	lw[0] = log(zero);
}

static void tau_grid(struct posterior_scratch *s, const struct posterior_in *in, double scale)
{
	static const double mult[] = { 0, .06, .12, .18, .26, .38, .55, .8, 1.2 };
	bool exact = in->data->noise.exact;
	double t0 = exact ? fmin(in->offset_scale, 1e-4) : in->offset_scale;

	s->n_tau = t0 > 0 ? ARRAY_LEN(mult) : 1;
	for (unsigned i = 0; i < s->n_tau; i++)
		s->tau[i] = mult[i] * scale;
	s->lw_tau[0] = s->lw_careful[0] = 0;
	if (t0 <= 0)
		return;
	tau_prior(s->tau, s->n_tau, exact ? 0.6 : W0, t0, s->lw_tau);
	if (exact)
		memcpy(s->lw_careful, s->lw_tau, sizeof(s->lw_tau));
	else
		tau_prior(s->tau, s->n_tau, W0_CAREFUL,
			  (in->offset_measured ? T0_CAREFUL_MEASURED : T0_CAREFUL) * t0,
			  s->lw_careful);
}

/*
 * D: the size of things. The ends tell the shift, unless their own offsets hide it; then the spread of all units does.
 */
static double size_scale(struct posterior_scratch *s)
{
	double g = 0, b = 0, wg = 0, wb = 0, sum = 0, sq = 0;

	for (uint32_t u = 0; u < s->n_units; u++) {
		double w = 1 / s->v0[u];

		if (s->end[u] == 1) {
			g += w * s->m[u];
			wg += w;
		} else if (s->end[u] == 2) {
			b += w * s->m[u];
			wb += w;
		}
		sum += s->m[u];
	}
	sum /= s->n_units;
	for (uint32_t u = 0; u < s->n_units; u++)
		sq += (s->m[u] - sum) * (s->m[u] - sum);
	s->change_end = b / wb - g / wg;
	s->change_end_var = 1 / wb + 1 / wg;
	return fmax(fabs(s->change_end), 1.2 * sqrt(sq / (s->n_units - 1)));
}

/* --- one grid point ------------------------------------------------------------------------------------------ */

static struct window window_make(double lo, double hi, double h)
{
	struct window w = { .x0 = lo, .h = h };
	double n = ceil((hi - lo) / h) + 1;

	w.n = n > NODES_MAX ? NODES_MAX : ((size_t)n + FAST_BLOCK - 1) / FAST_BLOCK * FAST_BLOCK;
	w.h = (hi - lo) / (double)(w.n - 1);
	return w;
}

/* Where the level of one side can be: what its end's units allow, each likely bell of them, +-5 sd. */
static struct window end_window(const struct posterior_scratch *s, uint8_t end, double all)
{
	double w = 0, m = 0, lo = 1e300, hi = -1e300;
	unsigned units = 0;

	for (uint32_t u = 0; u < s->n_units; u++) {
		if (s->end[u] != end)
			continue;
		w += 1 / s->v[u];
		m += s->m[u] / s->v[u];
		units++;
		lo = fmin(lo, s->m[u]);
		hi = fmax(hi, s->m[u]);
	}
	double sd = 1 / sqrt(w);

	m /= w;
	for (uint32_t u = 0; u < s->n_units; u++)
		for (unsigned k = 0; s->end[u] == end && k < s->mix[u].n; k++)
			if (s->c[(size_t)u * MIX_MAX + k] > 1e-3) {
				double reach = (s->c[(size_t)u * MIX_MAX + k] > 0.1 ? 5 : 4) *
					       sqrt(s->var[(size_t)u * MIX_MAX + k] / units);

				lo = fmin(lo, s->mix[u].m[k] - reach);
				hi = fmax(hi, s->mix[u].m[k] + reach);
			}
	return window_make(fmin(lo, m - 5 * sd), fmax(hi, m + 5 * sd), SPACING * all);
}

/* ln f_u, relative to the unit's height, on the nodes of a window. */
static void tabulate(const struct posterior_scratch *s, uint32_t u, const struct window *w,
		     float *ret)
{
	fast_log_mixture(ret, w->n, w->x0, w->h, s->mix[u].n, s->mix[u].m,
			 s->narrow + (size_t)u * MIX_MAX, s->c + (size_t)u * MIX_MAX, s->floor[u]);
}

/* Add the build offset to the bells of a unit; returns the height that c and floor are relative to, without log_scale. */
static double add_offset(struct posterior_scratch *s, uint32_t u, double tau2)
{
	const struct mixture *x = &s->mix[u];
	double *c = s->c + (size_t)u * MIX_MAX, *var = s->var + (size_t)u * MIX_MAX;
	double *narrow = s->narrow + (size_t)u * MIX_MAX, top = 0;
	const double sqrt_pi = 2 / M_2_SQRTPI;
	unsigned best = 0;

	for (unsigned k = 0; k < x->n; k++) {
		var[k] = x->a[k] + tau2;
		narrow[k] = M_SQRT1_2 / sqrt(var[k]);
		c[k] = x->w[k] * narrow[k];
		if (c[k] > top) {
			top = c[k];
			best = k;
		}
	}
	for (unsigned k = 0; k < x->n; k++)
		c[k] /= top;
	s->floor[u] = x->floor * sqrt_pi / top;
	s->m[u] = x->m[best];
	s->v[u] = var[best];
	return top / sqrt_pi;
}

/* ln of the evidence for one common level of all units. */
static double evidence_none(struct posterior_scratch *s)
{
	double m = 0, w = 0;

	for (int step = 0; step < 3; step++) {
		double m1 = 0, w1 = 0;

		for (uint32_t u = 0; u < s->n_units; u++) {
			double z = step ? fabs(s->m[u] - m) / sqrt(s->v[u]) : 0;
			double k = (z > 2.5 ? 2.5 / z : 1) / s->v[u];

			m1 += k * s->m[u];
			w1 += k;
		}
		m = m1 / w1;
		w = w1;
	}
	double sd = 1 / sqrt(w);
	struct window win = window_make(m - 6 * sd, m + 6 * sd, sd);
	struct fast_sums sums;
	struct fast_moments mo;
	float one[NODES_MAX];

	memset(s->acc[0], 0, win.n * sizeof(s->acc[0][0]));
	for (uint32_t u = 0; u < s->n_units; u++) {
		tabulate(s, u, &win, one);
		fast_add(s->acc[0], one, win.n, 1);
	}
	fast_sums(s->acc[0], win.n, &sums);
	fast_moments(&sums, 1, win.n, win.x0, win.h, &mo);
	return mo.log_sum;
}

/* Walk the classes; leaves the moments of both levels under each. */
static void walk(struct posterior_scratch *s, const struct window *wg, const struct window *wb)
{
	memset(s->acc[0], 0, wg->n * sizeof(s->acc[0][0]));
	memset(s->acc[1], 0, wb->n * sizeof(s->acc[1][0]));
	for (uint32_t u = 0; u < s->n_units; u++) {
		if (s->end[u] != 2)
			tabulate(s, u, wg, s->log_good + (size_t)u * NODES_MAX);
		else
			memset(s->log_good + (size_t)u * NODES_MAX, 0,
			       wg->n * sizeof(*s->log_good));
		if (s->end[u] != 1)
			tabulate(s, u, wb, s->log_bad + (size_t)u * NODES_MAX);
		fast_add(s->acc[0], s->log_good + (size_t)u * NODES_MAX, wg->n, 1);
	}
	for (uint32_t i = 0; i < s->n_classes; i++) {
		for (uint32_t k = s->toggle_at[i]; k < s->toggle_at[i + 1]; k++) {
			size_t u = s->toggle[k] / 2;
			double to_bad = s->toggle[k] % 2 ? 1 : -1;

			fast_add(s->acc[0], s->log_good + u * NODES_MAX, wg->n, -to_bad);
			fast_add(s->acc[1], s->log_bad + u * NODES_MAX, wb->n, to_bad);
		}
		fast_sums(s->acc[0], wg->n, &s->sums[0][i]);
		fast_sums(s->acc[1], wb->n, &s->sums[1][i]);
	}
	fast_moments(s->sums[0], s->n_classes, wg->n, wg->x0, wg->h, s->good);
	fast_moments(s->sums[1], s->n_classes, wb->n, wb->x0, wb->h, s->bad);
}

static void grid_point(struct posterior_scratch *s, const struct posterior_in *in, size_t scale,
		       unsigned tau)
{
	const struct scale_point *sc = &s->scales[scale];
	double base = sc->lw + s->lw_tau[tau], wsum = 0, height = 1;

	for (uint32_t u = 0; u < s->n_units; u++) {
		height *= add_offset(s, u, s->tau[tau] * s->tau[tau]);
		base += s->mix[u].log_scale;
		wsum += 1 / s->v[u];
		if (height > 1e100 || height < 1e-100 || u + 1 == s->n_units) {
			base += log(height);
			height = 1;
		}
	}
	double all = 1 / sqrt(wsum);
	struct window wg = end_window(s, 1, all), wb = end_window(s, 2, all);

	s->L0[s->n_grid] = base + evidence_none(s);
	walk(s, &wg, &wb);
	posterior_one(s, in, base);
	if (scale == s->modal)
		s->L2[tau] = in->two_changes ? posterior_two(s, in, base, s->size) : LOG_ZERO;
	s->scale_of[s->n_grid] = (uint8_t)scale;
	s->tau_of[s->n_grid] = (uint8_t)tau;
	s->s2_of[s->n_grid] = sc->s * sc->s;
	s->k2_of[s->n_grid] = sc->kappa * sc->kappa;
	s->n_grid++;
}

static void grid_reserve(struct posterior_scratch *s, size_t points)
{
	size_t need = points * s->n_classes;

	if (need > s->cap_grid) {
		s->cap_grid = need + need / 2;
		RESIZE(s->L, s->cap_grid);
		RESIZE(s->dd, s->cap_grid);
		RESIZE(s->dv, s->cap_grid);
		RESIZE(s->L0, s->cap_grid);
		RESIZE(s->Ls, s->cap_grid);
		RESIZE(s->tau_of, s->cap_grid);
		RESIZE(s->scale_of, s->cap_grid);
		RESIZE(s->s2_of, s->cap_grid);
		RESIZE(s->k2_of, s->cap_grid);
	}
	s->n_grid = 0;
}

static void locate_units(struct posterior_scratch *s, const struct data *d, double run, double boot)
{
	for (uint32_t u = 0; u < s->n_units; u++)
		unit_location(d, s->unit[u], run, boot, &s->m[u], &s->v0[u]);
}

bool posterior_grid_prepare(struct posterior_scratch *s, const struct posterior_in *in)
{
	const struct data *d = in->data;
	bool good = false, bad = false;

	scratch_reserve(s, d->units.n, in->classes->n);
	collect_units(s, in);
	for (uint32_t u = 0; u < s->n_units; u++) {
		good |= s->end[u] == 1;
		bad |= s->end[u] == 2;
	}
	if (!good || !bad)
		return false;
	plan_walk(s, in);
	for (uint32_t i = 0; i < s->n_classes; i++)
		s->adjust[i] = class_adjust(in, in->classes->order[i]);
	posterior_scales(s, in);
	double run = fmax(d->noise.s, d->noise.floor),
	       boot = d->noise.boots ? d->noise.boot_scale : 0;

	locate_units(s, d, run, boot);
	s->size = fmax(size_scale(s), 1e-9);
	s->floor_u = 1 / (3 * fmax(s->size, 3 * hypot(run, boot)));
	s->ln_margin = 1 + log(1 / fmin(in->margin, 0.5));
	tau_grid(s, in, s->size);
	grid_reserve(s, s->n_scales * s->n_tau);
	s->pair_top = LOG_ZERO;
	s->pair[0] = s->pair[1] = 0;
	s->pair_change[0] = s->pair_change[1] = 0;
	return true;
}

/* ln of the largest evidence at the grid point run last. */
static double last_top(const struct posterior_scratch *s)
{
	size_t at = (s->n_grid - 1) * s->n_classes;
	double top = fmax(s->L0[s->n_grid - 1], s->Ls[s->n_grid - 1]);

	for (uint32_t i = 0; i < s->n_classes; i++)
		top = fmax(top, s->L[at + i]);
	return top;
}

/* Offset sds that are hopeless at the likeliest run and boot sd are not tried with the others. */
void posterior_grid_run(struct posterior_scratch *s, const struct posterior_in *in)
{
	double top[POSTERIOR_MAX_TAU], most = LOG_ZERO;

	if (in->data->noise.boots)
		posterior_likeliest_scale(s, in->data);
	posterior_mix_units(s, in->data, s->scales[s->modal].s, s->scales[s->modal].kappa);
	for (unsigned t = 0; t < s->n_tau; t++) {
		grid_point(s, in, s->modal, t);
		top[t] = last_top(s);
		most = fmax(most, top[t]);
	}
	for (size_t i = 0; i < s->n_scales; i++) {
		if (i == s->modal)
			continue;
		posterior_mix_units(s, in->data, s->scales[i].s, s->scales[i].kappa);
		for (unsigned t = 0; t < s->n_tau; t++)
			if (top[t] > most - HOPELESS)
				grid_point(s, in, i, t);
	}
}
