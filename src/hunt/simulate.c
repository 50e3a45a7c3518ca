/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads, not processes: a history is a few hundred kilobytes that only one thread touches, and
 * results need no pipe. Work is handed out history by history by an atomic counter, since their
 * costs differ a hundredfold.
 *
 * The p90 is the smallest value that nine tenths of the histories do not exceed.
 */
#include "hunt/simulate.h"

#include "brain/search.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const policy_names[] = { "P0", "P1", "P3", "P4", "P4+rebuild", "P4+exact" };

const char *sim_policy_name(enum sim_policy p)
{
	return policy_names[p];
}

bool sim_policy_parse(const char *name, enum sim_policy *ret)
{
	for (unsigned i = 0; i < ARRAY_LEN(policy_names); i++) {
		if (strcmp(name, policy_names[i]) == 0) {
			*ret = (enum sim_policy)i;
			return true;
		}
	}
	return false;
}

void simulate_plan_default(struct simulate_plan *plan)
{
	*plan = (struct simulate_plan){
		.scenario = *sim_scenario_find("g3s"),
		.policy = POLICY_P4,
		.seed = 777,
		.histories = 400,
		.jobs = 1,
		.offset_scale = -1,
		.boot_scale = -1,
		.cost_build = 10,
		.cost_run = 1,
	};
}

/* A search that goes on for so long has a fault; the bench must end and show it. */
enum { STUCK_RUNS = 100000 };

static bool asked_to_stop(const struct simulate_plan *plan)
{
	return plan->stop && plan->stop();
}

/* --- culprit's own search
 * ------------------------------------------------------------------------------------------- */

/* Builds of the same artefacts are one thing to run: they share the first one's counts of boots and runs. */
struct built {
	uint32_t node;
	unsigned layout;
	size_t unit; /* the first build with these artefacts */
	unsigned boots, runs;
	unsigned boot_runs; /* counted runs of the last boot */
	bool failed;
	int64_t boot; /* its number ... */
	bool booted;  /* ... if there is one */
};

struct hands {
	const struct simulate_plan *plan;
	struct sim *sim;
	struct search *search;
	struct policy_result *res;
	int64_t boots;
	struct built *v; /* index = the build's number */
	size_t n, cap;
};

/* The build's number, or -1 if it failed. */
static int64_t hands_build(struct hands *h, const struct action *a)
{
	bool ok = sim_builds(h->sim, a->node), relayout = a->how == ACTION_BUILD_RELAYOUT;
	uint32_t artefact = sim_artefact(h->sim, a->node);
	struct built *b = ARRAY_GROW(h);
	size_t id = h->n - 1;

	b->node = a->node;
	b->unit = id;
	b->failed = !ok;
	for (size_t i = 0; ok && i < id; i++) {
		const struct built *o = &h->v[i];
		if (o->failed || o->unit != i || sim_artefact(h->sim, o->node) != artefact)
			continue;
		if (relayout)
			b->layout++;
		else if (o->layout == 0)
			b->unit = i;
	}
	h->res->builds++;
	search_built(h->search, a->node, (int64_t)id, ok ? OUTCOME_OK : OUTCOME_FAILED,
		     (int64_t)b->unit, relayout, h->plan->cost_build);
	return ok ? (int64_t)id : -1;
}

static double hands_run(struct hands *h, const struct built *b)
{
	struct built *unit = &h->v[b->unit];

	h->res->runs++;
	return sim_run(h->sim, b->node, b->layout, unit->boots - 1, unit->runs++);
}

/* Discarded runs come before the first counted one of a build; their time is the boot's. */
static void hands_boot(struct hands *h, int64_t build)
{
	struct built *b = &h->v[build];
	double seconds = h->plan->cost_boot;

	h->v[b->unit].boots++;
	b->boot = h->boots++;
	b->boot_runs = 0;
	b->booted = true;
	h->res->boots++;
	while (h->v[b->unit].runs < h->sim->p.warmup) {
		(void)hands_run(h, b);
		seconds += h->plan->cost_run;
	}
	search_booted(h->search, build, b->boot, OUTCOME_OK, seconds);
}

static void hands_do(struct hands *h, const struct action *a)
{
	int64_t build = a->how == ACTION_BUILD_EXISTING ? a->build : hands_build(h, a);

	if (build < 0)
		return;
	struct built *b = &h->v[build];
	if (a->new_boot || !b->booted)
		hands_boot(h, build);
	for (unsigned i = 0; i < a->runs; i++) {
		double value = hands_run(h, b);
		search_value(h->search, b->boot, b->boot_runs++, value, sim_resolution(h->sim),
			     h->plan->cost_run);
	}
}

/* Do all the ranges that a "multiple" answer names hold a true change? */
static bool ranges_hold(struct search *s, const struct sim *sim)
{
	struct search_range r[SIM_MAX_CHANGES];
	size_t n = search_ranges(s, r, ARRAY_LEN(r)), good = 0;

	for (size_t i = 0; i < n; i++) {
		bool holds = false;
		for (unsigned k = 0; k < sim->n_changes; k++)
			holds |= graph_reaches(sim->g, sim->changes[k], r[i].hi) &&
				 !graph_reaches(sim->g, sim->changes[k], r[i].lo);
		good += holds;
	}
	return n > 0 && good == n;
}

static void judge_answer(struct search *s, const struct sim *sim, struct policy_result *ret)
{
	struct search_status st;
	uint32_t *nodes = xreallocarray(NULL, sim->g->n, sizeof(*nodes));
	double *p = xreallocarray(NULL, sim->g->n, sizeof(*p));
	unsigned *change = xreallocarray(NULL, sim->g->n, sizeof(*change));
	size_t n;

	search_status(s, &st);
	ret->answer = st.answer;
	ret->culprit = st.culprit;
	ret->stated = st.probability;
	switch (st.answer) {
	case ANSWER_NAMED:
		ret->holds = sim_is_change(sim, st.culprit);
		ret->set_size = 1;
		break;
	case ANSWER_SET:
	case ANSWER_UNDECIDED:
		n = search_suspects(s, nodes, p, change, sim->g->n);
		ret->set_size = (uint32_t)n;
		for (size_t i = 0; i < n; i++)
			ret->holds |= sim_is_change(sim, nodes[i]);
		break;
	case ANSWER_MULTIPLE:
		ret->holds = ranges_hold(s, sim);
		break;
	case ANSWER_NO_CHANGE:
		ret->holds = sim->n_changes == 0;
		break;
	}
	free(nodes);
	free(p);
	free(change);
}

static void params_of(const struct simulate_plan *plan, const struct sim *sim,
		      struct search_params *p)
{
	search_params_default(p);
	if (plan->alpha > 0)
		p->alpha = plan->alpha;
	p->margin = plan->margin > 0 ? plan->margin : sim_scenario_margin(&sim->p);
	if (plan->offset_scale >= 0)
		p->offset_scale = plan->offset_scale;
	if (plan->boot_scale >= 0)
		p->boot_scale = plan->boot_scale;
	p->cost_build = plan->cost_build;
	p->cost_boot = plan->cost_boot;
	p->cost_run = plan->cost_run;
	p->counter = sim->p.counter;
	p->can_relayout = plan->policy == POLICY_P4_REBUILD;
	p->exact_sides = plan->policy == POLICY_P4_EXACT;
	p->inside = sim->p.alternate;
	p->max_runs = plan->max_runs;
	p->max_builds = plan->max_builds;
}

/* Processor time of this thread: a busy machine must not look like a slow decision. */
static double thread_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void policy_culprit(const struct simulate_plan *plan, struct sim *sim,
			   struct policy_result *ret)
{
	struct search_params p;
	struct hands h = { .plan = plan, .sim = sim, .res = ret };
	struct action a;

	sim_rewind(sim);
	*ret = (struct policy_result){ .stated = NAN };
	params_of(plan, sim, &p);
	h.search = search_new(sim->g, &p);
	for (;;) {
		double t = thread_seconds();
		search_next(h.search, &a);
		ret->step_seconds = fmax(ret->step_seconds, thread_seconds() - t);
		ret->steps++;
		ret->stuck = ret->runs > STUCK_RUNS;
		if (a.kind == ACTION_ANSWER || ret->stuck || asked_to_stop(plan))
			break;
		assert(a.runs > 0);
		hands_do(&h, &a);
	}
	if (a.kind == ACTION_ANSWER)
		judge_answer(h.search, sim, ret);
	else
		ret->answer = ANSWER_UNDECIDED;
	search_free(h.search);
	free(h.v);
}

/* --- many histories
 * -------------------------------------------------------------------------------------------------
 */

struct work {
	const struct simulate_plan *plan;
	const struct graph *line;
	struct policy_result *ret;
	atomic_uint next;
};

static void one_history(const struct simulate_plan *plan, const struct graph *line,
			uint32_t history, struct policy_result *ret)
{
	struct sim sim;

	if (plan->file)
		sim_open_file(&sim, plan->file, plan->seed, history);
	else
		sim_open(&sim, &plan->scenario, plan->seed, history, line);
	switch (plan->policy) {
	case POLICY_P0:
		policy_threshold(&sim, 1, ret);
		break;
	case POLICY_P1:
		policy_threshold(&sim, 5, ret);
		break;
	case POLICY_P3:
		policy_bayesect(&sim, ret);
		break;
	case POLICY_P4:
	case POLICY_P4_REBUILD:
	case POLICY_P4_EXACT:
		policy_culprit(plan, &sim, ret);
		break;
	}
	ret->changes = sim.n_changes;
	sim_done(&sim);
}

static void *worker(void *arg)
{
	struct work *w = arg;

	for (;;) {
		uint32_t i = atomic_fetch_add(&w->next, 1);
		if (i >= w->plan->histories || asked_to_stop(w->plan))
			return NULL;
		one_history(w->plan, w->line, w->plan->first + i, &w->ret[i]);
	}
}

const char *simulate_impossible(const struct simulate_plan *plan)
{
	const struct graph *g = plan->file ? &plan->file->g : NULL;
	bool line = g ? true : !plan->scenario.dag;

	if (plan->policy >= POLICY_P4)
		return NULL;
	for (uint32_t i = 0; g && i < g->n; i++) {
		uint32_t n = g->parent_start[i + 1] - g->parent_start[i];
		line &= i == 0 ? n == 0 : n == 1 && g->parents[g->parent_start[i]] == i - 1;
	}
	if (g)
		line &= g->good == 0 && g->bad == g->n - 1;
	return line ? NULL : "the rivals P0, P1 and P3 search a line only, not merges";
}

bool simulate_run(const struct simulate_plan *plan, struct policy_result *ret)
{
	struct graph line = plan->file || plan->scenario.dag ? (struct graph){ 0 }
							     : graph_line(plan->scenario.n);
	struct work w = { .plan = plan, .line = line.n ? &line : NULL, .ret = ret };
	unsigned jobs = plan->jobs ? plan->jobs : 1, started = 0;
	pthread_t *threads = xcalloc(jobs, sizeof(*threads));

	atomic_init(&w.next, 0);
	while (started + 1 < jobs && !pthread_create(&threads[started], NULL, worker, &w))
		started++;
	worker(&w);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	graph_done(&line);
	return !asked_to_stop(plan);
}

/* --- what came of it
 * ------------------------------------------------------------------------------------------------
 */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct sim_spread spread_of(double *v, uint32_t n)
{
	struct sim_spread s = { NAN, NAN, NAN };
	double sum = 0, sq = 0;

	if (!n)
		return s;
	for (uint32_t i = 0; i < n; i++)
		sum += v[i];
	s.mean = sum / n;
	for (uint32_t i = 0; i < n; i++)
		sq += (v[i] - s.mean) * (v[i] - s.mean);
	s.se = n > 1 ? sqrt(sq / (n - 1) / n) : NAN;
	qsort(v, n, sizeof(*v), compare_doubles);
	s.p90 = v[(uint32_t)ceil(.9 * n) - 1];
	return s;
}

static void tally_spreads(const struct simulate_plan *plan, const struct policy_result *r,
			  uint32_t n, struct simulate_tally *t)
{
	AUTO_FREE double *v = xreallocarray(NULL, n, sizeof(*v));

	for (uint32_t i = 0; i < n; i++)
		v[i] = r[i].builds;
	t->builds = spread_of(v, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = r[i].runs;
	t->runs = spread_of(v, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = r[i].boots;
	t->boots = spread_of(v, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = plan->cost_build * r[i].builds + plan->cost_boot * r[i].boots +
		       plan->cost_run * r[i].runs;
	t->cost = spread_of(v, n);
}

static void tally_named(const struct policy_result *r, struct simulate_tally *t)
{
	unsigned bin = SIM_BINS - 1;

	t->right += r->holds;
	t->wrong += !r->holds;
	if (isnan(r->stated))
		return;
	t->stated += r->stated;
	while (bin > 0 && r->stated < t->bins[bin].from)
		bin--;
	t->bins[bin].n++;
	t->bins[bin].right += r->holds;
	t->bins[bin].stated += r->stated;
}

static void tally_one(const struct policy_result *r, struct simulate_tally *t)
{
	switch (r->answer) {
	case ANSWER_NAMED:
		tally_named(r, t);
		break;
	case ANSWER_SET:
		t->set++;
		t->set_holds += r->holds;
		t->set_size += r->set_size;
		break;
	case ANSWER_UNDECIDED:
		t->undecided++;
		t->undecided_holds += r->holds;
		t->set_size += r->set_size;
		break;
	case ANSWER_NO_CHANGE:
		t->no_change++;
		t->null_no_change += r->changes == 0;
		break;
	case ANSWER_MULTIPLE:
		t->multiple++;
		t->multiple_holds += r->holds;
		break;
	}
	t->stuck += r->stuck;
	t->null += r->changes == 0;
	t->step_seconds = fmax(t->step_seconds, r->step_seconds);
}

void simulate_tally(const struct simulate_plan *plan, const struct policy_result *r, uint32_t n,
		    struct simulate_tally *ret)
{
	static const double from[SIM_BINS] = { 0, .8, .95, .97, .99, .999 };
	struct simulate_tally t = { .n = n };
	uint32_t stated = 0;

	for (unsigned i = 0; i < SIM_BINS; i++)
		t.bins[i].from = from[i];
	for (uint32_t i = 0; i < n; i++)
		tally_one(&r[i], &t);
	for (unsigned i = 0; i < SIM_BINS; i++) {
		stated += t.bins[i].n;
		t.bins[i].stated = t.bins[i].n ? t.bins[i].stated / t.bins[i].n : NAN;
	}
	t.stated = stated ? t.stated / stated : NAN;
	t.actual = t.right + t.wrong ? (double)t.right / (t.right + t.wrong) : NAN;
	t.set_size = t.set + t.undecided ? t.set_size / (t.set + t.undecided) : NAN;
	tally_spreads(plan, r, n, &t);
	*ret = t;
}
