/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run - one execution of a benchmark's command on this machine, and what it says.
 *
 * prepare, the command under `sh -c` (timed alone), cleanup (always, if prepare was started). What goes wrong is an outcome with
 * one line that says what the benchmark printed or did; only what culprit itself cannot do is an error. Processes that
 * `prepare` leaves (a server) live until cleanup has ended.
 */
#pragma once

#include "bench/benchmark.h"
#include "sys/proc.h"

struct run_result {
	enum outcome outcome;
	char *reason;		  /* one line when not ok */
	struct readings readings; /* empty unless ok: the target's own first, then the reader's */
	size_t n_standard;	  /* how many are the target's own (wall, user, ...) */
	bool whole_output; /* every non-blank line of stdout was a reading: the output is meant for us */
	struct str output; /* stdout then stderr, bounded */
	struct strvec
		remarks; /* what a reader of the values should know: a counter that was scaled up */
	double seconds;
	int64_t suspended_ns; /* > 0: the machine slept meanwhile; the run is void, whatever it says */
};
void run_result_done(struct run_result *r);

/* What the runs of one boot must agree on: the metrics and units of its first good run. Zero = nothing yet. */
struct run_memory {
	struct readings first;
	bool is_set;
};
void run_memory_done(struct run_memory *m);

struct run_setting {
	const struct benchmark *benchmark;
	const struct config
		*config; /* its metrics are computed and declared (bench/formula.h); may be NULL */
	const char *const *env; /* whole environment of the children */
	const char *cwd;
	const char *bind_from, *bind_to; /* as in proc_spec */
	const char *const *read_only, *const *writable;
	const char *scratch; /* an existing folder for callgrind's files */
	bool functions; /* what they cost goes behind the output (bench/section.h), where it is counted */
	const char *cgroup_parent; /* where a group can be made for each run, or NULL */
	void (*tick)(void *);
	void *tick_arg;
	bool (*stop)(void);
};
/* What can be said before anything runs: reader, regex, reject, pin, tools and, where it runs `here` and not in a guest, `needs`. ERR_USAGE or ERR_ENV. */
int run_check(const struct benchmark *b, bool here, struct err *e) MUST_USE;
/* What a run came to that was not a child of ours: in a guest. */
struct run_given {
	const char *out, *err; /* stdout and stderr */
	size_t out_n, err_n;
	struct proc_result proc;
	const struct readings *standard; /* in the place of wall, user, ... */
};
/* Judges it as run_once judges a child: outcome, reason, the target's own readings, then the reader's. */
int run_judge(const struct run_setting *s, const struct run_given *given, struct run_memory *memory,
	      struct run_result *ret, struct err *e) MUST_USE;
/* ERR_STOPPED if the user asked for it meanwhile. */
int run_once(const struct run_setting *s, struct run_memory *memory, struct run_result *ret,
	     struct err *e) MUST_USE;
