/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One judgement for the exit status and all forms. A metric's case fails if the gate fails by it; an undecided one is "skipped" in JUnit, whose readers
 * have no third colour, unless the gate fails by it.
 */
#include "report/gate.h"

#include "report/answer.h"
#include "text/escape.h"
#include "text/json.h"

#include <string.h>

const char *gate_verdict_name(enum gate_verdict v)
{
	static const char *const names[] = { "pass", "fail", "undecided", "broken" };

	return names[v];
}

static bool is(const struct json *row, const char *verdict)
{
	return !strcmp(answer_str(row, "verdict"), verdict);
}

static bool fails_on_undecided(const struct json *a)
{
	return !strcmp(answer_str(a, "fail_on"), "undecided");
}

static enum gate_verdict judge_row(const struct json *a, const struct json *row)
{
	if (is(row, "slower"))
		return GATE_FAIL;
	if (is(row, "undecided"))
		return fails_on_undecided(a) ? GATE_FAIL : GATE_UNDECIDED;
	return GATE_PASS;
}

const struct json *gate_next_row(const struct json *benchmark, size_t *at)
{
	const struct json *rows = json_get(benchmark, "comparison.metrics");

	while (*at < json_count(rows)) {
		const struct json *row = json_at(rows, (*at)++);

		if (answer_flag(row, "primary"))
			return row;
	}
	return NULL;
}

static enum gate_verdict judge_benchmark(const struct json *a, const struct json *benchmark)
{
	bool undecided = false;
	const struct json *row;
	size_t at = 0;

	if (*answer_str(benchmark, "error"))
		return GATE_BROKEN;
	while ((row = gate_next_row(benchmark, &at))) {
		if (judge_row(a, row) == GATE_FAIL)
			return GATE_FAIL;
		undecided |= judge_row(a, row) == GATE_UNDECIDED;
	}
	return undecided ? GATE_UNDECIDED : GATE_PASS;
}

enum gate_verdict gate_judge(const struct json *a)
{
	const struct json *list = json_get(a, "benchmarks");
	enum gate_verdict sum = GATE_PASS;

	for (size_t i = 0; i < json_count(list); i++) {
		enum gate_verdict v = judge_benchmark(a, json_at(list, i));

		if (v == GATE_FAIL)
			return v;
		sum = v > sum ? v : sum;
	}
	return sum;
}

/* --- Markdown ---------------------------------------------------------------------------------------------------------- */

static void md_cell(struct str *out, const char *text)
{
	str_puts(out, "| ");
	escape_markdown(out, text);
	str_putc(out, ' ');
}

static void md_row(const struct json *benchmark, const struct json *row, struct str *out)
{
	AUTO(str)
	struct str base = STR_INIT, head = STR_INIT, change = STR_INIT, verdict = STR_INIT;
	double ends[] = { answer_number(row, "baseline_median"), answer_number(row, "median") };

	answer_value(ends[0], answer_scale(ends, 2), answer_str(row, "unit"), &base);
	answer_value(ends[1], answer_scale(ends, 2), answer_str(row, "unit"), &head);
	answer_change(row, &change);
	answer_verdict(row, &verdict);
	md_cell(out, answer_str(benchmark, "name"));
	md_cell(out, answer_str(row, "metric"));
	md_cell(out, base.p);
	md_cell(out, head.p);
	md_cell(out, change.p);
	md_cell(out, verdict.p);
	str_puts(out, "|\n");
}

/* The rows with or without trouble; 0 if there is none, and then no table. */
static size_t md_table(const struct json *a, bool trouble, struct str *out)
{
	const struct json *list = json_get(a, "benchmarks"), *row;
	size_t n = 0;

	for (size_t i = 0; i < json_count(list); i++) {
		size_t at = 0;

		while ((row = gate_next_row(json_at(list, i), &at))) {
			if ((judge_row(a, row) != GATE_PASS) != trouble)
				continue;
			if (!n++)
				str_puts(out,
					 "| benchmark | metric | base | head | change | verdict |\n"
					 "|---|---|---:|---:|---|---|\n");
			md_row(json_at(list, i), row, out);
		}
	}
	return n;
}

void gate_markdown(const struct json *a, struct str *out)
{
	static const char *const says[] = { "no metric got worse", "performance got worse",
					    "performance is undecided",
					    "a benchmark could not be compared" };
	const struct json *list = json_get(a, "benchmarks");
	AUTO(str) struct str rest = STR_INIT;
	enum gate_verdict v = gate_judge(a);

	str_addf(out, "### culprit: %s\n\n", says[v]);
	escape_markdown(out, answer_str(a, "base"));
	str_puts(out, " → ");
	escape_markdown(out, answer_str(a, "head"));
	str_puts(out, "\n\n");
	if (md_table(a, true, out))
		str_putc(out, '\n');
	for (size_t i = 0; i < json_count(list); i++)
		if (*answer_str(json_at(list, i), "error")) {
			str_puts(out, "- ");
			escape_markdown(out, answer_str(json_at(list, i), "name"));
			str_puts(out, ": ");
			escape_markdown(out, answer_str(json_at(list, i), "error"));
			str_puts(out, "\n\n");
		}
	size_t n = md_table(a, false, &rest);

	if (n)
		str_addf(out,
			 "<details><summary>%zu metric%s not worse</summary>\n\n%s\n</details>\n\n",
			 n, n == 1 ? "" : "s", rest.p);
}

/* --- JUnit --------------------------------------------------------------------------------------------------------------- */

/* Its attributes and texts are escaped as HTML's are. */
static void xml_attribute(struct str *out, const char *name, const char *value)
{
	str_addf(out, " %s=\"", name);
	escape_html(out, value);
	str_putc(out, '"');
}

static void junit_case(const struct json *a, const struct json *benchmark, const struct json *row,
		       struct str *out)
{
	AUTO(str) struct str text = STR_INIT;
	enum gate_verdict v = judge_row(a, row);

	answer_change(row, &text);
	str_puts(&text, ": ");
	answer_verdict(row, &text);
	str_puts(out, "    <testcase");
	xml_attribute(out, "classname", answer_str(benchmark, "name"));
	xml_attribute(out, "name", answer_str(row, "metric"));
	if (v == GATE_PASS) {
		str_puts(out, "/>\n");
		return;
	}
	str_addf(out, ">\n      <%s", v == GATE_FAIL ? "failure" : "skipped");
	xml_attribute(out, "message", text.p);
	str_puts(out, "/>\n    </testcase>\n");
}

static void junit_suite(const struct json *a, const struct json *benchmark, struct str *out)
{
	const char *error = answer_str(benchmark, "error");
	AUTO(str) struct str cases = STR_INIT;
	unsigned n = 0, failed = 0, skipped = 0;
	const struct json *row;
	size_t at = 0;

	while ((row = gate_next_row(benchmark, &at))) {
		enum gate_verdict v = judge_row(a, row);

		n++;
		failed += v == GATE_FAIL;
		skipped += v == GATE_UNDECIDED;
		junit_case(a, benchmark, row, &cases);
	}
	str_puts(out, "  <testsuite");
	xml_attribute(out, "name", answer_str(benchmark, "name"));
	str_addf(out, " tests=\"%u\" failures=\"%u\" errors=\"%d\" skipped=\"%u\"",
		 n + (*error != 0), failed, *error != 0, skipped);
	if (answer_number(benchmark, "comparison.seconds") >= 0)
		str_addf(out, " time=\"%.1f\"", answer_number(benchmark, "comparison.seconds"));
	str_puts(out, ">\n");
	if (cases.n)
		str_add(out, cases.p, cases.n);
	if (*error) {
		str_puts(out, "    <testcase");
		xml_attribute(out, "classname", answer_str(benchmark, "name"));
		xml_attribute(out, "name", "comparison");
		str_puts(out, ">\n      <error");
		xml_attribute(out, "message", error);
		str_puts(out, "/>\n    </testcase>\n");
	}
	str_puts(out, "  </testsuite>\n");
}

void gate_junit(const struct json *a, struct str *out)
{
	const struct json *list = json_get(a, "benchmarks");

	str_puts(out,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"culprit\">\n");
	for (size_t i = 0; i < json_count(list); i++)
		junit_suite(a, json_at(list, i), out);
	str_puts(out, "</testsuites>\n");
}
