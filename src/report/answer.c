/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pieces that all answers are made of: numbers with their intervals, values in one scale a row, verdicts in words.
 */
#include "report/answer.h"

#include "base/num.h"
#include "model/model.h"
#include "text/json.h"
#include "text/table.h"

#include <math.h>
#include <string.h>

double answer_number(const struct json *v, const char *path)
{
	double x;

	return json_to_number(v, path, &x) ? x : NAN;
}

long long answer_int(const struct json *v, const char *path)
{
	int64_t x;

	return json_to_int(v, path, &x) ? x : 0;
}

bool answer_flag(const struct json *v, const char *path)
{
	bool x;

	return json_to_bool(v, path, &x) && x;
}

const char *answer_str(const struct json *v, const char *path)
{
	const char *s = json_to_text(v, path);

	return s ? s : "";
}

void answer_clock(const struct json *answer, struct str *out)
{
	double seconds = answer_number(answer, "seconds");

	num_put_clock(out, isnan(seconds) ? 0 : (int64_t)(seconds * 1e9));
}

void answer_duration(const struct json *row, struct str *out)
{
	double seconds = answer_number(row, "seconds");

	if (isnan(seconds))
		str_putc(out, '?');
	else
		num_put_duration(out, (int64_t)(seconds * 1e9));
}

void answer_label(struct str *out, const char *name)
{
	str_addf(out, " %-10s ", name);
}

void answer_cost(const struct json *a, const char *builds, struct str *out)
{
	AUTO(str) struct str time = STR_INIT;
	long long hunt = answer_int(a, "hunt");

	answer_clock(a, &time);
	answer_label(out, "cost");
	str_addf(out, "%lld builds, %lld runs, %s\n", answer_int(a, builds), answer_int(a, "runs"),
		 time.p);
	answer_label(out, "evidence");
	str_addf(out, "hunt %lld: culprit log %lld, culprit verify %lld\n", hunt, hunt, hunt);
}

const char *answer_variant(const struct json *answer, const char *path, char scratch[13])
{
	const char *text = answer_str(answer, path);
	size_t n = strlen(text);

	if ((n != 40 && n != 64) || strspn(text, "0123456789abcdef") != n)
		return text;
	memcpy(scratch, text, 12);
	scratch[12] = '\0';
	return scratch;
}

/* Changes from here on are said as a factor. */
#define TIMES_FROM 4.0

/* Enough decimals that the interval's ends differ. */
static int decimals_for(double low, double high, double change)
{
	double width = isfinite(low) && isfinite(high) ? fabs(high - low) : fabs(change);

	return width >= 0.001 || width == 0 ? 1 : width >= 0.0001 ? 2 : 3;
}

/* Three digits, zeros too: "4.00", "13.7", "128". */
static void put_factor(double x, struct str *out)
{
	str_addf(out, "%.*f", fabs(x) < 9.995 ? 2 : fabs(x) < 99.95 ? 1 : 0, x);
}

void answer_plain_change(double change, struct str *out)
{
	if (change >= TIMES_FROM) {
		put_factor(1 + change, out);
		str_puts(out, " times");
		return;
	}
	num_put_change(out, change, 1);
	str_puts(out, " %");
}

void answer_probability(double p, struct str *out)
{
	if (p > 0.999)
		str_puts(out, "over 99.9 %");
	else if (p < 0.001)
		str_puts(out, "under 0.1 %");
	else
		str_addf(out, "%.1f %%", 100 * p);
}

void answer_change(const struct json *row, struct str *out)
{
	double change = answer_number(row, "change");
	double low = answer_number(row, "low"), high = answer_number(row, "high");
	int decimals = decimals_for(low, high, change);

	if (isnan(change)) {
		str_puts(out, "-");
		return;
	}
	/* "+5716 %" is hard to read; "58 times" is not */
	if (change >= TIMES_FROM) {
		put_factor(1 + change, out);
		str_puts(out, " times");
		if (!isnan(low) && !isnan(high)) {
			str_puts(out, " [");
			put_factor(1 + low, out);
			str_puts(out, ", ");
			put_factor(1 + high, out);
			str_putc(out, ']');
		}
		return;
	}
	num_put_change(out, change, decimals);
	str_puts(out, " %");
	if (isnan(low) || isnan(high))
		return;
	str_puts(out, " [");
	num_put_change(out, low, decimals);
	str_puts(out, ", ");
	num_put_change(out, high, decimals);
	str_puts(out, "]");
}

double answer_scale(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]) && v[i] != 0)
			return v[i];
	return v[0];
}

void answer_value(double value, double scale_by, const char *unit, struct str *out)
{
	double factor, v;
	char scaled[32];
	int decimals;

	if (isnan(value)) {
		str_puts(out, "-");
		return;
	}
	num_scale(isnan(scale_by) ? value : scale_by, unit, &factor, scaled);
	v = value * factor;
	decimals = v == 0 ? 0 : 3 - (int)floor(log10(fabs(v)) + 1e-9);
	if (decimals < 0 || (factor == 1 && v == floor(v)))
		decimals = 0;
	if (decimals > 6)
		decimals = 6;
	str_addf(out, "%.*f%s%s", decimals, v, *scaled ? " " : "", scaled);
}

void answer_count(double value, struct str *out)
{
	AUTO(str) struct str digits = STR_INIT;
	double v = fabs(value);
	int decimals = v == floor(v) || v >= 1e4 ? 0
		       : v >= 1e3		 ? 1
		       : v >= 100		 ? 2
		       : v >= 10		 ? 3
						 : 4;

	if (isnan(value) || v >= 1e15) {
		answer_value(value, value, "", out);
		return;
	}
	str_addf(&digits, "%.*f", decimals, v);
	size_t whole = strcspn(digits.p, ".");

	if (value < 0)
		str_putc(out, '-');
	for (size_t i = 0; i < digits.n; i++)
		str_addf(out, "%s%c", i && i < whole && (whole - i) % 3 == 0 ? "," : "",
			 digits.p[i]);
}

/* What an emulator counts is work, never time. */
const char *answer_work_word(const char *evidence, enum verdict v, const char *metric,
			     const char *unit)
{
	if ((v != VERDICT_SLOWER && v != VERDICT_FASTER) || strcmp(evidence, "emulated"))
		return verdict_word(v, metric, unit);
	return v == VERDICT_SLOWER ? "more work" : "less work";
}

bool answer_is_emulated(const struct json *rows)
{
	for (size_t i = 0; i < json_count(rows); i++)
		if (!strcmp(answer_str(json_at(rows, i), "evidence"), "emulated"))
			return true;
	return false;
}

void answer_blind(const struct json *answer, struct str *out)
{
	const struct json *list = json_get(answer, "blind");

	for (size_t i = 0; i < json_count(list); i++)
		str_addf(out, "%s%s", i ? ", " : "", answer_str(json_at(list, i), NULL));
}

void answer_evidence(const struct json *answer, const struct json *rows, struct str *out)
{
	AUTO(str) struct str blind = STR_INIT;

	if (!answer_is_emulated(rows))
		return;
	answer_blind(answer, &blind);
	str_addf(out,
		 " Emulated: this counts work, not time; it is blind to %s (culprit-exact(7)).\n",
		 blind.n ? blind.p : "caches, branches, contention and frequency");
}

void answer_verdict(const struct json *row, struct str *out)
{
	enum verdict v;
	long long more = answer_int(row, "more_runs");

	if (!verdict_parse(answer_str(row, "verdict"), &v)) {
		str_puts(out, answer_str(row, "verdict"));
		return;
	}
	str_puts(out, answer_work_word(answer_str(row, "evidence"), v, answer_str(row, "metric"),
				       answer_str(row, "unit")));
	if (v == VERDICT_ON_PAR) {
		str_addf(out, " within %.3g %%", 100 * answer_number(row, "margin"));
		if (answer_flag(row, "differs_within_margin"))
			str_puts(out, ", yet measurably different");
	}
	if (v != VERDICT_UNDECIDED || !answer_flag(row, "primary"))
		return;
	double width = answer_number(row, "high") - answer_number(row, "low");

	/* rounding is to blame where it is of the size of the interval; else it is the noise */
	if (answer_flag(row, "unresolvable") && answer_number(row, "rounding") > 0.025 * width)
		str_puts(out, ": not resolvable at the printed resolution");
	else if (answer_flag(row, "unresolvable"))
		str_puts(out, ": not resolvable (more than 64 times the runs)");
	else if (answer_flag(row, "need_minimum"))
		str_addf(out, ": no interval from so few: at least %lld more run%s of each", more,
			 more == 1 ? "" : "s");
	else if (more)
		str_addf(out, ": about %lld more runs of each", more);
}

void answer_put_ends(const struct json *a, struct str *out)
{
	answer_label(out, "good");
	str_addf(out, "%s\n", answer_str(a, "good.name"));
	answer_label(out, "bad");
	str_addf(out, "%s\n\n", answer_str(a, "bad.name"));
}

void answer_put_stopped(const struct json *a, struct str *out)
{
	if (!answer_flag(a, "out_of_budget"))
		return;
	answer_label(out, "budget");
	str_puts(out,
		 "spent; the same command with a larger one, without --new, goes on from here\n");
}

/* Notes below a table, whose lines hang by two. */
void answer_put_folded(const char *text, unsigned width, struct str *out)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		AUTO_FREE char *line = xstrndup(p, n);

		if (width && text_columns(line) > width)
			text_wrap(out, line, 0, 3, width);
		else
			str_addf(out, "%s\n", line);
		p += n + (p[n] == '\n');
	}
}

/* Lines after a label, broken to the terminal's width in their own column. */
void answer_put_wrapped(const char *text, unsigned width, struct str *out)
{
	enum { COLUMN = 12 };

	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		AUTO_FREE char *line = xstrndup(p, n);

		/* what begins without a blank has no label */
		if (width > 2 * COLUMN && text_columns(line) > width && n > COLUMN) {
			size_t label = *line == ' ' ? COLUMN : 0;

			str_add(out, line, label);
			text_wrap(out, line + label, label, COLUMN, width);
		} else {
			str_addf(out, "%s\n", line);
		}
		p += n + (p[n] == '\n');
	}
}

int answer_text(const struct json *answer, const struct answer_style *style, struct str *out,
		struct err *e)
{
	const char *command = answer_str(answer, "command");

	if (!strcmp(command, "compare"))
		answer_compare(answer, style, out);
	else if (!strcmp(command, "run"))
		answer_run(answer, style, out);
	else if (!strcmp(command, "explain"))
		answer_explain(answer, style, out);
	else if (!strcmp(command, "bisect"))
		answer_bisect(answer, style, out);
	else if (!strcmp(command, "confirm"))
		answer_confirm(answer, style, out);
	else if (!strcmp(command, "hunt"))
		answer_hunt(answer, style, out);
	else if (!strcmp(command, "gate"))
		answer_gate(answer, style, out);
	else if (!strcmp(command, "try"))
		answer_try(answer, style, out);
	else if (!strcmp(command, "history"))
		answer_history(answer, style, out);
	else if (!strcmp(command, "doctor"))
		answer_calibrate(answer, style, out);
	else if (!strcmp(command, "plan"))
		answer_plan(answer, style, out);
	else
		return err_set(e, ERR_BROKEN, "the stored answer is of no known kind ('%.40s')",
			       command);
	return 0;
}
