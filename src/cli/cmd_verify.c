/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify [HUNT|FILE] - recompute every number of an answer from its raw samples, with no benchmark run.
 */
#include "base/num.h"
#include "cli/cmd.h"
#include "cli/storedir.h"
#include "cli/term.h"
#include "hunt/verify.h"
#include "store/bundle.h"
#include "store/store.h"
#include "sys/fs.h"
#include "text/json.h"

#include "config.h"

#include <string.h>

struct verify_args {
	struct common_opts common;
};

const struct opt cmd_verify_options[] = {
	OPT_COMMON_STORE(struct verify_args, common),
	OPT_COMMON_OUTPUT(struct verify_args, common),
	OPT_END,
};

static void put_json(const struct verify_report *v, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_PRETTY);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "verify");
	json_out_int(&w, "hunt", v->hunt);
	json_out_text(&w, "kind", v->kind);
	json_out_text(&w, "version", v->version);
	json_out_text(&w, "verified_by", CULPRIT_VERSION);
	json_out_bool(&w, "verified", v->differences.n == 0);
	json_out_int(&w, "observations", v->observations);
	json_out_int(&w, "actions", v->actions);
	json_out_int(&w, "numbers", v->numbers);
	json_out_array(&w, "differences");
	for (size_t i = 0; i < v->differences.n; i++)
		json_out_text(&w, NULL, v->differences.v[i]);
	json_out_close(&w);
	json_out_close(&w);
}

static void put_text(const struct verify_report *v, struct str *out)
{
	if (!v->differences.n)
		str_addf(
			out,
			"hunt %lld (%s): verified; %u observations replayed, %u actions and %u numbers as stored\n",
			(long long)v->hunt, v->kind, v->observations, v->actions, v->numbers);
	else
		str_addf(out, "hunt %lld (%s): NOT verified; %zu difference%s\n",
			 (long long)v->hunt, v->kind, v->differences.n,
			 v->differences.n == 1 ? "" : "s");
	if (v->differences.n && strcmp(v->version, CULPRIT_VERSION) != 0)
		str_addf(
			out,
			"  It was made by culprit %s and this is %s, which may decide otherwise: only %s can verify it.\n",
			v->version, CULPRIT_VERSION, v->version);
	for (size_t i = 0; i < v->differences.n && i < 20; i++)
		str_addf(out, "  %s\n", v->differences.v[i]);
	if (v->differences.n > 20)
		str_addf(out, "  and %zu more\n", v->differences.n - 20);
}

static int open_subject(const struct verify_args *a, const char *what, struct store **ret,
			int64_t *ret_hunt, struct err *e)
{
	if (what && fs_exists(what) && !fs_is_dir(what))
		return bundle_read(what, ret, ret_hunt, e);
	*ret_hunt = 0;
	if (what && num_parse_int(what, "verify", 1, INT64_MAX, ret_hunt, e) < 0)
		return err_set(e, ERR_USAGE,
			       "verify wants a hunt's number or a bundle; '%.60s' is neither",
			       what);
	return storedir_open(a->common.store, STORE_READ, ret, e);
}

static int verify(const struct verify_args *a, const struct strvec *args)
{
	AUTO(str) struct str out = STR_INIT;
	struct verify_report v = { 0 };
	struct store *st = NULL;
	struct err e = ERR_INIT;
	int64_t hunt;
	int status, r;

	if (args->n > 1) {
		err_set(&e, ERR_USAGE, "verify wants one hunt's number or one bundle");
		return cmd_fail(&e);
	}
	r = open_subject(a, args->n ? args->v[0] : NULL, &st, &hunt, &e);
	if (r == 0)
		r = verify_hunt(st, hunt, &v, &e);
	store_close(st);
	if (r < 0)
		return cmd_fail(&e);
	if (a->common.json)
		put_json(&v, &out);
	else
		put_text(&v, &out);
	term_print(&out);
	status = v.differences.n ? CMD_FAILED : CMD_OK;
	verify_report_done(&v);
	return status;
}

int cmd_verify(int argc, const char *const *argv)
{
	struct verify_args a = { .common = { 0 } };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	int status;

	if (cmd_start(cmd_verify_options, &a, &a.common, argc, argv, &rest, &status))
		status = verify(&a, &rest.list);
	common_opts_done(&a.common);
	return status;
}
