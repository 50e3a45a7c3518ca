/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A history as a table of its levels, with a line across it where one ends and the next begins; with the points, if the answer holds them,
 * under the level that they belong to.
 */
#include "report/answer.h"

#include "model/model.h"
#include "text/json.h"
#include "text/table.h"

#include <math.h>
#include <string.h>

/* A label, or the number of a point that has none. */
static void put_label(const struct json *row, const char *key, struct str *out)
{
	const char *text = json_to_text(row, key);

	if (text)
		str_puts(out, text);
	else
		str_addf(out, "%lld", answer_int(row, key));
}

static void put_break(const struct json *c, const char *unit, struct table *t)
{
	AUTO(str) struct str line = STR_INIT, first = STR_INIT, last = STR_INIT;
	enum verdict v;

	str_puts(&line, "---- ");
	put_label(c, "at", &line);
	str_puts(&line, ": ");
	answer_change(c, &line);
	if (verdict_parse(answer_str(c, "verdict"), &v))
		str_addf(&line, " %s", verdict_word(v, "", unit));
	put_label(c, "first", &first);
	put_label(c, "last", &last);
	if (strcmp(first.p, last.p))
		str_addf(&line, ", it begins within %s .. %s", first.p, last.p);
	if (isnan(answer_number(c, "low")))
		str_puts(&line, ", too few points for an interval");
	table_section(t, "%s ----", line.p);
}

static void put_values(const struct json *answer, long long from, long long n, struct table *t)
{
	const struct json *values = json_get(answer, "values");

	for (long long i = from; i < from + n && i < (long long)json_count(values); i++) {
		const struct json *x = json_at(values, (size_t)i);
		AUTO(str) struct str label = STR_INIT, value = STR_INIT;

		put_label(x, "label", &label);
		answer_value(answer_number(x, "value"), NAN, answer_str(answer, "unit"), &value);
		table_cell(t, TEXT_DIM, "  %s", label.p);
		table_cell(t, TEXT_DIM, " ");
		table_cell(t, TEXT_DIM, " ");
		table_cell(t, TEXT_DIM, "%s", value.p);
	}
}

static void put_levels(const struct json *answer, const struct answer_style *style, struct str *out)
{
	AUTO(table) struct table t = TABLE_INIT;
	const struct json *levels = json_get(answer, "levels"),
			  *changes = json_get(answer, "changes");
	const char *unit = answer_str(answer, "unit");
	double scale = 0;
	long long at = 0;

	for (size_t i = 0; scale == 0 && i < json_count(levels); i++)
		scale = answer_number(json_at(levels, i), "median");
	t.indent = 1;
	table_column(&t, "from", TABLE_LEFT | TABLE_SHRINK);
	table_column(&t, "to", TABLE_LEFT | TABLE_SHRINK);
	table_column(&t, "points", TABLE_RIGHT);
	table_column(&t, "level", TABLE_RIGHT);
	for (size_t i = 0; i < json_count(levels); i++) {
		const struct json *x = json_at(levels, i);
		AUTO(str) struct str from = STR_INIT, to = STR_INIT, level = STR_INIT;
		long long n = answer_int(x, "points");

		if (i)
			put_break(json_at(changes, i - 1), unit, &t);
		put_label(x, "from", &from);
		put_label(x, "to", &to);
		answer_value(answer_number(x, "median"), scale, unit, &level);
		table_cell(&t, TEXT_PLAIN, "%s", from.p);
		table_cell(&t, TEXT_PLAIN, "%s", to.p);
		table_cell(&t, TEXT_PLAIN, "%lld", n);
		table_cell(&t, TEXT_BOLD, "%s", level.p);
		put_values(answer, at, n, &t);
		at += n;
	}
	table_put(&t, style->width, style->color, out);
}

static void put_notes(const struct json *answer, struct str *out)
{
	long long pending = answer_int(answer, "pending");
	double noise = answer_number(answer, "noise"), alpha = answer_number(answer, "alpha");

	if (!answer_flag(answer, "enough")) {
		str_puts(
			out,
			" undecided: from fewer than 6 points nothing can be told of noise and level\n");
		return;
	}
	if (!json_count(json_get(answer, "changes")))
		str_puts(out, " no change of the level\n");
	if (pending)
		str_addf(out, " note: the last %s off that level (%+.1f %%): too early to say\n",
			 pending == 1 ? "point lies" : "points lie",
			 100 * answer_number(answer, "pending_change"));
	if (answer_flag(answer, "memory"))
		str_puts(
			out,
			" note: neighbouring points resemble each other beyond chance, as under a drift of the machine: "
			"changes may be that drift\n");
	if (noise > 0)
		str_addf(
			out,
			" A single point is noisy by %.2g %%. At most one in %.3g series without a change shows a false one.\n",
			100 * noise, 1 / alpha);
}

void answer_history(const struct json *answer, const struct answer_style *style, struct str *out)
{
	put_levels(answer, style, out);
	put_notes(answer, out);
}
