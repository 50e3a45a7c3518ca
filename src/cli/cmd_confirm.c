/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confirm [COMMIT] --on BAD - take the commit out of BAD: is it on par with GOOD again, and how much of the loss comes back?
 *
 * What a search knows need not be said again: of the newest one that named the commit come its ends, the build and the benchmark, unless they are
 * given. So `culprit confirm` alone goes on where `culprit bisect` ended.
 */
#include "cli/measuring.h"

#include "cli/inheriting.h"
#include "report/answer.h"
#include "text/json.h"

#include <string.h>

struct confirm_args {
	struct measuring_opts m;
	const char *on, *good, *patch;
	struct strvec with, knobs;
	unsigned mainline, runs;
	bool both, relayout;
};

const struct opt cmd_confirm_options[] = {
	OPT_GROUP("What to confirm"),
	{ 0, "on", OPT_STRING, OPT_INTO(struct confirm_args, on), "BAD",
	  "take the commit out of this revision (default: the bad end of the search that named it)",
	  .complete = COMPLETE_REV },
	{ 0, "good", OPT_STRING, OPT_INTO(struct confirm_args, good), "REV",
	  "compare with this one (default: the good end of that search, else the commit's parent)",
	  .complete = COMPLETE_REV },
	{ 0, "mainline", OPT_UINT, OPT_INTO(struct confirm_args, mainline), "N",
	  "a merge is taken out against its N-th parent (default: the first)", .min = 1,
	  .max = 99 },
	{ 0, "with", OPT_STRINGS, OPT_INTO(struct confirm_args, with), "REV",
	  "revert this one, too: where later commits are in the way", .complete = COMPLETE_REV },
	{ 0, "patch", OPT_STRING, OPT_INTO(struct confirm_args, patch), "FILE",
	  "apply this patch to BAD instead of reverting: your own resolution of a conflict",
	  .complete = COMPLETE_FILE },
	{ 0, "knob", OPT_STRINGS, OPT_INTO(struct confirm_args, knobs), "SETTING",
	  "set this instead of reverting: env.NAME=VALUE, cmdline=WORDS, sysctl.NAME=VALUE, config=CONFIG_X=n" },
	{ 0, "both", OPT_BOOL, OPT_INTO(struct confirm_args, both), NULL,
	  "the other way, too: the commit picked onto GOOD" },
	{ 0, "relayout", OPT_BOOL, OPT_INTO(struct confirm_args, relayout), NULL,
	  "build commit and parent in another code layout, too: does the change survive?" },
	OPT_COMMON_CONFIG(struct confirm_args, m.common),
	OPT_MEASURING(struct confirm_args, m),
	{ 'n', "runs", OPT_UINT, OPT_INTO(struct confirm_args, runs), "N",
	  "at most N runs of each (default: as many as the verdict needs, 56 at most)", .min = 1,
	  .max = 100000 },
	OPT_COMMON_STORE(struct confirm_args, m.common),
	OPT_COMMON_OUTPUT(struct confirm_args, m.common),
	OPT_END,
};

/* 0 the commit is the cause or a part of it, 1 it is not shown to be, 3 undecided, 4 it cannot be taken out. */
static const struct verdict_status statuses[] = {
	{ "confirmed", CMD_OK },  { "partly", CMD_OK },		  { "refuted", CMD_WORSE },
	{ "no-loss", CMD_WORSE }, { "undecided", CMD_UNDECIDED }, { NULL, CMD_FAILED },
};

/* ------------------------------------------------------------------------------------------------------------------ */

static int measure(const struct confirm_args *a, const char *commit, const struct confirm_named *n,
		   char **ret_answer, bool *ret_stored, struct err *e)
{
	struct session s = { 0 };
	struct measuring_opts m = a->m;
	struct confirm_options o = {
		.commit = commit,
		.good = a->good ? a->good : n->good,
		.bad = a->on ? a->on : n->bad,
		.good_name = a->good ? NULL : n->good_name,
		.bad_name = a->on ? NULL : n->bad_name,
		.good_source = a->good ? "option" : "hunt",
		.of_hunt = n->hunt,
		.fix = n->fix,
		.parent = a->mainline,
		.with = (const char *const *)a->with.v,
		.patch = a->patch,
		.knobs = (const char *const *)a->knobs.v,
		.both = a->both,
		.relayout = a->relayout,
		.dry_run = a->m.dry_run,
		.alpha = a->m.alpha,
		.seed = (uint64_t)a->m.seed_option,
		.max_runs = a->runs,
	};
	int r;

	m.kernels_only = !o.commit && o.good && o.bad && measuring_is_kernel(o.good) &&
			 measuring_is_kernel(o.bad);
	if ((r = measuring_open(&m, "confirm", &s, e)) < 0)
		return r;
	o.margin = measuring_margin(&a->m, &s);
	r = confirm_hunt(&s, &o, ret_answer, ret_stored, e);
	session_close(&s);
	return r;
}

/* The command as `resume` says it again: by then another search may be the last one. */
static void say_commit(struct confirm_args *a, const char *commit, struct strvec *words)
{
	strvec_add(words, *a->m.argv);
	strvec_add(words, commit);
	for (const char *const *p = a->m.argv + 1; *p; p++)
		strvec_add(words, *p);
	a->m.argv = (const char *const *)words->v;
}

static int confirm(struct confirm_args *a, const struct strvec *args)
{
	AUTO(confirm_named) struct confirm_named named = { 0 };
	AUTO(strvec) struct strvec words = STRVEC_INIT;
	const char *commit = args->n ? args->v[0] : NULL;
	struct err e = ERR_INIT;
	AUTO_FREE char *answer = NULL;
	bool stored = false;
	int r = 0;

	if (args->n > 1) {
		err_set(&e, ERR_USAGE,
			"confirm wants one commit; others that are reverted with it: --with REV");
		return cmd_fail(&e);
	}
	if (commit || !a->knobs.n || !a->good)
		r = inherit_search(&a->m, commit, !commit && !a->knobs.n, "confirm wants a commit",
				   &named, &e);
	if (r == 0)
		r = inherit_measuring(&a->m, &named, &e);
	if (!commit && named.culprit) {
		say_commit(a, named.culprit, &words);
		commit = named.culprit;
	}
	if (r == 0)
		r = measure(a, commit, &named, &answer, &stored, &e);
	if (r == 0)
		r = measuring_show(&a->m, answer, stored, &e);
	return r < 0 ? measuring_fail(&e) : measuring_status(answer, statuses);
}

int cmd_confirm(int argc, const char *const *argv)
{
	struct confirm_args a = { .both = false };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	int status;

	measuring_defaults(&a.m);
	a.m.argv = argv;
	if (cmd_start(cmd_confirm_options, &a, &a.m.common, argc, argv, &rest, &status))
		status = confirm(&a, &rest.list);
	common_opts_done(&a.m.common);
	strvec_done(&a.with);
	strvec_done(&a.knobs);
	return status;
}
