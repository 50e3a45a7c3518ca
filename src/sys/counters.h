/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters - the kernel's and the processor's event counters over a whole process tree, by perf_event_open.
 *
 * What the kernel refuses or the machine does not have is `not supported`, with the reason; it is never a zero. Where there are more events
 * than hardware counters the kernel counts each part of the time; then the value is scaled up and is_multiplexed is set.
 * Unprivileged users may be allowed to count user space only (perf_event_paranoid = 2): is_user_only.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <sys/types.h>

enum { COUNTERS = 10 };

struct counter {
	const char *name; /* as `perf list` has it: "cycles", "branch-misses" */
	const char *unit; /* "" or "s" */
	int fd;
	bool is_supported; /* and value holds */
	bool is_multiplexed;
	bool is_user_only;
	double counted; /* share of the time that it was on a hardware counter; 1 unless multiplexed */
	double value;
	char why[140]; /* not supported: because */
};
struct counter_set {
	struct counter v[COUNTERS];
};

/* What a test puts in the kernel's place: `open` is perf_event_open (-1 and errno), the file is kernel.perf_event_paranoid. */
struct perf_event_attr;
struct counter_host {
	long (*open)(struct perf_event_attr *a, pid_t pid);
	const char *paranoid_path;
};

/* All names, nothing open. */
void counters_init(struct counter_set *s);
/* Open for `pid` and what it will start; counting begins with its exec. What cannot be opened gets its reason. */
void counters_attach(struct counter_set *s, pid_t pid);
void counters_attach_on(const struct counter_host *h, struct counter_set *s, pid_t pid);
/* The counts so far; when the tree has ended, all of it. Closes. */
void counters_read(struct counter_set *s);
/* Sentences about values that are missing, are estimates or leave the kernel out; nothing if there are none. */
void counters_remarks(const struct counter_set *s, struct strvec *ret);
void counters_done(struct counter_set *s);
/* Tries each on ourselves: "cycles, instructions: no such hardware counter here; ..." of those not supported; empty if all are. */
void counters_probe(struct str *not_supported);
