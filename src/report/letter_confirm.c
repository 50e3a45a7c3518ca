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

/* One of three columns that a finding has: what it is without the loss, with it, and mended. */
struct proof {
	const struct dossier *d;
	const struct json *answer; /* of the confirmation or trial */
	int64_t hunt;
	const char *mended;   /* "with the commit reverted", "with fix.patch" */
	const char *roles[3]; /* what the sides are called in the samples */
	struct doc *to;
	struct letter *l;
};

/* "12.38 ms .. 12.46 ms", where the samples are known and enough. */
static void put_median_interval(const struct proof *p, const char *metric, const char *side,
				long long runs, double scale, struct str *out)
{
	const struct dossier *d = p->d;

	for (size_t i = 0; i < d->series.n; i++) {
		const struct dossier_series *x = &d->series.v[i];
		AUTO_FREE double *v = xcalloc(x->dots.n + 1, sizeof(*v));
		double low, high;
		size_t n = 0;

		if (strcmp(x->metric, metric) != 0 || x->hunt != p->hunt)
			continue;
		/* as many as were judged: a hunt that ran out of its budget has more */
		for (size_t k = 0; k < x->dots.n && n < (size_t)runs; k++)
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

static void put_side(const struct proof *p, const struct json *f, struct doc_table *t,
		     const char *name, unsigned side, long long n)
{
	static const char *const paths[] = { "good_median", "bad_median", "fixed_median" };
	AUTO(str) struct str value = STR_INIT, interval = STR_INIT;
	double shown[] = { answer_number(f, paths[0]), answer_number(f, paths[1]),
			   answer_number(f, paths[2]) };
	double scale = answer_scale(shown, 3);

	answer_value(shown[side], scale, answer_str(f, "unit"), &value);
	put_median_interval(p, answer_str(f, "metric"), p->roles[side], n, scale, &interval);
	doc_cell(t, "%s", name);
	doc_cell(t, "%lld", n);
	doc_cell(t, "%s", value.p);
	doc_cell(t, "%s", interval.n ? interval.p : "-");
}

/* A pair that was decided early has fewer runs than the medians are of. */
static long long larger(const struct json *f, const char *a, const char *b)
{
	long long x = answer_int(f, a), y = answer_int(f, b);

	return x > y ? x : y;
}

static void put_table(const struct proof *p, const struct json *f)
{
	static const char *const columns[] = { "<", ">runs", ">median", ">95 % interval", NULL };
	const struct json *a = p->answer;
	AUTO(str) struct str name = STR_INIT;
	char scratch[2][13];
	const char *old = is_fix(a) ? "before" : "good", *new = is_fix(a) ? "after" : "bad";
	AUTO_FREE char *good = xasprintf("%s: %s", old, answer_variant(a, "good.name", scratch[0]));
	AUTO_FREE char *bad = xasprintf("%s: %s", new, answer_variant(a, "bad.name", scratch[1]));
	AUTO_FREE char *fixed = xasprintf("%s, %s", new, p->mended);

	letter_case(json_get(f, "loss"), &name);
	doc_paragraph(p->to, "%s%s:", claim_is_work(json_get(f, "loss")) ? "emulated: " : "",
		      name.p);
	struct doc_table *t = doc_table(p->to, name.p, columns);

	put_side(p, f, t, good, 0, larger(f, "loss.n[0]", "left.n[0]"));
	put_side(p, f, t, bad, 1, larger(f, "loss.n[1]", "back.n[0]"));
	put_side(p, f, t, fixed, 2, larger(f, "left.n[1]", "back.n[1]"));
}

static void put_share(const struct json *r, struct str *out)
{
	double low = answer_number(r, "low"), high = answer_number(r, "high");
	int decimals = high - low < 0.05 ? 1 : 0;

	str_addf(out, "%.*f %% [%.*f, %.*f]", decimals, 100 * answer_number(r, "share"), decimals,
		 100 * low, decimals, 100 * high);
}

/* A share whose interval holds zero shows nothing. */
static void put_recovered(const struct proof *p, const struct json *f)
{
	const struct json *r = json_get(f, "recovered");
	double low = answer_number(r, "low"), high = answer_number(r, "high");
	AUTO(str) struct str share = STR_INIT;

	if (!isfinite(low) || !isfinite(high) || (low <= 0 && high >= 0)) {
		AUTO_FREE char *about = xasprintf("share that comes back %s", p->mended);

		refusals_add(&p->l->refusals, json_get(f, "loss"), about,
			     isfinite(low) ? "its interval crosses zero" : "no interval");
		return;
	}
	put_share(r, &share);
	doc_paragraph(p->to, "Of the difference between the two, %s comes back %s.", share.p,
		      p->mended);
}

static void put_row(const struct proof *p, const char *what, const struct json *row,
		    const char *than)
{
	AUTO(str) struct str change = STR_INIT;
	const char *why;
	enum claim claim = claim_of(row, &why);

	if (!row)
		return;
	if (claim == CLAIM_REFUSED) {
		AUTO_FREE char *about = xasprintf("%s against %s", what, than);

		refusals_add(&p->l->refusals, row, about, why);
		return;
	}
	answer_change(row, &change);
	if (!strcmp(answer_str(row, "verdict"), "identical"))
		str_puts(&change, ", identical digits");
	else {
		str_puts(&change, ", ");
		answer_verdict(row, &change);
	}
	doc_item(p->to, "%s against %s: %s", what, than, change.p);
}

static void put_finding(const struct proof *p, const struct json *f, bool first)
{
	const char *old = is_fix(p->answer) ? "before" : "good",
		   *new = is_fix(p->answer) ? "after" : "bad";

	put_table(p, f);
	if (first)
		put_row(p, new, json_get(f, "loss"), old);
	put_row(p, p->mended, json_get(f, "left"), old);
	put_row(p, p->mended, json_get(f, "back"), new);
	if (json_get(f, "picked"))
		put_row(p, "the commit picked onto the good end", json_get(f, "picked"), old);
	put_recovered(p, f);
}

/* --- patches that were tried ---------------------------------------------------------------------------------------- */

static void put_patch(const struct dossier *d, const struct json *a, const struct json *patch,
		      int64_t hunt, struct letter *l)
{
	const struct json *list = json_get(patch, "findings");
	const char *name = answer_str(patch, "name"), *title = answer_str(patch, "title"),
		   *why = answer_str(patch, "why");
	AUTO_FREE char *mended = xasprintf("with %s", name);
	struct proof p = {
		.d = d, .answer = a, .hunt = hunt, .mended = mended, .to = &l->patches, .l = l
	};

	static const char *const words[][2] = {
		{ "repairs", "repairs it" },
		{ "partly", "repairs a part of it" },
		{ "no-help", "does not help" },
		{ "no-loss", "there is no difference to repair" },
		{ "broken", "it does not build" },
		{ "undecided", "undecided" },
	};
	const char *verdict = answer_str(patch, "verdict");

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(verdict, words[i][0]))
			verdict = words[i][1];
	doc_paragraph(&l->patches, "%s%s%s%s: %s%s%s.", name, *title ? " (\"" : "", title,
		      *title ? "\")" : "", verdict, *why ? ", " : "", why);
	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *f = json_at(list, i);

		p.roles[0] = answer_str(f, "loss.baseline");
		p.roles[1] = answer_str(f, "loss.variant");
		p.roles[2] = answer_str(f, "left.variant");
		put_finding(&p, f, !d->confirm.hunt);
	}
}

void letter_trial(const struct dossier *d, struct letter *l)
{
	const struct dossier_part *part = strcmp(d->kind, "try") ? &d->trial : &d->main;
	const struct json *list = json_get(part->answer, "patches");

	for (size_t i = 0; i < json_count(list); i++)
		put_patch(d, part->answer, json_at(list, i), part->hunt, l);
}

/* --- the commit taken out -------------------------------------------------------------------------------------------- */

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

	struct proof p = { .d = d, .answer = a, .to = &l->revert, .l = l };

	if (!a)
		return;
	p.hunt = d->confirm.hunt ? d->confirm.hunt : d->main.hunt;
	p.mended = without(a);
	p.roles[0] = is_fix(a) ? "before" : "good";
	p.roles[1] = is_fix(a) ? "after" : "bad";
	p.roles[2] = "reverted";
	for (size_t i = 0; i < json_count(list); i++)
		put_finding(&p, json_at(list, i), true);
	if (!json_count(list) || *answer_str(a, "why"))
		put_unmeasured(a, l);
	put_layout(a, l);
	if (a != d->main.answer)
		letter_rows(a, answer_str(a, "bad.name"),
			    is_fix(a) ? "after against before" : "bad against good", l);
}
