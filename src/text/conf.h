/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf - a YAML file read into records by one table of keys.
 *
 * The table says every key's path, type, default and help: it is the reader, the -c option, the manual page and the comments of
 * `culprit init`. Values are read as the table's type says, so `no` stays a string where a string is wanted. Errors
 * carry NAME:LINE. Refused: unknown and duplicate keys, tags, merge keys, a list or section where one value is wanted, a
 * second document, more than CONF_MAX_BYTES, CONF_MAX_DEPTH or CONF_MAX_NODES (aliases count each time they are followed).
 */
#pragma once

#include "text/keys.h"

enum { CONF_MAX_BYTES = 1 << 20, CONF_MAX_DEPTH = 16, CONF_MAX_NODES = 20000 };

/* A parsed file with its line numbers. `name` stands in messages and is borrowed. ERR_USAGE for whatever is wrong with it. */
struct conf;
int conf_parse(const char *text, size_t n, const char *name, struct conf **ret,
	       struct err *e) MUST_USE;
void conf_free(struct conf *c); /* NULL is fine */
static inline void conf_file_done(struct conf **c)
{
	conf_free(*c);
}

/* Stores every value of the file. */
int conf_apply(const struct conf *c, const struct conf_schema *s, struct err *e) MUST_USE;
/*
 * One "benchmarks.rr.command=VALUE" of -c. A string is taken as it stands; a list is one value, or a YAML list in brackets.
 */
int conf_set(const struct conf_schema *s, const char *assignment, struct err *e) MUST_USE;
/* Where a path like "benchmarks.rr" stands in the file; 0 if it does not. */
int conf_line(const struct conf *c, const char *path);
