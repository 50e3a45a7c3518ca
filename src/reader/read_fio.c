/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio --output-format=json or json+ (2.x and 3.x): {"fio version": ..., "jobs": [{"jobname": "rr", "error": 0, "read": {"iops": ..., "clat_ns":
 * {"mean": ..., "percentile": {"99.000000": ...}}}, "write": {...}, "usr_cpu": ..., "ctx": ...}]}; of a client "client_stats" in the place of "jobs".
 *
 * A job gives iops, bandwidth and completion latency of each direction in which it did anything, and what an operation cost in CPU time. Latencies
 * are in ns since 3.0 (clat_ns) and were in us before (clat). One result is one run, so jobs of one name in it (numjobs without group_reporting)
 * are not its samples but parts of it: the second is "NAME#2". What json+ adds (bins) is not needed.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

#include <string.h>

static const char *const directions[] = { "read", "write", "trim" };

static const struct json *jobs_of(const struct json *doc)
{
	const struct json *jobs = json_member(doc, "jobs");

	return jobs ? jobs : json_member(doc, "client_stats");
}

static bool is_fio(const struct json *doc)
{
	return json_member(doc, "fio version") && json_kind(jobs_of(doc)) == JSON_IS_ARRAY;
}

static void take(struct gather *g, const char *direction, const char *what, const char *unit,
		 enum better better, bool side, const struct json *v)
{
	AUTO_FREE char *name = xasprintf("%s %s", direction, what);
	const struct gather_metric m = { name, unit, better, side };

	jsonvalue_take(g, &m, v, NULL);
}

static void take_latency(struct gather *g, const char *direction, const struct json *d)
{
	static const struct {
		const char *key, *name;
		bool side;
	} percentiles[] = {
		{ "50.000000", "clat p50", true },
		{ "99.000000", "clat p99", false },
		{ "99.900000", "clat p99.9", true },
	};
	const struct json *clat = json_member(d, "clat_ns");
	const char *unit = clat ? "ns" : "us";

	if (!clat)
		clat = json_member(d, "clat");
	take(g, direction, "clat mean", unit, BETTER_LOWER, true, json_member(clat, "mean"));
	for (size_t i = 0; i < ARRAY_LEN(percentiles); i++)
		take(g, direction, percentiles[i].name, unit, BETTER_LOWER, percentiles[i].side,
		     json_member(json_member(clat, "percentile"), percentiles[i].key));
}

/* How many operations were done in a direction. */
static double take_direction(struct gather *g, const char *direction, const struct json *d)
{
	double ops = 0, bytes = 0, kb;

	json_to_number(d, "total_ios", &ops);
	json_to_number(d, "io_bytes", &bytes);
	if (!(ops > 0) && !(bytes > 0))
		return 0;
	take(g, direction, "iops", "ops/s", BETTER_HIGHER, false, json_member(d, "iops"));
	if (json_member(d, "bw_bytes"))
		take(g, direction, "bw", "B/s", BETTER_HIGHER, true, json_member(d, "bw_bytes"));
	else if (json_to_number(d, "bw", &kb))
		take(g, direction, "bw", "KiB/s", BETTER_HIGHER, true, json_member(d, "bw"));
	take_latency(g, direction, d);
	return ops;
}

/* CPU time an operation, from the shares of the job's runtime (ms) that fio gives in percent. */
static void take_cpu(struct gather *g, const struct json *job, double ops)
{
	static const struct gather_metric cost = { "cpu/op", "us", BETTER_LOWER, true };
	static const struct gather_metric ctx = { "ctx", "", BETTER_LOWER, true };
	double user, system, runtime;

	if (ops > 0 && json_to_number(job, "usr_cpu", &user) &&
	    json_to_number(job, "sys_cpu", &system) && json_to_number(job, "job_runtime", &runtime))
		gather_value(g, &cost, (user + system) / 100 * runtime * 1000 / ops, 0);
	jsonvalue_take(g, &ctx, job, "ctx");
}

/* "rr", and "rr#2" for the second of that name before `i`. */
static char *job_name(const struct json *jobs, size_t i)
{
	const char *name = json_to_text(json_at(jobs, i), "jobname");
	unsigned number = 1;

	for (size_t k = 0; name && k < i; k++) {
		const char *other = json_to_text(json_at(jobs, k), "jobname");

		number += other && !strcmp(name, other);
	}
	if (!name)
		return xasprintf("job %zu", i + 1);
	return number > 1 ? xasprintf("%s#%u", name, number) : xstrdup(name);
}

static void take_job(struct gather *g, const struct json *job, const char *name)
{
	int64_t failed = 0;
	double ops = 0;

	if (json_to_int(job, "error", &failed) && failed) {
		gather_problem(g, NULL, 0, "the job '%.80s' failed: %s", name,
			       strerror((int)(failed > 0 && failed < 4096 ? failed : 0)));
		return;
	}
	jsonvalue_bench(g, name);
	for (size_t i = 0; i < ARRAY_LEN(directions); i++)
		ops += take_direction(g, directions[i], json_member(job, directions[i]));
	if (ops > 0)
		take_cpu(g, job, ops);
}

static void read_fio(const struct json *doc, struct gather *g)
{
	const struct json *jobs = jobs_of(doc);

	if (!json_count(jobs))
		gather_problem(g, NULL, 0, "its list of jobs is empty");
	for (size_t i = 0; i < json_count(jobs); i++) {
		AUTO_FREE char *name = job_name(jobs, i);

		take_job(g, json_at(jobs, i), name);
	}
	if (!gather_any(g))
		gather_problem(g, NULL, 0, "no job of it did any I/O");
}

const struct reader reader_fio = {
	.name = "fio",
	.help = "JSON of fio (--output-format=json or json+): iops, bandwidth and completion latency by job",
	.json_is = is_fio,
	.json_read = read_fio,
};
