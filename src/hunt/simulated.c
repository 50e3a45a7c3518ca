/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names in the file are resolved once, at the opening. Its content is part of the question, as a hash: another file is another
 * hunt. Builds are rows like any other, with the commit for an artefact and no tree.
 */
#include "hunt/simulated.h"

#include "sys/clock.h"
#include "sys/fs.h"
#include "target/sim_target.h"

#include <string.h>

#define BUILD_SECONDS 0.01 /* ten runs: see target/sim_target.c */

static bool contains(void *arg, const char *commit, const char *change)
{
	AUTO(str) struct str base = STR_INIT;
	struct err none = ERR_INIT;

	if (!strcmp(commit, change))
		return true;
	return repo_git(arg, &base, &none, "merge-base", change, commit, NULL) == 0 &&
	       starts_with(base.p, change);
}

static int resolve(struct session *s, const char *path, const char *name, char **ret, struct err *e)
{
	char oid[65];
	int r = repo_resolve(s->repo, name, oid, e);

	if (r < 0)
		return err_wrap(e, "%s", path);
	*ret = xstrdup(oid);
	return 0;
}

int simulated_open(struct session *s, const char *path, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	struct sim_target *t = xcalloc(1, sizeof(*t));
	struct sha256 *h = sha256_new();
	char hash[65];
	int r = fs_read_named(path, 64 << 20, &text, e);

	s->simulated = t;
	sha256_add(h, text.p, text.n);
	sha256_finish(h, hash);
	s->target_name = xasprintf("sim=%.16s", hash);
	if (r < 0 || (r = sim_target_open(t, path, text.p, text.n, e)) < 0)
		return r;
	for (uint32_t i = 0; i < t->file.n_commits; i++)
		if ((r = resolve(s, path, t->file.names[i], &t->oids[i], e)) < 0)
			return r;
	for (unsigned i = 0; i < t->file.n_changes; i++)
		if ((r = resolve(s, path, t->file.changes[i].name, &t->change_oids[i], e)) < 0)
			return r;
	t->contains = contains;
	t->arg = s->repo; /* the session itself is copied when it is open */
	return 0;
}

int simulated_build(struct session *s, const struct variant *v, unsigned layout,
		    struct build_row *ret, struct err *e)
{
	AUTO(str) struct str reason = STR_INIT;

	if (!v->oid || v->n_changes)
		return err_set(e, ERR_USAGE, "the simulator knows plain commits only, not '%s'",
			       v->text);
	enum outcome outcome = sim_target_build(s->simulated, v->oid, &reason);

	*ret = (struct build_row){
		.key = xasprintf("%s %s %u", s->target_name, v->oid, layout),
		.variant = xstrdup(v->text),
		.commit = xstrdup(v->oid),
		.tree = xstrdup(""),
		.path = xstrdup(""),
		.artefact = xasprintf("%s %u", v->oid, layout),
		.toolchain = xstrdup("none: simulated"),
		.layout = (int)layout,
		.outcome = outcome,
		.reason = str_take(&reason),
		.seconds = BUILD_SECONDS,
		.at_ns = clock_realtime_ns(),
	};
	int r = store_build_add(s->store, ret, NULL, 0, &ret->id, e);

	if (r < 0)
		build_row_done(ret);
	return r;
}
