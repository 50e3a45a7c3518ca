/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparing numbers that exist already. One look at the full level: the runs were not stopped early by us, and the order in
 * which they were made is not known, which the answer says. A file's metrics are all primary, unless one is named.
 */
#include "hunt/versus.h"

#include "hunt/duel_json.h"
#include "reader/numbers.h"
#include "sys/fs.h"
#include "text/json.h"

#include <string.h>

enum { FILE_MAX = 1 << 30 };

static int take_series(struct duel_side *side, const struct series *x, const char *metric,
		       enum better better, struct err *e)
{
	struct reading r = { .metric = x->metric, .unit = x->unit, .resolution = x->resolution };

	if (metric && strcmp(metric, x->metric))
		return 0;
	r.better = better != BETTER_UNKNOWN ? better : better_guess(x->metric, x->unit);
	/* a bare column of numbers is read as times, which the answer says */
	if (r.better == BETTER_UNKNOWN)
		r.better = BETTER_LOWER;
	for (size_t i = 0; i < x->n; i++) {
		r.value = x->v[i];
		if (!duel_add(side, &r, r.better, true, 0, 0))
			return err_set(e, ERR_USAGE, "%s: metric '%s' has two units", side->label,
				       x->metric);
	}
	return 0;
}

static int read_side(struct duel_side *side, const char *path, const char *metric,
		     enum better better, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO(numbers) struct numbers n = { 0 };
	int r;

	side->label = xstrdup(path);
	side->node = xstrdup(path);
	if ((r = fs_read(path, FILE_MAX, &text, e)) < 0)
		return r;
	if ((r = numbers_parse(text.p, text.n, path, &n, e)) < 0)
		return r;
	for (size_t i = 0; i < n.n && r == 0; i++)
		r = take_series(side, &n.v[i], metric, better, e);
	if (r == 0 && !side->n_series)
		return err_set(e, ERR_USAGE, "%s: no metric '%s'", path, metric);
	return r;
}

/* Sides that share no metric cannot be compared; say so instead of printing an empty table. */
static int check_common(const struct duel *d, struct err *e)
{
	for (size_t i = 1; i < d->n_sides; i++) {
		bool common = false;

		for (size_t k = 0; k < d->sides[0].n_series; k++) {
			const struct metric_series *a = &d->sides[0].series[k];
			const struct metric_series *b = duel_series(&d->sides[i], a->metric);

			common = common || b;
			if (b && strcmp(a->unit, b->unit))
				return err_set(e, ERR_USAGE,
					       "metric '%s' is in '%s' in %s and in '%s' in %s",
					       a->metric, a->unit, d->sides[0].label, b->unit,
					       d->sides[i].label);
		}
		if (!common)
			return err_set(e, ERR_USAGE, "%s and %s have no metric in common",
				       d->sides[0].label, d->sides[i].label);
	}
	return 0;
}

static void files_answer(const struct duel *d, char **ret)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "compare");
	json_out_number(&w, "level", 1 - d->alpha);
	json_out_number(&w, "margin", d->margin);
	duel_json(d, &w);
	json_out_close(&w);
	*ret = str_take(&out);
}

int versus_files(const char *const *paths, size_t n, double alpha, double margin,
		 enum better better, const char *metric, char **ret_answer, struct err *e)
{
	AUTO(duel) struct duel d;
	int r = 0;

	duel_init(&d, n, alpha, margin);
	d.imported = true;
	d.look = 0;
	judge_plan_fixed(alpha, &d.plan);
	for (size_t i = 0; i < n && r == 0; i++)
		r = read_side(&d.sides[i], paths[i], metric, better, e);
	if (r == 0)
		r = check_common(&d, e);
	if (r == 0)
		files_answer(&d, ret_answer);
	return r;
}
