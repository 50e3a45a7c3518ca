/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup - the memory peak of a whole process tree, where we may make a control group.
 *
 * ru_maxrss is of the largest single process; only the kernel's memory controller knows the tree's own peak (page cache and kernel memory
 * that it caused included). v2: memory.peak (Linux 5.19); v1: memory.max_usage_in_bytes. Elsewhere "not known".
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

/*
 * The folder in which we may make groups (the caller frees), or NULL where that is not possible: no rights, no controller. Groups that
 * a killed culprit left there are removed on the way.
 */
char *cgroup_parent(void) MUST_USE;
/*
 * The folders that are tried for that, best first, from the texts of /proc/self/mounts and /proc/self/cgroup. Reads limits of our own group,
 * makes nothing.
 */
struct strvec;
void cgroup_folders(const char *mounts, const char *groups, struct strvec *ret);
/*
 * A new group; NULL if that fails. One for each run: page cache that a run leaves stays charged to its group, and would be the next one's
 * floor.
 */
char *cgroup_make(const char *parent) MUST_USE;
/* Bytes; -1 = not known. */
int64_t cgroup_peak(const char *dir);
/* NULL is fine. */
void cgroup_remove(const char *dir);
