/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The investigation for a person: the table of what was asked, with who did it; then each culprit with its tests, then what is left to do.
 */
#include "report/answer.h"

#include "text/json.h"
#include "text/table.h"

#include <math.h>
#include <string.h>

static bool several_benchmarks(const struct json *metrics)
{
	for (size_t i = 1; i < json_count(metrics); i++)
		if (strcmp(answer_str(json_at(metrics, i), "benchmark"),
			   answer_str(json_at(metrics, 0), "benchmark")) != 0)
			return true;
	return false;
}

/* "1", "1 and 2 in part", "not found: undecided" */
static void put_who(const struct json *row, struct str *out)
{
	const struct json *list = json_get(row, "culprits");
	bool partly = true;

	if (strcmp(answer_str(row, "verdict"), "slower") != 0)
		return;
	for (size_t i = 0; i < json_count(list); i++) {
		str_addf(out, "%s%lld", i ? ", " : "", answer_int(json_at(list, i), "number"));
		partly = partly && !strcmp(answer_str(json_at(list, i), "verdict"), "partly");
	}
	if (json_count(list)) {
		str_puts(out, partly ? " (a part)" : "");
		return;
	}
	const char *verdict = answer_str(row, "search.verdict");

	str_puts(out, !json_get(row, "search")	      ? "not searched"
		      : !strcmp(verdict, "no-change") ? "not found: no change in the search"
		      : !strcmp(verdict, "set")	      ? "a set: see its hunt"
						      : "not found: undecided");
}

static void put_metrics(const struct json *a, const struct answer_style *style, struct str *out)
{
	const struct json *list = json_get(a, "metrics");
	bool several = several_benchmarks(list);
	AUTO(table) struct table t = TABLE_INIT;

	t.indent = 1;
	if (several)
		table_column(&t, "benchmark", TABLE_LEFT | TABLE_SHRINK);
	table_column(&t, "metric", TABLE_LEFT);
	table_column(&t, "good", TABLE_RIGHT);
	table_column(&t, "bad", TABLE_RIGHT);
	table_column(&t, "change", TABLE_LEFT);
	table_column(&t, "verdict", TABLE_LEFT);
	table_column(&t, "culprit", TABLE_LEFT);
	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *row = json_at(list, i);
		double ends[] = { answer_number(row, "baseline_median"),
				  answer_number(row, "median") };
		AUTO(str) struct str change = STR_INIT, verdict = STR_INIT, who = STR_INIT;

		if (several)
			table_cell(&t, TEXT_PLAIN, "%s", answer_str(row, "benchmark"));
		table_cell(&t, TEXT_BOLD, "%s", answer_str(row, "metric"));
		for (size_t k = 0; k < 2; k++) {
			AUTO(str) struct str cell = STR_INIT;

			answer_value(ends[k], answer_scale(ends, 2), answer_str(row, "unit"),
				     &cell);
			table_cell(&t, TEXT_PLAIN, "%s", cell.p);
		}
		answer_change(row, &change);
		answer_verdict(row, &verdict);
		put_who(row, &who);
		table_cell(&t, TEXT_PLAIN, "%s", change.p);
		table_cell(&t, TEXT_PLAIN, "%s", verdict.p);
		table_cell(&t, TEXT_PLAIN, "%s", who.n ? who.p : "");
	}
	table_put(&t, style->width, style->color, out);
}

/* --- a culprit --------------------------------------------------------------------------------------------------------- */

static void put_test(const struct json *c, struct str *out)
{
	const struct json *list = json_get(c, "findings");
	const char *verdict = answer_str(c, "verdict");
	bool any = false;

	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *f = json_at(list, i);

		/* what did not get worse tells nothing of it */
		if (strcmp(answer_str(f, "loss.verdict"), "slower") != 0)
			continue;
		answer_label(out, any ? "" : "reverted");
		any = true;
		str_addf(out, "%s: ", answer_str(f, "metric"));
		if (!strcmp(answer_str(f, "verdict"), "refuted"))
			str_puts(out, "has no part in it: ");
		answer_row_than(
			json_get(f, strcmp(answer_str(f, "verdict"), "refuted") ? "left" : "back"),
			strcmp(answer_str(f, "verdict"), "refuted") ? "good" : "bad", out);
		if (!isnan(answer_number(f, "recovered.share")) &&
		    strcmp(answer_str(f, "verdict"), "refuted") != 0) {
			str_puts(out, "; recovers ");
			answer_share(json_get(f, "recovered"), out);
			str_puts(out, " of the loss");
		}
		str_putc(out, '\n');
	}
	if (any)
		return;
	answer_label(out, "reverted");
	str_addf(out, "%s%s%s\n", *verdict ? verdict : "not possible",
		 *answer_str(c, "why") ? ": " : "", answer_str(c, "why"));
	if (!answer_int(c, "hunt"))
		return;
	answer_label(out, "");
	str_addf(out, "what to do then: culprit show %lld\n", answer_int(c, "hunt"));
}

static void put_fix(const struct json *fix, const char *fixed_in, struct str *out)
{
	if (!fix)
		return;
	answer_label(out, "repaired");
	if (!json_get(fix, "commit")) {
		if (!strcmp(answer_str(fix, "verdict"), "no-change"))
			str_addf(out, "not in %s: no change between bad and it\n", fixed_in);
		else
			str_addf(out, "not found%s%s\n", *answer_str(fix, "why") ? ": " : "",
				 answer_str(fix, "why"));
		return;
	}
	str_addf(out, "by %.12s  %s, P = ", answer_str(fix, "commit.commit"),
		 answer_str(fix, "commit.subject"));
	answer_probability(answer_number(fix, "probability"), out);
	str_putc(out, '\n');
}

static void put_culprit(const struct json *c, const char *fixed_in,
			const struct answer_style *style, struct str *out)
{
	const struct json *tests = json_get(c, "confirmations");
	AUTO_FREE char *name = xstrndup(answer_str(c, "commit"), 12);

	str_putc(out, '\n');
	AUTO_FREE char *label = xasprintf("culprit %lld", answer_int(c, "number"));

	answer_label(out, label);
	text_put(out, TEXT_BOLD, style->color, name);
	str_addf(out, "  %s\n", answer_str(c, "subject"));
	answer_label(out, "");
	str_addf(out, "%s, P = ", answer_str(c, "author"));
	answer_probability(answer_number(c, "probability"), out);
	str_addf(out, ", found by %s, hunt %lld\n", answer_str(c, "metric"),
		 answer_int(c, "search"));
	for (size_t i = 0; i < json_count(tests); i++)
		put_test(json_at(tests, i), out);
	put_fix(json_get(c, "fix"), fixed_in, out);
	if (json_get(c, "explanation") && answer_int(c, "explanation.hunt")) {
		answer_label(out, "explained");
		str_addf(out, "hunt %lld: culprit show %lld\n", answer_int(c, "explanation.hunt"),
			 answer_int(c, "explanation.hunt"));
	}
}

/* --- the rest ------------------------------------------------------------------------------------------------------------ */

/* "seek repaired, recovers 98 % [..]; rtt not helped" */
static void put_trial_findings(const struct json *p, struct str *out)
{
	const struct json *list = json_get(p, "findings");
	bool any = false;

	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *f = json_at(list, i);
		const char *verdict = answer_str(f, "verdict");

		if (strcmp(answer_str(f, "loss.verdict"), "slower") != 0)
			continue;
		str_addf(out, "%s%s %s", any ? "; " : "", answer_str(f, "metric"),
			 !strcmp(verdict, "confirmed") ? "repaired"
			 : !strcmp(verdict, "partly")  ? "in part"
			 : !strcmp(verdict, "refuted") ? "not helped"
						       : "undecided");
		if (!strcmp(verdict, "confirmed") || !strcmp(verdict, "partly")) {
			str_puts(out, ", ");
			answer_share(json_get(f, "recovered"), out);
			str_puts(out, " of the loss");
		}
		any = true;
	}
	if (!any)
		str_addf(out, "%s%s%s", answer_str(p, "verdict"), *answer_str(p, "why") ? ": " : "",
			 answer_str(p, "why"));
	str_putc(out, '\n');
}

static void put_trials(const struct json *a, struct str *out)
{
	const struct json *list = json_get(a, "trials");

	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *patches = json_get(json_at(list, i), "patches");

		for (size_t k = 0; k < json_count(patches); k++) {
			const struct json *p = json_at(patches, k);
			const char *name = answer_str(p, "name"), *slash = strrchr(name, '/');

			answer_label(out, i || k ? "" : "patches");
			str_addf(out, "%s: ", slash && slash[1] ? slash + 1 : name);
			put_trial_findings(p, out);
		}
		if (!json_count(patches)) {
			answer_label(out, "patches");
			str_addf(out, "%s\n", answer_str(json_at(list, i), "why"));
		}
	}
}

static void put_verdict(const struct json *a, struct str *out)
{
	static const struct {
		const char *verdict, *text;
	} says[] = {
		{ "none", "nothing got worse" },
		{ "explained", "all that got worse is explained" },
		{ "named",
		  "all that got worse has its culprit; not all could be proved by a revert" },
		{ "partly", "a part of what got worse is explained" },
		{ "unexplained", "what got worse is not explained" },
		{ "undecided", "nothing is shown to have got worse" },
	};

	answer_label(out, "answer");
	for (size_t i = 0; i < ARRAY_LEN(says); i++)
		if (!strcmp(answer_str(a, "verdict"), says[i].verdict))
			str_puts(out, says[i].text);
	str_putc(out, '\n');
}

void answer_hunt(const struct json *a, const struct answer_style *style, struct str *out)
{
	const struct json *culprits = json_get(a, "culprits");
	AUTO(str) struct str text = STR_INIT;

	answer_put_ends(a, out);
	put_metrics(a, style, out);
	for (size_t i = 0; i < json_count(culprits); i++)
		put_culprit(json_at(culprits, i), answer_str(a, "fixed_in"), style, &text);
	str_putc(&text, '\n');
	put_trials(a, &text);
	put_verdict(a, &text);
	answer_evidence(a, json_get(a, "metrics"), &text);
	answer_put_stopped(a, &text);
	answer_cost(a, "builds_made", &text);
	answer_put_wrapped(text.p, style->width, out);
}
