/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prior - how likely each commit is before anything is measured: what it touches, and whom the user suspects.
 *
 * Weights are relative and never zero for a candidate: a wrong prior costs runs, not correctness (the search floors them again).
 */
#pragma once

#include "repo/dag.h"

/* A commit that touches nothing which the build or the benchmark reads, relative to one that does. */
#define PRIOR_CANNOT_MATTER 1e-3
/* A merge that differs from each parent only by what the others bring: it can still join two harmless halves. */
#define PRIOR_CLEAN_MERGE 0.05
#define PRIOR_SUSPECT 20.0

enum { PRIOR_ORDINARY = 0, PRIOR_IDLE = 1, PRIOR_MERGE = 2 };
/*
 * Fills flags[n]: PRIOR_IDLE for commits that cannot matter, PRIOR_MERGE for merges that bring nothing of their own. Returns how many are idle.
 * `inputs`: one sorted list per learnt build: "path" for a tracked file that was read, "!path" for one that was not, "dir/" for
 * a folder that was listed (the root is "./"). n_inputs 0 = not known: nothing is idle then.
 */
uint32_t prior_from_inputs(const struct range *range, const struct touched *touched,
			   char **const *inputs, size_t n_inputs, const char *const *extra_globs,
			   uint8_t *flags);
/* Multiply the weights by what the flags say. */
void prior_apply(struct range *range, const uint8_t *flags);
/* A path prefix or glob that the user suspects: every candidate that touches it gains weight. Returns how many did. */
uint32_t prior_suspect_path(struct range *range, const struct touched *touched, const char *path);

/* The flags as text for the journal, "prior: idle 0,4-17,90; merges 3", and back; false if it is not such a text. */
void prior_write(const uint8_t *flags, uint32_t n, struct str *out);
bool prior_read(const char *text, uint8_t *flags, uint32_t n);
