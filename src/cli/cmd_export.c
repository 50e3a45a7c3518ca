/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export [HUNT] - the raw samples of a hunt for other programs, or the whole hunt as one file for culprit elsewhere.
 */
#include "cli/cmd.h"
#include "cli/export_rows.h"
#include "cli/storedir.h"
#include "cli/term.h"
#include "store/bundle.h"

#include <string.h>

struct export_args {
	struct common_opts common;
	int format;
	const char *variant, *benchmark, *metric, *bundle;
	bool all, logs;
};

static const char *const formats[] = { "csv", "json", "go", NULL };

const struct opt cmd_export_options[] = {
	{ 'f', "format", OPT_CHOICE, OPT_INTO(struct export_args, format), "FORMAT",
	  "csv (one row a value), json, or go (for benchstat: one line a run)",
	  .choices = formats },
	{ 0, "variant", OPT_STRING, OPT_INTO(struct export_args, variant), "NAME",
	  "of this variant or commit only, as the hunt names it" },
	{ 'b', "benchmark", OPT_STRING, OPT_INTO(struct export_args, benchmark), "NAME",
	  "of this benchmark only" },
	{ 'm', "metric", OPT_STRING, OPT_INTO(struct export_args, metric), "NAME",
	  "of this metric only" },
	{ 'a', "all", OPT_BOOL, OPT_INTO(struct export_args, all), NULL,
	  "also failed, warm-up and withdrawn runs" },
	{ 0, "bundle", OPT_STRING, OPT_INTO(struct export_args, bundle), "FILE",
	  "write the whole hunt to one file that culprit can verify elsewhere",
	  .complete = COMPLETE_FILE },
	{ 0, "logs", OPT_BOOL, OPT_INTO(struct export_args, logs), NULL,
	  "with --bundle: the logs of builds and the output of runs too" },
	OPT_COMMON_STORE(struct export_args, common),
	OPT_COMMON_OUTPUT(struct export_args, common),
	OPT_END,
};

#define FLUSH_AT (1u << 16)

static int each_row(void *arg, const struct sample_row *s, struct err *e UNUSED)
{
	struct exporter *x = arg;

	export_row(x, s);
	if (x->out->n >= FLUSH_AT) {
		term_print(x->out);
		str_clear(x->out);
	}
	return 0;
}

static int export_samples(struct store *st, const struct export_args *a, int64_t hunt,
			  struct err *e)
{
	AUTO(str) struct str out = STR_INIT;
	struct exporter x;
	struct sample_filter f = {
		.hunt = hunt,
		.variant = a->variant,
		.benchmark = a->benchmark,
		.metric = a->metric,
		.with_failed = a->all,
		.with_warmup = a->all,
		.with_withdrawn = a->all,
	};
	enum export_format format = a->common.json ? EXPORT_JSON : (enum export_format)a->format;
	int r;

	export_begin(&x, format, hunt, &out);
	r = query_samples_each(st, &f, each_row, &x, e);
	export_end(&x);
	if (r == 0)
		term_print(&out);
	return r;
}

static int run(const struct export_args *a, const struct strvec *args, struct err *e)
{
	__attribute__((cleanup(opened_store_done))) struct store *st = NULL;
	AUTO(hunt_row) struct hunt_row h = { 0 };
	int64_t hunt = 0;
	int r;

	if (args->n > 1)
		return err_set(e, ERR_USAGE, "export: one hunt at a time, not '%.60s' too",
			       args->v[1]);
	if (a->logs && !a->bundle)
		return err_set(e, ERR_USAGE, "--logs goes with --bundle FILE");
	if (args->n && storedir_hunt_number(args->v[0], &hunt, e) < 0)
		return -(int)e->kind;
	r = storedir_open(a->common.store, STORE_READ, &st, e);
	/* before the first byte of output: an unknown hunt gives none */
	if (r < 0 || (r = store_hunt_get(st, hunt, &h, e)) < 0)
		return r;
	if (!a->bundle)
		return export_samples(st, a, h.id, e);
	r = bundle_write(st, h.id, a->logs ? BUNDLE_LOGS : 0, a->bundle, e);
	if (r == 0)
		term_note("hunt %lld is in %s; 'culprit verify %s' checks it on any machine",
			  (long long)h.id, a->bundle, a->bundle);
	return r;
}

int cmd_export(int argc, const char *const *argv)
{
	struct export_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status = CMD_OK;

	if (cmd_start(cmd_export_options, &a, &a.common, argc, argv, &rest, &status) &&
	    run(&a, &rest.list, &e) < 0)
		status = cmd_fail(&e);
	common_opts_done(&a.common);
	return status;
}
