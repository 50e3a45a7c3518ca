/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/sim_report.h"

#include <math.h>
#include <stdlib.h>

static double share(uint32_t x, uint32_t n)
{
	return n ? (double)x / n : NAN;
}

static const char *plan_name(const struct simulate_plan *plan)
{
	return plan->scenario.name;
}

/* --- the table of policies ------------------------------------------------------------------------------------------ */

void sim_report_columns(struct table *t)
{
	static const char *const right[] = {
		"right",  "false", "no change", "multiple", "set",  "undecided", "holds", "size",
		"builds", "p90",   "runs",	"p90",	    "cost", "stated",	 "actual"
	};

	table_column(t, "scenario", TABLE_LEFT);
	table_column(t, "policy", TABLE_LEFT);
	table_column(t, "n", TABLE_RIGHT);
	for (size_t i = 0; i < ARRAY_LEN(right); i++)
		table_column(t, right[i], TABLE_RIGHT);
}

static void put_percent(struct table *t, enum text_style style, double v)
{
	if (isnan(v))
		table_cell(t, TEXT_DIM, "-");
	else
		table_cell(t, style, "%.1f", 100 * v);
}

static void put_number(struct table *t, int decimals, double v)
{
	if (isnan(v))
		table_cell(t, TEXT_DIM, "-");
	else
		table_cell(t, TEXT_PLAIN, "%.*f", decimals, v);
}

void sim_report_row(const struct simulate_plan *plan, const struct simulate_tally *s,
		    struct table *t)
{
	uint32_t n = s->n;

	table_cell(t, TEXT_PLAIN, "%s", plan_name(plan));
	table_cell(t, TEXT_PLAIN, "%s", sim_policy_name(plan->policy));
	table_cell(t, TEXT_PLAIN, "%u", n);
	put_percent(t, TEXT_PLAIN, share(s->right, n));
	put_percent(t, s->wrong ? TEXT_BAD : TEXT_PLAIN, share(s->wrong, n));
	put_percent(t, TEXT_PLAIN, share(s->no_change, n));
	put_percent(t, TEXT_PLAIN, share(s->multiple, n));
	put_percent(t, TEXT_PLAIN, share(s->set, n));
	put_percent(t, TEXT_PLAIN, share(s->undecided, n));
	put_percent(t, TEXT_PLAIN, share(s->set_holds + s->undecided_holds, s->set + s->undecided));
	put_number(t, 1, s->set_size);
	put_number(t, 1, s->builds.mean);
	put_number(t, 0, s->builds.p90);
	put_number(t, 1, s->runs.mean);
	put_number(t, 0, s->runs.p90);
	put_number(t, 1, s->cost.mean);
	put_number(t, 3, s->stated);
	put_number(t, 3, isnan(s->stated) ? NAN : s->actual);
}

void sim_report_bin_columns(struct table *t)
{
	table_column(t, "scenario", TABLE_LEFT);
	table_column(t, "policy", TABLE_LEFT);
	table_column(t, "stated from", TABLE_RIGHT);
	table_column(t, "mean", TABLE_RIGHT);
	table_column(t, "actual", TABLE_RIGHT);
	table_column(t, "named", TABLE_RIGHT);
}

void sim_report_bins(const struct simulate_plan *plan, const struct simulate_tally *s,
		     struct table *t)
{
	for (unsigned i = 0; i < SIM_BINS; i++) {
		const struct sim_bin *b = &s->bins[i];
		if (!b->n)
			continue;
		table_cell(t, TEXT_PLAIN, "%s", plan_name(plan));
		table_cell(t, TEXT_PLAIN, "%s", sim_policy_name(plan->policy));
		table_cell(t, TEXT_PLAIN, "%.3f", b->from);
		table_cell(t, TEXT_PLAIN, "%.4f", b->stated);
		table_cell(t, TEXT_PLAIN, "%.4f", share(b->right, b->n));
		table_cell(t, TEXT_PLAIN, "%u", b->n);
	}
}

static void spread_json(struct json_out *w, const char *key, const struct sim_spread *s)
{
	json_out_object(w, key);
	json_out_number(w, "mean", s->mean);
	json_out_number(w, "se", s->se);
	json_out_number(w, "p90", s->p90);
	json_out_close(w);
}

void sim_report_json(const struct simulate_plan *plan, const struct simulate_tally *s,
		     struct json_out *w, const char *key)
{
	uint32_t n = s->n;

	json_out_object(w, key);
	json_out_int(w, "schema", 1);
	json_out_text(w, "command", "simulate");
	json_out_text(w, "scenario", plan_name(plan));
	json_out_text(w, "policy", sim_policy_name(plan->policy));
	json_out_int(w, "histories", n);
	json_out_int(w, "seed", (int64_t)plan->seed);
	json_out_number(w, "right", share(s->right, n));
	json_out_number(w, "false", share(s->wrong, n));
	json_out_number(w, "no_change", share(s->no_change, n));
	json_out_number(w, "multiple", share(s->multiple, n));
	json_out_number(w, "set", share(s->set, n));
	json_out_number(w, "set_holds_culprit", share(s->set_holds, n));
	json_out_number(w, "undecided", share(s->undecided, n));
	json_out_number(w, "undecided_holds_culprit", share(s->undecided_holds, n));
	json_out_number(w, "set_size", s->set_size);
	spread_json(w, "builds", &s->builds);
	spread_json(w, "boots", &s->boots);
	spread_json(w, "runs", &s->runs);
	spread_json(w, "cost", &s->cost);
	json_out_number(w, "stated", s->stated);
	json_out_number(w, "actual", s->actual);
	json_out_array(w, "calibration");
	for (unsigned i = 0; i < SIM_BINS; i++) {
		const struct sim_bin *b = &s->bins[i];
		if (!b->n)
			continue;
		json_out_object(w, NULL);
		json_out_number(w, "from", b->from);
		json_out_int(w, "named", b->n);
		json_out_number(w, "stated", b->stated);
		json_out_number(w, "actual", share(b->right, b->n));
		json_out_close(w);
	}
	json_out_close(w);
	json_out_close(w);
}

/* --- histories from a file ------------------------------------------------------------------------------------------ */

/* Orders results by answer and, for names, by commit, so that equal ones stand together. */
static int compare_answers(const void *a, const void *b)
{
	const struct policy_result *x = a, *y = b;

	if (x->answer != y->answer)
		return (int)x->answer - (int)y->answer;
	if (x->answer != ANSWER_NAMED || x->culprit == y->culprit)
		return 0;
	return x->culprit < y->culprit ? -1 : 1;
}

void sim_report_names(const struct simulate_plan *plan, const struct policy_result *r,
		      struct str *out)
{
	uint32_t n = plan->histories;
	struct policy_result *v = xmemdup(r, n * sizeof(*v));

	qsort(v, n, sizeof(*v), compare_answers);
	for (uint32_t i = 0, end; i < n; i = end) {
		double stated = 0, builds = 0, runs = 0, size = 0;
		for (end = i; end < n && compare_answers(&v[i], &v[end]) == 0; end++) {
			stated += v[end].stated;
			builds += v[end].builds;
			runs += v[end].runs;
			size += v[end].set_size;
		}
		double count = end - i;
		str_addf(out, "%s  %.0f of %u  ", sim_policy_name(plan->policy), count, n);
		if (v[i].answer == ANSWER_NAMED)
			str_addf(out, "named %s", plan->file->names[v[i].culprit]);
		else
			str_puts(out, answer_name(v[i].answer));
		if (v[i].answer == ANSWER_NAMED && !isnan(stated))
			str_addf(out, "  P = %.1f %%", 100 * stated / count);
		if (size > 0 && v[i].answer != ANSWER_NAMED)
			str_addf(out, " of %.1f", size / count);
		str_addf(out, "  %.1f builds, %.1f runs\n", builds / count, runs / count);
	}
	free(v);
}

/* --- the list ------------------------------------------------------------------------------------------------------- */

static void put_part(struct table *t, double v)
{
	if (v > 0)
		table_cell(t, TEXT_PLAIN, "%g", v);
	else
		table_cell(t, TEXT_DIM, "-");
}

void sim_report_list(struct table *t)
{
	static const char *const right[] = { "commits", "shift", "sd",	 "noise",
					     "tau",	"boot",	 "drift" };
	const struct sim_scenario *p;

	table_column(t, "scenario", TABLE_LEFT);
	for (size_t i = 0; i < ARRAY_LEN(right); i++)
		table_column(t, right[i], i == 3 ? TABLE_LEFT : TABLE_RIGHT);
	table_column(t, "", TABLE_LEFT | TABLE_SHRINK);
	for (size_t i = 0; (p = sim_scenario_at(i)); i++) {
		table_cell(t, TEXT_BOLD, "%s", p->name);
		table_cell(t, TEXT_PLAIN, "%u", p->n);
		put_part(t, p->d);
		put_part(t, p->s);
		table_cell(t, TEXT_PLAIN, "%s", p->mix ? "-" : sim_noise_name(p->noise));
		put_part(t, p->tau);
		put_part(t, p->boot_sd);
		put_part(t, p->drift_sd);
		table_cell(t, TEXT_PLAIN, "%s", p->help);
	}
}

/* --- targets -------------------------------------------------------------------------------------------------------- */

void sim_report_target_columns(struct table *t)
{
	static const char *const heads[] = { "scenario", "policy", "n",	     "what",   "target",
					     "measured", "p90",	   "chance", "verdict" };

	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		table_column(t, heads[i], i < 2 || i == 3 || i == 8 ? TABLE_LEFT : TABLE_RIGHT);
}

static const char *target_name(const struct target *t)
{
	return target_what_name(t->what);
}

static bool in_percent(const struct target *t)
{
	return target_is_rate(t->what) || t->what == TARGET_COST_P0 || t->what == TARGET_COST_P1;
}

static void put_target(struct table *t, const struct target_result *r)
{
	const char *sign = r->target->at_least ? ">=" : "<=";

	if (in_percent(r->target))
		table_cell(t, TEXT_PLAIN, "%s %.2f %%", sign, 100 * r->wanted);
	else if (isnan(r->target->p90))
		table_cell(t, TEXT_PLAIN, "%s %.4g", sign, r->wanted);
	else
		table_cell(t, TEXT_PLAIN, "%s %.4g / %.4g", sign, r->wanted, r->target->p90);
	if (isnan(r->measured))
		table_cell(t, TEXT_DIM, "-");
	else if (in_percent(r->target))
		table_cell(t, TEXT_PLAIN, "%.2f %%", 100 * r->measured);
	else
		table_cell(t, TEXT_PLAIN, "%.4g", r->measured);
	put_number(t, 0, r->p90);
	if (isnan(r->p))
		table_cell(t, TEXT_DIM, "-");
	else
		table_cell(t, TEXT_PLAIN, "%.2g", r->p);
	table_cell(t, r->ok ? TEXT_GOOD : TEXT_BAD, "%s", r->ok ? "ok" : "WORSE");
}

void sim_report_targets(const struct target_row *row, uint32_t histories,
			const struct target_result *r, struct table *t)
{
	for (unsigned i = 0; i < row->n; i++) {
		table_cell(t, TEXT_PLAIN, "%s", i ? "" : row->scenario.name);
		table_cell(t, TEXT_PLAIN, "%s", i ? "" : sim_policy_name(row->policy));
		if (i)
			table_cell(t, TEXT_PLAIN, " ");
		else
			table_cell(t, TEXT_PLAIN, "%u", histories);
		table_cell(t, TEXT_PLAIN, "%s", target_name(r[i].target));
		put_target(t, &r[i]);
	}
}

void sim_report_targets_json(const struct target_row *row, uint32_t histories,
			     const struct target_result *r, struct json_out *w)
{
	for (unsigned i = 0; i < row->n; i++) {
		json_out_object(w, NULL);
		json_out_text(w, "scenario", row->scenario.name);
		json_out_text(w, "policy", sim_policy_name(row->policy));
		json_out_int(w, "histories", histories);
		json_out_text(w, "what", target_name(r[i].target));
		json_out_text(w, "relation", r[i].target->at_least ? ">=" : "<=");
		json_out_number(w, "target", r[i].wanted);
		json_out_number(w, "target_p90", r[i].target->p90);
		json_out_number(w, "measured", r[i].measured);
		json_out_number(w, "measured_p90", r[i].p90);
		json_out_number(w, "chance", r[i].p);
		json_out_bool(w, "ok", r[i].ok);
		json_out_close(w);
	}
}
