/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/text.h"

#include "base/num.h"
#include "reader/scan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NUMBER_MAX = 40, SHOWN_MAX = 60 };

const struct scale scale_times[] = {
	{ "s", "s", 0, 0 },	 { "ms", "s", -3, 0 },	   { "us", "s", -6, 0 },
	{ "µs", "s", -6, 0 },	 { "ns", "s", -9, 0 },	   { "sec", "s", 0, 0 },
	{ "secs", "s", 0, 0 },	 { "seconds", "s", 0, 0 }, { "msec", "s", -3, 0 },
	{ "msecs", "s", -3, 0 }, { "usec", "s", -6, 0 },   { "usecs", "s", -6, 0 },
	{ "nsec", "s", -9, 0 },	 { "nsecs", "s", -9, 0 },  { "m", "s", 0, 60 },
	{ "min", "s", 0, 60 },	 { "h", "s", 0, 3600 },	   { 0 },
};

void text_begin(struct text *t, struct gather *g, const char *program, const char *p, size_t n)
{
	*t = (struct text){ .g = g, .program = program, .at = p, .end = p + n };
	if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
		t->at += 3;
	if (g && n >= 2 && (!memcmp(p, "\xff\xfe", 2) || !memcmp(p, "\xfe\xff", 2)))
		gather_problem(g, NULL, 0,
			       "this is text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8");
}

bool text_next(struct text *t)
{
	if (!scan_line(&t->at, t->end, &t->line, &t->n))
		return false;
	t->is_cut = t->at == t->end && t->end[-1] != '\n';
	return true;
}

static const char *skip_blanks(const struct text *t, const char *p)
{
	while (p < t->line + t->n && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

const char *text_behind(const struct text *t, const char *prefix)
{
	size_t n = strlen(prefix);

	if (t->n < n || memcmp(t->line, prefix, n) != 0)
		return NULL;
	return skip_blanks(t, t->line + n);
}

const char *text_find(const struct text *t, const char *words)
{
	return memmem(t->line, t->n, words, strlen(words));
}

const char *text_word_end(const struct text *t, const char *p)
{
	while (p < t->line + t->n && *p != ' ' && *p != '\t')
		p++;
	return p;
}

const char *text_next_word(const struct text *t, const char *p)
{
	return skip_blanks(t, text_word_end(t, p));
}

static int shown(const char *p, const char *end)
{
	return (int)(end - p < SHOWN_MAX ? end - p : SHOWN_MAX);
}

static void refuse(struct text *t, const char *metric, const char *what, const char *p)
{
	const char *end = text_word_end(t, p);

	gather_problem(t->g, metric, strlen(metric), "metric '%s' of %s: '%.*s' is %s", metric,
		       t->program, shown(p, end), p, what);
}

/* "1.234,5", "1,234", "1'234": a digit follows a mark that no number of the C locale goes on with. */
static bool goes_on(const char *p, const char *end)
{
	return end - p >= 2 && (*p == ',' || *p == '.' || *p == '\'') &&
	       isdigit((unsigned char)p[1]);
}

bool text_number(struct text *t, const char **p, const char *metric, struct value *ret)
{
	const char *end = t->line + t->n, *behind = *p;

	switch (scan_value(*p, end, &behind, &ret->value, &ret->resolution)) {
	case SCAN_NONE:
		return false;
	case SCAN_NOT_FINITE:
		refuse(t, metric, "not a finite number", *p);
		return false;
	case SCAN_VALUE:
		break;
	}
	if (goes_on(behind, end)) {
		refuse(t, metric, "a number in the style of a locale: run it with LC_ALL=C", *p);
		return false;
	}
	if (t->is_cut) {
		refuse(t, metric,
		       "in a last line without its end: the output was cut (if it was not, end the line)",
		       *p);
		return false;
	}
	*p = behind;
	return true;
}

void text_add(struct text *t, const char *metric, const char *unit, enum better better,
	      const struct value *v)
{
	const struct gather_metric m = { metric, unit, better, false };

	gather_value(t->g, &m, v->value, v->resolution);
}

/*
 * 71 with ten = -3 must be the double next to 0.071, which a product with 0.001 is not always: the digits are read again with an
 * exponent.
 */
static void shift(struct value *v, const char *p, const char *end, int ten)
{
	char text[NUMBER_MAX + 12];
	const char *behind;

	if (!ten)
		return;
	if (end - p > NUMBER_MAX || memchr(p, 'e', (size_t)(end - p)) ||
	    memchr(p, 'E', (size_t)(end - p))) {
		v->value *= pow(10, ten);
		v->resolution *= pow(10, ten);
		return;
	}
	snprintf(text, sizeof(text), "%.*se%d", (int)(end - p), p, ten);
	num_scan_double(text, &behind, &v->value, &v->resolution);
}

void text_scale(struct value *v, const struct scale *s)
{
	double by = s->times > 0 ? s->times : 1, over = 1;

	if (s->ten > 0)
		by *= pow(10, s->ten);
	else
		over = pow(10, -s->ten);
	v->value = v->value * by / over;
	v->resolution = v->resolution * by / over;
}

bool text_scaled(struct text *t, const char **p, const char *metric, const struct scale *scales,
		 struct value *ret, const char **ret_unit)
{
	const char *start = *p, *behind, *unit, *unit_end;

	if (!text_number(t, p, metric, ret))
		return false;
	behind = *p;
	unit = skip_blanks(t, behind);
	unit_end = unit;
	while (unit_end < t->line + t->n && *unit_end && !strchr(" \t,;)]", *unit_end))
		unit_end++;
	for (; scales->printed; scales++)
		if (strlen(scales->printed) == (size_t)(unit_end - unit) &&
		    !memcmp(scales->printed, unit, (size_t)(unit_end - unit)))
			break;
	if (!scales->printed) {
		gather_problem(t->g, metric, strlen(metric),
			       "metric '%s' of %s has the unknown unit '%.*s': '%.*s'", metric,
			       t->program, shown(unit, unit_end), unit, shown(start, unit_end),
			       start);
		return false;
	}
	shift(ret, start, behind, scales->ten);
	if (scales->times > 0) {
		ret->value *= scales->times;
		ret->resolution *= scales->times;
	}
	*p = unit_end;
	*ret_unit = scales->unit;
	return true;
}

bool text_label(struct text *t, const struct label *labels)
{
	for (; labels->text; labels++) {
		const char *p = text_behind(t, labels->text);
		struct gather_metric m = labels->m;
		struct value v;

		if (!p)
			continue;
		if (labels->scales ? text_scaled(t, &p, m.name, labels->scales, &v, &m.unit)
				   : text_number(t, &p, m.name, &v))
			gather_value(t->g, &m, v.value, v.resolution);
		return true;
	}
	return false;
}

bool text_parts(struct text *t, const char *p, const struct gather_metric *metrics,
		size_t n_metrics)
{
	for (size_t i = 0; i < n_metrics; i++) {
		struct value v;

		if (!text_number(t, &p, metrics[i].name, &v))
			return false;
		gather_value(t->g, &metrics[i], v.value, v.resolution);
		if (i + 1 < n_metrics && (p >= t->line + t->n || *p != '/'))
			return false;
		p++;
	}
	return true;
}

bool text_sniff(const char *head, size_t n, const char *const *marks)
{
	struct text t;

	text_begin(&t, NULL, "", head, n);
	while (text_next(&t))
		for (const char *const *m = marks; *m; m++)
			if (text_behind(&t, *m))
				return true;
	return false;
}

/* The first line that says what went wrong; else the first of all. */
static const char *telling_line(const char *p, size_t n, bool *is_usage, size_t *ret_n)
{
	static const char *const words[] = { "error",	"usage",   "fail",     "cannot",
					     "can't",	"unable",  "invalid",  "unknown",
					     "no such", "refused", "not found" };
	const char *at = p, *line, *first = NULL;
	size_t line_n, first_n = 0;

	while (scan_line(&at, p + n, &line, &line_n)) {
		AUTO_FREE char *copy = xstrndup(line, line_n < 400 ? line_n : 400);

		if (line_n && !first) {
			first = line;
			first_n = line_n;
		}
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			if (strcasestr(copy, words[i])) {
				*is_usage = !strcmp(words[i], "usage");
				*ret_n = line_n;
				return line;
			}
	}
	*ret_n = first_n;
	return first;
}

void text_close(struct text *t, const struct reader_input *in, const char *hint)
{
	bool is_usage = false;
	size_t n = 0;
	const char *line = NULL;

	if (gather_any(t->g))
		return;
	if (in->err_n)
		line = telling_line(in->err, in->err_n, &is_usage, &n);
	if (!line || !n)
		line = telling_line(in->out, in->out_n, &is_usage, &n);
	if (!line || !n)
		gather_problem(t->g, NULL, 0, "%s printed nothing", t->program);
	else if (is_usage)
		gather_problem(t->g, NULL, 0, "%s printed its usage and no result: '%.*s'",
			       t->program, shown(line, line + n), line);
	else
		gather_problem(t->g, NULL, 0, "no result of %s in the output%s%s, it says '%.*s'",
			       t->program, hint ? ": " : "", hint ? hint : "",
			       shown(line, line + n), line);
}

void text_read_labels(const struct reader_input *in, struct gather *g, const char *program,
		      const struct label *labels, const char *hint)
{
	struct text t;

	for (int k = 0; k < 2; k++) {
		text_begin(&t, g, program, k ? in->err : in->out, k ? in->err_n : in->out_n);
		while (text_next(&t))
			text_label(&t, labels);
	}
	text_close(&t, in, hint);
}
