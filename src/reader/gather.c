/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without `keep` values are folded into one sum per metric while they come, so a benchmark that prints ten million iterations needs no
 * more memory than one that prints ten. Metrics mostly come in the same order again: the one behind the last is looked at first, then a
 * table by open addressing.
 */
#include "reader/gather.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NOTES_MAX = 100 };

struct gathered {
	struct series s; /* its name without the benchmark's */
	size_t bench;	 /* number in benches */
	size_t metric_n;
	long double sum;
	uint64_t n;
};

struct gather {
	struct gathered *v;
	size_t n, cap;
	size_t last;
	uint32_t *slot; /* 1 + index in v; a power of two of them */
	size_t slots;
	struct strvec benches; /* the first is "" */
	size_t bench;
	struct strvec notes;
	size_t lines, other_lines, most;
	bool keep;
	char problem[300], problem_metric[80];
};

struct gather *gather_new(bool keep, size_t most)
{
	struct gather *g = xcalloc(1, sizeof(*g));

	g->keep = keep;
	g->most = most;
	strvec_add(&g->benches, "");
	return g;
}

void gather_free(struct gather *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		series_done(&g->v[i].s);
	free(g->v);
	free(g->slot);
	strvec_done(&g->benches);
	strvec_done(&g->notes);
	free(g);
}

void gather_problem(struct gather *g, const char *metric, size_t metric_n, const char *fmt, ...)
{
	va_list ap;

	if (g->problem[0])
		return;
	va_start(ap, fmt);
	vsnprintf(g->problem, sizeof(g->problem), fmt, ap);
	va_end(ap);
	/* Whatever a benchmark printed: the message stays one line of text. */
	for (char *p = g->problem; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	if (metric)
		snprintf(g->problem_metric, sizeof(g->problem_metric), "%.*s", (int)metric_n,
			 metric);
}

void gather_note(struct gather *g, const char *fmt, ...)
{
	AUTO(str) struct str s = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	str_make_printable(&s);
	for (size_t i = 0; i < g->notes.n; i++)
		if (!strcmp(g->notes.v[i], s.p))
			return;
	if (g->notes.n < NOTES_MAX)
		strvec_add(&g->notes, s.p);
}

const char *gather_why(const struct gather *g, const char **ret_metric)
{
	if (ret_metric)
		*ret_metric = g->problem_metric;
	return g->problem;
}

bool gather_has_problem(const struct gather *g)
{
	return g->problem[0] != '\0';
}

/* --- benchmarks and metrics ----------------------------------------------------------------------------------------- */

static bool is_bench(const struct gather *g, size_t i, const char *name, size_t n)
{
	return strlen(g->benches.v[i]) == n && !memcmp(g->benches.v[i], name, n);
}

void gather_bench(struct gather *g, const char *name, size_t n)
{
	/* Repetitions give one benchmark again and again, or all of them in turn. A name that is met again elsewhere is listed twice here, which
	 * costs nothing but its place: metrics are found by the names themselves. */
	const size_t near[] = { g->bench, g->bench + 1, 1 };

	for (size_t i = 0; i < ARRAY_LEN(near); i++)
		if (near[i] < g->benches.n && is_bench(g, near[i], name, n)) {
			g->bench = near[i];
			return;
		}
	AUTO_FREE char *copy = xstrndup(name, n);

	g->bench = g->benches.n;
	strvec_add(&g->benches, copy);
}

static uint32_t hash(const char *bench, const char *metric, size_t n)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *bench; bench++)
		h = (h ^ (unsigned char)*bench) * 16777619u;
	h = (h ^ 0xff) * 16777619u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)metric[i]) * 16777619u;
	return h;
}

static bool is_metric(const struct gather *g, size_t i, const char *metric, size_t n)
{
	const struct gathered *x = &g->v[i];

	return x->metric_n == n && !memcmp(x->s.metric, metric, n) &&
	       (x->bench == g->bench || !strcmp(x->s.bench, g->benches.v[g->bench]));
}

static void grow_slots(struct gather *g)
{
	if (2 * (g->n + 1) <= g->slots)
		return;
	free(g->slot);
	g->slots = g->slots ? 2 * g->slots : 64;
	g->slot = xcalloc(g->slots, sizeof(*g->slot));
	for (size_t i = 0; i < g->n; i++) {
		size_t k = hash(g->v[i].s.bench, g->v[i].s.metric, g->v[i].metric_n);

		while (g->slot[k & (g->slots - 1)])
			k++;
		g->slot[k & (g->slots - 1)] = (uint32_t)i + 1;
	}
}

/* The metric of the present benchmark; *ret_slot is where a new one belongs. */
static struct gathered *find(struct gather *g, const char *metric, size_t n, uint32_t **ret_slot)
{
	size_t i = g->last + 1 < g->n ? g->last + 1 : 0;

	if (g->n && is_metric(g, g->last, metric, n))
		return &g->v[g->last];
	if (g->n && is_metric(g, i, metric, n)) {
		g->last = i;
		return &g->v[i];
	}
	grow_slots(g);
	for (size_t k = hash(g->benches.v[g->bench], metric, n);; k++) {
		uint32_t *slot = &g->slot[k & (g->slots - 1)];

		if (!*slot) {
			*ret_slot = slot;
			return NULL;
		}
		if (is_metric(g, *slot - 1, metric, n)) {
			g->last = *slot - 1;
			return &g->v[g->last];
		}
	}
}

/* --- values --------------------------------------------------------------------------------------------------------- */

static bool is_time(const char *unit)
{
	static const char *const units[] = { "s",   "ms",   "us",      "µs",  "ns",
					     "sec", "secs", "seconds", "min", "h" };
	size_t n = strcspn(unit, "/");

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (strlen(units[i]) == n && !strncasecmp(unit, units[i], n))
			return true;
	return false;
}

/*
 * The unit of the last digit of `value`, at most 1. Of fifteen digits, which every double keeps: what a program has computed (0.1 + 0.2) is
 * often written with noise in the seventeenth, and that is not what it can tell apart.
 */
static double resolution_of(double value)
{
	char text[40];

	if (value == rint(value))
		return 1;
	snprintf(text, sizeof(text), "%.*e", DBL_DIG - 1, value);

	char *e = strchr(text, 'e');
	int last = atoi(e + 1) - (DBL_DIG - 1);

	for (char *p = e - 1; *p == '0'; p--)
		last++;
	return fmin(1, pow(10, last));
}

/* Is it a multiple of what is known to be printed? Then its digits say nothing new. Most samples end here. */
static bool is_coarser(double value, double resolution)
{
	double steps = value / resolution;

	return resolution > 0 && (fabs(steps) > 1e11 || fabs(steps - rint(steps)) < 1e-5);
}

static void fold(struct gather *g, struct gathered *x, double value, double resolution)
{
	if (resolution < 0)
		resolution = x->n && is_coarser(value, x->s.resolution) ? x->s.resolution
									: resolution_of(value);
	x->s.resolution = x->n ? fmin(x->s.resolution, resolution) : resolution;
	x->sum += value;
	x->n++;
	if (g->keep)
		ARRAY_PUSH(&x->s, value);
}

static struct gathered *add_metric(struct gather *g, const char *metric, size_t metric_n,
				   const char *unit, size_t unit_n, uint32_t *slot)
{
	if (g->n >= g->most) {
		gather_problem(g, NULL, 0, "more than %zu different metrics in one %s", g->most,
			       g->keep ? "file" : "run");
		return NULL;
	}
	struct gathered *x = ARRAY_GROW(g);

	*slot = (uint32_t)g->n;
	g->last = g->n - 1;
	x->bench = g->bench;
	x->metric_n = metric_n;
	x->s.bench = xstrdup(g->benches.v[g->bench]);
	x->s.metric = xstrndup(metric, metric_n);
	x->s.unit = xstrndup(unit, unit_n);
	return x;
}

static void put(struct gather *g, const char *metric, size_t metric_n, const char *unit,
		size_t unit_n, const struct gather_metric *m, double value, double resolution)
{
	uint32_t *slot = NULL;

	if (g->problem[0])
		return;
	if (!isfinite(value)) {
		gather_problem(g, metric, metric_n, "metric '%.*s' is not a finite number",
			       (int)metric_n, metric);
		return;
	}
	struct gathered *x = find(g, metric, metric_n, &slot);

	if (x && (strlen(x->s.unit) != unit_n || memcmp(x->s.unit, unit, unit_n) != 0)) {
		gather_problem(g, metric, metric_n,
			       "metric '%.*s' is printed in '%s' and in '%.*s' by one run",
			       (int)metric_n, metric, x->s.unit, (int)unit_n, unit);
		return;
	}
	if (!x) {
		x = add_metric(g, metric, metric_n, unit, unit_n, slot);
		if (!x)
			return;
		x->s.better = m ? m->better : BETTER_UNKNOWN;
		x->s.side = m && m->side;
	}
	if (value < 0 && is_time(x->s.unit))
		gather_problem(g, metric, metric_n, "metric '%s' is a negative time: %g %s",
			       x->s.metric, value, x->s.unit);
	fold(g, x, value, resolution);
}

void gather_value(struct gather *g, const struct gather_metric *m, double value, double resolution)
{
	put(g, m->name, strlen(m->name), m->unit, strlen(m->unit), m, value, resolution);
}

void gather_add(struct gather *g, const char *metric, size_t metric_n, const char *unit,
		size_t unit_n, double value, double resolution)
{
	put(g, metric, metric_n, unit, unit_n, NULL, value, resolution);
}

void gather_line(struct gather *g, bool is_reading)
{
	g->lines += is_reading;
	g->other_lines += !is_reading;
}

bool gather_any(const struct gather *g)
{
	return g->n > 0;
}

bool gather_whole(const struct gather *g)
{
	return g->lines && !g->other_lines;
}

/* --- the result ----------------------------------------------------------------------------------------------------- */

/* Does more than one benchmark have values? */
static bool is_suite(const struct gather *g)
{
	const char *first = NULL;

	for (size_t i = 0; i < g->n; i++) {
		const char *bench = g->v[i].s.bench;

		if (*bench && first && strcmp(first, bench) != 0)
			return true;
		if (*bench && !first)
			first = bench;
	}
	return false;
}

const char *gather_first_note(const struct gather *g)
{
	return g->notes.n ? g->notes.v[0] : NULL;
}

static void take_notes(struct gather *g, struct strvec *ret)
{
	for (size_t i = 0; i < g->notes.n; i++)
		strvec_add(ret, g->notes.v[i]);
}

static void take_reading(const struct gathered *x, bool suite, struct readings *ret)
{
	AUTO_FREE char *name = series_name(&x->s, suite);
	double mean = (double)(x->sum / (long double)x->n);
	enum better better = x->s.better;

	if (better == BETTER_UNKNOWN)
		better = better_guess(x->s.metric, x->s.unit);
	readings_add(ret, name, x->s.unit, mean, x->s.resolution / (double)x->n, better, false);
}

/* What the benchmark is run for comes first: the first reading is the primary one where nobody names it. */
void gather_take_readings(struct gather *g, struct readings *ret, struct strvec *ret_notes)
{
	bool suite = is_suite(g);

	take_notes(g, ret_notes);
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < g->n; i++)
			if (g->v[i].s.side == side)
				take_reading(&g->v[i], suite, ret);
}

void gather_take_numbers(struct gather *g, struct numbers *ret)
{
	take_notes(g, &ret->notes);
	for (size_t i = 0; i < g->n; i++)
		ARRAY_PUSH(ret, g->v[i].s);
	g->n = 0;
}
