/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worktree - the folders that one checkout filled: its own and those of its submodules, each a linked worktree of a repository of
 * culprit's. Private to src/repo.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct worktree {
	char *git_dir;	/* the bare repository that it belongs to */
	char *work_dir; /* absolute */
	char *admin;	/* its administrative files: its GIT_DIR */
};
struct worktrees {
	struct worktree *v; /* [0] is the outermost */
	size_t n, cap;
};
void worktrees_done(struct worktrees *w);
/*
 * Declares work_dir a worktree of git_dir and checks commit `head` out into it. Files whose content is missing from the repository are
 * left out and named in `why`. *ret_ok = false with the reason in `why` if git cannot (a tree is missing, or half of the files). What was
 * begun is in `w` in any case.
 */
int worktree_fill(struct worktrees *w, const char *git_dir, const char *work_dir, const char *head,
		  bool *ret_ok, struct str *why, struct err *e) MUST_USE;
/* Makes the indexes agree with the files' times, so that nothing looks changed to `git describe --dirty`; writes the list of submodules. */
int worktrees_settle(struct worktrees *w, struct err *e) MUST_USE;
/* Removes the folders and their administrative files. */
void worktrees_undo(struct worktrees *w);
/* Removes the administrative files of work_dir and of the submodules that were in it. */
int worktree_forget(const char *git_dir, const char *work_dir, struct err *e) MUST_USE;
/* Did the machine fail git (no space, read-only), rather than the history? By its message. */
bool worktree_machine_failed(const char *git_stderr);
