/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line - one row as one line of JSON: a flat array of null, whole numbers, reals and strings.
 *
 * Exact both ways: reals have 17 significant digits, bytes that are not UTF-8 travel as lone surrogates \udc80..\udcff,
 * blobs as base64. Reading trusts nothing and is bounded by the length of the line.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* --- out: the caller writes '[' and ']' by these too, so that a line cannot be left half open --- */

void line_begin(struct str *out); /* "[" */
void line_text(struct str *out, const char *text);
void line_int(struct str *out, int64_t v);
void line_real(struct str *out, double v); /* finite */
void line_blob(struct str *out, const void *bytes, size_t n);
void line_null(struct str *out);
void line_end(struct str *out); /* "]\n" */

/* --- in --- */

enum cell_kind { CELL_NULL, CELL_INT, CELL_REAL, CELL_TEXT };
struct cell {
	enum cell_kind kind;
	int64_t i;
	double d;
	char *text; /* zero-terminated; a text with \u0000 in it is refused */
	size_t n;
};
struct cells {
	struct cell *v;
	size_t n, cap;
};
/* `line` has no newline and need not be zero-terminated. ERR_BROKEN, with the column. */
int line_parse(const char *line, size_t n, struct cells *ret, struct err *e) MUST_USE;
void cells_done(struct cells *c);
/* Strict base64 with padding; appends the bytes. */
bool base64_decode(const char *text, size_t n, struct str *out);
