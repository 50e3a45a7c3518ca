/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doc - a letter before it has a form: headings, paragraphs, items, tables, code; written as plain text, Markdown or HTML.
 *
 * What is said is composed once; how it is escaped is the writer's, so no text can reach a form by another way. Texts may be anything.
 */
#pragma once

#include "base/str.h"

enum doc_kind { DOC_HEADING, DOC_PARAGRAPH, DOC_ITEM, DOC_TABLE, DOC_CODE, DOC_VERBATIM };

struct doc_table {
	struct strvec cells; /* row by row, the header first */
	size_t columns;
	bool is_text[8];       /* a column of words: to the left; else of numbers: to the right */
	bool last_is_optional; /* may be dropped where there is no room: it only repeats */
};
struct doc_block {
	enum doc_kind kind;
	char *text; /* of a table: what it shows, for those who cannot see it */
	struct doc_table table;
};
struct doc {
	struct doc_block *v;
	size_t n, cap;
};
void doc_done(struct doc *d);

void doc_heading(struct doc *d, const char *text);
/* An empty text adds nothing. */
void doc_paragraph(struct doc *d, const char *fmt, ...) PRINTF(2, 3);
void doc_item(struct doc *d, const char *fmt, ...) PRINTF(2, 3);
/* Lines as they are, each ended by a newline. */
void doc_code(struct doc *d, const char *text);
/* The same, and never broken: tags. */
void doc_verbatim(struct doc *d, const char *text);
/* `columns`: the headers, each with '<' (words) or '>' (numbers) before it; ends with NULL. At most 8. */
struct doc_table *doc_table(struct doc *d, const char *caption, const char *const *columns);
void doc_cell(struct doc_table *t, const char *fmt, ...) PRINTF(2, 3);

/* At most `width` columns a line, but for a word of code that is longer. A table that is too wide becomes items. */
void doc_put_plain(const struct doc *d, size_t width, struct str *out);
/* Headings begin at this level: 2 for "##". */
void doc_put_markdown(const struct doc *d, unsigned level, struct str *out);
void doc_put_html(const struct doc *d, unsigned level, struct str *out);
