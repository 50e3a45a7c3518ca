/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd - the table of commands, the options that they share, and how a command begins and ends.
 *
 * To add a command: one line in cli/commands.def, `int cmd_x(int argc, const char *const *argv)`
 *and the table `cmd_x_options` in cli/cmd_x.c, a page man/culprit-x.1. A command begins with
 *cmd_start:
 *
 *	int cmd_run(int argc, const char *const *argv)
 *	{
 *		struct run_args a = { .runs = 5 };
 *		AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
 *		int status;
 *
 *		if (!cmd_start(cmd_run_options, &a, &a.common, argc, argv, &rest, &status))
 *			return status;
 *
 * What it returns is the exit status of DESIGN 4; a failure is `return cmd_fail(&e)`.
 */
#pragma once

#include "cli/opt.h"

enum cmd_group { CMD_MEASURE, CMD_JOURNAL, CMD_SETUP, CMD_GROUPS };

/* Exit statuses, the same for all commands. */
enum cmd_status {
	CMD_OK = 0,	   /* answered */
	CMD_WORSE = 1,	   /* compare, gate: something got worse */
	CMD_USAGE = 2,	   /* the command line, the configuration or an input is wrong */
	CMD_UNDECIDED = 3, /* not decided within the budget */
	CMD_FAILED = 4,	   /* the environment or a tool failed */
};

struct cmd {
	const char *name;
	int (*run)(int argc, const char *const *argv);
	const struct opt *options;
	enum cmd_group group;
	enum opt_complete args; /* what its arguments are */
	const char *synopsis;	/* what follows the name: "GOOD BAD [-- PATH...]" */
	const char *summary;	/* one line */
};
extern const struct cmd cmds[]; /* ends with a NULL name */
const struct cmd *cmd_find(const char *name);
/* ERR_USAGE with a "did you mean". */
int cmd_lookup(const char *name, const struct cmd **ret, struct err *e) MUST_USE;
/* The whole --help of a command. */
void cmd_help_text(const struct cmd *c, unsigned width, struct str *out);
/* `culprit help`: every command in its group. */
void cmd_overview(struct str *out);

/* Options that many commands share; zero is the default. */
struct common_opts {
	bool json;
	bool quiet;
	int verbose;
	int color;	    /* enum term_color */
	const char *store;  /* --store DIR, or NULL */
	const char *config; /* --config FILE, or NULL: culprit.yaml at the top of the repository if
			       there is one */
	struct strvec set;  /* -c KEY=VALUE, in order */
	const char *build;  /* --build CMD, or NULL */
	const char *bench;  /* --bench CMD, or NULL */
};
void common_opts_done(struct common_opts *c);
extern const char *const common_colors[];

/* Rows for a command's table, in the order in which --help shows them. */
#define OPT_COMMON_CONFIG(type, field)                                                             \
	OPT_GROUP("What to build and run"),                                                        \
		OPT_ROW(0, "build", OPT_STRING, OPT_INTO(type, field.build), "CMD",                \
			"build with this shell command, instead of project.build"),                \
		OPT_ROW(0, "bench", OPT_STRING, OPT_INTO(type, field.bench), "CMD",                \
			"measure this shell command: makes the benchmark called 'default'"),       \
		OPT_ROW('c', "set", OPT_STRINGS, OPT_INTO(type, field.set), "KEY=VALUE",           \
			"set one key of the configuration: -c benchmarks.default.better=higher"),  \
		OPT_ROW(0, "config", OPT_STRING, OPT_INTO(type, field.config), "FILE",             \
			"read this file instead of culprit.yaml", .complete = COMPLETE_FILE)
#define OPT_COMMON_STORE(type, field)                                                              \
	OPT_ROW(0, "store", OPT_STRING, OPT_INTO(type, field.store), "DIR",                        \
		"keep builds and the journal here instead of in .culprit",                         \
		.complete = COMPLETE_DIR)
#define OPT_COMMON_OUTPUT(type, field)                                                             \
	OPT_GROUP("Output"),                                                                       \
		OPT_ROW(0, "json", OPT_BOOL, OPT_INTO(type, field.json), NULL,                     \
			"one JSON object on standard output"),                                     \
		OPT_COMMON_PLAIN(type, field)
/* For commands whose answer has no JSON form. */
#define OPT_COMMON_PLAIN(type, field)                                                              \
	OPT_ROW('q', "quiet", OPT_BOOL, OPT_INTO(type, field.quiet), NULL,                         \
		"the answer and errors only"),                                                     \
		OPT_ROW('v', "verbose", OPT_COUNT, OPT_INTO(type, field.verbose), NULL,            \
			"a line for each step; -vv for debugging"),                                \
		OPT_ROW(0, "color", OPT_CHOICE, OPT_INTO(type, field.color), "WHEN",               \
			"colours: auto (on a terminal), always or never",                          \
			.choices = common_colors)
/* All of them. */
#define OPT_COMMON(type, field)                                                                    \
	OPT_COMMON_CONFIG(type, field), OPT_COMMON_STORE(type, field),                             \
		OPT_COMMON_OUTPUT(type, field)

/*
 * Parses argv into the record at `into` and applies -q, -v and --color. False when there is nothing
 * more to do: --help was printed (*ret_status 0) or the command line is wrong (said on stderr,
 * *ret_status 2). `common` may be NULL.
 */
bool cmd_start(const struct opt *table, void *into, const struct common_opts *common, int argc,
	       const char *const *argv, struct opt_args *ret, int *ret_status);
/* Prints the error and gives its exit status. */
int cmd_fail(const struct err *e);

#define X(name, group, args, synopsis, summary)                                                    \
	int cmd_##name(int argc, const char *const *argv);                                         \
	extern const struct opt cmd_##name##_options[];
#include "cli/commands.def"
#undef X
