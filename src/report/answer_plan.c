/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/answer.h"

#include "base/num.h"
#include "text/json.h"
#include "text/table.h"

#include <math.h>
#include <string.h>

/* What it will take on the disk: builds are kept, up to the cache's ceiling. */
static void put_disk(const struct json *a, const struct json *cases, struct str *out)
{
	long long tree = answer_int(a, "tree_bytes"), room = answer_int(a, "disk_free");
	long long most = 0;

	for (size_t i = 0; i < json_count(cases); i++) {
		long long builds = llround(answer_number(json_at(cases, i), "builds"));

		most = builds > most ? builds : most;
	}
	if (tree <= 0)
		return;
	str_puts(out, " disk: ");
	num_put_size(out, tree);
	str_addf(out, " or more a build, up to %lld of them: ", most);
	num_put_size(out, tree * most);
	str_puts(out, "; kept builds take ");
	num_put_size(out, answer_int(a, "cache_bytes"));
	str_puts(out, " of ");
	num_put_size(out, answer_int(a, "cache_max"));
	str_puts(out, " (project.cache), ");
	num_put_size(out, room);
	str_puts(out, " are free\n");
	if (room >= 0 && tree * most > room)
		str_puts(
			out,
			" There is not enough room: 'culprit clean', or --store on another disk.\n");
}

static void put_cases(const struct json *a, const struct answer_style *style, struct str *out)
{
	AUTO(table) struct table t = TABLE_INIT;
	const struct json *cases = json_get(a, "cases");
	bool priced = isfinite(answer_number(a, "build_seconds")) &&
		      isfinite(answer_number(a, "run_seconds"));

	if (!strcmp(answer_str(a, "for"), "bisect"))
		str_addf(out, "%s .. %s   %lld commits; what a search would take:\n\n",
			 answer_str(a, "old"), answer_str(a, "new"), answer_int(a, "candidates"));
	else
		str_addf(out, "%lld sides; what the comparison would take:\n\n",
			 answer_int(a, "sides"));
	t.indent = 1;
	table_column(&t, "if it is", TABLE_LEFT);
	table_column(&t, "builds", TABLE_RIGHT);
	table_column(&t, "runs", TABLE_RIGHT);
	table_column(&t, "time", TABLE_RIGHT);
	for (size_t i = 0; i < json_count(cases); i++) {
		const struct json *c = json_at(cases, i);
		AUTO(str) struct str time = STR_INIT;

		if (priced)
			answer_duration(c, &time);
		else
			str_puts(&time, "?");
		table_cell(&t, TEXT_PLAIN, "%s", answer_str(c, "label"));
		table_cell(&t, TEXT_PLAIN, "%.0f", answer_number(c, "builds"));
		table_cell(&t, TEXT_PLAIN, "%.0f", answer_number(c, "runs"));
		table_cell(&t, TEXT_PLAIN, "%s", time.p);
	}
	table_put(&t, style->width, style->color, out);
}

static void put_prices(const struct json *a, struct str *out)
{
	bool priced = isfinite(answer_number(a, "build_seconds")) &&
		      isfinite(answer_number(a, "run_seconds"));

	if (priced) {
		AUTO(str) struct str b = STR_INIT;
		AUTO(str) struct str r = STR_INIT;

		num_put_duration(&b, (int64_t)(answer_number(a, "build_seconds") * 1e9));
		num_put_duration(&r, (int64_t)(answer_number(a, "run_seconds") * 1e9));
		str_addf(out, "\n at %s a build and %s a run, as measured in this store before\n",
			 b.p, r.p);
	} else {
		str_puts(
			out,
			"\n What a build and a run cost is not known here yet: nothing was measured in this store.\n"
			" 'culprit run REV -n 2' with the same --build and --bench tells.\n");
	}
	put_disk(a, json_get(a, "cases"), out);
	str_puts(out, " Nothing was built or run.\n");
}

/* Of each kind of stage one, and how often there is one. */
static void put_hunt(const struct json *a, const struct answer_style *style, struct str *out)
{
	long long benchmarks = answer_int(a, "benchmarks");

	if (benchmarks > 1)
		str_addf(out, " The ends, with each of %lld benchmarks: ", benchmarks);
	else
		str_puts(out, " The ends: ");
	put_cases(json_get(a, "ends"), style, out);
	str_puts(out,
		 "\n For each metric that got worse, unless an earlier culprit explains it too: ");
	put_cases(json_get(a, "search"), style, out);
	str_puts(
		out,
		"\n For each culprit: BAD without it beside GOOD and BAD, about half as much again as the ends;\n"
		" then it and its parent, five runs each.\n");
	put_prices(json_get(a, "search"), out);
}

/* A gate's: a comparison for each benchmark. */
static void put_gate(const struct json *a, const struct answer_style *style, struct str *out)
{
	const struct json *list = json_get(a, "benchmarks");

	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *b = json_at(list, i);

		str_addf(out, "%s %s: ", i ? "\n" : "", answer_str(b, "name"));
		if (json_get(b, "comparison"))
			put_cases(json_get(b, "comparison"), style, out);
		else
			str_addf(out, "%s\n", answer_str(b, "error"));
	}
	put_prices(json_get(json_at(list, 0), "comparison"), out);
}

void answer_plan(const struct json *a, const struct answer_style *style, struct str *out)
{
	if (!strcmp(answer_str(a, "for"), "hunt")) {
		put_hunt(a, style, out);
		return;
	}
	if (!strcmp(answer_str(a, "for"), "gate")) {
		put_gate(a, style, out);
		return;
	}
	put_cases(a, style, out);
	put_prices(a, out);
}
