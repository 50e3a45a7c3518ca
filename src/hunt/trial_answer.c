/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer as JSON: "patches" has a member a patch with its verdict and, where it was measured, its findings, one a primary metric, in the form of
 * those of a confirmation; "variants" and "metrics" are those of compare, every side against GOOD.
 */
#include "hunt/trial_work.h"

#include "hunt/duel_json.h"
#include "hunt/guesting.h"
#include "text/json.h"

#include <string.h>

static enum trial_verdict verdict_of(enum confirm_verdict v)
{
	static const enum trial_verdict of[] = {
		[CONFIRM_UNDECIDED] = TRIAL_UNDECIDED, [CONFIRM_CONFIRMED] = TRIAL_REPAIRS,
		[CONFIRM_PARTLY] = TRIAL_PARTLY,       [CONFIRM_REFUTED] = TRIAL_NO_HELP,
		[CONFIRM_NO_LOSS] = TRIAL_NO_LOSS,
	};

	return v < ARRAY_LEN(of) ? of[v] : TRIAL_UNDECIDED;
}

static enum trial_verdict put_patch(const struct trial *t, const struct trial_patch *p,
				    struct json_out *w)
{
	struct confirm_findings f = { 0 };
	enum trial_verdict verdict = p->known;
	bool measured = p->side && t->duel.plan.looks && t->duel.sides[CONFIRM_GOOD].n_series;

	if (measured) {
		confirm_find(&t->duel, p->side, 0, &f);
		verdict = verdict_of(confirm_sum(&f));
	} else if (p->side && t->no_difference) {
		verdict = TRIAL_NO_LOSS;
	}
	json_out_object(w, NULL);
	json_out_text(w, "name", p->file);
	json_out_text(w, "title", p->title);
	json_out_text(w, "verdict", trial_verdict_name(verdict));
	json_out_text(w, "why", p->why);
	if (p->broken)
		json_out_int(w, "broken_build", p->broken->id);
	json_out_array(w, "findings");
	for (size_t i = 0; i < f.n; i++)
		confirm_finding_json(&t->duel, &f.v[i], w);
	json_out_close(w);
	json_out_close(w);
	free(f.v);
	return verdict;
}

/* The best that a patch does: what the exit status is made of. */
static const char *best_of(const bool seen[TRIAL_VERDICTS])
{
	static const enum trial_verdict order[] = {
		TRIAL_REPAIRS, TRIAL_PARTLY, TRIAL_UNDECIDED, TRIAL_NO_LOSS,	   TRIAL_NO_HELP,
		TRIAL_FAILS,   TRIAL_BROKEN, TRIAL_NOTHING,   TRIAL_DOES_NOT_APPLY
	};

	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		if (seen[order[i]])
			return trial_verdict_name(order[i]);
	return trial_verdict_name(TRIAL_UNDECIDED);
}

static void put_end(const char *key, const struct duel_side *side, const char *source,
		    struct json_out *w)
{
	json_out_object(w, key);
	json_out_text(w, "name", side->label);
	if (source)
		json_out_text(w, "source", source);
	json_out_close(w);
}

void trial_answer(struct trial *t, char **ret)
{
	const struct session *s = t->s;
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);
	bool seen[TRIAL_VERDICTS] = { false };

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "try");
	json_out_int(&w, "hunt", s->hunt);
	put_end("good", &t->duel.sides[CONFIRM_GOOD], t->good_source, &w);
	put_end("bad", &t->duel.sides[CONFIRM_BAD], NULL, &w);
	if (t->o && t->o->of_hunt)
		json_out_int(&w, "of_hunt", t->o->of_hunt);
	json_out_text(&w, "benchmark", s->bench->name);
	guesting_put_blind(s, &w);
	json_out_array(&w, "patches");
	for (size_t i = 0; i < t->n; i++)
		seen[put_patch(t, &t->patches[i], &w)] = true;
	json_out_close(&w);
	json_out_text(&w, "verdict", best_of(seen));
	if (t->duel.plan.looks && t->duel.sides[CONFIRM_GOOD].n_series)
		duel_json(&t->duel, &w);
	json_out_number(&w, "level", 1 - t->duel.alpha);
	json_out_number(&w, "margin", t->duel.margin);
	json_out_int(&w, "builds_made", s->n_builds);
	json_out_int(&w, "runs", s->n_runs);
	json_out_number(&w, "seconds", session_seconds(s));
	json_out_bool(&w, "out_of_budget", t->duel.out_of_budget);
	json_out_close(&w);
	*ret = str_take(&out);
}
