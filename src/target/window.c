/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "target/window.h"

#include "bench/section.h"
#include "text/json.h"

#include <stdio.h>
#include <string.h>

static char *metric_name(const char *key)
{
	AUTO(str) struct str name = STR_INIT;

	str_puts(&name, key);
	if (!strcmp(key, "user") || !strcmp(key, "kernel"))
		str_puts(&name, "-instructions");
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '_')
			name.p[i] = '-';
	return str_take(&name);
}

int window_readings(const char *line, struct readings *ret, struct err *e)
{
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;
	void *iter = NULL;
	const struct json *v;
	const char *key;
	int r = json_parse(line, strlen(line), "the plug-in's line", &root, e);

	if (r < 0 || !json_get(root, "instructions"))
		return err_set(e, ERR_BROKEN, "what the plug-in wrote is no window: '%.80s'", line);
	while ((v = json_next(root, &iter, &key))) {
		double x;

		if (!json_to_number(v, NULL, &x) || !strcmp(key, "run"))
			continue;
		AUTO_FREE char *name = metric_name(key);

		readings_add(ret, name, "", x, 1, BETTER_LOWER, true);
	}
	return 0;
}

int window_functions(const char *line, struct str *out, struct err *e)
{
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;
	const struct json *list;
	int r = json_parse(line, strlen(line), "the plug-in's line", &root, e);

	if (r < 0)
		return r;
	list = json_get(root, "symbols");
	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *row = json_at(list, i);
		const char *name = json_to_text(json_at(row, 0), NULL);
		int64_t counts[4] = { 0 };

		for (size_t k = 0; k < ARRAY_LEN(counts); k++)
			if (!json_to_int(json_at(row, k + 1), NULL, &counts[k]))
				name = NULL;
		if (!name)
			return err_set(e, ERR_BROKEN,
				       "what the plug-in wrote of functions is broken at entry %zu",
				       i);
		section_put_function(out, name, counts);
	}
	return 0;
}

/* Rows of the guest's frame (guest/counters.h): a row of this name, or of a CPU's share of it, is added to the metric. */
static const struct {
	const char *row, *metric;
} events[] = {
	{ "stat.ctxt", "context-switches" },
	{ "stat.processes", "forks" },
	{ "vmstat.pgfault", "page-faults" },
	{ "stat.intr", "interrupts" },
	{ "irq.RES", "ipis" },
	{ "irq.CAL", "ipis" },
	{ "irq.TLB", "tlb-shootdowns" },
};

static void add_event(struct readings *r, const char *metric, double value)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->v[i].metric, metric)) {
			r->v[i].value += value;
			return;
		}
	readings_add(r, metric, "", value, 1, BETTER_LOWER, true);
}

static void take_line(const char *line, struct readings *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		size_t n = strlen(events[i].row);
		double before, after;

		if (strncmp(line, events[i].row, n) || (line[n] != ' ' && line[n] != '.'))
			continue;
		const char *numbers = strchr(line + n, ' ');

		if (numbers && sscanf(numbers, "%lf %lf", &before, &after) == 2)
			add_event(ret, events[i].metric, after - before);
	}
}

void window_events(const struct frame *proc, struct readings *ret)
{
	const char *p = proc->body, *end = proc->body + proc->n;

	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t n = stop ? (size_t)(stop - p) : (size_t)(end - p);
		AUTO_FREE char *line = xstrndup(p, n);

		take_line(line, ret);
		p += n + 1;
	}
}

double window_rep_share(const struct readings *r)
{
	const struct reading *rep = readings_find(r, "rep"),
			     *all = readings_find(r, "instructions");

	return rep && all && all->value > 0 ? rep->value / (all->value + rep->value) : 0;
}
