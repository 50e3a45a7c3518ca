/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explainable - which two variants a finished hunt leaves to be explained: a search's culprit and its parent, or what was compared.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

struct store;

struct explainable {
	int64_t hunt;
	char *before, *after; /* variants */
	struct strvec argv;   /* the hunt's command line: argv[0] is the command */
	char *cwd;	      /* where it was given */
};
void explainable_done(struct explainable *x);

/*
 * `hunt` 0 = the newest search that named a culprit. ERR_USAGE for a hunt that has no two sides (a search without a name, a series) or does not say how it was
 * begun; ERR_MISSING if there is no such hunt.
 */
int explainable_find(struct store *st, int64_t hunt, struct explainable *ret,
		     struct err *e) MUST_USE;
