/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stress-ng - the table that `--metrics` and `--metrics-brief` print (0.12 to 0.17, with and without the process number in brackets):
 *
 *   stress-ng: metrc: [7] stressor   bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s
 *   stress-ng: metrc: [7]                      (secs)    (secs)    (secs)   (real time) (usr+sys time)
 *   stress-ng: metrc: [7] clone          1000     53.56      0.62      5.01        18.67         177.67
 *
 * Gives bogo-ops, bogo-ops/s (by real time) and bogo-ops/cpu-s; with several stressors each under its name: "clone bogo-ops". A stressor with its
 * name alone at the line's start is told from other lines by the six numbers. It talks on standard error; both streams are read.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/scan.h"

#include <string.h>

enum { COLUMNS = 6, OPS = 0, RATE_REAL = 4, RATE_CPU = 5 };

struct row {
	const char *name;
	size_t name_n;
	double v[COLUMNS], resolution[COLUMNS];
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* What follows "stress-ng: metrc: [7] ", or NULL. */
static const char *content(const char *line, const char *end)
{
	static const char *const marks[] = { "stress-ng: metrc: ", "stress-ng: info:  " };

	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		size_t n = strlen(marks[i]);

		if ((size_t)(end - line) <= n || strncmp(line, marks[i], n) != 0)
			continue;
		line += n;
		if (*line == '[') {
			line = memchr(line, ']', (size_t)(end - line));
			if (!line)
				return NULL;
			line++;
		}
		return skip_blanks(line, end);
	}
	return NULL;
}

static bool take_row(const char *line, size_t n, struct row *ret)
{
	const char *end = line + n, *p = content(line, end);

	if (!p)
		return false;
	ret->name = p;
	while (p < end && *p != ' ')
		p++;
	ret->name_n = (size_t)(p - ret->name);
	for (int i = 0; i < COLUMNS; i++) {
		p = skip_blanks(p, end);
		if (p == end ||
		    scan_value(p, end, &p, &ret->v[i], &ret->resolution[i]) != SCAN_VALUE)
			return false;
	}
	return ret->name_n > 0;
}

static void add(struct gather *g, const struct row *r, bool prefix, const char *metric,
		const char *unit, int column)
{
	AUTO_FREE char *name =
		prefix ? xasprintf("%.*s %s", (int)r->name_n, r->name, metric) : xstrdup(metric);

	gather_add(g, name, strlen(name), unit, strlen(unit), r->v[column], r->resolution[column]);
}

/* Counts the rows, or adds them (g not NULL). */
static size_t scan_rows(const char *text, size_t n, bool prefix, struct gather *g)
{
	const char *at = text, *line;
	size_t line_n, rows = 0;
	struct row r;

	while (scan_line(&at, text + n, &line, &line_n)) {
		if (!take_row(line, line_n, &r))
			continue;
		rows++;
		if (!g)
			continue;
		add(g, &r, prefix, "bogo-ops/s", "ops/s", RATE_REAL);
		add(g, &r, prefix, "bogo-ops", "", OPS);
		add(g, &r, prefix, "bogo-ops/cpu-s", "ops/s", RATE_CPU);
	}
	return rows;
}

static int read_stress_ng(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	size_t rows = scan_rows(in->out, in->out_n, false, NULL) +
		      scan_rows(in->err, in->err_n, false, NULL);

	scan_rows(in->out, in->out_n, rows > 1, g);
	scan_rows(in->err, in->err_n, rows > 1, g);
	if (!rows)
		gather_problem(
			g, NULL, 0,
			"no metrics of stress-ng in the output: run it with --metrics-brief");
	return 0;
}

const struct reader reader_stress_ng = {
	.name = "stress-ng",
	.help = "the table of stress-ng --metrics or --metrics-brief",
	.read = read_stress_ng,
};
