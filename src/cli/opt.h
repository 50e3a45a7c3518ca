/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opt - one table of options a command: it is the parser, the --help, the shell completion and the
 *list that the manual page is tested against.
 *
 * A table is static and constant; it names fields of the command's own record by offset, so that
 *option variables are locals of the command. Strings that are stored point into argv. GNU style:
 *--name=value, --name value, -n5, -n 5, bundled flags, --no-NAME for booleans. Abbreviations are
 *refused with a "did you mean".
 *
 *	struct run_args {
 *		struct common_opts common;
 *		unsigned runs;
 *	};
 *	const struct opt cmd_run_options[] = {
 *		{ 'n', "runs", OPT_UINT, OPT_INTO(struct run_args, runs), "N", "measure at least N
 *times", .min = 1, .max = 1e6 }, OPT_COMMON(struct run_args, common), OPT_END,
 *	};
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

enum opt_type {
	OPT_LAST,     /* ends the table */
	OPT_HEADING,  /* a line in --help: the text is in `help` */
	OPT_BOOL,     /* bool; --no-NAME clears it */
	OPT_COUNT,    /* int, one more each time: -vv */
	OPT_INT,      /* int64_t, min..max */
	OPT_UINT,     /* unsigned, min..max */
	OPT_DOUBLE,   /* double, min..max */
	OPT_RATIO,    /* double: "1%" gives 0.01; min..max */
	OPT_DURATION, /* int64_t, nanoseconds; with min, longer than zero */
	OPT_SIZE,     /* int64_t, bytes */
	OPT_STRING,   /* const char *, borrowed from argv */
	OPT_STRINGS,  /* struct strvec, one entry each time the option is given; the caller's
			 strvec_done */
	OPT_CHOICE,   /* int, the index into `choices` */
	OPT_CALL, /* `call` gets the field's address; without `arg` the option takes no value and
		     gets NULL */
};

/* What a value (or a command's argument) is, for shell completion. */
enum opt_complete {
	COMPLETE_NONE,
	COMPLETE_FILE,
	COMPLETE_DIR,
	COMPLETE_REV, /* a revision of the repository here */
	COMPLETE_COMMAND,
	COMPLETE_SHELL, /* bash, zsh, fish */
};

struct opt {
	char short_name;  /* 0 = none */
	const char *name; /* without dashes; NULL only for headings */
	enum opt_type type;
	size_t into;		    /* OPT_INTO */
	const char *arg;	    /* what the value is called in help: "TIME" */
	const char *help;	    /* one sentence, lower case, no full stop */
	double min, max;	    /* both 0 = any */
	const char *const *choices; /* NULL-terminated */
	int (*call)(void *into, const char *value, struct err *e);
	enum opt_complete complete;
	bool hidden;   /* works, but is in neither help nor manual nor completion */
	bool has_seen; /* `seen` is set */
	size_t seen;   /* OPT_INTO of a bool that is set when the option was given */
};
#define OPT_INTO(type, field) offsetof(type, field)
#define OPT_SEEN(type, field) .has_seen = true, .seen = offsetof(type, field)
/* A row inside a macro that makes several. */
#define OPT_ROW(...)                                                                               \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define OPT_GROUP(text)                                                                            \
	{                                                                                          \
		.type = OPT_HEADING, .help = (text)                                                \
	}
#define OPT_END                                                                                    \
	{                                                                                          \
		.type = OPT_LAST                                                                   \
	}

/* The arguments that are not options. */
struct opt_args {
	struct strvec list;
	size_t before; /* how many stood before "--": list.v[before] is the first after it; list.n
			  without one */
	bool dashes;   /* there was a "--" */
	bool help;     /* --help or -h: nothing after it was read */
};
#define OPT_ARGS_INIT                                                                              \
	{                                                                                          \
		.list = STRVEC_INIT                                                                \
	}
void opt_args_done(struct opt_args *a);

/*
 * Reads argv[1..] by the table into the record at `into`. Fields of options that are not given keep
 * what is there, so the caller fills in the defaults first. ERR_USAGE for an unknown option, a
 * missing, unwanted or bad value; the message names the option. Fields may have been written by the
 * time it fails.
 */
int opt_parse(const struct opt *table, void *into, int argc, const char *const *argv,
	      struct opt_args *ret, struct err *e) MUST_USE;

/*
 * The options of a command line that are in `names` (NULL-terminated), in their order, appended as words of their own: "--set=KEY=VALUE", "--no-inside". Others and
 * arguments are left out. Errors as opt_parse; values are not looked at.
 */
int opt_pick(const struct opt *table, const char *const *names, int argc, const char *const *argv,
	     struct strvec *ret, struct err *e) MUST_USE;

/* "  -n, --runs N    measure at least N times" for each row, the help column aligned and wrapped to
 * `width` (0 = 80). */
void opt_help(const struct opt *table, unsigned width, struct str *out);
/* "N", "TIME" or, of a choice, "auto|always|never"; NULL for an option without value. */
const char *opt_value_name(const struct opt *o, struct str *scratch);
