/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each fact in a process of its own, since the table of sessions is the process's. */
#include "unit.h"

#include "sys/guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MOST = 4096,
	NOBODY = 5000000
}; /* as in guard.c; above the largest number that a process can have */

/* A leader with a member that outlives it. Both are known when it ends. */
struct session {
	pid_t leader, member;
};

static struct session begin_session(void)
{
	struct session s;
	int p[2];

	if (pipe(p))
		_exit(90);
	s.leader = fork();
	if (s.leader == 0) {
		setsid();
		pid_t member = fork();

		if (member == 0)
			for (;;)
				pause();
		_exit(write(p[1], &member, sizeof(member)) != (ssize_t)sizeof(member));
	}
	if (read(p[0], &s.member, sizeof(s.member)) != (ssize_t)sizeof(s.member))
		_exit(91);
	return s;
}

/* The leader is still a zombie, so its number is its own. */
static bool add(const struct session *s)
{
	bool all = guard_add(s->leader);

	waitpid(s->leader, NULL, 0);
	return all;
}

static bool ends_soon(pid_t pid)
{
	struct pollfd p = { .fd = pidfd_open(pid, 0), .events = POLLIN };
	bool ended = p.fd < 0 || poll(&p, 1, 10000) == 1;

	if (p.fd >= 0)
		close(p.fd);
	return ended;
}

static unsigned add_nobodies(unsigned n)
{
	unsigned lost = 0;

	for (unsigned i = 0; i < n; i++)
		lost += !guard_add(NOBODY + (pid_t)i);
	return lost;
}

/* As many running leaders: one process, under as many descriptors. */
static unsigned add_running(pid_t pid, unsigned n)
{
	unsigned lost = 0;

	while (n--)
		lost += !guard_add(pid);
	return lost;
}

static pid_t begin_running(void)
{
	struct rlimit files;
	pid_t pid;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_max < MOST + 100)
		_exit(77);
	files.rlim_cur = MOST + 100;
	setrlimit(RLIMIT_NOFILE, &files);
	pid = fork();
	if (pid == 0) {
		setsid();
		for (;;)
			pause();
	}
	while (getsid(pid) != pid)
		;
	return pid;
}

static int what_a_leader_left_is_ended(void)
{
	struct session s = begin_session();

	if (!add(&s))
		return 1;
	guard_end();
	return ends_soon(s.member) ? 0 : 2;
}

static int a_table_nearly_full_holds_all(void)
{
	pid_t running = begin_running();
	struct session s = begin_session();

	if (!add(&s) || add_running(running, MOST - 1))
		return 1;
	guard_end();
	return ends_soon(s.member) && ends_soon(running) ? 0 : 2;
}

/* The oldest that has ended goes, and the caller is told when it had left something; all others are still ended. */
static int a_full_table_forgets_the_oldest_and_says_so(void)
{
	pid_t running = begin_running();
	struct session first = begin_session(), second;
	int r = !add(&first) || add_running(running, 100);

	/* the first one's end has been noticed when the second one begins */
	second = begin_session();
	if (!add(&second) || add_running(running, MOST - 102))
		r = 1;
	if (!r && add_running(running, 1) != 1)
		r = 2;
	guard_end();
	if (!r && (!ends_soon(second.member) || !ends_soon(running)))
		r = 3;
	if (!r && kill(first.member, 0))
		r = 4;
	kill(first.member, SIGKILL);
	kill(second.member, SIGKILL);
	kill(running, SIGKILL);
	return r;
}

/* What runs is held longer than what has ended, however old it is. */
static int what_runs_is_held_in_a_full_table(void)
{
	pid_t leader = begin_running();
	int r = !guard_add(leader) || add_nobodies(MOST + 10);

	guard_end();
	if (!ends_soon(leader))
		r = 2;
	kill(leader, SIGKILL);
	return r;
}

static int run_apart(int (*fact)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(fact());
	waitpid(pid, &status, 0);
	return status;
}

static void check(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip(); /* so many open files are not allowed here */
	assert_int_equal(status, 0);
}

#define APART(fact)                                                                                \
	static void test_##fact(void **state UNUSED)                                               \
	{                                                                                          \
		check(run_apart(fact));                                                            \
	}

APART(what_a_leader_left_is_ended)
APART(a_table_nearly_full_holds_all)
APART(a_full_table_forgets_the_oldest_and_says_so)
APART(what_runs_is_held_in_a_full_table)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_leader_left_is_ended),
		cmocka_unit_test(test_a_table_nearly_full_holds_all),
		cmocka_unit_test(test_a_full_table_forgets_the_oldest_and_says_so),
		cmocka_unit_test(test_what_runs_is_held_in_a_full_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
