/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exactness - `doctor --target exact`: does this kernel, with these devices and this command, repeat? */
#pragma once

#include "cli/measuring.h"

/* Two boots with one seed, compared; prints the answer. The exit status: 1 if they differ. */
int exactness_doctor(const struct measuring_opts *m, const char *variant);
