/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run - from a child's end to readings or one clear line.
 *
 * Which output matters is decided here, not in the readers. With a reader or regex named, everything that it says does. Without, stdout is
 * scanned for "name: value unit" lines on the quiet: if it has nothing else (whole output) it is meant for us and must be
 * right; otherwise only the `primary` metrics must be, since any program may print "note: 3 files" or "x: nan".
 */
#include "bench/run.h"

#include "base/num.h"
#include "bench/absent.h"
#include "bench/callgrind.h"
#include "bench/direct.h"
#include "bench/place.h"
#include "bench/workload.h"
#include "bench/formula.h"
#include "reader/reader.h"
#include "sys/apart.h"
#include "sys/cgroup.h"
#include "sys/counters.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

#define READ_MAX (INT64_C(16) << 20) /* of each stream, for the reader */
#define READ_TAIL (INT64_C(1) << 20)
#define KEEP_HEAD ((size_t)128 << 10) /* of each stream, for the journal */
#define KEEP_TAIL ((size_t)64 << 10)
/* prepare and cleanup of a benchmark without a timeout */
#define HELPER_TIMEOUT_NS (600 * NS_PER_S)

struct running {
	const struct run_setting *s;
	const struct benchmark *b;
	const struct reader *reader;
	bool is_explicit; /* a reader or regex was named */
	struct str out, err;
	struct proc_result proc;
	struct counter_set counters;
	const struct readings *given; /* of a guest: instead of the child's own */
	char *cgroup; /* of this run; what outlives the command is in it until cleanup has ended */
	struct run_result *ret;
};

void run_result_done(struct run_result *r)
{
	free(r->reason);
	readings_done(&r->readings);
	str_done(&r->output);
	strvec_done(&r->remarks);
	*r = (struct run_result){ .output = STR_INIT };
}

void run_memory_done(struct run_memory *m)
{
	readings_done(&m->first);
	m->is_set = false;
}

/* --- reasons -------------------------------------------------------------------------------------------------------- */

static PRINTF(3, 4) void refuse(struct run_result *r, enum outcome outcome, const char *fmt, ...)
{
	AUTO(str) struct str s = STR_INIT;
	va_list ap;

	if (r->reason)
		return;
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	str_make_printable(&s);
	r->outcome = outcome;
	r->reason = str_take(&s);
}

static void what_it_said(const struct running *x, struct str *out)
{
	size_t before = out->n;

	str_add_last_line(out, &x->err);
	if (out->n == before)
		str_add_last_line(out, &x->out);
}

/* --- children ------------------------------------------------------------------------------------------------------- */

static struct proc_spec base_spec(const struct run_setting *s)
{
	return (struct proc_spec){
		.cwd = s->cwd,
		.env = s->env,
		.bind_from = s->bind_from,
		.bind_to = s->bind_to,
		.read_only = s->read_only,
		.writable = s->writable,
		.pin = s->benchmark->pin,
		.tick = s->tick,
		.tick_arg = s->tick_arg,
	};
}

/* A word on a program that a shell takes for missing. */
static void explain_absent(const struct run_setting *s, const struct str *said, struct str *out)
{
	if (s->cwd) /* not of a guest */
		absent_explain(said->p, s->cwd, s->bind_from, s->bind_to, s->env, out);
}

/* prepare or cleanup. */
static int helper(struct running *x, const char *name, const char *command, bool leave,
		  struct err *e)
{
	AUTO(str) struct str out = STR_INIT, why = STR_INIT;
	const char *argv[] = { "sh", "-c", "--", command, NULL };
	struct proc_spec spec = base_spec(x->s);
	struct proc_result r;

	spec.argv = argv;
	spec.timeout_ns = x->b->timeout_ns > 0 ? x->b->timeout_ns : HELPER_TIMEOUT_NS;
	spec.merge_stderr = true;
	spec.output_max = 64 << 10;
	spec.output_tail = 32 << 10;
	spec.leave = leave;
	int f = apart_run(&spec, &out, NULL, &r, e);

	if (f < 0)
		return f;
	if (r.end == PROC_EXITED && r.status == 0)
		return 0;
	proc_describe(&r, spec.timeout_ns, &why);
	str_add_last_line(&why, &out);
	explain_absent(x->s, &out, &why);
	refuse(x->ret, r.end == PROC_TIMED_OUT ? OUTCOME_TIMEOUT : OUTCOME_FAILED, "%s: %s", name,
	       why.p);
	return 0;
}

static int start(struct running *x, const struct strvec *argv, struct err *e)
{
	struct proc_spec spec = base_spec(x->s);

	spec.no_aslr = spec.fresh_pids = x->b->measure == MEASURE_CALLGRIND;
	spec.argv = (const char *const *)argv->v;
	spec.timeout_ns = x->b->timeout_ns;
	spec.output_max = READ_MAX;
	spec.output_tail = READ_TAIL;
	spec.leave = x->b->cleanup != NULL;
	spec.stop = x->s->stop;
	if (x->b->measure == MEASURE_PERF) {
		counters_init(&x->counters);
		spec.counters = &x->counters;
	}
	spec.cgroup = x->cgroup;
	return apart_run(&spec, &x->out, &x->err, &x->proc, e);
}

static int command(struct running *x, struct err *e)
{
	const char *const tree[] = { x->s->cwd, x->s->bind_to, NULL };
	AUTO(strvec) struct strvec argv = STRVEC_INIT;

	if (x->s->cgroup_parent)
		x->cgroup = cgroup_make(x->s->cgroup_parent);
	if (x->b->measure == MEASURE_CALLGRIND) {
		callgrind_argv(x->b->command, x->s->scratch, &argv);
		return start(x, &argv, e);
	}
	if (direct_words(x->b->command, &argv) && direct_is_found(argv.v[0], x->s->env, tree)) {
		int r = start(x, &argv, e);

		if (r < 0 || x->proc.end != PROC_NOT_STARTED)
			return r;
		/* A script without "#!", or no such program: the shell knows what to do or to say. */
		str_clear(&x->out);
		str_clear(&x->err);
		strvec_done(&argv);
	}
	direct_shell(x->b->command, &argv);
	return start(x, &argv, e);
}

/* --- judging -------------------------------------------------------------------------------------------------------- */

/* A shell says with 128 + n that its child died of signal n. */
static int signal_of(const struct proc_result *p)
{
	if (p->end == PROC_SIGNALLED)
		return p->status;
	return p->end == PROC_EXITED && p->status > 128 && p->status <= 128 + 64 ? p->status - 128
										 : 0;
}

static void judge_end(struct running *x)
{
	const struct proc_result *p = &x->proc;
	AUTO(str) struct str why = STR_INIT;
	int sig = signal_of(p);

	if (p->end == PROC_TIMED_OUT) {
		proc_describe(p, x->b->timeout_ns, &why);
		what_it_said(x, &why);
		refuse(x->ret, OUTCOME_TIMEOUT, "%s", why.p);
	} else if (p->end == PROC_NOT_STARTED) {
		refuse(x->ret, OUTCOME_FAILED, "%s", x->err.p);
	} else if (p->suspended_ns) {
		num_put_duration(&why, p->suspended_ns);
		refuse(x->ret, OUTCOME_FAILED, "the machine was suspended for %s during the run",
		       why.p);
	} else if (x->reader->any_status && p->end == PROC_EXITED && p->status == 125) {
		refuse(x->ret, OUTCOME_SKIPPED, "exit status 125: cannot be tested");
	} else if (x->reader->any_status) {
		return;
	} else if (sig) {
		what_it_said(x, &why);
		refuse(x->ret, OUTCOME_CRASHED, "signal %d (%s)%s", sig, strsignal(sig), why.p);
	} else if (p->status != 0) {
		what_it_said(x, &why);
		place_explain(&why);
		explain_absent(x->s, &x->err, &why);
		refuse(x->ret, OUTCOME_FAILED, "exit status %d%s%s", p->status,
		       p->status == 127	  ? " (command not found)"
		       : p->status == 126 ? " (not executable)"
					  : "",
		       why.p);
	}
}

static void judge_reject(struct running *x, const struct str *text)
{
	regex_t re;
	size_t at = 0;

	if (!x->b->reject || x->ret->reason || regcomp(&re, x->b->reject, REG_EXTENDED | REG_NOSUB))
		return;
	while (at < text->n && !x->ret->reason) {
		const char *line = text->p + at, *stop = memchr(line, '\n', text->n - at);
		size_t n = stop ? (size_t)(stop - line) : text->n - at;
		regmatch_t m = { .rm_so = 0, .rm_eo = (regoff_t)(n < 65536 ? n : 65536) };

		if (!regexec(&re, line, 1, &m, REG_STARTEND))
			refuse(x->ret, OUTCOME_FAILED,
			       "the benchmark printed '%.*s', which 'reject' refuses",
			       (int)(n < 120 ? n : 120), line);
		at += n + 1;
	}
	regfree(&re);
}

static void add_standard(struct running *x)
{
	struct readings *r = &x->ret->readings;
	const struct proc_result *p = &x->proc;

	if (x->given) {
		for (size_t i = 0; i < x->given->n; i++)
			readings_add_copy(r, &x->given->v[i]);
		return;
	}
	readings_add(r, "wall", "s", (double)p->wall_ns / 1e9, 0, BETTER_LOWER, false);
	readings_add(r, "user", "s", (double)p->user_ns / 1e9, 1e-6, BETTER_LOWER, false);
	readings_add(r, "sys", "s", (double)p->sys_ns / 1e9, 1e-6, BETTER_LOWER, false);
	/* the kernel knows the sum to the nanosecond; how it splits it into user and sys is sampled by the tick */
	readings_add(r, "cpu", "s", (double)(p->user_ns + p->sys_ns) / 1e9, 1e-6, BETTER_LOWER,
		     false);
	if (p->max_rss_bytes > p->rss_floor_bytes)
		readings_add(r, "max-rss", "B", (double)p->max_rss_bytes, 1024, BETTER_LOWER,
			     false);
	if (p->tree_peak_bytes >= 0)
		readings_add(r, "tree-peak", "B", (double)p->tree_peak_bytes, 65536, BETTER_LOWER,
			     false);
	for (size_t i = 0; x->b->measure == MEASURE_PERF && i < COUNTERS; i++) {
		const struct counter *c = &x->counters.v[i];

		if (c->is_supported)
			readings_add(r, c->name, c->unit, c->value, 0, BETTER_LOWER, false);
	}
}

/* Why a metric of ours has no value; NULL if it has one or is none of ours. */
static const char *counter_why(const struct running *x, const char *metric)
{
	for (size_t i = 0; x->b->measure == MEASURE_PERF && i < COUNTERS; i++)
		if (!strcmp(x->counters.v[i].name, metric) && !x->counters.v[i].is_supported)
			return x->counters.v[i].why;
	if (!strcmp(metric, "max-rss") && x->proc.max_rss_bytes <= x->proc.rss_floor_bytes)
		return "so little cannot be told from what starting a program takes (2 to 3 MiB)";
	if (!strcmp(metric, "tree-peak") && !x->cgroup && x->b->measure != MEASURE_CALLGRIND)
		return "no right to make a control group with the memory controller here";
	return NULL;
}

static int add_instructions(struct running *x, struct err *e)
{
	double instructions;
	unsigned processes;
	int r = callgrind_collect(x->s->scratch, &instructions, &processes,
				  x->s->functions ? &x->ret->output : NULL, e);

	if (r < 0 && !x->ret->reason)
		return r;
	if (r == 0 && !processes)
		refuse(x->ret, OUTCOME_FAILED, "callgrind counted nothing");
	if (r == 0)
		readings_add(&x->ret->readings, "instructions", "", instructions, 1, BETTER_LOWER,
			     true);
	return 0;
}

static bool is_primary(const struct benchmark *b, const char *metric)
{
	for (const char **p = b->primary; p && *p; p++)
		if (!strcmp(*p, metric))
			return true;
	return false;
}

static void drop_standard(struct run_result *r, const char *metric)
{
	for (size_t i = 0; i < r->n_standard; i++)
		if (!strcmp(r->readings.v[i].metric, metric)) {
			free(r->readings.v[i].metric);
			free(r->readings.v[i].unit);
			r->readings.n--;
			memmove(&r->readings.v[i], &r->readings.v[i + 1],
				(r->readings.n - i) * sizeof(r->readings.v[0]));
			r->n_standard--;
			return;
		}
}

/* A benchmark that prints a metric named like one of ours means its own. Noise that only looks like one does not. */
static void add_read(struct running *x, const struct reader_result *got)
{
	struct run_result *r = x->ret;

	for (size_t i = 0; i < got->readings.n; i++) {
		const struct reading *v = &got->readings.v[i];
		bool is_meant = x->is_explicit || got->whole || is_primary(x->b, v->metric);

		if (readings_find(&r->readings, v->metric) && !is_meant)
			continue;
		drop_standard(r, v->metric);
		readings_add_copy(&r->readings, v);
	}
	for (size_t i = 0; i < r->readings.n; i++)
		if (x->b->better != BETTER_UNKNOWN && is_primary(x->b, r->readings.v[i].metric))
			r->readings.v[i].better = x->b->better;
}

static int judge_output(struct running *x, struct err *e)
{
	struct reader_input in = { x->out.p,
				   x->out.n,
				   x->err.p,
				   x->err.n,
				   signal_of(&x->proc) ? 128 + signal_of(&x->proc) : x->proc.status,
				   x->b->regex,
				   x->b->regex_metric };
	struct reader_result got;
	int r = reader_read(x->reader, &in, &got, e);

	x->ret->whole_output = got.whole;
	bool matters = x->is_explicit || got.whole ||
		       (got.problem_metric[0] && is_primary(x->b, got.problem_metric));

	if (r == 0 && got.problem[0] && matters)
		refuse(x->ret, OUTCOME_FAILED, "%s%s", got.problem,
		       x->proc.out_truncated ? " (its output was cut at 16 MiB)" : "");
	if (r == 0)
		add_read(x, &got);
	for (size_t i = 0; i < got.notes.n; i++)
		strvec_add(&x->ret->remarks, got.notes.v[i]);
	reader_result_done(&got);
	return r;
}

/* Only wall time is taken of a program whose results a reader knows: it is said once, with the first run. */
static void suggest_reader(struct running *x)
{
	const struct reader *r = NULL;

	if (x->is_explicit || x->ret->whole_output)
		return;
	if (!(r = reader_guess(x->out.p, x->out.n)))
		r = reader_guess(x->err.p, x->err.n);
	if (r)
		strvec_addf(
			&x->ret->remarks,
			"the output is one of %s: '--reader %s' (or the benchmark's key 'reader') takes its values",
			r->name, r->name);
}

/* Why a computed metric has no value in this run; false if `metric` is none. */
static bool refuse_formula(struct running *x, const char *metric)
{
	const struct formula_metric *m = x->s->config ? config_metric(x->s->config, metric) : NULL;
	struct formula_result got;

	if (!m || !m->formula || formula_value(m->formula, &x->ret->readings, &got))
		return false;
	refuse(x->ret, OUTCOME_FAILED, "metric '%s' %s: %s", metric, got.problem, m->formula);
	return true;
}

static void refuse_missing(struct running *x, const char *metric, const char *when)
{
	AUTO(str) struct str said = STR_INIT;
	const char *why = counter_why(x, metric);

	if (why) {
		refuse(x->ret, OUTCOME_FAILED, "metric '%s' is not supported: %s", metric, why);
		return;
	}
	if (refuse_formula(x, metric))
		return;
	if ((why = reader_no_number(&x->ret->remarks, metric))) {
		refuse(x->ret, OUTCOME_FAILED, "metric '%s': %s", metric, why);
		return;
	}
	what_it_said(x, &said);
	refuse(x->ret, OUTCOME_FAILED, "metric '%s' %s%s%s", metric, when,
	       said.n ? "; it printed" : "; it printed nothing", said.p);
}

/* Primary metrics must be there; what the first run of this boot had must come again, in the same unit. */
static void judge_metrics(struct running *x, struct run_memory *m)
{
	struct run_result *r = x->ret;
	bool any_primary = x->b->primary && x->b->primary[0];

	for (const char **p = x->b->primary; p && *p; p++)
		if (!readings_find(&r->readings, *p))
			refuse_missing(x, *p, "was not found in what the benchmark printed");
	for (size_t i = 0; m->is_set && i < m->first.n; i++) {
		const struct reading *was = &m->first.v[i],
				     *is = readings_find(&r->readings, was->metric);
		bool matters = any_primary ? is_primary(x->b, was->metric)
					   : x->is_explicit || r->whole_output;

		if (is && strcmp(is->unit, was->unit) != 0)
			refuse(r, OUTCOME_FAILED,
			       "metric '%s' changed its unit from '%s' to '%s' between two runs",
			       was->metric, was->unit, is->unit);
		else if (!is && matters)
			refuse_missing(x, was->metric,
				       "was printed by an earlier run and is missing now");
	}
	if (r->reason || m->is_set)
		return;
	for (size_t i = 0; i < r->readings.n; i++)
		readings_add(&m->first, r->readings.v[i].metric, r->readings.v[i].unit, 0, 0,
			     BETTER_UNKNOWN, false);
	m->is_set = true;
}

/* Head and tail of a stream: enough to look at a failure, little enough to keep a thousand. */
static void keep_output(struct str *out, const struct str *text)
{
	if (text->n <= KEEP_HEAD + KEEP_TAIL) {
		str_add(out, text->p, text->n);
		return;
	}
	str_add(out, text->p, KEEP_HEAD);
	str_addf(out, "\n[... %zu bytes not kept ...]\n", text->n - KEEP_HEAD - KEEP_TAIL);
	str_add(out, text->p + text->n - KEEP_TAIL, KEEP_TAIL);
}

static int judge(struct running *x, struct run_memory *m, struct err *e)
{
	struct run_result *r = x->ret;
	int f = 0;

	keep_output(&r->output, &x->out);
	keep_output(&r->output, &x->err);
	r->seconds = (double)x->proc.wall_ns / 1e9;
	r->suspended_ns = x->proc.suspended_ns;
	judge_end(x);
	judge_reject(x, &x->out);
	judge_reject(x, &x->err);
	if (x->b->measure == MEASURE_CALLGRIND)
		f = add_instructions(x, e);
	else
		add_standard(x);
	if (x->b->measure == MEASURE_PERF && !r->reason)
		counters_remarks(&x->counters, &r->remarks);
	if (x->proc.is_crowded)
		strvec_add(
			&r->remarks,
			"leftovers of earlier runs live by the thousand (setsid, daemons): if culprit is killed, the oldest of them stay");
	r->n_standard = r->readings.n;
	if (f == 0 && !r->reason)
		f = judge_output(x, e);
	if (f == 0 && !r->reason && !m->is_set)
		suggest_reader(x);
	if (f == 0 && !r->reason) {
		formula_apply(x->s->config, &r->readings);
		judge_metrics(x, m);
	}
	if (r->reason) {
		readings_done(&r->readings);
		r->n_standard = 0;
	}
	return f;
}

static int run_steps(struct running *x, struct run_memory *m, struct err *e)
{
	struct err ignored = ERR_INIT;
	bool is_stopped = false;
	int r = 0, c = 0;

	if (x->b->prepare)
		r = helper(x, "prepare", x->b->prepare, true, e);
	if (r == 0 && !x->ret->reason) {
		r = command(x, e);
		is_stopped = r == 0 && x->proc.end == PROC_STOPPED;
		if (r == 0 && !is_stopped)
			r = judge(x, m, e);
	}
	if (x->b->cleanup || x->b->prepare)
		c = helper(x, "cleanup", x->b->cleanup ? x->b->cleanup : ":", false,
			   r < 0 ? &ignored : e);
	if (r == 0 && c == 0 && is_stopped)
		return err_set(e, ERR_STOPPED, "stopped");
	if (x->ret->reason)
		readings_done(&x->ret->readings);
	return r < 0 ? r : c;
}

static int begin(struct running *x, const struct run_setting *s, struct run_result *ret,
		 struct err *e)
{
	const struct benchmark *b = s->benchmark;

	*x = (struct running){
		.s = s,
		.b = b,
		.is_explicit = b->reader || b->regex,
		.out = STR_INIT,
		.err = STR_INIT,
		.ret = ret,
	};
	*ret = (struct run_result){ .outcome = OUTCOME_OK, .output = STR_INIT };
	return reader_find(b->reader ? b->reader : b->regex ? "regex" : NULL, &x->reader, e);
}

int run_judge(const struct run_setting *s, const struct run_given *given, struct run_memory *memory,
	      struct run_result *ret, struct err *e)
{
	struct running x;
	int r = begin(&x, s, ret, e);

	x.given = given->standard;
	x.proc = given->proc;
	str_add(&x.out, given->out, given->out_n);
	str_add(&x.err, given->err, given->err_n);
	if (r == 0)
		r = judge(&x, memory, e);
	str_done(&x.out);
	str_done(&x.err);
	if (r < 0)
		run_result_done(ret);
	return r;
}

int run_once(const struct run_setting *s, struct run_memory *memory, struct run_result *ret,
	     struct err *e)
{
	struct running x;
	int r = begin(&x, s, ret, e);

	if (r == 0)
		r = run_steps(&x, memory, e);
	cgroup_remove(x.cgroup);
	free(x.cgroup);
	str_done(&x.out);
	str_done(&x.err);
	if (r < 0)
		run_result_done(ret);
	return r;
}
