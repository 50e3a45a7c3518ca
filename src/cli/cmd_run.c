/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run VARIANT... - build and measure, store, show. No verdict: that is compare's.
 */
#include "cli/measuring.h"
#include "cli/suite.h"

#include "hunt/versus.h"

struct run_args {
	struct measuring_opts m;
	unsigned runs, layouts;
};

const struct opt cmd_run_options[] = {
	OPT_COMMON_CONFIG(struct run_args, m.common),
	OPT_MEASURING(struct run_args, m),
	{ 'n', "runs", OPT_UINT, OPT_INTO(struct run_args, runs), "N",
	  "measure each N times (default 5)", .min = 1, .max = 100000 },
	{ 0, "layouts", OPT_UINT, OPT_INTO(struct run_args, layouts), "K",
	  "K builds of each in different code layouts", .min = 1, .max = 64 },
	OPT_COMMON_STORE(struct run_args, m.common),
	OPT_COMMON_OUTPUT(struct run_args, m.common),
	OPT_END,
};

static int run(const struct run_args *a, const struct strvec *args)
{
	const char *head[] = { "HEAD" };
	struct err e = ERR_INIT;
	AUTO_FREE char *answer = NULL;
	bool stored = false;
	struct session s = { 0 };
	struct versus_options o = {
		.variants = args->n ? (const char *const *)args->v : head,
		.n = args->n ? args->n : 1,
		.alpha = a->m.alpha,
		.seed = (uint64_t)a->m.seed_option,
		.fixed_runs = a->runs,
		.layouts = a->layouts,
		.dry_run = a->m.dry_run,
	};
	struct measuring_opts m = a->m;

	m.kernels_only = measuring_kernels_only(args);
	int r = measuring_open(&m, "run", &s, &e);

	if (r == 0) {
		o.margin = measuring_margin(&a->m, &s);
		r = versus_hunt(&s, &o, &answer, &stored, &e);
		session_close(&s);
	}
	if (r == 0)
		r = measuring_show(&a->m, answer, stored, &e);
	return r < 0 ? measuring_fail(&e) : CMD_OK;
}

struct one {
	const struct run_args *a;
	const struct strvec *args;
};

static int run_one(void *arg)
{
	const struct one *x = arg;

	return run(x->a, x->args);
}

static int run_all(struct run_args *a, const struct strvec *args)
{
	struct one one = { a, args };

	return suite_is_meant(&a->m) ? suite_run(&a->m, "run", run_one, &one) : run(a, args);
}

int cmd_run(int argc, const char *const *argv)
{
	struct run_args a = { .runs = 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	int status;

	measuring_defaults(&a.m);
	a.m.argv = argv;
	a.runs = 5;
	if (cmd_start(cmd_run_options, &a, &a.m.common, argc, argv, &rest, &status))
		status = run_all(&a, &rest.list);
	common_opts_done(&a.m.common);
	return status;
}
