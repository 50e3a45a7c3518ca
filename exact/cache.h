/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache - the memory system that the plug-in models: which accesses would miss in which cache, and what that would cost.
 *
 * Each CPU has an L1 for data, an L1 for instructions, an L2 behind both and a second-level TLB; last-level caches of several sizes
 * stand side by side behind the L2s and see the same misses, so that one pass gives the answer for all of them. All are set-associative, LRU,
 * 64-byte lines, allocate on every miss, hold no line exclusively and prefetch nothing. With several CPUs a store removes the line from the other
 * CPUs' L1 and L2 (a directory of the last writer says when that can be needed).
 *
 * It is a model: it says which way misses go, never how long anything takes. Addresses are physical line numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE_SHIFT 6
#define CACHE_LLCS 4 /* the configured one, then the presets of 1, 8 and 32 MiB */
#define CACHE_PRESETS 3

/* Cycles that one event adds to one cycle an instruction; typical of server processors since 2017 (Intel's and AMD's optimization manuals
 * give 14 and 12 to 14 cycles for the L2, 40 to 70 for the last level). */
enum {
	CACHE_L2_CYCLES = 14,
	CACHE_LLC_CYCLES = 50,
	CACHE_MEMORY_CYCLES = 200,
	CACHE_WALK_CYCLES = 30
};
#define CACHE_REP_BYTES_PER_CYCLE 32

struct cache {
	uint64_t *
		lines; /* sets * ways, the most recently used first; a free place holds CACHE_FREE */
	uint32_t mask; /* number of sets - 1 */
	uint32_t ways;
};
#define CACHE_FREE UINT64_MAX

/* Sizes in bytes; sets = size / (64 * ways) must be a power of two. */
struct cache_shape {
	uint64_t size;
	uint32_t ways;
};

struct cache_config {
	struct cache_shape l1d, l1i, l2, llc;
};

/* 32K/8, 32K/8, 1M/16, 8M/16. */
struct cache_config cache_config_default(void);
/*
 * "default", or changes to it: "l1d:48K/12+llc:32M/16". Returns NULL, or a text that says what is wrong with it (static).
 */
const char *cache_config_parse(struct cache_config *c, const char *spec);

/* Counted events; they only grow. */
enum cache_event {
	CACHE_L1D_REFS,
	CACHE_L1D_MISSES,
	CACHE_L1I_REFS, /* lines fetched, one for each line that a block of code enters */
	CACHE_L1I_MISSES,
	CACHE_L2_REFS,
	CACHE_L2_MISSES,  /* = references of the last level */
	CACHE_LLC_MISSES, /* of the configured one, then of each preset */
	CACHE_LLC_MISSES_1M,
	CACHE_LLC_MISSES_8M,
	CACHE_LLC_MISSES_32M,
	CACHE_WALKS, /* pages that were not in a second-level TLB of 1536 entries */
	CACHE_CROSS, /* misses of a CPU's own caches on a line that another CPU wrote last */
	CACHE_EVENTS
};
extern const char *const cache_event_names[CACHE_EVENTS];

struct cache_cpu {
	struct cache l1d, l1i, l2, tlb;
	uint64_t last_data; /* the line of the last data access, CACHE_FREE when it may be gone */
	uint64_t last_fetch;
	uint64_t event[CACHE_EVENTS];
};

struct cache_model {
	struct cache_config config;
	struct cache llc[CACHE_LLCS];
	struct cache_cpu *cpu;
	uint32_t cpus;
	uint8_t *
		owner; /* by line: 1 + the last writer, with CACHE_OWNED while only it may hold the line; NULL with one CPU */
	uint64_t owner_lines;
};

/* What became of one access: how far it had to go. */
enum cache_level { CACHE_L1, CACHE_L2, CACHE_LLC, CACHE_MEMORY };

/* False when there is no memory. `memory` is the guest's memory in bytes (0: unknown; then no line is known as another CPU's). */
bool cache_model_init(struct cache_model *m, const struct cache_config *config, uint32_t cpus,
		      uint64_t memory);
void cache_model_done(struct cache_model *m);

enum cache_level cache_data(struct cache_model *m, uint32_t cpu, uint64_t line, bool store);
enum cache_level cache_fetch(struct cache_model *m, uint32_t cpu, uint64_t line);
/* One page is used; `page` carries whatever makes it unique (an address space). */
void cache_page(struct cache_model *m, uint32_t cpu, uint64_t page);

/*
 * Modelled cycles from differences: `instructions` without the iterations of string instructions, their bytes, the events, and which of the
 * CACHE_PRESETS last-level caches.
 */
uint64_t cache_cycles(uint64_t instructions, uint64_t rep_bytes, const uint64_t event[CACHE_EVENTS],
		      unsigned preset);

/* One cache by itself, for the tests. */
bool cache_init(struct cache *c, struct cache_shape shape);
void cache_done(struct cache *c);
/* True when the line is there; afterwards it is, as the most recently used one. */
bool cache_touch(struct cache *c, uint64_t line);
void cache_drop(struct cache *c, uint64_t line);
