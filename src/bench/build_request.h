/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_request - what is asked of a build and what comes of it: the records of build.h, which makers of builds share.
 */
#pragma once

#include "bench/benchmark.h"
#include "repo/variant.h"

struct repo;

struct build_request;
struct build_result;
/*
 * Another way to make builds than project.build in a tree of its own: kernel/kbuild.h. What it makes goes to the same place, under the
 * same key and with the same outcomes.
 */
struct build_maker {
	void *arg;
	const char *
		recipe; /* all that decides about its builds besides the tree, as text: part of the key */
	bool one_at_a_time; /* it works in one place: no builds side by side */
	/* As variant_tree. */
	int (*tree)(void *arg, const struct build_request *q, bool *ret_ok, char ret_tree[65],
		    struct str *why, struct err *e);
	/*
	 * As build_run; `dir` is absolute and not there, and shall be when the outcome is ok. Fills outcome, reason, tree, artefact, remark and
	 * log, and where it knows them the inputs.
	 */
	int (*make)(void *arg, const struct build_request *q, const char *dir,
		    struct build_result *ret, struct err *e);
};

struct build_request {
	struct repo *repo;
	const char *store_dir;
	const struct project *project;
	const struct variant *variant;
	const struct build_maker *maker; /* NULL = project.build in a tree of its own */
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
