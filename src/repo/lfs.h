/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lfs - puts the content of git-lfs files into a checkout, where the user has it. Private to src/repo.
 *
 * git-lfs is not run (it would fetch): a pointer file names its content by SHA-256, which lies in GITDIR/lfs/objects or not. Pointers whose
 * content is not there stay, and a remark counts them.
 */
#pragma once

#include "repo/worktree.h"

/* For the checkout `t`, from the user's git directory `common_dir`. */
int lfs_fill(const struct worktree *t, const char *common_dir, struct str *why,
	     struct err *e) MUST_USE;
