/* SPDX-License-Identifier: GPL-2.0-or-later */
/* culprit init: a commented culprit.yaml for the build system that is recognised. Overwrites nothing unasked. */
#include "bench/recognise.h"
#include "cli/cmd.h"
#include "cli/term.h"
#include "sys/fs.h"

#include <string.h>

struct init_args {
	struct common_opts common;
	bool force, to_stdout;
};

const struct opt cmd_init_options[] = {
	{ 'f', "force", OPT_BOOL, OPT_INTO(struct init_args, force), NULL,
	  "write over a culprit.yaml that is there" },
	{ 0, "stdout", OPT_BOOL, OPT_INTO(struct init_args, to_stdout), NULL,
	  "print the file instead of writing it" },
	OPT_COMMON_PLAIN(struct init_args, common),
	OPT_END,
};

/*
 * The top of the checkout that holds the current folder, by its .git, which is a file in linked worktrees and submodules. Outside
 * of any, the current folder: a tree may be prepared before it is a repository.
 */
static int find_top(char **ret, struct err *e)
{
	AUTO_FREE char *here = NULL;
	int r = fs_realpath(".", &here, e);

	if (r < 0)
		return r;
	AUTO_FREE char *dir = xstrdup(here);

	while (*dir) {
		AUTO_FREE char *git = fs_join(dir, ".git");

		if (fs_exists(git)) {
			*ret = TAKE_PTR(dir);
			return 0;
		}
		*strrchr(dir, '/') = '\0';
	}
	*ret = TAKE_PTR(here);
	return 0;
}

static void say_what_next(const struct recognised *r, const char *path)
{
	AUTO(str) struct str text = STR_INIT;

	str_addf(&text, "wrote %s", path);
	if (r->system)
		str_addf(&text, " for %s%s%s", r->system, r->subdir ? " in " : "",
			 r->subdir ? r->subdir : "");
	else
		str_puts(
			&text,
			"; no build system was recognised, so 'project.build' is yours to fill in");
	str_puts(&text,
		 r->bench.value
			 ? "\nlook it through, then: culprit run HEAD\n"
			 : "\nsay in it what to measure ('benchmarks'), then: culprit run HEAD\n");
	term_print(&text);
}

static int init(const struct init_args *a, struct err *e)
{
	AUTO_FREE char *top = NULL;
	AUTO_FREE char *path = NULL;
	AUTO(recognised) struct recognised found = { 0 };
	AUTO(str) struct str text = STR_INIT;
	int r;

	r = find_top(&top, e);
	if (r < 0)
		return r;
	path = fs_join(top, "culprit.yaml");
	if (!a->to_stdout && !a->force && fs_exists(path))
		return err_set(
			e, ERR_USAGE,
			"%s exists; --force writes over it, --stdout shows what would be written",
			path);
	r = recognise(top, &found, e);
	if (r < 0)
		return r;
	recognise_write(&found, &text);
	if (a->to_stdout) {
		term_print(&text);
		return 0;
	}
	r = fs_write_atomic(path, text.p, text.n, e);
	if (r == 0)
		say_what_next(&found, path);
	return r;
}

int cmd_init(int argc, const char *const *argv)
{
	struct init_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status;

	if (!cmd_start(cmd_init_options, &a, &a.common, argc, argv, &rest, &status))
		return status;
	if (rest.list.n) {
		err_set(&e, ERR_USAGE, "init: takes no argument, not '%.60s'", rest.list.v[0]);
		return cmd_fail(&e);
	}
	if (init(&a, &e) < 0) {
		err_wrap(&e, "init");
		return cmd_fail(&e);
	}
	return CMD_OK;
}
