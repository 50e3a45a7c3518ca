/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * git - the one place that starts git.
 *
 * git is run as a program with an argument array (no shell), in a fixed environment: no locale, no pager, no prompt, no
 * optional lock, no hook, no replacement refs, no user or system configuration, and nothing from the network. What the
 * repository's own configuration says is read; the keys in it that could run something are overridden.
 *
 * That git ended with a status other than 0 is a result, not an error: many questions are answered that way.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct git_at {
	const char *
		git_dir; /* GIT_DIR; NULL: git looks for it from cwd, with the caller's GIT_DIR and the like */
	const char *work_tree;	 /* GIT_WORK_TREE; NULL: none is named */
	const char *index;	 /* GIT_INDEX_FILE; NULL: the usual one */
	const char *cwd;	 /* NULL: git_dir, else the current folder */
	const char *stdin_bytes; /* NULL: /dev/null */
	size_t stdin_n;
	int64_t date; /* of commits that are made; their author is always "culprit" */
	bool user_config; /* read the user's and the system's configuration (only to list files or keys) */
	const char *const *safe_dirs; /* NULL-terminated values of safe.directory */
};

struct git_result {
	struct str out, err;
	int status;
};
#define GIT_RESULT_INIT                                                                            \
	{                                                                                          \
		STR_INIT, STR_INIT, 0                                                              \
	}
void git_result_done(struct git_result *g);

/* Runs `git ARGS...` (NULL-terminated). Negative only if git is missing, was killed or printed more than 4 GiB: ERR_ENV. */
int git_run(const struct git_at *at, const char *const *args, struct git_result *ret,
	    struct err *e) MUST_USE;
/* As git_run, but a status other than 0 is ERR_ENV "git ARG0: its own reason". */
int git_check(const struct git_at *at, const char *const *args, struct git_result *ret,
	      struct err *e) MUST_USE;
/* git_check, and the first line of the output (without its newline) in *ret_line; the caller frees. */
int git_line(const struct git_at *at, const char *const *args, char **ret_line,
	     struct err *e) MUST_USE;
#define GIT_ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* git's own reason for a failure, without "fatal: " and hints; owned by the result. */
const char *git_reason(struct git_result *g);
/* The newest version that is needed is 2.38 (merge-tree --write-tree). ERR_ENV in words for an older or a missing git. */
int git_check_version(struct err *e) MUST_USE;
/* Is this text a full object name (40 or 64 lower-case hexadecimal digits)? */
bool git_is_oid(const char *text);
