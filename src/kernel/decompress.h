/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decompress - the forms in which kernels and their modules are packed: gzip, xz (with the filter for x86 code), zstd.
 *
 * The form is told by the first bytes, not by a file's name.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

enum packing {
	PACKING_NONE,
	PACKING_GZIP,
	PACKING_XZ,
	PACKING_ZSTD,
	PACKING_OTHER /* bzip2, lzma, lz4, lzo */
};
enum packing packing_of(const char *bytes, size_t n);
/*
 * Appends the unpacked bytes of the first stream; bytes after it are left alone. At most `max`. Not packed: copies. ERR_USAGE for damaged data, what is longer, and
 * for PACKING_OTHER; `what` names it in messages.
 */
int decompress(const char *bytes, size_t n, size_t max, const char *what, struct str *ret,
	       struct err *e) MUST_USE;
