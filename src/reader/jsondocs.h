/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsondocs - the JSON values in what a program printed: one, or several one after another (runs appended to one file, or an object a line).
 *
 * A value begins at the beginning of a line, or right behind the one before; other lines (warnings before it, a summary
 * behind it) are passed over. A byte order mark is, too. NaN and Infinity are read as null.
 */
#pragma once

#include "base/str.h"
#include "text/json.h"

/* A larger file is refused: the values of a parsed text take about ten times its size. */
enum { JSONDOCS_MAX_MIB = 256 };

struct jsondocs {
	const char *at, *end, *counted;
	const char *name; /* in messages; borrowed, as the text is */
	unsigned line;	  /* of `counted` */
	struct str clean;
	bool is_clean;
};
void jsondocs_init(struct jsondocs *d, const char *text, size_t n, const char *name);
void jsondocs_done(struct jsondocs *d);

/* Is there the beginning of a JSON object or array of them within text[n]? *ret_at_once: nothing but blanks is before it. */
bool jsondocs_sniff(const char *text, size_t n, bool *ret_at_once);
/* 1 and the next value, which the caller frees; 0 at the end; ERR_USAGE with NAME:LINE:COLUMN. */
int jsondocs_next(struct jsondocs *d, struct json **ret, struct err *e) MUST_USE;
