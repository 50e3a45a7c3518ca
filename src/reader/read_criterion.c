/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * criterion.rs writes three forms:
 * - target/criterion/NAME/new/sample.json: {"sampling_mode": "Linear", "iters": [1, 2, ...], "times": [ns, ns, ...]}: each time over its iterations is
 *   a sample;
 * - .../estimates.json: {"mean": {"point_estimate": ns, ...}, "slope": null, ...}: one sample, the slope where there is one, else the mean;
 * - cargo criterion --message-format=json: an object a line, {"reason": "benchmark-complete", "id": ..., "measured_values": [...], "iteration_count":
 *   [...], "unit": "ns"}: as the first, with the benchmark's name. The files have none.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

#include <string.h>

static const struct gather_metric nanoseconds = { "time", "ns", BETTER_LOWER, false };

static bool is_message(const struct json *doc)
{
	return json_to_text(doc, "reason") &&
	       (json_member(doc, "iteration_count") || json_member(doc, "group_name"));
}

static bool is_criterion(const struct json *doc)
{
	return (json_member(doc, "iters") && json_member(doc, "times")) ||
	       (json_get(doc, "mean.point_estimate") && json_get(doc, "median.point_estimate")) ||
	       is_message(doc);
}

static void take_samples(struct gather *g, const struct gather_metric *m, const struct json *times,
			 const struct json *iterations)
{
	if (!json_count(times) || json_count(times) != json_count(iterations)) {
		gather_problem(g, m->name, strlen(m->name),
			       "it has %zu times and %zu counts of iterations", json_count(times),
			       json_count(iterations));
		return;
	}
	for (size_t i = 0; i < json_count(times); i++) {
		double time, n;

		if (!json_to_number(json_at(times, i), NULL, &time) ||
		    !json_to_number(json_at(iterations, i), NULL, &n) || !(n > 0)) {
			gather_problem(g, m->name, strlen(m->name),
				       "the time or the iterations of sample %zu are no number",
				       i + 1);
			return;
		}
		gather_value(g, m, time / n, 0);
	}
}

static void read_message(const struct json *doc, struct gather *g)
{
	const char *unit = json_to_text(doc, "unit");
	const struct gather_metric m = { "time", unit ? unit : "ns", BETTER_LOWER, false };

	if (strcmp(json_to_text(doc, "reason"), "benchmark-complete") != 0)
		return;
	jsonvalue_bench(g, json_to_text(doc, "id"));
	take_samples(g, &m, json_member(doc, "measured_values"),
		     json_member(doc, "iteration_count"));
}

static void read_criterion(const struct json *doc, struct gather *g)
{
	if (is_message(doc))
		read_message(doc, g);
	else if (json_member(doc, "times"))
		take_samples(g, &nanoseconds, json_member(doc, "times"), json_member(doc, "iters"));
	else if (!jsonvalue_take(g, &nanoseconds, doc, "slope.point_estimate"))
		jsonvalue_take(g, &nanoseconds, doc, "mean.point_estimate");
}

const struct reader reader_criterion = {
	.name = "criterion",
	.help = "JSON of criterion.rs: sample.json, estimates.json, or of cargo criterion --message-format=json",
	.json_is = is_criterion,
	.json_read = read_criterion,
};
