/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc - the life of one child, from its pipes to its last orphan.
 *
 * spawn.c starts it, reap.c ends what it leaves; here is the loop between: one poll over the two
 * pipes and a pidfd, so that neither a flood nor silence can hold us up. The end is the pidfd's,
 * not the pipes': a daemon that inherited a pipe would keep it open for ever. Bytes for stdin go
 * through a memory file, so that there is no third pipe to serve and no SIGPIPE to fear.
 */
#include "sys/proc.h"

#include "base/log.h"
#include "base/num.h"
#include "sys/cgroup.h"
#include "sys/clock.h"
#include "sys/counters.h"
#include "sys/fs.h"
#include "sys/reap.h"
#include "sys/spawn.h"
#include "sys/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_NS (250 * NS_PER_MS)
#define GRACE_NS (2 * NS_PER_S)
#define ORPHAN_GRACE_NS (NS_PER_S / 2)
#define OUTPUT_MAX (INT64_C(64) << 20)
#define REST_MAX                                                                                   \
	((size_t)8                                                                                 \
	 << 20) /* a pipe holds 1 MiB at most by default; never read for ever from what  \
			     does not die */
#define SUSPENDED_LEAST_NS (100 * NS_PER_MS) /* below, two clock reads may just have been apart */

extern char **environ;

struct run {
	const struct proc_spec *spec;
	struct stream out, err;
	int child_fd[3];
	int halt_fd; /* -1 = none, or it has been read */
	/* How the child's end is seen: SIGCHLD in a process with one thread (cheaper), else a pidfd. */
	bool by_signal;
	int pidfd;
	pid_t pid;
	bool has_ended; /* waited for already */
	int wait_status;
	struct rusage usage;
	struct reap reap;
	int64_t deadline, kill_at; /* 0 = none */
	enum proc_end end;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_child_fds(struct run *r)
{
	if (spawn_is_alone() && !r->spec->stdin_path)
		r->child_fd[0] = -1; /* open_stdin keeps it */
	for (int i = 0; i < 3; i++)
		close_fd(&r->child_fd[i]);
}

static void run_done(struct run *r)
{
	stream_done(&r->out);
	stream_done(&r->err);
	close_fd(&r->pidfd);
	close_child_fds(r);
}

/* --- setting up
 * ---------------------------------------------------------------------------------------------------
 */

static int open_stdin(const struct proc_spec *spec, int *ret, struct err *e)
{
	if (spec->stdin_bytes) {
		*ret = memfd_create("stdin", MFD_CLOEXEC);
		for (size_t done = 0; *ret >= 0 && done < spec->stdin_n;) {
			ssize_t n = write(*ret, spec->stdin_bytes + done, spec->stdin_n - done);

			if (n < 0)
				return err_errno(e, "preparing standard input");
			done += (size_t)n;
		}
		if (*ret < 0 || lseek(*ret, 0, SEEK_SET) < 0)
			return err_errno(e, "preparing standard input");
		return 0;
	}
	/* a server (spawn.h) asks again and again */
	static int null_of_server = -1;
	const char *path = spec->stdin_path ? spec->stdin_path : "/dev/null";

	if (spawn_is_alone() && !spec->stdin_path) {
		if (null_of_server < 0)
			null_of_server = open(path, O_RDONLY | O_CLOEXEC);
		*ret = null_of_server;
		return *ret < 0 ? err_errno(e, "opening '%s' as standard input", path) : 0;
	}

	*ret = open(path, O_RDONLY | O_CLOEXEC);
	return *ret < 0 ? err_errno(e, "opening '%s' as standard input", path) : 0;
}

static void sink_out(void *arg, const char *bytes, size_t n)
{
	const struct proc_spec *spec = arg;

	spec->sink(spec->sink_arg, false, bytes, n);
}

static void sink_err(void *arg, const char *bytes, size_t n)
{
	const struct proc_spec *spec = arg;

	spec->sink(spec->sink_arg, true, bytes, n);
}

static void set_sinks(struct run *r)
{
	if (!r->spec->sink)
		return;
	r->out.sink = sink_out;
	r->err.sink = sink_err;
	r->out.sink_arg = r->err.sink_arg = (void *)r->spec;
}

static int open_fds(struct run *r, struct str *out, struct str *err_out, struct err *e)
{
	const struct proc_spec *spec = r->spec;
	int64_t max = spec->output_max > 0 ? spec->output_max : OUTPUT_MAX;
	int x;

	if (spec->foreground) {
		for (int i = 0; i < 3; i++) {
			r->child_fd[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
			if (r->child_fd[i] < 0)
				return err_errno(e, "descriptor %d", i);
		}
		return 0;
	}
	x = open_stdin(spec, &r->child_fd[0], e);
	if (x == 0)
		x = stream_open(&r->out, max, spec->output_tail, out, &r->child_fd[1], e);
	if (x == 0 && spec->merge_stderr) {
		r->child_fd[2] = fcntl(r->child_fd[1], F_DUPFD_CLOEXEC, 3);
		return r->child_fd[2] < 0 ? err_errno(e, "duplicating a pipe") : 0;
	}
	return x < 0 ? x
		     : stream_open(&r->err, max, spec->output_tail, err_out, &r->child_fd[2], e);
}

/* "2-3,5"; NULL with ERR_USAGE if it is none. Sets above 1024 CPUs are allocated, as large machines
 * need them. */
static cpu_set_t *parse_cpus(const char *list, size_t *ret_size, struct err *e)
{
	enum { MOST = 8192 };
	cpu_set_t *set = CPU_ALLOC(MOST);
	size_t size = CPU_ALLOC_SIZE(MOST);
	const char *p = list;

	CPU_ZERO_S(size, set);
	for (;;) {
		char *end;
		unsigned long a, b;

		if (*p < '0' || *p > '9')
			break;
		a = b = strtoul(p, &end, 10);
		if (end[0] == '-' && end[1] >= '0' && end[1] <= '9')
			b = strtoul(end + 1, &end, 10);
		if (a > b || b >= MOST)
			break;
		for (; a <= b; a++)
			CPU_SET_S(a, size, set);
		if (!*end) {
			*ret_size = size;
			return set;
		}
		if (*end != ',')
			break;
		p = end + 1;
	}
	CPU_FREE(set);
	err_set(e, ERR_USAGE, "pin wants a list of CPUs like 2-3,5, not '%s'", list);
	return NULL;
}

int proc_check_pin(const char *list, struct err *e)
{
	size_t size = 0;
	cpu_set_t *set = parse_cpus(list, &size, e), *allowed;

	if (!set)
		return -ERR_USAGE;
	allowed = CPU_ALLOC(size * 8);
	CPU_ZERO_S(size, allowed);
	bool ok = !sched_getaffinity(0, size, allowed);

	if (ok)
		CPU_AND_S(size, allowed, allowed, set);
	ok = ok && CPU_EQUAL_S(size, allowed, set);
	CPU_FREE(set);
	CPU_FREE(allowed);
	return ok ? 0 : err_set(e, ERR_USAGE, "pin: not all CPUs of '%s' are there for us", list);
}

/*
 * Where exec would find it, with the child's PATH; NULL if nowhere. A name with a slash is taken as it is. The last answer is kept, as
 * a shell does: each run asks for the same `sh`, in the same PATH, whose folders may be many.
 */
static char *look_up(const char *name, const char *const *env)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static char *last_name, *last_path, *last;
	const char *path = "/usr/local/bin:/usr/bin:/bin";

	if (strchr(name, '/'))
		return xstrdup(name);
	for (; *env; env++)
		if (starts_with(*env, "PATH="))
			path = *env + 5;
	pthread_mutex_lock(&lock);
	if (!last || strcmp(last_name, name) != 0 || strcmp(last_path, path) != 0 ||
	    access(last, X_OK)) {
		free(last_name);
		free(last_path);
		free(last);
		last_name = xstrdup(name);
		last_path = xstrdup(path);
		last = fs_find_program(name, path);
	}
	char *found = last ? xstrdup(last) : NULL;

	/* what depends on the current folder is not kept */
	if (last && *last != '/')
		free(TAKE_PTR(last));
	pthread_mutex_unlock(&lock);
	return found;
}

static void explain_start(const char *name, const char *stage, int error,
			  const struct proc_spec *spec, struct str *out)
{
	if (!out)
		return;
	if (!stage)
		str_addf(out, "cannot start '%s': no such program in PATH", name);
	else if (!strcmp(stage, "chdir"))
		str_addf(out, "cannot start '%s' in '%s': %s", name, spec->cwd, strerror(error));
	else if (!strcmp(stage, "exec") && error == ENOENT && !access(name, F_OK))
		str_addf(out, "cannot start '%s': its interpreter (first line) does not exist",
			 name);
	else if (!strcmp(stage, "exec"))
		str_addf(out, "cannot start '%s': %s", name, strerror(error));
	else
		str_addf(out, "cannot start '%s' (%s): %s", name, stage, strerror(error));
}

/* --- while it runs
 * ------------------------------------------------------------------------------------------------
 */

static void run_signal(struct run *r, int sig)
{
	/* The leader is not waited for yet, so its group's number is still its own. */
	if (r->spec->foreground)
		kill(r->pid, sig);
	else
		kill(-r->pid, sig);
}

static void run_end(struct run *r, enum proc_end why, int64_t now)
{
	int64_t grace = r->spec->grace_ns > 0 ? r->spec->grace_ns : GRACE_NS;

	r->end = why;
	r->kill_at = now + grace;
	run_signal(r, SIGTERM);
	run_signal(r, SIGCONT);
}

/* Milliseconds until something is due. */
static int next_wait(const struct run *r, int64_t now)
{
	int64_t wait = r->spec->tick || r->spec->stop || r->spec->halt ? TICK_NS : NS_PER_S;
	int64_t due = r->kill_at ? r->kill_at : r->deadline;

	if (due && due - now < wait)
		wait = due > now ? due - now : 0;
	return (int)((wait + NS_PER_MS - 1) / NS_PER_MS);
}

static bool is_unwanted(const struct proc_spec *spec)
{
	return (spec->stop && spec->stop()) || (spec->halt && spec->halt(spec->halt_arg));
}

static void run_await(struct run *r, bool block)
{
	while (!r->has_ended) {
		pid_t pid = wait4(r->pid, &r->wait_status, block ? 0 : WNOHANG, &r->usage);

		r->has_ended = pid == r->pid || (pid < 0 && errno != EINTR);
		if (pid == 0)
			return;
	}
}

static void read_stream(struct stream *s, short revents)
{
	if (revents & POLLIN)
		stream_drain(s, 1 << 20);
	else if (revents)
		stream_close(s);
}

static void run_wait(struct run *r)
{
	int64_t next_tick = clock_monotonic_ns() + TICK_NS;
	sigset_t none;

	sigemptyset(&none);
	for (;;) {
		struct pollfd p[4] = {
			{ .fd = r->pidfd, .events = POLLIN },
			{ .fd = r->out.fd, .events = POLLIN },
			{ .fd = r->err.fd, .events = POLLIN },
			{ .fd = r->halt_fd, .events = POLLIN },
		};
		int64_t now = clock_monotonic_ns();
		int ms = next_wait(r, now);

		ppoll(p, 4, &(struct timespec){ ms / 1000, ms % 1000 * NS_PER_MS },
		      r->by_signal ? &none : NULL);
		if (p[0].revents)
			return;
		read_stream(&r->out, p[1].revents);
		read_stream(&r->err, p[2].revents);
		if (r->by_signal) {
			run_await(r, false);
			if (r->has_ended)
				return;
		}
		if (p[3].revents)
			r->halt_fd = -1;
		now = clock_monotonic_ns();
		if (r->kill_at && now >= r->kill_at) {
			run_signal(r, SIGKILL);
			r->kill_at = now + NS_PER_S;
		} else if (!r->kill_at && r->deadline && now >= r->deadline) {
			run_end(r, PROC_TIMED_OUT, now);
		}
		if (!r->kill_at && is_unwanted(r->spec))
			run_end(r, PROC_STOPPED, now);
		if (now >= next_tick) {
			next_tick = now + TICK_NS;
			reap_collect(&r->reap);
			if (r->spec->tick)
				r->spec->tick(r->spec->tick_arg);
		}
	}
}

/* The main child has ended: its status, its usage, then its orphans. */
static void run_finish(struct run *r, const struct spawned *child, int64_t suspended_before,
		       struct proc_result *ret)
{
	int64_t now = clock_monotonic_ns();
	int64_t suspended = clock_boottime_ns() - now - suspended_before;

	run_await(r, true);
	int status = r->wait_status;

	ret->wall_ns = child->start_ns ? now - child->start_ns : 0;
	ret->suspended_ns = suspended >= SUSPENDED_LEAST_NS ? suspended : 0;
	ret->end = r->end != PROC_EXITED ? r->end
		   : WIFSIGNALED(status) ? PROC_SIGNALLED
					 : PROC_EXITED;
	ret->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	reap_account(&r->reap, &r->usage);
}

static void attach_counters(void *set, pid_t pid)
{
	counters_attach(set, pid);
}

static int run_start(struct run *r, const char *path, struct spawned *child, struct err *e)
{
	const struct proc_spec *spec = r->spec;
	AUTO_FREE cpu_set_t *cpus = NULL;
	struct spawn s = {
		.path = path,
		.argv = spec->argv,
		.env = spec->env ? spec->env : (const char *const *)environ,
		.cwd = spec->cwd,
		.no_aslr = spec->no_aslr,
		.fresh_pids = spec->fresh_pids,
		.foreground = spec->foreground,
		.bind_from = spec->bind_from,
		.bind_to = spec->bind_to,
		.read_only = spec->read_only,
		.writable = spec->writable,
		.cgroup = spec->cgroup,
	};

	if (spec->counters) {
		s.at_gate = attach_counters;
		s.gate_arg = spec->counters;
	}
	memcpy(s.fd, r->child_fd, sizeof(s.fd));
	if (spec->pin) {
		cpus = parse_cpus(spec->pin, &s.cpus_size, e);
		if (!cpus)
			return -ERR_USAGE;
		s.cpus = cpus;
	}
	spawn_prepare();
	reap_begin(&r->reap);
	int x = spawn_child(&s, child, e);

	r->pid = child->pid;
	reap_started(&r->reap, child->pid);
	/* by signal, nothing needs the pipes' end, and each would wake us */
	if (!spawn_is_alone())
		close_child_fds(r);
	if (x < 0)
		reap_end(&r->reap, 0);
	return x;
}

static int run_all(struct run *r, const char *path, struct str *reason, struct proc_result *ret,
		   struct err *e)
{
	const struct proc_spec *spec = r->spec;
	struct spawned child = { 0 };
	int64_t now = clock_monotonic_ns(), before = clock_boottime_ns() - now;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old_int, old_quit;
	int x = run_start(r, path, &child, e);

	if (x < 0)
		return x;
	ret->is_crowded = child.is_crowded;
	log_trace("spawn", "\"pid\":%d", r->pid);
	if (spec->timeout_ns > 0)
		r->deadline = now + spec->timeout_ns;
	if (spec->foreground) { /* ^C is for the program on the terminal */
		sigaction(SIGINT, &ignore, &old_int);
		sigaction(SIGQUIT, &ignore, &old_quit);
	}
	r->by_signal = spawn_is_alone();
	r->pidfd = r->by_signal ? -1 : pidfd_open(r->pid, 0);
	if (r->pidfd < 0 && !r->by_signal)
		run_signal(r, SIGKILL);
	else
		run_wait(r);
	run_finish(r, &child, before, ret);
	if (spec->leave)
		reap_leave(&r->reap);
	else
		reap_end(&r->reap, spec->grace_ns > 0 && spec->grace_ns < ORPHAN_GRACE_NS
					   ? spec->grace_ns
					   : ORPHAN_GRACE_NS);
	if (spec->counters)
		counters_read(spec->counters);
	if (spec->cgroup)
		ret->tree_peak_bytes = cgroup_peak(spec->cgroup);
	if (spec->foreground) {
		sigaction(SIGINT, &old_int, NULL);
		sigaction(SIGQUIT, &old_quit, NULL);
	}
	stream_drain(&r->out, REST_MAX);
	stream_drain(&r->err, REST_MAX);
	stream_finish(&r->out);
	stream_finish(&r->err);
	if (r->pidfd < 0 && !r->by_signal)
		return err_set(e, ERR_ENV, "watching a child process: no descriptor left");
	if (child.stage) {
		ret->end = PROC_NOT_STARTED;
		explain_start(spec->argv[0], child.stage, child.error, spec, reason);
		if (!strcmp(child.stage, "pin"))
			return err_set(e, ERR_USAGE, "pin: none of the CPUs '%s' is there for us",
				       spec->pin);
	}
	log_trace("exit", "\"pid\":%d,\"status\":%d,\"orphans\":%u", r->pid, ret->status,
		  r->reap.orphans);
	return 0;
}

/* Of the process that makes the children, where that is this one. */
static int64_t own_peak(void)
{
	struct rusage u;

	return spawn_is_alone() && !getrusage(RUSAGE_SELF, &u) ? (int64_t)u.ru_maxrss * 1024 : 0;
}

int proc_run(const struct proc_spec *spec, struct str *out, struct str *err_out,
	     struct proc_result *ret, struct err *e)
{
	struct run r = {
		.spec = spec,
		.out.fd = -1,
		.err.fd = -1,
		.child_fd = { -1, -1, -1 },
		.halt_fd = spec->halt_fd > 0 ? spec->halt_fd : -1,
		.pidfd = -1,
		.end = PROC_EXITED,
	};
	struct proc_result result = { .tree_peak_bytes = -1 };
	struct str *reason = err_out && !spec->merge_stderr ? err_out : out;
	AUTO_FREE char *path =
		look_up(spec->argv[0], spec->env ? spec->env : (const char *const *)environ);
	int x = 0;

	if (path) {
		x = open_fds(&r, out, err_out, e);
		set_sinks(&r);
		if (x == 0)
			x = run_all(&r, path, reason, &result, e);
	} else {
		result.end = PROC_NOT_STARTED;
		explain_start(spec->argv[0], NULL, 0, spec, reason);
	}
	run_done(&r);
	if (x < 0)
		return x;
	result.user_ns = r.reap.user_ns;
	result.sys_ns = r.reap.sys_ns;
	result.max_rss_bytes = r.reap.max_rss_bytes;
	result.rss_floor_bytes = own_peak();
	result.orphans = r.reap.orphans;
	result.pid = r.pid;
	result.out_truncated = out && out->truncated;
	result.err_truncated = err_out && err_out->truncated;
	*ret = result;
	return 0;
}

bool proc_can_bind(void)
{
	return spawn_can_bind();
}

void proc_describe(const struct proc_result *r, int64_t timeout_ns, struct str *out)
{
	switch (r->end) {
	case PROC_EXITED:
		str_addf(out, "exit status %d", r->status);
		break;
	case PROC_SIGNALLED:
		str_addf(out, "signal %d (%s)", r->status, strsignal(r->status));
		break;
	case PROC_TIMED_OUT:
		str_puts(out, "deadline of ");
		num_put_duration(out, timeout_ns);
		str_puts(out, " passed");
		break;
	case PROC_STOPPED:
		str_puts(out, "stopped");
		break;
	case PROC_NOT_STARTED:
		str_puts(out, "could not be started");
		break;
	}
}
