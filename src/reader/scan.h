/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan - the pieces that text formats share: lines, values, units, names.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The next line of [*at, end) without its newline; false at the end. Carriage returns and blanks are trimmed. */
bool scan_line(const char **at, const char *end, const char **ret_line, size_t *ret_n);

enum scan_value { SCAN_NONE, SCAN_VALUE, SCAN_NOT_FINITE };
/*
 * A value at p (not past end): SCAN_NOT_FINITE for nan, inf and what overflows (*ret_end is behind it), SCAN_NONE if
 * nothing of the kind starts here.
 */
enum scan_value scan_value(const char *p, const char *end, const char **ret_end, double *ret,
			   double *ret_resolution);
/* Length of the unit at p: one word like "ms", "ops/s", "%", "s/Gbit", "1/s"; 0 if none starts here. */
size_t scan_unit(const char *p, const char *end);
/*
 * "name: value unit", "name = value unit" or "name=value": false if the line is no such thing. A value that is not finite is one
 * (*ret_value = NaN).
 */
struct scan_pair {
	const char *name, *unit;
	size_t name_n, unit_n;
	double value, resolution;
};
bool scan_pair(const char *line, size_t n, struct scan_pair *ret);
