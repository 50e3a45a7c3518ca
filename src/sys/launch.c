/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch - clone, prepare, exec.
 *
 * The child borrows its maker's memory until its exec (CLONE_VM | CLONE_VFORK), as posix_spawn does it: a fork would copy the
 * page tables of a culprit that holds a large graph, and that cost would be in every run. glibc 2.36's posix_spawn itself
 * is refused because it can set neither affinity nor personality nor namespaces. Sharing memory also gives two
 * things for nothing: the errno of a failed exec, and the time just before exec as the child sees it.
 *
 * Because memory is shared, the child only makes system calls and writes to its `struct launch`.
 */
#include "sys/launch.h"

#include "sys/clock.h"
#include "sys/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_SIZE = 64 * 1024 };

static void default_signals(void)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };

	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			sigaction(sig, &sa, NULL);
}

/* Descriptors 0, 1, 2 from fd[]; which may themselves be among 0..2, so they are moved up first. */
static bool place_fds(const int fd[3])
{
	int high[3];

	for (int i = 0; i < 3; i++) {
		high[i] = fd[i] > 2 ? fd[i] : fcntl(fd[i], F_DUPFD_CLOEXEC, 3);
		if (high[i] < 0)
			return false;
	}
	for (int i = 0; i < 3; i++)
		if (dup2(high[i], i) < 0)
			return false;
	/* Whatever our own parent left open without close-on-exec. */
	syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
	return true;
}

static bool join_cgroup(const char *dir)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, "0", 1) == 1 && close(fd) == 0;
}

/* Say who we are and wait until the counters are attached. */
static bool pass_gate(int fd)
{
	pid_t self = getpid();
	char go;

	return fd < 0 ||
	       (write(fd, &self, sizeof(self)) == (ssize_t)sizeof(self) && read(fd, &go, 1) == 1);
}

static const char *prepare(const struct launch *l)
{
	const struct spawn *s = &l->s;
	struct rlimit no_core = { 0, 0 };

	if (!s->foreground && setsid() < 0)
		return "setsid";
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (l->cwd_fd >= 0 && fchdir(l->cwd_fd) < 0)
		return "chdir";
	/* Our parent died before it could be told. In a namespace of processes it is not visible, and its end ends us anyhow. */
	if (!s->fresh_pids && getppid() != l->parent)
		return "parent";
	if (s->cgroup && !join_cgroup(s->cgroup))
		return "cgroup";
	if (l->kept ? !mounts_enter(l) : !mounts_set(l, s->bind_from, s->bind_to))
		return "bind";
	if (s->cpus && sched_setaffinity(0, s->cpus_size, s->cpus) < 0)
		return "pin";
	if (s->no_aslr)
		personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
	if (!s->foreground)
		setrlimit(RLIMIT_CORE, &no_core);
	if (s->cwd && chdir(s->cwd) < 0)
		return "chdir";
	if (!place_fds(s->fd))
		return "descriptors";
	return pass_gate(l->gate_fd) ? NULL : "gate";
}

static int child_main(void *arg)
{
	struct launch *l = arg;
	sigset_t none;

	/* a helper process began with default actions and ignores nothing (spawn.c); exec takes handlers away */
	if (!l->is_alone)
		default_signals();
	errno = 0;
	l->stage = prepare(l);
	if (!l->stage) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		l->start_ns = clock_monotonic_ns();
		execve(l->s.path, (char *const *)l->s.argv, (char *const *)l->s.env);
		l->stage = "exec";
	}
	l->error = errno;
	syscall(SYS_exit_group, 127);
	return 127;
}

static int probe_main(void *arg)
{
	struct launch *l = arg;

	syscall(SYS_exit_group, mounts_set(l, "/", "/") ? 0 : 1);
	return 1;
}

/* A helper process has one thread and starts one child at a time; elsewhere each has its own. */
static char *take_stack(const struct launch *l)
{
	static char of_helper[STACK_SIZE] __attribute__((aligned(16)));

	if (l->is_alone)
		return of_helper;
	char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	return stack == MAP_FAILED ? NULL : stack;
}

static void give_stack(const struct launch *l, char *stack)
{
	if (!l->is_alone)
		munmap(stack, STACK_SIZE);
}

static pid_t clone_child(int (*fn)(void *), struct launch *l)
{
	int flags = SIGCHLD | CLONE_VM | CLONE_VFORK | (l->is_for_parent ? CLONE_PARENT : 0);
	char *stack = take_stack(l);
	sigset_t all, old;

	if (!stack)
		return -1;
	child_clean_stack(stack, STACK_SIZE);
	if (!l->kept)
		flags |= mounts_flags(l->how);
	if (l->s.fresh_pids)
		flags |= CLONE_NEWPID;
	/* No handler of ours may run in the child while it shares our memory. A helper process has none, or blocks its signal. */
	sigfillset(&all);
	if (!l->is_alone)
		pthread_sigmask(SIG_SETMASK, &all, &old);
	pid_t pid = clone(fn, stack + STACK_SIZE, flags, l);
	int saved = errno;

	if (!l->is_alone)
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	give_stack(l, stack);
	errno = saved;
	return pid;
}

static bool probe(enum bind_how how, bool fresh_pids)
{
	struct launch l = {
		.how = how, .uid = geteuid(), .gid = getegid(), .cwd_fd = -1, .gate_fd = -1
	};

	l.s.fresh_pids = fresh_pids;
	pid_t pid = clone_child(probe_main, &l);
	int status = 1;

	if (pid < 0)
		return false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum bind_how launch_bind_how(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static enum bind_how known;

	pthread_mutex_lock(&lock);
	if (known == BIND_UNKNOWN)
		known = probe(BIND_PRIVILEGED, false)	    ? BIND_PRIVILEGED
			: probe(BIND_USER_NAMESPACE, false) ? BIND_USER_NAMESPACE
							    : BIND_NEVER;
	enum bind_how how = known;

	pthread_mutex_unlock(&lock);
	return how;
}

bool launch_can_isolate(void)
{
	enum bind_how how = launch_bind_how();
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int known = -1;

	pthread_mutex_lock(&lock);
	if (known < 0)
		known = how != BIND_NEVER && probe(how, true);
	bool can = known > 0;

	pthread_mutex_unlock(&lock);
	return can;
}

pid_t launch_child(struct launch *l)
{
	l->kept = l->is_alone ? mounts_keep(l) : NULL;
	return clone_child(child_main, l);
}
