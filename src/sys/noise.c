/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noise - one small function a topic, in a table.
 *
 * Thresholds are those at which the effect exceeds the spread of a quiet machine (some 0.5 % between runs): a twentieth of a CPU busy
 * with other work, a hundredth stolen.
 */
#include "sys/noise.h"

#include "base/num.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const severity_names[] = { "good", "note", "noise", "bias" };

const char *finding_severity_name(enum finding_severity s)
{
	return (size_t)s < ARRAY_LEN(severity_names) ? severity_names[s] : "?";
}

void findings_done(struct findings *f)
{
	free(f->v);
	*f = (struct findings){ 0 };
}

struct look {
	const struct machine *m;
	double busy, steal;
	struct findings *to;
};

static PRINTF(5, 6) void add(const struct look *l, enum finding_severity severity,
			     const char *topic, const char *fix, const char *fmt, ...)
{
	struct finding *f = ARRAY_GROW(l->to);
	va_list ap;

	f->severity = severity;
	snprintf(f->topic, sizeof(f->topic), "%s", topic);
	snprintf(f->fix, sizeof(f->fix), "%s", fix);
	va_start(ap, fmt);
	vsnprintf(f->what, sizeof(f->what), fmt, ap);
	va_end(ap);
}

static void look_governor(const struct look *l)
{
	const char *g = l->m->governor;

	if (!*g)
		add(l, FINDING_NOTE, "governor", "", "the frequency governor cannot be read here");
	else if (!strcmp(g, "performance"))
		add(l, FINDING_GOOD, "governor", "", "frequency governor: performance");
	else
		add(l, FINDING_NOISE, "governor", "cpupower frequency-set -g performance",
		    "frequency governor '%s': the clock follows the load", g);
}

static void look_turbo(const struct look *l)
{
	if (l->m->turbo > 0)
		add(l, FINDING_NOISE, "turbo",
		    "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > /sys/devices/system/cpu/cpufreq/boost",
		    "turbo is on: the clock depends on temperature and on the other cores");
	else if (l->m->turbo == 0)
		add(l, FINDING_GOOD, "turbo", "", "turbo is off");
	else
		add(l, FINDING_NOTE, "turbo", "", "whether turbo is on cannot be read here");
}

static void look_smt(const struct look *l)
{
	if (l->m->smt > 0)
		add(l, FINDING_NOISE, "smt",
		    "echo off > /sys/devices/system/cpu/smt/control, or pin to one thread of each core",
		    "two threads share a core (SMT): a neighbour slows the benchmark");
	else if (l->m->smt == 0)
		add(l, FINDING_GOOD, "smt", "", "no two threads share a core");
}

static void look_load(const struct look *l)
{
	double cpus = l->m->cpus ? l->m->cpus : 1;

	if (l->busy >= 0 && l->busy * cpus >= 0.05)
		add(l, FINDING_NOISE, "load",
		    "stop what else runs (top shows it), or pin: a CPU of its own for the benchmark",
		    "other work uses %.2f of %.0f CPUs (load %.2f)", l->busy * cpus, cpus,
		    l->m->load);
	else if (l->busy >= 0)
		add(l, FINDING_GOOD, "load", "", "the machine is idle (%.1f %% busy)",
		    100 * l->busy);
	else if (l->m->load >= 0.3)
		add(l, FINDING_NOISE, "load", "stop what else runs (top shows it)",
		    "load %.2f on %.0f CPUs", l->m->load, cpus);
}

static void look_virtual(const struct look *l)
{
	if (l->steal >= 0.01)
		add(l, FINDING_NOISE, "steal",
		    "a dedicated host; or measure counts (callgrind, exact) instead of time",
		    "the hypervisor takes %.1f %% of the CPU time away", 100 * l->steal);
	if (*l->m->hypervisor)
		add(l, FINDING_NOISE, "virtual",
		    "use CPU time (user) rather than wall; hosts change speed for minutes: keep runs interleaved",
		    "this is a virtual machine (%s): other guests and host frequency are not visible",
		    l->m->hypervisor);
	if (*l->m->container)
		add(l, FINDING_NOTE, "container", "",
		    "inside a container (%s): the host's other work is not listed here",
		    l->m->container);
}

static void look_memory(const struct look *l)
{
	const struct machine *m = l->m;
	AUTO(str) struct str used = STR_INIT, free_text = STR_INIT;

	if (m->swap_used_bytes > 0) {
		num_put_size(&used, m->swap_used_bytes);
		add(l, FINDING_NOISE, "swap",
		    "swapoff -a && swapon -a when memory is free, or vm.swappiness=0",
		    "%s are swapped out: coming back costs the benchmark", used.p);
	} else if (m->swap_bytes == 0) {
		add(l, FINDING_GOOD, "swap", "", "no swap");
	}
	if (m->memory_bytes > 0 && m->memory_free_bytes >= 0 &&
	    m->memory_free_bytes < m->memory_bytes / 10) {
		num_put_size(&free_text, m->memory_free_bytes);
		add(l, FINDING_NOISE, "memory", "end what holds memory",
		    "only %s of memory are available", free_text.p);
	}
}

static void look_limits(const struct look *l)
{
	const struct machine *m = l->m;
	AUTO(str) struct str size = STR_INIT;

	if (m->cgroup_cpus > 0)
		add(l, FINDING_BIAS, "cpu limit",
		    "raise the control group's cpu.max (docker --cpus), or keep the benchmark's threads below it",
		    "a control group allows %.2f CPUs: what needs more is stopped for parts of each 0.1 s",
		    m->cgroup_cpus);
	if (m->cgroup_memory_bytes > 0) {
		num_put_size(&size, m->cgroup_memory_bytes);
		add(l, FINDING_NOTE, "memory limit", "", "a control group allows %s of memory",
		    size.p);
	}
	if (m->cpus_allowed && m->cpus_allowed < m->cpus)
		add(l, FINDING_NOTE, "affinity", "", "%u of %u CPUs are allowed to us",
		    m->cpus_allowed, m->cpus);
}

static void look_kernel(const struct look *l)
{
	const struct machine *m = l->m;

	if (m->perf_paranoid > 2)
		add(l, FINDING_NOTE, "counters", "sysctl kernel.perf_event_paranoid=1",
		    "event counters are not allowed to users (perf_event_paranoid = %d)",
		    m->perf_paranoid);
	if (m->nmi_watchdog > 0)
		add(l, FINDING_NOTE, "watchdog", "sysctl kernel.nmi_watchdog=0",
		    "the NMI watchdog occupies a hardware counter");
	if (m->numa_balancing > 0)
		add(l, FINDING_NOISE, "numa", "sysctl kernel.numa_balancing=0, and pin",
		    "NUMA balancing moves pages while the benchmark runs");
	if (m->aslr == 0)
		add(l, FINDING_BIAS, "aslr", "sysctl kernel.randomize_va_space=2",
		    "address randomisation is off: one lucky or unlucky layout is measured again and again");
	if (*m->clocksource && strcmp(m->clocksource, "tsc") &&
	    strcmp(m->clocksource, "kvm-clock") && strcmp(m->clocksource, "arch_sys_counter"))
		add(l, FINDING_NOISE, "clock",
		    "clocksource=tsc on the kernel's command line, if it is stable there",
		    "clock source '%s' is slow to read", m->clocksource);
	if (m->on_battery > 0)
		add(l, FINDING_NOISE, "battery", "connect the power supply",
		    "on battery: frequency is limited");
}

static int by_severity(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	return (int)y->severity - (int)x->severity;
}

void noise_find(const struct machine *m, double busy, double steal, struct findings *ret)
{
	const struct look l = { m, busy, steal, ret };
	static void (*const looks[])(
		const struct look *) = { look_load, look_virtual, look_governor, look_turbo,
					 look_smt,  look_memory,  look_limits,	 look_kernel };

	for (size_t i = 0; i < ARRAY_LEN(looks); i++)
		looks[i](&l);
	/* Stable where it matters: equal severities keep the order above, as glibc's qsort merges. */
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(ret->v[0]), by_severity);
}

void noise_name_load(struct findings *f, const char *names)
{
	for (size_t i = 0; i < f->n && *names; i++) {
		struct finding *x = &f->v[i];
		size_t n = strlen(x->what);

		if (!strcmp(x->topic, "load") && x->severity != FINDING_GOOD)
			snprintf(x->what + n, sizeof(x->what) - n, "; most of it: %s", names);
	}
}
