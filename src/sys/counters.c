/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters - one event a file, with `inherit`, so that children count too; groups cannot be inherited and read together on
 * the kernels we support, so each event stands alone and says itself how long it was on a counter.
 *
 * Where the kernel may not be counted (perf_event_paranoid = 2) most events are asked for again in user space only. Not those that happen
 * inside the kernel: a switch or a migration seen from user space alone is never seen, and would be the zero that we promise not to print.
 */
#include "sys/counters.h"

#include <errno.h>
#include <limits.h>
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
	bool in_kernel;	 /* happens there only */
	bool never_zero; /* a program that has run has had some */
} events[COUNTERS] = {
	{ "task-clock", "s", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1e-9, false, true },
	{ "cycles", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, false, true },
	{ "instructions", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1, false, true },
	{ "branches", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1, false, true },
	{ "branch-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 1, false, false },
	{ "cache-references", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 1, false,
	  false },
	{ "cache-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 1, false, false },
	{ "page-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1, false, false },
	{ "context-switches", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1, true,
	  false },
	{ "cpu-migrations", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 1, true, false },
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

/* kernel.perf_event_paranoid; INT_MIN if it cannot be read. */
static int paranoid_level(const char *path)
{
	FILE *f = fopen(path, "re");
	int level = INT_MIN;

	if (f && fscanf(f, "%d", &level) != 1)
		level = INT_MIN;
	if (f)
		fclose(f);
	return level;
}

/* The level is what refuses, or it would allow it and something else does: the two have different fixes. */
static void explain_denied(struct counter *c, const struct counter_host *h, bool in_kernel)
{
	int level = paranoid_level(h->paranoid_path), most = in_kernel ? 1 : 2;

	if (level == INT_MIN)
		snprintf(c->why, sizeof(c->why),
			 "not allowed: needs kernel.perf_event_paranoid <= %d or CAP_PERFMON",
			 most);
	else if (level > most)
		snprintf(
			c->why, sizeof(c->why),
			"not allowed: kernel.perf_event_paranoid is %d, needs <= %d or CAP_PERFMON",
			level, most);
	else
		snprintf(c->why, sizeof(c->why),
			 "not allowed, though kernel.perf_event_paranoid is %d: a container's or "
			 "sandbox's filter?",
			 level);
}

static void explain(struct counter *c, int error)
{
	const char *why = error == ENOENT || error == ENODEV || error == EOPNOTSUPP
				  ? "no such hardware counter here (a virtual machine?)"
			  : error == ENOSYS		       ? "this kernel has no perf events"
			  : error == EMFILE || error == ENFILE ? "too many open files"
							       : strerror(error);

	snprintf(c->why, sizeof(c->why), "%s", why);
}

static bool is_denied(int error)
{
	return error == EACCES || error == EPERM;
}

static void attach_one(const struct counter_host *h, struct counter *c, size_t i, pid_t pid)
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
	long fd = h->open(&a, pid);

	if (fd < 0 && is_denied(errno) && !events[i].in_kernel) {
		a.exclude_kernel = 1;
		fd = h->open(&a, pid);
	}
	int error = errno;

	c->fd = (int)fd;
	c->is_user_only = fd >= 0 && a.exclude_kernel;
	if (fd < 0 && is_denied(error))
		explain_denied(c, h, events[i].in_kernel);
	else if (fd < 0)
		explain(c, error);
}

static long open_event(struct perf_event_attr *a, pid_t pid)
{
	return syscall(SYS_perf_event_open, a, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static const struct counter_host this_host = { open_event, "/proc/sys/kernel/perf_event_paranoid" };

void counters_attach_on(const struct counter_host *h, struct counter_set *s, pid_t pid)
{
	for (size_t i = 0; i < COUNTERS; i++)
		attach_one(h, &s->v[i], i, pid);
}

void counters_attach(struct counter_set *s, pid_t pid)
{
	counters_attach_on(&this_host, s, pid);
}

/* x: value, time enabled, time running */
static void take_count(struct counter *c, size_t i, const uint64_t x[3])
{
	if (!x[1]) {
		snprintf(c->why, sizeof(c->why), "was never switched on: no program was started");
	} else if (!x[2]) {
		snprintf(c->why, sizeof(c->why),
			 "never got a hardware counter: others use them all");
	} else if (!x[0] && events[i].never_zero) {
		snprintf(c->why, sizeof(c->why),
			 "opens but counts nothing here (a virtual machine that hides it?)");
	} else {
		c->is_supported = true;
		c->is_multiplexed = x[2] < x[1];
		c->counted = c->is_multiplexed ? (double)x[2] / (double)x[1] : 1;
		c->value = (double)x[0] * events[i].scale / c->counted;
	}
}

void counters_read(struct counter_set *s)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		struct counter *c = &s->v[i];
		uint64_t x[3] = { 0 };

		if (c->fd < 0)
			continue;
		ssize_t n = read(c->fd, x, sizeof(x));

		if (n < 0)
			explain(c, errno);
		else if (n != (ssize_t)sizeof(x))
			snprintf(c->why, sizeof(c->why), "gave %zd bytes instead of %zu", n,
				 sizeof(x));
		else
			take_count(c, i, x);
	}
	counters_done(s);
}

/* "cycles, instructions: no such hardware counter; ..." */
static void list_unsupported(const struct counter_set *s, struct str *out)
{
	const char *last = NULL;

	for (size_t i = 0; i < COUNTERS; i++) {
		const struct counter *c = &s->v[i];

		if (c->is_supported)
			continue;
		/* Neighbours with one reason share it. */
		if (last && strcmp(last, c->why) != 0)
			str_addf(out, ": %s; ", last);
		else if (last)
			str_puts(out, ", ");
		str_puts(out, c->name);
		last = c->why;
	}
	if (last)
		str_addf(out, ": %s", last);
}

/* "cycles, instructions" */
static void add_name(struct str *list, const char *name)
{
	str_addf(list, "%s%s", list->n ? ", " : "", name);
}

void counters_remarks(const struct counter_set *s, struct strvec *ret)
{
	AUTO(str) struct str user = STR_INIT, none = STR_INIT;

	list_unsupported(s, &none);
	if (none.n)
		strvec_addf(ret, "not supported: %s", none.p);
	for (size_t i = 0; i < COUNTERS; i++) {
		const struct counter *c = &s->v[i];

		if (c->is_supported && c->is_multiplexed)
			strvec_addf(
				ret,
				"%s was on a hardware counter for %.0f %% of the run and is scaled "
				"up from that",
				c->name, 100 * c->counted);
		if (c->is_supported && c->is_user_only)
			add_name(&user, c->name);
	}
	if (user.n)
		strvec_addf(ret, "%s: user space only (kernel.perf_event_paranoid = 2)", user.p);
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

	counters_init(&s);
	counters_attach(&s, 0);
	for (size_t i = 0; i < COUNTERS; i++)
		s.v[i].is_supported = s.v[i].fd >= 0;
	list_unsupported(&s, not_supported);
	counters_done(&s);
}
