/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variant - what is measured: a revision plus changes (DESIGN section 2), and its tree on disk.
 *
 *   v5.14   v5.14:revert=44042b4   v5.14:revert=MERGE,2   v5.14:patch=fix.diff   v5.14:pick=f26b3fa   v5.14:env.FOO=1   image=PATH
 *
 * The text is cut at a ':' only where a known key and '=' follow, so "HEAD^{/fix: x}" and paths survive.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct repo;

enum change_kind {
	CHANGE_REVERT,
	CHANGE_PATCH,
	CHANGE_PICK,
	CHANGE_ENV,
	CHANGE_CMDLINE,
	CHANGE_SYSCTL,
	CHANGE_CONFIG,
	CHANGE_MODULES,
};
struct change {
	enum change_kind kind;
	char *key; /* FOO of env.FOO, vm.x of sysctl.vm.x; of a patch its file as given; else NULL */
	char *value; /* a full object name, the patch's bytes' hash, an absolute folder, the text */
	char *patch; /* CHANGE_PATCH: the bytes */
	size_t patch_n;
	unsigned
		parent; /* CHANGE_REVERT, CHANGE_PICK of a merge: against which parent, counted from 1; 0 = not said: the first */
};
struct variant {
	char *text;  /* as given */
	char *rev;   /* its revision as given; NULL for image= and deb= */
	char *oid;   /* full object name of the revision; NULL for image= and deb= */
	char *image; /* image=PATH, made absolute, or NULL */
	char *deb;
	struct change *changes;
	size_t n_changes;
};
/*
 * Only the cutting up: text and rev (which may be an unknown one), image, deb, and the changes with their keys and values as given.
 * Needs no repository and reads no file. Malformed changes: ERR_USAGE.
 */
int variant_scan(const char *text, struct variant *ret, struct err *e) MUST_USE;
/*
 * Parses and resolves. A name that is both a file and a revision: ERR_USAGE that asks for ./NAME or a full ref. Relative paths start
 * where the repository was opened from. `r` may be NULL (outside a repository): then only image= and deb= are possible.
 */
int variant_parse(struct repo *r, const char *text, struct variant *ret, struct err *e) MUST_USE;
void variant_done(struct variant *v);
/* A variant of a plain commit. */
void variant_of_commit(const char *oid, struct variant *ret);
/* "v5.14 without 44042b449872", "v5.14 with fix.diff": for people. */
void variant_describe(const struct variant *v, struct str *out);
/* Canonical text of oid + changes: part of a build's key. */
void variant_key(const struct variant *v, struct str *out);

/*
 * Check the variant's tree out into `dir` (must not exist) with its changes applied. DIR/.git is a repository of its own that borrows objects, so
 * git describe works there, a build may tag and commit, and all is gone with the folder. With changes, HEAD is a commit of culprit's on
 * top of the revision. Submodules and git-lfs files are filled from what the user has. Every file has one modification time, the revision's date.
 *
 * On ok *ret_tree is the resulting tree's object name (equal trees, equal names) and `why` has remarks, "" mostly: files that this copy of the
 * repository lacks and that are left out, a submodule that stays empty, git-lfs files that stay pointers, a merge reverted against its first parent.
 * A checkout that fails, a revert, patch or pick that conflicts or changes nothing: returns 0 with *ret_ok = false, the reason in `why`
 * and no `dir`. Negative only for our own failures (no space left, git missing).
 */
int variant_checkout(struct repo *r, const struct variant *v, const char *dir, bool *ret_ok,
		     char ret_tree[65], struct str *why, struct err *e) MUST_USE;
/*
 * The same into a `dir` that an earlier call filled: only what differs is written, and gets the time of now, so that make builds what
 * depends on it and nothing else; what is not tracked stays. A missing `dir` is checked out. After a failure (ret_ok false or negative) `dir`
 * is of no commit, and can be moved again. Not for repositories with submodules or git-lfs files: those are not moved.
 */
int variant_move(struct repo *r, const struct variant *v, const char *dir, bool *ret_ok,
		 char ret_tree[65], struct str *why, struct err *e) MUST_USE;
/* The resulting tree without a checkout (git merge-tree / a scratch index); same results. For the cache's key. */
int variant_tree(struct repo *r, const struct variant *v, bool *ret_ok, char ret_tree[65],
		 struct str *why, struct err *e) MUST_USE;

/* Why a tree cannot be had. */
enum refusal_kind {
	REFUSAL_NONE,
	REFUSAL_CONFLICT, /* a revert or pick, in `paths` */
	REFUSAL_EMPTY,	  /* a change that changes nothing */
	REFUSAL_OTHER, /* a patch that does not apply, a parent that is not there, ...: `why` says it */
};
struct refusal {
	enum refusal_kind kind;
	size_t change; /* the first change that could not be made */
	struct strvec paths;
};
void refusal_done(struct refusal *f);
/* As variant_tree, and what kind of refusal it was, without `paths` if there are none. *ret_refusal is the caller's (refusal_done). */
int variant_try(struct repo *r, const struct variant *v, char ret_tree[65],
		struct refusal *ret_refusal, struct str *why, struct err *e) MUST_USE;
