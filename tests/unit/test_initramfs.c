/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "kernel/initramfs.h"
#include "sys/fs.h"

#include <sys/stat.h>
#include <unistd.h>

static char *put(const char *name, const char *text, mode_t mode)
{
	char *path = fs_join(scratch, name);
	AUTO_FREE char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	struct err e = ERR_INIT;

	assert_int_equal(fs_mkdirs(dir, &e), 0);
	assert_int_equal(fs_write_atomic(path, text, strlen(text), &e), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

/* The archive as "path\n" lines, and the data of `want` (may be NULL) in *ret_data. */
static void list_archive(const char *path, const char *want, struct str *ret, struct str *ret_data)
{
	AUTO(str) struct str bytes = STR_INIT;
	struct err e = ERR_INIT;
	size_t at = 0;

	assert_int_equal(fs_read(path, 256 << 20, &bytes, &e), 0);
	for (;;) {
		char digits[9] = "";
		size_t size, name_n;
		const char *name = bytes.p + at + 110;

		assert_memory_equal(bytes.p + at, "070701", 6);
		memcpy(digits, bytes.p + at + 54, 8);
		size = strtoul(digits, NULL, 16);
		memcpy(digits, bytes.p + at + 94, 8);
		name_n = strtoul(digits, NULL, 16);
		if (!strcmp(name, "TRAILER!!!"))
			return;
		str_addf(ret, "%s\n", name);
		at = (at + 110 + name_n + 3) & ~(size_t)3;
		if (want && !strcmp(name, want))
			str_add(ret_data, bytes.p + at, size);
		at = (at + size + 3) & ~(size_t)3;
	}
}

static void build(const struct initramfs_request *q, char **ret_path, char key[65])
{
	struct err e = ERR_INIT;

	if (initramfs_build(q, ret_path, key, &e) < 0)
		fail_msg("%s", e.msg);
}

static void holds(const struct str *list, const char *path)
{
	AUTO_FREE char *line = xasprintf("\n%s\n", path);

	if (!strstr(list->p, line))
		fail_msg("no '%s' in the archive", path);
}

static void a_guest_has_its_programs_files_and_plan(void **state UNUSED)
{
	AUTO_FREE char *guest = put("guest", "guest", 0700),
		       *tool = put("t/deep/tool", "#!/bin/sh\n", 0700);
	AUTO_FREE char *data = put("data", "data", 0600), *tree = fs_join(scratch, "t");
	const struct initramfs_file files[] = { { data, "/srv/data" } };
	const char *programs[] = { "cat", NULL };
	struct initramfs_request q = { .store_dir = scratch,
				       .guest = guest,
				       .programs = programs,
				       .files = files,
				       .n_files = 1,
				       .tree = tree,
				       .tree_at = "/work",
				       .plan = "runs 3\n",
				       .command = "cat /srv/data\n" };
	static const char *const there[] = {
		"init",		 "srv/data",	 "work/deep/tool",    "usr/bin/cat",
		"usr/bin/sh",	 "culprit/plan", "culprit/command",   "etc/services",
		"etc/protocols", "etc/hosts",	 "etc/nsswitch.conf", "dev/console",
		"lib64",	 "tmp"
	};
	AUTO(str) struct str list = STR_INIT, plan = STR_INIT;
	AUTO_FREE char *path = NULL;
	char key[65];

	build(&q, &path, key);
	list_archive(path, "culprit/plan", &list, &plan);
	for (size_t i = 0; i < ARRAY_LEN(there); i++)
		holds(&list, there[i]);
	assert_non_null(strstr(list.p, "/libc.so.6\n"));
	assert_null(strstr(list.p, "culprit/setup"));
	assert_string_equal(plan.p, "runs 3\n");
}

static void the_same_request_gives_the_same_file_and_another_another(void **state UNUSED)
{
	AUTO_FREE char *one = NULL, *two = NULL, *three = NULL;
	struct initramfs_request q = { .store_dir = scratch, .command = "a\n" };
	char key[65], again[65], other[65];
	struct stat before, after;

	build(&q, &one, key);
	assert_int_equal(stat(one, &before), 0);
	build(&q, &two, again);
	assert_int_equal(stat(two, &after), 0);
	assert_string_equal(one, two);
	assert_string_equal(key, again);
	assert_int_equal(before.st_ino, after.st_ino); /* not even written again */
	q.command = "b\n";
	build(&q, &three, other);
	assert_string_not_equal(one, three);
}

/* The guest's PATH is short: what is found in a folder of the user's can be called there all the same. */
static void a_program_from_elsewhere_is_in_the_guest_s_path(void **state UNUSED)
{
	AUTO_FREE char *tool = put("own/bin/culprit-tool", "#!/bin/sh\n", 0755);
	AUTO_FREE char *dir = fs_dirname(tool), *old = xstrdup(getenv("PATH"));
	AUTO_FREE char *search = xasprintf("%s:%s", dir, old);
	const char *programs[] = { "culprit-tool", NULL };
	struct initramfs_request q = { .store_dir = scratch, .programs = programs };
	AUTO(str) struct str list = STR_INIT;
	AUTO_FREE char *path = NULL;
	char key[65];

	setenv("PATH", search, 1);
	build(&q, &path, key);
	setenv("PATH", old, 1);
	list_archive(path, NULL, &list, NULL);
	holds(&list, "usr/bin/culprit-tool");
	holds(&list, tool + 1);
}

/* A server's own folders, whatever version they carry in their path. */
static void a_pattern_names_programs_and_whole_folders(void **state UNUSED)
{
	AUTO_FREE char *server = put("server/15/bin/server", "#!/bin/sh\n", 0755);
	AUTO_FREE char *data = put("server/15/share/deep/data", "x", 0644);
	AUTO_FREE char *bins = xasprintf("%s/server/*/bin/server", scratch);
	AUTO_FREE char *shares = xasprintf("%s/server/*/sha?e", scratch);
	const char *programs[] = { bins, shares, NULL };
	struct initramfs_request q = { .store_dir = scratch, .programs = programs };
	AUTO(str) struct str list = STR_INIT;
	AUTO_FREE char *path = NULL;
	char key[65];

	build(&q, &path, key);
	list_archive(path, NULL, &list, NULL);
	holds(&list, server + 1);
	holds(&list, data + 1);
}

static void what_is_missing_is_named(void **state UNUSED)
{
	static const struct {
		const char *programs[2], *tree, *expected;
	} rows[] = {
		{ { "no-such-program" },
		  NULL,
		  "making the initramfs: the guest needs the program 'no-such-program', which is not on this machine: install it here, and it is copied in" },
		{ { NULL },
		  "/nonexistent",
		  "making the initramfs: '/nonexistent' is not a folder" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct initramfs_request q = { .store_dir = scratch,
					       .programs = rows[i].programs,
					       .tree = rows[i].tree };
		char *path = NULL, key[65];
		struct err e = ERR_INIT;

		assert_int_equal(initramfs_build(&q, &path, key, &e), -ERR_MISSING);
		assert_string_equal(e.msg, rows[i].expected);
		assert_null(path);
	}
}

static void the_programs_of_a_shell_text(void **state UNUSED)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{ "cat x | sort -n > y; /bin/cat z", "cat sort /bin/cat" },
		{ "if [ -e x ]; then echo no-such-program-here; fi", "" },
		{ "./cat && a/cat", "" },
		{ "cat <<'EOF'\ncat\nEOF", "cat" },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(strvec) struct strvec v = STRVEC_INIT;
		AUTO(str) struct str got = STR_INIT;

		initramfs_programs_of(rows[i].text, &v);
		for (size_t k = 0; k < v.n; k++)
			str_addf(&got, "%s%s", k ? " " : "", v.v[k]);
		assert_string_equal(got.p, rows[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guest_has_its_programs_files_and_plan),
		cmocka_unit_test(the_same_request_gives_the_same_file_and_another_another),
		cmocka_unit_test(a_program_from_elsewhere_is_in_the_guest_s_path),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(a_pattern_names_programs_and_whole_folders),
		cmocka_unit_test(the_programs_of_a_shell_text),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
