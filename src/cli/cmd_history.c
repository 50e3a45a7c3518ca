/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history FILE - numbers that exist already, one a commit, release or night: where did their level change? */
#include "cli/cmd.h"

#include "cli/term.h"
#include "hunt/history.h"
#include "report/answer.h"
#include "text/json.h"

#include <string.h>

struct history_args {
	struct common_opts common;
	struct history_options o;
	int better;
};

static const char *const directions[] = { "guess", "lower", "higher", NULL };

#define INTO(field) OPT_INTO(struct history_args, field)
const struct opt cmd_history_options[] = {
	{ 0, "alpha", OPT_RATIO, INTO(o.alpha), "RATIO",
	  "chance of a false change in a series without one (default 0.05)", .min = 0.001,
	  .max = 0.5 },
	{ 0, "better", OPT_CHOICE, INTO(better), "WHICH",
	  "which direction is better; guessed from the unit", .choices = directions },
	{ 0, "labels", OPT_BOOL, INTO(o.labels), NULL,
	  "the first word of each line is a label, even if it is a number" },
	{ 0, "points", OPT_BOOL, INTO(o.points), NULL, "show every point, not the levels alone" },
	OPT_COMMON_OUTPUT(struct history_args, common),
	OPT_END,
};

static int show(const struct history_args *a, const char *answer, struct err *e)
{
	struct answer_style style = { term_stdout_color(), term_stdout_width() };
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;
	AUTO(str) struct str out = STR_INIT;
	int r;

	if (a->common.json) {
		str_puts(&out, answer);
		str_putc(&out, '\n');
	} else if ((r = json_parse_stored(answer, "the stored answer", &root, e)) < 0 ||
		   (r = answer_text(root, &style, &out, e)) < 0) {
		return r;
	}
	term_print(&out);
	return 0;
}

int cmd_history(int argc, const char *const *argv)
{
	struct history_args a = { .o.alpha = 0.05 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	AUTO_FREE char *answer = NULL;
	struct err e = ERR_INIT;
	bool enough = false;
	int status, r;

	if (!cmd_start(cmd_history_options, &a, &a.common, argc, argv, &rest, &status))
		return status;
	a.o.better = (enum better)a.better;
	if (rest.list.n != 1)
		r = err_set(&e, ERR_USAGE,
			    "history wants one file of numbers, or '-' for standard input");
	else
		r = history_of_file(rest.list.v[0], &a.o, &answer, &enough, &e);
	if (r < 0 || (r = show(&a, answer, &e)) < 0)
		return cmd_fail(&e);
	return enough ? CMD_OK : CMD_UNDECIDED;
}
