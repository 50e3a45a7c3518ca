/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gather - what a reader has found so far. What holds for every format is decided here:
 * - A metric belongs to a benchmark ("" if the format knows none). With one benchmark in all, its metrics keep their plain
 *   names; with several they are "BENCHMARK METRIC".
 * - A value that comes again is another sample of its metric. A run of a benchmark takes their mean (its resolution the printed
 *   one divided by their number; taking the last was refused: it throws measurements away); a file keeps them apart.
 * - The same metric with two units, NaN, infinity, overflow, a negative time: a problem, in one line.
 */
#pragma once

#include "base/str.h"
#include "model/model.h"
#include "reader/numbers.h"

struct gather;

/* For `resolution`: not printed to be seen, as in JSON; the digits that read back the same stand for it. */
#define RESOLUTION_OF_DIGITS (-1.0)

/* What a format knows of one of its metrics; made to stand in static tables. */
struct gather_metric {
	const char *name, *unit; /* unit may be "" */
	enum better better;	 /* BETTER_UNKNOWN: by name and unit (better_guess) */
	bool side; /* shown, but not what the benchmark is run for: CPU time, context switches */
};

/* The benchmark of the values that follow; "" at first. */
void gather_bench(struct gather *g, const char *name, size_t n);
/* One value. After the first problem nothing more is taken. */
void gather_value(struct gather *g, const struct gather_metric *m, double value, double resolution);
/* The same of a metric that the format knows nothing about; unit may be "". */
void gather_add(struct gather *g, const char *metric, size_t metric_n, const char *unit,
		size_t unit_n, double value, double resolution);
/* The output is refused. `metric` may be NULL; the first problem stays. */
void gather_problem(struct gather *g, const char *metric, size_t metric_n, const char *fmt, ...)
	PRINTF(4, 5);
/*
 * What a reader of the values should know: "cache-misses: not supported". One line; the same one twice is one. Of a file they are shown
 * with the answer, of a run they are its remarks.
 */
void gather_note(struct gather *g, const char *fmt, ...) PRINTF(2, 3);
/* A line of stdout that was (true) or was not (false) a reading. */
void gather_line(struct gather *g, bool is_reading);
/* Has there been a value? */
bool gather_any(const struct gather *g);
bool gather_has_problem(const struct gather *g);

/* --- for reader.c ------------------------------------------------------------------------------------------------- */

/* `keep`: all samples, for gather_take_numbers; else their sums, for gather_take_readings. At most `most` metrics. */
struct gather *gather_new(bool keep, size_t most) MUST_USE;
void gather_free(struct gather *g);
static inline void gather_ptr_done(struct gather **g)
{
	gather_free(*g);
}
const char *gather_why(const struct gather *g, const char **ret_metric); /* "" = no problem */
const char *gather_first_note(const struct gather *g);			 /* NULL = none */
/* Every line was a reading and there was one. */
bool gather_whole(const struct gather *g);
void gather_take_readings(struct gather *g, struct readings *ret, struct strvec *ret_notes);
void gather_take_numbers(struct gather *g, struct numbers *ret);
