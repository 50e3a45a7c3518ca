/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bundle from a stranger: whatever the bytes, reading ends with an error or with a store that can be read.
 *
 * Input that begins with 'T' is text and is compressed first, so that mutations reach the lines and the tables; anything else goes in as
 * it is and exercises the frame.
 */
#include "store/bundle.h"
#include "store/query.h"
#include "store/store.h"

#include <stdlib.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void use(struct store *st, int64_t hunt)
{
	AUTO(observations) struct observations o = { 0 };
	AUTO(samples) struct samples s = { 0 };
	struct sample_filter all = {
		.hunt = hunt, .with_failed = true, .with_warmup = true, .with_withdrawn = true
	};

	if (store_observations(st, hunt, &o, NULL) < 0 || query_samples(st, &all, &s, NULL) < 0)
		return;
	for (size_t i = 0; i < o.n; i++) {
		AUTO(str) struct str out = STR_INIT;
		int r = o.v[i].kind == OBS_RUN	   ? store_run_output(st, o.v[i].run, &out, NULL)
			: o.v[i].kind == OBS_BUILD ? store_build_log(st, o.v[i].build, &out, NULL)
						   : 0;

		if (r < 0)
			break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct store *st = NULL;
	int64_t hunt = 0;
	int r;

	if (n && data[0] == 'T') {
		size_t bound = ZSTD_compressBound(n);
		AUTO_FREE char *packed = xmalloc(bound);
		size_t k = ZSTD_compress(packed, bound, data + 1, n - 1, 1);

		if (ZSTD_isError(k))
			return 0;
		r = bundle_parse(packed, k, "input", &st, &hunt, NULL);
	} else {
		r = bundle_parse(data, n, "input", &st, &hunt, NULL);
	}
	if (r == 0)
		use(st, hunt);
	store_close(st);
	return 0;
}
