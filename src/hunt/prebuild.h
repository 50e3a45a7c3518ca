/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prebuild - several variants built side by side, where the user asked for it with -j, so that measuring finds them all made.
 */
#pragma once

#include "hunt/measure.h"

struct prebuild_item {
	const struct variant *variant;
	unsigned layout;
	bool learn_inputs; /* see build.h; kept beside the tree */
};
/*
 * Builds what is not in the cache, as many at once as the CPUs asked for allow, each with its share of $JOBS. Builds that fail are
 * results, journaled like any other. Nothing runs while they build: measuring comes after.
 */
int prebuild(struct session *s, const struct prebuild_item *items, size_t n,
	     struct err *e) MUST_USE;
