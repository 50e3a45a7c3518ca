/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal fed to the search: how a hunt goes on after kill -9, how it is undone, and how it is verified.
 *
 * The search numbers builds in the order in which it hears of them, which is the order in the journal. Commits with equal trees share a build:
 * whose boot it was is then told by the action before it. Withdrawn observations
 * are left out; from the first withdrawal on the journaled actions need no longer be what the search would do, so
 * verification then compares the answer alone.
 */
#include "hunt/bisect.h"

#include <stdlib.h>
#include <string.h>

/* The number of a build that was booted before any action: then it is one of the ends. */
static int64_t number_of(const struct bisect *b, int64_t build)
{
	for (size_t i = b->map.n; i-- > 0;)
		if (b->map.v[i].build == build)
			return (int64_t)i;
	return -1;
}

void bisect_tell_built(struct bisect *b, uint32_t node, const struct mbuild *m)
{
	int64_t number = (int64_t)b->map.n;

	ARRAY_PUSH(&b->map, ((struct numbered){ m->id, node }));
	/* a build from the cache costs nothing now, but it prices the next one */
	search_built(b->search, node, number, m->outcome, m->artefact_no, m->layout > 0,
		     m->seconds);
	if (m->outcome != OUTCOME_OK)
		strvec_addf(&b->skipped, "%s %s", b->range.oid[node], m->reason);
}

void bisect_run_failed(struct bisect *b, int64_t boot, double seconds, const char *why)
{
	search_run_failed(b->search, boot, seconds);
	b->failed_runs++;
	free(b->last_failure);
	b->last_failure = xstrdup(why);
}

void bisect_action_text(const struct bisect *b, const struct action *a, struct str *out)
{
	static const char *const how[] = { "first", "existing", "relayout" };
	static const char *const phase[] = { "ends", "search", "confirm", "inside" };

	if (a->kind == ACTION_ANSWER) {
		str_puts(out, "{\"action\":\"answer\"}");
		return;
	}
	str_addf(out,
		 "{\"action\":\"measure\",\"phase\":\"%s\",\"commit\":\"%s\",\"build\":\"%s\",",
		 phase[a->phase], b->range.oid[a->node], how[a->how]);
	str_addf(out, "\"number\":%lld,\"boot\":%s,\"runs\":%u}",
		 a->how == ACTION_BUILD_EXISTING ? (long long)a->build : -1,
		 a->new_boot ? "true" : "false", a->runs);
}

static int replay_build(struct bisect *b, const struct observation *o, struct err *e)
{
	struct mbuild *m;
	uint32_t node;
	int r = measure_adopt(b->s, o->build, o->node, &m, e);

	if (r < 0)
		return r;
	if ((r = bisect_node(b, o->node, &node, e)) < 0)
		return err_set(e, ERR_BROKEN,
			       "the journal has a build of %.12s, which is not in the range",
			       o->node);
	if (!b->past_answer) {
		bisect_tell_built(b, node, m);
		if (b->replayed >= 0)
			b->replayed = (int64_t)b->map.n - 1;
	}
	return 0;
}

static void replay_run(struct bisect *b, const struct observation *o)
{
	AUTO_FREE char *why = NULL;
	const struct reading *x = NULL;

	/* after the answer come the runs of the head-to-head, which the search must not see */
	if (o->index < 0 || b->past_answer)
		return;
	measure_count(b->s, o->outcome, o->seconds);
	if (o->outcome == OUTCOME_OK)
		x = measure_reading(b->s, &o->readings, &why);
	else
		why = xstrdup(o->reason && *o->reason ? o->reason : outcome_name(o->outcome));
	if (x)
		search_value(b->search, o->boot, (unsigned)o->index, x->value, x->resolution,
			     o->seconds);
	else
		bisect_run_failed(b, o->boot, o->seconds, why);
}

static int replay_action(struct bisect *b, const struct observation *o, bool verify, struct err *e)
{
	AUTO(str) struct str now = STR_INIT;
	const char *number = strstr(o->text, "\"existing\",\"number\":");
	struct action a;

	/* a first build or another layout is the one that comes next in the journal */
	b->replayed = number ? strtoll(number + strlen("\"existing\",\"number\":"), NULL, 10)
			     : (int64_t)b->map.n;
	search_next(b->search, &a);
	b->answered = a.kind == ACTION_ANSWER;
	/* what was measured then decides whose runs follow, also where a withdrawal changed the search's mind */
	b->past_answer = strstr(o->text, "\"answer\"") != NULL;
	if (!verify)
		return 0;
	bisect_action_text(b, &a, &now);
	if (strcmp(now.p, o->text))
		return err_set(e, ERR_BROKEN,
			       "action %lld differs: the journal has %s, the search says %s",
			       (long long)o->seq, o->text, now.p);
	return 0;
}

static int replay_mark(struct bisect *b, const struct observation *o, struct err *e)
{
	uint32_t node;

	/* a mark outside the range says nothing about it */
	if (bisect_node(b, o->node, &node, e) < 0)
		return 0;
	search_mark(b->search, node,
		    !strcmp(o->text, "good")  ? MARK_GOOD
		    : !strcmp(o->text, "bad") ? MARK_BAD
					      : MARK_SKIP);
	return 0;
}

static int replay_one(struct bisect *b, const struct observation *o, bool verify, struct err *e)
{
	switch (o->kind) {
	case OBS_BUILD:
		return replay_build(b, o, e);
	case OBS_BOOT:
		b->s->next_boot++;
		b->s->n_boots++;
		if (!b->past_answer)
			search_booted(b->search,
				      b->replayed >= 0 ? b->replayed : number_of(b, o->build),
				      o->boot, o->outcome, o->seconds);
		return 0;
	case OBS_RUN:
		replay_run(b, o);
		return 0;
	case OBS_MARK:
		return replay_mark(b, o, e);
	case OBS_ACTION:
		return replay_action(b, o, verify, e);
	case OBS_NOTE:
		return 0;
	}
	return 0;
}

int bisect_replay(struct bisect *b, const struct observations *obs, bool verify, struct err *e)
{
	bool withdrawn = false;

	b->replayed = -1;
	for (size_t i = 0; i < obs->n; i++) {
		const struct observation *o = &obs->v[i];
		int r;

		withdrawn = withdrawn || o->withdrawn;
		if (o->withdrawn)
			continue;
		r = replay_one(b, o, verify && !withdrawn, e);
		if (r < 0)
			return r;
	}
	return 0;
}
