/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redis-benchmark - of redis and valkey, 6 to 8: its report, the lines of -q and --csv. Every command (SET, GET) is a benchmark of its own.
 *
 * The report and -q write their progress over itself with carriage returns, not-a-number among it: of such a line only what stands
 * last is looked at. What -q rounds to one percentile has the same name as in the other forms.
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <ctype.h>
#include <string.h>

static const struct gather_metric rate = { "requests/s", "1/s", BETTER_HIGHER, false };
/* In the order of both tables, csv and text. */
static const struct gather_metric latencies[] = {
	{ "latency avg", "ms", BETTER_LOWER, false }, { "latency min", "ms", BETTER_LOWER, true },
	{ "latency p50", "ms", BETTER_LOWER, false }, { "latency p95", "ms", BETTER_LOWER, false },
	{ "latency p99", "ms", BETTER_LOWER, false }, { "latency max", "ms", BETTER_LOWER, true },
};

/* What was written last over the line. */
static void keep_last(struct text *t)
{
	const char *last = memrchr(t->line, '\r', t->n);

	if (!last)
		return;
	t->n = (size_t)(t->line + t->n - last - 1);
	t->line = last + 1;
	while (t->n && *t->line == ' ') {
		t->line++;
		t->n--;
	}
}

/* "====== SET ======" */
static bool take_title(struct text *t)
{
	const char *name = text_behind(t, "====== "), *end;

	if (!name)
		return false;
	end = memmem(name, (size_t)(t->line + t->n - name), " ======", 7);
	if (end)
		gather_bench(t->g, name, (size_t)(end - name));
	return true;
}

static bool take_throughput(struct text *t)
{
	const char *p = text_behind(t, "throughput summary:");
	struct value v;

	if (!p)
		return false;
	if (text_number(t, &p, rate.name, &v))
		gather_value(t->g, &rate, v.value, v.resolution);
	return true;
}

/* "0.260     0.088     0.255     0.367     0.567     1.2": below its titles. */
static void take_latencies(struct text *t)
{
	const char *p = t->line;
	struct value v[ARRAY_LEN(latencies)];

	for (size_t i = 0; i < ARRAY_LEN(latencies); i++) {
		if (!text_number(t, &p, latencies[i].name, &v[i]))
			return;
		p = text_next_word(t, p);
	}
	for (size_t i = 0; i < ARRAY_LEN(latencies); i++)
		gather_value(t->g, &latencies[i], v[i].value, v[i].resolution);
}

/* "SET: 98039.22 requests per second, p50=0.255 msec" */
static bool take_quiet(struct text *t)
{
	const char *words = text_find(t, " requests per second"), *p = words, *p50;
	struct value v;

	if (!p || text_behind(t, "throughput"))
		return false;
	while (p > t->line && (isdigit((unsigned char)p[-1]) || p[-1] == '.' || p[-1] == ','))
		p--;
	if (p - t->line < 3 || p[-1] != ' ' || p[-2] != ':')
		return false;
	gather_bench(t->g, t->line, (size_t)(p - 2 - t->line));
	if (!text_number(t, &p, rate.name, &v))
		return true;
	if (v.value <= 0)
		gather_problem(t->g, rate.name, strlen(rate.name), "redis-benchmark had no answer");
	gather_value(t->g, &rate, v.value, v.resolution);
	p50 = text_find(t, "p50=");
	if (p50 && (p50 += 4) && text_number(t, &p50, latencies[2].name, &v))
		gather_value(t->g, &latencies[2], v.value, v.resolution);
	return true;
}

/* "SET","98039.22","0.260",...: the name may have commas in it, the numbers have none. */
static bool take_csv(struct text *t)
{
	const char *name = t->line + 1, *p, *end = t->line + t->n;
	size_t n;

	if (!t->n || *t->line != '"' || text_behind(t, "\"test\","))
		return false;
	p = memmem(name, (size_t)(end - name), "\",\"", 3);
	if (!p)
		return false;
	n = (size_t)(p - name);
	p += 3;
	gather_bench(t->g, name, n);
	for (size_t i = 0; i <= ARRAY_LEN(latencies) && p < end; i++) {
		const struct gather_metric *m = i ? &latencies[i - 1] : &rate;
		struct value v;

		if (!text_number(t, &p, m->name, &v))
			break;
		gather_value(t->g, m, v.value, v.resolution);
		if (end - p < 3 || memcmp(p, "\",\"", 3) != 0)
			break;
		p += 3;
	}
	return true;
}

static int read_redis(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	bool in_table = false;
	struct text t;

	text_begin(&t, g, "redis-benchmark", in->out, in->out_n);
	while (text_next(&t)) {
		keep_last(&t);
		if (in_table && t.n && isdigit((unsigned char)*t.line)) {
			take_latencies(&t);
			in_table = false;
		} else if (text_behind(&t, "latency summary (msec):")) {
			in_table = true;
		} else if (!take_title(&t) && !take_throughput(&t) && !take_quiet(&t)) {
			take_csv(&t);
		}
	}
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_redis(const char *head, size_t n)
{
	struct text t;

	text_begin(&t, NULL, "", head, n);
	while (text_next(&t)) {
		keep_last(&t);
		if (text_behind(&t, "\"test\",\"rps\"") ||
		    text_find(&t, " requests per second, p50=") ||
		    text_behind(&t, "throughput summary:"))
			return true;
	}
	return false;
}

const struct reader reader_redis_benchmark = {
	.name = "redis-benchmark",
	.help = "redis-benchmark's report, -q and --csv: rate and latencies of each command",
	.sniff = sniff_redis,
	.read = read_redis,
};
