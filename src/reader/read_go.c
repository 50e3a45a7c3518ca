/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go - the text of `go test -bench`, after the Go benchmark data format (golang.org/design/14313-benchmark-format):
 *
 *   pkg: example.org/x
 *   BenchmarkEncode/format=json-8    690848    1726 ns/op    64 B/op    2 allocs/op
 *
 * A name is a benchmark, each pair of a value and a unit one of its metrics; repeated lines (-count) are its samples. The word Benchmark goes, as in
 * benchstat; the -8 stays, for -cpu 1,2,4 gives three benchmarks. With several packages in one text the name begins with the package. "Unit X
 * better=higher" lines give the direction of units of one's own.
 *
 * This format is read by the hundred megabyte: a line is parsed once, and standard units are compared before anything is copied.
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <ctype.h>
#include <string.h>

enum { PAIRS_MAX = 64, UNIT_MAX = 79, NAME_MAX_LEN = 400 };

static const struct {
	struct gather_metric m;
	size_t unit_n;
} known[] = {
	{ { "time", "ns/op", BETTER_LOWER, false }, 5 },
	{ { "time", "us/op", BETTER_LOWER, false },
	  5 }, /* of benchmarks that report it by themselves */
	{ { "time", "µs/op", BETTER_LOWER, false }, 6 },
	{ { "time", "ms/op", BETTER_LOWER, false }, 5 },
	{ { "time", "s/op", BETTER_LOWER, false }, 4 },
	{ { "memory", "B/op", BETTER_LOWER, false }, 4 },
	{ { "allocations", "allocs/op", BETTER_LOWER, false }, 9 },
	{ { "throughput", "MB/s", BETTER_HIGHER, true }, 4 }, /* the inverse of the time */
};

struct pair {
	struct value v;
	const char *unit;
	size_t unit_n;
};
struct directions {
	struct direction {
		char *unit;
		enum better better;
	} * v;
	size_t n, cap;
};
struct go {
	struct text t;
	struct directions directions;
	const char *pkg; /* if there are several */
	size_t pkg_n;
	bool several;
};

/* By the text's own word, then by the usual forms of Go's units: "p99-ns", "ns/GC", "bytes-from-system". */
static enum better direction(const struct go *x, const char *unit)
{
	size_t n = strlen(unit);

	for (size_t i = 0; i < x->directions.n; i++)
		if (!strcmp(x->directions.v[i].unit, unit))
			return x->directions.v[i].better;
	if (!strncmp(unit, "ns/", 3) || (n > 3 && !strcmp(unit + n - 3, "-ns")) ||
	    !strncmp(unit, "B/", 2) || strstr(unit, "bytes"))
		return BETTER_LOWER;
	return BETTER_UNKNOWN;
}

static void add_pair(struct go *x, const struct pair *p)
{
	char unit[UNIT_MAX + 1];

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (known[i].unit_n == p->unit_n && !memcmp(known[i].m.unit, p->unit, p->unit_n)) {
			gather_value(x->t.g, &known[i].m, p->v.value, p->v.resolution);
			return;
		}
	memcpy(unit, p->unit, p->unit_n);
	unit[p->unit_n] = '\0';
	text_add(&x->t, unit, unit, direction(x, unit), &p->v);
}

static void name_bench(struct go *x, const char *name, size_t n)
{
	char text[2 * NAME_MAX_LEN + 2];

	if (!x->several) {
		gather_bench(x->t.g, name, n);
		return;
	}
	memcpy(text, x->pkg, x->pkg_n);
	text[x->pkg_n] = '.';
	memcpy(text + x->pkg_n + 1, name, n);
	gather_bench(x->t.g, text, x->pkg_n + 1 + n);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* "1726 ns/op  64 B/op" at p, to the line's end. 0 if it is anything else: a log line that got between. */
static size_t take_pairs(struct go *x, const char *p, struct pair *pairs)
{
	const char *end = x->t.line + x->t.n;
	size_t n = 0;

	for (; p < end; n++) {
		struct pair *pair = &pairs[n];

		if (n == PAIRS_MAX || !text_number(&x->t, &p, "time", &pair->v) || p == end ||
		    !is_blank(*p))
			return 0;
		while (p < end && is_blank(*p))
			p++;
		pair->unit = p;
		while (p < end && !is_blank(*p))
			p++;
		pair->unit_n = (size_t)(p - pair->unit);
		if (!pair->unit_n || pair->unit_n > UNIT_MAX)
			return 0;
		while (p < end && is_blank(*p))
			p++;
	}
	return n;
}

static bool take_result(struct go *x)
{
	struct pair pairs[PAIRS_MAX];
	const char *name = x->t.line + strlen("Benchmark"), *name_end, *p;
	size_t n;

	if (x->t.n < strlen("Benchmark") || memcmp(x->t.line, "Benchmark", strlen("Benchmark")) ||
	    islower((unsigned char)*name))
		return false;
	name_end = text_word_end(&x->t, name);
	p = text_next_word(&x->t, name_end);
	if (!isdigit((unsigned char)*p) || name_end - name > NAME_MAX_LEN)
		return false;
	while (isdigit((unsigned char)*p))
		p++;
	if (*p != ' ' && *p != '\t')
		return false;
	n = take_pairs(x, text_next_word(&x->t, p), pairs);
	if (!n)
		return false;
	name_bench(x, name, (size_t)(name_end - name));
	for (size_t i = 0; i < n; i++)
		add_pair(x, &pairs[i]);
	return true;
}

/* "Unit req/s better=higher" */
static void take_unit(struct go *x, const char *unit)
{
	const char *end = text_word_end(&x->t, unit), *better = text_find(&x->t, " better=");
	struct direction d = { NULL, BETTER_UNKNOWN };

	if (!better || better < end)
		return;
	better += strlen(" better=");
	if (!strncmp(better, "higher", 6))
		d.better = BETTER_HIGHER;
	else if (!strncmp(better, "lower", 5))
		d.better = BETTER_LOWER;
	else
		return;
	d.unit = xstrndup(unit, (size_t)(end - unit));
	ARRAY_PUSH(&x->directions, d);
}

static void take_line(struct go *x)
{
	const char *p;

	if (take_result(x))
		return;
	if ((p = text_behind(&x->t, "pkg:"))) {
		x->pkg = p;
		x->pkg_n = (size_t)(x->t.line + x->t.n - p);
		if (x->pkg_n > NAME_MAX_LEN)
			x->pkg_n = NAME_MAX_LEN;
	} else if ((p = text_behind(&x->t, "Unit "))) {
		take_unit(x, p);
	} else if ((p = text_behind(&x->t, "--- FAIL:"))) {
		gather_problem(x->t.g, NULL, 0, "a test or benchmark failed: '%.*s'",
			       (int)(x->t.n < 80 ? x->t.n : 80), x->t.line);
	}
}

/* Do two packages' results stand in the text? Colons are rare in it, so that they are quicker to look for than the word. */
static bool has_several(const char *text, size_t n)
{
	const char *end = text + n, *first = NULL;
	size_t first_n = 0;

	for (const char *p = text; (p = memchr(p, ':', (size_t)(end - p))); p++) {
		const char *name = p + 1;
		size_t line_n = strcspn(name, "\r\n");

		if (p - text < 3 || memcmp(p - 3, "pkg", 3) != 0 || (p - 3 > text && p[-4] != '\n'))
			continue;
		if (first && (line_n != first_n || memcmp(name, first, line_n) != 0))
			return true;
		first = name;
		first_n = line_n;
	}
	return false;
}

static int read_go(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	struct go x = { .pkg = "", .several = has_several(in->out, in->out_n) };

	text_begin(&x.t, g, "go test -bench", in->out, in->out_n);
	while (text_next(&x.t))
		take_line(&x);
	for (size_t i = 0; i < x.directions.n; i++)
		free(x.directions.v[i].unit);
	free(x.directions.v);
	text_close(&x.t, in, NULL);
	return 0;
}

/* "BenchmarkX-8   100   12 ns/op" */
static bool sniff_go(const char *head, size_t n)
{
	struct text t;

	text_begin(&t, NULL, "", head, n);
	while (text_next(&t)) {
		const char *p = text_next_word(&t, t.line);

		if (t.n > 10 && !memcmp(t.line, "Benchmark", 9) &&
		    !islower((unsigned char)t.line[9]) && isdigit((unsigned char)*p) &&
		    isdigit((unsigned char)*text_next_word(&t, p)))
			return true;
	}
	return false;
}

const struct reader reader_go = {
	.name = "go",
	.help = "the benchmark lines of go test -bench; lines of -count are samples",
	.sniff = sniff_go,
	.read = read_go,
};
