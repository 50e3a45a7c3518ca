/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of comparisons and of runs. Primary metrics first: they made the verdict; the others are measured beside them and
 * say so, because with twenty of them one in twenty would differ by luck alone: Benjamini and Hochberg say which are
 * worth a look.
 */
#include "report/answer.h"

#include "base/num.h"
#include "text/json.h"
#include "text/table.h"

#include <math.h>
#include <string.h>

static enum text_style style_of(const struct json *row)
{
	const char *v = answer_str(row, "verdict");

	return !strcmp(v, "slower")	 ? TEXT_BAD
	       : !strcmp(v, "faster")	 ? TEXT_GOOD
	       : !strcmp(v, "undecided") ? TEXT_WARN
					 : TEXT_PLAIN;
}

/* A difference beside the primary metrics that the false-discovery rate does not list. */
static bool is_as_likely_luck(const struct json *row)
{
	const char *v = answer_str(row, "verdict");

	return json_get(row, "listed") && !answer_flag(row, "listed") &&
	       (!strcmp(v, "slower") || !strcmp(v, "faster"));
}

/* A count of the emulator is exact: all of its digits. */
static void put_value(const struct json *row, double value, double scale_by, struct str *out)
{
	if (strcmp(answer_str(row, "evidence"), "emulated") || *answer_str(row, "unit") ||
	    value != floor(value))
		answer_value(value, scale_by, answer_str(row, "unit"), out);
	else
		answer_count(value, out);
}

static void put_metric_row(struct table *t, const struct json *row, bool emulated)
{
	AUTO(str) struct str a = STR_INIT;
	AUTO(str) struct str b = STR_INIT;
	AUTO(str) struct str change = STR_INIT;
	AUTO(str) struct str verdict = STR_INIT;
	double median[2] = { answer_number(row, "baseline_median"), answer_number(row, "median") };
	double scale = answer_scale(median, 2);
	bool primary = answer_flag(row, "primary");

	put_value(row, median[0], scale, &a);
	put_value(row, median[1], scale, &b);
	answer_change(row, &change);
	answer_verdict(row, &verdict);
	table_cell(t, primary ? TEXT_BOLD : TEXT_PLAIN, "%s%s", answer_str(row, "metric"),
		   emulated && !strcmp(answer_str(row, "evidence"), "model") ? " (model)" : "");
	table_cell(t, TEXT_PLAIN, "%s", a.p);
	table_cell(t, TEXT_PLAIN, "%s", b.p);
	table_cell(t, TEXT_PLAIN, "%s", change.p);
	table_cell(t, primary ? style_of(row) : TEXT_PLAIN, is_as_likely_luck(row) ? "(%s)" : "%s",
		   verdict.p);
	table_cell(t, TEXT_DIM, "%lld + %lld", answer_int(row, "n[0]"), answer_int(row, "n[1]"));
}

static void put_variant(const struct json *answer, size_t side, const struct answer_style *style,
			struct str *out)
{
	AUTO_FREE char *path = xasprintf("variants[%zu]", side);
	const char *variant = answer_str(answer, path);
	char a[13], b[13];
	AUTO(table) struct table t = TABLE_INIT;
	const struct json *metrics = json_get(answer, "metrics");
	bool also = false, emulated = answer_is_emulated(metrics);

	t.indent = 1;
	table_column(&t, "metric", TABLE_LEFT);
	table_column(&t, answer_variant(answer, "variants[0]", a), TABLE_RIGHT | TABLE_SHRINK);
	table_column(&t, answer_variant(answer, path, b), TABLE_RIGHT | TABLE_SHRINK);
	table_column(&t, "change", TABLE_LEFT);
	table_column(&t, "verdict", TABLE_LEFT);
	table_column(&t, "runs", TABLE_LEFT);
	for (size_t i = 0; i < json_count(metrics); i++) {
		const struct json *row = json_at(metrics, i);

		if (strcmp(answer_str(row, "variant"), variant))
			continue;
		if (!answer_flag(row, "primary") && !also) {
			also = true;
			table_section(
				&t,
				"beside it, exploratory: up to %g %% of those called different are so by luck (in brackets: more)",
				100 * (1 - answer_number(answer, "level")));
		}
		put_metric_row(&t, row, emulated);
	}
	table_put(&t, style->width, style->color, out);
}

static bool has_warning(const struct json *row, const char *text)
{
	const struct json *list = json_get(row, "warnings");

	for (size_t i = 0; i < json_count(list); i++)
		if (!strcmp(answer_str(json_at(list, i), NULL), text))
			return answer_flag(row, "primary");
	return false;
}

/* Once for all metrics that it is said of. */
static void put_warning(const struct json *metrics, size_t at, const char *text, struct str *out)
{
	const struct json *row = json_at(metrics, at);
	char scratch[13];
	size_t more = 0;

	for (size_t i = 0; i < at; i++)
		if (has_warning(json_at(metrics, i), text))
			return;
	for (size_t i = at + 1; i < json_count(metrics); i++)
		more += has_warning(json_at(metrics, i), text);
	if (more)
		str_addf(out, " note: %s, and %zu more: %s\n", answer_str(row, "metric"), more,
			 text);
	else
		str_addf(out, " note: %s %s: %s\n", answer_variant(row, "variant", scratch),
			 answer_str(row, "metric"), text);
}

static void put_warnings(const struct json *answer, struct str *out)
{
	const struct json *metrics = json_get(answer, "metrics");

	for (size_t i = 0; i < json_count(metrics); i++) {
		const struct json *row = json_at(metrics, i), *list = json_get(row, "warnings");

		for (size_t k = 0; answer_flag(row, "primary") && k < json_count(list); k++)
			put_warning(metrics, i, answer_str(json_at(list, k), NULL), out);
	}
}

/* Runs that were left out, which a reader of the table cannot see. */
static void put_failures(const struct json *answer, struct str *out)
{
	const struct json *failed = json_get(answer, "failed_runs"),
			  *why = json_get(answer, "last_failures");
	const struct json *variants = json_get(answer, "variants");

	for (size_t i = 0; i < json_count(failed); i++) {
		long long n = answer_int(json_at(failed, i), NULL);

		if (n > 0)
			str_addf(out,
				 " note: %lld run%s of %s failed and %s left out, the last: %s\n",
				 n, n == 1 ? "" : "s", answer_str(json_at(variants, i), NULL),
				 n == 1 ? "is" : "are", answer_str(json_at(why, i), NULL));
	}
}

static void put_remarks(const struct json *answer, struct str *out)
{
	const struct json *list = json_get(answer, "remarks");

	for (size_t i = 0; i < json_count(list); i++)
		str_addf(out, " note: %s\n", answer_str(json_at(list, i), NULL));
}

void answer_notes(const struct json *answer, struct str *out)
{
	put_warnings(answer, out);
	put_failures(answer, out);
	answer_evidence(answer, json_get(answer, "metrics"), out);
}

/* What has no unit is a count; of an even number of runs its median may be no whole one. */
static void put_counted(const struct json *row, double value, double scale_by, struct str *out)
{
	if (*answer_str(row, "unit"))
		answer_value(value, scale_by, answer_str(row, "unit"), out);
	else
		answer_count(value, out);
}

enum counter_kind { COUNTERS_PRIMARY, COUNTERS_BESIDE, COUNTERS_MODEL };

static bool is_of_kind(const struct json *row, enum counter_kind kind)
{
	bool is_model = !strcmp(answer_str(row, "evidence"), "model");

	return kind == (answer_flag(row, "primary") ? COUNTERS_PRIMARY
			: is_model		    ? COUNTERS_MODEL
						    : COUNTERS_BESIDE);
}

/* The rows of one kind, under a title if there are any. */
static void put_counters(struct table *t, const struct json *metrics, enum counter_kind kind,
			 const char *title)
{
	bool first = true;

	for (size_t i = 0; i < json_count(metrics); i++) {
		const struct json *row = json_at(metrics, i);
		double base = answer_number(row, "baseline_median");
		AUTO(str) struct str a = STR_INIT, b = STR_INIT, change = STR_INIT;

		if (!is_of_kind(row, kind))
			continue;
		if (first && table_rows(t))
			table_section(t, "%s", "");
		if (first && title)
			table_section(t, "%s", title);
		first = false;
		put_counted(row, base, base, &a);
		put_counted(row, answer_number(row, "median"), base, &b);
		answer_change(row, &change);
		table_cell(t, kind == COUNTERS_PRIMARY ? TEXT_BOLD : TEXT_PLAIN, "%s",
			   answer_str(row, "metric"));
		table_cell(t, TEXT_PLAIN, "%s", a.p);
		table_cell(t, TEXT_PLAIN, "%s", b.p);
		table_cell(t, kind == COUNTERS_PRIMARY ? style_of(row) : TEXT_PLAIN,
			   is_as_likely_luck(row) ? "(%s)" : "%s", change.p);
	}
}

void answer_counters(const struct json *answer, const struct answer_style *style, struct str *out)
{
	const struct json *metrics = json_get(answer, "metrics");
	AUTO(table) struct table t = TABLE_INIT;

	t.indent = 1;
	table_column(&t, "counter", TABLE_LEFT | TABLE_SHRINK);
	table_column(&t, "A", TABLE_RIGHT);
	table_column(&t, "B", TABLE_RIGHT);
	table_column(&t, "change", TABLE_LEFT);
	put_counters(&t, metrics, COUNTERS_PRIMARY, NULL);
	put_counters(&t, metrics, COUNTERS_BESIDE, NULL);
	put_counters(&t, metrics, COUNTERS_MODEL,
		     answer_is_emulated(metrics) ? "model: caches that are computed, not measured"
						 : NULL);
	table_put(&t, style->width, style->color, out);
	str_putc(out, '\n');
	for (size_t i = 0; i < json_count(metrics); i++) {
		const struct json *row = json_at(metrics, i);
		AUTO(str) struct str verdict = STR_INIT;

		answer_verdict(row, &verdict);
		if (answer_flag(row, "primary"))
			str_addf(out, " %s: %s\n", answer_str(row, "metric"), verdict.p);
	}
}

void answer_samples(const struct json *answer, struct str *out)
{
	AUTO(str) struct str time = STR_INIT;
	long long hunt = answer_int(answer, "hunt");

	if (!hunt)
		return;
	answer_clock(answer, &time);
	str_addf(out, "\n %lld run%s in %s; every sample is in hunt %lld: culprit log %lld\n",
		 answer_int(answer, "runs"), answer_int(answer, "runs") == 1 ? "" : "s", time.p,
		 hunt, hunt);
	if (answer_flag(answer, "out_of_budget"))
		str_puts(
			out,
			" The budget is spent; the same command with a larger one, without --new, goes on from here.\n");
}

static bool one_build_each(const struct json *answer)
{
	const struct json *row = json_get(answer, "metrics[0]");
	const char *variant = answer_str(row, "variant");

	if (starts_with(variant, "deb=") || starts_with(variant, "image="))
		return false; /* nobody here can build them again */
	return answer_int(row, "builds[0]") == 1 && answer_int(row, "builds[1]") == 1;
}

static void put_metrics(const struct json *answer, const struct answer_style *style,
			struct str *out)
{
	const struct json *variants = json_get(answer, "variants");

	for (size_t i = 1; i < json_count(variants); i++) {
		if (i > 1)
			str_putc(out, '\n');
		put_variant(answer, i, style, out);
	}
}

/* Two sides that differ, in an emulator that can tell the functions apart. */
static void put_next(const struct json *answer, struct str *out)
{
	const struct json *metrics = json_get(answer, "metrics");

	if (json_count(json_get(answer, "variants")) != 2 || !answer_int(answer, "hunt"))
		return;
	for (size_t i = 0; i < json_count(metrics); i++) {
		const struct json *row = json_at(metrics, i);
		const char *v = answer_str(row, "verdict");

		if (!answer_flag(row, "primary") ||
		    strcmp(answer_str(row, "evidence"), "emulated") ||
		    (strcmp(v, "slower") && strcmp(v, "faster")))
			continue;
		str_addf(out, " Which functions: culprit explain %lld\n",
			 answer_int(answer, "hunt"));
		return;
	}
}

void answer_compare(const struct json *answer, const struct answer_style *style, struct str *out)
{
	AUTO(str) struct str text = STR_INIT;

	if (answer_flag(answer, "identical_artefacts")) {
		str_puts(
			out,
			" identical: the variants build to the same artefacts, byte for byte; nothing was run\n");
		return;
	}
	put_metrics(answer, style, out);
	answer_notes(answer, &text);
	put_remarks(answer, &text);
	if (one_build_each(answer))
		str_puts(
			&text,
			" One build of each: this is about these two binaries (--layouts 3 asks about the source).\n");
	answer_samples(answer, &text);
	put_next(answer, &text);
	answer_put_folded(text.p, style->width, out);
}

static void extremes(const struct json *values, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t k = 0; k < json_count(values); k++) {
		double x = answer_number(json_at(values, k), NULL);

		*low = fmin(*low, x);
		*high = fmax(*high, x);
	}
}

void answer_run(const struct json *answer, const struct answer_style *style, struct str *out)
{
	AUTO(table) struct table t = TABLE_INIT;
	AUTO(str) struct str text = STR_INIT;
	const struct json *measured = json_get(answer, "measured");
	bool emulated = answer_is_emulated(measured);
	const char *last = "";

	t.indent = 1;
	table_column(&t, "variant", TABLE_LEFT | TABLE_SHRINK);
	table_column(&t, "metric", TABLE_LEFT);
	table_column(&t, "median", TABLE_RIGHT);
	table_column(&t, "lowest", TABLE_RIGHT);
	table_column(&t, "highest", TABLE_RIGHT);
	table_column(&t, "runs", TABLE_RIGHT);
	for (size_t i = 0; i < json_count(measured); i++) {
		const struct json *row = json_at(measured, i);
		const char *variant = answer_str(row, "variant");
		double shown[3] = { answer_number(row, "median") };

		extremes(json_get(row, "values"), &shown[1], &shown[2]);
		/* a processor's clock that ticks: most runs zero, some not */
		double scale = answer_scale((double[]){ shown[0], shown[2], shown[1] }, 3);

		table_cell(&t, TEXT_PLAIN, "%s", strcmp(variant, last) ? variant : "");
		table_cell(&t, answer_flag(row, "primary") ? TEXT_BOLD : TEXT_PLAIN, "%s%s",
			   answer_str(row, "metric"),
			   emulated && !strcmp(answer_str(row, "evidence"), "model") ? " (model)"
										     : "");
		for (size_t k = 0; k < ARRAY_LEN(shown); k++) {
			AUTO(str) struct str cell = STR_INIT;

			put_value(row, shown[k], scale, &cell);
			table_cell(&t, TEXT_PLAIN, "%s", cell.p);
		}
		table_cell(&t, TEXT_PLAIN, "%lld", answer_int(row, "n"));
		last = variant;
	}
	table_put(&t, style->width, style->color, out);
	put_failures(answer, &text);
	answer_evidence(answer, measured, &text);
	answer_samples(answer, &text);
	answer_put_folded(text.p, style->width, out);
}
