/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hyperfine --export-json (1.8 and later): {"results": [{"command": "./a", "times": [...], "user": ..., "exit_codes": [...]}]}.
 *
 * `times` are the runs, in seconds; where --export-json was given without them (an older one) the mean is one sample. user and system are means of all
 * runs, so they are one sample each. With -L the parameter is a part of the command. A run that failed under --ignore-failure is no time.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

#include <string.h>

static bool is_hyperfine(const struct json *doc)
{
	const struct json *first = json_get(doc, "results[0]");

	return json_kind(json_member(doc, "results")) == JSON_IS_ARRAY &&
	       (!json_count(json_member(doc, "results")) ||
		(json_to_text(first, "command") && json_member(first, "mean")));
}

/* Only the times of runs that ended well; false if there is none of a kind that says so. */
static bool take_good(struct gather *g, const struct gather_metric *m, const struct json *result)
{
	const struct json *times = json_member(result, "times"),
			  *codes = json_member(result, "exit_codes");
	size_t good = 0;

	for (size_t i = 0; i < json_count(times); i++) {
		const struct json *code = json_at(codes, i);
		int64_t status = 0;

		/* null: ended by a signal */
		if (code && (!json_to_int(code, NULL, &status) || status))
			continue;
		good += jsonvalue_take(g, m, json_at(times, i), NULL);
	}
	return good > 0;
}

static void read_result(const struct json *result, struct gather *g)
{
	static const struct gather_metric time = { "time", "s", BETTER_LOWER, false };
	static const struct gather_metric user = { "user", "s", BETTER_LOWER, true };
	static const struct gather_metric system = { "system", "s", BETTER_LOWER, true };
	static const struct gather_metric memory = { "max-rss", "B", BETTER_LOWER, true };
	const char *command = json_to_text(result, "command");

	jsonvalue_bench(g, command);
	if (json_count(json_member(result, "times"))) {
		if (!take_good(g, &time, result)) {
			gather_problem(g, "time", 4, "every run of '%.100s' failed", command);
			return;
		}
	} else {
		jsonvalue_take(g, &time, result, "mean");
	}
	jsonvalue_take(g, &user, result, "user");
	jsonvalue_take(g, &system, result, "system");
	jsonvalue_take_list(g, &memory, result, "memory_usage_byte");
}

static void read_hyperfine(const struct json *doc, struct gather *g)
{
	const struct json *results = json_member(doc, "results");

	if (!json_count(results))
		gather_problem(g, NULL, 0, "its list of results is empty");
	for (size_t i = 0; i < json_count(results); i++)
		read_result(json_at(results, i), g);
}

const struct reader reader_hyperfine = {
	.name = "hyperfine",
	.help = "JSON of hyperfine (--export-json): the time of every run, by command",
	.json_is = is_hyperfine,
	.json_read = read_hyperfine,
};
