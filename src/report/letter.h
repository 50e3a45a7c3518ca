/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * letter - what is said of a hunt: a subject and sections, composed once for mail, Markdown and HTML.
 *
 * Pure: from the dossier alone. A claim that claim.h refuses is in no section but "left out".
 */
#pragma once

#include "hunt/dossier.h"
#include "report/claim.h"
#include "report/doc.h"

enum letter_kind {
	LETTER_REGRESSION,
	LETTER_WORK,	    /* emulated, modelled or counted only: no regression is claimed */
	LETTER_IMPROVEMENT, /* also what a search for a repair found */
	LETTER_NO_CHANGE,
	LETTER_UNDECIDED, /* nothing may be claimed */
};

struct letter {
	enum letter_kind kind;
	char *subject;	 /* without the tag */
	struct doc lead; /* what, where, how much; what was found */
	struct doc revert, patches, why, unchanged, left_out, missing, setup, reproduce, hints;
	struct refusals refusals;
	/* the row that the subject speaks of, or NULL; borrowed from the dossier */
	const struct json *main;
};
void letter_compose(const struct dossier *d, struct letter *ret);
void letter_done(struct letter *l);
/* "[REGRESSION]", ... */
const char *letter_tag(const struct letter *l);

/* --- pieces, for letter.c's neighbours ------------------------------------------------------------------------------- */

/* "default" is no name that anybody gave: "wall", "rr latency". */
void letter_case(const struct json *row, struct str *out);
/* A commit's 12 digits and title as the kernel writes them: fc3e537bd4ac ("subject"). */
void letter_commit(const char *name, const char *subject, struct str *out);
/* "v1.2", "41caf6d0f848"; a name that is not the object's own gets the digits: "v1.2 (41caf6d0f848)". */
void letter_end(const struct json *end, struct str *out);
/* "12.41 ms -> 13.29 ms, +7.1 % [+6.4, +7.8], slower". */
void letter_change(const struct json *row, struct str *out);
/* Was the metric an instruction counter's (callgrind), which counts work? */
bool letter_is_counted(const struct dossier *d);

/* Each fills its own sections. */
void letter_lead(const struct dossier *d, struct letter *l);
void letter_confirm(const struct dossier *d, struct letter *l);
void letter_trial(const struct dossier *d, struct letter *l);
void letter_explain(const struct dossier *d, struct letter *l);
/* The rows of "metrics" that did not change, and those that are left out; about: of which variant, NULL = all. */
void letter_rows(const struct json *answer, const char *variant, const char *about,
		 struct letter *l);
void letter_setup(const struct dossier *d, struct letter *l);
void letter_reproduce(const struct dossier *d, struct letter *l);
