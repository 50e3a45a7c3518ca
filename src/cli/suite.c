/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hunt has one benchmark, so a suite is as many hunts as it has workloads: each is stored, found again and resumed for itself, under
 * the command that would have made it alone.
 */
#include "cli/suite.h"

#include "bench/needs.h"
#include "bench/workload.h"
#include "cli/stop.h"
#include "cli/term.h"
#include "report/answer_suite.h"
#include "text/json.h"

#include <string.h>

bool suite_is_meant(const struct measuring_opts *m)
{
	AUTO(workloads) struct workloads all = { 0 };
	struct err ignored = ERR_INIT;
	bool is_suite = false;

	if (!m->workload || strpbrk(m->workload, "/:") || workload_list(&all, &ignored) < 0)
		return false;
	for (size_t i = 0; i < all.n; i++) {
		if (!strcmp(all.v[i].name, m->workload))
			return false;
		is_suite |= workload_is_in(&all.v[i], m->workload);
	}
	return is_suite;
}

/* The command line with the workload's name where the suite's was. */
static void put_argv(const char *const *argv, const char *suite, const char *name,
		     struct strvec *ret)
{
	AUTO_FREE char *joined = xasprintf("--workload=%s", suite);
	bool follows = false;

	for (; argv && *argv; argv++) {
		if (!strcmp(*argv, joined))
			strvec_addf(ret, "--workload=%s", name);
		else
			strvec_add(ret, follows && !strcmp(*argv, suite) ? name : *argv);
		follows = !strcmp(*argv, "--workload");
	}
}

/* What counts more; 0 and 3 are the same for `run`, which has no verdict. */
static int worse(int a, int b)
{
	static const int order[] = { CMD_FAILED, CMD_USAGE, CMD_WORSE, CMD_UNDECIDED };

	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a ? a : b;
}

struct running {
	struct measuring_opts *m;
	const char *suite;
	const char *const *argv;
	int (*one)(void *);
	void *arg;
	int status;
	struct strvec answers, groups; /* JSON, and of each its workload's group */
	struct str skipped;	       /* JSON */
};

static void skip(struct running *x, const char *name, const char *why)
{
	if (!x->m->common.json) {
		term_note("%s is left out: %s", name, why);
		return;
	}
	struct json_out w = JSON_OUT_INIT(&x->skipped, JSON_STYLE_COMPACT);

	if (x->skipped.n)
		str_puts(&x->skipped, ",");
	json_out_object(&w, NULL);
	json_out_text(&w, "workload", name);
	json_out_text(&w, "missing", why);
	json_out_close(&w);
}

static void run_one(struct running *x, const struct workload *w, const char *name)
{
	const char *about = w->bench->about;
	AUTO(strvec) struct strvec argv = STRVEC_INIT;
	AUTO(str) struct str head = STR_INIT;

	put_argv(x->argv, x->suite, name, &argv);
	x->m->workload = name;
	x->m->argv = (const char *const *)argv.v;
	str_addf(&head, "%s: %s\n", name, about ? about : "");
	if (!x->m->common.json)
		term_print(&head);
	x->status = worse(x->status, x->one(x->arg));
	while (x->groups.n < x->answers.n)
		strvec_add(&x->groups, workload_group(w));
	x->m->workload = x->suite;
	x->m->argv = x->argv;
}

static bool goes_elsewhere(const struct running *x)
{
	return x->m->target ? strcmp(x->m->target, "local") != 0 : measuring_names_kernel(x->argv);
}

/* A workload with arguments is one for each. */
static void run_variants(struct running *x, const struct workload *w)
{
	AUTO(str) struct str missing = STR_INIT;

	if (goes_elsewhere(x))
		needs_put_programs(w->bench, false, &missing);
	else
		workload_missing(w, false, &missing);
	if (missing.n) {
		skip(x, w->name, missing.p);
		return;
	}
	if (!w->bench->arguments[0])
		run_one(x, w, w->name);
	for (const char **v = w->bench->arguments; *v && !stop_requested(); v++) {
		AUTO_FREE char *name = xasprintf("%s:%s", w->name, *v);

		run_one(x, w, name);
	}
}

static void put_json(const struct running *x, const char *command, const struct suite_summary *sum)
{
	AUTO(str) struct str out = STR_INIT;

	str_addf(&out, "{\"schema\":1,\"command\":\"%s\",\"suite\":\"%s\",\"answers\":[", command,
		 x->suite);
	for (size_t i = 0; i < x->answers.n; i++)
		str_addf(&out, "%s%s", i ? "," : "", x->answers.v[i]);
	str_addf(&out, "],\"skipped\":[%s]", x->skipped.p);
	if (sum)
		str_addf(
			&out,
			",\"together\":{\"tests\":%zu,\"worse\":%zu,\"better\":%zu,\"alone\":%zu,\"undecided\":%zu}",
			sum->tests, sum->worse, sum->better, sum->weak, sum->undecided);
	str_puts(&out, "}\n");
	term_print(&out);
}

/* All comparisons as one family; what was called worse alone counts only if it stands among them. */
static int together(struct running *x, struct suite_summary *ret, struct err *e)
{
	struct answer_style style = { term_stdout_color(), term_stdout_width() };
	size_t n = x->answers.n;
	AUTO_FREE struct suite_answer *v = xcalloc(n + 1, sizeof(*v));
	AUTO_FREE struct json **roots = xcalloc(n + 1, sizeof(struct json *));
	AUTO(str) struct str out = STR_INIT;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		r = json_parse_stored(x->answers.v[i], "the stored answer", &roots[i], e);
		v[i] = (struct suite_answer){ x->groups.v[i], roots[i] };
	}
	if (r == 0) {
		str_puts(&out, "all together\n");
		answer_suite(v, n, &style, ret, &out);
		if (!x->m->common.json && ret->tests)
			term_print(&out);
		if (x->status == CMD_WORSE && !ret->worse)
			x->status = CMD_UNDECIDED;
	}
	for (size_t i = 0; i < n; i++)
		json_root_done(&roots[i]);
	return r;
}

int suite_run(struct measuring_opts *m, const char *command, int (*one)(void *arg), void *arg)
{
	AUTO(workloads) struct workloads all = { 0 };
	struct err e = ERR_INIT;
	struct running x = {
		.m = m,
		.suite = m->workload,
		.argv = m->argv,
		.one = one,
		.arg = arg,
		.status = CMD_OK,
		.answers = STRVEC_INIT,
		.groups = STRVEC_INIT,
		.skipped = STR_INIT,
	};
	bool compares = !strcmp(command, "compare");
	struct suite_summary sum = { 0 };

	if (workload_list(&all, &e) < 0)
		return measuring_fail(&e);
	m->answers = &x.answers;
	for (size_t i = 0; i < all.n && !stop_requested(); i++)
		if (workload_is_in(&all.v[i], x.suite))
			run_variants(&x, &all.v[i]);
	m->answers = NULL;
	if (compares && !m->dry_run && together(&x, &sum, &e) < 0)
		x.status = measuring_fail(&e);
	if (m->common.json)
		put_json(&x, command, compares ? &sum : NULL);
	strvec_done(&x.answers);
	strvec_done(&x.groups);
	str_done(&x.skipped);
	return x.status;
}
