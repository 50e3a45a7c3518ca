/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bisect GOOD BAD - which commit made it slower? bisect --fix BAD GOOD - which one repaired it?
 */
#include "cli/measuring.h"

#include "hunt/bisect.h"
#include "report/answer.h"
#include "text/json.h"

#include <string.h>

struct bisect_args {
	struct measuring_opts m;
	bool fix, first_parent, inside, counter, relayout, no_relayout, no_duel;
	struct strvec suspects;
	const char *introduced, *from, *over;
	unsigned max_runs, max_builds;
	int exit_code;
};

const struct opt cmd_bisect_options[] = {
	OPT_GROUP("The search"),
	{ 0, "fix", OPT_BOOL, OPT_INTO(struct bisect_args, fix), NULL,
	  "search the commit that repaired it: bisect --fix BAD GOOD, GOOD the later one" },
	{ 0, "introduced", OPT_STRING, OPT_INTO(struct bisect_args, introduced), "REV",
	  "with --fix: the known culprit; commits without it cannot count as fixed",
	  .complete = COMPLETE_REV },
	{ 0, "first-parent", OPT_BOOL, OPT_INTO(struct bisect_args, first_parent), NULL,
	  "do not look inside merges: name the merge" },
	{ 0, "inside", OPT_BOOL, OPT_INTO(struct bisect_args, inside), NULL,
	  "the ends may be equal: look for a change that was undone within the range" },
	{ 0, "suspect", OPT_STRINGS, OPT_INTO(struct bisect_args, suspects), "REV|PATH",
	  "look here first (costs runs, never correctness, if wrong)", .complete = COMPLETE_REV },
	{ 0, "over", OPT_STRING, OPT_INTO(struct bisect_args, over), "LIST",
	  "search a list of kernels that exist: a file of deb= and image= lines, oldest first, or deb=PATTERN",
	  .complete = COMPLETE_FILE },
	{ 0, "from", OPT_STRING, OPT_INTO(struct bisect_args, from), "FILE",
	  "take the marks of a 'git bisect log'", .complete = COMPLETE_FILE },
	{ 0, "counter", OPT_BOOL, OPT_INTO(struct bisect_args, counter), NULL,
	  "the metric is an exact count: equal repeats mean no noise" },
	{ 0, "relayout", OPT_BOOL, OPT_INTO(struct bisect_args, relayout), NULL,
	  "may build a commit again in another code layout even where the metric is a count" },
	{ 0, "no-relayout", OPT_BOOL, OPT_INTO(struct bisect_args, no_relayout), NULL,
	  "never build a commit again in another code layout to tell luck of layout from change" },
	{ 0, "no-head-to-head", OPT_BOOL, OPT_INTO(struct bisect_args, no_duel), NULL,
	  "leave out the fresh comparison of the named commit against its parent" },
	{ 0, "max-runs", OPT_UINT, OPT_INTO(struct bisect_args, max_runs), "N",
	  "give up after N runs (default 1500, and more of the ends where builds are slow)",
	  .min = 4, .max = 1e6 },
	{ 0, "max-builds", OPT_UINT, OPT_INTO(struct bisect_args, max_builds), "N",
	  "give up after N builds (default 70)", .min = 2, .max = 1e5 },
	OPT_COMMON_CONFIG(struct bisect_args, m.common),
	OPT_MEASURING(struct bisect_args, m),
	OPT_COMMON_STORE(struct bisect_args, m.common),
	OPT_COMMON_OUTPUT(struct bisect_args, m.common),
	OPT_END,
};

int measuring_of_bisect(const struct strvec *argv, struct measuring_opts *ret, struct err *e)
{
	struct bisect_args a = { .fix = false };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;

	measuring_defaults(&a.m);
	int r = opt_parse(cmd_bisect_options, &a, (int)argv->n, (const char *const *)argv->v, &rest,
			  e);

	strvec_done(&a.suspects);
	if (r < 0) {
		common_opts_done(&a.m.common);
		return err_wrap(e, "the command of the search");
	}
	*ret = a.m;
	return 0;
}

static const struct verdict_status statuses[] = {
	{ "undecided", CMD_UNDECIDED },
	{ NULL, CMD_OK },
};

static int bisect(const struct bisect_args *a, const struct opt_args *rest)
{
	struct err e = ERR_INIT;
	AUTO_FREE char *answer = NULL;
	bool stored = false;
	struct session s = { 0 };

	if (a->over && (rest->list.n > 2 || rest->before == 1 || a->introduced || a->from ||
			a->suspects.n || a->first_parent)) {
		err_set(&e, ERR_USAGE,
			"--over LIST takes two entries of the list as ends, or none; paths, --introduced, "
			"--from, --suspect and --first-parent are for commits");
		return cmd_fail(&e);
	}
	if (rest->before != 2 && !(a->over && !rest->before)) {
		err_set(&e, ERR_USAGE, "bisect wants two revisions: culprit bisect %s [-- PATH...]",
			a->fix ? "--fix BAD GOOD" : "GOOD BAD");
		return cmd_fail(&e);
	}
	struct bisect_options o = {
		.good = rest->before ? rest->list.v[a->fix ? 1 : 0] : NULL,
		.bad = rest->before ? rest->list.v[a->fix ? 0 : 1] : NULL,
		.over = a->over,
		.fix = a->fix,
		.first_parent = a->first_parent,
		.inside = a->inside,
		.counter = a->counter,
		.relayout = a->relayout,
		.no_relayout = a->no_relayout,
		.no_duel = a->no_duel,
		.dry_run = a->m.dry_run,
		.paths = rest->list.n > 2 ? (const char *const *)rest->list.v + 2 : NULL,
		.suspects = (const char *const *)a->suspects.v,
		.introduced = a->introduced,
		.from = a->from,
		.alpha = a->m.alpha,
		.seed = (uint64_t)a->m.seed_option,
		.max_runs = a->max_runs,
		.max_builds = a->max_builds,
	};
	struct measuring_opts m = a->m;

	m.kernels_only = a->over != NULL;
	int r = measuring_open(&m, "bisect", &s, &e);

	if (r == 0) {
		o.margin = measuring_margin(&a->m, &s);
		o.coarser = !measuring_margin_is_given(&a->m, &s);
		r = bisect_hunt(&s, &o, &answer, &stored, &e);
		session_close(&s);
	}
	if (r == 0)
		r = measuring_show(&a->m, answer, stored, &e);
	return r < 0 ? measuring_fail(&e) : measuring_status(answer, statuses);
}

int cmd_bisect(int argc, const char *const *argv)
{
	struct bisect_args a = { .fix = false };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	int status;

	measuring_defaults(&a.m);
	a.m.argv = argv;
	if (cmd_start(cmd_bisect_options, &a, &a.m.common, argc, argv, &rest, &status))
		status = bisect(&a, &rest);
	common_opts_done(&a.m.common);
	strvec_done(&a.suspects);
	return status;
}
