/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stored ranges, texts of variants and bisect logs from any text, without a repository. */
#include "repo/bisectlog.h"
#include "repo/dag.h"
#include "repo/variant.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

/* What was read can be written, and reads the same again. */
static void try_range(const char *text)
{
	AUTO(str) struct str once = STR_INIT, twice = STR_INIT;
	struct range r, again;
	struct err e = ERR_INIT;

	if (range_parse(text, &r, &e) < 0)
		return;
	for (uint32_t i = 0; i < r.g.n; i++) {
		assert(range_find(&r, r.oid[i]) == i);
		for (uint32_t k = r.g.parent_start[i]; k < r.g.parent_start[i + 1]; k++)
			assert(r.g.parents[k] < i);
	}
	range_write(&r, &once);
	assert(range_parse(once.p, &again, &e) == 0);
	range_write(&again, &twice);
	assert(!strcmp(once.p, twice.p));
	range_done(&r);
	range_done(&again);
}

static void try_variant(const char *text)
{
	struct variant v;
	struct err e = ERR_INIT;

	if (variant_scan(text, &v, &e) < 0)
		return;
	assert(!!v.rev + !!v.image + !!v.deb == 1);
	for (size_t i = 0; i < v.n_changes; i++)
		assert(v.changes[i].value);
	variant_done(&v);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	AUTO_FREE char *text = xstrndup((const char *)data, n);
	struct bisect_log log;
	struct err e = ERR_INIT;

	try_range(text);
	try_variant(text);
	if (bisect_log_parse(text, "fuzz", &log, &e) == 0) {
		assert(log.n > 0);
		bisect_log_done(&log);
	}
	return 0;
}
