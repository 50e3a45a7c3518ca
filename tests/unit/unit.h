/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit - cmocka with the includes it wants, and the assertions that we miss in it.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#include <math.h>

/* |a - b| within a relative tolerance of the larger, or within the tolerance itself near 0; prints both. */
#define assert_double(a, b, tol)                                                                   \
	do {                                                                                       \
		double a_ = (a), b_ = (b), t_ = (tol);                                             \
		double scale_ = fmax(1, fmax(fabs(a_), fabs(b_)));                                 \
		if (!(fabs(a_ - b_) <= t_ * scale_))                                               \
			fail_msg("%s = %.17g, expected %.17g (tolerance %g)", #a, a_, b_, t_);     \
	} while (0)
