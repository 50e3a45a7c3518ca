/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines - our own contract: "name: value unit" and "name=value", one a line, or several "a=1 b=2" on one.
 *
 * Lenient about everything else on stdout: a line that does not have exactly this form is not a reading. So a log line like
 * "note: 3 files" is one; which metrics matter is decided by the benchmark's `primary`, not here. stderr is not read (that is where
 * programs talk), but if only stderr has such lines the message says so.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/scan.h"

#include <math.h>
#include <string.h>

static void take(struct gather *g, const struct scan_pair *p)
{
	if (isnan(p->value))
		gather_problem(g, p->name, p->name_n,
			       "metric '%.*s' is not a finite number: '%.*s'", (int)p->name_n,
			       p->name, (int)(p->unit - p->name + (ptrdiff_t)p->unit_n), p->name);
	else
		gather_add(g, p->name, p->name_n, p->unit, p->unit_n, p->value, p->resolution);
}

/* "a=1 b=2ms": every word a pair, or the line is none. The first pass only looks (g = NULL). */
static bool take_words(struct gather *g, const char *line, size_t n)
{
	const char *end = line + n, *p = line;

	while (p < end) {
		struct scan_pair pair;
		size_t word = 0;

		while (p + word < end && p[word] != ' ' && p[word] != '\t')
			word++;
		if (word && (!memchr(p, '=', word) || !scan_pair(p, word, &pair)))
			return false;
		if (word && g)
			take(g, &pair);
		p += word ? word : 1;
	}
	return true;
}

static bool take_line(struct gather *g, const char *line, size_t n)
{
	struct scan_pair pair;

	if (scan_pair(line, n, &pair)) {
		take(g, &pair);
		return true;
	}
	if (!memchr(line, '=', n) || !take_words(NULL, line, n))
		return false;
	return take_words(g, line, n);
}

static bool has_pairs(const char *text, size_t text_n)
{
	const char *at = text, *line;
	struct scan_pair pair;
	size_t n;

	while (scan_line(&at, text + text_n, &line, &n))
		if (n && scan_pair(line, n, &pair))
			return true;
	return false;
}

static int read_lines(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	const char *at = in->out, *line, *first = "";
	size_t n, first_n = 0;

	while (scan_line(&at, in->out + in->out_n, &line, &n)) {
		if (!n)
			continue;
		bool is_reading = take_line(g, line, n);

		gather_line(g, is_reading);
		if (!is_reading && !first_n) {
			first = line;
			first_n = n < 60 ? n : 60;
		}
	}
	if (gather_any(g))
		return 0;
	if (has_pairs(in->err, in->err_n))
		gather_problem(
			g, NULL, 0,
			"no 'name: value unit' line on standard output, but there are on standard error: add 2>&1");
	else if (first_n)
		gather_problem(g, NULL, 0,
			       "no 'name: value unit' line in the output, which begins '%.*s'",
			       (int)first_n, first);
	else
		gather_problem(g, NULL, 0, "the benchmark printed nothing");
	return 0;
}

const struct reader reader_lines = {
	.name = "lines",
	.help = "lines of the form 'name: value unit' or 'name=value'; other output is ignored",
	.read = read_lines,
};
