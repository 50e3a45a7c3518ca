/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "sys/clock.h"
#include "sys/fs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
	struct err e = ERR_INIT;

	if (fs_write_atomic(path, text, strlen(text), &e) < 0)
		fail_msg("%s", e.msg);
}

static void sha256_of(const char *text, size_t n, size_t piece, char ret[65])
{
	struct sha256 *h = sha256_new();

	for (size_t i = 0; i < n; i += piece)
		sha256_add(h, text + i, n - i < piece ? n - i : piece);
	sha256_finish(h, ret);
}

/* The examples of FIPS 180-2, appendix B, and the empty message. */
static void sha256_vectors(void **state UNUSED)
{
	static const struct {
		const char *text, *hex;
	} rows[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	char hex[65];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		sha256_of(rows[i].text, strlen(rows[i].text), 1000, hex);
		assert_string_equal(hex, rows[i].hex);
	}
	AUTO_FREE char *million = xmalloc(1000000);

	memset(million, 'a', 1000000);
	sha256_of(million, 1000000, 64 * 1024, hex);
	assert_string_equal(hex,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void sha256_does_not_depend_on_the_pieces(void **state UNUSED)
{
	char text[200], one[65], many[65];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 37);
	for (size_t n = 0; n <= sizeof(text); n++)
		for (size_t piece = 1; piece < 70; piece += 7) {
			sha256_of(text, n, 1000, one);
			sha256_of(text, n, piece, many);
			assert_string_equal(one, many);
		}
}

static void reads_and_their_ceiling(void **state UNUSED)
{
	AUTO_FREE char *path = fs_join(scratch, "file");
	AUTO(str) struct str out = STR_INIT;
	struct err e = ERR_INIT;
	char hex[65];

	write_file(path, "hello");
	assert_int_equal(fs_read(path, 5, &out, &e), 0);
	assert_string_equal(out.p, "hello");
	assert_int_equal(sha256_file(path, hex, &e), 0);
	assert_true(starts_with(hex, "2cf24dba5fb0a30e"));
	str_clear(&out);
	assert_int_equal(fs_read(path, 4, &out, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "longer than"));
	assert_int_equal(fs_read("/nowhere/x", 4, &out, &e), -ERR_MISSING);
	assert_int_equal(fs_read(scratch, 4, &out, &e), -ERR_ENV);
	assert_int_equal(sha256_file(scratch, hex, &e), -ERR_ENV);
	write_file(path, "other"); /* replaced, and no temporary stays */
	AUTO_FREE char *tmp = xasprintf("%s.tmp%d", path, (int)getpid());

	assert_false(fs_exists(tmp));
	assert_int_equal(fs_write_atomic("/nowhere/x", "", 0, &e), -ERR_ENV);
}

static void folders(void **state UNUSED)
{
	AUTO_FREE char *deep = fs_join(scratch, "a/b/c");
	AUTO_FREE char *file = fs_join(scratch, "a/f");
	AUTO_FREE char *below = fs_join(file, "x");
	AUTO_FREE char *link = fs_join(scratch, "link");
	AUTO_FREE char *real = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(fs_mkdirs(deep, &e), 0);
	assert_int_equal(fs_mkdirs(deep, &e), 0);
	assert_true(fs_is_dir(deep));
	write_file(file, "");
	assert_false(fs_is_dir(file));
	assert_int_equal(fs_mkdirs(below, &e), -ERR_ENV);
	assert_int_equal(fs_mkdirs(file, &e), -ERR_ENV);
	assert_int_equal(symlink("a/b", link), 0);
	assert_int_equal(fs_realpath(link, &real, &e), 0);
	assert_true(ends_with(real, "/a/b"));
	AUTO_FREE char *none = fs_join(scratch, "none");

	assert_int_equal(fs_realpath(none, &real, &e), -ERR_MISSING);
	assert_true(fs_free_bytes(scratch) > 0);
	assert_int_equal(fs_free_bytes(none), -1);
}

static void joins(void **state UNUSED)
{
	static const char *const rows[][3] = {
		{ "a", "b", "a/b" }, { "a/", "b", "a/b" }, { "a", "/b", "/b" },
		{ "", "b", "b" },    { "/", "b", "/b" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *s = fs_join(rows[i][0], rows[i][1]);

		assert_string_equal(s, rows[i][2]);
	}
}

static void removal_is_thorough_and_follows_no_link(void **state UNUSED)
{
	AUTO_FREE char *tree = fs_join(scratch, "tree");
	AUTO_FREE char *sub = fs_join(scratch, "tree/locked/sub");
	AUTO_FREE char *locked = fs_join(scratch, "tree/locked");
	AUTO_FREE char *file = fs_join(sub, "f");
	AUTO_FREE char *outside = fs_join(scratch, "outside");
	AUTO_FREE char *link = fs_join(tree, "link");
	struct err e = ERR_INIT;

	assert_int_equal(fs_mkdirs(sub, &e), 0);
	write_file(file, "x");
	write_file(outside, "keep");
	assert_int_equal(symlink(scratch, link), 0);
	assert_int_equal(chmod(sub, 0), 0);
	assert_int_equal(chmod(locked, 0500), 0);
	assert_int_equal(fs_remove_tree(tree, &e), 0);
	assert_false(fs_exists(tree));
	assert_true(fs_exists(outside));
	assert_int_equal(fs_remove_tree(tree, &e), 0);	  /* missing is fine */
	assert_int_equal(fs_remove_tree(outside, &e), 0); /* a file too */
}

static void removal_of_a_very_deep_tree(void **state UNUSED)
{
	AUTO_FREE char *tree = fs_join(scratch, "deep");
	struct err e = ERR_INIT;
	int at;

	assert_int_equal(fs_mkdirs(tree, &e), 0);
	at = open(tree, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 3000; i++) { /* its path is longer than PATH_MAX */
		assert_int_equal(mkdirat(at, "folder", 0777), 0);
		int next = openat(at, "folder", O_RDONLY | O_DIRECTORY);

		close(at);
		at = next;
	}
	close(at);
	assert_int_equal(fs_remove_tree(tree, &e), 0);
	assert_false(fs_exists(tree));
}

static void tree_size_counts_hard_links_once(void **state UNUSED)
{
	AUTO_FREE char *dir = fs_join(scratch, "size");
	AUTO_FREE char *a = fs_join(dir, "a");
	AUTO_FREE char *b = fs_join(dir, "b");
	struct err e = ERR_INIT;
	char block[65536];

	memset(block, 'x', sizeof(block));
	assert_int_equal(fs_mkdirs(dir, &e), 0);
	int64_t empty = fs_tree_size(dir);

	assert_int_equal(fs_write_atomic(a, block, sizeof(block), &e), 0);
	int64_t one = fs_tree_size(dir);

	assert_true(one >= empty + 65536);
	assert_int_equal(link(a, b), 0);
	assert_int_equal(fs_tree_size(dir), one);
}

static void clocks(void **state UNUSED)
{
	char text[20];
	int64_t a = clock_monotonic_ns(), b = clock_monotonic_ns();

	assert_true(b >= a);
	assert_true(clock_boottime_ns() >= a);
	setenv("TZ", "UTC", 1);
	tzset();
	clock_format(INT64_C(1700000000) * 1000000000, text);
	assert_string_equal(text, "2023-11-14 22:13");
	clock_format(-1, text);
	assert_string_equal(text, "1969-12-31 23:59");
	clock_format(INT64_MAX, text);
	assert_string_equal(text, "2262-04-11 23:47");
}

static void the_folder_of_a_path(void **state UNUSED)
{
	static const char *const rows[][2] = { { "a/b", "a" },	 { "a", "." }, { "/a", "/" },
					       { "/a/b", "/a" }, { "/", "/" }, { "", "." } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *got = fs_dirname(rows[i][0]);

		assert_string_equal(got, rows[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_folder_of_a_path),
		cmocka_unit_test(sha256_vectors),
		cmocka_unit_test(sha256_does_not_depend_on_the_pieces),
		cmocka_unit_test(reads_and_their_ceiling),
		cmocka_unit_test(folders),
		cmocka_unit_test(joins),
		cmocka_unit_test(removal_is_thorough_and_follows_no_link),
		cmocka_unit_test(removal_of_a_very_deep_tree),
		cmocka_unit_test(tree_size_counts_hard_links_once),
		cmocka_unit_test(clocks),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
