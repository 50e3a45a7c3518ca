/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mirror - culprit's own bare repository: STORE/repo.git, or that of a submodule.
 *
 * It holds no history of its own: objects come from another object store through alternates, and what culprit makes (trees of
 * reverted or patched revisions) is written here. The lender is only read.
 */
#pragma once

#include "base/err.h"

struct mirror_from {
	const char *objects; /* the lender's object folder, absolute */
	const char *more;    /* further folders, ':' between them, or NULL */
	const char
		*shallow;   /* path of the lender's `shallow` file, which may be missing; or NULL */
	const char *format; /* "sha1" or "sha256" */
	const char *refs;   /* "OBJECT REFNAME\n", sorted by name */
};
/* Creates `git_dir` or brings it up to date; writes only files whose content changes. */
int mirror_refresh(const char *git_dir, const struct mirror_from *from, struct err *e) MUST_USE;
/*
 * Declares the folder `work_dir` (absolute, need not exist) a linked worktree of git_dir at commit `oid`: writes the administrative
 * files and returns their folder in *ret_admin (the caller frees), which is the GIT_DIR for filling it.
 */
int mirror_attach(const char *git_dir, const char *work_dir, const char *oid, char **ret_admin,
		  struct err *e) MUST_USE;
/* Their folder: worktrees/NAME-HASH. The caller frees. */
char *mirror_admin_dir(const char *git_dir, const char *work_dir) MUST_USE;
/* Removes these files; nothing there is fine. */
int mirror_detach(const char *git_dir, const char *work_dir, struct err *e) MUST_USE;
