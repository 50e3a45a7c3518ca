/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resume [HUNT] - say again the command that began a hunt, and insist that it goes on with that one.
 */
#include "cli/cmd.h"
#include "cli/storedir.h"
#include "cli/term.h"
#include "hunt/session.h"

#include <string.h>
#include <unistd.h>

struct resume_args {
	struct common_opts common;
};

const struct opt cmd_resume_options[] = {
	OPT_COMMON_STORE(struct resume_args, common),
	OPT_COMMON_OUTPUT(struct resume_args, common),
	OPT_END,
};

/* The newest open hunt, or the one that is named; its command line and folder. */
static int find(const struct resume_args *a, const char *number, int64_t *ret_id,
		struct strvec *ret_argv, char **ret_cwd, struct err *e)
{
	__attribute__((cleanup(opened_store_done))) struct store *st = NULL;
	AUTO(hunt_rows) struct hunt_rows hunts = { 0 };
	AUTO(observations) struct observations obs = { 0 };
	int64_t id = 0;
	int r;

	if (number && (r = storedir_hunt_number(number, &id, e)) < 0)
		return r;
	if ((r = storedir_open(a->common.store, STORE_READ, &st, e)) < 0 ||
	    (r = store_hunts(st, &hunts, e)) < 0)
		return r;
	for (size_t i = 0; i < hunts.n && !number; i++)
		if (strcmp(hunts.v[i].status, "answered") && hunts.v[i].id > id)
			id = hunts.v[i].id;
	/* a stage of an investigation goes on with the whole of it */
	for (size_t i = 0, whole = 0; i < hunts.n && !number && !whole; i++)
		if (!strcmp(hunts.v[i].kind, "hunt") && strcmp(hunts.v[i].status, "answered")) {
			id = hunts.v[i].id;
			whole = 1;
		}
	if (!id)
		return err_set(e, ERR_USAGE, "no hunt is open; 'culprit log' lists them all");
	if ((r = store_observations(st, id, &obs, e)) < 0)
		return r;
	if (!session_command(&obs, ret_argv, ret_cwd))
		return err_set(e, ERR_USAGE,
			       "hunt %lld does not say how it was begun; give its command again",
			       (long long)id);
	*ret_id = id;
	return 0;
}

static int again(const struct resume_args *a, const struct strvec *argv, int64_t id)
{
	struct strvec words = STRVEC_INIT;
	const struct cmd *c = cmd_find(argv->v[0]);
	int status = CMD_USAGE;

	if (!c)
		return status;
	strvec_add(&words, argv->v[0]);
	strvec_addf(&words, "--resume-hunt=%lld", (long long)id);
	/* every command that can be resumed has these */
	if (a->common.json)
		strvec_add(&words, "--json");
	if (a->common.quiet)
		strvec_add(&words, "--quiet");
	for (size_t i = 1; i < argv->n; i++)
		strvec_add(&words, argv->v[i]);
	status = c->run((int)words.n, (const char *const *)words.v);
	strvec_done(&words);
	return status;
}

static int resume(const struct resume_args *a, const struct strvec *args)
{
	struct strvec argv = STRVEC_INIT;
	AUTO_FREE char *cwd = NULL;
	struct err e = ERR_INIT;
	int64_t id = 0;
	int status;

	if (args->n > 1) {
		err_set(&e, ERR_USAGE,
			"resume wants one hunt's number, or none for the newest open one");
		return cmd_fail(&e);
	}
	if (find(a, args->n ? args->v[0] : NULL, &id, &argv, &cwd, &e) < 0) {
		status = cmd_fail(&e);
	} else if (chdir(cwd)) {
		err_errno(&e, "hunt %lld was begun in %s", (long long)id, cwd);
		status = cmd_fail(&e);
	} else {
		status = again(a, &argv, id);
	}
	strvec_done(&argv);
	return status;
}

int cmd_resume(int argc, const char *const *argv)
{
	struct resume_args a = { .common = { 0 } };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	int status;

	if (cmd_start(cmd_resume_options, &a, &a.common, argc, argv, &rest, &status))
		status = resume(&a, &rest.list);
	common_opts_done(&a.common);
	return status;
}
