/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers, durations, sizes, ratios and files of numbers from any text. */
#include "base/num.h"
#include "reader/numbers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	AUTO_FREE char *text = xstrndup((const char *)data, n);
	AUTO_FREE char *all = xmalloc(n + 1);
	struct numbers got = { 0 };
	struct err e = ERR_INIT;
	double v, res;
	int64_t i;

	if (num_parse_double(text, "fuzz", &v, &res, &e) == 0)
		assert(isfinite(v));
	if (num_parse_int(text, "fuzz", -10, 1000, &i, &e) == 0)
		assert(i >= -10 && i <= 1000);
	if (num_parse_duration(text, "fuzz", &i, &e) == 0)
		assert(i >= 0);
	if (num_parse_size(text, "fuzz", &i, &e) == 0)
		assert(i >= 0);
	if (num_parse_ratio(text, "fuzz", &v, &e) == 0)
		assert(isfinite(v));
	memcpy(all, data, n);
	all[n] = '\0';
	if (numbers_parse(all, n, "fuzz", &got, NULL, &e) == 0)
		for (size_t k = 0; k < got.n; k++)
			for (size_t j = 0; j < got.v[k].n; j++)
				assert(isfinite(got.v[k].v[j]));
	numbers_done(&got);
	return 0;
}
