/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commits that touch the conflicting paths are tried as places to revert on, oldest first by a binary search: the first on which the revert
 * conflicts, and did not on the one before it, is in the way. It joins the set, which then is tried on `on` again. What comes out is therefore
 * not a guess: a complete set was seen to revert cleanly. Asking git blame was refused: it names the last commit that touched a line, not all of
 * them, and touching the line is not what makes a conflict (lines beside it do, too).
 *
 * On a line of commits a conflict once there mostly stays; where it does not, the one that is found is in the way all the same, if not the first.
 */
#include "repo/dependents.h"

#include "repo/repo.h"
#include "repo/variant.h"

#include <string.h>

enum { DEPENDENTS_MAX = 12 };

void dependents_done(struct dependents *d)
{
	strvec_done(&d->commits);
}

/* Without ",N". The caller frees. */
static char *name_of(const char *commit)
{
	return xstrndup(commit, strcspn(commit, ","));
}

static unsigned parent_of(const char *commit)
{
	const char *comma = strchr(commit, ',');

	return comma ? (unsigned)strtoul(comma + 1, NULL, 10) : 0;
}

/* git rev-list's output as a list. */
static int list_commits(struct repo *r, const char *const *args, struct strvec *ret, struct err *e)
{
	AUTO(str) struct str out = STR_INIT_MAX(256 << 20);
	int n = repo_git_args(r, args, &out, e);

	for (const char *p = out.p; n == 0 && p && *p;) {
		size_t len = strcspn(p, "\n");

		strvec_take(ret, xstrndup(p, len));
		p += len + (p[len] == '\n');
	}
	return n;
}

/* Is `commit` (with ",N" or not) the one of this name? */
static bool is_named(const char *commit, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(commit, name, n) && (commit[n] == '\0' || commit[n] == ',');
}

int dependents_order(struct repo *r, struct strvec *commits, struct err *e)
{
	AUTO(strvec) struct strvec args = STRVEC_INIT, bases = STRVEC_INIT, order = STRVEC_INIT;
	struct strvec sorted = STRVEC_INIT;
	int n;

	if (commits->n < 2)
		return 0;
	strvec_add(&args, "merge-base");
	strvec_add(&args, "--octopus");
	for (size_t i = 0; i < commits->n; i++)
		strvec_take(&args, name_of(commits->v[i]));
	if ((n = list_commits(r, (const char *const *)args.v, &bases, e)) < 0)
		return n;
	free(args.v[0]);
	free(args.v[1]);
	args.v[0] = xstrdup("rev-list");
	args.v[1] = xstrdup("--topo-order");
	strvec_add(&args, "--not");
	for (size_t i = 0; i < bases.n; i++)
		strvec_addf(&args, "%s^@", bases.v[i]);
	if ((n = list_commits(r, (const char *const *)args.v, &order, e)) < 0)
		return n;
	for (size_t i = 0; i < order.n; i++)
		for (size_t k = 0; k < commits->n; k++)
			if (is_named(commits->v[k], order.v[i]))
				strvec_add(&sorted, commits->v[k]);
	strvec_done(commits);
	*commits = sorted;
	return 0;
}

/* --- what is in the way ------------------------------------------------------------------------------------------ */

struct seeking {
	struct repo *r;
	const char *on;
	struct strvec paths; /* of all conflicts so far */
	struct strvec set;   /* to revert, newest first */
	struct strvec later; /* commits that touch the paths, oldest first */
};

static int64_t place_of(const struct seeking *k, const char *commit)
{
	AUTO_FREE char *name = name_of(commit);

	for (size_t i = 0; i < k->later.n; i++)
		if (!strcmp(k->later.v[i], name))
			return (int64_t)i;
	return -1;
}

/* Those of the set that are at `place` of the list or before it, reverted on `on`. */
static int try_on(const struct seeking *k, const char *on, int64_t place, struct refusal *ret,
		  struct err *e)
{
	struct variant v;
	AUTO(str) struct str why = STR_INIT;
	char tree[65];
	int n;

	variant_of_commit(on, &v);
	v.changes = xcalloc(k->set.n, sizeof(*v.changes));
	for (size_t i = 0; i < k->set.n; i++)
		if (place_of(k, k->set.v[i]) <= place)
			v.changes[v.n_changes++] =
				(struct change){ .kind = CHANGE_REVERT,
						 .value = name_of(k->set.v[i]),
						 .parent = parent_of(k->set.v[i]) };
	n = variant_try(k->r, &v, tree, ret, &why, e);
	variant_done(&v);
	return n;
}

static int conflicts_at(const struct seeking *k, size_t place, bool *ret, struct err *e)
{
	AUTO(refusal) struct refusal f = { .kind = REFUSAL_NONE };
	int n = try_on(k, k->later.v[place], (int64_t)place, &f, e);

	*ret = f.kind == REFUSAL_CONFLICT;
	return n;
}

/* The commits after the oldest of the set that touch the paths. */
static int list_later(struct seeking *k, struct err *e)
{
	AUTO(strvec) struct strvec args = STRVEC_INIT;
	AUTO_FREE char *oldest = name_of(k->set.v[k->set.n - 1]);

	strvec_done(&k->later);
	strvec_add(&args, "rev-list");
	strvec_add(&args, "--topo-order");
	strvec_add(&args, "--reverse");
	strvec_add(&args, "--no-merges");
	strvec_add(&args, k->on);
	strvec_addf(&args, "^%s", oldest);
	strvec_add(&args, "--");
	for (size_t i = 0; i < k->paths.n; i++)
		strvec_addf(&args, ":(top,literal)%s", k->paths.v[i]);
	return list_commits(k->r, (const char *const *)args.v, &k->later, e);
}

/* The first place at which the revert conflicts; -1 if it does not even at the last. */
static int first_conflict(const struct seeking *k, int64_t *ret, struct err *e)
{
	int64_t clean = -1, conflicting = (int64_t)k->later.n - 1;
	bool conflicts = false;
	int n = k->later.n ? conflicts_at(k, k->later.n - 1, &conflicts, e) : 0;

	*ret = -1;
	if (n < 0 || !conflicts)
		return n;
	while (conflicting - clean > 1) {
		int64_t middle = clean + (conflicting - clean) / 2;

		if ((n = conflicts_at(k, (size_t)middle, &conflicts, e)) < 0)
			return n;
		if (conflicts)
			conflicting = middle;
		else
			clean = middle;
	}
	*ret = conflicting;
	return 0;
}

static void add_paths(struct seeking *k, const struct strvec *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		size_t at = 0;

		while (at < k->paths.n && strcmp(k->paths.v[at], paths->v[i]))
			at++;
		if (at == k->paths.n)
			strvec_add(&k->paths, paths->v[i]);
	}
}

static bool is_in_set(const struct seeking *k, const char *name)
{
	for (size_t i = 0; i < k->set.n; i++)
		if (is_named(k->set.v[i], name))
			return true;
	return false;
}

static int join(struct seeking *k, const char *commit, struct dependents *ret, struct err *e)
{
	int n;

	strvec_add(&k->set, commit);
	strvec_add(&ret->commits, commit);
	if ((n = dependents_order(k->r, &k->set, e)) < 0)
		return n;
	return dependents_order(k->r, &ret->commits, e);
}

static int seek(struct seeking *k, struct dependents *ret, struct err *e)
{
	while (ret->commits.n < DEPENDENTS_MAX) {
		AUTO(refusal) struct refusal f = { .kind = REFUSAL_NONE };
		int64_t place;
		int n;

		if ((n = list_later(k, e)) < 0 || (n = first_conflict(k, &place, e)) < 0)
			return n;
		if (place < 0 || is_in_set(k, k->later.v[place]))
			return 0;
		if ((n = join(k, k->later.v[place], ret, e)) < 0 ||
		    (n = try_on(k, k->on, INT64_MAX, &f, e)) < 0)
			return n;
		ret->complete = f.kind == REFUSAL_NONE;
		if (f.kind != REFUSAL_CONFLICT)
			return 0;
		add_paths(k, &f.paths);
	}
	return 0;
}

int dependents_find(struct repo *r, const char *on, const struct strvec *commits,
		    const struct strvec *paths, struct dependents *ret, struct err *e)
{
	struct seeking k = { .r = r, .on = on };
	struct dependents found = { .complete = false };
	int n;

	for (size_t i = 0; i < commits->n; i++)
		strvec_add(&k.set, commits->v[i]);
	add_paths(&k, paths);
	n = seek(&k, &found, e);
	strvec_done(&k.set);
	strvec_done(&k.paths);
	strvec_done(&k.later);
	if (n < 0)
		dependents_done(&found);
	else
		*ret = found;
	return n;
}
