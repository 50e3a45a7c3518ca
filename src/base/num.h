/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * num - numbers from text and back, strictly and without the locale.
 *
 * The parsers take the whole string or nothing: "12abc", "", "nan", "inf" and 1e400 are refused with a reason.
 * Times are int64 nanoseconds (_ns), sizes are bytes.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

/*
 * A decimal number as benchmarks print it. `ret_resolution` (may be NULL) is the unit of the last printed
 * digit: 0.01 for "12.34", 10 for "1.5e2"; a benchmark's rounding is noise that the statistics must know.
 * Refuses hexadecimal, NaN, infinities and overflow. `what` names it in the message: "--margin".
 */
int num_parse_double(const char *text, const char *what, double *ret, double *ret_resolution,
		     struct err *e) MUST_USE;
/* As above from a prefix of `text`: sets *ret_end to the first byte not used. False if no number starts here. */
bool num_scan_double(const char *text, const char **ret_end, double *ret, double *ret_resolution);
int num_parse_int(const char *text, const char *what, int64_t min, int64_t max, int64_t *ret,
		  struct err *e) MUST_USE;
/* "90s", "5m", "1h30m", "2d", "250ms", "1.5h"; a bare number is seconds. */
int num_parse_duration(const char *text, const char *what, int64_t *ret_ns, struct err *e) MUST_USE;
/* "512M", "2G", "64K", "10 MiB"; powers of 1024; a bare number is bytes. */
int num_parse_size(const char *text, const char *what, int64_t *ret_bytes, struct err *e) MUST_USE;
/* "1%", "1 %", "0.01": a ratio; "1%" gives 0.01. */
int num_parse_ratio(const char *text, const char *what, double *ret, struct err *e) MUST_USE;

/* "0:41", "12:05", "1:02:03": for progress and tables. */
void num_put_clock(struct str *out, int64_t ns);
/* "350 ms", "41 s", "12 min", "1 h 05 min", "3 d 4 h": for sentences. */
void num_put_duration(struct str *out, int64_t ns);
/* "1.4 GiB". */
void num_put_size(struct str *out, int64_t bytes);
/*
 * A value with its unit scaled for reading, with `digits` significant digits: (0.01241, "s") -> "12.41 ms",
 * (2.1e9, "B") -> "1.96 GiB", (5343078363, "") -> "5.343 G". Units that do not scale are appended as they are.
 */
void num_put_value(struct str *out, double value, const char *unit, int digits);
/* The scale that num_put_value would use, so that a column shares one: multiply by *ret_factor. */
void num_scale(double value, const char *unit, double *ret_factor, char ret_unit[32]);
/* "+7.1 %": a ratio minus one, with a sign and `decimals` decimals; "-0.0" is never printed. */
void num_put_change(struct str *out, double change, int decimals);
