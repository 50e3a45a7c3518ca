/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as culprit.yaml, or, when they begin with "-c ", as one assignment: either a configuration whose fingerprint
 * reads back as JSON, or an error in one line.
 */
#include "bench/benchmark.h"
#include "text/json.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	AUTO_FREE char *text = xstrndup((const char *)data, n);
	AUTO(config) struct config c = { 0 };
	AUTO(str) struct str print = STR_INIT;
	AUTO(json_root) struct json *root = NULL;
	struct err e = ERR_INIT;
	int r;

	if (starts_with(text, "-c "))
		r = config_parse(NULL, NULL, 0, (const char *const[]){ text + 3, NULL }, NULL, NULL,
				 &c, &e);
	else
		r = config_parse("fuzz.yaml", (const char *)data, n, NULL, NULL, NULL, &c, &e);
	if (r < 0) {
		if (!e.msg[0] || strchr(e.msg, '\n'))
			__builtin_trap();
		return 0;
	}
	config_fingerprint(&c, &print);
	if (json_parse(print.p, print.n, "fingerprint", &root, &e) < 0)
		__builtin_trap();
	return 0;
}
