/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/sim_report.h"

#include <math.h>

static void put_share(struct table *t, double v)
{
	if (isnan(v))
		table_cell(t, TEXT_DIM, "-");
	else
		table_cell(t, TEXT_PLAIN, "%.3f", v);
}

static void put_verdict(struct table *t, const struct ab_cell *c)
{
	put_share(t, c->target);
	table_cell(t, c->ok ? TEXT_GOOD : TEXT_BAD, "%s", c->ok ? "ok" : "WORSE");
}

static void columns(struct table *t, const char *const *heads)
{
	for (size_t i = 0; heads[i]; i++)
		table_column(t, heads[i], i == 0 || !heads[i + 1] ? TABLE_LEFT : TABLE_RIGHT);
}

static void put_coverage(const struct ab_cell *c, struct table *t)
{
	table_cell(t, TEXT_PLAIN, "%s", ab_noise_name(c->noise));
	table_cell(t, TEXT_PLAIN, "%u", c->n);
	put_share(t, c->coverage);
	put_share(t, c->half_width);
	put_verdict(t, c);
}

static void put_sequential(const struct ab_cell *c, struct table *t)
{
	table_cell(t, TEXT_PLAIN, "%s", ab_noise_name(c->noise));
	table_cell(t, TEXT_PLAIN, "%g", c->d);
	put_share(t, c->different);
	put_share(t, c->on_par);
	put_share(t, c->undecided);
	table_cell(t, TEXT_PLAIN, "%.1f", c->mean_n);
	put_share(t, c->coverage);
	put_verdict(t, c);
}

static void put_family(const struct ab_cell *c, struct table *t)
{
	table_cell(t, TEXT_PLAIN, "%u", c->n);
	table_cell(t, TEXT_PLAIN, "%u", c->real);
	table_cell(t, TEXT_PLAIN, "%g", c->rho);
	put_share(t, c->alarm);
	put_share(t, c->power);
	put_verdict(t, c);
}

static const struct {
	const char *title;
	const char *const *heads;
	void (*put)(const struct ab_cell *c, struct table *t);
} kinds[] = {
	[AB_COVERAGE] = { "95 % interval at a fixed size: how often it holds the truth (half-width in sigma)",
			  (const char *const[]){ "noise", "n", "coverage", "half-width", "target",
						 "verdict", NULL },
			  put_coverage },
	[AB_SEQUENTIAL] = { "early stopping, margin 1 sigma",
			    (const char *const[]){ "noise", "shift/sigma", "different", "on par",
						   "undecided", "mean n", "coverage", "target",
						   "verdict", NULL },
			    put_sequential },
	[AB_FAMILY] = { "many metrics: any false alarm, and the share of real changes found",
			(const char *const[]){ "metrics", "changed", "correlation", "alarm",
					       "power", "target", "verdict", NULL },
			put_family },
};

void sim_report_ab(const struct ab_cell *cells, size_t n, unsigned width, bool color,
		   struct str *out)
{
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		AUTO(table) struct table t = TABLE_INIT;
		columns(&t, kinds[k].heads);
		for (size_t i = 0; i < n; i++)
			if (cells[i].kind == k)
				kinds[k].put(&cells[i], &t);
		if (!table_rows(&t))
			continue;
		str_addf(out, "%s%s\n", out->n ? "\n" : "", kinds[k].title);
		table_put(&t, width, color, out);
	}
}

void sim_report_ab_json(const struct ab_cell *cells, size_t n, struct json_out *w)
{
	static const char *const names[] = { "coverage", "sequential", "family" };

	for (size_t i = 0; i < n; i++) {
		const struct ab_cell *c = &cells[i];
		json_out_object(w, NULL);
		json_out_text(w, "kind", names[c->kind]);
		json_out_text(w, "noise", ab_noise_name(c->noise));
		json_out_int(w, "n", c->n);
		json_out_number(w, "shift", c->d);
		json_out_int(w, "repetitions", c->repetitions);
		json_out_number(w, "coverage", c->coverage);
		json_out_number(w, "half_width", c->half_width);
		if (c->kind == AB_SEQUENTIAL) {
			json_out_number(w, "different", c->different);
			json_out_number(w, "on_par", c->on_par);
			json_out_number(w, "undecided", c->undecided);
			json_out_number(w, "mean_n", c->mean_n);
		}
		if (c->kind == AB_FAMILY) {
			json_out_int(w, "changed", c->real);
			json_out_number(w, "correlation", c->rho);
			json_out_number(w, "alarm", c->alarm);
			json_out_number(w, "power", c->power);
		}
		json_out_number(w, "target", c->target);
		json_out_bool(w, "ok", c->ok);
		json_out_close(w);
	}
}
