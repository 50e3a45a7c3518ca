/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer as JSON. "findings" has what was asked, a member a primary metric; "variants" and "metrics" are those of compare: every side
 * against GOOD, metrics beside the primary ones too.
 */
#include "hunt/confirm_work.h"

#include "hunt/commit_json.h"
#include "hunt/duel_json.h"
#include "hunt/guesting.h"
#include "stats/sample.h"
#include "text/json.h"

#include <string.h>

static bool was_measured(const struct confirm *c)
{
	return c->duel.plan.looks && c->duel.sides[CONFIRM_GOOD].n_series;
}

/* The verdict, and in words why it needed no run, or NULL. */
static enum confirm_verdict sum_up(const struct confirm *c, const struct confirm_findings *f,
				   const char **ret_why)
{
	*ret_why = NULL;
	if (c->refusal.verdict != CONFIRM_UNDECIDED) {
		*ret_why = c->refusal.why;
		return c->refusal.verdict;
	}
	if (c->broken) {
		*ret_why = c->broken->reason;
		return CONFIRM_BROKEN;
	}
	if (c->no_difference) {
		*ret_why = "both ends build to the same artefacts, byte for byte";
		return CONFIRM_NO_LOSS;
	}
	if (c->same_as_bad) {
		*ret_why = "without it the artefacts are the same, byte for byte";
		return CONFIRM_REFUTED;
	}
	return confirm_sum(f);
}

static void put_recovery(struct json_out *w, const char *key, const struct recovery *r)
{
	json_out_object(w, key);
	json_out_number(w, "share", r->share);
	json_out_number(w, "low", r->low);
	json_out_number(w, "high", r->high);
	json_out_number(w, "level", r->level);
	json_out_close(w);
}

static double median_of(const struct duel *d, const struct metric_series *x)
{
	return sample_median(x->v, duel_seen(d, d->look == UINT32_MAX ? 0 : d->look, x));
}

void confirm_finding_json(const struct duel *d, const struct confirm_finding *f, struct json_out *w)
{
	json_out_object(w, NULL);
	json_out_text(w, "metric", f->loss.a->metric);
	json_out_text(w, "unit", f->loss.a->unit);
	json_out_text(w, "evidence",
		      evidence_name(d->simulated
					    ? EVIDENCE_MODEL
					    : guesting_evidence(d->target, f->loss.a->metric)));
	json_out_text(w, "verdict", confirm_verdict_name(f->verdict));
	json_out_number(w, "good_median", median_of(d, f->loss.a));
	json_out_number(w, "bad_median", median_of(d, f->loss.b));
	json_out_number(w, "fixed_median", median_of(d, f->left.b));
	put_recovery(w, "recovered", &f->share);
	duel_row_json(d, "loss", &f->loss, NULL, w);
	duel_row_json(d, "left", &f->left, NULL, w);
	duel_row_json(d, "back", &f->back, NULL, w);
	if (f->picked.a) {
		put_recovery(w, "reproduced", &f->again);
		duel_row_json(d, "picked", &f->picked, NULL, w);
	}
	json_out_close(w);
}

static void put_findings(const struct confirm *c, const struct confirm_findings *f,
			 struct json_out *w)
{
	json_out_array(w, "findings");
	for (size_t i = 0; i < f->n; i++)
		confirm_finding_json(&c->duel, &f->v[i], w);
	json_out_close(w);
}

/* --- another layout ----------------------------------------------------------------------------------------------- */

static enum verdict loss_of(const struct confirm_findings *f, const char *metric)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->v[i].loss.a->metric, metric))
			return f->v[i].loss.j.verdict;
	return VERDICT_UNDECIDED;
}

/* Each primary metric; returns the worst of them. */
static enum confirm_survival put_survivals(const struct confirm *c,
					   const struct confirm_findings *f, struct json_out *w)
{
	enum confirm_survival worst = SURVIVAL_UNDECIDED;
	struct duel_rows rows = { 0 };
	bool any = false;

	duel_judge(&c->relaid, &rows);
	json_out_array(w, "findings");
	for (size_t i = 0; i < rows.n; i++) {
		const struct duel_row *row = &rows.v[i];
		enum confirm_survival v;

		if (!row->a->primary)
			continue;
		v = confirm_survives(&row->j, loss_of(f, row->a->metric));
		json_out_object(w, NULL);
		json_out_text(w, "verdict", confirm_survival_name(v));
		duel_row_json(&c->relaid, "row", row, NULL, w);
		json_out_close(w);
		if (!any || v == SURVIVAL_LAYOUT ||
		    (v == SURVIVAL_UNDECIDED && worst != SURVIVAL_LAYOUT))
			worst = v;
		any = true;
	}
	json_out_close(w);
	free(rows.v);
	return worst;
}

static void put_layout(const struct confirm *c, const struct confirm_findings *f,
		       struct json_out *w)
{
	enum confirm_survival v = confirm_relaid_state(c);

	if (v == SURVIVAL_NOT_ASKED)
		return;
	json_out_object(w, "layout");
	if (v == SURVIVAL_UNDECIDED && c->relaid.plan.looks && c->relaid.sides[0].n_series)
		v = put_survivals(c, f, w);
	json_out_text(w, "verdict", confirm_survival_name(v));
	json_out_close(w);
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

static void put_refusal(const struct confirm *c, struct json_out *w)
{
	const struct confirm_refusal *f = &c->refusal;

	if (f->verdict == CONFIRM_CONFLICT) {
		json_out_array(w, "files");
		for (size_t i = 0; i < f->paths.n; i++)
			json_out_text(w, NULL, f->paths.v[i]);
		json_out_close(w);
		json_out_array(w, "dependents");
		for (size_t i = 0; i < f->dependents.commits.n; i++) {
			json_out_object(w, NULL);
			commit_json(c->s, f->dependents.commits.v[i], w);
			json_out_close(w);
		}
		json_out_close(w);
		json_out_bool(w, "dependents_complete", f->dependents.complete);
	}
	if (f->undone_by) {
		json_out_object(w, "undone_by");
		commit_json(c->s, f->undone_by, w);
		json_out_close(w);
	}
	if (c->broken)
		json_out_int(w, "broken_build", c->broken->id);
}

static void put_ends(const struct confirm *c, struct json_out *w)
{
	json_out_object(w, "good");
	json_out_text(w, "name", c->duel.sides[CONFIRM_GOOD].label);
	json_out_text(w, "source", c->good_source);
	json_out_close(w);
	json_out_object(w, "bad");
	json_out_text(w, "name", c->duel.sides[CONFIRM_BAD].label);
	json_out_close(w);
	json_out_object(w, "fixed");
	json_out_text(w, "name", c->duel.sides[CONFIRM_FIXED].label);
	json_out_close(w);
	json_out_text(w, "means", c->means);
	json_out_array(w, "reverted");
	for (size_t i = 0; i < c->reverted.n; i++)
		json_out_text(w, NULL, c->reverted.v[i]);
	json_out_close(w);
}

static void put_cost(const struct confirm *c, struct json_out *w)
{
	const struct session *s = c->s;

	json_out_number(w, "level", 1 - c->duel.alpha);
	json_out_number(w, "margin", c->duel.margin);
	json_out_int(w, "builds_made", s->n_builds);
	json_out_int(w, "runs", s->n_runs);
	json_out_number(w, "seconds", session_seconds(s));
	json_out_bool(w, "out_of_budget", c->duel.out_of_budget || c->relaid.out_of_budget);
}

void confirm_answer(struct confirm *c, char **ret)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);
	struct confirm_findings f = { 0 };
	enum confirm_verdict verdict;
	const char *why;

	if (was_measured(c))
		confirm_find(&c->duel, CONFIRM_FIXED, CONFIRM_PICKED, &f);
	verdict = sum_up(c, &f, &why);
	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "confirm");
	json_out_int(&w, "hunt", c->s->hunt);
	json_out_text(&w, "verdict", confirm_verdict_name(verdict));
	json_out_text(&w, "why", why);
	json_out_object(&w, "culprit");
	if (c->commit)
		commit_json(c->s, c->commit, &w);
	json_out_close(&w);
	json_out_text(&w, "direction", c->fix ? "fix" : "regression");
	if (c->o && c->o->of_hunt)
		json_out_int(&w, "of_hunt", c->o->of_hunt);
	put_ends(c, &w);
	put_refusal(c, &w);
	json_out_text(&w, "benchmark", c->s->bench->name);
	guesting_put_blind(c->s, &w);
	put_findings(c, &f, &w);
	if (was_measured(c))
		duel_json(&c->duel, &w);
	if (c->picked_why) {
		json_out_object(&w, "picked");
		json_out_text(&w, "why", c->picked_why);
		json_out_close(&w);
	}
	put_layout(c, &f, &w);
	put_cost(c, &w);
	json_out_close(&w);
	free(f.v);
	*ret = str_take(&out);
}
