/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iperf3-text - what iperf3 prints without -J: the last lines, of sender and receiver.
 *
 * The names are those of the JSON reader. What the receiver got counts; with several streams the line [SUM], without the single streams. K, M and G
 * are those of bits (1000), as iperf3 has them, and go to bit/s.
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <string.h>

static const struct scale rates[] = {
	{ "bits/sec", "bit/s", 0, 0 },
	{ "Kbits/sec", "bit/s", 3, 0 },
	{ "Mbits/sec", "bit/s", 6, 0 },
	{ "Gbits/sec", "bit/s", 9, 0 },
	{ "Tbits/sec", "bit/s", 12, 0 },
	{ "Bytes/sec", "bit/s", 0, 8 },
	{ "KBytes/sec", "bit/s", 0, 8192 },
	{ "MBytes/sec", "bit/s", 0, 8388608 },
	{ "GBytes/sec", "bit/s", 0, 8589934592.0 },
	{ 0 },
};

struct side {
	struct value rate, other; /* retransmits of the sender; jitter of the receiver */
	bool any, any_other, is_sum;
};
struct run {
	struct side sender, receiver;
};

static void flush(struct text *t, struct run *r)
{
	static const struct gather_metric rate = { "throughput", "bit/s", BETTER_HIGHER, false };
	static const struct gather_metric again = { "retransmits", "", BETTER_LOWER, true };
	static const struct gather_metric jitter = { "jitter", "ms", BETTER_LOWER, true };

	if (r->receiver.any) {
		if (r->receiver.rate.value <= 0)
			gather_problem(t->g, rate.name, strlen(rate.name),
				       "iperf3 moved nothing: 0 bits/sec received");
		gather_value(t->g, &rate, r->receiver.rate.value, r->receiver.rate.resolution);
		if (r->sender.any_other)
			gather_value(t->g, &again, r->sender.other.value,
				     r->sender.other.resolution);
		if (r->receiver.any_other)
			gather_value(t->g, &jitter, r->receiver.other.value,
				     r->receiver.other.resolution);
	}
	*r = (struct run){ 0 };
}

static bool ends_in(const struct text *t, const char *word)
{
	size_t n = strlen(word);

	return t->n > n && !memcmp(t->line + t->n - n, word, n);
}

/* "[SUM]   0.00-1.05   sec   250 MBytes  2.00 Gbits/sec   32             sender" */
static void take_line(struct text *t, struct run *r)
{
	bool receiver = ends_in(t, " receiver"), is_sum = text_behind(t, "[SUM]");
	struct side *s = receiver ? &r->receiver : &r->sender;
	const char *p = t->line, *unit;
	struct value v;

	if ((!receiver && !ends_in(t, " sender")) || *p != '[' || (s->is_sum && !is_sum))
		return;
	p = text_find(t, " sec ");
	if (!p)
		return;
	p = text_next_word(t, p + 1); /* the amount, its unit, the rate */
	p = text_next_word(t, p);
	p = text_next_word(t, p);
	if (!text_scaled(t, &p, "throughput", rates, &v, &unit))
		return;
	s->rate = v;
	s->any = true;
	s->is_sum = is_sum;
	p = text_next_word(t, p);
	s->any_other = *p != 's' && *p != 'r' && text_number(t, &p, "retransmits", &s->other);
	p = text_next_word(t, p);
	if (*p == 'm') { /* "0.008 ms  0/382 (0%)": of UDP, where nothing is sent again */
		s->any_other = receiver;
	}
}

static int read_iperf3_text(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	struct run r = { 0 };
	struct text t;

	text_begin(&t, g, "iperf3", in->out, in->out_n);
	while (text_next(&t)) {
		if (text_behind(&t, "iperf Done."))
			flush(&t, &r);
		else if (text_behind(&t, "iperf3: error"))
			gather_problem(g, NULL, 0, "%.*s", (int)(t.n < 120 ? t.n : 120), t.line);
		else
			take_line(&t, &r);
	}
	if (r.sender.any || r.receiver.any)
		gather_problem(g, NULL, 0, "iperf3 was stopped before its end ('iperf Done.')");
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_iperf3(const char *head, size_t n)
{
	static const char *const marks[] = { "[ ID] Interval", NULL };

	return text_sniff(head, n, marks);
}

const struct reader reader_iperf3_text = {
	.name = "iperf3-text",
	.help = "iperf3 without -J: what the receiver got, retransmits, jitter",
	.sniff = sniff_iperf3,
	.read = read_iperf3_text,
};
