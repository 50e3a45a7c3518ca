/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/str.h"

#include <stdio.h>
#include <string.h>

char str_empty[1];

static size_t room(struct str *s, size_t n)
{
	if (s->max && s->n + n > s->max) {
		s->truncated = true;
		n = s->n < s->max ? s->max - s->n : 0;
	}
	if (n && s->n + n + 1 > s->cap) {
		size_t cap = s->cap + s->cap / 2 + 64;

		if (cap < s->n + n + 1)
			cap = s->n + n + 1;
		s->p = xreallocarray(s->p == str_empty ? NULL : s->p, cap, 1);
		s->cap = cap;
	}
	return n;
}

void str_add(struct str *s, const char *bytes, size_t n)
{
	n = room(s, n);
	if (!n)
		return;
	memcpy(s->p + s->n, bytes, n);
	s->n += n;
	s->p[s->n] = '\0';
}

void str_puts(struct str *s, const char *text)
{
	str_add(s, text, strlen(text));
}

void str_putc(struct str *s, char c)
{
	str_add(s, &c, 1);
}

void str_pad(struct str *s, char c, size_t count)
{
	count = room(s, count);
	if (!count)
		return;
	memset(s->p + s->n, c, count);
	s->n += count;
	s->p[s->n] = '\0';
}

void str_vaddf(struct str *s, const char *fmt, va_list ap)
{
	char small[256];
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n >= 0 && (size_t)n < sizeof(small)) {
		str_add(s, small, (size_t)n);
	} else if (n >= 0) {
		AUTO_FREE char *big = xmalloc((size_t)n + 1);

		vsnprintf(big, (size_t)n + 1, fmt, again);
		str_add(s, big, (size_t)n);
	}
	va_end(again);
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(s, fmt, ap);
	va_end(ap);
}

void str_clear(struct str *s)
{
	s->n = 0;
	s->truncated = false;
	if (s->p != str_empty)
		s->p[0] = '\0';
}

void str_cut(struct str *s, size_t n)
{
	if (n >= s->n)
		return;
	s->n = n;
	s->p[n] = '\0';
}

void str_trim_end(struct str *s)
{
	size_t n = s->n;

	while (n && strchr(" \t\r\n", s->p[n - 1]))
		n--;
	str_cut(s, n);
}

char *str_take(struct str *s)
{
	char *p = s->p == str_empty ? xstrdup("") : s->p;

	s->p = str_empty;
	s->n = s->cap = 0;
	s->truncated = false;
	return p;
}

void str_done(struct str *s)
{
	if (s->p != str_empty)
		free(s->p);
	*s = (struct str)STR_INIT_MAX(s->max);
}

bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

const char *str_path_tail(const char *path)
{
	const char *last = strrchr(path, '/'), *p = last;

	while (p && p > path && p[-1] != '/')
		p--;
	return p && *p != '/' ? p : last ? last + 1 : path;
}

bool ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !memcmp(s + n - m, suffix, m);
}

size_t str_columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

unsigned str_distance(const char *a, const char *b)
{
	enum { LIMIT = 64 };
	size_t n = strlen(a), m = strlen(b);
	unsigned d[3][LIMIT + 1];

	if (n > LIMIT || m > LIMIT)
		return 99;
	for (size_t j = 0; j <= m; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *cur = d[i % 3], *prev = d[(i + 2) % 3], *older = d[(i + 1) % 3];

		cur[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned best = prev[j - 1] + (a[i - 1] != b[j - 1]);

			if (prev[j] + 1 < best)
				best = prev[j] + 1;
			if (cur[j - 1] + 1 < best)
				best = cur[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    older[j - 2] + 1 < best)
				best = older[j - 2] + 1;
			cur[j] = best;
		}
	}
	return d[n % 3][m];
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	size_t len = strlen(n->word);
	unsigned limit = len < 4 ? 1 : len < 9 ? 2 : 3;
	unsigned score = str_distance(n->word, candidate);

	if (len > 1 && starts_with(candidate, n->word))
		score = 0;
	if (score <= limit && score < n->score) {
		n->best = candidate;
		n->score = score;
	}
}

/* The bytes of the character that begins at p, of n at most; 0 if it is none (RFC 3629) or a control character. */
static size_t printable_length(const unsigned char *p, size_t n)
{
	static const uint32_t least[] = { 0, 0, 0xa0, 0x800, 0x10000 };
	size_t len = *p < 0x80	 ? 1
		     : *p < 0xc2 ? 0
		     : *p < 0xe0 ? 2
		     : *p < 0xf0 ? 3
		     : *p < 0xf5 ? 4
				 : 0;

	if (len == 1)
		return *p >= 0x20 && *p != 0x7f;
	if (!len || len > n)
		return 0;
	uint32_t c = *p & (0x7fu >> len);

	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3fu);
	}
	return c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : len;
}

void str_make_printable(struct str *s)
{
	for (size_t i = 0; i < s->n;) {
		size_t len = printable_length((const unsigned char *)s->p + i, s->n - i);

		if (!len)
			s->p[i] = '?';
		i += len ? len : 1;
	}
}

void str_add_last_line(struct str *out, const struct str *text)
{
	size_t end = text->n, begin;

	while (end && strchr(" \t\r\n", text->p[end - 1]))
		end--;
	begin = end;
	while (begin && text->p[begin - 1] != '\n')
		begin--;
	size_t n = end - begin < 120 ? end - begin : 120;
	if (!n)
		return;
	str_puts(out, ": '");
	str_add(out, text->p + begin, n);
	str_puts(out, n < end - begin ? "...'" : "'");
}
