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

#include "bench/benchmark.h"
#include "repo/variant.h"

struct repo;

struct build_request {
	struct repo *repo;
	const char *store_dir;
	const struct project *project;
	const struct variant *variant;
	unsigned
		layout; /* 0, or n: another code layout through CULPRIT_LAYOUT, CFLAGS -falign-functions etc. */
	unsigned jobs;
	const char *data_dir; /* $CULPRIT_DATA */
	bool learn_inputs;    /* record which tracked files the build reads (access times) */
	/* Called after the checkout and before the build with the tree's absolute path; may be NULL. */
	int (*overlay)(void *arg, const char *tree, struct err *e);
	void *overlay_arg;
	const char *
		overlay_key; /* what identifies the files it lays over: part of the build's key; may be NULL */
	const char *const *
		protect; /* folders that the build shall not write to, see place_protect; may be NULL */
	bool keep_failed; /* keep the tree of a build that failed, too (to look at it) */
	void (*tick)(void *);
	void *tick_arg;
	bool (*stop)(void);
};
struct build_result {
	enum outcome outcome;
	char *reason;  /* one line when not ok */
	char tree[65]; /* git tree of the variant */
	char artefact
		[65]; /* SHA-256 over the declared artefacts (or all files that the build made or changed) */
	char *path; /* "trees/KEY", relative to the store */
	char *remark; /* what the checkout had to leave out (an empty submodule, missing blobs), NULL = nothing */
	double seconds;
	struct str log; /* stdout and stderr of the build */
	char **inputs; /* learn_inputs: NULL-terminated sorted tracked paths that were read; folders that were listed end in '/'; NULL = not known */
};
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
