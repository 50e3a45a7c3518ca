/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn - start one program, with everything that must happen between clone and exec.
 *
 * The child is a leader of its own session and group (no terminal: a program that asks for a
 * password fails at once instead of hanging), has three descriptors and no other, default signals,
 * an empty signal mask, no core dumps, and dies with us. The caller waits for it (wait4 on the
 * pid); nothing here waits.
 */
#pragma once

#include "base/err.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct spawn {
	const char *path;	 /* of the program, looked up already */
	const char *const *argv; /* at least one */
	const char *const *env;
	const char *cwd;       /* NULL = ours */
	int fd[3];	       /* become 0, 1, 2 */
	const cpu_set_t *cpus; /* NULL = ours */
	size_t cpus_size;
	bool no_aslr;
	bool foreground;       /* our session, group and terminal */
	const char *bind_from; /* NULL = no mount namespace */
	const char *bind_to;
	const char *cgroup; /* directory, or NULL */
};

struct spawned {
	pid_t pid;
	int64_t start_ns;  /* CLOCK_MONOTONIC just before exec */
	const char *stage; /* NULL = running; else what failed before or at exec: "exec", "chdir",
			      ... */
	int error;	   /* its errno */
};

/* Negative if no child could be made at all. With a stage set the child has ended and must still be
 * waited for. */
int spawn_child(const struct spawn *s, struct spawned *ret, struct err *e) MUST_USE;
/* Can a child have a mount namespace with a bind mount? Tried once, remembered. */
bool spawn_can_bind(void);
