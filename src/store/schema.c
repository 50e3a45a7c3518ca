/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything is inserted once and never changed: the end of a run is a row of its own (run_end), the removal of a tree is a row
 * (build_clean), the state of a hunt is the newest row of hunt_state, an undo is a row of the journal with one withdrawal
 * for each observation that it takes back. So the promise "append-only" needs no list of exceptions: every table refuses
 * UPDATE and DELETE by a trigger.
 *
 * The journal gives each observation its place (seq) when it is complete, which is when the brain may learn of it: a run
 * that began before a build and ended after it comes after the build, as it did for the living brain. What only began (a run in flight)
 * is in `run` and not in the journal.
 *
 * Numbers are SQLite's own row numbers, one more than the largest: AUTOINCREMENT would keep a second count of them, in a table that each
 * run writes, against the reuse of the numbers of deleted rows, of which there are none.
 *
 * A metric's name, unit and direction are stored once (metric) and referred to: a reading is four numbers.
 */
#include "store/schema.h"

#include "store/db.h"

#include <string.h>

const char *const schema_tables[] = {
	"hunt", "hunt_state", "build",	 "build_clean", "journal", "withdrawal", "build_use",
	"boot", "run",	      "run_end", "metric",	"reading", "blob",	 NULL,
};

/* Not "in (...)": for that SQLite makes a table in memory at each insert, at the price of the insert. The most frequent come first. */
#define OUTCOME_CHECK                                                                              \
	"		check (outcome = 'ok' or outcome = 'failed' or outcome = 'timeout'"                     \
	"		or outcome = 'crashed' or outcome = 'skipped'),"

static const char version_1[] =
	"create table hunt ("
	"	id integer primary key,"
	"	kind text not null,"
	"	key text not null,"
	"	question text not null,"    /* JSON */
	"	seed integer not null,"	    /* the 64 bits, as signed */
	"	began_ns integer not null," /* since 1970 */
	"	version text not null,"
	"	host text not null," /* JSON */
	"	graph blob"	     /* zstd */
	") strict;"
	"create index hunt_by_key on hunt(key);"

	"create table hunt_state ("
	"	id integer primary key,"
	"	hunt integer not null references hunt(id),"
	"	status text not null check (status in ('open', 'answered', 'stopped', 'failed')),"
	"	at_ns integer not null,"
	"	answer text" /* JSON */
	") strict;"
	"create index hunt_state_by_hunt on hunt_state(hunt);"

	"create table build ("
	"	id integer primary key,"
	"	key text not null,"
	"	variant text not null,"
	"	commit_id text not null,"
	"	tree text not null,"
	"	path text not null,"
	"	artefact text not null,"
	"	toolchain text not null,"
	"	layout integer not null,"
	"	outcome text not null" OUTCOME_CHECK "	reason text not null,"
	"	seconds real not null,"
	"	at_ns integer not null,"
	"	log blob" /* zstd; last, so that reading the others does not fetch it */
	") strict;"
	"create index build_by_key on build(key);"

	"create table build_clean ("
	"	build integer primary key references build(id),"
	"	at_ns integer not null"
	") strict;"

	/* node: commit or variant of builds and marks. text: the mark, the action's JSON, the note. */
	"create table journal ("
	"	seq integer primary key,"
	"	hunt integer not null references hunt(id),"
	"	kind text not null"
	"		check (kind = 'run' or kind = 'boot' or kind = 'action' or kind = 'note'"
	"		or kind = 'build' or kind = 'mark' or kind = 'undo'),"
	"	at_ns integer not null,"
	"	node text,"
	"	text text"
	") strict;"
	"create index journal_by_hunt on journal(hunt);"

	"create table withdrawal ("
	"	seq integer primary key references journal(seq),"
	"	undo integer not null references journal(seq)"
	") strict;"

	"create table build_use ("
	"	seq integer primary key references journal(seq),"
	"	build integer not null references build(id)"
	") strict;"

	"create index build_use_by_build on build_use(build);"

	/* A boot's number is its seq. */
	"create table boot ("
	"	seq integer primary key references journal(seq),"
	"	build integer not null references build(id),"
	"	outcome text not null" OUTCOME_CHECK "	reason text not null,"
	"	seconds real not null,"
	"	context text not null" /* JSON */
	") strict;"
	"create index boot_by_build on boot(build);"

	"create table run ("
	"	id integer primary key,"
	"	hunt integer not null references hunt(id),"
	"	boot integer not null references boot(seq),"
	"	benchmark text not null,"
	"	position integer not null," /* in the boot; negative: discarded warm-up */
	"	began_ns integer not null"
	") strict;"

	"create table run_end ("
	"	seq integer primary key references journal(seq),"
	"	run integer not null unique references run(id),"
	"	outcome text not null" OUTCOME_CHECK "	reason text not null,"
	"	seconds real not null,"
	"	output blob" /* zstd */
	") strict;"

	"create table metric ("
	"	id integer primary key,"
	"	name text not null,"
	"	unit text not null,"
	"	better text not null check (better in ('unknown', 'lower', 'higher')),"
	"	counter integer not null check (counter in (0, 1)),"
	"	unique (name, unit, better, counter)"
	") strict;"

	/* at: the place in the run's list. */
	"create table reading ("
	"	run integer not null references run(id),"
	"	at integer not null,"
	"	metric integer not null references metric(id),"
	"	value real not null,"
	"	resolution real not null,"
	"	primary key (run, at)"
	") strict, without rowid;"

	"create table blob ("
	"	hash text primary key," /* SHA-256 of the bytes before compression */
	"	at_ns integer not null,"
	"	bytes blob not null" /* zstd */
	") strict;";

/* steps[v] takes a file of version v to v + 1. A step, once released, is never edited. */
static const char *const steps[SCHEMA_VERSION] = { version_1 };

/* A file of version 0 with tables in it was made by something else. */
static int count_tables(struct store *st, int64_t *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "opening the journal", "select count(*) from sqlite_schema", NO_ARGS,
			  &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r < 0)
		return r;
	*ret = sql_int(&q, 0);
	return 0;
}

static int pragma_int(struct store *st, const char *sql, int64_t *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "opening the journal", sql, NO_ARGS, &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r < 0)
		return r;
	*ret = sql_int(&q, 0);
	return 0;
}

static int check_origin(struct store *st, int64_t *ret_version, struct err *e)
{
	int64_t id, tables;

	if (pragma_int(st, "pragma user_version", ret_version, e) < 0 ||
	    pragma_int(st, "pragma application_id", &id, e) < 0 || count_tables(st, &tables, e) < 0)
		return -(int)e->kind;
	if (tables > 0 && id != SCHEMA_APPLICATION_ID)
		return err_set(
			e, ERR_BROKEN,
			"%s is an SQLite file of another program; give another folder with --store",
			st->path);
	if (*ret_version > SCHEMA_VERSION)
		return err_set(
			e, ERR_BROKEN,
			"%s was written by a newer culprit (journal version %lld, this one knows %d); use that one, or another folder with --store",
			st->path, (long long)*ret_version, SCHEMA_VERSION);
	return 0;
}

/* No exception: what is written stays. */
static int add_guards(struct store *st, struct err *e)
{
	static const char *const verbs[] = { "update", "delete" };
	AUTO(str) struct str sql = STR_INIT;

	for (size_t i = 0; schema_tables[i]; i++)
		for (size_t k = 0; k < ARRAY_LEN(verbs); k++)
			str_addf(&sql,
				 "create trigger if not exists %s_no_%s before %s on %s begin"
				 " select raise(abort, 'the journal is append-only'); end;",
				 schema_tables[i], verbs[k], verbs[k], schema_tables[i]);
	return db_script(st, "creating the journal", sql.p, e);
}

static int migrate_locked(struct store *st, struct err *e)
{
	int64_t version;
	int r = check_origin(st, &version, e);

	if (r < 0)
		return r;
	for (; version < SCHEMA_VERSION; version++) {
		r = db_script(st, "creating the journal", steps[version], e);
		if (r < 0)
			return r;
	}
	r = add_guards(st, e);
	if (r < 0)
		return r;

	AUTO(str) struct str sql = STR_INIT;

	str_addf(&sql, "pragma application_id=%d; pragma user_version=%d", SCHEMA_APPLICATION_ID,
		 SCHEMA_VERSION);
	return db_script(st, "creating the journal", sql.p, e);
}

int schema_migrate(struct store *st, struct err *e)
{
	int64_t version;
	int r = check_origin(st, &version, e);

	if (r < 0 || version == SCHEMA_VERSION)
		return r;
	if (!st->writable && version == 0)
		return err_set(e, ERR_MISSING, "%s holds no hunt yet", st->path);
	if (!st->writable)
		return err_set(
			e, ERR_ENV,
			"%s was written by an older culprit and this folder cannot be written; run 'culprit log' where it can",
			st->path);
	/* somebody else may do the same at this moment: look again once the file is ours */
	r = db_begin(st, DB_FORCE, e);
	if (r < 0)
		return r;
	return db_end(st, migrate_locked(st, e), e);
}
