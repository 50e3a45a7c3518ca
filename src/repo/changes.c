/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree of a variant, without a checkout: `git merge-tree --write-tree` (git's own merge, with renames) for revert= and pick=,
 * a scratch index for patch=.
 *
 * merge-tree learnt `--merge-base` only in 2.40; so that 2.38 does, the three sides are given as commits whose history says what the
 * base is. To take C away from a tree T: base is C itself, our side a commit of T on top of C, their side a commit of C's
 * parent's tree on top of C. To add C: base is C's parent, our side a commit of T on top of that parent, their side C. The commits stay
 * behind as loose objects that nothing names, some hundred bytes each, in culprit's own repository.
 *
 * A change that changes nothing is refused: "confirmed by revert" must not compare a tree with itself.
 */
#include "repo/variant.h"

#include "repo/place.h"
#include "repo/repo.h"
#include "repo/worktree.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The tree as far as it has come. */
struct making {
	struct repo *r;
	int64_t date;
	bool ok;
	char tree[65];
	struct str *why;
	struct refusal *refusal;
};

void refusal_done(struct refusal *f)
{
	strvec_done(&f->paths);
	*f = (struct refusal){ .kind = REFUSAL_NONE };
}

static int refuse(struct making *m, enum refusal_kind kind)
{
	m->ok = false;
	m->refusal->kind = kind;
	return 0;
}

static struct git_at at_store(const struct making *m)
{
	struct git_at at = repo_store_at(m->r);

	at.date = m->date;
	return at;
}

/* Takes the object name that is all of the output. */
static int take_oid(struct git_result *g, const char *what, char ret[65], struct err *e)
{
	str_trim_end(&g->out);
	if (!git_is_oid(g->out.p))
		return err_set(e, ERR_ENV, "git %s answered '%s'", what, g->out.p);
	memcpy(ret, g->out.p, g->out.n + 1);
	return 0;
}

static int make_commit(const struct making *m, const char *tree, const char *parent, char ret[65],
		       struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	struct git_at at = at_store(m);
	int n = git_check(
		&at,
		parent ? GIT_ARGS("commit-tree", "-m", "one side of a merge", "-p", parent, tree)
		       : GIT_ARGS("commit-tree", "-m", "one side of a merge", tree),
		&g, e);

	return n < 0 ? n : take_oid(&g, "commit-tree", ret, e);
}

/* "in a.c, b.c and 3 more" from the conflicting paths, 0 after each; all of them, as they are, to *ret. */
static void take_paths(struct str *why, const char *p, const char *end, struct strvec *ret)
{
	unsigned shown = 0, more = 0;

	for (; p < end && *p; p += strlen(p) + 1) {
		AUTO_FREE char *name = xstrdup(p);

		strvec_add(ret, p);
		repo_clean_text(name);
		if (shown < 5)
			str_addf(why, "%s%s", shown++ ? ", " : " in ", name);
		else
			more++;
	}
	if (more)
		str_addf(why, " and %u more", more);
}

/* Merges the two sides into m->tree. `doing` starts the reason: "reverting 44042b449872". */
static int merge(struct making *m, const char *doing, const char *ours, const char *theirs,
		 struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	struct git_at at = at_store(m);
	int n = git_run(&at,
			GIT_ARGS("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages",
				 "--allow-unrelated-histories", ours, theirs),
			&g, e);

	if (n < 0)
		return n;
	if (g.status > 1 || !git_is_oid(g.out.p)) {
		if (worktree_machine_failed(g.err.p))
			return err_set(e, ERR_ENV, "%s: git: %s", doing, git_reason(&g));
		str_addf(m->why, "%s failed: %s", doing, git_reason(&g));
		return refuse(m, REFUSAL_OTHER);
	}
	if (g.status == 1) {
		str_addf(m->why, "%s conflicts", doing);
		take_paths(m->why, g.out.p + strlen(g.out.p) + 1, g.out.p + g.out.n,
			   &m->refusal->paths);
		return refuse(m, REFUSAL_CONFLICT);
	}
	if (!strcmp(g.out.p, m->tree)) {
		str_addf(m->why, "%s changes nothing", doing);
		return refuse(m, REFUSAL_EMPTY);
	}
	memcpy(m->tree, g.out.p, strlen(g.out.p) + 1);
	return 0;
}

static int parents_of(struct making *m, const char *oid, unsigned *ret, struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	struct git_at at = at_store(m);
	int n = git_check(&at,
			  GIT_ARGS("rev-list", "--no-walk", "--parents", "--end-of-options", oid),
			  &g, e);
	unsigned spaces = 0;

	if (n < 0)
		return n;
	for (const char *p = g.out.p; *p; p++)
		spaces += *p == ' ';
	*ret = spaces;
	return 0;
}

/* The sides' commits are younger than all that they touch, so that git finds their base at once. */
static int later_date(struct making *m, const char *oid, struct err *e)
{
	struct commit_info c;
	int n = repo_commit(m->r, oid, &c, e);

	if (n == 0 && c.time >= m->date)
		m->date = c.time + 1;
	return n;
}

static int apply_commit(struct making *m, const struct change *c, struct err *e)
{
	AUTO_FREE char *doing =
		xasprintf("%s %.12s", c->kind == CHANGE_REVERT ? "reverting" : "picking", c->value);
	unsigned against = c->parent ? c->parent : 1;
	AUTO_FREE char *parent = xasprintf("%s^%u", c->value, against);
	AUTO_FREE char *parent_tree = xasprintf("%s^%u^{tree}", c->value, against);
	char ours[65], theirs[65];
	unsigned parents;
	int n;

	if ((n = later_date(m, c->value, e)) < 0 || (n = parents_of(m, c->value, &parents, e)) < 0)
		return n;
	if (!parents && m->r->shallow) {
		str_addf(m->why, "%s: its parent is beyond the cut of this shallow clone", doing);
		return refuse(m, REFUSAL_OTHER);
	}
	if (c->parent > parents) {
		str_addf(m->why, "%s against parent %u: it has %u", doing, c->parent, parents);
		return refuse(m, REFUSAL_OTHER);
	}
	if (c->kind == CHANGE_PICK) {
		n = make_commit(m, m->tree, parents ? parent : NULL, ours, e);
		snprintf(theirs, sizeof(theirs), "%s", c->value);
	} else {
		n = make_commit(m, m->tree, c->value, ours, e);
		if (n == 0)
			n = make_commit(m, parents ? parent_tree : repo_empty_tree(m->r), c->value,
					theirs, e);
	}
	if (n < 0)
		return n;
	n = merge(m, doing, ours, theirs, e);
	if (n == 0 && m->ok && parents > 1 && !c->parent)
		str_addf(m->why, "%s%s, a merge, against its first parent", m->why->n ? "; " : "",
			 doing);
	return n;
}

/* The reasons that `git apply` gives, "patch failed: a.c:12" and the like, in one line. */
static void put_apply_reasons(struct str *why, const struct git_result *g)
{
	unsigned shown = 0;

	for (const char *p = g->err.p; *p && shown < 4;) {
		size_t n = strcspn(p, "\n");
		AUTO_FREE char *line = xstrndup(p, n);

		repo_clean_text(line);
		if (starts_with(line, "error: ") && !strstr(line, "patch does not apply"))
			str_addf(why, "%s%s", shown++ ? ", " : ": ", line + strlen("error: "));
		p += n + (p[n] == '\n');
	}
}

/* 1 if the patch can be taken out of the tree. */
static int is_there_already(struct making *m, const struct git_at *feed, struct err *e)
{
	AUTO(git_result) struct git_result check = GIT_RESULT_INIT;
	int n = git_check(feed, GIT_ARGS("read-tree", m->tree), &check, e);

	if (n < 0)
		return n;
	n = git_run(feed, GIT_ARGS("apply", "--cached", "--reverse", "--check", "-"), &check, e);
	return n < 0 ? n : !check.status;
}

static int apply_in_index(struct making *m, const struct change *c, const struct git_at *at,
			  struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT, again = GIT_RESULT_INIT;
	struct git_at feed = *at;
	char tree[65];
	int n;

	feed.stdin_bytes = c->patch;
	feed.stdin_n = c->patch_n;
	if ((n = git_check(at, GIT_ARGS("read-tree", m->tree), &g, e)) < 0 ||
	    (n = git_run(&feed, GIT_ARGS("apply", "--cached", "--whitespace=nowarn", "-"), &g, e)) <
		    0)
		return n;
	if (g.status) {
		/* Around the place where it was made the file may have changed; its own blobs may tell the way. */
		if ((n = git_check(at, GIT_ARGS("read-tree", m->tree), &again, e)) < 0 ||
		    (n = git_run(
			     &feed,
			     GIT_ARGS("apply", "--cached", "--3way", "--whitespace=nowarn", "-"),
			     &again, e)) < 0)
			return n;
		if (again.status && worktree_machine_failed(again.err.p))
			return err_set(e, ERR_ENV, "applying a patch: git: %s", git_reason(&again));
		if (again.status && (n = is_there_already(m, &feed, e)) != 0) {
			str_addf(m->why, "patch %s changes nothing: all of it is there already",
				 c->key);
			return n < 0 ? n : refuse(m, REFUSAL_EMPTY);
		}
		if (again.status) {
			str_addf(m->why, "patch %s does not apply", c->key);
			put_apply_reasons(m->why, &g);
			return refuse(m, REFUSAL_OTHER);
		}
	}
	if ((n = git_check(at, GIT_ARGS("write-tree"), &g, e)) < 0 ||
	    (n = take_oid(&g, "write-tree", tree, e)) < 0)
		return n;
	if (!strcmp(tree, m->tree)) {
		str_addf(m->why, "patch %s changes nothing", c->key);
		return refuse(m, REFUSAL_EMPTY);
	}
	memcpy(m->tree, tree, sizeof(tree));
	return 0;
}

static int apply_patch(struct making *m, const struct change *c, struct err *e)
{
	AUTO_FREE char *index = xasprintf("%s/scratch-index-%ld-%u", m->r->store_git,
					  (long)getpid(), m->r->scratch++);
	struct git_at at = at_store(m);
	int n;

	at.index = index;
	n = apply_in_index(m, c, &at, e);
	unlink(index);
	return n;
}

int variant_try(struct repo *r, const struct variant *v, char ret_tree[65],
		struct refusal *ret_refusal, struct str *why, struct err *e)
{
	AUTO(refusal) struct refusal refusal = { .kind = REFUSAL_NONE };
	struct making m = { .r = r, .ok = true, .why = why, .refusal = &refusal };
	struct commit_info c;
	int n;

	if (!v->oid)
		return err_set(e, ERR_USAGE, "'%s' is an artefact: it has no tree", v->text);
	n = repo_commit(r, v->oid, &c, e);
	if (n < 0)
		return n;
	m.date = c.time + 1;
	snprintf(m.tree, sizeof(m.tree), "%s", c.tree);
	for (size_t i = 0; n == 0 && m.ok && i < v->n_changes; i++) {
		enum change_kind kind = v->changes[i].kind;

		refusal.change = i;
		if (kind == CHANGE_REVERT || kind == CHANGE_PICK)
			n = apply_commit(&m, &v->changes[i], e);
		else if (kind == CHANGE_PATCH)
			n = apply_patch(&m, &v->changes[i], e);
	}
	if (n < 0)
		return n;
	if (m.ok)
		memcpy(ret_tree, m.tree, sizeof(m.tree));
	*ret_refusal = refusal;
	refusal = (struct refusal){ .kind = REFUSAL_NONE };
	return 0;
}

int variant_tree(struct repo *r, const struct variant *v, bool *ret_ok, char ret_tree[65],
		 struct str *why, struct err *e)
{
	AUTO(refusal) struct refusal refusal = { .kind = REFUSAL_NONE };
	int n = variant_try(r, v, ret_tree, &refusal, why, e);

	if (n == 0)
		*ret_ok = refusal.kind == REFUSAL_NONE;
	return n;
}
