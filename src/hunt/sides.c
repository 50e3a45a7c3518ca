/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt/sides.h"

#include "hunt/prebuild.h"
#include "repo/git.h"

#include <string.h>

int side_parse(struct session *s, struct duel *d, size_t i, const char *text, struct err *e)
{
	struct duel_side *side = &d->sides[i];
	AUTO(str) struct str key = STR_INIT;
	int r = variant_parse(s->repo, text, &side->variant, e);

	if (r < 0)
		return r;
	side->label = xstrdup(text);
	variant_key(&side->variant, &key);
	side->node = str_take(&key);
	for (size_t k = 0; k < i; k++)
		if (!strcmp(d->sides[k].node, side->node))
			return err_set(
				e, ERR_USAGE,
				"'%s' and '%s' are the same commit; to measure the noise itself: "
				"culprit doctor --calibrate",
				d->sides[k].label, side->label);
	return 0;
}

/* The caller frees. */
static char *label_of(const struct session *s, const char *text, const char *name)
{
	char oid[65];

	if (!name)
		return git_is_oid(text) ? xstrndup(text, 12) : xstrdup(text);
	if (s->repo && repo_resolve(s->repo, name, oid, NULL) == 0 && !strcmp(oid, text))
		return xstrdup(name);
	return xstrndup(text, git_is_oid(text) ? 12 : strlen(text));
}

int side_parse_as(struct session *s, struct duel *d, size_t i, const char *text, const char *name,
		  struct err *e)
{
	int r = side_parse(s, d, i, text, e);

	if (r < 0)
		return r;
	free(d->sides[i].label);
	d->sides[i].label = label_of(s, text, name);
	return 0;
}

int side_build_in(struct session *s, struct duel_side *side, unsigned layout, struct mbuild **ret,
		  struct err *e)
{
	int r = measure_build(s, &side->variant, side->node, layout, false, ret, e);

	if (r < 0 || (*ret)->outcome != OUTCOME_OK)
		return r;
	if ((r = measure_ensure(s, *ret, &side->variant, e)) < 0)
		return r;
	side->builds = xreallocarray(side->builds, side->n_builds + 1, sizeof(*side->builds));
	side->builds[side->n_builds++] = *ret;
	return 0;
}

int side_build_to_judge(struct session *s, struct duel_side *side, unsigned layout, struct err *e)
{
	struct mbuild *m;
	int r = side_build_in(s, side, layout, &m, e);

	if (r < 0 || m->outcome == OUTCOME_OK || m->outcome == OUTCOME_FAILED ||
	    m->outcome == OUTCOME_SKIPPED)
		return r;
	return err_set(e, ERR_ENV, "%s does not build (%s): %s; its log: culprit show b%lld",
		       side->label, outcome_name(m->outcome), m->reason, (long long)m->id);
}

struct mbuild *sides_build_of(const struct session *s, const char *node, unsigned layout)
{
	for (size_t i = 0; i < s->builds.n; i++)
		if (s->builds.v[i]->layout == layout && !strcmp(s->builds.v[i]->node, node))
			return s->builds.v[i];
	return NULL;
}

/* The same binary in another environment is a question all the same. */
static bool has_settings(const char *node)
{
	return strstr(node, "\nenv.") || strstr(node, "\nsysctl.") || strstr(node, "\ncmdline=") ||
	       strstr(node, "\nmodules=");
}

bool sides_same_artefacts(const struct session *s, const char *a, const char *b)
{
	const struct mbuild *x = sides_build_of(s, a, 0), *y = sides_build_of(s, b, 0);

	return x && y && *x->artefact && !strcmp(x->artefact, y->artefact) && !has_settings(a) &&
	       !has_settings(b);
}

int side_build(struct session *s, struct duel_side *side, unsigned layouts, struct err *e)
{
	for (unsigned k = 0; k < layouts; k++) {
		struct mbuild *m;
		int r = side_build_in(s, side, k, &m, e);

		if (r < 0)
			return r;
		if (m->outcome != OUTCOME_OK)
			return err_set(e, ERR_ENV,
				       "%s does not build (%s): %s; its log: culprit show b%lld",
				       side->label, outcome_name(m->outcome), m->reason,
				       (long long)m->id);
	}
	return 0;
}

int sides_build_at_once(struct session *s, struct duel *d, unsigned layouts, struct err *e)
{
	AUTO_FREE struct prebuild_item *items = xcalloc(d->n_sides * layouts, sizeof(*items));

	if (!s->opt.jobs || s->simulated)
		return 0;
	for (size_t i = 0; i < d->n_sides; i++)
		for (unsigned k = 0; k < layouts; k++)
			items[i * layouts + k] =
				(struct prebuild_item){ &d->sides[i].variant, k, false };
	return prebuild(s, items, d->n_sides * layouts, e);
}

int sides_replay(struct session *s, struct duel *const *duels, size_t n, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	struct mbuild *m;
	int r = store_observations(s->store, s->hunt, &obs, e);

	measure_replay_metrics(s, &obs);
	for (size_t i = 0; i < obs.n && r == 0; i++) {
		if (obs.v[i].kind == OBS_BUILD && !obs.v[i].withdrawn)
			r = measure_adopt(s, obs.v[i].build, obs.v[i].node, &m, e);
		if (obs.v[i].kind == OBS_BOOT) {
			s->next_boot++;
			s->n_boots++;
		}
	}
	for (size_t i = 0; i < n && r == 0; i++)
		r = duel_replay(s, duels[i], &obs, e);
	return r;
}
