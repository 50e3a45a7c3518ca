/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number(const char *text, uint64_t max, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return *text < '0' || *text > '9' || *end || errno || *ret > max ? -1 : 0;
}

int options_parse(struct options *o, int argc, char **argv, char *why, size_t why_size)
{
	*o = (struct options){ .cache = cache_config_default(), .memory = UINT64_C(64) << 30 };
	for (int i = 0; i < argc; i++) {
		const char *eq = strchr(argv[i], '='), *value = eq ? eq + 1 : "", *wrong = NULL;
		size_t n = eq ? (size_t)(eq - argv[i]) : strlen(argv[i]);
		uint64_t u = 0;

#define IS(name) (n == strlen(name) && !strncmp(argv[i], name, n))
		if (IS("out")) {
			o->out = value;
		} else if (IS("gate")) {
			o->gate = value;
		} else if (IS("symbols")) {
			o->symbols = value;
		} else if (IS("model")) {
			o->model = true;
			wrong = cache_config_parse(&o->cache, value);
		} else if (IS("warmup")) {
			wrong = number(value, 1000000, &u) ? "a number is wanted" : NULL;
			o->warmup = (long)u;
		} else if (IS("memory")) {
			wrong = number(value, UINT64_C(1) << 46, &u) ? "bytes are wanted" : NULL;
			o->memory = u ? u : o->memory;
		} else if (IS("blocks")) {
			o->blocks = true;
		} else {
			wrong = "unknown; known are out, gate, model, symbols, warmup, memory and blocks";
		}
#undef IS
		if (wrong) {
			snprintf(why, why_size, "argument '%s': %s", argv[i], wrong);
			return -1;
		}
	}
	if (!o->out || !*o->out) {
		snprintf(why, why_size, "argument 'out=PATH' is missing");
		return -1;
	}
	return 0;
}
