/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numbers - samples from a text file: for `compare before.txt after.txt`.
 *
 * Either numbers, one or several a line separated by blanks ("1, 2" too; "1,2" is refused, it may be a decimal comma) ("12.3", "1 2 3", or one with its unit "12.3 ms"), all
 * of the metric "value"; or lines "name: value unit", where a name that comes again is another sample. `#` starts a comment.
 * Unlike a benchmark's output a file of numbers must be understood whole: anything else is an error with FILE:LINE.
 */
#pragma once

#include "base/err.h"
#include "model/model.h"

struct series {
	char *bench; /* the benchmark that it is a metric of; NULL or "" where the file knows none */
	char *metric, *unit;
	double *v;
	size_t n, cap;
	double resolution;  /* the finest printed */
	enum better better; /* as the format knows it */
	bool side;	    /* not what the benchmark is run for */
};
struct numbers {
	struct series *v;
	size_t n, cap;
	struct strvec notes; /* what a reader of the values should know */
};
void series_done(struct series *s);
void numbers_done(struct numbers *s);
/* "BENCHMARK METRIC", or the metric alone where there is no benchmark or `with_bench` is false. The caller frees. */
char *series_name(const struct series *s, bool with_bench) MUST_USE;

/*
 * `name` is the file's for messages. text[n] = 0. ERR_USAGE also if there is no number at all. *ret_is_begun (may be NULL): a number was understood before
 * whatever is wrong.
 */
int numbers_parse(const char *text, size_t n, const char *name, struct numbers *ret,
		  bool *ret_is_begun, struct err *e) MUST_USE;
