/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kstat - the kernel's own event counts before and after a run, and their difference.
 *
 * Names: stat.ctxt, stat.cpu0.user; vmstat.pgfault; irq.LOC.cpu0; softirq.TIMER.cpu0; task.PID.COMM (how often a
 * task was put on a CPU, from schedstat; only tasks that live at both ends). A file that the kernel does not have adds nothing.
 */
#pragma once

#include "base/mem.h"
#include "base/str.h"

struct counter {
	char *name;
	uint64_t value;
};

struct kstat {
	struct counter *v;
	size_t n, cap;
};

void kstat_done(struct kstat *c);
/* Each adds what one file says; the texts are the files' contents. */
void kstat_add_stat(struct kstat *c, const char *text);
void kstat_add_vmstat(struct kstat *c, const char *text);
/* /proc/interrupts and /proc/softirqs: a head of CPUs, then `NAME: count...`; `prefix` is "irq" or "softirq". */
void kstat_add_per_cpu(struct kstat *c, const char *prefix, const char *text);

/* All of them now. `self` is left out of the tasks. */
void kstat_read(struct kstat *c, int self);
/* Sorted lines `name before after` of what differs; sorts both. */
void kstat_put_changes(struct str *out, struct kstat *before, struct kstat *after);

/* Time that all CPUs together spent on anything but waiting, in ticks; from /proc/stat's text. */
uint64_t kstat_busy_ticks(const char *stat_text);
