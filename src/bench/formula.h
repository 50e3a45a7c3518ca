/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * formula - metrics that are computed from others of the same run: a miss rate from two counters, CPU seconds per Gbit.
 *
 * Names, numbers, + - * / and brackets. A name may hold `-` and `.` between letters and digits, as counters' names do ("cache-misses"); so a
 * minus between two names has blanks around it. One value for each run, so that the noise between runs is in it.
 */
#pragma once

#include "base/err.h"
#include "model/model.h"

struct config;

/* ERR_USAGE, in one line, for a text that is no formula. */
int formula_check(const char *text, struct err *e) MUST_USE;

struct formula_result {
	double value;
	double resolution; /* what the printed digits of its inputs leave open, to first order */
	bool counter;	   /* every input is an exact count */
	char problem[200]; /* why there is no value: a missing metric, a division by 0; else "" */
};
/* False if there is no value. `text` passed formula_check. */
bool formula_value(const char *text, const struct readings *r, struct formula_result *ret);

/*
 * Applies what `metrics` of the configuration says to the readings of one run: directions, units of metrics that have none, and the
 * computed metrics, in the order of the file (so that one may use an earlier one). One that cannot be computed is left out.
 */
void formula_apply(const struct config *c, struct readings *r);
