/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "kernel/cpio.h"
#include "sys/fs.h"

#include <sys/stat.h>
#include <unistd.h>

static char *in_scratch(const char *name)
{
	return fs_join(scratch, name);
}

static void write_archive(struct cpio *c, const char *name, struct str *ret)
{
	AUTO_FREE char *path = in_scratch(name);
	struct err e = ERR_INIT;

	assert_int_equal(cpio_write(c, path, &e), 0);
	assert_int_equal(fs_read(path, 1 << 20, ret, &e), 0);
}

/* Every byte of a small archive, from buffer-format.rst: 6 + 13 * 8 digits, the name, padding to 4, the data, padding to 4. */
static void the_bytes_of_an_archive(void **state UNUSED)
{
	static const char expected[] = "070701"
				       "00000001"
				       "000041ED"
				       "00000000"
				       "00000000"
				       "00000002"
				       "65920080"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000002"
				       "00000000"
				       "a\0" /* 110 + 2 = 112 */
				       "070701"
				       "00000002"
				       "000081A4"
				       "00000000"
				       "00000000"
				       "00000001"
				       "65920080"
				       "00000003"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000004"
				       "00000000"
				       "a/b\0\0\0" /* 114 + 2 */
				       "xyz\0"
				       "070701"
				       "00000003"
				       "00002180"
				       "00000000"
				       "00000000"
				       "00000001"
				       "65920080"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000005"
				       "00000001"
				       "00000002"
				       "00000000"
				       "c\0"
				       "070701"
				       "00000004"
				       "0000A1FF"
				       "00000000"
				       "00000000"
				       "00000001"
				       "65920080"
				       "00000001"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000002"
				       "00000000"
				       "d\0"
				       "c\0\0\0"
				       "070701"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000001"
				       "65920080"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000000"
				       "00000000"
				       "0000000B"
				       "00000000"
				       "TRAILER!!!\0\0\0";
	AUTO(cpio) struct cpio c = { 0 };
	AUTO(str) struct str bytes = STR_INIT;
	struct err e = ERR_INIT;

	assert_int_equal(cpio_add_link(&c, "/d", "c", &e), 0);
	assert_int_equal(cpio_add_device(&c, "c", 0600, 5, 1, &e), 0);
	assert_int_equal(cpio_add_bytes(&c, "//a/b/", 0644, "xyz", 3, &e), 0);
	write_archive(&c, "bytes.cpio", &bytes);
	assert_int_equal(bytes.n % 512, 0);
	assert_true(bytes.n > sizeof(expected) - 1);
	assert_memory_equal(bytes.p, expected, sizeof(expected) - 1);
	for (size_t i = sizeof(expected) - 1; i < bytes.n; i++)
		assert_int_equal(bytes.p[i], 0);
}

static void add_one(struct cpio *c, size_t which, const char *host)
{
	struct err e = ERR_INIT;
	int r = which == 0   ? cpio_add_bytes(c, "etc/hosts", 0644, "h", 1, &e)
		: which == 1 ? cpio_add_file(c, "bin/tool", 0755, host, &e)
			     : cpio_add_dir(c, "bin", 0700, &e);

	assert_int_equal(r, 0);
}

static void the_order_of_adding_and_the_file_s_date_do_not_matter(void **state UNUSED)
{
	static const size_t orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 } };
	AUTO_FREE char *host = in_scratch("host");
	AUTO(str) struct str first = STR_INIT;
	char first_key[65] = "";
	struct err e = ERR_INIT;

	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		AUTO(cpio) struct cpio c = { 0 };
		AUTO(str) struct str bytes = STR_INIT;
		char key[65];

		assert_int_equal(fs_write_atomic(host, "tool", 4, &e),
				 0); /* a new date and inode */
		for (size_t k = 0; k < 3; k++)
			add_one(&c, orders[i][k], host);
		assert_int_equal(cpio_key(&c, key, &e), 0);
		write_archive(&c, "order.cpio", &bytes);
		if (i == 0) {
			str_add(&first, bytes.p, bytes.n);
			memcpy(first_key, key, sizeof(key));
		}
		assert_string_equal(key, first_key);
		assert_int_equal(bytes.n, first.n);
		assert_memory_equal(bytes.p, first.p, first.n);
	}
}

static void the_key_is_the_hash_of_the_file(void **state UNUSED)
{
	AUTO(cpio) struct cpio c = { 0 };
	AUTO_FREE char *path = in_scratch("key.cpio");
	struct err e = ERR_INIT;
	char key[65], file[65];

	assert_int_equal(cpio_add_bytes(&c, "x", 0644, "1", 1, &e), 0);
	assert_int_equal(cpio_key(&c, key, &e), 0);
	assert_int_equal(cpio_write(&c, path, &e), 0);
	assert_int_equal(sha256_file(path, file, &e), 0);
	assert_string_equal(key, file);
}

static void a_path_taken_stays(void **state UNUSED)
{
	AUTO(cpio) struct cpio c = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(cpio_add_bytes(&c, "f", 0644, "first", 5, &e), 0);
	assert_int_equal(cpio_add_bytes(&c, "/f", 0644, "second", 6, &e), 0);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.v[0].n, 5);
	assert_memory_equal(c.v[0].bytes, "first", 5);
	assert_true(cpio_has(&c, "f"));
	assert_false(cpio_has(&c, "g"));
}

static void paths_that_lead_out_are_refused(void **state UNUSED)
{
	static const char *const rows[] = { "", "/", "a/../b", "..", "./a" };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(cpio) struct cpio c = { 0 };
		struct err e = ERR_INIT;

		assert_int_equal(cpio_add_dir(&c, rows[i], 0755, &e), -ERR_USAGE);
		assert_non_null(strstr(e.msg, rows[i]));
	}
}

static void a_file_that_is_not_there_leaves_no_archive(void **state UNUSED)
{
	AUTO(cpio) struct cpio c = { 0 };
	AUTO_FREE char *path = in_scratch("none.cpio");
	struct err e = ERR_INIT;
	char key[65] = "untouched";

	assert_int_equal(cpio_add_file(&c, "f", 0644, "/nonexistent/file", &e), 0);
	assert_int_equal(cpio_key(&c, key, &e), -ERR_ENV);
	assert_string_equal(key, "untouched");
	assert_non_null(strstr(e.msg, "/nonexistent/file"));
	assert_int_equal(cpio_write(&c, path, &e), -ERR_ENV);
	assert_false(fs_exists(path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bytes_of_an_archive),
		cmocka_unit_test(the_order_of_adding_and_the_file_s_date_do_not_matter),
		cmocka_unit_test(the_key_is_the_hash_of_the_file),
		cmocka_unit_test(a_path_taken_stays),
		cmocka_unit_test(paths_that_lead_out_are_refused),
		cmocka_unit_test(a_file_that_is_not_there_leaves_no_archive),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
