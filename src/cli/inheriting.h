/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inheriting - what a command that goes on where a search ended takes from it: its ends, and how it measured.
 */
#pragma once

#include "cli/measuring.h"
#include "hunt/confirm.h"

/*
 * The newest search in the store of `m` that named `commit` (a revision; NULL = any). None is no error (ret->hunt stays 0) unless `needed`: then
 * ERR_USAGE, "COMMAND wants WHAT: why there is none".
 */
int inherit_search(const struct measuring_opts *m, const char *commit, bool needed,
		   const char *wants, struct confirm_named *ret, struct err *e) MUST_USE;
/* How the search measured, where the command line does not say it; texts point into n->argv. Says so on stderr. */
int inherit_measuring(struct measuring_opts *m, const struct confirm_named *n,
		      struct err *e) MUST_USE;
