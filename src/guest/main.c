/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * culprit-guest - the first program of a guest: /init of its initramfs.
 *
 * It does what /culprit/plan says and reports in frames on the second serial port; nothing is ever read from the host, so that a guest is
 * the same from boot to boot. Whatever goes wrong becomes a fault frame (a line on the console when even that is impossible) and the
 * end of the guest: it never hangs and never panics the kernel by ending.
 */
#include "base/num.h"
#include "base/str.h"
#include "exact/marks.h"
#include "guest/kstat.h"
#include "guest/file.h"
#include "guest/frame.h"
#include "guest/machine.h"
#include "guest/plan.h"
#include "guest/run.h"
#include "guest/system.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>

#define IDLE_LIMIT_NS (60 * NS_PER_S)

struct guest {
	struct plan plan;
	struct strvec env;
	int port; /* where frames go; -1: not open yet */
	int out, err;
};

static void say(const char *text)
{
	int fd = open("/dev/console", O_WRONLY | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "culprit-guest: %s\n", text);
	close(fd);
}

static _Noreturn void finish(struct guest *g, const char *kind, const char *text)
{
	struct err e = ERR_INIT;

	if (g->port < 0 || frame_write(g->port, kind, 0, text, strlen(text), &e) < 0)
		say(text);
	else
		tcdrain(g->port);
	system_power_off();
}

static void send(struct guest *g, const char *kind, int64_t run, const struct str *s)
{
	struct err e = ERR_INIT;

	if (frame_write(g->port, kind, run, s->p, s->n, &e) < 0) {
		say(e.msg);
		system_power_off();
	}
}

static int open_output(const char *path, int *ret_fd, struct err *e)
{
	*ret_fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	return *ret_fd < 0 ? err_errno(e, "opening %s", path) : 0;
}

static int read_plan(struct plan *p, struct err *e)
{
	AUTO(str) struct str text = STR_INIT_MAX(16 << 20);
	int r;

	if (!file_read("/culprit/plan", &text))
		return err_errno(e, "/culprit/plan");
	r = plan_parse(p, text.p, e);
	if (r < 0)
		return r;
	if (!file_read("/proc/cmdline", &text))
		return err_errno(e, "/proc/cmdline");
	return plan_apply_cmdline(p, text.p, e);
}

static void make_env(struct guest *g)
{
	AUTO(str) struct str pad = STR_INIT;

	strvec_add(&g->env, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	strvec_add(&g->env, "HOME=/tmp");
	strvec_add(&g->env, "LC_ALL=C");
	if (g->plan.seed)
		strvec_addf(&g->env, "CULPRIT_SEED=%s", g->plan.seed);
	for (size_t i = 0; i < g->plan.env.n; i++)
		strvec_add(&g->env, g->plan.env.v[i]);
	str_pad(&pad, 'x', (size_t)g->plan.env_pad);
	strvec_addf(&g->env, "CULPRIT_PAD=%s", pad.p);
}

static int set_up(struct guest *g, struct err *e)
{
	const struct plan *p = &g->plan;
	int r = system_mount_run(2 * p->output + (1 << 16), e);

	for (size_t i = 0; r == 0 && i < p->modules.n; i++)
		r = system_load_module(p->modules.v[i], e);
	for (size_t i = 0; r == 0 && i < p->sysctls.n; i++)
		r = system_set_sysctl(p->sysctls.v[i], e);
	if (r == 0 && p->net)
		r = system_net_loopback(e);
	if (r == 0)
		r = open_output("/run/stdout", &g->out, e);
	if (r == 0)
		r = open_output("/run/stderr", &g->err, e);
	if (r == 0 && mkdir(p->cwd, 0755) < 0 && errno != EEXIST)
		r = err_errno(e, "cwd %s", p->cwd);
	make_env(g);
	return r;
}

/* One script of the plan; a missing one did well. Its output is appended to the run's. */
static int script(struct guest *g, const char *path, bool window, struct run_result *ret,
		  struct err *e)
{
	struct run_spec spec = { .script = path,
				 .cwd = g->plan.cwd,
				 .env = g->env.v,
				 .out = g->out,
				 .err = g->err,
				 .timeout_ns = g->plan.timeout_ns,
				 .window = window };

	*ret = (struct run_result){ 0 };
	if (!window && access(path, R_OK) < 0)
		return 0;
	return run_command(&spec, ret, e);
}

static bool went_well(const struct run_result *r)
{
	return r->end == RUN_EXIT && r->code == 0;
}

static void read_output(int fd, struct str *out)
{
	char bytes[16384];
	ssize_t n;
	off_t at = 0;

	while (!out->truncated && (n = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		str_add(out, bytes, (size_t)n);
		at += n;
	}
}

static void send_output(struct guest *g, const char *kind, int64_t run, int fd)
{
	AUTO(str) struct str text = STR_INIT_MAX((size_t)g->plan.output + 1);

	read_output(fd, &text);
	str_cut(&text, (size_t)g->plan.output);
	send(g, kind, run, &text);
}

static bool is_beyond(const struct guest *g, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size > g->plan.output;
}

static void clear_output(struct guest *g)
{
	if (ftruncate(g->out, 0) < 0 || ftruncate(g->err, 0) < 0)
		finish(g, "fault", "the output files cannot be emptied");
}

static void run_setup(struct guest *g)
{
	AUTO(str) struct str text = STR_INIT;
	struct run_result r;
	struct err e = ERR_INIT;

	if (script(g, "/culprit/setup", false, &r, &e) < 0)
		finish(g, "fault", e.msg);
	if (went_well(&r))
		return;
	str_puts(&text, "setup failed: ");
	run_put_result(&text, &r);
	read_output(g->out, &text);
	read_output(g->err, &text);
	finish(g, "fault", text.p);
}

/* One run with everything around it. A prepare that failed leaves an empty window, so that windows and runs stay in step. */
static void one_run(struct guest *g, int64_t run)
{
	AUTO(kstat) struct kstat before = { 0 }, after = { 0 };
	AUTO(str) struct str text = STR_INIT, changes = STR_INIT;
	AUTO_FREE int *known = run_list_processes();
	struct run_result prepare, r, cleanup;
	struct err e = ERR_INIT;
	int strangers;

	clear_output(g);
	if (g->plan.scratch && mkdir(g->plan.scratch, 0700) < 0)
		finish(g, "fault", "the run's own folder cannot be made");
	if (script(g, "/culprit/prepare", false, &prepare, &e) < 0)
		finish(g, "fault", e.msg);
	kstat_read(&before, getpid());
	if (!went_well(&prepare)) {
		str_puts(&text, "failed prepare\n");
		r = prepare;
		MARK_EXECUTE(MARK_BEGIN);
		MARK_EXECUTE(MARK_END);
	} else if (script(g, "/culprit/command", true, &r, &e) < 0) {
		finish(g, "fault", e.msg);
	}
	kstat_read(&after, getpid());
	if (script(g, "/culprit/cleanup", false, &cleanup, &e) < 0)
		finish(g, "fault", e.msg);
	strangers = run_end_strangers(known);
	if (g->plan.scratch)
		file_remove_tree(g->plan.scratch);
	run_put_result(&text, &r);
	str_addf(&text, "left_processes %d\n", strangers);
	if (!went_well(&cleanup))
		str_puts(&text, "failed cleanup\n");
	if (is_beyond(g, g->out) || is_beyond(g, g->err))
		str_puts(&text, "truncated yes\n");
	kstat_put_changes(&changes, &before, &after);
	send_output(g, "stdout", run, g->out);
	send_output(g, "stderr", run, g->err);
	send(g, "proc", run, &changes);
	send(g, "result", run, &text);
}

static void send_machine(struct guest *g)
{
	AUTO(str) struct str text = STR_INIT, symbols = STR_INIT;

	if (g->plan.machine) {
		machine_describe(&text);
		send(g, "machine", 0, &text);
	}
	if (g->plan.symbols && machine_symbols(&symbols))
		send(g, "symbols", 0, &symbols);
}

static void send_ready(struct guest *g, bool idle)
{
	AUTO(str) struct str text = STR_INIT;
	struct utsname u;

	uname(&u);
	str_addf(&text, "uptime_ns %" PRId64 "\nidle %s\nrelease %s\ncpus %ld\n",
		 system_uptime_ns(), idle ? "yes" : "no", u.release, sysconf(_SC_NPROCESSORS_ONLN));
	send(g, "ready", 0, &text);
}

int main(void)
{
	struct guest g = { .port = -1 };
	struct err e = ERR_INIT;
	bool idle;

	plan_init(&g.plan);
	run_prepare_signals();
	if (getpid() != 1) {
		fprintf(stderr,
			"culprit-guest: the first program of a guest, not to be run by hand\n");
		return 2;
	}
	if (system_mount(&e) < 0 || system_open_serial("/dev/ttyS1", &g.port, &e) < 0 ||
	    read_plan(&g.plan, &e) < 0 || set_up(&g, &e) < 0)
		finish(&g, "fault", e.msg);
	run_setup(&g);
	if (g.plan.runs == 0)
		send_machine(&g);
	idle = system_wait_idle(IDLE_LIMIT_NS);
	send_ready(&g, idle);
	system_burn(g.plan.offset);
	for (int64_t run = -g.plan.warmup; g.plan.runs == 0 || run < g.plan.runs; run++) {
		if (run >= 0)
			MARK_EXECUTE(MARK_GATE);
		one_run(&g, run);
	}
	send_machine(&g);
	finish(&g, "end", "");
}
