/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * points - a history from a text file: for `history FILE`. One line a point, in order.
 *
 * Either a column of numbers, one a line ("12.3", or with its unit "12.3 ms"); or lines "label value..." ("v5.14 12.3 12.4 ms"), where
 * several values are repeats of one point and their median counts. Values are separated by blanks, `,` or `;` before a blank is as good; `:`
 * behind a label is ignored and `#` starts a comment. The file must be understood whole: anything else is an error with FILE:LINE.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct points {
	struct point {
		char *label;  /* NULL in a column of numbers */
		double value; /* the median of its values */
		unsigned line;
	} * v;
	size_t n, cap;
	char *unit;	   /* "" if none */
	double resolution; /* the unit of the last printed digit; the finest in the file */
};
void points_done(struct points *p);

/*
 * `name` is the file's for messages. text[n] = 0. `labels`: the first word of each line is a label even where it reads as a number, as a
 * year does. ERR_USAGE also if there is no point at all.
 */
int points_parse(const char *text, size_t n, const char *name, bool labels, struct points *ret,
		 struct err *e) MUST_USE;
