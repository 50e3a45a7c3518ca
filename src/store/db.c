/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cache of statements is a list searched by the address of the SQL constant: some forty entries, and a run uses six of
 * them, so a hash would gain nothing. A statement that is still in use when it is asked for again (a callback that queries the
 * same thing) is prepared a second time rather than shared.
 *
 * Durability is chosen commit by commit. `synchronous` is read by SQLite when a transaction commits in WAL mode, and setting
 * it costs about a microsecond; FULL for everything would cost an fsync for each half of each run, which is a few
 * milliseconds on an ordinary disk and would be spent between the runs that are being measured. docs/design/015-journal.md.
 */
#include "store/db.h"

#include "base/log.h"
#include "store/walfile.h"
#include "sys/clock.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#define SYNC_EVERY_NS INT64_C(1000000000)
/* The ceiling of one stored log or output; what proc keeps of a stream is 64 MiB, two of them in a run. */
#define UNPACK_MAX (256u << 20)
#define PACK_LEVEL 3

int db_io_err(const char *what, const char *path, int error, const char *why, struct err *e)
{
	if (error == ENOSPC || error == EDQUOT)
		return err_set(
			e, ERR_ENV,
			"%s: no space left for %s; free some, or shrink culprit's cache by 'culprit clean'",
			what, path);
	if (error == EFBIG)
		return err_set(e, ERR_ENV,
			       "%s: %s may not grow further (limit on file size, see ulimit -f)",
			       what, path);
	return err_set(e, ERR_ENV, "%s: %s: %s", what, path, why);
}

/*
 * The file was written to and the system said no: the code says little, errno the rest. SQLite does not keep errno when a commit
 * fails; what is left in errno then is believed only where it says one of the things that fill a disk.
 */
static int io_err(struct store *st, const char *what, struct err *e)
{
	int left = errno, sys = sqlite3_system_errno(st->db);

	if (!sys && (left == ENOSPC || left == EDQUOT || left == EFBIG))
		sys = left;
	return db_io_err(what, st->path, sys, sys ? strerror(sys) : sqlite3_errmsg(st->db), e);
}

int db_damaged(const struct store *st, const char *what, const char *why, struct err *e)
{
	return err_set(
		e, ERR_BROKEN,
		"%s: %s is damaged (%s); move it away to start anew, or 'sqlite3 %s .recover' to save what can be read",
		what, st->path, why, st->path);
}

/*
 * A constraint that fails may be the caller's fault, or a damaged page may
 * hide the row that was there: SQLite tells the two apart only when it is
 * asked to look through the file, which an error can afford.
 */
static bool is_whole(struct store *st, char *why, size_t size)
{
	sqlite3_stmt *s = NULL;
	int code = sqlite3_prepare_v2(st->db, "PRAGMA integrity_check(1)", -1, &s, NULL);

	if (!code)
		code = sqlite3_step(s);
	const char *said = code == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;

	snprintf(why, size, "%s", said ? said : sqlite3_errstr(code));
	sqlite3_finalize(s);
	for (char *c = why; *c; c++)
		if (*c == '\n')
			*c = ' ';
	return !strcmp(why, "ok");
}

static int constraint_err(struct store *st, int code, const char *what, struct err *e)
{
	char why[200], said[200];

	snprintf(said, sizeof(said), "%s", sqlite3_errmsg(st->db));
	if (!is_whole(st, why, sizeof(why)))
		return db_damaged(st, what, why, e);
	if (code == SQLITE_CONSTRAINT_FOREIGNKEY)
		return err_set(e, ERR_MISSING,
			       "%s: it refers to a hunt, build, boot or run that is not in %s",
			       what, st->path);
	return err_set(e, ERR_BROKEN, "%s: %s: %s", what, st->path, said);
}

int db_err(struct store *st, int code, const char *what, struct err *e)
{
	switch (code & 0xff) {
	case SQLITE_FULL:
		return db_io_err(what, st->path, ENOSPC, "", e);
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return err_set(e, ERR_ENV,
			       "%s: %s cannot be written; give another folder with --store", what,
			       st->path);
	case SQLITE_CANTOPEN:
		return err_set(e, ERR_ENV, "%s: %s cannot be opened: %s", what, st->path,
			       sqlite3_system_errno(st->db)
				       ? strerror(sqlite3_system_errno(st->db))
				       : "its folder cannot be read or written");
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL:
		return err_set(e, ERR_BUSY,
			       "%s: another program keeps %s locked; end it and try again", what,
			       st->path);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return db_damaged(st, what, sqlite3_errmsg(st->db), e);
	case SQLITE_CONSTRAINT:
		return constraint_err(st, code, what, e);
	case SQLITE_NOMEM:
		return err_set(e, ERR_ENV, "%s: out of memory", what);
	case SQLITE_TOOBIG:
		return err_set(e, ERR_ENV, "%s: text too long to be stored", what);
	case SQLITE_IOERR:
		return io_err(st, what, e);
	default:
		return err_set(e, ERR_BROKEN, "%s: %s: %s", what, st->path, sqlite3_errmsg(st->db));
	}
}

int db_want_write(struct store *st, const char *what, struct err *e)
{
	if (st->writable)
		return 0;
	return err_set(e, ERR_ENV, "%s: %s was opened for reading only", what, st->path);
}

/* SQLite would count its memory, under a lock, at each allocation. */
static void configure(void)
{
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int db_open(struct store *st, const char *name, int flags, struct err *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, configure);
	int code = sqlite3_open_v2(name, &st->db,
				   flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
					   SQLITE_OPEN_EXRESCODE,
				   walfile_vfs());

	if (code) {
		int r = db_err(st, code, "opening the journal", e);

		sqlite3_close(st->db);
		st->db = NULL;
		return r;
	}
	/* before any statement: even the first may meet a lock */
	sqlite3_busy_timeout(st->db, DB_BUSY_MS);
	sqlite3_db_config(st->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(st->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return db_script(
		st, "opening the journal",
		"pragma foreign_keys=on; pragma recursive_triggers=on; pragma cell_size_check=on",
		e);
}

/* --- statements --------------------------------------------------------------------------------------------------- */

static int cache_get(struct store *st, const char *what, const char *sql, size_t *ret,
		     struct err *e)
{
	for (size_t i = 0; i < st->n_cache; i++)
		if (st->cache[i].sql == sql && !st->cache[i].busy) {
			*ret = i;
			return 0;
		}

	struct cached_stmt c = { .sql = sql };
	int code = sqlite3_prepare_v3(st->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &c.stmt, NULL);

	if (code)
		return db_err(st, code, what, e);
	array_reserve_((void **)&st->cache, &st->cap_cache, st->n_cache + 1, sizeof(*st->cache));
	st->cache[st->n_cache] = c;
	*ret = st->n_cache++;
	return 0;
}

static int bind_one(sqlite3_stmt *s, int at, const struct arg *a)
{
	switch (a->kind) {
	case ARG_INT:
		return sqlite3_bind_int64(s, at, a->i);
	case ARG_REAL:
		return sqlite3_bind_double(s, at, a->d);
	case ARG_TEXT:
		return sqlite3_bind_text(s, at, a->p, -1, SQLITE_STATIC);
	case ARG_BLOB:
		return sqlite3_bind_blob64(s, at, a->p, a->n, SQLITE_STATIC);
	case ARG_END:
		break;
	}
	return SQLITE_OK;
}

/* The values are bound as they are, not copied: they must live until sql_done. */
int sql_start(struct store *st, const char *what, const char *sql, const struct arg *args,
	      struct sql *ret, struct err *e)
{
	size_t slot = 0;
	int r = st->let_in ? st->let_in(st, e) : 0;

	if (r < 0 || (r = cache_get(st, what, sql, &slot, e)) < 0)
		return r;
	sqlite3_stmt *s = st->cache[slot].stmt;

	for (int i = 0; args[i].kind != ARG_END; i++) {
		int code = bind_one(s, i + 1, &args[i]);

		if (code) {
			sqlite3_clear_bindings(s);
			return db_err(st, code, what, e);
		}
	}
	st->cache[slot].busy = true;
	*ret = (struct sql){ .st = st, .s = s, .slot = slot, .what = what };
	return 0;
}

int sql_step(struct sql *q, struct err *e)
{
	errno = 0;

	int code = sqlite3_step(q->s);

	if (code == SQLITE_ROW)
		return 1;
	if (code == SQLITE_DONE)
		return 0;
	return db_err(q->st, code, q->what, e);
}

void sql_done(struct sql *q)
{
	if (!q->st)
		return;
	sqlite3_reset(q->s);
	sqlite3_clear_bindings(q->s);
	q->st->cache[q->slot].busy = false;
	q->st = NULL;
}

char *sql_text_or_null(const struct sql *q, int col)
{
	const unsigned char *s = sqlite3_column_text(q->s, col);

	return s ? xstrdup((const char *)s) : NULL;
}

char *sql_text(const struct sql *q, int col)
{
	char *s = sql_text_or_null(q, col);

	return s ? s : xstrdup("");
}

int64_t sql_int(const struct sql *q, int col)
{
	return sqlite3_column_int64(q->s, col);
}

double sql_real(const struct sql *q, int col)
{
	if (sqlite3_column_type(q->s, col) == SQLITE_NULL)
		return (double)NAN;
	return sqlite3_column_double(q->s, col);
}

int sql_unpack(const struct sql *q, int col, struct str *out, struct err *e)
{
	const void *p = sqlite3_column_blob(q->s, col);
	size_t n = (size_t)sqlite3_column_bytes(q->s, col);

	if (!p || !n)
		return 0;
	if (db_unpack(q->st, p, n, out, e) < 0)
		return err_wrap(e, "%s", q->what);
	return 0;
}

int db_exec(struct store *st, const char *what, const char *sql, const struct arg *args,
	    struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, what, sql, args, &q, e);

	if (r < 0)
		return r;
	r = sql_step(&q, e);
	return r < 0 ? r : 0;
}

int64_t db_last_id(const struct store *st)
{
	return sqlite3_last_insert_rowid(st->db);
}

int db_script(struct store *st, const char *what, const char *sql, struct err *e)
{
	int code = sqlite3_exec(st->db, sql, NULL, NULL, NULL);

	return code ? db_err(st, code, what, e) : 0;
}

/* --- transactions ------------------------------------------------------------------------------------------------- */

int db_begin(struct store *st, enum db_sync sync, struct err *e)
{
	int64_t now = clock_monotonic_ns();
	bool force = sync == DB_FORCE || now - st->sync_ns >= SYNC_EVERY_NS;
	int r = db_want_write(st, "writing the journal", e);

	if (r < 0 || (st->let_in && (r = st->let_in(st, e)) < 0))
		return r;
	if (st->is_held && !force)
		return 0;
	/* how a commit is made cannot be changed within it */
	if ((r = db_settle(st, e)) < 0)
		return r;
	if (force != st->synced) {
		r = db_script(st, "writing the journal",
			      force ? "pragma synchronous=full" : "pragma synchronous=normal", e);
		if (r < 0)
			return r;
		st->synced = force;
	}
	return db_exec(st, "writing the journal", "begin immediate", NO_ARGS, e);
}

int db_settle(struct store *st, struct err *e)
{
	if (!st->is_held)
		return 0;
	st->is_held = false;
	return db_end(st, 0, e);
}

static int commit(struct store *st, struct err *e)
{
	int r = db_exec(st, "writing the journal", "commit", NO_ARGS, e);

	if (r == 0 && st->synced)
		st->sync_ns = clock_monotonic_ns();
	return r;
}

int db_end(struct store *st, int r, struct err *e)
{
	if (r == 0)
		r = commit(st, e);
	st->is_held = false;
	/* a full disk may have rolled back already; then there is nothing left to undo */
	if (r < 0 && !sqlite3_get_autocommit(st->db) &&
	    db_exec(st, "giving up a change", "rollback", NO_ARGS, NULL) < 0)
		sqlite3_exec(st->db, "rollback", NULL, NULL, NULL);
	/* what was interned in it has no row */
	if (r < 0)
		db_forget_metrics(st);
	return r;
}

int db_end_held(struct store *st, int r, struct err *e)
{
	if (r < 0 || !st->holds)
		return db_end(st, r, e);
	st->is_held = true;
	return 0;
}

/* --- compression -------------------------------------------------------------------------------------------------- */

int db_pack(struct store *st, const char *bytes, size_t n, struct str *out, struct err *e)
{
	size_t bound = ZSTD_compressBound(n), k;
	AUTO_FREE char *buf = xmalloc(bound);

	if (!st->zstd_c)
		st->zstd_c = ZSTD_createCCtx();
	if (!st->zstd_c)
		return err_set(e, ERR_ENV, "compressing text: out of memory");
	k = ZSTD_compressCCtx(st->zstd_c, buf, bound, bytes, n, PACK_LEVEL);
	if (ZSTD_isError(k))
		return err_set(e, ERR_ENV, "compressing text: %s", ZSTD_getErrorName(k));
	str_add(out, buf, k);
	return 0;
}

int db_unpack(struct store *st, const void *packed, size_t n, struct str *out, struct err *e)
{
	unsigned long long size = ZSTD_getFrameContentSize(packed, n);

	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > UNPACK_MAX)
		return db_damaged(st, "reading stored text", "it cannot be unpacked", e);

	AUTO_FREE char *buf = xmalloc(size);

	if (!st->zstd_d)
		st->zstd_d = ZSTD_createDCtx();
	if (!st->zstd_d)
		return err_set(e, ERR_ENV, "decompressing text: out of memory");

	size_t k = ZSTD_decompressDCtx(st->zstd_d, buf, size, packed, n);

	if (ZSTD_isError(k) || k != size)
		return db_damaged(st, "reading stored text", "it cannot be unpacked", e);
	str_add(out, buf, k);
	return 0;
}

void db_forget_metrics(struct store *st)
{
	for (size_t i = 0; i < st->n_metrics; i++) {
		free(st->metrics[i].name);
		free(st->metrics[i].unit);
	}
	free(st->metrics);
	st->metrics = NULL;
	st->n_metrics = st->cap_metrics = 0;
}

void db_close(struct store *st)
{
	struct err e = ERR_INIT;

	/* nobody is left to be told: what was held is lost as a run in flight is */
	if (db_settle(st, &e) < 0)
		log_debug("closing the journal: %s", e.msg);
	for (size_t i = 0; i < st->n_cache; i++)
		sqlite3_finalize(st->cache[i].stmt);
	free(st->cache);
	db_forget_metrics(st);
	sqlite3_close(st->db);
	ZSTD_freeCCtx(st->zstd_c);
	ZSTD_freeDCtx(st->zstd_d);
	free(st->dir);
	free(st->path);
}
