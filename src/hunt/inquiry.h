/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inquiry - the whole investigation as a list of stages, each a hunt of its own, and what comes next. Pure: from the question and the stages' answers.
 *
 * docs/design/024-investigation.md says why in this order. Since everything follows from the answers, an inquiry that was killed goes on by being asked again: the
 * stages that are answered are answered from the store.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

struct json;
struct json_out;

enum inquiry_kind {
	INQUIRY_DONE,
	INQUIRY_ENDS,	 /* compare GOOD BAD with one benchmark */
	INQUIRY_SEARCH,	 /* bisect on one metric that got worse */
	INQUIRY_CONFIRM, /* the named commit, taken out of BAD */
	INQUIRY_EXPLAIN, /* the named commit and its parent */
	INQUIRY_FIX,	 /* bisect --fix BAD FIXED */
	INQUIRY_TRY,	 /* the user's patches */
	INQUIRY_KINDS
};
/* "compare", "bisect", ...: the command that does it. */
const char *inquiry_command(enum inquiry_kind kind);

struct inquiry_stage {
	enum inquiry_kind kind;
	char *benchmark, *metric; /* NULL where it is about all metrics */
	char *good, *bad;	  /* of a search: its ends */
	char *commit;		  /* full name of what is confirmed, explained, repaired */
	int64_t hunt;		  /* 0 = it could not be done: `why` */
	char *why;
	struct json *answer; /* NULL = it could not be done */
};

struct inquiry {
	const char *good, *bad, *fixed_in; /* as the user wrote them; fixed_in may be NULL */
	struct strvec benchmarks;
	size_t n_patches;
	bool explains;
	unsigned most; /* culprits at most */
	struct {
		struct inquiry_stage *v;
		size_t n, cap;
	} stages;
};
void inquiry_done(struct inquiry *q);
/* Adds it; texts of `stage` are taken over. `answer` is JSON, copied; NULL: it could not be done. ERR_BROKEN if it is no JSON. */
int inquiry_add(struct inquiry *q, struct inquiry_stage *stage, const char *answer,
		struct err *e) MUST_USE;
void inquiry_stage_done(struct inquiry_stage *stage);

/* What comes next. *ret is the caller's (inquiry_stage_done). */
void inquiry_next(const struct inquiry *q, struct inquiry_stage *ret);

/* --- what is known so far; texts are borrowed from the stages ------------------------------------------------- */

/* A primary metric that got worse between the ends. */
struct inquiry_loss {
	const char *benchmark, *metric;
	const struct json *row; /* of the comparison of the ends */
	double clarity;		/* size by width of the interval: the clearest is searched first */
	bool searched, settled;
	const char *culprit; /* that its own search named, or NULL */
};
struct inquiry_losses {
	struct inquiry_loss *v;
	size_t n, cap;
};
void inquiry_find_losses(const struct inquiry *q, struct inquiry_losses *ret); /* free(ret->v) */

/* A commit that a search named. */
struct inquiry_culprit {
	const char *commit;
	const struct inquiry_stage *search;
	const struct json *answer; /* of the search, or of one of its parts */
};
struct inquiry_culprits {
	struct inquiry_culprit *v;
	size_t n, cap;
};
void inquiry_find_culprits(const struct inquiry *q,
			   struct inquiry_culprits *ret); /* free(ret->v) */

/* What taking `commit` out of BAD did to a metric: the finding of its confirmation, or NULL. */
const struct json *inquiry_finding(const struct inquiry *q, const char *commit,
				   const char *benchmark, const char *metric);

/*
 * Where it could not be taken out: the row of that metric in the comparison of the commit and its parent, if it got worse there by at least half of what it did
 * between the ends; else NULL.
 */
const struct json *inquiry_step_of(const struct inquiry *q, const struct inquiry_culprit *c,
				   const char *benchmark, const char *metric);

/* The members of the answer, into the open object. */
void inquiry_answer(const struct inquiry *q, struct json_out *w);
