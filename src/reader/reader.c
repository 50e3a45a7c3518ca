/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader - the table of formats, and what holds for all of them.
 *
 * A file's format is found by looking: JSON by the keys of its first value, once that is parsed (a name within some
 * string cannot mislead it, and it is parsed once); text by its beginning; what fits none is a column of numbers or nothing.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsondocs.h"

#include <stdio.h>
#include <string.h>

enum { METRICS_MAX = 1000, FILE_METRICS_MAX = 20000, HEAD_MAX = 64 << 10 };

/* In the order in which a file is tried: JSON by its keys, text by its beginning. */
const struct reader *const readers[] = {
	&reader_lines,
	&reader_regex,
	&reader_exit_status,
	&reader_stress_ng,
	&reader_fio,
	&reader_hyperfine,
	&reader_google_benchmark,
	&reader_iperf3,
	&reader_pyperf,
	&reader_pytest,
	&reader_jmh,
	&reader_criterion,
	&reader_asv,
	&reader_memtier,
	&reader_mmtests,
	&reader_perf_json,
	&reader_flat, /* fits much: the last of JSON */
	&reader_stress_ng_yaml,
	&reader_pts,
	&reader_junit,
	/* text: where one could be taken for another, the narrower first */
	&reader_netperf,
	&reader_ping,
	&reader_memaslap,
	&reader_sysbench,
	&reader_sockperf,
	&reader_redis_benchmark,
	&reader_wrk,
	&reader_pgbench,
	&reader_perf_bench,
	&reader_hackbench,
	&reader_iperf3_text,
	&reader_openssl,
	&reader_go,
	&reader_fio_terse,
	&reader_perf_stat,
	&reader_time,
	&reader_csv,
	&reader_ministat,
	NULL,
};

void reader_result_done(struct reader_result *r)
{
	readings_done(&r->readings);
	strvec_done(&r->notes);
}

int reader_find(const char *name, const struct reader **ret, struct err *e)
{
	AUTO(str) struct str list = STR_INIT;
	const char *near = NULL;
	unsigned best = 3;

	if (!name)
		name = "lines";
	for (const struct reader *const *r = readers; *r; r++) {
		unsigned d = str_distance(name, (*r)->name);

		if (d == 0) {
			*ret = *r;
			return 0;
		}
		if (d < best) {
			best = d;
			near = (*r)->name;
		}
		str_addf(&list, "%s%s", list.n ? ", " : "", (*r)->name);
	}
	if (near)
		return err_set(e, ERR_USAGE, "no reader '%s', did you mean '%s'?", name, near);
	return err_set(e, ERR_USAGE, "no reader '%s'; there are: %s", name, list.p);
}

/* --- JSON ----------------------------------------------------------------------------------------------------------- */

static const struct reader *json_reader(const struct json *doc)
{
	for (const struct reader *const *r = readers; *r; r++)
		if ((*r)->json_is && (*r)->json_is(doc))
			return *r;
	return NULL;
}

/* The first keys of a value that no format knows, for the message. */
static void put_keys(const struct json *doc, struct str *out)
{
	const char *key;
	void *iter = NULL;
	unsigned n = 0;

	if (json_kind(doc) == JSON_IS_ARRAY)
		doc = json_at(doc, 0);
	while (json_kind(doc) == JSON_IS_OBJECT && n < 4 && json_next(doc, &iter, &key))
		str_addf(out, "%s'%.30s'", n++ ? ", " : "; its keys are ", key);
	if (json_kind(doc) == JSON_IS_OBJECT && json_count(doc) > n)
		str_puts(out, ", ...");
}

static int unknown_json(const char *name, const struct json *doc, struct err *e)
{
	AUTO(str) struct str tried = STR_INIT, keys = STR_INIT;

	for (const struct reader *const *r = readers; *r; r++)
		if ((*r)->json_is)
			str_addf(&tried, "%s%s", tried.n ? ", " : "", (*r)->name);
	put_keys(doc, &keys);
	str_make_printable(&keys);
	return err_set(e, ERR_USAGE, "%s: JSON of no known format%s (tried: %s)", name, keys.p,
		       tried.p);
}

/* All values of a text. *r NULL: the first one's keys say whose they are. A problem of the contents is the gather's. */
static int read_docs(const struct reader **r, const char *text, size_t n, const char *name,
		     struct gather *g, struct err *e)
{
	struct jsondocs docs;
	int x = 0;
	size_t count = 0;

	if (n > (size_t)JSONDOCS_MAX_MIB << 20)
		return err_set(e, ERR_USAGE, "%s: %zu MiB of JSON, more than the %d that are read",
			       name, n >> 20, JSONDOCS_MAX_MIB);
	jsondocs_init(&docs, text, n, name);
	while (x == 0 && !gather_has_problem(g)) {
		__attribute__((cleanup(json_root_done))) struct json *doc = NULL;

		x = jsondocs_next(&docs, &doc, e);
		if (x <= 0)
			break;
		x = 0;
		count++;
		if (!*r)
			*r = json_reader(doc);
		if (!*r)
			x = unknown_json(name, doc, e);
		else if (!(*r)->json_is(doc))
			x = err_set(e, ERR_USAGE, "%s:%u: this JSON is not what %s writes", name,
				    docs.line, (*r)->name);
		else
			(*r)->json_read(doc, g);
	}
	jsondocs_done(&docs);
	if (x == 0 && !count)
		x = err_set(e, ERR_USAGE, "%s: no JSON in it", name);
	return x;
}

/* --- a run ---------------------------------------------------------------------------------------------------------- */

static int read_run(const struct reader *r, const struct reader_input *in, struct gather *g,
		    struct err *e)
{
	struct err why = ERR_INIT;

	if (!r->json_read)
		return r->read(in, g, e);
	if (read_docs(&r, in->out, in->out_n, "its output", g, &why) < 0)
		gather_problem(g, NULL, 0, "%s", why.msg);
	return 0;
}

int reader_read(const struct reader *r, const struct reader_input *in, struct reader_result *ret,
		struct err *e)
{
	AUTO(gather_ptr) struct gather *g = gather_new(false, METRICS_MAX);
	const char *metric;

	*ret = (struct reader_result){ 0 };
	int x = read_run(r, in, g, e);

	gather_take_readings(g, &ret->readings, &ret->notes);
	snprintf(ret->problem, sizeof(ret->problem), "%s", gather_why(g, &metric));
	snprintf(ret->problem_metric, sizeof(ret->problem_metric), "%s", metric);
	ret->whole = gather_whole(g);
	return x;
}

/* --- a file --------------------------------------------------------------------------------------------------------- */

const struct reader *reader_guess(const char *text, size_t n)
{
	for (const struct reader *const *r = readers; *r; r++)
		if ((*r)->sniff && (*r)->sniff(text, n < HEAD_MAX ? n : HEAD_MAX))
			return *r;
	return NULL;
}

/* Numbers, or none of the formats. A file whose first line is understood is one of numbers with a mistake further down. */
static int read_numbers(const char *text, size_t n, const char *name, struct numbers *ret,
			struct err *e)
{
	AUTO(str) struct str tried = STR_INIT;
	bool is_begun;
	struct err why = ERR_INIT;
	int x = numbers_parse(text, n, name, ret, &is_begun, &why);

	if (x >= 0)
		return x;
	if (is_begun)
		return err_set(e, why.kind, "%s", why.msg);
	for (const struct reader *const *r = readers; *r; r++)
		if ((*r)->sniff || (*r)->json_is)
			str_addf(&tried, ", %s", (*r)->name);
	return err_set(e, ERR_USAGE, "%.300s (tried: numbers%s)", why.msg, tried.p);
}

static int read_text(const struct reader *r, const char *text, size_t n, struct gather *g,
		     struct err *e)
{
	const struct reader_input in = { .out = text, .out_n = n, .err = "" };

	return r->read(&in, g, e);
}

int reader_file(const struct reader *r, const char *text, size_t n, const char *name,
		struct numbers *ret, const char **ret_format, struct err *e)
{
	AUTO(gather_ptr) struct gather *g = gather_new(true, FILE_METRICS_MAX);
	bool at_once = false, is_json = jsondocs_sniff(text, n < HEAD_MAX ? n : HEAD_MAX, &at_once);
	const char *label = strcmp(name, "-") ? name : "standard input";
	int x;

	if (r && r->any_status)
		return err_set(e, ERR_USAGE, "the reader '%s' reads no files", r->name);
	if (n >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
		return err_set(
			e, ERR_USAGE,
			"%s: this is text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8",
			label);
	if (!r && !at_once)
		r = reader_guess(text, n);
	if (!r && !is_json) {
		*ret_format = "numbers";
		return read_numbers(text, n, name, ret, e);
	}
	x = r && !r->json_read ? read_text(r, text, n, g, e) : read_docs(&r, text, n, label, g, e);
	if (x < 0)
		return x;
	*ret_format = r->name;
	if (gather_has_problem(g))
		return err_set(e, ERR_USAGE, "%s: %s", label, gather_why(g, NULL));
	if (!gather_any(g)) {
		const char *note = gather_first_note(g);

		return err_set(e, ERR_USAGE, "%s: no value in it that %s knows%s%s", label, r->name,
			       note ? "; " : "", note ? note : "");
	}
	gather_take_numbers(g, ret);
	return 0;
}

const char *reader_no_number(const struct strvec *notes, const char *metric)
{
	size_t n = strlen(metric);

	for (size_t i = 0; n && i < notes->n; i++) {
		const char *text = notes->v[i], *end = strstr(text, ": no number, ");

		for (const char *p = text; end && (p = strstr(p, metric)) && p < end; p += n)
			if ((p == text || p[-1] == ' ') && (p + n == end || p[n] == ','))
				return end + 2;
	}
	return NULL;
}
