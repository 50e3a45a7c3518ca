/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a search hunt:
 *
 *   1. the range: candidates and boundary from git, kept in the journal as text, so that a resumed hunt searches the same
 *      graph whatever happened to the refs;
 *   2. both ends are built; the files that their builds read say which commits cannot matter (hunt/prior.c);
 *   3. the loop of brain/search.h until it answers, the budget ends or the user stops;
 *   4. a head-to-head of the named commit against its parents, with the verdicts of brain/judge.
 *
 * A fix is searched by the same machine: the old end is the slow one. Its guard, "not introduced yet is not fixed": a
 * commit that does not contain the regression would measure well without being repaired, so it is never measured; it stays a
 * candidate that cannot be tested, like one that does not build.
 */
#include "hunt/bisect.h"

#include "base/log.h"
#include "base/num.h"
#include "hunt/booting.h"
#include "hunt/plan.h"
#include "hunt/prebuild.h"
#include "hunt/prior.h"
#include "hunt/releases.h"
#include "repo/bisectlog.h"
#include "sys/clock.h"
#include "sys/fs.h"
#include "text/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *bisect_old_rev(const struct bisect_options *o)
{
	return o->fix ? o->bad : o->good;
}

const char *bisect_new_rev(const struct bisect_options *o)
{
	return o->fix ? o->good : o->bad;
}

int bisect_node(const struct bisect *b, const char *oid, uint32_t *ret, struct err *e)
{
	int64_t node = range_find(&b->range, oid);

	if (node < 0)
		return err_set(e, ERR_MISSING, "%.12s is not in the range", oid);
	*ret = (uint32_t)node;
	return 0;
}

/* --- the search object --------------------------------------------------------------------------------- */

/* Commits that do not contain the regression cannot show that it is fixed: they are never measured. */
static void guard_fix(struct bisect *b)
{
	const struct graph *g = &b->range.g;
	AUTO_FREE uint8_t *contains = xcalloc(g->n, 1);

	graph_mark_descendants(g, b->introduced_node, contains);
	for (uint32_t i = 0; i < g->n; i++)
		if (!contains[i] && !g->boundary[i]) {
			search_mark(b->search, i, MARK_SKIP);
			b->n_guarded++;
		}
}

void bisect_start_search(struct bisect *b)
{
	b->search = search_new(&b->range.g, &b->params);
	if (b->fix)
		guard_fix(b);
}

/* --- what the search asks for ---------------------------------------------------------------------------- */

static struct mbuild *numbered_build(const struct bisect *b, int64_t number)
{
	const struct numbered *x = &b->map.v[number];

	for (size_t i = 0; i < b->s->builds.n; i++)
		if (b->s->builds.v[i]->id == x->build &&
		    !strcmp(b->s->builds.v[i]->node, b->range.oid[x->node]))
			return b->s->builds.v[i];
	return NULL;
}

/* The build that the action wants. *ret = NULL when it was made and failed: the search knows by then. */
static int action_build(struct bisect *b, const struct action *a, struct mbuild **ret,
			struct err *e)
{
	const char *oid = b->range.oid[a->node];
	struct variant v;
	struct mbuild *m;
	int r;

	releases_variant(oid, &v);
	if (a->how == ACTION_BUILD_EXISTING) {
		m = numbered_build(b, a->build);
		r = measure_ensure(b->s, m, &v, e);
	} else {
		r = measure_build(b->s, &v, oid,
				  a->how == ACTION_BUILD_RELAYOUT ? bisect_next_layout(b, oid) : 0,
				  false, &m, e);
		if (r == 0 && a->how == ACTION_BUILD_RELAYOUT)
			bisect_note_layout(b, m);
		if (r == 0)
			bisect_tell_built(b, a->node, m);
	}
	variant_done(&v);
	if (r == 0)
		*ret = m->outcome == OUTCOME_OK ? m : NULL;
	return r;
}

static int one_value(struct bisect *b, struct visit *v, struct err *e)
{
	struct session *s = b->s;
	struct run_result res;
	unsigned index = (unsigned)v->next_index;
	const struct reading *x = NULL;
	AUTO_FREE char *why = NULL;
	int r = visit_run(s, v, &res, e);

	if (r < 0)
		return r;
	if (res.outcome != OUTCOME_OK)
		why = xstrdup(res.reason ? res.reason : outcome_name(res.outcome));
	else if (!(x = measure_reading(s, &res.readings, &why)))
		visit_refuse(s, v, why);
	if (x) {
		search_value(b->search, v->boot, index, x->value, x->resolution, res.seconds);
	} else {
		session_note(s, "%.12s: run failed: %s", v->build->node, why);
		bisect_run_failed(b, v->boot, res.seconds, why);
	}
	run_result_done(&res);
	return 0;
}

/* Where a boot is the unit of repetition: each value is one of a fresh boot, and they run side by side. */
static int boot_each(struct bisect *b, const struct action *a, struct mbuild *m, struct err *e)
{
	enum { AHEAD = 16 };
	int64_t number = a->how == ACTION_BUILD_EXISTING ? a->build : (int64_t)b->map.n - 1;
	struct mbuild *next[AHEAD];
	struct visit *v;

	for (size_t i = 0; i < AHEAD; i++)
		next[i] = m;
	for (unsigned k = 0; k < a->runs; k++) {
		unsigned left = a->runs - k;
		int r = booting_ahead(b->s, next, left < AHEAD ? left : AHEAD, e);

		if (r < 0 || (r = visit_begin(b->s, m, &v, e)) < 0)
			return r;
		search_booted(b->search, number, v->boot, v->outcome, v->boot_seconds);
		for (unsigned i = 0; v->outcome == OUTCOME_OK && i < b->params.runs_per_boot; i++)
			if ((r = one_value(b, v, e)) < 0)
				return r;
		visit_end(b->s);
		if (session_over_budget(b->s))
			return 0;
	}
	return 0;
}

static int do_action(struct bisect *b, const struct action *a, struct err *e)
{
	struct session *s = b->s;
	struct mbuild *m = NULL;
	struct visit *v;
	int r = action_build(b, a, &m, e);

	if (r < 0 || !m)
		return r;
	if (booting_side_by_side(s))
		return boot_each(b, a, m, e);
	v = a->new_boot ? NULL : visit_open(s, m);
	if (!v) {
		if ((r = visit_begin(s, m, &v, e)) < 0)
			return r;
		search_booted(b->search,
			      a->how == ACTION_BUILD_EXISTING ? a->build : (int64_t)b->map.n - 1,
			      v->boot, v->outcome, v->boot_seconds);
		if (v->outcome != OUTCOME_OK)
			return 0;
	}
	for (unsigned k = 0; k < a->runs; k++) {
		if ((r = one_value(b, v, e)) < 0 || session_over_budget(s))
			return r;
	}
	return 0;
}

/* An end that cannot be measured is no search: say which and why, at once. */
static int check_ends(struct bisect *b, struct err *e)
{
	struct session *s = b->s;

	for (int i = 0; i < 2; i++) {
		uint32_t node = i ? b->range.g.bad : b->range.g.good;
		const char *rev = i ? bisect_new_rev(b->o) : bisect_old_rev(b->o);
		struct run_tally t;

		measure_tally(s, b->range.oid[node], &t);
		if (t.ok == 0 && t.failed >= 3)
			return err_set(
				e, ERR_ENV,
				"the benchmark fails on %s (%u of %u runs): %s; its output: culprit show r%lld",
				rev, t.failed, t.failed, t.last_reason, (long long)t.last_run);
	}
	return 0;
}

static int search_loop(struct bisect *b, struct err *e)
{
	while (!b->answered) {
		AUTO(str) struct str text = STR_INIT;
		struct action a;
		int r = session_check_stop(b->s, e);

		if (r < 0)
			return r;
		if (session_over_budget(b->s)) {
			b->out_of_budget = true;
			return 0;
		}
		search_next(b->search, &a);
		if ((r = bisect_progress(b, &a, e)) < 0)
			return r;
		bisect_action_text(b, &a, &text);
		if ((r = store_action(b->s->store, b->s->hunt, text.p, e)) < 0)
			return r;
		log_debug("%s: %s", text.p, a.why);
		b->answered = a.kind == ACTION_ANSWER;
		if (!b->answered && ((r = do_action(b, &a, e)) < 0 || (r = check_ends(b, e)) < 0))
			return r;
	}
	return 0;
}

/* --- marks by hand ------------------------------------------------------------------------------------ */

static bool is_marked(const struct observations *obs, const char *oid)
{
	for (size_t i = 0; i < obs->n; i++)
		if (obs->v[i].kind == OBS_MARK && !strcmp(obs->v[i].node, oid))
			return true;
	return false;
}

static int mark_one(struct bisect *b, const struct observations *obs, const char *rev,
		    enum bisect_mark mark, struct err *e)
{
	static const char *const names[] = { "good", "bad", "skip" };
	static const enum search_mark marks[] = { MARK_GOOD, MARK_BAD, MARK_SKIP };
	char oid[65];
	uint32_t node;
	int r = repo_resolve(b->s->repo, rev, oid, e);

	if (r < 0)
		return r;
	/* a mark outside the range says nothing about it; one in the journal has been replayed, or was withdrawn */
	if (is_marked(obs, oid) || bisect_node(b, oid, &node, NULL) < 0)
		return 0;
	search_mark(b->search, node, marks[mark]);
	return store_mark(b->s->store, b->s->hunt, oid, names[mark], e);
}

/* --from FILE: a `git bisect log`; journaled as marks once, so that they are replayed like any other. */
static int marks_from_log(struct bisect *b, const struct observations *obs, struct err *e)
{
	AUTO(bisect_log) struct bisect_log log = { 0 };
	AUTO(str) struct str text = STR_INIT;
	int r;

	if (!b->o->from)
		return 0;
	if ((r = fs_read_named(b->o->from, 16 << 20, &text, e)) < 0 ||
	    (r = bisect_log_parse(text.p, b->o->from, &log, e)) < 0)
		return r;
	for (size_t i = 0; i < log.n && r == 0; i++)
		r = mark_one(b, obs, log.v[i].rev, log.v[i].mark, e);
	return r;
}

/* --- the hunt -------------------------------------------------------------------------------------------- */

static int end_build(struct bisect *b, uint32_t node, const char *rev, struct mbuild **ret,
		     struct err *e)
{
	struct variant v;
	int r;

	releases_variant(b->range.oid[node], &v);
	r = measure_build(b->s, &v, b->range.oid[node], 0, true, ret, e);
	variant_done(&v);
	if (r == 0 && (*ret)->outcome != OUTCOME_OK)
		return err_set(
			e, ERR_ENV, "%s does not build (%s): %s; its log: culprit show b%lld", rev,
			outcome_name((*ret)->outcome), (*ret)->reason, (long long)(*ret)->id);
	return r;
}

/* The first run of an end, which is not counted anyway, shows which files the benchmark reads besides the build. */
static int learn_by_running(struct bisect *b, struct mbuild *m, struct err *e)
{
	struct session *s = b->s;
	struct run_result res;
	struct visit *v;
	int r;

	/* what runs in a guest reads no source file */
	if (!m->inputs || s->kbuild || booting_side_by_side(s))
		return 0;
	m->visited = true;
	if ((r = visit_begin(s, m, &v, e)) < 0)
		return r;
	if (v->outcome == OUTCOME_OK) {
		if ((r = visit_probe(s, v, &res, e)) < 0)
			return r;
		run_result_done(&res);
	}
	visit_end(s);
	if ((r = build_inputs_again(s->store_dir, m->path, e)) < 0)
		return r;
	for (char **p = m->inputs; *p; p++)
		free(*p);
	free(m->inputs);
	m->inputs = build_saved_inputs(s->store_dir, m->path);
	return 0;
}

bool bisect_take_prior(struct bisect *b, const char *note)
{
	if (!prior_read(note, b->cannot_matter, b->range.g.n))
		return false;
	prior_apply(&b->range, b->cannot_matter);
	b->n_cannot_matter = 0;
	for (uint32_t i = 0; i < b->range.g.n; i++)
		b->n_cannot_matter += b->cannot_matter[i] == PRIOR_IDLE;
	return true;
}

/* -j: both are needed in any case, so they are built side by side where they are missing. */
static int ends_at_once(struct bisect *b, struct err *e)
{
	uint32_t nodes[2] = { b->range.g.good, b->range.g.bad };
	struct prebuild_item items[2];
	struct variant v[2];
	int r;

	if (b->s->opt.jobs < 2 || b->s->simulated || b->o->over)
		return 0;
	for (int i = 0; i < 2; i++) {
		releases_variant(b->range.oid[nodes[i]], &v[i]);
		items[i] = (struct prebuild_item){ &v[i], 0, true };
	}
	r = prebuild(b->s, items, 2, e);
	variant_done(&v[0]);
	variant_done(&v[1]);
	return r;
}

/* Builds of the ends and the prior that they teach, unless the journal has them. */
static int prepare(struct bisect *b, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	AUTO(str) struct str note = STR_INIT;
	struct mbuild *m, *ends[2];
	int r = store_observations(b->s->store, b->s->hunt, &obs, e);

	if (r == 0)
		measure_replay_metrics(b->s, &obs);
	for (size_t i = 0; i < obs.n && r == 0; i++) {
		const struct observation *o = &obs.v[i];

		if (o->kind == OBS_NOTE && bisect_take_prior(b, o->text))
			return 0;
		if (o->kind == OBS_BUILD && !o->withdrawn)
			r = measure_adopt(b->s, o->build, o->node, &m, e);
	}
	if (r < 0 || (r = ends_at_once(b, e)) < 0 ||
	    (r = end_build(b, b->range.g.good, bisect_old_rev(b->o), &ends[0], e)) < 0 ||
	    (r = end_build(b, b->range.g.bad, bisect_new_rev(b->o), &ends[1], e)) < 0)
		return r;
	for (int i = 0; i < 2; i++)
		if ((r = learn_by_running(b, ends[i], e)) < 0)
			return r;
	if ((r = bisect_learn_weights(b, ends[0], ends[1], &note, e)) < 0)
		return r;
	bisect_take_prior(b, note.p);
	return 0;
}

static int run_search(struct bisect *b, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	struct session *s = b->s;
	int r = prepare(b, e);

	if (r < 0)
		return r;
	if ((r = store_observations(s->store, s->hunt, &obs, e)) < 0)
		return r;
	/* what prepare() has just done is in the journal as well: it is counted from there */
	s->n_boots = 0;
	s->next_boot = 0;
	bisect_start_search(b);
	if ((r = bisect_replay(b, &obs, false, e)) < 0)
		return r;
	if ((r = marks_from_log(b, &obs, e)) < 0 || (r = search_loop(b, e)) < 0)
		return r;
	return bisect_duel(b, &obs, e);
}

/* What makes two searches the same question. Names are resolved: HEAD tomorrow is another one. */
static void question(const struct bisect *b, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);

	json_out_object(&w, NULL);
	json_out_text(&w, "old", b->range.good_oid);
	json_out_text(&w, "new", b->range.bad_oid);
	json_out_bool(&w, "fix", b->fix);
	json_out_text(&w, "introduced", b->range.oid[b->introduced_node]);
	json_out_bool(&w, "first_parent", b->o->first_parent);
	json_out_bool(&w, "no_duel", b->o->no_duel);
	bisect_params_json(&b->params, &w);
	json_out_texts(&w, "paths", b->o->paths);
	json_out_texts(&w, "suspects", b->o->suspects);
	if (b->o->over) {
		json_out_array(&w, "over");
		for (uint32_t i = 0; i < b->range.g.n; i++)
			json_out_text(&w, NULL, b->range.oid[i]);
		json_out_close(&w);
	}
	json_out_close(&w);
}

static int introduced(struct bisect *b, struct err *e)
{
	char oid[65];
	int r;

	b->introduced_node = b->range.g.good;
	if (!b->o->introduced)
		return 0;
	if ((r = repo_resolve(b->s->repo, b->o->introduced, oid, e)) < 0)
		return r;
	if (bisect_node(b, oid, &b->introduced_node, e) < 0)
		b->introduced_node =
			b->range.g.good; /* before the range: all of it contains the regression */
	return 0;
}

/*
 * More than one change: each range is a search of its own, with its own samples; their answers join this one. Deeper than three levels
 * the ranges are only reported.
 */
static int search_each(struct bisect *b, char **answer, struct err *e)
{
	struct search_range ranges[8];
	struct search_status st;
	AUTO(str) struct str out = STR_INIT;
	size_t n;
	int r = 0;

	search_status(b->search, &st);
	if (st.answer != ANSWER_MULTIPLE || b->o->depth >= 3)
		return 0;
	n = search_ranges(b->search, ranges, ARRAY_LEN(ranges));
	str_add(&out, *answer, strlen(*answer) - 1);
	str_puts(&out, ",\"changes\":[");
	for (size_t i = 0; i < n && r == 0; i++) {
		struct bisect_options o = *b->o;
		AUTO_FREE char *one = NULL;
		bool stored;

		o.depth++;
		o.inside = false;
		*(o.fix ? &o.bad : &o.good) = b->range.oid[ranges[i].lo];
		*(o.fix ? &o.good : &o.bad) = b->range.oid[ranges[i].hi];
		session_note(b->s, "searching %.12s .. %.12s on its own",
			     b->range.oid[ranges[i].lo], b->range.oid[ranges[i].hi]);
		session_reset(b->s);
		r = bisect_hunt(b->s, &o, &one, &stored, e);
		if (r == 0)
			str_addf(&out, "%s%s", i ? "," : "", one);
	}
	str_puts(&out, "]}");
	if (r == 0) {
		free(*answer);
		*answer = str_take(&out);
	}
	return r;
}

static int hunt(struct bisect *b, char **ret_answer, bool *ret_stored, struct err *e)
{
	AUTO(str) struct str q = STR_INIT;
	AUTO(str) struct str graph = STR_INIT;
	AUTO(hunt_row) struct hunt_row row = { 0 };
	bool known;
	int r;

	if ((r = bisect_load_range(b, e)) < 0 || (r = introduced(b, e)) < 0)
		return r;
	if (b->o->dry_run)
		return plan_bisect(b->s, bisect_old_rev(b->o), bisect_new_rev(b->o),
				   b->range.oid[b->range.g.bad], graph_candidates(&b->range.g),
				   b->o->alpha, ret_answer, e);
	bisect_set_params(b);
	question(b, &q);
	range_write(&b->range, &graph);
	r = session_hunt(b->s, "bisect", q.p, graph.p, b->o->seed, &row, &known, e);
	if (r < 0)
		return r;
	if (known && session_answered(b->s, &row, ret_answer)) {
		*ret_stored = true;
		return 0;
	}
	if ((r = run_search(b, e)) < 0)
		return r;
	r = bisect_answer(b, ret_answer, e);
	if (r == 0 && b->answered)
		r = search_each(b, ret_answer, e);
	if (r == 0)
		r = store_hunt_end(b->s->store, row.id, b->answered ? "answered" : "stopped",
				   *ret_answer, e);
	return r;
}

void bisect_done(struct bisect *b)
{
	search_free(b->search);
	range_done(&b->range);
	free(b->cannot_matter);
	free(b->map.v);
	strvec_done(&b->skipped);
	free(b->last_failure);
	free(b->end_names[0]);
	free(b->end_names[1]);
	duel_done(&b->duel);
}

int bisect_hunt(struct session *s, const struct bisect_options *o, char **ret_answer,
		bool *ret_stored, struct err *e)
{
	AUTO(bisect) struct bisect b = { .s = s, .o = o, .fix = o->fix };

	s->goes_on_without = o->over != NULL;

	*ret_stored = false;
	return hunt(&b, ret_answer, ret_stored, e);
}
