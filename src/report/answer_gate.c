/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A gate's answer on the terminal: each benchmark's table, then one word.
 */
#include "report/answer.h"

#include "report/gate.h"
#include "text/json.h"
#include "text/table.h"

#include <string.h>

static enum text_style colour_of(const char *verdict)
{
	return !strcmp(verdict, "slower")      ? TEXT_BAD
	       : !strcmp(verdict, "faster")    ? TEXT_GOOD
	       : !strcmp(verdict, "undecided") ? TEXT_WARN
					       : TEXT_PLAIN;
}

/* The primary metrics: what was measured beside them is no matter of a gate, and is in the journal. */
static void put_row(struct table *t, const struct json *benchmark, const struct json *row)
{
	double ends[] = { answer_number(row, "baseline_median"), answer_number(row, "median") };
	AUTO(str) struct str change = STR_INIT, verdict = STR_INIT;

	table_cell(t, TEXT_PLAIN, "%s", answer_str(benchmark, "name"));
	table_cell(t, TEXT_BOLD, "%s", answer_str(row, "metric"));
	for (size_t k = 0; k < 2; k++) {
		AUTO(str) struct str cell = STR_INIT;

		answer_value(ends[k], answer_scale(ends, 2), answer_str(row, "unit"), &cell);
		table_cell(t, TEXT_PLAIN, "%s", cell.p);
	}
	answer_change(row, &change);
	answer_verdict(row, &verdict);
	table_cell(t, TEXT_PLAIN, "%s", change.p);
	table_cell(t, colour_of(answer_str(row, "verdict")), "%s", verdict.p);
}

static void put_table(const struct json *a, const struct answer_style *style, struct str *out)
{
	static const char *const heads[] = { "benchmark", "metric", "base",
					     "head",	  "change", "verdict" };
	const struct json *list = json_get(a, "benchmarks"), *row;
	AUTO(table) struct table t = TABLE_INIT;
	bool any = false;

	t.indent = 1;
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		table_column(&t, heads[i], i == 2 || i == 3 ? TABLE_RIGHT : TABLE_LEFT);
	for (size_t i = 0; i < json_count(list); i++) {
		size_t at = 0;

		while ((row = gate_next_row(json_at(list, i), &at))) {
			put_row(&t, json_at(list, i), row);
			any = true;
		}
	}
	if (!any)
		return;
	table_put(&t, style->width, style->color, out);
	str_putc(out, '\n');
}

/* What was not run because it cannot differ, what cannot be compared, and where the samples are. */
static void put_benchmark(const struct json *b, struct str *out)
{
	const struct json *c = json_get(b, "comparison");

	answer_label(out, answer_str(b, "name"));
	if (*answer_str(b, "error"))
		str_addf(out, "%s\n", answer_str(b, "error"));
	else if (answer_flag(c, "identical_artefacts"))
		str_puts(out, "identical: both build to the same artefacts, byte for byte\n");
	else
		str_addf(out, "%lld runs; every sample is in hunt %lld: culprit show %lld\n",
			 answer_int(c, "runs"), answer_int(c, "hunt"), answer_int(c, "hunt"));
}

void answer_gate(const struct json *a, const struct answer_style *style, struct str *out)
{
	static const char *const says[] = {
		"pass: no metric got worse", "fail: performance got worse",
		"undecided: not all metrics are shown not to have got worse",
		"broken: a benchmark could not be compared"
	};
	static const enum text_style colours[] = { TEXT_GOOD, TEXT_BAD, TEXT_WARN, TEXT_BAD };
	const struct json *list = json_get(a, "benchmarks");
	enum gate_verdict v = gate_judge(a);

	put_table(a, style, out);
	for (size_t i = 0; i < json_count(list); i++)
		put_benchmark(json_at(list, i), out);
	answer_label(out, "gate");
	text_put(out, colours[v], style->color, says[v]);
	str_putc(out, '\n');
}
