/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain A B - what differs between two variants: counters, events, functions, surroundings. explain [HUNT] - the same of a search's culprit and its parent.
 *
 * With a hunt the command is made again from that hunt's own: its options that say what is measured, and the two variants. So what `culprit resume` and the journal
 * see is a command that was given in full.
 */
#include "cli/measuring.h"

#include "cli/storedir.h"
#include "cli/term.h"
#include "hunt/explain.h"
#include "hunt/explainable.h"
#include "hunt/versus.h"
#include "sys/fs.h"

#include <string.h>
#include <unistd.h>

struct explain_args {
	struct measuring_opts m;
	unsigned runs;
};

const struct opt cmd_explain_options[] = {
	OPT_COMMON_CONFIG(struct explain_args, m.common),
	OPT_MEASURING(struct explain_args, m),
	{ 'n', "runs", OPT_UINT, OPT_INTO(struct explain_args, runs), "N",
	  "measure each N times (default 5; fewer where counts repeat)", .min = 1, .max = 100000 },
	OPT_COMMON_STORE(struct explain_args, m.common),
	OPT_COMMON_OUTPUT(struct explain_args, m.common),
	OPT_END,
};

static int explain(const struct explain_args *a, const struct strvec *args)
{
	struct err e = ERR_INIT;
	AUTO_FREE char *answer = NULL;
	bool stored = false;
	struct session s = { 0 };
	struct versus_options o = {
		.variants = (const char *const *)args->v,
		.n = args->n,
		.explain = true,
		.alpha = a->m.alpha,
		.seed = (uint64_t)a->m.seed_option,
		.fixed_runs = a->runs,
		.dry_run = a->m.dry_run,
	};
	struct measuring_opts m = a->m;

	m.kernels_only = measuring_kernels_only(args);
	int r = measuring_open(&m, "explain", &s, &e);

	if (r == 0) {
		o.margin = measuring_margin(&a->m, &s);
		if (!o.fixed_runs)
			o.fixed_runs = o.max_runs = EXPLAIN_RUNS;
		r = versus_hunt(&s, &o, &answer, &stored, &e);
		session_close(&s);
	}
	if (r == 0)
		r = measuring_show(&a->m, answer, stored, &e);
	return r < 0 ? measuring_fail(&e) : CMD_OK;
}

/* All names of this command's options. */
static void own_names(const char **ret, size_t most)
{
	size_t n = 0;

	for (const struct opt *o = cmd_explain_options; o->type != OPT_LAST && n + 1 < most; o++)
		if (o->type != OPT_HEADING)
			ret[n++] = o->name;
	ret[n] = NULL;
}

/* The command line in full: the hunt's options, those that were given now (which win), and the variants. */
static int spell_out(const char *store, const char *number, int argc, const char *const *argv,
		     struct strvec *ret, struct err *e)
{
	__attribute__((cleanup(opened_store_done))) struct store *st = NULL;
	AUTO(explainable) struct explainable x = { 0 };
	AUTO_FREE char *full = NULL;
	static const char *const another_order[] = { "seed", NULL };
	const char *own[64], *taken_over[MEASURING_NAMES];
	int64_t hunt = 0;
	int r = number ? storedir_hunt_number(number, &hunt, e) : 0;

	if (r < 0 || (r = storedir_open(store, STORE_READ, &st, e)) < 0 ||
	    (r = explainable_find(st, hunt, &x, e)) < 0)
		return r;
	const struct cmd *c = cmd_find(x.argv.v[0]);

	measuring_names(another_order, taken_over);
	own_names(own, ARRAY_LEN(own));
	strvec_add(ret, "explain");
	if (!c)
		return err_set(e, ERR_USAGE, "hunt %lld was begun by '%s', which is no command",
			       (long long)x.hunt, x.argv.v[0]);
	if ((r = opt_pick(c->options, taken_over, (int)x.argv.n, (const char *const *)x.argv.v, ret,
			  e)) < 0 ||
	    (r = opt_pick(cmd_explain_options, own, argc, argv, ret, e)) < 0)
		return r;
	/* the folder is left, so where the journal is must be said in full */
	if (store && (r = fs_realpath(store, &full, e)) < 0)
		return r;
	if (full)
		strvec_addf(ret, "--store=%s", full);
	strvec_add(ret, x.before);
	strvec_add(ret, x.after);
	if (chdir(x.cwd))
		return err_errno(e, "hunt %lld was begun in %s", (long long)x.hunt, x.cwd);
	return 0;
}

static int parse_and_run(int argc, const char *const *argv, bool may_spell_out)
{
	struct explain_args a = { .runs = 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	AUTO(strvec) struct strvec words = STRVEC_INIT;
	struct err e = ERR_INIT;
	int status;

	measuring_defaults(&a.m);
	a.m.argv = argv;
	if (!cmd_start(cmd_explain_options, &a, &a.m.common, argc, argv, &rest, &status)) {
		/* said already */
	} else if (rest.list.n == 2) {
		status = explain(&a, &rest.list);
	} else if (rest.list.n > 2 || !may_spell_out) {
		err_set(&e, ERR_USAGE,
			"explain wants two variants, or one hunt's number, or nothing for the newest search");
		status = cmd_fail(&e);
	} else if (spell_out(a.m.common.store, rest.list.n ? rest.list.v[0] : NULL, argc, argv,
			     &words, &e) < 0) {
		status = cmd_fail(&e);
	} else {
		status = parse_and_run((int)words.n, (const char *const *)words.v, false);
	}
	common_opts_done(&a.m.common);
	return status;
}

int cmd_explain(int argc, const char *const *argv)
{
	return parse_and_run(argc, argv, true);
}
