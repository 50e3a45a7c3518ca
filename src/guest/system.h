/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system - what has to be done once before anything can run in a freshly booted kernel, and its end.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* proc, sys, dev, shm, pts, tmp; and /run with a ceiling of `run_bytes`. */
int system_mount(struct err *e) MUST_USE;
int system_mount_run(int64_t run_bytes, struct err *e) MUST_USE;
/* The device opened for writing, raw. */
int system_open_serial(const char *path, int *ret_fd, struct err *e) MUST_USE;
/* "PATH ARGS" */
int system_load_module(const char *spec, struct err *e) MUST_USE;
/* "KEY=VALUE" */
int system_set_sysctl(const char *assignment, struct err *e) MUST_USE;
/* lo, and dummy0 with 192.0.2.1/24: some programs take no address family that only lo has. */
int system_net_loopback(struct err *e) MUST_USE;
/* Waits until nothing has run for 0.3 s, at most `limit_ns`; false when that did not come. */
bool system_wait_idle(int64_t limit_ns);
/* Executes that many instructions, or one more. */
void system_burn(int64_t instructions);
int64_t system_uptime_ns(void);
_Noreturn void system_power_off(void);
