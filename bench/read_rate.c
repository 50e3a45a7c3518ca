/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast a file of results is read: FILE [TURNS]; prints the best rate in MB/s and the format. The file is in memory when the clock
 * starts. It is the clock of the process' CPU time: reading waits for nothing, and other programs' turns are none of it. The best of a few
 * turns, for what disturbs one makes it slower only.
 */
#include "reader/reader.h"
#include "sys/fs.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	AUTO(str) struct str text = STR_INIT;
	const char *format = "";
	struct err e = ERR_INIT;
	double best = 0;
	int turns = argc > 2 ? atoi(argv[2]) : 3;

	if (argc < 2 || fs_read(argv[1], 1 << 30, &text, &e) < 0) {
		fprintf(stderr, "read_rate: %s\n", argc < 2 ? "which file?" : e.msg);
		return 2;
	}
	for (int i = 0; i < turns; i++) {
		AUTO(numbers) struct numbers got = { 0 };
		double start = cpu_seconds();

		if (reader_file(NULL, text.p, text.n, argv[1], &got, &format, &e) < 0) {
			fprintf(stderr, "read_rate: %s\n", e.msg);
			return 1;
		}
		best = fmax(best, (double)text.n / 1e6 / (cpu_seconds() - start));
	}
	printf("%.0f %s\n", best, format);
	return 0;
}
