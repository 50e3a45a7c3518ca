/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gitfix.h"

#include "kernel/kbuild_work.h"
#include "kernel/kbuild.h"

#include <sys/stat.h>

static void free_list(char **list)
{
	for (char **p = list; p && *p; p++)
		free(*p);
	free(list);
}

static bool has(char **list, const char *path)
{
	for (; *list; list++)
		if (!strcmp(*list, path))
			return true;
	return false;
}

/* A source folder and an O= folder as a build of mm/ on x86 leaves them. */
static const char build_script[] =
	"mkdir -p src/mm src/include/linux src/drivers/net src/arch/x86 src/arch/arm src/scripts src/kernel/configs src/tools/perf\n"
	"cd src && touch mm/page.c mm/unused.c include/linux/mm.h include/linux/other.h mm/table.tbl MAINTAINERS\n"
	"touch Makefile Kconfig mm/Makefile mm/Kconfig drivers/net/Makefile drivers/net/Kconfig arch/x86/Kconfig arch/arm/Kconfig arch/arm/Makefile\n"
	"touch scripts/link.sh kernel/configs/tiny.config tools/perf/Makefile.config .gitignore && ln -s mm.h include/linux/link.h && cd ..\n"
	"mkdir -p out/mm out/arch/x86 && ln -s out link\n"
	"printf 'savedcmd_mm/page.o := gcc -Wp,-MMD,mm/.page.o.d -I%s/src/include -o mm/page.o %s/src/mm/page.c\n' \"$PWD\" \"$PWD\" >out/mm/.page.o.cmd\n"
	"printf 'deps_mm/page.o := \\\\\n  $(wildcard include/config/NUMA) \\\\\n  ../src/include/linux/./mm.h \\\\\n  %s/src/mm/../include/linux/link.h \\\\\n' \"$PWD\" >>out/mm/.page.o.cmd\n"
	"printf 'savedcmd_x := sh %s/src/scripts/link.sh <%s/src/mm/table.tbl;\n' \"$PWD\" \"$PWD\" >out/mm/.x.cmd\n"
	"printf '%s/src/mm/unused.c\n' \"$PWD\" >out/mm/other.txt\n";

static void inputs_come_from_cmd_files_and_rules(void **state UNUSED)
{
	static const char *const read[] = { "mm/page.c",
					    "mm/table.tbl",
					    "include/linux/mm.h",
					    "include/linux/link.h",
					    "scripts/link.sh",
					    "Makefile",
					    "Kconfig",
					    "mm/Makefile",
					    "mm/Kconfig",
					    "drivers/net/Kconfig",
					    "arch/x86/Kconfig",
					    "kernel/configs/tiny.config" };
	static const char *const unread[] = { "mm/unused.c",
					      "include/linux/other.h",
					      "MAINTAINERS",
					      "drivers/net/Makefile",
					      "arch/arm/Kconfig",
					      "arch/arm/Makefile",
					      "tools/perf/Makefile.config",
					      ".gitignore" };
	struct fix f;
	char **list;
	struct err e = ERR_INIT;

	fix_begin(&f);
	fix_sh(&f, "w", build_script);
	AUTO_FREE char *src = xasprintf("%s/w/src", f.dir);
	AUTO_FREE char *out = xasprintf("%s/w/link", f.dir);

	if (kbuild_inputs(src, out, &list, &e) < 0)
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < ARRAY_LEN(read); i++)
		if (!has(list, read[i]))
			fail_msg("%s is an input", read[i]);
	for (size_t i = 0; i < ARRAY_LEN(unread); i++)
		if (has(list, unread[i]))
			fail_msg("%s is no input", unread[i]);
	for (size_t i = 1; list[i]; i++)
		assert_true(strcmp(list[i - 1], list[i]) < 0);
	free_list(list);
	fix_end(&f);
}

static void a_kernel_tree_is_recognised(void **state UNUSED)
{
	static const struct {
		const char *script;
		bool is;
	} rows[] = {
		{ "printf 'VERSION = 6\nPATCHLEVEL = 12\n' >Makefile; touch Kconfig", true },
		{ "printf 'VERSION = 6\nPATCHLEVEL = 12\n' >Makefile", false },
		{ "printf 'all:\n' >Makefile; touch Kconfig", false },
		{ "touch Kconfig", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fix f;

		fix_begin(&f);
		fix_sh(&f, "w", rows[i].script);
		AUTO_FREE char *top = fs_join(f.dir, "w");

		assert_int_equal(kbuild_recognise(top), rows[i].is);
		fix_end(&f);
	}
}

static void the_recipe_follows_what_decides(void **state UNUSED)
{
	static const char *const a[] = { "tinyconfig", "frag", NULL };
	static const char *const b[] = { "defconfig", "frag", NULL };
	static const char *const fixups[] = { "fix.patch", NULL };
	const struct {
		const char *before; /* a script */
		const char *const *config, *const *fixups;
		bool same; /* as the first */
	} rows[] = {
		{ "echo CONFIG_A=y >frag; echo x >fix.patch", a, NULL, true },
		{ "echo CONFIG_A=y >frag; echo '# a comment' >>frag", a, NULL, true },
		{ "echo CONFIG_A=n >frag", a, NULL, false },
		{ "echo CONFIG_A=y >frag", b, NULL, false },
		{ "true", a, fixups, false },
		{ "true", a, NULL, true },
	};
	struct fix f;
	char first[65] = "";

	fix_begin(&f);
	fix_sh(&f, "w", "mkdir store");
	AUTO_FREE char *top = fs_join(f.dir, "w");
	AUTO_FREE char *store = fs_join(top, "store");

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct kbuild_request q = { store, top, rows[i].config, rows[i].fixups };
		struct kbuild *k;
		struct err e = ERR_INIT;

		fix_sh(&f, "w", rows[i].before);
		if (kbuild_open(&q, &k, &e) < 0)
			fail_msg("row %zu: %s", i, e.msg);
		if (i == 0)
			snprintf(first, sizeof(first), "%s", kbuild_identity(k));
		assert_int_equal(!strcmp(first, kbuild_identity(k)), rows[i].same);
		kbuild_free(k);
	}
	fix_end(&f);
}

static void moving_writes_only_what_differs(void **state UNUSED)
{
	struct fix f;
	struct variant v = { 0 };
	AUTO(str) struct str why = STR_INIT, text = STR_INIT;
	struct stat a[2], b[2];
	struct err e = ERR_INIT;
	char tree[65];
	bool ok = false;

	fix_repo(
		&f,
		"c same text one; c moved old; c gone bye; t v1; git rm -q gone; c moved new; t v2");
	AUTO_FREE char *dir = fs_join(f.store, "moving");
	AUTO_FREE char *same = fs_join(dir, "same"), *moved = fs_join(dir, "moved"),
		       *gone = fs_join(dir, "gone"), *kept = fs_join(dir, "untracked");

	for (int k = 0; k < 2; k++) {
		variant_of_commit(fix_oid(&f, k ? "v2" : "v1"), &v);
		if (variant_move(f.repo, &v, dir, &ok, tree, &why, &e) < 0)
			fail_msg("%s", e.msg);
		assert_true(ok);
		variant_done(&v);
		assert_int_equal(stat(same, k ? &b[0] : &a[0]), 0);
		assert_int_equal(stat(moved, k ? &b[1] : &a[1]), 0);
		if (k == 0) {
			assert_true(fs_exists(gone));
			assert_int_equal(fs_write_atomic(kept, "x", 1, &e), 0);
		}
	}
	assert_int_equal(a[0].st_mtim.tv_sec, b[0].st_mtim.tv_sec);
	assert_int_equal(a[0].st_ino, b[0].st_ino);
	assert_true(b[1].st_mtim.tv_sec > a[1].st_mtim.tv_sec);
	assert_false(fs_exists(gone));
	assert_true(fs_exists(kept));
	assert_int_equal(fs_read(moved, 100, &text, &e), 0);
	assert_string_equal(text.p, "new\n");
	fix_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inputs_come_from_cmd_files_and_rules),
		cmocka_unit_test(a_kernel_tree_is_recognised),
		cmocka_unit_test(the_recipe_follows_what_decides),
		cmocka_unit_test(moving_writes_only_what_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
