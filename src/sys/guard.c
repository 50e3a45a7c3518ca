/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A leader's end is seen by its pidfd, which means this very process whoever gets its number later. The members are found in /proc, by
 * the session in their stat file; a group would not do, since shells with job control give each job its own.
 */
#include "sys/guard.h"

#include "base/mem.h"
#include "sys/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <time.h>
#include <unistd.h>

#define FORGET_NS                                                                                  \
	INT64_C(1000000000) /* an ended leader's orphans have half a second of grace (proc.c) */
#define SCAN_NS                                                                                    \
	250000000 /* not at each of a thousand runs a second: every look costs a system call */
#define ROUND_NS 10000000
/* A child that ends within this is not waited for as such: waking up at each end costs a short run more than the guarding. */
#define SHORT_MS 50
/* Two thousand runs a second, each known for FORGET_NS and a look. */
enum { MOST = 4096, ROUNDS = 100, UNWATCHED = 64 };

static struct {
	struct guarded {
		pid_t leader;
		int fd;		  /* pidfd; -1 once it has ended */
		int64_t ended_ns; /* CLOCK_MONOTONIC */
	} v[MOST];
	size_t n;
	int64_t scanned_ns; /* CLOCK_MONOTONIC */
	unsigned unwatched; /* children since notice_ends */
} known;

static void forget(size_t i)
{
	if (known.v[i].fd >= 0)
		close(known.v[i].fd);
	known.v[i] = known.v[--known.n];
}

/* The session of a process that is no zombie; -1 if there is none. */
static pid_t session_of(const char *pid)
{
	char path[300], buf[600], state;
	int ppid, group, session;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	ssize_t n = read(fd, buf, sizeof(buf) - 1);

	close(fd);
	if (n <= 0)
		return -1;
	buf[n] = '\0';
	/* the name may hold anything: the fields start after its last parenthesis */
	const char *at = strrchr(buf, ')');

	if (!at || sscanf(at + 1, " %c %d %d %d", &state, &ppid, &group, &session) != 4 ||
	    state == 'Z' || state == 'X')
		return -1;
	return session;
}

static pid_t session_of_pid(pid_t pid)
{
	char text[20];

	snprintf(text, sizeof(text), "%d", (int)pid);
	/* asking for a number that is nobody's costs a twentieth of looking for it in /proc */
	return kill(pid, 0) < 0 && errno == ESRCH ? -1 : session_of(text);
}

/*
 * An ended leader is forgotten when its session is empty (a server that `prepare` started may be in it for long), and at once when its
 * number belongs to somebody else.
 */
static void forget_old(void)
{
	int64_t now = clock_monotonic_ns();

	known.scanned_ns = now;
	for (size_t i = known.n; i-- > 0;) {
		const struct guarded *g = &known.v[i];

		if (g->fd < 0 && (session_of_pid(g->leader) >= 0 ||
				  (now - g->ended_ns > FORGET_NS && kill(-g->leader, 0) < 0)))
			forget(i);
	}
}

/* Waits for the socket, or for that and the end of a leader. True if the socket has something. */
static bool wait_for(int fd, bool leaders, int timeout_ms)
{
	static struct pollfd p[MOST + 1];
	static size_t at[MOST + 1];
	size_t n = 1;

	p[0] = (struct pollfd){ .fd = fd, .events = POLLIN };
	for (size_t i = 0; leaders && i < known.n; i++)
		if (known.v[i].fd >= 0) {
			p[n] = (struct pollfd){ .fd = known.v[i].fd, .events = POLLIN };
			at[n++] = i;
		}
	if (poll(p, n, timeout_ms) < 0)
		p[0].revents = errno == EINTR ? 0 : POLLERR;
	/* the end of the socket comes first: culprit closes its files before it lets go of its children */
	for (size_t i = 1; !p[0].revents && i < n; i++)
		if (p[i].revents) {
			struct guarded *g = &known.v[at[i]];

			close(g->fd);
			g->fd = -1;
			g->ended_ns = clock_monotonic_ns();
		}
	return p[0].revents;
}

static void notice_ends(void)
{
	wait_for(-1, true, 0);
	known.unwatched = 0;
}

/* For a new one; what runs is held longer than what has ended. */
static size_t least_wanted(void)
{
	size_t at = 0;

	for (size_t i = 1; i < known.n; i++) {
		const struct guarded *g = &known.v[i], *best = &known.v[at];

		if (g->fd < 0 && (best->fd >= 0 || g->ended_ns < best->ended_ns))
			at = i;
	}
	return at;
}

bool guard_add(pid_t leader)
{
	int fd = pidfd_open(leader, 0);
	bool all = true;

	if (clock_monotonic_ns() - known.scanned_ns >= SCAN_NS) {
		notice_ends();
		forget_old();
	} else if (++known.unwatched >= UNWATCHED) {
		notice_ends();
	}
	if (known.n == MOST) {
		notice_ends();
		size_t i = least_wanted();

		all = known.v[i].fd < 0 && kill(-known.v[i].leader, 0) < 0;
		forget(i);
	}
	known.v[known.n++] = (struct guarded){ leader, fd, fd < 0 ? clock_monotonic_ns() : 0 };
	return all;
}

void guard_wait(int fd)
{
	if (wait_for(fd, false, SHORT_MS))
		return;
	while (!wait_for(fd, true, -1))
		;
}

static bool is_guarded(pid_t session)
{
	for (size_t i = 0; i < known.n; i++)
		if (known.v[i].leader == session)
			return true;
	return false;
}

static bool kill_members(void)
{
	DIR *d = opendir("/proc");
	struct dirent *x;
	bool any = false;

	while (d && (x = readdir(d))) {
		if (x->d_name[0] < '0' || x->d_name[0] > '9' || !is_guarded(session_of(x->d_name)))
			continue;
		any |= !kill((pid_t)strtol(x->d_name, NULL, 10), SIGKILL);
	}
	if (d)
		closedir(d);
	return any;
}

void guard_end(void)
{
	notice_ends();
	forget_old();
	for (int i = 0; known.n && i < ROUNDS && kill_members(); i++)
		nanosleep(&(struct timespec){ .tv_nsec = ROUND_NS }, NULL);
}
