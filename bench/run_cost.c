/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a local run costs over a bare fork + exec + wait of the same program, with culprit small and (second line) holding 200 MB.
 *
 * Interleaved, medians; some milliseconds apart, as real runs are: the kernel does part of its work cheaper when asked again at once.
 */
#include "sys/clock.h"
#include "sys/fs.h"
#include "target/target.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 200 };

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double v[ROUNDS])
{
	qsort(v, ROUNDS, sizeof(v[0]), by_value);
	return v[ROUNDS / 2];
}

static void pause_between(void)
{
	struct timespec t = { .tv_nsec = 5000000 };

	nanosleep(&t, NULL);
}

static double bare_run(void)
{
	int64_t begin = clock_monotonic_ns();
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	return (double)(clock_monotonic_ns() - begin) / 1e6;
}

/* The command is `true`, under the shell as every benchmark is. */
static int measure(const char *store, const char *what)
{
	static double bare[ROUNDS], ours[ROUNDS];
	struct benchmark b = { .name = "cost", .command = "true" };
	struct boot_request q = {
		.store_dir = store, .tree = "trees/t", .benchmark = &b, .seed = 1
	};
	const struct target_ops *t = target_find("local");
	AUTO(str) struct str context = STR_INIT, reason = STR_INIT;
	struct err e = ERR_INIT;
	enum outcome outcome;
	struct boot *boot = NULL;

	if (t->boot(&q, &boot, &outcome, &context, &reason, &e) < 0) {
		fprintf(stderr, "run_cost: %s\n", e.msg);
		return 1;
	}
	for (int i = 0; i < ROUNDS; i++) {
		struct run_result r;

		pause_between();
		bare[i] = bare_run();
		pause_between();
		int64_t begin = clock_monotonic_ns();

		if (t->run(boot, &r, &e) < 0) {
			fprintf(stderr, "run_cost: %s\n", e.msg);
			return 1;
		}
		ours[i] = (double)(clock_monotonic_ns() - begin) / 1e6;
		run_result_done(&r);
	}
	t->shutdown(boot);
	double x = median(bare), y = median(ours);

	printf("%-22s bare %.3f ms, local run %.3f ms: cost %.3f ms (at most 2)\n", what, x, y,
	       y - x);
	return 0;
}

int main(void)
{
	char store[] = "/tmp/culprit-cost-XXXXXX";
	size_t big_size = (size_t)200 << 20;
	struct err e = ERR_INIT;

	if (!mkdtemp(store))
		return 1;
	AUTO_FREE char *tree = fs_join(store, "trees/t");

	if (fs_mkdirs(tree, &e) < 0)
		return 1;
	int r = measure(store, "run cost");
	AUTO_FREE char *big = xmalloc(big_size);

	memset(big, 1, big_size);
	if (r == 0)
		r = measure(store, "run cost, 200 MB held");
	return fs_remove_tree(store, &e) < 0 || big[big_size / 2] != 1 ? 1 : r;
}
