/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The matrix of differences of sorted arrays rises along its rows and falls down its columns. One
 * pass of two pointers counts the entries <= v and finds the neighbours of v among them, in n + m
 * steps; rounding keeps the order, so the pass is exact.
 *
 * A search keeps the bracket [lo, hi] of two entries of the matrix and the number of entries below
 * and up to them. It starts from the quantiles of a thinned matrix of at most 512 x 512 (thinning
 * sorted values moves a quantile by no more than 2 / 512), then aims a little to each side of the
 * wanted rank by interpolation. Every probe moves an end of the bracket to an entry, so ties (a
 * million equal differences) end at once. If interpolation does not bite it halves the bracket, by
 * value and by bit pattern in turn: at most 128 passes whatever the values are. When few candidates
 * are left they are gathered and selected from.
 *
 * Refused: the row-wise weighted medians of Johnson and Mizoguchi (same order, three times the
 * passes on real data, and an array of row ends), and random pivots (a brain has no dice).
 */
#include "stats/differences.h"

#include "base/mem.h"
#include "stats/sample.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

struct matrix {
	const double *x, *y;
	size_t n, m;
};

struct probe {
	uint64_t up_to;	   /* entries <= v */
	double pred, succ; /* largest entry <= v, smallest entry > v; +-HUGE_VAL if there is none */
};

struct bracket {
	double lo, hi;	       /* entries of the matrix; the wanted one is in [lo, hi] */
	uint64_t below, up_to; /* entries < lo, entries <= hi */
};

enum { THIN = 512, GATHER = 4096 };

static struct probe probe_at(const struct matrix *d, double v)
{
	struct probe r = { 0, -HUGE_VAL, HUGE_VAL };
	size_t j = 0;

	for (size_t i = 0; i < d->n; i++) {
		double x = d->x[i];

		while (j < d->m && d->y[j] - x <= v)
			j++;
		r.up_to += j;
		if (j > 0 && d->y[j - 1] - x > r.pred)
			r.pred = d->y[j - 1] - x;
		if (j < d->m && d->y[j] - x < r.succ)
			r.succ = d->y[j] - x;
	}
	return r;
}

static void bracket_cut(struct bracket *b, const struct probe *p, uint64_t rank)
{
	if (rank <= p->up_to && p->pred < b->hi) {
		b->hi = p->pred;
		b->up_to = p->up_to;
	} else if (rank > p->up_to && p->succ > b->lo) {
		b->lo = p->succ;
		b->below = p->up_to;
	}
}

/* Doubles as integers of the same order. */
static int64_t order_of(double v)
{
	int64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits < 0 ? INT64_MIN - bits : bits;
}

static double value_of(int64_t order)
{
	int64_t bits = order < 0 ? INT64_MIN - order : order;
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* The middle of lo <= hi in this order, rounded down, without overflow. */
static double bit_middle(double lo, double hi)
{
	int64_t a = order_of(lo), b = order_of(hi);

	return value_of((a & b) + ((a ^ b) >> 1));
}

/* Where to look next: step 0 and 1 aim beside the rank, 2 and 3 halve. Always lo <= v < hi. */
static double aim(const struct bracket *b, uint64_t rank, unsigned step)
{
	double candidates = (double)(b->up_to - b->below), v = b->lo;
	double f = (double)(rank - b->below) / candidates;

	if (step < 2) {
		f = fmax(0, fmin(1, f + (step ? 1.0 : -1.0) / 256));
		v = b->lo * (1 - f) + b->hi * f;
	} else if (step == 2) {
		v = b->lo / 2 + b->hi / 2;
	} else {
		v = bit_middle(b->lo, b->hi);
	}
	return v >= b->lo && v < b->hi ? v : b->lo;
}

static double gather(const struct matrix *d, const struct bracket *b, uint64_t rank)
{
	size_t room = (size_t)(b->up_to - b->below), k = 0, start = 0;
	AUTO_FREE double *v = xmalloc(room * sizeof(*v));

	for (size_t i = 0; i < d->n; i++) {
		double x = d->x[i];

		while (start < d->m && d->y[start] - x < b->lo)
			start++;
		for (size_t j = start; j < d->m && d->y[j] - x <= b->hi; j++)
			v[k++] = d->y[j] - x;
	}
	assert(k == room);
	return sample_select(v, room, (size_t)(rank - b->below - 1));
}

static double search(const struct matrix *d, struct bracket *all, size_t at, const uint64_t *ranks,
		     size_t count)
{
	struct bracket *b = &all[at];
	uint64_t few = (d->n + d->m) / 2 + GATHER;
	unsigned step = 0;

	while (b->lo < b->hi && b->up_to - b->below > few) {
		uint64_t before = b->up_to - b->below;
		struct probe p = probe_at(d, aim(b, ranks[at], step));

		for (size_t i = at; i < count; i++)
			bracket_cut(&all[i], &p, ranks[i]);
		/* Interpolate while it takes away a third or more; else halve twice and try again.
		 */
		if (step < 2)
			step = b->up_to - b->below > before - before / 3 ? (step ? 2 : 1) : !step;
		else
			step = step == 2 ? 3 : 0;
	}
	return b->lo < b->hi ? gather(d, b, ranks[at]) : b->lo;
}

/* At most THIN of the values, from the middle of equal stretches. */
static double *thinned(const double *v, size_t n, size_t *ret_n)
{
	size_t k = n < THIN ? n : THIN;
	double *t = xmalloc(k * sizeof(*t));

	for (size_t i = 0; i < k; i++)
		t[i] = v[(size_t)(((double)i + 0.5) * (double)n / (double)k)];
	*ret_n = k;
	return t;
}

/* First brackets for large matrices, by probing at the thinned matrix's quantiles to both sides of
 * each rank. */
static void brackets_from_thinned(const struct matrix *d, struct bracket *all,
				  const uint64_t *ranks, size_t count)
{
	size_t n, m, k = 0;
	AUTO_FREE double *x = thinned(d->x, d->n, &n);
	AUTO_FREE double *y = thinned(d->y, d->m, &m);
	AUTO_FREE double *v = xmalloc(n * m * sizeof(*v));
	double total = (double)d->n * (double)d->m;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			v[k++] = y[j] - x[i];
	for (size_t r = 0; r < count; r++) {
		if (all[r].up_to - all[r].below < 8 * (uint64_t)(total / THIN))
			continue; /* an earlier rank's probes did it */
		for (int side = -1; side <= 1; side += 2) {
			double f = (double)ranks[r] / total + side * 1.0 / THIN;
			double q = fmax(0, fmin((double)(k - 1), f * (double)k));
			struct probe p = probe_at(d, sample_select(v, k, (size_t)q));

			for (size_t i = 0; i < count; i++)
				bracket_cut(&all[i], &p, ranks[i]);
		}
	}
}

void differences_select(const double *x, size_t n, const double *y, size_t m, const uint64_t *ranks,
			size_t count, double *ret)
{
	struct matrix d = { x, y, n, m };
	uint64_t total = (uint64_t)n * m;
	AUTO_FREE struct bracket *all = xmalloc((count + 1) * sizeof(*all));

	assert(n && m && total / m == n);
	for (size_t i = 0; i < count; i++) {
		assert(ranks[i] >= 1 && ranks[i] <= total);
		all[i] = (struct bracket){ y[0] - x[n - 1], y[m - 1] - x[0], 0, total };
	}
	if (total > (uint64_t)8 * THIN * THIN)
		brackets_from_thinned(&d, all, ranks, count);
	for (size_t i = 0; i < count; i++) {
		if (!i || ranks[i] != ranks[i - 1] + 1) {
			ret[i] = search(&d, all, i, ranks, count);
			continue;
		}
		struct probe p = probe_at(&d, ret[i - 1]);

		ret[i] = p.up_to >= ranks[i] ? ret[i - 1] : p.succ;
	}
}

double differences_median(const double *x, size_t n, const double *y, size_t m)
{
	uint64_t total = (uint64_t)n * m;
	uint64_t ranks[2] = { (total + 1) / 2, total / 2 + 1 };
	double v[2];

	differences_select(x, n, y, m, ranks, total % 2 ? 1 : 2, v);
	return total % 2 ? v[0] : v[0] + (v[1] - v[0]) / 2;
}

void differences_signs(const double *x, size_t n, const double *y, size_t m, uint64_t *ret_negative,
		       uint64_t *ret_positive)
{
	size_t less = 0, up_to = 0;
	uint64_t negative = 0, not_positive = 0;

	/* On the values themselves: exact where a difference would round or overflow. */
	for (size_t i = 0; i < n; i++) {
		while (less < m && y[less] < x[i])
			less++;
		while (up_to < m && y[up_to] <= x[i])
			up_to++;
		negative += less;
		not_positive += up_to;
	}
	*ret_negative = negative;
	*ret_positive = (uint64_t)n * m - not_positive;
}
