/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run - one command in the guest: a session of its own, a deadline in guest time, its output in files.
 *
 * The files lie in a tmpfs of bounded size, so that a flood meets "no space left" and neither fills memory nor blocks; a pipe
 * would make the parent's reading part of what is measured.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

enum run_end { RUN_EXIT, RUN_SIGNAL, RUN_TIMEOUT };

struct run_spec {
	const char *script; /* run by /bin/sh */
	const char *cwd;
	char *const *env;
	int out, err; /* open files */
	int64_t timeout_ns;
	bool window; /* BEGIN before the fork, END after the end */
};

struct run_result {
	enum run_end end;
	int code; /* exit status or signal */
	int64_t wall_ns, utime_ns, stime_ns, maxrss_kib, minor_faults, switches;
};

/* Blocks SIGCHLD, which run_command waits for; once, before the first. */
void run_prepare_signals(void);
int run_command(const struct run_spec *spec, struct run_result *ret, struct err *e) MUST_USE;
/* `key value` lines. */
void run_put_result(struct str *out, const struct run_result *r);

/* The user processes there are now, by pid, ended by 0; the caller owns it (free). */
int *run_list_processes(void) MUST_USE;
/* Ends every user process that is not in `known`, and waits until they are gone. Returns how many there were. */
int run_end_strangers(const int *known);
