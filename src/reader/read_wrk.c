/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrk - 4.x: requests and bytes a second, the threads' latency, with --latency its distribution, and errors.
 *
 * Times come in us, ms, s, m and h and sizes with prefixes of 1024, as they fit: all go to s, B and 1/s. Lines about errors are printed only if
 * there were some; the metric is there always, so that a run with errors can be set against one without.
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <string.h>

enum { HELD_MAX = 32 };

static const struct scale counts[] = {
	{ "", "1/s", 0, 0 },  { "k", "1/s", 3, 0 },  { "M", "1/s", 6, 0 },
	{ "G", "1/s", 9, 0 }, { "T", "1/s", 12, 0 }, { 0 },
};
static const struct scale sizes[] = {
	{ "B", "B/s", 0, 0 },
	{ "KB", "B/s", 0, 1024 },
	{ "MB", "B/s", 0, 1048576 },
	{ "GB", "B/s", 0, 1073741824 },
	{ "TB", "B/s", 0, 1099511627776 },
	{ 0 },
};

/* Held to the end of a run: its rates come last, and are what counts. */
struct held {
	struct {
		char *metric;
		struct value v;
		bool side;
	} v[HELD_MAX];
	size_t n;
	double errors, bad; /* of the sockets; answers that were no success */
	double requests;
};

static void hold(struct held *h, char *metric, bool side, const struct value *v)
{
	if (h->n == HELD_MAX) {
		free(metric);
		return;
	}
	h->v[h->n].metric = metric;
	h->v[h->n].side = side;
	h->v[h->n++].v = *v;
}

static void release(struct text *t, struct held *h)
{
	static const struct gather_metric errors = { "errors", "", BETTER_LOWER, true };

	for (size_t i = 0; i < h->n; i++) {
		const struct gather_metric m = { h->v[i].metric, "s", BETTER_LOWER, h->v[i].side };

		if (t)
			gather_value(t->g, &m, h->v[i].v.value, h->v[i].v.resolution);
		free(h->v[i].metric);
	}
	if (t)
		gather_value(t->g, &errors, h->errors + h->bad, 1);
	h->n = 0;
	h->errors = h->bad = h->requests = 0;
}

/* "    Latency   635.91us    0.89ms  12.92ms   93.69%" */
static void take_latency(struct text *t, struct held *h, const char *p)
{
	static const char *const metrics[] = { "latency avg", "latency stdev", "latency max" };
	const char *unit;
	struct value v;

	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		if (!text_scaled(t, &p, metrics[i], scale_times, &v, &unit))
			return;
		hold(h, xstrdup(metrics[i]), i > 0, &v);
		p = text_next_word(t, p);
	}
}

/* "     99%    5.80ms" */
static bool take_percentile(struct text *t, struct held *h)
{
	const char *percent = memchr(t->line, '%', t->n), *p = t->line, *unit;
	struct value which, v;

	if (!percent || percent == t->line || percent - t->line > 7 ||
	    strspn(t->line, "0123456789.") != (size_t)(percent - t->line) ||
	    !text_number(t, &p, "latency percentile", &which))
		return false;
	AUTO_FREE char *metric = xasprintf("latency p%.*s", (int)(percent - t->line), t->line);

	p = text_next_word(t, percent);
	if (text_scaled(t, &p, metric, scale_times, &v, &unit))
		hold(h, TAKE_PTR(metric), false, &v);
	return true;
}

/* "  Socket errors: connect 0, read 0, write 0, timeout 12": the sum of the numbers. */
static double sum_errors(struct text *t, const char *p)
{
	double sum = 0;

	while (p < t->line + t->n) {
		struct value v;
		const char *q = p;

		if (*p >= '0' && *p <= '9' && text_number(t, &q, "errors", &v)) {
			sum += v.value;
			p = q;
		} else {
			p++;
		}
	}
	return sum;
}

static bool take_requests(struct text *t, struct held *h)
{
	const char *p = t->line;
	struct value v;

	if (!text_find(t, " requests in ") || !text_number(t, &p, "requests", &v))
		return false;
	if (v.value <= 0)
		gather_problem(t->g, "requests", 8, "wrk had no answer to a request");
	h->requests = v.value;
	return true;
}

/* Answers that say "no" come quicker than what was asked for: their rate is not to be set against that of others. */
static void take_bad(struct text *t, struct held *h, const char *p)
{
	h->bad = sum_errors(t, p);
	if (h->bad > 0 && h->bad >= h->requests)
		gather_problem(t->g, "requests/s", 10,
			       "all %.0f answers were errors (not 2xx or 3xx): is the URL right?",
			       h->bad);
	else if (h->bad > 0)
		gather_note(t->g, "%.3g %% of the answers were errors (not 2xx or 3xx)",
			    100 * h->bad / h->requests);
}

static void take_line(struct text *t, struct held *h)
{
	static const struct label rates[] = {
		{ "Requests/sec:", { "requests/s", "1/s", BETTER_HIGHER, false }, counts },
		{ "Transfer/sec:", { "transfer/s", "B/s", BETTER_HIGHER, true }, sizes },
		{ 0 },
	};
	bool is_rate = text_behind(t, "Requests/sec:");
	const char *p;

	if ((p = text_behind(t, "Latency ")) && *p >= '0' && *p <= '9')
		take_latency(t, h, p);
	else if ((p = text_behind(t, "Socket errors:")))
		h->errors += sum_errors(t, p);
	else if ((p = text_behind(t, "Non-2xx or 3xx responses:")))
		take_bad(t, h, p);
	else if (text_label(t, rates) && is_rate) { /* the last but one line of a run */
		release(t, h);
	} else if (!take_requests(t, h)) {
		take_percentile(t, h);
	}
}

static int read_wrk(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	struct held h = { .n = 0 };
	struct text t;

	text_begin(&t, g, "wrk", in->out, in->out_n);
	while (text_next(&t))
		take_line(&t, &h);
	release(NULL, &h);
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_wrk(const char *head, size_t n)
{
	static const char *const marks[] = { "Thread Stats   Avg", "Requests/sec:", NULL };

	return text_sniff(head, n, marks);
}

const struct reader reader_wrk = {
	.name = "wrk",
	.help = "wrk's requests and bytes a second, latencies and errors",
	.sniff = sniff_wrk,
	.read = read_wrk,
};
