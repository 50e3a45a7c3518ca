/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard - which sessions are running, and their end. For the helper process of spawn.c alone: one thread, no locks.
 *
 * Every child leads a session of its own, whose number is the child's. A number cannot be given to another process while the session has
 * a member; one that has ended and whose session is empty is forgotten after a second.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* A child was started. False if a session that is not empty had to be forgotten for it: 4096 are known at most. */
bool guard_add(pid_t leader);
/* Waits until `fd` has something to read or has ended, and notices meanwhile which leaders end, if it takes longer than a short run. */
void guard_wait(int fd);
/* SIGKILL to every process of the sessions that are known, until there is none, for a second at most. */
void guard_end(void);
