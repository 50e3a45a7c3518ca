/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload - benchmarks that come with culprit: files in the form of culprit.yaml, one benchmark each, of the file's name.
 *
 * Sought in $CULPRIT_WORKLOADS (a folder), then beside the program: in the source tree it was built in, or where it is installed. A name with a slash is
 * a file of the user's.
 */
#pragma once

#include "bench/benchmark.h"

struct workload {
	char *name, *path;
	struct config config;	       /* of the file alone */
	const struct benchmark *bench; /* its only one, in config */
};
void workload_done(struct workload *w);
struct workloads {
	struct workload *v;
	size_t n, cap;
};
void workloads_done(struct workloads *w);

/* By name or file; ERR_USAGE with what there is, or for a file that is none. */
int workload_open(const char *name, struct workload *ret, struct err *e) MUST_USE;
/* All that are found, sorted by name. None at all: ERR_ENV that says where they were sought. */
int workload_list(struct workloads *ret, struct err *e) MUST_USE;

/*
 * "stress-ng (apt install stress-ng)": the programs of the benchmark that are not on this machine; appends nothing if all are. Of a package that is not
 * in Debian's main it says in which component it is, and with `how` what to do for that.
 */
void workload_missing(const struct benchmark *b, bool how, struct str *ret);
