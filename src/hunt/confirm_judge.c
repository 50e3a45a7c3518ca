/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What three or four sides say about one commit. "On par with GOOD" is an equivalence test, so is "on par with BAD"; where neither holds the
 * share of the loss that came back decides: if its interval lies above 0 the commit is a part of the cause.
 *
 * When to stop is decided by looking at the share, so the share is printed for the part of alpha that its look has (judge_plan.alone), which
 * keeps the stated level over all looks.
 */
#include "hunt/confirm_work.h"

#include <math.h>
#include <string.h>

static const char *const verdict_names[] = { "undecided", "confirmed", "partly", "refuted",
					     "no-loss",	  "conflict",  "empty",	 "broken" };
static const char *const survival_names[] = { "not-asked", "undecided", "survives",
					      "layout",	   "not-taken", "broken" };

/* Half of the loss: a wider interval of the share tells too little to stop. */
static const double WIDEST_SHARE = 0.5;

const char *confirm_verdict_name(enum confirm_verdict v)
{
	return verdict_names[v];
}

bool confirm_verdict_parse(const char *name, enum confirm_verdict *ret)
{
	for (size_t i = 0; name && i < ARRAY_LEN(verdict_names); i++)
		if (!strcmp(name, verdict_names[i])) {
			*ret = (enum confirm_verdict)i;
			return true;
		}
	return false;
}

const char *confirm_survival_name(enum confirm_survival v)
{
	return survival_names[v];
}

static bool is_on_par(const struct judgement *j)
{
	return j->verdict == VERDICT_ON_PAR || j->verdict == VERDICT_IDENTICAL;
}

static bool is_different(const struct judgement *j)
{
	return j->verdict == VERDICT_SLOWER || j->verdict == VERDICT_FASTER;
}

static unsigned present_look(const struct duel *d)
{
	return d->look == UINT32_MAX ? 0 : d->look;
}

/* The share of the loss that `row`, a side against GOOD, does not have. */
static void share_of(const struct duel *d, const struct duel_row *loss, const struct duel_row *row,
		     struct recovery *ret)
{
	unsigned look = present_look(d);
	const struct metric_series *good = loss->a, *bad = loss->b, *x = row->b;

	*ret = (struct recovery){ NAN, NAN, NAN, 1 - d->alpha };
	if (loss->j.exact && row->j.exact && bad->v[0] != good->v[0]) {
		ret->share = (bad->v[0] - x->v[0]) / (bad->v[0] - good->v[0]);
		ret->low = ret->high = ret->share;
	} else if (d->look != UINT32_MAX) {
		judge_recovery(good->v, duel_seen(d, look, good), bad->v, duel_seen(d, look, bad),
			       x->v, duel_seen(d, look, x), d->plan.alone[look], ret);
		ret->level = 1 - d->alpha;
	}
}

static enum confirm_verdict verdict_of(const struct confirm_finding *f)
{
	if (is_on_par(&f->loss.j))
		return CONFIRM_NO_LOSS;
	if (!is_different(&f->loss.j))
		return CONFIRM_UNDECIDED;
	if (is_on_par(&f->left.j))
		return CONFIRM_CONFIRMED;
	if (is_different(&f->left.j) && f->left.j.verdict != f->loss.j.verdict)
		return CONFIRM_CONFIRMED; /* more than all came back */
	if (is_on_par(&f->back.j) || f->back.j.verdict == f->loss.j.verdict)
		return CONFIRM_REFUTED;
	return f->share.low > 0 ? CONFIRM_PARTLY : CONFIRM_UNDECIDED;
}

static const struct duel_row *row_of(const struct duel_rows *rows, size_t side, const char *metric)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->v[i].side == side && !strcmp(rows->v[i].a->metric, metric))
			return &rows->v[i];
	return NULL;
}

static void find_one(const struct duel *d, const struct duel_row *loss, size_t fixed,
		     const struct duel_row *picked, struct confirm_finding *f)
{
	f->loss = *loss;
	f->back = (struct duel_row){
		.a = loss->b, .b = f->left.b, .base = CONFIRM_BAD, .side = fixed
	};
	duel_judge_pair(d, present_look(d), &f->back);
	share_of(d, loss, &f->left, &f->share);
	f->again = (struct recovery){ NAN, NAN, NAN, 1 - d->alpha };
	if (picked) {
		struct recovery missing;

		f->picked = *picked;
		share_of(d, loss, picked, &missing);
		f->again = (struct recovery){ 1 - missing.share, 1 - missing.high, 1 - missing.low,
					      missing.level };
	}
	f->verdict = verdict_of(f);
}

void confirm_find(const struct duel *d, size_t fixed, size_t picked, struct confirm_findings *ret)
{
	struct duel_rows rows = { 0 };

	duel_judge(d, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		const struct duel_row *loss = &rows.v[i], *left;

		if (loss->side != CONFIRM_BAD || !loss->a->primary)
			continue;
		left = row_of(&rows, fixed, loss->a->metric);
		if (!left)
			continue;
		struct confirm_finding *f = ARRAY_GROW(ret);

		f->left = *left;
		find_one(d, loss, fixed, picked ? row_of(&rows, picked, loss->a->metric) : NULL, f);
	}
	free(rows.v);
}

/* Metrics without a loss do not count, unless there is none with one. */
enum confirm_verdict confirm_sum(const struct confirm_findings *f)
{
	enum confirm_verdict sum = CONFIRM_NO_LOSS;
	bool any = false;

	for (size_t i = 0; i < f->n; i++) {
		enum confirm_verdict v = f->v[i].verdict;

		if (!is_different(&f->v[i].loss.j)) {
			if (!any && v == CONFIRM_UNDECIDED)
				sum = v;
			continue;
		}
		if (!any)
			sum = v;
		else if (v == CONFIRM_UNDECIDED || sum == CONFIRM_UNDECIDED)
			sum = CONFIRM_UNDECIDED;
		else if (v != sum)
			sum = CONFIRM_PARTLY;
		any = true;
	}
	return f->n ? sum : CONFIRM_UNDECIDED;
}

bool confirm_enough_of(const struct duel *d, size_t fixed)
{
	struct confirm_findings f = { 0 };
	bool enough = true;

	confirm_find(d, fixed, 0, &f);
	for (size_t i = 0; i < f.n; i++) {
		const struct confirm_finding *x = &f.v[i];

		if (is_different(&x->loss.j))
			enough = enough && x->verdict != CONFIRM_UNDECIDED &&
				 x->share.high - x->share.low <= WIDEST_SHARE;
	}
	free(f.v);
	return enough;
}

bool confirm_enough(const struct duel *d)
{
	return confirm_enough_of(d, CONFIRM_FIXED);
}

enum confirm_survival confirm_survives(const struct judgement *relaid, enum verdict loss)
{
	if (is_on_par(relaid))
		return SURVIVAL_LAYOUT;
	if (!is_different(relaid))
		return SURVIVAL_UNDECIDED;
	return relaid->verdict == loss || (loss != VERDICT_SLOWER && loss != VERDICT_FASTER)
		       ? SURVIVAL_SURVIVES
		       : SURVIVAL_LAYOUT;
}
