/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hunt GOOD BAD - the whole investigation: what got worse, by which commits, proved, explained; what repaired it, and whether a patch does.
 *
 * Each stage is a hunt of its own with the command that would do it alone in the journal, so `resume`, `confirm` and `explain` can go on from any of them.
 */
#include "cli/measuring.h"

#include "hunt/investigate.h"
#include "report/answer.h"
#include "sys/clock.h"
#include "text/json.h"

#include <string.h>

struct hunt_args {
	struct measuring_opts m;
	const char *fixed_in;
	struct strvec patches;
	bool no_explain;
	unsigned most;
	int64_t began_ns;
	/* of the stage that is under way: what its session points into */
	struct strvec words;
	char *benchmark, *metric;
};

const struct opt cmd_hunt_options[] = {
	OPT_GROUP("The investigation"),
	{ 0, "fixed-in", OPT_STRING, OPT_INTO(struct hunt_args, fixed_in), "REV",
	  "a later revision where it is repaired: search the commit that did it",
	  .complete = COMPLETE_REV },
	{ 0, "patch", OPT_STRINGS, OPT_INTO(struct hunt_args, patches), "FILE",
	  "try this patch on BAD", .complete = COMPLETE_FILE },
	{ 0, "no-explain", OPT_BOOL, OPT_INTO(struct hunt_args, no_explain), NULL,
	  "leave out what differs between each culprit and its parent" },
	{ 0, "max-culprits", OPT_UINT, OPT_INTO(struct hunt_args, most), "N",
	  "search no further once N commits are named (default 8)", .min = 1, .max = 100 },
	OPT_COMMON_CONFIG(struct hunt_args, m.common),
	OPT_MEASURING(struct hunt_args, m),
	OPT_COMMON_STORE(struct hunt_args, m.common),
	OPT_COMMON_OUTPUT(struct hunt_args, m.common),
	OPT_END,
};

/* The metric and the benchmark are the stage's. */
static const char *const of_the_stage[] = { "benchmark", "metric", NULL };

static int open_stage(void *arg, const char *command, const char *benchmark, const char *metric,
		      const char *const *args, struct session *ret, struct err *e)
{
	struct hunt_args *a = arg;
	struct measuring_opts m = a->m;
	int64_t spent = clock_monotonic_ns() - a->began_ns;
	int r;

	if (m.budget_ns)
		m.budget_ns = m.budget_ns > spent ? m.budget_ns - spent : 1;
	if (!args) { /* the inquiry itself: all benchmarks, of which the first will do */
		m.no_benchmark = true;
		return measuring_open(&m, command, ret, e);
	}
	strvec_done(&a->words);
	if ((r = measuring_spell(&a->m, cmd_hunt_options, of_the_stage, command, benchmark, metric,
				 &a->words, e)) < 0)
		return r;
	for (; *args; args++)
		strvec_add(&a->words, *args);
	free(a->benchmark);
	free(a->metric);
	a->benchmark = benchmark ? xstrdup(benchmark) : NULL;
	a->metric = metric ? xstrdup(metric) : NULL;
	m.argv = (const char *const *)a->words.v;
	/* of a hunt that is gone on with, the stages are there already */
	m.fresh = m.fresh && !m.only_hunt;
	m.only_hunt = 0;
	if (!m.workload)
		m.benchmark = a->benchmark;
	if (metric)
		m.metric = a->metric;
	return measuring_open(&m, command, ret, e);
}

static double margin_of(void *arg, const struct session *s, bool *ret_given)
{
	const struct hunt_args *a = arg;

	*ret_given = measuring_margin_is_given(&a->m, s);
	return measuring_margin(&a->m, s);
}

/* 0 all that got worse has its culprits, or nothing did; 3 something is left or undecided. */
static const struct verdict_status statuses[] = {
	{ "explained", CMD_OK },
	{ "named", CMD_OK },
	{ "none", CMD_OK },
	{ NULL, CMD_UNDECIDED },
};

static int hunt(struct hunt_args *a, const struct opt_args *rest)
{
	struct err e = ERR_INIT;
	AUTO_FREE char *answer = NULL;
	bool stored = false;

	if (rest->list.n != 2) {
		err_set(&e, ERR_USAGE, "hunt wants two revisions: culprit hunt GOOD BAD");
		return cmd_fail(&e);
	}
	struct investigate_options o = {
		.good = rest->list.v[0],
		.bad = rest->list.v[1],
		.fixed_in = a->fixed_in,
		.patches = (const char *const *)a->patches.v,
		.no_explain = a->no_explain,
		.dry_run = a->m.dry_run,
		.most = a->most,
		.alpha = a->m.alpha,
		.seed = (uint64_t)a->m.seed_option,
		.open = open_stage,
		.margin = margin_of,
		.arg = a,
	};
	int r = investigate(&o, &answer, &stored, &e);

	if (r == 0)
		r = measuring_show(&a->m, answer, stored, &e);
	return r < 0 ? measuring_fail(&e) : measuring_status(answer, statuses);
}

int cmd_hunt(int argc, const char *const *argv)
{
	struct hunt_args a = { .most = 8, .began_ns = clock_monotonic_ns() };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	int status;

	measuring_defaults(&a.m);
	a.m.argv = argv;
	if (cmd_start(cmd_hunt_options, &a, &a.m.common, argc, argv, &rest, &status))
		status = hunt(&a, &rest);
	common_opts_done(&a.m.common);
	strvec_done(&a.patches);
	strvec_done(&a.words);
	free(a.benchmark);
	free(a.metric);
	return status;
}
