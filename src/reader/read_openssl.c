/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * openssl - `openssl speed`: bytes a second of ciphers and digests by size of block, operations a second of keys.
 *
 *   type             16 bytes     64 bytes
 *   sha256           49885.09k   142178.67k
 *                     sign    verify    sign/s verify/s
 *   rsa 2048 bits 0.000518s 0.000029s   1930.0  34915.0
 *
 * k is 1000 bytes a second. Times of an operation are left out: they are the inverse of the rates, with fewer digits.
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS_MAX = 12, TITLE_MAX = 32 };

struct table {
	char titles[COLUMNS_MAX][TITLE_MAX];
	size_t n;
	bool is_bytes;
};

/* "type   16 bytes   64 bytes" */
static void take_sizes(struct text *t, struct table *table, const char *p)
{
	const char *end = t->line + t->n;

	*table = (struct table){ .is_bytes = true };
	while (p < end && table->n < COLUMNS_MAX) {
		const char *word_end = text_word_end(t, p);

		snprintf(table->titles[table->n++], TITLE_MAX, "%.*s bytes", (int)(word_end - p),
			 p);
		p = text_next_word(t, text_next_word(t, p));
	}
}

/* "sign  verify  sign/s  verify/s": the rates' titles, if the line is of words alone. */
static bool take_titles(struct text *t, struct table *table)
{
	struct table got = { .is_bytes = false };

	for (const char *p = t->line; p < t->line + t->n; p = text_next_word(t, p)) {
		size_t n = (size_t)(text_word_end(t, p) - p);

		for (size_t i = 0; i < n; i++)
			if (!isalpha((unsigned char)p[i]) && p[i] != '/')
				return false;
		if (n > 2 && n < TITLE_MAX && p[n - 1] == 's' && p[n - 2] == '/' &&
		    got.n < COLUMNS_MAX)
			snprintf(got.titles[got.n++], TITLE_MAX, "%.*s", (int)n, p);
	}
	if (!got.n)
		return false;
	*table = got;
	return true;
}

static const char *last_words(const struct text *t, size_t n)
{
	const char *p = t->line + t->n;

	while (n && p > t->line) {
		while (p > t->line && p[-1] == ' ')
			p--;
		while (p > t->line && p[-1] != ' ')
			p--;
		n--;
	}
	return n ? NULL : p;
}

/* What stands before the numbers: for keys also before the times, "0.000518s". */
static size_t name_length(const struct text *t, const char *values, bool is_bytes)
{
	size_t n = (size_t)(values - t->line);

	for (const char *p = t->line; !is_bytes && p < values; p = text_next_word(t, p)) {
		const char *end = text_word_end(t, p);

		if (isdigit((unsigned char)*p) && end[-1] == 's' &&
		    memchr(p, '.', (size_t)(end - p))) {
			n = (size_t)(p - t->line);
			break;
		}
	}
	while (n && t->line[n - 1] == ' ')
		n--;
	return n;
}

static void take_row(struct text *t, const struct table *table)
{
	static const struct scale rates[] = { { "k", "B/s", 3, 0 }, { 0 } };
	const char *p = last_words(t, table->n), *unit = "1/s";
	size_t name_n;

	if (!p || !isdigit((unsigned char)*p) || !(name_n = name_length(t, p, table->is_bytes)))
		return;
	gather_bench(t->g, t->line, name_n);
	for (size_t i = 0; i < table->n; i++) {
		struct value v;

		if (table->is_bytes ? !text_scaled(t, &p, table->titles[i], rates, &v, &unit)
				    : !text_number(t, &p, table->titles[i], &v))
			return;
		text_add(t, table->titles[i], unit, BETTER_HIGHER, &v);
		p = text_next_word(t, p);
	}
}

static int read_openssl(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	struct table table = { .n = 0 };
	struct text t;
	const char *p;

	text_begin(&t, g, "openssl speed", in->out, in->out_n);
	while (text_next(&t)) {
		if ((p = text_behind(&t, "type ")) && text_find(&t, " bytes"))
			take_sizes(&t, &table, p);
		else if (!take_titles(&t, &table) && table.n)
			take_row(&t, &table);
	}
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_openssl(const char *head, size_t n)
{
	static const char *const marks[] = { "The 'numbers' are in 1000s of bytes per second",
					     "CPUINFO: OPENSSL_", NULL };

	return text_sniff(head, n, marks);
}

const struct reader reader_openssl = {
	.name = "openssl-speed",
	.help = "openssl speed: bytes and operations a second",
	.sniff = sniff_openssl,
	.read = read_openssl,
};
