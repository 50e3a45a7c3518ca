/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units - which units are the same one scaled: results of two versions of a benchmark may be in us and in ms, or in KiB/s and MiB/s.
 */
#pragma once

#include <stdbool.h>

/*
 * A value in `from` times *ret_by, divided by *ret_over, is one in `to` (two factors, since 71 / 1000 is 0.071 and 71 * 0.001 is not). False if they are not
 * of one kind. What follows a `/` must be the same: "ns/op" and "us/op".
 */
bool units_factor(const char *from, const char *to, double *ret_by, double *ret_over);
