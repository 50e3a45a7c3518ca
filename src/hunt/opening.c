/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening order matters: the repository says where the store is, the store is locked before anything is written, the configuration
 * is read from the user's checkout (never from a tree that is measured), and the benchmark's own files are frozen by
 * content before the first build, so that a hunt measures one benchmark however long it takes and whatever the
 * user edits meanwhile.
 */
#include "hunt/opening.h"

#include "base/num.h"
#include "bench/own.h"
#include "bench/workload.h"
#include "hunt/freeze.h"
#include "hunt/guesting.h"
#include "hunt/kernels.h"
#include "hunt/simulated.h"
#include "reader/reader.h"
#include "sys/clock.h"
#include "sys/fs.h"
#include "sys/sweep.h"

#include <string.h>
#include <unistd.h>

static bool waiting_for_lock(void *arg, const char *holder)
{
	struct session *s = arg;

	if (!s->waited)
		session_warn(s, "this store is in use, waiting for %s", holder);
	s->waited = true;
	session_progress(s, "waiting for %s", holder);
	return !(s->ui->stop && s->ui->stop());
}

/* A quarter of a second at a time, so that a user who does not want to wait can stop. */
static int wait_for_store(struct session *s, const char *command, struct err *e)
{
	const int64_t step = NS_PER_S / 4;

	for (int64_t waited = 0;; waited += step) {
		int r = store_lock(s->store, command, step, waiting_for_lock, s, e);

		if (r != -ERR_BUSY || waited >= 600 * NS_PER_S)
			return r;
		r = session_check_stop(s, e);
		if (r < 0)
			return r;
	}
}

/* The file at the repository's root, or at --config; under it, so that it can change keys, the workload's. */
static int open_config(struct session *s, struct err *e)
{
	AUTO(workload) struct workload w = { 0 };
	AUTO_FREE char *found = NULL;
	const char *path = s->opt.config_path;
	int r;

	if (s->opt.workload && (s->opt.bench || s->opt.benchmark))
		return err_set(e, ERR_USAGE, "--workload and %s both name a benchmark: give one",
			       s->opt.bench ? "--bench" : "--benchmark");
	if (s->opt.workload && (r = workload_open(s->opt.workload, &w, e)) < 0)
		return r;

	if (!path) {
		found = fs_join(s->top, "culprit.yaml");
		if (fs_exists(found))
			path = found;
	}
	const struct config_base base = { w.path, w.argument };

	r = config_load(w.path ? &base : NULL, path, s->opt.settings, s->opt.build, s->opt.bench,
			&s->config, e);
	if (r == 0 && w.bench)
		s->opt.benchmark = arena_strdup(&s->config.arena, w.bench->name);
	return r;
}

static int choose_benchmark(struct session *s, struct err *e)
{
	static const struct benchmark none = { .name = "", .command = "" };
	static const struct benchmark simulated = { .name = "simulated", .command = "" };
	int r = 0;

	s->bench = s->simulated ? &simulated : &none;
	if ((!s->opt.no_benchmark && !s->simulated) || s->opt.benchmark ||
	    s->config.n_benchmarks == 1)
		r = config_benchmark(&s->config, s->opt.benchmark, &s->bench, e);
	if (r < 0)
		return r;
	s->bench_copy = *s->bench;
	s->bench = &s->bench_copy;
	if (s->opt.warmup != UINT32_MAX)
		s->bench_copy.warmup = s->opt.warmup;
	if (s->opt.reader) {
		const struct reader *reader;

		if ((r = reader_find(s->opt.reader, &reader, e)) < 0)
			return err_wrap(e, "--reader");
		if (!strcmp(reader->name, "regex") && !s->bench->regex)
			return err_set(
				e, ERR_USAGE,
				"--reader regex: it is the benchmark's key 'regex' that says which");
		s->bench_copy.reader = reader->name;
		if (strcmp(reader->name, "regex") != 0)
			s->bench_copy.regex = NULL;
	}
	if (!s->opt.measure)
		return 0;
	if (!strcmp(s->opt.measure, "wall"))
		s->bench_copy.measure = MEASURE_WALL;
	else if (!strcmp(s->opt.measure, "perf"))
		s->bench_copy.measure = MEASURE_PERF;
	else if (!strcmp(s->opt.measure, "callgrind"))
		s->bench_copy.measure = MEASURE_CALLGRIND;
	else
		return err_set(e, ERR_USAGE, "--measure wants wall, perf or callgrind, not '%s'",
			       s->opt.measure);
	return 0;
}

/* NAME or NAME=ARGUMENT. */
static int choose_target(struct session *s, struct err *e)
{
	const char *text = s->opt.target ? s->opt.target : "local", *argument = strchr(text, '=');
	AUTO_FREE char *name = xstrndup(text, strcspn(text, "="));
	char reason[200] = "";
	bool is_sim = !strcmp(name, "sim");

	s->target = target_find(name);
	if (!s->target)
		return err_set(e, ERR_USAGE,
			       "unknown target '%s'; there are local, exact, vm and sim=FILE",
			       name);
	if (is_sim && (!argument || !argument[1]))
		return err_set(e, ERR_USAGE,
			       "target 'sim' wants a file that gives commits their values: "
			       "--target sim=FILE, see culprit-simulate(1)");
	if (!is_sim && argument)
		return err_set(e, ERR_USAGE, "target '%s' takes no '%s'", name, argument);
	if ((s->target->unusable && s->target->unusable(reason)) ||
	    (s->target->probe && s->target->probe(reason)))
		return err_set(e, ERR_ENV, "target '%s' cannot be used here: %s", name, reason);
	if (is_sim)
		return simulated_open(s, argument + 1, e);
	s->target_name = xstrdup(name);
	return 0;
}

/*
 * The last culprit here was killed. What its children started and sent into a session of their own (a daemon) may still run: it has
 * the store's CULPRIT_SRC in its environment, and since the store is ours now, nobody else has a right to that. What a
 * user started from `culprit shell` is let alone.
 */
static void end_leftovers(struct session *s)
{
	AUTO_FREE char *mark = xasprintf("CULPRIT_SRC=%s/src", s->store_dir);
	unsigned n = sweep_processes(mark, "CULPRIT_SHELL=");

	own_sweep(s->store_dir);

	if (n)
		session_warn(s, "ended %u process%s that a killed culprit had left", n,
			     n == 1 ? "" : "es");
}

static int open_store(struct session *s, const char *command, struct err *e)
{
	const char *dir = s->opt.store_dir ? s->opt.store_dir : repo_default_store(s->repo);
	int r = store_open(dir, STORE_WRITE, &s->store, e);

	if (r < 0)
		return r;
	r = fs_realpath(dir, &s->store_dir, e);
	if (r < 0)
		return r;
	if ((r = wait_for_store(s, command, e)) < 0)
		return r;
	if (store_was_abandoned(s->store))
		end_leftovers(s);
	return 0;
}

/* Kernels that exist need no history. */
static int open_repo(struct session *s, struct err *e)
{
	int r = repo_open(NULL, &s->repo, e);

	if (r == 0)
		s->top = xstrdup(repo_top(s->repo));
	else if (s->opt.kernels_only && strstr(e->msg, "not a git repository"))
		r = fs_realpath(".", &s->top, e);
	return r;
}

static int open_parts(struct session *s, const char *command, struct err *e)
{
	int r = open_repo(s, e);

	if (r < 0)
		return r;
	if (s->repo && *repo_notes(s->repo))
		session_warn(s, "%s", repo_notes(s->repo));
	if ((r = open_config(s, e)) < 0 || (r = choose_target(s, e)) < 0 ||
	    (r = choose_benchmark(s, e)) < 0)
		return r;
	if ((r = open_store(s, command, e)) < 0)
		return r;
	if (s->repo && (r = repo_prepare(s->repo, s->store_dir, e)) < 0)
		return r;
	if (s->repo)
		repo_folders(s->repo, &s->protect);
	if ((r = kernels_open(s, e)) < 0 || (r = guesting_prepare(s, e)) < 0)
		return r;
	return freeze_files(s, e);
}

int session_open(const struct session_options *opt, const struct hunt_ui *ui, const char *command,
		 struct session *ret, struct err *e)
{
	struct session s = { .opt = *opt, .ui = ui, .began_ns = clock_monotonic_ns() };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int r = open_parts(&s, command, e);

	if (r < 0) {
		session_close(&s);
		return r;
	}
	s.jobs = opt->jobs		 ? opt->jobs
		 : s.config.project.jobs ? s.config.project.jobs
					 : (unsigned)(cpus > 0 ? cpus : 1);
	*ret = s;
	/* pointers into the struct follow the copy */
	ret->bench = &ret->bench_copy;
	if (opt->metric) {
		ret->only_metric[0] = opt->metric;
		ret->bench_copy.primary = ret->only_metric;
	}
	return 0;
}
