/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A boot goes: kernel and initramfs from the store's caches, QEMU with the plug-in, wait for the guest's `ready`. A run is one byte into
 * the gate and the frames that come of it. What the emulator cannot give (times with several CPUs) is not reported at all rather than reported
 * with a warning: nobody reads warnings.
 *
 * What differs between boots is drawn from the boot's seed and given on the kernel's command line, so that all boots of a build share one
 * initramfs. Memory size is not among it: it sizes hashes, per-CPU lists and buffers, and so is a factor, not noise.
 */
#include "target/exact.h"

#include "base/num.h"
#include "bench/environ.h"
#include "bench/place.h"
#include "bench/run.h"
#include "bench/section.h"
#include "kernel/initramfs.h"
#include "kernel/kept.h"
#include "sys/clock.h"
#include "sys/fs.h"
#include "target/guest.h"
#include "target/guest_files.h"
#include "target/helpers.h"
#include "target/kvm.h"
#include "target/window.h"
#include "text/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More than a tick of 250 Hz, in instructions, which are nanoseconds. */
#define OFFSET_MASK UINT64_C(0x3fffff)
#define ENV_MASK 4095u
#define PAD_MASK 63u
/* A guest that stands at its gate, or computes, says nothing; this is for what never comes back. */
#define OUTPUT_KEPT ((size_t)64 << 10)

struct boot {
	struct boot_request q;
	struct guest_plan plan; /* target/guest_files.h */
	struct guest *guest;
	struct run_memory memory;
	struct str machine, symbols; /* what a boot that describes has said */
	unsigned next;		     /* run */
	const char *target;	     /* "exact" or "vm" */
	bool is_gone;		     /* no run can succeed any more */
	char *why_gone;
};

struct guest_run {
	struct str out, err;
	struct str events; /* differences of the guest's /proc over the window */
	struct readings standard;
	struct proc_result proc;
	bool has_result, is_over;
	char *fault;
};

static void guest_run_done(struct guest_run *x)
{
	str_done(&x->out);
	str_done(&x->err);
	str_done(&x->events);
	readings_done(&x->standard);
	free(x->fault);
}

/* The finaliser of splitmix64, as in local.c. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void perturb(const struct boot_request *q, struct perturbation *ret)
{
	*ret = (struct perturbation){
		.offset = mix(q->seed ^ 1) & OFFSET_MASK,
		.env = (unsigned)(mix(q->seed ^ 2) & ENV_MASK),
		.seed = mix(q->seed ^ 3) & 0x7fffffff,
		.pad = (unsigned)(mix(q->seed ^ 4) & PAD_MASK),
	};
}

static const char *usable(char *reason)
{
	AUTO(qemu) struct qemu q = { 0 };
	AUTO_FREE char *guest = helper_find(GUEST_PROGRAM);
	struct err e = ERR_INIT;

	if (qemu_find(&q, &e) < 0)
		snprintf(reason, 200, "%.199s", e.msg);
	else if (!guest)
		snprintf(reason, 200, "the file '%s' of culprit is missing", GUEST_PROGRAM);
	else
		return NULL;
	return reason;
}

static const char *vm_usable(char *reason)
{
	if (usable(reason))
		return reason;
	if (!access("/dev/kvm", R_OK | W_OK))
		return NULL;
	snprintf(reason, 200, "/dev/kvm: %s; --target exact needs none", strerror(errno));
	return reason;
}

static void exact_shutdown(struct boot *b)
{
	if (!b)
		return;
	guest_end(b->guest);
	run_memory_done(&b->memory);
	str_done(&b->machine);
	str_done(&b->symbols);
	guest_plan_done(&b->plan);
	free(b->why_gone);
	free(b);
}

static int start(const char *target, const struct boot_request *q, struct boot **ret, struct err *e)
{
	struct boot *b = xcalloc(1, sizeof(*b));
	struct perturbation p;
	int r;

	b->machine = b->symbols = (struct str)STR_INIT;
	b->target = target;
	b->q = *q;
	b->q.started = NULL;
	perturb(q, &p);
	r = guest_plan_make(q, target, &p, &b->plan, e);
	if (r == 0)
		r = guest_start(&b->plan.setting, &b->guest, e);
	if (r < 0)
		exact_shutdown(b);
	else
		*ret = b;
	return r;
}

static int exact_start(const struct boot_request *q, struct boot **ret, struct err *e)
{
	return start("exact", q, ret, e);
}

/* One line and an outcome for whatever ended the wait without a frame; ERR_STOPPED if it was the user. */
static int explain(struct boot *b, enum guest_news news, const char *doing, int64_t limit_ns,
		   enum outcome *ret, struct str *reason, struct err *e)
{
	const struct console *c = guest_console(b->guest);

	switch (news) {
	case GUEST_FRAME:
		return 0;
	case GUEST_STOPPED:
		return err_set(e, ERR_STOPPED, "stopped");
	case GUEST_TROUBLE:
		*ret = console_fate_outcome(c->fate);
		str_addf(reason, "%s: %s", console_fate_name(c->fate), c->line);
		break;
	case GUEST_ENDED:
		*ret = OUTCOME_CRASHED;
		str_addf(reason, "the guest ended while it was %s: ", doing);
		guest_why_ended(b->guest, reason);
		break;
	case GUEST_BROKEN:
		*ret = OUTCOME_CRASHED;
		str_addf(reason, "while it was %s the guest wrote what is no frame", doing);
		break;
	case GUEST_LATE:
		*ret = OUTCOME_TIMEOUT;
		str_addf(reason, "console silence: while it was %s nothing came for ", doing);
		num_put_duration(reason, limit_ns);
		str_puts(reason, " on the host");
		break;
	}
	b->is_gone = true;
	free(b->why_gone);
	b->why_gone = xstrdup(reason->p);
	return 0;
}

/* --- the boot --------------------------------------------------------------------------------------------- */

static void describe(const struct boot *b, double seconds, struct str *context)
{
	AUTO(str) struct str last = STR_INIT;
	struct json_out w = JSON_OUT_INIT(context, JSON_STYLE_COMPACT);

	json_out_object(&w, NULL);
	json_out_text(&w, "target", b->target);
	json_out_int(&w, "seed", (int64_t)b->q.seed);
	guest_plan_describe(&b->plan, &w);
	json_out_number(&w, "boot_seconds", seconds);
	if (b->is_gone) {
		guest_last_words(b->guest, &last);
		json_out_text(&w, "console", last.p);
	}
	json_out_close(&w);
}

static int await_ready(struct boot *b, enum outcome *ret, struct str *reason, struct err *e)
{
	int64_t limit = b->plan.boot_timeout_ns;
	struct guest_wait w = { guest_started_ns(b->guest) + limit, b->q.tick, b->q.tick_arg,
				b->q.stop };
	struct frame f;

	for (;;) {
		enum guest_news news = guest_next(b->guest, &w, &f);

		if (news != GUEST_FRAME)
			return explain(b, news, "booting", limit, ret, reason, e);
		if (!strcmp(f.kind, "ready"))
			return 0;
		if (b->q.describe && !strcmp(f.kind, "machine"))
			str_add(&b->machine, f.body, f.n);
		if (b->q.describe && !strcmp(f.kind, "symbols"))
			str_add(&b->symbols, f.body, f.n);
		if (strcmp(f.kind, "fault"))
			continue;
		*ret = OUTCOME_FAILED;
		str_addf(reason, "in the guest: %.*s", (int)(f.n < 300 ? f.n : 300), f.body);
		str_trim_end(reason);
		b->is_gone = true;
		return 0;
	}
}

static int boot(const char *target, const struct boot_request *q, struct boot **ret_boot,
		enum outcome *ret_outcome, struct str *context, struct str *reason, struct err *e)
{
	struct boot *b = q->started;
	int r = run_check(q->benchmark, false, e);

	*ret_boot = NULL;
	*ret_outcome = OUTCOME_OK;
	if (r == 0 && !b)
		r = start(target, q, &b, e);
	if (r == 0) {
		b->q = *q;
		r = await_ready(b, ret_outcome, reason, e);
	}
	if (r < 0) {
		exact_shutdown(b);
		return r;
	}
	describe(b, (double)(clock_monotonic_ns() - guest_started_ns(b->guest)) / 1e9, context);
	if (*ret_outcome == OUTCOME_OK)
		*ret_boot = b;
	else
		exact_shutdown(b);
	return 0;
}

static int exact_boot(const struct boot_request *q, struct boot **ret_boot,
		      enum outcome *ret_outcome, struct str *context, struct str *reason,
		      struct err *e)
{
	return boot("exact", q, ret_boot, ret_outcome, context, reason, e);
}

static int vm_boot(const struct boot_request *q, struct boot **ret_boot, enum outcome *ret_outcome,
		   struct str *context, struct str *reason, struct err *e)
{
	return boot("vm", q, ret_boot, ret_outcome, context, reason, e);
}

static int exact_describe(struct boot *b, struct str *machine, struct str *symbols, struct err *e)
{
	int r = guest_plan_config(&b->plan, machine, e);

	str_add(machine, b->machine.p, b->machine.n);
	str_add(symbols, b->symbols.p, b->symbols.n);
	return r < 0 ? r : guest_plan_functions(&b->plan, symbols, e);
}

/* --- a run ------------------------------------------------------------------------------------------------ */

static void take_result(const struct frame *f, struct guest_run *x)
{
	AUTO_FREE char *status = frame_value(f, "status");
	int64_t n = 0;

	x->has_result = true;
	x->proc.end = PROC_NOT_STARTED;
	if (status && sscanf(status, "exit %d", &x->proc.status) == 1)
		x->proc.end = PROC_EXITED;
	else if (status && sscanf(status, "signal %d", &x->proc.status) == 1)
		x->proc.end = PROC_SIGNALLED;
	else if (status && starts_with(status, "timeout"))
		x->proc.end = PROC_TIMED_OUT;
	if (x->proc.end == PROC_NOT_STARTED)
		x->fault = xasprintf("the guest did not say how the run ended");
	if (frame_int(f, "wall_ns", &n)) {
		x->proc.wall_ns = n;
		readings_add(&x->standard, "wall", "s", (double)n / 1e9, 1e-9, BETTER_LOWER, false);
	}
	if (frame_int(f, "maxrss_kib", &n))
		readings_add(&x->standard, "max-rss", "B", (double)n * 1024, 1024, BETTER_LOWER,
			     false);
	AUTO_FREE char *failed = frame_value(f, "failed");

	if (failed) /* "prepare", "cleanup" */
		x->fault = xasprintf("%s failed: exit status %d", failed, x->proc.status);
	x->is_over = true; /* the guest's last word of a run */
}

static void take_frame(const struct frame *f, int run, struct guest_run *x)
{
	bool is_ours = f->run == run;

	if (!strcmp(f->kind, "fault")) {
		free(x->fault);
		x->fault = xasprintf("in the guest: %.*s", (int)(f->n < 300 ? f->n : 300), f->body);
	} else if (!is_ours) {
		return;
	} else if (!strcmp(f->kind, "result")) {
		take_result(f, x);
	} else if (!strcmp(f->kind, "stdout")) {
		str_add(&x->out, f->body, f->n);
	} else if (!strcmp(f->kind, "stderr")) {
		str_add(&x->err, f->body, f->n);
	} else if (!strcmp(f->kind, "proc")) {
		window_events(f, &x->standard);
		str_add(&x->events, f->body, f->n);
	}
}

/* Until the run's last frame. *ret_outcome is ok if it came. */
static int collect(struct boot *b, int run, struct guest_run *x, enum outcome *ret_outcome,
		   struct str *reason, struct err *e)
{
	int64_t limit = b->q.benchmark->timeout_ns;
	struct guest_wait w = { clock_monotonic_ns() + limit, b->q.tick, b->q.tick_arg, b->q.stop };
	struct frame f;

	while (!x->is_over && !x->fault) {
		enum guest_news news = guest_next(b->guest, &w, &f);

		if (news != GUEST_FRAME)
			return explain(b, news, "running", limit, ret_outcome, reason, e);
		take_frame(&f, run, x);
	}
	if (!x->fault && x->has_result)
		return 0;
	*ret_outcome = OUTCOME_FAILED;
	str_puts(reason, x->fault ? x->fault : "the run gave no result");
	str_trim_end(reason);
	b->is_gone = b->is_gone || !x->has_result;
	return 0;
}

static int add_window(struct boot *b, unsigned run, struct guest_run *x, struct strvec *remarks,
		      struct err *e)
{
	AUTO_FREE char *line = guest_window(b->guest, run);

	if (!b->plan.setting.plugin)
		return 0;
	if (!line)
		return err_set(e, ERR_ENV,
			       "the plug-in counted nothing: is it the one of this culprit?");
	int r = window_readings(line, &x->standard, e);
	double rep = window_rep_share(&x->standard);

	if (r == 0 && rep > 0.1)
		strvec_addf(
			remarks,
			"rep: %.0f %% of the instructions are iterations of 'rep' string "
			"instructions, which the emulator counts one by one; a processor does not",
			100 * rep);
	return r;
}

static int add_functions(struct boot *b, unsigned run, struct str *out, struct err *e)
{
	AUTO_FREE char *line = guest_window(b->guest, run);

	if (!line)
		return 0;
	section_begin(out, SECTION_FUNCTIONS);
	return window_functions(line, out, e);
}

/* The target's own first, and with several CPUs nothing that is a time: they are emulated in turn. */
static void drop_times(const struct boot *b, struct run_result *ret)
{
	struct readings kept = { 0 };

	if (b->plan.setting.guest.smp < 2 || b->plan.setting.guest.kvm)
		return;
	for (size_t i = 0; i < ret->readings.n; i++) {
		const struct reading *x = &ret->readings.v[i];

		if (x->counter || ends_with(x->metric, "-per-op"))
			readings_add_copy(&kept, x);
	}
	readings_done(&ret->readings);
	ret->readings = kept;
	ret->n_standard = kept.n;
	ret->whole_output = false;
}

static int judge(struct boot *b, unsigned run, struct guest_run *x, struct run_result *ret,
		 struct err *e)
{
	AUTO(strvec) struct strvec remarks = STRVEC_INIT;
	struct run_setting s = { .benchmark = b->q.benchmark, .config = b->q.config };
	int r = x->proc.end == PROC_EXITED ? add_window(b, run, x, &remarks, e) : 0;
	struct run_given given = {
		.out = x->out.p,
		.out_n = x->out.n,
		.err = x->err.p,
		.err_n = x->err.n,
		.proc = x->proc,
		.standard = &x->standard,
	};

	if (r == 0)
		r = run_judge(&s, &given, &b->memory, ret, e);
	if (r < 0)
		return r;
	drop_times(b, ret);
	/* kept with the output: what ran in the window and what happened in it */
	section_begin(&ret->output, SECTION_EVENTS);
	str_puts(&ret->output, x->events.p);
	if (b->q.symbols && x->proc.end == PROC_EXITED)
		r = add_functions(b, run, &ret->output, e);
	for (size_t i = 0; i < remarks.n; i++)
		strvec_add(&ret->remarks, remarks.v[i]);
	return r;
}

static void failed(struct boot *b, const struct guest_run *x, enum outcome outcome,
		   const char *reason, struct run_result *ret)
{
	*ret = (struct run_result){ .output = STR_INIT };
	ret->outcome = outcome;
	ret->reason = xstrdup(reason);
	str_add(&ret->output, x->out.p, x->out.n < OUTPUT_KEPT ? x->out.n : OUTPUT_KEPT);
	str_add(&ret->output, x->err.p, x->err.n < OUTPUT_KEPT ? x->err.n : OUTPUT_KEPT);
	guest_last_words(b->guest, &ret->output);
}

static int exact_run(struct boot *b, struct run_result *ret, struct err *e)
{
	AUTO(guest_run)
	struct guest_run x = { .out = STR_INIT, .err = STR_INIT, .events = STR_INIT };
	AUTO(str) struct str reason = STR_INIT;
	enum outcome outcome = OUTCOME_OK;
	int64_t began = clock_monotonic_ns();
	unsigned run = b->next++;
	int r = 0;

	if (b->is_gone) {
		failed(b, &x, OUTCOME_CRASHED, b->why_gone ? b->why_gone : "the guest is gone",
		       ret);
		return 0;
	}
	while (guest_granted(b->guest) <= run)
		guest_grant(b->guest);
	if ((r = collect(b, (int)run, &x, &outcome, &reason, e)) < 0)
		return r;
	if (outcome != OUTCOME_OK)
		failed(b, &x, outcome, reason.p, ret);
	else
		r = judge(b, run, &x, ret, e);
	/* what it cost, not what the guest's clock says */
	ret->seconds = (double)(clock_monotonic_ns() - began) / 1e9;
	return r;
}

const struct target_ops target_exact = {
	.name = "exact",
	.help = "kernels, and programs under one, in an emulator that counts instructions",
	.unusable = usable,
	.start = exact_start,
	.boot = exact_boot,
	.run = exact_run,
	.describe = exact_describe,
	.shutdown = exact_shutdown,
};

/* Real time: a boot is a boot, and two at once would disturb each other. */
const struct target_ops target_vm = {
	.name = "vm",
	.help = "kernels, and programs under one, in a guest in real time (KVM)",
	.unusable = vm_usable,
	.probe = kvm_probe,
	.boot = vm_boot,
	.run = exact_run,
	.describe = exact_describe,
	.shutdown = exact_shutdown,
};
