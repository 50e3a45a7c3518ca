/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/making.h"

#include "base/num.h"
#include "bench/environ.h"
#include "bench/layout.h"
#include "bench/place.h"
#include "sys/fs.h"

#include <string.h>
#include <strings.h>

#define DISK_LOW                                                                                   \
	(INT64_C(16) << 20) /* a build that fails with less than this left failed for that */
#define EPOCH "946684800"   /* 2000-01-01: any constant will do */
#define CCACHE_MAX                                                                                 \
	"2G" /* compiled files that no kept tree has: what a neighbouring commit can use */
#define CCACHE_LINKS "/usr/lib/ccache"

void making_refuse(struct build_result *ret, enum outcome outcome, struct str *reason)
{
	for (size_t i = 0; i < reason->n; i++)
		if ((unsigned char)reason->p[i] < 0x20 || reason->p[i] == 0x7f)
			reason->p[i] = ' ';
	str_trim_end(reason);
	ret->outcome = outcome;
	free(ret->reason);
	ret->reason = str_take(reason);
}

static bool says_disk_full(const char *text)
{
	return strstr(text, "No space left on device") || strstr(text, "Disk quota exceeded");
}

int making_disk_full(const char *store, const char *text, struct err *e)
{
	int64_t left = fs_free_bytes(store);
	AUTO(str) struct str size = STR_INIT;

	if (!says_disk_full(text) && (left < 0 || left >= DISK_LOW))
		return 0;
	num_put_size(&size, left < 0 ? 0 : left);
	return err_set(
		e, ERR_ENV,
		"the disk is full (%s left for '%s'): make room or run 'culprit clean', then start the same command again",
		size.p, store);
}

int making_environ(const struct build_request *q, const char *store, const char *src,
		   struct strvec *env, struct err *e)
{
	AUTO_FREE char *jobs = xasprintf("%u", environ_jobs(q->jobs ? q->jobs : q->project->jobs));
	AUTO_FREE char *ccache = fs_find_program("ccache", NULL);
	AUTO_FREE char *ccache_dir = fs_join(store, "ccache");
	int r;

	environ_user(env);
	environ_set(env, "LC_ALL", "C.UTF-8");
	environ_set(env, "TZ", "UTC");
	environ_set(env, "SOURCE_DATE_EPOCH", EPOCH);
	environ_set(env, "JOBS", jobs);
	environ_set(env, "CULPRIT_SRC", src);
	if (q->data_dir)
		environ_set(env, "CULPRIT_DATA", q->data_dir);
	/* git in the build: never up into the user's repository, never a question, and reads are not confused by our access times. */
	environ_set(env, "GIT_CEILING_DIRECTORIES", store);
	environ_set(env, "GIT_TERMINAL_PROMPT", "0");
	environ_set(env, "GIT_CONFIG_COUNT", "1");
	environ_set(env, "GIT_CONFIG_KEY_0", "core.trustctime");
	environ_set(env, "GIT_CONFIG_VALUE_0", "false");
	for (size_t i = 0; i < q->variant->n_changes; i++)
		if (q->variant->changes[i].kind == CHANGE_ENV)
			environ_set(env, q->variant->changes[i].key, q->variant->changes[i].value);
	if (ccache && fs_is_dir(CCACHE_LINKS)) {
		AUTO_FREE char *path = xasprintf("%s:%s", CCACHE_LINKS, environ_get(env, "PATH"));

		environ_set(env, "PATH", path);
		if ((r = fs_mkdirs(ccache_dir, e)) < 0)
			return r;
		environ_set(env, "CCACHE_DIR", ccache_dir);
		if (!environ_get(env, "CCACHE_MAXSIZE"))
			environ_set(env, "CCACHE_MAXSIZE", CCACHE_MAX);
		environ_set(env, "CCACHE_BASEDIR", src);
	}
	return q->layout ? layout_enter(store, q->layout, env, e) : 0;
}

/* What programs say about the failure of others, after the reason. */
static bool is_summary(const char *line)
{
	static const char *const summary[] = { "collect2: error:", "complete log of this run" };

	for (size_t i = 0; i < ARRAY_LEN(summary); i++)
		if (strstr(line, summary[i]))
			return true;
	/* "make[4]: *** [scripts/Makefile:85: target] Error 1", but not "make: *** No rule to make target" */
	return starts_with(line, "make") && strstr(line, ": *** [") && strstr(line, "] Error ");
}

/* Does a line of a build's log say what went wrong? */
static bool says_why(const char *line)
{
	static const char *const telling[] = { "error:",
					       "npm error ",
					       "npm ERR! ",
					       "undefined reference",
					       "fatal:",
					       "No rule to make target",
					       "command not found",
					       "not found:" };

	if (is_summary(line))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(telling); i++)
		if (strcasestr(line, telling[i]))
			return true;
	return false;
}

/* The line that says most: the first that says why, else the last. */
static void put_log_line(const struct str *log, struct str *out)
{
	const char *at = log->p, *best = NULL;
	size_t best_n = 0;
	bool found = false;

	while (*at && !found) {
		size_t n = strcspn(at, "\n");
		AUTO_FREE char *line = xstrndup(at, n);

		found = says_why(line);
		if (found || (strspn(line, " \t\r") < n && (!best || !is_summary(line)))) {
			best = at;
			best_n = n;
		}
		at += n + (at[n] == '\n');
	}
	if (best)
		str_addf(out, ": '%.*s'", (int)(best_n < 160 ? best_n : 160), best);
}

int making_ended(const struct build_request *q, const char *store, const struct proc_result *p,
		 struct build_result *ret, struct err *e)
{
	AUTO(str) struct str why = STR_INIT;

	if (p->end == PROC_STOPPED)
		return err_set(e, ERR_STOPPED, "stopped");
	if (p->end == PROC_EXITED && p->status == 0)
		return 0;
	int r = making_disk_full(store, ret->log.p, e);

	if (r < 0)
		return r;
	proc_describe(p, q->project->build_timeout_ns, &why);
	put_log_line(&ret->log, &why);
	place_explain(&why);
	making_refuse(ret,
		      p->end == PROC_TIMED_OUT	 ? OUTCOME_TIMEOUT
		      : p->end == PROC_SIGNALLED ? OUTCOME_CRASHED
						 : OUTCOME_FAILED,
		      &why);
	return 0;
}

void making_put_changes(const struct variant *v, bool config, struct str *out)
{
	for (size_t i = 0; i < v->n_changes; i++) {
		const struct change *c = &v->changes[i];

		if (c->kind == CHANGE_REVERT || c->kind == CHANGE_PATCH || c->kind == CHANGE_PICK ||
		    (c->kind == CHANGE_CONFIG && !config))
			continue;
		str_addf(out, "%d %s=%s\n", (int)c->kind, c->key ? c->key : "",
			 c->value ? c->value : "");
	}
}
