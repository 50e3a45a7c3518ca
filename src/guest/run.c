/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wait is sigtimedwait on SIGCHLD: a timer of the kernel's and nothing else, so an undisturbed run costs no wake-up of ours.
 * What a command leaves behind (a server that made itself a daemon) is found by comparing the process table before and after, since a
 * daemon leaves its session and process group.
 */
#include "guest/run.h"

#include "base/num.h"
#include "exact/marks.h"
#include "guest/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void run_prepare_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static _Noreturn void child(const struct run_spec *spec)
{
	char *const argv[] = { (char *)"sh", (char *)spec->script, NULL };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (dup2(spec->out, 1) < 0 || dup2(spec->err, 2) < 0 || chdir(spec->cwd) < 0)
		_exit(126);
	execve("/bin/sh", argv, spec->env);
	_exit(127);
}

/* True when the process ended by itself; false at the deadline (the process is gone then, too). */
static bool wait_for(pid_t pid, int64_t deadline_ns, int *ret_status, struct rusage *usage)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		int64_t left = deadline_ns - now_ns();
		struct timespec t = { left / NS_PER_S, left % NS_PER_S };

		if (wait4(pid, ret_status, WNOHANG, usage) == pid)
			return true;
		if (left > 0 && (sigtimedwait(&set, NULL, &t) >= 0 || errno == EINTR))
			continue;
		if (left > 0 && errno == EAGAIN)
			continue;
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		while (wait4(pid, ret_status, 0, usage) < 0 && errno == EINTR)
			;
		return false;
	}
}

static int64_t timeval_ns(struct timeval t)
{
	return t.tv_sec * NS_PER_S + t.tv_usec * 1000;
}

int run_command(const struct run_spec *spec, struct run_result *ret, struct err *e)
{
	struct rusage usage = { 0 };
	int64_t start;
	int status = 0;
	bool ended;
	pid_t pid;

	*ret = (struct run_result){ 0 };
	if (spec->window)
		MARK_EXECUTE(MARK_BEGIN);
	start = now_ns();
	pid = fork();
	if (pid == 0)
		child(spec);
	ended = pid > 0 && wait_for(pid, start + spec->timeout_ns, &status, &usage);
	ret->wall_ns = now_ns() - start;
	if (spec->window)
		MARK_EXECUTE(MARK_END);
	if (pid < 0)
		return err_errno(e, "fork for '%s'", spec->script);
	ret->end = !ended ? RUN_TIMEOUT : WIFSIGNALED(status) ? RUN_SIGNAL : RUN_EXIT;
	ret->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	ret->utime_ns = timeval_ns(usage.ru_utime);
	ret->stime_ns = timeval_ns(usage.ru_stime);
	ret->maxrss_kib = usage.ru_maxrss;
	ret->minor_faults = usage.ru_minflt;
	ret->switches = usage.ru_nvcsw + usage.ru_nivcsw;
	return 0;
}

void run_put_result(struct str *out, const struct run_result *r)
{
	switch (r->end) {
	case RUN_EXIT:
		str_addf(out, "status exit %d\n", r->code);
		break;
	case RUN_SIGNAL:
		str_addf(out, "status signal %d\n", r->code);
		break;
	case RUN_TIMEOUT:
		str_puts(out, "status timeout\n");
		break;
	}
	str_addf(out, "wall_ns %" PRId64 "\nutime_ns %" PRId64 "\nstime_ns %" PRId64 "\n",
		 r->wall_ns, r->utime_ns, r->stime_ns);
	str_addf(out, "maxrss_kib %" PRId64 "\nminor_faults %" PRId64 "\nswitches %" PRId64 "\n",
		 r->maxrss_kib, r->minor_faults, r->switches);
}

/* Kernel threads have no command line, and neither has what is dead already. */
static bool is_user_process(int pid)
{
	AUTO(str) struct str text = STR_INIT_MAX(64);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	return file_read(path, &text) && text.n > 0;
}

int *run_list_processes(void)
{
	struct {
		int *v;
		size_t n, cap;
	} list = { 0 };
	DIR *d = opendir("/proc");
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		int pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

		if (pid > 0 && is_user_process(pid))
			ARRAY_PUSH(&list, pid);
	}
	if (d)
		closedir(d);
	ARRAY_PUSH(&list, 0);
	return list.v;
}

static bool contains(const int *list, int pid)
{
	while (*list && *list != pid)
		list++;
	return *list != 0;
}

int run_end_strangers(const int *known)
{
	int ended = 0, found;

	do {
		AUTO_FREE int *now = run_list_processes();

		found = 0;
		for (const int *p = now; *p; p++) {
			if (contains(known, *p) || *p == getpid())
				continue;
			kill(*p, SIGKILL);
			found++;
		}
		ended += found;
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (found)
			usleep(1000);
	} while (found && ended < 100000);
	return ended;
}
