/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report for programs: what may be claimed and what not, and the answers that it was made from, whole. man/culprit-report.1 documents it.
 */
#include "report/write.h"

#include "report/answer.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

static void put_list(const struct strvec *v, const char *key, struct json_out *w)
{
	json_out_array(w, key);
	for (size_t i = 0; i < v->n; i++)
		json_out_text(w, NULL, v->v[i]);
	json_out_close(w);
}

static void put_part(const struct dossier_part *p, const char *key, struct json_out *w)
{
	AUTO(str) struct str text = STR_INIT;

	if (!p->hunt) {
		json_out_null(w, key);
		return;
	}
	json_out_object(w, key);
	json_out_int(w, "hunt", p->hunt);
	json_out_bool(w, "complete", p->complete);
	if (p->answer) {
		json_put(p->answer, &text);
		str_trim_end(&text);
		json_out_raw(w, "answer", text.p);
	} else {
		json_out_null(w, "answer");
	}
	json_out_close(w);
}

static void put_claim(const struct json *row, const char *of, struct json_out *w)
{
	static const char *const texts[] = { "benchmark", "metric",   "unit",	 "better",
					     "evidence",  "baseline", "variant", "verdict" };
	static const char *const numbers[] = { "baseline_median", "median", "change", "low", "high",
					       "level",		  "margin" };

	json_out_object(w, NULL);
	json_out_text(w, "of", of);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		json_out_text(w, texts[i], json_to_text(row, texts[i]));
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		json_out_number(w, numbers[i], answer_number(row, numbers[i]));
	json_out_array(w, "n");
	json_out_int(w, NULL, answer_int(row, "n[0]"));
	json_out_int(w, NULL, answer_int(row, "n[1]"));
	json_out_close(w);
	json_out_close(w);
}

static void put_claims_of(const struct json *answer, const char *of, struct json_out *w)
{
	const struct json *rows = json_get(answer, "metrics");

	for (size_t i = 0; i < json_count(rows); i++) {
		const struct json *row = json_at(rows, i);
		const char *why;

		if ((answer_flag(row, "primary") || answer_flag(row, "listed")) &&
		    claim_of(row, &why) != CLAIM_REFUSED)
			put_claim(row, of, w);
	}
}

static void put_claims(const struct dossier *d, struct json_out *w)
{
	bool search = !strcmp(d->kind, "bisect");

	json_out_array(w, "claims");
	put_claims_of(search ? json_get(d->main.answer, "head_to_head") : d->main.answer,
		      search ? "head-to-head" : d->kind, w);
	put_claims_of(d->confirm.answer, "confirm", w);
	put_claims_of(d->explain.answer, "explain", w);
	put_claims_of(d->trial.answer, "try", w);
	json_out_close(w);
}

static void put_range(const struct dossier *d, struct json_out *w)
{
	json_out_array(w, "range");
	for (size_t i = 0; i < d->range.n; i++) {
		const struct dossier_commit *c = &d->range.v[i];

		json_out_object(w, NULL);
		json_out_text(w, "commit", c->name);
		json_out_text(w, "subject", *c->subject ? c->subject : NULL);
		json_out_number(w, "probability", c->p);
		json_out_int(w, "runs", c->runs);
		json_out_number(w, "median", c->median);
		json_out_text(w, "skipped", c->skipped);
		json_out_close(w);
	}
	json_out_close(w);
}

void write_json(const struct dossier *d, const struct letter *l, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_PRETTY);
	static const char *const kinds[] = { "regression", "work", "improvement", "no-change",
					     "undecided" };

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "report");
	json_out_int(&w, "hunt", d->main.hunt);
	json_out_text(&w, "kind", d->kind);
	json_out_text(&w, "version", d->version);
	json_out_text(&w, "project", d->project);
	json_out_text(&w, "says", kinds[l->kind]);
	json_out_text(&w, "subject", l->subject);
	json_out_bool(&w, "complete", d->main.complete);
	json_out_int(&w, "builds", d->builds);
	json_out_int(&w, "boots", d->boots);
	json_out_int(&w, "runs", d->runs);
	put_claims(d, &w);
	put_list(&l->refusals.list, "not_claimed", &w);
	put_list(&d->missing, "missing", &w);
	put_range(d, &w);
	put_part(&d->main, "main", &w);
	put_part(&d->confirm, "confirm", &w);
	put_part(&d->explain, "explain", &w);
	put_part(&d->trial, "try", &w);
	json_out_close(&w);
}
