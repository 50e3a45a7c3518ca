/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debtool - runs apt's and dpkg's programs, so that each failure is one line.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* Polled while something long runs; all NULL is none. */
struct deb_hooks {
	void (*tick)(void *);
	void *tick_arg;
	bool (*stop)(void);
};
/* ERR_ENV, with what to do instead, if the program is not in PATH. */
int debtool_need(const char *name, struct err *e) MUST_USE;
/*
 * Appends standard output to `out` (may be NULL). `hooks` may be NULL. A failure is ERR_ENV with the program's last line of standard error; ERR_STOPPED if hooks->stop
 * said so.
 */
int debtool_run(const char *const *argv, const char *cwd, int64_t seconds,
		const struct deb_hooks *hooks, struct str *out, struct err *e) MUST_USE;
