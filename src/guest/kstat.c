/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/kstat.h"

#include "guest/file.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kstat_done(struct kstat *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].name);
	free(c->v);
	*c = (struct kstat){ 0 };
}

static void PRINTF(3, 4) add(struct kstat *c, uint64_t value, const char *fmt, ...)
{
	AUTO(str) struct str name = STR_INIT;
	va_list ap;
	struct counter *k = ARRAY_GROW(c);

	va_start(ap, fmt);
	str_vaddf(&name, fmt, ap);
	va_end(ap);
	k->name = str_take(&name);
	k->value = value;
}

/* The next number on this line; false at its end. */
static bool next_number(const char **at, uint64_t *ret)
{
	char *end;

	while (**at == ' ' || **at == '\t')
		++*at;
	if (!isdigit((unsigned char)**at))
		return false;
	*ret = strtoull(*at, &end, 10);
	*at = end;
	return true;
}

/* The word that a line begins with; moves behind it. */
static int word_length(const char *line)
{
	return (int)strcspn(line, " \t\n:");
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

void kstat_add_stat(struct kstat *c, const char *text)
{
	static const char *const columns[] = { "user",	 "nice", "system", "idle",
					       "iowait", "irq",	 "softirq" };

	for (const char *line = text; *line; line = next_line(line)) {
		int n = word_length(line);
		const char *at = line + n;
		bool cpu = n > 3 && !strncmp(line, "cpu", 3);
		uint64_t value;

		for (size_t i = 0; cpu && i < ARRAY_LEN(columns) && next_number(&at, &value); i++)
			add(c, value, "stat.%.*s.%s", n, line, columns[i]);
		if (!cpu && strncmp(line, "cpu", 3) && strncmp(line, "btime", 5) &&
		    next_number(&at, &value))
			add(c, value, "stat.%.*s", n, line);
	}
}

void kstat_add_vmstat(struct kstat *c, const char *text)
{
	for (const char *line = text; *line; line = next_line(line)) {
		int n = word_length(line);
		const char *at = line + n;
		uint64_t value;

		if (next_number(&at, &value))
			add(c, value, "vmstat.%.*s", n, line);
	}
}

void kstat_add_per_cpu(struct kstat *c, const char *prefix, const char *text)
{
	for (const char *line = next_line(text); *line; line = next_line(line)) {
		const char *at = line + strspn(line, " ");
		int n = word_length(at);
		const char *name = at;
		uint64_t value;

		at += n;
		if (*at != ':')
			continue;
		at++;
		for (int cpu = 0; next_number(&at, &value); cpu++)
			add(c, value, "%s.%.*s.cpu%d", prefix, n, name, cpu);
	}
}

/* The third number of schedstat is how often the task was put on a CPU. */
static void add_task(struct kstat *c, int pid)
{
	AUTO(str) struct str sched = STR_INIT_MAX(4096), comm = STR_INIT_MAX(64);
	char path[64];
	const char *at;
	uint64_t value = 0;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	if (!file_read(path, &sched))
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (!file_read(path, &comm))
		return;
	at = sched.p;
	for (int i = 0; i < 3; i++)
		if (!next_number(&at, &value))
			return;
	str_trim_end(&comm);
	for (char *p = comm.p; *p; p++)
		if (*p <= ' ')
			*p = '_';
	add(c, value, "task.%d.%s", pid, comm.p);
}

static void add_tasks(struct kstat *c, int self)
{
	DIR *d = opendir("/proc");
	const struct dirent *entry;

	if (!d)
		return;
	while ((entry = readdir(d))) {
		int pid = atoi(entry->d_name);

		if (pid > 0 && pid != self)
			add_task(c, pid);
	}
	closedir(d);
}

void kstat_read(struct kstat *c, int self)
{
	AUTO(str) struct str text = STR_INIT_MAX(4 << 20);

	add_tasks(c, self);
	if (file_read("/proc/vmstat", &text))
		kstat_add_vmstat(c, text.p);
	if (file_read("/proc/interrupts", &text))
		kstat_add_per_cpu(c, "irq", text.p);
	if (file_read("/proc/softirqs", &text))
		kstat_add_per_cpu(c, "softirq", text.p);
	if (file_read("/proc/stat", &text))
		kstat_add_stat(c, text.p);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct counter *)a)->name, ((const struct counter *)b)->name);
}

void kstat_put_changes(struct str *out, struct kstat *before, struct kstat *after)
{
	size_t i = 0, k = 0;

	if (before->n)
		qsort(before->v, before->n, sizeof(*before->v), by_name);
	if (after->n)
		qsort(after->v, after->n, sizeof(*after->v), by_name);
	while (i < before->n && k < after->n) {
		const struct counter *b = &before->v[i], *a = &after->v[k];
		int order = strcmp(b->name, a->name);

		if (order == 0 && a->value != b->value)
			str_addf(out, "%s %" PRIu64 " %" PRIu64 "\n", a->name, b->value, a->value);
		i += order <= 0;
		k += order >= 0;
	}
}

uint64_t kstat_busy_ticks(const char *stat_text)
{
	const char *at = stat_text + word_length(stat_text);
	uint64_t value, busy = 0;

	for (int i = 0; i < 7 && next_number(&at, &value); i++)
		if (i != 3 && i != 4) /* idle, iowait */
			busy += value;
	return busy;
}
