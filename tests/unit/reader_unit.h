/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_unit - for tests of readers: a file of results in one line. */
#pragma once

#include "unit.h"

#include "reader/reader.h"
#include "sys/fs.h"

/*
 * "FORMAT: bench metric [unit] + 1 2 3; ..." of a text as a file: `+` higher is better, `-` lower, `?` not known, a second time for what is beside the
 * point ("--"). Or what is wrong with it. The caller frees.
 */
static inline char *file_shown_to(const char *reader, const char *text, size_t n, int digits)
{
	AUTO(str) struct str s = STR_INIT;
	AUTO(numbers) struct numbers got = { 0 };
	const struct reader *r = NULL;
	const char *format = NULL;
	struct err e = ERR_INIT;

	if (reader)
		assert_int_equal(reader_find(reader, &r, &e), 0);
	if (reader_file(r, text, n, "f", &got, &format, &e) < 0)
		return xstrdup(e.msg);
	str_addf(&s, "%s:", format);
	for (size_t i = 0; i < got.n; i++) {
		const struct series *x = &got.v[i];
		char sign = "?-+"[x->better];

		str_addf(&s, "%s %s%s%s [%s] %c%.*s", i ? ";" : "", x->bench ? x->bench : "",
			 x->bench && *x->bench ? " " : "", x->metric, x->unit, sign, x->side,
			 &sign);
		for (size_t k = 0; k < x->n; k++)
			str_addf(&s, " %.*g", digits, x->v[k]);
	}
	return str_take(&s);
}

static inline char *file_shown(const char *reader, const char *text, size_t n)
{
	return file_shown_to(reader, text, n, 17);
}

static inline char *fixture_shown(const char *reader, const char *name)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO_FREE char *path = xasprintf("t/fixtures/%s", name);
	struct err e = ERR_INIT;

	if (fs_read(path, 64 << 20, &text, &e) < 0)
		fail_msg("%s", e.msg);
	return file_shown(reader, text.p, text.n);
}

/* The file cut at every byte: never a crash, and what is read or refused is one line. */
static inline void cut_everywhere(const char *name)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO_FREE char *path = xasprintf("t/fixtures/%s", name);
	struct err e = ERR_INIT;

	if (fs_read(path, 64 << 20, &text, &e) < 0)
		fail_msg("%s", e.msg);
	for (size_t n = 0; n < text.n; n++) {
		AUTO_FREE char *cut = xstrndup(text.p, n);
		AUTO_FREE char *shown = file_shown(NULL, cut, n);

		assert_null(strchr(shown, '\n'));
	}
}
