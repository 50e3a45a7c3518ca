/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks - how a program inside the guest talks to the plug-in: a long NOP that carries a number.
 *
 * The instruction is `nopl imm32(%rax,%rax,1)`, bytes 0f 1f 84 00 and a little-endian displacement of MARK_MAGIC | operation. On any
 * processor it does nothing, needs no privilege and no port, and it is recognised when it is translated, so that
 * code without marks pays nothing. Shared by the guest program and the plug-in; holds no code but the instruction itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARK_MAGIC UINT32_C(0x43554c00) /* "\0LUC" */
#define MARK_BYTES 8

enum mark {
	MARK_NONE = 0,
	MARK_BEGIN = 1, /* the window opens after this instruction */
	MARK_END = 2,	/* the window closes before this instruction */
	MARK_GATE = 3,	/* wait for the host's leave: guest time stands still */
};

/*
 * Executes one mark; `op` is a constant. The load behind it reads the mark's own bytes: from that one access the plug-in learns where in
 * the guest's memory a piece of code lies, which its API tells for data alone.
 */
#define MARK_EXECUTE(op)                                                                           \
	do {                                                                                       \
		uint32_t mark_load_;                                                               \
		__asm__ volatile("1: .byte 0x0f, 0x1f, 0x84, 0x00\n\t"                             \
				 ".long %c1\n\t"                                                   \
				 "movl 1b(%%rip), %0"                                              \
				 : "=r"(mark_load_)                                                \
				 : "i"(MARK_MAGIC | (op))                                          \
				 : "memory");                                                      \
	} while (0)

/* The mark that an instruction of `n` bytes is, or MARK_NONE. */
static inline enum mark mark_of(const uint8_t *bytes, size_t n)
{
	uint32_t value;

	if (n != MARK_BYTES || bytes[0] != 0x0f || bytes[1] != 0x1f || bytes[2] != 0x84 ||
	    bytes[3] != 0)
		return MARK_NONE;
	value = (uint32_t)bytes[4] | (uint32_t)bytes[5] << 8 | (uint32_t)bytes[6] << 16 |
		(uint32_t)bytes[7] << 24;
	if ((value & ~UINT32_C(0xff)) != MARK_MAGIC)
		return MARK_NONE;
	switch (value & 0xff) {
	case MARK_BEGIN:
		return MARK_BEGIN;
	case MARK_END:
		return MARK_END;
	case MARK_GATE:
		return MARK_GATE;
	}
	return MARK_NONE;
}
