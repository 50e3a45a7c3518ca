/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reap - the subreaper's book-keeping.
 *
 * Orphans are found in /proc/self/task/PID/children: orphans go to the main thread. One pread on a
 * kept descriptor costs about 3 us, where walking /proc would cost a millisecond on a machine with
 * a thousand processes. Signals go only to processes that are our own unwaited children (or to
 * groups that hold one), so a reused number can never be hit. A cgroup would be the other way to
 * find everything; it needs rights that most users do not have.
 */
#include "sys/reap.h"

#include "base/log.h"
#include "base/str.h"
#include "sys/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_ROUNDS_NS                                                                             \
	INT64_C(5000000000) /* after this we give up on what does not die (uninterruptible sleep)  \
			     */

struct pids {
	pid_t *v;
	size_t n, cap;
};

static void pids_done(struct pids *p)
{
	free(p->v);
	*p = (struct pids){ 0 };
}

static bool pids_have(const struct pids *p, pid_t pid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i] == pid)
			return true;
	return false;
}

static bool pids_drop(struct pids *p, pid_t pid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i] == pid) {
			p->v[i] = p->v[--p->n];
			return true;
		}
	return false;
}

static struct {
	pthread_mutex_t lock;
	pid_t owner; /* after a fork of culprit itself all of this is another process's */
	int children_fd;
	struct reap *active;
	struct pids foreign;
	struct pids left; /* by reap_leave; living, and ours */
} book = { .lock = PTHREAD_MUTEX_INITIALIZER, .children_fd = -1 };

/* Started by something that ignores SIGCHLD, we would inherit that, and the kernel would throw
 * statuses away. */
static void keep_exit_statuses(void)
{
	struct sigaction sa;

	if (!sigaction(SIGCHLD, NULL, &sa) &&
	    (sa.sa_handler == SIG_IGN || (sa.sa_flags & SA_NOCLDWAIT)))
		signal(SIGCHLD, SIG_DFL);
}

static void own_the_book(void)
{
	char path[64];
	pid_t me = getpid();

	if (book.owner == me)
		return;
	if (book.children_fd >= 0)
		close(book.children_fd);
	book.active = NULL;
	pids_done(&book.foreign);
	pids_done(&book.left);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", me, me);
	book.children_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (book.children_fd < 0)
		log_debug("no %s: orphans cannot be found", path);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	keep_exit_statuses();
	book.owner = me;
}

void reap_forget(void)
{
	book.children_fd = -1;
	book.owner = 0;
}

static void list_children(struct pids *ret)
{
	AUTO(str) struct str text = STR_INIT;
	char buf[4096];
	siginfo_t any;
	ssize_t n;

	ret->n = 0;
	/* where nothing lives and nothing waits to be waited for, this is told at a tenth of the price */
	if (waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD)
		return;
	while (book.children_fd >= 0 &&
	       (n = pread(book.children_fd, buf, sizeof(buf), (off_t)text.n)) > 0)
		str_add(&text, buf, (size_t)n);
	for (char *p = text.p, *end;; p = end) {
		long pid = strtol(p, &end, 10);

		if (end == p)
			break;
		ARRAY_PUSH(ret, (pid_t)pid);
	}
}

/* Group and session of a process; false if it is gone. */
static bool proc_stat(pid_t pid, pid_t *ret_group, pid_t *ret_session)
{
	char path[64], buf[512];
	int ppid, group, session;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, buf, sizeof(buf) - 1);

	close(fd);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	/* The name may hold anything, parentheses too: the fields start after the last one. */
	const char *p = strrchr(buf, ')');

	if (!p || sscanf(p + 1, " %*c %d %d %d", &ppid, &group, &session) != 3)
		return false;
	*ret_group = group;
	*ret_session = session;
	return true;
}

static bool is_main_child(pid_t pid)
{
	for (struct reap *a = book.active; a; a = a->next)
		if (a->pid == pid && !a->ended)
			return true;
	return false;
}

/* Is this child of ours an orphan for which `r` answers? */
static bool is_ours(const struct reap *r, pid_t pid)
{
	pid_t group, session;

	if (pids_have(&book.foreign, pid) || is_main_child(pid))
		return false;
	if (book.active == r && !r->next)
		return true;
	return proc_stat(pid, &group, &session) && session == r->pid;
}

void reap_begin(struct reap *r)
{
	pthread_mutex_lock(&book.lock);
	own_the_book();
	if (!book.active) {
		size_t n = 0;

		list_children(&book.foreign);
		for (size_t i = 0; i < book.foreign.n; i++)
			if (!pids_have(&book.left, book.foreign.v[i]))
				book.foreign.v[n++] = book.foreign.v[i];
		book.foreign.n = n;
	}
	*r = (struct reap){ .pid = -1, .next = book.active };
	book.active = r;
}

/* Until here a new child would look like an orphan to another thread. */
void reap_started(struct reap *r, pid_t pid)
{
	r->pid = pid;
	pthread_mutex_unlock(&book.lock);
}

static int64_t timeval_ns(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

void reap_account(struct reap *r, const struct rusage *ru)
{
	int64_t rss = (int64_t)ru->ru_maxrss * 1024;

	r->user_ns += timeval_ns(ru->ru_utime);
	r->sys_ns += timeval_ns(ru->ru_stime);
	if (rss > r->max_rss_bytes)
		r->max_rss_bytes = rss;
}

/* Waits for those of `all` that have ended; keeps in `all` the living orphans of r. */
static void collect(struct reap *r, struct pids *all)
{
	size_t alive = 0;

	list_children(all);
	for (size_t i = 0; i < all->n; i++) {
		struct rusage ru;

		if (!is_ours(r, all->v[i]))
			continue;
		if (wait4(all->v[i], NULL, WNOHANG, &ru) != all->v[i])
			all->v[alive++] = all->v[i];
		else if (!pids_drop(&book.left, all->v[i]))
			reap_account(r, &ru);
	}
	all->n = alive;
}

void reap_collect(struct reap *r)
{
	struct pids all = { 0 };

	pthread_mutex_lock(&book.lock);
	collect(r, &all);
	pthread_mutex_unlock(&book.lock);
	pids_done(&all);
}

/* To its whole group where that group is not our own: the orphan's children need not wait for it.
 */
static void signal_orphan(pid_t pid, int sig)
{
	pid_t group, session;

	if (proc_stat(pid, &group, &session) && group > 1 && group != getpgrp() &&
	    !is_main_child(group)) {
		kill(-group, sig);
		if (sig != SIGKILL)
			kill(-group, SIGCONT);
	}
	kill(pid, sig);
}

static void await_one(pid_t pid)
{
	struct pollfd p = { .fd = pidfd_open(pid, 0), .events = POLLIN };

	poll(&p, 1, p.fd < 0 ? 1 : 20);
	if (p.fd >= 0)
		close(p.fd);
}

static void unlink_run(struct reap *r)
{
	for (struct reap **at = &book.active; *at; at = &(*at)->next)
		if (*at == r) {
			*at = r->next;
			break;
		}
	r->next = NULL;
}

void reap_end(struct reap *r, int64_t grace_ns)
{
	struct pids all = { 0 }, seen = { 0 };
	int64_t begin = clock_monotonic_ns();

	pthread_mutex_lock(&book.lock);
	r->ended = true;
	for (;;) {
		int64_t waited = clock_monotonic_ns() - begin;

		collect(r, &all);
		if (!all.n || waited > grace_ns + KILL_ROUNDS_NS)
			break;
		for (size_t i = 0; i < all.n; i++) {
			bool is_new = !pids_have(&seen, all.v[i]);

			if (is_new) {
				ARRAY_PUSH(&seen, all.v[i]);
				r->orphans += !pids_have(&book.left, all.v[i]);
			}
			if (waited >= grace_ns)
				signal_orphan(all.v[i], SIGKILL);
			else if (is_new)
				signal_orphan(all.v[i], SIGTERM);
		}
		pid_t first = all.v[0];

		pthread_mutex_unlock(&book.lock);
		await_one(first);
		pthread_mutex_lock(&book.lock);
	}
	if (all.n)
		log_debug("%zu processes of group %d do not die", all.n, r->pid);
	unlink_run(r);
	pthread_mutex_unlock(&book.lock);
	pids_done(&all);
	pids_done(&seen);
}

void reap_leave(struct reap *r)
{
	struct pids all = { 0 };

	pthread_mutex_lock(&book.lock);
	r->ended = true;
	collect(r, &all);
	for (size_t i = 0; i < all.n; i++)
		if (!pids_have(&book.left, all.v[i]))
			ARRAY_PUSH(&book.left, all.v[i]);
	unlink_run(r);
	pthread_mutex_unlock(&book.lock);
	pids_done(&all);
}
