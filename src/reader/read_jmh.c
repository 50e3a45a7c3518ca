/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JMH -rf json: [{"benchmark": "org.x.A.f", "mode": "avgt", "params": {"size": "10"}, "primaryMetric": {"score": ..., "scoreUnit": "ns/op", "rawData":
 * [[1, 2], [1, 2]]}, "secondaryMetrics": {...}}].
 *
 * rawData is a list for each fork of its iterations. The iterations of one fork share its compiled code, so of several forks each gives one
 * sample, the mean of its iterations; of one all iterations do. Mode "sample" has no rawData (a histogram): its score is one sample, and its p99 another metric.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

#include <string.h>

static bool is_jmh(const struct json *doc)
{
	return json_kind(doc) == JSON_IS_ARRAY && json_get(doc, "[0].primaryMetric") &&
	       json_to_text(json_at(doc, 0), "benchmark");
}

/* "org.x.A.f (size=10, kind=a)". */
static char *name_of(const struct json *result)
{
	AUTO(str) struct str s = STR_INIT;
	const struct json *params = json_member(result, "params"), *v;
	const char *name = json_to_text(result, "benchmark"), *key;
	void *iter = NULL;
	unsigned n = 0;

	str_puts(&s, name ? name : "?");
	while (json_kind(params) == JSON_IS_OBJECT && (v = json_next(params, &iter, &key))) {
		const char *text = json_to_text(v, NULL);

		str_addf(&s, "%s%s=%s", n++ ? ", " : " (", key, text ? text : "?");
	}
	if (n)
		str_putc(&s, ')');
	return str_take(&s);
}

static void take_score(struct gather *g, const struct gather_metric *m, const struct json *metric)
{
	const struct json *raw = json_member(metric, "rawData");
	size_t forks = json_kind(raw) == JSON_IS_ARRAY ? json_count(raw) : 0;

	for (size_t i = 0; i < forks; i++)
		if (forks > 1)
			jsonvalue_take_mean(g, m, json_at(raw, i));
		else
			jsonvalue_take_list(g, m, json_at(raw, i), NULL);
	if (!forks)
		jsonvalue_take(g, m, metric, "score");
}

/* Allocation rates and the like of -prof: the score is one sample. */
static void take_secondary(struct gather *g, const struct json *list)
{
	const struct json *v;
	const char *key;
	void *iter = NULL;

	while (json_kind(list) == JSON_IS_OBJECT && (v = json_next(list, &iter, &key))) {
		const char *unit = json_to_text(v, "scoreUnit");
		const struct gather_metric m = { key, unit ? unit : "", BETTER_UNKNOWN, true };

		/* "NaN" as a text where a profiler saw nothing */
		if (json_to_text(v, "score"))
			continue;
		take_score(g, &m, v);
	}
}

static void read_result(const struct json *result, struct gather *g)
{
	static const struct {
		const char *mode, *metric;
		enum better better;
	} modes[] = {
		{ "thrpt", "throughput", BETTER_HIGHER },
		{ "avgt", "time", BETTER_LOWER },
		{ "sample", "sampled time", BETTER_LOWER },
		{ "ss", "single-shot time", BETTER_LOWER },
	};
	const struct json *primary = json_member(result, "primaryMetric");
	const char *unit = json_to_text(primary, "scoreUnit"), *mode = json_to_text(result, "mode");
	AUTO_FREE char *name = name_of(result);
	struct gather_metric m = { "score", unit ? unit : "", BETTER_UNKNOWN, false };
	const struct gather_metric p99 = { "sampled p99", m.unit, BETTER_LOWER, true };

	for (size_t i = 0; mode && i < ARRAY_LEN(modes); i++)
		if (!strcmp(mode, modes[i].mode)) {
			m.name = modes[i].metric;
			m.better = modes[i].better;
		}
	jsonvalue_bench(g, name);
	take_score(g, &m, primary);
	if (mode && !strcmp(mode, "sample"))
		jsonvalue_take(g, &p99,
			       json_member(json_member(primary, "scorePercentiles"), "99.0"), NULL);
	take_secondary(g, json_member(result, "secondaryMetrics"));
}

static void read_jmh(const struct json *doc, struct gather *g)
{
	for (size_t i = 0; i < json_count(doc); i++)
		read_result(json_at(doc, i), g);
}

const struct reader reader_jmh = {
	.name = "jmh",
	.help = "JSON of JMH (-rf json): a sample for each fork, by benchmark and parameters",
	.json_is = is_jmh,
	.json_read = read_jmh,
};
