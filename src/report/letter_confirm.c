/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The proof: good, bad, and bad without the commit, in absolute values; what share of the loss comes back; and what the same runs show that did not change.
 */
#include "report/letter.h"

#include "report/answer.h"
#include "stats/sample.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

enum { SAME_MOST = 12 };

static const struct json *confirm_of(const struct dossier *d)
{
	return !strcmp(d->kind, "confirm") ? d->main.answer : d->confirm.answer;
}

static bool is_fix(const struct json *a)
{
	return !strcmp(answer_str(a, "direction"), "fix");
}

static const char *without(const struct json *a)
{
	return strcmp(answer_str(a, "means"), "knob") ? "with the commit reverted"
						      : "with the setting";
}

/* "[12.38, 12.46] ms", where the samples are known and enough. */
static void put_median_interval(const struct dossier *d, const char *metric, const char *side,
				double scale, struct str *out)
{
	for (size_t i = 0; i < d->series.n; i++) {
		const struct dossier_series *x = &d->series.v[i];
		AUTO_FREE double *v = xcalloc(x->dots.n + 1, sizeof(*v));
		double low, high;
		size_t n = 0;

		if (strcmp(x->metric, metric) != 0 || x->hunt == 0 ||
		    x->hunt != (d->confirm.hunt ? d->confirm.hunt : d->main.hunt))
			continue;
		for (size_t k = 0; k < x->dots.n; k++)
			if (!strcmp(x->sides.v[x->dots.v[k].side], side))
				v[n++] = x->dots.v[k].value;
		sample_sort(v, n);
		if (!sample_median_interval(v, n, 0.95, &low, &high))
			continue;
		answer_value(low, scale, x->unit, out);
		str_puts(out, " .. ");
		answer_value(high, scale, x->unit, out);
		return;
	}
}

static void put_side(const struct dossier *d, const struct json *f, struct doc_table *t,
		     const char *name, const char *role, const char *path, long long n)
{
	AUTO(str) struct str value = STR_INIT, interval = STR_INIT;
	double shown[] = { answer_number(f, "good_median"), answer_number(f, "bad_median"),
			   answer_number(f, "fixed_median") };
	double scale = answer_scale(shown, 3);

	answer_value(answer_number(f, path), scale, answer_str(f, "unit"), &value);
	put_median_interval(d, answer_str(f, "metric"), role, scale, &interval);
	doc_cell(t, "%s", name);
	doc_cell(t, "%lld", n);
	doc_cell(t, "%s", value.p);
	doc_cell(t, "%s", interval.n ? interval.p : "-");
}

static void put_table(const struct dossier *d, const struct json *a, const struct json *f,
		      struct letter *l)
{
	static const char *const columns[] = { "<", ">runs", ">median", ">95 % interval", NULL };
	AUTO(str) struct str name = STR_INIT;
	char scratch[2][13];
	const char *old = is_fix(a) ? "before" : "good", *new = is_fix(a) ? "after" : "bad";
	AUTO_FREE char *good = xasprintf("%s: %s", old, answer_variant(a, "good.name", scratch[0]));
	AUTO_FREE char *bad = xasprintf("%s: %s", new, answer_variant(a, "bad.name", scratch[1]));
	AUTO_FREE char *fixed = xasprintf("%s, %s", new, without(a));

	letter_case(json_get(f, "loss"), &name);
	if (json_count(json_get(a, "findings")) > 1)
		doc_paragraph(&l->revert, "%s:", name.p);
	struct doc_table *t = doc_table(&l->revert, name.p, columns);

	put_side(d, f, t, good, old, "good_median", answer_int(f, "loss.n[0]"));
	put_side(d, f, t, bad, new, "bad_median", answer_int(f, "loss.n[1]"));
	put_side(d, f, t, fixed, "reverted", "fixed_median", answer_int(f, "left.n[1]"));
}

static void put_share(const struct json *r, struct str *out)
{
	double low = answer_number(r, "low"), high = answer_number(r, "high");
	int decimals = high - low < 0.05 ? 1 : 0;

	str_addf(out, "%.*f %% [%.*f, %.*f]", decimals, 100 * answer_number(r, "share"), decimals,
		 100 * low, decimals, 100 * high);
}

/* A share whose interval holds zero shows nothing. */
static void put_recovered(const struct json *f, struct letter *l)
{
	const struct json *r = json_get(f, "recovered");
	double low = answer_number(r, "low"), high = answer_number(r, "high");
	AUTO(str) struct str share = STR_INIT;

	if (!isfinite(low) || !isfinite(high) || (low <= 0 && high >= 0)) {
		refusals_add(&l->refusals, json_get(f, "loss"), "share of it that comes back",
			     isfinite(low) ? "its interval crosses zero" : "no interval");
		return;
	}
	put_share(r, &share);
	doc_paragraph(&l->revert, "Of the difference between the two, %s comes back.", share.p);
}

static void put_row(const char *what, const struct json *row, const char *than, struct letter *l)
{
	AUTO(str) struct str change = STR_INIT;
	const char *why;
	enum claim claim = claim_of(row, &why);

	if (!row)
		return;
	if (claim == CLAIM_REFUSED) {
		AUTO_FREE char *about = xasprintf("%s against %s", what, than);

		refusals_add(&l->refusals, row, about, why);
		return;
	}
	answer_change(row, &change);
	if (!strcmp(answer_str(row, "verdict"), "identical"))
		str_puts(&change, ", identical digits");
	else {
		str_puts(&change, ", ");
		answer_verdict(row, &change);
	}
	doc_item(&l->revert, "%s against %s: %s", what, than, change.p);
}

static void put_finding(const struct dossier *d, const struct json *a, const struct json *f,
			struct letter *l)
{
	const char *old = is_fix(a) ? "before" : "good", *new = is_fix(a) ? "after" : "bad";

	put_table(d, a, f, l);
	put_row(new, json_get(f, "loss"), old, l);
	put_row(without(a), json_get(f, "left"), old, l);
	put_row(without(a), json_get(f, "back"), new, l);
	if (json_get(f, "picked"))
		put_row("the commit picked onto the good end", json_get(f, "picked"), old, l);
	put_recovered(f, l);
}

static void put_unmeasured(const struct json *a, struct letter *l)
{
	const struct json *list = json_get(a, "dependents");
	AUTO(str) struct str more = STR_INIT;

	for (size_t i = 0; i < json_count(list) && i < 4; i++) {
		str_puts(&more, i ? ", " : " In the way: ");
		letter_commit(answer_str(json_at(list, i), "commit"),
			      answer_str(json_at(list, i), "subject"), &more);
	}
	if (json_count(list) > 4)
		str_addf(&more, " and %zu more", json_count(list) - 4);
	doc_paragraph(&l->revert, "Taking the commit out of %s was tried and not measured: %s.%s%s",
		      answer_str(a, "bad.name"),
		      *answer_str(a, "why") ? answer_str(a, "why") : answer_str(a, "verdict"),
		      more.p, more.n ? "." : "");
}

/* In another layout of the code: a change that is only the layout's is no commit's. */
static void put_layout(const struct json *a, struct letter *l)
{
	const char *verdict = answer_str(a, "layout.verdict");

	if (!strcmp(verdict, "survives"))
		doc_item(
			&l->unchanged,
			"the change is there in another layout of the code too (built with other alignments)");
	else if (!strcmp(verdict, "layout"))
		doc_paragraph(
			&l->revert,
			"In another layout of the code the change is not there: it is the layout's, not the commit's.");
}

void letter_rows(const struct json *answer, const char *variant, const char *about,
		 struct letter *l)
{
	const struct json *rows = json_get(answer, "metrics");
	AUTO(str) struct str same = STR_INIT;
	size_t n = 0;

	for (size_t i = 0; i < json_count(rows); i++) {
		const struct json *row = json_at(rows, i);
		const char *why;
		enum claim claim = claim_of(row, &why);

		if (variant && strcmp(variant, answer_str(row, "variant")) != 0)
			continue;
		if (claim == CLAIM_CHANGE && !answer_flag(row, "primary") &&
		    json_get(row, "listed") && !answer_flag(row, "listed")) {
			claim = CLAIM_REFUSED;
			why = "not clear among so many metrics";
		}
		if (claim == CLAIM_REFUSED)
			refusals_add(&l->refusals, row, about, why);
		if (claim != CLAIM_SAME || n++ >= SAME_MOST)
			continue;
		str_puts(&same, same.n ? "; " : "");
		letter_case(row, &same);
		if (strcmp(answer_str(row, "verdict"), "identical") != 0) {
			str_putc(&same, ' ');
			answer_change(row, &same);
		} else {
			str_puts(&same, " identical");
		}
	}
	if (n)
		doc_item(&l->unchanged, "%s: %s", about, same.p);
}

void letter_confirm(const struct dossier *d, struct letter *l)
{
	const struct json *a = confirm_of(d), *list = json_get(a, "findings");

	if (!a)
		return;
	for (size_t i = 0; i < json_count(list); i++)
		put_finding(d, a, json_at(list, i), l);
	if (!json_count(list) || *answer_str(a, "why"))
		put_unmeasured(a, l);
	put_layout(a, l);
	if (a != d->main.answer)
		letter_rows(a, answer_str(a, "bad.name"),
			    is_fix(a) ? "after against before" : "bad against good", l);
}
