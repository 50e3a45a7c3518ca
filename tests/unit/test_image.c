/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "kernel/image.h"
#include "kernel/kept.h"
#include "sys/fs.h"

#include <lzma.h>
#include <unistd.h>

static char *put(const char *name, const char *bytes, size_t n)
{
	char *path = fs_join(scratch, name);
	AUTO_FREE char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	struct err e = ERR_INIT;

	assert_int_equal(fs_mkdirs(dir, &e), 0);
	assert_int_equal(fs_write_atomic(path, bytes, n, &e), 0);
	return path;
}

/* The fields of boot.rst that are read, a version string, and a payload after one setup sector. */
static void make_bzimage(const char *payload, size_t n, struct str *ret)
{
	static const char version[] = "6.99.1-test (somebody@somewhere) #1 SMP";
	char head[1024] = { 0 };

	head[0x1f1] = 1;
	memcpy(head + 0x202, "HdrS", 4);
	head[0x206] = 0x0f;
	head[0x207] = 0x02;
	head[0x20e] = (char)0x90; /* 0x290 - 0x200 */
	head[0x236] = 1;
	memcpy(head + 0x290, version, sizeof(version));
	head[0x24c] = (char)(n & 0xff);
	head[0x24d] = (char)(n >> 8);
	str_add(ret, head, sizeof(head));
	str_add(ret, payload, n);
}

static void a_bzimage_and_what_lies_beside_it(void **state UNUSED)
{
	AUTO(str) struct str image = STR_INIT;
	AUTO(kernel_image) struct kernel_image k = { 0 };
	AUTO_FREE char *path = NULL, *config = NULL, *map = NULL, *module = NULL;
	struct err e = ERR_INIT;
	char key[65], again[65];

	make_bzimage("", 0, &image);
	path = put("pkg/boot/vmlinuz-6.99.1-test", image.p, image.n);
	config = put("pkg/boot/config-6.99.1-test", "CONFIG_X=y\n", 11);
	map = put("pkg/boot/System.map-6.99.1-test", "elsewhere\n", 10); /* Debian's single line */
	module = put("pkg/lib/modules/6.99.1-test/kernel/a.ko", "a", 1);
	assert_int_equal(kernel_image_open(path, NULL, &k, &e), 0);
	assert_string_equal(k.release, "6.99.1-test");
	assert_string_equal(k.config, config);
	assert_null(k.system_map);
	assert_true(ends_with(k.modules, "/lib/modules/6.99.1-test"));
	assert_null(k.package);

	assert_int_equal(kernel_image_key(&k, key, &e), 0);
	assert_int_equal(kernel_image_key(&k, again, &e), 0);
	assert_string_equal(key, again);
	free(put("pkg/lib/modules/6.99.1-test/kernel/b.ko", "b", 1));
	assert_int_equal(kernel_image_key(&k, again, &e), 0);
	assert_string_not_equal(key, again);
}

static void modules_are_found_under_the_folder_that_is_named(void **state UNUSED)
{
	static const char *const rows[] = { "m", "m/lib/modules", "m/lib/modules/6.99.1-test" };
	AUTO(str) struct str image = STR_INIT;
	AUTO_FREE char *path = NULL, *module = put("m/lib/modules/6.99.1-test/kernel/a.ko", "a", 1);
	AUTO_FREE char *empty = put("empty/file", "", 0), *folder = fs_join(scratch, "empty");
	struct err e = ERR_INIT;

	make_bzimage("", 0, &image);
	path = put("alone/bzImage", image.p, image.n);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(kernel_image) struct kernel_image k = { 0 };
		AUTO_FREE char *dir = fs_join(scratch, rows[i]);

		assert_int_equal(kernel_image_open(path, dir, &k, &e), 0);
		assert_true(ends_with(k.modules, "m/lib/modules/6.99.1-test"));
	}
	AUTO(kernel_image) struct kernel_image k = { 0 };

	assert_int_equal(kernel_image_open(path, folder, &k, &e), -ERR_MISSING);
	assert_non_null(strstr(e.msg, "holds no modules of kernel 6.99.1-test"));
}

static void what_is_no_kernel_is_said_to_be_what_it_is(void **state UNUSED)
{
	static char arm[64] = { [56] = 'A', [57] = 'R', [58] = 'M', [59] = 0x64 };
	static char elf32[64] = "\x7f"
				"ELF\1";
	static char elf_arm[64] = { 0x7f, 'E', 'L', 'F', 2, [18] = (char)183 };
	static const struct {
		const char *bytes;
		size_t n;
		const char *expected;
	} rows[] = {
		{ "", 0, "it is empty" },
		{ "text", 4, "it is something else" },
		{ arm, sizeof(arm), "it is a kernel for arm64" },
		{ elf32, sizeof(elf32), "it is an ELF file of 32 bits" },
		{ elf_arm, sizeof(elf_arm), "it is an ELF file for another architecture" },
		{ "!<arch>\ndebian-binary", 21, "it is a Debian package or an archive" },
		{ "\x1f\x8b\x08zzz", 6, "it is a compressed file" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(kernel_image) struct kernel_image k = { 0 };
		AUTO_FREE char *path = put("wrong", rows[i].bytes, rows[i].n);
		struct err e = ERR_INIT;

		assert_int_equal(kernel_image_open(path, NULL, &k, &e), -ERR_USAGE);
		if (!strstr(e.msg, rows[i].expected))
			fail_msg("%s", e.msg);
	}
}

static void a_32_bit_kernel_is_refused(void **state UNUSED)
{
	AUTO(kernel_image) struct kernel_image k = { 0 };
	AUTO(str) struct str image = STR_INIT;
	AUTO_FREE char *path = NULL;
	struct err e = ERR_INIT;

	make_bzimage("", 0, &image);
	image.p[0x236] = 0;
	path = put("bzImage32", image.p, image.n);
	assert_int_equal(kernel_image_open(path, NULL, &k, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "32-bit x86"));
}

/* A bzImage that carries the `elf`, with PVH's note in it or not. */
static void make_packed(bool pvh, char elf[200], struct str *ret)
{
	static const char note[] = { 4, 0, 0, 0, 8, 0, 0, 0, 18, 0, 0, 0, 'X', 'e', 'n', 0 };
	uint8_t packed[1024];
	size_t n = 0;

	memset(elf, 0, 200);
	memcpy(elf,
	       "\x7f"
	       "ELF\2",
	       5);
	if (pvh)
		memcpy(elf + 100, note, sizeof(note));
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, (uint8_t *)elf, 200,
						 packed, &n, sizeof(packed)),
			 LZMA_OK);
	make_bzimage((char *)packed, n, ret);
}

static void the_kernel_within_comes_out(void **state UNUSED)
{
	struct err e = ERR_INIT;

	for (int with = 0; with <= 1; with++) {
		AUTO(kernel_image) struct kernel_image k = { 0 };
		AUTO(str) struct str image = STR_INIT, out = STR_INIT;
		AUTO_FREE char *path = NULL, *to = fs_join(scratch, "vmlinux");
		char elf[200];
		bool has = !with;

		make_packed(with, elf, &image);
		path = put("inner/bzImage", image.p, image.n);
		assert_int_equal(kernel_image_open(path, NULL, &k, &e), 0);
		assert_int_equal(kernel_image_extract(&k, to, &has, &e), 0);
		assert_int_equal(has, with);
		assert_int_equal(fs_read(to, 1 << 20, &out, &e), 0);
		assert_int_equal(out.n, sizeof(elf));
		assert_memory_equal(out.p, elf, sizeof(elf));
	}
}

/* A tree that Kbuild built: the kernel within is what starts, if it can, and is unpacked once. */
static void a_built_tree_starts_without_its_decompressor(void **state UNUSED)
{
	struct err e = ERR_INIT;

	for (int with = 0; with <= 1; with++) {
		AUTO_FREE char *dir = fs_join(scratch, with ? "tree1" : "tree0");
		AUTO_FREE char *name = xasprintf("tree%d/boot/vmlinuz-6.99.1-test", with);
		AUTO_FREE char *path = NULL, *inner = fs_join(dir, "vmlinux");
		AUTO(str) struct str image = STR_INIT;
		char elf[200];

		make_packed(with, elf, &image);
		path = put(name, image.p, image.n);
		for (int again = 0; again <= 1; again++) {
			AUTO(kernel_image) struct kernel_image k = { 0 }, kept = { 0 };
			AUTO_FREE char *start = NULL;

			assert_int_equal(kept_find(dir, &k, &start, &e), 0);
			assert_string_equal(k.image, path);
			assert_string_equal(start, with ? inner : path);
			assert_int_equal(kept_read(dir, &kept, &e), 0);
		}
	}
}

static void a_folder_without_a_kernel(void **state UNUSED)
{
	AUTO(kernel_image) struct kernel_image k = { 0 };
	AUTO_FREE char *start = NULL, *path = put("program/boot/readme", "x", 1);
	AUTO_FREE char *dir = fs_join(scratch, "program");
	struct err e = ERR_INIT;

	assert_int_equal(kept_find(dir, &k, &start, &e), -ERR_MISSING);
	assert_null(start);
	assert_non_null(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bzimage_and_what_lies_beside_it),
		cmocka_unit_test(modules_are_found_under_the_folder_that_is_named),
		cmocka_unit_test(what_is_no_kernel_is_said_to_be_what_it_is),
		cmocka_unit_test(a_32_bit_kernel_is_refused),
		cmocka_unit_test(the_kernel_within_comes_out),
		cmocka_unit_test(a_built_tree_starts_without_its_decompressor),
		cmocka_unit_test(a_folder_without_a_kernel),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
