/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate BASE HEAD - for CI: does HEAD get worse with any benchmark of the configuration? One exit status, a summary for the job's page, JUnit for its tests.
 *
 * Each benchmark is a comparison of its own in the journal. The chance of a false alarm is that of the whole gate: with n benchmarks each is judged at alpha / n,
 * so that a gate with many of them is no flakier than one with one.
 */
#include "cli/measuring.h"

#include "cli/term.h"
#include "hunt/versus.h"
#include "report/answer.h"
#include "report/gate.h"
#include "text/json.h"

#include <stdio.h>
#include <string.h>

struct gate_args {
	struct measuring_opts m;
	int fail_on;
	const char *markdown, *junit;
	unsigned runs;
};

enum fail_on { FAIL_ON_SLOWER, FAIL_ON_UNDECIDED };
static const char *const fail_ons[] = { "slower", "undecided", NULL };

const struct opt cmd_gate_options[] = {
	OPT_GROUP("The gate"),
	{ 0, "fail-on", OPT_CHOICE, OPT_INTO(struct gate_args, fail_on), "WHAT",
	  "slower (default), or undecided: what is not shown to be good enough fails too",
	  .choices = fail_ons },
	{ 0, "markdown", OPT_STRING, OPT_INTO(struct gate_args, markdown), "FILE",
	  "append a summary in Markdown to this file, as $GITHUB_STEP_SUMMARY wants",
	  .complete = COMPLETE_FILE },
	{ 0, "junit", OPT_STRING, OPT_INTO(struct gate_args, junit), "FILE",
	  "write the verdicts as JUnit XML to this file, a test case a metric",
	  .complete = COMPLETE_FILE },
	OPT_COMMON_CONFIG(struct gate_args, m.common),
	OPT_MEASURING(struct gate_args, m),
	{ 'n', "runs", OPT_UINT, OPT_INTO(struct gate_args, runs), "N",
	  "at most N runs of each (default: as many as the verdict needs, 56 at most)", .min = 1,
	  .max = 100000 },
	OPT_COMMON_STORE(struct gate_args, m.common),
	OPT_COMMON_OUTPUT(struct gate_args, m.common),
	OPT_END,
};

/* --- measuring ------------------------------------------------------------------------------------------------------ */

/* The benchmarks of the configuration, or the one that is meant. */
static int list_benchmarks(const struct gate_args *a, struct strvec *ret, struct err *e)
{
	struct measuring_opts m = a->m;
	struct session s = { 0 };

	m.no_benchmark = true;
	int r = measuring_open(&m, "gate", &s, e);

	if (r < 0)
		return r;
	session_benchmarks(&s, ret);
	session_close(&s);
	return ret->n ? 0
		      : err_set(e, ERR_USAGE,
				"gate wants a benchmark: --bench CMD, or culprit.yaml");
}

/* Its alpha is its share. */
static const char *const of_the_comparison[] = { "benchmark", "alpha", NULL };

static int compare_one(const struct gate_args *a, const char *benchmark, const struct strvec *ends,
		       double alpha, char **ret_answer, struct err *e)
{
	AUTO(strvec) struct strvec words = STRVEC_INIT;
	struct measuring_opts m = a->m;
	struct session s = { 0 };
	bool stored;
	struct versus_options o = {
		.variants = (const char *const *)ends->v,
		.n = 2,
		.alpha = alpha,
		.seed = (uint64_t)a->m.seed_option,
		.max_runs = a->runs,
		.dry_run = a->m.dry_run,
	};
	int r = measuring_spell(&a->m, cmd_gate_options, of_the_comparison, "compare", benchmark,
				NULL, &words, e);

	if (r < 0)
		return r;
	if (a->runs)
		strvec_addf(&words, "--runs=%u", a->runs);
	strvec_addf(&words, "--alpha=%.17g", alpha);
	strvec_add(&words, ends->v[0]);
	strvec_add(&words, ends->v[1]);
	m.argv = (const char *const *)words.v;
	if (!m.workload)
		m.benchmark = benchmark;
	if ((r = measuring_open(&m, "gate", &s, e)) < 0)
		return r;
	o.margin = measuring_margin(&a->m, &s);
	r = versus_hunt(&s, &o, ret_answer, &stored, e);
	session_close(&s);
	return r;
}

/* A benchmark that cannot be compared is a row of the gate; what stops it, or a wrong command line, ends it. */
static int add_benchmark(const struct gate_args *a, const char *name, const struct strvec *ends,
			 double alpha, struct json_out *w, struct err *e)
{
	AUTO_FREE char *answer = NULL;
	int r = compare_one(a, name, ends, alpha, &answer, e);

	if (r < 0 && r != -ERR_ENV)
		return r;
	json_out_object(w, NULL);
	json_out_text(w, "name", name);
	if (r < 0) {
		json_out_text(w, "error", e->msg);
		*e = (struct err)ERR_INIT;
	} else {
		json_out_raw(w, "comparison", answer);
	}
	json_out_close(w);
	return 0;
}

static int measure(const struct gate_args *a, const struct strvec *ends, struct str *out,
		   struct err *e)
{
	AUTO(strvec) struct strvec names = STRVEC_INIT;
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);
	int r = list_benchmarks(a, &names, e);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", a->m.dry_run ? "plan" : "gate");
	if (a->m.dry_run)
		json_out_text(&w, "for", "gate");
	json_out_text(&w, "base", ends->v[0]);
	json_out_text(&w, "head", ends->v[1]);
	json_out_text(&w, "fail_on", fail_ons[a->fail_on]);
	json_out_number(&w, "alpha", a->m.alpha);
	json_out_array(&w, "benchmarks");
	for (size_t i = 0; i < names.n && r == 0; i++)
		r = add_benchmark(a, names.v[i], ends, a->m.alpha / (double)names.n, &w, e);
	json_out_close(&w);
	json_out_close(&w);
	return r;
}

/* --- the answer ------------------------------------------------------------------------------------------------------ */

/* Not by a new file and a rename: what is given may be a pipe, or be watched by whoever made it. */
static int put_file(const char *path, const char *mode, const struct str *text, struct err *e)
{
	FILE *f = fopen(path, mode);
	bool ok = f && (!text->n || fwrite(text->p, 1, text->n, f) == text->n);

	if (f && fclose(f))
		ok = false;
	return ok ? 0 : err_errno(e, "writing '%s'", path);
}

static int write_forms(const struct gate_args *a, const struct json *root, struct err *e)
{
	AUTO(str) struct str md = STR_INIT, xml = STR_INIT;
	int r = 0;

	if (a->markdown) {
		gate_markdown(root, &md);
		r = put_file(a->markdown, "ae", &md, e);
	}
	if (r == 0 && a->junit) {
		gate_junit(root, &xml);
		r = put_file(a->junit, "we", &xml, e);
	}
	return r;
}

static int status_of(enum gate_verdict v)
{
	return v == GATE_PASS	     ? CMD_OK
	       : v == GATE_FAIL	     ? CMD_WORSE
	       : v == GATE_UNDECIDED ? CMD_UNDECIDED
				     : CMD_FAILED;
}

static int gate(const struct gate_args *a, const struct strvec *ends)
{
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;
	AUTO(str) struct str out = STR_INIT;
	struct err e = ERR_INIT;
	int r;

	if (ends->n != 2) {
		err_set(&e, ERR_USAGE, "gate wants two revisions: culprit gate BASE HEAD");
		return cmd_fail(&e);
	}
	r = measure(a, ends, &out, &e);
	if (r == 0)
		r = json_parse_stored(out.p, "the gate's answer", &root, &e);
	if (r == 0 && !a->m.dry_run)
		r = write_forms(a, root, &e);
	if (r == 0)
		r = measuring_show(&a->m, out.p, false, &e);
	if (r < 0)
		return measuring_fail(&e);
	return a->m.dry_run ? CMD_OK : status_of(gate_judge(root));
}

int cmd_gate(int argc, const char *const *argv)
{
	struct gate_args a = { .fail_on = FAIL_ON_SLOWER };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	int status;

	measuring_defaults(&a.m);
	a.m.argv = argv;
	if (cmd_start(cmd_gate_options, &a, &a.m.common, argc, argv, &rest, &status))
		status = gate(&a, &rest.list);
	common_opts_done(&a.m.common);
	return status;
}
