/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which patch repairs it: the columns of the first public report, good, bad and bad with each patch, then a sentence a patch with the test that it rests on.
 */
#include "report/answer.h"

#include "text/json.h"
#include "text/table.h"

#include <math.h>
#include <string.h>

static const char *base_name(const struct json *patch)
{
	const char *name = answer_str(patch, "name"), *slash = strrchr(name, '/');

	return slash && slash[1] ? slash + 1 : name;
}

/* The part of the path behind the last '/', unless another patch has the same. */
static const char *short_name(const struct json *patches, size_t i)
{
	const struct json *patch = json_at(patches, i);

	for (size_t k = 0; k < json_count(patches); k++)
		if (k != i && !strcmp(base_name(json_at(patches, k)), base_name(patch)))
			return answer_str(patch, "name");
	return base_name(patch);
}

static const struct json *finding_of(const struct json *patch, const char *metric)
{
	const struct json *list = json_get(patch, "findings");

	for (size_t i = 0; i < json_count(list); i++)
		if (!strcmp(answer_str(json_at(list, i), "metric"), metric))
			return json_at(list, i);
	return NULL;
}

/* The findings of the first patch that was measured: which metrics there are, and what GOOD and BAD are. */
static const struct json *metrics_of(const struct json *patches)
{
	for (size_t i = 0; i < json_count(patches); i++)
		if (json_count(json_get(json_at(patches, i), "findings")))
			return json_get(json_at(patches, i), "findings");
	return NULL;
}

/* A row of the metrics' medians: those of an end (`key`), or of a patch where it was measured. */
static void put_row(const struct json *metrics, const struct json *patch, const char *key,
		    const char *name, struct table *t)
{
	table_cell(t, TEXT_BOLD, "%s", name);
	for (size_t i = 0; i < json_count(metrics); i++) {
		const struct json *f = json_at(metrics, i);
		const struct json *of = patch ? finding_of(patch, answer_str(f, "metric")) : f;
		double ends[] = { answer_number(f, "good_median"), answer_number(f, "bad_median") };
		AUTO(str) struct str cell = STR_INIT;

		if (of)
			answer_value(answer_number(of, key), answer_scale(ends, 2),
				     answer_str(f, "unit"), &cell);
		table_cell(t, TEXT_PLAIN, "%s", of ? cell.p : "-");
	}
}

static void put_table(const struct json *a, const struct answer_style *style, struct str *out)
{
	const struct json *patches = json_get(a, "patches"), *metrics = metrics_of(patches);
	AUTO(table) struct table t = TABLE_INIT;

	if (!metrics)
		return;
	t.indent = 1;
	table_column(&t, "", TABLE_LEFT | TABLE_SHRINK);
	for (size_t i = 0; i < json_count(metrics); i++)
		table_column(&t, answer_str(json_at(metrics, i), "metric"), TABLE_RIGHT);
	put_row(metrics, NULL, "good_median", "good", &t);
	put_row(metrics, NULL, "bad_median", "bad", &t);
	for (size_t i = 0; i < json_count(patches); i++)
		if (json_count(json_get(json_at(patches, i), "findings")))
			put_row(metrics, json_at(patches, i), "fixed_median",
				short_name(patches, i), &t);
	table_put(&t, style->width, style->color, out);
	str_putc(out, '\n');
}

/* --- a patch -------------------------------------------------------------------------------------------------------- */

static void put_finding(const struct json *f, bool named, struct str *out)
{
	const char *verdict = answer_str(f, "verdict");
	bool lost = !strcmp(answer_str(f, "loss.verdict"), "slower") ||
		    !strcmp(answer_str(f, "loss.verdict"), "faster");

	answer_label(out, "");
	if (named)
		str_addf(out, "%s: ", answer_str(f, "metric"));
	if (!lost) {
		str_puts(out, "bad: ");
		answer_row_than(json_get(f, "loss"), "good", out);
		str_putc(out, '\n');
		return;
	}
	if (!strcmp(verdict, "refuted"))
		answer_row_than(json_get(f, "back"), "bad", out);
	else
		answer_row_than(json_get(f, "left"), "good", out);
	if (!isnan(answer_number(f, "recovered.share"))) {
		str_puts(out, "; recovers ");
		answer_share(json_get(f, "recovered"), out);
		str_puts(out, strcmp(answer_str(f, "loss.verdict"), "faster")
				      ? " of the loss"
				      : " of the difference");
	}
	str_putc(out, '\n');
}

static void put_patch(const struct json *patches, size_t at, const struct answer_style *style,
		      struct str *out)
{
	static const struct {
		const char *verdict, *text;
	} says[] = {
		{ "repairs", "repairs it" },
		{ "partly", "repairs a part of it" },
		{ "no-help", "does not help" },
		{ "no-loss", "nothing to repair" },
		{ "undecided", "undecided" },
		{ "does-not-apply", "does not apply" },
		{ "changes-nothing", "is in bad already" },
		{ "broken", "does not build" },
		{ "fails", "the benchmark fails with it" },
	};
	const struct json *p = json_at(patches, at), *list = json_get(p, "findings");
	const char *verdict = answer_str(p, "verdict"), *why = answer_str(p, "why");
	/* git's reason says which, and what */
	bool says_all = starts_with(why, "patch ");

	answer_label(out, "patch");
	text_put(out, TEXT_BOLD, style->color, short_name(patches, at));
	if (*answer_str(p, "title"))
		str_addf(out, "  %s", answer_str(p, "title"));
	str_putc(out, '\n');
	answer_label(out, "");
	for (size_t i = 0; i < ARRAY_LEN(says); i++)
		if (!strcmp(verdict, says[i].verdict) && !says_all)
			str_puts(out, says[i].text);
	if (*why)
		str_addf(out, "%s%s", says_all ? "" : ": ", why);
	str_putc(out, '\n');
	if (answer_int(p, "broken_build")) {
		answer_label(out, "");
		str_addf(out, "its log: culprit show b%lld\n", answer_int(p, "broken_build"));
	}
	for (size_t i = 0; i < json_count(list); i++)
		put_finding(json_at(list, i), json_count(list) > 1, out);
}

void answer_try(const struct json *a, const struct answer_style *style, struct str *out)
{
	const struct json *patches = json_get(a, "patches");
	AUTO(str) struct str text = STR_INIT;

	answer_put_ends(a, out);
	put_table(a, style, out);
	for (size_t i = 0; i < json_count(patches); i++)
		put_patch(patches, i, style, &text);
	answer_notes(a, &text);
	answer_put_stopped(a, &text);
	answer_cost(a, "builds_made", &text);
	answer_put_wrapped(text.p, style->width, out);
}
