/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pytest-benchmark --benchmark-json: {"machine_info": {...}, "benchmarks": [{"fullname": "tests/t.py::test_x[1]", "stats": {"mean": ..., "data": [...]}}]}.
 * `data` (seconds, each the mean of a round's iterations) is there with --benchmark-save-data; without it the median is one sample.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

static bool is_pytest(const struct json *doc)
{
	return json_member(doc, "machine_info") && json_get(doc, "benchmarks[0].stats");
}

static void read_pytest(const struct json *doc, struct gather *g)
{
	static const struct gather_metric time = { "time", "s", BETTER_LOWER, false };
	const struct json *list = json_member(doc, "benchmarks");

	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *bench = json_at(list, i);
		const char *name = json_to_text(bench, "fullname");

		jsonvalue_bench(g, name ? name : json_to_text(bench, "name"));
		if (!jsonvalue_take_list(g, &time, bench, "stats.data"))
			jsonvalue_take(g, &time, bench, "stats.median");
	}
}

const struct reader reader_pytest = {
	.name = "pytest-benchmark",
	.help = "JSON of pytest-benchmark: every round (with --benchmark-save-data), by test",
	.json_is = is_pytest,
	.json_read = read_pytest,
};
