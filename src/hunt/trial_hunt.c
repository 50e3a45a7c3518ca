/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hunt: GOOD, BAD and BAD with each patch in interleaved rounds, until it is known of every patch what it brings back. One comparison for
 * all of them: GOOD and BAD are measured once, and the patches stand beside each other under the same conditions.
 */
#include "hunt/trial_work.h"

#include "hunt/plan.h"
#include "hunt/sides.h"

#include <stdio.h>
#include <string.h>

/* --- builds -------------------------------------------------------------------------------------------------------- */

static int build_all(struct trial *t, struct err *e)
{
	struct duel *d = &t->duel;
	int r = sides_build_at_once(t->s, d, 1, e);

	if (r < 0 || (r = side_build(t->s, &d->sides[CONFIRM_GOOD], 1, e)) < 0 ||
	    (r = side_build(t->s, &d->sides[CONFIRM_BAD], 1, e)) < 0)
		return r;
	for (size_t i = CONFIRM_FIXED; i < d->n_sides && r == 0; i++) {
		struct mbuild *m;

		r = side_build_in(t->s, &d->sides[i], 0, &m, e);
	}
	return r;
}

static void leave_out(struct trial *t, struct trial_patch *p, enum trial_verdict known, char *why)
{
	duel_drop(&t->duel, p->side);
	for (size_t i = 0; i < t->n; i++)
		t->patches[i].side -= t->patches[i].side > p->side;
	p->side = 0;
	p->known = known;
	p->why = why;
}

static const char fails_note[] = "the benchmark fails with patch ";

/* If the note says so: the patch is no side any more. */
static void take_failure(struct trial *t, const char *note)
{
	size_t i;
	int n;

	if (!starts_with(note, fails_note) ||
	    sscanf(note + sizeof(fails_note) - 1, "%zu %n", &i, &n) != 1 || i >= t->n ||
	    !t->patches[i].side)
		return;
	leave_out(t, &t->patches[i], TRIAL_FAILS, xstrdup(note + sizeof(fails_note) - 1 + n));
}

static void take_failures(struct trial *t, const struct observations *obs)
{
	for (size_t i = 0; i < obs->n; i++)
		if (obs->v[i].kind == OBS_NOTE)
			take_failure(t, obs->v[i].text);
}

void trial_settle_builds(struct trial *t)
{
	const struct duel_side *good = &t->duel.sides[CONFIRM_GOOD],
			       *bad = &t->duel.sides[CONFIRM_BAD];

	t->no_difference = sides_same_artefacts(t->s, good->node, bad->node);
	for (size_t i = 0; i < t->n; i++) {
		struct trial_patch *p = &t->patches[i];
		const struct mbuild *m = p->side ? sides_build_of(t->s, p->node, 0) : NULL;

		if (!m)
			continue;
		if (m->outcome != OUTCOME_OK) {
			p->broken = m;
			leave_out(t, p, TRIAL_BROKEN, xstrdup(m->reason));
		} else if (sides_same_artefacts(t->s, p->node, bad->node)) {
			leave_out(t, p, TRIAL_NO_HELP,
				  xstrdup("the artefacts are those of BAD, byte for byte"));
		}
	}
}

/* What fails run after run, its first run that does not count included, is no side any more. *ret_any: there was one. */
static int drop_failing(struct trial *t, bool *ret_any, struct err *e)
{
	int r = 0;

	*ret_any = false;
	for (size_t i = 0; i < t->n && r == 0; i++) {
		struct trial_patch *p = &t->patches[i];
		const struct duel_side *side = p->side ? &t->duel.sides[p->side] : NULL;
		AUTO_FREE char *output = NULL, *note = NULL;

		if (!side || side->failed_in_a_row < DUEL_FAILURES)
			continue;
		output = side->last_run ? xasprintf("; its output: culprit show r%lld",
						    (long long)side->last_run)
					: xstrdup("");
		note = xasprintf("%s%zu %s%s", fails_note, i,
				 side->last_reason ? side->last_reason : "it fails", output);
		r = store_note(t->s->store, t->s->hunt, note, e);
		take_failure(t, note);
		*ret_any = true;
	}
	return r;
}

/* --- the hunt ------------------------------------------------------------------------------------------------------ */

bool trial_enough(const struct duel *d)
{
	for (size_t i = CONFIRM_FIXED; i < d->n_sides; i++)
		if (!confirm_enough_of(d, i))
			return false;
	return true;
}

static int measure(struct trial *t, struct err *e)
{
	int r = 0;

	if (t->duel.n_sides > CONFIRM_FIXED) {
		if ((r = build_all(t, e)) < 0)
			return r;
		trial_settle_builds(t);
	}
	while (t->duel.n_sides > CONFIRM_FIXED && !t->no_difference) {
		struct err e2 = ERR_INIT;
		bool any;

		r = duel_run(t->s, &t->duel, t->o->max_runs, e);
		if (r != -ERR_ENV)
			return r;
		if (drop_failing(t, &any, &e2) < 0) {
			*e = e2;
			return -(int)e->kind;
		}
		if (!any)
			return r;
		*e = (struct err)ERR_INIT;
		r = 0;
	}
	return r;
}

static int replay(struct trial *t, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	struct duel *d = &t->duel;

	int r = sides_replay(t->s, &d, 1, e);

	if (r == 0 && (r = store_observations(t->s->store, t->s->hunt, &obs, e)) == 0)
		take_failures(t, &obs);
	return r;
}

static void enter(struct trial *t)
{
	t->duel.enough = trial_enough;
	duel_enter(&t->duel, t->s);
}

static int hunt(struct trial *t, char **ret_answer, bool *ret_stored, struct err *e)
{
	AUTO(str) struct str q = STR_INIT;
	AUTO(hunt_row) struct hunt_row row = { 0 };
	bool known;
	int r = trial_resolve(t, e);

	if (r < 0)
		return r;
	if (t->o->dry_run)
		return plan_compare(t->s, t->duel.n_sides, t->duel.sides[CONFIRM_BAD].variant.oid,
				    t->o->alpha, t->o->max_runs, ret_answer, e);
	enter(t);
	trial_question(t, &q);
	r = session_hunt(t->s, "try", q.p, NULL, t->o->seed, &row, &known, e);
	if (r < 0)
		return r;
	if (known && session_answered(t->s, &row, ret_answer)) {
		*ret_stored = true;
		return 0;
	}
	if ((known && (r = replay(t, e)) < 0) || (r = measure(t, e)) < 0)
		return r;
	trial_answer(t, ret_answer);
	return store_hunt_end(t->s->store, t->s->hunt,
			      t->duel.out_of_budget ? "stopped" : "answered", *ret_answer, e);
}

int trial_hunt(struct session *s, const struct trial_options *o, char **ret_answer,
	       bool *ret_stored, struct err *e)
{
	AUTO(trial) struct trial t = { .s = s, .o = o };

	*ret_stored = false;
	return hunt(&t, ret_answer, ret_stored, e);
}

int trial_recompute(struct session *s, const struct json *question, const struct observations *obs,
		    char **ret_answer, struct err *e)
{
	AUTO(trial) struct trial t = { .s = s };
	int r = trial_read_question(&t, question, e);

	if (r < 0)
		return r;
	enter(&t);
	for (size_t i = 0; i < obs->n; i++)
		s->n_boots += obs->v[i].kind == OBS_BOOT;
	trial_settle_builds(&t);
	if ((r = duel_replay(s, &t.duel, obs, e)) < 0)
		return r;
	take_failures(&t, obs);
	duel_look(&t.duel);
	trial_answer(&t, ret_answer);
	return 0;
}
