/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * submodule - fills the submodules of a checkout from what the user has of them. Private to src/repo.
 *
 * Nothing is cloned or fetched: a submodule that the user has not initialised, or whose commit is not there, stays an empty folder, and a
 * remark says so.
 */
#pragma once

#include "repo/worktree.h"

/* Whose submodules: where their repositories may be. */
struct submodule_lender {
	const char *git_dir, *common_dir; /* GITDIR/modules/NAME */
	const char *top;		  /* TOP/PATH/.git, of old; NULL: no checkout */
	const char *format;
};
/* Fills those of w->v[0], and theirs in turn. Remarks are appended to `why`. */
int submodules_fill(struct worktrees *w, const struct submodule_lender *lender, struct str *why,
		    struct err *e) MUST_USE;
