/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine - what the guest's kernel says of itself and of the machine, for comparing two of them.
 *
 * Lines `GROUP NAME VALUE`: kernel, cpu, vulnerability, clock, sysctl, mm (of /sys/kernel/mm), module, slab (sizes of objects), dmesg (its lines as they are).
 */
#pragma once

#include "base/str.h"

void machine_describe(struct str *out);
/* The code symbols of /proc/kallsyms, modules included, as it prints them. False when the kernel hides them. */
bool machine_symbols(struct str *out);
