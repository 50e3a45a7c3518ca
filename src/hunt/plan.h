/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan - what a hunt will cost, before anything is done: --dry-run.
 *
 * The search is rehearsed in the simulator on as many commits, with a clear and with a faint change; time is priced by what earlier
 * builds and runs of this store took, where there are any. So is the disk: a build takes what the kept trees take on average, at least what
 * the files of `oid` take.
 */
#pragma once

#include "hunt/session.h"

/* An answer with "command": "plan". The caller's. */
int plan_bisect(struct session *s, const char *old_rev, const char *new_rev, const char *oid,
		uint32_t candidates, double alpha, char **ret, struct err *e) MUST_USE;
int plan_compare(struct session *s, size_t n_sides, const char *oid, double alpha,
		 unsigned max_runs, char **ret, struct err *e) MUST_USE;
