/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters - one event a file, with `inherit`, so that children count too; groups cannot be inherited and read together on
 * the kernels we support, so each event stands alone and says itself how long it was on a counter.
 */
#include "sys/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name, *unit;
	uint32_t type;
	uint64_t config;
	double scale;
} events[COUNTERS] = {
	{ "task-clock", "s", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1e-9 },
	{ "cycles", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1 },
	{ "instructions", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1 },
	{ "branches", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1 },
	{ "branch-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 1 },
	{ "cache-references", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 1 },
	{ "cache-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 1 },
	{ "page-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1 },
	{ "context-switches", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1 },
	{ "cpu-migrations", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 1 },
};

void counters_init(struct counter_set *s)
{
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < COUNTERS; i++) {
		s->v[i].name = events[i].name;
		s->v[i].unit = events[i].unit;
		s->v[i].fd = -1;
		snprintf(s->v[i].why, sizeof(s->v[i].why), "was not attached");
	}
}

static void explain(struct counter *c, int error)
{
	const char *why =
		error == ENOENT || error == ENODEV || error == EOPNOTSUPP
			? "no such hardware counter here (a virtual machine?)"
		: error == EACCES || error == EPERM
			? "not allowed: needs kernel.perf_event_paranoid <= 2 or CAP_PERFMON"
		: error == ENOSYS ? "this kernel has no perf events"
		: error == EMFILE ? "too many open files"
				  : strerror(error);

	snprintf(c->why, sizeof(c->why), "%s", why);
}

static void attach_one(struct counter *c, size_t i, pid_t pid)
{
	struct perf_event_attr a = {
		.type = events[i].type,
		.size = sizeof(a),
		.config = events[i].config,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	long fd = syscall(SYS_perf_event_open, &a, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		a.exclude_kernel = 1;
		fd = syscall(SYS_perf_event_open, &a, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	c->fd = (int)fd;
	c->is_user_only = a.exclude_kernel;
	if (fd < 0)
		explain(c, errno);
}

void counters_attach(struct counter_set *s, pid_t pid)
{
	for (size_t i = 0; i < COUNTERS; i++)
		attach_one(&s->v[i], i, pid);
}

void counters_read(struct counter_set *s)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		struct counter *c = &s->v[i];
		uint64_t x[3] = { 0 }; /* value, time enabled, time running */

		if (c->fd < 0)
			continue;
		if (read(c->fd, x, sizeof(x)) != (ssize_t)sizeof(x)) {
			explain(c, errno);
		} else if (x[1] && !x[2]) {
			snprintf(c->why, sizeof(c->why),
				 "never got a hardware counter: others use them all");
		} else {
			c->is_supported = true;
			c->is_multiplexed = x[2] < x[1];
			c->value = (double)x[0] * events[i].scale;
			if (c->is_multiplexed)
				c->value *= (double)x[1] / (double)x[2];
		}
	}
	counters_done(s);
}

void counters_done(struct counter_set *s)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		if (s->v[i].fd >= 0)
			close(s->v[i].fd);
		s->v[i].fd = -1;
	}
}

void counters_probe(struct str *not_supported)
{
	struct counter_set s;
	const char *last = NULL;

	counters_init(&s);
	counters_attach(&s, 0);
	for (size_t i = 0; i < COUNTERS; i++) {
		const struct counter *c = &s.v[i];

		if (c->fd >= 0)
			continue;
		/* Neighbours with one reason share it. */
		if (last && strcmp(last, c->why) != 0)
			str_addf(not_supported, ": %s; ", last);
		else if (last)
			str_puts(not_supported, ", ");
		str_puts(not_supported, c->name);
		last = c->why;
	}
	if (last)
		str_addf(not_supported, ": %s", last);
	counters_done(&s);
}
