/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calibrating - doctor --calibrate: A against A, as a hunt of its own. */
#pragma once

#include "cli/measuring.h"

/* The exit status. `runs` a side. */
int calibrating(const struct measuring_opts *m, const char *variant, unsigned runs);
