/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confirm - is a commit what made BAD worse? Measured with the commit taken out of BAD, beside GOOD and BAD (docs/design/023-confirm.md).
 */
#pragma once

#include "hunt/session.h"

struct confirm_options {
	const char *commit; /* as the user wrote it; NULL: a knob alone is asked about */
	const char *good;   /* a variant; NULL = the commit's parent */
	const char *bad;    /* a variant */
	const char *
		good_name; /* what to call them where they still mean the same; NULL = as written */
	const char *bad_name;
	const char
		*good_source; /* "option", "hunt": for the answer; without `good` it is "parent" */
	int64_t of_hunt;      /* the search that named the commit; 0 = none */
	bool fix;	      /* it was one for a repair: GOOD is before it, BAD after it */
	unsigned parent; /* of a merge: against which one it is taken out, from 1; 0 = the first */
	const char *const *with; /* revisions that are taken out with it; NULL-terminated or NULL */
	const char *patch;	 /* applied instead of a revert; NULL = none */
	const char *const
		*knobs; /* set instead of a revert: "env.K=V", "cmdline=...", "sysctl.K=V",
				     "config=CONFIG_X=n"; NULL-terminated or NULL */
	bool both;	/* the other way, too: picked onto GOOD */
	bool relayout;	/* commit and parent in another code layout, too */
	bool dry_run;
	double alpha, margin;
	uint64_t seed;
	unsigned max_runs; /* 0 = the plan's own limit */
};
/* *ret_answer is JSON, the caller's; stored too. The session is new or reset. */
int confirm_hunt(struct session *s, const struct confirm_options *o, char **ret_answer,
		 bool *ret_stored, struct err *e) MUST_USE;

struct json;
/* The answer again, from the journal alone (session.journal_only; builds adopted). */
int confirm_recompute(struct session *s, const struct json *question,
		      const struct observations *obs, char **ret_answer, struct err *e) MUST_USE;

/* A search that named a commit: what it was asked, and how. */
struct confirm_named {
	int64_t hunt;
	char *culprit, *good, *bad; /* full names; good is the older end */
	char *good_name, *bad_name; /* as the user wrote them */
	bool fix;
	char *benchmark, *metric; /* that it was decided by */
	struct strvec argv;	  /* the command; empty if it is not known */
};
void confirm_named_done(struct confirm_named *n);
/* The newest answered search that named the commit `oid`; NULL: any. ERR_MISSING if there is none. */
int confirm_find_named(struct store *st, const char *oid, struct confirm_named *ret,
		       struct err *e) MUST_USE;
