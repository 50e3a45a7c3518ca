/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "hunt/surroundings.h"

/* "group key: before -> after", one a line, in order. */
static void say(const struct surroundings *s, struct str *out)
{
	for (size_t i = 0; i < s->n; i++)
		str_addf(out, "%s %s: %s -> %s\n", s->v[i].group, s->v[i].key,
			 s->v[i].before ? s->v[i].before : "none",
			 s->v[i].after ? s->v[i].after : "none");
}

static void differences(void **state)
{
	static const struct {
		const char *a, *b, *expected;
	} rows[] = {
		{ "", "", "" },
		{ "sysctl vm.swappiness 60\n", "sysctl vm.swappiness 60\n", "" },
		{ "sysctl vm.swappiness 60\n", "sysctl vm.swappiness 10\n",
		  "sysctl vm.swappiness: 60 -> 10\n" },
		{ "", "sysctl vm.new 1\n", "sysctl vm.new: none -> 1\n" },
		{ "sysctl kernel.x\n", "sysctl kernel.x a\n", "sysctl kernel.x:  -> a\n" },
		/* words of a command line, without culprit's own */
		{ "kernel cmdline quiet panic=-1 culprit.seed=1\n",
		  "kernel cmdline panic=-1 mitigations=off culprit.seed=2\n",
		  "cmdline mitigations: none -> off\ncmdline quiet: given -> none\n" },
		{ "cpu flags fpu sse\n", "cpu flags fpu avx sse\n",
		  "cpu-flag avx: none -> given\n" },
		/* messages, whatever their time and numbers */
		{ "dmesg <6>[    0.100000] Memory: 999128K/1048056K available\n",
		  "dmesg <6>[    0.200000] Memory: 998000K/1048056K available\n", "" },
		{ "dmesg <6>[    0.1] at 0xffffffff81000000\n",
		  "dmesg <6>[    0.1] at 0xffffffff82000000\n", "" },
		{ "dmesg <5>[    0.1] Kernel command line: quiet\n", "", "" },
		{ "", "dmesg <4>[    0.1] clocksource: unstable\n",
		  "dmesg clocksource: unstable: none -> clocksource: unstable\n" },
		/* a line that is none */
		{ "nonsense\n\n \n", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(surroundings) struct surroundings s;
		AUTO(str) struct str got = STR_INIT;

		surroundings_compare(rows[i].a, rows[i].b, &s);
		say(&s, &got);
		if (strcmp(got.p, rows[i].expected))
			fail_msg("row %zu: '%s', expected '%s'", i, got.p, rows[i].expected);
	}
}

static void what_says_nothing_is_counted_alone(void **state)
{
	static const struct {
		const char *a, *b;
		size_t noise, memory;
	} rows[] = {
		{ "sysctl kernel.random.uuid 1", "sysctl kernel.random.uuid 2", 1, 0 },
		{ "sysctl fs.file-nr 96 0 9", "sysctl fs.file-nr 97 0 9", 1, 0 },
		{ "kernel version Linux 6.1", "kernel version Linux 6.12", 1, 0 },
		{ "config GCC_VERSION 120200", "config GCC_VERSION 140200", 1, 0 },
		{ "mm hugepages.hugepages-2048kB.free_hugepages 0",
		  "mm hugepages.hugepages-2048kB.free_hugepages 1", 1, 0 },
		{ "sysctl fs.file-max 100000", "sysctl fs.file-max 99000", 0, 1 },
		{ "sysctl net.ipv4.tcp_mem 10000 20000 30000",
		  "sysctl net.ipv4.tcp_mem 10010 20000 29990", 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(surroundings) struct surroundings s;

		surroundings_compare(rows[i].a, rows[i].b, &s);
		assert_int_equal(s.n, 0);
		assert_int_equal(s.noise, rows[i].noise);
		assert_int_equal(s.follow_memory, rows[i].memory);
	}
}

static void what_follows_memory_is_large_and_close(void **state)
{
	static const char *const rows[][2] = {
		{ "sysctl vm.x 100", "sysctl vm.x 101" },	/* small: a choice */
		{ "sysctl vm.x 100000", "sysctl vm.x 110000" }, /* 10 % */
		{ "sysctl vm.x 100000 5", "sysctl vm.x 100000" },
		{ "sysctl vm.x 100000 a", "sysctl vm.x 100010 a" },
		{ "sysctl vm.x 100000 1", "sysctl vm.x 100010 2" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(surroundings) struct surroundings s;

		surroundings_compare(rows[i][0], rows[i][1], &s);
		assert_int_equal(s.n, 1);
		assert_int_equal(s.follow_memory, 0);
	}
}

/* A default that changed was the cause of a real report: it is the first line, however much else differs. */
static void a_tunable_with_another_value_is_on_top(void **state)
{
	static const char a[] = "config CONFIG_ZZ y\n"
				"config CONFIG_SLUB y\n"
				"cpu flags fpu\n"
				"kernel cmdline quiet\n"
				"module dummy loaded\n"
				"slab task_struct 9792 3 8\n"
				"sysctl abi.gone 1\n"
				"sysctl dev.other 1\n"
				"sysctl vm.zone_default 1\n"
				"vulnerability spectre_v2 Vulnerable\n"
				"dmesg <6>[ 0.1] something enabled\n"
				"dmesg <6>[ 0.1] hello\n";
	static const char b[] = "config CONFIG_YY y\n"
				"config CONFIG_PSI y\n"
				"cpu flags fpu sse\n"
				"kernel cmdline panic=1\n"
				"module loop loaded\n"
				"slab task_struct 9856 3 8\n"
				"sysctl abi.new 1\n"
				"sysctl dev.other 2\n"
				"sysctl vm.zone_default 0\n"
				"vulnerability spectre_v2 Mitigation: Retpolines\n";
	static const char *const order[] = { "vm.zone_default", "dev.other", "spectre_v2" };
	AUTO(surroundings) struct surroundings s;

	(void)state;
	surroundings_compare(a, b, &s);
	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		assert_string_equal(s.v[i].key, order[i]);
	/* a message that tells of a choice before one that does not, which is last */
	assert_string_equal(s.v[s.n - 1].before, "hello");
	/* configuration that is known to cost before other configuration */
	size_t slub = 0, zz = 0;

	for (size_t i = 0; i < s.n; i++) {
		slub = !strcmp(s.v[i].key, "CONFIG_SLUB") ? i : slub;
		zz = !strcmp(s.v[i].key, "CONFIG_ZZ") ? i : zz;
	}
	assert_true(slub && slub < zz);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences),
		cmocka_unit_test(what_says_nothing_is_counted_alone),
		cmocka_unit_test(what_follows_memory_is_large_and_close),
		cmocka_unit_test(a_tunable_with_another_value_is_on_top),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
