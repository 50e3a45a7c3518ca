/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "base/num.h"
#include "guest/kstat.h"
#include "guest/frame.h"
#include "guest/plan.h"
#include "guest/run.h"

#include <signal.h>
#include <unistd.h>

static void a_plan_is_read_whole(void **state)
{
	static const char text[] =
		"# comment\n\nmodule /lib/a.ko x=1 y=2\nmodule /lib/b.ko\nsysctl vm.swappiness=10\n"
		"net loopback\nenv A=b c\ncwd /data\nscratch /tmp/run\ntimeout 90\nwarmup 2\nruns 0\n"
		"output 4096\nmachine yes\nsymbols yes";
	struct plan p;
	struct err e = ERR_INIT;

	(void)state;
	plan_init(&p);
	assert_int_equal(plan_parse(&p, text, &e), 0);
	assert_int_equal(p.modules.n, 2);
	assert_string_equal(p.modules.v[0], "/lib/a.ko x=1 y=2");
	assert_string_equal(p.sysctls.v[0], "vm.swappiness=10");
	assert_string_equal(p.env.v[0], "A=b c");
	assert_string_equal(p.cwd, "/data");
	assert_string_equal(p.scratch, "/tmp/run");
	assert_true(p.net && p.machine && p.symbols);
	assert_int_equal(p.timeout_ns, 90 * NS_PER_S);
	assert_int_equal(p.warmup, 2);
	assert_int_equal(p.runs, 0);
	assert_int_equal(p.output, 4096);
	plan_done(&p);
}

static void a_wrong_plan_names_its_line(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "runs 1\nfoo bar\n", "plan:2: unknown key 'foo'" },
		{ "runs\n", "plan:1: expected 'key value', not 'runs'" },
		{ "net bridge\n", "plan:1: 'net' wants 'loopback', not 'bridge'" },
		{ "\nsysctl vm.x\n", "plan:2: 'sysctl' wants NAME=VALUE, not 'vm.x'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan p;
		struct err e = ERR_INIT;

		plan_init(&p);
		assert_true(plan_parse(&p, rows[i].text, &e) < 0);
		assert_string_equal(e.msg, rows[i].message);
		plan_done(&p);
	}
}

static void the_command_line_changes_a_boot(void **state)
{
	struct plan p;
	struct err e = ERR_INIT;

	(void)state;
	plan_init(&p);
	assert_int_equal(
		plan_apply_cmdline(
			&p,
			"console=ttyS0 quiet culprit.offset=1000 culprit.env=64 culprit.seed=9 "
			"culprit.pad=xxxx culprit.sysctl=kernel.sem=1 culprit.env.FOO=bar nokaslr\n",
			&e),
		0);
	assert_int_equal(p.offset, 1000);
	assert_int_equal(p.env_pad, 64);
	assert_string_equal(p.seed, "9");
	assert_string_equal(p.sysctls.v[0], "kernel.sem=1");
	assert_string_equal(p.env.v[0], "FOO=bar");
	p.machine = p.symbols = false;
	assert_int_equal(plan_apply_cmdline(&p, "quiet culprit.describe=yes", &e), 0);
	assert_true(p.machine && p.symbols);
	assert_true(plan_apply_cmdline(&p, "culprit.ofset=1", &e) < 0);
	assert_string_equal(e.msg, "kernel command line: unknown word 'culprit.ofset=1'");
	assert_true(plan_apply_cmdline(&p, "culprit.offset=-1", &e) < 0);
	assert_true(plan_apply_cmdline(&p, "culprit.seed", &e) < 0);
	plan_done(&p);
}

static void a_frame_has_a_header_and_raw_bytes(void **state)
{
	char got[64] = { 0 };
	struct err e = ERR_INIT;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(frame_write(fds[1], "stdout", -1, "a\0b\n", 4, &e), 0);
	assert_int_equal(read(fds[0], got, sizeof(got)), 25);
	assert_memory_equal(got, "culprit stdout -1 4\na\0b\n\n", 25);
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	assert_true(frame_write(fds[1], "stdout", 0, "x", 1, &e) < 0);
	close(fds[1]);
}

static void changes_of_counters_are_sorted_and_only_changes(void **state)
{
	AUTO(kstat) struct kstat a = { 0 }, b = { 0 };
	AUTO(str) struct str out = STR_INIT;

	(void)state;
	kstat_add_stat(
		&a, "cpu  1 0 2 3 0 0 0 0\ncpu0 1 0 2 3 0 0 0 0\nintr 100 5 6\nctxt 7\nbtime 9\n");
	kstat_add_stat(
		&b, "cpu  1 0 5 3 0 0 0 0\ncpu0 1 0 5 3 0 0 0 0\nintr 103 5 6\nctxt 7\nbtime 8\n");
	kstat_add_vmstat(&a, "pgfault 10\npgfree 5\n");
	kstat_add_vmstat(&b, "pgfault 12\npgfree 5\nnew_one 4\n");
	kstat_add_per_cpu(
		&a, "irq",
		"           CPU0       CPU1\n  0:  1  2  IO-APIC timer\nLOC: 5 6 Local timer\nERR: 0\n");
	kstat_add_per_cpu(
		&b, "irq",
		"           CPU0       CPU1\n  0:  1  3  IO-APIC timer\nLOC: 9 6 Local timer\nERR: 0\n");
	kstat_put_changes(&out, &a, &b);
	assert_string_equal(out.p, "irq.0.cpu1 2 3\nirq.LOC.cpu0 5 9\nstat.cpu0.system 2 5\n"
				   "stat.intr 100 103\nvmstat.pgfault 10 12\n");
}

static void waiting_is_not_being_busy(void **state)
{
	(void)state;
	assert_int_equal(kstat_busy_ticks("cpu  1 2 4 1000 2000 8 16 0 0 0\ncpu0 1 1 1 1\n"), 31);
	assert_int_equal(kstat_busy_ticks(""), 0);
}

static struct run_result run_shell(const char *path, int64_t timeout_ns)
{
	char *const env[] = { (char *)"A=1", NULL };
	struct run_spec spec = { .script = path,
				 .cwd = "/",
				 .env = env,
				 .out = 1,
				 .err = 2,
				 .timeout_ns = timeout_ns,
				 .window = true };
	struct run_result r;
	struct err e = ERR_INIT;

	run_prepare_signals();
	assert_int_equal(run_command(&spec, &r, &e), 0);
	return r;
}

static void a_run_ends_in_one_of_three_ways(void **state)
{
	static const struct {
		const char *text;
		int64_t timeout_ns;
		const char *status;
	} rows[] = {
		{ "exit 3\n", 60 * NS_PER_S, "status exit 3\n" },
		{ "[ \"$A\" = 1 ] && kill -9 $$\n", 60 * NS_PER_S, "status signal 9\n" },
		{ "while :; do :; done\n", NS_PER_MS, "status timeout\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str out = STR_INIT;
		char path[] = "/tmp/culprit-guest-test-XXXXXX";
		int fd = mkstemp(path);
		struct run_result r;

		assert_true(fd >= 0);
		assert_int_equal(write(fd, rows[i].text, strlen(rows[i].text)),
				 strlen(rows[i].text));
		close(fd);
		r = run_shell(path, rows[i].timeout_ns);
		unlink(path);
		run_put_result(&out, &r);
		if (!starts_with(out.p, rows[i].status))
			fail_msg("row %zu: %s", i, out.p);
		assert_true(r.wall_ns > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_is_read_whole),
		cmocka_unit_test(a_wrong_plan_names_its_line),
		cmocka_unit_test(the_command_line_changes_a_boot),
		cmocka_unit_test(a_frame_has_a_header_and_raw_bytes),
		cmocka_unit_test(changes_of_counters_are_sorted_and_only_changes),
		cmocka_unit_test(waiting_is_not_being_busy),
		cmocka_unit_test(a_run_ends_in_one_of_three_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
