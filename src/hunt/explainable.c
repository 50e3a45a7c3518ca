/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt/explainable.h"

#include "hunt/session.h"
#include "repo/dag.h"
#include "text/json.h"

#include <string.h>

void explainable_done(struct explainable *x)
{
	free(x->before);
	free(x->after);
	free(x->cwd);
	strvec_done(&x->argv);
	*x = (struct explainable){ 0 };
}

static bool names_culprit(const struct hunt_row *h)
{
	__attribute__((cleanup(json_root_done))) struct json *answer = NULL;

	return !strcmp(h->kind, "bisect") && h->answer &&
	       json_parse(h->answer, strlen(h->answer), "the answer", &answer, NULL) == 0 &&
	       json_to_text(answer, "culprit");
}

static int newest(struct store *st, int64_t *ret, struct err *e)
{
	AUTO(hunt_rows) struct hunt_rows all = { 0 };
	int r = store_hunts(st, &all, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < all.n; i++)
		if (names_culprit(&all.v[i])) {
			*ret = all.v[i].id;
			return 0;
		}
	return err_set(
		e, ERR_USAGE,
		"no search here has named a culprit yet; give two variants: culprit explain A B");
}

/* The culprit's first parent in the range that was searched: a commit or the release before. */
static int parent_of(const struct hunt_row *h, const char *culprit, char **ret, struct err *e)
{
	struct range range = { .swapped = false };
	int r = h->graph ? range_parse(h->graph, &range, e)
			 : err_set(e, ERR_BROKEN, "hunt %lld has no range in the journal",
				   (long long)h->id);
	int64_t node = r == 0 ? range_find(&range, culprit) : -1;

	if (r == 0 && (node < 0 || range.g.parent_start[node] == range.g.parent_start[node + 1]))
		r = err_set(e, ERR_BROKEN, "the culprit of hunt %lld is not in its range",
			    (long long)h->id);
	if (r == 0)
		*ret = xstrdup(range.oid[range.g.parents[range.g.parent_start[node]]]);
	range_done(&range);
	return r;
}

static int sides_of(const struct hunt_row *h, struct explainable *ret, struct err *e)
{
	__attribute__((cleanup(json_root_done))) struct json *answer = NULL;
	const char *culprit, *a, *b;

	if (!h->answer || json_parse(h->answer, strlen(h->answer), "the answer", &answer, e) < 0)
		return err_set(e, ERR_USAGE, "hunt %lld has no answer yet to explain",
			       (long long)h->id);
	culprit = json_to_text(answer, "culprit");
	a = json_to_text(answer, "variants[0]");
	b = json_to_text(answer, "variants[1]");
	if (!strcmp(h->kind, "bisect") && culprit) {
		ret->after = xstrdup(culprit);
		return parent_of(h, culprit, &ret->before, e);
	}
	if ((strcmp(h->kind, "compare") && strcmp(h->kind, "explain")) || !a || !b)
		return err_set(
			e, ERR_USAGE,
			"hunt %lld (%s) leaves no two sides to explain: give the two variants",
			(long long)h->id, h->kind);
	ret->before = xstrdup(a);
	ret->after = xstrdup(b);
	return 0;
}

int explainable_find(struct store *st, int64_t hunt, struct explainable *ret, struct err *e)
{
	AUTO(hunt_row) struct hunt_row row = { 0 };
	AUTO(observations) struct observations obs = { 0 };
	AUTO(explainable) struct explainable x = { 0 };
	int r = hunt ? 0 : newest(st, &hunt, e);

	if (r < 0 || (r = store_hunt_get(st, hunt, &row, e)) < 0 ||
	    (r = sides_of(&row, &x, e)) < 0 || (r = store_observations(st, hunt, &obs, e)) < 0)
		return r;
	x.hunt = hunt;
	if (!session_command(&obs, &x.argv, &x.cwd))
		return err_set(e, ERR_USAGE,
			       "hunt %lld does not say how it was begun; give the two variants",
			       (long long)hunt);
	*ret = x;
	x = (struct explainable){ 0 };
	return 0;
}
