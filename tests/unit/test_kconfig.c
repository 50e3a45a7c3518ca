/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "kernel/config.h"
#include "kernel/kbuild.h"

static struct kconfig config_of(const char *text)
{
	struct kconfig c = { 0 };

	kconfig_read(text, strlen(text), &c);
	return c;
}

static void a_config_is_read(void **state UNUSED)
{
	AUTO(kconfig)
	struct kconfig c = config_of("#\n"
				     "# Linux/x86 6.12.0 Kernel Configuration\n"
				     "CONFIG_SMP=y\n"
				     "CONFIG_NR_CPUS=8\r\n"
				     "# CONFIG_NUMA is not set\n"
				     "CONFIG_CC_VERSION_TEXT=\"gcc (x) 12 = 12\"\n"
				     "CONFIG_EMPTY=\n"
				     "CONFIG_=y\n"
				     "# CONFIG_WORDS is not set in stone\n"
				     "  CONFIG_INDENTED=y\n"
				     "CONFIG_SMP=n\n"
				     "CONFIG_LAST=m");

	assert_int_equal(c.n, 6);
	assert_string_equal(kconfig_get(&c, "SMP"), "n");
	assert_string_equal(kconfig_get(&c, "NR_CPUS"), "8");
	assert_string_equal(kconfig_get(&c, "NUMA"), "n");
	assert_string_equal(kconfig_get(&c, "CC_VERSION_TEXT"), "\"gcc (x) 12 = 12\"");
	assert_string_equal(kconfig_get(&c, "LAST"), "m");
	assert_null(kconfig_get(&c, "EMPTY"));
	assert_null(kconfig_get(&c, "INDENTED"));
}

static void what_is_written_is_read_again(void **state UNUSED)
{
	AUTO(kconfig)
	struct kconfig c = config_of("CONFIG_B=\"x y\"\n# CONFIG_A is not set\nCONFIG_C=0x10\n");
	AUTO(str) struct str out = STR_INIT;

	kconfig_write(&c, &out);
	assert_string_equal(out.p, "# CONFIG_A is not set\nCONFIG_B=\"x y\"\nCONFIG_C=0x10\n");
	AUTO(kconfig) struct kconfig again = config_of(out.p);

	assert_int_equal(kconfig_diff(&c, &again, 0, NULL), 0);
}

static void merging_lets_the_later_win(void **state UNUSED)
{
	AUTO(kconfig) struct kconfig a = config_of("CONFIG_A=y\nCONFIG_B=y\n");
	AUTO(kconfig) struct kconfig b = config_of("# CONFIG_B is not set\nCONFIG_C=m\n");

	kconfig_merge(&a, &b);
	assert_int_equal(a.n, 3);
	assert_string_equal(kconfig_get(&a, "A"), "y");
	assert_string_equal(kconfig_get(&a, "B"), "n");
	assert_string_equal(kconfig_get(&a, "C"), "m");
}

static void a_difference_counts_unset_and_absent_alike(void **state UNUSED)
{
	AUTO(kconfig)
	struct kconfig a = config_of("CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=8\nCONFIG_E=y\n");
	AUTO(kconfig)
	struct kconfig b =
		config_of("CONFIG_A=y\nCONFIG_C=64\nCONFIG_D=m\n# CONFIG_F is not set\n");
	AUTO(str) struct str out = STR_INIT, two = STR_INIT, none = STR_INIT;

	assert_int_equal(kconfig_diff(&a, &b, 9, &out), 3);
	assert_string_equal(out.p, "C 8 -> 64, D n -> m, E y -> n");
	assert_int_equal(kconfig_diff(&a, &b, 2, &two), 3);
	assert_string_equal(two.p, "C 8 -> 64, D n -> m, ...");
	assert_int_equal(kconfig_diff(&a, &a, 2, &none), 0);
	assert_string_equal(none.p, "");
}

static void what_was_asked_and_not_given_is_said(void **state UNUSED)
{
	AUTO(kconfig)
	struct kconfig asked = config_of("CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=y\n");
	AUTO(kconfig) struct kconfig got = config_of("CONFIG_A=y\nCONFIG_D=y\n");
	AUTO(str) struct str out = STR_INIT;

	assert_int_equal(kconfig_missed(&asked, &got, 9, &out), 1);
	assert_string_equal(out.p, "C=y (it is n)");
}

static void changes_are_written_as_people_do(void **state UNUSED)
{
	static const struct {
		const char *name, *value, *symbol, *is;
	} rows[] = {
		{ "CONFIG_NUMA", "n", "NUMA", "n" },
		{ "NUMA", "y", "NUMA", "y" },
		{ "NR_CPUS", "64", "NR_CPUS", "64" },
		{ "X", "-1", "X", "-1" },
		{ "X", "0x1F", "X", "0x1F" },
		{ "X", "0x", "X", "\"0x\"" },
		{ "CMDLINE", "quiet nokaslr", "CMDLINE", "\"quiet nokaslr\"" },
		{ "CMDLINE", "\"quiet\"", "CMDLINE", "\"quiet\"" },
		{ "A-B", "y", NULL, NULL },
		{ "CONFIG_", "y", NULL, NULL },
		{ "X", "", NULL, NULL },
		{ "X", "a\"b", NULL, NULL },
		{ "X", "a\nCONFIG_Y=y", NULL, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(kconfig) struct kconfig c = { 0 };
		struct err e = ERR_INIT;
		int r = kconfig_change(&c, rows[i].name, rows[i].value, &e);

		assert_int_equal(r, rows[i].symbol ? 0 : -ERR_USAGE);
		if (rows[i].symbol)
			assert_string_equal(kconfig_get(&c, rows[i].symbol), rows[i].is);
	}
}

static void the_own_fragment_sets_what_the_workloads_need(void **state UNUSED)
{
	static const char *const needed[] = { "SERIAL_8250_CONSOLE",
					      "BLK_DEV_INITRD",
					      "NET_NS",
					      "E1000E",
					      "BLK_DEV_NULL_BLK",
					      "DUMMY",
					      "HUGETLB_PAGE_OPTIMIZE_VMEMMAP",
					      "DEVTMPFS" };
	AUTO(kconfig) struct kconfig c = config_of(kbuild_fragment);

	for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
		assert_non_null(kconfig_get(&c, needed[i]));
		assert_string_equal(kconfig_get(&c, needed[i]), "y");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_config_is_read),
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(merging_lets_the_later_win),
		cmocka_unit_test(a_difference_counts_unset_and_absent_alike),
		cmocka_unit_test(what_was_asked_and_not_given_is_said),
		cmocka_unit_test(changes_are_written_as_people_do),
		cmocka_unit_test(the_own_fragment_sets_what_the_workloads_need),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
