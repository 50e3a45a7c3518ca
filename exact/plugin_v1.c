/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Version 1 of the interface (QEMU 4.2 to 8.1): additions are compiled into the guest's code, and cost four host instructions each.
 */
#include "host.h"

#include <string.h>

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						enum qemu_plugin_op op, void *ptr, uint64_t imm);
void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw,
					  enum qemu_plugin_op op, void *ptr, uint64_t imm);

extern int qemu_plugin_version;
EXPORTED int qemu_plugin_version = 1;

const char *host_fits(const struct qemu_info_t *info)
{
	return info->version.min > 1 ? "this file speaks version 1 of the plug-in interface" : NULL;
}

size_t host_insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *bytes, size_t size)
{
	size_t n = qemu_plugin_insn_size(insn);

	if (n > size)
		n = size;
	memcpy(bytes, qemu_plugin_insn_data(insn), n);
	return n;
}

void host_add_executed(struct qemu_plugin_insn *insn, uint64_t *counter, uint64_t n)
{
	qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, counter, n);
}

void host_add_accessed(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw, uint64_t *counter,
		       uint64_t n)
{
	qemu_plugin_register_vcpu_mem_inline(insn, rw, QEMU_PLUGIN_INLINE_ADD_U64, counter, n);
}

void host_flushed(void)
{
}
