/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cmd.h"
#include "cli/term.h"

struct help_args {
	struct common_opts common;
};

const struct opt cmd_help_options[] = {
	OPT_COMMON_PLAIN(struct help_args, common),
	OPT_END,
};

int cmd_help(int argc, const char *const *argv)
{
	struct help_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	AUTO(str) struct str text = STR_INIT;
	const struct cmd *c;
	struct err e = ERR_INIT;
	int status;

	if (!cmd_start(cmd_help_options, &a, &a.common, argc, argv, &rest, &status))
		return status;
	if (rest.list.n > 1) {
		err_set(&e, ERR_USAGE, "help: one command at a time, not '%.60s' too",
			rest.list.v[1]);
		return cmd_fail(&e);
	}
	if (rest.list.n) {
		if (cmd_lookup(rest.list.v[0], &c, &e) < 0)
			return cmd_fail(&e);
		cmd_help_text(c, term_stdout_width(), &text);
	} else {
		cmd_overview(&text);
	}
	term_print(&text);
	return CMD_OK;
}
