/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faults - a library for LD_PRELOAD that lets a test choose what becomes of culprit. Only a process called "culprit" is touched, not
 * its children (but for the suspension, which its own helper processes see too), and nothing happens without one of these variables:
 *
 * FAULT_KILL_AT=N    SIGKILL in place of the N-th call that changes something outside the process (a write, a rename, a child waited
 *		      for, ...): kill -9 at a point that a test can name, rather than after a time
 * FAULT_COUNT=FILE   the number of such calls so far, written at the end
 * FAULT_SUSPEND=FILE while FILE exists CLOCK_BOOTTIME is 90 s ahead, as after a machine was suspended; the file is removed when
 *		      it was seen, so that a machine sleeps once
 * FAULT_STEP_BACK=1  every look at CLOCK_REALTIME is an hour before the last one
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct rusage;

static pid_t victim;
static long kill_at, calls;
static const char *suspend, *count_file;
static int steps_back;

/* Not pthread_once: the first call may come before any library is ready. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAULT_KILL_AT");

	if (strcmp(program_invocation_short_name, "culprit") != 0)
		return;
	victim = getpid();
	kill_at = at ? strtol(at, NULL, 10) : 0;
	count_file = getenv("FAULT_COUNT");
	suspend = getenv("FAULT_SUSPEND");
	steps_back = getenv("FAULT_STEP_BACK") != NULL;
}

__attribute__((destructor)) static void end(void)
{
	FILE *f = victim == getpid() && count_file ? fopen(count_file, "w") : NULL;

	if (!f)
		return;
	fprintf(f, "%ld\n", calls);
	fclose(f);
}

static void count(void)
{
	if (victim != getpid())
		return;
	if (__atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == kill_at)
		kill(victim, SIGKILL);
}

ssize_t write(int fd, const void *p, size_t n)
{
	count();
	return REAL(write)(fd, p, n);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	count();
	return REAL(pwrite64)(fd, p, n, at);
}

int fsync(int fd)
{
	count();
	return REAL(fsync)(fd);
}

int fdatasync(int fd)
{
	count();
	return REAL(fdatasync)(fd);
}

int ftruncate64(int fd, off64_t n)
{
	count();
	return REAL(ftruncate64)(fd, n);
}

int rename(const char *a, const char *b)
{
	count();
	return REAL(rename)(a, b);
}

int unlink(const char *path)
{
	count();
	return REAL(unlink)(path);
}

int unlinkat(int fd, const char *path, int flags)
{
	count();
	return REAL(unlinkat)(fd, path, flags);
}

int mkdir(const char *path, mode_t mode)
{
	count();
	return REAL(mkdir)(path, mode);
}

int link(const char *a, const char *b)
{
	count();
	return REAL(link)(a, b);
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *ru)
{
	count();
	return REAL(wait4)(pid, status, options, ru);
}

/* Questions to the helper processes, and what they answer. */
ssize_t send(int fd, const void *p, size_t n, int flags)
{
	count();
	return REAL(send)(fd, p, n, flags);
}

ssize_t recv(int fd, void *p, size_t n, int flags)
{
	ssize_t k = REAL(recv)(fd, p, n, flags);

	count();
	return k;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	static time_t back;
	int r = REAL(clock_gettime)(id, t);

	if (!victim)
		return r;
	if (id == CLOCK_REALTIME && steps_back && victim == getpid())
		t->tv_sec -= back += 3600;
	if (id == CLOCK_BOOTTIME && suspend) {
		static int slept;

		if (!access(suspend, F_OK)) {
			slept = 1;
			REAL(unlink)(suspend);
		}
		t->tv_sec += slept * 90;
	}
	return r;
}
