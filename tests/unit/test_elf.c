/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "kernel/elf.h"
#include "sys/fs.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path_of(const struct elf_libraries *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].name, name))
			return l->v[i].path;
	return NULL;
}

/* This very program: it needs libc, libcmocka and the libraries of the whole. */
static void this_program_s_libraries_are_found(void **state UNUSED)
{
	AUTO(elf_libraries) struct elf_libraries l = { 0 };
	AUTO_FREE char *self = NULL;
	struct err e = ERR_INIT;
	size_t n;

	assert_int_equal(fs_realpath("/proc/self/exe", &self, &e), 0);
	assert_int_equal(elf_closure(self, NULL, &l, &e), 0);
	assert_true(l.n >= 3);
	assert_true(*l.v[0].name == '/'); /* the loader comes first */
	assert_non_null(path_of(&l, "libc.so.6"));
	assert_non_null(path_of(&l, "libcmocka.so.0"));
	for (size_t i = 0; i < l.n; i++) {
		assert_true(fs_exists(l.v[i].path));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(l.v[i].name, l.v[k].name);
	}
	n = l.n;
	assert_int_equal(elf_closure(self, NULL, &l, &e), 0);
	assert_int_equal(l.n, n);
}

static void what_a_program_says_is_read(void **state UNUSED)
{
	AUTO(elf_info) struct elf_info x = { 0 };
	struct err e = ERR_INIT;
	bool is_elf = false;

	assert_int_equal(elf_read("/proc/self/exe", &x, &is_elf, &e), 0);
	assert_true(is_elf);
	assert_non_null(x.interp);
	assert_true(x.needed.n >= 2);
	assert_true(x.is_64 == (sizeof(void *) == 8));
}

static void put(const char *name, const char *bytes, size_t n, char **ret)
{
	struct err e = ERR_INIT;

	*ret = fs_join(scratch, name);
	assert_int_equal(fs_write_atomic(*ret, bytes, n, &e), 0);
}

static void scripts_and_data_are_no_elf(void **state UNUSED)
{
	static const struct {
		const char *bytes;
		size_t n;
	} rows[] = { { "#!/bin/sh\n", 10 }, { "", 0 }, { "text", 4 }, { "\x7f", 1 } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(elf_info) struct elf_info x = { 0 };
		AUTO(elf_libraries) struct elf_libraries l = { 0 };
		AUTO_FREE char *path = NULL;
		struct err e = ERR_INIT;
		bool is_elf = false;

		put("data", rows[i].bytes, rows[i].n, &path);
		assert_int_equal(elf_read(path, &x, &is_elf, &e), 0);
		assert_false(is_elf);
		assert_int_equal(elf_closure(path, NULL, &l, &e), 0);
		assert_int_equal(l.n, 0);
	}
}

/* Cut at each of its first bytes and at many others: an error or "no ELF", never a crash (run under ASan). */
static void a_cut_off_file_is_never_trusted(void **state UNUSED)
{
	AUTO(str) struct str whole = STR_INIT;
	AUTO_FREE char *self = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(fs_realpath("/bin/sh", &self, &e), 0);
	assert_int_equal(fs_read(self, 64 << 20, &whole, &e), 0);
	for (size_t n = 0; n < whole.n; n += n < 1024 ? 1 : 997) {
		AUTO(elf_info) struct elf_info x = { 0 };
		AUTO(str) struct str section = STR_INIT;
		AUTO_FREE char *path = NULL;
		bool is_elf = false;

		put("cut", whole.p, n, &path);
		(void)!elf_read(path, &x, &is_elf, &e);
		assert_true(elf_section(whole.p, n, ".interp", "it", &section, &e) < 0);
	}
}

static void sections_are_read_from_memory(void **state UNUSED)
{
	AUTO(str) struct str whole = STR_INIT, interp = STR_INIT;
	AUTO(elf_info) struct elf_info x = { 0 };
	struct err e = ERR_INIT;
	bool is_elf = false;

	assert_int_equal(fs_read("/bin/sh", 64 << 20, &whole, &e), 0);
	assert_int_equal(elf_section(whole.p, whole.n, ".interp", "it", &interp, &e), 0);
	assert_int_equal(elf_read("/bin/sh", &x, &is_elf, &e), 0);
	assert_string_equal(interp.p, x.interp);
	assert_int_equal(elf_section(whole.p, whole.n, ".none", "it", &interp, &e), -ERR_MISSING);
	assert_string_equal(e.msg, "it has no section .none");
}

static void a_library_by_name(void **state UNUSED)
{
	AUTO_FREE char *libc = elf_find_library("libc.so.6", true, EM_X86_64);
	AUTO_FREE char *arm = elf_find_library("libc.so.6", true, EM_ARM);
	AUTO_FREE char *none = elf_find_library("libnone.so.6", true, EM_X86_64);

	assert_non_null(libc);
	assert_null(arm);
	assert_null(none);
}

/* A library that is not there, by changing its name in a copy of this program. */
static void a_missing_library_is_named_with_who_needs_it(void **state UNUSED)
{
	AUTO(elf_libraries) struct elf_libraries l = { 0 };
	AUTO(str) struct str whole = STR_INIT;
	AUTO_FREE char *path = NULL;
	struct err e = ERR_INIT;
	char *at;

	assert_int_equal(fs_read("/proc/self/exe", 256 << 20, &whole, &e), 0);
	for (at = whole.p;
	     (at = memmem(at, whole.n - (size_t)(at - whole.p), "libcmocka.so.0", 14));)
		memcpy(at, "libabsent.so.0", 14);
	put("absent", whole.p, whole.n, &path);
	assert_int_equal(elf_closure(path, NULL, &l, &e), -ERR_ENV);
	assert_non_null(strstr(
		e.msg, "/absent' needs the library libabsent.so.0, which is not on this machine"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_program_s_libraries_are_found),
		cmocka_unit_test(what_a_program_says_is_read),
		cmocka_unit_test(scripts_and_data_are_no_elf),
		cmocka_unit_test(a_cut_off_file_is_never_trusted),
		cmocka_unit_test(sections_are_read_from_memory),
		cmocka_unit_test(a_library_by_name),
		cmocka_unit_test(a_missing_library_is_named_with_who_needs_it),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
