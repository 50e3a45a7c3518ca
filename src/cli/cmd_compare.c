/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare A B [C...] - are these different, and by how much? Variants of a repository, or files of numbers.
 *
 * Arguments are files if every one of them is an existing file (or "-") and none is a revision too; a name that is both is
 * refused with the way out.
 */
#include "cli/measuring.h"
#include "cli/suite.h"

#include "cli/term.h"
#include "hunt/versus.h"
#include "reader/reader.h"
#include "repo/repo.h"
#include "repo/variant.h"
#include "report/answer.h"
#include "sys/fs.h"
#include "text/json.h"

#include <string.h>

struct compare_args {
	struct measuring_opts m;
	unsigned runs, layouts;
	int better;
	int exit_code;
};

static const char *const directions[] = { "guess", "lower", "higher", NULL };
static const char *const exit_codes[] = { "plain", "bisect", NULL };

const struct opt cmd_compare_options[] = {
	OPT_COMMON_CONFIG(struct compare_args, m.common),
	OPT_MEASURING(struct compare_args, m),
	{ 'n', "runs", OPT_UINT, OPT_INTO(struct compare_args, runs), "N",
	  "at most N runs of each (default: as many as the verdict needs, 56 at most)", .min = 1,
	  .max = 100000 },
	{ 0, "layouts", OPT_UINT, OPT_INTO(struct compare_args, layouts), "K",
	  "K builds of each in different code layouts: a verdict about the source, not two binaries",
	  .min = 1, .max = 64 },
	{ 0, "better", OPT_CHOICE, OPT_INTO(struct compare_args, better), "WHICH",
	  "of numbers in files: which direction is better", .choices = directions },
	{ 0, "exit-code", OPT_CHOICE, OPT_INTO(struct compare_args, exit_code), "HOW",
	  "bisect: 0 / 1 / 125 / 128 for use inside 'git bisect run'", .choices = exit_codes },
	OPT_COMMON_STORE(struct compare_args, m.common),
	OPT_COMMON_OUTPUT(struct compare_args, m.common),
	OPT_END,
};

/* The exit status that the answer's primary metrics give. */
static int status_of(const char *answer, bool bisect)
{
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;
	bool slower = false, undecided = false;
	const struct json *metrics;

	if (json_parse(answer, strlen(answer), "answer", &root, NULL) < 0)
		return bisect ? 128 : CMD_FAILED;
	metrics = json_get(root, "metrics");
	for (size_t i = 0; i < json_count(metrics); i++) {
		const struct json *row = json_at(metrics, i);

		if (!answer_flag(row, "primary"))
			continue;
		slower = slower || !strcmp(answer_str(row, "verdict"), "slower");
		undecided = undecided || !strcmp(answer_str(row, "verdict"), "undecided");
	}
	if (slower)
		return CMD_WORSE;
	return undecided ? (bisect ? 125 : CMD_UNDECIDED) : CMD_OK;
}

static bool is_file(const char *arg)
{
	return !strcmp(arg, "-") || (fs_exists(arg) && !fs_is_dir(arg));
}

static bool are_files(const struct strvec *args)
{
	for (size_t i = 0; i < args->n; i++)
		if (!is_file(args->v[i]))
			return false;
	return args->n > 0;
}

/* Some are files and one is none: perhaps they were meant to be compared as results. */
static void say_which_is_no_file(const struct strvec *args, struct err *e)
{
	const char *none = NULL;
	size_t files = 0;

	for (size_t i = 0; i < args->n; i++) {
		files += is_file(args->v[i]);
		none = is_file(args->v[i]) ? none : args->v[i];
	}
	if (files && none)
		err_wrap(e, "'%s' is no file, so these are not files of results", none);
}

/* `repo` is NULL where there is none, which `no_repo` says. What is wrong with a variant otherwise is said when it is parsed. */
static int check_name(struct repo *repo, const char *no_repo, const char *arg, struct err *e)
{
	struct err why = ERR_INIT;
	struct variant v = { 0 };
	char oid[65];
	int r;

	if (is_file(arg) || variant_scan(arg, &v, NULL) < 0)
		return 0;
	if (!v.rev || v.n_changes || fs_is_dir(arg) || *arg == '-' || !*arg || strstr(arg, ".."))
		r = 0;
	else if (!repo)
		r = err_set(e, ERR_USAGE, "'%s' is neither a file nor a revision: %s", arg,
			    no_repo);
	else if (repo_resolve(repo, arg, oid, &why) < 0 && why.kind == ERR_USAGE &&
		 starts_with(why.msg, "unknown revision"))
		r = err_set(e, ERR_USAGE, "'%s' is neither a file nor a revision%s", arg,
			    strchr(why.msg, ',') ? strchr(why.msg, ',') : "");
	else
		r = 0;
	variant_done(&v);
	return r;
}

/* A mistyped name is told before a benchmark is asked for that files would not need. */
static int check_names(const struct strvec *args, struct err *e)
{
	struct err why = ERR_INIT;
	struct repo *repo = NULL;
	int r = repo_open(NULL, &repo, &why);

	if (r < 0 && !strstr(why.msg, "not a git repository"))
		return 0; /* opening the session says it again */
	r = 0;
	for (size_t i = 0; i < args->n && r == 0; i++)
		r = check_name(repo, why.msg, args->v[i], e);
	repo_close(repo);
	return r;
}

static int compare_variants(const struct compare_args *a, const struct strvec *args, char **ret,
			    bool *stored, bool *untestable, struct err *e)
{
	struct session s = { 0 };
	struct versus_options o = {
		.variants = (const char *const *)args->v,
		.n = args->n,
		.alpha = a->m.alpha,
		.seed = (uint64_t)a->m.seed_option,
		.max_runs = a->runs,
		.layouts = a->layouts,
		.dry_run = a->m.dry_run,
		.ret_untestable = untestable,
	};
	struct measuring_opts m = a->m;

	if (a->layouts == 2)
		return err_set(
			e, ERR_USAGE,
			"--layouts 2: how much builds differ cannot be told from two; give 3 or more");
	m.kernels_only = measuring_kernels_only(args);
	int r = measuring_open(&m, "compare", &s, e);

	if (r < 0)
		return r;
	o.margin = measuring_margin(&a->m, &s);
	r = versus_hunt(&s, &o, ret, stored, e);
	session_close(&s);
	return r;
}

static int compare_files(const struct compare_args *a, const struct strvec *args, char **ret,
			 struct err *e)
{
	struct versus_files_options o = {
		.paths = (const char *const *)args->v,
		.n = args->n,
		.alpha = a->m.alpha,
		.margin = measuring_margin(&a->m, NULL),
		.better = (enum better)a->better,
		.metric = a->m.metric,
	};
	int r = a->m.reader ? reader_find(a->m.reader, &o.reader, e) : 0;

	return r < 0 ? r : versus_files(&o, ret, e);
}

static int compare(const struct compare_args *a, const struct strvec *args)
{
	struct err e = ERR_INIT;
	AUTO_FREE char *answer = NULL;
	bool stored = false, untestable = false;
	int r;

	if (args->n < 2) {
		err_set(&e, ERR_USAGE,
			"compare wants at least two variants or two files of results");
		return cmd_fail(&e);
	}
	if (are_files(args))
		r = compare_files(a, args, &answer, &e);
	else if ((r = check_names(args, &e)) < 0)
		return a->exit_code ? 128 + cmd_fail(&e) : cmd_fail(&e);
	else
		r = compare_variants(a, args, &answer, &stored, &untestable, &e);
	if (r == 0)
		r = measuring_show(&a->m, answer, stored, &e);
	if (r < 0) {
		say_which_is_no_file(args, &e);

		int status = measuring_fail(&e);

		return !a->exit_code ? status : untestable ? 125 : 128 + status;
	}
	return status_of(answer, a->exit_code);
}

/* The command line could not be read, so it is looked at: was it meant for `git bisect run`? */
static bool asks_for_bisect(int argc, const char *const *argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--exit-code=bisect") ||
		    (!strcmp(argv[i], "--exit-code") && i + 1 < argc &&
		     !strcmp(argv[i + 1], "bisect")))
			return true;
	return false;
}

struct one {
	const struct compare_args *a;
	const struct strvec *args;
};

static int run_one(void *arg)
{
	const struct one *x = arg;

	return compare(x->a, x->args);
}

static int compare_all(struct compare_args *a, const struct strvec *args)
{
	struct one one = { a, args };

	return suite_is_meant(&a->m) ? suite_run(&a->m, "compare", run_one, &one)
				     : compare(a, args);
}

int cmd_compare(int argc, const char *const *argv)
{
	struct compare_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	int status;

	measuring_defaults(&a.m);
	a.m.argv = argv;
	if (cmd_start(cmd_compare_options, &a, &a.m.common, argc, argv, &rest, &status))
		status = compare_all(&a, &rest.list);
	else if (status != CMD_OK && asks_for_bisect(argc, argv))
		status += 128; /* to git bisect run a 2 would be "bad" */
	common_opts_done(&a.m.common);
	return status;
}
