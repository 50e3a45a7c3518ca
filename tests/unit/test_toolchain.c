/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/build.h"
#include "sys/fs.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_file(const char *dir, const char *name, const char *text)
{
	AUTO_FREE char *path = fs_join(dir, name);
	struct err e = ERR_INIT;

	assert_int_equal(fs_write_atomic(path, text, strlen(text), &e), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

/* A JDK says its version in a file, without being started; whatever else is called javac is asked. */
static void a_jdk_is_not_started(void **state UNUSED)
{
	char dir[] = "/tmp/culprit-toolchain-XXXXXX";
	AUTO(str) struct str tools = STR_INIT;
	struct err e = ERR_INIT;

	assert_non_null(mkdtemp(dir));
	AUTO_FREE char *bin = fs_join(dir, "jdk/bin");

	assert_int_equal(fs_mkdirs(bin, &e), 0);
	write_file(bin, "javac", "#!/bin/sh\necho javac that was started\n");
	write_file(bin, "../release", "IMPLEMENTOR=\"N\"\nJAVA_VERSION=\"17.0.15\"\nX=1\n");
	write_file(bin, "go", "#!/bin/sh\necho go that was started\n");
	setenv("PATH", bin, 1);
	build_toolchain(&tools);
	assert_string_equal(tools.p, "go: go that was started, javac: javac 17.0.15");
	assert_int_equal(fs_remove_tree(dir, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_jdk_is_not_started) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
