/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history - where did a series of values that exist already change its level? No repository, no store; one answer as JSON
 * (man culprit-history), which report/answer_history shows.
 */
#pragma once

#include "base/err.h"
#include "model/model.h"

#include <stdbool.h>

struct history_options {
	double alpha;	    /* chance of a false change in a series without one */
	enum better better; /* BETTER_UNKNOWN: guessed from the unit */
	bool labels;	    /* the first word of each line is a label, also if it is a number */
	bool points;	    /* the points themselves belong to the answer */
};
/* "-" is standard input. *ret_enough: there were points enough to tell anything. */
int history_of_file(const char *path, const struct history_options *o, char **ret_answer,
		    bool *ret_enough, struct err *e) MUST_USE;
