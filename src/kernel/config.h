/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config - a kernel's .config as a sorted list of symbols: read, merged, written, compared.
 *
 * Pure. Names are without CONFIG_. "# CONFIG_X is not set" is the value "n"; to every comparison a symbol that is not mentioned is "n" as well,
 * since that is what it means to the build.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct kconfig_symbol {
	char *name, *value; /* y, m, n, 42, 0x10, or text with its quotes */
};
struct kconfig {
	struct kconfig_symbol *v; /* sorted by name, each once */
	size_t n, cap;
};
void kconfig_done(struct kconfig *c);
/* Adds the text's symbols to what is in `c`; the last one wins. Lines that set nothing are passed over. */
void kconfig_read(const char *text, size_t n, struct kconfig *c);
/* NULL if it is not mentioned. */
const char *kconfig_get(const struct kconfig *c, const char *name);
void kconfig_set(struct kconfig *c, const char *name, const char *value);
void kconfig_merge(struct kconfig *into, const struct kconfig *more);
/*
 * One symbol as people write it: "CONFIG_NUMA" or "NUMA", and y, m, n, a number, or text with or without quotes. A name or value that no .config
 * can hold: ERR_USAGE.
 */
int kconfig_change(struct kconfig *into, const char *name, const char *value,
		   struct err *e) MUST_USE;
/* A .config, sorted by name. */
void kconfig_write(const struct kconfig *c, struct str *out);
/*
 * Which symbols differ from `a` to `b`: the count, and into `out` (may be NULL) the first `max` as "NUMA n -> y, NR_CPUS 8 -> 64", then ", ...". In the order
 * of the names, those that a person can set by a prompt not told from others.
 */
size_t kconfig_diff(const struct kconfig *a, const struct kconfig *b, size_t max, struct str *out);
/* The same, of the symbols of `asked` alone: what was asked for and is not so in `got`: "NUMA=y (it is n)". */
size_t kconfig_missed(const struct kconfig *asked, const struct kconfig *got, size_t max,
		      struct str *out);
