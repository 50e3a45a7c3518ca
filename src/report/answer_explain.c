/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The largest differences of each kind, and how many more there are: --json has what the journal keeps. What repeats in every boot has no spread; what differs by
 * less than runs of one side do is counted, not shown.
 */
#include "report/answer.h"

#include "text/json.h"
#include "text/table.h"

#include <math.h>
#include <string.h>

enum {
	EVENTS_SHOWN = 15,
	FUNCTIONS_SHOWN = 20,
	MISSES_SHOWN = 8,
	SHIFTS_SHOWN = 6,
	SURROUNDINGS_SHOWN = 30,
	GROUP_SHOWN = 8, /* of each kind of surroundings */
	TEXT_SHOWN = 44, /* columns of a value that is text */
	MESSAGE_SHOWN = 64,
};

/* One paragraph, as wide as the terminal. */
static void put_line(const struct answer_style *style, struct str *out, const char *fmt, ...)
	PRINTF(3, 4);
static void put_line(const struct answer_style *style, struct str *out, const char *fmt, ...)
{
	AUTO(str) struct str text = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	str_putc(out, ' ');
	text_wrap(out, text.p, 1, 3, style->width ? style->width : 100);
}

/* A difference with its sign. */
static void put_difference(double x, struct str *out)
{
	if (x > 0)
		str_putc(out, '+');
	answer_count(x, out);
}

static void put_relative(double before, double after, struct str *out)
{
	if (before == 0 || after == 0) /* the columns beside it say it */
		str_puts(out, before == 0 ? "new" : "gone");
	else
		answer_plain_change(after / before - 1, out);
}

static void put_row(struct table *t, const struct json *row, const char *what)
{
	AUTO(str) struct str a = STR_INIT, b = STR_INIT, difference = STR_INIT;
	AUTO(str) struct str relative = STR_INIT, spread = STR_INIT;
	double before = answer_number(row, "before"), after = answer_number(row, "after");
	const char *status = answer_str(row, "status");

	answer_count(before, &a);
	answer_count(after, &b);
	put_difference(answer_number(row, "difference"), &difference);
	put_relative(before, after, &relative);
	if (!strcmp(status, "repeats"))
		str_puts(&spread, "none");
	else if (!strcmp(status, "once"))
		str_puts(&spread, "not known");
	else
		answer_count(answer_number(row, "spread"), &spread);
	table_cell(t, TEXT_PLAIN, "%s", answer_str(row, what));
	table_cell(t, TEXT_PLAIN, "%s", a.p);
	table_cell(t, TEXT_PLAIN, "%s", b.p);
	table_cell(t, TEXT_BOLD, "%s", difference.p);
	table_cell(t, TEXT_PLAIN, "%s", relative.p);
	table_cell(t, TEXT_DIM, "%s", spread.p);
}

/* Those that are no noise, which come by size; how many there are, and whether some of them vary. */
static size_t put_rows(struct table *t, const struct json *rows, const char *what, size_t most,
		       bool *ret_vary)
{
	size_t n = 0;

	*ret_vary = false;
	for (size_t i = 0; i < json_count(rows); i++) {
		const struct json *row = json_at(rows, i);
		const char *status = answer_str(row, "status");

		if (!strcmp(status, "noise"))
			continue;
		if (n++ >= most)
			continue;
		put_row(t, row, what);
		*ret_vary = *ret_vary || !strcmp(status, "varies");
	}
	return n;
}

/* "2 more, smaller" for what was cut. */
static void put_more(size_t n, size_t most, const char *what, const struct answer_style *style,
		     struct str *out)
{
	if (n > most)
		put_line(style, out, "%zu more %s%s that changed, by less: --json has them.",
			 n - most, what, n - most == 1 ? "" : "s");
}

static void put_heading(const struct json *c, const char *title, const struct answer_style *style,
			struct str *out)
{
	AUTO(str) struct str text = STR_INIT;

	str_addf(&text, "\n %s, %s%s", title,
		 answer_flag(c, "per_operation") ? "for each operation" : "of a run",
		 answer_int(c, "runs[0]") > 1 || answer_int(c, "runs[1]") > 1 ? " (medians)" : "");
	text_put(out, TEXT_BOLD, style->color, text.p);
	str_puts(out, "\n");
}

static void begin_table(struct table *t, const char *what)
{
	t->indent = 1;
	table_column(t, what, TABLE_LEFT | TABLE_SHRINK);
	table_column(t, "A", TABLE_RIGHT);
	table_column(t, "B", TABLE_RIGHT);
	table_column(t, "difference", TABLE_RIGHT);
	table_column(t, "change", TABLE_RIGHT);
	table_column(t, "spread", TABLE_RIGHT);
}

static void put_contrast(const struct json *c, const char *title, const char *what, size_t most,
			 const struct answer_style *style, struct str *out)
{
	AUTO(table) struct table t = TABLE_INIT;
	const struct json *rows = json_get(c, "rows");
	long long noise = answer_int(c, "noise");
	bool vary;

	put_heading(c, title, style, out);
	begin_table(&t, what);
	size_t n = put_rows(&t, rows, what, most, &vary);

	if (table_rows(&t))
		table_put(&t, style->width, style->color, out);
	else
		str_puts(out, " none differs by more than runs of one side do\n");
	if (vary)
		put_line(
			style, out,
			"Spread: how wide the wider side's range is. None: the same digits in every run, so the difference is there however small.");
	put_more(n, most, what, style, out);
	if (noise)
		put_line(style, out, "%lld more %s%s by no more than runs of one side do: noise.",
			 noise, what, noise == 1 ? " differs" : "s differ");
}

static void put_names(const struct json *list, struct str *out)
{
	for (size_t i = 0; i < json_count(list); i++)
		str_addf(out, "%s%s",
			 !i			    ? ""
			 : i + 1 < json_count(list) ? ", "
						    : " and ",
			 answer_str(json_at(list, i), NULL));
}

/* What moved, and what is left of it. */
static void put_shift(const struct json *s, const struct answer_style *style, struct str *out)
{
	AUTO(str) struct str text = STR_INIT;
	double lost = answer_number(s, "lost"), gained = answer_number(s, "gained");

	str_puts(&text, "cost shift: ");
	put_names(json_get(s, "gone"), &text);
	str_puts(&text, " -");
	answer_count(lost, &text);
	str_puts(&text, ", ");
	put_names(json_get(s, "come"), &text);
	str_puts(&text, " +");
	answer_count(gained, &text);
	str_puts(&text, ": as if code had moved; ");
	if (gained == lost)
		str_puts(&text, "the sum is zero");
	else
		put_difference(gained - lost, &text);
	if (gained != lost)
		str_puts(&text, " is left");
	put_line(style, out, "%s", text.p);
}

static void put_sums(const struct json *c, const struct answer_style *style, struct str *out)
{
	const struct json *shifts = json_get(c, "shifts");
	double gained = answer_number(c, "gained"), lost = answer_number(c, "lost");
	AUTO(str) struct str text = STR_INIT;

	if (gained + lost == 0)
		return;
	str_puts(&text, "In all: functions gained ");
	answer_count(gained, &text);
	str_puts(&text, " and lost ");
	answer_count(lost, &text);
	str_puts(&text, ", which leaves ");
	put_difference(gained - lost, &text);
	str_puts(&text, " of ");
	answer_count(answer_number(c, "total[0]"), &text);
	str_putc(&text, '.');
	put_line(style, out, "%s", text.p);
	for (size_t i = 0; i < json_count(shifts) && i < SHIFTS_SHOWN; i++)
		put_shift(json_at(shifts, i), style, out);
	if (json_count(shifts) > SHIFTS_SHOWN)
		put_line(style, out, "%zu more shifts: --json has them.",
			 json_count(shifts) - SHIFTS_SHOWN);
}

static void put_functions(const struct json *answer, const struct answer_style *style,
			  struct str *out)
{
	const struct json *c = json_get(answer, "functions"), *m = json_get(answer, "misses");

	if (!answer_int(c, "count")) {
		str_putc(out, '\n');
		put_line(
			style, out,
			"No functions: --measure callgrind counts them for programs, --target exact for kernels and programs.");
		return;
	}
	put_contrast(c, "Instructions by function", "function", FUNCTIONS_SHOWN, style, out);
	put_sums(c, style, out);
	put_line(style, out, "%lld functions ran; %lld of them repeat digit by digit in every run.",
		 answer_int(c, "count"), answer_int(c, "repeating"));
	if (answer_int(m, "count"))
		put_contrast(m, "Misses of the last level by function (model)", "function",
			     MISSES_SHOWN, style, out);
}

/* --- surroundings --------------------------------------------------------------------------------------------------- */

static void put_text_cell(struct table *t, enum text_style style, const char *text, size_t most)
{
	size_t n = text_fit(text, most);

	if (text[n])
		table_cell(t, style, "%.*s..", (int)text_fit(text, most - 2), text);
	else
		table_cell(t, style, "%s", text);
}

/* Of what the kernel said there is the line, and who said it. */
static void put_surrounding(struct table *t, const struct json *row)
{
	const char *group = answer_str(row, "group"), *key = answer_str(row, "key");
	const char *values[2] = { json_to_text(row, "before"), json_to_text(row, "after") };
	bool is_message = !strcmp(group, "dmesg");

	table_cell(t, TEXT_DIM, "%s", group);
	put_text_cell(t, TEXT_BOLD, is_message ? values[values[0] == NULL] : key,
		      is_message ? MESSAGE_SHOWN : TEXT_SHOWN);
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		const char *text = !values[i] ? "-" : is_message ? "said" : values[i];

		put_text_cell(t, TEXT_PLAIN, *text ? text : "(empty)", TEXT_SHOWN);
	}
}

/* Rows come by rank; no kind of them may take all the room. */
static size_t put_surrounding_rows(const struct json *rows, const struct answer_style *style,
				   struct str *out)
{
	AUTO(table) struct table t = TABLE_INIT;
	struct {
		const char *group;
		size_t n;
	} seen[32] = { { NULL, 0 } };
	size_t shown = 0;

	t.indent = 1;
	table_column(&t, "kind", TABLE_LEFT);
	table_column(&t, "key", TABLE_LEFT | TABLE_SHRINK);
	table_column(&t, "A", TABLE_LEFT | TABLE_SHRINK);
	table_column(&t, "B", TABLE_LEFT | TABLE_SHRINK);
	for (size_t i = 0; i < json_count(rows) && shown < SURROUNDINGS_SHOWN; i++) {
		const struct json *row = json_at(rows, i);
		const char *group = answer_str(row, "group");
		size_t k = 0;

		while (k + 1 < ARRAY_LEN(seen) && seen[k].group && strcmp(seen[k].group, group))
			k++;
		seen[k].group = group;
		if (seen[k].n++ >= GROUP_SHOWN)
			continue;
		shown++;
		put_surrounding(&t, row);
	}
	table_put(&t, style->width, style->color, out);
	return shown;
}

static void put_surroundings(const struct json *answer, const struct answer_style *style,
			     struct str *out)
{
	const struct json *s = json_get(answer, "surroundings"), *rows = json_get(s, "rows");
	long long all = answer_int(s, "count"), noise = answer_int(s, "noise"),
		  memory = answer_int(s, "follow_memory");

	str_putc(out, '\n');
	text_put(out, TEXT_BOLD, style->color, " Surroundings");
	str_putc(out, '\n');
	if (!json_count(s)) {
		str_puts(out, " not described\n");
		return;
	}
	if (!json_count(rows)) {
		str_puts(out,
			 answer_flag(s, "machine")
				 ? " nothing differs\n"
				 : " the compilers are the same; nothing else is known here\n");
	} else {
		size_t shown = put_surrounding_rows(rows, style, out);

		if ((long long)shown < all)
			put_line(style, out, "%lld more: --json has them.", all - (long long)shown);
	}
	if (noise || memory)
		put_line(
			style, out,
			"Left out: %lld that differ by themselves (counters, versions), %lld within 2 %% (they follow the size of memory).",
			noise, memory);
}

static void put_remarks(const struct json *answer, const struct answer_style *style,
			struct str *out)
{
	const struct json *list = json_get(answer, "remarks");

	if (json_count(list))
		str_putc(out, '\n');
	for (size_t i = 0; i < json_count(list); i++)
		put_line(style, out, "note: %s", answer_str(json_at(list, i), NULL));
}

void answer_explain(const struct json *answer, const struct answer_style *style, struct str *out)
{
	const struct json *events = json_get(answer, "events");
	char scratch[2][13];

	if (answer_flag(answer, "identical_artefacts")) {
		answer_compare(answer, style, out);
		return;
	}
	str_addf(out, " A  %s\n B  %s\n\n", answer_variant(answer, "variants[0]", scratch[0]),
		 answer_variant(answer, "variants[1]", scratch[1]));
	answer_counters(answer, style, out);
	answer_notes(answer, out);
	if (answer_int(events, "count"))
		put_contrast(events, "Events", "event", EVENTS_SHOWN, style, out);
	put_functions(answer, style, out);
	put_surroundings(answer, style, out);
	put_remarks(answer, style, out);
	answer_samples(answer, out);
}
