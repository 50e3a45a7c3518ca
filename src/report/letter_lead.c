/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lead of a letter: what changed, where, by how much, which commit, and how that is known. The order is the one in which a maintainer decides whether
 * to read on.
 */
#include "report/letter.h"

#include "report/answer.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

enum { CASES_MOST = 12, SUSPECTS_MOST = 8 };

static bool is_verdict(const struct dossier *d, const char *verdict)
{
	return !strcmp(answer_str(d->main.answer, "verdict"), verdict);
}

static bool is_fix(const struct dossier *d)
{
	return !strcmp(answer_str(d->main.answer, "direction"), "fix");
}

/* What/where/how much for each test case: rows that changed. */
static size_t put_cases(const struct json *rows, const char *variant, const char *about,
			struct letter *l)
{
	static const char *const columns[] = {
		"<test case", ">before", ">after", "<change [interval]", ">runs", "<verdict", NULL
	};
	struct doc_table *t = NULL;
	size_t n = 0;

	for (size_t i = 0; i < json_count(rows); i++) {
		const struct json *row = json_at(rows, i);
		AUTO(str) struct str name = STR_INIT, a = STR_INIT, b = STR_INIT;
		AUTO(str) struct str change = STR_INIT, verdict = STR_INIT;
		double base = answer_number(row, "baseline_median"),
		       value = answer_number(row, "median");
		bool listed = answer_flag(row, "primary") || answer_flag(row, "listed");
		const char *why;

		if ((variant && strcmp(variant, answer_str(row, "variant")) != 0) ||
		    claim_of(row, &why) != CLAIM_CHANGE || !listed || n >= CASES_MOST)
			continue;
		if (!n++) {
			t = doc_table(&l->lead, about, columns);
			t->last_is_optional = true;
		}
		letter_case(row, &name);
		answer_value(base, answer_scale((double[]){ base, value }, 2),
			     answer_str(row, "unit"), &a);
		answer_value(value, answer_scale((double[]){ base, value }, 2),
			     answer_str(row, "unit"), &b);
		answer_change(row, &change);
		answer_verdict(row, &verdict);
		doc_cell(t, "%s%s", claim_is_work(row) ? "emulated: " : "", name.p);
		doc_cell(t, "%s", a.p);
		doc_cell(t, "%s", b.p);
		doc_cell(t, "%s", change.p);
		doc_cell(t, "%lld+%lld", answer_int(row, "n[0]"), answer_int(row, "n[1]"));
		doc_cell(t, "%s", verdict.p);
	}
	return n;
}

static void put_work_note(const struct json *row, const struct dossier *d, struct letter *l)
{
	AUTO(str) struct str blind = STR_INIT;

	if (!row || (!claim_is_work(row) && !letter_is_counted(d)))
		return;
	answer_blind(d->main.answer, &blind);
	doc_paragraph(
		&l->lead,
		"%s: these numbers count work (%s), not time, and are blind to %s. No regression on hardware is claimed.",
		!claim_is_work(row)				? "Counted"
		: !strcmp(answer_str(row, "evidence"), "model") ? "model"
								: "emulated",
		!claim_is_work(row) ? "instructions, by valgrind" : "what an emulator executed",
		blind.n ? blind.p : "caches, branches, contention and frequency");
}

/* "Between v1.2 (..) and v1.3 (..) wall got slower: 12.41 ms -> 13.29 ms, +7.1 % [+6.4, +7.8]." */
static void put_change_of_search(const struct dossier *d, struct letter *l)
{
	const struct json *a = d->main.answer, *row = l->main;
	AUTO(str) struct str old = STR_INIT, new = STR_INIT, name = STR_INIT, change = STR_INIT;
	bool at_ends =
		row && row != a && d->confirm.hunt &&
		!strcmp(answer_str(row, "variant"), answer_str(d->confirm.answer, "bad.name"));

	letter_end(json_get(a, "old"), &old);
	letter_end(json_get(a, "new"), &new);
	letter_case(row ? row : a, &name);
	if (!row)
		return;
	letter_change(row, &change);
	AUTO_FREE char *level =
		answer_int(row, "n[0]")
			? xasprintf(" (%.3g %% interval; %lld + %lld runs)",
				    100 * answer_number(row, "level"), answer_int(row, "n[0]"),
				    answer_int(row, "n[1]"))
			: xasprintf(" (%.3g %% interval)", 100 * answer_number(row, "level"));

	if (at_ends)
		doc_paragraph(&l->lead, "From %s to %s, %s changed: %s%s.", old.p, new.p, name.p,
			      change.p, level);
	else
		doc_paragraph(&l->lead,
			      "Between %s and %s, %s changed. At the commit named below: %s%s.",
			      old.p, new.p, name.p, change.p, level);
}

static void put_how(const struct dossier *d, struct letter *l)
{
	const struct json *a = d->main.answer;
	AUTO(str) struct str p = STR_INIT, time = STR_INIT;
	long long idle = answer_int(a, "cannot_matter");
	AUTO_FREE char *idle_text =
		idle ? xasprintf(", %lld of which touch nothing that is built or run", idle)
		     : xstrdup("");

	answer_probability(answer_number(a, "probability"), &p);
	answer_duration(a, &time);
	doc_paragraph(
		&l->lead,
		"Found by a Bayesian search over the %lld commits between the two%s: %lld builds, %lld boots (fresh processes or machines) and %lld runs in %s.%s%s%s",
		answer_int(a, "candidates"), idle_text, answer_int(a, "builds"),
		answer_int(a, "boots"), answer_int(a, "runs"), time.p,
		is_verdict(d, "named") ? " Probability that it is this commit: " : "",
		is_verdict(d, "named") ? p.p : "", is_verdict(d, "named") ? "." : "");
}

static void put_named(const struct dossier *d, struct letter *l)
{
	const struct json *a = d->main.answer;
	AUTO(str) struct str line = STR_INIT;

	letter_commit(answer_str(a, "culprit"), answer_str(a, "named.subject"), &line);
	doc_paragraph(&l->lead, "The commit that %s it is", is_fix(d) ? "repairs" : "brings");
	doc_item(&l->lead, "%s", line.p);
	put_how(d, l);
}

static void put_suspects(const struct dossier *d, struct letter *l)
{
	const struct json *a = d->main.answer, *list = json_get(a, "suspects");
	size_t n = json_count(list);

	doc_paragraph(&l->lead,
		      "It could not be narrowed down to one commit%s%s. It is one of these%s:",
		      *answer_str(a, "why") ? ": " : "", answer_str(a, "why"),
		      n > SUSPECTS_MOST ? " (the likeliest of them)" : "");
	for (size_t i = 0; i < n && i < SUSPECTS_MOST; i++) {
		const struct json *s = json_at(list, i);
		AUTO(str) struct str line = STR_INIT, p = STR_INIT;

		letter_commit(answer_str(s, "commit"), answer_str(s, "subject"), &line);
		answer_probability(answer_number(s, "probability"), &p);
		doc_item(&l->lead, "%s, P = %s", line.p, p.p);
	}
	put_how(d, l);
}

static void put_multiple(const struct dossier *d, struct letter *l)
{
	const struct json *a = d->main.answer, *changes = json_get(a, "changes");
	size_t n = json_count(json_get(a, "ranges"));

	doc_paragraph(&l->lead, "There is more than one change in the range: %zu.", n);
	for (size_t i = 0; i < json_count(changes); i++) {
		const struct json *c = json_at(changes, i);
		AUTO(str) struct str line = STR_INIT, change = STR_INIT, p = STR_INIT;
		const char *why;

		if (strcmp(answer_str(c, "verdict"), "named") != 0 ||
		    claim_of_interval(c, &why) != CLAIM_CHANGE) {
			doc_item(&l->lead, "%.12s .. %.12s: no commit may be named",
				 answer_str(c, "old.commit"), answer_str(c, "new.commit"));
			continue;
		}
		letter_commit(answer_str(c, "culprit"), answer_str(c, "named.subject"), &line);
		answer_change(c, &change);
		answer_probability(answer_number(c, "probability"), &p);
		doc_item(&l->lead, "%s: %s, P = %s", line.p, change.p, p.p);
	}
	put_how(d, l);
}

static void put_nothing(const struct dossier *d, struct letter *l)
{
	const struct json *a = d->main.answer;
	AUTO(str) struct str old = STR_INIT, new = STR_INIT, name = STR_INIT;
	const char *why = answer_str(a, "why");

	letter_end(json_get(a, "old"), &old);
	letter_end(json_get(a, "new"), &new);
	letter_case(a, &name);
	if (is_verdict(d, "no-change"))
		doc_paragraph(
			&l->lead,
			"%s does not differ by %.3g %% or more between %s and %s (%lld + %lld runs).",
			name.p, 100 * answer_number(a, "margin"), old.p, new.p,
			answer_int(a, "old_runs"), answer_int(a, "new_runs"));
	else
		doc_paragraph(
			&l->lead,
			"Whether %s changed between %s and %s is not decided%s%s; nothing is claimed.",
			name.p, old.p, new.p, *why ? ": " : "", why);
	put_how(d, l);
}

/* The likeliest commits of a search that goes on. */
static void lead_of_unfinished(const struct dossier *d, struct letter *l)
{
	const struct json *list = json_get(d->main.answer, "suspects");
	AUTO(str) struct str old = STR_INIT, new = STR_INIT, name = STR_INIT;

	letter_end(json_get(d->main.answer, "old"), &old);
	letter_end(json_get(d->main.answer, "new"), &new);
	letter_case(d->main.answer, &name);
	doc_paragraph(
		&l->lead,
		"This search has no answer yet, and nothing is claimed. It asks which commit between %s and %s changed %s.",
		old.p, new.p, name.n ? name.p : "the metric");
	if (json_count(list))
		doc_paragraph(&l->lead, "The likeliest so far:");
	for (size_t i = 0; i < json_count(list) && i < SUSPECTS_MOST; i++) {
		AUTO(str) struct str line = STR_INIT, p = STR_INIT;

		letter_commit(answer_str(json_at(list, i), "commit"),
			      answer_str(json_at(list, i), "subject"), &line);
		answer_probability(answer_number(json_at(list, i), "probability"), &p);
		doc_item(&l->lead, "%s, P = %s", line.p, p.p);
	}
}

static void lead_of_search(const struct dossier *d, struct letter *l)
{
	if (!d->main.complete) {
		lead_of_unfinished(d, l);
		return;
	}
	put_change_of_search(d, l);
	if (json_count(json_get(d->confirm.answer, "metrics")))
		put_cases(json_get(d->confirm.answer, "metrics"),
			  answer_str(d->confirm.answer, "bad.name"),
			  "What changed between the ends", l);
	else
		put_cases(json_get(d->main.answer, "head_to_head.metrics"), NULL,
			  "What changed at the commit", l);
	put_work_note(l->main, d, l);
	if (is_verdict(d, "named"))
		put_named(d, l);
	else if (is_verdict(d, "set"))
		put_suspects(d, l);
	else if (is_verdict(d, "multiple"))
		put_multiple(d, l);
	else
		put_nothing(d, l);
}

static void lead_of_comparison(const struct dossier *d, struct letter *l)
{
	const struct json *a = d->main.answer, *variants = json_get(a, "variants");
	char scratch[2][13];

	if (answer_flag(a, "identical_artefacts")) {
		doc_paragraph(&l->lead, "%s and %s build to the same artefacts, byte for byte.",
			      answer_variant(a, "variants[0]", scratch[0]),
			      answer_variant(a, "variants[1]", scratch[1]));
		return;
	}
	if (!d->main.complete)
		doc_paragraph(&l->lead, "This hunt has no answer yet, and nothing is claimed.");
	if (json_count(variants) < 2) {
		doc_paragraph(&l->lead, "%s was measured; there is nothing to compare it with.",
			      answer_variant(a, "variants[0]", scratch[0]));
		return;
	}
	for (size_t i = 1; i < json_count(variants); i++) {
		const char *name = answer_str(json_at(variants, i), NULL);

		doc_paragraph(&l->lead, "%s against %s:",
			      answer_variant(json_at(variants, i), NULL, scratch[0]),
			      answer_variant(a, "variants[0]", scratch[1]));
		if (!d->main.complete)
			continue;
		if (!put_cases(json_get(a, "metrics"), name, "What changed", l))
			doc_paragraph(&l->lead, "no change that could be claimed.");
	}
	put_work_note(l->main, d, l);
}

void letter_lead(const struct dossier *d, struct letter *l)
{
	if (!strcmp(d->kind, "bisect"))
		lead_of_search(d, l);
	else
		lead_of_comparison(d, l);
	if (d->also.n)
		doc_paragraph(&l->lead,
			      "The same investigation found other commits for other losses:");
	for (size_t i = 0; i < d->also.n; i++)
		doc_item(&l->lead, "%s", d->also.v[i]);
}
