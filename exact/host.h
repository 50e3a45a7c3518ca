/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host - what differs between the versions of QEMU's plug-in interface, behind three calls.
 *
 * plugin_v1.c has them for version 1 (QEMU 4.2 to 8.1), plugin_v2.c for 2 and later. Each also holds the symbol
 * qemu_plugin_version, by which QEMU decides whether it loads the file at all.
 */
#pragma once

#include "qemu_plugin.h"

#include <stdio.h>

/* NULL, or why this QEMU does not fit (static text). */
const char *host_fits(const struct qemu_info_t *info);
/* Copies at most `size` bytes of the instruction; returns how many. */
size_t host_insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *bytes, size_t size);
/* Adds `n` to *counter each time the instruction is about to be executed. The counter must outlive the process. */
void host_add_executed(struct qemu_plugin_insn *insn, uint64_t *counter, uint64_t n);
/* The same for each of its data accesses of kind `rw`. */
void host_add_accessed(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw, uint64_t *counter,
		       uint64_t n);
/* All code made so far was thrown away: what the counters' records held may be freed. */
void host_flushed(void);
