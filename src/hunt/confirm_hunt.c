/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hunt: resolve, build, measure GOOD, BAD and BAD without the commit in interleaved rounds; then, where it was asked, commit and parent in
 * another layout as a second duel of the same hunt. The two keep their notes apart by a tag and their runs by the nodes of their builds, so a
 * resumed hunt finds both, however they were interrupted.
 */
#include "hunt/confirm_work.h"

#include "hunt/plan.h"
#include "hunt/sides.h"
#include "text/json.h"

#include <string.h>

static void confirm_done(struct confirm *c)
{
	free(c->commit);
	free(c->parent);
	free(c->plain_node);
	free(c->picked_why);
	free(c->refusal.why);
	free(c->refusal.undone_by);
	strvec_done(&c->refusal.paths);
	dependents_done(&c->refusal.dependents);
	strvec_done(&c->reverted);
	duel_done(&c->duel);
	duel_done(&c->relaid);
}

static int build_all(struct confirm *c, struct err *e)
{
	struct duel *d = &c->duel;
	int r = sides_build_at_once(c->s, d, 1, e);

	if (r < 0 || (r = side_build(c->s, &d->sides[CONFIRM_GOOD], 1, e)) < 0 ||
	    (r = side_build(c->s, &d->sides[CONFIRM_BAD], 1, e)) < 0)
		return r;
	for (size_t i = CONFIRM_FIXED; i < d->n_sides && r == 0; i++)
		r = side_build_to_judge(c->s, &d->sides[i], 0, e);
	return r;
}

/* The commit and its parent once more, their functions placed otherwise. */
static int measure_relaid(struct confirm *c, struct err *e)
{
	struct duel *d = &c->relaid;
	struct mbuild *plain;
	struct variant v;
	int r = 0;

	for (size_t i = 0; i < d->n_sides && r == 0; i++)
		r = side_build_to_judge(c->s, &d->sides[i], 1, e);
	if (r < 0)
		return r;
	variant_of_commit(c->commit, &v);
	r = measure_build(c->s, &v, c->plain_node, 0, false, &plain, e);
	variant_done(&v);
	if (r < 0 || confirm_relaid_state(c) != SURVIVAL_UNDECIDED)
		return r;
	return duel_run(c->s, d, c->o->max_runs, e);
}

static int measure(struct confirm *c, struct err *e)
{
	int r = build_all(c, e);

	if (r < 0)
		return r;
	confirm_compare_artefacts(c);
	if (c->broken || c->no_difference || c->same_as_bad)
		return 0;
	if ((r = duel_run(c->s, &c->duel, c->o->max_runs, e)) < 0)
		return r;
	return c->relaid.n_sides && !c->duel.out_of_budget ? measure_relaid(c, e) : 0;
}

static int refuse(struct confirm *c, struct err *e)
{
	AUTO(str) struct str note = STR_INIT;
	int r = confirm_explain_refusal(c, e);

	if (r < 0)
		return r;
	confirm_refusal_note(c, &note);
	return store_note(c->s->store, c->s->hunt, note.p, e);
}

static int replay(struct confirm *c, struct err *e)
{
	struct duel *duels[] = { &c->duel, &c->relaid };

	return sides_replay(c->s, duels, c->relaid.n_sides ? 2 : 1, e);
}

static int plan(struct confirm *c, char **ret_answer, struct err *e)
{
	if (c->refusal.verdict != CONFIRM_UNDECIDED)
		session_warn(c->s, "on %s: %s", c->duel.sides[CONFIRM_BAD].label, c->refusal.why);
	return plan_compare(c->s, c->duel.n_sides + c->relaid.n_sides,
			    c->duel.sides[CONFIRM_BAD].variant.oid, c->o->alpha, c->o->max_runs,
			    ret_answer, e);
}

static void enter(struct confirm *c)
{
	c->duel.enough = confirm_enough;
	duel_enter(&c->duel, c->s);
	duel_enter(&c->relaid, c->s);
}

static int hunt(struct confirm *c, char **ret_answer, bool *ret_stored, struct err *e)
{
	AUTO(str) struct str q = STR_INIT;
	AUTO(hunt_row) struct hunt_row row = { 0 };
	bool known;
	int r = confirm_resolve(c, e);

	if (r < 0)
		return r;
	if (c->o->dry_run)
		return plan(c, ret_answer, e);
	enter(c);
	confirm_question(c, &q);
	r = session_hunt(c->s, "confirm", q.p, NULL, c->o->seed, &row, &known, e);
	if (r < 0)
		return r;
	if (known && session_answered(c->s, &row, ret_answer)) {
		*ret_stored = true;
		return 0;
	}
	if (known && (r = replay(c, e)) < 0)
		return r;
	r = c->refusal.verdict != CONFIRM_UNDECIDED ? refuse(c, e) : measure(c, e);
	if (r < 0)
		return r;
	confirm_answer(c, ret_answer);
	return store_hunt_end(c->s->store, c->s->hunt,
			      c->duel.out_of_budget || c->relaid.out_of_budget ? "stopped"
									       : "answered",
			      *ret_answer, e);
}

int confirm_hunt(struct session *s, const struct confirm_options *o, char **ret_answer,
		 bool *ret_stored, struct err *e)
{
	AUTO(confirm) struct confirm c = { .s = s, .o = o };

	*ret_stored = false;
	return hunt(&c, ret_answer, ret_stored, e);
}

int confirm_recompute(struct session *s, const struct json *question,
		      const struct observations *obs, char **ret_answer, struct err *e)
{
	AUTO(confirm) struct confirm c = { .s = s };
	int r = confirm_read_question(&c, question, e);

	if (r < 0)
		return r;
	enter(&c);
	for (size_t i = 0; i < obs->n; i++) {
		s->n_boots += obs->v[i].kind == OBS_BOOT;
		if (obs->v[i].kind == OBS_NOTE && c.refusal.verdict == CONFIRM_UNDECIDED)
			confirm_take_refusal(&c, obs->v[i].text);
	}
	confirm_compare_artefacts(&c);
	if ((r = duel_replay(s, &c.duel, obs, e)) < 0 ||
	    (c.relaid.n_sides && (r = duel_replay(s, &c.relaid, obs, e)) < 0))
		return r;
	duel_look(&c.duel);
	if (c.relaid.n_sides)
		duel_look(&c.relaid);
	confirm_answer(&c, ret_answer);
	return 0;
}
