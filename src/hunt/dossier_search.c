/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A search's posterior is computed again from its journal, by the code of `verify`; a journal of another version, for which the search would decide otherwise,
 * still gives its samples.
 */
#include "hunt/dossier.h"

#include "hunt/redact.h"
#include "hunt/retrace.h"
#include "stats/sample.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

static void take_range(const struct bisect *b, const double *p, struct redactor *r,
		       struct dossier *d)
{
	for (uint32_t i = 0; i < b->range.g.n; i++) {
		AUTO(str) struct str name = STR_INIT;

		redact_text(r, b->range.oid[i], &name);
		ARRAY_PUSH(&d->range, ((struct dossier_commit){
					      .name = str_take(&name),
					      .subject = xstrdup(""),
					      .p = p[i],
					      .median = NAN,
					      .is_end = i == b->range.g.good || i == b->range.g.bad,
				      }));
	}
}

static struct dossier_commit *find(struct dossier *d, const char *name)
{
	for (size_t i = 0; name && i < d->range.n; i++)
		if (!strcmp(d->range.v[i].name, name))
			return &d->range.v[i];
	return NULL;
}

static void set_subject(struct dossier *d, const struct json *commit)
{
	struct dossier_commit *c = find(d, json_to_text(commit, "commit"));
	const char *subject = json_to_text(commit, "subject");

	if (c && subject && !*c->subject) {
		free(c->subject);
		c->subject = xstrdup(subject);
	}
}

/* What the answer has kept of commits; git knows the others. */
static void learn_subjects(struct repo *repo, struct redactor *r, struct dossier *d)
{
	const struct json *a = d->main.answer, *list = json_get(a, "suspects"),
			  *skipped = json_get(a, "skipped");

	set_subject(d, json_get(a, "named"));
	set_subject(d, json_get(a, "old"));
	set_subject(d, json_get(a, "new"));
	for (size_t i = 0; i < json_count(list); i++)
		set_subject(d, json_at(list, i));
	for (size_t i = 0; i < json_count(skipped); i++) {
		struct dossier_commit *c = find(d, json_to_text(json_at(skipped, i), "commit"));
		const char *reason = json_to_text(json_at(skipped, i), "reason");

		if (c && !c->skipped)
			c->skipped = xstrdup(reason ? reason : "");
	}
	for (size_t i = 0; repo && i < d->range.n; i++) {
		struct dossier_commit *c = &d->range.v[i];
		struct commit_info info;

		if ((!c->runs && !c->skipped) || *c->subject ||
		    repo_commit(repo, c->name, &info, NULL) < 0)
			continue;
		AUTO(str) struct str text = STR_INIT;

		redact_text(r, info.subject, &text);
		free(c->subject);
		c->subject = str_take(&text);
	}
}

/* Which node of the range each counted run was of, -1 for the others. Runs know their build; what the hunt called that is in the build's own observation. */
static int64_t *nodes_of_runs(const struct range *range, const struct observations *obs)
{
	int64_t *node = xcalloc(obs->n + 1, sizeof(*node));
	struct {
		struct named {
			int64_t build, node;
		} * v;
		size_t n, cap;
	} builds = { 0 };

	for (size_t i = 0; i < obs->n; i++) {
		const struct observation *o = &obs->v[i];

		node[i] = -1;
		if (o->kind == OBS_BUILD)
			ARRAY_PUSH(&builds,
				   ((struct named){ o->build, range_find(range, o->node) }));
		if (o->kind != OBS_RUN || o->withdrawn || o->index < 0 || o->outcome != OUTCOME_OK)
			continue;
		for (size_t k = builds.n; k-- > 0 && node[i] < 0;)
			if (builds.v[k].build == o->build)
				node[i] = builds.v[k].node;
	}
	free(builds.v);
	return node;
}

static void learn_runs(const char *metric, const struct range *range,
		       const struct observations *obs, struct dossier *d)
{
	AUTO_FREE double *values = xcalloc(obs->n + 1, sizeof(*values));
	AUTO_FREE int64_t *node = nodes_of_runs(range, obs);

	for (size_t i = 0; metric && i < obs->n; i++)
		if (node[i] >= 0 && readings_find(&obs->v[i].readings, metric))
			d->range.v[node[i]].runs++;
	for (size_t k = 0; metric && k < d->range.n; k++) {
		struct dossier_commit *c = &d->range.v[k];
		size_t n = 0;

		for (size_t i = 0; c->runs && i < obs->n; i++) {
			const struct reading *x =
				node[i] == (int64_t)k ? readings_find(&obs->v[i].readings, metric)
						      : NULL;

			if (x)
				values[n++] = x->value;
		}
		if (n)
			c->median = sample_median(values, n);
	}
}

int dossier_read_search(struct store *st, const struct hunt_row *row, struct repo *repo,
			struct redactor *r, struct dossier *d, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	__attribute__((cleanup(json_root_done))) struct json *q = NULL;
	static const struct hunt_ui silent = { 0 };
	struct session s = { .store = st, .ui = &silent };
	struct bisect_options o = { 0 };
	struct bisect b = { 0 };
	AUTO_FREE char *text = NULL;
	int code = store_observations(st, row->id, &obs, e);

	if (code == 0)
		code = json_parse_stored(row->question, "the question", &q, e);
	if (code == 0 && retrace_begin(&s, row, q, &obs, NULL) == 0 &&
	    retrace_bisect(&s, row, q, &obs, false, &o, &b, NULL) == 0) {
		AUTO_FREE double *p = xcalloc(b.range.g.n, sizeof(*p));

		search_posterior(b.search, p);
		take_range(&b, p, r, d);
		if (!d->main.answer && (code = bisect_answer(&b, &text, e)) == 0)
			code = dossier_parse(r, text, "the answer so far", &d->main.answer, e);
		learn_runs(json_to_text(d->main.answer, "metric"), &b.range, &obs, d);
	}
	bisect_done(&b);
	s.store = NULL;
	session_close(&s);
	if (code < 0)
		return code;
	learn_subjects(repo, r, d);
	return 0;
}
