/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reading JSON results costs over jansson alone, which the readers use: the same text, interleaved, medians. Two shapes: a file of many results
 * of fio (FILE, as often as makes some MB), of which a few numbers are taken, and one of hyperfine with a million times, all of which are samples.
 */
#include "reader/reader.h"
#include "sys/clock.h"
#include "sys/fs.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 7, TEXT_MIB = 40, TIMES = 1000000 };

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double v[ROUNDS])
{
	qsort(v, ROUNDS, sizeof(v[0]), by_value);
	return v[ROUNDS / 2];
}

/* Parsed and freed, value after value. */
static bool by_jansson(const struct str *text)
{
	const char *at = text->p, *end = text->p + text->n;

	while (at < end) {
		json_error_t why;
		json_t *root = json_loadb(at, (size_t)(end - at), JSON_DISABLE_EOF_CHECK, &why);

		if (!root)
			return false;
		json_decref(root);
		at += why.position;
		while (at < end && (*at == '\n' || *at == ' '))
			at++;
	}
	return true;
}

static bool by_reader(const struct str *text)
{
	AUTO(numbers) struct numbers got = { 0 };
	const char *format;

	return reader_file(NULL, text->p, text->n, "text", &got, &format, NULL) == 0;
}

static bool measure(const char *what, const struct str *text)
{
	double theirs[ROUNDS], ours[ROUNDS];
	bool ok = true;

	for (size_t i = 0; i < ROUNDS && ok; i++) {
		int64_t begin = clock_monotonic_ns(), middle, end;

		ok = by_jansson(text);
		middle = clock_monotonic_ns();
		ok = by_reader(text) && ok;
		end = clock_monotonic_ns();
		theirs[i] = (double)(middle - begin) / 1e6;
		ours[i] = (double)(end - middle) / 1e6;
	}
	if (!ok)
		return false;
	double a = median(theirs), b = median(ours);

	printf("%s: %.1f MB; jansson %.1f ms, reader %.1f ms, ratio %.3f\n", what,
	       (double)text->n / 1e6, a, b, b / a);
	return true;
}

int main(int argc, char **argv)
{
	AUTO(str) struct str one = STR_INIT, fio = STR_INIT, times = STR_INIT;
	struct err e = ERR_INIT;
	uint32_t seed = 1;

	if (argc != 2 || fs_read(argv[1], 1 << 20, &one, &e) < 0) {
		fprintf(stderr, "%s\n", argc == 2 ? e.msg : "usage: bench_read_json FIO.json");
		return 2;
	}
	while (fio.n < (size_t)TEXT_MIB << 20)
		str_add(&fio, one.p, one.n);
	str_puts(&times, "{\"results\": [{\"command\": \"x\", \"mean\": 1, \"times\": [");
	for (unsigned i = 0; i < TIMES; i++) {
		seed = seed * 1664525 + 1013904223;
		str_addf(&times, "%s%.9f", i ? ", " : "", 1 + (double)seed / 4294967296.0);
	}
	str_puts(&times, "]}]}");
	return measure("fio", &fio) && measure("times", &times) ? 0 : 1;
}
