/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cmd.h"
#include "cli/complete.h"
#include "cli/term.h"

#include <string.h>

struct completion_args {
	struct common_opts common;
};

const struct opt cmd_completion_options[] = {
	OPT_COMMON_PLAIN(struct completion_args, common),
	OPT_END,
};

static const struct {
	const char *name;
	void (*write)(struct str *out);
} shells[] = { { "bash", complete_bash }, { "zsh", complete_zsh }, { "fish", complete_fish } };

int cmd_completion(int argc, const char *const *argv)
{
	struct completion_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	AUTO(str) struct str text = STR_INIT;
	struct err e = ERR_INIT;
	int status;

	if (!cmd_start(cmd_completion_options, &a, &a.common, argc, argv, &rest, &status))
		return status;
	for (size_t i = 0; i < ARRAY_LEN(shells) && rest.list.n == 1; i++) {
		if (strcmp(shells[i].name, rest.list.v[0]))
			continue;
		shells[i].write(&text);
		term_print(&text);
		return CMD_OK;
	}
	err_set(&e, ERR_USAGE, "completion: wants one of bash, zsh and fish%s%.60s%s",
		rest.list.n ? ", not '" : "", rest.list.n ? rest.list.v[rest.list.n - 1] : "",
		rest.list.n ? "'" : "");
	return cmd_fail(&e);
}
