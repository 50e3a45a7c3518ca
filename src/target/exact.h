/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exact - a kernel, or a program under one, in QEMU's emulator, whose clock is the count of instructions: the guest's time is work.
 *
 * A boot is a guest that was made ready and stands at its gate. Equal seeds give equal boots, to the last digit of every reading and
 * every byte of output, on any host under any load; other seeds perturb what has no meaning (where the clock's tick falls, the size
 * of the environment, the random numbers, the length of the command line). Readings: wall (s of the guest's clock), max-rss (B), what the
 * plug-in counted in the window, events of the guest's /proc. With more than one CPU only counts: they are emulated in turn.
 */
#pragma once

#include "target/target.h"

extern const struct target_ops target_exact;
/* The same guest under KVM, where that works: real time, so noise is real; wall is the guest's clock, and there are no counters. */
extern const struct target_ops target_vm;
