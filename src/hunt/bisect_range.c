/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The range of a search and its prior: which commits are candidates, whom the user suspects, and which commits touch
 * nothing that the builds of the two ends read.
 */
#include "hunt/bisect.h"

#include "hunt/prior.h"
#include "hunt/releases.h"

#include <string.h>

static int suspect_one(struct bisect *b, struct touched *t, bool *have_touched, const char *what,
		       struct err *e)
{
	struct err missing = ERR_INIT;
	char oid[65];
	uint32_t node;
	int r;

	if (repo_resolve(b->s->repo, what, oid, &missing) == 0) {
		if ((r = bisect_node(b, oid, &node, e)) < 0)
			return err_set(e, ERR_USAGE, "--suspect %s: the commit is not in the range",
				       what);
		b->range.g.weight[node] *= PRIOR_SUSPECT;
		return 0;
	}
	if (!*have_touched) {
		if ((r = range_touched(b->s->repo, &b->range, t, e)) < 0)
			return r;
		*have_touched = true;
	}
	if (!prior_suspect_path(&b->range, t, what))
		return err_set(
			e, ERR_USAGE,
			"--suspect %s: neither a commit nor a path that a commit of the range touches",
			what);
	return 0;
}

static int apply_suspects(struct bisect *b, struct err *e)
{
	struct touched t = { 0 };
	bool have = false;
	int r = 0;

	for (const char *const *p = b->o->suspects; p && *p && r == 0; p++)
		r = suspect_one(b, &t, &have, *p, e);
	touched_done(&t);
	return r;
}

static int load_releases(struct bisect *b, struct err *e)
{
	AUTO(strvec) struct strvec list = STRVEC_INIT;
	int r = releases_list(b->o->over, &list, e);

	if (r == 0)
		r = releases_range(&list, bisect_old_rev(b->o), bisect_new_rev(b->o), &b->range, e);
	if (r < 0)
		return r;
	b->cannot_matter = xcalloc(b->range.g.n, 1);
	b->end_names[0] = releases_short(b->range.good_oid);
	b->end_names[1] = releases_short(b->range.bad_oid);
	b->own = *b->o;
	b->own.good = b->end_names[b->fix];
	b->own.bad = b->end_names[!b->fix];
	b->o = &b->own;
	return 0;
}

int bisect_load_range(struct bisect *b, struct err *e)
{
	struct session *s = b->s;
	char old_oid[65], new_oid[65];
	int r;

	if (b->o->over)
		return load_releases(b, e);
	if ((r = repo_resolve(s->repo, bisect_old_rev(b->o), old_oid, e)) < 0 ||
	    (r = repo_resolve(s->repo, bisect_new_rev(b->o), new_oid, e)) < 0)
		return r;
	r = range_load(s->repo, old_oid, new_oid, b->o->first_parent ? RANGE_FIRST_PARENT : 0,
		       b->o->paths, &b->range, e);
	if (r < 0)
		return r;
	if (b->range.swapped)
		return err_set(e, ERR_USAGE, "%s comes after %s; the order is %s",
			       bisect_old_rev(b->o), bisect_new_rev(b->o),
			       b->o->fix ? "bisect --fix BAD GOOD, with GOOD the later one"
					 : "bisect GOOD BAD, with GOOD the earlier one");
	if (!b->range.good_is_ancestor)
		session_warn(
			s, "%s is not an ancestor of %s: searching from their merge base %.12s",
			bisect_old_rev(b->o), bisect_new_rev(b->o), b->range.oid[b->range.g.good]);
	b->cannot_matter = xcalloc(b->range.g.n, 1);
	return apply_suspects(b, e);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * What the build read, and "!path" for every tracked file that it did not: the form that prior.c wants. Not for submodules: whose files were
 * read is not seen from here, so a commit that moves one may matter.
 */
static int combine_inputs(struct bisect *b, const char *oid, char **read, struct strvec *ret,
			  struct err *e)
{
	AUTO(str) struct str out = STR_INIT_MAX(256 << 20);
	size_t n = 0;
	int r = repo_git(b->s->repo, &out, e, "ls-tree", "-r", "-z",
			 "--format=%(objecttype) %(path)", oid, NULL);

	if (r < 0)
		return r;
	for (; read[n]; n++)
		strvec_add(ret, read[n]);
	for (const char *p = out.p; p < out.p + out.n; p += strlen(p) + 1) {
		const char *path = strchr(p, ' ') + 1;

		if (starts_with(p, "blob ") &&
		    (!n || !bsearch(&path, read, n, sizeof(*read), by_text)))
			strvec_addf(ret, "!%s", path);
	}
	qsort(ret->v, ret->n, sizeof(*ret->v), by_text);
	return 0;
}

int bisect_learn_weights(struct bisect *b, struct mbuild *old, struct mbuild *new,
			 struct str *ret_note, struct err *e)
{
	struct session *s = b->s;
	struct strvec lists[2] = { STRVEC_INIT, STRVEC_INIT };
	struct mbuild *ends[2] = { old, new };
	uint32_t nodes[2] = { b->range.g.good, b->range.g.bad };
	char **inputs[2];
	size_t n = 0;
	struct touched touched = { 0 };
	int r = b->o->over ? 0 : range_touched(s->repo, &b->range, &touched, e);

	for (size_t i = 0; i < 2 && r == 0; i++)
		if (ends[i]->inputs) {
			r = combine_inputs(b, b->range.oid[nodes[i]], ends[i]->inputs, &lists[n],
					   e);
			inputs[n] = lists[n].v;
			n++;
		}
	/* one end alone cannot speak for the other's files */
	if (r == 0 && !b->o->over)
		prior_from_inputs(&b->range, &touched, inputs, n == 2 ? 2 : 0,
				  s->config.project.inputs, b->cannot_matter);
	if (r == 0) {
		prior_write(b->cannot_matter, b->range.g.n, ret_note);
		r = store_note(s->store, s->hunt, ret_note->p, e);
	}
	strvec_done(&lists[0]);
	strvec_done(&lists[1]);
	touched_done(&touched);
	return r;
}
