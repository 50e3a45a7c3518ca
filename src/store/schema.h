/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schema - the tables of the journal and how an older file becomes one of this version.
 *
 * docs/design/015-journal.md explains each table.
 */
#pragma once

#include "base/err.h"

#define SCHEMA_VERSION 1
/* "culp" in ASCII: tells a journal from any other SQLite file. */
#define SCHEMA_APPLICATION_ID 0x63756c70

struct store;

/*
 * Checks who wrote the file and brings it to SCHEMA_VERSION. A file of a newer version or of another program: ERR_BROKEN. An older or
 * empty one that was opened for reading only: ERR_MISSING for empty, ERR_ENV for older.
 */
int schema_migrate(struct store *st, struct err *e) MUST_USE;

/* The tables of a journal that hold one hunt's rows, in an order in which each refers only to those before it; NULL-terminated. */
extern const char *const schema_tables[];
