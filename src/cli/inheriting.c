/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/inheriting.h"

#include "cli/storedir.h"
#include "cli/term.h"
#include "repo/git.h"

/* The full name of a revision here; NULL if there is none, which is complained about later. The caller frees. */
static char *full_name(const char *rev)
{
	struct git_at here = { 0 };
	AUTO_FREE char *commit = xasprintf("%s^{commit}", rev);
	char *line = NULL;

	if (git_line(&here, GIT_ARGS("rev-parse", "--verify", "-q", "--end-of-options", commit),
		     &line, NULL) < 0)
		return NULL;
	return line;
}

int inherit_search(const struct measuring_opts *m, const char *commit, bool needed,
		   const char *wants, struct confirm_named *ret, struct err *e)
{
	__attribute__((cleanup(opened_store_done))) struct store *st = NULL;
	AUTO_FREE char *oid = commit ? full_name(commit) : NULL;
	int r;

	if (commit && !oid)
		return 0;
	r = storedir_open(m->common.store, STORE_READ, &st, e);
	if (r == 0)
		r = confirm_find_named(st, oid, ret, e);
	if (r == -ERR_MISSING && !needed)
		return 0;
	if (r != -ERR_MISSING)
		return r;
	AUTO_FREE char *why = xstrdup(e->msg);

	return err_set(e, ERR_USAGE, "%s: %s", wants, why);
}

static void inherit(const char **field, const char *from)
{
	if (!*field)
		*field = from;
}

int inherit_measuring(struct measuring_opts *m, const struct confirm_named *n, struct err *e)
{
	struct measuring_opts of;
	int r;

	if (!n->hunt)
		return 0;
	term_note("%.12s was named by hunt %lld: ends and benchmark from there", n->culprit,
		  (long long)n->hunt);
	if (!n->argv.n)
		return 0;
	if ((r = measuring_of_bisect(&n->argv, &of, e)) < 0)
		return r;
	inherit(&m->common.build, of.common.build);
	inherit(&m->common.config, of.common.config);
	inherit(&m->measure, of.measure);
	inherit(&m->target, of.target);
	/* another benchmark has other metrics, and settings of its own */
	if (!m->common.bench && !m->benchmark && !m->workload) {
		m->common.bench = of.common.bench;
		m->benchmark = of.benchmark;
		m->workload = of.workload;
		inherit(&m->metric, n->metric);
		inherit(&m->reader, of.reader);
		m->smp = m->smp ? m->smp : of.smp;
		if (m->warmup == UINT32_MAX)
			m->warmup = of.warmup;
		for (size_t i = 0; i < m->common.set.n; i++)
			strvec_add(&of.common.set, m->common.set.v[i]);
		strvec_done(&m->common.set);
		m->common.set = of.common.set;
		of.common.set = (struct strvec)STRVEC_INIT;
	}
	common_opts_done(&of.common);
	return 0;
}
