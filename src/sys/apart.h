/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apart - proc_run in a small process of its own, for a command that is run again and again: the runs of a benchmark, its prepare and cleanup.
 *
 * The same contract as proc_run's (sys/proc.h), but that what a child with `leave` left is ended by a later apart_run only, and that if culprit
 * dies everything that lives of these children is ended at once, daemons too. What a spec asks for that needs this very process (counters, the terminal,
 * bytes for stdin, a relative folder) is run by proc_run.
 */
#pragma once

#include "sys/proc.h"

int apart_run(const struct proc_spec *spec, struct str *out, struct str *err_out,
	      struct proc_result *ret, struct err *e) MUST_USE;
