/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt/duel_json.h"

#include "hunt/guesting.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

static size_t distinct(const int64_t *ids, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < i && ids[k] != ids[i])
			k++;
		count += k == i;
	}
	return count;
}

static void put_pair(struct json_out *w, const char *key, size_t a, size_t b)
{
	json_out_array(w, key);
	json_out_int(w, NULL, (int64_t)a);
	json_out_int(w, NULL, (int64_t)b);
	json_out_close(w);
}

static void put_warnings(const struct duel *d, const struct duel_row *row, struct json_out *w)
{
	static const struct {
		unsigned bit;
		const char *text;
	} texts[] = {
		{ COMPARE_TIES, "half of the values are ties: coarsely printed" },
		{ COMPARE_BIMODAL, "two levels within one side" },
		{ COMPARE_OUTLIERS, "outliers" },
		{ COMPARE_DRIFT, "a side drifted over the session" },
		{ COMPARE_SPREAD, "the spread changed" },
		{ COMPARE_RAW_SCALE, "values <= 0: change relative to the baseline's median" },
		{ COMPARE_NO_BASE, "the baseline's median is 0: no relative change exists" },
	};

	/* a count that repeats is exact, not coarse */
	unsigned bits = row->j.cmp.warnings & ~(row->a->counter ? (unsigned)COMPARE_TIES : 0);

	json_out_array(w, "warnings");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (bits & texts[i].bit)
			json_out_text(w, NULL, texts[i].text);
	if (d->imported)
		json_out_text(w, NULL, "order of the runs unknown: drift not excluded");
	json_out_close(w);
}

void duel_row_json(const struct duel *d, const char *key, const struct duel_row *row,
		   const bool *listed, struct json_out *w)
{
	const struct metric_series *a = row->a, *b = row->b;
	const struct comparison *c = &row->j.cmp;

	json_out_object(w, key);
	json_out_text(w, "benchmark", d->benchmark);
	json_out_text(w, "metric", a->metric);
	json_out_text(w, "unit", a->unit);
	json_out_text(w, "better", a->better == BETTER_UNKNOWN ? NULL : better_name(a->better));
	json_out_text(w, "variant", d->sides[row->side].label);
	json_out_text(w, "baseline", d->sides[row->base].label);
	json_out_bool(w, "primary", a->primary);
	if (listed)
		json_out_bool(w, "listed", *listed);
	put_pair(w, "n", row->n_a, row->n_b);
	put_pair(w, "builds", d->imported ? 0 : distinct(a->build, row->n_a),
		 d->imported ? 0 : distinct(b->build, row->n_b));
	put_pair(w, "boots", d->imported ? 0 : distinct(a->boot, row->n_a),
		 d->imported ? 0 : distinct(b->boot, row->n_b));
	json_out_text(w, "evidence",
		      evidence_name(d->imported	   ? EVIDENCE_IMPORTED
				    : d->simulated ? EVIDENCE_MODEL
						   : guesting_evidence(d->target, a->metric)));
	json_out_number(w, "baseline_median", c->median_a);
	json_out_number(w, "median", c->median_b);
	json_out_number(w, "change", c->shift);
	json_out_number(w, "low", c->low);
	json_out_number(w, "high", c->high);
	json_out_number(w, "level", c->level);
	json_out_number(w, "achieved_level", c->achieved);
	json_out_number(w, "p", c->p);
	json_out_number(w, "sd", c->sd);
	json_out_number(w, "margin", d->margin);
	json_out_text(w, "verdict",
		      a->better == BETTER_UNKNOWN && row->j.verdict < VERDICT_ON_PAR
			      ? "undecided"
			      : verdict_name(row->j.verdict));
	json_out_int(w, "more_runs", row->j.more_runs);
	json_out_bool(w, "unresolvable", row->j.unresolvable);
	json_out_number(w, "rounding", row->j.rounding);
	json_out_bool(w, "need_minimum", row->j.need_minimum);
	json_out_bool(w, "differs_within_margin", row->j.on_par_but_differs);
	json_out_number(w, "resolution", a->resolution);
	put_warnings(d, row, w);
	json_out_close(w);
}

/* The metrics beside the primary ones are explored, not tested: which of them the false-discovery rate lists. The caller frees. */
static bool *explore(const struct duel *d, const struct duel_rows *rows, size_t *ret_primaries)
{
	AUTO_FREE struct judgement *j = xcalloc(rows->n + 1, sizeof(*j));
	bool *listed = xcalloc(rows->n + 1, sizeof(*listed));
	size_t p = 0;

	while (p < rows->n && rows->v[p].a->primary)
		p++;
	for (size_t i = p; i < rows->n; i++)
		j[i - p] = rows->v[i].j;
	judge_explore(j, rows->n - p, d->alpha, listed + p);
	*ret_primaries = p;
	return listed;
}

void duel_json(const struct duel *d, struct json_out *w)
{
	struct duel_rows rows = { 0 };
	size_t primaries;

	json_out_array(w, "variants");
	for (size_t i = 0; i < d->n_sides; i++)
		json_out_text(w, NULL, d->sides[i].label);
	json_out_close(w);
	duel_judge(d, &rows);
	AUTO_FREE bool *listed = explore(d, &rows, &primaries);

	json_out_array(w, "metrics");
	for (size_t i = 0; i < rows.n; i++)
		duel_row_json(d, NULL, &rows.v[i], i < primaries ? NULL : &listed[i], w);
	json_out_close(w);
	free(rows.v);
	duel_failures_json(d, w);
}

void duel_failures_json(const struct duel *d, struct json_out *w)
{
	json_out_array(w, "failed_runs");
	for (size_t i = 0; i < d->n_sides; i++)
		json_out_int(w, NULL, d->sides[i].failed);
	json_out_close(w);
	json_out_array(w, "last_failures");
	for (size_t i = 0; i < d->n_sides; i++)
		json_out_text(w, NULL, d->sides[i].last_reason);
	json_out_close(w);
}

void duel_summarise(const struct duel *d, struct duel_summary *ret)
{
	struct duel_rows rows = { 0 };

	*ret = (struct duel_summary){ 0 };
	duel_judge(d, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		if (!rows.v[i].a->primary)
			continue;
		ret->any = true;
		ret->slower = ret->slower || rows.v[i].j.verdict == VERDICT_SLOWER;
		ret->undecided = ret->undecided || rows.v[i].j.verdict == VERDICT_UNDECIDED;
	}
	free(rows.v);
}
