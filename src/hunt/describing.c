/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boots run beside each other where that disturbs nothing. They are made again by each process that goes on with the hunt, since the file of symbols (5 MB, made
 * from the guest's own) is not worth keeping; what they say is journaled once.
 */
#include "hunt/describing.h"

#include "hunt/booting.h"
#include "sys/clock.h"
#include "sys/fs.h"

#include <string.h>
#include <unistd.h>

static const struct observation *find(const struct observations *obs, size_t side)
{
	for (size_t i = 0; obs && i < obs->n; i++)
		if (obs->v[i].kind == OBS_RUN && !obs->v[i].withdrawn &&
		    obs->v[i].index == RUN_DESCRIBES - (int)side && obs->v[i].outcome == OUTCOME_OK)
			return &obs->v[i];
	return NULL;
}

/* A boot of its own, counted as such, and a run that is none. */
static int journal(struct session *s, const struct mbuild *b, size_t side, const char *context,
		   double seconds, const struct str *machine, struct err *e)
{
	struct readings none = { 0 };
	int64_t boot, run;
	int r = store_boot_add(s->store, s->hunt, b->id, context, OUTCOME_OK, "", seconds, &boot,
			       e);

	if (r < 0)
		return r;
	s->next_boot++; /* as the journal's replay counts it */
	s->n_boots++;
	r = store_run_begin(s->store, s->hunt, boot, s->bench->name, RUN_DESCRIBES - (int)side,
			    &run, e);
	if (r == 0)
		r = store_run_end(s->store, run, OUTCOME_OK, "", 0, &none, machine->p, machine->n,
				  e);
	return r < 0 ? r : store_settle(s->store, e);
}

/* In the folder of the guests, which is swept when the store is opened next. */
static int keep_symbols(const struct session *s, struct mbuild *b, size_t side,
			const struct str *symbols, struct err *e)
{
	AUTO_FREE char *path = xasprintf("%s/guests/symbols-%zu", s->store_dir, side);
	int r = symbols->n ? fs_write_atomic(path, symbols->p, symbols->n, e) : 0;

	if (r == 0 && symbols->n)
		b->symbols = TAKE_PTR(path);
	return r;
}

static int describe(struct session *s, struct mbuild *b, size_t side, struct boot_request *q,
		    bool is_known, struct err *e)
{
	AUTO(str) struct str context = STR_INIT, reason = STR_INIT;
	AUTO(str) struct str machine = STR_INIT, symbols = STR_INIT;
	int64_t t0 = clock_monotonic_ns();
	struct boot *handle = NULL;
	enum outcome outcome;

	session_doing(s, "describing", b->node);
	int r = s->target->boot(q, &handle, &outcome, &context, &reason, e);

	q->started = NULL;
	if (r < 0)
		return r;
	if (outcome != OUTCOME_OK)
		return err_set(e, ERR_ENV, "%.60s: boot %s: %s", b->node, outcome_name(outcome),
			       reason.p);
	r = s->target->describe(handle, &machine, &symbols, e);
	s->target->shutdown(handle);
	if (r == 0)
		r = keep_symbols(s, b, side, &symbols, e);
	if (r < 0 || is_known)
		return r;
	return journal(s, b, side, context.p, (double)(clock_monotonic_ns() - t0) / 1e9, &machine,
		       e);
}

/* Killed between the last run and the answer: nothing is left to boot for. */
static bool is_all_there(const struct duel *d, const struct observations *obs)
{
	for (size_t i = 0; i < d->n_sides; i++)
		if (!find(obs, i) || !d->fixed_runs || d->sides[i].runs < d->fixed_runs)
			return false;
	return true;
}

int describing_sides(struct session *s, struct duel *d, const struct observations *obs,
		     struct err *e)
{
	AUTO_FREE struct boot_request *q = xcalloc(d->n_sides, sizeof(*q));
	int r = s->target->describe ? store_settle(s->store, e) : 0;

	if (!s->target->describe || is_all_there(d, obs))
		return r;
	for (size_t i = 0; i < d->n_sides && r == 0; i++) {
		booting_request(s, d->sides[i].builds[0], UINT64_MAX, &q[i]);
		q[i].describe = true;
		q[i].runs = 0;
		q[i].tick = session_tick;
		q[i].tick_arg = s;
		if (booting_side_by_side(s) && s->jobs > 1)
			r = s->target->start(&q[i], &q[i].started, e);
	}
	for (size_t i = 0; i < d->n_sides && r == 0; i++)
		r = describe(s, d->sides[i].builds[0], i, &q[i], find(obs, i) != NULL, e);
	for (size_t i = 0; i < d->n_sides; i++)
		if (q[i].started)
			s->target->shutdown(q[i].started);
	return r;
}

void describing_done(struct duel *d)
{
	for (size_t i = 0; i < d->n_sides; i++) {
		struct mbuild *b = d->sides[i].n_builds ? d->sides[i].builds[0] : NULL;

		if (b && b->symbols) {
			unlink(b->symbols);
			free(TAKE_PTR(b->symbols));
		}
	}
}

int describing_read(struct session *s, size_t side, const struct observations *obs, struct str *out,
		    struct err *e)
{
	const struct observation *o = find(obs, side);

	return o ? store_run_output(s->store, o->run, out, e) : 0;
}
