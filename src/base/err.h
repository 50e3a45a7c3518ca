/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err - what went wrong, as an explicit last argument.
 *
 * A function that can fail returns 0 or a negative `enum err_kind` and fills
 * `struct err`. Reporting allocates nothing, logs nothing and never exits:
 * only cli/ prints and ends the process. A benchmark that failed, a commit that
 * does not build and "no difference" are not errors: they are data.
 *
 * Context is added while going up, once per layer, in the form "doing what: why".
 */
#pragma once

#include "base/mem.h"

enum err_kind {
	ERR_NONE = 0,
	ERR_USAGE,   /* the command line, configuration or an input file is wrong: exit 2 */
	ERR_ENV,     /* the machine, a tool or a file failed us: exit 4 */
	ERR_BUSY,    /* somebody else holds the store: exit 4 */
	ERR_MISSING, /* the named thing does not exist; callers often expect it */
	ERR_STOPPED, /* the user asked to stop (^C, SIGTERM): the signal is re-raised */
	ERR_BROKEN,  /* stored data contradicts itself or was written by a newer version: exit 4 */
};

struct err {
	enum err_kind kind;
	char msg[1000]; /* one line, no newline at its end */
};

#define ERR_INIT                                                                                   \
	{                                                                                          \
		ERR_NONE, ""                                                                       \
	}

/* Fill `e` and return -kind, so that `return err_set(...)` is the whole failure path. `e` may be NULL. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...) PRINTF(3, 4);

/* As err_set with ERR_ENV, appending ": " and the text of errno. */
int err_errno(struct err *e, const char *fmt, ...) PRINTF(2, 3);

/* Put "context: " before the message that is there; the kind stays. Returns -kind. */
int err_wrap(struct err *e, const char *fmt, ...) PRINTF(2, 3);

/* The exit status that DESIGN gives this kind: 2 for usage, 4 for the rest. */
int err_exit_code(const struct err *e);
