/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * investigate - `hunt`: the stages of an inquiry carried out one after another, each a hunt in the journal.
 */
#pragma once

#include "hunt/inquiry.h"
#include "hunt/session.h"

struct investigate_options {
	const char *good, *bad, *fixed_in; /* as the user wrote them */
	const char *const *patches;	   /* files; NULL-terminated or NULL */
	bool no_explain, dry_run;
	unsigned most; /* culprits at most */
	double alpha;
	uint64_t seed;
	/*
	 * Opens a session for a command on a benchmark (NULL = the first) and a metric (NULL = all primary ones); `args` are its arguments and own
	 * options, for the journal. `of` NULL: for the inquiry itself.
	 */
	int (*open)(void *arg, const char *command, const char *benchmark, const char *metric,
		    const char *const *args, struct session *ret, struct err *e);
	/* The margin there, and whether it was named by the user. */
	double (*margin)(void *arg, const struct session *s, bool *ret_given);
	void *arg;
};
/*
 * *ret_answer is JSON, the caller's; stored too. Stopped by the user or out of budget, what is known so far is the answer, and the same command goes on.
 */
int investigate(const struct investigate_options *o, char **ret_answer, bool *ret_stored,
		struct err *e) MUST_USE;
/* The answer again from the stages' answers in the journal. */
int investigate_recompute(struct store *st, const struct hunt_row *row,
			  const struct observations *obs, char **ret_answer,
			  struct err *e) MUST_USE;
/* The hunts of its stages in turn: *at begins as 0; false at the end. */
bool investigate_next_hunt(const struct observations *obs, size_t *at, int64_t *ret_hunt);
