/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "sys/busy.h"
#include "sys/fs.h"
#include "sys/noise.h"

#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/culprit-machine-XXXXXX";

static void put(const char *path, const char *text)
{
	AUTO_FREE char *full = xasprintf("%s%s", root, path);
	AUTO_FREE char *dir = xstrndup(full, (size_t)(strrchr(full, '/') - full));
	struct err e = ERR_INIT;

	assert_int_equal(fs_mkdirs(dir, &e), 0);
	assert_int_equal(fs_write_atomic(full, text, strlen(text), &e), 0);
}

static const struct finding *find(const struct findings *f, const char *topic)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->v[i].topic, topic))
			return &f->v[i];
	return NULL;
}

static void what_runs_beside_us_is_named(void **state UNUSED)
{
	AUTO(str) struct str names = STR_INIT;
	long tick = sysconf(_SC_CLK_TCK);
	AUTO_FREE char *later = xasprintf(
		"7 (cc1 (a) b) R 1 1 1 0 -1 4 1 0 0 0 %ld 20 0 0 20 0 1 0\n", 10 + tick / 2);
	struct busy before, after;

	put("/proc/7/stat", "7 (cc1 (a) b) R 1 1 1 0 -1 4 1 0 0 0 10 20 0 0 20 0 1 0\n");
	put("/proc/8/stat", "8 (idle) S 1 1 1 0 -1 4 1 0 0 0 5 5 0 0 20 0 1 0\n");
	put("/proc/11/stat", "11 (worker/a) S 1 1 1 0 -1 4 1 0 0 0 5000 5 0 0 20 0 1 0\n");
	put("/proc/9/stat", "broken\n");
	busy_read(root, &before);
	assert_int_equal(before.n, 3);
	put("/proc/11/stat", "11 (worker/b) S 1 1 1 0 -1 4 1 0 0 0 5000 5 0 0 20 0 1 0\n");
	put("/proc/7/stat", later);
	/* one that began meanwhile */
	put("/proc/10/stat", "10 (new) R 1 1 1 0 -1 4 1 0 0 0 9 1 0 0 20 0 1 0\n");
	busy_read(root, &after);
	busy_between(&before, &after, 1, &names);
	assert_string_equal(names.p, "cc1 (a) b 0.50, new 0.10");
	struct findings f = { 0 };
	struct machine m = { .cpus = 2, .load = 1 };

	noise_find(&m, 0.5, 0, &f);
	noise_name_load(&f, names.p);
	assert_non_null(find(&f, "load"));
	assert_non_null(strstr(find(&f, "load")->what, "; most of it: cc1 (a) b 0.50, new 0.10"));
	findings_done(&f);
	busy_done(&before);
	busy_done(&after);
}

static void a_noisy_laptop_in_a_container(void **state UNUSED)
{
	static const struct {
		const char *topic;
		enum finding_severity severity;
		const char *words;
	} rows[] = {
		{ "governor", FINDING_NOISE, "'mixed'" },
		{ "turbo", FINDING_NOISE, "turbo is on" },
		{ "smt", FINDING_NOISE, "share a core" },
		{ "load", FINDING_NOISE, "other work uses 0.50 of 2 CPUs (load 1.25)" },
		{ "steal", FINDING_NOISE, "takes 10.0 % of" },
		{ "virtual", FINDING_NOISE, "QEMU Standard PC" },
		{ "container", FINDING_NOTE, "podman" },
		{ "swap", FINDING_NOISE, "100 KiB" },
		{ "memory", FINDING_NOISE, "available" },
		{ "cpu limit", FINDING_BIAS, "allows 0.50 CPUs" },
		{ "memory limit", FINDING_NOTE, "512 MiB" },
		{ "counters", FINDING_NOTE, "perf_event_paranoid = 3" },
		{ "numa", FINDING_NOISE, "moves pages" },
		{ "aslr", FINDING_BIAS, "off" },
		{ "clock", FINDING_NOISE, "'hpet'" },
		{ "battery", FINDING_NOISE, "on battery" },
	};
	struct machine m, later;
	struct findings f = { 0 };
	double busy, steal;

	put("/proc/cpuinfo",
	    "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nflags\t\t: fpu hypervisor sse\n\n"
	    "processor\t: 1\nmodel name\t: Some CPU @ 3 GHz\nflags\t\t: fpu hypervisor sse\n");
	put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
	put("/sys/class/dmi/id/product_name", "Standard PC\n");
	put("/run/systemd/container", "podman\n");
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
	put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
	put("/sys/devices/system/cpu/smt/active", "1\n");
	put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
	put("/proc/loadavg", "1.25 1.00 0.50 3/181 10263\n");
	put("/proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0\n");
	put("/proc/meminfo",
	    "MemTotal: 1000 kB\nMemAvailable:  50 kB\nSwapTotal: 500 kB\nSwapFree: 400 kB\n");
	put("/proc/self/cgroup", "0::/user/me\n");
	put("/sys/fs/cgroup/user/cpu.max", "50000 100000\n");
	put("/sys/fs/cgroup/user/me/cpu.max", "max 100000\n");
	put("/sys/fs/cgroup/user/me/memory.max", "536870912\n");
	put("/proc/sys/kernel/osrelease", "6.1.0\n");
	put("/proc/sys/kernel/perf_event_paranoid", "3\n");
	put("/proc/sys/kernel/numa_balancing", "1\n");
	put("/proc/sys/kernel/randomize_va_space", "0\n");
	put("/sys/class/power_supply/AC/type", "Mains\n");
	put("/sys/class/power_supply/AC/online", "0\n");
	machine_read(root, &m);
	assert_string_equal(m.cpu, "Some CPU @ 3 GHz");
	assert_string_equal(m.kernel, "6.1.0");
	assert_int_equal(m.cpus, 2);
	assert_int_equal(m.running, 2);
	assert_int_equal(m.memory_bytes, 1000 * 1024);

	put("/proc/stat", "cpu  120 0 105 865 0 0 0 10 0 0\n");
	machine_read(root, &later);
	machine_between(&m, &later, &busy, &steal);
	assert_double(busy, 0.25, 1e-12);
	assert_double(steal, 0.1, 1e-12);
	noise_find(&later, busy, steal, &f);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct finding *x = find(&f, rows[i].topic);

		if (!x)
			fail_msg("no finding about %s", rows[i].topic);
		assert_string_equal(finding_severity_name(x->severity),
				    finding_severity_name(rows[i].severity));
		if (!strstr(x->what, rows[i].words))
			fail_msg("'%s' lacks '%s'", x->what, rows[i].words);
		assert_true(x->severity == FINDING_NOTE || x->fix[0]);
	}
	for (size_t i = 1; i < f.n; i++)
		assert_true(f.v[i - 1].severity >= f.v[i].severity);
	findings_done(&f);
}

static void what_cannot_be_read_is_not_known(void **state UNUSED)
{
	struct machine m;
	struct findings f = { 0 };
	double busy, steal;

	machine_read("/nowhere", &m);
	assert_string_equal(m.cpu, "");
	assert_int_equal(m.turbo, -1);
	assert_int_equal(m.memory_bytes, -1);
	assert_int_equal(m.ticks, -1);
	assert_true(m.load < 0);
	machine_between(&m, &m, &busy, &steal);
	assert_true(busy < 0 && steal < 0);
	noise_find(&m, busy, steal, &f);
	for (size_t i = 0; i < f.n; i++)
		assert_int_equal(f.v[i].severity, FINDING_NOTE);
	findings_done(&f);
}

static void this_machine_can_be_read(void **state UNUSED)
{
	struct machine m;

	machine_read("", &m);
	assert_true(m.cpus >= 1);
	assert_true(m.cpus_allowed >= 1);
	assert_true(m.memory_bytes > 0);
	assert_true(m.ticks > 0);
	assert_true(m.kernel[0]);
}

static int make_root(void **state UNUSED)
{
	return mkdtemp(root) ? 0 : -1;
}

static int drop_root(void **state UNUSED)
{
	struct err e = ERR_INIT;

	return fs_remove_tree(root, &e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_runs_beside_us_is_named),
		cmocka_unit_test(a_noisy_laptop_in_a_container),
		cmocka_unit_test(what_cannot_be_read_is_not_known),
		cmocka_unit_test(this_machine_can_be_read),
	};

	return cmocka_run_group_tests(tests, make_root, drop_root);
}
