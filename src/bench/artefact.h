/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * artefact - what a build made, as one hash: equal hashes are one candidate, measured once.
 *
 * With `artefacts` declared: those files (paths or globs, where the commands run; a folder counts with all it holds). A declared one that
 * is missing is a failed build.
 *
 * Without: every file that the build made or changed, except by-products (objects, dependency and log files, caches of build
 * systems); and of the tracked files every one that may matter at run time. If the build made a program or a shared library, sources of
 * compiled languages and documentation are taken not to; if it made none, the whole tree counts. So a changed comment in a C
 * program is no new candidate, and a changed script, table or Python module always is. A benchmark that itself compiles tracked
 * sources should declare its artefacts.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct snapshot;

/* The state of a tree before its build. `.git` is not part of it. */
int snapshot_take(const char *root, struct snapshot **ret, struct err *e) MUST_USE;
void snapshot_free(struct snapshot *s);

/*
 * The hash over what is there after the build; `extra` (may be "") is part of it. Declared artefacts that are missing: *ret_missing
 * names the first (the caller frees), and the hash is not set.
 */
int artefact_hash(const char *root, const char *subdir, const char *const *declared,
		  const struct snapshot *before, const char *extra, char ret[65],
		  char **ret_missing, struct err *e) MUST_USE;
