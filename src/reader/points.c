/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a first word that reads as a number is, is never guessed: in a file without labels a line has one number. So a column of years beside
 * the values is an error that names the option, not a series of nonsense.
 */
#include "reader/points.h"

#include "base/str.h"
#include "reader/scan.h"

#include <math.h>
#include <string.h>

enum { MOST_SHOWN = 60 };

struct parse {
	struct points *ret;
	const char *name; /* of the file */
	unsigned line;
	bool labels;	  /* asked for */
	bool is_labelled; /* as the first line was */
	struct {
		double *v;
		size_t n, cap;
	} values; /* of one line */
};

void points_done(struct points *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].label);
	free(p->v);
	free(p->unit);
	*p = (struct points){ 0 };
}

static int refuse(const struct parse *p, struct err *e, const char *what, const char *text,
		  size_t n)
{
	return err_set(e, ERR_USAGE, "%s:%u: %s: '%.*s'", p->name, p->line, what,
		       (int)(n < MOST_SHOWN ? n : MOST_SHOWN), text);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next word of [*at, end), without a `,` or `;` behind it; false at the end. */
static bool next_word(const char **at, const char *end, const char **ret, size_t *ret_n)
{
	const char *p = *at;

	while (p < end && is_blank(*p))
		p++;
	*ret = p;
	while (p < end && !is_blank(*p))
		p++;
	*at = p;
	*ret_n = (size_t)(p - *ret);
	if (*ret_n > 1 && ((*ret)[*ret_n - 1] == ',' || (*ret)[*ret_n - 1] == ';'))
		(*ret_n)--;
	return *ret_n > 0;
}

/* The whole word as a number. */
static enum scan_value number(const char *word, size_t n, double *ret, double *ret_resolution)
{
	const char *behind = word;
	enum scan_value is = scan_value(word, word + n, &behind, ret, ret_resolution);

	return behind == word + n ? is : SCAN_NONE;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare_doubles);
	return n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

static int take_unit(struct parse *p, const char *word, size_t n, struct err *e)
{
	struct points *ret = p->ret;

	if (!p->values.n || scan_unit(word, word + n) != n)
		return refuse(p, e, "not a number", word, n);
	if (!ret->unit)
		ret->unit = xstrndup(word, n);
	if (strlen(ret->unit) != n || memcmp(ret->unit, word, n) != 0)
		return err_set(e, ERR_USAGE, "%s:%u: the unit changes from '%s' to '%.*s'", p->name,
			       p->line, ret->unit, (int)(n < MOST_SHOWN ? n : MOST_SHOWN), word);
	return 0;
}

/* Numbers up to the end of the line, the last word may be their unit. */
static int take_values(struct parse *p, const char *at, const char *end, struct err *e)
{
	const char *word;
	size_t n;

	p->values.n = 0;
	while (next_word(&at, end, &word, &n)) {
		double value, resolution;

		switch (number(word, n, &value, &resolution)) {
		case SCAN_NOT_FINITE:
			return refuse(p, e, "not a finite number", word, n);
		case SCAN_NONE:
			if (at < end)
				return refuse(p, e, "not a number", word, n);
			return take_unit(p, word, n, e);
		case SCAN_VALUE:
			ARRAY_PUSH(&p->values, value);
			if (!(p->ret->resolution > 0 && p->ret->resolution < resolution))
				p->ret->resolution = resolution;
			break;
		}
	}
	return 0;
}

static int one_line(struct parse *p, const char *line, size_t n, struct err *e)
{
	const char *at = line, *end = line + n, *word;
	double unused[2];
	size_t word_n = 0;
	bool has_label = next_word(&at, end, &word, &word_n) &&
			 (p->labels || number(word, word_n, &unused[0], &unused[1]) == SCAN_NONE);
	int r;

	if (!p->ret->n)
		p->is_labelled = has_label;
	if (has_label != p->is_labelled)
		return refuse(
			p, e,
			has_label
				? "a label, where the lines above have none"
				: "a number for a label (--labels allows that), or a missing label",
			line, n);
	if ((r = take_values(p, has_label ? at : line, end, e)) < 0)
		return r;
	if (!p->values.n)
		return refuse(p, e, "a label without a value", line, n);
	if (!has_label && p->values.n > 1)
		return refuse(
			p, e,
			"several numbers without a label (--labels takes the first for the label)",
			line, n);
	struct point *x = ARRAY_GROW(p->ret);

	if (has_label && word[word_n - 1] == ':')
		word_n--;
	x->label = has_label ? xstrndup(word, word_n) : NULL;
	x->value = median(p->values.v, p->values.n);
	x->line = p->line;
	return 0;
}

int points_parse(const char *text, size_t text_n, const char *name, bool labels, struct points *ret,
		 struct err *e)
{
	struct points got = { 0 };
	struct parse p = { .ret = &got,
			   .name = strcmp(name, "-") ? name : "standard input",
			   .labels = labels };
	const char *at = text, *line;
	size_t n;
	int r = 0;

	while (r == 0 && scan_line(&at, text + text_n, &line, &n)) {
		const char *comment = memchr(line, '#', n);

		p.line++;
		if (comment)
			n = (size_t)(comment - line);
		while (n && is_blank(line[n - 1]))
			n--;
		if (n)
			r = one_line(&p, line, n, e);
	}
	free(p.values.v);
	if (r == 0 && !got.n)
		r = err_set(e, ERR_USAGE, "%s: no number in it", p.name);
	if (r < 0) {
		points_done(&got);
		return r;
	}
	if (!got.unit)
		got.unit = xstrdup("");
	*ret = got;
	return 0;
}
