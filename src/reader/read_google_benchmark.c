/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Google Benchmark --benchmark_format=json or --benchmark_out: {"context": {...}, "benchmarks": [{"name": ..., "run_type": "iteration",
 * "real_time": 36.1, "cpu_time": 36.0, "time_unit": "ns", ...}]}.
 *
 * Each entry of run_type "iteration" is one sample, repetitions by their run_name. Aggregates (mean, median, stddev, cv) are left out
 * where iterations are there; with --benchmark_report_aggregates_only the means are all there is, and each is one sample. Before 1.5 there was no run_type and
 * an aggregate is told by the end of its name. User counters are numbers of other names; what the library writes itself is not one of them.
 * An entry with error_occurred (or skipped) is a problem: the benchmark said that it failed.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

#include <string.h>

static bool is_google_benchmark(const struct json *doc)
{
	const struct json *list = json_member(doc, "benchmarks"), *first = json_at(list, 0);

	return json_kind(json_member(doc, "context")) == JSON_IS_OBJECT &&
	       json_kind(list) == JSON_IS_ARRAY &&
	       (!json_count(list) || json_to_text(first, "name"));
}

/* "mean", "median", ... or NULL for an iteration. */
static const char *aggregate(const struct json *entry)
{
	static const char *const ends[] = { "_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS" };
	const char *type = json_to_text(entry, "run_type"), *name = json_to_text(entry, "name");
	const char *known = json_to_text(entry, "aggregate_name");

	if (type)
		return strcmp(type, "aggregate") ? NULL : known ? known : "?";
	for (size_t i = 0; name && i < ARRAY_LEN(ends); i++)
		if (ends_with(name, ends[i]))
			return ends[i] + 1;
	return NULL;
}

/* What the library itself writes into an entry, beside the times. */
static bool is_own_key(const char *key)
{
	static const char *const own[] = {
		"family_index", "per_family_instance_index",
		"repetitions",	"repetition_index",
		"threads",	"iterations",
		"real_time",	"cpu_time",
	};

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (!strcmp(key, own[i]))
			return true;
	return false;
}

static void take_counters(const struct json *entry, struct gather *g)
{
	const struct json *v;
	const char *key;
	void *iter = NULL;

	while ((v = json_next(entry, &iter, &key))) {
		bool per_second = strstr(key, "_per_second") != NULL;
		struct gather_metric m = { key, "", per_second ? BETTER_HIGHER : BETTER_UNKNOWN,
					   true };

		if (strstr(key, "bytes_per_second"))
			m.unit = "B/s";
		else if (per_second)
			m.unit = "/s";
		if ((json_kind(v) == JSON_IS_INT || json_kind(v) == JSON_IS_REAL) &&
		    !is_own_key(key))
			jsonvalue_take(g, &m, v, NULL);
	}
}

static void take_entry(const struct json *entry, struct gather *g)
{
	const char *unit = json_to_text(entry, "time_unit");
	const char *name = json_to_text(entry, "run_name"), *full = json_to_text(entry, "name");
	bool failed = false;

	if (!unit)
		unit = "ns";
	const struct gather_metric real = { "time", unit, BETTER_LOWER, false };
	const struct gather_metric cpu = { "cpu", unit, BETTER_LOWER, true };

	if ((json_to_bool(entry, "error_occurred", &failed) && failed) ||
	    json_to_text(entry, "skip_message")) {
		const char *why = json_to_text(entry, "error_message");

		if (!why)
			why = json_to_text(entry, "skip_message");
		gather_problem(g, NULL, 0, "the benchmark '%.80s' failed: %.120s", full ? full : "",
			       why ? why : "it does not say why");
		return;
	}
	jsonvalue_bench(g, name ? name : full);
	jsonvalue_take(g, &real, entry, "real_time");
	jsonvalue_take(g, &cpu, entry, "cpu_time");
	take_counters(entry, g);
}

static void read_google_benchmark(const struct json *doc, struct gather *g)
{
	const struct json *list = json_member(doc, "benchmarks");
	size_t n = json_count(list), iterations = 0;

	if (!n)
		gather_problem(g, NULL, 0, "its list of benchmarks is empty");
	for (size_t i = 0; i < n; i++)
		iterations += !aggregate(json_at(list, i));
	for (size_t i = 0; i < n; i++) {
		const char *is = aggregate(json_at(list, i));

		if (iterations ? !is : !strcmp(is, "mean"))
			take_entry(json_at(list, i), g);
	}
}

const struct reader reader_google_benchmark = {
	.name = "google-benchmark",
	.help = "JSON of Google Benchmark: the time of every repetition, by benchmark",
	.json_is = is_google_benchmark,
	.json_read = read_google_benchmark,
};
