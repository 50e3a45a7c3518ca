/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/numbers.h"

#include "base/str.h"
#include "reader/scan.h"

#include <math.h>
#include <string.h>

struct parse {
	struct numbers *ret;
	const char *name; /* of the file */
	unsigned line;
	bool any_plain, any_named;
};

void series_done(struct series *s)
{
	free(s->bench);
	free(s->metric);
	free(s->unit);
	free(s->v);
}

char *series_name(const struct series *s, bool with_bench)
{
	return with_bench && s->bench && *s->bench ? xasprintf("%s %s", s->bench, s->metric)
						   : xstrdup(s->metric);
}

void numbers_done(struct numbers *s)
{
	for (size_t i = 0; i < s->n; i++)
		series_done(&s->v[i]);
	free(s->v);
	strvec_done(&s->notes);
	*s = (struct numbers){ 0 };
}

static int refuse(const struct parse *p, struct err *e, const char *what, const char *text,
		  size_t n)
{
	return err_set(e, ERR_USAGE, "%s:%u: %s: '%.*s'", p->name, p->line, what,
		       (int)(n < 60 ? n : 60), text);
}

static int add(struct parse *p, const struct scan_pair *x, struct err *e)
{
	struct series *s = NULL;

	if (!isfinite(x->value))
		return refuse(p, e, "not a finite number", x->name,
			      (size_t)(x->unit + x->unit_n - x->name));
	for (size_t i = 0; i < p->ret->n && !s; i++)
		if (strlen(p->ret->v[i].metric) == x->name_n &&
		    !memcmp(p->ret->v[i].metric, x->name, x->name_n))
			s = &p->ret->v[i];
	if (!s) {
		s = ARRAY_GROW(p->ret);
		s->metric = xstrndup(x->name, x->name_n);
		s->unit = xstrndup(x->unit, x->unit_n);
		s->resolution = x->resolution;
	}
	if (strlen(s->unit) != x->unit_n || memcmp(s->unit, x->unit, x->unit_n) != 0)
		return err_set(e, ERR_USAGE,
			       "%s:%u: metric '%.60s' changes its unit from '%s' to '%.*s'",
			       p->name, p->line, s->metric, s->unit, (int)x->unit_n, x->unit);
	ARRAY_PUSH(s, x->value);
	s->resolution = fmin(s->resolution, x->resolution);
	return 0;
}

static bool is_gap(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == ';';
}

/* "1 2 3", "1,2,3", "12.3 ms". */
static int plain_line(struct parse *p, const char *line, size_t n, struct err *e)
{
	const char *at = line, *end = line + n;

	while (at < end) {
		struct scan_pair x = { .name = "value", .name_n = 5, .unit = "" };
		const char *behind = at;
		int r;

		switch (scan_value(at, end, &behind, &x.value, &x.resolution)) {
		case SCAN_NOT_FINITE:
			return refuse(p, e, "not a finite number", at, (size_t)(behind - at));
		case SCAN_NONE:
			return refuse(p, e, "neither numbers nor 'name: value unit'", line, n);
		case SCAN_VALUE:
			break;
		}
		if (at == line) { /* only a line with one number may carry a unit */
			const char *unit = behind;

			while (unit < end && (*unit == ' ' || *unit == '\t'))
				unit++;
			x.unit_n = scan_unit(unit, end);
			if (x.unit_n && unit + x.unit_n == end) {
				x.unit = unit;
				behind = end;
			} else {
				x.unit_n = 0;
			}
		}
		if (behind + 1 < end && *behind == ',' && !is_gap(behind[1]))
			return refuse(
				p, e,
				"a comma without a blank: write decimals with '.', separate values by blanks",
				line, n);
		if (behind < end && !is_gap(*behind))
			return refuse(p, e, "neither numbers nor 'name: value unit'", line, n);
		r = add(p, &x, e);
		if (r < 0)
			return r;
		at = behind;
		while (at < end && is_gap(*at))
			at++;
	}
	return 0;
}

static int one_line(struct parse *p, const char *line, size_t n, struct err *e)
{
	struct scan_pair pair;
	bool is_named = scan_pair(line, n, &pair);

	p->any_named = p->any_named || is_named;
	p->any_plain = p->any_plain || !is_named;
	if (p->any_named && p->any_plain)
		return refuse(p, e,
			      is_named ? "a named value in a column of numbers"
				       : "expected 'name: value unit' as above",
			      line, n);
	return is_named ? add(p, &pair, e) : plain_line(p, line, n, e);
}

int numbers_parse(const char *text, size_t text_n, const char *name, struct numbers *ret,
		  bool *ret_is_begun, struct err *e)
{
	struct numbers got = { 0 };
	struct parse p = { .ret = &got, .name = strcmp(name, "-") ? name : "standard input" };
	const char *at = text, *line;
	size_t n;
	int r = 0;

	while (r == 0 && scan_line(&at, text + text_n, &line, &n)) {
		const char *comment = memchr(line, '#', n);

		p.line++;
		if (comment)
			n = (size_t)(comment - line);
		while (n && is_gap(line[n - 1]))
			n--;
		if (n)
			r = one_line(&p, line, n, e);
	}
	if (r == 0 && !got.n)
		r = err_set(e, ERR_USAGE, "%s: no number in it", p.name);
	if (ret_is_begun)
		*ret_is_begun = got.n > 0;
	if (r < 0) {
		numbers_done(&got);
		return r;
	}
	*ret = got;
	return 0;
}
