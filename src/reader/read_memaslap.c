/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memaslap - of libmemcached, which Debian calls memcaslap: operations and bytes a second, and with --stat_freq (-S) the response times of gets, sets
 * and both, of the whole run.
 *
 * With -S the statistics of each period come before those of the run ("Total Statistics"), so response times are held until its last line.
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <string.h>

static const struct scale rates[] = {
	{ "B/s", "B/s", 0, 0 },
	{ "K/s", "B/s", 0, 1024 },
	{ "M/s", "B/s", 0, 1048576 },
	{ "G/s", "B/s", 0, 1073741824 },
	{ 0 },
};
enum { TIMES = 5, GROUPS = 3 };
static const char *const groups[GROUPS] = { "Get Statistics", "Set Statistics",
					    "Total Statistics" };
static const struct gather_metric times[GROUPS][TIMES] = {
	{ { "get min", "us", BETTER_LOWER, true },
	  { "get max", "us", BETTER_LOWER, true },
	  { "get avg", "us", BETTER_LOWER, false },
	  { "get geomean", "us", BETTER_LOWER, true },
	  { "get stdev", "us", BETTER_LOWER, true } },
	{ { "set min", "us", BETTER_LOWER, true },
	  { "set max", "us", BETTER_LOWER, true },
	  { "set avg", "us", BETTER_LOWER, false },
	  { "set geomean", "us", BETTER_LOWER, true },
	  { "set stdev", "us", BETTER_LOWER, true } },
	{ { "response min", "us", BETTER_LOWER, true },
	  { "response max", "us", BETTER_LOWER, true },
	  { "response avg", "us", BETTER_LOWER, false },
	  { "response geomean", "us", BETTER_LOWER, true },
	  { "response stdev", "us", BETTER_LOWER, true } },
};

struct held {
	struct value v[GROUPS][TIMES];
	bool is_there[GROUPS][TIMES];
	int group; /* -1: in none */
};

/* "   Avg:       301" of the group that is open. */
static bool take_time(struct text *t, struct held *h)
{
	static const char *const words[TIMES] = { "Min:", "Max:", "Avg:", "Geo:", "Std:" };

	for (int i = 0; i < GROUPS; i++)
		if (text_behind(t, groups[i])) {
			h->group = i;
			return true;
		}
	for (int i = 0; i < TIMES && h->group >= 0; i++) {
		const char *p = text_behind(t, words[i]);

		if (!p)
			continue;
		h->is_there[h->group][i] =
			text_number(t, &p, times[h->group][i].name, &h->v[h->group][i]);
		return true;
	}
	return false;
}

/* "Run time: 0.8s Ops: 20000 TPS: 25997 Net_rate: 29.1M/s": the end of a run. */
static bool take_end(struct text *t, struct held *h)
{
	const char *tps = text_find(t, "TPS: "), *net = text_find(t, "Net_rate: "), *unit;
	struct value v;

	if (!text_behind(t, "Run time:") || !tps || !net)
		return false;
	tps += strlen("TPS: ");
	net += strlen("Net_rate: ");
	if (text_number(t, &tps, "operations/s", &v)) {
		if (v.value <= 0)
			gather_problem(t->g, "operations/s", 12, "memaslap did nothing: TPS: 0");
		text_add(t, "operations/s", "1/s", BETTER_HIGHER, &v);
	}
	if (text_scaled(t, &net, "net rate", rates, &v, &unit))
		text_add(t, "net rate", unit, BETTER_HIGHER, &v);
	for (int i = 0; i < GROUPS; i++)
		for (int k = 0; k < TIMES; k++)
			if (h->is_there[i][k])
				gather_value(t->g, &times[i][k], h->v[i][k].value,
					     h->v[i][k].resolution);
	*h = (struct held){ .group = -1 };
	return true;
}

static int read_memaslap(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	static const struct label labels[] = {
		{ "get_misses:", { "get misses", "", BETTER_LOWER, true }, NULL },
		{ 0 },
	};
	struct held h = { .group = -1 };
	bool any = false;
	struct text t;

	text_begin(&t, g, "memaslap", in->out, in->out_n);
	while (text_next(&t))
		if (take_end(&t, &h))
			any = true;
		else if (!take_time(&t, &h))
			text_label(&t, labels);
	if (!any && gather_any(g))
		gather_problem(g, NULL, 0, "memaslap was stopped before its last line");
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_memaslap(const char *head, size_t n)
{
	static const char *const marks[] = { "windows size:", "Run time: ", NULL };

	return text_sniff(head, n, marks) && memmem(head, n, "Net_rate: ", 10);
}

const struct reader reader_memaslap = {
	.name = "memaslap",
	.help = "memaslap (memcaslap): rates, and with -S response times",
	.sniff = sniff_memaslap,
	.read = read_memaslap,
};
