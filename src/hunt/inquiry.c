/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes next. The ends first, with every benchmark; then one search at a time, for the metric whose loss is the clearest, and each name is put to the
 * test at once: taking the commit out of BAD is measured on all metrics, so it also tells which of the other losses are its work and need no search
 * of their own. What a commit explains in part is searched on both sides of it.
 */
#include "hunt/inquiry.h"

#include "text/json.h"

#include <math.h>
#include <string.h>

const char *inquiry_command(enum inquiry_kind kind)
{
	static const char *const names[INQUIRY_KINDS] = { "",	     "compare", "bisect", "confirm",
							  "explain", "bisect",	"try" };

	return names[kind];
}

void inquiry_stage_done(struct inquiry_stage *s)
{
	free(s->benchmark);
	free(s->metric);
	free(s->good);
	free(s->bad);
	free(s->commit);
	free(s->why);
	json_free(s->answer);
	*s = (struct inquiry_stage){ .kind = INQUIRY_DONE };
}

void inquiry_done(struct inquiry *q)
{
	for (size_t i = 0; i < q->stages.n; i++)
		inquiry_stage_done(&q->stages.v[i]);
	free(q->stages.v);
	strvec_done(&q->benchmarks);
}

int inquiry_add(struct inquiry *q, struct inquiry_stage *stage, const char *answer, struct err *e)
{
	struct inquiry_stage *s = ARRAY_GROW(&q->stages);

	*s = *stage;
	*stage = (struct inquiry_stage){ .kind = INQUIRY_DONE };
	return answer ? json_parse_stored(answer, "the answer of a stage", &s->answer, e) : 0;
}

/* --- what is known ------------------------------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_text(const struct json *v, const char *path, const char *wanted)
{
	return same(json_to_text(v, path), wanted);
}

const struct json *inquiry_finding(const struct inquiry *q, const char *commit,
				   const char *benchmark, const char *metric)
{
	for (size_t i = 0; i < q->stages.n; i++) {
		const struct inquiry_stage *s = &q->stages.v[i];
		const struct json *list = json_get(s->answer, "findings");

		if (s->kind != INQUIRY_CONFIRM || !same(s->commit, commit) ||
		    !same(s->benchmark, benchmark))
			continue;
		for (size_t k = 0; k < json_count(list); k++)
			if (is_text(json_at(list, k), "metric", metric))
				return json_at(list, k);
	}
	return NULL;
}

static const struct json *row_of(const struct json *answer, const char *metric)
{
	const struct json *rows = json_get(answer, "metrics");

	for (size_t i = 0; i < json_count(rows); i++)
		if (is_text(json_at(rows, i), "metric", metric))
			return json_at(rows, i);
	return NULL;
}

const struct json *inquiry_step_of(const struct inquiry *q, const struct inquiry_culprit *c,
				   const char *benchmark, const char *metric)
{
	const struct json *step = row_of(json_get(c->answer, "head_to_head"), metric),
			  *whole = NULL;
	double at_step, in_all;

	if (!same(c->search->benchmark, benchmark) || !is_text(step, "verdict", "slower") ||
	    inquiry_finding(q, c->commit, benchmark, metric))
		return NULL;
	for (size_t i = 0; i < q->stages.n && !whole; i++)
		if (q->stages.v[i].kind == INQUIRY_ENDS &&
		    same(q->stages.v[i].benchmark, benchmark))
			whole = row_of(q->stages.v[i].answer, metric);
	return json_to_number(step, "change", &at_step) &&
			       json_to_number(whole, "change", &in_all) &&
			       fabs(at_step) >= fabs(in_all) / 2
		       ? step
		       : NULL;
}

static void add_culprit(struct inquiry_culprits *all, const struct inquiry_stage *search,
			const struct json *answer)
{
	const struct json *parts = json_get(answer, "changes");
	const char *commit = json_to_text(answer, "culprit");

	for (size_t i = 0; i < json_count(parts); i++)
		add_culprit(all, search, json_at(parts, i));
	if (!commit || !is_text(answer, "verdict", "named"))
		return;
	for (size_t i = 0; i < all->n; i++)
		if (same(all->v[i].commit, commit))
			return;
	ARRAY_PUSH(all, ((struct inquiry_culprit){ commit, search, answer }));
}

void inquiry_find_culprits(const struct inquiry *q, struct inquiry_culprits *ret)
{
	*ret = (struct inquiry_culprits){ 0 };
	for (size_t i = 0; i < q->stages.n; i++)
		if (q->stages.v[i].kind == INQUIRY_SEARCH)
			add_culprit(ret, &q->stages.v[i], q->stages.v[i].answer);
}

static bool is_whole(const struct inquiry *q, const struct inquiry_stage *s)
{
	return same(s->good, q->good) && same(s->bad, q->bad);
}

static void mark_searches(const struct inquiry *q, struct inquiry_loss *l)
{
	for (size_t i = 0; i < q->stages.n; i++) {
		const struct inquiry_stage *s = &q->stages.v[i];

		if (s->kind != INQUIRY_SEARCH || !is_whole(q, s) ||
		    !same(s->benchmark, l->benchmark) || !same(s->metric, l->metric))
			continue;
		l->searched = true;
		if (is_text(s->answer, "verdict", "named"))
			l->culprit = json_to_text(s->answer, "culprit");
	}
}

void inquiry_find_losses(const struct inquiry *q, struct inquiry_losses *ret)
{
	*ret = (struct inquiry_losses){ 0 };
	for (size_t i = 0; i < q->stages.n; i++) {
		const struct inquiry_stage *s = &q->stages.v[i];
		const struct json *rows = json_get(s->answer, "metrics");
		double change, low, high;
		bool primary = false;

		for (size_t k = 0; s->kind == INQUIRY_ENDS && k < json_count(rows); k++) {
			const struct json *row = json_at(rows, k);

			if (!json_to_bool(row, "primary", &primary) || !primary ||
			    !is_text(row, "verdict", "slower"))
				continue;
			struct inquiry_loss l = { .benchmark = s->benchmark,
						  .metric = json_to_text(row, "metric"),
						  .row = row };

			if (json_to_number(row, "change", &change) &&
			    json_to_number(row, "low", &low) && json_to_number(row, "high", &high))
				l.clarity = fabs(change) / fmax(high - low, 1e-9 * fabs(change));
			mark_searches(q, &l);
			ARRAY_PUSH(ret, l);
		}
	}
}

/* --- what comes next ------------------------------------------------------------------------------------------------- */

static const struct inquiry_stage *find(const struct inquiry *q, enum inquiry_kind kind,
					const char *benchmark, const char *commit)
{
	for (size_t i = 0; i < q->stages.n; i++) {
		const struct inquiry_stage *s = &q->stages.v[i];

		if (s->kind == kind && same(s->benchmark, benchmark) && same(s->commit, commit))
			return s;
	}
	return NULL;
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void stage_make(struct inquiry_stage *ret, enum inquiry_kind kind, const char *benchmark,
		       const char *commit)
{
	*ret = (struct inquiry_stage){ .kind = kind,
				       .benchmark = copy(benchmark),
				       .commit = copy(commit) };
}

static bool has_loss(const struct inquiry_losses *losses, const char *benchmark)
{
	for (size_t i = 0; i < losses->n; i++)
		if (same(losses->v[i].benchmark, benchmark))
			return true;
	return false;
}

static bool next_ends(const struct inquiry *q, struct inquiry_stage *ret)
{
	for (size_t i = 0; i < q->benchmarks.n; i++)
		if (!find(q, INQUIRY_ENDS, q->benchmarks.v[i], NULL)) {
			stage_make(ret, INQUIRY_ENDS, q->benchmarks.v[i], NULL);
			return true;
		}
	return false;
}

/* The next thing of `kind` that no culprit has yet, on each benchmark with a loss. */
static bool next_confirm(const struct inquiry *q, const struct inquiry_losses *losses,
			 const struct inquiry_culprits *culprits, struct inquiry_stage *ret)
{
	for (size_t i = 0; i < culprits->n; i++)
		for (size_t k = 0; k < q->benchmarks.n; k++) {
			const char *b = q->benchmarks.v[k], *c = culprits->v[i].commit;

			if (has_loss(losses, b) && !find(q, INQUIRY_CONFIRM, b, c)) {
				stage_make(ret, INQUIRY_CONFIRM, b, c);
				return true;
			}
		}
	return false;
}

static bool was_searched(const struct inquiry *q, const struct inquiry_loss *l, const char *good,
			 const char *bad)
{
	for (size_t i = 0; i < q->stages.n; i++) {
		const struct inquiry_stage *s = &q->stages.v[i];

		if (s->kind == INQUIRY_SEARCH && same(s->benchmark, l->benchmark) &&
		    same(s->metric, l->metric) && same(s->good, good) && same(s->bad, bad))
			return true;
	}
	return false;
}

static bool search(const struct inquiry *q, const struct inquiry_loss *l, const char *good,
		   const char *bad, struct inquiry_stage *ret)
{
	if (was_searched(q, l, good, bad))
		return false;
	stage_make(ret, INQUIRY_SEARCH, l->benchmark, NULL);
	ret->metric = copy(l->metric);
	ret->good = copy(good);
	ret->bad = copy(bad);
	return true;
}

/* Is it the work of one commit, or of some together, as far as their confirmations tell? */
static void heed_confirmations(const struct inquiry *q, const struct inquiry_culprits *culprits,
			       struct inquiry_loss *l, bool *ret_partly)
{
	*ret_partly = false;
	for (size_t i = 0; i < culprits->n; i++) {
		const struct json *f =
			inquiry_finding(q, culprits->v[i].commit, l->benchmark, l->metric);

		l->settled = l->settled || is_text(f, "verdict", "confirmed") ||
			     inquiry_step_of(q, &culprits->v[i], l->benchmark, l->metric);
		*ret_partly = *ret_partly || is_text(f, "verdict", "partly");
	}
}

/* The one that its own search named explains a part: the rest is before it or after it. */
static bool search_the_rest(const struct inquiry *q, const struct inquiry_loss *l,
			    struct inquiry_stage *ret)
{
	const struct json *f =
		l->culprit ? inquiry_finding(q, l->culprit, l->benchmark, l->metric) : NULL;

	if (!is_text(f, "verdict", "partly"))
		return false;
	AUTO_FREE char *parent = xasprintf("%s^", l->culprit);

	return search(q, l, l->culprit, q->bad, ret) || search(q, l, q->good, parent, ret);
}

static bool next_search(const struct inquiry *q, struct inquiry_losses *losses,
			const struct inquiry_culprits *culprits, struct inquiry_stage *ret)
{
	struct inquiry_loss *best = NULL;
	bool partly;

	if (culprits->n >= q->most)
		return false;
	for (size_t i = 0; i < losses->n; i++) {
		struct inquiry_loss *l = &losses->v[i];

		heed_confirmations(q, culprits, l, &partly);
		if (!l->settled && !l->searched && (!best || l->clarity > best->clarity))
			best = l;
	}
	if (best)
		return search(q, best, q->good, q->bad, ret);
	for (size_t i = 0; i < losses->n; i++)
		if (!losses->v[i].settled && search_the_rest(q, &losses->v[i], ret))
			return true;
	return false;
}

static bool next_of_each(const struct inquiry *q, enum inquiry_kind kind,
			 const struct inquiry_culprits *culprits, struct inquiry_stage *ret)
{
	for (size_t i = 0; i < culprits->n; i++) {
		const struct inquiry_culprit *c = &culprits->v[i];

		if (find(q, kind, c->search->benchmark, c->commit))
			continue;
		stage_make(ret, kind, c->search->benchmark, c->commit);
		ret->metric = copy(c->search->metric);
		return true;
	}
	return false;
}

static bool next_try(const struct inquiry *q, const struct inquiry_losses *losses,
		     struct inquiry_stage *ret)
{
	for (size_t i = 0; i < q->benchmarks.n; i++)
		if (has_loss(losses, q->benchmarks.v[i]) &&
		    !find(q, INQUIRY_TRY, q->benchmarks.v[i], NULL)) {
			stage_make(ret, INQUIRY_TRY, q->benchmarks.v[i], NULL);
			return true;
		}
	return false;
}

void inquiry_next(const struct inquiry *q, struct inquiry_stage *ret)
{
	struct inquiry_losses losses;
	struct inquiry_culprits culprits;

	*ret = (struct inquiry_stage){ .kind = INQUIRY_DONE };
	if (next_ends(q, ret))
		return;
	inquiry_find_losses(q, &losses);
	inquiry_find_culprits(q, &culprits);
	bool any = next_confirm(q, &losses, &culprits, ret) ||
		   next_search(q, &losses, &culprits, ret) ||
		   (q->explains && next_of_each(q, INQUIRY_EXPLAIN, &culprits, ret)) ||
		   (q->fixed_in && next_of_each(q, INQUIRY_FIX, &culprits, ret)) ||
		   (q->n_patches && next_try(q, &losses, ret));

	(void)any;
	free(losses.v);
	free(culprits.v);
}
