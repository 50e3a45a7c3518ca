/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-bench - `perf bench COLLECTION NAME` in its default format. "# Running 'sched/messaging' benchmark:" names the benchmark, of `mem` the function too.
 *
 * `mem` prints GB/sec or MB/sec (of 1024) as it fits: both go to B/s. The format `simple` is bare numbers.
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <stdio.h>
#include <string.h>

static const struct scale rates[] = {
	{ "GB/sec", "B/s", 0, 1073741824 }, { "MB/sec", "B/s", 0, 1048576 },
	{ "KB/sec", "B/s", 0, 1024 },	    { "bytes/sec", "B/s", 0, 0 },
	{ "B/sec", "B/s", 0, 0 },	    { 0 },
};

static const struct gather_metric per_op = { "time per operation", "us/op", BETTER_LOWER, true },
				  ops_side = { "operations/s", "1/s", BETTER_HIGHER, true };

/* "# Running 'mem/memcpy' benchmark:", then "# function 'default' (...)": *name is the first. */
static bool take_name(struct text *t, char *name, size_t size)
{
	const char *p = text_behind(t, "# Running '"), *end;

	if (p) {
		end = memchr(p, '\'', (size_t)(t->line + t->n - p));
		if (end && (size_t)(end - p) < size) {
			snprintf(name, size, "%.*s", (int)(end - p), p);
			gather_bench(t->g, name, strlen(name));
		}
		return true;
	}
	p = text_behind(t, "# function '");
	if (!p)
		return false;
	end = memchr(p, '\'', (size_t)(t->line + t->n - p));
	if (end) {
		AUTO_FREE char *full = xasprintf("%s %.*s", name, (int)(end - p), p);

		gather_bench(t->g, full, strlen(full));
	}
	return true;
}

/* The word behind the number at the line's beginning is `unit`. */
static bool is_value_in(const struct text *t, const char *unit)
{
	const char *p = text_next_word(t, t->line), *end = text_word_end(t, p);

	return strlen(unit) == (size_t)(end - p) && !memcmp(p, unit, strlen(unit));
}

static bool take_value(struct text *t)
{
	const char *p = t->line, *unit;
	struct value v;

	if (is_value_in(t, "usecs/op")) {
		if (text_number(t, &p, per_op.name, &v))
			gather_value(t->g, &per_op, v.value, v.resolution);
	} else if (is_value_in(t, "ops/sec")) { /* the inverse of the time */
		if (text_number(t, &p, ops_side.name, &v))
			gather_value(t->g, &ops_side, v.value, v.resolution);
	} else if (is_value_in(t, "GB/sec") || is_value_in(t, "MB/sec") ||
		   is_value_in(t, "KB/sec") || is_value_in(t, "B/sec") ||
		   is_value_in(t, "bytes/sec")) {
		if (text_scaled(t, &p, "throughput", rates, &v, &unit))
			text_add(t, "throughput", unit, BETTER_HIGHER, &v);
	} else {
		return false;
	}
	return true;
}

static void take_line(struct text *t)
{
	static const struct label labels[] = {
		{ "Total time:", { "total time", "s", BETTER_LOWER, false }, NULL },
		{ "Averaged", { "operations/s", "1/s", BETTER_HIGHER, false }, NULL },
		{ "Average synthesis took:", { "time", "us", BETTER_LOWER, false }, NULL },
		{ 0 },
	};
	const char *p = text_find(t, " threads in ");
	struct value v;

	if (text_label(t, labels) || take_value(t) || !p)
		return;
	p += strlen(" threads in ");
	if (text_number(t, &p, "time", &v))
		text_add(t, "time", "ms", BETTER_LOWER, &v);
}

static int read_perf_bench(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	char name[80] = "";
	struct text t;

	text_begin(&t, g, "perf bench", in->out, in->out_n);
	while (text_next(&t))
		if (!take_name(&t, name, sizeof(name)))
			take_line(&t);
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_perf_bench(const char *head, size_t n)
{
	static const char *const marks[] = { "# Running '", NULL };

	return text_sniff(head, n, marks);
}

const struct reader reader_perf_bench = {
	.name = "perf-bench",
	.help = "perf bench: times and rates of each benchmark",
	.sniff = sniff_perf_bench,
	.read = read_perf_bench,
};
