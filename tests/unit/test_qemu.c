/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of a guest, and what its windows become. */
#include "target/qemu.h"

#include "target/window.h"
#include "unit.h"

static bool has_pair(const struct strvec *v, const char *option, const char *value)
{
	for (size_t i = 0; i + 1 < v->n; i++)
		if (!strcmp(v->v[i], option) && !strcmp(v->v[i + 1], value))
			return true;
	return false;
}

static struct qemu_guest guest(void)
{
	return (struct qemu_guest){
		.memory_bytes = INT64_C(1) << 30,
		.kernel = "/k",
		.initrd = "/i",
		.cmdline = "culprit.env=7",
		.console = "/c",
		.results = "/r",
		.plugin = "/p.so,out=/w",
		.seed = UINT64_C(0xffffffff80000005),
	};
}

static void an_exact_guest_has_a_clock_of_instructions(void **state UNUSED)
{
	AUTO(strvec) struct strvec v = STRVEC_INIT;
	struct qemu q = { .path = (char *)"/q" };
	struct qemu_guest g = guest();

	qemu_argv(&q, &g, &v);
	assert_string_equal(v.v[0], "/q");
	assert_true(has_pair(&v, "-icount", "shift=0,sleep=off"));
	assert_true(has_pair(&v, "-rtc", "base=2024-01-01,clock=vm"));
	assert_true(has_pair(&v, "-accel", "tcg,tb-size=256"));
	assert_true(has_pair(&v, "-smp", "1"));
	assert_true(has_pair(&v, "-m", "1024M"));
	assert_true(has_pair(&v, "-seed", "5"));
	assert_true(has_pair(&v, "-serial", "file:/c"));
	assert_true(has_pair(&v, "-serial", "file:/r"));
	assert_true(has_pair(&v, "-plugin", "/p.so,out=/w"));
	assert_true(has_pair(
		&v, "-append",
		"console=ttyS0 quiet panic=-1 nokaslr norandmaps "
		"random.trust_cpu=off nowatchdog cryptomgr.notests=1 "
		"initcall_blacklist=jent_mod_init,trace_eval_init,init_kprobe_trace culprit.env=7"));
}

static void a_guest_in_real_time_has_none(void **state UNUSED)
{
	AUTO(strvec) struct strvec v = STRVEC_INIT;
	struct qemu q = { .path = (char *)"/q" };
	struct qemu_guest g = guest();

	g.kvm = true;
	g.plugin = NULL;
	qemu_argv(&q, &g, &v);
	assert_true(has_pair(&v, "-machine", "q35,accel=kvm"));
	for (size_t i = 0; i < v.n; i++) {
		assert_string_not_equal(v.v[i], "-icount");
		assert_string_not_equal(v.v[i], "-plugin");
	}
}

static void models_are_pinned_and_draw_no_entropy(void **state UNUSED)
{
	static const char *const names[] = { NULL, "intel", "amd" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *cpu = qemu_cpu(names[i], false);

		assert_non_null(strstr(cpu, "-v"));
		assert_non_null(strstr(cpu, ",-rdrand,-rdseed,-erms"));
	}
	AUTO_FREE char *own = qemu_cpu("Skylake-Client-v4", false);

	assert_string_equal(own, "Skylake-Client-v4");
}

static void devices_that_are_not_known_to_repeat_are_named(void **state UNUSED)
{
	static const char *const good[] = { "-netdev", "hubport,id=a,hubid=1", "-device",
					    "e1000e,netdev=a", NULL };
	static const char *const bad[] = { "-device", "virtio-net-pci", NULL };

	assert_null(qemu_doubtful_device(good));
	assert_null(qemu_doubtful_device(NULL));
	assert_string_equal(qemu_doubtful_device(bad), "virtio-net-pci");
}

static double value(const struct readings *r, const char *metric)
{
	const struct reading *x = readings_find(r, metric);

	assert_non_null(x);
	return x->value;
}

static void a_window_becomes_readings(void **state UNUSED)
{
	struct readings r = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(
		window_readings("{\"run\":1,\"instructions\":1000,\"user\":400,\"kernel\":600,"
				"\"rep\":3000,\"l1d_misses\":7,\"cpus\":[{}]}",
				&r, &e),
		0);
	assert_int_equal(r.n, 5);
	assert_double(value(&r, "instructions"), 1000, 0);
	assert_double(value(&r, "user-instructions"), 400, 0);
	assert_double(value(&r, "kernel-instructions"), 600, 0);
	assert_double(value(&r, "l1d-misses"), 7, 0);
	assert_double(window_rep_share(&r), 0.75, 1e-12);
	assert_true(readings_find(&r, "instructions")->counter);
	readings_done(&r);
	assert_true(window_readings("{\"run\":1}", &r, &e) < 0);
	assert_true(window_readings("half a li", &r, &e) < 0);
	assert_int_equal(r.n, 0);
}

static void events_are_differences_summed_over_processors(void **state UNUSED)
{
	static const char body[] =
		"irq.CAL.cpu0 1 2\nirq.RES.cpu0 10 12\nirq.RES.cpu1 5 9\n"
		"irq.RESX.cpu0 0 100\nstat.ctxt 100 140\nstat.ctxtra 0 9\nvmstat.pgfault 7 8\n"
		"task.7.sh 0 3\n";
	struct frame f = { .body = body, .n = sizeof(body) - 1 };
	struct readings r = { 0 };

	window_events(&f, &r);
	assert_int_equal(r.n, 3);
	assert_double(value(&r, "ipis"), 7, 0);
	assert_double(value(&r, "context-switches"), 40, 0);
	assert_double(value(&r, "page-faults"), 1, 0);
	readings_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exact_guest_has_a_clock_of_instructions),
		cmocka_unit_test(a_guest_in_real_time_has_none),
		cmocka_unit_test(models_are_pinned_and_draw_no_entropy),
		cmocka_unit_test(devices_that_are_not_known_to_repeat_are_named),
		cmocka_unit_test(a_window_becomes_readings),
		cmocka_unit_test(events_are_differences_summed_over_processors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
