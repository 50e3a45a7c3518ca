/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callgrind_cost - what each function of a program cost by itself, from a file that callgrind wrote.
 *
 * The format is valgrind's (Callgrind Format Specification, version 1): names are given once with a number and then by it, lines of cost follow the function that
 * they belong to, and the line after a `calls=` is the callee's, which has its own. Lines that came from other files by inlining belong to the function
 * that they were inlined into.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

struct function_cost {
	char *name; /* "OBJECT:FUNCTION", the object without its folder; "OBJECT:?" where it has no name */
	int64_t instructions;
};
struct function_costs {
	struct function_cost *v;
	size_t n, cap;
	size_t *slots, n_slots; /* hash of the names; 1 + place in v */
};
void function_costs_done(struct function_costs *c);

/* Adds one file's. ERR_BROKEN names the line that is none of the format's. */
int callgrind_cost_read(const char *path, struct function_costs *into, struct err *e) MUST_USE;
/* The section of functions (bench/section.h), by name. */
void callgrind_cost_put(struct function_costs *c, struct str *out);
