/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn - the helper process and the requests to it.
 *
 * The helper makes children with CLONE_PARENT: they are our children, not its, so that wait4, pidfds, the subreaper and the death
 * signal work as if we had made them. A request is one message on a socket pair: descriptors, a fixed part, strings. If the helper is
 * gone, or on a thread that is not the main one while there is none yet (children die with the thread that
 * their maker's parent was forked from), we launch the child ourselves; only ru_maxrss is worse then.
 *
 * The helper is also who tidies up after a culprit that was killed. The death signal ends the child alone; what the child had
 * started runs on. So the helper outlives us by a moment: when its socket ends it kills the sessions of the children that were
 * running, or had ended less than a second ago (guard.c). What left its session (setsid) is not found that way; sweep.h
 * looks for it when the store is used next.
 */
#include "sys/spawn.h"

#include "base/log.h"
#include "base/str.h"
#include "sys/guard.h"
#include "sys/launch.h"
#include "sys/mounts.h"
#include "sys/strings.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FDS = 5, FD_SOCKET = 3 }; /* 0, 1, 2, folder, gate; where the helper keeps its end */

struct request {
	size_t bytes; /* of the strings behind it */
	size_t argc, envc, n_read_only, n_writable, cpus_size;
	bool has_cwd, has_cwd_fd, has_bind, has_cgroup, has_gate, no_aslr, fresh_pids;
	enum bind_how how;
	pid_t parent;
	/* not a child but a server is wanted (spawn_server); of one program image */
	void (*server)(int in, int out);
};
struct reply {
	pid_t pid; /* < 0: none, error says why */
	int error;
	bool is_crowded; /* the guard had to forget a session (guard.h) */
	int64_t start_ns;
	const char *stage; /* of one program image: the same address on both sides */
};

static struct {
	pthread_mutex_t lock;
	pid_t owner;
	pid_t pid; /* of the helper; 0 = none */
	int fd;
	bool is_alone; /* this process is a server */
} helper = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

/* --- the helper's side ---------------------------------------------------------------------------------------------- */

static bool read_all(int fd, char *p, size_t n)
{
	while (n) {
		ssize_t k = read(fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		p += k;
		n -= (size_t)k;
	}
	return true;
}

static bool receive(struct request *q, int fds[FDS])
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int) * FDS)];
	} control;
	struct iovec io = { q, sizeof(*q) };
	struct msghdr m = { .msg_iov = &io,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n;

	for (int i = 0; i < FDS; i++)
		fds[i] = -1;
	do
		n = recvmsg(FD_SOCKET, &m, MSG_CMSG_CLOEXEC | MSG_WAITALL);
	while (n < 0 && errno == EINTR);
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	return n == (ssize_t)sizeof(*q);
}

/* The request as a launch; `words` gets the pointer arrays. */
static void unpack(const struct request *q, const char *bytes, const char **words,
		   const int fds[FDS], struct launch *ret)
{
	const char *at = bytes + q->cpus_size;
	struct spawn *s = &ret->s;

	*ret = (struct launch){ .parent = q->parent,
				.is_for_parent = true,
				.is_alone = true,
				.cwd_fd = q->has_cwd_fd ? fds[3] : -1,
				.gate_fd = q->has_gate ? fds[3 + q->has_cwd_fd] : -1,
				.how = q->how,
				.uid = geteuid(),
				.gid = getegid() };
	s->path = strings_next(&at);
	s->argv = strings_next_list(&at, q->argc, &words);
	s->env = strings_next_list(&at, q->envc, &words);
	s->read_only = strings_next_list(&at, q->n_read_only, &words);
	s->writable = strings_next_list(&at, q->n_writable, &words);
	s->cwd = q->has_cwd ? strings_next(&at) : NULL;
	s->bind_from = q->has_bind ? strings_next(&at) : NULL;
	s->bind_to = q->has_bind ? strings_next(&at) : NULL;
	s->cgroup = q->has_cgroup ? strings_next(&at) : NULL;
	s->cpus = q->cpus_size ? (const void *)bytes : NULL;
	s->cpus_size = q->cpus_size;
	s->no_aslr = q->no_aslr;
	s->fresh_pids = q->fresh_pids;
	memcpy(s->fd, fds, sizeof(s->fd));
}

static pid_t fork_server(void (*server)(int in, int out), const int fds[2])
{
	enum { IN = FD_SOCKET, OUT };
	pid_t pid = fork();

	if (pid)
		return pid;
	mounts_forget();
	/* moved up first: either may be where the other is to be */
	int in = fcntl(fds[0], F_DUPFD, 10), out = fcntl(fds[1], F_DUPFD, 10);

	dup2(in, IN);
	dup2(out, OUT);
	syscall(SYS_close_range, OUT + 1u, ~0u, 0u);
	setsid();
	/* it makes its children itself; we were forked with the lock held */
	pthread_mutex_init(&helper.lock, NULL);
	helper.is_alone = true;
	server(IN, OUT);
	for (;;)
		syscall(SYS_exit_group, 0);
}

static bool serve_one(void)
{
	struct request q;
	struct launch l;
	int fds[FDS];

	if (!receive(&q, fds))
		return false;
	/* servers that have ended: we have no other children */
	waitpid(-1, NULL, WNOHANG);
	if (q.server) {
		struct reply r = { .pid = fork_server(q.server, fds), .error = errno };

		close(fds[0]);
		close(fds[1]);
		return send(FD_SOCKET, &r, sizeof(r), MSG_NOSIGNAL) == (ssize_t)sizeof(r);
	}
	AUTO_FREE char *bytes = xmalloc(q.bytes);
	AUTO_FREE const char **words =
		xcalloc(q.argc + q.envc + q.n_read_only + q.n_writable + 4, sizeof(*words));

	if (!read_all(FD_SOCKET, bytes, q.bytes))
		return false;
	unpack(&q, bytes, words, fds, &l);
	struct reply r = { .pid = launch_child(&l) };

	r.is_crowded = r.pid > 0 && !guard_add(r.pid);
	r.error = r.pid < 0 ? errno : l.error;
	r.start_ns = l.start_ns;
	r.stage = l.stage;
	for (int i = 0; i < FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return send(FD_SOCKET, &r, sizeof(r), MSG_NOSIGNAL) == (ssize_t)sizeof(r);
}

/* After the fork: nothing of culprit's stays open, not even its lock; signals of the terminal are not for us. */
static _Noreturn void serve(int fd)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	setsid();
	prctl(PR_SET_NAME, "culprit-spawn");
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fd = fcntl(fd, F_DUPFD, 10);
	for (int i = 0; i < 3; i++)
		dup2(null, i);
	dup2(fd, FD_SOCKET);
	syscall(SYS_close_range, FD_SOCKET + 1u, ~0u, 0u);
	do
		guard_wait(FD_SOCKET);
	while (serve_one());
	guard_end();
	for (;;)
		syscall(SYS_exit_group, 0);
}

/* --- our side ------------------------------------------------------------------------------------------------------- */

static void drop_helper(void)
{
	if (helper.fd >= 0)
		close(helper.fd);
	if (helper.pid > 0 && helper.owner == getpid()) {
		kill(helper.pid, SIGKILL);
		waitpid(helper.pid, NULL, 0);
	}
	helper.fd = -1;
	helper.pid = 0;
}

static void start_helper(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return;
	pid_t pid = fork();

	if (pid == 0)
		serve(pair[1]);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return;
	}
	helper.pid = pid;
	helper.fd = pair[0];
}

void spawn_prepare(void)
{
	if (helper.is_alone)
		return;
	pthread_mutex_lock(&helper.lock);
	if (helper.owner != getpid()) { /* a fork of culprit: the helper is its parent's */
		drop_helper();
		helper.owner = getpid();
	}
	if (!helper.pid && gettid() == getpid())
		start_helper();
	pthread_mutex_unlock(&helper.lock);
}

static void pack(const struct launch *l, struct request *q, struct str *out)
{
	const struct spawn *s = &l->s;
	const char *const more[] = { s->cwd, s->bind_from, s->bind_from ? s->bind_to : NULL,
				     s->cgroup };

	*q = (struct request){ .cpus_size = s->cpus ? s->cpus_size : 0,
			       .has_cwd = s->cwd,
			       .has_bind = s->bind_from,
			       .has_cgroup = s->cgroup,
			       .has_cwd_fd = l->cwd_fd >= 0,
			       .has_gate = l->gate_fd >= 0,
			       .no_aslr = s->no_aslr,
			       .fresh_pids = s->fresh_pids,
			       .how = l->how,
			       .parent = l->parent };
	str_add(out, (const char *)s->cpus, q->cpus_size);
	str_add(out, s->path, strlen(s->path) + 1);
	q->argc = strings_put(out, s->argv);
	q->envc = strings_put(out, s->env);
	q->n_read_only = strings_put(out, s->read_only);
	q->n_writable = strings_put(out, s->writable);
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		if (more[i])
			str_add(out, more[i], strlen(more[i]) + 1);
	q->bytes = out->n;
}

static bool send_bytes(const struct request *q, const struct str *bytes, const int *fds,
		       size_t n_fds)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int) * FDS)];
	} control = { 0 };
	struct iovec io[] = { { (void *)q, sizeof(*q) }, { bytes->p, bytes->n } };
	struct msghdr m = { .msg_iov = io,
			    .msg_iovlen = ARRAY_LEN(io),
			    .msg_control = &control,
			    .msg_controllen = CMSG_SPACE(sizeof(int) * n_fds) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
	memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
	ssize_t sent = sendmsg(helper.fd, &m, MSG_NOSIGNAL);

	if (sent < (ssize_t)sizeof(*q))
		return false;
	for (size_t done = (size_t)sent - sizeof(*q); done < bytes->n;) {
		ssize_t n = send(helper.fd, bytes->p + done, bytes->n - done, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool send_request(const struct launch *l)
{
	const int maybe[FDS] = { l->s.fd[0], l->s.fd[1], l->s.fd[2], l->cwd_fd, l->gate_fd };
	int fds[FDS];
	size_t n_fds = 0;
	AUTO(str) struct str bytes = STR_INIT;
	struct request q;

	for (size_t i = 0; i < FDS; i++)
		if (maybe[i] >= 0)
			fds[n_fds++] = maybe[i];
	pack(l, &q, &bytes);
	return send_bytes(&q, &bytes, fds, n_fds);
}

/* The child says who it is, or its end of the gate closes because it never came so far. */
static bool serve_gate(const struct spawn *s, int fd)
{
	pid_t pid;

	if (!read_all(fd, (char *)&pid, sizeof(pid)))
		return false;
	s->at_gate(s->gate_arg, pid);
	return send(fd, "", 1, MSG_NOSIGNAL) == 1;
}

/* False if the helper cannot be used; then nothing has been started. */
static bool ask_helper(struct launch *l, struct spawned *ret, int *ret_error)
{
	int gate[2] = { -1, -1 };
	struct reply r;

	if (!helper.pid || l->s.foreground)
		return false;
	if (l->s.at_gate && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) < 0)
		return false;
	l->gate_fd = gate[1];
	bool ok = send_request(l);

	if (gate[1] >= 0)
		close(gate[1]);
	l->gate_fd = -1;
	if (ok && gate[0] >= 0)
		ret->was_at_gate = serve_gate(&l->s, gate[0]);
	if (gate[0] >= 0)
		close(gate[0]);
	if (!ok || !read_all(helper.fd, (char *)&r, sizeof(r))) {
		log_debug("the spawning helper is gone");
		drop_helper();
		return false;
	}
	ret->is_crowded = r.is_crowded;
	ret->pid = r.pid;
	ret->start_ns = r.start_ns;
	ret->stage = r.stage;
	ret->error = *ret_error = r.error;
	return true;
}

int spawn_child(const struct spawn *s, struct spawned *ret, struct err *e)
{
	struct launch l = { .s = *s,
			    .parent = getpid(),
			    .uid = geteuid(),
			    .gid = getegid(),
			    .is_alone = helper.is_alone,
			    .cwd_fd = -1,
			    .gate_fd = -1 };
	int error = 0;

	*ret = (struct spawned){ .pid = -1 };
	l.s.fresh_pids = s->fresh_pids && launch_can_isolate();
	if (s->bind_from || l.s.fresh_pids) {
		l.how = launch_bind_how();
		if (l.how == BIND_NEVER)
			return err_set(e, ERR_ENV, "mount namespaces are not allowed here");
	}
	/* the helper's own folder is where culprit was when it was made */
	bool is_relative = !l.is_alone && (!s->cwd || s->cwd[0] != '/');

	if (is_relative)
		l.cwd_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	pthread_mutex_lock(&helper.lock);
	bool asked = !l.is_alone && helper.owner == getpid() && (!is_relative || l.cwd_fd >= 0) &&
		     ask_helper(&l, ret, &error);

	pthread_mutex_unlock(&helper.lock);
	if (l.cwd_fd >= 0)
		close(l.cwd_fd);
	if (!asked) {
		l.cwd_fd = -1;
		ret->pid = launch_child(&l);
		error = errno;
		ret->start_ns = l.start_ns;
		ret->stage = l.stage;
		ret->error = l.error;
	}
	errno = error;
	return ret->pid < 0 ? err_errno(e, "starting a child process") : 0;
}

bool spawn_can_bind(void)
{
	return launch_bind_how() != BIND_NEVER;
}

bool spawn_is_alone(void)
{
	return helper.is_alone;
}

pid_t spawn_server(void (*server)(int in, int out), int *ret_to, int *ret_from)
{
	const struct request q = { .server = server };
	struct str none = STR_INIT;
	struct reply r = { .pid = -1 };
	int to[2], from[2];

	spawn_prepare();
	if (helper.is_alone || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, from) < 0) {
		close(to[0]);
		close(to[1]);
		return -1;
	}
	const int theirs[] = { to[1], from[1] };

	pthread_mutex_lock(&helper.lock);
	if (helper.owner == getpid() && helper.pid &&
	    (!send_bytes(&q, &none, theirs, 2) || !read_all(helper.fd, (char *)&r, sizeof(r)))) {
		drop_helper();
		r.pid = -1;
	}
	pthread_mutex_unlock(&helper.lock);
	close(to[1]);
	close(from[1]);
	*ret_to = to[0];
	*ret_from = from[0];
	if (r.pid < 0) {
		close(to[0]);
		close(from[0]);
		*ret_to = *ret_from = -1;
	}
	return r.pid;
}
