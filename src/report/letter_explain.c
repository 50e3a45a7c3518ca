/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One paragraph on the mechanism: two to four counters, the functions that cost more, what moved, and what differs around the runs. Rows that differ by
 * no more than runs of one side do are noise and are not named.
 */
#include "report/letter.h"

#include "report/answer.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

/* Of the largest difference: what is less explains nothing. */
#define TRIFLE 0.001
enum { COUNTERS = 4, FUNCTIONS = 5, SETTINGS = 6, VALUE_SHOWN = 60 };

static const struct json *explain_of(const struct dossier *d)
{
	return !strcmp(d->kind, "explain") ? d->main.answer : d->explain.answer;
}

/* The next largest change among the metrics beside the primary ones, below `under`. */
static const struct json *next_counter(const struct json *rows, double under, double *ret)
{
	const struct json *found = NULL;

	*ret = 0;
	for (size_t i = 0; i < json_count(rows); i++) {
		const struct json *row = json_at(rows, i);
		double size = fabs(log1p(fmax(answer_number(row, "change"), -0.999999)));
		const char *why;

		if (claim_of(row, &why) != CLAIM_CHANGE || !(size < under) || !(size > *ret) ||
		    (json_get(row, "listed") && !answer_flag(row, "listed")))
			continue;
		found = row;
		*ret = size;
	}
	return found;
}

static void put_counters(const struct json *a, struct letter *l)
{
	const struct json *rows = json_get(a, "metrics"), *row;
	double under = INFINITY;

	for (unsigned i = 0; i < COUNTERS && (row = next_counter(rows, under, &under)); i++) {
		AUTO(str) struct str name = STR_INIT, change = STR_INIT;

		letter_case(row, &name);
		letter_change(row, &change);
		doc_item(&l->why, "%s%s: %s", claim_is_work(row) ? "emulated: " : "", name.p,
			 change.p);
	}
}

static bool is_clear(const struct json *row)
{
	const char *status = answer_str(row, "status");
	double spread = answer_number(row, "spread"), diff = answer_number(row, "difference");

	if (!strcmp(status, "noise") || !strcmp(status, "once"))
		return false;
	return !strcmp(status, "repeats") || !isfinite(spread) || fabs(diff) > spread;
}

static void put_functions(const struct json *a, struct letter *l)
{
	const struct json *f = json_get(a, "functions"), *rows = json_get(f, "rows");
	AUTO(str) struct str text = STR_INIT;
	double most = 0;
	unsigned n = 0;

	for (size_t i = 0; i < json_count(rows) && n < FUNCTIONS; i++) {
		const struct json *row = json_at(rows, i);
		double diff = answer_number(row, "difference");

		if (!is_clear(row) || diff == 0 || fabs(diff) < TRIFLE * most)
			continue;
		most = fmax(most, fabs(diff));
		str_addf(&text, "%s%s %s", n++ ? "; " : "", answer_str(row, "function"),
			 diff > 0 ? "+" : "");
		answer_count(diff, &text);
		str_puts(&text, " (");
		answer_count(answer_number(row, "before"), &text);
		str_puts(&text, " -> ");
		answer_count(answer_number(row, "after"), &text);
		str_putc(&text, ')');
	}
	if (!n)
		return;
	doc_paragraph(
		&l->why,
		"Instructions by function, %s (medians of %lld + %lld runs; what differs by no more than runs of one side do is left out): %s.",
		answer_flag(f, "per_operation") ? "for each operation" : "of a run",
		answer_int(f, "runs[0]"), answer_int(f, "runs[1]"), text.p);
}

static void put_names(const struct json *list, struct str *out)
{
	for (size_t i = 0; i < json_count(list) && i < 4; i++)
		str_addf(out, "%s%s", i ? ", " : "", answer_str(json_at(list, i), NULL));
}

/* Cost that moved from one function to another is no cost. */
static void put_shifts(const struct json *a, struct letter *l)
{
	const struct json *s = json_get(a, "functions.shifts[0]");
	AUTO(str) struct str text = STR_INIT;
	double lost = answer_number(s, "lost"), gained = answer_number(s, "gained");

	if (!s)
		return;
	put_names(json_get(s, "gone"), &text);
	str_puts(&text, " -");
	answer_count(lost, &text);
	str_puts(&text, ", ");
	put_names(json_get(s, "come"), &text);
	str_puts(&text, " +");
	answer_count(gained, &text);
	doc_paragraph(&l->why, "Some of it looks like code that moved, which is no cost: %s.",
		      text.p);
}

static void put_cut(const char *text, struct str *out)
{
	size_t n = strlen(text);

	str_add(out, text, n < VALUE_SHOWN ? n : VALUE_SHOWN);
	if (n > VALUE_SHOWN)
		str_puts(out, "..");
}

static const char *value_of(const struct json *row, const char *side)
{
	const char *text = json_to_text(row, side);

	return !text ? "(absent)" : *text ? text : "(empty)";
}

static void put_surroundings(const struct json *a, struct letter *l)
{
	const struct json *s = json_get(a, "surroundings"), *rows = json_get(s, "rows");
	size_t n = json_count(rows);

	if (!json_count(s))
		return;
	if (!n) {
		doc_item(
			&l->unchanged, "%s",
			answer_flag(s, "machine")
				? "configuration, settings and kernel messages of the two: nothing differs"
				: "the compilers of the two are the same");
		return;
	}
	doc_paragraph(&l->why, "Around the runs differs (%lld in all, the likeliest cause first):",
		      answer_int(s, "count"));
	for (size_t i = 0; i < n && i < SETTINGS; i++) {
		const struct json *row = json_at(rows, i);
		AUTO(str) struct str text = STR_INIT;

		str_addf(&text, "%s ", answer_str(row, "group"));
		put_cut(answer_str(row, "key"), &text);
		str_puts(&text, ": ");
		put_cut(value_of(row, "before"), &text);
		str_puts(&text, " -> ");
		put_cut(value_of(row, "after"), &text);
		doc_item(&l->why, "%s", text.p);
	}
}

void letter_explain(const struct dossier *d, struct letter *l)
{
	const struct json *a = explain_of(d);
	char scratch[2][13];

	if (!a)
		return;
	if (a != d->main.answer)
		doc_paragraph(&l->why,
			      "%s against %s:", answer_variant(a, "variants[1]", scratch[0]),
			      answer_variant(a, "variants[0]", scratch[1]));
	size_t before = l->why.n;

	put_counters(a, l);
	put_functions(a, l);
	put_shifts(a, l);
	put_surroundings(a, l);
	if (l->why.n == before && a != d->main.answer)
		doc_paragraph(&l->why,
			      "no counter or function differs by more than runs of one side do.");
	if (a != d->main.answer)
		letter_rows(a, NULL, "explain", l);
}
