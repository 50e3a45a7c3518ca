/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worktree - the folders that one checkout filled: its own and those of its submodules, each with a repository of its own in .git.
 * Private to src/repo.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "repo/git.h"
#include "repo/mirror.h"

struct worktree {
	char *work_dir; /* absolute */
	char *git_dir;	/* WORK_DIR/.git */
};
struct worktrees {
	struct worktree *v; /* [0] is the outermost */
	size_t n, cap;
};
void worktrees_done(struct worktrees *w);
/* How git is run in it. */
struct git_at worktree_at(const struct worktree *t);
/*
 * Makes work_dir a checkout of commit `head`. Files whose content is missing from the repository are left out and named in `why`. *ret_ok = false with
 * the reason in `why` if git cannot (a tree is missing, or half of the files). What was begun is in `w` in any case.
 */
int worktree_fill(struct worktrees *w, const struct mirror_from *from, const char *work_dir,
		  const char *head, bool *ret_ok, struct str *why, struct err *e) MUST_USE;
/* Makes the indexes agree with the files' times, so that nothing looks changed to `git describe --dirty`. */
int worktrees_settle(struct worktrees *w, struct err *e) MUST_USE;
/* Did the machine fail git (no space, read-only), rather than the history? By its message. */
bool worktree_machine_failed(const char *git_stderr);
