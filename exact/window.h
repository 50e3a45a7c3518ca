/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window - what was counted between a BEGIN and an END mark, as one line of JSON.
 *
 * Pure bookkeeping over counters that others advance: the tests drive it without an emulator.
 */
#pragma once

#include "cache.h"
#include "marks.h"
#include "symbols.h"
#include "tally.h"

#include <stdio.h>

struct window_cpu {
	struct tally total, at_begin; /* this CPU's share of the tally */
	uint64_t event_at_begin[CACHE_EVENTS];
};

struct window {
	bool open;
	long run;	     /* number of the next window */
	unsigned misplaced;  /* BEGIN in an open window, END without one, since the last line */
	struct tally shared; /* what generated code adds to, on behalf of `cpu` */
	struct tally folded; /* its part that was already given to a CPU */
	struct window_cpu *cpus;
	uint32_t ncpus, cpu;
	const struct cache_model *model; /* NULL: counts only */
	struct symbols *symbols;	 /* NULL: none */
};

/* False when there is no memory. `first_run` is the number of the first window. */
bool window_init(struct window *w, uint32_t ncpus, long first_run, const struct cache_model *model,
		 struct symbols *symbols);
void window_done(struct window *w);

/* From now on generated code runs on another CPU. */
void window_switch(struct window *w, uint32_t cpu);
void window_begin(struct window *w);
/* Writes the line (nothing without an open window: that is counted as misplaced) and flushes. */
void window_end(struct window *w, FILE *out);
