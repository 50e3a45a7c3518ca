/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pyperf (-o FILE, version 1.0 of the format): {"version": "1.0", "metadata": {...}, "benchmarks": [{"metadata": {"name": ...}, "runs": [{"values":
 * [0.09, 0.091], "warmups": [[1, 0.1]], ...}]}]}. What all benchmarks share is in the outer metadata: name and unit, if there is one.
 *
 * A run is a process. The values of one process share its memory layout and hash seed, so they are not independent: where there are several
 * processes each gives one sample, the mean of its values; all values are samples only where one process gave them. Runs without values are calibration.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

#include <string.h>

static bool is_pyperf(const struct json *doc)
{
	const struct json *list = json_member(doc, "benchmarks");

	return json_kind(list) == JSON_IS_ARRAY && !json_member(doc, "context") &&
	       json_kind(json_member(doc, "version")) == JSON_IS_STRING &&
	       (!json_count(list) || json_kind(json_get(list, "[0].runs")) == JSON_IS_ARRAY);
}

static const char *metadata(const struct json *doc, const struct json *bench, const char *path)
{
	const char *own = json_to_text(bench, path);

	return own ? own : json_to_text(doc, path);
}

static void read_benchmark(const struct json *doc, const struct json *bench, struct gather *g)
{
	const char *unit = metadata(doc, bench, "metadata.unit");
	const char *name = metadata(doc, bench, "metadata.name");
	const struct json *runs = json_member(bench, "runs");
	bool is_bytes = unit && !strcmp(unit, "byte"), is_count = unit && !strcmp(unit, "integer");
	const struct gather_metric m = {
		is_bytes   ? "memory"
		: is_count ? "value"
			   : "time",
		is_bytes   ? "B"
		: is_count ? ""
			   : "s",
		is_count ? BETTER_UNKNOWN : BETTER_LOWER,
		false,
	};
	size_t processes = 0;

	jsonvalue_bench(g, name);
	for (size_t i = 0; i < json_count(runs); i++)
		processes += json_count(json_get(json_at(runs, i), "values")) > 0;
	for (size_t i = 0; i < json_count(runs); i++) {
		const struct json *values = json_member(json_at(runs, i), "values");

		if (processes > 1 && json_count(values))
			jsonvalue_take_mean(g, &m, values);
		else
			jsonvalue_take_list(g, &m, values, NULL);
	}
	if (!processes)
		gather_problem(g, NULL, 0, "no run of '%.100s' has values", name ? name : "?");
}

static void read_pyperf(const struct json *doc, struct gather *g)
{
	const struct json *list = json_member(doc, "benchmarks");

	if (!json_count(list))
		gather_problem(g, NULL, 0, "its list of benchmarks is empty");
	for (size_t i = 0; i < json_count(list); i++)
		read_benchmark(doc, json_at(list, i), g);
}

const struct reader reader_pyperf = {
	.name = "pyperf",
	.help = "JSON of pyperf: a sample for each process, by benchmark",
	.json_is = is_pyperf,
	.json_read = read_pyperf,
};
