/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window - what was counted in one run of a guest, as readings: the plug-in's line of JSON, and the differences of the guest's /proc.
 */
#pragma once

#include "model/model.h"
#include "target/frames.h"

/* Every number of the line but its place; "l1d_misses" becomes "l1d-misses". ERR_BROKEN if it is no such line. */
int window_readings(const char *line, struct readings *ret, struct err *e) MUST_USE;
/* Events: context switches, page faults, interrupts, IPIs, TLB flushes, by the names that proc(5) has. Unknown lines are passed over. */
void window_events(const struct frame *proc, struct readings *ret);
/* The functions of the line, if it has some, as lines of their section (bench/section.h). */
int window_functions(const char *line, struct str *out, struct err *e) MUST_USE;
/* Share of the instructions that are iterations of `rep`; 0 if it is not known. */
double window_rep_share(const struct readings *r);
