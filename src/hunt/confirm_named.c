/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search that named a commit, from the journal: its ends are what a confirmation compares, and how it measured is how that should, too.
 */
#include "hunt/confirm.h"

#include "text/json.h"

#include <string.h>

void confirm_named_done(struct confirm_named *n)
{
	free(n->culprit);
	free(n->good);
	free(n->bad);
	free(n->good_name);
	free(n->bad_name);
	free(n->benchmark);
	free(n->metric);
	strvec_done(&n->argv);
	*n = (struct confirm_named){ 0 };
}

static bool is_text(const struct json *v, const char *path, const char *wanted)
{
	const char *text = json_to_text(v, path);

	return text && !strcmp(text, wanted);
}

/* Does the answer name the commit (any, if oid is NULL) in a history of commits? */
static bool names(const struct json *answer, const char *oid)
{
	const char *culprit = json_to_text(answer, "culprit");

	return culprit && is_text(answer, "verdict", "named") &&
	       !is_text(answer, "kind", "release") && (!oid || !strcmp(oid, culprit)) &&
	       json_to_text(answer, "old.commit") && json_to_text(answer, "new.commit");
}

static int take(struct store *st, int64_t hunt, const struct json *answer,
		struct confirm_named *ret, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	AUTO_FREE char *cwd = NULL;
	int r = store_observations(st, hunt, &obs, e);

	if (r < 0)
		return r;
	*ret = (struct confirm_named){
		.hunt = hunt,
		.culprit = json_copy_text(answer, "culprit"),
		.good = json_copy_text(answer, "old.commit"),
		.bad = json_copy_text(answer, "new.commit"),
		.good_name = json_copy_text(answer, "old.name"),
		.bad_name = json_copy_text(answer, "new.name"),
		.benchmark = json_copy_text(answer, "benchmark"),
		.metric = json_copy_text(answer, "metric"),
		.fix = is_text(answer, "direction", "fix"),
	};
	session_command(&obs, &ret->argv, &cwd);
	return 0;
}

int confirm_find_named(struct store *st, const char *oid, struct confirm_named *ret, struct err *e)
{
	AUTO(hunt_rows) struct hunt_rows hunts = { 0 };
	int r = store_hunts(st, &hunts, e);

	for (size_t i = 0; i < hunts.n && r == 0; i++) {
		const struct hunt_row *h = &hunts.v[i];
		__attribute__((cleanup(json_root_done))) struct json *answer = NULL;

		if (strcmp(h->kind, "bisect") || strcmp(h->status, "answered") || !h->answer ||
		    json_parse(h->answer, strlen(h->answer), "an answer", &answer, NULL) < 0)
			continue;
		if (names(answer, oid))
			return take(st, h->id, answer, ret, e);
		if (!oid)
			return err_set(
				e, ERR_MISSING,
				"hunt %lld, the last search, named no commit: say which to confirm",
				(long long)h->id);
	}
	return r < 0 ? r
		     : err_set(e, ERR_MISSING, "no search in this store has named %s",
			       oid ? oid : "a commit");
}
