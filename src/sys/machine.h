/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine - facts about this host, for the record of a hunt and for `doctor`.
 *
 * Read from /proc and /sys; what cannot be read is "not known" (an empty text, -1), never a guess.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct machine {
	char cpu[128];	   /* model name */
	char kernel[160];  /* release and build */
	char governor[32]; /* of the CPUs online; "mixed" */
	char clocksource[32];
	char hypervisor
		[96]; /* what the machine says it is, if it is virtual: "QEMU", "Amazon EC2" */
	char container[32];
	unsigned cpus;	       /* online */
	unsigned cpus_allowed; /* for this process */
	int turbo;	       /* 1 on, 0 off, -1 not known; so are the next */
	int smt;
	int aslr; /* kernel.randomize_va_space: 0, 1, 2 */
	int perf_paranoid;
	int nmi_watchdog;
	int numa_balancing;
	int on_battery;
	int64_t memory_bytes, memory_free_bytes;
	int64_t swap_bytes, swap_used_bytes;
	double load;		     /* of the last minute; -1 */
	int running;		     /* processes that want a CPU now, without us; -1 */
	double cgroup_cpus;	     /* quota; 0 = no limit */
	int64_t cgroup_memory_bytes; /* 0 = no limit */
	/* since boot, in the kernel's ticks, over all CPUs; -1 = not known */
	int64_t ticks, ticks_idle, ticks_steal;
};
/* `root` is put before every path: "" for this machine, a folder of samples for tests. */
void machine_read(const char *root, struct machine *ret);
/* Shares (0..1) of all CPUs' time between two readings; -1 = not known. */
void machine_between(const struct machine *before, const struct machine *after, double *ret_busy,
		     double *ret_steal);
