/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Q_t(level) is the least cost of x_0 .. x_t if the last segment has this level:
 *     Q_t(level) = min(Q_{t-1}(level), min Q_{t-1} + penalty) + min((x_t - level)^2, bound^2).
 * It is a piecewise quadratic, kept as a list of pieces from left to right, each with the start of its last segment. A step cuts what
 * rises above min + penalty (there a new segment begins) and adds the loss, which has knees at x_t - bound and x_t + bound.
 * Quadratics are kept as a (level - m)^2 + c and c relative to the running minimum: no cancellation however far levels are apart.
 *
 * Knees of old points pile up inside the narrowing valley around the present level, about as the root of its length: n^1.5
 * in all. So above MANY pieces neighbours of the same segment are joined where the valley is narrowest in units of the penalty: a knee
 * is where both forms of the loss are equal, so moving one by w changes the cost by at most 2 bound w. Each join is held below
 * JOIN of the penalty's scale. That makes a step O(1) and the whole O(n).
 */
#include "stats/fpop.h"

#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MANY = 16 };
#define JOIN 0.02

struct piece {
	double hi;	/* right end; the left end is the neighbour's */
	double a, m, c; /* a (level - m)^2 + c */
	size_t since;	/* first index of the last segment */
};

struct pieces {
	struct piece *v;
	size_t n, cap;
};

static void push(struct pieces *q, double lo, struct piece p)
{
	struct piece *last = q->n ? &q->v[q->n - 1] : NULL;

	if (!(p.hi > lo))
		return;
	if (last && last->since == p.since && last->a == p.a && last->c == p.c &&
	    (p.a == 0 || last->m == p.m)) {
		last->hi = p.hi;
		return;
	}
	ARRAY_PUSH(q, p);
}

static double left_end(const struct pieces *q, double lowest)
{
	return q->n ? q->v[q->n - 1].hi : lowest;
}

/* p with the loss of x added, cut at the knees. */
static void push_with_loss(struct pieces *q, double lowest, struct piece p, double x, double bound)
{
	double end = p.hi;
	struct piece flat = p;

	if (end <= x + bound && left_end(q, lowest) >= x - bound) { /* nearly always */
		flat.a = p.a + 1;
		flat.m = p.m + (x - p.m) / flat.a;
		flat.c = p.c + p.a / flat.a * (x - p.m) * (x - p.m);
		push(q, left_end(q, lowest), flat);
		return;
	}
	flat.c += bound * bound;
	flat.hi = fmin(end, x - bound);
	push(q, left_end(q, lowest), flat);
	if (end > x - bound) {
		struct piece near = p;

		near.a = p.a + 1;
		near.m = p.m + (x - p.m) / near.a;
		near.c = p.c + p.a / near.a * (x - p.m) * (x - p.m);
		near.hi = fmin(end, x + bound);
		push(q, left_end(q, lowest), near);
	}
	flat.hi = end;
	push(q, left_end(q, lowest), flat);
}

/* One piece of Q_{t-1} on [lo, p->hi]: what is above `cap` becomes a new segment from t on. */
static void cut_and_add(struct pieces *q, double lowest, double lo, const struct piece *p,
			double cap, size_t t, double x, double bound)
{
	struct piece fresh = { p->hi, 0, 0, cap, t }, kept = *p;
	double l = lo, r = p->hi;

	if (p->a > 0) {
		double reach = p->c < cap ? sqrt((cap - p->c) / p->a) : -1;

		l = reach < 0 ? p->hi : fmax(lo, p->m - reach);
		r = reach < 0 ? p->hi : fmin(p->hi, p->m + reach);
		if (r <= l) /* the valley lies outside of [lo, hi] */
			l = r = p->hi;
	} else if (p->c >= cap) {
		l = p->hi;
	}
	fresh.hi = l;
	if (l > lo)
		push_with_loss(q, lowest, fresh, x, bound);
	kept.hi = r;
	if (r > l)
		push_with_loss(q, lowest, kept, x, bound);
	fresh.hi = p->hi;
	if (p->hi > r)
		push_with_loss(q, lowest, fresh, x, bound);
}

struct best {
	double value;
	size_t since;
};

static struct best minimum(const struct pieces *q, double lowest)
{
	struct best b = { HUGE_VAL, 0 };
	double lo = lowest;

	for (size_t i = 0; i < q->n; i++) {
		const struct piece *p = &q->v[i];
		double at = fmax(lo, fmin(p->hi, p->m)), d = at - p->m;
		double value = p->a > 0 ? p->a * d * d + p->c : p->c;

		if (value < b.value)
			b = (struct best){ value, p->since };
		lo = p->hi;
	}
	return b;
}

/* Drop narrow pieces of the same segment: the neighbour to the left goes on instead. */
static void join_narrow(struct pieces *q, double bound)
{
	size_t k = 1;

	for (size_t i = 1; i < q->n; i++) {
		double width = q->v[i].hi - q->v[i - 1].hi;

		if (q->v[i].since == q->v[k - 1].since && width * 2 * bound < JOIN &&
		    q->v[i].a > 0 && q->v[k - 1].a > 0)
			q->v[k - 1].hi = q->v[i].hi;
		else
			q->v[k++] = q->v[i];
	}
	q->n = k;
}

size_t fpop_segments(const double *x, size_t n, double bound, double penalty, size_t *ret)
{
	AUTO_FREE size_t *since = xmalloc((n + 1) * sizeof(*since));
	struct pieces now = { 0 }, next = { 0 };
	double lowest = x[0], highest = x[0];
	size_t count = 0;

	assert(n >= 1 && bound > 0 && penalty > 0);
	for (size_t i = 1; i < n; i++) {
		lowest = fmin(lowest, x[i]);
		highest = fmax(highest, x[i]);
	}
	/* A hair wider, so that the interval is one even if all values are equal. */
	lowest -= 1e-9 * (1 + fabs(lowest));
	highest += 1e-9 * (1 + fabs(highest));
	if (!isfinite(bound))
		bound = 2 * (highest - lowest);
	ARRAY_PUSH(&now, ((struct piece){ highest, 0, 0, 0, 0 }));
	double least = 0;

	for (size_t t = 0; t < n; t++) {
		double lo = lowest, cap = least + penalty;

		next.n = 0;
		for (size_t i = 0; i < now.n; i++) {
			cut_and_add(&next, lowest, lo, &now.v[i], cap, t, x[t], bound);
			lo = now.v[i].hi;
		}
		struct best b = minimum(&next, lowest);

		since[t] = b.since;
		for (size_t i = 0; i < next.n; i++)
			next.v[i].c -= b.value;
		least = 0;
		if (next.n > MANY)
			join_narrow(&next, bound);
		struct pieces swap = now;

		now = next;
		next = swap;
	}
	for (size_t end = n; end > 0; end = since[end - 1])
		ret[count++] = since[end - 1];
	for (size_t i = 0; i < count / 2; i++) {
		size_t swap = ret[i];

		ret[i] = ret[count - 1 - i];
		ret[count - 1 - i] = swap;
	}
	free(now.v);
	free(next.v);
	return count;
}
