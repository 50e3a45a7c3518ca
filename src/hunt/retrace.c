/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session that has a journal and nothing else, fed with what a hunt observed.
 */
#include "hunt/retrace.h"

#include "hunt/calibrate.h"
#include "hunt/confirm.h"
#include "hunt/investigate.h"
#include "hunt/trial.h"
#include "hunt/versus.h"
#include "text/json.h"

#include <string.h>

int retrace_begin(struct session *s, const struct hunt_row *row, const struct json *q,
		  const struct observations *obs, struct err *e)
{
	enum better better;
	int r = 0;

	s->hunt = row->id;
	s->seed = row->seed;
	s->journal_only = true;
	s->bench_copy.name = json_to_text(q, "benchmark");
	s->target_name = xstrdup(json_to_text(q, "target") ? json_to_text(q, "target") : "local");
	if (json_to_text(q, "better") && better_parse(json_to_text(q, "better"), &better))
		s->bench_copy.better = better;
	s->bench = &s->bench_copy;
	measure_replay_metrics(s, obs);
	for (size_t i = 0; i < obs->n && r == 0; i++) {
		struct mbuild *m;

		if (obs->v[i].kind == OBS_BUILD && !obs->v[i].withdrawn)
			r = measure_adopt(s, obs->v[i].build, obs->v[i].node, &m, e);
	}
	return r;
}

int retrace_bisect(struct session *s, const struct hunt_row *row, const struct json *q,
		   const struct observations *obs, bool verify, struct bisect_options *o,
		   struct bisect *b, struct err *e)
{
	const struct json *own = json_get(q, "question");
	const char *introduced = json_to_text(own, "introduced");
	const char *old = json_to_text(own, "old"), *new = json_to_text(own, "new");
	int r;

	b->s = s;
	b->o = o;
	o->good = old;
	o->bad = new;
	if (!row->graph || !old || !new)
		return err_set(e, ERR_BROKEN, "hunt %lld has no range in the journal",
			       (long long)row->id);
	bisect_params_read(own, &b->params);
	o->alpha = b->params.alpha;
	o->margin = b->params.margin;
	json_to_bool(own, "fix", &b->fix);
	o->fix = false;
	json_to_bool(own, "no_duel", &o->no_duel);
	if ((r = range_parse(row->graph, &b->range, e)) < 0)
		return r;
	b->cannot_matter = xcalloc(b->range.g.n, 1);
	b->introduced_node = b->range.g.good;
	if (introduced && bisect_node(b, introduced, &b->introduced_node, e) < 0)
		return -(int)e->kind;
	for (size_t i = 0; i < obs->n; i++)
		if (obs->v[i].kind == OBS_NOTE && bisect_take_prior(b, obs->v[i].text))
			break;
	bisect_start_search(b);
	if ((r = bisect_replay(b, obs, verify, e)) < 0)
		return r;
	return bisect_duel(b, obs, e);
}

static int answer_of_bisect(struct session *s, const struct hunt_row *row, const struct json *q,
			    const struct observations *obs, bool verify, char **ret, struct err *e)
{
	struct bisect_options o = { 0 };
	AUTO(bisect) struct bisect b = { .s = s };
	int r = retrace_bisect(s, row, q, obs, verify, &o, &b, e);

	return r < 0 ? r : bisect_answer(&b, ret, e);
}

int retrace_answer(struct session *s, const struct hunt_row *row, const struct observations *obs,
		   bool verify, char **ret, struct err *e)
{
	__attribute__((cleanup(json_root_done))) struct json *q = NULL;
	int r = json_parse(row->question, strlen(row->question), "the question", &q, e);

	if (r < 0)
		return err_set(e, ERR_BROKEN, "the question of hunt %lld cannot be read",
			       (long long)row->id);
	if ((r = retrace_begin(s, row, q, obs, e)) < 0)
		return r;
	if (!strcmp(row->kind, "bisect"))
		return answer_of_bisect(s, row, q, obs, verify, ret, e);
	if (!strcmp(row->kind, "calibrate"))
		return calibrate_recompute(s, json_get(q, "question"), obs, ret, e);
	if (!strcmp(row->kind, "confirm"))
		return confirm_recompute(s, json_get(q, "question"), obs, ret, e);
	if (!strcmp(row->kind, "try"))
		return trial_recompute(s, json_get(q, "question"), obs, ret, e);
	if (!strcmp(row->kind, "hunt"))
		return investigate_recompute(s->store, row, obs, ret, e);
	return versus_recompute(s, row->kind, json_get(q, "question"), obs, ret, e);
}
