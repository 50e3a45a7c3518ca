/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * benchmark - a benchmark and a project as configured: what to build, what to run, how to read it.
 *
 * Records filled from culprit.yaml, -c and the command line (src/bench/config.c); strings live in the config's arena.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "model/model.h"
#include "text/keys.h"

enum measure { MEASURE_WALL, MEASURE_PERF, MEASURE_CALLGRIND };

/* What the section metrics.NAME says: of a metric that is read, or with a formula of one that is computed. */
struct formula_metric {
	const char *name, *formula, *unit; /* formula and unit may be NULL */
	enum better better;
	bool primary;
};

struct benchmark {
	const char *name;
	const char *command;
	const char *reader; /* name in the reader table; NULL = "lines" */
	const char *
		regex; /* POSIX extended; group 1 is the value; metric "value" (or named by regex_metric) */
	const char *regex_metric;
	const char *reject; /* an output line that matches means the run failed */
	const char **
		primary; /* NULL-terminated; empty = decided from what is read (config.c documents the order) */
	enum better better; /* of the primary metrics, when given */
	unsigned runs;	    /* least runs a visit (boot) */
	unsigned warmup;    /* runs discarded at the start of each visit */
	int64_t timeout_ns;
	const char *pin;
	const char **cpus; /* of its parts, in its own order: $CULPRIT_CPUS_1, ... */
	const char *prepare, *cleanup;
	const char **env; /* NAME=VALUE */
	const char **needs;
	const char **files; /* copied from the invoking checkout, frozen at the start of a hunt */
	double margin;	    /* 0 = the command's default */
	enum measure measure;
	const char *about;
	const char **suites;		   /* the names of groups that it belongs to */
	const char **arguments;		   /* the first is $CULPRIT_ARGUMENT; empty = takes none */
	const char **programs, **packages; /* of this machine; a guest gets copies */
	/* Of a guest; lists may be NULL. */
	const char **modules;
	const char *setup, *operations;
	const char **blind; /* what exact does not see of it */
};

struct project {
	const char *build; /* shell command; NULL = nothing to build */
	const char **
		artefacts; /* paths or globs in the tree; empty = the whole tree's new or changed files */
	const char *subdir;
	unsigned jobs; /* 0 = one for each CPU */
	int64_t build_timeout_ns;
	const char **inputs; /* extra globs of files that matter */
	int64_t cache_bytes; /* the ceiling of kept trees, hunt/evict.h */
};

struct kernel_config {
	const char **
		config; /* a make target or a .config, then fragments, in order; see kernel/kbuild.h */
	const char **fixups; /* patch files, applied to every commit that takes them */
};

struct target_config {
	const char *name;
	int64_t memory_bytes;  /* 0 = the target's default */
	const char **programs; /* copied into the guest with their libraries */
	const char *kernel;    /* deb= or image=: for what is no kernel itself */
	const char *cpu;
	unsigned smp;
	const char *cmdline;
	const char **devices, **modules;
	int64_t boot_timeout_ns;
	const char *model; /* NULL = none: counts only */
};

/* Lists are NULL-terminated and never NULL; texts that were not given are NULL. */
struct config {
	struct arena arena;
	const char *path; /* culprit.yaml that was read, or NULL */
	bool bench_given; /* the flag made or changed "default": it is the one that is meant */
	struct project project;
	struct kernel_config kernel;
	struct benchmark *benchmarks;
	size_t n_benchmarks;
	struct formula_metric *metrics;
	size_t n_metrics;
	struct target_config *targets;
	size_t n_targets;
};
void config_done(struct config *c);

/* A file that lies under the user's own (bench/workload.h). */
struct config_base {
	const char *path;
	const char *
		argument; /* before those of its benchmark, which gets it behind its name: "stress-ng" is "stress-ng-fork" then; NULL = none */
};
/*
 * Read `workload` (NULL = none), then `path` (NULL = none), then each "key.path=value" of `overrides`, then the flags' values (`build`, `bench`; NULL = not given: `bench`
 * makes the benchmark called "default"). Errors carry FILE:LINE. Defaults are filled in.
 */
int config_load(const struct config_base *workload, const char *path, const char *const *overrides,
		const char *build, const char *bench, struct config *ret, struct err *e) MUST_USE;
/* The same from a text in memory; `name` stands in messages. NULL text = no file. */
int config_parse(const char *name, const char *text, size_t n, const char *const *overrides,
		 const char *build, const char *bench, struct config *ret, struct err *e) MUST_USE;
/* By name; NULL name = the one of --bench, else the only one, or an error that lists them. */
int config_benchmark(const struct config *c, const char *name, const struct benchmark **ret,
		     struct err *e) MUST_USE;
/* Everything that defines a measurement, as canonical JSON: hashed and stored as the hunt's question. */
void config_fingerprint(const struct config *c, struct str *out);
const struct formula_metric *config_metric(const struct config *c,
					   const char *name); /* NULL if not declared */
const struct target_config *config_target(const struct config *c,
					  const char *name); /* NULL if not declared */

/* The one table of keys (text/keys.h): reader, -c, culprit.yaml(5), the example, the comments of `culprit init`. */
extern const struct conf_key config_keys[];
