/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command with its outputs thrown away and prints seconds, peak memory in MB, exit
 * status and seconds of CPU time with all children: bench_peak COMMAND [ARGUMENT...]
 */
#include "sys/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int64_t begin = clock_monotonic_ns();
	struct rusage usage;
	int status;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_peak COMMAND [ARGUMENT...]\n");
		return 2;
	}
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
	printf("%.6f %.1f %d %.6f\n", (double)(clock_monotonic_ns() - begin) / 1e9,
	       (double)usage.ru_maxrss / 1024, WIFEXITED(status) ? WEXITSTATUS(status) : 255,
	       (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	return 0;
}
