/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison concerns the binaries that were built: with one build a side that is what the answer says. Two variants whose artefacts
 * are identical need no run at all: they are one candidate, and the answer is "identical".
 */
#include "hunt/versus.h"

#include "hunt/describing.h"
#include "hunt/duel_json.h"
#include "hunt/explain.h"
#include "hunt/guesting.h"
#include "hunt/plan.h"
#include "hunt/sides.h"
#include "stats/sample.h"
#include "text/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int parse_sides(struct session *s, const struct versus_options *o, struct duel *d,
		       struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < o->n && r == 0; i++)
		r = side_parse(s, d, i, o->variants[i], e);
	return r;
}

static const char *kind_of(const struct versus_options *o)
{
	return o->explain ? "explain" : o->fixed_runs ? "run" : "compare";
}

static void question(const struct versus_options *o, const struct duel *d, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);

	json_out_object(&w, NULL);
	json_out_array(&w, "variants");
	for (size_t i = 0; i < d->n_sides; i++)
		json_out_text(&w, NULL, d->sides[i].node);
	json_out_close(&w);
	json_out_number(&w, "alpha", o->alpha);
	json_out_number(&w, "margin", o->margin);
	json_out_int(&w, "max_runs", o->max_runs);
	json_out_int(&w, "fixed_runs", o->fixed_runs);
	json_out_int(&w, "layouts", o->layouts);
	json_out_close(&w);
}

/* One artefact for all sides: nothing to measure. */
static bool all_identical(const struct session *s, const struct duel *d,
			  const struct versus_options *o)
{
	(void)s;
	if (d->n_sides < 2 || (o->fixed_runs && !o->explain))
		return false;
	for (size_t i = 0; i < d->n_sides; i++) {
		const struct duel_side *side = &d->sides[i];

		if (side->variant.n_changes &&
		    (*side->builds[0]->env || *side->builds[0]->sysctl || side->builds[0]->cmdline))
			return false; /* same binary, another environment: that is a question */
		if (!*side->builds[0]->artefact ||
		    strcmp(side->builds[0]->artefact, d->sides[0].builds[0]->artefact))
			return false;
	}
	return true;
}

/* `run`: what was measured, side by side, without a verdict. */
static void put_measured(const struct duel *d, struct json_out *w)
{
	json_out_array(w, "measured");
	for (size_t i = 0; i < d->n_sides; i++)
		for (size_t k = 0; k < d->sides[i].n_series; k++) {
			const struct metric_series *x = &d->sides[i].series[k];

			json_out_object(w, NULL);
			json_out_text(w, "variant", d->sides[i].label);
			json_out_text(w, "metric", x->metric);
			json_out_text(w, "unit", x->unit);
			json_out_bool(w, "primary", x->primary);
			json_out_text(w, "evidence",
				      evidence_name(guesting_evidence(d->target, x->metric)));
			json_out_int(w, "n", (int64_t)x->n);
			json_out_number(w, "median", sample_median(x->v, x->n));
			json_out_array(w, "values");
			for (size_t m = 0; m < x->n; m++)
				json_out_number(w, NULL, x->v[m]);
			json_out_close(w);
			json_out_close(w);
		}
	json_out_close(w);
}

static void put_head(const struct session *s, const struct duel *d, const struct versus_options *o,
		     struct json_out *w)
{
	json_out_int(w, "schema", 1);
	json_out_text(w, "command", kind_of(o));
	json_out_int(w, "hunt", s->hunt);
	json_out_text(w, "benchmark", s->bench->name);
	guesting_put_blind(s, w);
	json_out_number(w, "level", 1 - o->alpha);
	json_out_number(w, "margin", o->margin);
	json_out_int(w, "builds_made", s->n_builds);
	json_out_int(w, "runs", s->n_runs);
	json_out_number(w, "seconds", session_seconds(s));
	json_out_bool(w, "out_of_budget", d->out_of_budget);
}

static int answer(struct session *s, struct duel *d, const struct versus_options *o, bool identical,
		  char **ret, struct err *e)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);
	int r = 0;

	json_out_object(&w, NULL);
	put_head(s, d, o, &w);
	json_out_bool(&w, "identical_artefacts", identical);
	if (o->explain)
		explain_add_rates(d);
	if (o->fixed_runs && !o->explain) {
		json_out_array(&w, "variants");
		for (size_t i = 0; i < d->n_sides; i++)
			json_out_text(&w, NULL, d->sides[i].label);
		json_out_close(&w);
		put_measured(d, &w);
		duel_failures_json(d, &w);
	} else {
		duel_json(d, &w);
	}
	if (o->explain && !identical)
		r = explain_put(s, d, &w, e);
	json_out_close(&w);
	if (r == 0)
		*ret = str_take(&out);
	return r;
}

/* The fault of a variant, not of the machine or the question: `git bisect run` should step over it. */
static bool untestable(const struct duel *d, size_t first_unbuilt)
{
	if (first_unbuilt < d->n_sides)
		return first_unbuilt > 0;
	for (size_t i = 0; i < d->n_sides; i++)
		if (d->sides[i].failed_in_a_row >= DUEL_FAILURES)
			return i > 0;
	return false;
}

static int prepare(struct session *s, struct duel *d, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	int r = store_observations(s->store, s->hunt, &obs, e);

	return r < 0 ? r : explain_prepare(s, d, &obs, e);
}

static int measure_all(struct session *s, const struct versus_options *o, struct duel *d,
		       bool *ret_identical, struct err *e)
{
	unsigned layouts = o->layouts ? o->layouts : 1;
	int r = sides_build_at_once(s, d, layouts, e);
	size_t i = 0;

	while (i < d->n_sides && r == 0)
		if ((r = side_build(s, &d->sides[i], layouts, e)) == 0)
			i++;
	if (r == 0) {
		*ret_identical = all_identical(s, d, o);
		if (*ret_identical)
			return 0;
		if (o->explain)
			r = prepare(s, d, e);
		if (r == 0)
			r = duel_run(s, d, o->max_runs, e);
		describing_done(d);
	}
	if (r == -ERR_ENV && o->ret_untestable)
		*o->ret_untestable = untestable(d, i);
	return r;
}

static int hunt(struct session *s, const struct versus_options *o, struct duel *d,
		char **ret_answer, bool *ret_stored, struct err *e)
{
	AUTO(str) struct str q = STR_INIT;
	AUTO(hunt_row) struct hunt_row row = { 0 };
	bool known, identical = false;
	int r = parse_sides(s, o, d, e);

	if (r < 0)
		return r;
	if (o->dry_run)
		return plan_compare(s, o->n, d->sides[0].variant.oid, o->alpha,
				    o->fixed_runs ? o->fixed_runs : o->max_runs, ret_answer, e);
	question(o, d, &q);
	r = session_hunt(s, kind_of(o), q.p, NULL, o->seed, &row, &known, e);
	if (r < 0)
		return r;
	if (known && session_answered(s, &row, ret_answer)) {
		*ret_stored = true;
		return 0;
	}
	d->settles = o->explain && o->max_runs;
	d->fixed_runs = o->fixed_runs; /* before the replay, which makes the plan from it */
	if (known && (r = sides_replay(s, &d, 1, e)) < 0)
		return r;
	if ((r = measure_all(s, o, d, &identical, e)) < 0)
		return r;
	if ((r = answer(s, d, o, identical, ret_answer, e)) < 0)
		return r;
	return store_hunt_end(s->store, s->hunt, d->out_of_budget ? "stopped" : "answered",
			      *ret_answer, e);
}

int versus_hunt(struct session *s, const struct versus_options *o, char **ret_answer,
		bool *ret_stored, struct err *e)
{
	AUTO(duel) struct duel d;

	duel_init(&d, o->n, o->alpha, o->margin);
	duel_enter(&d, s);
	*ret_stored = false;
	return hunt(s, o, &d, ret_answer, ret_stored, e);
}

int versus_recompute(struct session *s, const char *kind, const struct json *question,
		     const struct observations *obs, char **ret_answer, struct err *e)
{
	const struct json *nodes = json_get(question, "variants");
	struct versus_options o = { .n = json_count(nodes), .explain = !strcmp(kind, "explain") };
	AUTO(duel) struct duel d;
	int64_t count;
	int r;

	json_to_number(question, "alpha", &o.alpha);
	json_to_number(question, "margin", &o.margin);
	if (json_to_int(question, "fixed_runs", &count))
		o.fixed_runs = (unsigned)count;
	if (json_to_int(question, "max_runs", &count))
		o.max_runs = (unsigned)count;
	duel_init(&d, o.n, o.alpha, o.margin);
	d.fixed_runs = o.fixed_runs;
	d.settles = o.explain && o.max_runs;
	duel_enter(&d, s);
	for (size_t i = 0; i < o.n; i++) {
		const char *node = json_to_text(json_at(nodes, i), NULL);

		d.sides[i].node = xstrdup(node ? node : "");
		d.sides[i].label =
			xstrdup(node ? node : ""); /* how the user spelled it is not compared */
	}
	for (size_t i = 0; i < obs->n; i++)
		s->n_boots += obs->v[i].kind == OBS_BOOT;
	if ((r = duel_replay(s, &d, obs, e)) < 0)
		return r;
	duel_look(&d);
	return answer(s, &d, &o, d.sides[0].runs == 0, ret_answer, e);
}
