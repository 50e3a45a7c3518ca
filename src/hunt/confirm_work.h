/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confirm_work - what the files of confirm share; private to them and their tests.
 */
#pragma once

#include "hunt/confirm.h"
#include "hunt/duel.h"
#include "repo/dependents.h"

enum confirm_verdict {
	CONFIRM_UNDECIDED,
	CONFIRM_CONFIRMED, /* without the commit BAD is on par with GOOD, or better */
	CONFIRM_PARTLY,	   /* a part of the loss comes back */
	CONFIRM_REFUTED,   /* nothing comes back */
	CONFIRM_NO_LOSS,   /* GOOD and BAD are on par */
	CONFIRM_CONFLICT,  /* the commit cannot be reverted as it is */
	CONFIRM_EMPTY,	   /* reverting it changes nothing */
	CONFIRM_BROKEN,	   /* what is left does not build */
};
const char *confirm_verdict_name(enum confirm_verdict v); /* "confirmed", "refuted", ... */
bool confirm_verdict_parse(const char *name, enum confirm_verdict *ret);

/* The sides of the comparison. */
enum { CONFIRM_GOOD, CONFIRM_BAD, CONFIRM_FIXED, CONFIRM_PICKED };

/* --- what the numbers say: confirm_judge.c, pure ------------------------------------------------------------------ */

/* One primary metric. */
struct confirm_finding {
	struct duel_row loss; /* BAD against GOOD */
	struct duel_row left; /* without the commit, against GOOD */
	struct duel_row back; /* without the commit, against BAD */
	struct duel_row
		picked; /* GOOD with the commit, against GOOD; a NULL where it was not asked */
	struct recovery share; /* of the loss that came back */
	struct recovery again; /* of the loss that picking brought to GOOD; NaN where not asked */
	enum confirm_verdict verdict;
};
struct confirm_findings {
	struct confirm_finding *v;
	size_t n, cap;
};
/* Side `fixed` against GOOD and BAD; `picked` is the side of GOOD with the commit, 0 = none. */
void confirm_find(const struct duel *d, size_t fixed, size_t picked, struct confirm_findings *ret);
enum confirm_verdict confirm_sum(const struct confirm_findings *f);
/* All that is asked of side `fixed` is known at the duel's present look; and for duel.enough. */
bool confirm_enough_of(const struct duel *d, size_t fixed);
bool confirm_enough(const struct duel *d);
struct json_out;
/* A finding as an object; "picked" and "reproduced" only where it was asked. */
void confirm_finding_json(const struct duel *d, const struct confirm_finding *f,
			  struct json_out *w);

enum confirm_survival {
	SURVIVAL_NOT_ASKED,
	SURVIVAL_UNDECIDED,
	SURVIVAL_SURVIVES,
	SURVIVAL_LAYOUT,    /* the change was the layout's */
	SURVIVAL_NOT_TAKEN, /* the build comes out as before: it takes no other layout */
	SURVIVAL_BROKEN,    /* it does not build in another layout */
};
const char *confirm_survival_name(enum confirm_survival v);
/* Commit against parent in another layout; `loss` is the verdict of BAD against GOOD. */
enum confirm_survival confirm_survives(const struct judgement *relaid, enum verdict loss);

/* --- the hunt ------------------------------------------------------------------------------------------------------ */

/* Why the commit cannot be taken out of BAD. */
struct confirm_refusal {
	enum confirm_verdict
		verdict; /* CONFIRM_CONFLICT, CONFIRM_EMPTY; else CONFIRM_UNDECIDED: it can */
	char *why;
	struct strvec paths;
	struct dependents dependents;
	char *undone_by; /* the commit that says it reverted it, or NULL */
};

struct confirm {
	struct session *s;
	const struct confirm_options *o;
	char *commit; /* full name; NULL: a knob alone */
	char *parent; /* full name of the parent that it is compared with; NULL: the first commit */
	const char *means; /* "revert", "patch", "knob" */
	const char *good_source;
	struct strvec reverted;		 /* newest first, "NAME" or "NAME,N" */
	struct duel duel;		 /* CONFIRM_GOOD .. */
	struct duel relaid;		 /* parent and commit; no side if it was not asked */
	char *plain_node;		 /* of the commit in the ordinary layout */
	bool fix;			 /* see confirm_options */
	bool same_as_bad, no_difference; /* artefacts alike: nothing was run */
	struct confirm_refusal refusal;
	struct mbuild *broken; /* the build of BAD without the commit, if it failed */
	char *picked_why;      /* why there is no GOOD with the commit, or NULL */
};

/* Commit, ends and sides from the options. */
int confirm_resolve(struct confirm *c, struct err *e) MUST_USE;
/* The later commits in the way of the revert; the refusal as it is journaled, and back. */
int confirm_explain_refusal(struct confirm *c, struct err *e) MUST_USE;
void confirm_refusal_note(const struct confirm *c, struct str *out);
/* False if the note is another one. */
bool confirm_take_refusal(struct confirm *c, const char *note);
/* The question of the hunt as JSON, and back. */
void confirm_question(const struct confirm *c, struct str *out);
int confirm_read_question(struct confirm *c, const struct json *question, struct err *e) MUST_USE;
/* Parent and commit as sides of c->relaid. */
void confirm_relaid_sides(struct confirm *c);
/* What became of the other layout, as far as builds tell; SURVIVAL_UNDECIDED: the runs say. */
enum confirm_survival confirm_relaid_state(const struct confirm *c);
/* From the builds: what failed and what needs no run. A side that is only beside it and does not build is dropped. */
void confirm_compare_artefacts(struct confirm *c);
void confirm_answer(struct confirm *c, char **ret);
