/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_check - what a benchmark needs, before anything is built for it.
 */
#include "bench/run.h"

#include "bench/callgrind.h"
#include "bench/needs.h"
#include "reader/reader.h"
#include "sys/proc.h"

#include <regex.h>

int run_check(const struct benchmark *b, bool here, struct err *e)
{
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
		r = needs_check(b, here, e);
	return r < 0 ? err_wrap(e, "benchmark '%s'", b->name) : 0;
}
