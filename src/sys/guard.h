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

/* A child was started. */
void guard_add(pid_t leader);
/* Waits until `fd` has something to read or has ended (false only if it cannot be waited for), and notices meanwhile which leaders end. */
bool guard_wait(int fd);
/* SIGKILL to every process of the sessions that are known, until there is none, for a second at most. */
void guard_end(void);
