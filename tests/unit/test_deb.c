/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "base/num.h"
#include "kernel/deb.h"
#include "kernel/debversion.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <sys/stat.h>
#include <unistd.h>

/* Each is older than the next. */
static const char *const ladder[] = {
	"1.0~beta1~svn1",
	"1.0~beta1",
	"1.0",
	"1.0-1",
	"1.0-1+b1",
	"1.0-2",
	"1.0-10",
	"1.0a",
	"1.0+deb12u1",
	"1.0.1",
	"1.2",
	"1.10",
	"6.1.170-3",
	"6.1.192-2",
	"6.1.192-3",
	"6.12.9-1",
	"6.12.90~rc1-1",
	"6.12.90-1~bpo12+1",
	"6.12.90-1",
	"6.12.100-1",
	"1:0.1",
	"2:0",
};

static int sign(int x)
{
	return x < 0 ? -1 : x > 0;
}

static void versions_are_ordered(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_LEN(ladder); i++)
		for (size_t k = 0; k < ARRAY_LEN(ladder); k++)
			if (sign(debversion_compare(ladder[i], ladder[k])) != (i < k ? -1 : i > k))
				fail_msg("%s and %s", ladder[i], ladder[k]);
	assert_int_equal(debversion_compare("1.0", "0:1.0-0"), 0);
	assert_int_equal(debversion_compare("1.01", "1.1"), 0);
	assert_int_equal(debversion_compare("", ""), 0);
}

/* dpkg --compare-versions is the second oracle, where it is. */
static void versions_are_ordered_as_dpkg_does(void **state UNUSED)
{
	AUTO_FREE char *dpkg = fs_find_program("dpkg", NULL);

	if (!dpkg)
		skip();
	for (size_t i = 0; i + 1 < ARRAY_LEN(ladder); i++) {
		const char *argv[] = { "dpkg", "--compare-versions", ladder[i],
				       "lt",   ladder[i + 1],	     NULL };
		struct proc_spec spec = { .argv = argv, .timeout_ns = 30 * NS_PER_S };
		struct proc_result res;
		struct err e = ERR_INIT;

		assert_int_equal(proc_run(&spec, NULL, NULL, &res, &e), 0);
		if (res.end != PROC_EXITED || res.status != 0)
			fail_msg("dpkg does not find %s older than %s", ladder[i], ladder[i + 1]);
	}
}

static void patterns_pass_over_flavours_unless_named(void **state UNUSED)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} rows[] = {
		{ "linux-image-6.12.*", "linux-image-6.12.117+deb12-amd64", true },
		{ "linux-image-6.12.*", "linux-image-6.12.117+deb12-cloud-amd64", false },
		{ "linux-image-6.12.*", "linux-image-6.12.117+deb12-rt-amd64", false },
		{ "linux-image-6.12.*", "linux-image-6.12.117+deb12-amd64-dbg", false },
		{ "linux-image-6.12.*", "linux-image-6.12.117+deb12-amd64-unsigned", false },
		{ "linux-image-6.12.*", "linux-image-6.12.117+deb12-rt-amd64-dbg", false },
		{ "linux-image-6.12.*", "linux-image-6.1.0-57-amd64", false },
		{ "linux-image-6.12*", "linux-image-6.12-amd64-signed-template", false },
		{ "linux-image-6.12.*-cloud-*", "linux-image-6.12.117+deb12-cloud-amd64", true },
		{ "linux-image-6.12.*-cloud-*", "linux-image-6.12.117+deb12-amd64", false },
		{ "linux-image-6.12.*-rt-*", "linux-image-6.12.117+deb12-rt-amd64", true },
		{ "linux-image-6.12.*-rt-*", "linux-image-6.12.117+deb12-rt-amd64-dbg", false },
		{ "linux-image-6.12.*-unsigned", "linux-image-6.12.117+deb12-amd64-unsigned",
		  true },
		{ "linux-image-6.1.0-5[67]-amd64", "linux-image-6.1.0-56-amd64", true },
		{ "linux-image-6.1.0-5[67]-amd64", "linux-image-6.1.0-55-amd64", false },
		{ "linux-image-*", "linux-image-6.1.0-rtai-amd64",
		  true }, /* "-rt" is a word of its own */
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (deb_name_matches(rows[i].pattern, rows[i].name) != rows[i].matches)
			fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].name);
}

/* A PATH with an apt-cache of our own, which knows the packages of the fixture. */

static const char fake_apt[] =
	"#!/bin/sh\n"
	"stanza() { printf 'Package: %s\\nVersion: %s\\nArchitecture: amd64\\n%sFilename: x\\nSHA256: %s\\n\\n' \"$@\"; }\n"
	"case \"$1 $2\" in\n"
	"'pkgnames linux-image-7.') echo linux-image-7.9-amd64; echo linux-image-7.10-amd64; echo linux-image-7.9-rt-amd64;;\n"
	"'pkgnames linux-image-') echo linux-image-7.9-amd64; echo linux-image-7.10-amd64;;\n"
	"pkgnames*) ;;\n"
	"*) shift; for p; do case $p in\n"
	"	linux-image-7.9-amd64) stanza $p 7.9-2 '' aa; stanza $p 7.9-10 '' bb;;\n"
	"	linux-image-7.10-amd64) printf 'Package: %s\\nVersion: 7.10-1\\nStatus: installed\\n\\n' $p; stanza $p 7.10-1 '' cc;;\n"
	"	linux-image-amd64) stanza $p 7.10+1 'Depends: linux-image-7.10-amd64 (= 7.10-1)\n' dd;;\n"
	"	*) echo 'E: No packages found' >&2; exit 100;;\n"
	"esac; done;;\nesac\n";

static void what_a_spec_means(void **state UNUSED)
{
	static const struct {
		const char *spec, *expected; /* "name version sum" each, or the error */
	} rows[] = {
		{ "linux-image-7.*",
		  "linux-image-7.9-amd64 7.9-2 aa;linux-image-7.9-amd64 7.9-10 bb;"
		  "linux-image-7.10-amd64 7.10-1 cc;" },
		{ "linux-image-7.9-amd64=7.9-2", "linux-image-7.9-amd64 7.9-2 aa;" },
		{ "linux-image-amd64", "linux-image-7.10-amd64 7.10-1 cc;" },
		{ "linux-image-7.9-amd64=9",
		  "package 'linux-image-7.9-amd64' has no version '9'; apt has 7.9-2, 7.9-10" },
		{ "linux-image-8-amd64",
		  "no package 'linux-image-8-amd64'; apt has linux-image-7.9-amd64, "
		  "linux-image-7.9-amd64, linux-image-7.10-amd64" },
		{ "linux-image-8*", "no package 'linux-image-8*'; apt has linux-image-7.9-amd64, "
				    "linux-image-7.9-amd64, linux-image-7.10-amd64" },
		{ "--help",
		  "'deb=--help' is not PACKAGE, PACKAGE=VERSION or a pattern like linux-image-6.12.*" },
		{ "",
		  "'deb=' is not PACKAGE, PACKAGE=VERSION or a pattern like linux-image-6.12.*" },
		{ "a=",
		  "'deb=a=' is not PACKAGE, PACKAGE=VERSION or a pattern like linux-image-6.12.*" },
		{ "/nonexistent/x.deb", "'/nonexistent/x.deb' does not exist" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(deb_packages) struct deb_packages p = { 0 };
		AUTO(str) struct str got = STR_INIT;
		struct err e = ERR_INIT;

		if (deb_list(rows[i].spec, &p, &e) < 0)
			str_puts(&got, e.msg);
		for (size_t k = 0; k < p.n; k++)
			str_addf(&got, "%s %s %s;", p.v[k].name, p.v[k].version, p.v[k].sha256);
		assert_string_equal(got.p, rows[i].expected);
	}
}

static void the_newest_is_taken(void **state UNUSED)
{
	AUTO(deb_package) struct deb_package p = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(deb_resolve("linux-image-7.9-amd64", &p, &e), 0);
	assert_string_equal(p.version, "7.9-10");
}

static void without_apt_one_line_says_so(void **state UNUSED)
{
	AUTO(deb_packages) struct deb_packages p = { 0 };
	AUTO_FREE char *path = xstrdup(getenv("PATH"));
	struct err e = ERR_INIT;

	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(deb_list("linux-image-amd64", &p, &e), -ERR_ENV);
	setenv("PATH", path, 1);
	assert_non_null(strstr(e.msg, "apt-cache"));
	assert_non_null(strstr(e.msg, "image=PATH"));
}

static int make_scratch(void **state)
{
	AUTO_FREE char *path = NULL, *file = NULL;
	struct err e = ERR_INIT;

	if (scratch_make(state) < 0)
		return -1;
	file = fs_join(scratch, "apt-cache");
	path = xasprintf("%s:%s", scratch, getenv("PATH"));
	setenv("PATH", path, 1);
	return fs_write_atomic(file, fake_apt, sizeof(fake_apt) - 1, &e) < 0 ? -1
									     : chmod(file, 0755);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_ordered),
		cmocka_unit_test(versions_are_ordered_as_dpkg_does),
		cmocka_unit_test(patterns_pass_over_flavours_unless_named),
		cmocka_unit_test(what_a_spec_means),
		cmocka_unit_test(the_newest_is_taken),
		cmocka_unit_test(without_apt_one_line_says_so),
	};

	return cmocka_run_group_tests(tests, make_scratch, scratch_remove);
}
