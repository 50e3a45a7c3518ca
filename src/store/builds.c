/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds belong to the store, not to a hunt: the same tree with the same recipe is built once. A hunt's own observation is
 * that it uses one (observations.c).
 */
#include "store/store.h"

#include "store/db.h"
#include "sys/clock.h"

#include <string.h>

#define BUILD_COLUMNS                                                                              \
	"select b.id, b.key, b.variant, b.commit_id, b.tree,"                                      \
	" case when c.build is null then b.path else '' end,"                                      \
	" b.artefact, b.toolchain, b.layout, b.outcome, b.reason, b.seconds, b.at_ns"              \
	" from build b left join build_clean c on c.build = b.id "

void build_row_done(struct build_row *b)
{
	free(b->key);
	free(b->variant);
	free(b->commit);
	free(b->tree);
	free(b->path);
	free(b->artefact);
	free(b->toolchain);
	free(b->reason);
	*b = (struct build_row){ 0 };
}

void build_rows_done(struct build_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		build_row_done(&r->v[i]);
	free(r->v);
	*r = (struct build_rows){ 0 };
}

static int fill(const struct sql *q, struct build_row *b, struct err *e)
{
	const char *outcome = (const char *)sqlite3_column_text(q->s, 9);

	if (!outcome || !outcome_parse(outcome, &b->outcome))
		return db_damaged(q->st, q->what, "an outcome that is none", e);
	b->id = sql_int(q, 0);
	b->key = sql_text(q, 1);
	b->variant = sql_text(q, 2);
	b->commit = sql_text(q, 3);
	b->tree = sql_text(q, 4);
	b->path = sql_text(q, 5);
	b->artefact = sql_text(q, 6);
	b->toolchain = sql_text(q, 7);
	b->layout = (int)sql_int(q, 8);
	b->reason = sql_text(q, 10);
	b->seconds = sql_real(q, 11);
	b->at_ns = sql_int(q, 12);
	return 0;
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static int insert(struct store *st, const struct build_row *b, const struct str *log, struct err *e)
{
	return db_exec(
		st, "writing the build",
		"insert into build (key, variant, commit_id, tree, path, artefact, toolchain,"
		" layout, outcome, reason, seconds, at_ns, log)"
		" values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
		ARGS(ARG_T(b->key), ARG_T(or_empty(b->variant)), ARG_T(or_empty(b->commit)),
		     ARG_T(or_empty(b->tree)), ARG_T(or_empty(b->path)),
		     ARG_T(or_empty(b->artefact)), ARG_T(or_empty(b->toolchain)), ARG_I(b->layout),
		     ARG_T(outcome_name(b->outcome)), ARG_T(or_empty(b->reason)), ARG_D(b->seconds),
		     ARG_I(b->at_ns ? b->at_ns : clock_realtime_ns()),
		     ARG_B(log->n ? log->p : NULL, log->n)),
		e);
}

int store_build_add(struct store *st, const struct build_row *b, const char *log, size_t log_n,
		    int64_t *ret_id, struct err *e)
{
	AUTO(str) struct str packed = STR_INIT;
	int r = log && log_n ? db_pack(st, log, log_n, &packed, e) : 0;

	if (r == 0)
		r = db_begin(st, DB_FORCE, e);
	if (r < 0)
		return r;
	r = insert(st, b, &packed, e);

	int64_t id = db_last_id(st);

	r = db_end(st, r, e);
	if (r == 0)
		*ret_id = id;
	return r;
}

static int get_one(struct sql *q, struct build_row *ret, struct err *e)
{
	struct build_row b = { 0 };
	int r = sql_step(q, e);

	if (r < 0)
		return r;
	if (r == 0)
		return err_set(e, ERR_MISSING, "no such build");
	r = fill(q, &b, e);
	if (r == 0)
		*ret = b;
	return r;
}

/*
 * A failure says something about the commit only if the build ran to its own end (failed) or its tree could not even be made
 * (skipped: a patch that conflicts). A deadline or a signal (the OOM killer) may be the machine's doing and is tried again,
 * and so is whatever has once been built well.
 */
int store_build_find(struct store *st, const char *key, struct build_row *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "looking for a build",
			  BUILD_COLUMNS
			  "where b.key = ?1 and case b.outcome"
			  "  when 'ok' then b.path <> '' and c.build is null"
			  "  when 'failed' then not exists"
			  "    (select 1 from build where key = ?1 and outcome = 'ok')"
			  "  when 'skipped' then not exists"
			  "    (select 1 from build where key = ?1 and outcome = 'ok')"
			  "  else 0 end "
			  "order by b.id desc limit 1",
			  ARGS(ARG_T(key)), &q, e);

	return r < 0 ? r : get_one(&q, ret, e);
}

int store_build_get(struct store *st, int64_t id, struct build_row *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "reading a build", BUILD_COLUMNS "where b.id = ?1", ARGS(ARG_I(id)),
			  &q, e);

	if (r == 0)
		r = get_one(&q, ret, e);
	if (r == -ERR_MISSING)
		return err_set(e, ERR_MISSING,
			       "there is no build %lld; 'culprit log N' shows those of hunt N",
			       (long long)id);
	return r;
}

int store_build_log(struct store *st, int64_t id, struct str *out, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "reading a build's log", "select log from build where id = ?1",
			  ARGS(ARG_I(id)), &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r == 0)
		return err_set(e, ERR_MISSING,
			       "there is no build %lld; 'culprit log N' shows those of hunt N",
			       (long long)id);
	return r < 0 ? r : sql_unpack(&q, 0, out, e);
}

int store_build_cleaned(struct store *st, int64_t id, struct err *e)
{
	int r = db_begin(st, DB_FORCE, e);

	if (r < 0)
		return r;
	r = db_exec(st, "noting that a tree was removed",
		    "insert into build_clean (build, at_ns) values (?1, ?2) on conflict do nothing",
		    ARGS(ARG_I(id), ARG_I(clock_realtime_ns())), e);
	return db_end(st, r, e);
}

int store_builds(struct store *st, struct build_rows *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	AUTO(build_rows) struct build_rows rows = { 0 };
	int r = sql_start(st, "reading the builds", BUILD_COLUMNS "order by b.id", NO_ARGS, &q, e);

	if (r < 0)
		return r;
	while ((r = sql_step(&q, e)) > 0) {
		r = fill(&q, ARRAY_GROW(&rows), e);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	*ret = rows;
	rows = (struct build_rows){ 0 };
	return 0;
}
