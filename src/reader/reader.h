/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader - from what a benchmark printed to readings.
 *
 * One struct reader per output format, one table (reader.c), one small file each. A reader only reports what stands there, through
 * `gather`; what holds for every format is decided there:
 * - a metric that is printed several times in one run with the same unit is a series of iterations: the run's value is their
 *   mean (its resolution the printed one divided by their number). Taking the last was refused: it throws measurements away.
 * - the same metric with two units in one run, NaN, infinity, overflow, a negative time: a problem, in one line.
 *
 * Readers are pure: no files, no processes. Input may be any bytes.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "model/model.h"

struct reader_input {
	const char *out; /* standard output, out[out_n] = 0 */
	size_t out_n;
	const char *err; /* standard error */
	size_t err_n;
	int status;	   /* exit status; 128 + number for a signal */
	const char *regex; /* of the benchmark, for the reader "regex" */
	const char *regex_metric;
};

struct reader_result {
	struct readings readings;
	bool whole; /* stdout had no line that was not a reading, and at least one that was (or wanted to be) */
	char problem[300];	 /* one line: why the output is refused; empty = fine */
	char problem_metric[80]; /* the metric it is about, if one */
};
void reader_result_done(struct reader_result *r);

struct gather;
struct reader {
	const char *name;
	const char *help;
	bool any_status; /* a non-zero exit status is data for it, not a failure */
	/* Negative only for a wrong configuration (ERR_USAGE: a regex that is none). */
	int (*read)(const struct reader_input *in, struct gather *g, struct err *e);
};
extern const struct reader *const readers[]; /* NULL-terminated */
/* NULL name = "lines". ERR_USAGE with a "did you mean" and the list if there is none of that name. */
int reader_find(const char *name, const struct reader **ret, struct err *e) MUST_USE;
/* *ret is valid to pass to reader_result_done also after a failure. */
int reader_read(const struct reader *r, const struct reader_input *in, struct reader_result *ret,
		struct err *e) MUST_USE;
/* Checks what can be checked before anything runs: that the regular expression compiles and has a group. */
int reader_check_regex(const char *regex, struct err *e) MUST_USE;

/* --- for readers -------------------------------------------------------------------------------------------------- */

/* Adds one value; unit may be "". After the first problem nothing more is taken. */
void gather_add(struct gather *g, const char *metric, size_t metric_n, const char *unit,
		size_t unit_n, double value, double resolution);
/* The output is refused. `metric` may be NULL; the first problem stays. */
void gather_problem(struct gather *g, const char *metric, size_t metric_n, const char *fmt, ...)
	PRINTF(4, 5);
/* A line of stdout that was (true) or was not (false) a reading. */
void gather_line(struct gather *g, bool is_reading);
/* Has there been a value? */
bool gather_any(const struct gather *g);
