/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build - a variant made runnable, at one canonical path, cached.
 *
 * The tree is checked out to STORE/trees/KEY and seen, by the build and by the benchmark alike, at STORE/src (a private mount namespace
 * binds it there, so several can be used at once; where that is not allowed the tree is renamed to STORE/src for the time of use, one at a time).
 * Reproducible environment: LC_ALL, TZ, SOURCE_DATE_EPOCH, a fixed umask; `ccache` in front of the compilers where it is present.
 * The whole tree is kept and run there. What counts as a build's artefact is in bench/artefact.h.
 */
#pragma once

#include "bench/build_request.h"

void build_result_done(struct build_result *r);
/* The cache's key: tree id + changes + recipe + toolchain + layout. Fails like variant_tree (ret_ok). */
int build_key(const struct build_request *q, char ret_key[65], char ret_tree[65], bool *ret_ok,
	      struct str *why, struct err *e) MUST_USE;
/*
 * Build it. Any outcome of the build is a result; negative = our own failure: disk full (ERR_ENV), stopped (ERR_STOPPED). Then, and after
 * an outcome that is not ok (but for keep_failed), no tree stays and path is "".
 * A checkout that fails and changes that do not apply are OUTCOME_SKIPPED.
 */
int build_run(const struct build_request *q, const char *key, struct build_result *ret,
	      struct err *e) MUST_USE;
/* Look again after runs of this tree: what they read is added to the saved inputs. Nothing to do where none were learnt. */
int build_inputs_again(const char *store_dir, const char *path, struct err *e) MUST_USE;
/* The inputs that were learnt when this kept tree was built (saved beside it as STORE/trees/KEY.inputs), or NULL. */
char **build_saved_inputs(const char *store_dir, const char *path) MUST_USE;
/* "gcc 12.2.0, ld 2.40, ..." of the compilers that are found; part of the key. */
void build_toolchain(struct str *out);
