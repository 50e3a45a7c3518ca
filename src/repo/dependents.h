/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dependents - reverting several commits together, and which later ones are in the way of a revert that conflicts.
 *
 * A commit is given by its full object name, or "NAME,N" for a merge against its N-th parent.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct repo;

/* Puts the commits in the order in which they are reverted: newest first, by their ancestry. Each stays as it was given. */
int dependents_order(struct repo *r, struct strvec *commits, struct err *e) MUST_USE;

struct dependents {
	struct strvec
		commits; /* full names, newest first; those that were asked about are not among them */
	bool complete; /* reverting them together with those that were asked about is clean */
};
void dependents_done(struct dependents *d);
/*
 * Reverting `commits` (newest first) on the commit `on` conflicts in `paths`: find the later commits that are in the way. Each one found is: without
 * it the revert would have been clean up to there. Merges are not looked at. *ret is empty if none was found.
 */
int dependents_find(struct repo *r, const char *on, const struct strvec *commits,
		    const struct strvec *paths, struct dependents *ret, struct err *e) MUST_USE;
