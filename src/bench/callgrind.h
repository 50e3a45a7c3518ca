/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callgrind - exact instruction counts by valgrind, summed over all processes.
 *
 * A process that forks without exec is counted from its parent's beginning (valgrind copies the counters): deterministic, but not
 * additive; a program that is exec'ed starts at zero.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* ERR_ENV that says what to install where valgrind is missing. */
int callgrind_check(struct err *e) MUST_USE;
/* The command line that runs `command` under callgrind with its files in `dir`. */
void callgrind_argv(const char *command, const char *dir, struct strvec *ret);
/*
 * Sums and removes the files in `dir`; *ret_instructions = 0 if there was none. `functions` (NULL = not wanted) gets the section of what each
 * function cost.
 */
int callgrind_collect(const char *dir, double *ret_instructions, unsigned *ret_processes,
		      struct str *functions, struct err *e) MUST_USE;
