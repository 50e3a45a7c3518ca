/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posterior_data - robust summaries in two levels.
 *
 * Runs are summarised per boot, boots per unit. If no boot has two values, a boot and its run cannot be told apart and the
 * boot level drops out: s is then the sd of a single run in a fresh boot. That is no approximation, the likelihood depends
 * on s^2 + kappa^2 only.
 *
 * The location is Huber's (k = 1.5), with mean for one or two: half the samples here have one to four values, where a median
 * wastes a third of them. Scale starts from the median absolute deviation and is refined by clipped squares. Everything is
 * recomputed from the raw values at each step: at most 1500 of them, and no state that could go stale.
 */
#include "brain/posterior_data.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void data_done(struct data *d)
{
	for (size_t i = 0; i < d->units.n; i++)
		free(d->units.v[i].nodes.v);
	free(d->values.v);
	free(d->boots.v);
	free(d->builds.v);
	free(d->units.v);
	free(d->visits);
	*d = (struct data){ 0 };
}

uint32_t data_find_build(const struct data *d, int64_t id)
{
	for (size_t i = d->builds.n; i-- > 0;)
		if (d->builds.v[i].id == id)
			return (uint32_t)i;
	return UINT32_MAX;
}

uint32_t data_find_boot(const struct data *d, int64_t id)
{
	for (size_t i = d->boots.n; i-- > 0;)
		if (d->boots.v[i].id == id)
			return (uint32_t)i;
	return UINT32_MAX;
}

uint32_t data_unit(struct data *d, int64_t artefact)
{
	for (size_t i = 0; i < d->units.n; i++)
		if (d->units.v[i].artefact == artefact)
			return (uint32_t)i;
	struct unit *u = ARRAY_GROW(&d->units);

	u->artefact = artefact;
	return (uint32_t)(d->units.n - 1);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Most units have a handful of values, and a call for each comparison is what their medians would cost. */
static void sort_few(double *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double x = v[i];
		size_t k = i;

		for (; k > 0 && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

double median_of(double *v, size_t n)
{
	assert(n > 0);
	if (n <= 16)
		sort_few(v, n);
	else
		qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* |median of the good end|, or the largest magnitude there is, for a metric that reaches 0 or below. */
static double ratio_scale(const struct data *d, uint32_t good)
{
	AUTO_FREE double *v = xcalloc(d->values.n, sizeof(*v));
	size_t n = 0;
	double largest = 0;

	for (size_t i = 0; i < d->values.n; i++) {
		const struct obs_value *o = &d->values.v[i];

		if (d->units.v[o->unit].nodes.v[0] == good)
			v[n++] = o->raw;
		largest = fmax(largest, fabs(o->raw));
	}
	double scale = n ? fabs(median_of(v, n)) : 0;

	if (scale > 1e-9 * largest)
		return scale;
	return largest > 0 ? largest : 1;
}

static void transform(struct data *d, uint32_t good)
{
	d->ratio = false;
	for (size_t i = 0; i < d->values.n; i++)
		d->ratio |= d->values.v[i].raw <= 0;
	double scale = d->ratio ? ratio_scale(d, good) : 1;

	for (size_t i = 0; i < d->values.n; i++) {
		struct obs_value *o = &d->values.v[i];

		o->y = o->plain = d->ratio ? o->raw / scale : log(o->raw);
	}
}

/*
 * Exact counts: run 0 of a boot differs from run 1 in the same way in every boot (caches warm up), so each position gets an
 * effect of its own: the median difference to position 0 over the boots that have both.
 */
static void remove_index_effect(struct data *d)
{
	uint32_t top = 0;

	for (size_t i = 0; i < d->values.n; i++)
		if (d->values.v[i].index > top)
			top = d->values.v[i].index;
	if (!top)
		return;
	AUTO_FREE double *first = xcalloc(d->boots.n, sizeof(*first));
	AUTO_FREE uint8_t *has = xcalloc(d->boots.n, 1);
	AUTO_FREE double *diff = xcalloc(d->values.n, sizeof(*diff));

	for (size_t i = 0; i < d->values.n; i++)
		if (!d->values.v[i].index) {
			first[d->values.v[i].boot] = d->values.v[i].y;
			has[d->values.v[i].boot] = 1;
		}
	for (uint32_t k = 1; k <= top && k < 4096; k++) {
		size_t n = 0;

		for (size_t i = 0; i < d->values.n; i++)
			if (d->values.v[i].index == k && has[d->values.v[i].boot])
				diff[n++] = d->values.v[i].y - first[d->values.v[i].boot];
		double effect = n ? median_of(diff, n) : 0;

		for (size_t i = 0; i < d->values.n; i++)
			if (d->values.v[i].index == k)
				d->values.v[i].y -= effect;
	}
}

/* Huber's location of v[0..n) with scale s; the mean for n <= 2. Reorders v. */
static double huber(double *v, size_t n, double s)
{
	if (n == 1)
		return v[0];
	if (n == 2)
		return (v[0] + v[1]) / 2;
	double m = median_of(v, n);

	if (s <= 0)
		return m;
	for (int step = 0; step < 4; step++) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += fmax(-1.5, fmin(1.5, (v[i] - m) / s));
		m += s * sum / (double)n;
	}
	return m;
}

/* Lay the values out by unit and boot: x[start[visit]..], and the visits of each unit in a row. */
struct layout {
	double *x;
	size_t *start; /* n_visits + 1 */
};

static void layout_make(struct data *d, struct layout *l)
{
	size_t nb = d->boots.n;
	AUTO_FREE uint32_t *visit_of = xcalloc(nb + 1, sizeof(*visit_of));
	AUTO_FREE uint32_t *unit_of = xcalloc(nb + 1, sizeof(*unit_of));
	AUTO_FREE uint32_t *count = xcalloc(nb + 1, sizeof(*count));

	for (size_t i = 0; i < d->units.n; i++) {
		d->units.v[i].n = d->units.v[i].n_visits = 0;
		d->units.v[i].last_seq = 0;
	}
	for (size_t i = 0; i < d->values.n; i++) {
		const struct obs_value *o = &d->values.v[i];

		unit_of[o->boot] = o->unit;
		if (!count[o->boot]++)
			d->units.v[o->unit].n_visits++;
		d->units.v[o->unit].n++;
		d->units.v[o->unit].last_seq = i + 1;
	}
	array_reserve_((void **)&d->visits, &d->cap_visits, nb + 1, sizeof(*d->visits));
	d->n_visits = 0;
	for (size_t u = 0; u < d->units.n; u++) {
		d->units.v[u].first_visit = (uint32_t)d->n_visits;
		d->n_visits += d->units.v[u].n_visits;
		d->units.v[u].n_visits = 0;
	}
	for (uint32_t b = 0; b < nb; b++) {
		if (!count[b])
			continue;
		struct unit *u = &d->units.v[unit_of[b]];

		visit_of[b] = u->first_visit + u->n_visits++;
		d->visits[visit_of[b]] = (struct visit){ .boot = b, .n = count[b] };
	}
	l->x = xcalloc(d->values.n + 1, sizeof(*l->x));
	l->start = xcalloc(d->n_visits + 2, sizeof(*l->start));
	for (size_t v = 0; v < d->n_visits; v++)
		l->start[v + 1] = l->start[v] + d->visits[v].n;
	memset(count, 0, (nb + 1) * sizeof(*count));
	for (size_t i = 0; i < d->values.n; i++) {
		uint32_t b = d->values.v[i].boot;

		l->x[l->start[visit_of[b]] + count[b]++] = d->values.v[i].y;
	}
}

/*
 * Groups inside which values differ by run noise only: the boots if some boot has two values, else the units (each value
 * then is a run in a boot of its own). end[g] is one past the last value of group g. Returns the count.
 */
static size_t groups_make(const struct data *d, const struct layout *l, bool boots, size_t *end)
{
	size_t n = 0;

	if (boots) {
		for (size_t v = 0; v < d->n_visits; v++)
			end[n++] = l->start[v + 1];
		return n;
	}
	for (size_t u = 0; u < d->units.n; u++)
		if (d->units.v[u].n)
			end[n++] = l->start[d->units.v[u].first_visit + d->units.v[u].n_visits];
	return n;
}

/* First guess of the run sd: the median absolute residual about group medians, corrected for small groups. */
static double scale_start(const double *x, const size_t *end, size_t groups, double *scratch)
{
	double *r = scratch, *tmp = scratch + (groups ? end[groups - 1] : 0);
	size_t k = 0;

	for (size_t g = 0, from = 0; g < groups; from = end[g++]) {
		size_t n = end[g] - from;

		if (n < 2)
			continue;
		memcpy(tmp, x + from, n * sizeof(*tmp));
		double m = median_of(tmp, n);

		for (size_t i = from; i < end[g]; i++)
			r[k++] = fabs(x[i] - m) * sqrt((double)n / (double)(n - 1));
	}
	if (!k)
		return 0;
	double s = 1.4826 * median_of(r, k);

	if (s <= 0)
		s = 0.78 * r[k * 4 / 5 < k ? k * 4 / 5 : k - 1];
	return s > 0 ? s : 0.3 * r[k - 1];
}

static void scale_refine(const double *x, const size_t *end, size_t groups, double *scratch,
			 struct noise *ret)
{
	for (int round = 0; round < 3; round++) {
		double ss = 0, nu = 0;

		for (size_t g = 0, from = 0; g < groups; from = end[g++]) {
			size_t n = end[g] - from;

			if (n < 2)
				continue;
			memcpy(scratch, x + from, n * sizeof(*scratch));
			double m = huber(scratch, n, ret->s);

			for (size_t i = from; i < end[g]; i++) {
				double z = ret->s > 0 ? (x[i] - m) / ret->s : 0;

				z = fmax(-2.5, fmin(2.5, z));
				ss += z * z * ret->s * ret->s;
			}
			nu += (double)(n - 1);
		}
		ret->nu = nu;
		ret->ss = ss;
		ret->s = nu > 0 ? sqrt(1.05 * ss / nu) : 0;
	}
}

/*
 * The finest sd that the printing allows: a rounded value is spread over +-half a unit, sd = unit / sqrt(12). *ret_tie: the same from
 * the values themselves, if most are ties.
 */
static double resolution_floor(const struct data *d, bool *ret_fine, double *ret_tie)
{
	double res = 0, tie = 0;
	size_t n = d->values.n, ties = 0;
	AUTO_FREE double *v = xcalloc(n + 1, sizeof(*v));

	for (size_t i = 0; i < n; i++) {
		const struct obs_value *o = &d->values.v[i];
		double unit = d->ratio ? o->resolution * fabs(o->y / (o->raw != 0 ? o->raw : 1))
				       : o->resolution / fabs(o->raw);

		res = fmax(res, unit);
		v[i] = o->y;
	}
	qsort(v, n, sizeof(*v), by_value);
	for (size_t i = 1; i < n; i++) {
		double gap = v[i] - v[i - 1];

		if (gap <= 1e-12)
			ties++;
		else if (tie <= 0 || gap < tie)
			tie = gap;
	}
	*ret_fine = res < 1e-4;
	*ret_tie = n >= 4 && ties * 2 >= n ? tie / 3.46 : 0;
	return fmax(1e-6, res / 3.46);
}

/* Equal repeats: values at the same position of different boots of a unit, at least two such pairs, none different. */
static bool repeats_equal(const struct data *d, bool counter)
{
	unsigned pairs = 0;

	for (size_t i = 0; i < d->values.n; i++) {
		const struct obs_value *a = &d->values.v[i];

		for (size_t j = 0; j < i; j++) {
			const struct obs_value *b = &d->values.v[j];

			if (b->unit != a->unit || b->boot == a->boot || b->index != a->index)
				continue;
			if (b->raw != a->raw)
				return false;
			pairs++;
			break;
		}
	}
	if (pairs >= 2)
		return true;
	/* With --counter the word of the user stands until two values of one boot and position disagree. */
	return counter && !pairs;
}

static double wild_rate(const struct data *d, const double *x, const size_t *end, size_t groups,
			double *scratch)
{
	double wild = 0;

	for (size_t g = 0, from = 0; g < groups; from = end[g++]) {
		size_t n = end[g] - from;

		if (n < 3)
			continue;
		memcpy(scratch, x + from, n * sizeof(*scratch));
		double m = huber(scratch, n, d->noise.s);

		for (size_t i = from; i < end[g]; i++)
			wild += fabs(x[i] - m) > 4 * fmax(d->noise.s, d->noise.floor);
	}
	return fmax(0.005, fmin(0.2, (0.9 + wild) / (30 + (double)d->values.n)));
}

static void summarise_visits(struct data *d, const struct layout *l, double *scratch)
{
	double s = fmax(d->noise.s, d->noise.floor), sum = 0;
	unsigned pairs = 0;

	for (size_t v = 0; v < d->n_visits; v++) {
		struct visit *t = &d->visits[v];

		memcpy(scratch, l->x + l->start[v], t->n * sizeof(*scratch));
		t->loc = huber(scratch, t->n, s);
		t->ss = 0;
		for (size_t i = l->start[v]; i < l->start[v + 1]; i++) {
			double z = fmax(-2.5, fmin(2.5, (l->x[i] - t->loc) / s));

			t->ss += z * z * s * s;
		}
	}
	for (size_t u = 0; u < d->units.n; u++) {
		const struct visit *t = d->visits + d->units.v[u].first_visit;

		for (unsigned i = 1; i < d->units.v[u].n_visits; i++, pairs++)
			scratch[pairs] = fabs(t[i].loc - t[i - 1].loc);
	}
	if (pairs)
		sum = median_of(scratch, pairs) * 1.4826 / M_SQRT2;
	d->noise.boot_scale = sum;
}

void data_summarise(struct data *d, uint32_t good, bool counter)
{
	struct layout l = { 0 };
	double tie;
	bool fine;

	d->noise = (struct noise){ 0 };
	if (!d->values.n)
		return;
	transform(d, good);
	if (counter)
		remove_index_effect(d);
	d->noise.floor = resolution_floor(d, &fine, &tie);
	d->noise.exact = (counter || fine) && repeats_equal(d, counter);
	if (!counter && !d->noise.exact)
		data_take_pace_out(d);
	layout_make(d, &l);
	for (size_t v = 0; v < d->n_visits; v++)
		d->noise.boots |= d->visits[v].n > 1;
	AUTO_FREE double *scratch = xcalloc(2 * d->values.n + 1, sizeof(*scratch));
	AUTO_FREE size_t *end = xcalloc(d->n_visits + 1, sizeof(*end));
	size_t groups = groups_make(d, &l, d->noise.boots, end);

	/* Many ties in values that are not exact: they are rounded more coarsely than they are printed. */
	if (!d->noise.exact)
		d->noise.floor = fmax(d->noise.floor, tie);
	d->noise.s = scale_start(l.x, end, groups, scratch);
	scale_refine(l.x, end, groups, scratch, &d->noise);
	d->noise.eps = d->noise.exact ? 0.002 : wild_rate(d, l.x, end, groups, scratch);
	summarise_visits(d, &l, scratch);
	free(l.x);
	free(l.start);
}

/* Huber's location of boots, each with its own sd. */
static double visits_huber(const struct visit *v, unsigned n, double s, double kappa, double wsum)
{
	AUTO_FREE double *x = xcalloc(n, sizeof(*x));

	for (unsigned i = 0; i < n; i++)
		x[i] = v[i].loc;
	double m = median_of(x, n);

	for (int step = 0; step < 4; step++) {
		double sum = 0;

		for (unsigned i = 0; i < n; i++) {
			double sd = sqrt(kappa * kappa + s * s / v[i].n);

			sum += fmax(-1.5, fmin(1.5, (v[i].loc - m) / sd)) / sd;
		}
		m += sum / wsum;
	}
	return m;
}

void unit_location(const struct data *d, uint32_t u, double s, double kappa, double *ret_m,
		   double *ret_var)
{
	const struct unit *unit = &d->units.v[u];
	const struct visit *v = d->visits + unit->first_visit;
	double wsum = 0, m = 0;

	if (unit->n_visits == 1) {
		*ret_m = v[0].loc;
		*ret_var = kappa * kappa + s * s * (v[0].n > 2 ? 1.08 : 1) / v[0].n;
		return;
	}
	for (unsigned i = 0; i < unit->n_visits; i++) {
		double w = 1 / (kappa * kappa + s * s / v[i].n);

		wsum += w;
		m += w * v[i].loc;
	}
	m /= wsum;
	*ret_var = (unit->n_visits > 2 ? 1.08 : 1) / wsum;
	if (unit->n_visits > 2)
		m = visits_huber(v, unit->n_visits, s, kappa, wsum);
	*ret_m = m;
}

double spoiled_chance(double eps, unsigned n)
{
	unsigned h = (n + 1) / 2;
	double p = 1;

	for (unsigned i = 0; i < h && p > 1e-12; i++)
		p *= eps * (double)(n - i) / (double)(h - i);
	return fmax(1e-9, fmin(0.3, p));
}

double data_boot_loglik(const struct data *d, double s, double kappa)
{
	double sum = 0;

	for (uint32_t u = 0; u < d->units.n; u++) {
		const struct unit *unit = &d->units.v[u];
		const struct visit *v = d->visits + unit->first_visit;
		double m, var, w = 0;

		if (unit->n_visits < 2)
			continue;
		unit_location(d, u, s, kappa, &m, &var);
		for (unsigned i = 0; i < unit->n_visits; i++) {
			double vv = kappa * kappa + s * s / v[i].n;
			double z2 = (v[i].loc - m) * (v[i].loc - m) / vv;

			sum -= 0.5 * (log(vv) + fmin(z2, 6.25));
			w += 1 / vv;
		}
		sum -= 0.5 * log(w);
	}
	return sum;
}
