/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally - the counters that generated code adds to, and what is read from them.
 *
 * They only grow; a window is a difference of two readings. Subtractions are done by adding the two's complement, so
 * a single difference is meaningful while the sum may have wrapped.
 */
#pragma once

#include <stdint.h>

enum tally_kind {
	TALLY_USER, /* instructions below the middle of the address space, a repeated string instruction as one */
	TALLY_KERNEL, /* those above it */
	TALLY_LOADS,
	TALLY_STORES,
	TALLY_BOTH, /* accesses of instructions that load as often as they store: half of them are either */
	TALLY_ATOMICS,	 /* locked instructions */
	TALLY_REP,	 /* iterations of repeated string instructions, but for cmps */
	TALLY_REP_BYTES, /* bytes that they moved or looked at */
	TALLY_PAIR_USER, /* loads of repeated cmps: two an iteration, not yet taken from TALLY_USER */
	TALLY_PAIR_KERNEL, /* the same for the kernel */
	TALLY_PAIR_BYTES,
	TALLY_COUNT
};

struct tally {
	uint64_t v[TALLY_COUNT];
};

static inline struct tally tally_minus(const struct tally *a, const struct tally *b)
{
	struct tally d;

	for (int i = 0; i < TALLY_COUNT; i++)
		d.v[i] = a->v[i] - b->v[i];
	return d;
}

static inline void tally_plus(struct tally *a, const struct tally *b)
{
	for (int i = 0; i < TALLY_COUNT; i++)
		a->v[i] += b->v[i];
}
