/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/environ.h"

#include "base/str.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static bool is_ours_to_drop(const char *assignment)
{
#define NAME(x)                                                                                    \
	{                                                                                          \
		x, sizeof(x) - 1                                                                   \
	}
	static const struct {
		const char *name;
		size_t n;
	} names[] = {
		NAME("MAKEFLAGS"),
		NAME("MFLAGS"),
		NAME("MAKELEVEL"),
		NAME("MAKEOVERRIDES"),
		NAME("GNUMAKEFLAGS"),
		NAME("MAKE_TERMOUT"),
		NAME("MAKE_TERMERR"),
		NAME("CARGO_MAKEFLAGS"),
		NAME("GIT_DIR"),
		NAME("GIT_WORK_TREE"),
		NAME("GIT_INDEX_FILE"),
		NAME("GIT_PREFIX"),
		NAME("GIT_COMMON_DIR"),
		NAME("GIT_NAMESPACE"),
		NAME("GIT_OBJECT_DIRECTORY"),
		NAME("GIT_ALTERNATE_OBJECT_DIRECTORIES"),
		NAME("GIT_QUARANTINE_PATH"),
		NAME("GIT_REFLOG_ACTION"),
		NAME("_"),
		NAME("OLDPWD"),
		NAME("PWD"),
		NAME("SHLVL"),
	};
#undef NAME
	/* most begin with another letter */
	if (!strchr("CGMOPS_", *assignment))
		return false;
	size_t n = strcspn(assignment, "=");

	if (starts_with(assignment, "CULPRIT_"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].n == n && !memcmp(names[i].name, assignment, n))
			return true;
	return false;
}

void environ_user(struct strvec *ret)
{
	for (char **v = environ; *v; v++)
		if (!is_ours_to_drop(*v))
			strvec_add(ret, *v);
	if (!environ_get(ret, "PATH"))
		environ_set(ret, "PATH", "/usr/local/bin:/usr/bin:/bin");
}

void environ_fixed(struct strvec *ret)
{
	const char *path = getenv("PATH"), *home = getenv("HOME");

	environ_set(ret, "HOME", home ? home : "/");
	environ_set(ret, "LC_ALL", "C");
	environ_set(ret, "PATH", path ? path : "/usr/local/bin:/usr/bin:/bin");
	environ_set(ret, "TZ", "UTC");
}

static char **find(const struct strvec *env, const char *name, size_t n)
{
	for (size_t i = 0; i < env->n; i++)
		if (!strncmp(env->v[i], name, n) && env->v[i][n] == '=')
			return &env->v[i];
	return NULL;
}

void environ_put(struct strvec *env, const char *assignment)
{
	char **at = find(env, assignment, strcspn(assignment, "="));

	if (!at) {
		strvec_add(env, assignment);
		return;
	}
	free(*at);
	*at = xstrdup(assignment);
}

void environ_set(struct strvec *env, const char *name, const char *value)
{
	AUTO_FREE char *assignment = xasprintf("%s=%s", name, value);

	environ_put(env, assignment);
}

const char *environ_get(const struct strvec *env, const char *name)
{
	char **at = find(env, name, strlen(name));

	return at ? *at + strlen(name) + 1 : NULL;
}

size_t environ_size(const struct strvec *env)
{
	size_t n = 0;

	for (size_t i = 0; i < env->n; i++)
		n += strlen(env->v[i]) + 1;
	return n;
}

void environ_pad(struct strvec *env, unsigned extra)
{
	static const char name[] = "CULPRIT_PAD=";

	if (env->n && starts_with(env->v[env->n - 1], name)) {
		free(env->v[--env->n]);
		env->v[env->n] = NULL;
	}
	size_t least = environ_size(env) + sizeof(name); /* sizeof counts the zero byte too */
	size_t want = (least + 4095) / 4096 * 4096 + extra % 4096;
	char *pad = xmalloc(sizeof(name) + want - least);

	memcpy(pad, name, sizeof(name));
	memset(pad + sizeof(name) - 1, 'x', want - least);
	pad[sizeof(name) - 1 + want - least] = '\0';
	strvec_take(env, pad);
}

unsigned environ_jobs(unsigned asked)
{
	cpu_set_t set;

	if (asked)
		return asked;
	if (!sched_getaffinity(0, sizeof(set), &set))
		return (unsigned)CPU_COUNT(&set);
	long n = sysconf(_SC_NPROCESSORS_ONLN); /* more than 1024 CPUs */

	return n > 0 ? (unsigned)n : 1;
}
