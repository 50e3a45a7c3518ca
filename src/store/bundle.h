/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bundle - one hunt as one file, for another machine: everything that it observed, in order, and what it rests on.
 *
 * zstd over lines of JSON, each a flat array (store/line.h): who wrote it, then for each table of the journal its columns and its
 * rows, then the number of rows and the SHA-256 of all before. `zstdcat FILE` shows it to people and to other programs. An SQLite
 * file with one hunt would have been less code, but a file from a stranger would then bring its own schema, with triggers
 * and views, into our process, and be readable by SQLite alone. Reading a bundle fills our own schema row by row, with its
 * constraints and foreign keys; nothing in it is ever run.
 */
#pragma once

#include "base/err.h"

struct store;

enum {
	/* also the logs of builds, the output of runs and the frozen files that the question names by hash */
	BUNDLE_LOGS = 1 << 0,
};
/* `hunt` 0 = the newest. The trees do not travel: builds read back have the path "". The file appears whole or not at all. */
int bundle_write(struct store *st, int64_t hunt, unsigned flags, const char *path,
		 struct err *e) MUST_USE;

/*
 * The hunt in a store of its own in memory, for reading only (store_dir is ""), closed by store_close. Numbers are as they were. ERR_USAGE:
 * not a bundle; ERR_BROKEN: a newer one, cut short, changed, or contradicting itself; the message has NAME:LINE.
 */
int bundle_read(const char *path, struct store **ret, int64_t *ret_hunt, struct err *e) MUST_USE;
/* The same from bytes. */
int bundle_parse(const void *bytes, size_t n, const char *name, struct store **ret,
		 int64_t *ret_hunt, struct err *e) MUST_USE;
