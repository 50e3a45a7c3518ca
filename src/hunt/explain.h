/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain - what a comparison's runs have beside their readings, set against each other: events, functions, surroundings.
 *
 * All of it from the journal: the runs' outputs (bench/section.h) and the sides' descriptions (hunt/describing.h). versus.c calls it for hunts of the kind
 * "explain"; docs/design/022-explain.md says what is a claim and what is not.
 */
#pragma once

#include "hunt/duel.h"

struct json_out;

enum { EXPLAIN_RUNS = 5 }; /* a side, unless said otherwise */

/* Before anything is measured: the surroundings, and what the runs shall keep. */
int explain_prepare(struct session *s, struct duel *d, const struct observations *obs,
		    struct err *e) MUST_USE;
/* Rates of misses as metrics of their own, from the counts of each run. */
void explain_add_rates(struct duel *d);
/* Members "events", "functions", "misses", "surroundings" and "remarks" of the open object. */
int explain_put(struct session *s, const struct duel *d, struct json_out *w,
		struct err *e) MUST_USE;
