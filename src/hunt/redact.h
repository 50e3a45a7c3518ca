/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redact - what may leave this machine in a report, and what may not.
 *
 * Left out always: the host's and the user's name, absolute paths outside of the project (their last part stays; system folders as /usr
 * and /proc may be named), values of environment variables that are not on a short list, values given to names that
 * look secret. `more` leaves out the machine, the tools, the commands and what they printed as well.
 *
 * Everything that a report is made of goes through here when it is read from the journal, so that no writer can forget to.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct redactor {
	struct strvec names; /* words that are replaced: "<left out>" */
	struct strvec
		projects; /* absolute folders that are the project's: what is in them gets relative */
	bool more;
	struct strvec done; /* what was left out, each once: "path /home/ada/bench.sh" */
};
void redactor_done(struct redactor *r);
/* The names of this host and user, and the home folder's. */
void redactor_learn_host(struct redactor *r);
/* A name that is too short or too common to be looked for ("root", "linux") is not added. */
void redactor_add_name(struct redactor *r, const char *name);
void redactor_add_project(struct redactor *r, const char *folder);

void redact_text(struct redactor *r, const char *text, struct str *out);
/* The same for each string of a JSON text, which must be one: members called "env" hold NAME=VALUE. */
int redact_json(struct redactor *r, const char *json, const char *name, struct str *out,
		struct err *e) MUST_USE;
/* May the value of this variable be shown? */
bool redact_is_shown(const char *variable);
