/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memtier_benchmark --json-out-file: {"configuration": {...}, "run information": {...}, "ALL STATS": {"Sets": {"Ops/sec": ..., "Latency": ...,
 * "Percentile Latencies": {"p50.00": ..., "p99.00": ..., "p99.90": ...}}, "Gets": {...}, "Totals": {...}}}.
 *
 * Of -x N runs the blocks are "RUN #1 RESULTS" ... (with --print-all-runs): each is a run; else "AGGREGATED AVERAGE RESULTS (N runs)": one sample. The best and
 * the worst are never taken: they are chosen by their result. Latencies are ms. `Latency` is called "Average Latency" in newer versions.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

#include <string.h>

static bool is_memtier(const struct json *doc)
{
	return json_kind(json_member(doc, "run information")) == JSON_IS_OBJECT ||
	       json_get(json_member(doc, "ALL STATS"), "Totals");
}

static void take(struct gather *g, const char *kind, const char *what, const char *unit,
		 enum better better, bool side, const struct json *v)
{
	AUTO_FREE char *name = *kind ? xasprintf("%s %s", kind, what) : xstrdup(what);
	const struct gather_metric m = { name, unit, better, side };

	jsonvalue_take(g, &m, v, NULL);
}

/* One kind of commands, or all of them together ("Totals"), which is what the benchmark is run for. */
static void take_kind(struct gather *g, const char *key, const struct json *v)
{
	static const char *const percentiles[][2] = { { "p50.00", "p50" },
						      { "p99.00", "p99" },
						      { "p99.90", "p99.9" } };
	bool total = !strcmp(key, "Totals");
	const char *kind = total ? "" : key;
	const struct json *mean = json_member(v, "Latency"),
			  *list = json_member(v, "Percentile Latencies");
	double rate;

	if (!json_to_number(json_member(v, "Ops/sec"), NULL, &rate) || !(rate > 0))
		return;
	take(g, kind, "ops", "ops/s", BETTER_HIGHER, !total, json_member(v, "Ops/sec"));
	take(g, kind, "latency", "ms", BETTER_LOWER, true,
	     mean ? mean : json_member(v, "Average Latency"));
	for (size_t i = 0; i < ARRAY_LEN(percentiles); i++)
		take(g, kind, percentiles[i][1], "ms", BETTER_LOWER, !total || i != 1,
		     json_member(list, percentiles[i][0]));
}

static void take_block(struct gather *g, const struct json *block)
{
	const struct json *v;
	const char *key;
	void *iter = NULL;

	take_kind(g, "Totals", json_member(block, "Totals"));
	while (json_kind(block) == JSON_IS_OBJECT && (v = json_next(block, &iter, &key)))
		if (strcmp(key, "Totals") != 0 && json_kind(v) == JSON_IS_OBJECT)
			take_kind(g, key, v);
}

/* All blocks whose names begin so; how many. */
static size_t take_blocks(struct gather *g, const struct json *doc, const char *prefix)
{
	const struct json *v;
	const char *key;
	void *iter = NULL;
	size_t n = 0;

	while ((v = json_next(doc, &iter, &key)))
		if (starts_with(key, prefix)) {
			take_block(g, v);
			n++;
		}
	return n;
}

static void read_memtier(const struct json *doc, struct gather *g)
{
	if (!take_blocks(g, doc, "RUN #") && !take_blocks(g, doc, "AGGREGATED"))
		take_blocks(g, doc, "ALL STATS");
	if (!gather_any(g))
		gather_problem(g, NULL, 0, "no operation was done in it");
}

const struct reader reader_memtier = {
	.name = "memtier",
	.help = "JSON of memtier_benchmark (--json-out-file): operations per second and latencies, in all and by command",
	.json_is = is_memtier,
	.json_read = read_memtier,
};
