/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * culprit simulate - what would a hunt cost, and how often would it be right, on histories like these?
 *
 * Parameters given on the command line change each scenario that is named there (g3s if none is). Values that
 * were not given are marked by NaN and -1, so that a scenario keeps its own.
 */
#include "cli/cmd.h"
#include "cli/stop.h"
#include "cli/term.h"
#include "report/sim_report.h"
#include "sys/fs.h"

#include "base/num.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

struct simulate_args {
	struct common_opts common;
	const char *policies, *file, *targets, *seeds, *noise;
	bool list, relayout, calibration, ab, ci, histories_given;
	bool alternate, ramp, dag, counter, hint_wrong;
	int64_t histories, seed, commits, changes, warmup;
	unsigned jobs, max_runs, max_builds;
	double shift, sd, tau, boot_sd, drift, drift_phi, creep, quant, resolution, warm, skip,
		spread, same, hint;
	double margin, alpha, offset_scale, boot_scale, cost_build, cost_boot, cost_run, scale;
};

#define INTO(field) OPT_INTO(struct simulate_args, field)
const struct opt cmd_simulate_options[] = {
	OPT_GROUP("What to simulate"),
	{ 0, "policy", OPT_STRING, INTO(policies), "LIST",
	  "who searches: P0 (one run and a threshold), P1 (five), P3 (Bayesian pass/fail), P4 (culprit), P4+rebuild, P4+exact (no sketch)" },
	{ 0, "histories", OPT_INT, INTO(histories), "N",
	  "how many histories (400), or repetitions of each cell with --ab", .min = 1,
	  .max = 10000000, OPT_SEEN(struct simulate_args, histories_given) },
	{ 0, "seed", OPT_INT, INTO(seed), "N", "the same seed gives the same histories (777)",
	  .min = 0, .max = 9e15 },
	{ 'j', "jobs", OPT_UINT, INTO(jobs), "N", "threads; the result does not depend on it",
	  .min = 1, .max = 1024 },
	{ 0, "relayout", OPT_BOOL, INTO(relayout), NULL,
	  "culprit can build a commit again in another layout (P4+rebuild)" },
	{ 0, "file", OPT_STRING, INTO(file), "FILE", "a history from a file: commit -> values",
	  .complete = COMPLETE_FILE },
	{ 0, "list", OPT_BOOL, INTO(list), NULL, "print the named scenarios" },
	{ 0, "calibration", OPT_BOOL, INTO(calibration), NULL,
	  "also print stated confidence against the share that was right" },
	{ 0, "ab", OPT_BOOL, INTO(ab), NULL,
	  "simulate comparisons instead of hunts; which tables: coverage, looks, family, builds, recovery, more, symptoms" },
	{ 0, "targets", OPT_STRING, INTO(targets), "FILE",
	  "run the rows of a file of targets and say which hold; exit status 1 if one does not",
	  .complete = COMPLETE_FILE },
	{ 0, "seeds", OPT_STRING, INTO(seeds), "LIST",
	  "with --targets: the seeds to pool (777,2024)" },
	{ 0, "scale", OPT_DOUBLE, INTO(scale), "X",
	  "with --targets: so many times the histories of each row", .min = 1e-6, .max = 1000 },
	{ 0, "ci", OPT_BOOL, INTO(ci), NULL, "with --ab: a reduced table" },

	OPT_GROUP("Parameters of the histories (sizes are on the logarithm: 3% is about 0.03)"),
	{ 'N', "commits", OPT_INT, INTO(commits), "N", "candidates", .min = 1, .max = 10000000 },
	{ 'd', "shift", OPT_RATIO, INTO(shift), "X", "how much the culprit changes", .min = -10,
	  .max = 10 },
	{ 's', "sd", OPT_RATIO, INTO(sd), "X", "run-to-run standard deviation", .max = 10 },
	{ 0, "noise", OPT_STRING, INTO(noise), "KIND",
	  "gauss, skew, out, bimod, t3, det, out15 or ar" },
	{ 0, "tau", OPT_RATIO, INTO(tau), "X", "sd of each build's own offset", .max = 10 },
	{ 0, "boot-sd", OPT_RATIO, INTO(boot_sd), "X", "sd of each boot's own offset", .max = 10 },
	{ 0, "drift", OPT_RATIO, INTO(drift), "X", "sd of the machine's drift", .max = 10 },
	{ 0, "drift-phi", OPT_DOUBLE, INTO(drift_phi), "X", "its memory from run to run (0.98)",
	  .max = .999999 },
	{ 0, "creep", OPT_RATIO, INTO(creep), "X", "sd of what every commit changes", .max = 10 },
	{ 0, "quant", OPT_RATIO, INTO(quant), "X", "values are rounded to this", .max = 1 },
	{ 0, "resolution", OPT_RATIO, INTO(resolution), "X", "what the printed last digit claims",
	  .max = 1 },
	{ 0, "warm", OPT_RATIO, INTO(warm), "X", "the first run of a build is slower by this",
	  .max = 10 },
	{ 0, "warmup", OPT_INT, INTO(warmup), "N", "runs of each build that culprit discards",
	  .max = 1000 },
	{ 0, "skip", OPT_RATIO, INTO(skip), "X", "share of commits that do not build", .max = 1 },
	{ 0, "changes", OPT_INT, INTO(changes), "N", "commits that share the shift", .min = 1,
	  .max = SIM_MAX_CHANGES },
	{ 0, "same", OPT_RATIO, INTO(same), "X",
	  "share of commits that leave the artefacts as they are", .max = .99 },
	{ 0, "hint", OPT_DOUBLE, INTO(hint), "X",
	  "the culprit and a tenth of the commits weigh so many times more a priori", .max = 1e9 },
	{ 0, "hint-wrong", OPT_BOOL, INTO(hint_wrong), NULL,
	  "with --hint: the culprit is none of them" },
	{ 0, "alternate", OPT_BOOL, INTO(alternate), NULL,
	  "changes alternate: regression, fix, ..." },
	{ 0, "ramp", OPT_BOOL, INTO(ramp), NULL, "the shift is spread over all commits" },
	{ 0, "spread", OPT_DOUBLE, INTO(spread), "X",
	  "the sd is multiplied by this from the culprit on", .max = 1000 },
	{ 0, "dag", OPT_BOOL, INTO(dag), NULL, "a history with merges" },

	OPT_GROUP("Parameters of culprit's search"),
	{ 0, "margin", OPT_RATIO, INTO(margin), "X", "smallest change of interest (half the shift)",
	  .max = 10 },
	{ 0, "alpha", OPT_RATIO, INTO(alpha), "X", "1 minus the confidence that a name needs",
	  .max = .5 },
	{ 0, "offset-scale", OPT_RATIO, INTO(offset_scale), "X",
	  "typical offset of builds; 0 = there is none", .max = 1 },
	{ 0, "boot-scale", OPT_RATIO, INTO(boot_scale), "X", "the same of boots", .max = 1 },
	{ 0, "cost-build", OPT_DOUBLE, INTO(cost_build), "X", "cost of a build (10)", .max = 1e9 },
	{ 0, "cost-boot", OPT_DOUBLE, INTO(cost_boot), "X", "of a boot (0)", .max = 1e9 },
	{ 0, "cost-run", OPT_DOUBLE, INTO(cost_run), "X", "of a run (1)", .max = 1e9 },
	{ 0, "max-runs", OPT_UINT, INTO(max_runs), "N", "give up after so many runs", .max = 1e6 },
	{ 0, "max-builds", OPT_UINT, INTO(max_builds), "N", "give up after so many builds",
	  .max = 1e6 },
	{ 0, "counter", OPT_BOOL, INTO(counter), NULL, "the metric is an exact count" },
	OPT_COMMON_OUTPUT(struct simulate_args, common),
	OPT_END,
};

static void defaults(struct simulate_args *a)
{
	*a = (struct simulate_args){ .policies = "P4",
				     .seeds = "777,2024",
				     .histories = 400,
				     .seed = 777,
				     .jobs = 1,
				     .commits = -1,
				     .changes = -1,
				     .warmup = -1,
				     .scale = 1,
				     .cost_build = 10,
				     .cost_run = 1 };
	double *unset[] = { &a->shift,	      &a->sd,	     &a->tau,	 &a->boot_sd,
			    &a->drift,	      &a->drift_phi, &a->creep,	 &a->quant,
			    &a->resolution,   &a->warm,	     &a->skip,	 &a->same,
			    &a->hint,	      &a->spread,    &a->margin, &a->alpha,
			    &a->offset_scale, &a->boot_scale };
	for (size_t i = 0; i < ARRAY_LEN(unset); i++)
		*unset[i] = NAN;
}

static void keep_or(double given, double *into)
{
	if (!isnan(given))
		*into = given;
}

/* The command line's parameters over the scenario's own. */
static int change_scenario(const struct simulate_args *a, struct sim_scenario *p, struct err *e)
{
	if (a->noise && !sim_noise_parse(a->noise, &p->noise))
		return err_set(
			e, ERR_USAGE,
			"--noise wants gauss, skew, out, bimod, t3, det, out15 or ar, not '%.60s'",
			a->noise);
	keep_or(a->shift, &p->d);
	keep_or(a->sd, &p->s);
	keep_or(a->tau, &p->tau);
	keep_or(a->boot_sd, &p->boot_sd);
	keep_or(a->drift, &p->drift_sd);
	keep_or(a->drift_phi, &p->drift_phi);
	if (p->drift_sd > 0 && p->drift_phi == 0)
		p->drift_phi = .98;
	keep_or(a->creep, &p->creep);
	keep_or(a->quant, &p->quant);
	keep_or(a->resolution, &p->resolution);
	keep_or(a->warm, &p->warm);
	keep_or(a->skip, &p->skip);
	keep_or(a->same, &p->same);
	keep_or(a->hint, &p->hint);
	keep_or(a->spread, &p->spread);
	if (a->commits > 0)
		p->n = (uint32_t)a->commits;
	if (a->changes > 0)
		p->changes = (unsigned)a->changes;
	if (a->warmup >= 0)
		p->warmup = (unsigned)a->warmup;
	p->alternate |= a->alternate;
	p->hint_wrong |= a->hint_wrong;
	p->ramp |= a->ramp;
	p->counter |= a->counter;
	if (a->dag && !p->dag) {
		const struct sim_scenario *dag = sim_scenario_find("dag3s");
		p->dag = true;
		p->dag_merge = dag->dag_merge;
		p->dag_extend = dag->dag_extend;
		p->dag_open = dag->dag_open;
	}
	if (p->d == 0 && !p->mix && !(p->margin > 0))
		p->margin = .01;
	if (p->changes > p->n)
		return err_set(e, ERR_USAGE, "%u changes do not fit into %u commits", p->changes,
			       p->n);
	return 0;
}

static void plan_from(const struct simulate_args *a, struct simulate_plan *plan)
{
	simulate_plan_default(plan);
	plan->seed = (uint64_t)a->seed;
	plan->histories = (uint32_t)a->histories;
	plan->jobs = a->jobs;
	keep_or(a->alpha, &plan->alpha);
	keep_or(a->margin, &plan->margin);
	keep_or(a->offset_scale, &plan->offset_scale);
	keep_or(a->boot_scale, &plan->boot_scale);
	plan->cost_build = a->cost_build;
	plan->cost_boot = a->cost_boot;
	plan->cost_run = a->cost_run;
	plan->max_runs = a->max_runs;
	plan->max_builds = a->max_builds;
	plan->stop = stop_requested;
}

/* --- hunts ---------------------------------------------------------------------------------------------------------- */

struct output {
	const struct simulate_args *args;
	struct table rows, bins;
	struct str names;
	struct json_out json;
	bool several;
};

static int run_plan(const struct simulate_plan *plan, struct output *o, struct err *e)
{
	AUTO_FREE struct policy_result *r = xcalloc(plan->histories, sizeof(*r));
	struct simulate_tally tally;

	term_progress("%s by %s", plan->scenario.name, sim_policy_name(plan->policy));
	if (!simulate_run(plan, r))
		return err_set(e, ERR_STOPPED, "stopped");
	simulate_tally(plan, r, plan->histories, &tally);
	if (tally.step_seconds > 0)
		term_step("%s by %s: slowest decision %.2f ms", plan->scenario.name,
			  sim_policy_name(plan->policy), 1e3 * tally.step_seconds);
	if (tally.stuck)
		term_warn("%s by %s: %u hunts did not end and were given up", plan->scenario.name,
			  sim_policy_name(plan->policy), tally.stuck);
	if (o->args->common.json) {
		sim_report_json(plan, &tally, &o->json, NULL);
		return 0;
	}
	if (plan->file)
		sim_report_names(plan, r, &o->names);
	if (!plan->file || plan->file->truth_known)
		sim_report_row(plan, &tally, &o->rows);
	if (o->args->calibration)
		sim_report_bins(plan, &tally, &o->bins);
	return 0;
}

static int parse_policies(const struct simulate_args *a, enum sim_policy *ret, size_t *ret_n,
			  struct err *e)
{
	AUTO_FREE char *copy = xstrdup(a->policies);
	size_t n = 0;

	for (char *save = NULL, *p = strtok_r(copy, ",", &save); p;
	     p = strtok_r(NULL, ",", &save)) {
		if (n == 16 || !sim_policy_parse(p, &ret[n]))
			return err_set(
				e, ERR_USAGE,
				"--policy wants a list of P0, P1, P3, P4, P4+rebuild and P4+exact, not '%.60s'",
				p);
		if (ret[n] == POLICY_P4 && a->relayout)
			ret[n] = POLICY_P4_REBUILD;
		n++;
	}
	*ret_n = n;
	return n ? 0 : err_set(e, ERR_USAGE, "--policy wants at least one policy");
}

static int find_scenario(const char *name, struct sim_scenario *ret, struct err *e)
{
	const struct sim_scenario *p = sim_scenario_find(name);
	const char *near = sim_scenario_near(name);

	if (p) {
		*ret = *p;
		return 0;
	}
	if (near)
		return err_set(e, ERR_USAGE, "no scenario '%.60s', did you mean '%s'?", name, near);
	return err_set(e, ERR_USAGE, "no scenario '%.60s'; culprit simulate --list prints them",
		       name);
}

static int run_policies(const struct simulate_args *a, struct simulate_plan *plan, struct output *o,
			struct err *e)
{
	enum sim_policy policies[16];
	size_t n;
	const char *why;

	if (parse_policies(a, policies, &n, e) < 0)
		return -ERR_USAGE;
	for (size_t i = 0; i < n; i++) {
		plan->policy = policies[i];
		why = simulate_impossible(plan);
		if (why)
			return err_set(e, ERR_USAGE, "%s by %s: %s", plan->scenario.name,
				       sim_policy_name(plan->policy), why);
		if (run_plan(plan, o, e) < 0)
			return -(int)e->kind;
	}
	return 0;
}

static int run_scenarios(const struct simulate_args *a, const struct strvec *names,
			 struct output *o, struct err *e)
{
	struct simulate_plan plan;

	for (size_t i = 0; i < names->n || i == 0; i++) {
		plan_from(a, &plan);
		if (names->n && find_scenario(names->v[i], &plan.scenario, e) < 0)
			return -ERR_USAGE;
		if (change_scenario(a, &plan.scenario, e) < 0 || run_policies(a, &plan, o, e) < 0)
			return -(int)e->kind;
	}
	return 0;
}

static int run_file(const struct simulate_args *a, struct output *o, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO(sim_file) struct sim_file f = { 0 };
	struct simulate_plan plan;

	if (fs_read_named(a->file, 64 << 20, &text, e) < 0 ||
	    sim_file_parse(&f, text.p, text.n, a->file, e) < 0)
		return -(int)e->kind;
	plan_from(a, &plan);
	plan.scenario = f.p;
	plan.file = &f;
	return run_policies(a, &plan, o, e);
}

static void print_output(struct output *o, struct str *out)
{
	unsigned width = term_stdout_width();
	bool color = term_stdout_color();

	str_add(out, o->names.p, o->names.n);
	if (table_rows(&o->rows))
		table_put(&o->rows, width, color, out);
	if (table_rows(&o->bins)) {
		str_putc(out, '\n');
		table_put(&o->bins, width, color, out);
	}
}

static int run_hunts(const struct simulate_args *a, const struct strvec *names, struct err *e)
{
	AUTO(str) struct str out = STR_INIT;
	struct output o = { .args = a, .rows = TABLE_INIT, .bins = TABLE_INIT, .names = STR_INIT };
	int rc;

	o.json = (struct json_out)JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);
	o.several = names->n > 1 || strchr(a->policies, ',');
	sim_report_columns(&o.rows);
	sim_report_bin_columns(&o.bins);
	if (a->common.json && o.several) {
		json_out_object(&o.json, NULL);
		json_out_int(&o.json, "schema", 1);
		json_out_text(&o.json, "command", "simulate");
		json_out_array(&o.json, "results");
	}
	rc = a->file ? run_file(a, &o, e) : run_scenarios(a, names, &o, e);
	term_progress_end();
	if (a->common.json && o.several) {
		json_out_close(&o.json);
		json_out_close(&o.json);
	}
	if (!a->common.json)
		print_output(&o, &out);
	if (!rc)
		term_print(&out);
	table_done(&o.rows);
	table_done(&o.bins);
	str_done(&o.names);
	return rc;
}

/* --- targets and A/B ------------------------------------------------------------------------------------------------ */

enum { MAX_SEEDS = 64 };

static int parse_seeds(const char *list, uint64_t *ret, size_t *ret_n, struct err *e)
{
	AUTO_FREE char *copy = xstrdup(list);
	int64_t v;
	size_t n = 0;

	for (char *save = NULL, *p = strtok_r(copy, ",", &save); p;
	     p = strtok_r(NULL, ",", &save)) {
		if (n == MAX_SEEDS)
			return err_set(e, ERR_USAGE, "--seeds: at most %d", MAX_SEEDS);
		if (num_parse_int(p, "--seeds", 0, INT64_MAX, &v, e) < 0)
			return -ERR_USAGE;
		ret[n++] = (uint64_t)v;
	}
	*ret_n = n;
	return n ? 0 : err_set(e, ERR_USAGE, "--seeds wants a list of numbers");
}

static void put_target_row(const struct simulate_args *a, const struct target_row *row, uint32_t n,
			   const struct target_result *r, struct json_out *json, struct table *t)
{
	if (a->common.json)
		sim_report_targets_json(row, n, r, json);
	else
		sim_report_targets(row, n, r, t);
}

static int run_targets(const struct simulate_args *a, bool *ret_held, struct err *e)
{
	AUTO(str) struct str text = STR_INIT, out = STR_INIT;
	AUTO(target_file) struct target_file f = { 0 };
	AUTO(table) struct table t = TABLE_INIT;
	struct json_out json = JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);
	struct target_result r[TARGET_MAX];
	struct simulate_plan plan;
	uint64_t seeds[MAX_SEEDS];
	size_t n_seeds;

	if (fs_read_named(a->targets, 1 << 20, &text, e) < 0 ||
	    target_file_parse(&f, text.p, text.n, a->targets, e) < 0 ||
	    parse_seeds(a->seeds, seeds, &n_seeds, e) < 0)
		return -(int)e->kind;
	plan_from(a, &plan);
	sim_report_target_columns(&t);
	json_out_object(&json, NULL);
	json_out_int(&json, "schema", 1);
	json_out_text(&json, "command", "simulate");
	json_out_array(&json, "targets");
	for (size_t i = 0; i < f.n; i++) {
		const struct target_row *row = &f.v[i];
		term_progress("%s by %s (%zu of %zu)", row->scenario.name,
			      sim_policy_name(row->policy), i + 1, f.n);
		uint32_t n = target_row_run(row, &plan, seeds, n_seeds, a->scale, r);
		if (!n)
			return err_set(e, ERR_STOPPED, "stopped");
		unsigned met = 0;
		for (unsigned k = 0; k < row->n; k++)
			met += r[k].ok;
		*ret_held &= met == row->n;
		put_target_row(a, row, n, r, &json, &t);
		term_step("%s by %s: %u of %u targets met", row->scenario.name,
			  sim_policy_name(row->policy), met, row->n);
	}
	json_out_close(&json);
	json_out_close(&json);
	if (!a->common.json) {
		str_clear(&out);
		table_put(&t, term_stdout_width(), term_stdout_color(), &out);
	}
	term_progress_end();
	term_print(&out);
	return 0;
}

/* The tables that the arguments name, or all. */
static int choose_tables(const struct strvec *names, bool *ret, struct err *e)
{
	for (unsigned k = 0; k < AB_KINDS; k++)
		ret[k] = !names->n;
	for (size_t i = 0; i < names->n; i++) {
		unsigned k = 0;

		while (k < AB_KINDS && strcmp(names->v[i], ab_kind_name(k)))
			k++;
		if (k == AB_KINDS)
			return err_set(
				e, ERR_USAGE,
				"--ab has the tables coverage, looks, family, builds, recovery, more and symptoms, not '%.60s'",
				names->v[i]);
		ret[k] = true;
	}
	return 0;
}

static int run_ab(const struct simulate_args *a, const struct strvec *names, bool *ret_held,
		  struct err *e)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out json = JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);
	bool wanted[AB_KINDS];

	if (choose_tables(names, wanted, e) < 0)
		return -ERR_USAGE;
	if (a->common.json) {
		json_out_object(&json, NULL);
		json_out_int(&json, "schema", 1);
		json_out_text(&json, "command", "simulate");
		json_out_array(&json, "ab");
	}
	for (unsigned k = 0; k < AB_KINDS; k++) {
		uint32_t reps = a->histories_given ? (uint32_t)a->histories : 0;
		size_t n;

		if (!wanted[k])
			continue;
		AUTO_FREE struct ab_cell *cells = ab_table(k, a->ci, reps, &n);

		term_progress("%s", ab_kind_name(k));
		ab_run(cells, n, (uint64_t)a->seed, a->jobs);
		for (size_t i = 0; i < n; i++)
			*ret_held &= ab_holds(&cells[i]);
		if (a->common.json)
			sim_report_ab_json(cells, n, &json);
		else
			sim_report_ab(cells, n, term_stdout_width(), term_stdout_color(), &out);
	}
	if (a->common.json) {
		json_out_close(&json);
		json_out_close(&json);
	}
	term_progress_end();
	term_print(&out);
	return 0;
}

static void print_list(void)
{
	AUTO(str) struct str out = STR_INIT;
	AUTO(table) struct table t = TABLE_INIT;

	sim_report_list(&t);
	table_put(&t, term_stdout_width(), term_stdout_color(), &out);
	term_print(&out);
}

int cmd_simulate(int argc, const char *const *argv)
{
	struct simulate_args a;
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	bool held = true;
	int status, rc = 0;

	defaults(&a);
	if (!cmd_start(cmd_simulate_options, &a, &a.common, argc, argv, &rest, &status))
		return status;
	if ((a.list || a.targets || a.file) && rest.list.n)
		rc = err_set(&e, ERR_USAGE,
			     "'%.60s': --list, --targets and --file take no scenario",
			     rest.list.v[0]);
	else if (a.list)
		print_list();
	else if (a.ab)
		rc = run_ab(&a, &rest.list, &held, &e);
	else if (a.targets)
		rc = run_targets(&a, &held, &e);
	else
		rc = run_hunts(&a, &rest.list, &e);
	if (rc < 0)
		return cmd_fail(&e);
	return held ? CMD_OK : CMD_WORSE;
}
