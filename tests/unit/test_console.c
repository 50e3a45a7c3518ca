/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines as kernels print them, and what they mean. */
#include "kernel/console.h"

#include "unit.h"

static struct console look(const char *text)
{
	struct console c = { 0 };

	console_look(&c, text, strlen(text));
	return c;
}

static void each_end_of_a_kernel_has_its_name(void **state UNUSED)
{
	static const struct {
		const char *line, *name;
		enum outcome outcome;
	} rows[] = {
		{ "[    0.9] Kernel panic - not syncing: No working init found.  Try passing",
		  "no init", OUTCOME_CRASHED },
		{ "[    0.912345] Kernel panic - not syncing: Requested init /init failed (error -8).",
		  "no init", OUTCOME_CRASHED },
		{ "[    1.0] VFS: Cannot open root device \"\" or unknown-block(0,0): error -6",
		  "no root file system", OUTCOME_CRASHED },
		{ "[    1.1] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000b",
		  "init died", OUTCOME_CRASHED },
		{ "[    2.0] Kernel panic - not syncing: sysrq triggered crash", "panic",
		  OUTCOME_CRASHED },
		{ "[    2.0] BUG: kernel NULL pointer dereference, address: 0000000000000000",
		  "oops", OUTCOME_CRASHED },
		{ "[    2.0][  T12] BUG: unable to handle page fault for address: ffff8880", "oops",
		  OUTCOME_CRASHED },
		{ "[    2.0] general protection fault, probably for non-canonical address "
		  "0xdead: 0000 [#1] SMP",
		  "oops", OUTCOME_CRASHED },
		{ "[    2.0] kernel BUG at mm/slub.c:435!", "oops", OUTCOME_CRASHED },
		{ "[   48.1] watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [stress-ng:77]",
		  "soft lockup", OUTCOME_CRASHED },
		{ "[   11.1] NMI watchdog: Watchdog detected hard LOCKUP on cpu 1", "hard lockup",
		  OUTCOME_CRASHED },
		{ "[  242.7] INFO: task fio:123 blocked for more than 120 seconds.", "hung task",
		  OUTCOME_CRASHED },
		{ "[   21.0] rcu: INFO: rcu_preempt self-detected stall on CPU", "RCU stall",
		  OUTCOME_CRASHED },
		{ "[   21.0] rcu: INFO: rcu_sched detected stalls on CPUs/tasks:", "RCU stall",
		  OUTCOME_CRASHED },
		{ "[    5.0] Out of memory: Killed process 77 (stress-ng) total-vm:1024kB",
		  "out of memory", OUTCOME_CRASHED },
		{ "This kernel requires an x86-64 CPU, but only detected an i686 CPU.",
		  "wrong architecture", OUTCOME_FAILED },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *text = xasprintf("[    0.0] Linux version\r\n%s\r\n", rows[i].line);
		struct console c = look(text);

		assert_string_equal(console_fate_name(c.fate), rows[i].name);
		assert_int_equal(console_fate_outcome(c.fate), rows[i].outcome);
	}
}

static void the_first_trouble_is_the_cause(void **state UNUSED)
{
	struct console c = look("[ 1.0] BUG: kernel NULL pointer dereference, address: 08\r\n"
				"[ 1.1] Kernel panic - not syncing: Fatal exception\n");

	assert_int_equal(c.fate, CONSOLE_OOPS);
	assert_string_equal(c.line, "BUG: kernel NULL pointer dereference, address: 08");
}

static void what_a_program_prints_is_none_of_the_kernels(void **state UNUSED)
{
	static const char *const fine[] = {
		"bench: Oops: that was slow\n",
		"[    0.0] Command line: hung_task_panic=1 Kernel panic - not syncing\n",
		"[    0.0] rcu: INFO: nothing special\n",
		"[ OK ] INFO: task 7 is ready\n",
		"[    0.0] Kernel panic - not syncing", /* the line is not whole yet */
	};

	for (size_t i = 0; i < ARRAY_LEN(fine); i++)
		assert_int_equal(look(fine[i]).fate, CONSOLE_FINE);
}

static void a_line_may_come_in_pieces(void **state UNUSED)
{
	const char text[] = "[ 1.0] hello\n[ 1.1] Kernel panic - not syncing: test\n";
	struct console c = { 0 };

	for (size_t n = 0; n < sizeof(text); n++)
		console_look(&c, text, n);
	assert_int_equal(c.fate, CONSOLE_PANIC);
	assert_string_equal(c.line, "Kernel panic - not syncing: test");
}

static void the_emulator_says_when_a_file_is_no_kernel(void **state UNUSED)
{
	struct console c = { 0 };

	console_look_at_emulator(&c, "warning: x\nqemu: could not load kernel 'x': bad\n");
	assert_int_equal(c.fate, CONSOLE_WRONG_ARCH);
	assert_string_equal(c.line, "qemu: could not load kernel 'x': bad");
	c = (struct console){ 0 };
	console_look_at_emulator(&c, "qemu-system-x86_64: warning: host lacks a feature\n");
	assert_int_equal(c.fate, CONSOLE_FINE);
}

static void the_tail_is_the_last_lines(void **state UNUSED)
{
	AUTO(str) struct str text = STR_INIT, out = STR_INIT;

	for (int i = 0; i < 100; i++)
		str_addf(&text, "line %d\r\n", i);
	console_tail(text.p, text.n, 2, &out);
	assert_string_equal(out.p, "line 98\nline 99\n");
	str_clear(&out);
	console_tail("a\033[0m\tb", 7, CONSOLE_LINES, &out);
	assert_string_equal(out.p, "a?[0m\tb\n");
	str_clear(&out);
	console_tail("", 0, CONSOLE_LINES, &out);
	assert_string_equal(out.p, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_of_a_kernel_has_its_name),
		cmocka_unit_test(the_first_trouble_is_the_cause),
		cmocka_unit_test(what_a_program_prints_is_none_of_the_kernels),
		cmocka_unit_test(a_line_may_come_in_pieces),
		cmocka_unit_test(the_emulator_says_when_a_file_is_no_kernel),
		cmocka_unit_test(the_tail_is_the_last_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
