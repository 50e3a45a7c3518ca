/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns are the commits that were measured, and narrower ones for the stretches between them. A column as wide for each commit of a range of thousands was refused: the
 * search measures where the change is, and there all columns would be one pixel.
 */
#include "report/figures.h"

#include "base/num.h"
#include "report/answer.h"
#include "text/json.h"
#include "text/svg.h"

#include <math.h>
#include <string.h>

enum { TOP = 26, MIDDLE = 236, BARS = 250, BOTTOM = 312, HEIGHT = 336 };

int64_t figure_place(const struct dossier *d, const char *name)
{
	for (size_t i = 0; i < d->range.n; i++)
		if (!strcmp(d->range.v[i].name, name))
			return (int64_t)i;
	return -1;
}

const char *figure_color(const struct dossier *d, const struct dossier_series *x, uint32_t side)
{
	static const struct {
		const char *name, *color;
	} roles[] = { { "good", "good" }, { "before", "good" },	   { "bad", "bad" },
		      { "after", "bad" }, { "reverted", "third" }, { "picked", "other" } };
	const char *name = x->sides.v[side];
	int64_t culprit = figure_place(d, answer_str(d->main.answer, "culprit")),
		place = figure_place(d, x->nodes.v[side]);

	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		if (!strcmp(name, roles[i].name))
			return roles[i].color;
	if (!strcmp(d->kind, "bisect") && x->hunt == d->main.hunt)
		return culprit < 0 || place < 0 ? "other" : place < culprit ? "good" : "bad";
	if (x->hunt == d->trial.hunt)
		return !strcmp(name, answer_str(d->trial.answer, "good.name"))	? "good"
		       : !strcmp(name, answer_str(d->trial.answer, "bad.name")) ? "bad"
										: "third";
	return side == 0 ? "good" : side == 1 ? "bad" : side == 2 ? "third" : "other";
}

void figure_tick(double value, double scale_by, const char *unit, struct str *out)
{
	double factor;
	char scaled[32];

	num_scale(scale_by, unit, &factor, scaled);
	str_addf(out, "%.4g%s%s", value * factor, *scaled ? " " : "", scaled);
}

void figure_axis(const struct svg_scale *s, double top, double bottom, const char *unit,
		 struct str *out)
{
	double ticks[6];
	size_t n = svg_ticks(s, ARRAY_LEN(ticks), ticks);

	for (size_t i = 0; i < n; i++) {
		AUTO(str) struct str text = STR_INIT;
		double y = bottom - (bottom - top) * svg_at(s, ticks[i]);

		figure_tick(ticks[i], ticks[n - 1], unit, &text);
		svg_line(out, 0, y, 1, y, "grid");
		svg_text(out, 0, y - 4, "tick", "start", text.p);
	}
}

/* A column: one commit that was measured, or those between two of them. */
struct column {
	double x, width; /* 0..1 */
	size_t first, n; /* commits of the range */
	bool measured;
	double p;
};
struct columns {
	struct column *v;
	size_t n, cap;
};

static void lay_out(const struct dossier *d, struct columns *c)
{
	double sum = 0, x = 0;

	for (size_t i = 0; i < d->range.n; i++) {
		const struct dossier_commit *m = &d->range.v[i];
		bool measured = m->runs > 0;

		if (measured || !c->n || c->v[c->n - 1].measured)
			ARRAY_PUSH(c, ((struct column){ .first = i, .measured = measured }));
		c->v[c->n - 1].n++;
		c->v[c->n - 1].p += m->p;
	}
	for (size_t i = 0; i < c->n; i++)
		sum += c->v[i].measured ? 1 : 0.45;
	for (size_t i = 0; i < c->n; i++) {
		c->v[i].width = (c->v[i].measured ? 1 : 0.45) / sum;
		c->v[i].x = x;
		x += c->v[i].width;
	}
}

static void put_dots(const struct dossier_series *x, const struct columns *c,
		     const struct svg_scale *s, const struct dossier *d, const char *color,
		     struct str *out)
{
	AUTO_FREE double *at = xcalloc(x->sides.n + 1, sizeof(*at));
	AUTO_FREE double *room = xcalloc(x->sides.n + 1, sizeof(*room));
	AUTO_FREE unsigned *seen = xcalloc(x->sides.n + 1, sizeof(*seen));

	for (size_t i = 0; i < x->sides.n; i++) {
		int64_t place = figure_place(d, x->nodes.v[i]);

		at[i] = NAN;
		for (size_t k = 0; k < c->n; k++)
			if (c->v[k].measured && (int64_t)c->v[k].first == place) {
				at[i] = c->v[k].x;
				room[i] = c->v[k].width;
			}
	}
	svg_dots_open(out, HEIGHT, color);
	for (size_t i = 0; i < x->dots.n; i++) {
		uint32_t side = x->dots.v[i].side;
		/* a strip: the order of the runs spreads the dots over the middle of the column */
		double spread = 0.25 + 0.5 * fmod(0.618 * seen[side]++, 1);

		if (!isnan(at[side]) && !strcmp(figure_color(d, x, side), color))
			svg_dot(out, at[side] + room[side] * spread,
				MIDDLE - (MIDDLE - TOP) * svg_at(s, x->dots.v[i].value));
	}
	svg_dots_close(out);
}

static void put_column(const struct dossier *d, const struct column *c, const struct svg_scale *s,
		       struct str *out)
{
	const struct dossier_commit *m = &d->range.v[c->first];
	double height = (BOTTOM - BARS) * c->p;
	AUTO(str) struct str title = STR_INIT;

	if (c->measured && isfinite(m->median)) {
		double y = MIDDLE - (MIDDLE - TOP) * svg_at(s, m->median);

		svg_line(out, c->x + 0.15 * c->width, y, c->x + 0.85 * c->width, y, "median");
	}
	if (height >= 0.5)
		svg_rect(out, c->x + 0.12 * c->width, BOTTOM - height, 0.76 * c->width, height,
			 "bar");
	if (!c->measured)
		svg_rect(out, c->x + 0.1 * c->width, BOTTOM, 0.8 * c->width, 3, "gap");
}

static void put_culprit(const struct dossier *d, const struct columns *c, struct str *out)
{
	int64_t place = figure_place(d, answer_str(d->main.answer, "culprit"));
	AUTO(str) struct str text = STR_INIT, p = STR_INIT;

	for (size_t i = 0; i < c->n && place >= 0; i++) {
		const struct column *x = &c->v[i];
		bool left = x->x + x->width / 2 < 0.5;

		if ((size_t)place < x->first || (size_t)place >= x->first + x->n)
			continue;
		svg_rect(out, x->x, 0, x->width, BOTTOM, "mark");
		letter_commit(d->range.v[place].name, "", &text);
		svg_text(out, left ? x->x : x->x + x->width, 16, "name", left ? "start" : "end",
			 text.p);
		answer_probability(answer_number(d->main.answer, "probability"), &p);
		svg_text(out, left ? x->x + x->width : x->x, BARS + 12, "tick strong",
			 left ? "start" : "end", p.p);
	}
}

static const struct dossier_series *series_of(const struct dossier *d)
{
	for (size_t i = 0; i < d->series.n; i++)
		if (d->series.v[i].hunt == d->main.hunt && d->series.v[i].dots.n)
			return &d->series.v[i];
	return NULL;
}

bool figure_range(const struct dossier *d, struct str *out)
{
	static const char *const colors[] = { "good", "bad", "third", "other" };
	const struct dossier_series *x = series_of(d);
	struct columns c = { 0 };
	struct svg_scale s;
	AUTO(str) struct str label = STR_INIT, old = STR_INIT, new = STR_INIT;

	if (!x || d->range.n < 2)
		return false;
	AUTO_FREE double *v = xcalloc(x->dots.n, sizeof(*v));

	for (size_t i = 0; i < x->dots.n; i++)
		v[i] = x->dots.v[i].value;
	svg_scale_fit(&s, v, x->dots.n);
	lay_out(d, &c);
	letter_end(json_get(d->main.answer, "old"), &old);
	letter_end(json_get(d->main.answer, "new"), &new);
	str_addf(
		&label,
		"%s of the commits measured from %s to %s, and the probability of each to be the culprit; the table below has the numbers",
		x->metric, old.p, new.p);
	svg_open(out, HEIGHT, label.p);
	put_culprit(d, &c, out);
	figure_axis(&s, TOP, MIDDLE, x->unit, out);
	svg_line(out, 0, BOTTOM, 1, BOTTOM, "axis");
	for (size_t i = 0; i < c.n; i++)
		put_column(d, &c.v[i], &s, out);
	for (size_t i = 0; i < ARRAY_LEN(colors); i++)
		put_dots(x, &c, &s, d, colors[i], out);
	svg_text(out, 0, HEIGHT - 6, "tick", "start", old.p);
	svg_text(out, 1, HEIGHT - 6, "tick", "end", new.p);
	svg_close(out);
	free(c.v);
	return true;
}
