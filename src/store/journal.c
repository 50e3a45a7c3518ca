/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing down what a hunt observes. Each function is one transaction; the place in the journal (seq) is given when the
 * observation is complete, so that replaying in that order tells the brain what it was told at the time.
 *
 * A run has two halves: its beginning, so that a crash shows what was in flight, and its end with everything that it gave. Both
 * are lazy (store/db.h): a kill loses at most the run in flight, a power failure about the last second. Under store_hold the end shares
 * the transaction of the next beginning, since a commit costs more than what is in it; and while runs are short neither is written to the
 * database, but to a file beside it (store/intake.h).
 */
#include "store/store.h"

#include "base/log.h"
#include "store/db.h"
#include "store/intake.h"
#include "sys/clock.h"

#include <math.h>
#include <string.h>

/* Beyond this many different metrics the table is asked instead: a benchmark that invents names must not cost memory. */
#define METRICS_KEPT 256
/* After a run that took no longer, what follows may wait. After a longer one what it costs to write at once is little beside it. */
#define SHORT_SECONDS 0.05

/* What waits is a change all the same: nothing of it is in the file before all of it is in memory. */
static int change_begin(struct store *st, enum db_sync sync, struct err *e)
{
	int r = sync == DB_LAZY ? intake_begin(st, e) : 0;

	return r < 0 || st->waits ? r : db_begin(st, sync, e);
}

static int change_end(struct store *st, enum db_sync sync, int r, struct err *e)
{
	if (!st->waits)
		return sync == DB_FORCE ? db_end(st, r, e) : db_end_held(st, r, e);
	st->waits = false;
	return r;
}

static int append(struct store *st, int64_t hunt, const char *kind, const char *node,
		  const char *text, int64_t *ret_seq, struct err *e)
{
	int64_t seq = st->waits ? intake_seq(st) : 0;
	int r = intake_row(st, ROW_JOURNAL,
			   ARGS(ARG_ID(seq), ARG_I(hunt), ARG_T(kind), ARG_I(clock_realtime_ns()),
				ARG_T(node), ARG_T(text)),
			   e);

	if (r == 0)
		*ret_seq = seq ? seq : db_last_id(st);
	return r;
}

static int append_alone(struct store *st, int64_t hunt, enum db_sync sync, const char *kind,
			const char *node, const char *text, struct err *e)
{
	int64_t seq;
	int r = change_begin(st, sync, e);

	if (r < 0)
		return r;
	return change_end(st, sync, append(st, hunt, kind, node, text, &seq, e), e);
}

int store_use_build(struct store *st, int64_t hunt, int64_t build, const char *node, struct err *e)
{
	int64_t seq;
	int r = db_begin(st, DB_FORCE, e);

	if (r < 0)
		return r;
	r = append(st, hunt, "build", node, NULL, &seq, e);
	if (r == 0)
		r = db_exec(st, "writing the journal",
			    "insert into build_use (seq, build) values (?1, ?2)",
			    ARGS(ARG_I(seq), ARG_I(build)), e);
	return db_end(st, r, e);
}

int store_boot_add(struct store *st, int64_t hunt, int64_t build, const char *context,
		   enum outcome outcome, const char *reason, double seconds, int64_t *ret_boot,
		   struct err *e)
{
	int64_t seq = 0;
	int r = change_begin(st, DB_LAZY, e);

	if (r < 0)
		return r;
	r = append(st, hunt, "boot", NULL, NULL, &seq, e);
	if (r == 0)
		r = intake_row(st, ROW_BOOT,
			       ARGS(ARG_I(seq), ARG_I(build), ARG_T(outcome_name(outcome)),
				    ARG_T(reason ? reason : ""), ARG_D(seconds),
				    ARG_T(context ? context : "{}")),
			       e);
	r = change_end(st, DB_LAZY, r, e);
	if (r == 0)
		*ret_boot = seq;
	return r;
}

void store_hold(struct store *st)
{
	st->holds = true;
}

int store_settle(struct store *st, struct err *e)
{
	int r = intake_settle(st, e);

	return r < 0 ? r : db_settle(st, e);
}

void store_show(struct store *st)
{
	struct err e = ERR_INIT;

	/* it waits on: the next call meets the same, and says so */
	if (intake_settle(st, &e) < 0)
		log_debug("in the midst of a run: %s", e.msg);
}

/* Its beginning is what makes the end of the one before it safe: in one commit, or in one write. */
int store_run_begin(struct store *st, int64_t hunt, int64_t boot, const char *benchmark, int index,
		    int64_t *ret_run, struct err *e)
{
	int r = change_begin(st, DB_LAZY, e);

	if (r < 0)
		return r;
	int64_t id = st->waits ? intake_run(st) : 0;

	r = intake_row(st, ROW_RUN,
		       ARGS(ARG_ID(id), ARG_I(hunt), ARG_I(boot), ARG_T(benchmark), ARG_I(index),
			    ARG_I(clock_realtime_ns())),
		       e);
	if (st->waits) {
		st->waits = false;
		r = intake_write(st, e);
	} else {
		id = db_last_id(st);
		r = db_end(st, r, e);
	}
	if (r == 0) {
		*ret_run = st->begun_run = id;
		st->begun_hunt = hunt;
	}
	return r;
}

/* --- the end of a run --------------------------------------------------------------------------------------------- */

static int metric_select(struct store *st, const struct reading *x, int64_t *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "writing a run",
			  "select id from metric where name = ?1 and unit = ?2 and better = ?3"
			  " and counter = ?4",
			  ARGS(ARG_T(x->metric), ARG_T(x->unit), ARG_T(better_name(x->better)),
			       ARG_I(x->counter)),
			  &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r > 0)
		*ret = sql_int(&q, 0);
	return r;
}

/* Of those that were seen here; NULL for another. */
static const struct metric_id *metric_known(const struct store *st, const struct reading *x)
{
	for (size_t i = 0; i < st->n_metrics; i++) {
		const struct metric_id *m = &st->metrics[i];

		if (m->better == x->better && m->counter == x->counter &&
		    !strcmp(m->name, x->metric) && !strcmp(m->unit, x->unit))
			return m;
	}
	return NULL;
}

static int metric_intern(struct store *st, const struct reading *x, int64_t *ret, struct err *e)
{
	const struct metric_id *m = metric_known(st, x);

	if (m) {
		*ret = m->id;
		return 0;
	}

	int r = metric_select(st, x, ret, e);

	if (r == 0) {
		r = db_exec(
			st, "writing a run",
			"insert into metric (name, unit, better, counter) values (?1, ?2, ?3, ?4)",
			ARGS(ARG_T(x->metric), ARG_T(x->unit), ARG_T(better_name(x->better)),
			     ARG_I(x->counter)),
			e);
		*ret = db_last_id(st);
	}
	if (r < 0)
		return r;
	if (st->n_metrics >= METRICS_KEPT)
		return 0;
	array_reserve_((void **)&st->metrics, &st->cap_metrics, st->n_metrics + 1,
		       sizeof(*st->metrics));
	st->metrics[st->n_metrics++] = (struct metric_id){
		.id = *ret,
		.name = xstrdup(x->metric),
		.unit = xstrdup(x->unit),
		.better = x->better,
		.counter = x->counter,
	};
	return 0;
}

/* One, or READINGS_AT_ONCE by one statement. */
static int insert_readings(struct store *st, int64_t run, const struct reading *v,
			   const int64_t *metric, size_t at, size_t n, struct err *e)
{
	struct arg args[READINGS_AT_ONCE * 5 + 1];
	size_t k = 0;

	for (size_t i = at; i < at + n; i++) {
		args[k++] = (struct arg)ARG_I(run);
		args[k++] = (struct arg)ARG_I((int64_t)i);
		args[k++] = (struct arg)ARG_I(metric[i - at]);
		args[k++] = (struct arg)ARG_D(v[i].value);
		args[k++] = (struct arg)ARG_D(v[i].resolution);
	}
	args[k] = (struct arg){ .kind = ARG_END };
	return intake_row(st, n == 1 ? ROW_READING : ROW_READINGS, args, e);
}

static int add_readings(struct store *st, int64_t run, const struct readings *readings,
			struct err *e)
{
	int64_t metric[READINGS_AT_ONCE];
	size_t total = readings ? readings->n : 0;

	for (size_t at = 0, n; at < total; at += n) {
		int r = 0;

		n = total - at >= READINGS_AT_ONCE ? READINGS_AT_ONCE : 1;
		for (size_t i = 0; r == 0 && i < n; i++)
			r = metric_intern(st, &readings->v[at + i], &metric[i], e);
		if (r == 0)
			r = insert_readings(st, run, readings->v, metric, at, n, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Two statements: SQLite prepares for taking back an insert from a select, which costs more than the insert. */
static int append_run(struct store *st, int64_t run, int64_t *ret_seq, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;

	if (run == st->begun_run) {
		st->begun_run = 0;
		return append(st, st->begun_hunt, "run", NULL, NULL, ret_seq, e);
	}
	int r = sql_start(st, "writing the journal", "select hunt from run where id = ?1",
			  ARGS(ARG_I(run)), &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r < 0)
		return r;
	if (r == 0)
		return err_set(e, ERR_MISSING, "writing a run: there is no run %lld",
			       (long long)run);

	int64_t hunt = sql_int(&q, 0);

	sql_done(&q);
	return append(st, hunt, "run", NULL, NULL, ret_seq, e);
}

/* Only what the tables are sure to take waits: what they refuse is told by the call that said it. */
static bool may_wait(const struct store *st, int64_t run, double seconds,
		     const struct readings *readings)
{
	if (run != st->begun_run || !(seconds < SHORT_SECONDS))
		return false;
	for (size_t i = 0; readings && i < readings->n; i++)
		if (isnan(readings->v[i].value) || isnan(readings->v[i].resolution) ||
		    !metric_known(st, &readings->v[i]))
			return false;
	return true;
}

int store_run_end(struct store *st, int64_t run, enum outcome outcome, const char *reason,
		  double seconds, const struct readings *readings, const char *output,
		  size_t output_n, struct err *e)
{
	AUTO(str) struct str packed = STR_INIT;
	int64_t seq = 0;
	int r = output && output_n ? db_pack(st, output, output_n, &packed, e) : 0;

	if (!may_wait(st, run, seconds, readings))
		st->is_short = false;
	if (r == 0)
		r = change_begin(st, DB_LAZY, e);
	if (r < 0)
		return r;
	r = append_run(st, run, &seq, e);
	if (r == 0)
		r = intake_row(st, ROW_RUN_END,
			       ARGS(ARG_I(seq), ARG_I(run), ARG_T(outcome_name(outcome)),
				    ARG_T(reason ? reason : ""), ARG_D(seconds),
				    ARG_B(packed.n ? packed.p : NULL, packed.n)),
			       e);
	if (r == 0)
		r = add_readings(st, run, readings, e);
	r = change_end(st, DB_LAZY, r, e);
	st->is_short = seconds < SHORT_SECONDS;
	return r < 0 ? r : intake_settle_in_time(st, e);
}

int store_run_output(struct store *st, int64_t run, struct str *out, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "reading a run's output", "select output from run_end where run = ?1",
			  ARGS(ARG_I(run)), &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r == 0)
		return err_set(
			e, ERR_MISSING,
			"there is no finished run %lld; 'culprit log N' shows those of hunt N",
			(long long)run);
	return r < 0 ? r : sql_unpack(&q, 0, out, e);
}

/* --- what people and the brain say -------------------------------------------------------------------------------- */

int store_mark(struct store *st, int64_t hunt, const char *node, const char *mark, struct err *e)
{
	return append_alone(st, hunt, DB_FORCE, "mark", node, mark, e);
}

int store_action(struct store *st, int64_t hunt, const char *json, struct err *e)
{
	return append_alone(st, hunt, DB_LAZY, "action", NULL, json, e);
}

int store_note(struct store *st, int64_t hunt, const char *text, struct err *e)
{
	return append_alone(st, hunt, DB_LAZY, "note", NULL, text, e);
}

/* The newest observations that still stand, newest first. */
static int undoable(struct store *st, int64_t hunt, unsigned count, struct undone *ret,
		    struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(
		st, "looking for what to withdraw",
		"select seq from journal j where hunt = ?1 and kind in ('run', 'boot', 'mark')"
		" and not exists (select 1 from withdrawal w where w.seq = j.seq)"
		" order by seq desc limit ?2",
		ARGS(ARG_I(hunt), ARG_I(count)), &q, e);

	if (r < 0)
		return r;
	while ((r = sql_step(&q, e)) > 0)
		ARRAY_PUSH(ret, sql_int(&q, 0));
	return r;
}

static int withdraw(struct store *st, int64_t hunt, const struct undone *list, struct err *e)
{
	int64_t undo;
	int r = append(st, hunt, "undo", NULL, NULL, &undo, e);

	for (size_t i = 0; r == 0 && i < list->n; i++)
		r = db_exec(st, "withdrawing", "insert into withdrawal (seq, undo) values (?1, ?2)",
			    ARGS(ARG_I(list->v[i]), ARG_I(undo)), e);
	if (r < 0)
		return r;
	/* the answer rested on what is now withdrawn */
	return db_exec(st, "withdrawing",
		       "insert into hunt_state (hunt, status, at_ns)"
		       " select hunt, 'open', ?2 from hunt_state"
		       " where id = (select max(id) from hunt_state where hunt = ?1)"
		       " and status = 'answered'",
		       ARGS(ARG_I(hunt), ARG_I(clock_realtime_ns())), e);
}

int store_undo(struct store *st, int64_t hunt, unsigned count, unsigned *ret, struct err *e)
{
	AUTO(undone) struct undone list = { 0 };
	int r = store_undo_list(st, hunt, count, &list, e);

	if (r == 0)
		*ret = (unsigned)list.n;
	return r;
}

int store_undo_list(struct store *st, int64_t hunt, unsigned count, struct undone *ret,
		    struct err *e)
{
	AUTO(undone) struct undone list = { 0 };
	int r = db_begin(st, DB_FORCE, e);

	if (r < 0)
		return r;
	r = undoable(st, hunt, count, &list, e);
	if (r == 0 && list.n && list.n < count)
		r = err_set(e, ERR_USAGE, "hunt %lld has only %zu to withdraw, not %u",
			    (long long)hunt, list.n, count);
	if (r == 0 && list.n)
		r = withdraw(st, hunt, &list, e);
	r = db_end(st, r, e);
	if (r < 0)
		return r;
	*ret = list;
	list = (struct undone){ 0 };
	return 0;
}

void undone_done(struct undone *u)
{
	free(u->v);
	*u = (struct undone){ 0 };
}
