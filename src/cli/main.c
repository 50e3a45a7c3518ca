/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program: sane descriptors, the options that stand before a command, the command, the truth
 * about how it ended.
 */
#include "base/log.h"
#include "cli/cmd.h"
#include "cli/stop.h"
#include "cli/term.h"
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* With 0, 1 or 2 closed the journal could be opened as one of them and be written over by a
 * message. */
static void open_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void print_version(void)
{
	printf("culprit %s\n", CULPRIT_VERSION);
}

/* Runs one command line; argv[0] is the first word after "culprit". */
static int dispatch(int argc, const char *const *argv)
{
	static const char *const help[] = { "help", NULL };
	const struct cmd *c;
	struct err e = ERR_INIT;

	while (argc > 0 && argv[0][0] == '-') {
		if (!strcmp(argv[0], "--version")) {
			print_version();
			return CMD_OK;
		}
		if (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"))
			return cmd_help(1, help);
		if (strcmp(argv[0], "-C")) {
			err_set(&e, ERR_USAGE,
				"no option '%.60s' before a command; options come after it: culprit COMMAND %.60s",
				argv[0], argv[0]);
			return cmd_fail(&e);
		}
		if (argc < 2) {
			err_set(&e, ERR_USAGE, "-C wants a folder: -C DIR");
			return cmd_fail(&e);
		}
		if (chdir(argv[1])) {
			err_set(&e, ERR_USAGE, "-C: cannot go to '%.200s': %s", argv[1],
				strerror(errno));
			return cmd_fail(&e);
		}
		argc -= 2;
		argv += 2;
	}
	if (argc < 1) {
		AUTO(str) struct str text = STR_INIT;

		cmd_overview(&text);
		fputs(text.p, stderr);
		return CMD_USAGE;
	}
	if (cmd_lookup(argv[0], &c, &e) < 0)
		return cmd_fail(&e);
	return c->run(argc, argv);
}

/* An answer that did not reach its file is not an answer. */
static int close_stdout(int status)
{
	struct err e = ERR_INIT;
	bool failed = ferror(stdout);

	if (fflush(stdout) || failed) {
		if (errno == EPIPE)
			return status;
		err_errno(&e, "writing the answer to standard output");
		return cmd_fail(&e);
	}
	return status;
}

int main(int argc, char **argv)
{
	int status;

	open_standard_fds();
	stop_install();
	term_setup(TERM_COLOR_AUTO);
	log_trace_open(getenv("CULPRIT_TRACE"));
	status = dispatch(argc - 1, (const char *const *)argv + 1);
	term_progress_end();
	stop_exit(close_stdout(status));
}
