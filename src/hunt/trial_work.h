/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_work - what the files of trial share; private to them. */
#pragma once

#include "hunt/confirm_work.h"
#include "hunt/trial.h"

enum trial_verdict {
	TRIAL_UNDECIDED,
	TRIAL_REPAIRS,	      /* on par with GOOD again, or better */
	TRIAL_PARTLY,	      /* a part of the loss comes back */
	TRIAL_NO_HELP,	      /* nothing comes back */
	TRIAL_NO_LOSS,	      /* GOOD and BAD are on par */
	TRIAL_DOES_NOT_APPLY, /* to BAD */
	TRIAL_NOTHING,	      /* it changes nothing: BAD has it already */
	TRIAL_BROKEN,	      /* BAD with it does not build */
	TRIAL_FAILS,	      /* it builds, and the benchmark fails with it */
	TRIAL_VERDICTS
};
const char *trial_verdict_name(enum trial_verdict v);

struct trial_patch {
	char *file;  /* as the user wrote it */
	char *title; /* the subject of a mail, "" if it has none */
	char *node;  /* of BAD with it; NULL if it does not apply */
	/* What is known without a run; TRIAL_UNDECIDED = nothing. */
	enum trial_verdict known;
	char *why;
	size_t side; /* of the duel; 0 = none */
	const struct mbuild *broken;
};

struct trial {
	struct session *s;
	const struct trial_options *o; /* NULL when it is recomputed */
	struct trial_patch *patches;
	size_t n;
	struct duel duel; /* GOOD, BAD, and the patches that are measured */
	const char *good_source;
	bool no_difference; /* GOOD and BAD are the same artefacts */
};
void trial_done(struct trial *t);

/* Ends and patches from the options. */
int trial_resolve(struct trial *t, struct err *e) MUST_USE;
void trial_question(const struct trial *t, struct str *out);
int trial_read_question(struct trial *t, const struct json *question, struct err *e) MUST_USE;
/* From the builds: what failed or needs no run is no side any more. */
void trial_settle_builds(struct trial *t);
bool trial_enough(const struct duel *d);
void trial_answer(struct trial *t, char **ret);
