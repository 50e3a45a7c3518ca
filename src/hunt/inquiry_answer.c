/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer of the whole, made from those of its stages alone: "metrics" has every primary metric with what became of it, "culprits" each commit that
 * was named with its test, "stages" the hunts that it all rests on.
 */
#include "hunt/inquiry.h"

#include "text/json.h"

#include <math.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Members of `from` as they are. */
static void copy_members(const struct json *from, const char *const *names, struct json_out *w)
{
	for (; *names; names++) {
		const struct json *v = json_member(from, *names);
		AUTO(str) struct str text = STR_INIT;

		if (!v)
			continue;
		json_put(v, &text);
		json_out_raw(w, *names, text.p);
	}
}

static void copy_member(const struct json *from, const char *path, const char *key,
			struct json_out *w)
{
	const struct json *v = json_get(from, path);
	AUTO(str) struct str text = STR_INIT;

	if (!v)
		return;
	json_put(v, &text);
	json_out_raw(w, key, text.p);
}

/* --- metrics ------------------------------------------------------------------------------------------------------- */

enum explained { NOT_EXPLAINED, PARTLY_EXPLAINED, NAMED, EXPLAINED };

/* Did a search by this metric name it? */
static bool was_named_by(const struct inquiry *q, const char *commit, const char *benchmark,
			 const char *metric)
{
	for (size_t i = 0; i < q->stages.n; i++) {
		const struct inquiry_stage *s = &q->stages.v[i];

		if (s->kind == INQUIRY_SEARCH && same(s->benchmark, benchmark) &&
		    same(s->metric, metric) && same(json_to_text(s->answer, "culprit"), commit))
			return true;
	}
	return false;
}

/* The culprits that have a part in it, and how much of it is explained by them. */
static enum explained put_shares(const struct inquiry *q, const struct inquiry_culprits *culprits,
				 const char *benchmark, const char *metric, struct json_out *w)
{
	enum explained all = NOT_EXPLAINED;

	json_out_array(w, "culprits");
	for (size_t i = 0; i < culprits->n; i++) {
		const char *commit = culprits->v[i].commit;
		const struct json *f = inquiry_finding(q, commit, benchmark, metric);
		const char *verdict = json_to_text(f, "verdict");
		enum explained this =
			same(verdict, "confirmed") ? EXPLAINED
			: same(verdict, "partly")  ? PARTLY_EXPLAINED
			: !f && (was_named_by(q, commit, benchmark, metric) ||
				 inquiry_step_of(q, &culprits->v[i], benchmark, metric))
				? NAMED
				: NOT_EXPLAINED;

		if (this == NOT_EXPLAINED)
			continue;
		json_out_object(w, NULL);
		json_out_int(w, "number", (int64_t)i + 1);
		json_out_text(w, "commit", commit);
		json_out_text(w, "verdict", this == NAMED ? "named" : verdict);
		copy_member(f, "recovered", "recovered", w);
		json_out_close(w);
		all = this > all ? this : all;
	}
	json_out_close(w);
	return all;
}

static void put_search(const struct inquiry *q, const char *benchmark, const char *metric,
		       struct json_out *w)
{
	for (size_t i = q->stages.n; i-- > 0;) {
		const struct inquiry_stage *s = &q->stages.v[i];

		if (s->kind != INQUIRY_SEARCH || !same(s->benchmark, benchmark) ||
		    !same(s->metric, metric))
			continue;
		json_out_object(w, "search");
		json_out_int(w, "hunt", s->hunt);
		copy_member(s->answer, "verdict", "verdict", w);
		json_out_text(w, "why", s->why ? s->why : json_to_text(s->answer, "why"));
		json_out_close(w);
		return;
	}
}

struct tally {
	unsigned losses, explained, named, undecided;
};

static void put_metrics(const struct inquiry *q, const struct inquiry_culprits *culprits,
			struct tally *t, struct json_out *w)
{
	static const char *const names[] = { "metric",	 "unit",    "better",
					     "evidence", "verdict", "baseline_median",
					     "median",	 "change",  "low",
					     "high",	 "margin",  "level",
					     "n",	 NULL };

	json_out_array(w, "metrics");
	for (size_t i = 0; i < q->stages.n; i++) {
		const struct inquiry_stage *s = &q->stages.v[i];
		const struct json *rows = json_get(s->answer, "metrics");
		bool primary = false;

		for (size_t k = 0; s->kind == INQUIRY_ENDS && k < json_count(rows); k++) {
			const struct json *row = json_at(rows, k);
			const char *metric = json_to_text(row, "metric"),
				   *verdict = json_to_text(row, "verdict");

			if (!json_to_bool(row, "primary", &primary) || !primary)
				continue;
			json_out_object(w, NULL);
			json_out_text(w, "benchmark", s->benchmark);
			copy_members(row, names, w);
			if (same(verdict, "slower")) {
				enum explained all =
					put_shares(q, culprits, s->benchmark, metric, w);

				t->losses++;
				t->explained += all == EXPLAINED;
				t->named += all == NAMED;
				put_search(q, s->benchmark, metric, w);
			}
			t->undecided += same(verdict, "undecided");
			json_out_close(w);
		}
	}
	json_out_close(w);
}

/* --- culprits ------------------------------------------------------------------------------------------------------- */

static void put_confirmations(const struct inquiry *q, const char *commit, struct json_out *w)
{
	json_out_array(w, "confirmations");
	for (size_t i = 0; i < q->stages.n; i++) {
		const struct inquiry_stage *s = &q->stages.v[i];

		if (s->kind != INQUIRY_CONFIRM || !same(s->commit, commit))
			continue;
		json_out_object(w, NULL);
		json_out_text(w, "benchmark", s->benchmark);
		json_out_int(w, "hunt", s->hunt);
		json_out_text(w, "why", s->why ? s->why : json_to_text(s->answer, "why"));
		copy_member(s->answer, "verdict", "verdict", w);
		copy_member(s->answer, "findings", "findings", w);
		json_out_close(w);
	}
	json_out_close(w);
}

static void put_follow_up(const struct inquiry *q, enum inquiry_kind kind, const char *key,
			  const char *commit, struct json_out *w)
{
	for (size_t i = 0; i < q->stages.n; i++) {
		const struct inquiry_stage *s = &q->stages.v[i];

		if (s->kind != kind || !same(s->commit, commit))
			continue;
		json_out_object(w, key);
		json_out_int(w, "hunt", s->hunt);
		json_out_text(w, "why", s->why ? s->why : json_to_text(s->answer, "why"));
		if (kind == INQUIRY_FIX) {
			copy_member(s->answer, "verdict", "verdict", w);
			copy_member(s->answer, "named", "commit", w);
			copy_member(s->answer, "probability", "probability", w);
		}
		json_out_close(w);
		return;
	}
}

static void put_culprits(const struct inquiry *q, const struct inquiry_culprits *culprits,
			 struct json_out *w)
{
	static const char *const names[] = {
		"commit", "abbrev", "subject", "author", "time", NULL
	};

	json_out_array(w, "culprits");
	for (size_t i = 0; i < culprits->n; i++) {
		const struct inquiry_culprit *c = &culprits->v[i];

		json_out_object(w, NULL);
		json_out_int(w, "number", (int64_t)i + 1);
		copy_members(json_get(c->answer, "named"), names, w);
		json_out_text(w, "benchmark", c->search->benchmark);
		json_out_text(w, "metric", c->search->metric);
		copy_member(c->answer, "probability", "probability", w);
		copy_member(c->answer, "change", "change", w);
		copy_member(c->answer, "low", "low", w);
		copy_member(c->answer, "high", "high", w);
		copy_member(c->answer, "hunt", "search", w);
		put_confirmations(q, c->commit, w);
		put_follow_up(q, INQUIRY_EXPLAIN, "explanation", c->commit, w);
		put_follow_up(q, INQUIRY_FIX, "fix", c->commit, w);
		json_out_close(w);
	}
	json_out_close(w);
}

/* --- the rest ------------------------------------------------------------------------------------------------------- */

static void put_patches(const struct inquiry *q, struct json_out *w)
{
	bool any = false;

	for (size_t i = 0; i < q->stages.n; i++) {
		const struct inquiry_stage *s = &q->stages.v[i];

		if (s->kind != INQUIRY_TRY)
			continue;
		if (!any)
			json_out_array(w, "trials");
		any = true;
		json_out_object(w, NULL);
		json_out_text(w, "benchmark", s->benchmark);
		json_out_int(w, "hunt", s->hunt);
		json_out_text(w, "why", s->why);
		copy_member(s->answer, "patches", "patches", w);
		json_out_close(w);
	}
	if (any)
		json_out_close(w);
}

struct cost {
	double builds, runs, seconds;
};

static void add_cost(const struct json *answer, struct cost *c)
{
	const struct json *parts = json_get(answer, "changes");
	double x;

	c->builds +=
		json_to_number(answer, "builds_made", &x) || json_to_number(answer, "builds", &x)
			? x
			: 0;
	c->runs += json_to_number(answer, "runs", &x) ? x : 0;
	c->seconds += json_to_number(answer, "seconds", &x) ? x : 0;
	for (size_t i = 0; i < json_count(parts); i++)
		add_cost(json_at(parts, i), c);
}

static void put_stages(const struct inquiry *q, struct json_out *w)
{
	struct cost cost = { 0 };

	json_out_array(w, "stages");
	for (size_t i = 0; i < q->stages.n; i++) {
		const struct inquiry_stage *s = &q->stages.v[i];

		json_out_object(w, NULL);
		json_out_text(w, "command", inquiry_command(s->kind));
		json_out_int(w, "hunt", s->hunt);
		json_out_text(w, "benchmark", s->benchmark);
		json_out_text(w, "metric", s->metric);
		json_out_text(w, "commit", s->commit);
		json_out_text(w, "why", s->why);
		copy_member(s->answer, "verdict", "verdict", w);
		json_out_close(w);
		add_cost(s->answer, &cost);
	}
	json_out_close(w);
	json_out_number(w, "builds_made", cost.builds);
	json_out_number(w, "runs", cost.runs);
	json_out_number(w, "seconds", cost.seconds);
}

static const char *verdict_of(const struct tally *t, size_t culprits)
{
	if (!t->losses)
		return t->undecided ? "undecided" : "none";
	if (t->explained == t->losses)
		return "explained";
	if (t->explained + t->named == t->losses)
		return "named";
	return culprits ? "partly" : "unexplained";
}

void inquiry_answer(const struct inquiry *q, struct json_out *w)
{
	struct inquiry_culprits culprits;
	struct tally tally = { 0 };

	inquiry_find_culprits(q, &culprits);
	json_out_object(w, "good");
	json_out_text(w, "name", q->good);
	json_out_close(w);
	json_out_object(w, "bad");
	json_out_text(w, "name", q->bad);
	json_out_close(w);
	json_out_text(w, "fixed_in", q->fixed_in);
	put_metrics(q, &culprits, &tally, w);
	json_out_text(w, "verdict", verdict_of(&tally, culprits.n));
	put_culprits(q, &culprits, w);
	put_patches(q, w);
	put_stages(q, w);
	free(culprits.v);
}
