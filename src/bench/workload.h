/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload - benchmarks that come with culprit: files in the form of culprit.yaml, one benchmark each, of the file's name.
 *
 * Sought in $CULPRIT_WORKLOADS (a folder), then beside the program: in the source tree it was built in, or where it is installed. A name with a slash is
 * a file of the user's. A name may have an argument behind a colon ("stress-ng:fork"), which becomes $CULPRIT_ARGUMENT and a part of the benchmark's name.
 */
#pragma once

#include "bench/benchmark.h"

struct workload {
	char *name, *path;
	char *argument;		       /* NULL = none given */
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

/* Does it belong to the suite? Every workload belongs to "all". */
bool workload_is_in(const struct workload *w, const char *suite);
/* The first suite that it names, or "". */
const char *workload_group(const struct workload *w);
/* What of its programs is not on this machine, and of what else it needs; appends nothing if it can run. */
void workload_missing(const struct workload *w, bool how, struct str *ret);
