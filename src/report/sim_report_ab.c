/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of simulated comparisons. Kinds that vary the number of runs have a row for each noise and a column for each size; the
 * others a row for each cell. A deliberate fault is shown last and must have been refused.
 */
#include "report/sim_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SIZES = 8 };

static void put_share(struct table *t, double v)
{
	if (isnan(v))
		table_cell(t, TEXT_DIM, "-");
	else
		table_cell(t, TEXT_PLAIN, "%.3f", v);
}

static void put_verdict(struct table *t, bool holds, bool is_fault)
{
	table_cell(t, holds ? TEXT_GOOD : TEXT_BAD, "%s",
		   is_fault ? (holds ? "refused" : "MISSED") : (holds ? "ok" : "WORSE"));
}

static const char *fault_text(enum ab_fault f)
{
	switch (f) {
	case AB_PEEKING:
		return "95 % at every look";
	case AB_TWICE_ALPHA:
		return "intervals for twice the error";
	case AB_UNCORRECTED:
		return "each metric as if alone";
	case AB_RUNS_AS_UNITS:
		return "runs as units";
	case AB_A_QUARTER:
		return "a quarter of the number";
	case AB_SOUND:
		break;
	}
	return "";
}

static void columns(struct table *t, const char *const *heads)
{
	for (size_t i = 0; heads[i]; i++)
		table_column(t, heads[i], i == 0 || !heads[i + 1] ? TABLE_LEFT : TABLE_RIGHT);
}

/* --- a column for each size ------------------------------------------------------------------------------------------- */

static bool same_row(const struct ab_cell *a, const struct ab_cell *b)
{
	return a->noise == b->noise && a->fault == b->fault && a->share == b->share &&
	       (a->d == b->d || (isnan(a->d) && isnan(b->d)));
}

static void put_size(struct table *t, const struct ab_cell *c)
{
	if (!c)
		table_cell(t, TEXT_DIM, "-");
	else if (c->kind == AB_SYMPTOMS)
		table_cell(t, TEXT_PLAIN, "%.1f / %.1f / %.1f / %.1f", 100 * c->raised[0],
			   100 * c->raised[1], 100 * c->raised[2], 100 * c->raised[3]);
	else if (c->kind == AB_RECOVERY)
		table_cell(t, TEXT_PLAIN, "%.3f (%.2f; %.2f)", c->coverage, 1 - c->no_interval,
			   c->half_width);
	else
		table_cell(t, TEXT_PLAIN, "%.3f (%.2f)", c->coverage, c->half_width);
}

static void put_label(struct table *t, const struct ab_cell *c)
{
	const char *noise = ab_noise_name(c->noise);

	if (c->kind == AB_RECOVERY)
		table_cell(t, TEXT_PLAIN, "%s %g sd, %.0f %%%s%s", noise, c->d, 100 * c->share,
			   c->fault ? ", " : "", fault_text(c->fault));
	else
		table_cell(t, TEXT_PLAIN, "%s%s%s", noise, c->fault ? ", " : "",
			   fault_text(c->fault));
}

/* The sizes that are shown; of the others the least coverage is. */
static size_t choose_sizes(const struct ab_cell *c, size_t n, unsigned *ret)
{
	static const unsigned shown[] = { 4, 5, 6, 8, 10, 14, 20, 30, 60, 200, 400 };
	size_t k = 0;

	for (size_t s = 0; s < sizeof(shown) / sizeof(*shown) && k < MOST_SIZES; s++)
		for (size_t i = 0; i < n; i++)
			if (c[i].n == shown[s] && same_row(&c[i], &c[0])) {
				ret[k++] = shown[s];
				break;
			}
	return k;
}

static void put_sizes(const struct ab_cell *c, size_t n, struct table *t)
{
	unsigned sizes[MOST_SIZES];
	size_t k = choose_sizes(c, n, sizes);
	bool has_coverage = c->kind != AB_SYMPTOMS;

	table_column(t, "noise", TABLE_LEFT);
	for (size_t s = 0; s < k; s++) {
		char head[32];

		snprintf(head, sizeof(head), "n = %u", sizes[s]);
		table_column(t, head, TABLE_RIGHT);
	}
	if (has_coverage)
		table_column(t, "least", TABLE_RIGHT);
	table_column(t, "verdict", TABLE_LEFT);
	for (size_t from = 0, to; from < n; from = to) {
		const struct ab_cell *at[MOST_SIZES] = { NULL };
		double least = 1;
		bool holds = true;

		for (to = from; to < n && same_row(&c[to], &c[from]); to++) {
			for (size_t s = 0; s < k; s++)
				if (sizes[s] == c[to].n)
					at[s] = &c[to];
			least = fmin(least, c[to].coverage);
			holds = holds && ab_holds(&c[to]);
		}
		put_label(t, &c[from]);
		for (size_t s = 0; s < k; s++)
			put_size(t, at[s]);
		if (has_coverage)
			put_share(t, least);
		put_verdict(t, holds, c[from].fault != AB_SOUND);
	}
}

/* --- a row for each cell ---------------------------------------------------------------------------------------------- */

static void put_looks(const struct ab_cell *c, struct table *t)
{
	table_cell(t, TEXT_PLAIN, "%s%s%s", ab_noise_name(c->noise), c->fault ? ", " : "",
		   fault_text(c->fault));
	table_cell(t, TEXT_PLAIN, "%u", c->budget ? c->budget : 56);
	table_cell(t, TEXT_PLAIN, "%g", c->d);
	if (c->d == 0)
		table_cell(t, TEXT_PLAIN, "%.4f", c->different);
	else
		put_share(t, c->different);
	put_share(t, c->on_par);
	put_share(t, c->undecided);
	table_cell(t, TEXT_PLAIN, "%.1f", c->mean_n);
	put_share(t, c->coverage);
	put_share(t, c->target);
}

static void put_family(const struct ab_cell *c, struct table *t)
{
	table_cell(t, TEXT_PLAIN, "%s%s%s", ab_noise_name(c->noise), c->fault ? ", " : "",
		   fault_text(c->fault));
	table_cell(t, TEXT_PLAIN, "%u", c->n);
	table_cell(t, TEXT_PLAIN, "%u", c->real);
	table_cell(t, TEXT_PLAIN, "%g", c->d);
	table_cell(t, TEXT_PLAIN, "%g", c->margin);
	table_cell(t, TEXT_PLAIN, "%g", c->rho);
	table_cell(t, TEXT_PLAIN, "%u", c->budget ? c->budget : 56);
	put_share(t, c->alarm);
	put_share(t, c->power);
	table_cell(t, TEXT_PLAIN, "%.1f", c->mean_n);
	put_share(t, c->listed_false);
	put_share(t, c->target);
}

static void put_builds(const struct ab_cell *c, struct table *t)
{
	table_cell(t, TEXT_PLAIN, "%u%s%s", c->n, c->fault ? ", " : "", fault_text(c->fault));
	put_share(t, c->different);
	table_cell(t, TEXT_PLAIN, "%.2f", c->half_width);
	put_share(t, c->target);
}

static void put_more(const struct ab_cell *c, struct table *t)
{
	table_cell(t, TEXT_PLAIN, "%s%s%s", ab_noise_name(c->noise), c->fault ? ", " : "",
		   fault_text(c->fault));
	table_cell(t, TEXT_PLAIN, "%u", c->n);
	table_cell(t, TEXT_PLAIN, "%g", c->d);
	put_share(t, c->undecided);
	put_share(t, c->power);
	put_share(t, c->twice);
	put_share(t, c->target);
}

static const struct {
	const char *title;
	const char *const *heads; /* NULL: sizes are the columns */
	void (*put)(const struct ab_cell *c, struct table *t);
} kinds[AB_KINDS] = {
	[AB_COVERAGE] = { "95 % interval at a fixed size: how often it holds the truth (median half-width in sd); "
			  "least of all sizes counted; target .935",
			  NULL, NULL },
	[AB_LOOKS] = { "early stopping, margin 1 sd; coverage is of all looks together",
		       (const char *const[]){ "noise", "at most", "shift/sd", "different", "on par",
					      "undecided", "mean n", "coverage", "target",
					      "verdict", NULL },
		       put_looks },
	[AB_FAMILY] = { "many metrics with early stopping: any false slower or faster, the share of real changes found; "
			"listed: false among Benjamini and Hochberg's at n = 20",
			(const char *const[]){ "noise", "metrics", "changed", "shift/sd", "margin",
					       "correlation", "at most", "alarm", "found", "mean n",
					       "listed", "target", "verdict", NULL },
			put_family },
	[AB_BUILDS] = { "builds of 5 runs each, sd between builds = sd of runs, nothing changed (median half-width in sd)",
			(const char *const[]){ "builds a side", "different", "half-width", "target",
					       "verdict", NULL },
			put_builds },
	[AB_RECOVERY] = { "share of a loss recovered: how often the 95 % interval holds it (loss shown; median half-width); "
			  "target .935",
			  NULL, NULL },
	[AB_MORE] = { "undecided comparisons: the share decided after about as many more runs as was said, and after twice as many; margin 1 sd",
		      (const char *const[]){ "noise", "n", "shift/sd", "undecided", "by the number",
					     "by twice", "target", "verdict", NULL },
		      put_more },
	[AB_SYMPTOMS] = { "warnings raised, in %: two modes / outliers / drift / spread; target 2 % each for gauss",
			  NULL, NULL },
};

void sim_report_ab(const struct ab_cell *cells, size_t n, unsigned width, bool color,
		   struct str *out)
{
	for (size_t from = 0, to; from < n; from = to) {
		AUTO(table) struct table t = TABLE_INIT;
		enum ab_kind k = cells[from].kind;

		for (to = from; to < n && cells[to].kind == k; to++)
			;
		if (kinds[k].heads)
			columns(&t, kinds[k].heads);
		else
			put_sizes(&cells[from], to - from, &t);
		for (size_t i = from; kinds[k].heads && i < to; i++) {
			kinds[k].put(&cells[i], &t);
			put_verdict(&t, ab_holds(&cells[i]), cells[i].fault != AB_SOUND);
		}
		str_addf(out, "%s%s\n", out->n ? "\n" : "", kinds[k].title);
		table_put(&t, width, color, out);
	}
}

static void put_numbers_json(const struct ab_cell *c, struct json_out *w)
{
	static const char *const warnings[AB_WARNINGS] = { "bimodal", "outliers", "drift",
							   "spread" };

	json_out_number(w, "coverage", c->coverage);
	json_out_number(w, "half_width", c->half_width);
	json_out_number(w, "no_interval", c->no_interval);
	if (c->kind == AB_LOOKS || c->kind == AB_BUILDS)
		json_out_number(w, "different", c->different);
	if (c->kind == AB_LOOKS) {
		json_out_number(w, "on_par", c->on_par);
		json_out_number(w, "undecided", c->undecided);
		json_out_number(w, "mean_n", c->mean_n);
	}
	if (c->kind == AB_FAMILY) {
		json_out_int(w, "changed", c->real);
		json_out_number(w, "correlation", c->rho);
		json_out_number(w, "alarm", c->alarm);
		json_out_number(w, "power", c->power);
		json_out_number(w, "mean_n", c->mean_n);
		json_out_number(w, "listed_false", c->listed_false);
	}
	if (c->kind == AB_MORE) {
		json_out_number(w, "undecided", c->undecided);
		json_out_number(w, "power", c->power);
		json_out_number(w, "twice", c->twice);
	}
	if (c->kind == AB_RECOVERY)
		json_out_number(w, "share", c->share);
	for (unsigned k = 0; c->kind == AB_SYMPTOMS && k < AB_WARNINGS; k++)
		json_out_number(w, warnings[k], c->raised[k]);
}

void sim_report_ab_json(const struct ab_cell *cells, size_t n, struct json_out *w)
{
	for (size_t i = 0; i < n; i++) {
		const struct ab_cell *c = &cells[i];

		json_out_object(w, NULL);
		json_out_text(w, "kind", ab_kind_name(c->kind));
		json_out_text(w, "fault", c->fault ? fault_text(c->fault) : NULL);
		json_out_text(w, "noise", ab_noise_name(c->noise));
		json_out_int(w, "n", c->n);
		json_out_int(w, "budget", c->budget);
		json_out_number(w, "shift", c->d);
		json_out_int(w, "repetitions", c->repetitions);
		put_numbers_json(c, w);
		json_out_number(w, "target", c->target);
		json_out_bool(w, "ok", ab_holds(c));
		json_out_close(w);
	}
}
