/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exit-status - the command is a test: metric `status` is 0 if it succeeds and 1 if it fails, a crash included.
 *
 * As in `git bisect run`, 126 and 127 are not a result: the shell says with them that the command is missing or not executable.
 * 125 ("cannot be tested") is the target's business, which makes the run a skipped one.
 */
#include "reader/reader.h"

#include "reader/formats.h"

static int read_status(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	if (in->status == 126 || in->status == 127)
		gather_problem(
			g, "status", 6,
			"the test could not be run: exit status %d means that a command is %s",
			in->status, in->status == 126 ? "not executable" : "not found");
	else
		gather_add(g, "status", 6, "", 0, in->status != 0, 1);
	return 0;
}

const struct reader reader_exit_status = {
	.name = "exit-status",
	.help = "metric 'status': 0 if the command succeeds, 1 if it fails",
	.any_status = true,
	.read = read_status,
};
