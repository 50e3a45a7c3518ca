/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decompress - see decompress.h.
 *
 * By the libraries and not by xz, zstd and gzip as programs: a kernel takes some dozens of modules, and the payload of a kernel image
 * is followed by four bytes (its length) that the programs complain about.
 */
#include "kernel/decompress.h"

#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { PIECE = 1 << 16 };

enum packing packing_of(const char *bytes, size_t n)
{
	static const struct {
		const char *magic;
		size_t n;
		enum packing packing;
	} rows[] = {
		{ "\x1f\x8b\x08", 3, PACKING_GZIP },
		{ "\xfd"
		  "7zXZ\0",
		  6, PACKING_XZ },
		{ "\x28\xb5\x2f\xfd", 4, PACKING_ZSTD },
		{ "BZh", 3, PACKING_OTHER },
		{ "\x5d\0\0", 3, PACKING_OTHER },
		{ "\x02\x21\x4c\x18", 4, PACKING_OTHER },
		{ "\x89LZO\0\r\n", 7, PACKING_OTHER },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (n >= rows[i].n && !memcmp(bytes, rows[i].magic, rows[i].n))
			return rows[i].packing;
	return PACKING_NONE;
}

/* What the three decoders share: where the pieces go, and the ceiling. */
struct job {
	const char *what;
	size_t max;
	struct str *ret;
	char piece[PIECE];
};

static int take(struct job *j, size_t n, struct err *e)
{
	if (n > j->max - j->ret->n)
		return err_set(e, ERR_USAGE, "%s is larger than %zu MiB when unpacked", j->what,
			       j->max >> 20);
	str_add(j->ret, j->piece, n);
	return 0;
}

static int damaged(const struct job *j, const char *form, struct err *e)
{
	return err_set(e, ERR_USAGE, "%s is damaged: its %s data ends early or is wrong", j->what,
		       form);
}

static int from_gzip(struct job *j, const char *bytes, size_t n, struct err *e)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)n };
	int r = 0, state = inflateInit2(&z, 16 + MAX_WBITS);

	while (r == 0 && state == Z_OK) {
		z.next_out = (Bytef *)j->piece;
		z.avail_out = PIECE;
		state = inflate(&z, Z_NO_FLUSH);
		if (state == Z_OK || state == Z_STREAM_END)
			r = take(j, PIECE - z.avail_out, e);
	}
	inflateEnd(&z);
	return r < 0 ? r : state == Z_STREAM_END ? 0 : damaged(j, "gzip", e);
}

static int from_xz(struct job *j, const char *bytes, size_t n, struct err *e)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret state = lzma_stream_decoder(&z, UINT64_C(1) << 30, 0);
	int r = 0;

	z.next_in = (const uint8_t *)bytes;
	z.avail_in = n;
	while (r == 0 && state == LZMA_OK) {
		z.next_out = (uint8_t *)j->piece;
		z.avail_out = PIECE;
		state = lzma_code(&z, LZMA_FINISH);
		if (state == LZMA_OK || state == LZMA_STREAM_END)
			r = take(j, PIECE - z.avail_out, e);
	}
	lzma_end(&z);
	return r < 0 ? r : state == LZMA_STREAM_END ? 0 : damaged(j, "xz", e);
}

static int from_zstd(struct job *j, const char *bytes, size_t n, struct err *e)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { bytes, n, 0 };
	size_t left = 1;
	int r = 0;

	/* The kernel is packed with a window of 128 MiB, above what the library takes by itself. */
	ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 30);
	while (r == 0 && left > 0 && !ZSTD_isError(left)) {
		ZSTD_outBuffer out = { j->piece, PIECE, 0 };
		size_t before = in.pos;

		left = ZSTD_decompressStream(z, &out, &in);
		if (!ZSTD_isError(left))
			r = take(j, out.pos, e);
		if (in.pos == before && out.pos == 0)
			break;
	}
	ZSTD_freeDStream(z);
	return r < 0 ? r : left == 0 ? 0 : damaged(j, "zstd", e);
}

int decompress(const char *bytes, size_t n, size_t max, const char *what, struct str *ret,
	       struct err *e)
{
	AUTO(str) struct str out = STR_INIT;
	struct job j = { .what = what, .max = max, .ret = &out };
	int r = 0;

	if (n > UINT32_MAX)
		return err_set(e, ERR_USAGE, "%s is larger than 4 GiB", what);
	switch (packing_of(bytes, n)) {
	case PACKING_NONE:
		str_add(ret, bytes, n);
		return 0;
	case PACKING_GZIP:
		r = from_gzip(&j, bytes, n, e);
		break;
	case PACKING_XZ:
		r = from_xz(&j, bytes, n, e);
		break;
	case PACKING_ZSTD:
		r = from_zstd(&j, bytes, n, e);
		break;
	case PACKING_OTHER:
		return err_set(
			e, ERR_USAGE,
			"%s is packed in a form that is not read here (only gzip, xz and zstd are)",
			what);
	}
	if (r == 0)
		str_add(ret, out.p, out.n);
	return r;
}
