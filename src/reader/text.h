/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text - what the readers of programs' own texts share: lines, labelled values, units scaled for people, refusals.
 *
 * It holds the rules against false numbers, so that no reader has to: a byte order mark and carriage returns are skipped, a number
 * in the style of a locale ("1.234,5") is refused and not cut, and so is a value in a last line without a line end, which may be
 * half of one. Values in scaled units (K, M, G; us, ms, s) go to the base unit, so that both sides of a comparison have the same.
 */
#pragma once

#include "reader/gather.h"
#include "reader/reader.h"

#include <stdbool.h>
#include <stddef.h>

struct text {
	struct gather *g;
	const char *program; /* for messages: "wrk" */
	const char *at, *end;
	const char *line; /* the current one, without blanks around it */
	size_t n;
	bool is_cut; /* it is the last one and has no line end */
};
void text_begin(struct text *t, struct gather *g, const char *program, const char *p, size_t n);
/* The next line; empty ones too. */
bool text_next(struct text *t);

/* What stands behind `prefix` in the current line, blanks skipped; NULL if it begins otherwise. */
const char *text_behind(const struct text *t, const char *prefix);
/* Where `words` stand in the current line, or NULL. */
const char *text_find(const struct text *t, const char *words);
/* The end of the word at p, and the next word (or the line's end). */
const char *text_word_end(const struct text *t, const char *p);
const char *text_next_word(const struct text *t, const char *p);

struct value {
	double value, resolution;
};
/*
 * A number at *p in the current line, which moves behind it. False if none stands there, or if it is one that cannot be taken: then
 * the problem is set.
 */
bool text_number(struct text *t, const char **p, const char *metric, struct value *ret);
/* A metric whose name is made at run time. */
void text_add(struct text *t, const char *metric, const char *unit, enum better better,
	      const struct value *v);

/* "ms" of a table of {"ms", "s", -3, 0}: the value times 10^ten, and times `times` where that is not 0. Ends with {0}. */
struct scale {
	const char *printed, *unit;
	int ten;
	double times;
};
extern const struct scale scale_times[]; /* ns us usec ms msec s sec m min h: "s" */
/* As text_number, with the word behind it as the unit. An unknown unit is a problem. *ret_unit lives for ever. */
bool text_scaled(struct text *t, const char **p, const char *metric, const struct scale *scales,
		 struct value *ret, const char **ret_unit);

/* The value in the scale's unit. Digits that text_scaled reads again are nearer; this is for a unit that stands elsewhere. */
void text_scale(struct value *v, const struct scale *s);

/* "total time:  10.0003s" as a row of a table, which ends with {0}. Without scales what follows the number is not looked at. */
struct label {
	const char *text;
	struct gather_metric m; /* with scales its unit is theirs */
	const struct scale *scales;
};
/* The current line, if it begins with a label's text: true if it was a reading (or a refused one). */
bool text_label(struct text *t, const struct label *labels);
/* "0.021/0.033/0.080" at p: one metric for each part, in order. False if there are not that many. */
bool text_parts(struct text *t, const char *p, const struct gather_metric *metrics,
		size_t n_metrics);

/* Does a line of the text begin with one of `marks` (which ends with NULL), blanks aside? For sniff. */
bool text_sniff(const char *head, size_t n, const char *const *marks);
/*
 * For the end of a reader: if it has found nothing it says why: what the program printed instead (its usage, an error). `hint`, may be
 * NULL, says how to run it.
 */
void text_close(struct text *t, const struct reader_input *in, const char *hint);
/* A whole reader of labels alone: both streams, then text_close. */
void text_read_labels(const struct reader_input *in, struct gather *g, const char *program,
		      const struct label *labels, const char *hint);
