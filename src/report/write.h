/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write - a letter in its form. Pure: from dossier and letter to text; nothing is sent, nothing is fetched.
 */
#pragma once

#include "report/letter.h"

/* A plain-text mail of 72 columns with the headers that git send-email and mutt -H take. */
void write_mail(const struct dossier *d, const struct letter *l, struct str *out);
void write_markdown(const struct dossier *d, const struct letter *l, struct str *out);
/* Ubuntu's form for an update of a stable release: Impact, Fix, Test Plan, Where problems could occur, Other Info. */
void write_sru(const struct dossier *d, const struct letter *l, struct str *out);
/* culprit-report(1) has the schema. */
void write_json(const struct dossier *d, const struct letter *l, struct str *out);
/* One file, which needs neither network nor script. */
void write_html(const struct dossier *d, const struct letter *l, struct str *out);

/* The sections after the lead, in their order; ends with a NULL heading. */
struct letter_section {
	const char *heading;
	const struct doc *doc;
};
enum { LETTER_SECTIONS = 9 };
void letter_sections(const struct letter *l, struct letter_section ret[LETTER_SECTIONS + 1]);
