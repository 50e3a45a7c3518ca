/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload - see workload.h.
 *
 * Files and not tables in C, so that a workload is read, changed and sent around like the user's own culprit.yaml, and everything that
 * can be said there can be said here.
 */
#include "bench/workload.h"

#include "bench/needs.h"
#include "config.h"
#include "sys/fs.h"

#include <glob.h>
#include <string.h>
#include <unistd.h>

void workload_done(struct workload *w)
{
	free(w->name);
	free(w->path);
	free(w->argument);
	config_done(&w->config);
	*w = (struct workload){ 0 };
}

void workloads_done(struct workloads *w)
{
	for (size_t i = 0; i < w->n; i++)
		workload_done(&w->v[i]);
	free(w->v);
	*w = (struct workloads){ 0 };
}

/* The folder there is, or the last one sought. */
static char *find_folder(void)
{
	static const char *const beside[] = { "../workloads", "../share/culprit/workloads" };
	const char *given = getenv("CULPRIT_WORKLOADS");
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (given && *given)
		return xstrdup(given);
	self[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(beside) && n > 0; i++) {
		AUTO_FREE char *dir = fs_dirname(self);
		AUTO_FREE char *path = fs_join(dir, beside[i]);

		if (fs_is_dir(path))
			return TAKE_PTR(path);
	}
	return xstrdup(CULPRIT_DATADIR "/workloads");
}

static int open_file(const char *path, const char *name, const char *argument, struct workload *ret,
		     struct err *e)
{
	AUTO(workload)
	struct workload w = { .name = xstrdup(name),
			      .path = xstrdup(path),
			      .argument = argument ? xstrdup(argument) : NULL };
	const struct config_base base = { path, argument };
	int r = config_load(&base, NULL, NULL, NULL, NULL, &w.config, e);

	if (r < 0)
		return r;
	if (w.config.n_benchmarks != 1)
		return err_set(e, ERR_USAGE, "'%s' is no workload: it has %zu benchmarks, not one",
			       path, w.config.n_benchmarks);
	w.bench = w.config.benchmarks;
	*ret = w;
	w = (struct workload){ 0 };
	return 0;
}

static int list_files(const char *folder, glob_t *ret, struct err *e)
{
	AUTO_FREE char *pattern = fs_join(folder, "*.yaml");

	if (glob(pattern, 0, NULL, ret) != 0)
		return err_set(e, ERR_ENV, "there are no workloads in '%s'", folder);
	return 0;
}

static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	return xstrndup(base, strlen(base) - (ends_with(base, ".yaml") ? strlen(".yaml") : 0));
}

static bool is_suite(const char *name, struct err *e)
{
	AUTO(workloads) struct workloads all = { 0 };
	bool found = false;

	if (workload_list(&all, e) < 0)
		return false;
	for (size_t i = 0; i < all.n; i++)
		found |= workload_is_in(&all.v[i], name);
	return found;
}

static int unknown(const char *name, const char *folder, struct err *e)
{
	struct nearest near = NEAREST_INIT(name);
	AUTO(strvec) struct strvec names = STRVEC_INIT;
	AUTO(str) struct str list = STR_INIT;
	glob_t g;
	int r = list_files(folder, &g, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		strvec_take(&names, name_of(g.gl_pathv[i]));
		nearest_offer(&near, names.v[i]);
		str_addf(&list, "%s%s", i ? ", " : "", names.v[i]);
	}
	globfree(&g);
	if (is_suite(name, e))
		return err_set(
			e, ERR_USAGE,
			"'%.60s' is a suite, which run and compare take; name one of its workloads",
			name);
	if (near.best)
		return err_set(e, ERR_USAGE, "no workload '%.60s', did you mean '%s'?", name,
			       near.best);
	return err_set(e, ERR_USAGE, "no workload '%.60s'; there are: %s", name, list.p);
}

int workload_open(const char *text, struct workload *ret, struct err *e)
{
	AUTO_FREE char *name = xstrdup(text), *folder = NULL, *path = NULL, *own = NULL;
	char *colon = fs_exists(text) ? NULL : strrchr(name, ':');

	if (colon)
		*colon++ = '\0';
	if (strchr(name, '/')) {
		own = name_of(name);
		return open_file(name, own, colon, ret, e);
	}
	folder = find_folder();
	path = xasprintf("%s/%s.yaml", folder, name);
	return fs_exists(path) ? open_file(path, name, colon, ret, e) : unknown(name, folder, e);
}

int workload_list(struct workloads *ret, struct err *e)
{
	AUTO_FREE char *folder = find_folder();
	AUTO(workloads) struct workloads all = { 0 };
	glob_t g;
	int r = list_files(folder, &g, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < g.gl_pathc && r == 0; i++) { /* glob sorts */
		AUTO_FREE char *name = name_of(g.gl_pathv[i]);
		struct workload w;

		r = open_file(g.gl_pathv[i], name, NULL, &w, e);
		if (r == 0)
			ARRAY_PUSH(&all, w);
	}
	globfree(&g);
	if (r < 0)
		return r;
	/* the benchmarks stay where they are: each is in its own config's arena */
	*ret = all;
	all = (struct workloads){ 0 };
	return 0;
}

bool workload_is_in(const struct workload *w, const char *suite)
{
	for (const char **p = w->bench->suites; p && *p; p++)
		if (!strcmp(*p, suite))
			return true;
	return !strcmp(suite, "all");
}

const char *workload_group(const struct workload *w)
{
	return w->bench->suites && w->bench->suites[0] ? w->bench->suites[0] : "";
}

void workload_missing(const struct workload *w, bool how, struct str *ret)
{
	AUTO(str) struct str others = STR_INIT;

	needs_put_programs(w->bench, how, ret);
	needs_put_others(w->bench, &others);
	if (others.n)
		str_addf(ret, "%s%s", ret->n ? "; " : "", others.p);
}
