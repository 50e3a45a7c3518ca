/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command with its outputs thrown away and prints seconds, peak memory in MB, exit
 * status and seconds of CPU time: bench_peak COMMAND [ARGUMENT...]
 *
 * The CPU time is that of every process that came of it, also of those that it did not wait for (a helper that ends after it):
 * they become children of this program.
 */
#include "sys/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int64_t begin = clock_monotonic_ns();
	struct rusage usage, all;
	int status;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_peak COMMAND [ARGUMENT...]\n");
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 1);
		dup2(null, 2);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0) {
		perror("bench_peak");
		return 1;
	}
	double seconds = (double)(clock_monotonic_ns() - begin) / 1e9;

	while (wait4(-1, NULL, 0, NULL) > 0)
		;
	getrusage(RUSAGE_CHILDREN, &all);
	printf("%.6f %.1f %d %.6f\n", seconds, (double)usage.ru_maxrss / 1024,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 255,
	       (double)(all.ru_utime.tv_sec + all.ru_stime.tv_sec) +
		       (double)(all.ru_utime.tv_usec + all.ru_stime.tv_usec) / 1e6);
	return 0;
}
