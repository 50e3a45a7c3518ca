/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Order: rounds. A round visits every side once; every second round is the mirror of the one before it (ABBA, ABCCBA), and each
 * pair starts with a permutation drawn from the seed, so that a drift hits all sides alike. A visit makes
 * one run (or the benchmark's least number), in a fresh process environment.
 *
 * The plan of looks is made after one discarded probe of each side, which is the only thing that can tell what a run costs; no
 * value has been looked at by then, so the promise of the spending table stands.
 */
#include "hunt/duel.h"

#include "hunt/booting.h"
#include "hunt/duel_order.h"

#include "base/num.h"
#include "sys/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char plan_note[] = "look plan: ", side_note[] = "visit of side ";

/* What follows "TAG: KEY" in a note; NULL if the note is another one, or another duel's. */
static const char *note_of(const struct duel *d, const char *note, const char *key)
{
	if (d->tag) {
		size_t n = strlen(d->tag);

		if (!starts_with(note, d->tag) || !starts_with(note + n, ": "))
			return NULL;
		note += n + 2;
	}
	return starts_with(note, key) ? note + strlen(key) : NULL;
}

static int add_note(struct session *s, const struct duel *d, const char *key, const char *value,
		    struct err *e)
{
	AUTO_FREE char *note =
		xasprintf("%s%s%s%s", d->tag ? d->tag : "", d->tag ? ": " : "", key, value);

	return store_note(s->store, s->hunt, note, e);
}

/* How many values of a series a look sees: those it was planned for, so that a run made after it cannot change what it said. */
size_t duel_seen(const struct duel *d, unsigned look, const struct metric_series *x)
{
	unsigned planned = d->imported ? 0 : d->plan.n[look];

	return !planned || x->n < planned ? x->n : planned;
}

void duel_judge_pair(const struct duel *d, unsigned look, struct duel_row *row)
{
	struct judge_params p = { .margin = d->margin,
				  .better = row->a->better,
				  .counter = row->a->counter };
	const struct metric_series *a = row->a, *b = row->b;

	/* What the last printed digit hides belongs into the interval. */
	p.resolution = a->resolution > b->resolution ? a->resolution : b->resolution;
	row->n_a = duel_seen(d, look, a);
	row->n_b = duel_seen(d, look, b);
	judge_builds(a->v, a->build, row->n_a, b->v, b->build, row->n_b, &p, &d->plan, look,
		     &row->j);
}

/*
 * Looks in their order, as if each had just been reached: a verdict stands at the look that made it, and leaves its share of
 * alpha to the others. All of it follows from the samples, so a resumed hunt and `verify` come to the same.
 */
static void judge_primaries(const struct duel *d, unsigned last, struct duel_row *rows, size_t n)
{
	AUTO_FREE struct judgement *family = xcalloc(n + 1, sizeof(*family));

	for (unsigned look = 0; n && look <= last; look++) {
		for (size_t i = 0; i < n; i++) {
			if (look && family[i].final)
				continue;
			duel_judge_pair(d, look, &rows[i]);
			family[i] = rows[i].j;
		}
		if (n > 1 || d->plan.primary > 1)
			judge_family(family, n, &d->plan, look);
	}
	for (size_t i = 0; i < n; i++)
		rows[i].j = family[i];
}

void duel_judge(const struct duel *d, struct duel_rows *ret)
{
	unsigned look = d->look == UINT32_MAX ? 0 : d->look;
	size_t primaries = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 1; i < d->n_sides; i++)
			for (size_t k = 0; k < d->sides[0].n_series; k++) {
				const struct metric_series *a = &d->sides[0].series[k];
				const struct metric_series *b =
					duel_series(&d->sides[i], a->metric);

				if (!b || a->primary != (pass == 0))
					continue;
				struct duel_row *row = ARRAY_GROW(ret);

				*row = (struct duel_row){ .a = a, .b = b, .side = i };
				primaries += pass == 0;
			}
	judge_primaries(d, look, ret->v, primaries);
	for (size_t i = primaries; i < ret->n; i++)
		duel_judge_pair(d, look, &ret->v[i]);
}

static bool primary(const struct session *s, const struct duel *d, const char *metric)
{
	if (d->only)
		return !strcmp(metric, d->only);
	for (size_t i = 0; i < s->metrics.n; i++)
		if (!strcmp(s->metrics.v[i], metric))
			return true;
	return false;
}

static void side_failed(struct duel_side *side, const char *reason)
{
	side->failed++;
	side->failed_in_a_row++;
	free(side->last_reason);
	side->last_reason = xstrdup(reason ? reason : "");
}

/* Before anything of the run is taken: a run counts whole or not at all. */
static bool units_as_before(struct duel_side *side, const struct readings *readings)
{
	for (size_t i = 0; i < readings->n; i++) {
		const struct reading *x = &readings->v[i];
		const struct metric_series *have = duel_series(side, x->metric);

		if (!have || !strcmp(have->unit, x->unit))
			continue;
		AUTO_FREE char *why =
			xasprintf("metric '%s' changed its unit from '%s' to '%s' between two runs",
				  x->metric, have->unit, x->unit);

		side_failed(side, why);
		return false;
	}
	return true;
}

/* Take the readings of one ok run. A run whose metrics changed is a failed run. */
static int take(struct session *s, const struct duel *d, struct duel_side *side,
		const struct readings *readings, int64_t build, int64_t boot, struct err *e)
{
	for (size_t i = 0; i < s->metrics.n; i++)
		if (primary(s, d, s->metrics.v[i]) && !readings_find(readings, s->metrics.v[i])) {
			AUTO_FREE char *why =
				xasprintf("the run gave no metric '%s'", s->metrics.v[i]);

			side_failed(side, why);
			return 0;
		}
	if (!units_as_before(side, readings))
		return 0;
	for (size_t i = 0; i < readings->n; i++) {
		const struct reading *x = &readings->v[i];
		enum better better = BETTER_UNKNOWN;
		int r = measure_direction(s, x, &better, e);

		if (r < 0)
			return r;
		if (!duel_add(side, x, better, primary(s, d, x->metric), build, boot))
			return err_set(e, ERR_BROKEN, "metric '%s' has two units in one run",
				       x->metric);
	}
	side->runs++;
	side->failed_in_a_row = 0;
	return 0;
}

/* Is this build one of the side's? Variants with equal trees share one. */
static bool is_of(const struct session *s, const struct duel_side *side, int64_t build)
{
	for (size_t i = 0; i < s->builds.n; i++)
		if (s->builds.v[i]->id == build && !strcmp(s->builds.v[i]->node, side->node))
			return true;
	return false;
}

/* Whose run a journaled one was: the side that was noted last, if the build alone does not tell. */
static struct duel_side *side_of(const struct session *s, struct duel *d, int64_t build)
{
	struct duel_side *found = NULL;

	for (size_t i = 0; i < d->n_sides; i++) {
		if (!is_of(s, &d->sides[i], build))
			continue;
		if (!found || d->noted == d->sides[i].number + 1)
			found = &d->sides[i];
	}
	return found;
}

/* Two sides of one build: each visit is preceded by a note of whose it is. */
static int note_side(struct session *s, const struct duel *d, size_t i, const struct mbuild *b,
		     struct err *e)
{
	bool shared = false;

	for (size_t k = 0; k < d->n_sides; k++)
		for (size_t m = 0; k != i && m < d->sides[k].n_builds; m++)
			shared = shared || d->sides[k].builds[m]->id == b->id;
	if (!shared)
		return 0;
	AUTO_FREE char *number = xasprintf("%zu", d->sides[i].number + 1);

	return add_note(s, d, side_note, number, e);
}

static unsigned least_runs(const struct duel *d)
{
	unsigned n = UINT32_MAX;

	for (size_t i = 0; i < d->n_sides; i++)
		if (d->sides[i].runs < n)
			n = d->sides[i].runs;
	return n;
}

/* One visit of a side: which of its builds takes turns by round. */
static int visit_side(struct session *s, struct duel *d, size_t i, unsigned round, bool probe,
		      struct err *e)
{
	struct duel_side *side = &d->sides[i];
	struct mbuild *b = side->builds[round % side->n_builds];
	unsigned runs = s->bench->runs > 1 && !probe ? s->bench->runs : 1;
	struct visit *v;
	int r;

	if (probe)
		b->visited = true; /* the probe itself is the run that does not count */
	if ((r = note_side(s, d, i, b, e)) < 0)
		return r;
	r = visit_begin(s, b, &v, e);

	if (r < 0)
		return r;
	if (v->outcome != OUTCOME_OK) {
		AUTO_FREE char *why = xasprintf("boot %s: %s", outcome_name(v->outcome), v->reason);

		side_failed(side, why);
		return 0;
	}
	for (unsigned k = 0; k < runs && r == 0; k++) {
		struct run_result res;

		r = probe ? visit_probe(s, v, &res, e) : visit_run(s, v, &res, e);
		if (r < 0)
			break;
		side->last_run = v->last_run;
		if (res.outcome != OUTCOME_OK)
			side_failed(side, res.reason);
		else if (!probe)
			r = take(s, d, side, &res.readings, b->id, v->boot, e);
		run_result_done(&res);
	}
	visit_end(s);
	return r;
}

static int check_failures(const struct duel *d, struct err *e)
{
	for (size_t i = 0; i < d->n_sides; i++) {
		const struct duel_side *side = &d->sides[i];

		if (side->failed_in_a_row < DUEL_FAILURES)
			continue;
		AUTO_FREE char *output = side->last_run
						 ? xasprintf("; its output: culprit show r%lld",
							     (long long)side->last_run)
						 : xstrdup("");

		return err_set(e, ERR_ENV, "the benchmark fails on %s (%u of %u runs): %s%s",
			       side->label, side->failed, side->failed + side->runs,
			       side->last_reason, output);
	}
	return 0;
}

static double seconds_per_round(const struct session *s, const struct duel *d)
{
	double per_run = s->ok_runs ? s->run_seconds / s->ok_runs : 0;

	if (s->waited_boots)
		per_run += s->boot_seconds / s->waited_boots / (1 + s->bench->warmup);
	return per_run * (double)d->n_sides * (1 + s->bench->warmup);
}

static void progress(struct session *s, const struct duel *d)
{
	unsigned next = d->plan.n[d->look == UINT32_MAX		? 0
				  : d->look + 1 < d->plan.looks ? d->look + 1
								: d->look];
	unsigned have = least_runs(d);
	AUTO(str) struct str left = STR_INIT;
	double seconds = seconds_per_round(s, d) * (next > have ? next - have : 0);

	num_put_clock(&left, (int64_t)(seconds * 1e9));
	session_known(s, "%s  %u of %u runs a side  about %s to the next look",
		      d->no_probe ? "head to head" : "measuring", have, next, left.p);
}

/* Before visit `at` of a round: start it and those that follow, up to the next look, where boots do not disturb each other. */
static int boot_ahead(struct session *s, const struct duel *d, unsigned round, size_t at,
		      struct err *e)
{
	enum { AHEAD = 64 };
	AUTO_FREE size_t *order = xcalloc(d->n_sides, sizeof(*order));
	unsigned look = d->look == UINT32_MAX ? 0 : d->look + 1;
	unsigned end = look < d->plan.looks ? d->plan.n[look] : round + 1;
	struct mbuild *next[AHEAD];
	size_t n = 0;

	if (!booting_side_by_side(s))
		return 0;
	for (unsigned r = round; r < (end > round ? end : round + 1) && n < AHEAD; r++) {
		duel_order(s, d->n_sides, r, order);
		for (size_t i = r == round ? at : 0; i < d->n_sides && n < AHEAD; i++) {
			const struct duel_side *side = &d->sides[order[i]];

			next[n++] = side->builds[r % side->n_builds];
		}
	}
	return booting_ahead(s, next, n, e);
}

static int round_of_visits(struct session *s, struct duel *d, unsigned round, bool resumed,
			   size_t *order, struct err *e)
{
	unsigned least = least_runs(d);

	duel_order(s, d->n_sides, round, order);

	for (size_t i = 0; i < d->n_sides; i++) {
		int r;

		/* killed within a round: the side that had its turn waits for the other */
		if (resumed && d->sides[order[i]].runs > least)
			continue;
		progress(s, d);
		if ((r = boot_ahead(s, d, round, i, e)) < 0)
			return r;
		r = visit_side(s, d, order[i], round, false, e);
		if (r < 0 || (r = check_failures(d, e)) < 0)
			return r;
	}
	return 0;
}

/* Exact counts that repeat to the last digit on every side: there is nothing to wait for. */
static bool counters_agree(const struct duel *d)
{
	for (size_t i = 0; i < d->n_sides; i++)
		for (size_t k = 0; k < d->sides[i].n_series; k++) {
			const struct metric_series *x = &d->sides[i].series[k];

			if (!x->primary)
				continue;
			if (!x->counter || x->n < 2)
				return false;
			for (size_t m = 1; m < x->n; m++)
				if (x->v[m] != x->v[0])
					return false;
		}
	return d->sides[0].n_series > 0;
}

static bool all_final(const struct duel *d)
{
	struct duel_rows rows = { 0 };
	bool done = true, any = false;

	duel_judge(d, &rows);
	for (size_t i = 0; i < rows.n; i++)
		if (rows.v[i].a->primary) {
			any = true;
			done = done && rows.v[i].j.final;
		}
	free(rows.v);
	return any && done;
}

/* One discarded run of each side prices the plan; failures show at once. */
static int probe(struct session *s, struct duel *d, struct err *e)
{
	for (size_t i = 0; i < d->n_sides; i++) {
		for (int attempt = 0; attempt < 3; attempt++) {
			unsigned failed = d->sides[i].failed;
			int r = visit_side(s, d, i, 0, true, e);

			if (r < 0)
				return r;
			if (d->sides[i].failed == failed)
				break;
		}
		int r = check_failures(d, e);

		if (r < 0)
			return r;
		/* what did not count in going well does not count in failing: the journal's replay sees no probe */
		d->sides[i].failed = d->sides[i].failed_in_a_row = 0;
		free(TAKE_PTR(d->sides[i].last_reason));
	}
	return 0;
}

/* The most runs a side that the budget and the user allow; 0 = no limit. */
static unsigned most_runs(const struct session *s, const struct duel *d, unsigned max_runs)
{
	double round = seconds_per_round(s, d);

	if (!s->opt.budget_ns || round <= 0)
		return max_runs;
	double left = (double)(s->opt.budget_ns - (clock_monotonic_ns() - s->began_ns)) / 1e9;
	double rounds = left / round;
	unsigned by_budget = rounds < 1 ? 1 : rounds > 1e6 ? 1000000 : (unsigned)rounds;

	return !max_runs || by_budget < max_runs ? by_budget : max_runs;
}

static void plan(struct duel *d)
{
	if (d->fixed_runs) {
		judge_plan_fixed(d->alpha, &d->plan);
		d->plan.n[0] = d->fixed_runs;
	} else {
		judge_plan_make(d->alpha, d->plan_most, d->plan_primaries, &d->plan);
	}
}

/* Chosen once, before anything was compared, and journaled: a resumed hunt keeps it, whatever its budget is now. */
static int make_plan(struct session *s, struct duel *d, unsigned max_runs, struct err *e)
{
	if (d->plan_known)
		return 0;
	AUTO_FREE char *numbers = NULL;

	d->plan_most = most_runs(s, d, max_runs);
	d->plan_primaries = (unsigned)((d->only ? 1 : s->metrics.n) * (d->n_sides - 1));
	d->plan_known = true;
	plan(d);
	numbers = xasprintf("%u %u", d->plan_most, d->plan_primaries);
	return add_note(s, d, plan_note, numbers, e);
}

static void replay_plan(struct duel *d, const char *note)
{
	const char *numbers = note_of(d, note, plan_note);

	if (!numbers || sscanf(numbers, "%u %u", &d->plan_most, &d->plan_primaries) != 2)
		return;
	d->plan_known = true;
	plan(d);
}

static void replay_side(struct duel *d, const char *note)
{
	const char *number = note_of(d, note, side_note);
	size_t i;

	if (number && sscanf(number, "%zu", &i) == 1)
		d->noted = i;
}

bool duel_look(struct duel *d)
{
	unsigned look = d->look == UINT32_MAX ? 0 : d->look + 1;

	while (look < d->plan.looks && least_runs(d) >= d->plan.n[look]) {
		d->look = look++;
		if (all_final(d) && (!d->enough || d->enough(d)))
			return true;
	}
	return look >= d->plan.looks || ((!d->fixed_runs || d->settles) && counters_agree(d));
}

int duel_replay(struct session *s, struct duel *d, const struct observations *obs, struct err *e)
{
	for (size_t i = 0; i < obs->n; i++) {
		const struct observation *o = &obs->v[i];
		struct duel_side *side;
		int r;

		if (o->kind == OBS_NOTE && !o->withdrawn) {
			replay_plan(d, o->text);
			replay_side(d, o->text);
		}
		if (o->kind != OBS_RUN || o->withdrawn || o->index < 0)
			continue;
		side = side_of(s, d, o->build);
		if (!side)
			continue;
		measure_count(s, o->outcome, o->seconds);
		if (o->outcome != OUTCOME_OK)
			side_failed(side, o->reason);
		else if ((r = take(s, d, side, &o->readings, o->build, o->boot, e)) < 0)
			return r;
	}
	return 0;
}

int duel_run(struct session *s, struct duel *d, unsigned max_runs, struct err *e)
{
	AUTO_FREE size_t *order = xcalloc(d->n_sides, sizeof(*order));

	d->benchmark = s->bench->name;
	/* a guest's first run is no use */
	bool is_exact = booting_side_by_side(s);
	int r = d->no_probe || d->sides[0].runs || is_exact ? 0 : probe(s, d, e);

	if (r < 0)
		return r;
	if ((r = make_plan(s, d, max_runs, e)) < 0)
		return r;
	unsigned first = least_runs(d);

	for (unsigned round = first;; round++) {
		if (duel_look(d))
			return 0;
		if (session_over_budget(s)) {
			d->out_of_budget = true;
			return 0;
		}
		if ((r = round_of_visits(s, d, round, round == first, order, e)) < 0)
			return r;
	}
}
