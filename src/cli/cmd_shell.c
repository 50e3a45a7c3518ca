/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell VARIANT - a shell in that variant's build, with what a run would see: to look at a failure, or to try the benchmark by hand.
 */
#include "cli/measuring.h"

#include "bench/environ.h"
#include "bench/place.h"
#include "cli/term.h"
#include "hunt/freeze.h"
#include "hunt/measure.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <stdlib.h>

struct shell_args {
	struct measuring_opts m;
	const char *command;
};

const struct opt cmd_shell_options[] = {
	{ 'x', "execute", OPT_STRING, OPT_INTO(struct shell_args, command), "CMD",
	  "run this instead of a shell" },
	OPT_COMMON_CONFIG(struct shell_args, m.common),
	{ 'b', "benchmark", OPT_STRING, OPT_INTO(struct shell_args, m.benchmark), "NAME",
	  "whose environment and files" },
	{ 'j', "jobs", OPT_UINT, OPT_INTO(struct shell_args, m.jobs), "N", "$JOBS of the build",
	  .min = 1, .max = 4096 },
	OPT_COMMON_STORE(struct shell_args, m.common),
	OPT_GROUP("Output"),
	OPT_COMMON_PLAIN(struct shell_args, m.common),
	OPT_END,
};

static int run_shell(const struct shell_args *a, struct session *s, struct mbuild *b,
		     int *ret_status, struct err *e)
{
	const char *shell = getenv("SHELL");
	const char *argv[] = { shell && *shell ? shell : "/bin/sh", NULL, NULL, NULL, NULL };
	AUTO_FREE char *dir = fs_join(s->store_dir, b->path);
	AUTO_FREE char *cwd = NULL;
	AUTO(strvec) struct strvec env = STRVEC_INIT;
	AUTO(place) struct place place = { 0 };
	AUTO(str) struct str out = STR_INIT;
	AUTO(str) struct str why = STR_INIT;
	struct proc_result res;
	int r = freeze_overlay(s, dir, e);

	if (r < 0 || (r = place_take(s->store_dir, b->path, &place, e)) < 0)
		return r;
	if (a->command) {
		argv[0] = "/bin/sh";
		argv[1] = "-c";
		argv[2] = "--";
		argv[3] = a->command;
	}
	environ_user(&env);
	environ_set(&env, "CULPRIT_SRC", place.src);
	environ_set(&env, "CULPRIT_DATA", s->data_dir);
	environ_set(&env, "CULPRIT_SHELL", "1");
	for (char **v = b->env; v && *v; v++)
		environ_put(&env, *v);
	cwd = s->config.project.subdir ? fs_join(place.src, s->config.project.subdir)
				       : xstrdup(place.src);
	struct proc_spec spec = {
		.argv = argv,
		.cwd = cwd,
		.env = (const char *const *)env.v,
		.foreground = true,
		.bind_from = place.is_bound ? place.tree : NULL,
		.bind_to = place.is_bound ? place.src : NULL,
	};

	r = proc_run(&spec, &out, &why, &res, e);
	if (r < 0)
		return r;
	if (res.end == PROC_NOT_STARTED)
		return err_set(e, ERR_ENV, "starting %s: %s", argv[0], why.p);
	*ret_status = res.end == PROC_EXITED ? res.status : 128 + res.status;
	return 0;
}

static int shell(const struct shell_args *a, const char *text, int *ret_status, struct err *e)
{
	struct session s = { 0 };
	struct variant v = { 0 };
	struct mbuild *b;
	int r = measuring_open(&a->m, "shell", &s, e);

	if (r < 0)
		return r;
	if ((r = variant_parse(s.repo, text, &v, e)) == 0 &&
	    (r = measure_build(&s, &v, text, 0, false, &b, e)) == 0 &&
	    (r = measure_ensure(&s, b, &v, e)) == 0) {
		term_progress_end();
		if (*b->path && b->outcome != OUTCOME_OK)
			term_note("this build failed: %s; its log: culprit show b%lld", b->reason,
				  (long long)b->id);
		if (*b->path)
			r = run_shell(a, &s, b, ret_status, e);
		else
			r = err_set(e, ERR_ENV,
				    "%s has no tree (%s): %s; its log: culprit show b%lld", text,
				    outcome_name(b->outcome), b->reason, (long long)b->id);
	}
	variant_done(&v);
	session_close(&s);
	return r;
}

int cmd_shell(int argc, const char *const *argv)
{
	struct shell_args a = { .command = NULL };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status;

	measuring_defaults(&a.m);
	a.m.no_benchmark = true;
	a.m.keep_failed = true;
	if (cmd_start(cmd_shell_options, &a, &a.m.common, argc, argv, &rest, &status)) {
		if (rest.list.n > 1) {
			err_set(&e, ERR_USAGE, "shell wants one variant");
			status = cmd_fail(&e);
		} else if (shell(&a, rest.list.n ? rest.list.v[0] : "HEAD", &status, &e) < 0) {
			status = measuring_fail(&e);
		}
	}
	common_opts_done(&a.m.common);
	return status;
}
