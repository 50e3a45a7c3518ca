/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * claim - what of an answer may be said in a letter.
 *
 * A change is claimed only where there is an interval and all of it is on one side of zero; that nothing changed only where all of it is within the
 * margin, or every digit repeats. An undecided row is never claimed. What is refused is listed with the reason.
 */
#pragma once

#include "base/str.h"

struct json;

enum claim { CLAIM_CHANGE, CLAIM_SAME, CLAIM_REFUSED };
/* Of a row with verdict, change, low, high and margin. *ret_why: why it is refused; a constant. */
enum claim claim_of(const struct json *row, const char **ret_why);
/* The same for a number that has no verdict of its own: a search's change. */
enum claim claim_of_interval(const struct json *row, const char **ret_why);
/* Is the change for the worse, by the row's own direction? False where that is not known. */
bool claim_is_worse(const struct json *row);
/* Does it rest on an emulator, a model or an instruction counter alone, so that it speaks of work and not of time? */
bool claim_is_work(const struct json *row);

/* Rows that were refused: "user (v1.3): undecided", each once. */
struct refusals {
	struct strvec list;
};
void refusals_done(struct refusals *r);
void refusals_add(struct refusals *r, const struct json *row, const char *about, const char *why);
