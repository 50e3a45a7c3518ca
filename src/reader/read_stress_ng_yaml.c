/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stress-ng --yaml FILE (with --metrics; 0.12 and later):
 *
 *   metrics:
 *       - stressor: clone
 *         bogo-ops: 292
 *         bogo-ops-per-second-real-time: 289.31
 *         microsecs-per-clone: 1464.79
 *
 * Read by its lines: stress-ng writes each as "key: value", and a whole parser would refuse a file that was cut short, whose first stressors are good. What is
 * outside of `metrics:` (the machine, the time stamps) is passed over. Names are those of the reader of its table (read_stress_ng.c); what else a
 * stressor gives keeps its own.
 */
#include "reader/reader.h"

#include "reader/formats.h"
#include "reader/scan.h"

#include <string.h>

struct place {
	bool in_metrics, in_stressor;
};

static bool begins(const char *line, size_t n, const char *word)
{
	size_t w = strlen(word);

	return n >= w && !memcmp(line, word, w);
}

static bool is_stress_ng_yaml(const char *head, size_t n)
{
	const char *at = head, *line;
	size_t line_n;
	bool in_metrics = false;

	while (scan_line(&at, head + n, &line, &line_n)) {
		in_metrics = in_metrics || (line_n == 8 && begins(line, line_n, "metrics:"));
		if (in_metrics && begins(line, line_n, "- stressor: "))
			return true;
	}
	return false;
}

static void take(struct gather *g, const struct scan_pair *p)
{
	static const struct {
		const char *key;
		struct gather_metric m;
	} known[] = {
		{ "bogo-ops-per-second-real-time",
		  { "bogo-ops/s", "ops/s", BETTER_HIGHER, false } },
		{ "bogo-ops-per-second-usr-sys-time",
		  { "bogo-ops/cpu-s", "ops/s", BETTER_HIGHER, true } },
		{ "bogo-ops", { "bogo-ops", "", BETTER_HIGHER, true } },
		{ "wall-clock-time", { "wall-clock-time", "s", BETTER_LOWER, true } },
		{ "user-time", { "user-time", "s", BETTER_LOWER, true } },
		{ "system-time", { "system-time", "s", BETTER_LOWER, true } },
		{ "cpu-usage-per-instance", { "cpu-usage", "%", BETTER_UNKNOWN, true } },
		{ "max-rss", { "max-rss", "KiB", BETTER_LOWER, true } },
	};
	AUTO_FREE char *name = xstrndup(p->name, p->name_n);
	struct gather_metric other = { name, "", BETTER_UNKNOWN, true };

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(name, known[i].key)) {
			gather_value(g, &known[i].m, p->value, p->resolution);
			return;
		}
	if (starts_with(name, "microsecs-per-") || starts_with(name, "nanosecs-per-")) {
		other.unit = *name == 'm' ? "us" : "ns";
		other.better = BETTER_LOWER;
	}
	gather_value(g, &other, p->value, p->resolution);
}

static void read_line(struct gather *g, struct place *at, const char *raw, const char *line,
		      size_t n)
{
	static const char item[] = "- stressor: ";
	struct scan_pair p;

	if (line == raw && n && *line != '-' && *line != '#') /* a key of the whole file */
		at->in_metrics = n == 8 && begins(line, n, "metrics:");
	if (!at->in_metrics)
		return;
	if (begins(line, n, item)) {
		gather_bench(g, line + sizeof(item) - 1, n - sizeof(item) + 1);
		at->in_stressor = true;
	} else if (at->in_stressor && scan_pair(line, n, &p)) {
		take(g, &p);
	}
}

static int read_stress_ng_yaml(const struct reader_input *in, struct gather *g,
			       struct err *e UNUSED)
{
	const char *at = in->out, *line;
	struct place place = { false, false };
	size_t n;

	for (const char *raw = at; scan_line(&at, in->out + in->out_n, &line, &n); raw = at)
		read_line(g, &place, raw, line, n);
	if (!gather_any(g))
		gather_problem(
			g, NULL, 0,
			"no metrics of a stressor in it: stress-ng writes them with --metrics");
	return 0;
}

const struct reader reader_stress_ng_yaml = {
	.name = "stress-ng-yaml",
	.help = "YAML of stress-ng (--metrics --yaml FILE): rates, times and what else a stressor gives",
	.sniff = is_stress_ng_yaml,
	.read = read_stress_ng_yaml,
};
