/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evict - the ceiling of kept trees, held while a hunt builds.
 *
 * After a build the trees of other hunts go, least recently used first, until all together are below `project.cache`: first those that
 * no open hunt needs, then the others, which can be built again. Kernels, their packages and initramfs images count and go the same way. The running hunt's own never go; if they alone are above the
 * ceiling, that is said once.
 */
#pragma once

#include "hunt/session.h"

/* Journaled before the files go, so that a kill in between leaves a folder that nobody claims. */
int evict_trees(struct session *s, struct err *e) MUST_USE;
/*
 * What all that takes in a store, by remembered sizes (STORE/trees/KEY.size; made where missing), and how many builds there are.
 */
int evict_usage(struct store *st, int64_t *ret_bytes, size_t *ret_n, struct err *e) MUST_USE;
