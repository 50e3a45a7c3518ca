/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table - columns for people: aligned by display width, a rule under the header, sections, colour
 *by cell, fitting the terminal.
 *
 *	AUTO(table) struct table t = TABLE_INIT;
 *	table_column(&t, "metric", TABLE_LEFT | TABLE_SHRINK);
 *	table_column(&t, "change", TABLE_RIGHT);
 *	table_cell(&t, TEXT_PLAIN, "wall");
 *	table_cell(&t, TEXT_BAD, "%+.1f %%", 7.1);
 *	table_put(&t, width, color, &out);
 *
 * Cells fill rows from left to right; a row is full after as many cells as there are columns.
 */
#pragma once

#include "base/str.h"

enum text_style { TEXT_PLAIN, TEXT_BOLD, TEXT_DIM, TEXT_GOOD, TEXT_BAD, TEXT_WARN };
/* `text` between the style's escape sequences if `color`, else as it is. */
void text_put(struct str *out, enum text_style style, bool color, const char *text);
/*
 * Columns that UTF-8 text takes: combining marks none, wide East Asian characters and emoji two, a
 * byte that is no text one; text_put's escapes none. Needs no locale.
 */
size_t text_columns(const char *text);
/* How many bytes of `text` fit into so many columns; never splits a character. */
size_t text_fit(const char *text, size_t columns);

/*
 * Appends `text` broken at spaces so that no line passes `width` columns, and a newline. The first line begins at `column`,
 * where the caller stands; further ones are indented by `indent`. A word that is too long stays whole, but wide characters
 * may be parted; several spaces stay several within a line.
 */
void text_wrap(struct str *out, const char *text, size_t column, size_t indent, size_t width);

enum table_flags {
	TABLE_LEFT = 0,
	TABLE_RIGHT = 1 << 0,
	TABLE_SHRINK =
		1 << 1, /* text that may be cut, ending in "..", when the whole is too wide */
};

struct table_cell {
	char *text;
	enum text_style style;
};
struct table_column {
	char *header;
	enum table_flags flags;
};
/* A line across the table, standing before the row of this number: a section's title, or with an
 * empty text a blank line. */
struct table_section {
	size_t before_row;
	char *text;
};
struct table {
	struct {
		struct table_column *v;
		size_t n, cap;
	} columns;
	struct {
		struct table_cell *v;
		size_t n, cap;
	} cells;
	struct {
		struct table_section *v;
		size_t n, cap;
	} sections;
	unsigned indent; /* spaces before each line */
	bool no_header;	 /* neither header nor rule */
};
#define TABLE_INIT                                                                                 \
	{                                                                                          \
		.indent = 0                                                                        \
	}
void table_done(struct table *t);

void table_column(struct table *t, const char *header, enum table_flags flags);
void table_cell(struct table *t, enum text_style style, const char *fmt, ...) PRINTF(3, 4);
/* Fills the rest of the row with empty cells; does nothing at the start of one. */
void table_end_row(struct table *t);
void table_section(struct table *t, const char *fmt, ...) PRINTF(2, 3);
/* How many rows there are. */
size_t table_rows(const struct table *t);

/*
 * Appends the table. `width` 0 = as wide as it gets; else columns marked TABLE_SHRINK give way, the
 * widest first, down to 8 columns each; what then is still too wide stays too wide, because a
 * number is never cut.
 */
void table_put(const struct table *t, unsigned width, bool color, struct str *out);
