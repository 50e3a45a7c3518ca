/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfevent - what the forms of perf stat's output share. */
#pragma once

#include <stdbool.h>

/* Time, cycles and instructions: what a run cost. The rest explains it. */
bool perfevent_is_main(const char *name);
