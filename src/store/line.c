/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A parser of its own, because a row must come back to the last bit and needs a tenth of JSON: no nesting, no objects. The real
 * JSON parser of the program is fenced to text/, which the store may not include.
 */
#include "store/line.h"

#include "base/num.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- out ---------------------------------------------------------------------------------------------------------- */

void line_begin(struct str *out)
{
	str_putc(out, '[');
}

static void separate(struct str *out)
{
	if (out->n && out->p[out->n - 1] != '[')
		str_putc(out, ',');
}

/*
 * Length of the UTF-8 character at `s`, 0 if there is none: overlong forms, surrogates and numbers beyond U+10FFFF are not
 * characters. Reads at most to the first byte that does not fit, so a zero byte ends it.
 */
static size_t utf8_length(const unsigned char *s)
{
	size_t n = s[0] < 0x80			 ? 1
		   : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
		   : (s[0] & 0xf0) == 0xe0	 ? 3
						 : 0;

	if (s[0] >= 0xf0 && s[0] < 0xf5)
		n = 4;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

void line_text(struct str *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	separate(out);
	str_putc(out, '"');
	while (*s) {
		size_t n = utf8_length(s);

		if (n == 0)
			str_addf(out, "\\udc%02x", *s++);
		else if (*s == '"' || *s == '\\')
			str_addf(out, "\\%c", *s++);
		else if (*s < 0x20 || *s == 0x7f)
			str_addf(out, "\\u%04x", *s++);
		else {
			str_add(out, (const char *)s, n);
			s += n;
		}
	}
	str_putc(out, '"');
}

void line_int(struct str *out, int64_t v)
{
	separate(out);
	str_addf(out, "%lld", (long long)v);
}

/* A real always shows that it is one, so that it comes back as one. */
void line_real(struct str *out, double v)
{
	char buf[40];

	separate(out);
	snprintf(buf, sizeof(buf), "%.17g", v);
	str_puts(out, buf);
	if (!strpbrk(buf, ".e"))
		str_puts(out, ".0");
}

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void line_blob(struct str *out, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	separate(out);
	str_putc(out, '"');
	for (size_t i = 0; i < n; i += 3) {
		size_t have = n - i < 3 ? n - i : 3;
		uint32_t v = (uint32_t)p[i] << 16 | (have > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
			     (have > 2 ? p[i + 2] : 0);
		char quad[4];

		for (unsigned k = 0; k < 4; k++)
			quad[k] = k <= have ? base64_digits[v >> (18 - 6 * k) & 63] : '=';
		str_add(out, quad, 4);
	}
	str_putc(out, '"');
}

void line_null(struct str *out)
{
	separate(out);
	str_puts(out, "null");
}

void line_end(struct str *out)
{
	str_puts(out, "]\n");
}

/* --- in ----------------------------------------------------------------------------------------------------------- */

struct scan {
	const char *start, *p, *end;
};

static int bad(const struct scan *s, const char *why, struct err *e)
{
	return err_set(e, ERR_BROKEN, "column %zu: %s", (size_t)(s->p - s->start) + 1, why);
}

static int hex4(const struct scan *s, const char *at)
{
	int v = 0;

	if (s->end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdef";
		char c = at[i] >= 'A' && at[i] <= 'F' ? (char)(at[i] + 32) : at[i];
		const char *d = c ? strchr(digits, c) : NULL;

		if (!d)
			return -1;
		v = v * 16 + (int)(d - digits);
	}
	return v;
}

static void put_utf8(struct str *out, unsigned c)
{
	if (c < 0x80) {
		str_putc(out, (char)c);
	} else if (c < 0x800) {
		str_putc(out, (char)(0xc0 | c >> 6));
		str_putc(out, (char)(0x80 | (c & 63)));
	} else if (c < 0x10000) {
		str_putc(out, (char)(0xe0 | c >> 12));
		str_putc(out, (char)(0x80 | (c >> 6 & 63)));
		str_putc(out, (char)(0x80 | (c & 63)));
	} else {
		str_putc(out, (char)(0xf0 | c >> 18));
		str_putc(out, (char)(0x80 | (c >> 12 & 63)));
		str_putc(out, (char)(0x80 | (c >> 6 & 63)));
		str_putc(out, (char)(0x80 | (c & 63)));
	}
}

/* At the 'u' of \uXXXX. */
static int parse_unicode(struct scan *s, struct str *out, struct err *e)
{
	int c = hex4(s, s->p + 1);

	if (c <= 0)
		return bad(s, "bad \\u escape", e);
	s->p += 5;
	if (c >= 0xd800 && c < 0xdc00) {
		int low = s->end - s->p > 2 && s->p[0] == '\\' && s->p[1] == 'u' ? hex4(s, s->p + 2)
										 : -1;

		if (low < 0xdc00 || low > 0xdfff)
			return bad(s, "half of a surrogate pair", e);
		s->p += 6;
		put_utf8(out, 0x10000 + ((unsigned)(c - 0xd800) << 10) + (unsigned)(low - 0xdc00));
	} else if (c >= 0xdc80 && c <= 0xdcff) {
		str_putc(out, (char)(c & 0xff));
	} else if (c >= 0xdc00 && c <= 0xdfff) {
		return bad(s, "half of a surrogate pair", e);
	} else {
		put_utf8(out, (unsigned)c);
	}
	return 0;
}

static int parse_escape(struct scan *s, struct str *out, struct err *e)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;

	s->p++;
	if (s->p < s->end && *s->p == 'u')
		return parse_unicode(s, out, e);
	at = s->p < s->end && *s->p ? strchr(from, *s->p) : NULL;
	if (!at)
		return bad(s, "bad escape", e);
	str_putc(out, to[at - from]);
	s->p++;
	return 0;
}

static int parse_text(struct scan *s, struct cell *c, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;

	for (s->p++; s->p < s->end && *s->p != '"';) {
		const char *run = s->p;
		int r = 0;

		if (*s->p == '\\') {
			r = parse_escape(s, &text, e);
		} else if ((unsigned char)*s->p < 0x20) {
			r = bad(s, "control character in a string", e);
		} else {
			while (s->p < s->end && *s->p != '"' && *s->p != '\\' &&
			       (unsigned char)*s->p >= 0x20)
				s->p++;
			str_add(&text, run, (size_t)(s->p - run));
		}
		if (r < 0)
			return r;
	}
	if (s->p == s->end)
		return bad(s, "string without an end", e);
	s->p++;
	c->kind = CELL_TEXT;
	c->n = text.n;
	c->text = str_take(&text);
	return 0;
}

static int parse_number(struct scan *s, struct cell *c, struct err *e)
{
	char buf[64], *end;
	const char *real_end;
	size_t n = 0;

	while (s->p + n < s->end && n < sizeof(buf) - 1 && strchr("+-.eE0123456789", s->p[n]) &&
	       s->p[n])
		n++;
	memcpy(buf, s->p, n);
	buf[n] = '\0';
	if (strpbrk(buf, ".eE")) {
		if (!num_scan_double(buf, &real_end, &c->d, NULL) || *real_end)
			return bad(s, "bad number", e);
		c->kind = CELL_REAL;
	} else {
		errno = 0;
		c->i = strtoll(buf, &end, 10);
		if (n == 0 || end == buf || *end || errno)
			return bad(s, "bad value", e);
		c->kind = CELL_INT;
	}
	s->p += n;
	return 0;
}

static int parse_cell(struct scan *s, struct cell *c, struct err *e)
{
	if (s->p < s->end && *s->p == '"')
		return parse_text(s, c, e);
	if (s->end - s->p >= 4 && !memcmp(s->p, "null", 4)) {
		s->p += 4;
		c->kind = CELL_NULL;
		return 0;
	}
	return parse_number(s, c, e);
}

int line_parse(const char *line, size_t n, struct cells *ret, struct err *e)
{
	AUTO(cells) struct cells out = { 0 };
	struct scan s = { .start = line, .p = line, .end = line + n };

	if (n < 2 || *s.p != '[')
		return bad(&s, "not an array", e);
	do {
		s.p++;

		int r = parse_cell(&s, ARRAY_GROW(&out), e);

		if (r < 0)
			return r;
	} while (s.p < s.end && *s.p == ',');
	if (s.end - s.p != 1 || *s.p != ']')
		return bad(&s, "',' or ']' expected", e);
	*ret = out;
	out = (struct cells){ 0 };
	return 0;
}

void cells_done(struct cells *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].text);
	free(c->v);
	*c = (struct cells){ 0 };
}

bool base64_decode(const char *text, size_t n, struct str *out)
{
	if (n % 4)
		return false;
	for (size_t i = 0; i < n; i += 4) {
		uint32_t v = 0;
		unsigned bytes = 3;
		char b[3];

		if (i + 4 == n && text[i + 3] == '=')
			bytes = text[i + 2] == '=' ? 1 : 2;
		for (unsigned k = 0; k < 4; k++) {
			const char *d = text[i + k] ? strchr(base64_digits, text[i + k]) : NULL;

			if (!d && k <= bytes)
				return false;
			v = v << 6 | (d ? (uint32_t)(d - base64_digits) : 0);
		}
		b[0] = (char)(v >> 16);
		b[1] = (char)(v >> 8);
		b[2] = (char)v;
		str_add(out, b, bytes);
	}
	return true;
}
