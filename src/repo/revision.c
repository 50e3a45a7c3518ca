/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repo_resolve: a revision as a person wrote it becomes the full name of one commit, or one line says why not.
 *
 * git's rev-parse does the reading, in the user's repository. It is asked twice: once for the text as it stands, once for the commit
 * behind what came out (a tag is peeled). One question "TEXT^{commit}" would not do, since in ":/text" the suffix would belong to the text.
 *
 * Where git only warns (a name that is a branch and a tag) and would take one of the two, we refuse unless both mean the same
 * commit: a search over hours should not start from a guess.
 */
#include "repo/repo.h"

#include "repo/place.h"

#include <ctype.h>
#include <string.h>

/* Whether rev-parse knows `text`; its answer is in g. */
static int ask(struct repo *r, const char *text, struct git_result *g, struct err *e)
{
	struct git_at at = repo_user_at(r);

	return git_run(&at, GIT_ARGS("rev-parse", "--verify", "--end-of-options", text), g, e);
}

/* The commit behind an object, or what it is instead. */
static int peel(struct repo *r, const char *rev, const char *object, char ret_oid[65],
		struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	AUTO_FREE char *commit = xasprintf("%s^{commit}", object);
	struct git_at at = repo_user_at(r);
	int n = ask(r, commit, &g, e);

	if (n < 0)
		return n;
	str_trim_end(&g.out);
	if (!g.status && git_is_oid(g.out.p)) {
		memcpy(ret_oid, g.out.p, g.out.n + 1);
		return 0;
	}
	n = git_run(&at, GIT_ARGS("cat-file", "-t", object), &g, e);
	if (n < 0)
		return n;
	str_trim_end(&g.out);
	if (g.status && r->shallow)
		return err_set(
			e, ERR_USAGE,
			"'%s' is not in this repository, which is a shallow clone: git fetch "
			"--unshallow gets the rest",
			rev);
	if (g.status)
		return err_set(e, ERR_USAGE, "'%s': there is no object %.12s in this repository",
			       rev, object);
	return err_set(e, ERR_USAGE, "'%s' is a %s, not a commit", rev, g.out.p);
}

/* Does the short name mean this reference, by git's rules (refs/X, refs/tags/X, refs/heads/X, refs/remotes/X, .../HEAD)? */
static bool means(const char *refname, const char *name)
{
	static const char *const rule[] = { "refs/%s", "refs/tags/%s", "refs/heads/%s",
					    "refs/remotes/%s", "refs/remotes/%s/HEAD" };
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(rule); i++) {
		size_t before = strcspn(rule[i], "%");

		if (!strncmp(refname, rule[i], before) && !strncmp(refname + before, name, n) &&
		    !strcmp(refname + before + n, rule[i] + before + 2))
			return true;
	}
	return false;
}

/* Calls f for each reference that we copied; name is a C string while it runs. */
static void each_ref(struct repo *r, void (*f)(void *arg, const char *object, const char *name),
		     void *arg)
{
	for (char *p = r->refs.p; *p;) {
		char *end = p + strcspn(p, "\n");
		char *name = p + strcspn(p, " ");
		char kept = *end;

		*end = '\0';
		if (name < end) {
			*name = '\0';
			f(arg, p, name + 1);
			*name = ' ';
		}
		*end = kept;
		p = end + (kept == '\n');
	}
}

struct namesakes {
	const char *name;
	struct strvec refs;
};

static void take_namesake(void *arg, const char *object UNUSED, const char *name)
{
	struct namesakes *s = arg;

	if (means(name, s->name))
		strvec_add(&s->refs, name);
}

/* git warned that `name` means several things. Fine if all are one commit. */
static int check_namesakes(struct repo *r, const char *name, struct err *e)
{
	struct namesakes s = { name, STRVEC_INIT };
	AUTO(strvec) struct strvec refs = STRVEC_INIT;
	AUTO(str) struct str list = STR_INIT;
	char first[65] = "", oid[65];
	bool differ = false;
	int n = repo_load_refs(r, e);

	if (n < 0)
		return n;
	each_ref(r, take_namesake, &s);
	refs = s.refs;
	if (refs.n < 2 && strspn(name, "0123456789abcdefABCDEF") == strlen(name)) {
		AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
		AUTO_FREE char *prefix = xasprintf("--disambiguate=%s", name);
		struct git_at at = repo_user_at(r);

		n = git_run(&at, GIT_ARGS("rev-parse", prefix), &g, e);
		if (n < 0)
			return n;
		g.out.p[strcspn(g.out.p, "\n")] = '\0';
		if (git_is_oid(g.out.p))
			strvec_add(&refs, g.out.p);
	}
	for (size_t i = 0; i < refs.n; i++) {
		if (peel(r, refs.v[i], refs.v[i], oid, NULL) < 0)
			continue;
		if (!*first)
			memcpy(first, oid, sizeof(first));
		differ |= strcmp(first, oid) != 0;
		str_addf(&list, "%s%s (%.12s)", list.n ? ", " : "", refs.v[i], oid);
	}
	return differ ? err_set(e, ERR_USAGE, "'%s' is ambiguous: %s; write the full name", name,
				list.p)
		      : 0;
}

static int check_warning(struct repo *r, const struct git_result *g, struct err *e)
{
	static const char mark[] = "warning: refname '";
	const char *p = strstr(g->err.p, mark);
	const char *end = p ? strstr(p, "' is ambiguous") : NULL;

	if (!end)
		return 0;
	p += sizeof(mark) - 1;
	AUTO_FREE char *name = xstrndup(p, (size_t)(end - p));

	return check_namesakes(r, name, e);
}

/* "hint:   abc1234 commit 2020-01-31 - subject" lines become one list. */
static int say_ambiguous(const char *rev, const struct git_result *g, struct err *e)
{
	AUTO(str) struct str list = STR_INIT;
	int found = 0;

	for (const char *p = g->err.p; (p = strstr(p, "hint:   ")) && found < 5; found++) {
		p += strlen("hint:   ");
		str_puts(&list, found ? "; " : "");
		str_add(&list, p, strcspn(p, "\n"));
	}
	repo_clean_text(list.p);
	return err_set(e, ERR_USAGE, "'%s' is ambiguous: %s; write more of the name", rev, list.p);
}

/* The name without refs/heads/ and the like. */
static void take_short_name(void *arg, const char *object UNUSED, const char *name)
{
	strvec_add(arg, strchr(name + strlen("refs/"), '/') + 1);
}

static int say_unknown(struct repo *r, const char *rev, struct git_result *g, struct err *e)
{
	AUTO(strvec) struct strvec names = STRVEC_INIT;
	struct nearest near = NEAREST_INIT(rev);
	const char *why = git_reason(g);

	if (strstr(rev, ".."))
		return err_set(e, ERR_USAGE, "'%s' is a range; give its two ends as two revisions",
			       rev);
	if (!strcmp(rev, "HEAD") || !strcmp(rev, "@"))
		return err_set(e, ERR_USAGE,
			       "HEAD names no commit: nothing has been committed on this branch");
	if (!starts_with(why, "Needed a single revision"))
		return err_set(e, ERR_USAGE, "unknown revision '%s': %s", rev, why);
	if (repo_load_refs(r, NULL) == 0 && strlen(rev) > 1)
		each_ref(r, take_short_name, &names);
	for (size_t i = 0; i < names.n; i++)
		nearest_offer(&near, names.v[i]);
	if (near.best)
		return err_set(e, ERR_USAGE, "unknown revision '%s', did you mean '%s'?", rev,
			       near.best);
	return err_set(e, ERR_USAGE, "unknown revision '%s'%s", rev,
		       r->shallow
			       ? " (this is a shallow clone: git fetch --unshallow gets the rest)"
			       : "");
}

int repo_resolve(struct repo *r, const char *rev, char ret_oid[65], struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	int n;

	if (!*rev)
		return err_set(e, ERR_USAGE, "a revision is empty");
	if (*rev == '-')
		return err_set(e, ERR_USAGE, "'%s' looks like an option, not like a revision", rev);
	n = ask(r, rev, &g, e);
	if (n < 0)
		return n;
	if (g.status && strstr(g.err.p, "is ambiguous"))
		return say_ambiguous(rev, &g, e);
	if (g.status)
		return say_unknown(r, rev, &g, e);
	n = check_warning(r, &g, e);
	if (n < 0)
		return n;
	str_trim_end(&g.out);
	if (!git_is_oid(g.out.p))
		return err_set(e, ERR_USAGE, "'%s' is not one revision", rev);
	return peel(r, rev, g.out.p, ret_oid, e);
}
