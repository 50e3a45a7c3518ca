/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysbench - 1.0: events a second, total time, latencies with the percentile that was asked for; of `memory` operations and
 * bytes a second, of `fileio` its rates, of the database tests transactions and queries a second.
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <string.h>

static const struct scale transfers[] = {
	{ "MiB/sec", "B/s", 0, 1048576 },
	{ 0 },
};

/* "label: 1234 (123.4 per second)" */
static bool take_per_second(struct text *t)
{
	static const struct {
		const char *text, *metric;
	} rows[] = {
		{ "Total operations:", "operations/s" },
		{ "transactions:", "transactions/s" },
		{ "queries:", "queries/s" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *p = text_behind(t, rows[i].text);
		struct value v;

		if (!p)
			continue;
		p = memchr(p, '(', (size_t)(t->line + t->n - p));
		if (p && ++p && text_number(t, &p, rows[i].metric, &v))
			text_add(t, rows[i].metric, "1/s", BETTER_HIGHER, &v);
		return true;
	}
	return false;
}

/* "1024.00 MiB transferred (102.4 MiB/sec)" */
static bool take_transfer(struct text *t)
{
	const char *p = text_find(t, "MiB transferred ("), *unit;
	struct value v;

	if (!p)
		return false;
	p += strlen("MiB transferred (");
	if (text_scaled(t, &p, "throughput", transfers, &v, &unit))
		text_add(t, "throughput", unit, BETTER_HIGHER, &v);
	return true;
}

/* "95th percentile:   0.87" */
static bool take_percentile(struct text *t)
{
	const char *p = text_find(t, "th percentile:");
	struct value v;

	if (!p || p == t->line || p - t->line > 7)
		return false;
	AUTO_FREE char *metric = xasprintf("latency p%.*s", (int)(p - t->line), t->line);

	p += strlen("th percentile:");
	p = text_next_word(t, p);
	if (text_number(t, &p, metric, &v) && v.value > 0) /* 0: none was asked for */
		text_add(t, metric, "ms", BETTER_LOWER, &v);
	return true;
}

static bool take_events(struct text *t)
{
	const char *p = text_behind(t, "total number of events:");
	struct value v;

	if (!p || !text_number(t, &p, "events", &v))
		return false;
	if (v.value <= 0)
		gather_problem(t->g, "events", 6, "sysbench did nothing: 0 events");
	text_add(t, "events", "", BETTER_HIGHER, &v); /* of a run by time */
	return true;
}

static int read_sysbench(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	static const struct label labels[] = {
		{ "events per second:", { "events/s", "1/s", BETTER_HIGHER, false }, NULL },
		{ "total time:", { "total time", "s", BETTER_LOWER, false }, scale_times },
		{ "reads/s:", { "reads/s", "1/s", BETTER_HIGHER, false }, NULL },
		{ "writes/s:", { "writes/s", "1/s", BETTER_HIGHER, false }, NULL },
		{ "fsyncs/s:", { "fsyncs/s", "1/s", BETTER_HIGHER, false }, NULL },
		{ 0 },
	};
	static const struct label latencies[] = {
		{ "min:", { "latency min", "ms", BETTER_LOWER, true }, NULL },
		{ "avg:", { "latency avg", "ms", BETTER_LOWER, false }, NULL },
		{ "max:", { "latency max", "ms", BETTER_LOWER, true }, NULL },
		{ 0 },
	};
	bool in_latency = false;
	struct text t;

	text_begin(&t, g, "sysbench", in->out, in->out_n);
	while (text_next(&t)) {
		if (text_behind(&t, "Latency (ms):"))
			in_latency = true;
		else if (!t.n)
			in_latency = false;
		else if (in_latency)
			(void)(text_label(&t, latencies) || take_percentile(&t));
		else
			(void)(text_label(&t, labels) || take_per_second(&t) || take_transfer(&t) ||
			       take_events(&t));
	}
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_sysbench(const char *head, size_t n)
{
	static const char *const marks[] = { "sysbench 0.", "sysbench 1.", NULL };

	return text_sniff(head, n, marks);
}

const struct reader reader_sysbench = {
	.name = "sysbench",
	.help = "sysbench 1.0: rates and latencies",
	.sniff = sniff_sysbench,
	.read = read_sysbench,
};
