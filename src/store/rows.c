/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/rows.h"

#include <string.h>

enum { MOST_ARGS = READINGS_AT_ONCE * 5 };

#define WRITING "writing a run"
#define READING_INTO "insert into reading (run, at, metric, value, resolution) values "
#define READING_ROW "(?, ?, ?, ?, ?)"

static const struct {
	int n_args;
	const char *what, *sql;
} rows[] = {
	[ROW_JOURNAL] = { 6, "writing the journal",
			  "insert into journal (seq, hunt, kind, at_ns, node, text)"
			  " values (?1, ?2, ?3, ?4, ?5, ?6)" },
	[ROW_BOOT] = { 6, "writing a boot",
		       "insert into boot (seq, build, outcome, reason, seconds, context)"
		       " values (?1, ?2, ?3, ?4, ?5, ?6)" },
	[ROW_RUN] = { 6, WRITING,
		      "insert into run (id, hunt, boot, benchmark, position, began_ns)"
		      " values (?1, ?2, ?3, ?4, ?5, ?6)" },
	[ROW_RUN_END] = { 6, WRITING,
			  "insert into run_end (seq, run, outcome, reason, seconds, output)"
			  " values (?1, ?2, ?3, ?4, ?5, ?6)" },
	[ROW_READING] = { 5, WRITING, READING_INTO READING_ROW },
	/* two thirds of what a statement costs is its beginning and end */
	[ROW_READINGS] = { MOST_ARGS, WRITING,
			   READING_INTO READING_ROW ", " READING_ROW ", " READING_ROW
						    ", " READING_ROW ", " READING_ROW },
};

static void put_arg(struct str *out, const struct arg *a)
{
	char head[9];
	uint32_t n = (uint32_t)a->n;

	if ((a->kind == ARG_TEXT || a->kind == ARG_BLOB) && !a->p) {
		str_putc(out, 'n');
		return;
	}
	switch (a->kind) {
	case ARG_INT:
		head[0] = 'i';
		memcpy(head + 1, &a->i, 8);
		str_add(out, head, 9);
		return;
	case ARG_REAL:
		head[0] = 'd';
		memcpy(head + 1, &a->d, 8);
		str_add(out, head, 9);
		return;
	case ARG_TEXT:
		/* with its end, so that it can be bound where it is */
		n = (uint32_t)strlen(a->p) + 1;
		break;
	case ARG_BLOB:
	case ARG_END:
		break;
	}
	head[0] = a->kind == ARG_TEXT ? 't' : 'b';
	memcpy(head + 1, &n, 4);
	str_add(out, head, 5);
	str_add(out, a->p, n);
}

struct cursor {
	const char *p;
	size_t n;
};

static bool take(struct cursor *c, void *to, size_t n)
{
	if (c->n < n)
		return false;
	memcpy(to, c->p, n);
	c->p += n;
	c->n -= n;
	return true;
}

static bool take_bytes(struct cursor *c, struct arg *a)
{
	uint32_t n;

	if (!take(c, &n, sizeof(n)) || c->n < n)
		return false;
	a->p = c->p;
	a->n = n;
	c->p += n;
	c->n -= n;
	return a->kind == ARG_BLOB || (n && !((const char *)a->p)[n - 1]);
}

static bool take_arg(struct cursor *c, struct arg *a)
{
	char tag = 0;

	*a = (struct arg){ .kind = ARG_TEXT };
	if (!take(c, &tag, 1))
		return false;
	switch (tag) {
	case 'n':
		return true;
	case 'i':
		a->kind = ARG_INT;
		return take(c, &a->i, 8);
	case 'd':
		a->kind = ARG_REAL;
		return take(c, &a->d, 8);
	case 't':
		return take_bytes(c, a);
	case 'b':
		a->kind = ARG_BLOB;
		return take_bytes(c, a);
	default:
		return false;
	}
}

int row_insert(struct store *st, enum row row, const struct arg *args, struct err *e)
{
	return db_exec(st, rows[row].what, rows[row].sql, args, e);
}

void row_put(struct str *out, enum row row, const struct arg *args)
{
	str_putc(out, (char)row);
	for (int i = 0; i < rows[row].n_args; i++)
		put_arg(out, &args[i]);
}

int rows_insert(struct store *st, const char *bytes, size_t n, bool *ret_is_right, struct err *e)
{
	struct cursor c = { bytes, n };
	struct arg args[MOST_ARGS + 1];
	unsigned char row;
	int r = 0;

	*ret_is_right = true;
	while (r == 0 && take(&c, &row, 1)) {
		int most = row < ARRAY_LEN(rows) ? rows[row].n_args : 0;

		*ret_is_right = most > 0;
		for (int i = 0; i < most && *ret_is_right; i++)
			*ret_is_right = take_arg(&c, &args[i]);
		if (!*ret_is_right)
			return 0;
		args[most] = (struct arg){ .kind = ARG_END };
		r = row_insert(st, row, args, e);
	}
	return r;
}
