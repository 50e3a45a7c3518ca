/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * git is spawned, not linked: it always agrees with the user's git about revisions, attributes and formats, walks ranges
 * twenty times faster than the library (commit-graph), and reads SHA-256 repositories. A spawn costs 1 to 2 ms.
 *
 * The environment is made, not inherited: every GIT_* variable goes, except those that say where the user's repository is (and
 * these only while it is being found). Configuration that could run a program (hooks, file system monitor, pager, editor,
 * external helpers) or change a format is overridden on the command line, which outranks the repository's own.
 *
 * Nothing is ever fetched: protocol.allow=never and GIT_NO_LAZY_FETCH make a missing object of a partial clone an error
 * that says so. A measurement that silently waits for a download, or fails when the network does, is no measurement.
 */
#include "repo/git.h"

#include "base/log.h"
#include "base/num.h"
#include "sys/proc.h"

#include <stdio.h>
#include <string.h>

extern char **environ;

static const char *const overrides[] = {
	"core.quotePath=false",
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.untrackedCache=keep",
	"core.commitGraph=true",
	"core.warnAmbiguousRefs=true",
	"core.disambiguate=committish",
	"core.abbrev=12",
	"core.askPass=true",
	"protocol.allow=never",
	"gc.auto=0",
	"maintenance.auto=false",
	"advice.detachedHead=false",
	"advice.graftFileDeprecated=false",
	"color.ui=false",
	"log.showSignature=false",
	"submodule.recurse=false",
};
/* Only where the user's configuration is not wanted: that of ignored files is. */
static const char *const no_user_files[] = { "core.attributesFile=/dev/null",
					     "core.excludesFile=/dev/null" };

/* Says where the user's repository is. */
static const char *const locating[] = {
	"GIT_DIR=",
	"GIT_WORK_TREE=",
	"GIT_COMMON_DIR=",
	"GIT_OBJECT_DIRECTORY=",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES=",
	"GIT_CEILING_DIRECTORIES=",
	"GIT_DISCOVERY_ACROSS_FILESYSTEM=",
};

static bool kept(const struct git_at *at, const char *var)
{
	if (starts_with(var, "GIT_EXEC_PATH="))
		return true;
	if (starts_with(var, "GIT_CONFIG"))
		return at->user_config;
	if (!at->git_dir)
		for (size_t i = 0; i < ARRAY_LEN(locating); i++)
			if (starts_with(var, locating[i]))
				return true;
	if (starts_with(var, "LC_") || starts_with(var, "LANG"))
		return false;
	return !starts_with(var, "GIT_");
}

static void make_env(const struct git_at *at, struct strvec *env)
{
	for (char **v = environ; *v; v++)
		if (kept(at, *v))
			strvec_add(env, *v);
	strvec_add(env, "LC_ALL=C");
	strvec_add(env, "GIT_OPTIONAL_LOCKS=0");
	strvec_add(env, "GIT_TERMINAL_PROMPT=0");
	strvec_add(env, "GIT_NO_LAZY_FETCH=1");
	strvec_add(env, "GIT_NO_REPLACE_OBJECTS=1");
	strvec_add(env, "GIT_PAGER=cat");
	strvec_add(env, "GIT_EDITOR=false");
	strvec_add(env, "GIT_FLUSH=0");
	if (!at->user_config) {
		strvec_add(env, "GIT_CONFIG_NOSYSTEM=1");
		strvec_add(env, "GIT_CONFIG_GLOBAL=/dev/null");
		strvec_add(env, "GIT_ATTR_NOSYSTEM=1");
	}
	if (at->git_dir)
		strvec_addf(env, "GIT_DIR=%s", at->git_dir);
	if (at->work_tree)
		strvec_addf(env, "GIT_WORK_TREE=%s", at->work_tree);
	if (at->index)
		strvec_addf(env, "GIT_INDEX_FILE=%s", at->index);
	for (int i = 0; i < 2; i++) {
		const char *who = i ? "COMMITTER" : "AUTHOR";

		strvec_addf(env, "GIT_%s_NAME=culprit", who);
		strvec_addf(env, "GIT_%s_EMAIL=culprit@localhost", who);
		strvec_addf(env, "GIT_%s_DATE=@%lld +0000", who, (long long)at->date);
	}
}

static void add_config(struct strvec *argv, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		strvec_add(argv, "-c");
		strvec_add(argv, list[i]);
	}
}

static void make_argv(const struct git_at *at, const char *const *args, struct strvec *argv)
{
	strvec_add(argv, "git");
	strvec_add(argv, "--no-pager");
	add_config(argv, overrides, ARRAY_LEN(overrides));
	if (!at->user_config)
		add_config(argv, no_user_files, ARRAY_LEN(no_user_files));
	for (size_t i = 0; at->safe_dirs && at->safe_dirs[i]; i++) {
		strvec_add(argv, "-c");
		strvec_addf(argv, "safe.directory=%s", at->safe_dirs[i]);
	}
	for (; *args; args++)
		strvec_add(argv, *args);
}

void git_result_done(struct git_result *g)
{
	str_done(&g->out);
	str_done(&g->err);
}

int git_run(const struct git_at *at, const char *const *args, struct git_result *ret, struct err *e)
{
	AUTO(strvec) struct strvec env = STRVEC_INIT, argv = STRVEC_INIT;
	struct proc_result end = { 0 };
	struct proc_spec spec = {
		.cwd = at->cwd ? at->cwd : at->git_dir,
		.stdin_bytes = at->stdin_bytes,
		.stdin_n = at->stdin_n,
		.timeout_ns = 1800 * NS_PER_S,
		.output_max = INT64_C(4) << 30,
	};
	int r;

	make_env(at, &env);
	make_argv(at, args, &argv);
	spec.argv = (const char *const *)argv.v;
	spec.env = (const char *const *)env.v;
	str_clear(&ret->out);
	str_clear(&ret->err);
	r = proc_run(&spec, &ret->out, &ret->err, &end, e);
	if (r < 0)
		return err_wrap(e, "running git %s", args[0]);
	if (end.end == PROC_NOT_STARTED)
		return err_set(e, ERR_ENV,
			       "git could not be started (%s): install git 2.38 or newer",
			       ret->err.p);
	if (end.end != PROC_EXITED) {
		AUTO(str) struct str how = STR_INIT;

		proc_describe(&end, spec.timeout_ns, &how);
		return err_set(e, ERR_ENV, "git %s did not finish: %s", args[0], how.p);
	}
	if (end.out_truncated)
		return err_set(e, ERR_ENV, "git %s printed more than 4 GiB", args[0]);
	ret->status = end.status;
	log_debug("git %s: status %d, %zu bytes", args[0], ret->status, ret->out.n);
	return 0;
}

/* The line that says why: the first "fatal:", else the first "error:", else the last line. */
const char *git_reason(struct git_result *g)
{
	static const char *const marks[] = { "fatal: ", "error: " };

	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		for (char *p = g->err.p; p; p = strchr(p, '\n')) {
			p += *p == '\n';
			if (!starts_with(p, marks[i]))
				continue;
			p += strlen(marks[i]);
			p[strcspn(p, "\n")] = '\0';
			return p;
		}
	}
	str_trim_end(&g->err);
	char *last = strrchr(g->err.p, '\n');

	if (last)
		return last + 1;
	return g->err.n ? g->err.p : "it gave no reason";
}

int git_check(const struct git_at *at, const char *const *args, struct git_result *ret,
	      struct err *e)
{
	int r = git_run(at, args, ret, e);

	if (r < 0)
		return r;
	if (ret->status)
		return err_set(e, ERR_ENV, "git %s: %s", args[0], git_reason(ret));
	return 0;
}

int git_line(const struct git_at *at, const char *const *args, char **ret_line, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	int r = git_check(at, args, &g, e);

	if (r < 0)
		return r;
	/* Only the newline that git added goes: a path may hold one itself. */
	if (g.out.n && g.out.p[g.out.n - 1] == '\n')
		str_cut(&g.out, g.out.n - 1);
	*ret_line = str_take(&g.out);
	return 0;
}

int git_check_version(struct err *e)
{
	AUTO_FREE char *line = NULL;
	int major = 0, minor = 0;
	int r = git_line(&(struct git_at){ .git_dir = "/", .cwd = "/" }, GIT_ARGS("version"), &line,
			 e);

	if (r < 0)
		return r;
	if (sscanf(line, "git version %d.%d", &major, &minor) != 2)
		return err_set(e, ERR_ENV, "cannot read git's version from '%s'", line);
	if (major < 2 || (major == 2 && minor < 38))
		return err_set(e, ERR_ENV, "git %d.%d is too old: 2.38 or newer is needed", major,
			       minor);
	return 0;
}

bool git_is_oid(const char *text)
{
	size_t n = strspn(text, "0123456789abcdef");

	return !text[n] && (n == 40 || n == 64);
}
