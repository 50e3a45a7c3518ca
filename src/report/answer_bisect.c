/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A search's answer: what was asked, what was found and how sure that is, what it rests on, what it cost. Every verdict has its own
 * sentence; a set or an undecided search is never dressed up as a name.
 */
#include "report/answer.h"

#include "text/json.h"
#include "text/table.h"

#include <math.h>
#include <string.h>

static const char *direction_word(const struct json *a)
{
	double change = answer_number(a, "change");
	bool lower = strcmp(answer_str(a, "better"), "higher") != 0;

	if (isnan(change) || change == 0)
		return "different";
	bool worse = (change > 0) == lower;

	if (!strcmp(answer_str(a, "evidence"), "emulated"))
		return worse ? "more work" : "less work";
	return worse ? "worse" : "better";
}

static void put_ends(const struct json *a, struct str *out)
{
	double old = answer_number(a, "old_median"), new = answer_number(a, "new_median");
	const char *unit = answer_str(a, "unit");

	if (!answer_int(a, "old_runs") && !answer_int(a, "new_runs"))
		return;
	answer_label(out, "ends");
	str_addf(out, "%s %s   ", answer_str(a, "benchmark"), answer_str(a, "metric"));
	answer_value(old, answer_scale((double[]){ old, new }, 2), unit, out);
	str_puts(out, " -> ");
	answer_value(new, fabs(new) > 20 * fabs(old) || fabs(old) > 20 * fabs(new) ? new : old,
		     unit, out);
	if (old != 0 && isfinite(old) && isfinite(new)) {
		str_puts(out, "   ");
		answer_plain_change(new / old - 1, out);
	}
	str_addf(out, "   medians of %lld + %lld runs\n", answer_int(a, "old_runs"),
		 answer_int(a, "new_runs"));
}

/* A commit by its first digits, a release by its name without the version, which stands where a subject does. */
static void put_name(const char *node, struct str *out)
{
	if (starts_with(node, "deb="))
		str_addf(out, "%.*s", (int)strcspn(node + 4, "="), node + 4);
	else if (starts_with(node, "image="))
		str_puts(out, str_path_tail(node + 6));
	else
		str_addf(out, "%.12s", node);
}

/* "commit" or "release". */
static const char *kind(const struct json *a)
{
	return !strcmp(answer_str(a, "kind"), "release") ? "release" : "commit";
}

static void put_suspect_rows(const struct json *a, const char *first_label, size_t first,
			     size_t most, struct str *out)
{
	const struct json *list = json_get(a, "suspects");
	size_t n = json_count(list);

	for (size_t i = first; i < n && i < first + most; i++) {
		const struct json *s = json_at(list, i);
		AUTO(str) struct str p = STR_INIT;

		answer_probability(answer_number(s, "probability"), &p);
		answer_label(out, i == first ? first_label : "");
		put_name(answer_str(s, "commit"), out);
		str_addf(out, "  %11s  %s\n", p.p, answer_str(s, "subject"));
	}
	if (n > first + most) {
		answer_label(out, "");
		str_addf(out, "and %zu more (--json lists them)\n", n - first - most);
	}
}

static void put_fresh_runs(const struct json *a, struct str *out)
{
	str_addf(out, "against %s in %lld + %lld fresh runs\n",
		 !strcmp(kind(a), "release") ? "the release before it" : "its parent",
		 answer_int(a, "head_to_head.metrics[0].n[0]"),
		 answer_int(a, "head_to_head.metrics[0].n[1]"));
}

/* An interval that holds "no change" is no confirmation, and must not read like one. */
static void put_named_change(const struct json *a, struct str *out)
{
	bool open = answer_number(a, "low") < 0 && answer_number(a, "high") > 0;

	answer_change(a, out);
	if (open)
		str_puts(out, ", not decided ");
	else
		str_addf(out, " %s, ", direction_word(a));
	if (!strcmp(answer_str(a, "change_source"), "head-to-head"))
		put_fresh_runs(a, out);
	else
		str_addf(out, "%s all builds of the search\n", open ? "by" : "estimated from");
}

static void put_named(const struct json *a, const struct answer_style *style, struct str *out)
{
	AUTO(str) struct str p = STR_INIT;
	AUTO(str) struct str name = STR_INIT;

	answer_probability(answer_number(a, "probability"), &p);
	put_name(answer_str(a, "culprit"), &name);
	answer_label(out, !strcmp(answer_str(a, "direction"), "fix") ? "fixed by" : "culprit");
	text_put(out, TEXT_BOLD, style->color, name.p);
	str_addf(out, "  %s   P = %s\n", answer_str(a, "named.subject"), p.p);
	answer_label(out, "");
	put_named_change(a, out);
	put_suspect_rows(a, "next", 1, 3, out);
}

static void put_set(const struct json *a, struct str *out)
{
	size_t n = json_count(json_get(a, "suspects"));

	answer_label(out, "set");
	if (n == 1)
		str_addf(out, "this commit, with a doubt: %s\n", answer_str(a, "why"));
	else
		str_addf(out, "one of these %zu %ss: %s\n", n, kind(a), answer_str(a, "why"));
	put_suspect_rows(a, "", 0, 20, out);
}

static void put_no_change(const struct json *a, struct str *out)
{
	answer_label(out, "no change");
	if (!answer_int(a, "old_runs") && !answer_int(a, "new_runs")) {
		str_addf(out, "%s, byte for byte; nothing was run\n", answer_str(a, "why"));
		return;
	}
	str_addf(out, "the ends do not differ by %.3g %% or more",
		 100 * answer_number(a, "margin"));
	if (isfinite(answer_number(a, "low"))) {
		str_puts(out, ": ");
		answer_change(a, out);
	}
	str_putc(out, '\n');
	if (answer_number(a, "margin") > answer_number(a, "margin_asked")) {
		answer_label(out, "");
		str_addf(out, "a difference of %.3g %% is not excluded: %s\n",
			 100 * answer_number(a, "margin_asked"), answer_str(a, "why"));
	}
	answer_label(out, "");
	str_puts(
		out,
		"there is nothing to search; --inside looks for a change that was undone within the range\n");
}

static void put_change_line(const struct json *c, bool first, struct str *out)
{
	AUTO(str) struct str p = STR_INIT;

	answer_probability(answer_number(c, "probability"), &p);
	answer_label(out, first ? "each" : "");
	if (strcmp(answer_str(c, "verdict"), "named")) {
		str_addf(out, "%.12s .. %.12s: %s\n", answer_str(c, "old.commit"),
			 answer_str(c, "new.commit"), answer_str(c, "verdict"));
		return;
	}
	str_addf(out, "%.12s  %s   ", answer_str(c, "culprit"), answer_str(c, "named.subject"));
	answer_change(c, out);
	str_addf(out, "   P = %s\n", p.p);
}

static void put_multiple(const struct json *a, struct str *out)
{
	const struct json *ranges = json_get(a, "ranges"), *changes = json_get(a, "changes");

	answer_label(out, "multiple");
	str_addf(out, "more than one change: %zu ranges\n", json_count(ranges));
	for (size_t i = 0; i < json_count(ranges); i++) {
		const struct json *r = json_at(ranges, i);

		answer_label(out, "");
		str_addf(out, "%.12s .. %.12s   about ", answer_str(r, "old"),
			 answer_str(r, "new"));
		answer_plain_change(answer_number(r, "change"), out);
		str_putc(out, '\n');
	}
	for (size_t i = 0; i < json_count(changes); i++)
		put_change_line(json_at(changes, i), i == 0, out);
}

/* The head-to-head has taken back what the search named. */
static void put_contradicted(const struct json *a, struct str *out)
{
	AUTO(str) struct str p = STR_INIT;

	answer_probability(answer_number(a, "probability"), &p);
	answer_label(out, "");
	put_name(answer_str(a, "suspects[0].commit"), out);
	str_addf(out, "  %s   P = %s by the search alone\n", answer_str(a, "suspects[0].subject"),
		 p.p);
	answer_label(out, "");
	answer_change(a, out);
	str_putc(out, ' ');
	put_fresh_runs(a, out);
	answer_label(out, "");
	str_puts(
		out,
		"the machine may have changed its speed in step with the search: --new searches again; "
		"culprit doctor\n");
}

/* Commits that nothing measured tells apart: together they are far likelier than each. */
static void put_alike(const struct json *a, struct str *out)
{
	AUTO(str) struct str p = STR_INIT;
	long long n = answer_int(a, "alike");

	if (n < 2)
		return;
	answer_probability(answer_number(a, "alike_probability"), &p);
	answer_label(out, "");
	str_addf(out, "it is one of %lld that no measured commit tells apart, P = %s together\n", n,
		 p.p);
}

/* How large the change is may be known before who made it is. */
static void put_change_so_far(const struct json *a, struct str *out)
{
	if (!isfinite(answer_number(a, "low")))
		return;
	answer_label(out, "change");
	answer_change(a, out);
	str_puts(out, " between the ends, by all builds so far\n");
}

static void put_undecided(const struct json *a, struct str *out)
{
	size_t n = json_count(json_get(a, "suspects"));
	long long more = answer_int(a, "more_runs");

	answer_label(out, "undecided");
	str_addf(out, "%s\n", answer_str(a, "why"));
	if (json_get(a, "head_to_head")) {
		put_contradicted(a, out);
		return;
	}
	/* Nothing between the ends was measured: a list of suspects would be a list of commits. */
	if (n > 1 && answer_int(a, "builds") <= 2) {
		answer_label(out, "");
		str_puts(out, "no commit between the ends was measured yet\n");
	} else if (n) {
		AUTO(str) struct str p = STR_INIT;

		/* the confidence includes that there is a change, and one only; the set is what follows if so */
		answer_probability(answer_number(a, "probability"), &p);
		answer_label(out, "");
		str_addf(out, "the likeliest commit has P = %s, and %.3g %% is asked for\n", p.p,
			 100 * answer_number(a, "level"));
		put_alike(a, out);
		answer_label(out, "");
		str_addf(
			out,
			"if there is one change, the smallest set that holds it with %.3g %%: %zu commit%s\n",
			100 * answer_number(a, "level"), n, n == 1 ? "" : "s");
		put_suspect_rows(a, "", 0, 10, out);
	}
	put_change_so_far(a, out);
	if (more) {
		answer_label(out, "");
		str_addf(out, "about %lld more runs would help\n", more);
	}
	answer_put_stopped(a, out);
}

/* What is to be done with a name: take it out again; and where the emulator counted, ask for the functions. */
static void put_next(const struct json *a, struct str *out)
{
	if (strcmp(answer_str(a, "verdict"), "named"))
		return;
	if (!strcmp(kind(a), "commit")) {
		answer_label(out, "confirm");
		str_addf(out, "culprit confirm %.12s\n", answer_str(a, "culprit"));
	}
	if (!strcmp(answer_str(a, "evidence"), "emulated")) {
		answer_label(out, "explain");
		str_addf(out, "culprit explain %lld\n", answer_int(a, "hunt"));
	}
	answer_label(out, "report");
	str_addf(out, "culprit report %lld\n", answer_int(a, "hunt"));
}

static void put_rest(const struct json *a, struct str *out)
{
	const struct json *warnings = json_get(a, "warnings"), *skipped = json_get(a, "skipped");
	long long failed = answer_int(a, "failed_runs");
	size_t n = json_count(skipped);

	if (n) {
		answer_label(out, "skipped");
		str_addf(out, "%zu %s%s could not be measured: ", n, kind(a), n == 1 ? "" : "s");
		put_name(answer_str(json_at(skipped, 0), "commit"), out);
		str_addf(out, " %s%s\n", answer_str(json_at(skipped, 0), "reason"),
			 n > 1 ? ", ..." : "");
	}
	for (size_t i = 0; i < json_count(warnings); i++) {
		answer_label(out, i ? "" : "note");
		str_addf(out, "%s\n", answer_str(json_at(warnings, i), NULL));
	}
	if (failed) {
		answer_label(out, "failed");
		str_addf(out, "%lld of %lld runs gave no value, the last one: %s\n", failed,
			 answer_int(a, "runs"), answer_str(a, "last_failure"));
	}
	if (!strcmp(answer_str(a, "evidence"), "emulated")) {
		AUTO(str) struct str blind = STR_INIT;

		answer_blind(a, &blind);
		answer_label(out, "emulated");
		str_addf(out, "this is work, not time; blind to %s\n",
			 blind.n ? blind.p : "caches, branches, contention and frequency");
	}
	put_next(a, out);
	answer_cost(a, "builds", out);
}

static void put_all(const struct json *a, const struct answer_style *style, struct str *out)
{
	const char *verdict = answer_str(a, "verdict");
	long long idle = answer_int(a, "cannot_matter"), outside = answer_int(a, "outside_paths"),
		  n = answer_int(a, "candidates");

	str_addf(out, "%s .. %s   %lld %s%s", answer_str(a, "old.name"), answer_str(a, "new.name"),
		 n, kind(a), n == 1 ? "" : "s");
	if (outside)
		str_addf(out, ", %lld of which touch%s none of the paths", outside,
			 outside == 1 ? "es" : "");
	if (idle)
		str_addf(out, ", %lld of which touch%s nothing that is built or run", idle,
			 idle == 1 ? "es" : "");
	str_puts(out, "\n\n");
	put_ends(a, out);
	if (!strcmp(verdict, "named"))
		put_named(a, style, out);
	else if (!strcmp(verdict, "set"))
		put_set(a, out);
	else if (!strcmp(verdict, "no-change"))
		put_no_change(a, out);
	else if (!strcmp(verdict, "multiple"))
		put_multiple(a, out);
	else
		put_undecided(a, out);
	put_rest(a, out);
}

void answer_bisect(const struct json *a, const struct answer_style *style, struct str *out)
{
	AUTO(str) struct str text = STR_INIT;

	put_all(a, style, &text);
	answer_put_wrapped(text.p, style->width, out);
}
