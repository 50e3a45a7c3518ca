/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark REV good|bad|skip - tell a search what you know about a commit; it counts when the search goes on.
 */
#include "cli/cmd.h"
#include "cli/journal_text.h"
#include "cli/storedir.h"
#include "cli/term.h"
#include "repo/repo.h"

#include <string.h>

struct mark_args {
	struct common_opts common;
	int64_t hunt;
};

const struct opt cmd_mark_options[] = {
	{ 0, "hunt", OPT_INT, OPT_INTO(struct mark_args, hunt), "N",
	  "of this search instead of the newest that has no answer", .min = 1, .max = 9e15 },
	OPT_COMMON_STORE(struct mark_args, common),
	OPT_COMMON_OUTPUT(struct mark_args, common),
	OPT_END,
};

/* The newest search that is not answered, or the hunt that was asked for. */
static int find_search(struct store *st, int64_t wanted, struct hunt_row *ret, struct err *e)
{
	AUTO(hunt_rows) struct hunt_rows all = { 0 };
	int64_t id = wanted;
	int r = store_hunts(st, &all, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < all.n && !id; i++)
		if (!strcmp(all.v[i].kind, "bisect") && strcmp(all.v[i].status, "answered"))
			id = all.v[i].id;
	if (!id)
		return err_set(
			e, ERR_MISSING,
			"no search is open in %s; mark an answered one with --hunt N, or begin one with culprit bisect",
			store_dir(st));
	r = store_hunt_get(st, id, ret, e);
	if (r < 0)
		return r;
	if (strcmp(ret->kind, "bisect")) {
		r = err_set(e, ERR_USAGE,
			    "hunt %lld is a %s, not a search: nothing in it can be marked",
			    (long long)id, ret->kind);
		hunt_row_done(ret);
		return r;
	}
	return 0;
}

static int resolve(const char *rev, char oid[65], struct err *e)
{
	struct repo *repo = NULL;
	int r = repo_open(NULL, &repo, e);

	if (r == 0)
		r = repo_resolve(repo, rev, oid, e);
	repo_close(repo);
	return r;
}

/*
 * The range is kept as text whose lines hold the commits' full names; a mark on a commit that is not in it could only be
 * a mistake.
 */
static int check_in_range(const struct hunt_row *h, const char *rev, const char *oid, struct err *e)
{
	if (!h->graph || strstr(h->graph, oid))
		return 0;
	return err_set(e, ERR_USAGE, "%s (%.12s) is not in the range of hunt %lld", rev, oid,
		       (long long)h->id);
}

/* What the ends are is the question itself: a mark would change nothing, and look as if it did. */
static int check_no_end(const struct hunt_row *h, const char *rev, const char *oid, struct err *e)
{
	static const struct {
		const char *path, *name;
	} ends[] = { { "question.old", "GOOD" }, { "question.new", "BAD" } };
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;
	int r = h->question ? json_parse_stored(h->question, "the stored question", &root, e) : 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(ends); i++) {
		const char *end = json_to_text(root, ends[i].path);

		if (end && !strcmp(end, oid))
			r = err_set(e, ERR_USAGE,
				    "%s is the %s end of hunt %lld, and a mark cannot change that: "
				    "culprit bisect with other ends asks another question",
				    rev, ends[i].name, (long long)h->id);
	}
	return r;
}

/* An answer that was given before the mark no longer stands. */
static int append(struct store *st, const struct hunt_row *h, const char *oid, const char *mark,
		  struct err *e)
{
	int r = store_lock(st, "culprit mark", 0, NULL, NULL, e);

	if (r == 0)
		r = store_mark(st, h->id, oid, mark, e);
	if (r == 0 && !strcmp(h->status, "answered"))
		r = store_hunt_end(st, h->id, "open", NULL, e);
	return r;
}

static void say(const struct mark_args *a, const struct hunt_row *h, const char *oid,
		const char *mark)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);

	if (!a->common.json) {
		str_addf(&out, "hunt %lld: %.12s is marked %s\n", (long long)h->id, oid, mark);
		term_print(&out);
		term_note("'culprit resume' goes on with it");
		return;
	}
	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "mark");
	json_out_int(&w, "hunt", h->id);
	json_out_text(&w, "commit", oid);
	json_out_text(&w, "mark", mark);
	json_out_close(&w);
	term_print(&out);
}

static int run(const struct mark_args *a, const struct strvec *args, struct err *e)
{
	static const char *const marks[] = { "good", "bad", "skip" };
	__attribute__((cleanup(opened_store_done))) struct store *st = NULL;
	AUTO(hunt_row) struct hunt_row h = { 0 };
	const char *mark = NULL;
	char oid[65];
	int r;

	for (size_t i = 0; args->n == 2 && i < ARRAY_LEN(marks); i++)
		if (!strcmp(args->v[1], marks[i]))
			mark = marks[i];
	if (!mark)
		return err_set(
			e, ERR_USAGE,
			"mark wants a commit and good, bad or skip: culprit mark HEAD~3 skip");
	r = storedir_open(a->common.store, STORE_WRITE, &st, e);
	if (r < 0 || (r = find_search(st, a->hunt, &h, e)) < 0 ||
	    (r = resolve(args->v[0], oid, e)) < 0 ||
	    (r = check_in_range(&h, args->v[0], oid, e)) < 0 ||
	    (r = check_no_end(&h, args->v[0], oid, e)) < 0 ||
	    (r = append(st, &h, oid, mark, e)) < 0)
		return r;
	say(a, &h, oid, mark);
	return 0;
}

int cmd_mark(int argc, const char *const *argv)
{
	struct mark_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status = CMD_OK;

	if (cmd_start(cmd_mark_options, &a, &a.common, argc, argv, &rest, &status) &&
	    run(&a, &rest.list, &e) < 0)
		status = cmd_fail(&e);
	common_opts_done(&a.common);
	return status;
}
