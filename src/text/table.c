/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/table.h"

#include <stdint.h>
#include <string.h>

enum { GAP = 2, NARROWEST = 8 };

void text_put(struct str *out, enum text_style style, bool color, const char *text)
{
	static const char *const on[] = { "",	      "\033[1m",  "\033[2m",
					  "\033[32m", "\033[31m", "\033[33m" };

	if (color && style != TEXT_PLAIN && *text)
		str_addf(out, "%s%s\033[0m", on[style], text);
	else
		str_puts(out, text);
}

#define ZERO_WIDTH_JOINER 0x200d /* what stands on its two sides is shown as one */

/* Decodes the character at *p and steps over it; a byte that is no text counts as itself. */
static uint32_t next_char(const char **p)
{
	const unsigned char *s = (const unsigned char *)*p;
	unsigned n = s[0] < 0xc0 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	uint32_t c = n == 1 ? s[0] : s[0] & (0xffu >> (n + 1));

	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80) {
			n = 1;
			c = s[0];
			break;
		}
		c = c << 6 | (s[i] & 0x3f);
	}
	*p += n;
	return c;
}

/* The ranges that matter in names and subjects, from Unicode's EastAsianWidth (W, F) and general
 * category Mn. */
static unsigned char_columns(uint32_t c)
{
	static const struct {
		uint32_t first, last;
		unsigned columns;
	} ranges[] = {
		{ 0x300, 0x36f, 0 },	 { 0x483, 0x489, 0 },	  { 0x591, 0x5bd, 0 },
		{ 0x64b, 0x65f, 0 },	 { 0x1100, 0x115f, 2 },	  { 0x200b, 0x200f, 0 },
		{ 0x20d0, 0x20f0, 0 },	 { 0x2e80, 0x303e, 2 },	  { 0x3041, 0x33ff, 2 },
		{ 0x3400, 0x4dbf, 2 },	 { 0x4e00, 0x9fff, 2 },	  { 0xa000, 0xa4cf, 2 },
		{ 0xac00, 0xd7a3, 2 },	 { 0xf900, 0xfaff, 2 },	  { 0xfe00, 0xfe0f, 0 },
		{ 0xfe30, 0xfe6f, 2 },	 { 0xff00, 0xff60, 2 },	  { 0xffe0, 0xffe6, 2 },
		{ 0x1f300, 0x1f64f, 2 }, { 0x1f900, 0x1f9ff, 2 }, { 0x20000, 0x3fffd, 2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return ranges[i].columns;
	return 1;
}

size_t text_columns(const char *text)
{
	size_t n = 0;

	while (*text) {
		/* our own colours take no place */
		if (starts_with(text, "\033[")) {
			text += 2;
			text += strspn(text, "0123456789;");
			text += *text == 'm';
			continue;
		}
		n += char_columns(next_char(&text));
	}
	return n;
}

size_t text_fit(const char *text, size_t columns)
{
	size_t used = 0;
	const char *p = text;

	while (*p) {
		const char *q = p;

		used += char_columns(next_char(&q));
		if (used > columns)
			break;
		p = q;
	}
	return (size_t)(p - text);
}

/*
 * Bytes of `text` up to where a line may be broken: before a space, and around a wide character, which is a syllable or a word of its
 * own where no spaces are written. What takes no column stays with what it stands behind.
 */
static size_t piece(const char *text)
{
	const char *p = text;
	unsigned before = 0;

	while (*p && *p != ' ') {
		const char *q = p;
		uint32_t c = next_char(&q);
		unsigned columns = char_columns(c);

		if (columns && before && (columns == 2 || before == 2))
			break;
		if (columns)
			before = columns;
		if (c == ZERO_WIDTH_JOINER)
			before = 0;
		p = q;
	}
	return (size_t)(p - text);
}

void text_wrap(struct str *out, const char *text, size_t column, size_t indent, size_t width)
{
	bool begun = false;

	while (*text) {
		size_t gap = strspn(text, " "), n = piece(text + gap);
		AUTO_FREE char *word = xstrndup(text + gap, n);
		size_t columns = text_columns(word);

		if (begun && n && column + gap + columns > width) {
			str_putc(out, '\n');
			str_pad(out, ' ', indent);
			column = indent;
		} else if (n) {
			str_pad(out, ' ', gap);
			column += gap;
		}
		str_puts(out, word);
		column += columns;
		begun = true;
		text += gap + n;
	}
	str_putc(out, '\n');
}

void table_done(struct table *t)
{
	for (size_t i = 0; i < t->columns.n; i++)
		free(t->columns.v[i].header);
	for (size_t i = 0; i < t->cells.n; i++)
		free(t->cells.v[i].text);
	for (size_t i = 0; i < t->sections.n; i++)
		free(t->sections.v[i].text);
	free(t->columns.v);
	free(t->cells.v);
	free(t->sections.v);
	*t = (struct table)TABLE_INIT;
}

void table_column(struct table *t, const char *header, enum table_flags flags)
{
	struct table_column c = { xstrdup(header), flags };

	ARRAY_PUSH(&t->columns, c);
}

/* A newline or an escape in a cell would break the table or the terminal. */
static char *printable(struct str *s)
{
	for (size_t i = 0; i < s->n; i++)
		if ((unsigned char)s->p[i] < 0x20 || s->p[i] == 0x7f)
			s->p[i] = ' ';
	return str_take(s);
}

void table_cell(struct table *t, enum text_style style, const char *fmt, ...)
{
	struct str s = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	struct table_cell c = { printable(&s), style };

	ARRAY_PUSH(&t->cells, c);
}

size_t table_rows(const struct table *t)
{
	return t->columns.n ? (t->cells.n + t->columns.n - 1) / t->columns.n : 0;
}

void table_end_row(struct table *t)
{
	while (t->columns.n && t->cells.n % t->columns.n)
		table_cell(t, TEXT_PLAIN, "%s", "");
}

void table_section(struct table *t, const char *fmt, ...)
{
	struct str s = STR_INIT;
	va_list ap;

	table_end_row(t);
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	struct table_section section = { table_rows(t), printable(&s) };

	ARRAY_PUSH(&t->sections, section);
}

/* Makes the shrinkable columns narrower, one column at a time from the widest, until the whole
 * fits. */
static void fit(const struct table *t, size_t *widths, size_t width)
{
	size_t total = t->indent + GAP * (t->columns.n - 1);

	for (size_t i = 0; i < t->columns.n; i++)
		total += widths[i];
	while (width && total > width) {
		size_t widest = t->columns.n;

		for (size_t i = 0; i < t->columns.n; i++)
			if ((t->columns.v[i].flags & TABLE_SHRINK) && widths[i] > NARROWEST &&
			    (widest == t->columns.n || widths[i] > widths[widest]))
				widest = i;
		if (widest == t->columns.n)
			return;
		widths[widest]--;
		total--;
	}
}

/* The start of `text` that fits into `columns`, with ".." where something was dropped. */
static void cut(const char *text, size_t columns, struct str *out)
{
	if (text_columns(text) <= columns) {
		str_puts(out, text);
		return;
	}
	str_add(out, text, text_fit(text, columns - 2));
	str_puts(out, "..");
}

static void put_line(const struct table *t, const size_t *widths, const struct table_cell *cells,
		     bool color, struct str *out)
{
	size_t start = out->n;

	str_pad(out, ' ', t->indent);
	for (size_t i = 0; i < t->columns.n; i++) {
		AUTO(str) struct str text = STR_INIT;
		size_t pad;

		cut(cells[i].text, widths[i], &text);
		pad = widths[i] - text_columns(text.p);
		if (i)
			str_pad(out, ' ', GAP);
		if (t->columns.v[i].flags & TABLE_RIGHT)
			str_pad(out, ' ', pad);
		text_put(out, cells[i].style, color, text.p);
		if (!(t->columns.v[i].flags & TABLE_RIGHT))
			str_pad(out, ' ', pad);
	}
	while (out->n > start && out->p[out->n - 1] == ' ')
		str_cut(out, out->n - 1);
	str_putc(out, '\n');
}

static void put_header(const struct table *t, const size_t *widths, bool color, struct str *out)
{
	AUTO_FREE struct table_cell *line = xcalloc(t->columns.n, sizeof(*line));

	for (size_t i = 0; i < t->columns.n; i++)
		line[i] = (struct table_cell){ t->columns.v[i].header, TEXT_BOLD };
	put_line(t, widths, line, color, out);
	str_pad(out, ' ', t->indent);
	for (size_t i = 0; i < t->columns.n; i++) {
		str_pad(out, ' ', i ? GAP : 0);
		str_pad(out, '-', widths[i]);
	}
	str_putc(out, '\n');
}

static void put_section(const struct table *t, const char *text, unsigned width, bool color,
			struct str *out)
{
	AUTO(str) struct str folded = STR_INIT;

	str_pad(out, ' ', t->indent);
	if (width && t->indent + text_columns(text) > width) {
		text_wrap(&folded, text, t->indent, t->indent + 2, width);
		str_cut(&folded, folded.n - 1);
		text = folded.p;
	}
	text_put(out, TEXT_BOLD, color, text);
}

static void put_sections(const struct table *t, size_t row, unsigned width, bool color,
			 struct str *out)
{
	for (size_t i = 0; i < t->sections.n; i++) {
		if (t->sections.v[i].before_row != row)
			continue;
		if (*t->sections.v[i].text)
			put_section(t, t->sections.v[i].text, width, color, out);
		str_putc(out, '\n');
	}
}

void table_put(const struct table *t, unsigned width, bool color, struct str *out)
{
	AUTO_FREE size_t *widths = xcalloc(t->columns.n, sizeof(*widths));
	AUTO_FREE struct table_cell *last = xcalloc(t->columns.n, sizeof(*last));
	size_t n = t->columns.n, rows = table_rows(t), rest = n ? t->cells.n % n : 0;

	if (!n)
		return;
	for (size_t i = 0; i < n && !t->no_header; i++)
		widths[i] = text_columns(t->columns.v[i].header);
	for (size_t i = 0; i < t->cells.n; i++) {
		size_t w = text_columns(t->cells.v[i].text);

		if (w > widths[i % n])
			widths[i % n] = w;
	}
	fit(t, widths, width);
	if (!t->no_header)
		put_header(t, widths, color, out);
	for (size_t row = 0; row < rows; row++) {
		const struct table_cell *cells = &t->cells.v[row * n];

		put_sections(t, row, width, color, out);
		if (rest && row + 1 == rows) { /* a last row that nobody ended */
			for (size_t i = 0; i < n; i++)
				last[i] = i < rest ? cells[i]
						   : (struct table_cell){ str_empty, TEXT_PLAIN };
			cells = last;
		}
		put_line(t, widths, cells, color, out);
	}
	put_sections(t, rows, width, color, out);
}
