/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * releases - a list of kernels that exist, as a history: what `bisect --over` searches.
 *
 * Each entry is a variant of its own ("deb=PACKAGE=VERSION", "image=PATH"), and its text is what commits' names are elsewhere.
 */
#pragma once

#include "repo/dag.h"
#include "repo/variant.h"

/*
 * `over` is a pattern ("deb=linux-image-6.12.*", oldest version first) or a file: one entry a line, oldest first, '#' begins a comment. Names
 * of packages are made exact: *ret has "deb=NAME=VERSION". ERR_USAGE for fewer than two, an entry twice, or something that is no kernel.
 */
int releases_list(const char *over, struct strvec *ret, struct err *e) MUST_USE;
/*
 * The chain from `good` to `bad`, which are entries or parts of one that no other has; NULL = the first and the last. ERR_USAGE if an end is not
 * in the list or the order is wrong.
 */
int releases_range(const struct strvec *list, const char *good, const char *bad, struct range *ret,
		   struct err *e) MUST_USE;
/* Is a node's name a release, not a commit? */
bool releases_is_one(const char *node);
/* The variant of a node of either kind. */
void releases_variant(const char *node, struct variant *ret);
/* Without "deb=" and the version: for people. The caller frees. */
char *releases_short(const char *node) MUST_USE;
