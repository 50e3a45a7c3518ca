/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn - start one program, with everything that must happen between clone and exec.
 *
 * The child is a leader of its own session and group (no terminal: a program that asks for a password fails at once
 * instead of hanging), has three descriptors and no other, default signals, an empty signal mask, no core dumps, and dies
 * with us. The caller waits for it (wait4 on the pid): it is our child. Nothing here waits.
 *
 * It is made by a helper process that was forked from us while we were small: Linux counts the memory of the process that calls exec
 * into the new program's ru_maxrss (the peak is inherited through exec), so that a child of a culprit that holds 200 MB would be
 * reported with 200 MB at least. The helper is forked at the first call from the main thread.
 */
#pragma once

#include "base/err.h"
#include "sys/launch.h"

struct spawned {
	pid_t pid;
	int64_t start_ns;  /* CLOCK_MONOTONIC just before exec */
	const char *stage; /* NULL = running; else what failed before or at exec: "exec", "chdir",
			      ... */
	int error;	   /* its errno */
	bool was_at_gate;
	bool is_crowded; /* so many sessions live that the guard had to forget one (guard.h) */
};

/* To be called first, before the caller looks at its children: makes the helper if there is none. */
void spawn_prepare(void);
/* Negative if no child could be made at all. With a stage set the child has ended and must still be waited for. */
int spawn_child(const struct spawn *s, struct spawned *ret, struct err *e) MUST_USE;
/*
 * A server: a small process that runs `server` on the ends of two socket pairs, one to hear on and one to answer on, and ends when that
 * returns. Two, since who waits for an answer on the socket that it asked by is woken once when the question is taken from it. We get the other
 * ends. It has nothing else open (its 0, 1, 2 are /dev/null), a session of its own, and makes children itself (spawn_child). It is no child of ours but
 * the helper's, and ends by itself when the sockets do. Its number; negative if there can be none here.
 */
pid_t spawn_server(void (*server)(int in, int out), int *ret_to, int *ret_from);
bool spawn_is_alone(void); /* are we one? */
/* Can a child have a mount namespace with a bind mount? Tried once, remembered. */
bool spawn_can_bind(void);
