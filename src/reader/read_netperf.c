/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netperf - 2.5 to 2.7: the classic tables, and the omni output with -k (KEY=value) and -o (two lines with commas).
 *
 * All give the names of omni, so that one form can be set against another. Throughput goes to Mbit/s whatever -f asked for, service demand is
 * in us/KB or us/Tr. A CPU figure that was not asked for is printed as -1: no number. A UDP stream has two throughputs, what was sent and what came
 * in, and no third. Without a header (-P 0) the columns are told by their number, and the unit is netperf's own choice.
 *
 * The values of one test are held until it ends, for the unit of a throughput may stand behind it.
 */
#include "reader/formats.h"
#include "reader/scan.h"
#include "reader/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { HELD_MAX = 256, COLUMNS_MAX = 16 };

static const struct scale throughputs[] = {
	{ "10^6bits/s", "Mbit/s", 0, 0 },
	{ "10^6bits/sec", "Mbit/s", 0, 0 },
	{ "10^9bits/s", "Mbit/s", 3, 0 },
	{ "10^9bits/sec", "Mbit/s", 3, 0 },
	{ "10^3bits/s", "Mbit/s", -3, 0 },
	{ "10^3bits/sec", "Mbit/s", -3, 0 },
	{ "GBytes/sec", "Mbit/s", 0, 8589.934592 },
	{ "GBytes/s", "Mbit/s", 0, 8589.934592 },
	{ "MBytes/sec", "Mbit/s", 0, 8.388608 },
	{ "MBytes/s", "Mbit/s", 0, 8.388608 },
	{ "KBytes/sec", "Mbit/s", 0, 0.008192 },
	{ "KBytes/s", "Mbit/s", 0, 0.008192 },
	{ "Trans/s", "Trans/s", 0, 0 },
	{ 0 },
};

/* What is known of omni's values; `title` is the one of -o. A unit of "T": throughput; "S": service demand. */
static const struct key {
	struct gather_metric m;
	const char *title;
} keys[] = {
	{ { "THROUGHPUT", "T", BETTER_HIGHER, false }, "Throughput" },
	{ { "TRANSACTION_RATE", "Trans/s", BETTER_HIGHER, true }, "Transaction Rate Tran/s" },
	{ { "MIN_LATENCY", "us", BETTER_LOWER, true }, "Minimum Latency Microseconds" },
	{ { "MEAN_LATENCY", "us", BETTER_LOWER, false }, "Mean Latency Microseconds" },
	{ { "MAX_LATENCY", "us", BETTER_LOWER, true }, "Maximum Latency Microseconds" },
	{ { "STDDEV_LATENCY", "us", BETTER_LOWER, true }, "Stddev Latency Microseconds" },
	{ { "RT_LATENCY", "us", BETTER_LOWER, true }, "Round Trip Latency usec/tran" },
	{ { "P50_LATENCY", "us", BETTER_LOWER, false }, "50th Percentile Latency Microseconds" },
	{ { "P90_LATENCY", "us", BETTER_LOWER, false }, "90th Percentile Latency Microseconds" },
	{ { "P99_LATENCY", "us", BETTER_LOWER, false }, "99th Percentile Latency Microseconds" },
	{ { "LOCAL_CPU_UTIL", "%", BETTER_LOWER, true }, "Local CPU Util %" },
	{ { "REMOTE_CPU_UTIL", "%", BETTER_LOWER, true }, "Remote CPU Util %" },
	{ { "LOCAL_SD", "S", BETTER_LOWER, false }, "Local Service Demand" },
	{ { "REMOTE_SD", "S", BETTER_LOWER, false }, "Remote Service Demand" },
	{ { "LOCAL_SEND_THROUGHPUT", "T", BETTER_HIGHER, true }, "Local Send Throughput" },
	{ { "LOCAL_RECV_THROUGHPUT", "T", BETTER_HIGHER, true }, "Local Recv Throughput" },
	{ { "REMOTE_SEND_THROUGHPUT", "T", BETTER_HIGHER, true }, "Remote Send Throughput" },
	{ { "REMOTE_RECV_THROUGHPUT", "T", BETTER_HIGHER, true }, "Remote Recv Throughput" },
	{ { "ELAPSED_TIME", "s", BETTER_UNKNOWN, true }, "Elapsed Time (sec)" },
	{ { "LOCAL_SEND_CALLS", "", BETTER_UNKNOWN, true }, "Local Send Calls" },
	{ { "LOCAL_BYTES_SENT", "B", BETTER_UNKNOWN, true }, "Local Bytes Sent" },
};
enum {
	KEY_THROUGHPUT,
	KEY_LOCAL_CPU = 10,
	KEY_REMOTE_CPU,
	KEY_LOCAL_SD,
	KEY_REMOTE_SD,
	KEY_LOCAL_SEND
};

static const struct key received = { { "REMOTE_RECV_THROUGHPUT", "T", BETTER_HIGHER, false },
				     NULL };

struct held {
	char *name;
	const struct key *key; /* NULL: none that is known */
	struct value v;
};
struct netperf {
	struct text t;
	struct held held[HELD_MAX];
	size_t n;
	const struct scale *scale; /* of the throughput; NULL = not said */
	bool is_udp, is_per_transaction;
	char *titles; /* of -o, the line before its values */
};

static const struct key *find_key(const char *name, size_t n, bool by_title)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *k = by_title ? keys[i].title : keys[i].m.name;

		if (strlen(k) == n && !memcmp(k, name, n))
			return &keys[i];
	}
	return NULL;
}

static const struct scale *find_scale(const char *p, size_t n)
{
	for (const struct scale *s = throughputs; s->printed; s++)
		if (strlen(s->printed) == n && !memcmp(s->printed, p, n))
			return s;
	return NULL;
}

static void put(struct netperf *x, const struct held *h)
{
	struct gather_metric m =
		h->key ? h->key->m : (struct gather_metric){ h->name, "", BETTER_UNKNOWN, true };
	struct value v = h->v;

	if (v.value < 0) /* CPU that was not measured, a latency that no transaction had */
		return;
	if (*m.unit == 'S')
		m.unit = x->is_per_transaction ? "us/Tr" : "us/KB";
	if (*m.unit == 'T' && m.unit[1] == '\0') {
		/* of a test with transactions the bytes are in the default unit still */
		static const struct scale unknown = { "", "", 0, 0 };
		const struct scale *s = x->scale ? x->scale : &unknown;

		if (h->key != &keys[KEY_THROUGHPUT] && !strcmp(s->unit, "Trans/s"))
			s = &throughputs[0];
		m.unit = s->unit;
		text_scale(&v, s);
		if (h->key == &keys[KEY_THROUGHPUT] && v.value <= 0)
			gather_problem(x->t.g, m.name, strlen(m.name),
				       "netperf moved nothing: a throughput of 0");
	}
	gather_value(x->t.g, &m, v.value, v.resolution);
}

/* A test has ended: what it gave goes to the gather. */
static void flush(struct netperf *x)
{
	for (size_t i = 0; i < x->n; i++) {
		put(x, &x->held[i]);
		free(x->held[i].name);
	}
	x->n = 0;
	x->scale = NULL;
	x->is_per_transaction = false;
}

static void hold(struct netperf *x, const char *name, size_t n, const struct key *key,
		 const struct value *v)
{
	if (x->n < HELD_MAX)
		x->held[x->n++] = (struct held){ xstrndup(name, n), key, *v };
}

static bool is_held(const struct netperf *x, const char *name, size_t n)
{
	for (size_t i = 0; i < x->n; i++)
		if (!strncmp(x->held[i].name, name, n) && !x->held[i].name[n])
			return true;
	return false;
}

/* A named value of omni; p to end is its text. Texts that are no numbers (versions, names) are left. */
static void take_omni(struct netperf *x, const char *name, size_t n, bool by_title, const char *p,
		      const char *end)
{
	const struct key *key = find_key(name, n, by_title);
	struct text t = x->t;
	struct value v;

	if ((n == 16 && !memcmp(name, "THROUGHPUT_UNITS", n)) ||
	    (n == 16 && !memcmp(name, "Throughput Units", n))) {
		if (x->t.is_cut)
			return;
		x->scale = find_scale(p, (size_t)(end - p));
		if (!x->scale)
			gather_problem(x->t.g, NULL, 0,
				       "netperf's throughput is in '%.*s', which is unknown",
				       (int)(end - p < 40 ? end - p : 40), p);
		return;
	}
	if ((n == 8 && !memcmp(name, "SD_UNITS", n)) ||
	    (n == 20 && !memcmp(name, "Service Demand Units", n))) {
		if (!x->t.is_cut)
			x->is_per_transaction = memmem(p, (size_t)(end - p), "Tran", 4);
		return;
	}
	t.line = p;
	t.n = (size_t)(end - p);
	if ((key || !by_title) && text_number(&t, &p, key ? key->m.name : "a value", &v) &&
	    p == end)
		hold(x, key ? key->m.name : name, key ? strlen(key->m.name) : n, key, &v);
}

/* "THROUGHPUT=123.4" */
static bool take_pair(struct netperf *x)
{
	const char *p = x->t.line, *end = p + x->t.n;
	size_t n = 0;

	while (p + n < end &&
	       (isupper((unsigned char)p[n]) || isdigit((unsigned char)p[n]) || p[n] == '_'))
		n++;
	if (!n || p + n >= end || p[n] != '=')
		return false;
	if (is_held(x, p, n))
		flush(x);
	take_omni(x, p, n, false, p + n + 1, end);
	return true;
}

static size_t comma(const char *p, const char *end)
{
	const char *c = memchr(p, ',', (size_t)(end - p));

	return (size_t)((c ? c : end) - p);
}

/* -o: the line of titles is kept until the values come. */
static bool take_commas(struct netperf *x)
{
	const char *p = x->t.line, *end = p + x->t.n, *title = x->titles;

	if (!memchr(p, ',', x->t.n))
		return false;
	if (isalpha((unsigned char)*p)) {
		free(x->titles);
		x->titles = xstrndup(p, x->t.n);
		return true;
	}
	if (!title)
		return false;
	while (p <= end && *title) {
		size_t n = comma(p, end), title_n = comma(title, title + strlen(title));

		take_omni(x, title, title_n, true, p, p + n);
		p += n + 1;
		title += title_n + (title[title_n] == ',');
	}
	flush(x);
	return true;
}

/* --- the classic tables ------------------------------------------------------------------------------------------- */

/* All words of the line numbers: how many, 0 if one is none. */
static size_t take_columns(struct netperf *x, struct value *v)
{
	const char *p = x->t.line, *end = p + x->t.n;
	size_t n = 0;

	for (; p < end; n++) {
		if (n == COLUMNS_MAX || !(isdigit((unsigned char)*p) || *p == '-') ||
		    !text_number(&x->t, &p, "a column", &v[n]) ||
		    (p < end && *p != ' ' && *p != '\t'))
			return 0;
		p = text_next_word(&x->t, p);
	}
	return n;
}

static void hold_key(struct netperf *x, size_t key, const struct value *v)
{
	hold(x, keys[key].m.name, strlen(keys[key].m.name), &keys[key], v);
}

/* The four columns of -c -C: percent and service demand of both sides. */
static void hold_cpu(struct netperf *x, const struct value *v)
{
	hold_key(x, KEY_LOCAL_CPU, &v[0]);
	hold_key(x, KEY_REMOTE_CPU, &v[1]);
	hold_key(x, KEY_LOCAL_SD, &v[2]);
	hold_key(x, KEY_REMOTE_SD, &v[3]);
}

/* "212992 65507 1.01 46333 0 24083.3 [100.00 0.680]", then "212992 1.01 4994 2595.8 [100.00 0.680]" of the other side. */
static void take_udp(struct netperf *x, const struct value *v, size_t n)
{
	bool remote = n == 4 || (n == 6 && is_held(x, "LOCAL_SEND_THROUGHPUT", 21));
	size_t at = remote ? 3 : 5;

	if (n < 4 || (!remote && n < 6))
		return;
	if (remote) /* what came in is what the test is for */
		hold(x, received.m.name, strlen(received.m.name), &received, &v[at]);
	else
		hold_key(x, KEY_LOCAL_SEND, &v[at]);
	if (n >= at + 3) {
		hold_key(x, remote ? KEY_REMOTE_CPU : KEY_LOCAL_CPU, &v[at + 1]);
		hold_key(x, remote ? KEY_REMOTE_SD : KEY_LOCAL_SD, &v[at + 2]);
	}
	if (remote)
		flush(x);
}

static bool take_table(struct netperf *x)
{
	struct value v[COLUMNS_MAX];
	size_t n = take_columns(x, v);

	if (n && !x->scale)
		x->scale = &throughputs[0];
	if (x->is_udp && n >= 4) {
		take_udp(x, v, n);
		return true;
	}
	switch (n) {
	case 5: /* sizes of sockets and message, time, throughput */
	case 9:
		hold_key(x, KEY_THROUGHPUT, &v[4]);
		if (n == 9)
			hold_cpu(x, &v[5]);
		break;
	case 6: /* sizes of sockets, request and response, time, rate */
	case 10:
		x->scale = find_scale("Trans/s", 7);
		x->is_per_transaction = true;
		hold_key(x, KEY_THROUGHPUT, &v[5]);
		if (n == 10)
			hold_cpu(x, &v[6]);
		break;
	default:
		return n > 0;
	}
	flush(x);
	return true;
}

static void take_title(struct netperf *x)
{
	for (const char *p = x->t.line; p < x->t.line + x->t.n; p = text_next_word(&x->t, p)) {
		const struct scale *s = find_scale(p, (size_t)(text_word_end(&x->t, p) - p));

		if (s)
			x->scale = s;
	}
}

static void take_line(struct netperf *x)
{
	if (text_behind(&x->t, "Interim result:"))
		return;
	if (text_behind(&x->t, "MIGRATED ") || text_behind(&x->t, "OMNI ") ||
	    text_find(&x->t, " TEST from ")) {
		flush(x);
		x->is_udp = text_find(&x->t, "UDP STREAM");
		if (text_find(&x->t, "REQUEST/RESPONSE") || text_find(&x->t, "Request/Response")) {
			x->scale = find_scale("Trans/s", 7);
			x->is_per_transaction = true;
		} else if (!text_behind(&x->t, "OMNI ")) {
			x->scale = &throughputs[0]; /* until it is said otherwise */
		}
		return;
	}
	if (text_behind(&x->t, "!!! Desired confidence was not achieved")) {
		gather_note(x->t.g, "netperf did not reach the confidence that -I asked for");
		return;
	}
	if (!take_pair(x) && !take_commas(x) && !take_table(x))
		take_title(x);
}

static int read_netperf(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	struct netperf *x = xcalloc(1, sizeof(*x));

	text_begin(&x->t, g, "netperf", in->out, in->out_n);
	while (text_next(&x->t))
		take_line(x);
	flush(x);
	text_close(&x->t, in, NULL);
	free(x->titles);
	free(x);
	return 0;
}

static bool sniff_netperf(const char *head, size_t n)
{
	static const char *const marks[] = { "MIGRATED TCP ", "MIGRATED UDP ", "MIGRATED SCTP ",
					     "OMNI ",	      "THROUGHPUT=",   NULL };

	return text_sniff(head, n, marks);
}

const struct reader reader_netperf = {
	.name = "netperf",
	.help = "netperf's tables, and omni with -k or -o: throughput, latency, service demand",
	.sniff = sniff_netperf,
	.read = read_netperf,
};
