/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * local - programs on this machine.
 *
 * A boot is a visit: one environment size, drawn from the boot's seed, for all its runs; address layout randomisation stays on,
 * so that over the runs of a visit the luck of one stack or heap base averages out. Counting measures are the opposite: a fixed
 * small environment of a fixed size and no randomisation, so that equal programs give equal counts.
 */
#include "target/local.h"

#include "bench/environ.h"
#include "bench/place.h"
#include "bench/run.h"
#include "sys/cgroup.h"
#include "sys/counters.h"
#include "sys/fs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct boot {
	struct boot_request q;
	uint64_t runs;	    /* begun so far */
	struct place place; /* src = NULL without a tree */
	char *cwd;
	char *scratch;
	char *cgroup_parent; /* NULL: the tree's memory peak is not known */
	struct strvec env;
	struct run_memory memory;
};

static const char *usable(char *reason UNUSED)
{
	return NULL;
}

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014): neighbouring seeds give unrelated sizes. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void set_environ(struct boot *b)
{
	const struct boot_request *q = &b->q;
	bool counting = q->benchmark->measure == MEASURE_CALLGRIND;
	AUTO_FREE char *jobs = xasprintf("%u", environ_jobs(q->jobs));

	if (counting)
		environ_fixed(&b->env);
	else
		environ_user(&b->env);
	environ_set(&b->env, "JOBS", jobs);
	environ_set(&b->env, "CULPRIT_SRC", b->place.src ? b->place.src : b->cwd);
	if (q->data_dir)
		environ_set(&b->env, "CULPRIT_DATA", q->data_dir);
	for (const char **v = q->benchmark->env; v && *v; v++)
		environ_put(&b->env, *v);
	for (const char *const *v = q->env; v && *v; v++)
		environ_put(&b->env, *v);
	environ_set(&b->env, "CULPRIT_SEED", "00000000000000000000");
	environ_pad(&b->env, counting ? 0 : (unsigned)(mix(q->seed) & 4095));
}

static int set_folder(struct boot *b, struct err *e)
{
	const struct boot_request *q = &b->q;
	const char *subdir = q->config ? q->config->project.subdir : NULL;
	int r;

	if (!q->tree)
		return fs_realpath(".", &b->cwd, e);
	r = place_take(q->store_dir, q->tree, &b->place, e);
	if (r < 0)
		return r;
	place_protect(&b->place, q->protect);
	b->cwd = subdir ? fs_join(b->place.src, subdir) : xstrdup(b->place.src);
	return 0;
}

/* Callgrind's files; one folder a boot, its name of one length. */
static int set_scratch(struct boot *b, struct err *e)
{
	const char *tmp = getenv("TMPDIR");

	if (b->q.benchmark->measure != MEASURE_CALLGRIND)
		return 0;
	b->scratch = xasprintf("%s/culprit-callgrind-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (mkdtemp(b->scratch))
		return 0;
	int r = err_errno(e, "creating '%s'", b->scratch);

	free(TAKE_PTR(b->scratch));
	return r;
}

static void local_shutdown(struct boot *b)
{
	struct err e = ERR_INIT;

	if (!b)
		return;
	if (b->scratch && fs_remove_tree(b->scratch, &e) < 0)
		errno = 0; /* a temporary folder; nothing depends on it */
	run_memory_done(&b->memory);
	strvec_done(&b->env);
	place_done(&b->place);
	free(b->scratch);
	free(b->cgroup_parent);
	free(b->cwd);
	free(b);
}

static bool wants(const struct benchmark *b, const char *metric)
{
	for (const char **p = b->primary; p && *p; p++)
		if (!strcmp(*p, metric))
			return true;
	return false;
}

static void describe(const struct boot *b, struct str *context)
{
	double load[1] = { 0 };
	bool counting = b->q.benchmark->measure == MEASURE_CALLGRIND;

	str_addf(context,
		 "{\"target\":\"local\",\"seed\":%llu,\"environment_bytes\":%zu,\"aslr\":%s",
		 (unsigned long long)b->q.seed, environ_size(&b->env), counting ? "false" : "true");
	if (b->q.benchmark->pin) /* checked: digits, commas and dashes */
		str_addf(context, ",\"pin\":\"%s\"", b->q.benchmark->pin);
	if (getloadavg(load, 1) == 1)
		str_addf(context, ",\"load\":%.2f", load[0]);
	if (b->q.benchmark->measure == MEASURE_PERF) {
		AUTO(str) struct str none = STR_INIT;

		counters_probe(&none);
		str_addf(context, ",\"counters_not_supported\":\"%s\"", none.p);
	}
	str_addf(context, ",\"tree_peak\":%s,\"bound\":%s}", b->cgroup_parent ? "true" : "false",
		 b->place.is_bound ? "true" : "false");
}

static int local_boot(const struct boot_request *q, struct boot **ret_boot,
		      enum outcome *ret_outcome, struct str *context, struct str *reason,
		      struct err *e)
{
	struct boot *b;
	int r = run_check(q->benchmark, e);

	*ret_boot = NULL;
	*ret_outcome = OUTCOME_OK;
	if (r < 0)
		return r;
	b = xcalloc(1, sizeof(*b));
	b->q = *q;
	r = set_folder(b, e);
	if (r == 0)
		r = set_scratch(b, e);
	if (r < 0) {
		local_shutdown(b);
		return r;
	}
	const char *subdir = q->config ? q->config->project.subdir : NULL;
	AUTO_FREE char *folder = q->tree && subdir ? fs_join(place_files(&b->place), subdir) : NULL;

	if (folder && !fs_is_dir(folder)) {
		str_addf(reason, "this revision has no folder '%s'", subdir);
		*ret_outcome = OUTCOME_SKIPPED;
		local_shutdown(b);
		return 0;
	}
	set_environ(b);
	if (wants(q->benchmark, "tree-peak"))
		b->cgroup_parent = cgroup_parent();
	describe(b, context);
	*ret_boot = b;
	return 0;
}

/*
 * $CULPRIT_SEED: a number for a benchmark that draws its input at random, so that a hunt can be repeated. Another one for each
 * run, always 20 digits, so that the environment's size stays the boot's; under a counting measure the same for all.
 */
static void set_run_seed(struct boot *b)
{
	bool counting = b->q.benchmark->measure == MEASURE_CALLGRIND;
	AUTO_FREE char *text = xasprintf(
		"%020llu", (unsigned long long)(counting ? 1 : mix(b->q.seed ^ mix(b->runs))));

	b->runs++;
	environ_set(&b->env, "CULPRIT_SEED", text);
}

static int local_run(struct boot *b, struct run_result *ret, struct err *e)
{
	struct run_setting s = {
		.benchmark = b->q.benchmark,
		.config = b->q.config,
		.env = (const char *const *)b->env.v,
		.cwd = b->cwd,
		.bind_from = b->place.is_bound ? b->place.tree : NULL,
		.bind_to = b->place.is_bound ? b->place.src : NULL,
		.read_only = (const char *const *)b->place.read_only.v,
		.writable = (const char *const *)b->place.writable.v,
		.scratch = b->scratch,
		.cgroup_parent = b->cgroup_parent,
		.tick = b->q.tick,
		.tick_arg = b->q.tick_arg,
		.stop = b->q.stop,
	};

	set_run_seed(b);
	s.env = (const char *const *)b->env.v;
	return run_once(&s, &b->memory, ret, e);
}

const struct target_ops target_local = {
	.name = "local",
	.help = "programs on this machine",
	.unusable = usable,
	.boot = local_boot,
	.run = local_run,
	.shutdown = local_shutdown,
	.boots_at_once = true,
};
