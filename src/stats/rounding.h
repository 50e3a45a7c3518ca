/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rounding - values that were printed to a coarse unit, put back over the unit.
 *
 * A rank interval of rounded values can only have ends on the lattice of the unit: with few values it is too wide, with many it shrinks
 * to one point of the lattice, which need not hold the true shift. If the noise is of the unit's size or larger, the true
 * values lie about evenly over each unit, and spreading equal values evenly over theirs restores what rounding took.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Is the noise large enough for that: no value holds more than 70 % of them (noise of an sd of about half the unit). */
bool rounding_is_smoothed(const double *v, size_t n);
/* A copy in the same order in which g equal values v become v + unit ((i + 1/2) / g - 1/2), i = 0 .. g - 1; the caller frees. */
double *rounding_spread(const double *v, size_t n, double unit);
