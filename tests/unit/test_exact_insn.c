/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "exact/insn.h"
#include "exact/marks.h"

struct row {
	const char *bytes; /* with a NUL only where `n` says so */
	size_t n;
	const char *what;
};

#define ROW(text, name)                                                                            \
	{                                                                                          \
		text, sizeof(text) - 1, name                                                       \
	}

static struct insn of(const struct row *r)
{
	return insn_decode((const uint8_t *)r->bytes, r->n);
}

static void register_arithmetic_is_quiet(void **state)
{
	static const struct row rows[] = {
		ROW("\x48\x01\xd8", "add rax, rbx"),
		ROW("\x48\x8d\x04\x8b", "lea rax, [rbx+rcx*4]"),
		ROW("\x74\x10", "je"),
		ROW("\x0f\x84\x00\x01\x00\x00", "je near"),
		ROW("\xb8\x01\x00\x00\x00", "mov eax, 1"),
		ROW("\x31\xc0", "xor eax, eax"),
		ROW("\x0f\xb6\xc0", "movzx eax, al"),
		ROW("\x48\x0f\xc8", "bswap rax"),
		ROW("\x66\x90", "nop"),
		ROW("\x0f\x1f\x44\x00\x00", "long nop"),
		ROW("\xff\xc0", "inc eax"),
		ROW("\xf7\xd8", "neg eax"),
		ROW("\x48\xc1\xe0\x03", "shl rax, 3"),
		ROW("\x0f\x44\xc8", "cmove ecx, eax"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!of(&rows[i]).quiet)
			fail_msg("%s is not quiet", rows[i].what);
}

static void what_may_fault_or_touch_memory_is_loud(void **state)
{
	static const struct row rows[] = {
		ROW("\x48\x01\x18", "add [rax], rbx"),
		ROW("\xf7\xf1", "div ecx"),
		ROW("\x55", "push rbp"),
		ROW("\xc3", "ret"),
		ROW("\xe8\x00\x00\x00\x00", "call"),
		ROW("\x0f\x05", "syscall"),
		ROW("\xf3\x90", "pause"),
		ROW("\x0f\x0b", "ud2"),
		ROW("\xf0\x48\x0f\xb1\x0a", "lock cmpxchg"),
		ROW("\xf4", "hlt"),
		ROW("\x0f\x10\xc1", "movups xmm0, xmm1"),
		ROW("\xd9\xc0", "fld st0"),
		ROW("\xcc", "int3"),
		ROW("\x0f\x44\x08", "cmove ecx, [rax]"),
		ROW("\xff\xd0", "call rax"),
		ROW("\x48", "a prefix alone"),
		ROW("\x0f", "an escape alone"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (of(&rows[i]).quiet)
			fail_msg("%s is quiet", rows[i].what);
}

static void locked_instructions_are_atomic(void **state)
{
	static const struct row yes[] = { ROW("\xf0\x48\x0f\xb1\x0a", "lock cmpxchg"),
					  ROW("\xf0\xff\x00", "lock inc"),
					  ROW("\x87\x08", "xchg [rax], ecx"),
					  ROW("\x48\x87\x08", "xchg [rax], rcx") },
				no[] = { ROW("\x48\x87\xc8", "xchg rax, rcx"),
					 ROW("\xff\x00", "inc [rax]"),
					 ROW("\x48\x0f\xb1\x0a", "cmpxchg") };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		if (!of(&yes[i]).atomic)
			fail_msg("%s is not atomic", yes[i].what);
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		if (of(&no[i]).atomic)
			fail_msg("%s is atomic", no[i].what);
}

static void repeated_string_instructions_know_their_size(void **state)
{
	static const struct {
		struct row row;
		enum insn_rep rep;
		unsigned size;
	} rows[] = {
		{ ROW("\xf3\xa4", "rep movsb"), INSN_REP_MOVE, 1 },
		{ ROW("\xf3\x48\xa5", "rep movsq"), INSN_REP_MOVE, 8 },
		{ ROW("\xf3\xa5", "rep movsd"), INSN_REP_MOVE, 4 },
		{ ROW("\x66\xf3\xa5", "rep movsw"), INSN_REP_MOVE, 2 },
		{ ROW("\xf3\x48\xab", "rep stosq"), INSN_REP_ONE, 8 },
		{ ROW("\xf2\xae", "repne scasb"), INSN_REP_ONE, 1 },
		{ ROW("\xf3\xa6", "repe cmpsb"), INSN_REP_PAIR, 1 },
		{ ROW("\xf3\x6f", "rep outsd"), INSN_REP_ONE, 4 },
		{ ROW("\xa4", "movsb"), INSN_REP_NONE, 0 },
		{ ROW("\xf3\x0f\xb8\xc1", "popcnt"), INSN_REP_NONE, 0 },
		{ ROW("\xf3\xc3", "rep ret"), INSN_REP_NONE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct insn insn = of(&rows[i].row);

		if (insn.rep != rows[i].rep || insn.rep_size != rows[i].size)
			fail_msg("%s: kind %d, size %u", rows[i].row.what, insn.rep, insn.rep_size);
	}
}

static void loads_and_stores_are_told_apart(void **state)
{
	static const struct {
		struct row row;
		enum insn_memory memory;
	} rows[] = {
		{ ROW("\x48\x8b\x03", "mov rax, [rbx]"), INSN_LOADS },
		{ ROW("\x48\x89\x03", "mov [rbx], rax"), INSN_STORES },
		{ ROW("\x48\x01\x03", "add [rbx], rax"), INSN_BOTH },
		{ ROW("\x48\x39\x03", "cmp [rbx], rax"), INSN_LOADS },
		{ ROW("\x48\x03\x03", "add rax, [rbx]"), INSN_LOADS },
		{ ROW("\x83\x3b\x00", "cmp [rbx], 0"), INSN_LOADS },
		{ ROW("\x83\x03\x01", "add [rbx], 1"), INSN_BOTH },
		{ ROW("\x55", "push rbp"), INSN_STORES },
		{ ROW("\x5d", "pop rbp"), INSN_LOADS },
		{ ROW("\xff\xd0", "call rax"), INSN_STORES },
		{ ROW("\xff\x13", "call [rbx]"), INSN_BOTH },
		{ ROW("\xff\x23", "jmp [rbx]"), INSN_LOADS },
		{ ROW("\xf3\x0f\x6f\x06", "movdqu xmm0, [rsi]"), INSN_LOADS },
		{ ROW("\xf3\x0f\x7f\x07", "movdqu [rdi], xmm0"), INSN_STORES },
		{ ROW("\x66\x48\x0f\x7e\x00", "movq [rax], xmm0"), INSN_STORES },
		{ ROW("\xf3\x0f\x7e\x00", "movq xmm0, [rax]"), INSN_LOADS },
		{ ROW("\xc5\xfe\x6f\x06", "vmovdqu ymm0, [rsi]"), INSN_LOADS },
		{ ROW("\xc5\xfe\x7f\x07", "vmovdqu [rdi], ymm0"), INSN_STORES },
		{ ROW("\xc4\xe1\xfe\x7f\x07", "the same, long form"), INSN_STORES },
		{ ROW("\xc4\xe2\x7d\x58\x07", "vpbroadcastd"), INSN_MIXED },
		{ ROW("\xf0\x0f\xb1\x0a", "lock cmpxchg"), INSN_BOTH },
		{ ROW("\x0f\xae\x00", "fxsave"), INSN_MIXED },
		{ ROW("\x0f\xba\x20\x03", "bt [rax], 3"), INSN_LOADS },
		{ ROW("\x0f\xba\x28\x03", "bts [rax], 3"), INSN_BOTH },
		{ ROW("\x48\xcf", "iretq"), INSN_MIXED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (of(&rows[i].row).memory != rows[i].memory)
			fail_msg("%s: %d", rows[i].row.what, of(&rows[i].row).memory);
}

static void changes_of_the_page_tables_are_seen(void **state)
{
	static const struct {
		struct row row;
		bool cr3, flush;
	} rows[] = {
		{ ROW("\x0f\x22\xd8", "mov cr3, rax"), true, false },
		{ ROW("\x41\x0f\x22\xdc", "mov cr3, r12"), true, false },
		{ ROW("\x0f\x22\xe0", "mov cr4, rax"), false, true },
		{ ROW("\x0f\x20\xd8", "mov rax, cr3"), false, false },
		{ ROW("\x0f\x01\x3f", "invlpg [rdi]"), false, true },
		{ ROW("\x0f\x01\xf8", "swapgs"), false, false },
		{ ROW("\x66\x0f\x38\x82\x08", "invpcid"), false, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct insn insn = of(&rows[i].row);

		if (insn.cr3 != rows[i].cr3 || insn.flush != rows[i].flush)
			fail_msg("%s: cr3 %d, flush %d", rows[i].row.what, insn.cr3, insn.flush);
	}
}

static void marks_are_recognised_and_nothing_else(void **state)
{
	static const struct {
		struct row row;
		enum mark mark;
	} rows[] = {
		{ ROW("\x0f\x1f\x84\x00\x01\x4c\x55\x43", "begin"), MARK_BEGIN },
		{ ROW("\x0f\x1f\x84\x00\x02\x4c\x55\x43", "end"), MARK_END },
		{ ROW("\x0f\x1f\x84\x00\x03\x4c\x55\x43", "gate"), MARK_GATE },
		{ ROW("\x0f\x1f\x84\x00\x09\x4c\x55\x43", "unknown operation"), MARK_NONE },
		{ ROW("\x0f\x1f\x84\x00\x00\x00\x00\x00", "the usual padding"), MARK_NONE },
		{ ROW("\x0f\x1f\x84\x00\x01\x4c\x55", "cut short"), MARK_NONE },
		{ ROW("\x0f\x1f\x80\x00\x01\x4c\x55\x43", "other form"), MARK_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (mark_of((const uint8_t *)rows[i].row.bytes, rows[i].row.n) != rows[i].mark)
			fail_msg("%s", rows[i].row.what);
}

static void a_mark_does_nothing_on_a_real_processor(void **state)
{
	volatile int before = 7;

	(void)state;
	MARK_EXECUTE(MARK_BEGIN);
	MARK_EXECUTE(MARK_END);
	assert_int_equal(before, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(register_arithmetic_is_quiet),
		cmocka_unit_test(what_may_fault_or_touch_memory_is_loud),
		cmocka_unit_test(locked_instructions_are_atomic),
		cmocka_unit_test(repeated_string_instructions_know_their_size),
		cmocka_unit_test(loads_and_stores_are_told_apart),
		cmocka_unit_test(changes_of_the_page_tables_are_seen),
		cmocka_unit_test(marks_are_recognised_and_nothing_else),
		cmocka_unit_test(a_mark_does_nothing_on_a_real_processor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
