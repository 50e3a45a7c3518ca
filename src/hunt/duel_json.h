/* SPDX-License-Identifier: GPL-2.0-or-later */
/* duel_json - the rows of a comparison in the form of the JSON contract (DESIGN 4). */
#pragma once

#include "hunt/duel.h"

struct json_out;

/* Members "variants" and "metrics" of the open object; extra keys: medians, p, primary, looks. */
void duel_json(const struct duel *d, struct json_out *w);
/*
 * One row as an object of this key (NULL in an array), as in "metrics". `listed`: of a metric beside the primary ones, whether Benjamini and
 * Hochberg list it; NULL for a primary one.
 */
void duel_row_json(const struct duel *d, const char *key, const struct duel_row *row,
		   const bool *listed, struct json_out *w);
/* Members "failed_runs" and "last_failures", a value a side: counted runs that were left out, and why the last of them was. */
void duel_failures_json(const struct duel *d, struct json_out *w);
/* The worst that the primary metrics say: any slower, any undecided (for the exit status). */
struct duel_summary {
	bool slower, undecided, any;
};
void duel_summarise(const struct duel *d, struct duel_summary *ret);
