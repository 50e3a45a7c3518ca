/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * section - what a target knows of a run beside its readings, as text behind the run's output: a blank line, a title in brackets, one line for each entry.
 *
 * The output before it is the benchmark's and may hold anything, a title too: the last one of a title counts.
 */
#pragma once

#include "base/str.h"

#include <stdint.h>

/* Counters of the guest's /proc across the window. */
#define SECTION_EVENTS "events of the window: name, before, after"
/* Lines as section_put_function makes them. */
#define SECTION_FUNCTIONS "functions: instructions, data, code and memory misses, name"

void section_begin(struct str *out, const char *title);
/* The first line of the last section with this title; NULL if there is none. */
const char *section_find(const char *text, const char *title);
/* The line at *at, which moves behind it; false at the section's end. */
bool section_line(const char **at, const char **ret_line, size_t *ret_n);

struct section_function {
	double instructions, misses[3]; /* data, code, memory */
	const char *
		name; /* "longest_match", of another program or a library "libz.so.1:adler32"; may have blanks; not terminated */
	size_t name_n;
};
void section_put_function(struct str *out, const char *name, const int64_t counts[4]);
bool section_function(const char *line, size_t n, struct section_function *ret);
