/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc - run one child to its end, in its own process group, with everything bounded.
 *
 * The child inherits stdin (/dev/null unless given), its two pipes and nothing else. At the
 * deadline the whole group gets SIGTERM, after a grace of 2 s SIGKILL, and so do descendants that
 * left the group (we are their subreaper while the child runs), so that nothing is left behind.
 * What outlives a child that ended by itself gets SIGTERM and half a second. Output past the
 * ceiling is read and dropped: it never blocks the child. The child has its own session, so no
 * terminal: what asks for a password fails at once. If culprit itself dies, the child dies
 * (PR_SET_PDEATHSIG, set from the main thread).
 *
 * May be called from several threads at once (reap.h tells whose an orphan is then).
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct counter_set; /* sys/counters.h */

struct proc_spec {
	const char *const *argv; /* argv[0] is looked up in PATH */
	const char *cwd;	 /* NULL = ours */
	const char *const *env;	 /* NULL = ours; else the whole environment */
	const char *stdin_bytes; /* NULL = /dev/null */
	size_t stdin_n;
	const char *stdin_path; /* a file instead */
	int64_t timeout_ns;	/* 0 = none */
	const char *pin;	/* CPU list "2-3,5" or NULL */
	int64_t grace_ns;	/* from SIGTERM to SIGKILL; 0 = 2 s */
	int64_t output_max;	/* bytes kept of each stream; 0 = 64 MiB */
	int64_t output_tail; /* of them, kept for the end of a stream that is longer: "[... N bytes
				dropped ...]" between */
	bool merge_stderr;   /* stderr goes into `out` too, in order */
	bool no_aslr;	     /* personality(ADDR_NO_RANDOMIZE) for counting measures */
	/*
	 * Process numbers from 1 on, where namespaces are allowed (else ignored): for counting measures, as programs print their
	 * numbers and their parents'. Nothing outlives the child then; not together with counters.
	 */
	bool fresh_pids;
	/*
	 * Descendants that outlive the child run on, until a run without `leave` ends: a server that `prepare` starts. Only for
	 * runs one after another, not beside runs of other threads.
	 */
	bool leave;
	bool foreground; /* terminal pass-through: stdin, stdout, stderr are ours (culprit shell) */
	const char *bind_from; /* private mount namespace with bind_from mounted on bind_to, where
				  allowed */
	const char *bind_to;
	/*
	 * In that namespace: folders that cannot be written to, and folders within them that can, besides bind_to; absolute, NULL-terminated,
	 * may be NULL. What cannot be mounted so is left as it is: this keeps accidents off, not attackers.
	 */
	const char *const *read_only, *const *writable;
	struct counter_set
		*counters;    /* counted over the whole tree if not NULL; made by counters_init */
	const char *cgroup;   /* directory of a cgroup to put the child in, or NULL */
	void (*tick)(void *); /* called about 4 times a second while waiting; may be NULL */
	void *tick_arg;
	bool (*stop)(void);   /* polled: true ends the child as at the deadline (^C); may be NULL */
	bool (*halt)(void *); /* the same for this child alone; may be NULL */
	void *halt_arg;
	int halt_fd; /* when it can be read, `halt` is asked at once; 0 = none */
	/* if not NULL, gets the output piece by piece; then only what is said of a failed start is in the strings. merged: is_err is false */
	void (*sink)(void *arg, bool is_err, const char *bytes, size_t n);
	void *sink_arg;
};

enum proc_end { PROC_EXITED, PROC_SIGNALLED, PROC_TIMED_OUT, PROC_STOPPED, PROC_NOT_STARTED };

struct proc_result {
	enum proc_end end;
	int status;	 /* exit status, or the signal's number */
	int64_t wall_ns; /* CLOCK_MONOTONIC from just before exec to the end of the main child */
	int64_t user_ns, sys_ns; /* of the whole tree, orphans included */
	int64_t max_rss_bytes;	 /* of the largest single process */
	/*
	 * What is not above this is not known of the child: Linux counts the memory of who starts a program as the program's until it is
	 * executed. 0 = not known.
	 */
	int64_t rss_floor_bytes;
	int64_t tree_peak_bytes; /* cgroup memory peak of the tree; -1 = not known */
	int64_t suspended_ns; /* progress of CLOCK_BOOTTIME beyond CLOCK_MONOTONIC: > 0 = suspended
				 midway */
	bool out_truncated, err_truncated; /* also when a tail was kept */
	bool is_crowded; /* thousands of sessions live: the oldest would outlive a culprit that is killed */
	unsigned orphans; /* descendants that outlived the main child and were ended */
	pid_t pid;
};

/* What a person should know of is_crowded. */
#define PROC_CROWDED                                                                               \
	"leftovers of earlier runs live by the thousand (setsid, daemons): if culprit is killed, the oldest of them stay"

/*
 * Returns 0 whenever a verdict on the child exists, whatever became of it. A command that cannot be
 * started (missing, not executable) is PROC_NOT_STARTED with return 0 and its reason in err_out (in
 * out, if err_out is NULL or merged). Negative only for failures of our own (fork, pipes, a CPU
 * list that is wrong, a stdin_path that cannot be opened). Either output may be NULL: it goes to
 * /dev/null.
 */
int proc_run(const struct proc_spec *spec, struct str *out, struct str *err_out,
	     struct proc_result *ret, struct err *e) MUST_USE;
/* Is this a list of CPUs, "2-3,5", that we may use? ERR_USAGE if not. */
int proc_check_pin(const char *list, struct err *e) MUST_USE;
/* Can this process give a child a private mount namespace with a bind mount? Tried once,
 * remembered. */
bool proc_can_bind(void);
/* "exit status 3", "signal 11 (Segmentation fault)", "deadline of 30 s passed", ... */
void proc_describe(const struct proc_result *r, int64_t timeout_ns, struct str *out);
