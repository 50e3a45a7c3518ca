/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the prefixes, then a table of opcode ranges for `quiet`. An instruction is quiet only when it is listed and its operand
 * is a register: everything unknown counts as loud, so an omission costs a counter update and never a wrong count.
 * Division is loud (it may fault), and so is all of SSE and x87 (a fault when the unit is off).
 *
 * Loads or stores are told by the opcode because QEMU 7.2 does not: an addition that is registered for loads alone runs for stores
 * alone, one for stores alone runs for both. An opcode that is not listed is left to a call that looks at each access.
 */
#include "insn.h"

struct prefixes {
	bool lock, rep, f3, opsize, rexw;
	size_t n;
};

static struct prefixes read_prefixes(const uint8_t *b, size_t n)
{
	struct prefixes p = { 0 };

	for (; p.n < n; p.n++) {
		switch (b[p.n]) {
		case 0xf0:
			p.lock = true;
			continue;
		case 0xf3:
			p.f3 = true;
			p.rep = true;
			continue;
		case 0xf2:
			p.rep = true;
			continue;
		case 0x66:
			p.opsize = true;
			continue;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0x67:
			continue;
		}
		break;
	}
	if (p.n < n && (b[p.n] & 0xf0) == 0x40) {
		p.rexw = b[p.n] & 8;
		p.n++;
	}
	return p;
}

/* What an opcode is, by itself. The low bits are an enum insn_memory. */
enum {
	L = INSN_LOADS,
	S = INSN_STORES,
	B = INSN_BOTH,
	MEMORY = 3,
	R = 4,	   /* quiet when its operand is a register */
	Q = 8,	   /* quiet */
	G = 16,	   /* depends on the middle field of the byte behind it */
	MOVE = 32, /* string instructions, when repeated */
	ONE = 64,
	PAIR = 128,
};

/* clang-format off */
static const uint8_t one_byte[256] = {
	/* add or adc sbb and sub xor: to memory, from memory, with a constant; cmp only reads */
	[0x00 ... 0x01] = B | R, [0x02 ... 0x03] = L | R, [0x04 ... 0x05] = Q,
	[0x08 ... 0x09] = B | R, [0x0a ... 0x0b] = L | R, [0x0c ... 0x0d] = Q,
	[0x10 ... 0x11] = B | R, [0x12 ... 0x13] = L | R, [0x14 ... 0x15] = Q,
	[0x18 ... 0x19] = B | R, [0x1a ... 0x1b] = L | R, [0x1c ... 0x1d] = Q,
	[0x20 ... 0x21] = B | R, [0x22 ... 0x23] = L | R, [0x24 ... 0x25] = Q,
	[0x28 ... 0x29] = B | R, [0x2a ... 0x2b] = L | R, [0x2c ... 0x2d] = Q,
	[0x30 ... 0x31] = B | R, [0x32 ... 0x33] = L | R, [0x34 ... 0x35] = Q,
	[0x38 ... 0x3b] = L | R, [0x3c ... 0x3d] = Q,
	[0x50 ... 0x57] = S,	     /* push */
	[0x58 ... 0x5f] = L,	     /* pop */
	[0x63] = L | R,		     /* movsxd */
	[0x68] = S, [0x6a] = S,	     /* push */
	[0x69] = L | R, [0x6b] = L | R, /* imul */
	[0x6c ... 0x6d] = S | ONE,   /* ins */
	[0x6e ... 0x6f] = L | ONE,   /* outs */
	[0x70 ... 0x7f] = Q,	     /* jcc */
	[0x80 ... 0x81] = G | R, [0x83] = G | R,
	[0x84 ... 0x85] = L | R,     /* test */
	[0x86 ... 0x87] = B | R,     /* xchg */
	[0x88 ... 0x89] = S | R,     /* mov */
	[0x8a ... 0x8b] = L | R,
	[0x8c] = S, [0x8d] = Q,	     /* mov from a segment, lea */
	[0x8f] = B,		     /* pop to memory */
	[0x90 ... 0x99] = Q,	     /* nop, xchg, cwde, cdq */
	[0x9c] = S, [0x9d] = L,	     /* pushf, popf */
	[0xa0 ... 0xa1] = L, [0xa2 ... 0xa3] = S,
	[0xa4 ... 0xa5] = B | MOVE,  /* movs */
	[0xa6 ... 0xa7] = L | PAIR,  /* cmps */
	[0xa8 ... 0xa9] = Q,	     /* test */
	[0xaa ... 0xab] = S | ONE,   /* stos */
	[0xac ... 0xaf] = L | ONE,   /* lods, scas */
	[0xb0 ... 0xbf] = Q,	     /* mov */
	[0xc0 ... 0xc1] = B | R,     /* shifts */
	[0xc2 ... 0xc3] = L,	     /* ret */
	[0xc6 ... 0xc7] = S | R,     /* mov */
	[0xc9] = L,		     /* leave */
	[0xd0 ... 0xd3] = B | R,     /* shifts */
	[0xe8] = S, [0xe9] = Q, [0xeb] = Q, /* call, jmp */
	[0xf6 ... 0xf7] = G, [0xfe ... 0xff] = G,
};

/* Behind 0f; VEX code shares these. */
static const uint8_t two_bytes[256] = {
	[0x10] = L, [0x11] = S, [0x12] = L, [0x13] = S, /* vector moves */
	[0x14 ... 0x16] = L, [0x17] = S,
	[0x1f] = Q,					/* long nop */
	[0x28] = L, [0x29] = S, [0x2a] = L, [0x2b] = S, [0x2c ... 0x2f] = L,
	[0x40 ... 0x4f] = L | R,			/* cmov */
	[0x50 ... 0x70] = L, [0x74 ... 0x76] = L,	/* vector arithmetic */
	[0x7e] = S, [0x7f] = S,
	[0x80 ... 0x8f] = Q,				/* jcc */
	[0x90 ... 0x9f] = S | R,			/* setcc */
	[0xa0] = S, [0xa8] = S,				/* push fs, gs */
	[0xa3] = L | R,					/* bt */
	[0xa4 ... 0xa5] = B | R, [0xab] = B | R,	/* shld, bts */
	[0xac ... 0xad] = B | R, [0xaf] = L | R,	/* shrd, imul */
	[0xb0 ... 0xb1] = B, [0xb3] = B | R,		/* cmpxchg, btr */
	[0xb6 ... 0xb7] = L | R, [0xb8] = L,		/* movzx, popcnt */
	[0xba] = G | R, [0xbb] = B | R,
	[0xbc ... 0xbf] = L | R,			/* bsf, bsr, movsx */
	[0xc0 ... 0xc1] = B,				/* xadd */
	[0xc2] = L, [0xc3] = S, [0xc4] = L, [0xc6] = L, /* movnti */
	[0xc8 ... 0xcf] = Q,				/* bswap */
	[0xd0 ... 0xd5] = L, [0xd6] = S, [0xd8 ... 0xe6] = L, [0xe7] = S,
	[0xe8 ... 0xf6] = L, [0xf8 ... 0xfe] = L,
};
/* clang-format on */

static unsigned string_size(uint8_t op, struct prefixes p)
{
	if (!(op & 1))
		return 1;
	if (op == 0x6d || op == 0x6f) /* ports know no 64 bits */
		return p.opsize ? 2 : 4;
	return p.rexw ? 8 : p.opsize ? 2 : 4;
}

/* The instructions whose opcode is spread over the byte behind it: its flags. */
static unsigned group_flags(uint8_t op, bool reg, unsigned sub)
{
	static const uint8_t group3[8] = { L | R, L | R, B | R, B | R, L | R, L | R, L, L },
			     group5[8] = { B | R, B | R, B, 0, L, 0, B, 0 };

	switch (op) {
	case 0xba: /* bt, bts, btr, btc */
		return (sub == 4 ? L : B) | R;
	case 0xf6: /* test, test, not, neg, mul, imul; div and idiv may fault */
	case 0xf7:
		return group3[sub];
	case 0xfe: /* inc dec call callf jmp jmpf push */
	case 0xff:
		return reg && (sub == 2 || sub == 6) ? S : group5[sub];
	}
	return (sub == 7 ? L : B) | R; /* arithmetic with a constant */
}

/* VEX: c5 with one byte of fields, c4 with two of which the first names the opcode map. */
static enum insn_memory memory_vex(const uint8_t *b, size_t n)
{
	size_t fields = b[0] == 0xc5 ? 1 : 2;
	uint8_t op;

	if (fields + 1 >= n || (fields == 2 && (b[1] & 0x1f) != 1))
		return INSN_MIXED;
	op = b[fields + 1];
	if (op == 0x7e && (b[fields] & 3) == 2)
		return INSN_LOADS;
	return (enum insn_memory)(two_bytes[op] & MEMORY);
}

static struct insn decode_one_byte(const uint8_t *b, size_t n, struct prefixes p)
{
	uint8_t op = b[0], modrm = n > 1 ? b[1] : 0;
	bool reg = modrm >= 0xc0;
	unsigned flags = one_byte[op];
	struct insn insn = { 0 };

	if (flags & G)
		flags = group_flags(op, reg, modrm >> 3 & 7);
	insn.atomic = p.lock || ((op == 0x86 || op == 0x87) && !reg);
	insn.quiet = !p.lock && !p.rep && (flags & Q || (flags & R && reg));
	insn.memory = (enum insn_memory)(flags & MEMORY);
	if (op == 0xc4 || op == 0xc5)
		insn.memory = memory_vex(b, n);
	if (p.rep && flags & (MOVE | ONE | PAIR)) {
		insn.rep = flags & MOVE	 ? INSN_REP_MOVE
			   : flags & ONE ? INSN_REP_ONE
					 : INSN_REP_PAIR;
		insn.rep_size = string_size(op, p);
	}
	return insn;
}

/* `b` is behind the 0f. */
static struct insn decode_two_bytes(const uint8_t *b, size_t n, struct prefixes p)
{
	uint8_t op = b[0], modrm = n > 1 ? b[1] : 0;
	unsigned flags = two_bytes[op], sub = modrm >> 3 & 7;
	bool reg = modrm >= 0xc0;
	struct insn insn = { .atomic = p.lock };

	if (flags & G)
		flags = group_flags(op, reg, sub);
	insn.quiet = !p.lock && !p.rep && (flags & Q || (flags & R && reg));
	insn.memory = op == 0x7e && p.f3 ? INSN_LOADS : (enum insn_memory)(flags & MEMORY);
	insn.cr3 = op == 0x22 && sub == 3;
	insn.flush = (op == 0x22 && sub != 3) || (op == 0x01 && sub == 7 && !reg) ||
		     (op == 0x38 && modrm == 0x82 && p.opsize);
	return insn;
}

struct insn insn_decode(const uint8_t *b, size_t n)
{
	struct prefixes p = read_prefixes(b, n);

	if (p.n >= n)
		return (struct insn){ 0 };
	if (b[p.n] != 0x0f)
		return decode_one_byte(b + p.n, n - p.n, p);
	if (p.n + 1 >= n)
		return (struct insn){ 0 };
	return decode_two_bytes(b + p.n + 1, n - p.n - 1, p);
}
