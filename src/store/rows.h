/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows - the inserts of what is written at each run, at once or as bytes that are inserted later. Internal to src/store.
 *
 * As bytes a row is its number and its values, each with a letter for its kind: i and d (8 bytes), t and b (a length of 4 bytes; text with its zero),
 * n (NULL). In the machine's byte order: they are for this machine, a second later.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "store/db.h"

/* What a run without a reader gives (bench/run.c). */
#define READINGS_AT_ONCE 5

/* Where a row goes. The order of the arguments is that of the columns in rows.c; ROW_READINGS is READINGS_AT_ONCE rows. */
enum row { ROW_JOURNAL, ROW_BOOT, ROW_RUN, ROW_RUN_END, ROW_READING, ROW_READINGS };

int row_insert(struct store *st, enum row row, const struct arg *args, struct err *e) MUST_USE;
/* Appends it to `out`. */
void row_put(struct str *out, enum row row, const struct arg *args);
/* All rows in the bytes. Not right: they are none from there on, and 0 is returned; what was before is inserted. */
int rows_insert(struct store *st, const char *bytes, size_t n, bool *ret_is_right,
		struct err *e) MUST_USE;
