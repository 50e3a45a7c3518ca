/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Versions 2 and later of the interface (QEMU 8.2 and later). UNTESTED: written from the interface's documentation, never run.
 *
 * They dropped additions to a fixed place in favour of one place a CPU; every addition is a call here, which is slower but means the same,
 * and needs only what all these versions have. From version 3 on an instruction's bytes are copied out instead of lent.
 */
#include "host.h"

#include <stdlib.h>
#include <string.h>

/* One symbol, two forms: lent bytes up to version 2, copied ones from 3 on. Which one this QEMU has is known when it loads us. */
const void *insn_data_lent(const struct qemu_plugin_insn *insn) __asm__("qemu_plugin_insn_data");
size_t insn_data_copied(const struct qemu_plugin_insn *insn, void *dest,
			size_t size) __asm__("qemu_plugin_insn_data");

extern int qemu_plugin_version;
EXPORTED int qemu_plugin_version = 2;

struct addition {
	struct addition *next;
	uint64_t *counter, n;
};

static struct addition *additions;
static int interface;

const char *host_fits(const struct qemu_info_t *info)
{
	interface = info->version.cur;
	if (info->version.cur < 2)
		return "this file speaks versions 2 and later of the plug-in interface";
	return NULL;
}

size_t host_insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *bytes, size_t size)
{
	size_t n = qemu_plugin_insn_size(insn);

	if (n > size)
		n = size;
	if (interface >= 3)
		return insn_data_copied(insn, bytes, n);
	memcpy(bytes, insn_data_lent(insn), n);
	return n;
}

static struct addition *remember(uint64_t *counter, uint64_t n)
{
	struct addition *a = malloc(sizeof(*a));

	if (!a) {
		fprintf(stderr, "culprit-exact: out of memory\n");
		exit(1);
	}
	*a = (struct addition){ additions, counter, n };
	additions = a;
	return a;
}

static void on_executed(unsigned int vcpu, void *udata)
{
	struct addition *a = udata;

	(void)vcpu;
	*a->counter += a->n;
}

static void on_accessed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	(void)info, (void)vaddr;
	on_executed(vcpu, udata);
}

void host_add_executed(struct qemu_plugin_insn *insn, uint64_t *counter, uint64_t n)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, on_executed, QEMU_PLUGIN_CB_NO_REGS,
					       remember(counter, n));
}

void host_add_accessed(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw, uint64_t *counter,
		       uint64_t n)
{
	qemu_plugin_register_vcpu_mem_cb(insn, on_accessed, QEMU_PLUGIN_CB_NO_REGS, rw,
					 remember(counter, n));
}

void host_flushed(void)
{
	while (additions) {
		struct addition *a = additions;

		additions = a->next;
		free(a);
	}
}
