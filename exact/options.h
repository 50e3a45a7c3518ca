/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options - the plug-in's arguments, as QEMU hands them over: `-plugin FILE,out=PATH,gate=PATH,...`.
 */
#pragma once

#include "cache.h"

struct options {
	const char *out; /* one line of JSON for each window is appended; required */
	const char *
		gate; /* a FIFO: at a GATE mark one byte is awaited, 'r' goes on, 'q' or its end ends QEMU; NULL: no gate */
	const char *symbols; /* names for addresses, see symbols.h; NULL: none */
	bool model;	     /* the cache model runs inside windows */
	bool blocks; /* count by blocks of code even with one CPU (to measure what it costs) */
	struct cache_config cache;
	long warmup; /* the first window is number -warmup */
	uint64_t
		memory; /* the guest's memory in bytes, for lines that another CPU wrote; 0: 64 GiB are assumed */
};

/*
 * Borrows the arguments. Returns 0, or -1 after writing one line that says which argument is wrong into `why`.
 */
int options_parse(struct options *o, int argc, char **argv, char *why, size_t why_size);
