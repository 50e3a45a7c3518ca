/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * culprit doctor - what makes this machine noisy, with the fix for each, and what culprit can use here.
 *
 * It looks, and changes nothing: every fix is a command for the user to judge.
 */
#include "cli/calibrating.h"
#include "cli/exactness.h"
#include "cli/stop.h"
#include "cli/term.h"
#include "sys/busy.h"
#include "sys/counters.h"
#include "sys/machine.h"
#include "sys/noise.h"
#include "sys/proc.h"
#include "target/target.h"
#include "text/json.h"
#include "text/table.h"

#include "base/num.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Long enough to see what else runs, short enough to wait for. */
#define LOOK_NS (NS_PER_S / 2)

struct doctor_args {
	struct measuring_opts m;
	bool is_calibrating;
	unsigned runs;
};

const struct opt cmd_doctor_options[] = {
	{ 0, "calibrate", OPT_BOOL, OPT_INTO(struct doctor_args, is_calibrating), NULL,
	  "measure A against A: this machine's noise with this benchmark, and what can be seen through it" },
	{ 'n', "runs", OPT_UINT, OPT_INTO(struct doctor_args, runs), "N",
	  "with --calibrate: runs a side (default 20)", .min = 5, .max = 10000 },
	OPT_COMMON_CONFIG(struct doctor_args, m.common),
	OPT_MEASURING(struct doctor_args, m),
	OPT_COMMON_STORE(struct doctor_args, m.common),
	OPT_COMMON_OUTPUT(struct doctor_args, m.common),
	OPT_END,
};

/* Something that culprit can use, or why not. */
struct ability {
	const char *name;
	const char *what_for;
	bool is_usable;
	char why[240]; /* not usable: because; else a version or nothing */
};
enum { ABILITIES = 16 };

struct checkup {
	struct machine machine;
	struct findings findings;
	struct ability can[ABILITIES];
	size_t n_can;
};

static struct ability *can(struct checkup *c, const char *name, const char *what_for)
{
	struct ability *a = &c->can[c->n_can];

	if (c->n_can + 1 < ABILITIES)
		c->n_can++;
	*a = (struct ability){ .name = name, .what_for = what_for };
	return a;
}

/* The first line that `name --version` prints. */
static void look_for_program(struct checkup *c, const char *name, const char *what_for,
			     const char *package)
{
	struct ability *a = can(c, name, what_for);
	const char *argv[] = { name, "--version", NULL };
	struct proc_spec spec = { .argv = argv, .timeout_ns = 10 * NS_PER_S, .output_max = 4096 };
	AUTO(str) struct str out = STR_INIT, err = STR_INIT;
	struct proc_result result;
	struct err e = ERR_INIT;

	if (proc_run(&spec, &out, &err, &result, &e) == 0 && result.end == PROC_EXITED &&
	    result.status == 0) {
		a->is_usable = true;
		str_cut(&out, strcspn(out.p, "\n"));
		snprintf(a->why, sizeof(a->why), "%s", out.p);
	} else {
		snprintf(a->why, sizeof(a->why), "not found: install %s", package);
	}
}

static void look_at_targets(struct checkup *c)
{
	for (const struct target_ops *const *t = targets; *t; t++) {
		struct ability *a = can(c, (*t)->name, "target");
		char reason[200] = "";

		a->is_usable = !(*t)->unusable || !(*t)->unusable(reason);
		snprintf(a->why, sizeof(a->why), "%s", reason);
	}
}

static void look_at_abilities(struct checkup *c)
{
	AUTO(str) struct str missing = STR_INIT;
	struct ability *a;

	look_at_targets(c);
	look_for_program(c, "git", "everything in a repository", "git");
	look_for_program(c, "valgrind", "--measure callgrind", "valgrind");
	look_for_program(c, "ccache", "faster builds", "ccache");
	a = can(c, "counters", "--measure perf");
	counters_probe(&missing);
	a->is_usable = !missing.n;
	snprintf(a->why, sizeof(a->why), "%s%s", missing.n ? "not supported: " : "", missing.p);
	a = can(c, "namespaces", "several builds at once at one path");
	a->is_usable = proc_can_bind();
	if (!a->is_usable)
		snprintf(a->why, sizeof(a->why),
			 "no private mount namespace here: builds go one at a time");
}

static void look(struct checkup *c)
{
	const struct timespec wait = { .tv_nsec = LOOK_NS };
	AUTO(str) struct str names = STR_INIT;
	struct busy busy_before, busy_after;
	struct machine before;
	double busy, steal;

	machine_read("", &before);
	busy_read("", &busy_before);
	nanosleep(&wait, NULL);
	busy_read("", &busy_after);
	machine_read("", &c->machine);
	busy_between(&busy_before, &busy_after, LOOK_NS / 1e9, &names);
	busy_done(&busy_before);
	busy_done(&busy_after);
	machine_between(&before, &c->machine, &busy, &steal);
	noise_find(&c->machine, busy, steal, &c->findings);
	noise_name_load(&c->findings, names.p);
	look_at_abilities(c);
}

/* --- JSON --- */

static void put_known(struct json_out *w, const char *key, int value)
{
	if (value < 0)
		json_out_null(w, key);
	else
		json_out_int(w, key, value);
}

static void put_machine_json(const struct machine *m, struct json_out *w)
{
	json_out_object(w, "machine");
	json_out_text(w, "cpu", m->cpu);
	json_out_text(w, "kernel", m->kernel);
	json_out_text(w, "governor", *m->governor ? m->governor : NULL);
	json_out_text(w, "clocksource", *m->clocksource ? m->clocksource : NULL);
	json_out_text(w, "hypervisor", *m->hypervisor ? m->hypervisor : NULL);
	json_out_text(w, "container", *m->container ? m->container : NULL);
	json_out_int(w, "cpus", m->cpus);
	json_out_int(w, "cpus_allowed", m->cpus_allowed);
	put_known(w, "turbo", m->turbo);
	put_known(w, "smt", m->smt);
	put_known(w, "aslr", m->aslr);
	put_known(w, "perf_paranoid", m->perf_paranoid);
	json_out_int(w, "memory_bytes", m->memory_bytes);
	json_out_int(w, "swap_used_bytes", m->swap_used_bytes);
	json_out_number(w, "load", m->load);
	json_out_close(w);
}

static void put_json(const struct checkup *c, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_PRETTY);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "doctor");
	put_machine_json(&c->machine, &w);
	json_out_array(&w, "findings");
	for (size_t i = 0; i < c->findings.n; i++) {
		const struct finding *f = &c->findings.v[i];

		json_out_object(&w, NULL);
		json_out_text(&w, "severity", finding_severity_name(f->severity));
		json_out_text(&w, "topic", f->topic);
		json_out_text(&w, "what", f->what);
		json_out_text(&w, "fix", *f->fix ? f->fix : NULL);
		json_out_close(&w);
	}
	json_out_close(&w);
	json_out_array(&w, "abilities");
	for (size_t i = 0; i < c->n_can; i++) {
		json_out_object(&w, NULL);
		json_out_text(&w, "name", c->can[i].name);
		json_out_text(&w, "for", c->can[i].what_for);
		json_out_bool(&w, "usable", c->can[i].is_usable);
		json_out_text(&w, "note", *c->can[i].why ? c->can[i].why : NULL);
		json_out_close(&w);
	}
	json_out_close(&w);
	json_out_close(&w);
}

/* --- text --- */

static void line(struct str *out, enum text_style style, const char *left, size_t indent,
		 const char *text, size_t width)
{
	size_t n = text_columns(left);

	text_put(out, style, term_stdout_color(), left);
	str_pad(out, ' ', indent > n ? indent - n : 1);
	text_wrap(out, text, indent, indent, width);
}

static void put_findings(const struct checkup *c, size_t width, struct str *out)
{
	static const enum text_style styles[] = { TEXT_GOOD, TEXT_PLAIN, TEXT_WARN, TEXT_BAD };
	size_t good = 0;

	for (size_t i = 0; i < c->findings.n; i++) {
		const struct finding *f = &c->findings.v[i];
		AUTO_FREE char *what = xasprintf("%s: %s", f->topic, f->what);

		if (f->severity == FINDING_GOOD) {
			good++;
			continue;
		}
		line(out, styles[f->severity], finding_severity_name(f->severity), 7, what, width);
		if (*f->fix) {
			AUTO_FREE char *fix = xasprintf("fix: %s", f->fix);

			line(out, TEXT_PLAIN, "", 7, fix, width);
		}
	}
	if (!good)
		return;
	AUTO(str) struct str fine = STR_INIT;

	for (size_t i = 0; i < c->findings.n; i++)
		if (c->findings.v[i].severity == FINDING_GOOD)
			str_addf(&fine, "%s%s", fine.n ? ", " : "", c->findings.v[i].topic);
	line(out, TEXT_GOOD, "good", 7, fine.p, width);
}

static void put_text(const struct checkup *c, struct str *out)
{
	const struct machine *m = &c->machine;
	AUTO(str) struct str what = STR_INIT;
	size_t width = term_stdout_width() ? term_stdout_width() : 100;

	str_addf(&what, "%s, %u of %u CPUs, ", m->cpu, m->cpus_allowed, m->cpus);
	num_put_size(&what, m->memory_bytes);
	str_addf(&what, ", Linux %s", m->kernel);
	if (*m->hypervisor)
		str_addf(&what, ", a virtual machine (%s)", m->hypervisor);
	text_wrap(out, what.p, 0, 0, width);
	str_putc(out, '\n');
	put_findings(c, width, out);
	str_putc(out, '\n');
	for (size_t i = 0; i < c->n_can; i++) {
		const struct ability *a = &c->can[i];

		str_clear(&what);
		str_addf(&what, "%s (%s)%s%s", a->is_usable ? "yes" : "no", a->what_for,
			 *a->why ? ": " : "", a->why);
		line(out, TEXT_PLAIN, a->name, 12, what.p, width);
	}
}

static int doctor(const struct doctor_args *a, const struct strvec *args)
{
	AUTO(str) struct str out = STR_INIT;
	struct checkup c = { 0 };
	struct err e = ERR_INIT;

	if (a->is_calibrating && args->n <= 1)
		return calibrating(&a->m, args->n ? args->v[0] : "HEAD", a->runs);
	if (!a->is_calibrating && a->m.target && !strcmp(a->m.target, "exact") && args->n <= 1)
		return exactness_doctor(&a->m, args->n ? args->v[0] : "HEAD");
	if (args->n) {
		err_set(&e, ERR_USAGE,
			a->is_calibrating
				? "doctor: --calibrate takes one variant, not '%.60s' too"
				: "doctor: takes no argument, not '%.60s'; --calibrate takes a variant",
			args->v[args->n - 1]);
		return cmd_fail(&e);
	}
	look(&c);
	if (a->m.common.json)
		put_json(&c, &out);
	else
		put_text(&c, &out);
	findings_done(&c.findings);
	term_print(&out);
	return CMD_OK;
}

int cmd_doctor(int argc, const char *const *argv)
{
	struct doctor_args a = { .runs = 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	int status;

	measuring_defaults(&a.m);
	a.m.argv = argv;
	a.runs = 20;
	if (cmd_start(cmd_doctor_options, &a, &a.m.common, argc, argv, &rest, &status))
		status = doctor(&a, &rest.list);
	common_opts_done(&a.m.common);
	return status;
}
