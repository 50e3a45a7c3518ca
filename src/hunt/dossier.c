/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What belongs together is found by content, not by numbers alone: a confirmation says whose search it is of, an explanation only what it
 * compared. Of several the newest that was measured counts.
 */
#include "hunt/dossier.h"

#include "hunt/redact.h"
#include "hunt/retrace.h"
#include "store/query.h"
#include "text/json.h"

#include <string.h>

static void part_done(struct dossier_part *p)
{
	json_free(p->answer);
	json_free(p->question);
	free(p->status);
}

static void git_done(struct dossier_git *g)
{
	free(g->parent);
	free(g->contained);
	free(g->author);
	strvec_done(&g->lists);
	strvec_done(&g->tags);
	strvec_done(&g->changed);
}

void dossier_done(struct dossier *d)
{
	part_done(&d->main);
	part_done(&d->confirm);
	part_done(&d->explain);
	part_done(&d->trial);
	git_done(&d->git);
	free(d->kind);
	free(d->version);
	free(d->project);
	free(d->toolchain);
	json_free(d->host);
	for (size_t i = 0; i < d->series.n; i++) {
		struct dossier_series *x = &d->series.v[i];

		free(x->metric);
		free(x->unit);
		strvec_done(&x->sides);
		strvec_done(&x->nodes);
		free(x->dots.v);
	}
	free(d->series.v);
	for (size_t i = 0; i < d->range.n; i++) {
		free(d->range.v[i].name);
		free(d->range.v[i].subject);
		free(d->range.v[i].skipped);
	}
	free(d->range.v);
	strvec_done(&d->log);
	strvec_done(&d->missing);
	strvec_done(&d->also);
	*d = (struct dossier){ 0 };
}

int dossier_parse(struct redactor *r, const char *json, const char *name, struct json **ret,
		  struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	int ret_code = 0;

	*ret = NULL;
	if (json && (ret_code = redact_json(r, json, name, &text, e)) == 0)
		ret_code = json_parse_stored(text.p, name, ret, e);
	return ret_code;
}

static int take_part(struct redactor *r, const struct hunt_row *row, struct dossier_part *ret,
		     struct err *e)
{
	struct dossier_part p = { .hunt = row->id, .status = xstrdup(row->status) };
	int code = dossier_parse(r, row->question, "the question", &p.question, e);

	if (code == 0)
		code = dossier_parse(r, row->answer, "the stored answer", &p.answer, e);
	if (code < 0) {
		part_done(&p);
		return code;
	}
	p.complete = p.answer != NULL;
	part_done(ret);
	*ret = p;
	return 0;
}

/* --- what belongs together ---------------------------------------------------------------------------------------- */

static bool is_kind(const struct hunt_row *row, const char *kind)
{
	return !strcmp(row->kind, kind);
}

static bool can_report(const struct hunt_row *row)
{
	static const char *const kinds[] = { "bisect",	"compare", "run", "explain",
					     "confirm", "try",	   "hunt" };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (is_kind(row, kinds[i]))
			return true;
	return false;
}

static struct json *parse(const char *text)
{
	struct json *root = NULL;

	if (!text || json_parse(text, strlen(text), "journal", &root, NULL) < 0)
		return NULL;
	return root;
}

/* The search that a confirmation, explanation or trial is of, by what their answers say; else `row`'s own number. */
static int64_t search_of(const struct hunt_rows *all, const struct hunt_row *row)
{
	__attribute__((cleanup(json_root_done))) struct json *a = parse(row->answer);
	const char *commit = json_to_text(a, "culprit.commit");
	int64_t of = 0;

	if (json_to_int(a, "of_hunt", &of))
		return of;
	if (!commit)
		commit = json_to_text(a, "variants[1]");
	for (size_t i = 0; commit && i < all->n; i++) {
		__attribute__((cleanup(json_root_done))) struct json *b =
			is_kind(&all->v[i], "bisect") ? parse(all->v[i].answer) : NULL;
		const char *culprit = json_to_text(b, "culprit");

		if (culprit && strlen(commit) >= 12 && !strncmp(culprit, commit, strlen(commit)))
			return all->v[i].id;
	}
	return row->id;
}

/* Of a whole investigation the search of its first culprit, else the first thing that it measured; 0 if there is none. */
static int64_t first_of(const struct hunt_row *row)
{
	__attribute__((cleanup(json_root_done))) struct json *a = parse(row->answer);
	int64_t id = 0;

	if (!json_to_int(a, "culprits[0].search", &id))
		json_to_int(a, "stages[0].hunt", &id);
	return id;
}

/* The other culprits of the investigation that this search is a stage of. */
static int read_others(const struct hunt_rows *all, struct redactor *r, struct dossier *d,
		       struct err *e)
{
	for (size_t i = 0; i < all->n; i++) {
		__attribute__((cleanup(json_root_done))) struct json *a = NULL;
		const struct json *list;
		bool mine = false;
		int64_t id;

		if (!is_kind(&all->v[i], "hunt"))
			continue;
		int code = dossier_parse(r, all->v[i].answer, "the stored answer", &a, e);

		if (code < 0)
			return code;
		list = json_get(a, "culprits");
		for (size_t k = 0; k < json_count(list); k++)
			mine = mine ||
			       (json_to_int(json_at(list, k), "search", &id) && id == d->main.hunt);
		for (size_t k = 0; mine && k < json_count(list); k++) {
			const struct json *c = json_at(list, k);
			const char *subject = json_to_text(c, "subject"),
				   *metric = json_to_text(c, "metric"),
				   *commit = json_to_text(c, "commit");

			if (json_to_int(c, "search", &id) && id != d->main.hunt)
				strvec_addf(&d->also, "%s: %.12s (\"%s\"), culprit report %lld",
					    metric ? metric : "", commit ? commit : "",
					    subject ? subject : "", (long long)id);
		}
		if (mine)
			return 0;
	}
	return 0;
}

static bool has_runs(const struct json *answer)
{
	return json_count(json_get(answer, "findings")) || json_count(json_get(answer, "metrics"));
}

static bool same_text(const struct json *a, const char *pa, const struct json *b, const char *pb)
{
	const char *x = json_to_text(a, pa), *y = json_to_text(b, pb);

	return x && y && !strcmp(x, y);
}

/* Is this the confirmation of the search's culprit, on its benchmark? */
static bool confirms(const struct json *answer, const struct dossier *d)
{
	int64_t of = 0;

	if (json_to_int(answer, "of_hunt", &of) && of == d->main.hunt)
		return true;
	return same_text(answer, "culprit.commit", d->main.answer, "culprit") &&
	       same_text(answer, "benchmark", d->main.answer, "benchmark");
}

/* Is it an explanation of the culprit against its parent, of the two ends, or of what was compared? */
static bool explains(const struct json *answer, const struct dossier *d)
{
	const struct json *a = d->main.answer;
	const char *variant = json_to_text(answer, "variants[1]"),
		   *culprit = json_to_text(a, "culprit");

	/* also as its first digits */
	if (variant && culprit && strlen(variant) >= 12 &&
	    !strncmp(culprit, variant, strlen(variant)))
		return true;
	if (same_text(answer, "variants[0]", a, "variants[0]") &&
	    same_text(answer, "variants[1]", a, "variants[1]"))
		return true;
	return (same_text(answer, "variants[0]", a, "old.commit") ||
		same_text(answer, "variants[0]", a, "old.name")) &&
	       (same_text(answer, "variants[1]", a, "new.commit") ||
		same_text(answer, "variants[1]", a, "new.name"));
}

/* Were patches tried against this search's regression? */
static bool tries(const struct json *answer, const struct dossier *d)
{
	int64_t of = 0;

	if (json_to_int(answer, "of_hunt", &of))
		return of == d->main.hunt;
	return same_text(answer, "benchmark", d->main.answer, "benchmark") &&
	       same_text(answer, "good.name", d->main.answer, "old.name") &&
	       same_text(answer, "bad.name", d->main.answer, "new.name");
}

static int find_parts(const struct hunt_rows *all, struct redactor *r, struct dossier *d,
		      struct err *e)
{
	int code = 0;

	const struct {
		const char *kind;
		struct dossier_part *to;
		bool (*belongs)(const struct json *, const struct dossier *);
	} parts[] = { { "confirm", &d->confirm, confirms },
		      { "explain", &d->explain, explains },
		      { "try", &d->trial, tries } };

	for (size_t i = 0; i < all->n; i++) /* newest first */
		for (size_t k = 0; k < ARRAY_LEN(parts) && code == 0; k++) {
			const struct hunt_row *row = &all->v[i];

			if (!is_kind(row, parts[k].kind) || row->id == d->main.hunt)
				continue;
			__attribute__((cleanup(json_root_done))) struct json *a =
				parse(row->answer);

			if (a && parts[k].belongs(a, d) &&
			    (!parts[k].to->hunt || (!has_runs(parts[k].to->answer) && has_runs(a))))
				code = take_part(r, row, parts[k].to, e);
		}
	return code;
}

/* --- what was left open ------------------------------------------------------------------------------------------- */

static void put_missing(struct dossier *d)
{
	const struct json *a = d->main.answer;
	const char *verdict = json_to_text(a, "verdict");
	bool is_search = !strcmp(d->kind, "bisect");

	if (!d->main.complete)
		strvec_addf(
			&d->missing,
			"Hunt %lld has no answer yet (%s): what stands here is what its runs so far say. 'culprit resume %lld' goes on with it.",
			(long long)d->main.hunt, d->main.status, (long long)d->main.hunt);
	if (!is_search || (verdict && strcmp(verdict, "named") != 0))
		return;
	if (!d->confirm.hunt)
		strvec_add(
			&d->missing,
			"The commit has not been taken out again on the bad end (culprit confirm).");
	if (!d->explain.hunt)
		strvec_add(
			&d->missing,
			"What the commit changes inside has not been looked at (culprit explain).");
}

static int read_host(struct store *st, const struct hunt_row *row, struct redactor *r,
		     struct dossier *d, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	AUTO_FREE char *cwd = NULL;
	AUTO(strvec) struct strvec argv = STRVEC_INIT;
	int code = dossier_parse(r, row->host && *row->host ? row->host : NULL, "the host's facts",
				 &d->host, e);

	if (code == 0)
		code = store_observations(st, row->id, &obs, e);
	for (size_t i = obs.n; code == 0 && i-- > 0 && !d->toolchain;) {
		AUTO(build_row) struct build_row b = { 0 };
		AUTO(str) struct str text = STR_INIT;

		if (obs.v[i].kind != OBS_BUILD || obs.v[i].outcome != OUTCOME_OK)
			continue;
		code = store_build_get(st, obs.v[i].build, &b, e);
		if (code == 0 && !r->more && b.toolchain && *b.toolchain) {
			redact_text(r, b.toolchain, &text);
			d->toolchain = str_take(&text);
		}
	}
	return code;
}

static int count(struct store *st, int64_t hunt, struct dossier *d, struct err *e)
{
	struct hunt_counts c;
	int code = hunt ? query_counts(st, hunt, &c, e) : 0;

	if (hunt && code == 0) {
		d->builds += c.builds;
		d->boots += c.boots;
		d->runs += c.runs + c.failed_runs;
	}
	return code;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* The row asked for, led to its search where it is a step of one. */
static int choose(struct store *st, const struct hunt_rows *all, int64_t hunt, struct hunt_row *ret,
		  struct err *e)
{
	const struct hunt_row *row = NULL;

	for (size_t i = 0; i < all->n && !row; i++)
		if (hunt ? all->v[i].id == hunt : can_report(&all->v[i]))
			row = &all->v[i];
	if (!row && hunt)
		return err_set(e, ERR_MISSING, "there is no hunt %lld; culprit log lists them",
			       (long long)hunt);
	if (!row)
		return err_set(e, ERR_MISSING, "no hunt yet that a report could be made of");
	if (!can_report(row))
		return err_set(
			e, ERR_USAGE,
			"hunt %lld is a '%.20s'; a report is made of bisect, compare, run, confirm, explain, try and hunt",
			(long long)hunt, row->kind);
	bool is_step = is_kind(row, "confirm") || is_kind(row, "explain") || is_kind(row, "try");
	int64_t id = is_step ? search_of(all, row) : is_kind(row, "hunt") ? first_of(row) : row->id;

	if (!id)
		return err_set(e, ERR_MISSING,
			       "hunt %lld has come to nothing yet that a report could be made of",
			       (long long)row->id);
	return store_hunt_get(st, id, ret, e);
}

/* What a comparison that was cut short says so far; nothing, if that is too little. */
static int read_unfinished(struct store *st, const struct hunt_row *row, struct redactor *r,
			   struct dossier *d, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	static const struct hunt_ui silent = { 0 };
	struct session s = { .store = st, .ui = &silent };
	AUTO_FREE char *text = NULL;
	int code = store_observations(st, row->id, &obs, e);

	if (code == 0 && retrace_answer(&s, row, &obs, false, &text, NULL) == 0)
		code = dossier_parse(r, text, "the answer so far", &d->main.answer, e);
	s.store = NULL;
	session_close(&s);
	return code;
}

int dossier_gather(struct store *st, int64_t hunt, struct repo *repo, struct redactor *r,
		   struct dossier *ret, struct err *e)
{
	AUTO(hunt_rows) struct hunt_rows all = { 0 };
	AUTO(hunt_row) struct hunt_row row = { 0 };
	AUTO(dossier) struct dossier d = { 0 };
	int code = store_hunts(st, &all, e);

	if (code < 0 || (code = choose(st, &all, hunt, &row, e)) < 0 ||
	    (code = take_part(r, &row, &d.main, e)) < 0)
		return code;
	d.kind = xstrdup(row.kind);
	d.version = xstrdup(row.version);
	d.began_ns = row.began_ns;
	if (is_kind(&row, "bisect"))
		code = dossier_read_search(st, &row, repo, r, &d, e);
	else if (!d.main.answer)
		code = read_unfinished(st, &row, r, &d, e);
	if (code < 0 || (code = find_parts(&all, r, &d, e)) < 0 ||
	    (code = read_others(&all, r, &d, e)) < 0 ||
	    (code = read_host(st, &row, r, &d, e)) < 0 ||
	    (code = dossier_read_samples(st, r, &d, e)) < 0 ||
	    (code = count(st, d.main.hunt, &d, e)) < 0 ||
	    (code = count(st, d.confirm.hunt, &d, e)) < 0 ||
	    (code = count(st, d.explain.hunt, &d, e)) < 0 ||
	    (code = count(st, d.trial.hunt, &d, e)) < 0)
		return code;
	if (repo && json_to_text(d.main.answer, "culprit"))
		dossier_ask_git(repo, json_to_text(d.main.answer, "culprit"), &d.git);
	put_missing(&d);
	*ret = d;
	d = (struct dossier){ 0 };
	return 0;
}
