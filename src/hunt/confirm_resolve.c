/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what the user wrote to sides: which commit, against which parent, taken out how, from what, compared with what. Everything that git can
 * tell is asked here, before anything is built.
 */
#include "hunt/confirm_work.h"

#include "hunt/guesting.h"
#include "hunt/sides.h"
#include "repo/git.h"

#include <string.h>

/* --- the commit ------------------------------------------------------------------------------------------------- */

/* "COMMIT PARENT PARENT..." */
static int parents_of(struct confirm *c, struct strvec *ret, struct err *e)
{
	AUTO(str) struct str out = STR_INIT;
	int r = repo_git(c->s->repo, &out, e, "rev-list", "--no-walk", "--parents",
			 "--end-of-options", c->commit, NULL);

	for (char *p = out.p, *save = NULL; r == 0 && (p = strtok_r(p, " \n", &save)); p = NULL)
		strvec_add(ret, p);
	return r;
}

static int resolve_commit(struct confirm *c, struct err *e)
{
	const struct confirm_options *o = c->o;
	AUTO(strvec) struct strvec line = STRVEC_INIT;
	char oid[65];
	int r = repo_resolve(c->s->repo, o->commit, oid, e);

	if (r < 0)
		return r;
	c->commit = xstrdup(oid);
	if ((r = parents_of(c, &line, e)) < 0)
		return r;
	size_t parents = line.n - 1, against = o->parent ? o->parent : 1;

	if (o->parent > parents)
		return err_set(e, ERR_USAGE, "--mainline %u: %.12s has %zu parent%s", o->parent,
			       oid, parents, parents == 1 ? "" : "s");
	c->parent = parents ? xstrdup(line.v[against]) : NULL;
	strvec_addf(&c->reverted, parents > 1 && o->parent ? "%s,%u" : "%s", oid, o->parent);
	return 0;
}

static int resolve_others(struct confirm *c, struct err *e)
{
	char oid[65];
	int r = 0;

	for (const char *const *p = c->o->with; p && *p && r == 0; p++) {
		if ((r = repo_resolve(c->s->repo, *p, oid, e)) < 0)
			return err_wrap(e, "--with");
		if (!strcmp(oid, c->commit))
			return err_set(e, ERR_USAGE, "--with %s is the commit itself", *p);
		strvec_add(&c->reverted, oid);
	}
	return dependents_order(c->s->repo, &c->reverted, e);
}

/* --- the variants ----------------------------------------------------------------------------------------------- */

static int check_knob(const struct confirm *c, const char *knob, const struct variant *v,
		      struct err *e)
{
	enum change_kind kind = v->n_changes == 1 ? v->changes->kind : CHANGE_REVERT;

	if (kind != CHANGE_ENV && kind != CHANGE_CMDLINE && kind != CHANGE_SYSCTL &&
	    kind != CHANGE_CONFIG)
		return err_set(
			e, ERR_USAGE,
			"--knob wants env.NAME=VALUE, cmdline=WORDS, sysctl.NAME=VALUE or config=CONFIG_X=n, not '%s'",
			knob);
	if ((kind == CHANGE_CMDLINE || kind == CHANGE_SYSCTL) && !guesting(c->s))
		return err_set(
			e, ERR_USAGE,
			"--knob %s: programs run under this machine's own kernel here; --target exact sets it in a guest",
			knob);
	if (kind == CHANGE_CONFIG && !c->s->kbuild)
		return err_set(e, ERR_USAGE, "--knob %s: this is no kernel's source", knob);
	return 0;
}

static int put_knob(const struct confirm *c, const char *knob, struct str *out, struct err *e)
{
	static const char config[] = "config=CONFIG_";
	AUTO_FREE char *text = starts_with(knob, config)
				       ? xasprintf("config.%s", knob + strlen("config="))
				       : xstrdup(knob);
	AUTO_FREE char *whole = xasprintf("x:%s", text);
	struct variant v;
	int r = variant_scan(whole, &v, e);

	if (r < 0)
		return err_wrap(e, "--knob %s", knob);
	r = check_knob(c, knob, &v, e);
	variant_done(&v);
	str_addf(out, ":%s", text);
	return r;
}

/* BAD without the commit, as a variant's text behind `base`. */
static int put_fixed(const struct confirm *c, const char *base, bool for_people, struct str *out,
		     struct err *e)
{
	int r = 0;

	str_puts(out, base);
	if (c->o->patch)
		str_addf(out, ":patch=%s", c->o->patch);
	for (const char *const *p = c->o->knobs; p && *p && r == 0; p++)
		r = put_knob(c, *p, out, e);
	for (size_t i = 0; i < c->reverted.n && !strcmp(c->means, "revert"); i++)
		if (for_people)
			str_addf(out, ":revert=%.12s%s", c->reverted.v[i],
				 strchr(c->reverted.v[i], ',') ? strchr(c->reverted.v[i], ',')
							       : "");
		else
			str_addf(out, ":revert=%s", c->reverted.v[i]);
	return r;
}

/* GOOD with them: oldest first. */
static void put_picked(const struct confirm *c, const char *base, bool for_people, struct str *out)
{
	str_puts(out, base);
	for (size_t i = c->reverted.n; i-- > 0;)
		if (for_people)
			str_addf(out, ":pick=%.12s%s", c->reverted.v[i],
				 strchr(c->reverted.v[i], ',') ? strchr(c->reverted.v[i], ',')
							       : "");
		else
			str_addf(out, ":pick=%s", c->reverted.v[i]);
}

static int make_side(struct confirm *c, size_t i, const char *text, const char *label,
		     struct err *e)
{
	int r = side_parse(c->s, &c->duel, i, text, e);

	if (r < 0)
		return r;
	free(c->duel.sides[i].label);
	c->duel.sides[i].label = xstrdup(label);
	return 0;
}

static int make_ends(struct confirm *c, struct err *e)
{
	const struct confirm_options *o = c->o;
	AUTO_FREE char *good = NULL;
	int r;

	if (!o->good && !c->parent)
		return err_set(e, ERR_USAGE,
			       "%.12s is the first commit: it has no parent; say --good REV",
			       c->commit);
	c->good_source = o->good ? o->good_source : "parent";
	if (o->good) {
		r = side_parse_as(c->s, &c->duel, CONFIRM_GOOD, o->good, o->good_name, e);
	} else {
		good = o->parent > 1 ? xasprintf("%.12s^%u", c->commit, o->parent)
				     : xasprintf("%.12s^", c->commit);
		r = make_side(c, CONFIRM_GOOD, c->parent, good, e);
	}
	return r < 0 ? r : side_parse_as(c->s, &c->duel, CONFIRM_BAD, o->bad, o->bad_name, e);
}

static int make_fixed(struct confirm *c, struct err *e)
{
	AUTO(str) struct str text = STR_INIT, label = STR_INIT;
	int r = put_fixed(c, c->o->bad, false, &text, e);

	if (r < 0 || (r = put_fixed(c, c->duel.sides[CONFIRM_BAD].label, true, &label, e)) < 0)
		return r;
	return make_side(c, CONFIRM_FIXED, text.p, label.p, e);
}

/* No GOOD with the commit is no reason to stop. */
static int make_picked(struct confirm *c, struct err *e)
{
	AUTO(str) struct str text = STR_INIT, label = STR_INIT, why = STR_INIT;
	AUTO(refusal) struct refusal f = { .kind = REFUSAL_NONE };
	char tree[65];
	int r;

	put_picked(c, c->o->good ? c->o->good : c->parent, false, &text);
	put_picked(c, c->duel.sides[CONFIRM_GOOD].label, true, &label);
	if ((r = make_side(c, CONFIRM_PICKED, text.p, label.p, e)) < 0)
		return r;
	r = variant_try(c->s->repo, &c->duel.sides[CONFIRM_PICKED].variant, tree, &f, &why, e);
	if (r < 0 || f.kind == REFUSAL_NONE)
		return r;
	session_warn(c->s, "--both: %s", why.p);
	c->picked_why = str_take(&why);
	duel_drop(&c->duel, c->duel.n_sides - 1);
	return 0;
}

/* --- can it be taken out? ---------------------------------------------------------------------------------------- */

static int refuse(struct confirm *c, struct refusal *f, struct str *why, struct err *e)
{
	bool of_bad = f->change < c->duel.sides[CONFIRM_BAD].variant.n_changes;

	if (f->kind == REFUSAL_OTHER || c->o->patch || of_bad)
		return err_set(e, ERR_USAGE, "on %s: %s", c->duel.sides[CONFIRM_BAD].label, why->p);
	c->refusal.verdict = f->kind == REFUSAL_CONFLICT ? CONFIRM_CONFLICT : CONFIRM_EMPTY;
	c->refusal.why = str_take(why);
	c->refusal.paths = f->paths;
	f->paths = (struct strvec)STRVEC_INIT;
	return 0;
}

static int try_fixed(struct confirm *c, struct err *e)
{
	const struct variant *v = &c->duel.sides[CONFIRM_FIXED].variant;
	AUTO(refusal) struct refusal f = { .kind = REFUSAL_NONE };
	AUTO(str) struct str why = STR_INIT;
	char tree[65];
	int r;

	if (!v->oid || !strcmp(c->means, "knob"))
		return 0;
	r = variant_try(c->s->repo, v, tree, &f, &why, e);
	return r < 0 || f.kind == REFUSAL_NONE ? r : refuse(c, &f, &why, e);
}

/* A commit that BAD does not contain may be there under another name; most often it is a mistake. */
static int check_contained(struct confirm *c, struct err *e)
{
	const struct duel_side *bad = &c->duel.sides[CONFIRM_BAD];
	AUTO(str) struct str out = STR_INIT;
	int r;

	if (!bad->variant.oid)
		return 0;
	AUTO_FREE char *without = xasprintf("^%s", bad->variant.oid);

	r = repo_git(c->s->repo, &out, e, "rev-list", "-n", "1", c->commit, without, NULL);
	if (r == 0 && out.n)
		session_warn(c->s,
			     "%s does not contain %.12s; another commit may do the same there",
			     bad->label, c->commit);
	return r;
}

static int can_be_taken_out(struct confirm *c, struct err *e)
{
	int r = check_contained(c, e);

	if (r < 0 || (r = try_fixed(c, e)) < 0 || !c->o->both)
		return r;
	if (c->refusal.verdict == CONFIRM_UNDECIDED)
		return make_picked(c, e);
	duel_drop(&c->duel, c->duel.n_sides - 1);
	return 0;
}

static int check_options(const struct confirm_options *o, struct err *e)
{
	bool knobs = o->knobs && *o->knobs, with = o->with && *o->with;

	if (!o->commit && !knobs)
		return err_set(e, ERR_USAGE, "confirm wants a commit, or --knob");
	if (!o->commit && (o->both || o->relayout || o->patch || with || o->parent))
		return err_set(
			e, ERR_USAGE,
			"--mainline, --both, --relayout, --patch and --with are about a commit");
	if (!o->commit && !o->good)
		return err_set(e, ERR_USAGE,
			       "without a commit say what to compare with: --good REV");
	if ((knobs && o->patch) || ((knobs || o->patch) && with))
		return err_set(
			e, ERR_USAGE,
			"--patch, --knob and --with are three ways to take a commit out: give one of them");
	if (!o->bad)
		return err_set(
			e, ERR_USAGE,
			"on which revision? no search in this store has named %s, so say --on BAD",
			o->commit ? o->commit : "one");
	return 0;
}

int confirm_resolve(struct confirm *c, struct err *e)
{
	const struct confirm_options *o = c->o;
	int r = check_options(o, e);

	if (r < 0)
		return r;
	c->fix = o->fix;
	c->means = o->patch ? "patch" : o->knobs && *o->knobs ? "knob" : "revert";
	if (o->commit && ((r = resolve_commit(c, e)) < 0 || (r = resolve_others(c, e)) < 0))
		return r;
	if (o->relayout && !c->parent)
		return err_set(e, ERR_USAGE, "--relayout: %.12s is the first commit", c->commit);
	duel_init(&c->duel, o->both ? 4 : 3, o->alpha, o->margin);
	if ((r = make_ends(c, e)) < 0 || (r = make_fixed(c, e)) < 0)
		return r;
	if (c->commit && (r = can_be_taken_out(c, e)) < 0)
		return r;
	if (o->relayout)
		confirm_relaid_sides(c);
	return 0;
}

int confirm_explain_refusal(struct confirm *c, struct err *e)
{
	const char *bad = c->duel.sides[CONFIRM_BAD].variant.oid;
	AUTO(str) struct str out = STR_INIT;
	AUTO_FREE char *says = NULL, *since = NULL;
	int r;

	if (c->refusal.verdict == CONFIRM_CONFLICT)
		return dependents_find(c->s->repo, bad, &c->reverted, &c->refusal.paths,
				       &c->refusal.dependents, e);
	says = xasprintf("--grep=This reverts commit %s", c->commit);
	since = xasprintf("^%s", c->commit);
	r = repo_git(c->s->repo, &out, e, "rev-list", "-n", "1", "-F", says, bad, since, NULL);
	str_trim_end(&out);
	if (r == 0 && git_is_oid(out.p))
		c->refusal.undone_by = str_take(&out);
	return r;
}
