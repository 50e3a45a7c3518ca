/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event_open on machines that this one is not: the system call is a stand-in, what is read comes from a pipe. */
#include "sys/counters.h"

#include "sys/cgroup.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the machine does: an error for each type of event, another one unless the kernel is left out; and what reading gives. */
static struct {
	int hardware, software, with_kernel;
	uint64_t value, enabled, running;
	unsigned asked, asked_user_only;
	size_t bytes;
} machine;

static long open_here(struct perf_event_attr *a, pid_t pid UNUSED)
{
	uint64_t x[3] = { machine.value, machine.enabled, machine.running };
	int fd[2], error = a->type == PERF_TYPE_HARDWARE ? machine.hardware : machine.software;

	machine.asked++;
	machine.asked_user_only += a->exclude_kernel;
	assert_true(a->disabled && a->enable_on_exec && a->inherit && a->exclude_hv);
	assert_int_equal(a->size, sizeof(*a));
	assert_int_equal(a->read_format,
			 PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (!error && !a->exclude_kernel)
		error = machine.with_kernel;
	if (error) {
		errno = error;
		return -1;
	}
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	assert_int_equal(write(fd[1], x, machine.bytes), (ssize_t)machine.bytes);
	close(fd[1]);
	return fd[0];
}

static char paranoid_path[] = "/tmp/culprit-paranoid-XXXXXX";

static void set_paranoid(const char *text)
{
	FILE *f = fopen(paranoid_path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int make_file(void **state UNUSED)
{
	int fd = mkstemp(paranoid_path);

	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state UNUSED)
{
	return unlink(paranoid_path);
}

static void count(struct counter_set *s)
{
	const struct counter_host h = { open_here, paranoid_path };

	if (!machine.bytes)
		machine.bytes = 3 * sizeof(uint64_t);
	machine.asked = machine.asked_user_only = 0;
	counters_init(s);
	counters_attach_on(&h, s, 1);
	counters_read(s);
	for (size_t i = 0; i < COUNTERS; i++)
		assert_int_equal(s->v[i].fd, -1);
}

static const struct counter *named(const struct counter_set *s, const char *name)
{
	for (size_t i = 0; i < COUNTERS; i++)
		if (!strcmp(s->v[i].name, name))
			return &s->v[i];
	fail_msg("no counter %s", name);
	return NULL;
}

static void assert_unsupported(const struct counter_set *s, const char *name, const char *why)
{
	const struct counter *c = named(s, name);

	if (c->is_supported || !strstr(c->why, why))
		fail_msg("%s: supported %d, value %g, why '%s'; wanted '%s'", name, c->is_supported,
			 c->value, c->why, why);
}

static void all_the_time_on_a_counter_is_the_count(void **state UNUSED)
{
	AUTO(strvec) struct strvec remarks = STRVEC_INIT;
	struct counter_set s;

	memset(&machine, 0, sizeof(machine));
	machine.value = 3000000;
	machine.enabled = machine.running = 100;
	count(&s);
	assert_int_equal(machine.asked, COUNTERS);
	for (size_t i = 0; i < COUNTERS; i++) {
		assert_true(s.v[i].is_supported);
		assert_false(s.v[i].is_multiplexed || s.v[i].is_user_only);
	}
	assert_double(named(&s, "cycles")->value, 3e6, 0);
	assert_double(named(&s, "task-clock")->value, 0.003, 1e-15);
	counters_remarks(&s, &remarks);
	assert_int_equal(remarks.n, 0);
}

static void a_shared_counter_is_scaled_up_and_said(void **state UNUSED)
{
	AUTO(strvec) struct strvec remarks = STRVEC_INIT;
	struct counter_set s;

	memset(&machine, 0, sizeof(machine));
	machine.value = 1000;
	machine.enabled = 200;
	machine.running = 50;
	count(&s);
	assert_true(named(&s, "cache-misses")->is_multiplexed);
	assert_double(named(&s, "cache-misses")->value, 4000, 1e-12);
	assert_double(named(&s, "cache-misses")->counted, 0.25, 1e-12);
	counters_remarks(&s, &remarks);
	assert_int_equal(remarks.n, COUNTERS);
	assert_non_null(
		strstr(remarks.v[1], "cycles was on a hardware counter for 25 % of the run"));
}

static void no_count_is_never_zero(void **state UNUSED)
{
	struct counter_set s;

	/* the time went by and nothing was ever counted */
	memset(&machine, 0, sizeof(machine));
	machine.enabled = 100;
	count(&s);
	assert_unsupported(&s, "cycles", "others use them all");
	assert_unsupported(&s, "page-faults", "others use them all");
	/* nothing was started */
	machine.enabled = 0;
	count(&s);
	assert_unsupported(&s, "instructions", "never switched on");
	/* some virtual machines have the counter and it stands still; a real zero of a rare event is one */
	machine.enabled = machine.running = 100;
	count(&s);
	assert_unsupported(&s, "cycles", "counts nothing here");
	assert_unsupported(&s, "branches", "counts nothing here");
	assert_true(named(&s, "cache-misses")->is_supported);
	assert_double(named(&s, "cpu-migrations")->value, 0, 0);
	/* a kernel that gives less than it was asked for */
	machine.bytes = 8;
	count(&s);
	assert_unsupported(&s, "cycles", "8 bytes instead of 24");
}

static void without_hardware_the_kernels_own_still_count(void **state UNUSED)
{
	struct counter_set s;

	memset(&machine, 0, sizeof(machine));
	machine.hardware = ENOENT;
	machine.value = 7;
	machine.enabled = machine.running = 100;
	count(&s);
	assert_unsupported(&s, "cycles", "no such hardware counter here");
	assert_double(named(&s, "page-faults")->value, 7, 0);
	machine.software = machine.hardware = ENOSYS;
	count(&s);
	assert_unsupported(&s, "page-faults", "no perf events");
	machine.software = EMFILE;
	count(&s);
	assert_unsupported(&s, "page-faults", "too many open files");
}

static void user_space_alone_is_said_and_switches_are_not_counted_there(void **state UNUSED)
{
	AUTO(strvec) struct strvec remarks = STRVEC_INIT;
	struct counter_set s;

	memset(&machine, 0, sizeof(machine));
	machine.with_kernel = EACCES;
	machine.value = 5;
	machine.enabled = machine.running = 100;
	set_paranoid("2\n");
	count(&s);
	assert_true(named(&s, "instructions")->is_user_only);
	assert_double(named(&s, "instructions")->value, 5, 0);
	assert_true(named(&s, "page-faults")->is_supported);
	/* in user space there is no switch to see: asked so, the kernel would answer 0 */
	assert_unsupported(&s, "context-switches", "kernel.perf_event_paranoid is 2, needs <= 1");
	assert_unsupported(&s, "cpu-migrations", "kernel.perf_event_paranoid is 2, needs <= 1");
	assert_int_equal(machine.asked_user_only, COUNTERS - 2);
	counters_remarks(&s, &remarks);
	assert_int_equal(remarks.n, 2);
	assert_non_null(strstr(remarks.v[0], "not supported: context-switches, cpu-migrations: "));
	assert_non_null(strstr(remarks.v[1], "cycles, instructions"));
	assert_non_null(strstr(remarks.v[1], "user space only"));
}

static void what_refuses_is_named_with_its_level(void **state UNUSED)
{
	static const struct {
		const char *level, *why;
	} rows[] = {
		{ "3\n", "kernel.perf_event_paranoid is 3, needs <= 2 or CAP_PERFMON" },
		{ "4\n", "kernel.perf_event_paranoid is 4, needs <= 2" },
		{ "2\n", "though kernel.perf_event_paranoid is 2: a container's" },
		{ "-1\n", "though kernel.perf_event_paranoid is -1" },
		{ "?", "needs kernel.perf_event_paranoid <= 2 or CAP_PERFMON" },
	};

	memset(&machine, 0, sizeof(machine));
	machine.hardware = machine.software = EPERM;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct counter_set s;

		set_paranoid(rows[i].level);
		count(&s);
		assert_unsupported(&s, "cycles", rows[i].why);
	}
}

/* --- control groups ------------------------------------------------------------------------------------------------- */

static void assert_folders(const char *mounts, const char *groups, const char *want)
{
	AUTO(strvec) struct strvec v = STRVEC_INIT;
	AUTO(str) struct str got = STR_INIT;

	cgroup_folders(mounts, groups, &v);
	for (size_t i = 0; i < v.n; i++)
		str_addf(&got, "%s%s", i ? " " : "", v.v[i]);
	assert_string_equal(got.n ? got.p : "", want);
}

static void groups_are_looked_for_where_each_version_keeps_them(void **state UNUSED)
{
	static const char v1[] = "proc /proc proc rw 0 0\n"
				 "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
				 "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n";
	static const char hybrid[] = "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n"
				     "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
	static const char v2[] = "cgroup2 /nowhere/cgroup cgroup2 rw,nsdelegate 0 0\n";

	assert_folders(v1, "4:memory:/a/b\n1:cpu:/\n", "/sys/fs/cgroup/memory/a/b");
	assert_folders(v1, "4:cpuset,memory:/\n0::/x\n", "/sys/fs/cgroup/memory");
	assert_folders(hybrid, "4:memory:/\n0::/\n",
		       "/sys/fs/cgroup/memory /sys/fs/cgroup/unified");
	assert_folders(v2, "0::/\n", "/nowhere/cgroup");
	/* beside our own group as well: our parent may have the controller to hand out */
	assert_folders(v2, "0::/user.slice/app.slice/term.scope\n",
		       "/nowhere/cgroup/user.slice/app.slice/term.scope "
		       "/nowhere/cgroup/user.slice/app.slice");
	assert_folders(v2, "", "");
	assert_folders("", "0::/\n", "");
	assert_folders(v1, "0::/\n", "");
}

static void put(const char *dir, const char *name, const char *text)
{
	AUTO_FREE char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void clear(const char *dir, const char *name)
{
	AUTO_FREE char *path = xasprintf("%s/%s", dir, name);

	assert_int_equal(unlink(path), 0);
}

static void a_group_with_a_limit_is_not_left(void **state UNUSED)
{
	char root[] = "/tmp/culprit-cgroup-XXXXXX";

	assert_non_null(mkdtemp(root));
	AUTO_FREE char *own = xasprintf("%s/job.scope", root);
	AUTO_FREE char *mounts = xasprintf("cgroup2 %s cgroup2 rw 0 0\n", root);
	AUTO_FREE char *both = xasprintf("%s %s", own, root);

	assert_int_equal(mkdir(own, 0755), 0);
	put(own, "memory.max", "max\n");
	put(own, "cpu.max", "max 100000\n");
	assert_folders(mounts, "0::/job.scope\n", both);
	put(own, "cpu.max", "50000 100000\n");
	assert_folders(mounts, "0::/job.scope\n", own);
	put(own, "cpu.max", "max 100000\n");
	put(own, "memory.max", "1073741824\n");
	assert_folders(mounts, "0::/job.scope\n", own);
	clear(own, "memory.max");
	clear(own, "cpu.max");
	assert_int_equal(rmdir(own), 0);
	assert_int_equal(rmdir(root), 0);
}

static void the_peak_is_read_in_either_version_or_not_known(void **state UNUSED)
{
	char dir[] = "/tmp/culprit-cgroup-XXXXXX";

	assert_non_null(mkdtemp(dir));
	assert_int_equal(cgroup_peak(dir), -1);
	put(dir, "memory.peak", "73400320\n");
	assert_int_equal(cgroup_peak(dir), 73400320);
	put(dir, "memory.peak", "");
	assert_int_equal(cgroup_peak(dir), -1);
	put(dir, "memory.peak", "max\n");
	assert_int_equal(cgroup_peak(dir), -1);
	put(dir, "memory.max_usage_in_bytes", "4096\n");
	assert_int_equal(cgroup_peak(dir), 4096);
	clear(dir, "memory.peak");
	clear(dir, "memory.max_usage_in_bytes");
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_the_time_on_a_counter_is_the_count),
		cmocka_unit_test(a_shared_counter_is_scaled_up_and_said),
		cmocka_unit_test(no_count_is_never_zero),
		cmocka_unit_test(without_hardware_the_kernels_own_still_count),
		cmocka_unit_test(user_space_alone_is_said_and_switches_are_not_counted_there),
		cmocka_unit_test(what_refuses_is_named_with_its_level),
		cmocka_unit_test(groups_are_looked_for_where_each_version_keeps_them),
		cmocka_unit_test(a_group_with_a_limit_is_not_left),
		cmocka_unit_test(the_peak_is_read_in_either_version_or_not_known),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
