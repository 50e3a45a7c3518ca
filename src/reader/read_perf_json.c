/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf stat -j (5.17 and later): an object a line, {"counter-value" : "49.000000", "unit" : "", "event" : "page-faults", "event-runtime" : 312292,
 * "pcnt-running" : 100.00, ...}; with -a -A and the like "cpu", "core", "socket", "node", "die" or "thread" before it; with -I "interval".
 *
 * The value is a text. <not supported> and <not counted> are no zero, and what was counted for a part of the time is a guess of perf's: each is a
 * note. With -r the value is the mean of the runs, whose spread cannot be had from it: one sample.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"
#include "reader/perfevent.h"
#include "reader/scan.h"

#include <string.h>

static bool is_perf_json(const struct json *doc)
{
	return json_member(doc, "counter-value") && json_member(doc, "event");
}

static const char *place_of(const struct json *doc)
{
	static const char *const keys[] = { "cpu", "core", "die", "socket", "node", "thread" };
	const char *text = NULL;

	for (size_t i = 0; i < ARRAY_LEN(keys) && !text; i++)
		text = json_to_text(doc, keys[i]);
	return text;
}

static void read_perf_json(const struct json *doc, struct gather *g)
{
	const char *text = json_to_text(doc, "counter-value"), *event = json_to_text(doc, "event");
	const char *unit = json_to_text(doc, "unit"), *behind = text;
	double value, resolution, running = 100;

	if (!text || !event) {
		gather_problem(g, NULL, 0, "a counter without a value or a name");
		return;
	}
	const struct gather_metric m = { event,
					 unit && !strcmp(unit, "msec") ? "ms"
					 : unit			       ? unit
								       : "",
					 BETTER_LOWER, !perfevent_is_main(event) };

	if (*text == '<') {
		gather_note(g, "%s: no number, %s", event, text);
		return;
	}
	if (json_to_number(doc, "pcnt-running", &running) && running < 100) {
		gather_note(g,
			    "%s: no number, counted for a part of the time, ask for fewer at once",
			    event);
		return;
	}
	if (scan_value(text, text + strlen(text), &behind, &value, &resolution) != SCAN_VALUE ||
	    *behind) {
		gather_problem(g, event, strlen(event),
			       "the value of '%.80s' is no number: '%.60s'", event, text);
		return;
	}
	jsonvalue_bench(g, place_of(doc));
	/* counts are printed with six zeros behind them */
	gather_value(g, &m, value, *m.unit ? resolution : 1);
}

const struct reader reader_perf_json = {
	.name = "perf-stat-json",
	.help = "JSON of perf stat -j: counters; what was not counted is said, not taken for zero",
	.json_is = is_perf_json,
	.json_read = read_perf_json,
};
