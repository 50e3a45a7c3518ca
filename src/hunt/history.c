/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt/history.h"

#include "reader/points.h"
#include "stats/changepoint.h"
#include "stats/sample.h"
#include "sys/fs.h"
#include "text/json.h"

#include <math.h>

enum { FILE_MAX = 1 << 30 };
#define LEVEL 0.95

static void put_label(struct json_out *w, const char *key, const struct points *p, size_t i)
{
	if (p->v[i].label)
		json_out_text(w, key, p->v[i].label);
	else
		json_out_int(w, key, (int64_t)i + 1);
}

static void put_levels(const struct points *p, const double *v, const struct changepoints *c,
		       struct json_out *w)
{
	json_out_array(w, "levels");
	for (size_t i = 0; i <= c->n; i++) {
		size_t from = i ? c->v[i - 1].at : 0, to = i < c->n ? c->v[i].at : p->n;

		json_out_object(w, NULL);
		put_label(w, "from", p, from);
		put_label(w, "to", p, to - 1);
		json_out_int(w, "points", (int64_t)(to - from));
		json_out_number(w, "median", sample_median(v + from, to - from));
		json_out_close(w);
	}
	json_out_close(w);
}

static const char *word(double shift, enum better better)
{
	if (better == BETTER_UNKNOWN || isnan(shift) || shift == 0)
		return NULL;
	return (shift > 0) == (better == BETTER_LOWER) ? "slower" : "faster";
}

static void put_changes(const struct points *p, const struct changepoints *c, enum better better,
			struct json_out *w)
{
	json_out_array(w, "changes");
	for (size_t i = 0; i < c->n; i++) {
		const struct changepoint *x = &c->v[i];

		json_out_object(w, NULL);
		json_out_int(w, "point", (int64_t)x->at + 1);
		put_label(w, "at", p, x->at);
		put_label(w, "after", p, x->at - 1);
		put_label(w, "first", p, x->first);
		put_label(w, "last", p, x->last);
		json_out_number(w, "change", x->shift);
		json_out_number(w, "low", x->low);
		json_out_number(w, "high", x->high);
		json_out_text(w, "verdict", word(x->shift, better));
		json_out_close(w);
	}
	json_out_close(w);
}

static void put_points(const struct points *p, struct json_out *w)
{
	json_out_array(w, "values");
	for (size_t i = 0; i < p->n; i++) {
		json_out_object(w, NULL);
		put_label(w, "label", p, i);
		json_out_number(w, "value", p->v[i].value);
		json_out_close(w);
	}
	json_out_close(w);
}

static void put_answer(const struct points *p, const double *v, const struct changepoints *c,
		       const struct history_options *o, enum better better, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "history");
	json_out_int(&w, "points", (int64_t)p->n);
	json_out_text(&w, "unit", p->unit);
	json_out_text(&w, "better", better == BETTER_UNKNOWN ? NULL : better_name(better));
	json_out_number(&w, "alpha", o->alpha);
	json_out_number(&w, "level", LEVEL);
	json_out_bool(&w, "enough", p->n >= CHANGEPOINT_LEAST);
	json_out_number(&w, "noise", c->sd);
	json_out_bool(&w, "memory", c->memory);
	put_changes(p, c, better, &w);
	put_levels(p, v, c, &w);
	json_out_int(&w, "pending", (int64_t)c->pending);
	json_out_number(&w, "pending_change", c->pending_shift);
	if (o->points)
		put_points(p, &w);
	json_out_close(&w);
}

/* Values printed as 12 and 13 have no noise below their rounding. */
static double rounding_floor(const struct points *p, const double *v)
{
	double middle = fabs(sample_median(v, p->n));

	return middle > 0 ? p->resolution / 3.46 / middle : 0;
}

int history_of_file(const char *path, const struct history_options *o, char **ret_answer,
		    bool *ret_enough, struct err *e)
{
	AUTO(str) struct str text = STR_INIT, out = STR_INIT;
	AUTO(points) struct points p = { 0 };
	AUTO(changepoints) struct changepoints c = { 0 };
	struct changepoint_params params;
	enum better better = o->better;
	int r = fs_read_named(path, FILE_MAX, &text, e);

	if (r < 0 || (r = points_parse(text.p, text.n, path, o->labels, &p, e)) < 0)
		return r;
	AUTO_FREE double *v = xmalloc(p.n * sizeof(*v));

	for (size_t i = 0; i < p.n; i++)
		v[i] = p.v[i].value;
	changepoint_params_default(&params);
	params.alpha = o->alpha;
	params.level = LEVEL;
	params.floor = rounding_floor(&p, v);
	changepoints_find(v, p.n, &params, &c);
	if (better == BETTER_UNKNOWN && *p.unit)
		better = better_guess("", p.unit);
	put_answer(&p, v, &c, o, better, &out);
	*ret_enough = p.n >= CHANGEPOINT_LEAST;
	*ret_answer = str_take(&out);
	return 0;
}
