/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show b4 | r17 | 3 - the log of a build, the output of a run, the answer of a hunt: what was stored, as it was stored, on stdout; what it is,
 * on stderr.
 */
#include "base/num.h"
#include "cli/cmd.h"
#include "cli/journal_text.h"
#include "cli/storedir.h"
#include "cli/term.h"
#include "report/answer.h"
#include "sys/clock.h"

#include <string.h>

struct show_args {
	struct common_opts common;
};

const struct opt cmd_show_options[] = {
	OPT_COMMON_STORE(struct show_args, common),
	OPT_COMMON_OUTPUT(struct show_args, common),
	OPT_END,
};

static const struct {
	const char *name;
	char letter;
} kinds[] = { { "hunt", 'h' }, { "build", 'b' }, { "run", 'r' } };

/* "b4", "build 4", "3": *ret_kind is the letter. */
static int parse_what(const struct strvec *args, char *ret_kind, int64_t *ret_id, struct err *e)
{
	const char *number = args->n ? args->v[args->n - 1] : NULL;

	*ret_kind = 0;
	for (size_t i = 0; number && i < ARRAY_LEN(kinds); i++) {
		if (args->n == 2 && !strcmp(args->v[0], kinds[i].name))
			*ret_kind = kinds[i].letter;
		if (args->n == 1 && *number == kinds[i].letter) {
			*ret_kind = kinds[i].letter;
			number++;
		}
	}
	if (args->n == 1 && !*ret_kind && *number >= '0' && *number <= '9')
		*ret_kind = 'h';
	if (!*ret_kind)
		return err_set(
			e, ERR_USAGE,
			"show wants b4 (a build), r17 (a run) or 3 (a hunt), as 'culprit log' names them");
	return num_parse_int(number, "show", 1, INT64_MAX, ret_id, e);
}

/* What was stored ends in a newline or gets one, so that the shell's prompt stands on a line of its own. */
static void print_stored(struct str *text)
{
	if (text->n && text->p[text->n - 1] != '\n')
		str_putc(text, '\n');
	term_print(text);
}

static void begin_json(struct json_out *w)
{
	json_out_object(w, NULL);
	json_out_int(w, "schema", 1);
	json_out_text(w, "command", "show");
}

static int show_build(struct store *st, const struct show_args *a, int64_t id, struct err *e)
{
	AUTO(build_row) struct build_row b = { 0 };
	AUTO(str) struct str log = STR_INIT, out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);
	int r = store_build_get(st, id, &b, e);

	if (r < 0 || (r = store_build_log(st, id, &log, e)) < 0)
		return r;
	if (!a->common.json) {
		term_note("build b%lld of %s: %s%s%s, %.1f s, %s", (long long)id, b.variant,
			  outcome_name(b.outcome), *b.reason ? ", " : "", b.reason, b.seconds,
			  *b.path ? b.path : "no tree kept");
		print_stored(&log);
		return 0;
	}
	begin_json(&w);
	json_out_int(&w, "build", id);
	json_out_text(&w, "variant", b.variant);
	json_out_text(&w, "commit", b.commit);
	json_out_text(&w, "tree", b.tree);
	json_out_text(&w, "key", b.key);
	json_out_text(&w, "artefact", b.artefact);
	json_out_text(&w, "toolchain", b.toolchain);
	json_out_int(&w, "layout", b.layout);
	json_out_text(&w, "path", *b.path ? b.path : NULL);
	json_out_text(&w, "outcome", outcome_name(b.outcome));
	json_out_text(&w, "reason", b.reason);
	json_out_number(&w, "seconds", b.seconds);
	json_out_number(&w, "at", (double)b.at_ns / 1e9);
	json_out_text(&w, "log", log.p);
	json_out_close(&w);
	term_print(&out);
	return 0;
}

static int show_run(struct store *st, const struct show_args *a, int64_t id, struct err *e)
{
	AUTO(run_row) struct run_row row = { 0 };
	AUTO(str) struct str output = STR_INIT, out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);
	int r = query_run(st, id, &row, e);

	if (r < 0)
		return r;
	if (!row.ended)
		return err_set(
			e, ERR_MISSING,
			"run r%lld has not ended: it is in flight, or culprit was killed meanwhile",
			(long long)id);
	r = store_run_output(st, id, &output, e);
	if (r < 0)
		return r;
	if (!a->common.json) {
		term_note("run r%lld of %s on b%lld (%s), hunt %lld: %s%s%s, %.3f s", (long long)id,
			  row.benchmark, (long long)row.build, row.variant, (long long)row.hunt,
			  outcome_name(row.outcome), *row.reason ? ", " : "", row.reason,
			  row.seconds);
		print_stored(&output);
		return 0;
	}
	begin_json(&w);
	json_out_int(&w, "run", id);
	json_out_int(&w, "hunt", row.hunt);
	json_out_int(&w, "build", row.build);
	json_out_int(&w, "boot", row.boot);
	json_out_text(&w, "variant", row.variant);
	json_out_text(&w, "benchmark", row.benchmark);
	json_out_int(&w, "index", row.index);
	json_out_number(&w, "began", (double)row.began_ns / 1e9);
	json_out_text(&w, "outcome", outcome_name(row.outcome));
	json_out_text(&w, "reason", row.reason);
	json_out_number(&w, "seconds", row.seconds);
	json_out_text(&w, "output", output.p);
	json_out_close(&w);
	term_print(&out);
	return 0;
}

static int show_hunt(struct store *st, const struct show_args *a, int64_t id, struct err *e)
{
	AUTO(hunt_row) struct hunt_row h = { 0 };
	AUTO(str) struct str out = STR_INIT;
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;
	struct answer_style style = { .color = term_stdout_color(), .width = term_stdout_width() };
	int r = store_hunt_get(st, id, &h, e);

	if (r < 0)
		return r;
	if (!h.answer)
		return err_set(e, ERR_MISSING,
			       "hunt %lld has no answer yet (%s); 'culprit resume' goes on with it",
			       (long long)h.id, h.status);
	r = json_parse_stored(h.answer, "the stored answer", &root, e);
	if (r < 0)
		return r;
	if (a->common.json)
		json_put(root, &out);
	else
		r = answer_text(root, &style, &out, e);
	if (r == 0)
		print_stored(&out);
	return r;
}

static int run(const struct show_args *a, const struct strvec *args, struct err *e)
{
	__attribute__((cleanup(opened_store_done))) struct store *st = NULL;
	int64_t id;
	char kind;
	int r = parse_what(args, &kind, &id, e);

	if (r < 0 || (r = storedir_open(a->common.store, STORE_READ, &st, e)) < 0)
		return r;
	return kind == 'b'   ? show_build(st, a, id, e)
	       : kind == 'r' ? show_run(st, a, id, e)
			     : show_hunt(st, a, id, e);
}

int cmd_show(int argc, const char *const *argv)
{
	struct show_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status = CMD_OK;

	if (cmd_start(cmd_show_options, &a, &a.common, argc, argv, &rest, &status) &&
	    run(&a, &rest.list, &e) < 0)
		status = cmd_fail(&e);
	common_opts_done(&a.common);
	return status;
}
