/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * db - what the files of src/store share: the open database, bound statements, transactions, errors in words.
 *
 * Internal to src/store. Statements are prepared once and kept; text always comes from constants, values are always bound.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "model/model.h"

#include <sqlite3.h>

#define STORE_FILE "culprit.db"

/* An interned metric, as in its table. */
struct metric_id {
	int64_t id;
	char *name, *unit;
	enum better better;
	bool counter;
};

struct store {
	sqlite3 *db;
	char *dir;	 /* "" for a store in memory */
	char *path;	 /* of the file, for messages */
	bool writable;	 /* opened for writing */
	bool abandoned;	 /* the lock, by a holder that died */
	int lock_fd;	 /* -1 while not held */
	bool synced;	 /* what `pragma synchronous` says now: FULL or NORMAL */
	int64_t sync_ns; /* monotonic time of the last commit that was forced to the disk */
	int64_t begun_run, begun_hunt; /* the last run that began here, and whose it is */
	bool holds;		       /* store_hold */
	bool is_held;		       /* a transaction is open between two calls */
	bool is_short;	       /* the run that ended last: what follows may wait (store/intake.h) */
	bool waits;	       /* the change that is being made does */
	struct intake *intake; /* NULL: none yet */
	/* Set while something waits: it goes in before any statement and any transaction. */
	int (*let_in)(struct store *st, struct err *e);
	struct cached_stmt {
		const char *sql;
		sqlite3_stmt *stmt;
		bool busy; /* handed out and not yet given back */
	} * cache;
	size_t n_cache, cap_cache;
	struct metric_id *metrics;
	size_t n_metrics, cap_metrics;
	void *zstd_c, *zstd_d; /* reused contexts */
};

#define DB_BUSY_MS 10000
/* Opens `name` (a path, a file: URI or ":memory:") into st->db and sets what every connection has; st->path is for messages. */
int db_open(struct store *st, const char *name, int flags, struct err *e) MUST_USE;

/* A value to bind. Built by ARGS(ARG_I(1), ARG_T(text), ...). */
struct arg {
	enum { ARG_END, ARG_INT, ARG_REAL, ARG_TEXT, ARG_BLOB } kind;
	int64_t i;
	double d;
	const void *p; /* NULL binds NULL */
	size_t n;
};
#define ARG_I(x)                                                                                   \
	{                                                                                          \
		.kind = ARG_INT, .i = (x)                                                          \
	}
/* A number of a row, which SQLite gives for 0. */
#define ARG_ID(x)                                                                                  \
	{                                                                                          \
		.kind = (x) ? ARG_INT : ARG_TEXT, .i = (x)                                         \
	}
#define ARG_D(x)                                                                                   \
	{                                                                                          \
		.kind = ARG_REAL, .d = (x)                                                         \
	}
#define ARG_T(x)                                                                                   \
	{                                                                                          \
		.kind = ARG_TEXT, .p = (x)                                                         \
	}
#define ARG_B(x, len)                                                                              \
	{                                                                                          \
		.kind = ARG_BLOB, .p = (x), .n = (len)                                             \
	}
#define ARGS(...) ((const struct arg[]){ __VA_ARGS__, { .kind = ARG_END } })
#define NO_ARGS ((const struct arg[]){ { .kind = ARG_END } })

/* A statement in use: `struct sql q = SQL_INIT` under AUTO(sql); given back to the cache by sql_done. */
struct sql {
	struct store *st;
	sqlite3_stmt *s;
	size_t slot;
	const char *what; /* "reading the hunt": for errors */
};
#define SQL_INIT                                                                                   \
	{                                                                                          \
		.st = NULL                                                                         \
	}
/* `sql` must be a string constant (the cache is keyed by its address). `what` begins the message of any failure. */
int sql_start(struct store *st, const char *what, const char *sql, const struct arg *args,
	      struct sql *ret, struct err *e) MUST_USE;
/* 1 = a row, 0 = no more, negative = error. */
int sql_step(struct sql *q, struct err *e) MUST_USE;
void sql_done(struct sql *q);
/* Columns of the present row; text is "" for NULL. Owned copies. */
char *sql_text(const struct sql *q, int col) MUST_USE;
/* As above, but NULL for NULL. */
char *sql_text_or_null(const struct sql *q, int col) MUST_USE;
int64_t sql_int(const struct sql *q, int col);
/* NaN for NULL. */
double sql_real(const struct sql *q, int col);
/* Decompresses a blob column into `out` (appends); NULL adds nothing. */
int sql_unpack(const struct sql *q, int col, struct str *out, struct err *e) MUST_USE;

/* Runs a statement that returns no rows. */
int db_exec(struct store *st, const char *what, const char *sql, const struct arg *args,
	    struct err *e) MUST_USE;
int64_t db_last_id(const struct store *st);
/* Several statements without values: the schema and pragmas. */
int db_script(struct store *st, const char *what, const char *sql, struct err *e) MUST_USE;

/*
 * What a commit must survive. Both survive kill -9 at once, since the kernel has the bytes. A forced one is on the disk when the call
 * returns; a lazy one is forced too if the last force is more than a second ago, so that a power failure loses about a second of measuring at most.
 */
enum db_sync { DB_LAZY, DB_FORCE };
int db_begin(struct store *st, enum db_sync sync, struct err *e) MUST_USE;
/*
 * Ends the transaction that db_begin opened: commits when r is 0, rolls back when it is negative. Returns r, or
 * the failure of the commit.
 */
int db_end(struct store *st, int r, struct err *e) MUST_USE;
/* The same, but under store_hold a lazy transaction stays open when r is 0: the next db_begin goes on in it, or commits it first. */
int db_end_held(struct store *st, int r, struct err *e) MUST_USE;
/* Commits what is held, if anything; not what waits. */
int db_settle(struct store *st, struct err *e) MUST_USE;

/* The message and kind for the failure that SQLite reported last. Returns negative. */
int db_err(struct store *st, int code, const char *what, struct err *e);
/* The same for a write to the file `path` that failed with this errno, 0 if it is not known; `why` then says more. */
int db_io_err(const char *what, const char *path, int error, const char *why, struct err *e);
/* ERR_BROKEN: what was read cannot be right. `why` completes "(...)" and is no text from the file, which may hold any bytes. Returns negative. */
int db_damaged(const struct store *st, const char *what, const char *why, struct err *e);
/* ERR_ENV unless the store was opened for writing. */
int db_want_write(struct store *st, const char *what, struct err *e) MUST_USE;

/* zstd; `out` is appended to. */
int db_pack(struct store *st, const char *bytes, size_t n, struct str *out, struct err *e) MUST_USE;
int db_unpack(struct store *st, const void *packed, size_t n, struct str *out,
	      struct err *e) MUST_USE;

void db_forget_metrics(struct store *st);

/* Closes the database and frees everything in *st, not st itself. */
void db_close(struct store *st);
