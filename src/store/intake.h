/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake - rows that wait, as bytes in STORE/culprit.db-intake, until SQLite gets them in a batch. Internal to src/store.
 *
 * A change (what one function of journal.c writes) begins with intake_begin, which decides whether it waits (st->waits) or goes to the database
 * at once; intake_row then does the one or the other. While anything waits st->let_in is set, and db.c calls it before any statement and any
 * transaction: nobody who asks through this store can tell the difference. docs/design/015-journal.md.
 */
#pragma once

#include "base/err.h"
#include "store/db.h"
#include "store/rows.h"

#include <stdbool.h>

#define INTAKE_FILE STORE_FILE "-intake"
/*
 * Does the change that begins now wait? Under store_hold, with the lock, after a short run. Then st->waits is set until the caller clears it.
 * What is held is committed first, since the batch goes on from there. Failures are those of a commit.
 */
int intake_begin(struct store *st, struct err *e) MUST_USE;
/* The number that the next row gets while st->waits, which it takes: SQLite would give the same. */
int64_t intake_seq(struct store *st);
int64_t intake_run(struct store *st);
/* One row, now or later as st->waits says. `args` are copied. */
int intake_row(struct store *st, enum row row, const struct arg *args, struct err *e) MUST_USE;
/* What waits is in the file when this returns, by one write: a kill does not lose it. */
int intake_write(struct store *st, struct err *e) MUST_USE;
/* After the end of a run: into the database with it when the batch is a second old or large. */
int intake_settle_in_time(struct store *st, struct err *e) MUST_USE;
/* All of it, in a forced transaction; then the file is empty. On failure it waits on, and the file has what it had. */
int intake_settle(struct store *st, struct err *e) MUST_USE;

/*
 * What one that was killed has left goes into the database. With the lock: a file that cannot be used is an error (ERR_BROKEN: it is damaged, or
 * no plain file). Without: only where nobody measures, and silently not where the database cannot be written. `st` must be writable.
 */
enum intake_whose { INTAKE_OURS, INTAKE_ANY };
int intake_recover(struct store *st, enum intake_whose whose, struct err *e) MUST_USE;

/* Before the lock is let go. What cannot be written to the database any more stays in the file. */
int intake_close(struct store *st, struct err *e) MUST_USE;
