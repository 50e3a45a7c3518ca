/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a hunt back: one pass over its journal with everything joined, and one over its readings, both in order of seq, so
 * that they are merged as they come.
 */
#include "store/store.h"

#include "store/db.h"

#include <string.h>

void observation_done(struct observation *o)
{
	free(o->node);
	free(o->benchmark);
	readings_done(&o->readings);
	free(o->reason);
	free(o->text);
	*o = (struct observation){ 0 };
}

void observations_done(struct observations *o)
{
	for (size_t i = 0; i < o->n; i++)
		observation_done(&o->v[i]);
	free(o->v);
	*o = (struct observations){ 0 };
}

/* Each kind fills the columns that it has; the others are NULL. An undo shows as what it withdrew, not as a row. */
static const char main_query[] = "select j.seq, j.kind, j.node, j.text, w.undo,"
				 " coalesce(u.build, b.build, rb.build),"
				 " case j.kind when 'boot' then b.seq when 'run' then r.boot end,"
				 " r.id, r.benchmark, r.position,"
				 " coalesce(ub.outcome, b.outcome, e.outcome),"
				 " coalesce(ub.reason, b.reason, e.reason),"
				 " coalesce(ub.seconds, b.seconds, e.seconds),"
				 " coalesce(r.began_ns, j.at_ns)"
				 " from journal j"
				 " left join withdrawal w on w.seq = j.seq"
				 " left join build_use u on u.seq = j.seq"
				 " left join build ub on ub.id = u.build"
				 " left join boot b on b.seq = j.seq"
				 " left join run_end e on e.seq = j.seq"
				 " left join run r on r.id = e.run"
				 " left join boot rb on rb.seq = r.boot"
				 " where j.hunt = ?1 and j.kind <> 'undo' order by j.seq";

static const char readings_query[] =
	"select e.seq, m.name, m.unit, x.value, x.resolution, m.better, m.counter"
	" from journal j"
	" join run_end e on e.seq = j.seq"
	" join reading x on x.run = e.run"
	" join metric m on m.id = x.metric"
	" where j.hunt = ?1 and j.kind = 'run' order by j.seq, x.at";

static const struct {
	const char *name;
	enum observation_kind kind;
} kinds[] = {
	{ "build", OBS_BUILD }, { "boot", OBS_BOOT },	  { "run", OBS_RUN },
	{ "mark", OBS_MARK },	{ "action", OBS_ACTION }, { "note", OBS_NOTE },
};

static bool parse_kind(const char *name, enum observation_kind *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].name, name)) {
			*ret = kinds[i].kind;
			return true;
		}
	return false;
}

static int fill(const struct sql *q, struct observation *o, struct err *e)
{
	const char *kind = (const char *)sqlite3_column_text(q->s, 1);
	const char *outcome = (const char *)sqlite3_column_text(q->s, 10);

	if (!kind || !parse_kind(kind, &o->kind))
		return db_damaged(q->st, q->what, "a kind that is none", e);
	if (outcome && !outcome_parse(outcome, &o->outcome))
		return db_damaged(q->st, q->what, "an outcome that is none", e);
	if (!outcome && (o->kind == OBS_BUILD || o->kind == OBS_BOOT || o->kind == OBS_RUN))
		return db_damaged(q->st, q->what, "a build, boot or run without its row", e);
	o->seq = sql_int(q, 0);
	o->node = sql_text_or_null(q, 2);
	o->text = sql_text_or_null(q, 3);
	o->withdrawn_at = sql_int(q, 4);
	o->withdrawn = o->withdrawn_at != 0;
	o->build = sql_int(q, 5);
	o->boot = sql_int(q, 6);
	o->run = sql_int(q, 7);
	o->benchmark = sql_text_or_null(q, 8);
	o->index = (int)sql_int(q, 9);
	o->reason = sql_text_or_null(q, 11);
	o->seconds = outcome ? sql_real(q, 12) : 0;
	o->at_ns = sql_int(q, 13);
	return 0;
}

static int read_main(struct store *st, int64_t hunt, struct observations *rows, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "reading the hunt's journal", main_query, ARGS(ARG_I(hunt)), &q, e);

	if (r < 0)
		return r;
	while ((r = sql_step(&q, e)) > 0) {
		r = fill(&q, ARRAY_GROW(rows), e);
		if (r < 0)
			return r;
	}
	return r;
}

static int read_readings(struct store *st, int64_t hunt, struct observations *rows, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	size_t at = 0;
	int r = sql_start(st, "reading the hunt's values", readings_query, ARGS(ARG_I(hunt)), &q,
			  e);

	if (r < 0)
		return r;
	while ((r = sql_step(&q, e)) > 0) {
		int64_t seq = sql_int(&q, 0);
		enum better better;

		while (at < rows->n && rows->v[at].seq < seq)
			at++;
		/* a value whose run came in between the two passes belongs to the next reading */
		if (at == rows->n || rows->v[at].seq != seq)
			continue;
		if (!better_parse((const char *)sqlite3_column_text(q.s, 5), &better))
			return db_damaged(q.st, q.what, "a direction that is none", e);
		readings_add(&rows->v[at].readings, (const char *)sqlite3_column_text(q.s, 1),
			     (const char *)sqlite3_column_text(q.s, 2), sql_real(&q, 3),
			     sql_real(&q, 4), better, sql_int(&q, 6) != 0);
	}
	return r;
}

int store_observations(struct store *st, int64_t hunt, struct observations *ret, struct err *e)
{
	AUTO(observations) struct observations rows = { 0 };
	int r = read_main(st, hunt, &rows, e);

	if (r == 0)
		r = read_readings(st, hunt, &rows, e);
	if (r < 0)
		return r;
	*ret = rows;
	rows = (struct observations){ 0 };
	return 0;
}
