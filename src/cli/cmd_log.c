/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log [N] - the hunts of this store, newest first; or everything that hunt N observed, in order.
 */
#include "base/num.h"
#include "cli/cmd.h"
#include "cli/journal_text.h"
#include "cli/storedir.h"
#include "cli/term.h"
#include "sys/clock.h"
#include "text/table.h"

#include <string.h>

struct log_args {
	struct common_opts common;
	unsigned count;
};

const struct opt cmd_log_options[] = {
	{ 'n', "max-count", OPT_UINT, OPT_INTO(struct log_args, count), "N",
	  "show the newest N hunts only", .min = 1, .max = 1e9 },
	OPT_COMMON_STORE(struct log_args, common),
	OPT_COMMON_OUTPUT(struct log_args, common),
	OPT_END,
};

/* --- the list ----------------------------------------------------------------------------------------------------- */

static enum text_style style_of(const struct hunt_row *h)
{
	if (!strcmp(h->status, "failed"))
		return TEXT_BAD;
	return strcmp(h->status, "answered") ? TEXT_WARN : TEXT_PLAIN;
}

static int list_row(struct store *st, const struct hunt_row *h, struct table *t, struct err *e)
{
	AUTO(str) struct str question = STR_INIT, answer = STR_INIT;
	struct hunt_counts c;
	char when[20];
	int r = query_counts(st, h->id, &c, e);

	if (r < 0)
		return r;
	clock_format(h->began_ns, when);
	journal_question(h, &question);
	journal_answer(h, &c, &answer);
	table_cell(t, TEXT_BOLD, "%lld", (long long)h->id);
	table_cell(t, TEXT_PLAIN, "%s", when);
	table_cell(t, TEXT_PLAIN, "%s", h->kind);
	table_cell(t, TEXT_PLAIN, "%s", question.p);
	table_cell(t, style_of(h), "%s", answer.p);
	return 0;
}

static int list_text(struct store *st, const struct hunt_rows *rows, size_t n, struct err *e)
{
	AUTO(table) struct table t = TABLE_INIT;
	AUTO(str) struct str out = STR_INIT;

	table_column(&t, "hunt", TABLE_RIGHT);
	table_column(&t, "began", TABLE_LEFT);
	table_column(&t, "kind", TABLE_LEFT);
	table_column(&t, "question", TABLE_LEFT | TABLE_SHRINK);
	table_column(&t, "answer", TABLE_LEFT | TABLE_SHRINK);
	for (size_t i = 0; i < n; i++) {
		int r = list_row(st, &rows->v[i], &t, e);

		if (r < 0)
			return r;
	}
	table_put(&t, term_stdout_width(), term_stdout_color(), &out);
	term_print(&out);
	return 0;
}

static void list_json(const struct hunt_rows *rows, size_t n)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "log");
	json_out_array(&w, "hunts");
	for (size_t i = 0; i < n; i++) {
		json_out_object(&w, NULL);
		journal_json_hunt(&w, &rows->v[i]);
		json_out_close(&w);
	}
	json_out_close(&w);
	json_out_close(&w);
	term_print(&out);
}

static int list(struct store *st, const struct log_args *a, struct err *e)
{
	AUTO(hunt_rows) struct hunt_rows rows = { 0 };
	int r = store_hunts(st, &rows, e);

	if (r < 0)
		return r;

	size_t n = a->count && a->count < rows.n ? a->count : rows.n;

	if (a->common.json) {
		list_json(&rows, n);
		return 0;
	}
	return list_text(st, &rows, n, e);
}

/* --- one hunt ----------------------------------------------------------------------------------------------------- */

static void one_text(const struct hunt_row *h, const struct hunt_counts *c,
		     const struct observations *o)
{
	AUTO(str) struct str out = STR_INIT;
	bool color = term_stdout_color();
	char when[20], day[11] = "";

	clock_format(h->began_ns, when);
	AUTO_FREE char *title = xasprintf("hunt %lld", (long long)h->id);
	text_put(&out, TEXT_BOLD, color, title);
	str_addf(&out, "  %s  ", h->kind);
	journal_question(h, &out);
	str_addf(&out, "\nbegan   %s, seed %llu\nstatus  %s: ", when, (unsigned long long)h->seed,
		 h->status);
	journal_counts(c, &out);
	if (!strcmp(h->status, "answered")) {
		str_puts(&out, "\nanswer  ");
		journal_answer(h, c, &out);
	}
	str_puts(&out, "\n");
	for (size_t i = 0; i < o->n; i++) {
		AUTO(str) struct str line = STR_INIT;

		clock_format(o->v[i].at_ns, when);
		if (strncmp(when, day, 10)) {
			memcpy(day, when, 10);
			str_addf(&out, "\n%s\n", day);
		}
		str_addf(&line, "%6lld  %s  ", (long long)o->v[i].seq, when + 11);
		journal_observation(&o->v[i], &line);
		if (o->v[i].withdrawn)
			str_puts(&line, "  [withdrawn]");
		text_put(&out, o->v[i].withdrawn ? TEXT_DIM : TEXT_PLAIN, color, line.p);
		str_putc(&out, '\n');
	}
	term_print(&out);
}

static const char *const kind_names[] = { "build", "boot", "run", "mark", "action", "note" };

static void readings_json(struct json_out *w, const struct readings *r)
{
	json_out_array(w, "readings");
	for (size_t i = 0; i < r->n; i++) {
		json_out_object(w, NULL);
		json_out_text(w, "metric", r->v[i].metric);
		json_out_text(w, "unit", r->v[i].unit);
		json_out_number(w, "value", r->v[i].value);
		json_out_number(w, "resolution", r->v[i].resolution);
		json_out_text(w, "better", better_name(r->v[i].better));
		json_out_close(w);
	}
	json_out_close(w);
}

static void observation_json(struct json_out *w, const struct observation *o)
{
	bool done = o->kind == OBS_BUILD || o->kind == OBS_BOOT || o->kind == OBS_RUN;

	json_out_object(w, NULL);
	json_out_int(w, "seq", o->seq);
	json_out_text(w, "kind", kind_names[o->kind]);
	json_out_number(w, "at", (double)o->at_ns / 1e9);
	json_out_bool(w, "withdrawn", o->withdrawn);
	if (o->node)
		json_out_text(w, "node", o->node);
	if (o->build)
		json_out_int(w, "build", o->build);
	if (o->boot)
		json_out_int(w, "boot", o->boot);
	if (done) {
		json_out_text(w, "outcome", outcome_name(o->outcome));
		json_out_text(w, "reason", o->reason);
		json_out_number(w, "seconds", o->seconds);
	}
	if (o->kind == OBS_RUN) {
		json_out_int(w, "run", o->run);
		json_out_text(w, "benchmark", o->benchmark);
		json_out_int(w, "index", o->index);
		readings_json(w, &o->readings);
	}
	if (o->text)
		journal_json(w, "text", o->text);
	json_out_close(w);
}

static void one_json(const struct hunt_row *h, const struct hunt_counts *c,
		     const struct observations *o)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);
	AUTO_FREE char *seed = xasprintf("%llu", (unsigned long long)h->seed);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "log");
	journal_json_hunt(&w, h);
	/* 64 bits do not fit into the numbers of many JSON readers */
	json_out_text(&w, "seed", seed);
	journal_json_counts(&w, c);
	json_out_array(&w, "observations");
	for (size_t i = 0; i < o->n; i++)
		observation_json(&w, &o->v[i]);
	json_out_close(&w);
	json_out_close(&w);
	term_print(&out);
}

static int one(struct store *st, const struct log_args *a, const char *number, struct err *e)
{
	AUTO(hunt_row) struct hunt_row h = { 0 };
	AUTO(observations) struct observations o = { 0 };
	struct hunt_counts c;
	int64_t id;
	int r = storedir_hunt_number(number, &id, e);

	if (r < 0 || (r = store_hunt_get(st, id, &h, e)) < 0 ||
	    (r = query_counts(st, id, &c, e)) < 0 || (r = store_observations(st, id, &o, e)) < 0)
		return r;
	if (a->common.json)
		one_json(&h, &c, &o);
	else
		one_text(&h, &c, &o);
	return 0;
}

static int run(const struct log_args *a, const struct strvec *args, struct err *e)
{
	__attribute__((cleanup(opened_store_done))) struct store *st = NULL;
	int r;

	if (args->n > 1)
		return err_set(e, ERR_USAGE, "log: one hunt at a time, not '%.60s' too",
			       args->v[1]);
	r = storedir_open(a->common.store, STORE_READ, &st, e);
	if (r < 0)
		return r;
	return args->n ? one(st, a, args->v[0], e) : list(st, a, e);
}

int cmd_log(int argc, const char *const *argv)
{
	struct log_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status = CMD_OK;

	if (cmd_start(cmd_log_options, &a, &a.common, argc, argv, &rest, &status) &&
	    run(&a, &rest.list, &e) < 0)
		status = cmd_fail(&e);
	common_opts_done(&a.common);
	return status;
}
