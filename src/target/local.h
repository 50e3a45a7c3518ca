/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * local - the target that runs programs on this machine.
 *
 * Readings of its own: wall (s, from just before exec to the end of the command), user and sys (s, of the whole process tree, daemons
 * that outlived it included), max-rss (B, of the largest single process), the counters of sys/counters.h with `measure: perf`; under
 * callgrind `instructions` alone. tree-peak (B, of the whole tree, by a control group) only where `primary` names it: to move a process
 * into a group makes the kernel wait for all CPUs, some 10 ms a run.
 */
#pragma once

#include "target/target.h"

extern const struct target_ops target_local;
