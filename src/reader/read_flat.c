/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flat - an object whose members are numbers, or lists of numbers of one length: LKP's stats.json ({"netperf.Throughput_Mbps": 63063.7, "perf-stat.i.cache-misses":
 * 20996134, "stats_source": "..."}) and matrix.json (the same keys with a list, a column for each run), and whatever others write so.
 *
 * The last one that is tried. In LKP's what its monitors and its set-up say is beside the point: the benchmark is what remains. Texts are passed over.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/jsonvalue.h"

#include <string.h>

static bool is_numbers(const struct json *v)
{
	enum json_kind first = json_kind(json_at(v, 0));

	if (json_kind(v) == JSON_IS_ARRAY)
		return json_count(v) && (first == JSON_IS_INT || first == JSON_IS_REAL);
	return json_kind(v) == JSON_IS_INT || json_kind(v) == JSON_IS_REAL;
}

static bool is_flat(const struct json *doc)
{
	const struct json *v;
	const char *key;
	void *iter = NULL;
	bool any = false;

	if (json_kind(doc) != JSON_IS_OBJECT)
		return false;
	while ((v = json_next(doc, &iter, &key))) {
		bool is = is_numbers(v);

		any = any || is;
		if (!is && json_kind(v) != JSON_IS_STRING && json_kind(v) != JSON_IS_NULL &&
		    json_kind(v) != JSON_IS_BOOL)
			return false;
	}
	return any;
}

/* What LKP's monitors, its set-up and the kernel's own counters are called. */
static bool is_monitor(const char *key)
{
	static const char *const names[] = {
		"perf-stat", "perf-sched", "perf-profile", "vmstat",	 "proc-vmstat", "meminfo",
		"slabinfo",  "numa-",	   "sched_debug",  "interrupts", "softirqs",	"mpstat",
		"iostat",    "cpuidle",	   "turbostat",	   "time.",	 "boot-time.",	"uptime.",
		"dmesg.",    "kmsg.",	   "last_state.",  "stderr.",	 "diskstats",	"kprobe",
	};
	const char *first = strchr(key, '.');

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (starts_with(key, names[i]))
			return true;
	/* GNU time's of the benchmark: "netperf.time.user_time" */
	return first && starts_with(first, ".time.");
}

static void read_flat(const struct json *doc, struct gather *g)
{
	const struct json *v;
	const char *key;
	void *iter = NULL;

	while ((v = json_next(doc, &iter, &key))) {
		const struct gather_metric m = { key, "", better_guess(key, ""), is_monitor(key) };

		if (!is_numbers(v))
			continue;
		if (json_kind(v) == JSON_IS_ARRAY)
			jsonvalue_take_list(g, &m, v, NULL);
		else
			jsonvalue_take(g, &m, v, NULL);
	}
}

const struct reader reader_flat = {
	.name = "flat",
	.help = "LKP's stats.json and matrix.json, and any JSON object of numbers or lists of numbers",
	.json_is = is_flat,
	.json_read = read_flat,
};
