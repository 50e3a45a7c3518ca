/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounts - a child's own view of the mounts. For launch.c alone.
 */
#pragma once

#include "sys/child.h"

/* The flags of clone for it; 0 for none. */
int mounts_flags(enum bind_how how);
/*
 * In a child that was made with these flags: `from` at `to` if given, what is protected read-only, and a /proc of the new process
 * namespace if there is one. False with errno if that is not allowed.
 */
bool mounts_set(const struct launch *l, const char *from, const char *to);
/*
 * For the helper processes of spawn.c, which have one thread: the same mounts, kept, or made now to be kept. NULL where they cannot be; then
 * they are to be made in the child.
 */
const struct kept_mounts *mounts_keep(const struct launch *l);
/* In a copy of such a process: what it kept is not ours. */
void mounts_forget(void);
/* In the child: into l->kept; the folder is its root then. False with errno. */
bool mounts_enter(const struct launch *l);
