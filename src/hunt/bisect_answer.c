/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what the search knows to the stored answer, and the head-to-head that stands behind a name.
 *
 * The search's own estimate of the change uses every build of the range; the head-to-head is fresh, interleaved and judged by
 * the rank test, so its interval is the one that is reported when it exists.
 */
#include "hunt/bisect.h"

#include "hunt/commit_json.h"
#include "hunt/duel_json.h"
#include "hunt/guesting.h"
#include "hunt/releases.h"
#include "hunt/steadier.h"
#include "text/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DUEL_MAX_RUNS = 14, SUSPECTS_MAX = 64, RANGES_MAX = 8, MANY_RUNS = 60 };

/* --- the head-to-head ---------------------------------------------------------------------------------------- */

static int side_build(struct bisect *b, size_t i, uint32_t node, struct err *e)
{
	struct duel_side *side = &b->duel.sides[i];
	struct mbuild *m;
	int r;

	side->node = xstrdup(b->range.oid[node]);
	side->label =
		releases_is_one(side->node) ? releases_short(side->node) : xstrndup(side->node, 12);
	releases_variant(side->node, &side->variant);
	r = measure_build(b->s, &side->variant, side->node, 0, false, &m, e);
	if (r < 0 || m->outcome != OUTCOME_OK)
		return r;
	if ((r = measure_ensure(b->s, m, &side->variant, e)) < 0)
		return r;
	side->builds = xmalloc(sizeof(*side->builds));
	side->builds[0] = m;
	side->n_builds = 1;
	return 0;
}

/* Runs after the last journaled answer are the duel's; before there is one, all are the search's. */
static int replay_duel(struct bisect *b, const struct observations *obs, struct err *e)
{
	struct observations tail = *obs;
	size_t i = obs->n;

	while (i > 0 &&
	       !(obs->v[i - 1].kind == OBS_ACTION && strstr(obs->v[i - 1].text, "\"answer\"")))
		i--;
	tail.v += i;
	tail.n = i ? tail.n - i : 0;
	return duel_replay(b->s, &b->duel, &tail, e);
}

int bisect_duel(struct bisect *b, const struct observations *obs, struct err *e)
{
	const struct graph *g = &b->range.g;
	struct search_status st;
	uint32_t parent;
	int r;

	search_status(b->search, &st);
	if (!b->answered || st.answer != ANSWER_NAMED || b->o->no_duel ||
	    g->parent_start[st.culprit] == g->parent_start[st.culprit + 1] ||
	    session_over_budget(b->s))
		return 0;
	parent = g->parents[g->parent_start[st.culprit]];
	duel_init(&b->duel, 2, b->o->alpha, b->o->margin);
	if ((r = side_build(b, 0, parent, e)) < 0 || (r = side_build(b, 1, st.culprit, e)) < 0)
		return r;
	if (!b->duel.sides[0].n_builds || !b->duel.sides[1].n_builds)
		return 0;
	b->duel.no_probe = true;
	duel_enter(&b->duel, b->s);
	b->duel.only = b->s->metric; /* the search was about this one, and so is its proof */
	if ((r = replay_duel(b, obs, e)) < 0)
		return r;
	if (b->s->journal_only)
		duel_look(&b->duel);
	else if ((r = duel_run(b->s, &b->duel, DUEL_MAX_RUNS, e)) < 0)
		return r;
	b->dueled = true;
	return 0;
}

struct suspect {
	uint32_t node;
	double p;
	unsigned change;
};

/* --- the answer ------------------------------------------------------------------------------------------------ */

static int by_probability(const void *a, const void *b)
{
	const struct suspect *x = a, *y = b;

	return x->p != y->p ? (x->p < y->p ? 1 : -1) : x->node < y->node ? -1 : x->node > y->node;
}

/* The search was cut short: the smallest set that holds the culprit with the confidence asked for, by what is known so far. */
static size_t smallest_set(const struct bisect *b, struct suspect *ret)
{
	uint32_t n = b->range.g.n;
	AUTO_FREE double *p = xcalloc(n, sizeof(*p));
	AUTO_FREE struct suspect *all = xcalloc(n, sizeof(*all));
	double mass = 0;
	size_t count = 0;

	search_posterior(b->search, p);
	for (uint32_t i = 0; i < n; i++)
		all[i] = (struct suspect){ i, p[i], 0 };
	qsort(all, n, sizeof(*all), by_probability);
	while (count < SUSPECTS_MAX && count < n && all[count].p > 0 &&
	       mass < 1 - b->params.alpha) {
		mass += all[count].p;
		ret[count] = all[count];
		count++;
	}
	return count;
}

static int descending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

size_t bisect_set_size(const struct bisect *b, double *ret_p)
{
	uint32_t n = b->range.g.n, count = 0;
	AUTO_FREE double *p = xcalloc(n, sizeof(*p));

	*ret_p = 0;
	search_posterior(b->search, p);
	qsort(p, n, sizeof(*p), descending);
	while (count < n && *ret_p < 1 - b->params.alpha && p[count] > 0)
		*ret_p += p[count++];
	return count;
}

static size_t find_suspects(const struct bisect *b, struct suspect *ret)
{
	uint32_t node[SUSPECTS_MAX];
	double p[SUSPECTS_MAX];
	unsigned change[SUSPECTS_MAX];
	size_t n = b->answered ? search_suspects(b->search, node, p, change, SUSPECTS_MAX) : 0;

	for (size_t i = 0; i < n; i++)
		ret[i] = (struct suspect){ node[i], p[i], change[i] };
	return n || b->answered ? n : smallest_set(b, ret);
}

static void put_suspects(struct bisect *b, struct json_out *w)
{
	struct suspect list[SUSPECTS_MAX];
	size_t n = find_suspects(b, list);

	json_out_array(w, "suspects");
	for (size_t i = 0; i < n; i++) {
		json_out_object(w, NULL);
		commit_json(b->s, b->range.oid[list[i].node], w);
		json_out_number(w, "probability", list[i].p);
		json_out_int(w, "change_number", list[i].change);
		json_out_close(w);
	}
	json_out_close(w);
}

static void put_ranges(struct bisect *b, struct json_out *w)
{
	struct search_range ranges[RANGES_MAX];
	size_t n = search_ranges(b->search, ranges, RANGES_MAX);

	json_out_array(w, "ranges");
	for (size_t i = 0; i < n; i++) {
		json_out_object(w, NULL);
		json_out_text(w, "old", b->range.oid[ranges[i].lo]);
		json_out_text(w, "new", b->range.oid[ranges[i].hi]);
		json_out_number(w, "change", ranges[i].change);
		json_out_close(w);
	}
	json_out_close(w);
}

static void put_end(struct bisect *b, struct json_out *w, const char *key, const char *rev,
		    uint32_t node)
{
	json_out_object(w, key);
	json_out_text(w, "name", rev);
	commit_json(b->s, b->range.oid[node], w);
	json_out_close(w);
}

/* Said where the noise of the metric had a price: no name, or many runs. */
static void put_steadier(const struct bisect *b, const struct search_status *st, struct json_out *w)
{
	AUTO(observations) struct observations obs = { 0 };

	if (b->answered && st->answer == ANSWER_NAMED && b->s->n_runs < MANY_RUNS)
		return;
	if (store_observations(b->s->store, b->s->hunt, &obs, NULL) < 0)
		return;
	AUTO_FREE char *text = steadier_metric(b->s, &obs, b->range.oid[b->range.g.good],
					       b->range.oid[b->range.g.bad]);

	if (text)
		json_out_text(w, NULL, text);
}

static void put_warnings(const struct bisect *b, const struct search_status *st, struct json_out *w)
{
	json_out_array(w, "warnings");
	if (st->warnings & SEARCH_WARN_DRIFT)
		json_out_text(
			w, NULL,
			"the ends drifted over the hunt: the machine changed its speed; see culprit doctor");
	if (st->warnings & SEARCH_WARN_OFFSETS)
		json_out_text(w, NULL,
			      "builds differ for no reason by more than a third of the change: "
			      "not resolvable without fresh builds in other layouts");
	if (st->warnings & SEARCH_WARN_LOWERED)
		json_out_text(w, NULL,
			      "the name was lowered to a set, because builds differ for no reason");
	if (b->answered && st->answer == ANSWER_NAMED && st->probability < 1 - b->o->alpha)
		json_out_text(
			w, NULL,
			"the probability allows for builds that differ for no reason by more than "
			"these show: no fresh build of the same commit could be had");
	if (st->warnings & SEARCH_WARN_SPREAD)
		json_out_text(w, NULL, "the ends differ in spread, not in level");
	if (session_is_simulated(b->s))
		json_out_text(w, NULL,
			      "simulated: nothing was built or run, the values are a file's");
	if (b->n_guarded)
		json_out_text(w, NULL,
			      "commits that do not contain the regression were not measured");
	if (!b->range.good_is_ancestor)
		json_out_text(w, NULL,
			      "the ends are on different branches: searched from their merge base");
	put_steadier(b, st, w);
	json_out_close(w);
}

/* The head-to-head's row of the searched metric, false if there is none with an interval. */
static bool proof_of(const struct bisect *b, struct comparison *ret)
{
	struct duel_rows rows = { 0 };
	bool found = false;

	duel_judge(&b->duel, &rows);
	for (size_t i = 0; i < rows.n && !found; i++)
		if (rows.v[i].a->primary && isfinite(rows.v[i].j.cmp.low)) {
			*ret = rows.v[i].j.cmp;
			found = true;
		}
	free(rows.v);
	return found;
}

/*
 * Fresh runs of the named commit and its parent in turns rule out half of the change that the search saw there: a machine that changed its
 * speed in step with the search can make a commit look guilty, but not twice. Then it is no name.
 */
static void heed_proof(const struct comparison *proof, struct search_status *st)
{
	if (!proof || st->answer != ANSWER_NAMED)
		return;
	if (st->change > 0 ? proof->high >= st->change / 2 : proof->low <= st->change / 2)
		return;
	st->answer = ANSWER_UNDECIDED;
	snprintf(
		st->why, sizeof(st->why),
		"the likeliest commit and its parent, run against each other, do not show the change");
}

/* `proof`: the head-to-head's, NULL without one. */
static void put_numbers(struct bisect *b, const struct search_status *st,
			const struct comparison *proof, struct json_out *w)
{
	double change = st->change, low = st->low, high = st->high;
	const char *source = "search";

	if (proof) {
		change = proof->shift;
		low = proof->low;
		high = proof->high;
		source = "head-to-head";
	}
	json_out_number(w, "change", change);
	json_out_number(w, "low", low);
	json_out_number(w, "high", high);
	json_out_text(w, "change_source", source);
	json_out_number(w, "level", 1 - b->o->alpha);
	json_out_number(w, "margin", st->margin);
	json_out_number(w, "margin_asked", b->o->margin);
	json_out_number(w, "run_sd", st->run_sd);
	json_out_number(w, "boot_sd", st->boot_sd);
	json_out_number(w, "build_sd", st->build_sd);
	json_out_bool(w, "counter", st->counter);
	json_out_int(w, "builds", b->s->n_builds);
	json_out_int(w, "boots", b->s->n_boots);
	json_out_int(w, "runs", b->s->n_runs);
	json_out_number(w, "seconds", session_seconds(b->s));
	json_out_int(w, "more_runs", st->more_runs);
	json_out_int(w, "failed_runs", b->failed_runs);
	json_out_text(w, "last_failure", b->last_failure);
}

/* The metric's unit, direction and the levels at the two ends, from what was read. */
static void put_metric(struct bisect *b, struct json_out *w)
{
	struct metric_levels m;

	json_out_text(w, "benchmark", b->s->bench->name);
	json_out_text(w, "metric", b->s->metric);
	if (measure_levels(b->s, b->range.oid[b->range.g.good], b->range.oid[b->range.g.bad], &m,
			   NULL) < 0)
		return;
	json_out_text(w, "unit", m.unit);
	json_out_text(w, "better", better_name(m.better));
	json_out_number(w, "old_median", m.median[0]);
	json_out_number(w, "new_median", m.median[1]);
	json_out_int(w, "old_runs", m.n[0]);
	json_out_int(w, "new_runs", m.n[1]);
	metric_levels_done(&m);
}

static void put_skipped(struct bisect *b, struct json_out *w)
{
	json_out_array(w, "skipped");
	for (size_t i = 0; i < b->skipped.n; i++) {
		const char *text = b->skipped.v[i], *space = strchr(text, ' ');
		AUTO_FREE char *oid = xstrndup(text, (size_t)(space - text));

		json_out_object(w, NULL);
		json_out_text(w, "commit", oid);
		json_out_text(w, "reason", space + 1);
		json_out_close(w);
	}
	json_out_close(w);
}

/* Of the likeliest commit; until it is named, those that share what was measured of it share the rest of it too. */
static void put_probability(const struct search_status *st, enum answer answer, struct json_out *w)
{
	if ((answer != ANSWER_UNDECIDED && answer != ANSWER_SET) || st->alike < 2) {
		json_out_number(w, "probability", st->probability);
		return;
	}
	json_out_number(w, "probability", st->probability * st->alike_share);
	json_out_int(w, "alike", st->alike);
	json_out_number(w, "alike_probability", st->probability);
}

int bisect_answer(struct bisect *b, char **ret, struct err *e)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);
	struct search_status st;
	struct comparison cmp;
	enum answer answer;

	(void)e;
	search_status(b->search, &st);
	const struct comparison *proof = b->dueled && proof_of(b, &cmp) ? &cmp : NULL;

	if (b->answered)
		heed_proof(proof, &st);
	answer = b->answered ? st.answer : ANSWER_UNDECIDED;
	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "bisect");
	json_out_int(&w, "hunt", b->s->hunt);
	json_out_text(&w, "verdict", answer_name(answer));
	json_out_text(&w, "direction", b->fix ? "fix" : "regression");
	json_out_text(&w, "culprit", answer == ANSWER_NAMED ? b->range.oid[st.culprit] : NULL);
	json_out_text(&w, "kind", releases_is_one(b->range.good_oid) ? "release" : "commit");
	if (answer == ANSWER_NAMED) {
		json_out_object(&w, "named");
		commit_json(b->s, b->range.oid[st.culprit], &w);
		json_out_close(&w);
	}
	put_probability(&st, answer, &w);
	json_out_bool(&w, "out_of_budget", b->out_of_budget);
	json_out_text(&w, "why", b->out_of_budget ? "the budget is spent" : st.why);
	put_end(b, &w, "old", bisect_old_rev(b->o), b->range.g.good);
	put_end(b, &w, "new", bisect_new_rev(b->o), b->range.g.bad);
	json_out_int(&w, "candidates", graph_candidates(&b->range.g));
	if (b->o->paths)
		json_out_int(&w, "outside_paths", b->range.outside);
	json_out_int(&w, "cannot_matter", b->n_cannot_matter);
	put_metric(b, &w);
	json_out_text(&w, "evidence",
		      evidence_name(session_is_simulated(b->s)
					    ? EVIDENCE_MODEL
					    : guesting_evidence(b->s->target_name,
								b->s->metric ? b->s->metric : "")));
	guesting_put_blind(b->s, &w);
	put_numbers(b, &st, proof, &w);
	put_suspects(b, &w);
	if (answer == ANSWER_MULTIPLE)
		put_ranges(b, &w);
	put_skipped(b, &w);
	if (b->dueled) {
		json_out_object(&w, "head_to_head");
		duel_json(&b->duel, &w);
		json_out_close(&w);
	}
	put_warnings(b, &st, &w);
	json_out_close(&w);
	*ret = str_take(&out);
	return 0;
}
