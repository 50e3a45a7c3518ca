/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of BAD without the commit. Each verdict says the test that it rests on, with its interval: "on par" only where the whole interval is
 * within the margin, a share of the loss only where there is a loss. What could not be measured says what to do next.
 */
#include "report/answer.h"

#include "text/json.h"
#include "text/table.h"

#include <math.h>
#include <string.h>

/* --- head --------------------------------------------------------------------------------------------------------- */

/* Of a repair the older end is the bad one, so neither is called so. */
static const char *old_end(const struct json *a)
{
	return strcmp(answer_str(a, "direction"), "fix") ? "good" : "before";
}

static const char *new_end(const struct json *a)
{
	return strcmp(answer_str(a, "direction"), "fix") ? "bad" : "after";
}

static const char *without_it(const struct json *a)
{
	return strcmp(answer_str(a, "means"), "knob") ? "without it" : "with it";
}

static void put_good(const struct json *a, struct str *out)
{
	const char *source = answer_str(a, "good.source");

	answer_label(out, old_end(a));
	str_puts(out, answer_str(a, "good.name"));
	if (!strcmp(source, "hunt"))
		str_addf(out, ", the %s end of hunt %lld",
			 strcmp(old_end(a), "good") ? "older" : "good", answer_int(a, "of_hunt"));
	else if (!strcmp(source, "parent"))
		str_puts(out, ", the commit's parent");
	str_putc(out, '\n');
}

static void put_head(const struct json *a, const struct answer_style *style, struct str *out)
{
	const char *commit = answer_str(a, "culprit.commit");
	AUTO_FREE char *name = xstrndup(commit, 12);

	if (*commit) {
		answer_label(out, "culprit");
		text_put(out, TEXT_BOLD, style->color, name);
		str_addf(out, "  %s\n", answer_str(a, "culprit.subject"));
	}
	put_good(a, out);
	answer_label(out, new_end(a));
	str_addf(out, "%s\n", answer_str(a, "bad.name"));
	answer_label(out, without_it(a));
	str_addf(out, "%s\n", answer_str(a, "fixed.name"));
}

/* --- findings ------------------------------------------------------------------------------------------------------ */

/* "loss", or what else the difference between GOOD and BAD is. */
static const char *noun(const struct json *f)
{
	bool faster = !strcmp(answer_str(f, "loss.verdict"), "faster");

	if (!strcmp(answer_str(f, "evidence"), "emulated"))
		return faster ? "saving" : "extra work";
	return faster ? "gain" : "loss";
}

void answer_share(const struct json *r, struct str *out)
{
	double share = answer_number(r, "share"), low = answer_number(r, "low"),
	       high = answer_number(r, "high");

	if (isnan(share)) {
		str_putc(out, '-');
		return;
	}
	/* an end that leaves 0 out must not be printed as 0 */
	int decimals = high - low < 0.05 || (low != 0 && fabs(low) < 0.005) ? 1 : 0;

	if (!(low < high)) {
		str_addf(out, "%.4g %%", 100 * share);
		return;
	}
	str_addf(out, "%.*f %% [%.*f, %.*f]", decimals, 100 * share, decimals, 100 * low, decimals,
		 100 * high);
}

static void put_table(const struct json *a, const struct answer_style *style, struct str *out)
{
	static const char *const medians[] = { "good_median", "bad_median", "fixed_median" };
	const struct json *list = json_get(a, "findings");
	AUTO_FREE char *against = xasprintf("%s against %s", new_end(a), old_end(a));
	AUTO(table) struct table t = TABLE_INIT;

	if (!json_count(list))
		return;
	t.indent = 1;
	table_column(&t, "metric", TABLE_LEFT);
	table_column(&t, old_end(a), TABLE_RIGHT);
	table_column(&t, new_end(a), TABLE_RIGHT);
	table_column(&t, without_it(a), TABLE_RIGHT);
	table_column(&t, against, TABLE_LEFT);
	table_column(&t, "comes back", TABLE_LEFT);
	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *f = json_at(list, i);
		double shown[ARRAY_LEN(medians)];
		AUTO(str) struct str change = STR_INIT, share = STR_INIT;

		table_cell(&t, TEXT_BOLD, "%s", answer_str(f, "metric"));
		for (size_t k = 0; k < ARRAY_LEN(medians); k++)
			shown[k] = answer_number(f, medians[k]);
		for (size_t k = 0; k < ARRAY_LEN(medians); k++) {
			AUTO(str) struct str cell = STR_INIT;

			answer_value(shown[k], answer_scale(shown, ARRAY_LEN(shown)),
				     answer_str(f, "unit"), &cell);
			table_cell(&t, TEXT_PLAIN, "%s", cell.p);
		}
		answer_change(json_get(f, "loss"), &change);
		answer_share(json_get(f, "recovered"), &share);
		table_cell(&t, TEXT_PLAIN, "%s", change.p);
		table_cell(&t, TEXT_PLAIN, "%s", share.p);
	}
	str_putc(out, '\n');
	table_put(&t, style->width, style->color, out);
}

void answer_row_than(const struct json *row, const char *than, struct str *out)
{
	const char *verdict = answer_str(row, "verdict");

	if (!strcmp(verdict, "identical")) {
		str_addf(out, "identical to %s", than);
		return;
	}
	answer_change(row, out);
	if (!strcmp(verdict, "on-par")) {
		str_addf(out, " on par with %s within %.3g %%%s", than,
			 100 * answer_number(row, "margin"),
			 answer_flag(row, "differs_within_margin") ? ", yet measurably different"
								   : "");
	} else if (!strcmp(verdict, "undecided")) {
		str_addf(out, " against %s, ", than);
		answer_verdict(row, out);
	} else {
		str_putc(out, ' ');
		answer_verdict(row, out);
		str_addf(out, " than %s", than);
	}
}

static void put_recovers(const struct json *a, const struct json *f, struct str *out)
{
	answer_label(out, "");
	if (isnan(answer_number(f, "recovered.share"))) {
		str_addf(out, "what share of the %s comes back is not known yet\n", noun(f));
		return;
	}
	str_puts(out, strcmp(answer_str(a, "means"), "knob") ? "reverting recovers "
							     : "the setting recovers ");
	answer_share(json_get(f, "recovered"), out);
	str_addf(out, " of the %s\n", noun(f));
	if (!strcmp(answer_str(f, "verdict"), "partly") && answer_number(f, "recovered.high") < 1) {
		answer_label(out, "");
		str_puts(out, "the rest has another cause\n");
	}
}

static void put_finding(const struct json *a, const struct json *f, bool named, struct str *out)
{
	const char *verdict = answer_str(f, "verdict"), *than = old_end(a);
	const struct json *row = json_get(f, "left");
	bool lost = strcmp(answer_str(f, "loss.verdict"), "on-par") &&
		    strcmp(answer_str(f, "loss.verdict"), "identical") &&
		    strcmp(answer_str(f, "loss.verdict"), "undecided");

	answer_label(out, verdict);
	if (named)
		str_addf(out, "%s: ", answer_str(f, "metric"));
	if (!lost) {
		str_addf(out, "%s: ", new_end(a));
		row = json_get(f, "loss");
	} else {
		str_addf(out, "%s: ", without_it(a));
		if (!strcmp(verdict, "refuted")) {
			row = json_get(f, "back");
			than = new_end(a);
		}
	}
	answer_row_than(row, than, out);
	str_putc(out, '\n');
	if (lost)
		put_recovers(a, f, out);
}

static void put_picked(const struct json *a, struct str *out)
{
	const struct json *list = json_get(a, "findings");

	if (json_get(a, "picked")) {
		answer_label(out, "other way");
		str_addf(out, "not measured: %s\n", answer_str(a, "picked.why"));
		return;
	}
	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *f = json_at(list, i);

		if (!json_get(f, "picked"))
			continue;
		answer_label(out, "other way");
		if (json_count(list) > 1)
			str_addf(out, "%s: ", answer_str(f, "metric"));
		str_addf(out, "picked onto %s: ", old_end(a));
		answer_row_than(json_get(f, "picked"), old_end(a), out);
		str_putc(out, '\n');
		if (isnan(answer_number(f, "reproduced.share")))
			continue;
		answer_label(out, "");
		str_puts(out, "that is ");
		answer_share(json_get(f, "reproduced"), out);
		str_addf(out, " of the %s\n", noun(f));
	}
}

/* --- another layout ------------------------------------------------------------------------------------------------- */

static void put_survival(const char *verdict, const struct json *row, struct str *out)
{
	if (!strcmp(verdict, "survives")) {
		str_puts(out, "survives another code layout: ");
		answer_change(row, out);
	} else if (!strcmp(verdict, "layout")) {
		str_puts(out, "does not survive another code layout: it is the layout's: ");
		answer_row_than(row, "the parent", out);
	} else {
		str_puts(out, "in another code layout: ");
		answer_row_than(row, "the parent", out);
	}
	str_putc(out, '\n');
}

static const char *not_known(const char *verdict)
{
	if (!strcmp(verdict, "not-taken"))
		return "not known: this build takes no other code layout (same artefacts)";
	if (!strcmp(verdict, "broken"))
		return "not known: it does not build in another code layout";
	return "not measured yet";
}

static void put_layout(const struct json *a, struct str *out)
{
	const struct json *layout = json_get(a, "layout"), *list = json_get(layout, "findings");
	const char *verdict = answer_str(layout, "verdict");

	if (!layout)
		return;
	if (!json_count(list)) {
		answer_label(out, "layout");
		str_addf(out, "%s\n", not_known(verdict));
	}
	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *f = json_at(list, i);

		answer_label(out, "layout");
		if (json_count(list) > 1)
			str_addf(out, "%s: ", answer_str(f, "row.metric"));
		put_survival(answer_str(f, "verdict"), json_get(f, "row"), out);
	}
}

/* --- what could not be measured -------------------------------------------------------------------------------------- */

static void put_conflict(const struct json *a, struct str *out)
{
	const struct json *list = json_get(a, "dependents");
	size_t n = json_count(list);

	for (size_t i = 0; i < n; i++) {
		const struct json *c = json_at(list, i);

		answer_label(out, i ? "" : "in the way");
		str_addf(out, "%.12s  %s\n", answer_str(c, "commit"), answer_str(c, "subject"));
	}
	answer_label(out, "next");
	if (answer_flag(a, "dependents_complete")) {
		str_puts(out, n == 1 ? "revert it with it:" : "revert them with it:");
		for (size_t i = 0; i < n; i++)
			str_addf(out, " --with %.12s", answer_str(json_at(list, i), "commit"));
		str_puts(out, " (that is clean)\n");
		answer_label(out, "");
		str_puts(out, "or ");
	} else if (n) {
		str_puts(out, "reverting all of these together conflicts as well;\n");
		answer_label(out, "");
	}
	str_puts(out, "your own resolution: --patch FILE; or a setting: --knob\n");
}

static void put_unmeasured(const struct json *a, struct str *out)
{
	const char *verdict = answer_str(a, "verdict");

	answer_label(out, verdict);
	if (!strcmp(verdict, "broken")) {
		str_addf(out, "%s %s does not build: %s\n", without_it(a), new_end(a),
			 answer_str(a, "why"));
		answer_label(out, "");
		str_addf(out, "its log: culprit show b%lld\n", answer_int(a, "broken_build"));
		return;
	}
	str_addf(out, "%s\n",
		 *answer_str(a, "why") ? answer_str(a, "why") : "nothing was measured");
	if (!strcmp(verdict, "conflict")) {
		put_conflict(a, out);
	} else if (json_get(a, "undone_by")) {
		answer_label(out, "");
		str_addf(out, "it was reverted before, by %.12s  %s\n",
			 answer_str(a, "undone_by.commit"), answer_str(a, "undone_by.subject"));
	} else if (!strcmp(verdict, "empty")) {
		answer_label(out, "");
		str_addf(out, "%s does not hold what the commit did, or not any more\n",
			 new_end(a));
	}
}

void answer_confirm(const struct json *a, const struct answer_style *style, struct str *out)
{
	const struct json *list = json_get(a, "findings");
	AUTO(str) struct str text = STR_INIT;

	put_head(a, style, out);
	put_table(a, style, out);
	str_putc(out, '\n');
	if (*answer_str(a, "why") || !json_count(list))
		put_unmeasured(a, &text);
	for (size_t i = 0; i < json_count(list); i++)
		put_finding(a, json_at(list, i), json_count(list) > 1, &text);
	put_picked(a, &text);
	put_layout(a, &text);
	answer_notes(a, &text);
	answer_put_stopped(a, &text);
	if (json_count(list)) {
		answer_label(&text, "report");
		str_addf(&text, "culprit report %lld\n", answer_int(a, "hunt"));
	}
	answer_cost(a, "builds_made", &text);
	answer_put_wrapped(text.p, style->width, out);
}
