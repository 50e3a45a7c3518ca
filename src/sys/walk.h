/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk - every entry of a tree, with descriptors, without following links and without changing access times (where the kernel
 * lets us).
 */
#pragma once

#include "base/err.h"

#include <sys/stat.h>

struct walk_entry {
	const char *path; /* relative to the root: "a/b" */
	int dir_fd;	  /* of the folder that holds it */
	const char *name; /* in it */
	const struct stat *st;
};

enum { WALK_ON = 0, WALK_SKIP = 1 /* do not descend into this folder */ };

/*
 * Calls `visit` for all entries below root, a folder before what is in it, in no particular order. A negative return of visit ends
 * the walk and is returned. Entries that vanish meanwhile and folders that cannot be opened are passed over.
 */
int walk_tree(const char *root, int (*visit)(void *arg, const struct walk_entry *x, struct err *e),
	      void *arg, struct err *e) MUST_USE;
