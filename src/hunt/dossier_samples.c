/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of what the answers speak of: the searched metric, and the primary ones of comparisons and confirmations.
 */
#include "hunt/dossier.h"

#include "hunt/redact.h"
#include "store/query.h"
#include "text/json.h"

#include <string.h>

enum { SERIES_MOST = 12, SIDES_MOST = 24 };

struct filling {
	struct dossier_series *to;
	struct redactor *r;
	struct naming {
		const char *node[SIDES_MOST], *label[SIDES_MOST];
		size_t n;
	} names; /* what nodes of the journal are called; others by themselves */
	int64_t began_ns;
	uint32_t last;
};

/* "commit=NAME" and a line for each change; a plain commit is also called by its name alone. */
static bool is_node(const char *variant, const char *node)
{
	size_t n = strlen(node);

	if (!variant)
		return false;
	if (!strcmp(variant, node))
		return true;
	return starts_with(variant, "commit=") && !strncmp(variant + 7, node, n) &&
	       !strcmp(variant + 7 + n, "\n");
}

static char *label_of(const struct filling *f, const char *node)
{
	size_t hex;

	for (size_t i = 0; i < f->names.n; i++)
		if (is_node(f->names.node[i], node) && f->names.label[i]) {
			node = f->names.label[i];
			break;
		}
	hex = strspn(node, "0123456789abcdef");
	return (hex == 40 || hex == 64) && !node[hex] ? xstrndup(node, 12) : xstrdup(node);
}

static void add_name(struct naming *names, const char *node, const char *label)
{
	if (!node || names->n >= SIDES_MOST)
		return;
	names->node[names->n] = node;
	names->label[names->n++] = label;
}

/* By their roles, for a confirmation; by what the answer calls them, for comparisons and patches. */
static void learn_names(const struct dossier_part *p, const char *const *roles, struct naming *ret)
{
	const struct json *variants = json_get(p->question, "question.variants"),
			  *labels = json_get(p->answer, "variants"),
			  *patches = json_get(p->question, "question.patches");

	for (size_t i = 0; i < json_count(variants); i++)
		add_name(ret, json_to_text(json_at(variants, i), NULL),
			 roles ? roles[i < 3 ? i : 3] : json_to_text(json_at(labels, i), NULL));
	add_name(ret, json_to_text(p->question, "question.good"),
		 json_to_text(p->answer, "good.name"));
	add_name(ret, json_to_text(p->question, "question.bad"),
		 json_to_text(p->answer, "bad.name"));
	for (size_t i = 0; i < json_count(patches); i++)
		add_name(ret, json_to_text(json_at(patches, i), "variant"),
			 json_to_text(json_at(patches, i), "file"));
}

static uint32_t side_of(struct filling *f, const char *node)
{
	struct dossier_series *to = f->to;

	if (f->last < to->nodes.n && !strcmp(to->nodes.v[f->last], node))
		return f->last;
	for (uint32_t i = 0; i < to->nodes.n; i++)
		if (!strcmp(to->nodes.v[i], node))
			return f->last = i;
	strvec_add(&to->nodes, node);
	strvec_take(&to->sides, label_of(f, node));
	return f->last = (uint32_t)to->nodes.n - 1;
}

static int take_row(void *arg, const struct sample_row *row, struct err *e UNUSED)
{
	struct filling *f = arg;
	AUTO(str) struct str node = STR_INIT;

	redact_text(f->r, row->node, &node);
	if (!f->to->unit) {
		AUTO(str) struct str unit = STR_INIT;

		redact_text(f->r, row->unit, &unit);
		f->to->unit = str_take(&unit);
		f->to->better = row->better;
	}
	if (!f->began_ns)
		f->began_ns = row->began_ns;
	ARRAY_PUSH(&f->to->dots, ((struct dossier_dot){
					 .side = side_of(f, node.p),
					 .value = row->value,
					 .order = row->order,
					 .seconds = (double)(row->began_ns - f->began_ns) / 1e9,
				 }));
	return 0;
}

static bool is_there(const struct dossier *d, int64_t hunt, const char *metric)
{
	for (size_t i = 0; i < d->series.n; i++)
		if (d->series.v[i].hunt == hunt && !strcmp(d->series.v[i].metric, metric))
			return true;
	return false;
}

static int read_series(struct store *st, const struct dossier_part *p, const char *metric,
		       const char *const *roles, struct redactor *r, struct dossier *d,
		       struct err *e)
{
	struct sample_filter filter = { .hunt = p->hunt, .metric = metric };
	struct filling f = { .r = r };

	if (!metric || d->series.n >= SERIES_MOST || is_there(d, p->hunt, metric))
		return 0;
	learn_names(p, roles, &f.names);
	f.to = ARRAY_GROW(&d->series);
	f.to->hunt = p->hunt;
	f.to->metric = xstrdup(metric);
	return query_samples_each(st, &filter, take_row, &f, e);
}

static int read_metrics(struct store *st, const struct dossier_part *p, const char *path,
			const char *const *roles, struct redactor *r, struct dossier *d,
			struct err *e)
{
	const struct json *list = json_get(p->answer, path);
	int code = 0;

	for (size_t i = 0; i < json_count(list) && code == 0; i++) {
		const struct json *m = json_at(list, i);
		bool primary = true;

		json_to_bool(m, "primary", &primary);
		if (primary)
			code = read_series(st, p, json_to_text(m, "metric"), roles, r, d, e);
	}
	return code;
}

int dossier_read_samples(struct store *st, struct redactor *r, struct dossier *d, struct err *e)
{
	static const char *const regression[] = { "good", "bad", "reverted", "picked" };
	static const char *const repair[] = { "before", "after", "reverted", "picked" };
	const char *direction = json_to_text(d->confirm.answer, "direction");
	const char *const *roles = direction && !strcmp(direction, "fix") ? repair : regression;
	int code = 0;

	if (!strcmp(d->kind, "bisect"))
		code = read_series(st, &d->main, json_to_text(d->main.answer, "metric"), NULL, r, d,
				   e);
	else if (!strcmp(d->kind, "confirm"))
		code = read_metrics(st, &d->main, "findings", roles, r, d, e);
	else
		code = read_metrics(st, &d->main, "metrics", NULL, r, d, e);
	if (code == 0 && d->confirm.hunt)
		code = read_metrics(st, &d->confirm, "findings", roles, r, d, e);
	if (code == 0 && d->trial.hunt)
		code = read_metrics(st, &d->trial, "metrics", NULL, r, d, e);
	return code;
}
