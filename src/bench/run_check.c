/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_check - what a benchmark needs, before anything is built for it.
 */
#include "bench/run.h"

#include "bench/callgrind.h"
#include "bench/workload.h"
#include "reader/reader.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <regex.h>

/* A program in PATH, a path that exists, or a kernel module that is there. */
static bool is_there(const char *need)
{
	AUTO_FREE char *program = fs_find_program(need, NULL);
	AUTO_FREE char *module = xasprintf("/sys/module/%s", need);

	for (char *p = module; *p; p++)
		if (*p == '-')
			*p = '_';
	return program || (need[0] == '/' && fs_exists(need)) || fs_exists(module);
}

int run_check(const struct benchmark *b, struct err *e)
{
	AUTO(str) struct str missing = STR_INIT;
	const struct reader *reader;
	regex_t re;
	int r = reader_find(b->reader ? b->reader : b->regex ? "regex" : NULL, &reader, e);

	if (r == 0 && b->regex)
		r = reader_check_regex(b->regex, e);
	if (r == 0 && b->reject) {
		int x = regcomp(&re, b->reject, REG_EXTENDED | REG_NOSUB);
		char why[200];

		if (x) {
			regerror(x, &re, why, sizeof(why));
			r = err_set(e, ERR_USAGE, "reject '%.200s': %s", b->reject, why);
		} else {
			regfree(&re);
		}
	}
	if (r == 0 && b->pin)
		r = proc_check_pin(b->pin, e);
	if (r == 0 && b->measure == MEASURE_CALLGRIND)
		r = callgrind_check(e);
	if (r == 0)
		workload_missing(b, true, &missing);
	if (missing.n)
		r = err_set(e, ERR_ENV, "a program that it needs is not here: %s", missing.p);
	for (const char **n = b->needs; r == 0 && n && *n; n++)
		if (!is_there(*n))
			r = err_set(e, ERR_ENV, "'%s' is needed and not there: install it", *n);
	return r < 0 ? err_wrap(e, "benchmark '%s'", b->name) : 0;
}
