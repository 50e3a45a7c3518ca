/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cmd.h"

#include "base/log.h"
#include "cli/term.h"

#include <string.h>

#define X(name, group, args, synopsis, summary)                                                    \
	{ #name, cmd_##name, cmd_##name##_options, group, args, synopsis, summary },
const struct cmd cmds[] = {
#include "cli/commands.def"
	{ 0 },
};
#undef X

const char *const common_colors[] = { "auto", "always", "never", NULL };

void common_opts_done(struct common_opts *c)
{
	strvec_done(&c->set);
}

const struct cmd *cmd_find(const char *name)
{
	for (const struct cmd *c = cmds; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int cmd_lookup(const char *name, const struct cmd **ret, struct err *e)
{
	struct nearest near = NEAREST_INIT(name);

	*ret = cmd_find(name);
	if (*ret)
		return 0;
	for (const struct cmd *c = cmds; c->name; c++)
		nearest_offer(&near, c->name);
	if (near.best)
		return err_set(e, ERR_USAGE, "no command '%.60s', did you mean '%s'?", name,
			       near.best);
	return err_set(e, ERR_USAGE, "no command '%.60s'; 'culprit help' lists them", name);
}

void cmd_overview(struct str *out)
{
	static const char *const headings[CMD_GROUPS] = { "Measure, compare, search", "The journal",
							  "Setting up" };

	str_puts(out, "culprit finds the commit that changed performance.\n\n"
		      "usage: culprit [-C DIR] COMMAND [options] [arguments]\n");
	for (int group = 0; group < CMD_GROUPS; group++) {
		str_addf(out, "\n%s:\n", headings[group]);
		for (const struct cmd *c = cmds; c->name; c++)
			if ((int)c->group == group)
				str_addf(out, "  %-12s %s\n", c->name, c->summary);
	}
	str_puts(out, "\n'culprit help COMMAND' tells more; 'man culprit' is the manual.\n");
}

void cmd_help_text(const struct cmd *c, unsigned width, struct str *out)
{
	AUTO(str) struct str rows = STR_INIT;

	str_addf(out, "culprit %s - %s\n\nusage: culprit %s [options]%s%s\n\n", c->name, c->summary,
		 c->name, *c->synopsis ? " " : "", c->synopsis);
	opt_help(c->options, width, &rows);
	str_puts(out, rows.p);
	str_puts(out, "  -h, --help                this text\n");
}

static void apply(const struct common_opts *common)
{
	if (!common)
		return;
	log_set_level(common->quiet	    ? LOG_QUIET
		      : common->verbose > 1 ? LOG_DEBUG
		      : common->verbose	    ? LOG_VERBOSE
					    : LOG_NORMAL);
	term_setup((enum term_color)common->color);
}

bool cmd_start(const struct opt *table, void *into, const struct common_opts *common, int argc,
	       const char *const *argv, struct opt_args *ret, int *ret_status)
{
	struct err e = ERR_INIT;

	if (opt_parse(table, into, argc, argv, ret, &e) < 0) {
		err_wrap(&e, "%s", argv[0]);
		*ret_status = cmd_fail(&e);
		return false;
	}
	apply(common);
	if (ret->help) {
		AUTO(str) struct str text = STR_INIT;

		cmd_help_text(cmd_find(argv[0]), term_stdout_width(), &text);
		term_print(&text);
		*ret_status = CMD_OK;
		return false;
	}
	return true;
}

int cmd_fail(const struct err *e)
{
	term_error(e);
	return err_exit_code(e);
}
