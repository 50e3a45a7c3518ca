/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iperf3 -J (3.1 and later): {"start": {...}, "intervals": [...], "end": {"sum_sent": {"bits_per_second": ..., "retransmits": ...}, "sum_received": {...},
 * "cpu_utilization_percent": {"host_total": ..., "remote_total": ...}}}, of UDP also {"sum": {"jitter_ms": ..., "lost_percent": ...}}.
 *
 * What the receiver got counts. One result is one run: its intervals are within it, and not independent. CPU time is given by the Gbit, which
 * stays comparable when the throughput is not the same. An `error` is a problem even where an end is there: the test was cut short.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

#include <string.h>

static bool is_iperf3(const struct json *doc)
{
	return json_kind(json_member(doc, "start")) == JSON_IS_OBJECT &&
	       json_member(doc, "intervals") && json_member(doc, "end");
}

/* In percent of one processor of the host or the remote. */
static void take_cpu(struct gather *g, const struct json *end, const char *path, const char *name,
		     double bits_per_second)
{
	const struct gather_metric m = { name, "s/Gbit", BETTER_LOWER, true };
	double percent;

	if (json_to_number(end, path, &percent) && bits_per_second > 0)
		gather_value(g, &m, percent / 100 / (bits_per_second / 1e9), 0);
}

static const struct json *received(const struct json *end)
{
	const struct json *sum = json_member(end, "sum_received");

	return sum ? sum : json_member(end, "sum"); /* UDP before 3.7 */
}

static void read_iperf3(const struct json *doc, struct gather *g)
{
	static const struct gather_metric rate = { "throughput", "bit/s", BETTER_HIGHER, false };
	static const struct gather_metric back = { "reverse throughput", "bit/s", BETTER_HIGHER,
						   false };
	static const struct gather_metric again = { "retransmits", "", BETTER_LOWER, true };
	static const struct gather_metric jitter = { "jitter", "ms", BETTER_LOWER, true };
	static const struct gather_metric lost = { "lost", "%", BETTER_LOWER, true };
	const struct json *end = json_member(doc, "end");
	const char *error = json_to_text(doc, "error");
	double bits = 0;

	if (error) {
		gather_problem(g, NULL, 0, "iperf3 failed: %.200s", error);
		return;
	}
	if (!jsonvalue_take(g, &rate, received(end), "bits_per_second")) {
		gather_problem(g, "throughput", 10, "no bits_per_second in its end");
		return;
	}
	json_to_number(received(end), "bits_per_second", &bits);
	jsonvalue_take(g, &back, end, "sum_received_bidir_reverse.bits_per_second");
	jsonvalue_take(g, &again, end, "sum_sent.retransmits");
	jsonvalue_take(g, &jitter, end, "sum.jitter_ms");
	jsonvalue_take(g, &lost, end, "sum.lost_percent");
	take_cpu(g, end, "cpu_utilization_percent.host_total", "host cpu", bits);
	take_cpu(g, end, "cpu_utilization_percent.remote_total", "remote cpu", bits);
}

const struct reader reader_iperf3 = {
	.name = "iperf3",
	.help = "JSON of iperf3 (-J): what the receiver got, retransmits, CPU time by the Gbit",
	.json_is = is_iperf3,
	.json_read = read_iperf3,
};
