/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insn - what the plug-in must know of one x86-64 instruction, from its bytes.
 *
 * Not a disassembler: four questions whose wrong answer would be a wrong count (repeated string instruction, locked access, loads or
 * stores, change of the page tables), and one whose wrong answer is only slow (can it be counted together with the next one).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How one iteration of a repeated string instruction shows itself among the memory accesses. */
enum insn_rep {
	INSN_REP_NONE,
	INSN_REP_MOVE, /* movs: one load and one store */
	INSN_REP_ONE,  /* stos, lods, scas, ins, outs: one access */
	INSN_REP_PAIR, /* cmps: two loads */
};

/* What the data accesses of an instruction are, if it makes any. */
enum insn_memory {
	INSN_MIXED, /* not known from the opcode */
	INSN_LOADS,
	INSN_STORES,
	INSN_BOTH, /* as many loads as stores */
};

struct insn {
	enum insn_rep rep;
	enum insn_memory memory;
	unsigned rep_size; /* bytes that one iteration moves or looks at */
	bool atomic;	   /* lock prefix, or xchg with memory */
	bool quiet; /* certainly touches no memory, raises no fault, ends no block in the middle */
	bool cr3,
		flush; /* writes cr3; invalidates translations in another way (cr0, cr4, invlpg, invpcid) */
};

/* `n` <= 15 bytes of 64-bit code. Code of other modes (the guest's first microseconds) may be misread. */
struct insn insn_decode(const uint8_t *bytes, size_t n);
