/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer - a stored answer (the JSON contract of DESIGN 4) as text for a person.
 *
 * One path for fresh and stored answers alike: what the terminal shows is computed from the JSON that the journal keeps.
 */
#pragma once

#include "model/model.h"

#include "base/err.h"
#include "base/str.h"

struct json;

struct answer_style {
	bool color;
	unsigned width; /* 0 = not a terminal */
};
/* Chooses by "command": compare, run, bisect, history ... ERR_BROKEN for an answer that is none of these. */
int answer_text(const struct json *answer, const struct answer_style *style, struct str *out,
		struct err *e) MUST_USE;
void answer_compare(const struct json *answer, const struct answer_style *style, struct str *out);
void answer_explain(const struct json *answer, const struct answer_style *style, struct str *out);
void answer_run(const struct json *answer, const struct answer_style *style, struct str *out);
void answer_calibrate(const struct json *answer, const struct answer_style *style, struct str *out);
void answer_plan(const struct json *answer, const struct answer_style *style, struct str *out);
void answer_history(const struct json *answer, const struct answer_style *style, struct str *out);
void answer_bisect(const struct json *answer, const struct answer_style *style, struct str *out);
void answer_confirm(const struct json *answer, const struct answer_style *style, struct str *out);
void answer_hunt(const struct json *answer, const struct answer_style *style, struct str *out);
void answer_gate(const struct json *answer, const struct answer_style *style, struct str *out);
void answer_try(const struct json *answer, const struct answer_style *style, struct str *out);

/* --- pieces ------------------------------------------------------------------------------------------ */

/* Members by path, with what stands for "absent": NaN, 0, false, "". */
double answer_number(const struct json *v, const char *path);
long long answer_int(const struct json *v, const char *path);
bool answer_flag(const struct json *v, const char *path);
const char *answer_str(const struct json *v, const char *path);
/* How long it took, "1:02:11". */
void answer_clock(const struct json *answer, struct str *out);
/* "41 s", "12 min" of a row's "seconds"; "?" where that is no number. */
void answer_duration(const struct json *row, struct str *out);
/* " name       ", a column of its own. */
void answer_label(struct str *out, const char *name);
/* What it took, and where the evidence is; `builds` is the member that counts them. */
void answer_cost(const struct json *a, const char *builds, struct str *out);
/* Remarks on the rows of "metrics", runs that were left out, and what emulated numbers are. */
void answer_notes(const struct json *answer, struct str *out);
/* A variant as a column is called: an object's full name gets short. `scratch` keeps it. */
const char *answer_variant(const struct json *answer, const char *path, char scratch[13]);
/* "+7.1 % [+6.4, +7.8]" from a row with change, low and high; "?" where there is no number. */
void answer_change(const struct json *row, struct str *out);
/* "97 % [82, 112]" of a share with low and high; "-" where there is none. */
void answer_share(const struct json *share, struct str *out);
/* "+3.9 % [+3.5, +4.3] slower than good", "+0.1 % [-0.2, +0.3] on par with good within 1 %" */
void answer_row_than(const struct json *row, const char *than, struct str *out);
/* What was called good and bad, and a blank line. */
void answer_put_ends(const struct json *answer, struct str *out);
/* Where the budget ended it. */
void answer_put_stopped(const struct json *answer, struct str *out);
/* Lines after a label, broken to the terminal's width in their own column. */
void answer_put_wrapped(const char *text, unsigned width, struct str *out);
/* Lines below a table, the same. */
void answer_put_folded(const char *text, unsigned width, struct str *out);
/* The change alone: "+7.1 %", "6.83 times". */
void answer_plain_change(double change, struct str *out);
/* "99.2 %", but never 100 %: "over 99.9 %". */
void answer_probability(double p, struct str *out);
/* The metrics of two sides A and B, without words but for the primary ones; how much it took to make them, and where the samples are. */
void answer_counters(const struct json *answer, const struct answer_style *style, struct str *out);
void answer_samples(const struct json *answer, struct str *out);
/* "2,513,801,602": all digits before the point, in groups of three, and behind it as many as make five digits. */
void answer_count(double value, struct str *out);
/* One value in the unit that `scale_by` would be shown in, so that a row's columns agree. */
void answer_value(double value, double scale_by, const char *unit, struct str *out);
/* The one to scale the others by: the first that is a number other than zero, which has no scale of its own; else the first. */
double answer_scale(const double *v, size_t n);
/* "slower", "on par within 1 %", "undecided: about 40 more runs of each", ... */
/* verdict_word for this evidence: "more work", "less work" for what was emulated. */
const char *answer_work_word(const char *evidence, enum verdict v, const char *metric,
			     const char *unit);
/* Did the rows come from the emulator? Then a model is one of caches, and rows of it are called so. */
bool answer_is_emulated(const struct json *rows);
/* What numbers of an emulator or a model are, if any of these rows has some. */
void answer_evidence(const struct json *answer, const struct json *rows, struct str *out);
/* "cache, branch": what the benchmark says that exact does not see of it; "" if it says nothing. */
void answer_blind(const struct json *answer, struct str *out);
void answer_verdict(const struct json *row, struct str *out);
