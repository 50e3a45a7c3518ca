/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * str - a growing string with a ceiling.
 *
 * `p` is never NULL and always ends in a zero byte (before the first add it is a shared empty string).
 * Bytes may be anything; `n` is the length. A buffer filled from outside sets `max`:
 * what does not fit is dropped and `truncated` is set; max = 0 means no ceiling (our own text).
 */
#pragma once

#include "base/mem.h"

#include <stdarg.h>
#include <stdbool.h>

extern char str_empty[1];

struct str {
	char *p;
	size_t n, cap, max;
	bool truncated;
};
#define STR_INIT                                                                                   \
	{                                                                                          \
		.p = str_empty                                                                     \
	}
#define STR_INIT_MAX(limit)                                                                        \
	{                                                                                          \
		.p = str_empty, .max = (limit)                                                     \
	}

void str_add(struct str *s, const char *bytes, size_t n);
void str_puts(struct str *s, const char *text);
void str_putc(struct str *s, char c);
void str_pad(struct str *s, char c, size_t count);
void str_addf(struct str *s, const char *fmt, ...) PRINTF(2, 3);
void str_vaddf(struct str *s, const char *fmt, va_list ap) PRINTF(2, 0);
/* Empty it; keeps the memory and the ceiling. */
void str_clear(struct str *s);
/* Cut to n bytes; n beyond the end changes nothing. */
void str_cut(struct str *s, size_t n);
/* Drop spaces, tabs and newlines at the end. */
void str_trim_end(struct str *s);
/* The caller owns the result (free); s is empty after it. */
char *str_take(struct str *s) MUST_USE;
void str_done(struct str *s);

bool starts_with(const char *s, const char *prefix);
bool ends_with(const char *s, const char *suffix);
/* The last two parts of a path, where it has so many: of "/k/6.12/bzImage" the end from "6.12". */
const char *str_path_tail(const char *path);
/* ": 'LINE'" with the last line of `text` that is not blank, cut to 120 bytes; nothing if there is none. */
void str_add_last_line(struct str *out, const struct str *text);
/* For one line of a message: '?' for each control character (C0, DEL, C1) and for each byte that is no part of valid UTF-8. */
void str_make_printable(struct str *s);
/* Columns that UTF-8 text takes on a terminal, counting every code point as one. */
size_t str_columns(const char *s);
/* Damerau-Levenshtein distance, for "did you mean"; capped at 99. */
unsigned str_distance(const char *a, const char *b);

/*
 * "Did you mean": offer every candidate, then `best` is the nearest, or NULL when none is near enough to help. A candidate that
 * begins with the word wins over any that must be misspelt. Borrowed strings.
 */
struct nearest {
	const char *word, *best;
	unsigned score;
};
#define NEAREST_INIT(text)                                                                         \
	{                                                                                          \
		.word = (text), .score = 99                                                        \
	}
void nearest_offer(struct nearest *n, const char *candidate);
