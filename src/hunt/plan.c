/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which effects to rehearse: three and one times the run-to-run noise. The first is what people usually come with, the second is where
 * plain bisection is lost; a user who knows more asks `culprit simulate`. A line is rehearsed also for a history with
 * merges: the number of builds depends on the candidates, hardly on their shape.
 */
#include "hunt/plan.h"

#include "brain/judge.h"
#include "hunt/evict.h"
#include "hunt/simulate.h"
#include "store/query.h"
#include "sys/fs.h"
#include "text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REHEARSALS = 40, CANDIDATES_MAX = 20000 };

/* Mean seconds of an ok build in this store and of a run, of this benchmark where it has run; NaN where there was none. Bytes: of one build, of all kept trees, free. */
struct prices {
	double build, run;
	int64_t tree_bytes, cache_bytes, cache_max, disk_free;
};

/* The sum of the files of a commit. */
static int checkout_bytes(struct session *s, const char *oid, int64_t *ret, struct err *e)
{
	AUTO(str) struct str out = STR_INIT_MAX(256 << 20);
	int r = oid ? repo_git(s->repo, &out, e, "ls-tree", "-r", "-z", "--format=%(objectsize)",
			       oid, NULL)
		    : 0;

	*ret = 0;
	for (const char *p = out.p; r == 0 && p < out.p + out.n; p += strlen(p) + 1)
		*ret += strtoll(p, NULL, 10); /* "-" of a submodule is 0 */
	return r;
}

static int find_disk(struct session *s, const char *oid, struct prices *ret, struct err *e)
{
	int64_t kept;
	size_t n;
	int r = evict_usage(s->store, &ret->cache_bytes, &n, e);

	if (r < 0 || (r = checkout_bytes(s, oid, &ret->tree_bytes, e)) < 0)
		return r;
	kept = n ? ret->cache_bytes / (int64_t)n : 0;
	if (kept > ret->tree_bytes)
		ret->tree_bytes = kept;
	ret->cache_max = s->config.project.cache_bytes;
	ret->disk_free = fs_free_bytes(s->store_dir);
	return 0;
}

/* A hunt with the same commands, or at least on the same kind of target: a simulated run costs nothing. */
static bool is_alike(const struct session *s, const struct hunt_row *h, bool same_commands)
{
	AUTO(str) struct str config = STR_INIT;
	bool is_simulated = h->question && strstr(h->question, "\"target\":\"sim=");

	if (!h->question || is_simulated != session_is_simulated(s))
		return false;
	if (!same_commands)
		return true;
	str_puts(&config, "\"config\":");
	config_fingerprint(&s->config, &config);
	return strstr(h->question, config.p);
}

/* Mean seconds of a run in the hunts that are alike; NaN if there was none. */
static int run_price(struct session *s, const struct hunt_rows *hunts, bool same_commands,
		     double *ret, struct err *e)
{
	double seconds = 0, runs = 0;

	for (size_t i = 0; i < hunts->n; i++) {
		struct hunt_counts c;
		int r;

		if (!is_alike(s, &hunts->v[i], same_commands))
			continue;
		if ((r = query_counts(s->store, hunts->v[i].id, &c, e)) < 0)
			return r;
		seconds += c.run_seconds;
		runs += c.runs + c.failed_runs + c.warmup_runs;
	}
	*ret = runs > 0 ? seconds / runs : NAN;
	return 0;
}

static int find_prices(struct session *s, const char *oid, struct prices *ret, struct err *e)
{
	AUTO(build_rows) struct build_rows builds = { 0 };
	AUTO(hunt_rows) struct hunt_rows hunts = { 0 };
	double built = 0;
	size_t n = 0;
	int r = store_builds(s->store, &builds, e);

	if (r < 0 || (r = store_hunts(s->store, &hunts, e)) < 0)
		return r;
	for (size_t i = 0; i < builds.n; i++)
		if (builds.v[i].outcome == OUTCOME_OK &&
		    !*builds.v[i].tree == session_is_simulated(s)) {
			built += builds.v[i].seconds;
			n++;
		}
	ret->build = n ? built / (double)n : NAN;
	r = run_price(s, &hunts, true, &ret->run, e);
	if (r == 0 && isnan(ret->run))
		r = run_price(s, &hunts, false, &ret->run, e);
	return r < 0 ? r : find_disk(s, oid, ret, e);
}

static void put_case(struct json_out *w, const char *label, double builds, double runs,
		     const struct prices *p)
{
	json_out_object(w, NULL);
	json_out_text(w, "label", label);
	json_out_number(w, "builds", builds);
	json_out_number(w, "runs", runs);
	json_out_number(w, "seconds", builds * p->build + runs * p->run);
	json_out_close(w);
}

static void rehearse(struct json_out *w, const char *label, double effect, uint32_t candidates,
		     double alpha, const struct prices *p)
{
	struct simulate_plan plan;
	struct policy_result results[REHEARSALS];
	struct simulate_tally tally;

	simulate_plan_default(&plan);
	plan.scenario = *sim_scenario_find("g3s");
	plan.scenario.n = candidates;
	plan.scenario.d = effect * plan.scenario.s;
	plan.histories = REHEARSALS;
	plan.alpha = alpha;
	if (isfinite(p->build) && isfinite(p->run) && p->run > 0) {
		plan.cost_build = p->build;
		plan.cost_run = p->run;
	}
	simulate_run(&plan, results);
	simulate_tally(&plan, results, REHEARSALS, &tally);
	put_case(w, label, tally.builds.mean, tally.runs.mean, p);
}

static void begin(struct json_out *w, const char *what, const struct prices *p)
{
	json_out_object(w, NULL);
	json_out_int(w, "schema", 1);
	json_out_text(w, "command", "plan");
	json_out_text(w, "for", what);
	json_out_number(w, "build_seconds", p->build);
	json_out_number(w, "run_seconds", p->run);
	json_out_int(w, "tree_bytes", p->tree_bytes);
	json_out_int(w, "cache_bytes", p->cache_bytes);
	json_out_int(w, "cache_max", p->cache_max);
	json_out_int(w, "disk_free", p->disk_free);
}

int plan_bisect(struct session *s, const char *old_rev, const char *new_rev, const char *oid,
		uint32_t candidates, double alpha, char **ret, struct err *e)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);
	uint32_t n = candidates < 2 ? 2 : candidates > CANDIDATES_MAX ? CANDIDATES_MAX : candidates;
	struct prices p;
	int r = find_prices(s, oid, &p, e);

	if (r < 0)
		return r;
	begin(&w, "bisect", &p);
	json_out_text(&w, "old", old_rev);
	json_out_text(&w, "new", new_rev);
	json_out_int(&w, "candidates", candidates);
	json_out_array(&w, "cases");
	rehearse(&w, "a clear change (3 times the noise)", 3, n, alpha, &p);
	rehearse(&w, "a faint change (as large as the noise)", 1, n, alpha, &p);
	json_out_close(&w);
	json_out_close(&w);
	*ret = str_take(&out);
	return 0;
}

int plan_compare(struct session *s, size_t n_sides, const char *oid, double alpha,
		 unsigned max_runs, char **ret, struct err *e)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);
	struct judge_plan plan;
	struct prices p;
	double n = (double)n_sides;
	int r = find_prices(s, oid, &p, e);

	if (r < 0)
		return r;
	judge_plan_make(alpha, max_runs, (unsigned)(n_sides - 1), &plan);
	begin(&w, "compare", &p);
	json_out_int(&w, "sides", (int64_t)n_sides);
	json_out_array(&w, "cases");
	if (plan.looks) {
		put_case(&w, "decided at the first look", n, n * (1 + plan.n[0]), &p);
		put_case(&w, "not decided before the last", n, n * (1 + plan.n[plan.looks - 1]),
			 &p);
	}
	json_out_close(&w);
	json_out_close(&w);
	*ret = str_take(&out);
	return 0;
}
