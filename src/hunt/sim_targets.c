/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tests are one-sided against being worse, so that a figure at its target does not flake (1e-4) and a broken
 * method still fails: tests/unit/test_simulate.c drops the offset model and sees red.
 */
#include "hunt/sim_targets.h"

#include "base/num.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIGNIFICANCE 1e-4
#define ERRORS 3 /* standard errors that a mean may exceed its target by */

static const char *const what_names[] = {
	"right",	  "false",   "no-change",    "multiple", "set",	  "undecided", "right+held",
	"right+multiple", "held",    "actual",	     "builds",	 "runs",  "cost",      "excess",
	"cost-P0",	  "cost-P1", "builds-exact", "step",	 "speed",
};

const char *target_what_name(enum target_what w)
{
	return what_names[w];
}

bool target_is_rate(enum target_what w)
{
	return w <= TARGET_ACTUAL;
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

struct where {
	const char *file;
	unsigned line;
};

#define FAIL(w, e, fmt, ...)                                                                       \
	err_set(e, ERR_USAGE, "%s:%u: " fmt, (w)->file, (w)->line, ##__VA_ARGS__)

static int parse_value(const struct where *w, char *text, struct target *t, struct err *e)
{
	char *slash = strchr(text, '/');

	t->p90 = NAN;
	if (slash) {
		*slash++ = 0;
		if (num_parse_double(slash, "p90", &t->p90, NULL, e) < 0)
			return err_wrap(e, "%s:%u", w->file, w->line);
	}
	t->below_stated = starts_with(text, "stated-");
	if (t->below_stated)
		text += strlen("stated-");
	if (num_parse_ratio(text, what_names[t->what], &t->value, e) < 0)
		return err_wrap(e, "%s:%u", w->file, w->line);
	return 0;
}

static int parse_criterion(const struct where *w, char *word, struct target *t, struct err *e)
{
	size_t n = strcspn(word, "<>");

	if (!word[n] || word[n + 1] != '=')
		return FAIL(w, e, "'%s' is not WHAT>=VALUE or WHAT<=VALUE", word);
	t->at_least = word[n] == '>';
	for (size_t i = 0; i < ARRAY_LEN(what_names); i++) {
		if (strlen(what_names[i]) == n && strncmp(word, what_names[i], n) == 0) {
			t->what = (enum target_what)i;
			return parse_value(w, word + n + 2, t, e);
		}
	}
	return FAIL(w, e, "unknown criterion '%s'", word);
}

static int parse_row(const struct where *w, char *line, struct target_file *f, struct err *e)
{
	char *save = NULL, *name, *policy, *count;
	const struct sim_scenario *p;
	struct target_row *row;
	int64_t n;

	line[strcspn(line, "#")] = 0;
	name = strtok_r(line, " \t\r", &save);
	if (!name)
		return 0;
	policy = strtok_r(NULL, " \t\r", &save);
	count = policy ? strtok_r(NULL, " \t\r", &save) : NULL;
	if (!count)
		return FAIL(w, e, "a row is SCENARIO POLICY HISTORIES CRITERION...");
	p = sim_scenario_find(name);
	if (!p)
		return FAIL(w, e, "unknown scenario '%s'", name);
	row = ARRAY_GROW(f);
	row->scenario = *p;
	if (!sim_policy_parse(policy, &row->policy))
		return FAIL(w, e, "unknown policy '%s'", policy);
	if (num_parse_int(count, "the number of histories", 1, 1000000, &n, e) < 0)
		return err_wrap(e, "%s:%u", w->file, w->line);
	row->histories = (uint32_t)n;
	for (char *word; (word = strtok_r(NULL, " \t\r", &save));) {
		if (row->n == TARGET_MAX)
			return FAIL(w, e, "more than %d criteria", TARGET_MAX);
		if (parse_criterion(w, word, &row->v[row->n++], e) < 0)
			return -ERR_USAGE;
	}
	return 0;
}

int target_file_parse(struct target_file *f, const char *text, size_t n, const char *name,
		      struct err *e)
{
	struct where w = { name, 0 };
	AUTO_FREE char *copy = xstrndup(text, n);

	*f = (struct target_file){ 0 };
	for (char *at = copy, *line; (line = strsep(&at, "\n"));) {
		w.line++;
		if (parse_row(&w, line, f, e) < 0)
			return -ERR_USAGE;
	}
	return f->n ? 0 : err_set(e, ERR_USAGE, "%s: no targets", name);
}

void target_file_done(struct target_file *f)
{
	free(f->v);
	*f = (struct target_file){ 0 };
}

/* --- measuring ------------------------------------------------------------------------------------------------------ */

double binomial_at_most(uint32_t x, uint32_t n, double p)
{
	double sum = 0;

	assert(p >= 0 && p <= 1);
	if (p == 0 || x >= n)
		return 1;
	if (p == 1)
		return 0;
	for (uint32_t k = 0; k <= x; k++) {
		int sign;
		sum += exp(lgamma_r(n + 1., &sign) - lgamma_r(k + 1., &sign) -
			   lgamma_r(n - k + 1., &sign) + k * log(p) + (n - k) * log1p(-p));
	}
	return fmin(1, sum);
}

double binomial_at_least(uint32_t x, uint32_t n, double p)
{
	return x == 0 ? 1 : binomial_at_most(n - x, n, 1 - p);
}

/* All histories of a row, pooled over the seeds, and rivals' costs on the same where asked. */
struct pooled {
	struct simulate_plan plan;
	const uint64_t *seeds;
	size_t n_seeds;
	uint32_t each, n;
	struct policy_result *r;
	struct simulate_tally t;
	double cpu_seconds;
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct policy_result *run_all(const struct pooled *p, enum sim_policy policy,
				     bool *ret_stopped)
{
	struct policy_result *r = xcalloc(p->n, sizeof(*r));
	struct simulate_plan plan = p->plan;

	plan.policy = policy;
	plan.histories = p->each;
	for (size_t i = 0; i < p->n_seeds; i++) {
		plan.seed = p->seeds[i];
		bool done = simulate_run(&plan, r + i * p->each);
		if (ret_stopped)
			*ret_stopped |= !done;
	}
	return r;
}

static double cost_of(const struct simulate_plan *plan, const struct policy_result *r)
{
	return plan->cost_build * r->builds + plan->cost_boot * r->boots + plan->cost_run * r->runs;
}

/* --- judging -------------------------------------------------------------------------------------------------------- */

static void judge_rate(const struct target *t, const struct pooled *p, struct target_result *ret)
{
	const struct simulate_tally *s = &p->t;
	const uint32_t held = s->set_holds + s->undecided_holds, named = s->right + s->wrong;
	const struct {
		uint32_t x, n;
	} rates[] = {
		[TARGET_RIGHT] = { s->right, s->n },
		[TARGET_FALSE] = { s->wrong, s->n },
		[TARGET_NO_CHANGE] = { s->no_change, s->n },
		[TARGET_MULTIPLE] = { s->multiple, s->n },
		[TARGET_SET] = { s->set, s->n },
		[TARGET_UNDECIDED] = { s->undecided, s->n },
		[TARGET_RIGHT_HELD] = { s->right + held, s->n },
		[TARGET_RIGHT_MULTIPLE] = { s->right + s->multiple, s->n },
		[TARGET_HELD] = { held, s->set + s->undecided },
		[TARGET_ACTUAL] = { s->right, named },
	};
	uint32_t x = rates[t->what].x, n = rates[t->what].n;

	ret->wanted = t->below_stated ? s->stated - t->value : t->value;
	ret->measured = n ? (double)x / n : NAN;
	if (!n)
		ret->p = 1;
	else if (t->at_least)
		ret->p = binomial_at_most(x, n, fmin(1, fmax(0, ret->wanted)));
	else
		ret->p = binomial_at_least(x, n, fmin(1, fmax(0, ret->wanted)));
	ret->ok = ret->p >= SIGNIFICANCE;
}

static void judge_mean(const struct target *t, double mean, double se, struct target_result *ret)
{
	double slack = ERRORS * (isnan(se) ? 0 : se);

	ret->measured = mean;
	ret->ok = t->at_least ? mean >= t->value - slack : mean <= t->value + slack;
}

/* Is the p90 at most T? Then at most a tenth of the histories exceed T, with 3 standard errors of that share. */
static void judge_p90(const struct target *t, const struct pooled *p, const struct sim_spread *s,
		      struct target_result *ret)
{
	uint32_t above = 0;

	ret->p90 = s->p90;
	for (uint32_t i = 0; i < p->n; i++)
		above += (t->what == TARGET_BUILDS ? p->r[i].builds : p->r[i].runs) > t->p90;
	ret->ok &= above <= .1 * p->n + ERRORS * sqrt(.09 * p->n);
}

static void judge_against(const struct target *t, const struct pooled *p, struct target_result *ret)
{
	struct policy_result *r =
		run_all(p, t->what == TARGET_COST_P0 ? POLICY_P0 : POLICY_P1, NULL);
	double sum = 0, base = 0, sq = 0, mean, times = 1 + t->value;

	for (uint32_t i = 0; i < p->n; i++) {
		double ours = cost_of(&p->plan, &p->r[i]), theirs = cost_of(&p->plan, &r[i]);
		sum += ours;
		base += theirs;
		sq += (ours - times * theirs) * (ours - times * theirs);
	}
	mean = (sum - times * base) / p->n;
	ret->measured = sum / base - 1;
	ret->ok = mean <= ERRORS * sqrt(fmax(0, sq / p->n - mean * mean) / p->n);
	free(r);
}

/* Mean difference in builds, history by history. */
static void judge_exact(const struct target *t, const struct pooled *p, struct target_result *ret)
{
	struct policy_result *r = run_all(p, POLICY_P4_EXACT, NULL);
	double sum = 0, sq = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		double d = (double)p->r[i].builds - r[i].builds;

		sum += d;
		sq += d * d;
	}
	double mean = sum / p->n;

	judge_mean(t, mean, sqrt(fmax(0, sq / p->n - mean * mean) / p->n), ret);
	free(r);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_step_ms(const struct pooled *p)
{
	AUTO_FREE double *v = xreallocarray(NULL, p->n, sizeof(*v));

	for (uint32_t i = 0; i < p->n; i++)
		v[i] = 1e3 * p->r[i].step_seconds;
	qsort(v, p->n, sizeof(*v), compare_doubles);
	return v[p->n / 2];
}

static void judge(const struct target *t, const struct pooled *p, struct target_result *ret)
{
	const struct simulate_tally *s = &p->t;
	double floor_cost = 10 * (log2(p->plan.scenario.n) + 2);

	*ret = (struct target_result){
		.target = t, .wanted = t->value, .measured = NAN, .p90 = NAN, .p = NAN
	};
	if (target_is_rate(t->what)) {
		judge_rate(t, p, ret);
	} else if (t->what == TARGET_BUILDS) {
		judge_mean(t, s->builds.mean, s->builds.se, ret);
	} else if (t->what == TARGET_RUNS) {
		judge_mean(t, s->runs.mean, s->runs.se, ret);
	} else if (t->what == TARGET_COST) {
		judge_mean(t, s->cost.mean, s->cost.se, ret);
	} else if (t->what == TARGET_EXCESS) {
		judge_mean(t, s->cost.mean - floor_cost, s->cost.se, ret);
	} else if (t->what == TARGET_BUILDS_EXACT) {
		judge_exact(t, p, ret);
	} else if (t->what == TARGET_STEP) {
		judge_mean(t, median_step_ms(p), NAN, ret);
	} else if (t->what == TARGET_SPEED) {
		judge_mean(t, p->n / p->cpu_seconds, NAN, ret);
	} else {
		judge_against(t, p, ret);
	}
	if (!isnan(t->p90))
		judge_p90(t, p, t->what == TARGET_BUILDS ? &s->builds : &s->runs, ret);
}

uint32_t target_row_run(const struct target_row *row, const struct simulate_plan *plan,
			const uint64_t *seeds, size_t n_seeds, double scale,
			struct target_result *ret)
{
	struct pooled p = { .plan = *plan, .seeds = seeds, .n_seeds = n_seeds };
	bool stopped = false;
	double start;

	p.plan.scenario = row->scenario;
	p.each = (uint32_t)fmax(1, ceil(scale * row->histories));
	p.n = p.each * (uint32_t)n_seeds;
	start = cpu_seconds();
	p.r = run_all(&p, row->policy, &stopped);
	p.cpu_seconds = cpu_seconds() - start;
	simulate_tally(&p.plan, p.r, p.n, &p.t);
	for (unsigned i = 0; i < row->n && !stopped; i++)
		judge(&row->v[i], &p, &ret[i]);
	free(p.r);
	return stopped ? 0 : p.n;
}
