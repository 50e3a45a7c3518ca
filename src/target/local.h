/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * local - the target that runs programs on this machine.
 *
 * Readings of its own: wall (s, from just before exec to the end of the command), user and sys and their sum cpu (s, of the whole process tree, daemons that
 * outlived it included), max-rss (B, of the largest single process), tree-peak (B, where a cgroup can be had), counters; under
 * callgrind `instructions` alone.
 */
#pragma once

#include "target/target.h"

extern const struct target_ops target_local;
