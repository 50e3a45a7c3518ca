/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reap - what a child leaves behind: orphans in its group, in other sessions, daemons; ended and
 * accounted.
 *
 * We are the subreaper of everything we start, so a descendant whose parent ended becomes our own
 * child. Our children are therefore: the main children of the runs in progress, what existed before
 * the first of them (a pager; never touched), and orphans. With one run in progress every orphan is
 * its own; with several (parallel builds) an orphan in the session of a run belongs to that run,
 * and one that made its own session is ended when the last of them ends.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct reap {
	pid_t pid;  /* main child; session and group of its descendants; -1 = none */
	bool ended; /* it has been waited for: its number no longer protects anything */
	int64_t user_ns, sys_ns; /* of what was waited for */
	int64_t max_rss_bytes;
	unsigned orphans; /* alive when the main child had ended */
	struct reap *next;
};

/* In a fork whose descriptors were all closed: nothing of what is known is ours. */
void reap_forget(void);
/* Before the child is started: notes which children are not ours to touch. Holds a lock until
 * reap_started. */
void reap_begin(struct reap *r);
/* The main child's number; -1 if none could be made (reap_end is still due). */
void reap_started(struct reap *r, pid_t pid);
/* Wait for orphans that have ended by themselves, so that they do not pile up. */
void reap_collect(struct reap *r);
/* After the main child was waited for: SIGTERM to what is left, SIGKILL after the grace, until
 * nothing is. */
void reap_end(struct reap *r, int64_t grace_ns);
/* Instead of reap_end: let what is left run on. A later reap_end ends it too, without accounting it to its own run. */
void reap_leave(struct reap *r);
void reap_account(struct reap *r, const struct rusage *ru);
