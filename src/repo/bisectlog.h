/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisectlog - reads what `git bisect log` prints, as marks on revisions.
 *
 * Pure: names are not resolved, nothing is run. The words may be good and bad, old and new, or a person's own from `git bisect start
 * --term-old=... --term-new=...` (or `git bisect terms`); whatever they were, they come out as good and bad.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

enum bisect_mark { BISECT_GOOD, BISECT_BAD, BISECT_SKIP };

struct bisect_log {
	struct {
		char *rev; /* as written: mostly a full object name; a range A..B after skip is possible */
		enum bisect_mark mark;
		unsigned line;
	} * v; /* in the order of the log; a later mark on a revision supersedes an earlier one */
	size_t n, cap;
	bool first_parent;   /* started with --first-parent */
	struct strvec paths; /* started with -- PATH... */
};
/*
 * Parses `text`. `name` stands before the line in errors: "log.txt:12: ...". ERR_USAGE for a line that no `git bisect log` has and for a text without
 * a mark. Comments are skipped; `git bisect reset` and a further start begin anew.
 */
int bisect_log_parse(const char *text, const char *name, struct bisect_log *ret,
		     struct err *e) MUST_USE;
void bisect_log_done(struct bisect_log *l);
