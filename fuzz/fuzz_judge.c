/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts, recovery and change points from any finite doubles: the first byte chooses the settings, the rest are values. */
#include "brain/judge.h"
#include "stats/changepoint.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

enum { MOST = 400 };

static void check(const struct judgement *j)
{
	const struct comparison *c = &j->cmp;
	AUTO(str) struct str text = STR_INIT;

	assert(c->p >= 0 && c->p <= 1);
	assert(isnan(c->low) || c->low <= c->high);
	assert(isnan(c->low) || j->per_build || (c->low <= c->shift && c->shift <= c->high));
	assert(j->verdict != VERDICT_UNDECIDED || !isnan(c->low) || j->need_minimum ||
	       isnan(c->shift));
	judge_text(&text, j, "wall", "s");
	assert(text.n > 0);
}

static void check_history(const double *v, size_t n)
{
	struct changepoint_params p;
	struct changepoints c;

	changepoint_params_default(&p);
	changepoints_find(v, n, &p, &c);
	for (size_t i = 0; i < c.n; i++) {
		assert(c.v[i].from < c.v[i].at && c.v[i].at < c.v[i].to && c.v[i].to <= n);
		assert(c.v[i].first <= c.v[i].at && c.v[i].at <= c.v[i].last);
	}
	assert(c.pending < n || !n);
	changepoints_done(&c);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	double v[MOST];
	int64_t group[MOST];
	size_t count = 0, half;
	unsigned settings = n ? data[0] : 0;
	struct judge_params p = { .margin = 0.01,
				  .better = (enum better)(settings % 3),
				  .counter = settings & 4,
				  .resolution = settings & 8 ? 0.5 : 0 };
	struct judge_plan plan;
	struct judgement j[2];
	struct recovery r;

	for (size_t at = 1; at + sizeof(*v) <= n && count < MOST; at += sizeof(*v)) {
		memcpy(&v[count], data + at, sizeof(*v));
		group[count] = (int64_t)(count % (1 + settings / 16));
		count += isfinite(v[count]) ? 1 : 0;
	}
	check_history(v, count);
	if (count < 3)
		return 0;
	half = 1 + (count - 2) * (settings % 7) / 7;
	judge_plan_make(0.05, 1 + settings % 70, 1 + settings % 5, &plan);
	judge_runs(v, half, v + half, count - half, &p, &plan, 0, &j[0]);
	judge_builds(v, group, half, v + half, group, count - half, &p, &plan, plan.looks - 1,
		     &j[1]);
	check(&j[0]);
	check(&j[1]);
	judge_family(&j[0], 1, &plan, 0);
	check(&j[0]);
	judge_recovery(v, half, v + half, count - half, v, count, 0.05, &r);
	assert(isnan(r.share) || (r.low <= r.share && r.share <= r.high));
	return 0;
}
