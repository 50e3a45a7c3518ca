/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sockperf - 3.x: ping-pong and under-load (latency and its percentiles), throughput (messages and bytes a second).
 *
 * It colours its lines for terminals even into a file, so values are looked for within a line.
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <string.h>

/* A value behind `words`, wherever they stand. */
static bool take(struct text *t, const char *words, const struct gather_metric *m)
{
	const char *p = text_find(t, words);
	struct value v;

	if (!p)
		return false;
	p += strlen(words);
	while (p < t->line + t->n && *p == ' ')
		p++;
	if (text_number(t, &p, m->name, &v))
		gather_value(t->g, m, v.value, v.resolution);
	return true;
}

/* "sockperf: ---> percentile 99.900 = 3050.436": p99.9 */
static bool take_percentile(struct text *t)
{
	const char *p = text_find(t, "percentile "), *end;
	size_t n;

	if (!p || !text_find(t, " = "))
		return false;
	p += strlen("percentile ");
	end = text_word_end(t, p);
	n = (size_t)(end - p);
	while (n > 1 && p[n - 1] == '0' && memchr(p, '.', n))
		n--;
	n -= n > 1 && p[n - 1] == '.';
	AUTO_FREE char *name = xasprintf("latency p%.*s", (int)n, p);
	const struct gather_metric m = { name, "us", BETTER_LOWER, n > 4 };

	return take(t, "= ", &m);
}

static void take_line(struct text *t)
{
	static const struct {
		const char *words;
		struct gather_metric m;
	} rows[] = {
		{ "Summary: Latency is", { "latency avg", "us", BETTER_LOWER, false } },
		{ "(std-dev=", { "latency stdev", "us", BETTER_LOWER, true } },
		{ "<MAX> observation =", { "latency max", "us", BETTER_LOWER, true } },
		{ "<MIN> observation =", { "latency min", "us", BETTER_LOWER, true } },
		{ "# dropped messages =", { "dropped messages", "", BETTER_LOWER, true } },
		{ "Summary: Message Rate is", { "messages/s", "1/s", BETTER_HIGHER, false } },
	};
	static const struct gather_metric bandwidth = { "bandwidth", "MiB/s", BETTER_HIGHER,
							false };

	if (text_find(t, "No messages were received")) {
		gather_problem(t->g, NULL, 0, "sockperf had no answer: is its server running?");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (take(t, rows[i].words, &rows[i].m))
			return;
	if (!take(t, "Summary: BandWidth is", &bandwidth)) /* MBps: it divides by 1048576 */
		take_percentile(t);
}

static int read_sockperf(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	struct text t;

	text_begin(&t, g, "sockperf", in->out, in->out_n);
	while (text_next(&t))
		take_line(&t);
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_sockperf(const char *head, size_t n)
{
	static const char *const marks[] = { "sockperf:", NULL };

	return text_sniff(head, n, marks);
}

const struct reader reader_sockperf = {
	.name = "sockperf",
	.help = "sockperf: latencies with percentiles, messages and bytes a second",
	.sniff = sniff_sockperf,
	.read = read_sockperf,
};
