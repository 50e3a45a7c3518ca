/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trial - does a patch repair BAD? Any number of patches measured beside GOOD and BAD in one comparison (docs/design/023-confirm.md).
 */
#pragma once

#include "hunt/session.h"

struct trial_options {
	const char *good, *bad; /* variants */
	/* what to call them where they still mean the same; NULL = as written */
	const char *good_name, *bad_name;
	const char *good_source; /* "option", "hunt": for the answer */
	int64_t of_hunt;	 /* the search that named the culprit; 0 = none */
	const char *const *patches;
	size_t n;
	bool dry_run;
	double alpha, margin;
	uint64_t seed;
	unsigned max_runs; /* 0 = the plan's own limit */
};
/*
 * *ret_answer is JSON, the caller's; stored too. A patch that does not apply or build is a part of the answer; ERR_USAGE for one that cannot be read
 * or is given twice.
 */
int trial_hunt(struct session *s, const struct trial_options *o, char **ret_answer,
	       bool *ret_stored, struct err *e) MUST_USE;

struct json;
/* The answer again, from the journal alone (session.journal_only; builds adopted). */
int trial_recompute(struct session *s, const struct json *question, const struct observations *obs,
		    char **ret_answer, struct err *e) MUST_USE;
