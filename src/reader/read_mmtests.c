/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mmtests (extract-mmtests.pl --print-json, compare-mmtests.pl --print-json): a list of, or one of, {"_ModuleName": "ExtractStream", "_TestName":
 * "5.9-vanilla", "_DataType": 14, "_ResultData": {"copy": [{"Values": [...], "SampleNrs": [...]}]}}.
 *
 * The operations are the benchmarks; each list below one is an iteration, and all Values are samples. _DataType is a number of its DataTypes.pm, which
 * says unit and direction.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

static const struct json *first_of(const struct json *doc)
{
	return json_kind(doc) == JSON_IS_ARRAY ? json_at(doc, 0) : doc;
}

static bool is_mmtests(const struct json *doc)
{
	return json_kind(json_member(first_of(doc), "_ResultData")) == JSON_IS_OBJECT;
}

static struct gather_metric metric_of(const struct json *result)
{
	static const struct {
		int64_t type;
		struct gather_metric m;
	} types[] = {
		{ 1, { "time", "s", BETTER_LOWER, false } },
		{ 2, { "time", "ns", BETTER_LOWER, false } },
		{ 3, { "time", "us", BETTER_LOWER, false } },
		{ 4, { "time", "ms", BETTER_LOWER, false } },
		{ 5, { "cycles", "", BETTER_LOWER, false } },
		{ 6, { "bad actions", "", BETTER_LOWER, false } },
		{ 7, { "actions", "", BETTER_HIGHER, false } },
		{ 8, { "actions", "1/s", BETTER_HIGHER, false } },
		{ 9, { "actions", "1/min", BETTER_HIGHER, false } },
		{ 10, { "ops", "ops/s", BETTER_HIGHER, false } },
		{ 11, { "ops", "ops/min", BETTER_HIGHER, false } },
		{ 13, { "throughput", "KB/s", BETTER_HIGHER, false } },
		{ 14, { "throughput", "MB/s", BETTER_HIGHER, false } },
		{ 15, { "throughput", "Mbit/s", BETTER_HIGHER, false } },
		{ 16, { "transactions", "1/s", BETTER_HIGHER, false } },
		{ 17, { "transactions", "1/min", BETTER_HIGHER, false } },
		{ 18, { "success", "%", BETTER_HIGHER, false } },
		{ 19, { "speedup", "", BETTER_HIGHER, false } },
		{ 20, { "requests", "1/s", BETTER_HIGHER, false } },
	};
	int64_t type = 0;

	/* numbers and texts of numbers: Perl's choice */
	if (!json_to_int(result, "_DataType", &type) && json_to_text(result, "_DataType"))
		type = strtoll(json_to_text(result, "_DataType"), NULL, 10);
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (types[i].type == type)
			return types[i].m;
	return (struct gather_metric){ "value", "", BETTER_UNKNOWN, false };
}

static void read_result(const struct json *result, struct gather *g)
{
	const struct json *data = json_member(result, "_ResultData"), *iterations;
	const struct gather_metric m = metric_of(result);
	const char *operation;
	void *iter = NULL;

	while (json_kind(data) == JSON_IS_OBJECT &&
	       (iterations = json_next(data, &iter, &operation))) {
		jsonvalue_bench(g, operation);
		for (size_t i = 0; i < json_count(iterations); i++)
			jsonvalue_take_list(g, &m, json_at(iterations, i), "Values");
	}
}

static void read_mmtests(const struct json *doc, struct gather *g)
{
	if (json_kind(doc) == JSON_IS_OBJECT)
		read_result(doc, g);
	else
		for (size_t i = 0; i < json_count(doc); i++)
			read_result(json_at(doc, i), g);
}

const struct reader reader_mmtests = {
	.name = "mmtests",
	.help = "JSON of mmtests (--print-json): every value, by operation",
	.json_is = is_mmtests,
	.json_read = read_mmtests,
};
