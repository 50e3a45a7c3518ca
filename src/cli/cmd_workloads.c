/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workloads [SUITE | NAME] - the benchmarks that come with culprit, with what is missing here; or the file of one, to read or to copy.
 */
#include "bench/workload.h"
#include "cli/cmd.h"
#include "cli/term.h"
#include "sys/fs.h"
#include "text/json.h"
#include "text/table.h"

#include <string.h>

struct workloads_args {
	struct common_opts common;
};

const struct opt cmd_workloads_options[] = {
	OPT_COMMON_OUTPUT(struct workloads_args, common),
	OPT_END,
};

static void put_row(struct table *t, const struct workload *w)
{
	const struct benchmark *b = w->bench;
	AUTO(str) struct str missing = STR_INIT;

	workload_missing(w, false, &missing);
	table_cell(t, TEXT_BOLD, "%s%s", w->name, b->arguments[0] ? ":*" : "");
	table_cell(t, TEXT_PLAIN, "%s", b->about ? b->about : "");
	table_cell(t, TEXT_PLAIN, "%s", b->primary[0] ? b->primary[0] : "");
	table_cell(t, missing.n ? TEXT_WARN : TEXT_DIM, "%s", missing.n ? missing.p : "nothing");
}

/* "NAME:* ..." needs a word. */
static void put_variants(const struct workloads *all, const char *suite, struct str *out)
{
	bool any = false;

	for (size_t i = 0; i < all->n; i++) {
		const char **v = all->v[i].bench->arguments;

		if (!v[0] || !workload_is_in(&all->v[i], suite))
			continue;
		if (!any)
			str_puts(out, "\n:* stands for one of these, or of the program's own:\n");
		any = true;
		str_addf(out, "  %s:", all->v[i].name);
		for (; *v; v++)
			str_addf(out, "%s%s", v == all->v[i].bench->arguments ? "" : "|", *v);
		str_puts(out, "\n");
	}
}

/* The groups in the order of their names; those of no group come first. */
static void list_text(const struct workloads *all, const char *suite)
{
	AUTO(table) struct table t = TABLE_INIT;
	AUTO(str) struct str out = STR_INIT;
	const char *done = NULL;

	table_column(&t, "workload", TABLE_LEFT);
	table_column(&t, "what it does", TABLE_LEFT | TABLE_SHRINK);
	table_column(&t, "what decides", TABLE_LEFT);
	table_column(&t, "missing here", TABLE_LEFT);
	for (;;) {
		const char *group = NULL;

		for (size_t i = 0; i < all->n; i++) {
			const char *own = workload_group(&all->v[i]);

			if (workload_is_in(&all->v[i], suite) && (!done || strcmp(own, done) > 0) &&
			    (!group || strcmp(own, group) < 0))
				group = own;
		}
		if (!group)
			break;
		if (*group)
			table_section(&t, "%s", group);
		for (size_t i = 0; i < all->n; i++)
			if (workload_is_in(&all->v[i], suite) &&
			    !strcmp(workload_group(&all->v[i]), group))
				put_row(&t, &all->v[i]);
		done = group;
	}
	table_put(&t, term_stdout_width(), term_stdout_color(), &out);
	put_variants(all, suite, &out);
	term_print(&out);
}

static void one_json(struct json_out *j, const struct workload *w)
{
	const struct benchmark *b = w->bench;
	AUTO(str) struct str missing = STR_INIT;

	workload_missing(w, true, &missing);
	json_out_object(j, NULL);
	json_out_text(j, "name", w->name);
	json_out_texts(j, "suites", b->suites);
	json_out_texts(j, "arguments", b->arguments);
	json_out_text(j, "path", w->path);
	json_out_text(j, "about", b->about);
	json_out_texts(j, "primary", b->primary);
	json_out_text(j, "operations", b->operations);
	json_out_texts(j, "programs", b->programs);
	json_out_texts(j, "packages", b->packages);
	json_out_texts(j, "modules", b->modules);
	json_out_texts(j, "blind", b->blind);
	json_out_text(j, "missing", missing.p);
	json_out_close(j);
}

static void list_json(const struct workloads *all, const char *suite)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "workloads");
	json_out_array(&w, "workloads");
	for (size_t i = 0; i < all->n; i++)
		if (workload_is_in(&all->v[i], suite))
			one_json(&w, &all->v[i]);
	json_out_close(&w);
	json_out_close(&w);
	term_print(&out);
}

static int show(const struct workload *w, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	int r = fs_read(w->path, 1 << 20, &text, e);

	if (r == 0)
		term_print(&text);
	return r;
}

/* The folder is read once: a suite is what its files say. */
static int run(const struct workloads_args *a, const struct strvec *args, struct err *e)
{
	AUTO(workloads) struct workloads all = { 0 };
	AUTO(workload) struct workload w = { 0 };
	const char *suite = args->n ? args->v[0] : "all";
	bool is_suite = false;
	int r;

	if (args->n > 1)
		return err_set(e, ERR_USAGE, "workloads: one at a time, not '%.60s' too",
			       args->v[1]);
	if (args->n && strchr(suite, '/'))
		return (r = workload_open(suite, &w, e)) < 0 ? r : show(&w, e);
	r = workload_list(&all, e);
	for (size_t i = 0; i < all.n; i++)
		is_suite |= workload_is_in(&all.v[i], suite);
	if (r < 0)
		return r;
	if (!is_suite)
		return (r = workload_open(suite, &w, e)) < 0 ? r : show(&w, e);
	if (a->common.json)
		list_json(&all, suite);
	else
		list_text(&all, suite);
	return 0;
}

int cmd_workloads(int argc, const char *const *argv)
{
	struct workloads_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status = CMD_OK;

	if (cmd_start(cmd_workloads_options, &a, &a.common, argc, argv, &rest, &status) &&
	    run(&a, &rest.list, &e) < 0)
		status = cmd_fail(&e);
	common_opts_done(&a.common);
	return status;
}
