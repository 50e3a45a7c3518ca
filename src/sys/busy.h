/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * busy - which processes use the CPUs: two looks at /proc some time apart.
 *
 * Processes of one name count together (a compiler is many short ones). Those that begin and end between the looks are not seen.
 */
#pragma once

#include "base/str.h"

#include <stdint.h>

struct busy_process {
	int pid;
	char name[32];
	uint64_t ticks; /* of CPU time since it began */
};
struct busy {
	struct busy_process *v;
	size_t n, cap;
};
/* `root` is put before /proc; "" is this machine. What cannot be read is left out. */
void busy_read(const char *root, struct busy *ret);
void busy_done(struct busy *b);
/*
 * The names that used most between the two looks, at most three, each at least a hundredth of a CPU: "cc1 0.97, node 0.20". Ourselves are
 * left out. `seconds` lay between them. Empty if nobody did.
 */
void busy_between(const struct busy *before, const struct busy *after, double seconds,
		  struct str *out);
