/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts are collected as they come, sorted once by name, side and run, and folded: 3,000 functions in ten runs are 30,000 of them.
 *
 * Shifts are matched from the largest down, the closest partner first. A rename keeps the cost (5 %: alignment, a call the less); inlining
 * saves the call and what the compiler then sees through, so that the caller grows by half to all of what the callee cost. The other
 * direction, code taken out of line, is the same with the sides exchanged.
 *
 * Where many names come and go, as between two releases, some have like costs by chance: of n gains spread evenly over the logarithm of what is looked at, n times the
 * width of the window over that range fall beside a loss. When that is more than CHANCE_MOST, nothing but a new name that is like the old one is believed; such
 * a pair is looked for first, and may differ by 30 %, since what is renamed is often changed as well.
 */
#include "stats/contrast.h"

#include "base/str.h"
#include "stats/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RENAMED_WITHIN 0.05
#define ALIKE_WITHIN 0.3
#define INLINED_LEAST 0.5
#define INLINED_MOST 1.1
#define CHANCE_MOST 0.5
#define SUM_MOST 1.5 /* of several together, for each part of the gain */

struct contrast_count {
	const char *name;
	unsigned side, run;
	double count;
};

const char *contrast_status_name(enum contrast_status s)
{
	static const char *const names[] = { "repeats", "varies", "noise", "once" };

	return names[s];
}

void contrast_done(struct contrast *c)
{
	free(c->v);
	free(c->counts.v);
	arena_done(&c->arena);
	*c = (struct contrast){ 0 };
}

void contrast_run(struct contrast *c, unsigned side, double per)
{
	c->side = side;
	c->runs[side]++;
	c->scale = per;
}

void contrast_add(struct contrast *c, const char *name, size_t name_n, double count)
{
	char *copy = arena_alloc(&c->arena, name_n + 1);

	memcpy(copy, name, name_n);
	ARRAY_PUSH(&c->counts, ((struct contrast_count){ copy, c->side, c->runs[c->side] - 1,
							 count / c->scale }));
}

static int by_place(const void *a, const void *b)
{
	const struct contrast_count *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return x->run < y->run ? -1 : x->run > y->run;
}

static int by_size(const void *a, const void *b)
{
	const struct contrast_row *x = a, *y = b;
	double dx = fabs(x->difference), dy = fabs(y->difference);

	return dx > dy ? -1 : dx < dy ? 1 : strcmp(x->name, y->name);
}

static enum contrast_status status_of(const struct contrast *c, const struct contrast_row *r)
{
	double gap = fmax(r->low[1] - r->high[0], r->low[0] - r->high[1]);

	if (c->runs[0] < 2 || c->runs[1] < 2)
		return CONTRAST_ONCE;
	if (r->spread == 0)
		return CONTRAST_REPEATS;
	return gap > r->spread ? CONTRAST_VARIES : CONTRAST_NOISE;
}

/* All counts of one name; `values` has room for the runs of a side. Sums into totals[side][run]. */
static void fold(const struct contrast *c, const struct contrast_count *v, size_t n, double *values,
		 double *const totals[2], struct contrast_row *ret)
{
	*ret = (struct contrast_row){ .name = v->name };
	for (unsigned side = 0; side < 2; side++) {
		unsigned runs = c->runs[side];

		memset(values, 0, runs * sizeof(*values));
		for (size_t i = 0; i < n; i++)
			if (v[i].side == side)
				values[v[i].run] += v[i].count;
		for (unsigned k = 0; k < runs; k++) {
			totals[side][k] += values[k];
			ret->low[side] = k ? fmin(ret->low[side], values[k]) : values[k];
			ret->high[side] = k ? fmax(ret->high[side], values[k]) : values[k];
		}
		ret->median[side] = runs ? sample_median(values, runs) : 0;
		ret->spread = fmax(ret->spread, ret->high[side] - ret->low[side]);
	}
	ret->difference = ret->median[1] - ret->median[0];
	ret->status = status_of(c, ret);
}

void contrast_finish(struct contrast *c)
{
	unsigned most = c->runs[0] > c->runs[1] ? c->runs[0] : c->runs[1];
	AUTO_FREE double *values = xcalloc(most + 1, sizeof(*values));
	AUTO_FREE double *a = xcalloc(most + 1, sizeof(*a));
	AUTO_FREE double *b = xcalloc(most + 1, sizeof(*b));
	double *const totals[2] = { a, b };
	const struct contrast_count *v = c->counts.v;

	if (c->counts.n)
		qsort(c->counts.v, c->counts.n, sizeof(*c->counts.v), by_place);
	for (size_t i = 0, end; i < c->counts.n; i = end) {
		struct contrast_row row;

		for (end = i + 1; end < c->counts.n && !strcmp(v[end].name, v[i].name);)
			end++;
		fold(c, v + i, end - i, values, totals, &row);
		c->names++;
		c->repeating += row.status == CONTRAST_REPEATS;
		if (row.difference == 0)
			continue;
		if (row.status != CONTRAST_NOISE && row.difference > 0)
			c->gained += row.difference;
		else if (row.status != CONTRAST_NOISE)
			c->lost -= row.difference;
		ARRAY_PUSH(c, row);
	}
	for (unsigned side = 0; side < 2; side++)
		c->total[side] = c->runs[side] ? sample_median(totals[side], c->runs[side]) : 0;
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_size);
	free(c->counts.v);
	memset(&c->counts, 0, sizeof(c->counts));
}

/* --- what moved --------------------------------------------------------------------------------------------------- */

/* One direction of looking: `from` is the side on which the whole names stand; they have nothing on the other. */
struct matching {
	const struct contrast *c;
	unsigned from;
	double least;
	bool *used;
	struct contrast_shifts *ret;
	double crowd; /* gains for each unit of the logarithm of cost */
};

/* By how much a row lost (from side `from` to the other); negative = it gained. */
static double loss(const struct matching *m, const struct contrast_row *r)
{
	return m->from == 0 ? -r->difference : r->difference;
}

static bool is_whole(const struct matching *m, size_t i)
{
	const struct contrast_row *r = &m->c->v[i];

	return !m->used[i] && r->status != CONTRAST_NOISE && r->high[!m->from] == 0 &&
	       loss(m, r) >= m->least;
}

static bool is_gainer(const struct matching *m, size_t i)
{
	const struct contrast_row *r = &m->c->v[i];

	return !m->used[i] && r->status != CONTRAST_NOISE && -loss(m, r) >= m->least;
}

static double crowd_of(const struct matching *m)
{
	double most = m->least, n = 0;

	for (size_t i = 0; i < m->c->n; i++) {
		n += is_gainer(m, i);
		if (m->c->v[i].status != CONTRAST_NOISE)
			most = fmax(most, fabs(m->c->v[i].difference));
	}
	return m->least > 0 && most > m->least ? n / log(most / m->least) : 0;
}

/* Is a match of this width so likely that it says nothing? */
static bool may_be_chance(const struct matching *m, double gain, double lost)
{
	double width = fabs(gain - lost) <= RENAMED_WITHIN * lost
			       ? log((1 + RENAMED_WITHIN) / (1 - RENAMED_WITHIN))
			       : log(INLINED_MOST / INLINED_LEAST);

	return m->crowd * width > CHANCE_MOST;
}

/* "page_add_new_anon_rmap" and "folio_add_new_anon_rmap", "mas_store_b_node" and "mas_store_root": most of one is in the other, or both begin alike. */
static bool are_alike(const char *a, const char *b)
{
	size_t na, nb, common = 0, object = strcspn(a, ":");

	if (a[object] && !strncmp(a, b, object + 1)) { /* "libz.so.1:": of one file */
		a += object + 1;
		b += object + 1;
	}
	a += strspn(a, "_");
	b += strspn(b, "_");
	na = strlen(a);
	nb = strlen(b);
	while (a[common] && a[common] == b[common])
		common++;
	return 2 * common >= (na > nb ? na : nb) ||
	       3 * str_distance(a, b) <= (unsigned)(na < nb ? na : nb);
}

/*
 * How well a gain stands for a loss: 0 = not at all. A name that is new carries all of it; one that was there before may have saved some; one that is new and
 * alike may have been changed a little, too.
 */
static unsigned stands_for(const struct matching *m, const char *name,
			   const struct contrast_row *gainer, double lost)
{
	double gain = -loss(m, gainer);
	bool is_new = gainer->high[m->from] == 0;

	if (name && is_new && fabs(gain - lost) <= ALIKE_WITHIN * lost &&
	    are_alike(name, gainer->name))
		return 2;
	if (fabs(gain - lost) > RENAMED_WITHIN * lost &&
	    (is_new || gain < INLINED_LEAST * lost || gain > INLINED_MOST * lost))
		return 0;
	return !may_be_chance(m, gain, lost);
}

static void keep(const struct matching *m, const bool *gone, size_t gainer, double lost)
{
	struct contrast_shift s = { .lost = lost, .gained = -loss(m, &m->c->v[gainer]) };
	struct strvec *whole = m->from == 0 ? &s.gone : &s.come;

	for (size_t i = 0; i < m->c->n; i++)
		if (gone[i]) {
			strvec_add(whole, m->c->v[i].name);
			m->used[i] = true;
		}
	strvec_add(m->from == 0 ? &s.come : &s.gone, m->c->v[gainer].name);
	m->used[gainer] = true;
	if (m->from == 1) { /* lost and gained are of the sides, not of the direction */
		double x = s.lost;

		s.lost = s.gained;
		s.gained = x;
	}
	ARRAY_PUSH(m->ret, s);
}

/* The whole names, from the largest down, each with the gain that stands for it best: by name, then by size. */
static void match_singly(const struct matching *m)
{
	AUTO_FREE bool *gone = xcalloc(m->c->n + 1, sizeof(*gone));

	for (size_t i = 0; i < m->c->n; i++) {
		double lost = loss(m, &m->c->v[i]), best_off = 0;
		size_t best = m->c->n;
		unsigned best_fit = 0;

		if (!is_whole(m, i))
			continue;
		for (size_t k = 0; k < m->c->n; k++) {
			const struct contrast_row *gainer = &m->c->v[k];
			double off = fabs(-loss(m, gainer) - lost);
			unsigned fit =
				is_gainer(m, k) ? stands_for(m, m->c->v[i].name, gainer, lost) : 0;

			if (!fit || fit < best_fit || (fit == best_fit && off >= best_off))
				continue;
			best = k;
			best_fit = fit;
			best_off = off;
		}
		if (!best_fit)
			continue;
		gone[i] = true;
		keep(m, gone, best, lost);
		gone[i] = false;
	}
}

/* Several whole names in one: those that are left, from the largest down, while their sum stays near the gain. */
static void match_sums(const struct matching *m)
{
	for (size_t k = 0; k < m->c->n; k++) {
		double gain = -loss(m, &m->c->v[k]), sum = 0;
		unsigned n = 0;

		if (!is_gainer(m, k))
			continue;
		AUTO_FREE bool *gone = xcalloc(m->c->n, sizeof(*gone));

		for (size_t i = 0; i < m->c->n; i++) {
			double lost = loss(m, &m->c->v[i]);

			if (i == k || !is_whole(m, i) || sum + lost > SUM_MOST * gain)
				continue;
			gone[i] = true;
			sum += lost;
			n++;
		}
		if (n > 1 && stands_for(m, NULL, &m->c->v[k], sum))
			keep(m, gone, k, sum);
	}
}

void contrast_find_shifts(const struct contrast *c, double least, struct contrast_shifts *ret)
{
	AUTO_FREE bool *used = xcalloc(c->n + 1, sizeof(*used));

	for (unsigned pass = 0; pass < 4; pass++) {
		struct matching m = { c, pass & 1, least, used, ret, 0 };

		m.crowd = crowd_of(&m);
		if (pass < 2)
			match_singly(&m);
		else
			match_sums(&m);
	}
}

void contrast_shifts_done(struct contrast_shifts *s)
{
	for (size_t i = 0; i < s->n; i++) {
		strvec_done(&s->v[i].gone);
		strvec_done(&s->v[i].come);
	}
	free(s->v);
	*s = (struct contrast_shifts){ 0 };
}
