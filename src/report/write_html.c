/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page: what was found in large letters, the letter itself, the plots that show it, and everything else below in order of how often it is asked for. There is no script in
 * it, so that it can be shown in a mail client, a bug tracker's preview or a locked-down browser; what is long folds up by <details>.
 */
#include "report/write.h"

#include "report/answer.h"
#include "report/figures.h"
#include "report/page_style.h"
#include "text/escape.h"
#include "text/json.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { COMMITS_MOST = 200, SETTINGS_MOST = 200 };

static void put_tagged(struct str *out, const char *tag, const char *class, const char *text)
{
	str_addf(out, "<%s class=\"%s\">", tag, class);
	escape_html(out, text);
	str_addf(out, "</%s>\n", tag);
}

static void put_tile(struct str *out, const char *what, const char *value, const char *more)
{
	str_puts(out, "<div class=\"tile\"><dt>");
	escape_html(out, what);
	str_puts(out, "</dt><dd>");
	escape_html(out, value);
	str_puts(out, "</dd><dd class=\"more\">");
	escape_html(out, more);
	str_puts(out, "</dd></div>\n");
}

/* --- the head ----------------------------------------------------------------------------------------------------- */

static void put_change_tile(const struct letter *l, struct str *out)
{
	AUTO(str) struct str name = STR_INIT, value = STR_INIT, more = STR_INIT;

	if (!l->main)
		return;
	letter_case(l->main, &name);
	answer_plain_change(answer_number(l->main, "change"), &value);
	answer_change(l->main, &more);
	const char *interval = strchr(more.p, '[');

	put_tile(out, name.p, value.p, interval ? interval : "");
}

static void put_culprit_tiles(const struct dossier *d, struct str *out)
{
	const struct json *a = d->main.answer;
	AUTO(str) struct str name = STR_INIT, p = STR_INIT, more = STR_INIT;

	if (strcmp(answer_str(a, "verdict"), "named") != 0 || !d->main.complete)
		return;
	letter_commit(answer_str(a, "culprit"), "", &name);
	put_tile(out, strcmp(answer_str(a, "direction"), "fix") ? "culprit" : "repaired by", name.p,
		 answer_str(a, "named.subject"));
	answer_probability(answer_number(a, "probability"), &p);
	str_addf(&more, "of %lld commits", answer_int(a, "candidates"));
	put_tile(out, "probability", p.p, more.p);
}

static void put_recovered_tile(const struct dossier *d, struct str *out)
{
	const struct json *r = json_get(d->confirm.answer, "findings[0].recovered");
	double low = answer_number(r, "low"), high = answer_number(r, "high");

	if (!isfinite(low) || !isfinite(high) || (low <= 0 && high >= 0))
		return;
	AUTO_FREE char *value = xasprintf("%.0f %%", 100 * answer_number(r, "share"));
	AUTO_FREE char *more = xasprintf("[%.0f, %.0f] of the difference", 100 * low, 100 * high);

	put_tile(out, "comes back without it", value, more);
}

static void put_head(const struct dossier *d, const struct letter *l, struct str *out)
{
	static const char *const kinds[] = { "bad", "work", "good", "other", "other" };
	AUTO(str) struct str kicker = STR_INIT, title = STR_INIT;
	time_t began = (time_t)(d->began_ns / 1000000000);
	char date[32] = "";
	struct tm tm;

	if (gmtime_r(&began, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	str_addf(&kicker, "%s%shunt %lld%s%s", d->project, *d->project ? ", " : "",
		 (long long)d->main.hunt, d->began_ns ? ", " : "", d->began_ns ? date : "");
	str_addf(&title, "%s %s", letter_tag(l), l->subject);
	str_puts(
		out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
	escape_html(out, title.p);
	str_addf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", page_style);
	str_puts(out, "<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header>\n");
	put_tagged(out, "p", "kicker", kicker.p);
	str_addf(out, "<p class=\"badge %s\">%.*s</p>\n", kinds[l->kind],
		 (int)strlen(letter_tag(l)) - 2, letter_tag(l) + 1);
	put_tagged(out, "h1", "subject", l->subject);
	str_puts(out, "<dl class=\"tiles\">\n");
	put_change_tile(l, out);
	put_culprit_tiles(d, out);
	put_recovered_tile(d, out);
	str_puts(out, "</dl>\n</header>\n<main id=\"main\">\n");
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

static void open_section(struct str *out, const char *heading)
{
	str_puts(out, "<section>\n");
	if (*heading)
		put_tagged(out, "h2", "head", heading);
}

static void put_section(struct str *out, const char *heading, const struct doc *doc)
{
	if (!doc->n)
		return;
	open_section(out, heading);
	doc_put_html(doc, 3, out);
	str_puts(out, "</section>\n");
}

static void put_figure(const struct dossier *d, const char *heading, const char *caption,
		       bool (*figure)(const struct dossier *, struct str *), struct str *out)
{
	AUTO(str) struct str text = STR_INIT;

	if (!figure(d, &text))
		return;
	open_section(out, heading);
	str_puts(out, "<figure>\n");
	str_add(out, text.p, text.n);
	str_puts(out, "<figcaption>");
	escape_html(out, caption);
	str_puts(out, "</figcaption>\n</figure>\n</section>\n");
}

static void open_details(struct str *out, const char *summary)
{
	str_puts(out, "<details><summary>");
	escape_html(out, summary);
	str_puts(out, "</summary>\n");
}

static void put_commits(const struct dossier *d, struct str *out)
{
	static const char *const columns[] = { "<commit", "<title",	  ">runs",
					       ">median", ">probability", NULL };
	AUTO(doc) struct doc doc = { 0 };
	const char *unit = answer_str(d->main.answer, "unit");
	struct doc_table *t = NULL;
	size_t n = 0;

	for (size_t i = 0; i < d->range.n && n < COMMITS_MOST; i++) {
		const struct dossier_commit *c = &d->range.v[i];
		AUTO(str) struct str name = STR_INIT, value = STR_INIT, p = STR_INIT;

		if (!c->runs && !c->skipped)
			continue;
		if (!n++)
			t = doc_table(&doc, "The commits that were measured", columns);
		letter_commit(c->name, "", &name);
		answer_value(c->median, c->median, unit, &value);
		answer_probability(c->p, &p);
		doc_cell(t, "%s", name.p);
		doc_cell(t, "%s%s%s%s", c->subject, c->skipped ? " (not measurable: " : "",
			 c->skipped ? c->skipped : "", c->skipped ? ")" : "");
		doc_cell(t, "%u", c->runs);
		doc_cell(t, "%s", value.p);
		doc_cell(t, "%s", c->is_end && c->p <= 0 ? "-" : p.p);
	}
	if (!n)
		return;
	AUTO_FREE char *summary = xasprintf("The %zu commits that were built, in order", n);

	open_details(out, summary);
	doc_put_html(&doc, 3, out);
	str_puts(out, "</details>\n");
}

static const struct json *explain_of(const struct dossier *d)
{
	return !strcmp(d->kind, "explain") ? d->main.answer : d->explain.answer;
}

static void put_counters(const struct dossier *d, struct str *out)
{
	static const char *const columns[] = { "<counter",	     ">before",	 ">after",
					       ">change [interval]", "<verdict", NULL };
	const struct json *rows = json_get(explain_of(d), "metrics");
	AUTO(doc) struct doc doc = { 0 };
	struct doc_table *t;

	if (!json_count(rows))
		return;
	t = doc_table(&doc, "Counters of the two sides", columns);
	for (size_t i = 0; i < json_count(rows); i++) {
		const struct json *row = json_at(rows, i);
		AUTO(str) struct str name = STR_INIT, a = STR_INIT, b = STR_INIT, change = STR_INIT;
		double base = answer_number(row, "baseline_median");
		const char *why;
		bool refused = claim_of(row, &why) == CLAIM_REFUSED;

		letter_case(row, &name);
		answer_value(base, base, answer_str(row, "unit"), &a);
		answer_value(answer_number(row, "median"), base, answer_str(row, "unit"), &b);
		answer_change(row, &change);
		doc_cell(t, "%s%s", claim_is_work(row) ? "emulated: " : "", name.p);
		doc_cell(t, "%s", a.p);
		doc_cell(t, "%s", b.p);
		doc_cell(t, "%s", change.p);
		str_clear(&change);
		if (refused)
			str_addf(&change, "not claimed: %s", why);
		else
			answer_verdict(row, &change);
		doc_cell(t, "%s", change.p);
	}
	open_section(out, "Counters");
	doc_put_html(&doc, 3, out);
	str_puts(out, "</section>\n");
}

static void put_settings(const struct dossier *d, struct str *out)
{
	static const char *const columns[] = { "<kind", "<name", "<before", "<after", NULL };
	const struct json *rows = json_get(explain_of(d), "surroundings.rows");
	AUTO(doc) struct doc doc = { 0 };
	struct doc_table *t;

	if (!json_count(rows))
		return;
	t = doc_table(&doc, "What differs around the runs", columns);
	for (size_t i = 0; i < json_count(rows) && i < SETTINGS_MOST; i++) {
		const struct json *row = json_at(rows, i);

		doc_cell(t, "%s", answer_str(row, "group"));
		doc_cell(t, "%.200s", answer_str(row, "key"));
		doc_cell(t, "%.200s",
			 json_to_text(row, "before") ? answer_str(row, "before") : "(absent)");
		doc_cell(t, "%.200s",
			 json_to_text(row, "after") ? answer_str(row, "after") : "(absent)");
	}
	open_section(out, "What differs around the runs");
	open_details(out, "Settings, configuration and messages, the likeliest cause first");
	doc_put_html(&doc, 3, out);
	str_puts(out, "</details>\n</section>\n");
}

static void put_log(const struct dossier *d, struct str *out)
{
	if (!d->log.n)
		return;
	open_section(out, "The journal");
	open_details(out, "Everything that was observed, in order");
	str_puts(out, "<pre tabindex=\"0\"><code>");
	for (size_t i = 0; i < d->log.n; i++) {
		escape_html(out, d->log.v[i]);
		str_putc(out, '\n');
	}
	str_puts(out, "</code></pre>\n</details>\n</section>\n");
}

static void put_range_section(const struct dossier *d, struct str *out)
{
	AUTO(str) struct str text = STR_INIT;

	if (!figure_range(d, &text))
		return;
	open_section(out, "The range");
	str_puts(out, "<figure>\n");
	str_add(out, text.p, text.n);
	str_puts(
		out,
		"<figcaption>Above, a dot a run and a line at the median for each commit measured, oldest on the left. "
		"Below, the probability that the change is there; grey marks stand for commits in between that needed no run."
		"</figcaption>\n</figure>\n");
	put_commits(d, out);
	str_puts(out, "</section>\n");
}

void write_html(const struct dossier *d, const struct letter *l, struct str *out)
{
	put_head(d, l, out);
	put_section(out, "", &l->lead);
	put_section(out, "Still open", &l->missing);
	put_range_section(d, out);
	put_section(out, "With the commit taken out", &l->revert);
	put_section(out, "With patches", &l->patches);
	put_figure(
		d, "Samples",
		"A dot a run, a line at the median, and a band for its 95 % interval. Runs of all sides were interleaved.",
		figure_sides, out);
	put_figure(
		d, "All metrics",
		"Change with its interval; the grey band is the margin within which two sides are on par. The axis is logarithmic away from zero.",
		figure_forest, out);
	put_section(out, "What differs inside", &l->why);
	put_figure(
		d, "Functions",
		"Instructions that a function takes more or less; what differs by no more than runs of one side do is left out.",
		figure_functions, out);
	put_counters(d, out);
	put_settings(d, out);
	put_figure(
		d, "Run order",
		"Values in the order in which they were measured: a machine that changes its speed shows as a slope.",
		figure_order, out);
	put_section(out, "Checked, and did not change", &l->unchanged);
	put_section(out, "Not claimed", &l->left_out);
	put_section(out, "Machine and configuration", &l->setup);
	put_section(out, "To reproduce, without culprit", &l->reproduce);
	put_section(out, "", &l->hints);
	put_log(d, out);
	str_puts(out, "</main>\n<footer><p>Written by culprit ");
	escape_html(out, d->version);
	str_puts(out, " from its journal; every number can be recomputed from the samples by "
		      "<code>culprit verify</code>.</p></footer>\n</body>\n</html>\n");
}
