/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * try PATCH... [--on BAD] - which of these patches repairs it? GOOD, BAD and BAD with each patch in one comparison.
 */
#include "cli/measuring.h"

#include "cli/inheriting.h"
#include "hunt/trial.h"
#include "report/answer.h"
#include "sys/fs.h"
#include "text/json.h"

#include <string.h>

struct try_args {
	struct measuring_opts m;
	const char *on, *good;
	unsigned runs;
};

const struct opt cmd_try_options[] = {
	OPT_GROUP("What to try them on"),
	{ 0, "on", OPT_STRING, OPT_INTO(struct try_args, on), "BAD",
	  "apply each patch to this revision (default: the bad end of the last search)",
	  .complete = COMPLETE_REV },
	{ 0, "good", OPT_STRING, OPT_INTO(struct try_args, good), "REV",
	  "how it should be (default: the good end of the last search)", .complete = COMPLETE_REV },
	OPT_COMMON_CONFIG(struct try_args, m.common),
	OPT_MEASURING(struct try_args, m),
	{ 'n', "runs", OPT_UINT, OPT_INTO(struct try_args, runs), "N",
	  "at most N runs of each (default: as many as the verdicts need, 56 at most)", .min = 1,
	  .max = 100000 },
	OPT_COMMON_STORE(struct try_args, m.common),
	OPT_COMMON_OUTPUT(struct try_args, m.common),
	OPT_END,
};

/* 0 a patch repairs all or a part of it, 1 none is shown to, 3 undecided, 4 none could be tried. */
static const struct verdict_status statuses[] = {
	{ "repairs", CMD_OK },	  { "partly", CMD_OK },		  { "no-help", CMD_WORSE },
	{ "no-loss", CMD_WORSE }, { "undecided", CMD_UNDECIDED }, { NULL, CMD_FAILED },
};

static int measure(const struct try_args *a, const struct strvec *patches,
		   const struct confirm_named *n, char **ret_answer, bool *ret_stored,
		   struct err *e)
{
	struct session s = { 0 };
	struct trial_options o = {
		.good = a->good ? a->good : n->good,
		.bad = a->on ? a->on : n->bad,
		.good_name = a->good ? NULL : n->good_name,
		.bad_name = a->on ? NULL : n->bad_name,
		.good_source = a->good ? "option" : "hunt",
		.of_hunt = n->hunt,
		.patches = (const char *const *)patches->v,
		.n = patches->n,
		.dry_run = a->m.dry_run,
		.alpha = a->m.alpha,
		.seed = (uint64_t)a->m.seed_option,
		.max_runs = a->runs,
	};
	int r = measuring_open(&a->m, "try", &s, e);

	if (r < 0)
		return r;
	o.margin = measuring_margin(&a->m, &s);
	r = trial_hunt(&s, &o, ret_answer, ret_stored, e);
	session_close(&s);
	return r;
}

/* Before anything else is said. */
static int check_names(const struct strvec *patches, struct err *e)
{
	for (size_t i = 0; i < patches->n; i++) {
		const char *name = patches->v[i];

		if (!strcmp(name, "-"))
			return err_set(e, ERR_USAGE,
				       "a patch is read from a file, not from standard input");
		if (strchr(name, ':'))
			return err_set(
				e, ERR_USAGE,
				"'%s': the name of a patch cannot hold ':', which parts variants",
				name);
		if (!fs_exists(name))
			return err_set(e, ERR_USAGE, "patch '%s': there is no such file", name);
	}
	return 0;
}

/* Then no search is asked for anything. */
static bool is_all_said(const struct try_args *a)
{
	const struct measuring_opts *m = &a->m;

	return a->good && a->on && (m->common.bench || m->benchmark || m->workload);
}

static int try_patches(struct try_args *a, const struct strvec *patches)
{
	AUTO(confirm_named) struct confirm_named named = { 0 };
	struct err e = ERR_INIT;
	AUTO_FREE char *answer = NULL;
	bool stored = false;
	int r;

	if (!patches->n) {
		err_set(&e, ERR_USAGE,
			"try wants patches: culprit try PATCH... --on BAD --good GOOD");
		return cmd_fail(&e);
	}
	r = check_names(patches, &e);
	if (r == 0 && !is_all_said(a))
		r = inherit_search(&a->m, NULL, !a->good || !a->on,
				   "try wants --on BAD and --good REV", &named, &e);
	if (r == 0)
		r = inherit_measuring(&a->m, &named, &e);
	if (r == 0)
		r = measure(a, patches, &named, &answer, &stored, &e);
	if (r == 0)
		r = measuring_show(&a->m, answer, stored, &e);
	return r < 0 ? measuring_fail(&e) : measuring_status(answer, statuses);
}

int cmd_try(int argc, const char *const *argv)
{
	struct try_args a = { .runs = 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	int status;

	measuring_defaults(&a.m);
	a.m.argv = argv;
	if (cmd_start(cmd_try_options, &a, &a.m.common, argc, argv, &rest, &status))
		status = try_patches(&a, &rest.list);
	common_opts_done(&a.m.common);
	return status;
}
