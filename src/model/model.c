/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"

#include <string.h>
#include <strings.h>

/* One table per enum; index = value. */
static const char *const outcome_names[] = { "ok", "failed", "timeout", "crashed", "skipped" };
static const char *const better_names[] = { "unknown", "lower", "higher" };
static const char *const verdict_names[] = { "slower", "faster", "on-par", "undecided",
					     "identical" };
static const char *const answer_names[] = { "named", "set", "no-change", "multiple", "undecided" };
static const char *const evidence_names[] = { "measured", "emulated", "model", "imported" };

static bool find(const char *const *names, size_t n, const char *name, size_t *ret)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name)) {
			*ret = i;
			return true;
		}
	return false;
}

/* The two accessors of an enum, from its table. */
#define NAMES(type, table)                                                                         \
	const char *type##_name(enum type v)                                                       \
	{                                                                                          \
		return (size_t)v < ARRAY_LEN(table) ? table[v] : "?";                              \
	}                                                                                          \
	bool type##_parse(const char *name, enum type *ret)                                        \
	{                                                                                          \
		size_t i;                                                                          \
                                                                                                   \
		if (!find(table, ARRAY_LEN(table), name, &i))                                      \
			return false;                                                              \
		*ret = (enum type)i;                                                               \
		return true;                                                                       \
	}

NAMES(outcome, outcome_names)
NAMES(better, better_names)
NAMES(verdict, verdict_names)
NAMES(answer, answer_names)
NAMES(evidence, evidence_names)

static bool has_word(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcasestr(text, *words))
			return true;
	return false;
}

static bool is_time_unit(const char *unit)
{
	static const char *const units[] = { "s",     "ms",    "us",   "ns",	  "sec",
					     "usec",  "msec",  "min",  "seconds", "ms/op",
					     "ns/op", "us/op", "s/op", NULL };

	for (const char *const *u = units; *u; u++)
		if (!strcasecmp(unit, *u))
			return true;
	return false;
}

static bool is_rate_unit(const char *unit)
{
	size_t n = strlen(unit);

	return (n >= 2 && !strcasecmp(unit + n - 2, "/s")) ||
	       (n >= 4 && !strcasecmp(unit + n - 4, "/sec")) ||
	       (n >= 3 && !strcasecmp(unit + n - 3, "bps"));
}

enum better better_guess(const char *metric, const char *unit)
{
	static const char *const higher[] = { "throughput", "per_second", "per_sec", "ops_s",
					      "ops/s",	    "qps",	  "iops",    "rps",
					      "tps",	    "bandwidth",  "score",   "rate_hit",
					      "fps",	    "mbps",	  "_bw",     "_ops",
					      "per-sec",    "per-min",	  "per_min", NULL };
	static const char *const lower[] = {
		"time", "latency",	"duration", "elapsed", "wall",	"user",	  "sys",
		"miss", "instructions", "cycles",   "fault",   "rss",	"memory", "peak",
		"size", "cost",		"alloc",    "bytes",   "delay", "stall",  NULL
	};

	if (is_rate_unit(unit))
		return BETTER_HIGHER;
	if (is_time_unit(unit))
		return BETTER_LOWER;
	if (has_word(metric, higher))
		return BETTER_HIGHER;
	if (has_word(metric, lower) || !strcmp(unit, "B") || !strcmp(unit, "KiB") ||
	    !strcmp(unit, "MiB"))
		return BETTER_LOWER;
	return BETTER_UNKNOWN;
}

const char *verdict_word(enum verdict v, const char *metric, const char *unit)
{
	static const char *const speed[] = { "time", "latency", "throughput", "wall",
					     "user", "sys",	"ops",	      NULL };
	bool is_speed = is_time_unit(unit) || is_rate_unit(unit) || has_word(metric, speed);

	switch (v) {
	case VERDICT_SLOWER:
		return is_speed ? "slower" : "worse";
	case VERDICT_FASTER:
		return is_speed ? "faster" : "better";
	case VERDICT_ON_PAR:
		return "on par";
	case VERDICT_UNDECIDED:
		return "undecided";
	case VERDICT_IDENTICAL:
		return "identical";
	}
	return "?";
}

void readings_add(struct readings *r, const char *metric, const char *unit, double value,
		  double resolution, enum better better, bool counter)
{
	struct reading *x = ARRAY_GROW(r);

	x->metric = xstrdup(metric);
	x->unit = xstrdup(unit);
	x->value = value;
	x->resolution = resolution;
	x->better = better;
	x->counter = counter;
}

void readings_add_copy(struct readings *r, const struct reading *x)
{
	readings_add(r, x->metric, x->unit, x->value, x->resolution, x->better, x->counter);
}

const struct reading *readings_find(const struct readings *r, const char *metric)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->v[i].metric, metric))
			return &r->v[i];
	return NULL;
}

void readings_done(struct readings *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i].metric);
		free(r->v[i].unit);
	}
	free(r->v);
	*r = (struct readings){ 0 };
}
