/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repo - the user's git repository, seen from a safe distance.
 *
 * culprit never writes into the user's repository or checkout. It works in a bare repository of its own under the store's
 * folder (STORE/repo.git) that borrows the user's objects through alternates and holds copies of the user's tags and heads, so that
 * `git describe` in a build gives what it gives the user; checkouts for builds borrow from it in turn. git is run as a program.
 *
 * repo_open, repo_prepare and repo_resolve belong to one thread; repo_commit, repo_git and the variant_ functions of variant.h may then be
 * called from several at once.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct repo;

/*
 * Finds the repository from `start` (a folder inside it; NULL = the current one); bare, linked worktree and SHA-256 repositories work;
 * a shallow or partial clone works and says so in repo_notes. ERR_USAGE "not a git repository (or any parent): ..." otherwise.
 */
int repo_open(const char *start, struct repo **ret, struct err *e) MUST_USE;
void repo_close(struct repo *r);
/* Where the store of this repository is by default: TOP/.culprit, for a linked worktree the main worktree's; for a bare one GITDIR/culprit. */
const char *repo_default_store(const struct repo *r);
const char *repo_top(const struct repo *r); /* the checkout's root, or the bare repository */
/*
 * The folders that are the user's: the checkout, that of the main worktree, and .git; NULL-terminated, added to *ret. A checkout that holds the
 * home folder is left out: programs keep their caches there.
 */
void repo_folders(const struct repo *r, struct strvec *ret);
const char *repo_prefix(
	const struct repo *r); /* where the user stands below the root: "" or "sub/dir/" */
const char *repo_notes(const struct repo *r); /* "shallow clone: history ends at ...", or "" */
/* Creates or refreshes STORE/repo.git. Call once before resolving anything. */
int repo_prepare(struct repo *r, const char *store_dir, struct err *e) MUST_USE;

/* Full object name of the commit that `rev` names. Unknown, ambiguous (lists the candidates), option-like: ERR_USAGE in one line. */
int repo_resolve(struct repo *r, const char *rev, char ret_oid[65], struct err *e) MUST_USE;
/* First line of the message, abbreviated name (12 or as many as needed), date; cached. Owned by repo. */
struct commit_info {
	const char *oid, *abbrev, *subject, *author, *tree;
	int64_t time;
};
int repo_commit(struct repo *r, const char *oid, struct commit_info *ret, struct err *e) MUST_USE;
/* Is `path` (relative to the checkout's root) a file that git neither tracks nor ignores there? Never without a checkout. */
int repo_is_untracked(struct repo *r, const char *path, bool *ret, struct err *e) MUST_USE;
/* Run git in STORE/repo.git with plumbing arguments (NULL-terminated list); output into `out`. */
int repo_git(struct repo *r, struct str *out, struct err *e, ...) MUST_USE
	__attribute__((sentinel));
/* The same with the arguments in an array that ends with NULL. */
int repo_git_args(struct repo *r, const char *const *args, struct str *out, struct err *e) MUST_USE;
