/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels [PATTERN] - the kernel packages that deb= can name here, oldest first: one variant a line, the form of a list of releases.
 */
#include "cli/cmd.h"
#include "cli/term.h"
#include "kernel/deb.h"
#include "text/json.h"

struct kernels_args {
	struct common_opts common;
};

const struct opt cmd_kernels_options[] = {
	OPT_COMMON_OUTPUT(struct kernels_args, common),
	OPT_END,
};

static void list_text(const struct deb_packages *p)
{
	AUTO(str) struct str out = STR_INIT;

	for (size_t i = 0; i < p->n; i++)
		str_addf(&out, "deb=%s=%s\n", p->v[i].name, p->v[i].version);
	term_print(&out);
}

static void list_json(const struct deb_packages *p)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "kernels");
	json_out_array(&w, "kernels");
	for (size_t i = 0; i < p->n; i++) {
		json_out_object(&w, NULL);
		json_out_text(&w, "package", p->v[i].name);
		json_out_text(&w, "version", p->v[i].version);
		json_out_text(&w, "sha256", p->v[i].sha256);
		json_out_close(&w);
	}
	json_out_close(&w);
	json_out_close(&w);
	term_print(&out);
}

static int run(const struct kernels_args *a, const struct strvec *args, struct err *e)
{
	AUTO(deb_packages) struct deb_packages p = { 0 };
	int r;

	if (args->n > 1)
		return err_set(e, ERR_USAGE,
			       "kernels: one pattern at a time, not '%.60s' too (quote it)",
			       args->v[1]);
	r = deb_list(args->n ? args->v[0] : "linux-image-[0-9]*-amd64", &p, e);
	if (r < 0)
		return r;
	if (a->common.json)
		list_json(&p);
	else
		list_text(&p);
	return 0;
}

int cmd_kernels(int argc, const char *const *argv)
{
	struct kernels_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status = CMD_OK;

	if (cmd_start(cmd_kernels_options, &a, &a.common, argc, argv, &rest, &status) &&
	    run(&a, &rest.list, &e) < 0)
		status = cmd_fail(&e);
	common_opts_done(&a.common);
	return status;
}
