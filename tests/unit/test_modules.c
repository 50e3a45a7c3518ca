/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "kernel/decompress.h"
#include "kernel/elf.h"
#include "kernel/modules.h"
#include "sys/fs.h"

#include <elf.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* An object file with a .modinfo of the zero-separated texts. */
static void make_module(const char *modinfo, size_t n, struct str *ret)
{
	static const char names[] = "\0.modinfo\0.shstrtab";
	Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_REL,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_shoff = sizeof(head),
			    .e_ehsize = sizeof(head),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 3,
			    .e_shstrndx = 2 };
	size_t at = sizeof(head) + 3 * sizeof(Elf64_Shdr);
	Elf64_Shdr sections[3] = {
		{ 0 },
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_offset = at,
		  .sh_size = n,
		  .sh_addralign = 1 },
		{ .sh_name = 10,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = at + n,
		  .sh_size = sizeof(names),
		  .sh_addralign = 1 },
	};

	str_add(ret, (const char *)&head, sizeof(head));
	str_add(ret, (const char *)sections, sizeof(sections));
	str_add(ret, modinfo, n);
	str_add(ret, names, sizeof(names));
}

static void pack(enum packing packing, const struct str *in, struct str *ret)
{
	uint8_t out[4096];
	size_t n = 0;

	if (packing == PACKING_XZ)
		assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL,
							 (const uint8_t *)in->p, in->n, out, &n,
							 sizeof(out)),
				 LZMA_OK);
	if (packing == PACKING_ZSTD)
		n = ZSTD_compress(out, sizeof(out), in->p, in->n, 3);
	if (packing == PACKING_GZIP) {
		z_stream z = { .next_in = (Bytef *)in->p,
			       .avail_in = (uInt)in->n,
			       .next_out = out,
			       .avail_out = sizeof(out) };

		assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		n = sizeof(out) - z.avail_out;
		deflateEnd(&z);
	}
	if (packing == PACKING_NONE)
		str_add(ret, in->p, in->n);
	else
		str_add(ret, (const char *)out, n);
}

static void put(const char *name, const char *bytes, size_t n)
{
	AUTO_FREE char *path = fs_join(scratch, name);
	AUTO_FREE char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	struct err e = ERR_INIT;

	assert_int_equal(fs_mkdirs(dir, &e), 0);
	assert_int_equal(fs_write_atomic(path, bytes, n, &e), 0);
}

static void put_module(const char *name, enum packing packing, const char *modinfo, size_t n)
{
	AUTO(str) struct str plain = STR_INIT, packed = STR_INIT;

	make_module(modinfo, n, &plain);
	pack(packing, &plain, &packed);
	put(name, packed.p, packed.n);
}
#define PUT(name, packing, modinfo) put_module(name, packing, modinfo, sizeof(modinfo))

/* "a b(args)" for the modules found, or the error. */
static void found(const char *const *wanted, struct str *ret)
{
	AUTO(kernel_modules) struct kernel_modules m = { 0 };
	struct err e = ERR_INIT;

	if (kernel_modules_find(scratch, wanted, &m, &e) < 0)
		str_puts(ret, e.msg);
	for (size_t i = 0; i < m.n; i++) {
		str_addf(ret, "%s%s", i ? " " : "", m.v[i].name);
		if (*m.v[i].args)
			str_addf(ret, "(%s)", m.v[i].args);
		assert_memory_equal(m.v[i].bytes.p,
				    "\x7f"
				    "ELF",
				    4);
	}
}

static void dependencies_come_first_and_once(void **state UNUSED)
{
	static const struct {
		const char *wanted[4], *expected;
	} rows[] = {
		{ { "leaf" }, "leaf" },
		{ { "top-module" }, "leaf middle top_module" },
		{ { "top_module", "leaf" }, "leaf middle top_module" },
		{ { "leaf a=1 b=2", "middle" }, "leaf(a=1 b=2) middle" },
		{ { "soft" }, "leaf soft" }, /* its other soft dependency is not there */
		{ { "?nothing", "leaf" }, "leaf" },
		{ { "inside" }, "" }, /* built in */
		{ { "ring_a" }, "ring_b ring_a" },
		{ { NULL }, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str got = STR_INIT;

		found(rows[i].wanted, &got);
		assert_string_equal(got.p, rows[i].expected);
	}
}

static void what_is_missing_is_named(void **state UNUSED)
{
	static const struct {
		const char *wanted, *expected;
	} rows[] = {
		{ "nothing", "this kernel has no module 'nothing', nor is it built in" },
		{ "orphan", "the module 'orphan' needs 'gone', which is not in" },
		{ "damaged", "damaged.ko.xz is damaged: its xz data ends early or is wrong" },
		{ "text", "text.ko' is not an ELF file" },
		{ "bz", "bz.ko.bz2 is packed in a form that is not read here" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *wanted[] = { rows[i].wanted, NULL };
		AUTO(str) struct str got = STR_INIT;

		found(wanted, &got);
		if (!strstr(got.p, rows[i].expected))
			fail_msg("%s: '%s'", rows[i].wanted, got.p);
	}
}

static void a_kernel_without_modules_misses_none(void **state UNUSED)
{
	const char *wanted[] = { "anything", NULL };
	AUTO(kernel_modules) struct kernel_modules m = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(kernel_modules_find(NULL, wanted, &m, &e), 0);
	assert_int_equal(m.n, 0);
	assert_int_equal(kernel_modules_find("/nonexistent", wanted, &m, &e), -ERR_MISSING);
}

static void every_packing_is_unpacked_and_cut_off_data_refused(void **state UNUSED)
{
	static const enum packing rows[] = { PACKING_GZIP, PACKING_XZ, PACKING_ZSTD };
	AUTO(str) struct str text = STR_INIT;

	for (int i = 0; i < 500; i++)
		str_addf(&text, "line %d\n", i * i);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str packed = STR_INIT, again = STR_INIT;
		struct err e = ERR_INIT;

		pack(rows[i], &text, &packed);
		assert_int_equal(packing_of(packed.p, packed.n), rows[i]);
		for (size_t n = 6; n < packed.n; n++) {
			assert_int_equal(decompress(packed.p, n, 1 << 20, "it", &again, &e),
					 -ERR_USAGE);
			assert_int_equal(again.n, 0);
		}
		assert_int_equal(decompress(packed.p, packed.n, text.n - 1, "it", &again, &e),
				 -ERR_USAGE);
		str_puts(&packed, "tail"); /* as the four bytes after a kernel's payload */
		assert_int_equal(decompress(packed.p, packed.n, 1 << 20, "it", &again, &e), 0);
		assert_string_equal(again.p, text.p);
	}
}

static int make_scratch(void **state)
{
	static const char builtin[] = "kernel/fs/inside.ko\nkernel/fs/other.ko\n";

	if (scratch_make(state) < 0)
		return -1;
	PUT("kernel/leaf.ko.xz", PACKING_XZ, "license=GPL\0depends=\0name=leaf");
	PUT("kernel/sub/middle.ko.zst", PACKING_ZSTD, "depends=leaf\0name=middle");
	PUT("kernel/sub/top-module.ko", PACKING_NONE, "depends=middle,leaf");
	PUT("kernel/soft.ko.gz", PACKING_GZIP,
	    "softdep=pre: leaf elsewhere post: top_module\0depends=");
	PUT("kernel/orphan.ko", PACKING_NONE, "depends=gone");
	PUT("kernel/ring_a.ko", PACKING_NONE, "depends=ring_b");
	PUT("kernel/ring_b.ko", PACKING_NONE, "depends=ring_a");
	put("kernel/damaged.ko.xz",
	    "\xfd"
	    "7zXZ\0oops",
	    10);
	put("kernel/text.ko", "text", 4);
	put("kernel/bz.ko.bz2", "BZh9", 4);
	put("modules.builtin", builtin, sizeof(builtin) - 1);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dependencies_come_first_and_once),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(a_kernel_without_modules_misses_none),
		cmocka_unit_test(every_packing_is_unpacked_and_cut_off_data_refused),
	};

	return cmocka_run_group_tests(tests, make_scratch, scratch_remove);
}
