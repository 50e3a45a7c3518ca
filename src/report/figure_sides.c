/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every sample is shown: a box of quartiles was refused, since two levels within one side (what people come with) look like one in it.
 */
#include "report/figures.h"

#include "report/answer.h"
#include "stats/sample.h"
#include "text/escape.h"
#include "text/json.h"
#include "text/svg.h"

#include <math.h>
#include <string.h>

static const char *const colors[] = { "good", "bad", "third", "other" };
enum { ROW = 62, AXIS = 26, SIDES_MOST = 6, ORDER_HEIGHT = 220 };

/* Values of one side, sorted; the caller frees them. */
static double *values_of(const struct dossier_series *x, uint32_t side, size_t *ret_n)
{
	double *v = xcalloc(x->dots.n + 1, sizeof(*v));

	*ret_n = 0;
	for (size_t i = 0; i < x->dots.n; i++)
		if (x->dots.v[i].side == side)
			v[(*ret_n)++] = x->dots.v[i].value;
	sample_sort(v, *ret_n);
	return v;
}

/* Without its unit, which stands beside it already. */
static void put_bare(double value, double scale, const char *unit, struct str *out)
{
	AUTO(str) struct str text = STR_INIT;

	answer_value(value, scale, unit, &text);
	str_add(out, text.p, strcspn(text.p, " "));
}

static void put_label(const struct dossier_series *x, uint32_t side, const double *v, size_t n,
		      double y, struct str *out)
{
	AUTO(str) struct str text = STR_INIT;
	double low, high;

	str_addf(&text, "%s: n = %zu, median ", x->sides.v[side], n);
	answer_value(sample_median_sorted(v, n), v[0], x->unit, &text);
	if (sample_median_interval(v, n, 0.95, &low, &high)) {
		str_puts(&text, " [");
		put_bare(low, v[0], x->unit, &text);
		str_puts(&text, ", ");
		put_bare(high, v[0], x->unit, &text);
		str_putc(&text, ']');
	}
	svg_text(out, 0, y, "label", "start", text.p);
}

static void put_side(const struct dossier *d, const struct dossier_series *x, uint32_t side,
		     const struct svg_scale *s, double top, unsigned height, struct str *out)
{
	size_t n;
	AUTO_FREE double *v = values_of(x, side, &n);
	double low, high, middle = top + 38;
	unsigned seen = 0;

	if (!n)
		return;
	put_label(x, side, v, n, top + 14, out);
	svg_line(out, 0, middle, 1, middle, "grid");
	if (sample_median_interval(v, n, 0.95, &low, &high))
		svg_rect(out, svg_at(s, low), middle - 11, svg_at(s, high) - svg_at(s, low), 22,
			 "interval");
	svg_dots_open(out, height, figure_color(d, x, side));
	for (size_t i = 0; i < x->dots.n; i++)
		if (x->dots.v[i].side == side)
			svg_dot(out, svg_at(s, x->dots.v[i].value),
				middle + 14 * (fmod(0.618 * seen++, 1) - 0.5));
	svg_dots_close(out);
	svg_line(out, svg_at(s, sample_median_sorted(v, n)), middle - 13,
		 svg_at(s, sample_median_sorted(v, n)), middle + 13, "median");
}

static void put_axis(const struct svg_scale *s, const char *unit, double y, struct str *out)
{
	double ticks[4];
	size_t n = svg_ticks(s, ARRAY_LEN(ticks), ticks);

	for (size_t i = 0; i < n; i++) {
		AUTO(str) struct str text = STR_INIT;
		double x = svg_at(s, ticks[i]);

		figure_tick(ticks[i], ticks[n - 1], unit, &text);
		svg_line(out, x, 0, x, y + 4, "grid");
		svg_text(out, x, y + 18, "tick",
			 x < 0.12   ? "start"
			 : x > 0.88 ? "end"
				    : "middle",
			 text.p);
	}
}

static void put_title(const struct dossier *d, const struct dossier_series *x, struct str *out)
{
	str_puts(out, "<h3>");
	escape_html(out, x->metric);
	str_addf(out, ", %s</h3>\n",
		 x->hunt == d->confirm.hunt   ? "with the commit taken out"
		 : x->hunt == d->trial.hunt   ? "with patches"
		 : !strcmp(d->kind, "bisect") ? "the search"
					      : "the comparison");
}

static void put_plot(const struct dossier *d, const struct dossier_series *x, const bool *shown,
		     struct str *out)
{
	AUTO_FREE double *v = xcalloc(x->dots.n + 1, sizeof(*v));
	AUTO(str) struct str label = STR_INIT;
	struct svg_scale s;
	unsigned rows = 0, height;
	size_t n = 0;

	for (size_t i = 0; i < x->sides.n; i++)
		rows += shown[i];
	for (size_t i = 0; i < x->dots.n; i++)
		if (shown[x->dots.v[i].side])
			v[n++] = x->dots.v[i].value;
	svg_scale_fit(&s, v, n);
	height = rows * ROW + AXIS;
	str_addf(&label, "%s: the samples of each side, with median and 95 %% interval", x->metric);
	put_title(d, x, out);
	svg_open(out, height, label.p);
	put_axis(&s, x->unit, rows * ROW, out);
	rows = 0;
	/* good, bad, mended, whichever was measured first */
	for (size_t c = 0; c < ARRAY_LEN(colors); c++)
		for (uint32_t i = 0; i < x->sides.n; i++)
			if (shown[i] && !strcmp(figure_color(d, x, i), colors[c]))
				put_side(d, x, i, &s, rows++ * ROW, height, out);
	svg_close(out);
}

/* Of a search the two of the head-to-head; of the others all, but not more than can be looked at. */
static size_t choose_sides(const struct dossier *d, const struct dossier_series *x, bool *shown)
{
	const struct json *variants = json_get(d->main.answer, "head_to_head.variants");
	bool search = !strcmp(d->kind, "bisect") && x->hunt == d->main.hunt;
	size_t n = 0;

	for (size_t i = 0; i < x->sides.n; i++) {
		bool named = !search;

		for (size_t k = 0; search && k < json_count(variants); k++)
			named = named ||
				!strcmp(answer_str(json_at(variants, k), NULL), x->sides.v[i]);
		shown[i] = named && n < SIDES_MOST;
		n += shown[i];
	}
	return n;
}

bool figure_sides(const struct dossier *d, struct str *out)
{
	bool any = false, confirmed = false;

	for (size_t i = 0; i < d->series.n; i++)
		confirmed =
			confirmed || (d->confirm.hunt && d->series.v[i].hunt == d->confirm.hunt &&
				      d->series.v[i].dots.n);
	for (size_t i = 0; i < d->series.n; i++) {
		const struct dossier_series *x = &d->series.v[i];
		AUTO_FREE bool *shown = xcalloc(x->sides.n + 1, sizeof(*shown));

		if (!x->dots.n || (confirmed && x->hunt == d->main.hunt) ||
		    !choose_sides(d, x, shown))
			continue;
		put_plot(d, x, shown, out);
		any = true;
	}
	return any;
}

/* --- the order of the runs ------------------------------------------------------------------------------------------ */

static void put_order(const struct dossier *d, const struct dossier_series *x, struct str *out)
{
	enum { TOP = 18, BOTTOM = ORDER_HEIGHT - 24 };
	AUTO_FREE double *v = xcalloc(x->dots.n + 1, sizeof(*v));
	AUTO(str) struct str label = STR_INIT;
	int64_t last = 1;
	struct svg_scale s;

	for (size_t i = 0; i < x->dots.n; i++) {
		v[i] = x->dots.v[i].value;
		last = x->dots.v[i].order > last ? x->dots.v[i].order : last;
	}
	svg_scale_fit(&s, v, x->dots.n);
	str_addf(&label, "%s in the order of the runs of hunt %lld", x->metric, (long long)x->hunt);
	svg_open(out, ORDER_HEIGHT, label.p);
	figure_axis(&s, TOP, BOTTOM, x->unit, out);
	for (size_t c = 0; c < ARRAY_LEN(colors); c++) {
		svg_dots_open(out, ORDER_HEIGHT, colors[c]);
		for (size_t i = 0; i < x->dots.n; i++)
			if (!strcmp(figure_color(d, x, x->dots.v[i].side), colors[c]))
				svg_dot(out,
					0.08 + 0.91 * (double)x->dots.v[i].order / (double)last,
					BOTTOM - (BOTTOM - TOP) * svg_at(&s, v[i]));
		svg_dots_close(out);
	}
	svg_text(out, 0.08, ORDER_HEIGHT - 6, "tick", "start", "first run");
	svg_text(out, 1, ORDER_HEIGHT - 6, "tick", "end", "last run");
	svg_close(out);
}

bool figure_order(const struct dossier *d, struct str *out)
{
	bool any = false;

	for (size_t i = 0; i < d->series.n; i++) {
		const struct dossier_series *x = &d->series.v[i];

		if (x->dots.n < 4)
			continue;
		put_title(d, x, out);
		put_order(d, x, out);
		any = true;
	}
	return any;
}
