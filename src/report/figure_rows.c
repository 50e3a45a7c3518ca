/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plots of one row a name are tables with a small plot in each row, so that names are text that can be selected, searched and read aloud.
 *
 * Changes of one per cent and of ten times stand in one plot: the axis is linear around zero and logarithmic beyond (asinh of the log ratio).
 */
#include "report/figures.h"

#include "report/answer.h"
#include "text/escape.h"
#include "text/json.h"
#include "text/svg.h"

#include <math.h>
#include <string.h>

enum { ROW = 26, FOREST_MOST = 40, FUNCTIONS_MOST = 14 };
/* Changes below this are in the linear part. */
#define LINEAR 0.01

static double place(double change, double reach)
{
	double x = asinh(log1p(fmax(change, -0.9999)) / LINEAR);

	return 0.5 + 0.48 * x / reach;
}

/* How far from zero the widest row goes, on the axis's own scale. */
static double reach_of(const struct json *rows)
{
	double reach = asinh(0.03 / LINEAR);

	for (size_t i = 0; i < json_count(rows) && i < FOREST_MOST; i++) {
		const char *const ends[] = { "low", "high", "change" };

		for (size_t k = 0; k < ARRAY_LEN(ends); k++) {
			double v = answer_number(json_at(rows, i), ends[k]);

			if (isfinite(v))
				reach = fmax(reach, fabs(asinh(log1p(fmax(v, -0.9999)) / LINEAR)));
		}
	}
	return reach;
}

static const char *color_of(const struct json *row, enum claim claim)
{
	return claim == CLAIM_CHANGE ? (claim_is_worse(row) ? "bad" : "good") : "other";
}

static void put_forest_row(const struct json *row, double reach, struct str *out)
{
	double low = answer_number(row, "low"), high = answer_number(row, "high"),
	       change = answer_number(row, "change"), margin = answer_number(row, "margin");
	AUTO(str) struct str name = STR_INIT, text = STR_INIT, label = STR_INIT;
	const char *why;
	enum claim claim = claim_of(row, &why);
	const char *color = color_of(row, claim);

	letter_case(row, &name);
	answer_change(row, &text);
	str_addf(&label, "%s: %s", name.p, text.p);
	str_addf(out, "<tr><th scope=\"row\">%s", claim_is_work(row) ? "emulated: " : "");
	escape_html(out, name.p);
	str_puts(out, "</th><td class=\"plot\">");
	svg_open(out, ROW, label.p);
	if (isfinite(margin))
		svg_rect(out, place(-margin, reach), 0,
			 place(margin, reach) - place(-margin, reach), ROW, "margin");
	svg_line(out, 0.5, 0, 0.5, ROW, "axis");
	if (isfinite(low) && isfinite(high)) {
		AUTO_FREE char *class = xasprintf("whisker %s", color);

		svg_line(out, place(low, reach), ROW / 2.0, place(high, reach), ROW / 2.0, class);
	}
	if (isfinite(change)) {
		AUTO_FREE char *class = xasprintf("big %s", color);

		svg_dots_open(out, ROW, class);
		svg_dot(out, place(change, reach), ROW / 2.0);
		svg_dots_close(out);
	}
	svg_close(out);
	str_puts(out, "</td><td class=\"num\">");
	escape_html(out, text.p);
	str_puts(out, "</td><td>");
	if (claim == CLAIM_REFUSED) {
		str_puts(out, "<span class=\"dim\">not claimed: ");
		escape_html(out, why);
		str_puts(out, "</span>");
	} else {
		str_clear(&text);
		answer_verdict(row, &text);
		escape_html(out, text.p);
	}
	str_puts(out, "</td></tr>\n");
}

static const struct json *forest_rows(const struct dossier *d)
{
	const struct json *rows = json_get(d->confirm.answer, "metrics");

	if (json_count(rows))
		return rows;
	rows = json_get(d->main.answer, "head_to_head.metrics");
	return json_count(rows) ? rows : json_get(d->main.answer, "metrics");
}

bool figure_forest(const struct dossier *d, struct str *out)
{
	const struct json *rows = forest_rows(d);
	const char *bad = answer_str(d->confirm.answer, "bad.name");
	double reach = reach_of(rows);
	size_t n = 0;

	for (size_t i = 0; i < json_count(rows) && n < FOREST_MOST; i++) {
		const struct json *row = json_at(rows, i);

		if (*bad && strcmp(bad, answer_str(row, "variant")) != 0)
			continue;
		if (!n++)
			str_puts(
				out,
				"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Change of every metric\"><table class=\"plots\"><thead><tr><th scope=\"col\">metric</th><th scope=\"col\" class=\"plot ends\"><span>less</span><span>no change</span><span>more</span></th><th scope=\"col\" class=\"num\">change [interval]</th><th scope=\"col\">verdict</th></tr></thead><tbody>\n");
		put_forest_row(row, reach, out);
	}
	if (n)
		str_puts(out, "</tbody></table></div>\n");
	return n > 0;
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

static bool is_noise(const struct json *row)
{
	const char *status = answer_str(row, "status");
	double spread = answer_number(row, "spread");

	return !strcmp(status, "noise") || (strcmp(status, "repeats") != 0 &&
					    !(fabs(answer_number(row, "difference")) > spread));
}

static void put_function(const struct json *row, double most, struct str *out)
{
	double diff = answer_number(row, "difference"), size = 0.48 * fabs(diff) / most;
	AUTO(str) struct str text = STR_INIT, before = STR_INIT, after = STR_INIT, label = STR_INIT;

	answer_count(diff, &text);
	answer_count(answer_number(row, "before"), &before);
	answer_count(answer_number(row, "after"), &after);
	str_addf(&label, "%s: %s%s instructions", answer_str(row, "function"), diff > 0 ? "+" : "",
		 text.p);
	str_puts(out, "<tr><th scope=\"row\"><code>");
	escape_html(out, answer_str(row, "function"));
	str_puts(out, "</code></th><td class=\"plot\">");
	svg_open(out, ROW, label.p);
	svg_line(out, 0.5, 0, 0.5, ROW, "axis");
	svg_rect(out, diff > 0 ? 0.5 : 0.5 - size, 6, size, ROW - 12,
		 diff > 0 ? "fill bad" : "fill good");
	svg_close(out);
	str_addf(
		out,
		"</td><td class=\"num\">%s%s</td><td class=\"num\" data-l=\"before \">%s</td><td class=\"num\" data-l=\"after \">%s</td></tr>\n",
		diff > 0 ? "+" : "", text.p, before.p, after.p);
}

bool figure_functions(const struct dossier *d, struct str *out)
{
	const struct json *a = strcmp(d->kind, "explain") ? d->explain.answer : d->main.answer,
			  *rows = json_get(a, "functions.rows");
	double most = 0;
	size_t n = 0;

	for (size_t i = 0; i < json_count(rows); i++)
		if (!is_noise(json_at(rows, i)))
			most = fmax(most, fabs(answer_number(json_at(rows, i), "difference")));
	for (size_t i = 0; i < json_count(rows) && n < FUNCTIONS_MOST && most > 0; i++) {
		/* a bar that cannot be seen explains nothing */
		if (is_noise(json_at(rows, i)) ||
		    fabs(answer_number(json_at(rows, i), "difference")) < 0.001 * most)
			continue;
		if (!n++)
			str_puts(
				out,
				"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Instructions by function\"><table class=\"plots\"><thead><tr><th scope=\"col\">function</th><th scope=\"col\" class=\"plot ends\"><span>less</span><span></span><span>more</span></th><th scope=\"col\" class=\"num\">difference</th><th scope=\"col\" class=\"num\">before</th><th scope=\"col\" class=\"num\">after</th></tr></thead><tbody>\n");
		put_function(json_at(rows, i), most, out);
	}
	if (n)
		str_puts(out, "</tbody></table></div>\n");
	return n > 0;
}
