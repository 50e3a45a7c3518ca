/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ping - of iputils ("rtt min/avg/max/mdev = ... ms") and of busybox ("round-trip min/avg/max = ... ms").
 *
 * Without -q each answer has a line with its time, with -D or without: percentiles come from these, by the nearest rank, as far as there are
 * enough of them that one is not the largest by definition (p99 of 100 answers or more).
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <math.h>
#include <string.h>

struct times {
	double *v;
	size_t n, cap;
	double resolution;
	struct value loss; /* the line of losses comes before the times, which are what counts */
	bool is_lossy;
};

static void take_time(struct text *t, struct times *times)
{
	const char *p = text_find(t, " time=");
	struct value v;

	if (!p || !text_find(t, "bytes from"))
		return;
	p += strlen(" time=");
	if (!text_number(t, &p, "rtt", &v))
		return;
	times->resolution = times->n ? fmin(times->resolution, v.resolution) : v.resolution;
	ARRAY_PUSH(times, v.value);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void add_percentiles(struct text *t, struct times *times)
{
	static const struct {
		const char *metric;
		double part;
		size_t least;
	} rows[] = {
		{ "rtt p50", 0.5, 10 },
		{ "rtt p90", 0.9, 10 },
		{ "rtt p99", 0.99, 100 },
		{ "rtt p99.9", 0.999, 1000 },
	};

	qsort(times->v, times->n, sizeof(times->v[0]), compare);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t rank = (size_t)ceil(rows[i].part * (double)times->n - 1e-9);

		if (times->n < rows[i].least)
			break;
		struct value v = { times->v[rank - 1], times->resolution };

		text_add(t, rows[i].metric, "ms", BETTER_LOWER, &v);
	}
	times->n = 0;
}

/* "rtt min/avg/max/mdev = 0.021/0.033/0.080/0.009 ms, pipe 2" */
static bool take_summary(struct text *t, struct times *times)
{
	static const struct gather_metric metrics[] = {
		{ "rtt min", "ms", BETTER_LOWER, true },
		{ "rtt avg", "ms", BETTER_LOWER, false },
		{ "rtt max", "ms", BETTER_LOWER, true },
		{ "rtt mdev", "ms", BETTER_LOWER, true },
	};
	static const struct gather_metric loss = { "packet loss", "%", BETTER_LOWER, true };
	static const char iputils[] = "rtt min/avg/max/mdev =",
			  busybox[] = "round-trip min/avg/max =";
	const char *p = text_behind(t, iputils), *q = text_behind(t, busybox);

	if (!p && !q)
		return false;
	if (p)
		text_parts(t, p, metrics, 4);
	else
		text_parts(t, q, metrics, 3);
	add_percentiles(t, times);
	if (times->is_lossy)
		gather_value(t->g, &loss, times->loss.value, times->loss.resolution);
	times->is_lossy = false;
	return true;
}

/* "4 packets transmitted, 4 received, 0% packet loss, time 3051ms" */
static bool take_loss(struct text *t, struct times *times)
{
	const char *end = text_find(t, "% packet loss"), *p = end;
	struct value v;

	if (!p || !text_find(t, " packets transmitted,"))
		return false;
	while (p > t->line && (p[-1] == '.' || (p[-1] >= '0' && p[-1] <= '9')))
		p--;
	if (!text_number(t, &p, "packet loss", &v))
		return true;
	if (v.value >= 100)
		gather_problem(t->g, "packet loss", 11, "ping had no answer: 100%% packet loss");
	times->loss = v;
	times->is_lossy = true;
	return true;
}

static int read_ping(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	struct times times = { 0 };
	bool any = false;
	struct text t;

	text_begin(&t, g, "ping", in->out, in->out_n);
	while (text_next(&t))
		if (take_summary(&t, &times))
			any = true;
		else if (!take_loss(&t, &times))
			take_time(&t, &times);
	if (!any && times.n)
		gather_problem(g, NULL, 0,
			       "ping was stopped before its summary: end it with -c, -w or SIGINT");
	free(times.v);
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_ping(const char *head, size_t n)
{
	static const char *const marks[] = { "PING ", "rtt min/avg/max", "round-trip min/avg/max",
					     NULL };

	return text_sniff(head, n, marks);
}

const struct reader reader_ping = {
	.name = "ping",
	.help = "ping of iputils or busybox: round-trip times, percentiles, loss",
	.sniff = sniff_ping,
	.read = read_ping,
};
