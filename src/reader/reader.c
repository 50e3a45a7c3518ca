/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader - the table of formats, and what holds for all of them.
 *
 * Values are folded into one sum per metric while they come, so a benchmark that prints ten million iterations needs no
 * more memory than one that prints ten.
 */
#include "reader/reader.h"

#include "reader/formats.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { METRICS_MAX = 1000 };

const struct reader *const readers[] = {
	&reader_lines,
	&reader_regex,
	&reader_exit_status,
	&reader_stress_ng,
	NULL,
};

struct gathered {
	char *metric, *unit;
	size_t metric_n, unit_n;
	long double sum;
	uint64_t n;
	double resolution;
};

struct gather {
	struct gathered *v;
	size_t n, cap;
	size_t last; /* iterations repeat their metrics in order: look behind the last one first */
	size_t lines, other_lines;
	struct reader_result *ret;
};

void reader_result_done(struct reader_result *r)
{
	readings_done(&r->readings);
}

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

void gather_problem(struct gather *g, const char *metric, size_t metric_n, const char *fmt, ...)
{
	struct reader_result *r = g->ret;
	va_list ap;

	if (r->problem[0])
		return;
	va_start(ap, fmt);
	vsnprintf(r->problem, sizeof(r->problem), fmt, ap);
	va_end(ap);
	/* Whatever a benchmark printed: the message stays one line of text. */
	for (char *p = r->problem; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	if (metric)
		snprintf(r->problem_metric, sizeof(r->problem_metric), "%.*s", (int)metric_n,
			 metric);
}

static struct gathered *find(struct gather *g, const char *metric, size_t n)
{
	for (size_t k = 0; k < g->n; k++) {
		size_t i = (g->last + k) % g->n;

		if (g->v[i].metric_n == n && !memcmp(g->v[i].metric, metric, n)) {
			g->last = i + 1;
			return &g->v[i];
		}
	}
	return NULL;
}

void gather_add(struct gather *g, const char *metric, size_t metric_n, const char *unit,
		size_t unit_n, double value, double resolution)
{
	if (g->ret->problem[0])
		return;
	if (!isfinite(value)) {
		gather_problem(g, metric, metric_n, "metric '%.*s' is not a finite number",
			       (int)metric_n, metric);
		return;
	}
	struct gathered *x = find(g, metric, metric_n);

	if (x && (x->unit_n != unit_n || memcmp(x->unit, unit, unit_n) != 0)) {
		gather_problem(g, metric, metric_n,
			       "metric '%.*s' is printed in '%s' and in '%.*s' by one run",
			       (int)metric_n, metric, x->unit, (int)unit_n, unit);
		return;
	}
	if (!x && g->n >= METRICS_MAX) {
		gather_problem(g, NULL, 0, "more than %d different metrics in one run",
			       METRICS_MAX);
		return;
	}
	if (!x) {
		x = ARRAY_GROW(g);
		*x = (struct gathered){ xstrndup(metric, metric_n),
					xstrndup(unit, unit_n),
					metric_n,
					unit_n,
					0,
					0,
					resolution };
	}
	if (value < 0 && is_time(x->unit))
		gather_problem(g, metric, metric_n, "metric '%s' is a negative time: %g %s",
			       x->metric, value, x->unit);
	x->sum += value;
	x->n++;
	x->resolution = fmin(x->resolution, resolution);
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

int reader_find(const char *name, const struct reader **ret, struct err *e)
{
	AUTO(str) struct str list = STR_INIT;
	const char *near = NULL;
	unsigned best = 3;

	if (!name)
		name = "lines";
	for (const struct reader *const *r = readers; *r; r++) {
		unsigned d = str_distance(name, (*r)->name);

		if (d == 0) {
			*ret = *r;
			return 0;
		}
		if (d < best) {
			best = d;
			near = (*r)->name;
		}
		str_addf(&list, "%s%s", list.n ? ", " : "", (*r)->name);
	}
	if (near)
		return err_set(e, ERR_USAGE, "no reader '%s', did you mean '%s'?", name, near);
	return err_set(e, ERR_USAGE, "no reader '%s'; there are: %s", name, list.p);
}

int reader_read(const struct reader *r, const struct reader_input *in, struct reader_result *ret,
		struct err *e)
{
	struct gather g = { .ret = ret };

	*ret = (struct reader_result){ 0 };
	int x = r->read(in, &g, e);

	for (size_t i = 0; i < g.n; i++) {
		struct gathered *m = &g.v[i];
		double mean = (double)(m->sum / (long double)m->n);

		readings_add(&ret->readings, m->metric, m->unit, mean, m->resolution / (double)m->n,
			     better_guess(m->metric, m->unit), false);
		free(m->metric);
		free(m->unit);
	}
	free(g.v);
	ret->whole = g.lines && !g.other_lines;
	return x;
}
