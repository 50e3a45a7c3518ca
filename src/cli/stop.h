/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stop - ^C and its kin as a flag that long work polls, and the truth told to the shell at the end.
 *
 * The first SIGINT, SIGTERM or SIGHUP asks for an orderly stop; a second one ends the process at
 * once (children die with it, the journal is whole after every statement).
 */
#pragma once

#include <stdbool.h>

void stop_install(void);
bool stop_requested(void);
/* The signal that asked, or 0. */
int stop_signal(void);
/* Ends the process: by re-raising the signal that asked for the stop, so that the shell sees it,
 * else with `code`. */
_Noreturn void stop_exit(int code);
