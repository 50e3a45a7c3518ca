/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two sides are two labels on the same build, visited in the same interleaved rounds as any comparison. If the rank
 * test calls them different at the level asked for, then either that one time in twenty has come, or the runs of this machine are
 * not exchangeable (drift faster than a round, a state that runs inherit): the answer says so and advises to look again.
 *
 * The detectable change: the half-width of the Hodges-Lehmann interval, z sd sqrt(2 / n) sqrt(pi / 3), with the efficiency of the rank
 * statistic on Gaussian noise (3 / pi; Hodges and Lehmann 1956). A change of that size is just about told from 0; twice
 * that is told nearly always.
 */
#include "hunt/calibrate.h"

#include "hunt/duel_json.h"
#include "hunt/sides.h"
#include "stats/dist.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

double calibrate_detectable(double sd, unsigned n, double alpha)
{
	double z = dist_normal_quantile(1 - alpha / 2);

	return n ? z * sd * sqrt(2.0 / n) * sqrt(M_PI / 3) : NAN;
}

static void put_detectable(struct json_out *w, double sd, double seconds_per_run, double alpha)
{
	static const unsigned runs[] = { 5, 10, 20, 56 };

	json_out_array(w, "detectable");
	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		json_out_object(w, NULL);
		json_out_int(w, "runs", runs[i]);
		json_out_number(w, "seconds", 2.0 * runs[i] * seconds_per_run);
		json_out_number(w, "change", calibrate_detectable(sd, runs[i], alpha));
		json_out_close(w);
	}
	json_out_close(w);
}

static void answer(struct session *s, struct duel *d, char **ret)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);
	struct duel_rows rows = { 0 };
	const struct judgement *j = NULL;

	d->look = 0;
	duel_judge(d, &rows);
	if (rows.n)
		j = &rows.v[0].j;
	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "doctor");
	json_out_text(&w, "mode", "calibrate");
	json_out_int(&w, "hunt", s->hunt);
	json_out_text(&w, "benchmark", s->bench->name);
	json_out_text(&w, "metric", s->metric);
	json_out_number(&w, "level", 1 - d->alpha);
	json_out_number(&w, "sd", j ? j->cmp.sd : NAN);
	json_out_number(&w, "p", j ? j->cmp.p : NAN);
	json_out_bool(&w, "passed",
		      j && (j->cmp.warnings & COMPARE_ALL_EQUAL || !(j->cmp.p < d->alpha)));
	if (j)
		put_detectable(&w, j->cmp.sd, s->ok_runs ? s->run_seconds / s->ok_runs : NAN,
			       d->alpha);
	json_out_int(&w, "runs", s->n_runs);
	json_out_number(&w, "seconds", session_seconds(s));
	duel_json(d, &w);
	json_out_close(&w);
	free(rows.v);
	*ret = str_take(&out);
}

/* Runs of both labels are filed under one node: a note before each visit says whose it is (duel.c). */
static int measure(struct session *s, struct duel *d, struct mbuild *b, struct err *e)
{
	for (size_t i = 0; i < 2; i++) {
		d->sides[i].builds = xmalloc(sizeof(*d->sides[i].builds));
		d->sides[i].builds[0] = b;
		d->sides[i].n_builds = 1;
	}
	return duel_run(s, d, 0, e);
}

static void name_sides(struct duel *d, const char *label, const char *node)
{
	for (size_t i = 0; i < 2; i++) {
		d->sides[i].label = xasprintf("%s (%c)", label, (int)('A' + i));
		d->sides[i].node = xstrdup(node);
	}
}

static int hunt(struct session *s, const struct calibrate_options *o, struct duel *d,
		char **ret_answer, bool *ret_stored, struct err *e)
{
	AUTO(hunt_row) struct hunt_row row = { 0 };
	AUTO(str) struct str key = STR_INIT;
	AUTO(str) struct str q = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&q, JSON_STYLE_COMPACT);
	struct mbuild *b;
	bool known;
	int r = variant_parse(s->repo, o->variant, &d->sides[0].variant, e);

	if (r < 0)
		return r;
	variant_key(&d->sides[0].variant, &key);
	json_out_object(&w, NULL);
	json_out_text(&w, "variant", key.p);
	json_out_number(&w, "alpha", o->alpha);
	json_out_int(&w, "runs", o->runs);
	json_out_number(&w, "margin", o->margin);
	json_out_close(&w);
	if ((r = session_hunt(s, "calibrate", q.p, NULL, o->seed, &row, &known, e)) < 0)
		return r;
	if (known && session_answered(s, &row, ret_answer)) {
		*ret_stored = true;
		return 0;
	}
	name_sides(d, o->variant, key.p);
	d->fixed_runs = o->runs; /* before the replay, which makes the plan from it */
	if ((known && (r = sides_replay(s, &d, 1, e)) < 0) ||
	    (r = measure_build(s, &d->sides[0].variant, key.p, 0, false, &b, e)) < 0)
		return r;
	if (b->outcome != OUTCOME_OK)
		return err_set(e, ERR_ENV,
			       "%s does not build (%s): %s; its log: culprit show b%lld",
			       o->variant, outcome_name(b->outcome), b->reason, (long long)b->id);
	if ((r = measure_ensure(s, b, &d->sides[0].variant, e)) < 0 ||
	    (r = measure(s, d, b, e)) < 0)
		return r;
	answer(s, d, ret_answer);
	return store_hunt_end(s->store, s->hunt, "answered", *ret_answer, e);
}

int calibrate_hunt(struct session *s, const struct calibrate_options *o, char **ret_answer,
		   bool *ret_stored, struct err *e)
{
	AUTO(duel) struct duel d;

	duel_init(&d, 2, o->alpha, o->margin);
	*ret_stored = false;
	return hunt(s, o, &d, ret_answer, ret_stored, e);
}

int calibrate_recompute(struct session *s, const struct json *question,
			const struct observations *obs, char **ret_answer, struct err *e)
{
	const char *node = json_to_text(question, "variant");
	double alpha = 0.05, margin = 0.01;
	int64_t runs = 0;
	AUTO(duel) struct duel d;
	int r;

	json_to_number(question, "alpha", &alpha);
	json_to_number(question, "margin", &margin);
	json_to_int(question, "runs", &runs);
	duel_init(&d, 2, alpha, margin);
	d.fixed_runs = (unsigned)runs;
	d.benchmark = s->bench->name;
	name_sides(&d, node ? node : "", node ? node : "");
	if ((r = duel_replay(s, &d, obs, e)) < 0)
		return r;
	duel_look(&d);
	answer(s, &d, ret_answer);
	return 0;
}
