/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsonvalue - the pieces that JSON formats share: numbers out of values into a gather.
 */
#pragma once

#include "reader/gather.h"
#include "text/json.h"

/* The benchmark's name, from a text. NULL is "". */
void jsonvalue_bench(struct gather *g, const char *name);
/*
 * The number at `path` (of `v` itself if NULL) is one more sample of the metric. Absent or null: false, and nothing is taken. Anything else that is
 * no number is a problem.
 */
bool jsonvalue_take(struct gather *g, const struct gather_metric *m, const struct json *v,
		    const char *path);
/* Every number of the list there, in order; how many. */
size_t jsonvalue_take_list(struct gather *g, const struct gather_metric *m, const struct json *v,
			   const char *path);
/* Their mean as one sample; one alone as it is written. An empty list is nothing. */
void jsonvalue_take_mean(struct gather *g, const struct gather_metric *m, const struct json *list);
