/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asv, results/MACHINE/COMMIT-ENVIRONMENT.json (version 2 of the format, asv 0.5 and later): {"commit_hash": ..., "result_columns": ["result", "params", ...,
 * "samples", ...], "results": {"bench.time_x": [[0.1, 0.2], [["10", "20"]], ...]}}. In version 1 there are no columns, and a result is a number or an object
 * of `result`, `params` and `samples`.
 *
 * A row's trailing columns may be missing. `result` has a value for each combination of the parameters, the last one running fastest; `samples` may
 * have a list for each, which is taken where it is there. A combination that failed or was skipped is null or NaN: a note. What
 * the numbers are is only in another file (benchmarks.json), but asv itself goes by the beginning of a function's name: time_, mem_, peakmem_, track_.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

#include <string.h>

static bool is_asv(const struct json *doc)
{
	return json_kind(json_member(doc, "results")) == JSON_IS_OBJECT &&
	       (json_kind(json_member(doc, "result_columns")) == JSON_IS_ARRAY ||
		(json_to_text(doc, "commit_hash") && json_member(doc, "version")));
}

static const struct json *column(const struct json *doc, const struct json *row, const char *name)
{
	const struct json *names = json_member(doc, "result_columns");

	for (size_t i = 0; i < json_count(names); i++) {
		const char *text = json_to_text(json_at(names, i), NULL);

		if (text && !strcmp(text, name))
			return json_at(row, i);
	}
	return NULL;
}

static const struct gather_metric *kind_of(const char *name)
{
	static const struct gather_metric kinds[] = {
		{ "time", "s", BETTER_LOWER, false },
		{ "memory", "B", BETTER_LOWER, false },
		{ "value", "", BETTER_UNKNOWN, false },
	};
	const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;

	return starts_with(last, "time")				    ? &kinds[0]
	       : starts_with(last, "mem_") || starts_with(last, "peakmem_") ? &kinds[1]
									    : &kinds[2];
}

/* "bench.time_x(10, 'a')": combination i of the parameters. */
static char *name_of(const char *name, const struct json *params, size_t i)
{
	AUTO(str) struct str s = STR_INIT;
	size_t n = json_count(params), at[8] = { 0 };

	if (!n || n > ARRAY_LEN(at))
		return n ? xasprintf("%s(%zu)", name, i) : xstrdup(name);
	for (size_t k = n; k-- > 0;) {
		size_t values = json_count(json_at(params, k));

		at[k] = values ? i % values : 0;
		i = values ? i / values : i;
	}
	str_puts(&s, name);
	for (size_t k = 0; k < n; k++) {
		const char *text = json_to_text(json_at(json_at(params, k), at[k]), NULL);

		str_addf(&s, "%s%s", k ? ", " : "(", text ? text : "?");
	}
	str_putc(&s, ')');
	return str_take(&s);
}

static void read_row(const struct json *doc, const char *name, const struct json *row,
		     struct gather *g)
{
	/* version 1 has names in the place of columns */
	bool is_object = json_kind(row) == JSON_IS_OBJECT;
	const struct json *results =
		is_object ? json_member(row, "result") : column(doc, row, "result");
	const struct json *params =
		is_object ? json_member(row, "params") : column(doc, row, "params");
	const struct json *samples =
		is_object ? json_member(row, "samples") : column(doc, row, "samples");
	const struct gather_metric *m = kind_of(name);

	if (json_kind(row) == JSON_IS_INT || json_kind(row) == JSON_IS_REAL) {
		jsonvalue_bench(g, name);
		jsonvalue_take(g, m, row, NULL);
		return;
	}
	if (json_kind(results) != JSON_IS_ARRAY) {
		gather_note(g, "%s has no result", name);
		return;
	}
	for (size_t i = 0; i < json_count(results); i++) {
		AUTO_FREE char *full = name_of(name, params, i);

		jsonvalue_bench(g, full);
		if (!jsonvalue_take_list(g, m, json_at(samples, i), NULL) &&
		    !jsonvalue_take(g, m, json_at(results, i), NULL))
			gather_note(g, "%s has no result: it failed or was skipped", full);
	}
}

static void read_asv(const struct json *doc, struct gather *g)
{
	const struct json *results = json_member(doc, "results"), *row;
	const char *name;
	void *iter = NULL;

	while ((row = json_next(results, &iter, &name)) && !gather_has_problem(g))
		read_row(doc, name, row, g);
}

const struct reader reader_asv = {
	.name = "asv",
	.help = "JSON of asv (a file of its results): every sample, by benchmark and parameters",
	.json_is = is_asv,
	.json_read = read_asv,
};
