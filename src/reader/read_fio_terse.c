/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio-terse - fio --minimal (--output-format=terse), versions 2 to 5: one line a job, fields parted by semicolons.
 *
 * The names are those of the JSON reader, so that both can be set against each other; here latencies are in us. Each direction has a
 * block of fields, in 5 with six more; in 2, 4 and 5 trim follows read and write.
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <string.h>

enum {
	FIELDS_MAX = 256,
	BLOCK = 41,
	BLOCK_5 = 47,
	/* in a block */
	TOTAL_KIB = 0,
	BW_KIB = 1,
	IOPS = 2,
	RUNTIME_MS = 3,
	CLAT_MEAN = 10,
	PERCENTILES = 12,
	N_PERCENTILES = 20
};

struct field {
	const char *p;
	size_t n;
};
struct job {
	struct text *t;
	struct field f[FIELDS_MAX];
	size_t n;
};

static bool number(struct job *j, size_t at, const char *metric, struct value *ret)
{
	struct text t = *j->t;
	const char *p = j->f[at].p;

	t.line = p;
	t.n = j->f[at].n;
	return text_number(&t, &p, metric, ret);
}

static void put(struct job *j, const char *direction, const char *what, const char *unit,
		enum better better, bool side, const struct value *v)
{
	AUTO_FREE char *name = xasprintf("%s %s", direction, what);
	const struct gather_metric m = { name, unit, better, side };

	gather_value(j->t->g, &m, v->value, v->resolution);
}

/* "99.000000%=38" */
static void take_percentiles(struct job *j, const char *direction, size_t at)
{
	static const struct {
		const char *mark, *name;
		bool side;
	} rows[] = { { "50.000000%=", "clat p50", true },
		     { "99.000000%=", "clat p99", false },
		     { "99.900000%=", "clat p99.9", true } };

	for (size_t i = at; i < at + N_PERCENTILES; i++)
		for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
			size_t n = strlen(rows[k].mark);
			struct field *f = &j->f[i];
			struct value v;

			if (f->n <= n || memcmp(f->p, rows[k].mark, n) != 0)
				continue;
			f->p += n;
			f->n -= n;
			if (number(j, i, rows[k].name, &v))
				put(j, direction, rows[k].name, "us", BETTER_LOWER, rows[k].side,
				    &v);
		}
}

/* False if there was no I/O in that direction. */
static bool take_direction(struct job *j, const char *direction, size_t at)
{
	struct value total, bw, iops, clat;

	if (!number(j, at + TOTAL_KIB, "total", &total) || total.value <= 0)
		return false;
	if (number(j, at + IOPS, "iops", &iops))
		put(j, direction, "iops", "1/s", BETTER_HIGHER, false, &iops);
	if (number(j, at + BW_KIB, "bw", &bw))
		put(j, direction, "bw", "KiB/s", BETTER_HIGHER, true, &bw);
	if (number(j, at + CLAT_MEAN, "clat mean", &clat))
		put(j, direction, "clat mean", "us", BETTER_LOWER, true, &clat);
	take_percentiles(j, direction, at + PERCENTILES);
	return true;
}

static void take_job(struct job *j)
{
	static const char *const directions[] = { "read", "write", "trim" };
	int version = *j->f[0].p - '0';
	size_t name = version == 2 ? 1 : 2, first = name + 3;
	size_t block = version == 5 ? BLOCK_5 : BLOCK, blocks = version == 3 ? 2 : 3;
	struct value error, ctx;
	bool any = false;

	if (j->n < first + blocks * block + 3) {
		gather_problem(j->t->g, NULL, 0, "a line of fio with %zu fields of %zu: it was cut",
			       j->n, first + blocks * block + 3);
		return;
	}
	gather_bench(j->t->g, j->f[name].p, j->f[name].n);
	if (number(j, name + 2, "error", &error) && error.value > 0) {
		gather_problem(j->t->g, NULL, 0, "the job '%.*s' failed: %s", (int)j->f[name].n,
			       j->f[name].p, strerror(error.value < 4096 ? (int)error.value : 0));
		return;
	}
	for (size_t i = 0; i < blocks; i++)
		any = take_direction(j, directions[i], first + i * block) || any;
	if (!any)
		gather_problem(j->t->g, NULL, 0, "the job '%.*s' did no I/O", (int)j->f[name].n,
			       j->f[name].p);
	if (number(j, first + blocks * block + 2, "ctx", &ctx)) {
		const struct gather_metric m = { "ctx", "", BETTER_LOWER, true };

		gather_value(j->t->g, &m, ctx.value, ctx.resolution);
	}
}

/* "3;fio-3.33;", of version 2 "2;name;0;0;". */
static bool is_terse(const char *line, size_t n)
{
	if (n < 4 || *line < '2' || *line > '5' || line[1] != ';')
		return false;
	if (*line != '2')
		return n > 6 && !memcmp(line + 2, "fio-", 4);
	size_t semicolons = 0;

	for (size_t i = 0; i < n; i++)
		semicolons += line[i] == ';';
	return semicolons > 2 * BLOCK;
}

static int read_fio_terse(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	struct job *j = xcalloc(1, sizeof(*j));
	struct text t;

	j->t = &t;
	text_begin(&t, g, "fio --minimal", in->out, in->out_n);
	while (text_next(&t)) {
		const char *p = t.line, *end = t.line + t.n;

		if (!is_terse(t.line, t.n))
			continue;
		for (j->n = 0; p <= end && j->n < FIELDS_MAX; j->n++) {
			const char *stop = memchr(p, ';', (size_t)(end - p));

			stop = stop ? stop : end;
			j->f[j->n] = (struct field){ p, (size_t)(stop - p) };
			p = stop + 1;
		}
		take_job(j);
	}
	free(j);
	text_close(&t, in, NULL);
	return 0;
}

static bool sniff_fio_terse(const char *head, size_t n)
{
	struct text t;

	text_begin(&t, NULL, "", head, n);
	while (text_next(&t))
		if (is_terse(t.line, t.n))
			return true;
	return false;
}

const struct reader reader_fio_terse = {
	.name = "fio-terse",
	.help = "fio --minimal: iops, bandwidth and latencies of each job",
	.sniff = sniff_fio_terse,
	.read = read_fio_terse,
};
