/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hunt is one row; its state is the newest of its rows in hunt_state. So a hunt that was stopped, resumed and answered
 * shows all three, and nothing was changed.
 */
#include "store/store.h"

#include "store/db.h"
#include "sys/clock.h"

#include <string.h>

/* The columns of struct hunt_row but for the graph, and the newest state. */
#define HUNT_COLUMNS                                                                               \
	"select h.id, h.kind, h.key, h.question, h.seed, h.began_ns, h.version, h.host,"           \
	" s.status, s.answer, s.at_ns, h.graph"                                                    \
	" from hunt h left join hunt_state s"                                                      \
	" on s.id = (select max(id) from hunt_state where hunt = h.id) "

void hunt_row_done(struct hunt_row *h)
{
	free(h->kind);
	free(h->key);
	free(h->question);
	free(h->graph);
	free(h->version);
	free(h->host);
	free(h->status);
	free(h->answer);
	*h = (struct hunt_row){ 0 };
}

void hunt_rows_done(struct hunt_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		hunt_row_done(&r->v[i]);
	free(r->v);
	*r = (struct hunt_rows){ 0 };
}

static void fill(const struct sql *q, struct hunt_row *h)
{
	h->id = sql_int(q, 0);
	h->kind = sql_text(q, 1);
	h->key = sql_text(q, 2);
	h->question = sql_text(q, 3);
	h->seed = (uint64_t)sql_int(q, 4);
	h->began_ns = sql_int(q, 5);
	h->version = sql_text(q, 6);
	h->host = sql_text(q, 7);
	h->status = sql_text(q, 8);
	h->answer = sql_text_or_null(q, 9);
	h->ended_ns = strcmp(h->status, "open") ? sql_int(q, 10) : 0;
}

/* The one row that `q` finds, with its graph. */
static int get_one(struct sql *q, struct hunt_row *ret, struct err *e)
{
	struct hunt_row h = { 0 };
	int r = sql_step(q, e);

	if (r < 0)
		return r;
	if (r == 0)
		return err_set(e, ERR_MISSING, "no such hunt");
	if (sqlite3_column_type(q->s, 11) != SQLITE_NULL) {
		AUTO(str) struct str graph = STR_INIT;

		r = sql_unpack(q, 11, &graph, e);
		if (r < 0)
			return r;
		h.graph = str_take(&graph);
	}
	fill(q, &h);
	*ret = h;
	return 0;
}

static int add_state(struct store *st, int64_t hunt, const char *status, const char *answer,
		     int64_t at_ns, struct err *e)
{
	return db_exec(
		st, "writing the hunt",
		"insert into hunt_state (hunt, status, answer, at_ns) values (?1, ?2, ?3, ?4)",
		ARGS(ARG_I(hunt), ARG_T(status), ARG_T(answer), ARG_I(at_ns)), e);
}

static int insert_hunt(struct store *st, const struct hunt_row *h, const struct str *graph,
		       int64_t *ret_id, struct err *e)
{
	int64_t began = h->began_ns ? h->began_ns : clock_realtime_ns();
	int r = db_exec(
		st, "writing the hunt",
		"insert into hunt (kind, key, question, seed, began_ns, version, host, graph)"
		" values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
		ARGS(ARG_T(h->kind), ARG_T(h->key), ARG_T(h->question), ARG_I((int64_t)h->seed),
		     ARG_I(began), ARG_T(h->version ? h->version : ""),
		     ARG_T(h->host ? h->host : "{}"), ARG_B(h->graph ? graph->p : NULL, graph->n)),
		e);

	if (r < 0)
		return r;
	*ret_id = db_last_id(st);
	return add_state(st, *ret_id, "open", NULL, began, e);
}

int store_hunt_begin(struct store *st, const struct hunt_row *h, int64_t *ret_id, struct err *e)
{
	AUTO(str) struct str graph = STR_INIT;
	int64_t id = 0;
	int r = h->graph ? db_pack(st, h->graph, strlen(h->graph), &graph, e) : 0;

	if (r == 0)
		r = db_begin(st, DB_FORCE, e);
	if (r < 0)
		return r;
	r = db_end(st, insert_hunt(st, h, &graph, &id, e), e);
	if (r == 0)
		*ret_id = id;
	return r;
}

int store_hunt_find(struct store *st, const char *key, struct hunt_row *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "looking for the hunt",
			  HUNT_COLUMNS "where h.key = ?1 order by h.id desc limit 1",
			  ARGS(ARG_T(key)), &q, e);

	return r < 0 ? r : get_one(&q, ret, e);
}

int store_hunt_get(struct store *st, int64_t id, struct hunt_row *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r;

	if (id == 0)
		r = sql_start(st, "reading the hunt", HUNT_COLUMNS "order by h.id desc limit 1",
			      NO_ARGS, &q, e);
	else
		r = sql_start(st, "reading the hunt", HUNT_COLUMNS "where h.id = ?1",
			      ARGS(ARG_I(id)), &q, e);
	if (r == 0)
		r = get_one(&q, ret, e);
	if (r == -ERR_MISSING && id == 0)
		return err_set(e, ERR_MISSING, "%s holds no hunt yet", st->dir);
	if (r == -ERR_MISSING)
		return err_set(e, ERR_MISSING, "there is no hunt %lld; 'culprit log' lists them",
			       (long long)id);
	return r;
}

int store_hunt_end(struct store *st, int64_t id, const char *status, const char *answer,
		   struct err *e)
{
	int r = db_begin(st, DB_FORCE, e);

	if (r < 0)
		return r;
	return db_end(st, add_state(st, id, status, answer, clock_realtime_ns(), e), e);
}

int store_hunts(struct store *st, struct hunt_rows *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	AUTO(hunt_rows) struct hunt_rows rows = { 0 };
	int r = sql_start(st, "reading the hunts", HUNT_COLUMNS "order by h.id desc", NO_ARGS, &q,
			  e);

	if (r < 0)
		return r;
	while ((r = sql_step(&q, e)) > 0)
		fill(&q, ARRAY_GROW(&rows));
	if (r < 0)
		return r;
	*ret = rows;
	rows = (struct hunt_rows){ 0 };
	return 0;
}
