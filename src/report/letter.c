/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a letter is about: the strongest claim that may be made decides its kind and its subject. What may not be said is gathered while the sections are
 * written, and listed after them.
 */
#include "report/letter.h"

#include "report/answer.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

enum { LEFT_OUT_MOST = 12 };

void letter_done(struct letter *l)
{
	struct doc *all[] = { &l->lead,	    &l->revert,	 &l->patches, &l->why,	     &l->unchanged,
			      &l->left_out, &l->missing, &l->setup,   &l->reproduce, &l->hints };

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		doc_done(all[i]);
	refusals_done(&l->refusals);
	free(l->subject);
	*l = (struct letter){ .kind = LETTER_UNDECIDED };
}

const char *letter_tag(const struct letter *l)
{
	static const char *const tags[] = { "[REGRESSION]", "[WORK]", "[IMPROVEMENT]",
					    "[NO CHANGE]", "[UNDECIDED]" };

	return tags[l->kind];
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

void letter_case(const struct json *row, struct str *out)
{
	const char *benchmark = answer_str(row, "benchmark");

	if (*benchmark && strcmp(benchmark, "default") != 0)
		str_addf(out, "%s ", benchmark);
	str_puts(out, answer_str(row, "metric"));
}

static bool is_object_name(const char *s)
{
	size_t n = strlen(s);

	return (n == 40 || n == 64) && strspn(s, "0123456789abcdef") == n;
}

void letter_commit(const char *name, const char *subject, struct str *out)
{
	if (is_object_name(name))
		str_add(out, name, 12);
	else if (starts_with(name, "deb="))
		str_add(out, name + 4, strcspn(name + 4, "="));
	else
		str_puts(out, name);
	if (*subject)
		str_addf(out, " (\"%s\")", subject);
}

void letter_end(const struct json *end, struct str *out)
{
	const char *name = answer_str(end, "name"), *commit = answer_str(end, "commit");

	if (is_object_name(name))
		str_add(out, name, 12);
	else
		str_puts(out, name);
	if (is_object_name(commit) && strncmp(name, commit, strlen(name) < 12 ? strlen(name) : 12))
		str_addf(out, " (%.12s)", commit);
}

void letter_change(const struct json *row, struct str *out)
{
	double a = answer_number(row, "baseline_median"), b = answer_number(row, "median");
	const char *unit = answer_str(row, "unit");

	if (isfinite(a) && isfinite(b)) {
		answer_value(a, a, unit, out);
		str_puts(out, " -> ");
		answer_value(b, fabs(b) > 20 * fabs(a) ? b : a, unit, out);
		str_puts(out, ", ");
	}
	answer_change(row, out);
	if (*answer_str(row, "verdict")) {
		str_puts(out, ", ");
		answer_verdict(row, out);
	}
}

bool letter_is_counted(const struct dossier *d)
{
	static const char *const counts[] = { "instructions", "branches", "l1d-", "llc-" };
	const char *metric = answer_str(d->main.answer, "metric");

	/* enum measure: 2 is callgrind */
	if (answer_int(d->main.question, "measure") != 2)
		return false;
	if (!*metric)
		metric = answer_str(d->main.answer, "metrics[0].metric");
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		if (starts_with(metric, counts[i]))
			return true;
	return false;
}

static bool is_search(const struct dossier *d)
{
	return !strcmp(d->kind, "bisect");
}

static bool is_verdict(const struct dossier *d, const char *verdict)
{
	return !strcmp(answer_str(d->main.answer, "verdict"), verdict);
}

static bool is_fix(const struct dossier *d)
{
	return !strcmp(answer_str(d->main.answer, "direction"), "fix");
}

/* --- which claim the letter is about ------------------------------------------------------------------------------ */

/* The row of a primary metric that changed most clearly for the worse, else for the better. */
static const struct json *strongest(const struct json *rows, bool nested)
{
	const struct json *found = NULL;

	for (size_t i = 0; i < json_count(rows); i++) {
		const struct json *row = json_at(rows, i);
		const char *why;

		if (nested)
			row = json_get(row, "loss");
		else if (!answer_flag(row, "primary"))
			continue;
		if (claim_of(row, &why) != CLAIM_CHANGE)
			continue;
		if (!found || (claim_is_worse(row) && !claim_is_worse(found)))
			found = row;
	}
	return found;
}

static const struct json *main_claim(const struct dossier *d)
{
	const struct json *a = d->main.answer, *row;
	const char *why;

	if (!d->main.complete) /* what runs so far say may be taken back by the next ones */
		return NULL;
	if (!is_search(d))
		return strongest(json_get(a, strcmp(d->kind, "confirm") ? "metrics" : "findings"),
				 !strcmp(d->kind, "confirm"));
	if (is_verdict(d, "no-change") || is_verdict(d, "undecided"))
		return NULL;
	row = strongest(json_get(d->confirm.answer, "findings"), true);
	if (row)
		return row;
	row = strongest(json_get(a, "head_to_head.metrics"), false);
	if (row)
		return row;
	return claim_of_interval(a, &why) == CLAIM_CHANGE ? a : NULL;
}

static bool all_same(const struct json *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < json_count(rows); i++) {
		const char *why;

		if (!answer_flag(json_at(rows, i), "primary"))
			continue;
		n++;
		if (claim_of(json_at(rows, i), &why) != CLAIM_SAME)
			return false;
	}
	return n > 0;
}

static enum letter_kind kind_of(const struct dossier *d, const struct json *row)
{
	if (!row)
		return (is_search(d) && is_verdict(d, "no-change")) ||
				       (!is_search(d) &&
					(all_same(json_get(d->main.answer, "metrics")) ||
					 answer_flag(d->main.answer, "identical_artefacts")))
			       ? LETTER_NO_CHANGE
			       : LETTER_UNDECIDED;
	if (claim_is_work(row) || letter_is_counted(d))
		return LETTER_WORK;
	return is_fix(d) || !claim_is_worse(row) ? LETTER_IMPROVEMENT : LETTER_REGRESSION;
}

/* --- the subject -------------------------------------------------------------------------------------------------- */

/* A Debian package without "deb=" and its version; of an image its file; else as it is. */
static void put_short(const struct json *a, const char *path, struct str *out)
{
	char scratch[13];
	const char *name = answer_variant(a, path, scratch);

	letter_commit(starts_with(name, "image=") && strrchr(name, '/') ? strrchr(name, '/') + 1
									: name,
		      "", out);
}

static bool is_kernel_package(const struct json *a)
{
	return starts_with(answer_str(a, "variants[0]"), "deb=linux-image") ||
	       starts_with(answer_str(a, "old.commit"), "deb=linux-image");
}

/* What comes before the colon of a kernel's commit: "mm/page_alloc". */
static void put_area(const struct dossier *d, struct str *out)
{
	const char *subject = answer_str(d->main.answer, "named.subject");
	size_t n = strcspn(subject, ":");

	if (d->git.is_kernel && subject[n] == ':' && n < 24 && n && !memchr(subject, ' ', n)) {
		str_add(out, subject, n);
		str_puts(out, ": ");
	} else if (is_kernel_package(d->main.answer)) {
		str_puts(out, "Linux: ");
	} else if (d->project && *d->project) {
		str_addf(out, "%s: ", d->project);
	}
}

static void put_found(const struct dossier *d, struct str *out)
{
	const struct json *a = d->main.answer;
	size_t n = json_count(json_get(a, "suspects"));

	if (is_verdict(d, "named")) {
		str_puts(out, is_fix(d) ? ", fixed by " : ", bisected to ");
		letter_commit(answer_str(a, "culprit"), "", out);
	} else if (is_verdict(d, "set")) {
		str_addf(out, ", one of %zu commits", n);
	} else if (is_verdict(d, "multiple")) {
		str_addf(out, ", %zu changes", json_count(json_get(a, "ranges")));
	}
}

static void compose_subject(const struct dossier *d, struct letter *l)
{
	const struct json *a = d->main.answer;
	AUTO(str) struct str s = STR_INIT;

	put_area(d, &s);
	if (l->main) {
		letter_case(l->main, &s);
		str_putc(&s, ' ');
		answer_plain_change(answer_number(l->main, "change"), &s);
	} else if (is_search(d)) {
		letter_case(a, &s);
	} else {
		letter_case(json_get(a, "metrics[0]"), &s);
	}
	if (is_search(d) && d->main.complete)
		put_found(d, &s);
	if (!is_search(d) || !l->main) {
		const char *from = is_search(d) ? "old.name" : "variants[0]",
			   *to = is_search(d) ? "new.name" : "variants[1]";

		str_puts(&s, ", ");
		put_short(a, from, &s);
		str_puts(&s, *answer_str(a, to) ? " to " : "");
		put_short(a, to, &s);
	}
	l->subject = str_take(&s);
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

/* A row without interval or verdict shows its numbers, since somebody published or measured them, and claims nothing. */
static void put_values(const struct json *row, struct doc *to)
{
	AUTO(str) struct str name = STR_INIT, a = STR_INIT, b = STR_INIT;
	double base = answer_number(row, "baseline_median"), value = answer_number(row, "median");

	if (!answer_flag(row, "primary") || !isfinite(base) || !isfinite(value))
		return;
	letter_case(row, &name);
	answer_value(base, base, answer_str(row, "unit"), &a);
	answer_value(value, base, answer_str(row, "unit"), &b);
	doc_item(to, "%s: %s and %s, medians of %lld + %lld values", name.p, a.p, b.p,
		 answer_int(row, "n[0]"), answer_int(row, "n[1]"));
}

static void compose_left_out(const struct dossier *d, struct letter *l)
{
	const struct json *rows = json_get(d->main.answer, "metrics");
	const struct strvec *list = &l->refusals.list;

	for (size_t i = 0; i < d->missing.n; i++)
		doc_item(&l->missing, "%s", d->missing.v[i]);
	if (!list->n)
		return;
	doc_paragraph(&l->left_out,
		      "Nothing is claimed of these, since what was measured does not carry it:");
	for (size_t i = 0; i < list->n && i < LEFT_OUT_MOST; i++)
		doc_item(&l->left_out, "%s", list->v[i]);
	if (list->n > LEFT_OUT_MOST)
		doc_item(&l->left_out, "and %zu more", list->n - LEFT_OUT_MOST);
	if (l->kind != LETTER_UNDECIDED || is_search(d))
		return;
	doc_paragraph(&l->left_out, "The values themselves:");
	for (size_t i = 0; i < json_count(rows); i++)
		put_values(json_at(rows, i), &l->left_out);
}

/* The search's own change, where it may not be said. */
static void refuse_search(const struct dossier *d, struct letter *l)
{
	const char *why;

	if (!d->main.complete)
		return;
	if (is_search(d) && !is_verdict(d, "no-change") &&
	    claim_of_interval(d->main.answer, &why) == CLAIM_REFUSED)
		refusals_add(&l->refusals, d->main.answer, "the search", why);
	if (is_search(d) && is_verdict(d, "undecided"))
		refusals_add(&l->refusals, d->main.answer, "the search", "undecided");
}

static void compose_hints(const struct dossier *d, struct letter *l)
{
	const struct json *a = d->main.answer;
	AUTO(str) struct str line = STR_INIT;
	bool blames = l->kind == LETTER_REGRESSION && is_verdict(d, "named") &&
		      is_object_name(answer_str(a, "culprit"));

	if (!blames)
		return;
	doc_paragraph(&l->hints, "A fix of this would carry:");
	str_puts(&line, "Fixes: ");
	letter_commit(answer_str(a, "culprit"), answer_str(a, "named.subject"), &line);
	str_puts(&line, "\nCloses: <the address of this report>\n");
	doc_verbatim(&l->hints, line.p);
	if (d->git.is_kernel)
		doc_paragraph(&l->hints, "#regzbot introduced: %s", answer_str(a, "culprit"));
}

void letter_compose(const struct dossier *d, struct letter *ret)
{
	struct letter l = { .main = main_claim(d) };

	l.kind = kind_of(d, l.main);
	compose_subject(d, &l);
	letter_lead(d, &l);
	refuse_search(d, &l);
	letter_confirm(d, &l);
	letter_trial(d, &l);
	letter_explain(d, &l);
	if (d->main.complete)
		letter_rows(is_search(d) ? json_get(d->main.answer, "head_to_head")
					 : d->main.answer,
			    NULL, is_search(d) ? "the commit against its parent" : "the comparison",
			    &l);
	compose_left_out(d, &l);
	letter_setup(d, &l);
	letter_reproduce(d, &l);
	compose_hints(d, &l);
	*ret = l;
}
