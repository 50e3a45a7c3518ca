/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pgbench - PostgreSQL's benchmark, 9.6 to 17: transactions a second and latencies.
 *
 * Until 13 it printed tps twice, with and without the time to connect; the second is what "tps" means since then.
 */
#include "reader/formats.h"
#include "reader/text.h"

static void take_tps(struct text *t, const char *p)
{
	bool with = text_find(t, "(including connections");
	struct value v;

	const struct gather_metric m = { with ? "tps including connections" : "tps", "1/s",
					 BETTER_HIGHER, with };

	if (text_number(t, &p, m.name, &v))
		gather_value(t->g, &m, v.value, v.resolution);
}

/* "10/10", of a run by time "123". A run that did nothing has no speed. */
static void take_count(struct text *t, const char *p)
{
	struct value v;

	if (!text_number(t, &p, "transactions", &v))
		return;
	if (v.value <= 0)
		gather_problem(t->g, "transactions", 12, "pgbench processed no transaction");
}

static int read_pgbench(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	static const struct label labels[] = {
		{ "number of failed transactions:",
		  { "failed transactions", "", BETTER_LOWER, true },
		  NULL },
		{ "latency average =", { "latency average", "ms", BETTER_LOWER, false }, NULL },
		{ "latency average:", { "latency average", "ms", BETTER_LOWER, false }, NULL },
		{ "latency stddev =", { "latency stddev", "ms", BETTER_LOWER, true }, NULL },
		{ "latency stddev:", { "latency stddev", "ms", BETTER_LOWER, true }, NULL },
		{ "initial connection time =",
		  { "initial connection time", "ms", BETTER_LOWER, true },
		  NULL },
		{ "average connection time =",
		  { "average connection time", "ms", BETTER_LOWER, true },
		  NULL },
		{ 0 },
	};
	struct text t;
	const char *p;

	text_begin(&t, g, "pgbench", in->out, in->out_n);
	while (text_next(&t)) {
		if ((p = text_behind(&t, "tps =")))
			take_tps(&t, p);
		else if ((p = text_behind(&t, "number of transactions actually processed:")))
			take_count(&t, p);
		else
			text_label(&t, labels);
	}
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_pgbench(const char *head, size_t n)
{
	static const char *const marks[] = { "transaction type: ", "pgbench (", NULL };

	return text_sniff(head, n, marks);
}

const struct reader reader_pgbench = {
	.name = "pgbench",
	.help = "pgbench's tps and latencies",
	.sniff = sniff_pgbench,
	.read = read_pgbench,
};
