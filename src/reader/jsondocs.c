/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a value begins is told by its first two signs: {" {} [{ [[ []. A list of bare numbers is not looked for, since "[12] started" is how many
 * programs begin a line of their log.
 */
#include "reader/jsondocs.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

static bool is_begin(const char *p, const char *end)
{
	if (p >= end || (*p != '{' && *p != '['))
		return false;
	const char *q = skip_blanks(p + 1, end);

	if (q >= end)
		return true;
	return *p == '{' ? *q == '"' || *q == '}' : *q == '{' || *q == '[' || *q == ']';
}

/* The first beginning at or behind p, where p itself counts as the beginning of a line; NULL if there is none. */
static const char *find_begin(const char *p, const char *end)
{
	while (p < end) {
		p = skip_blanks(p, end);
		if (is_begin(p, end))
			return p;
		p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
		if (!p)
			return NULL;
	}
	return NULL;
}

static size_t mark(const char *text, size_t n)
{
	return n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

bool jsondocs_sniff(const char *text, size_t n, bool *ret_at_once)
{
	const char *begin = text + mark(text, n), *end = text + n;
	const char *at = find_begin(begin, end);

	*ret_at_once = at && at == skip_blanks(begin, end);
	return at;
}

void jsondocs_init(struct jsondocs *d, const char *text, size_t n, const char *name)
{
	*d = (struct jsondocs){
		.at = text + mark(text, n),
		.end = text + n,
		.counted = text,
		.name = name,
		.line = 1,
		.clean = STR_INIT,
	};
}

void jsondocs_done(struct jsondocs *d)
{
	str_done(&d->clean);
}

/* Lines are counted from where they were counted last, so that many values cost no more than one. */
static unsigned line_at(struct jsondocs *d, const char *p)
{
	while (d->counted < p) {
		const char *newline = memchr(d->counted, '\n', (size_t)(p - d->counted));

		if (!newline)
			break;
		d->line++;
		d->counted = newline + 1;
	}
	return d->line;
}

int jsondocs_next(struct jsondocs *d, struct json **ret, struct err *e)
{
	const char *begin = find_begin(d->at, d->end);
	size_t used = 0;

	if (!begin)
		return 0;
	unsigned line = line_at(d, begin);
	int r = json_parse_next(begin, (size_t)(d->end - begin), d->name, line, ret, &used, e);

	/* The rest is cleaned once, not once for each value. */
	if (r < 0 && !d->is_clean) {
		d->is_clean = true;
		if (!json_without_nan(begin, (size_t)(d->end - begin), &d->clean))
			return r;
		begin = d->counted = d->clean.p;
		d->end = begin + d->clean.n;
		r = json_parse_next(begin, d->clean.n, d->name, line, ret, &used, e);
	}
	if (r < 0)
		return r;
	d->at = begin + used;
	return 1;
}
