/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One reader of UTF-8 decides what a character is; the writers differ only in what they do with the visible ones. Removing what is dangerous was
 * refused: two names that differ in a hidden character would then read the same.
 */
#include "text/escape.h"

#include "text/table.h"

#include <stdint.h>
#include <string.h>

/* The next code point and its length; 0xfffd for a byte that is no text. */
static uint32_t next_point(const char *p, size_t *ret_n)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)p;
	size_t n = s[0] < 0x80		 ? 1
		   : (s[0] >> 5) == 6	 ? 2
		   : (s[0] >> 4) == 0xe	 ? 3
		   : (s[0] >> 3) == 0x1e ? 4
					 : 0;
	uint32_t c = n <= 1 ? s[0] : s[0] & (0xffu >> (n + 1));

	*ret_n = 1;
	if (!n)
		return 0xfffd;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0xfffd;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0xfffd;
	*ret_n = n;
	return c;
}

/* Steers a terminal or the order of the letters, or is not seen at all. */
static bool is_hidden(uint32_t c)
{
	static const uint32_t ranges[][2] = {
		{ 0, 0x1f },	    { 0x7f, 0x9f },	{ 0xad, 0xad },	    { 0x61c, 0x61c },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (c >= ranges[i][0] && c <= ranges[i][1])
			return true;
	return false;
}

void escape_plain(struct str *out, const char *text)
{
	size_t n;

	for (const char *p = text; *p; p += n) {
		uint32_t c = next_point(p, &n);

		if (c == '\n' || c == '\t' || c == '\r')
			str_putc(out, ' ');
		else if (c == 0xfffd)
			str_puts(out, "\xef\xbf\xbd");
		else if (is_hidden(c))
			str_addf(out, "<U+%04X>", c);
		else
			str_add(out, p, n);
	}
}

void escape_plain_cut(struct str *out, const char *text, size_t columns)
{
	AUTO(str) struct str plain = STR_INIT;

	escape_plain(&plain, text);
	if (text_columns(plain.p) <= columns) {
		str_puts(out, plain.p);
		return;
	}
	str_cut(&plain, text_fit(plain.p, columns > 2 ? columns - 2 : 0));
	str_trim_end(&plain);
	str_addf(out, "%s..", plain.p);
}

void escape_html(struct str *out, const char *text)
{
	AUTO(str) struct str plain = STR_INIT;

	escape_plain(&plain, text);
	for (size_t i = 0; i < plain.n; i++) {
		const char *entity = plain.p[i] == '<'	  ? "&lt;"
				     : plain.p[i] == '>'  ? "&gt;"
				     : plain.p[i] == '&'  ? "&amp;"
				     : plain.p[i] == '"'  ? "&quot;"
				     : plain.p[i] == '\'' ? "&#39;"
							  : NULL;

		if (entity)
			str_puts(out, entity);
		else
			str_putc(out, plain.p[i]);
	}
}

void escape_markdown(struct str *out, const char *text)
{
	AUTO(str) struct str plain = STR_INIT;

	escape_plain(&plain, text);
	for (size_t i = 0; i < plain.n; i++) {
		/* at the beginning of a line a few more are markup */
		if (strchr("\\`*_[]<>|~&$", plain.p[i]) || (!i && strchr("#+-=", plain.p[i])))
			str_putc(out, '\\');
		str_putc(out, plain.p[i]);
	}
}

static bool is_ascii(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s >= 0x80)
			return false;
	return true;
}

/* One encoded word is at most 75 characters: 45 bytes at a time, never within a character. */
static void put_encoded(struct str *out, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t left = strlen(text);

	for (bool first = true; left; first = false) {
		size_t n = left < 36 ? left : 36;

		while (n < left && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--;
		str_puts(out, first ? "=?UTF-8?B?" : "\n =?UTF-8?B?");
		for (size_t i = 0; i < n; i += 3) {
			uint32_t v = (uint32_t)(unsigned char)text[i] << 16;

			if (i + 1 < n)
				v |= (uint32_t)(unsigned char)text[i + 1] << 8;
			if (i + 2 < n)
				v |= (uint32_t)(unsigned char)text[i + 2];
			str_putc(out, digits[v >> 18]);
			str_putc(out, digits[v >> 12 & 63]);
			str_putc(out, i + 1 < n ? digits[v >> 6 & 63] : '=');
			str_putc(out, i + 2 < n ? digits[v & 63] : '=');
		}
		str_puts(out, "?=");
		text += n;
		left -= n;
	}
}

void escape_header(struct str *out, const char *text, size_t column)
{
	enum { WIDTH = 76 };
	AUTO(str) struct str plain = STR_INIT;

	escape_plain(&plain, text);
	if (!is_ascii(plain.p)) {
		put_encoded(out, plain.p);
		return;
	}
	for (const char *p = plain.p; *p;) {
		size_t spaces = strspn(p, " "), n = spaces + strcspn(p + spaces, " ");

		if (spaces && column + n > WIDTH && p != plain.p) {
			str_puts(out, "\n");
			column = 0;
		}
		str_add(out, p, n);
		column += n;
		p += n;
	}
}
