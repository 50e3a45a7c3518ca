/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every reader on any output, and any bytes as a file of results. First byte: exit status; then stdout and stderr, parted by the first byte 0xff (or
 * all stdout, which is the file).
 */
#include "reader/reader.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

static void as_a_file(const struct reader *r, const char *text, size_t n)
{
	AUTO(numbers) struct numbers got = { 0 };
	const char *format;
	struct err e = ERR_INIT;

	if (reader_file(r, text, n, "fuzz", &got, &format, &e) < 0) {
		assert(e.msg[0] && !strchr(e.msg, '\n'));
		return;
	}
	for (size_t i = 0; i < got.n; i++)
		for (size_t k = 0; k < got.v[i].n; k++)
			assert(isfinite(got.v[i].v[k]));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	if (!n)
		return 0;
	const unsigned char *cut = memchr(data + 1, 0xff, n - 1);
	size_t out_n = cut ? (size_t)(cut - data - 1) : n - 1;
	size_t err_n = cut ? n - 2 - out_n : 0;
	AUTO_FREE char *out = xmalloc(out_n + 1), *err = xmalloc(err_n + 1);

	memcpy(out, data + 1, out_n);
	out[out_n] = '\0';
	if (cut)
		memcpy(err, cut + 1, err_n);
	err[err_n] = '\0';
	struct reader_input in = { out, out_n, err, err_n, data[0], "([0-9.]+) *([a-z/]*)", NULL };

	as_a_file(NULL, out, out_n);
	for (const struct reader *const *r = readers; *r; r++) {
		as_a_file(*r, out, out_n);

		struct reader_result got;
		struct err e = ERR_INIT;

		if (reader_read(*r, &in, &got, &e) == 0)
			for (size_t i = 0; i < got.readings.n; i++)
				assert(isfinite(got.readings.v[i].value) &&
				       *got.readings.v[i].metric);
		reader_result_done(&got);
	}
	return 0;
}
