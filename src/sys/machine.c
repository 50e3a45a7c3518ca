/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/machine.h"

#include "base/str.h"
#include "sys/fs.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The whole of a small file; false if it cannot be read. */
static bool slurp(const char *root, const char *path, struct str *out)
{
	AUTO_FREE char *full = xasprintf("%s%s", root, path);
	struct err e = ERR_INIT;

	str_clear(out);
	return fs_read(full, 8 << 20, out, &e) == 0;
}

static void first_line(const char *root, const char *path, char *ret, size_t n)
{
	AUTO(str) struct str s = STR_INIT;

	if (slurp(root, path, &s))
		snprintf(ret, n, "%.*s", (int)strcspn(s.p, "\n"), s.p);
}

static int64_t number(const char *root, const char *path, int64_t otherwise)
{
	AUTO(str) struct str s = STR_INIT;
	char *end;

	if (!slurp(root, path, &s))
		return otherwise;
	long long v = strtoll(s.p, &end, 10);

	return end == s.p ? otherwise : v;
}

/* The value behind "KEY:" or "KEY\t:" at the start of a line, or NULL. */
static const char *field(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
		if (!strncmp(p, key, n)) {
			const char *q = p + n + strspn(p + n, " \t");

			if (*q == ':')
				return q + 1 + strspn(q + 1, " \t");
		}
	return NULL;
}

static int64_t kib_field(const char *text, const char *key)
{
	const char *v = field(text, key);

	return v ? strtoll(v, NULL, 10) * 1024 : -1;
}

static void read_cpu(const char *root, struct machine *m)
{
	AUTO(str) struct str s = STR_INIT;
	cpu_set_t set;

	if (slurp(root, "/proc/cpuinfo", &s)) {
		const char *name = field(s.p, "model name"), *flags = field(s.p, "flags");

		if (name)
			snprintf(m->cpu, sizeof(m->cpu), "%.*s", (int)strcspn(name, "\n"), name);
		for (const char *p = s.p; (p = field(p, "processor")); m->cpus++)
			;
		const char *hv = flags ? strstr(flags, " hypervisor") : NULL;

		if (hv && hv < flags + strcspn(flags, "\n"))
			snprintf(m->hypervisor, sizeof(m->hypervisor), "unnamed");
	}
	if (!sched_getaffinity(0, sizeof(set), &set))
		m->cpus_allowed = (unsigned)CPU_COUNT(&set);
}

static void read_kernel(const char *root, struct machine *m)
{
	char release[64] = "", version[96] = "";

	first_line(root, "/proc/sys/kernel/osrelease", release, sizeof(release));
	first_line(root, "/proc/sys/kernel/version", version, sizeof(version));
	snprintf(m->kernel, sizeof(m->kernel), "%s%s%s", release, *version ? " " : "", version);
	first_line(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		   m->clocksource, sizeof(m->clocksource));
	m->aslr = (int)number(root, "/proc/sys/kernel/randomize_va_space", -1);
	m->perf_paranoid = (int)number(root, "/proc/sys/kernel/perf_event_paranoid", -1);
	m->nmi_watchdog = (int)number(root, "/proc/sys/kernel/nmi_watchdog", -1);
	m->numa_balancing = (int)number(root, "/proc/sys/kernel/numa_balancing", -1);
}

static void read_frequency(const char *root, struct machine *m)
{
	for (unsigned i = 0; i < m->cpus; i++) {
		AUTO_FREE char *path =
			xasprintf("/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", i);
		char one[32] = "";

		first_line(root, path, one, sizeof(one));
		if (!*one)
			continue;
		if (*m->governor && strcmp(m->governor, one) != 0)
			snprintf(one, sizeof(one), "mixed");
		memcpy(m->governor, one, sizeof(one));
	}
	int64_t no_turbo = number(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", -1);
	int64_t boost = number(root, "/sys/devices/system/cpu/cpufreq/boost", -1);

	m->turbo = no_turbo >= 0 ? !no_turbo : boost >= 0 ? boost > 0 : -1;
	m->smt = (int)number(root, "/sys/devices/system/cpu/smt/active", -1);
}

static void read_memory(const char *root, struct machine *m)
{
	AUTO(str) struct str s = STR_INIT;

	m->memory_bytes = m->memory_free_bytes = m->swap_bytes = m->swap_used_bytes = -1;
	if (!slurp(root, "/proc/meminfo", &s))
		return;
	m->memory_bytes = kib_field(s.p, "MemTotal");
	m->memory_free_bytes = kib_field(s.p, "MemAvailable");
	m->swap_bytes = kib_field(s.p, "SwapTotal");
	int64_t free_bytes = kib_field(s.p, "SwapFree");

	if (m->swap_bytes >= 0 && free_bytes >= 0)
		m->swap_used_bytes = m->swap_bytes - free_bytes;
}

static void read_load(const char *root, struct machine *m)
{
	AUTO(str) struct str s = STR_INIT;
	long long t[8] = { 0 };
	int running;

	m->load = -1;
	m->running = -1;
	m->ticks = m->ticks_idle = m->ticks_steal = -1;
	if (slurp(root, "/proc/loadavg", &s) &&
	    sscanf(s.p, "%lf %*f %*f %d", &m->load, &running) == 2)
		m->running = running > 0 ? running - 1 : 0;
	/* user nice system idle iowait irq softirq steal; guest time is inside user */
	if (slurp(root, "/proc/stat", &s) &&
	    sscanf(s.p, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &t[0], &t[1], &t[2], &t[3],
		   &t[4], &t[5], &t[6], &t[7]) == 8) {
		m->ticks = 0;
		for (int i = 0; i < 8; i++)
			m->ticks += t[i];
		m->ticks_idle = t[3] + t[4];
		m->ticks_steal = t[7];
	}
}

static void read_virtual(const char *root, struct machine *m)
{
	AUTO_FREE char *docker = xasprintf("%s/.dockerenv", root);
	char vendor[48] = "", product[40] = "";

	first_line(root, "/run/systemd/container", m->container, sizeof(m->container));
	if (!*m->container && fs_exists(docker))
		snprintf(m->container, sizeof(m->container), "docker");
	if (!*m->hypervisor)
		return;
	first_line(root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	first_line(root, "/sys/class/dmi/id/product_name", product, sizeof(product));
	if (*vendor || *product)
		snprintf(m->hypervisor, sizeof(m->hypervisor), "%s%s%s", vendor,
			 *vendor && *product ? " " : "", product);
}

static void read_battery(const char *root, struct machine *m)
{
	AUTO_FREE char *dir = xasprintf("%s/sys/class/power_supply", root);
	DIR *d = opendir(dir);
	struct dirent *x;

	m->on_battery = -1;
	while (d && (x = readdir(d))) {
		AUTO_FREE char *type = xasprintf("/sys/class/power_supply/%s/type", x->d_name);
		AUTO_FREE char *online = xasprintf("/sys/class/power_supply/%s/online", x->d_name);
		char text[16] = "";

		first_line(root, type, text, sizeof(text));
		if (!strcmp(text, "Mains"))
			m->on_battery = number(root, online, 1) == 0;
	}
	if (d)
		closedir(d);
}

/* The tightest limit of our group and all above it. `path` shrinks. */
static void limits_of(const char *root, const char *mount, char *path, struct machine *m)
{
	for (;;) {
		AUTO_FREE char *max = xasprintf("%s%s/cpu.max", mount, path);
		AUTO_FREE char *quota = xasprintf("%s%s/cpu.cfs_quota_us", mount, path);
		AUTO_FREE char *period = xasprintf("%s%s/cpu.cfs_period_us", mount, path);
		AUTO_FREE char *memory2 = xasprintf("%s%s/memory.max", mount, path);
		AUTO_FREE char *memory1 = xasprintf("%s%s/memory.limit_in_bytes", mount, path);
		AUTO(str) struct str s = STR_INIT;
		double us = 0, per = 0;
		int64_t bytes = number(root, memory2, number(root, memory1, 0));

		if (!slurp(root, max, &s) || sscanf(s.p, "%lf %lf", &us, &per) != 2) {
			us = (double)number(root, quota, 0);
			per = (double)number(root, period, 0);
		}
		if (us > 0 && per > 0 && (m->cgroup_cpus == 0 || us / per < m->cgroup_cpus))
			m->cgroup_cpus = us / per;
		/* v1 says "no limit" with a huge number */
		if (bytes > 0 && bytes < INT64_C(1) << 60 &&
		    (!m->cgroup_memory_bytes || bytes < m->cgroup_memory_bytes))
			m->cgroup_memory_bytes = bytes;
		char *slash = strrchr(path, '/');

		if (!slash)
			return;
		*slash = '\0';
	}
}

static void read_limits(const char *root, struct machine *m)
{
	static const struct {
		const char *list, *mount;
	} kinds[] = {
		{ "0::", "/sys/fs/cgroup" },
		{ ":cpu:", "/sys/fs/cgroup/cpu" },
		{ ":cpu,cpuacct:", "/sys/fs/cgroup/cpu,cpuacct" },
		{ ":memory:", "/sys/fs/cgroup/memory" },
	};
	AUTO(str) struct str s = STR_INIT;

	if (!slurp(root, "/proc/self/cgroup", &s))
		return;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const char *at = strstr(s.p, kinds[i].list);

		if (!at)
			continue;
		at += strlen(kinds[i].list);
		AUTO_FREE char *path = xstrndup(at, strcspn(at, "\n"));

		if (!strcmp(path, "/"))
			*path = '\0';
		limits_of(root, kinds[i].mount, path, m);
	}
}

void machine_read(const char *root, struct machine *ret)
{
	*ret = (struct machine){ 0 };
	read_cpu(root, ret);
	read_kernel(root, ret);
	read_frequency(root, ret);
	read_memory(root, ret);
	read_load(root, ret);
	read_virtual(root, ret);
	read_battery(root, ret);
	read_limits(root, ret);
}

void machine_between(const struct machine *before, const struct machine *after, double *ret_busy,
		     double *ret_steal)
{
	double ticks = (double)(after->ticks - before->ticks);

	*ret_busy = *ret_steal = -1;
	if (before->ticks < 0 || after->ticks < 0 || ticks <= 0)
		return;
	*ret_steal = (double)(after->ticks_steal - before->ticks_steal) / ticks;
	*ret_busy = 1 - (double)(after->ticks_idle - before->ticks_idle) / ticks - *ret_steal;
}
