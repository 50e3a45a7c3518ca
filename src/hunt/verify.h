/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify - recompute a stored answer from the journal alone: no repository, no build, no run, no configuration.
 *
 * Every journaled action is asked for again and must be the same; every number of the answer is computed again and must agree
 * to 1e-9 relative (other machines round otherwise).
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

struct store;

struct verify_report {
	int64_t hunt;
	char *kind;
	char *version;				 /* of the culprit that began the hunt */
	unsigned observations, actions, numbers; /* how many were replayed and compared */
	struct strvec
		differences; /* one line each: "metrics[0].low: stored 0.064, computed 0.071" */
};
void verify_report_done(struct verify_report *r);

/* `hunt` 0 = the newest. ERR_MISSING without an answer to verify. Differences are data, not an error. */
int verify_hunt(struct store *st, int64_t hunt, struct verify_report *ret, struct err *e) MUST_USE;
