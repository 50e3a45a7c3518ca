/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite - one measuring command for each workload of a suite, one after the other.
 */
#pragma once

#include "cli/measuring.h"

/* Is m->workload the name of a suite, and of no workload? */
bool suite_is_meant(const struct measuring_opts *m);

/*
 * Calls `one` with m->workload and m->argv as if each workload had been named, in the list's order; what cannot run here is named with the reason and
 * passed over. The commands' exit status is the worst: a failure, then "worse", then "undecided". With --json their answers come as one object.
 */
int suite_run(struct measuring_opts *m, const char *command, int (*one)(void *arg), void *arg);
