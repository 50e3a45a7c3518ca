/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch - the child's side of spawn: from clone to exec. Only spawn.c calls it.
 */
#pragma once

#include "sys/child.h"

/* Blocks until the child has exec'ed or ended. Negative with errno if there is none. */
pid_t launch_child(struct launch *l);
/* Tried once, remembered. */
enum bind_how launch_bind_how(void);
bool launch_can_isolate(void); /* fresh_pids */
