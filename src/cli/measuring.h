/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measuring - what the measuring commands share: their options, the voice of a hunt, and how its answer is shown.
 */
#pragma once

#include "cli/cmd.h"
#include "hunt/session.h"

struct measuring_opts {
	struct common_opts common;
	const char *benchmark, *workload, *metric, *reader, *measure, *target;
	int64_t budget_ns;
	unsigned jobs, warmup, smp;
	int64_t seed_option;
	double margin, alpha;
	bool fresh, dry_run, no_benchmark, keep_failed;
	bool kernels_only; /* no argument names a commit */
	int64_t only_hunt; /* hidden: `culprit resume` */
	const char *const *argv;
	struct strvec *answers; /* of a suite: what measuring_show() shows; NULL = none */
};
void measuring_defaults(struct measuring_opts *m);

#define OPT_MEASURING(type, field)                                                                                                 \
	OPT_GROUP("Measuring"),                                                                                                    \
		OPT_ROW('b', "benchmark", OPT_STRING, OPT_INTO(type, field.benchmark), "NAME",                                     \
			"which benchmark of the configuration"),                                                                   \
		OPT_ROW(0, "workload", OPT_STRING, OPT_INTO(type, field.workload), "NAME",                                         \
			"a benchmark that comes with culprit ('culprit workloads'), or a file; run and compare take a suite too"), \
		OPT_ROW('m', "metric", OPT_STRING, OPT_INTO(type, field.metric), "NAME",                                           \
			"the metric that decides, instead of the benchmark's primary one"),                                        \
		OPT_ROW(0, "reader", OPT_STRING, OPT_INTO(type, field.reader), "NAME",                                             \
			"the format of the benchmark's output, or of files that are compared: ping, wrk, fio ..."),                \
		OPT_ROW(0, "measure", OPT_STRING, OPT_INTO(type, field.measure), "HOW",                                            \
			"wall (default), perf (hardware counters) or callgrind (exact "                                            \
			"instruction counts)"),                                                                                    \
		OPT_ROW(0, "target", OPT_STRING, OPT_INTO(type, field.target), "NAME",                                             \
			"where runs happen: local, exact (a guest that counts instructions), vm, "                                 \
			"or sim=FILE (nothing runs: values of a file)"),                                                           \
		OPT_ROW(0, "smp", OPT_UINT, OPT_INTO(type, field.smp), "N",                                                        \
			"the guest's processors; with more than one exact gives events, no times",                                 \
			.min = 1, .max = 64),                                                                                      \
		OPT_ROW(0, "budget", OPT_DURATION, OPT_INTO(type, field.budget_ns), "TIME",                                        \
			"stop after this long, more than zero, with what is known then",                                           \
			.min = 1),                                                                                                 \
		OPT_ROW('j', "jobs", OPT_UINT, OPT_INTO(type, field.jobs), "N",                                                    \
			"$JOBS of a build (default: all CPUs)", .min = 1, .max = 4096),                                            \
		OPT_ROW('w', "warmup", OPT_UINT, OPT_INTO(type, field.warmup), "N",                                                \
			"runs discarded at the start of each visit", .min = 0, .max = 1000),                                       \
		OPT_ROW(0, "margin", OPT_RATIO, OPT_INTO(type, field.margin), "RATIO",                                             \
			"smallest change of interest (default 1%; of what exact counts, 0.1%)",                                    \
			.min = 1e-6, .max = 10),                                                                                   \
		OPT_ROW(0, "alpha", OPT_RATIO, OPT_INTO(type, field.alpha), "RATIO",                                               \
			"chance of error that is accepted (default 0.05)", .min = 1e-6,                                            \
			.max = 0.5),                                                                                               \
		OPT_ROW(0, "seed", OPT_INT, OPT_INTO(type, field.seed_option), "N",                                                \
			"another order of runs, another hunt", .min = 1, .max = 9e15),                                             \
		OPT_ROW(0, "new", OPT_BOOL, OPT_INTO(type, field.fresh), NULL,                                                     \
			"measure again, even if the answer is stored"),                                                            \
		OPT_ROW(0, "dry-run", OPT_BOOL, OPT_INTO(type, field.dry_run), NULL,                                               \
			"print the plan with its expected time and do nothing"),                                                   \
		OPT_ROW(0, "resume-hunt", OPT_INT, OPT_INTO(type, field.only_hunt), "N",                                           \
			"go on with this hunt or fail (what 'culprit resume' says)", .min = 1,                                     \
			.max = 9e15, .hidden = true)

/* Opens the session and the voice; the command's words are what the lock names. */
int measuring_open(const struct measuring_opts *m, const char *command, struct session *ret,
		   struct err *e) MUST_USE;
/* Are all of them deb= and image=? Then no repository is needed. */
bool measuring_kernels_only(const struct strvec *variants);
bool measuring_is_kernel(const char *variant);
/* Does one word of a command line name a kernel to measure? */
bool measuring_names_kernel(const char *const *argv);
/* How a search measured, from its command in the journal. Texts point into `argv`; common.set is the caller's (common_opts_done). */
int measuring_of_bisect(const struct strvec *argv, struct measuring_opts *ret,
			struct err *e) MUST_USE;
/* --margin, else the benchmark's, else 1 %, of instructions in a guest 0.1 %. `s` is open, or NULL. */
double measuring_margin(const struct measuring_opts *m, const struct session *s);
/* Was it named by the user, here or in the file? */
bool measuring_margin_is_given(const struct measuring_opts *m, const struct session *s);
/* Prints the answer (JSON or text); a stored one is announced on stderr. */
int measuring_show(const struct measuring_opts *m, const char *answer, bool stored,
		   struct err *e) MUST_USE;
/* The end of a failed command; a stop says how to go on. */
int measuring_fail(const struct err *e);

/* The exit status of an answer by its verdict; one that is in no row has the status of the row with a NULL verdict, which ends the table. A plan is CMD_OK. */
struct verdict_status {
	const char *verdict;
	int status;
};
int measuring_status(const char *answer, const struct verdict_status *table);
/*
 * The names of the measuring options, which say what is built, run and measured, but for those about one go of a command (--new, --dry-run, --budget) and the
 * `without`; NULL-terminated, for opt_pick. What is added to OPT_MEASURING is among them.
 */
enum { MEASURING_NAMES = 48 };
void measuring_names(const char *const *without, const char *ret[MEASURING_NAMES]);
/*
 * The command that would do one part of `m`'s alone: `command`, m->argv's measuring options (of the table `options`) but for the `without`, the benchmark where the configuration has
 * several, the metric if not NULL; arguments are the caller's to add.
 */
int measuring_spell(const struct measuring_opts *m, const struct opt *options,
		    const char *const *without, const char *command, const char *benchmark,
		    const char *metric, struct strvec *ret, struct err *e) MUST_USE;
