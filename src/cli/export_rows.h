/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_rows - raw samples as CSV (RFC 4180), JSON or Go benchmark text, row by row.
 */
#pragma once

#include "store/query.h"
#include "text/json.h"

enum export_format { EXPORT_CSV, EXPORT_JSON, EXPORT_GO };

/* Begin, a row each, end; `out` grows and may be emptied between the calls. */
struct exporter {
	enum export_format format;
	struct str *out;
	struct json_out json;
	/* Go text: the run that the open line belongs to, and what its head said last */
	int64_t run;
	char *variant;
};
void export_begin(struct exporter *x, enum export_format format, int64_t hunt, struct str *out);
void export_row(struct exporter *x, const struct sample_row *s);
void export_end(struct exporter *x);

/* A name of one word for Go's benchmark text: "deflate -9" -> "Deflate_-9". `upper`: its first letter is a capital. */
void export_go_name(const char *name, bool upper, struct str *out);
/* One field, quoted if it must be. */
void export_csv_field(const char *text, struct str *out);
