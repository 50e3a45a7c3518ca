/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The three writers are loops over the same blocks. Items that follow one another are a list; everything else stands alone, with one empty line between.
 */
#include "report/doc.h"

#include "text/escape.h"
#include "text/table.h"

#include <string.h>

void doc_done(struct doc *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].text);
		strvec_done(&d->v[i].table.cells);
	}
	free(d->v);
	*d = (struct doc){ 0 };
}

static struct doc_block *add(struct doc *d, enum doc_kind kind, char *text)
{
	struct doc_block *b = ARRAY_GROW(d);

	b->kind = kind;
	b->text = text;
	return b;
}

static void add_text(struct doc *d, enum doc_kind kind, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
static void add_text(struct doc *d, enum doc_kind kind, const char *fmt, va_list ap)
{
	AUTO(str) struct str s = STR_INIT;

	str_vaddf(&s, fmt, ap);
	if (s.n)
		add(d, kind, str_take(&s));
}

void doc_heading(struct doc *d, const char *text)
{
	add(d, DOC_HEADING, xstrdup(text));
}

void doc_paragraph(struct doc *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(d, DOC_PARAGRAPH, fmt, ap);
	va_end(ap);
}

void doc_item(struct doc *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(d, DOC_ITEM, fmt, ap);
	va_end(ap);
}

void doc_code(struct doc *d, const char *text)
{
	add(d, DOC_CODE, xstrdup(text));
}

void doc_verbatim(struct doc *d, const char *text)
{
	add(d, DOC_VERBATIM, xstrdup(text));
}

struct doc_table *doc_table(struct doc *d, const char *caption, const char *const *columns)
{
	struct doc_table *t = &add(d, DOC_TABLE, xstrdup(caption))->table;

	for (; *columns && t->columns < ARRAY_LEN(t->is_text); columns++) {
		t->is_text[t->columns++] = **columns == '<';
		strvec_add(&t->cells, *columns + 1);
	}
	return t;
}

void doc_cell(struct doc_table *t, const char *fmt, ...)
{
	AUTO(str) struct str s = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	strvec_take(&t->cells, str_take(&s));
}

static bool is_followed(const struct doc *d, size_t i, enum doc_kind kind)
{
	return i + 1 < d->n && d->v[i + 1].kind == kind;
}

/* A line of code is not escaped in its layout, but what steers a terminal is shown all the same. */
static void code_line(struct str *out, const char *line, size_t n)
{
	AUTO_FREE char *text = xstrndup(line, n);
	size_t tabs = strspn(text, "\t");

	str_pad(out, ' ', 8 * tabs);
	escape_plain(out, text + tabs);
}

/* --- plain text --------------------------------------------------------------------------------------------------- */

/* Words that no line has room for are cut into pieces. */
static void fold_words(const char *text, size_t width, struct str *out)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, " ");
		AUTO_FREE char *word = xstrndup(p, n);

		for (const char *w = word; *w;) {
			size_t fit = text_fit(w, width);

			if (!fit)
				fit = strlen(w);
			str_add(out, w, fit);
			w += fit;
			if (*w)
				str_putc(out, ' ');
		}
		p += n;
		if (*p)
			str_putc(out, *p++);
	}
}

static void wrap(const char *text, const char *lead, size_t indent, size_t width, struct str *out)
{
	AUTO(str) struct str plain = STR_INIT, folded = STR_INIT;

	escape_plain(&plain, text);
	fold_words(plain.p, width - indent, &folded);
	str_puts(out, lead);
	text_wrap(out, folded.p, indent, indent, width);
}

static void plain_rows(const struct doc_table *t, size_t width, struct str *out)
{
	for (size_t i = t->columns; i + t->columns <= t->cells.n; i += t->columns) {
		AUTO(str) struct str line = STR_INIT;

		str_puts(&line, t->cells.v[i]);
		for (size_t k = 1; k < t->columns; k++)
			if (*t->cells.v[i + k])
				str_addf(&line, "%s %s: %s", k > 1 ? "," : ":", t->cells.v[k],
					 t->cells.v[i + k]);
		wrap(line.p, "  - ", 4, width, out);
	}
}

static bool is_narrow(const char *text, size_t width)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		AUTO_FREE char *line = xstrndup(p, n);

		if (text_columns(line) > width)
			return false;
		p += n + (p[n] == '\n');
	}
	return true;
}

/* The first `columns` of each row. */
static void put_columns(const struct doc_table *t, size_t columns, size_t width, struct str *out)
{
	AUTO(table) struct table table = TABLE_INIT;

	table.indent = 2;
	for (size_t i = 0; i < columns; i++)
		table_column(&table, t->cells.v[i], t->is_text[i] ? TABLE_LEFT : TABLE_RIGHT);
	for (size_t i = t->columns; i < t->cells.n; i++) {
		AUTO(str) struct str cell = STR_INIT;

		if (i % t->columns >= columns)
			continue;
		escape_plain(&cell, t->cells.v[i]);
		table_cell(&table, TEXT_PLAIN, "%s", cell.p);
	}
	table_put(&table, (unsigned)width, false, out);
}

/* Nothing is cut: what is too wide reads better as sentences. */
static void plain_table(const struct doc_table *t, size_t width, struct str *out)
{
	for (size_t columns = t->columns; columns + t->last_is_optional >= t->columns; columns--) {
		AUTO(str) struct str text = STR_INIT;

		put_columns(t, columns, width, &text);
		if (is_narrow(text.p, width)) {
			str_puts(out, text.p);
			return;
		}
	}
	plain_rows(t, width, out);
}

/* Long lines go on after a backslash, as a shell takes them. */
static void plain_code(const char *text, size_t width, bool breaks, struct str *out)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		AUTO(str) struct str line = STR_INIT;
		size_t column = 2;

		code_line(&line, p, n);
		str_puts(out, "  ");
		for (const char *w = line.p; *w;) {
			size_t spaces = strspn(w, " "), word = spaces + strcspn(w + spaces, " ");
			AUTO_FREE char *piece = xstrndup(w, word);
			size_t columns = text_columns(piece);

			if (breaks && column > 2 && column + columns > width - (w[word] ? 2 : 0)) {
				str_addf(out, " \\\n      %s", piece + spaces);
				column = 6 + columns - spaces;
			} else {
				str_puts(out, piece);
				column += columns;
			}
			w += word;
		}
		str_putc(out, '\n');
		p += n + (p[n] == '\n');
	}
}

void doc_put_plain(const struct doc *d, size_t width, struct str *out)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct doc_block *b = &d->v[i];

		switch (b->kind) {
		case DOC_HEADING:
			wrap(b->text, "", 0, width, out);
			str_pad(out, '-', strlen(b->text) < width ? strlen(b->text) : width);
			str_putc(out, '\n');
			continue;
		case DOC_PARAGRAPH:
			wrap(b->text, "", 0, width, out);
			break;
		case DOC_ITEM:
			wrap(b->text, "- ", 2, width, out);
			if (is_followed(d, i, DOC_ITEM))
				continue;
			break;
		case DOC_TABLE:
			plain_table(&b->table, width, out);
			break;
		case DOC_CODE:
		case DOC_VERBATIM:
			plain_code(b->text, width, b->kind == DOC_CODE, out);
			break;
		}
		if (i + 1 < d->n)
			str_putc(out, '\n');
	}
}

/* --- Markdown ----------------------------------------------------------------------------------------------------- */

static void markdown_table(const struct doc_table *t, struct str *out)
{
	for (size_t i = 0; i + t->columns <= t->cells.n; i += t->columns) {
		for (size_t k = 0; k < t->columns; k++) {
			str_puts(out, k ? " | " : "| ");
			escape_markdown(out, t->cells.v[i + k]);
		}
		str_puts(out, " |\n");
		for (size_t k = 0; !i && k < t->columns; k++)
			str_puts(out, t->is_text[k] ? "|---" : "|--:");
		if (!i)
			str_puts(out, "|\n");
	}
}

/* A fence longer than any that the text holds. */
static void markdown_code(const char *text, struct str *out)
{
	size_t fence = 3;

	for (const char *p = text; (p = strchr(p, '`'));) {
		size_t n = strspn(p, "`");

		fence = n >= fence ? n + 1 : fence;
		p += n;
	}
	str_pad(out, '`', fence);
	str_puts(out, "sh\n");
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");

		code_line(out, p, n);
		str_putc(out, '\n');
		p += n + (p[n] == '\n');
	}
	str_pad(out, '`', fence);
	str_putc(out, '\n');
}

void doc_put_markdown(const struct doc *d, unsigned level, struct str *out)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct doc_block *b = &d->v[i];

		switch (b->kind) {
		case DOC_HEADING:
			str_pad(out, '#', level);
			str_putc(out, ' ');
			escape_markdown(out, b->text);
			str_puts(out, "\n");
			break;
		case DOC_PARAGRAPH:
			escape_markdown(out, b->text);
			str_puts(out, "\n");
			break;
		case DOC_ITEM:
			str_puts(out, "- ");
			escape_markdown(out, b->text);
			str_putc(out, '\n');
			if (is_followed(d, i, DOC_ITEM))
				continue;
			break;
		case DOC_TABLE:
			markdown_table(&b->table, out);
			break;
		case DOC_CODE:
		case DOC_VERBATIM:
			markdown_code(b->text, out);
			break;
		}
		if (i + 1 < d->n)
			str_putc(out, '\n');
	}
}

/* --- HTML --------------------------------------------------------------------------------------------------------- */

static void html_table(const struct doc_block *b, struct str *out)
{
	const struct doc_table *t = &b->table;

	str_puts(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
	escape_html(out, b->text);
	str_puts(out, "\"><table><thead>\n");
	for (size_t i = 0; i + t->columns <= t->cells.n; i += t->columns) {
		str_puts(out, i == t->columns ? "</thead><tbody>\n<tr>" : "<tr>");
		for (size_t k = 0; k < t->columns; k++) {
			const char *tag = !i || !k ? "th" : "td";

			str_addf(out, "<%s%s%s>", tag,
				 !i   ? " scope=\"col\""
				 : !k ? " scope=\"row\""
				      : "",
				 t->is_text[k] ? "" : " class=\"num\"");
			escape_html(out, t->cells.v[i + k]);
			str_addf(out, "</%s>", tag);
		}
		str_puts(out, "</tr>\n");
	}
	str_puts(out,
		 t->cells.n > t->columns ? "</tbody></table></div>\n" : "</thead></table></div>\n");
}

static void html_text(struct str *out, const char *tag, const char *text)
{
	str_addf(out, "<%s>", tag);
	escape_html(out, text);
	str_addf(out, "</%s>\n", tag);
}

static void html_code(const char *text, struct str *out)
{
	str_puts(out, "<pre tabindex=\"0\"><code>");
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		AUTO(str) struct str line = STR_INIT;

		code_line(&line, p, n);
		escape_html(out, line.p);
		str_putc(out, '\n');
		p += n + (p[n] == '\n');
	}
	str_puts(out, "</code></pre>\n");
}

void doc_put_html(const struct doc *d, unsigned level, struct str *out)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct doc_block *b = &d->v[i];
		char tag[] = { 'h', (char)('0' + level), 0 };

		switch (b->kind) {
		case DOC_HEADING:
			html_text(out, tag, b->text);
			break;
		case DOC_PARAGRAPH:
			html_text(out, "p", b->text);
			break;
		case DOC_ITEM:
			if (!i || d->v[i - 1].kind != DOC_ITEM)
				str_puts(out, "<ul>\n");
			html_text(out, "li", b->text);
			if (!is_followed(d, i, DOC_ITEM))
				str_puts(out, "</ul>\n");
			break;
		case DOC_TABLE:
			html_table(b, out);
			break;
		case DOC_CODE:
		case DOC_VERBATIM:
			html_code(b->text, out);
			break;
		}
	}
}
