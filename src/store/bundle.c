/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing walks the tables in the order of schema_tables, so that reading can insert as it goes and the foreign keys hold at
 * every step. The text is compressed as it is made: a hunt of a million runs needs memory for its compressed size only.
 *
 * Reading is bounded three times: the file, a line, and the whole text in proportion to the file, so that a small file cannot
 * unfold into the machine's memory.
 */
#include "store/bundle.h"

#include "config.h"
#include "store/db.h"
#include "store/line.h"
#include "store/schema.h"
#include "store/store.h"
#include "sys/fs.h"

#include <string.h>
#include <zstd.h>

#define FORMAT_NAME "culprit-bundle"
#define FORMAT_VERSION 1
#define FILE_MAX (INT64_C(1) << 30)
#define LINE_MAX_BYTES (INT64_C(256) << 20)
/* Rows of numbers compress some 10 times, logs some 50 times. */
#define UNFOLD_FACTOR 500
#define UNFOLD_FREE (INT64_C(1) << 20)
/* 8 MiB; what bundle_write makes needs 2. */
#define WINDOW_LOG_MAX 23

#define RUNS_OF "select id from run where hunt = ?1"
#define SEQS_OF "select seq from journal where hunt = ?1"
#define BUILDS_OF                                                                                  \
	"select build from build_use where seq in (" SEQS_OF ")"                                   \
	" union select build from boot where seq in (" SEQS_OF ")"

/* One for each of schema_tables. ?1 is the hunt; ?2 says whether logs, outputs and files are wanted. */
static const struct {
	const char *table, *select;
} parts[] = {
	{ "hunt", "select * from hunt where id = ?1 and ?2 = ?2" },
	{ "hunt_state", "select * from hunt_state where hunt = ?1 and ?2 = ?2 order by id" },
	{ "build",
	  "select id, key, variant, commit_id, tree, '' as path, artefact, toolchain, layout,"
	  " outcome, reason, seconds, at_ns, iif(?2, log, null) as log"
	  " from build where id in (" BUILDS_OF ") order by id" },
	/* a tree that is not there need not be said to have been removed */
	{ "build_clean", "select * from build_clean where ?1 <> ?1 and ?2 = ?2" },
	{ "journal", "select * from journal where hunt = ?1 and ?2 = ?2 order by seq" },
	{ "withdrawal",
	  "select * from withdrawal where seq in (" SEQS_OF ") and ?2 = ?2 order by seq" },
	{ "build_use",
	  "select * from build_use where seq in (" SEQS_OF ") and ?2 = ?2 order by seq" },
	{ "boot", "select * from boot where seq in (" SEQS_OF ") and ?2 = ?2 order by seq" },
	{ "run", "select * from run where hunt = ?1 and ?2 = ?2 order by id" },
	/* an explanation is made from what its runs put out */
	{ "run_end",
	  "select seq, run, outcome, reason, seconds, iif(?2 or exists"
	  " (select 1 from hunt where id = ?1 and kind = 'explain'), output, null) as output"
	  " from run_end where run in (" RUNS_OF ") order by seq" },
	{ "metric",
	  "select * from metric where id in (select metric from reading where run in (" RUNS_OF "))"
	  " and ?2 = ?2 order by id" },
	{ "reading",
	  "select * from reading where run in (" RUNS_OF ") and ?2 = ?2 order by run, at" },
	{ "blob",
	  "select * from blob where ?2 and exists"
	  " (select 1 from hunt where id = ?1 and instr(question, blob.hash)) order by hash" },
};

/* --- writing ------------------------------------------------------------------------------------------------------ */

struct writer {
	ZSTD_CCtx *zstd;
	struct sha256 *sha;
	struct str packed;
	int64_t rows;
};

static void writer_done(struct writer *w)
{
	char hash[65];

	ZSTD_freeCCtx(w->zstd);
	if (w->sha)
		sha256_finish(w->sha, hash);
	str_done(&w->packed);
}

static int pack(struct writer *w, const struct str *text, ZSTD_EndDirective end, struct err *e)
{
	ZSTD_inBuffer in = { .src = text->p, .size = text->n };
	char buf[1 << 14];
	size_t left;

	do {
		ZSTD_outBuffer out = { .dst = buf, .size = sizeof(buf) };

		left = ZSTD_compressStream2(w->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return err_set(e, ERR_ENV, "compressing the bundle: %s",
				       ZSTD_getErrorName(left));
		str_add(&w->packed, buf, out.pos);
	} while (end == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return 0;
}

static int put_line(struct writer *w, struct str *line, struct err *e)
{
	line_end(line);
	sha256_add(w->sha, line->p, line->n);

	int r = pack(w, line, ZSTD_e_continue, e);

	str_clear(line);
	return r;
}

static void put_cell(struct str *line, sqlite3_stmt *s, int col)
{
	switch (sqlite3_column_type(s, col)) {
	case SQLITE_INTEGER:
		line_int(line, sqlite3_column_int64(s, col));
		break;
	case SQLITE_FLOAT:
		line_real(line, sqlite3_column_double(s, col));
		break;
	case SQLITE_TEXT:
		line_text(line, (const char *)sqlite3_column_text(s, col));
		break;
	case SQLITE_BLOB:
		line_blob(line, sqlite3_column_blob(s, col), (size_t)sqlite3_column_bytes(s, col));
		break;
	default:
		line_null(line);
		break;
	}
}

static int put_table(struct store *st, struct writer *w, size_t part, int64_t hunt, bool logs,
		     struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	AUTO(str) struct str line = STR_INIT;
	int r = sql_start(st, "writing the bundle", parts[part].select,
			  ARGS(ARG_I(hunt), ARG_I(logs)), &q, e);

	if (r < 0)
		return r;

	int columns = sqlite3_column_count(q.s);

	line_begin(&line);
	line_text(&line, "columns");
	line_text(&line, parts[part].table);
	for (int i = 0; i < columns; i++)
		line_text(&line, sqlite3_column_name(q.s, i));
	r = put_line(w, &line, e);
	while (r == 0 && (r = sql_step(&q, e)) > 0) {
		line_begin(&line);
		line_text(&line, parts[part].table);
		for (int i = 0; i < columns; i++)
			put_cell(&line, q.s, i);
		w->rows++;
		r = put_line(w, &line, e);
	}
	return r;
}

static int put_all(struct store *st, struct writer *w, int64_t hunt, unsigned flags, struct err *e)
{
	AUTO(str) struct str line = STR_INIT;
	char hash[65];
	int r;

	line_begin(&line);
	line_text(&line, FORMAT_NAME);
	line_int(&line, FORMAT_VERSION);
	line_int(&line, SCHEMA_VERSION);
	line_text(&line, CULPRIT_VERSION);
	r = put_line(w, &line, e);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(parts); i++)
		r = put_table(st, w, i, hunt, (flags & BUNDLE_LOGS) != 0, e);
	if (r < 0)
		return r;
	sha256_finish(w->sha, hash);
	w->sha = NULL;
	line_begin(&line);
	line_text(&line, "end");
	line_int(&line, w->rows);
	line_text(&line, hash);
	line_end(&line);
	return pack(w, &line, ZSTD_e_end, e);
}

int bundle_write(struct store *st, int64_t hunt, unsigned flags, const char *path, struct err *e)
{
	AUTO(hunt_row) struct hunt_row h = { 0 };
	AUTO(writer) struct writer w = { .packed = STR_INIT };
	int r = store_hunt_get(st, hunt, &h, e);

	if (r < 0)
		return r;
	w.zstd = ZSTD_createCCtx();
	if (!w.zstd)
		return err_set(e, ERR_ENV, "writing the bundle: out of memory");
	ZSTD_CCtx_setParameter(w.zstd, ZSTD_c_checksumFlag, 1);
	w.sha = sha256_new();
	/* one moment of the journal, even while a hunt goes on: a read transaction over all tables */
	r = db_script(st, "writing the bundle", "begin", e);
	if (r == 0)
		r = put_all(st, &w, h.id, flags, e);
	if (!sqlite3_get_autocommit(st->db))
		sqlite3_exec(st->db, "rollback", NULL, NULL, NULL);
	return r < 0 ? r : fs_write_atomic(path, w.packed.p, w.packed.n, e);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

struct reader {
	const char *name;
	struct store *st;
	size_t line_no;
	size_t next_part; /* tables come in their order, each once */
	sqlite3_stmt *insert;
	const char *table; /* that rows belong to now */
	char **types;	   /* declared, per column of the present table */
	size_t n_columns;
	struct sha256 *sha;
	int64_t rows;
	bool ended;
};

static void table_close(struct reader *r)
{
	sqlite3_finalize(r->insert);
	r->insert = NULL;
	for (size_t i = 0; i < r->n_columns; i++)
		free(r->types[i]);
	free(r->types);
	r->types = NULL;
	r->n_columns = 0;
	r->table = NULL;
}

static void reader_done(struct reader *r)
{
	char hash[65];

	table_close(r);
	if (r->sha)
		sha256_finish(r->sha, hash);
	store_close(r->st);
}

static int broken(const struct reader *r, const char *why, struct err *e)
{
	return err_set(e, ERR_BROKEN, "%s:%zu: %s", r->name, r->line_no, why);
}

static bool is_text(const struct cell *c, const char *text)
{
	return c->kind == CELL_TEXT && c->n == strlen(text) && !memcmp(c->text, text, c->n);
}

static int read_header(struct reader *r, const struct cells *c, struct err *e)
{
	if (c->n < 4 || !is_text(&c->v[0], FORMAT_NAME) || c->v[1].kind != CELL_INT ||
	    c->v[2].kind != CELL_INT || c->v[3].kind != CELL_TEXT)
		return err_set(e, ERR_USAGE, "%s is not a bundle that culprit wrote", r->name);
	if (c->v[1].i > FORMAT_VERSION || c->v[2].i > SCHEMA_VERSION)
		return err_set(e, ERR_BROKEN,
			       "%s was written by a newer culprit (%.40s); use that one", r->name,
			       c->v[3].text);
	return 0;
}

/* The declared type of a column of ours; the cell's name comes from the file and is only ever bound. */
static int column_type(struct reader *r, const char *table, const struct cell *name, char **ret,
		       struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int k;

	if (name->kind != CELL_TEXT)
		return broken(r, "a column's name is no text", e);
	k = sql_start(r->st, "reading the bundle",
		      "select type from pragma_table_info(?1) where name = ?2",
		      ARGS(ARG_T(table), ARG_T(name->text)), &q, e);
	if (k == 0)
		k = sql_step(&q, e);
	if (k < 0)
		return k;
	if (k == 0)
		return broken(r, "a column that is not in the journal", e);
	*ret = sql_text(&q, 0);
	return 0;
}

/* ["columns", table, name, ...]: names are known ones by now, so the statement holds nothing of the file's. */
static int open_table(struct reader *r, const struct cells *c, struct err *e)
{
	AUTO(str) struct str sql = STR_INIT;

	table_close(r);
	if (c->n < 3 || r->next_part == ARRAY_LEN(parts) ||
	    !is_text(&c->v[1], parts[r->next_part].table))
		return broken(r, "tables missing or out of order", e);
	r->table = parts[r->next_part++].table;
	r->types = xcalloc(c->n, sizeof(*r->types));
	str_addf(&sql, "insert into %s (", r->table);
	for (size_t i = 2; i < c->n; i++) {
		int k = column_type(r, r->table, &c->v[i], &r->types[r->n_columns], e);

		if (k < 0)
			return k;
		r->n_columns++;
		str_addf(&sql, "%s%s", i > 2 ? ", " : "", c->v[i].text);
	}
	str_puts(&sql, ") values (");
	for (size_t i = 0; i < r->n_columns; i++)
		str_puts(&sql, i ? ", ?" : "?");
	str_putc(&sql, ')');
	if (sqlite3_prepare_v2(r->st->db, sql.p, -1, &r->insert, NULL))
		return broken(r, sqlite3_errmsg(r->st->db), e);
	return 0;
}

static int bind_cell(struct reader *r, int at, const char *type, const struct cell *c,
		     struct err *e)
{
	AUTO(str) struct str bytes = STR_INIT;
	int code = SQLITE_MISMATCH;

	switch (c->kind) {
	case CELL_NULL:
		code = sqlite3_bind_null(r->insert, at);
		break;
	case CELL_INT:
		code = sqlite3_bind_int64(r->insert, at, c->i);
		break;
	case CELL_REAL:
		code = sqlite3_bind_double(r->insert, at, c->d);
		break;
	case CELL_TEXT:
		if (strcasecmp(type, "blob"))
			code = sqlite3_bind_text64(r->insert, at, c->text, c->n, SQLITE_STATIC,
						   SQLITE_UTF8);
		else if (base64_decode(c->text, c->n, &bytes))
			code = sqlite3_bind_blob64(r->insert, at, bytes.p, bytes.n,
						   SQLITE_TRANSIENT);
		break;
	}
	return code ? broken(r, "a value of the wrong type", e) : 0;
}

static int add_row(struct reader *r, const struct cells *c, struct err *e)
{
	if (!r->insert || !is_text(&c->v[0], r->table))
		return broken(r, "a row of a table that was not announced", e);
	if (c->n != r->n_columns + 1)
		return broken(r, "a row with too few or too many values", e);
	for (size_t i = 0; i < r->n_columns; i++) {
		int k = bind_cell(r, (int)i + 1, r->types[i], &c->v[i + 1], e);

		if (k < 0)
			return k;
	}
	if (sqlite3_step(r->insert) != SQLITE_DONE)
		return broken(r, sqlite3_errmsg(r->st->db), e);
	sqlite3_reset(r->insert);
	sqlite3_clear_bindings(r->insert);
	r->rows++;
	return 0;
}

static int read_end(struct reader *r, const struct cells *c, struct err *e)
{
	char hash[65];

	sha256_finish(r->sha, hash);
	r->sha = NULL;
	r->ended = true;
	if (c->n != 3 || c->v[1].kind != CELL_INT || c->v[1].i != r->rows ||
	    !is_text(&c->v[2], hash))
		return broken(
			r, "the bundle was changed after it was written: its checksum does not fit",
			e);
	if (r->next_part != ARRAY_LEN(parts))
		return broken(r, "tables are missing", e);
	return 0;
}

static int read_line(struct reader *r, const char *line, size_t n, struct err *e)
{
	AUTO(cells) struct cells c = { 0 };

	r->line_no++;
	if (r->ended)
		return broken(r, "text after the end", e);
	if (line_parse(line, n, &c, e) < 0)
		return r->line_no == 1 ? err_set(e, ERR_USAGE,
						 "%s is not a bundle that culprit wrote", r->name)
				       : err_wrap(e, "%s:%zu", r->name, r->line_no);
	if (r->line_no > 1 && is_text(&c.v[0], "end"))
		return read_end(r, &c, e);
	sha256_add(r->sha, line, n);
	sha256_add(r->sha, "\n", 1);
	if (r->line_no == 1)
		return read_header(r, &c, e);
	if (is_text(&c.v[0], "columns"))
		return open_table(r, &c, e);
	return add_row(r, &c, e);
}

/* Hands on what is complete in `text`, keeps the rest. */
static int read_lines(struct reader *r, struct str *text, struct err *e)
{
	size_t at = 0;
	const char *nl;

	while ((nl = memchr(text->p + at, '\n', text->n - at)) != NULL) {
		size_t n = (size_t)(nl - text->p) - at;
		int k = read_line(r, text->p + at, n, e);

		if (k < 0)
			return k;
		at += n + 1;
	}
	memmove(text->p, text->p + at, text->n - at);
	str_cut(text, text->n - at);
	if ((int64_t)text->n > LINE_MAX_BYTES)
		return broken(r, "a line too long", e);
	return 0;
}

static void dstream_done(ZSTD_DStream **d)
{
	ZSTD_freeDStream(*d);
}

static int unfold(struct reader *r, const void *bytes, size_t n, struct err *e)
{
	AUTO(dstream) ZSTD_DStream *d = ZSTD_createDStream();
	AUTO(str) struct str text = STR_INIT;
	ZSTD_inBuffer in = { .src = bytes, .size = n };
	int64_t total = 0, limit = UNFOLD_FREE + UNFOLD_FACTOR * (int64_t)n;
	char buf[1 << 14];
	size_t left = 1;

	if (!d)
		return err_set(e, ERR_ENV, "reading %s: out of memory", r->name);
	ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	while (in.pos < in.size && left != 0) {
		ZSTD_outBuffer out = { .dst = buf, .size = sizeof(buf) };

		left = ZSTD_decompressStream(d, &out, &in);
		if (ZSTD_isError(left))
			return r->line_no
				       ? broken(r, "damaged", e)
				       : err_set(e, ERR_USAGE,
						 "%s is not a bundle that culprit wrote", r->name);
		total += (int64_t)out.pos;
		if (total > limit)
			return broken(r, "unfolds to more than any real bundle", e);
		str_add(&text, buf, out.pos);

		int k = read_lines(r, &text, e);

		if (k < 0)
			return k;
	}
	if (left != 0 || !r->ended || text.n)
		return broken(r, "the bundle is cut short", e);
	if (in.pos < in.size)
		return broken(r, "text after the end", e);
	return 0;
}

static int memory_store(const char *name, struct store **ret, struct err *e)
{
	struct store *st = xcalloc(1, sizeof(*st));
	int r;

	st->lock_fd = -1;
	st->dir = xstrdup("");
	st->path = xstrdup(name);
	st->writable = true;
	*ret = st;
	r = db_open(st, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e);
	return r < 0 ? r : schema_migrate(st, e);
}

static int one_hunt(struct store *st, const char *name, int64_t *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "reading the bundle", "select count(*), max(id) from hunt", NO_ARGS,
			  &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r < 0)
		return r;
	if (sql_int(&q, 0) != 1)
		return err_set(e, ERR_BROKEN, "%s does not hold exactly one hunt", name);
	*ret = sql_int(&q, 1);
	return 0;
}

int bundle_parse(const void *bytes, size_t n, const char *name, struct store **ret,
		 int64_t *ret_hunt, struct err *e)
{
	AUTO(reader) struct reader r = { .name = name };
	int64_t hunt = 0;
	int k = memory_store(name, &r.st, e);

	if (k < 0)
		return k;
	r.sha = sha256_new();
	k = db_script(r.st, "reading the bundle", "begin", e);
	if (k == 0)
		k = unfold(&r, bytes, n, e);
	table_close(&r);
	if (k == 0)
		k = db_script(r.st, "reading the bundle", "commit; pragma query_only=on", e);
	if (k == 0)
		k = one_hunt(r.st, name, &hunt, e);
	if (k < 0)
		return k;
	r.st->writable = false;
	*ret_hunt = hunt;
	*ret = TAKE_PTR(r.st);
	return 0;
}

int bundle_read(const char *path, struct store **ret, int64_t *ret_hunt, struct err *e)
{
	AUTO(str) struct str bytes = STR_INIT;
	int r = fs_read(path, FILE_MAX, &bytes, e);

	return r < 0 ? r : bundle_parse(bytes.p, bytes.n, path, ret, ret_hunt, e);
}
