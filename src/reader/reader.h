/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader - from what a benchmark printed to readings, and from a file of results to samples.
 *
 * One struct reader per output format, one table (reader.c), one small file each. A reader only reports what stands there, through
 * `gather` (gather.h), which says what holds for every format.
 *
 * Readers are pure: no files, no processes. Input may be any bytes.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "model/model.h"
#include "reader/gather.h"
#include "text/json.h"

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
	struct strvec notes; /* what a reader of the values should know */
	bool whole; /* stdout had no line that was not a reading, and at least one that was (or wanted to be) */
	char problem[300];	 /* one line: why the output is refused; empty = fine */
	char problem_metric[80]; /* the metric it is about, if one */
};
void reader_result_done(struct reader_result *r);

/* A format has `read`, or `json_is` and `json_read`. */
struct reader {
	const char *name;
	const char *help;
	bool any_status; /* a non-zero exit status is data for it, not a failure */
	/* Does a file that begins so look like one of mine? Asked in the table's order; NULL: never found without its name. */
	bool (*sniff)(const char *head, size_t n);
	/* Negative only for a wrong configuration (ERR_USAGE: a regex that is none). */
	int (*read)(const struct reader_input *in, struct gather *g, struct err *e);
	/* Is it one of mine? By its keys. */
	bool (*json_is)(const struct json *doc);
	/* Several values one after another are several runs. */
	void (*json_read)(const struct json *doc, struct gather *g);
};
extern const struct reader *const readers[]; /* NULL-terminated */
/* NULL name = "lines". ERR_USAGE with a "did you mean" and the list if there is none of that name. */
int reader_find(const char *name, const struct reader **ret, struct err *e) MUST_USE;
/* *ret is valid to pass to reader_result_done also after a failure. */
int reader_read(const struct reader *r, const struct reader_input *in, struct reader_result *ret,
		struct err *e) MUST_USE;
/*
 * A file of results, its samples kept apart; *ret_format is the name of its format ("numbers": numbers.h). `r` NULL: found by looking. text[n] = 0;
 * `name` is the file's for messages. ERR_USAGE: what is wrong with it, or what was tried where it is none of them.
 */
int reader_file(const struct reader *r, const char *text, size_t n, const char *name,
		struct numbers *ret, const char **ret_format, struct err *e) MUST_USE;
/* The format of programs' text that this looks like, or NULL; JSON is not looked into. */
const struct reader *reader_guess(const char *text, size_t n);
/* Of notes like "cycles, branches: no number, <not supported>" what is said of `metric` ("no number, ..."), or NULL. */
const char *reader_no_number(const struct strvec *notes, const char *metric);
/* Checks what can be checked before anything runs: that the regular expression compiles and has a group. */
int reader_check_regex(const char *regex, struct err *e) MUST_USE;
