/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo [N] - withdraw the newest N runs, boots or marks of a hunt: they stay in the journal, and no longer count.
 */
#include "base/num.h"
#include "cli/cmd.h"
#include "cli/journal_text.h"
#include "cli/storedir.h"
#include "cli/term.h"

#include <string.h>

struct undo_args {
	struct common_opts common;
	int64_t hunt;
};

const struct opt cmd_undo_options[] = {
	{ 0, "hunt", OPT_INT, OPT_INTO(struct undo_args, hunt), "N",
	  "of this hunt instead of the newest", .min = 1, .max = 9e15 },
	OPT_COMMON_STORE(struct undo_args, common),
	OPT_COMMON_OUTPUT(struct undo_args, common),
	OPT_END,
};

static const struct observation *find(const struct observations *o, int64_t seq)
{
	for (size_t i = o->n; i-- > 0;)
		if (o->v[i].seq == seq)
			return &o->v[i];
	return NULL;
}

static void say_text(const struct hunt_row *h, const struct undone *u, const struct observations *o)
{
	AUTO(str) struct str out = STR_INIT;

	for (size_t i = 0; i < u->n; i++) {
		const struct observation *x = find(o, u->v[i]);

		str_addf(&out, "withdrawn from hunt %lld: ", (long long)h->id);
		if (x)
			journal_observation(x, &out);
		str_putc(&out, '\n');
	}
	term_print(&out);
	term_note("'culprit resume' goes on without %s", u->n == 1 ? "it" : "them");
}

static void say_json(const struct hunt_row *h, const struct undone *u, const struct observations *o)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "undo");
	json_out_int(&w, "hunt", h->id);
	json_out_array(&w, "withdrawn");
	for (size_t i = 0; i < u->n; i++) {
		AUTO(str) struct str text = STR_INIT;
		const struct observation *x = find(o, u->v[i]);

		if (x)
			journal_observation(x, &text);
		json_out_object(&w, NULL);
		json_out_int(&w, "seq", u->v[i]);
		json_out_text(&w, "text", text.p);
		json_out_close(&w);
	}
	json_out_close(&w);
	json_out_close(&w);
	term_print(&out);
}

/* "undo 7" may have meant hunt 7. */
static int say_meant(struct store *st, const struct undo_args *a, int64_t count, struct err *e)
{
	AUTO(hunt_row) struct hunt_row meant = { 0 };
	AUTO_FREE char *why = xstrdup(e->msg);

	if (e->kind == ERR_USAGE && !a->hunt && store_hunt_get(st, count, &meant, NULL) == 0)
		err_set(e, ERR_USAGE, "%s; the newest of hunt %lld: culprit undo --hunt %lld", why,
			(long long)count, (long long)count);
	return -(int)e->kind;
}

static int run(const struct undo_args *a, const struct strvec *args, struct err *e)
{
	__attribute__((cleanup(opened_store_done))) struct store *st = NULL;
	AUTO(undone) struct undone u = { 0 };
	AUTO(observations) struct observations o = { 0 };
	AUTO(hunt_row) struct hunt_row h = { 0 };
	int64_t count = 1;
	int r;

	if (args->n > 1)
		return err_set(e, ERR_USAGE, "undo takes one number, not '%.60s' too", args->v[1]);
	if (args->n && num_parse_int(args->v[0], "undo", 1, 1000000000, &count, e) < 0)
		return -(int)e->kind;
	r = storedir_open(a->common.store, STORE_WRITE, &st, e);
	if (r < 0 || (r = store_hunt_get(st, a->hunt, &h, e)) < 0 ||
	    (r = store_lock(st, "culprit undo", 0, NULL, NULL, e)) < 0)
		return r;
	if ((r = store_undo_list(st, h.id, (unsigned)count, &u, e)) < 0)
		return say_meant(st, a, count, e);
	if (!u.n)
		return err_set(e, ERR_USAGE, "hunt %lld has nothing (more) to withdraw",
			       (long long)h.id);
	r = store_observations(st, h.id, &o, e);
	if (r < 0)
		return r;
	if (a->common.json)
		say_json(&h, &u, &o);
	else
		say_text(&h, &u, &o);
	return 0;
}

int cmd_undo(int argc, const char *const *argv)
{
	struct undo_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status = CMD_OK;

	if (cmd_start(cmd_undo_options, &a, &a.common, argc, argv, &rest, &status) &&
	    run(&a, &rest.list, &e) < 0)
		status = cmd_fail(&e);
	common_opts_done(&a.common);
	return status;
}
