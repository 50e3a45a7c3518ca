/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times range_load against git's own walk, in turn: bench_range REPOSITORY STORE GOOD BAD. Prints the median of each over 7 rounds,
 * their ratio and this process's peak memory. bench/range.sh makes the repository.
 */
#include "base/num.h"
#include "repo/dag.h"
#include "repo/repo.h"
#include "sys/clock.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { ROUNDS = 7 };

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double median_ms(int64_t v[ROUNDS])
{
	qsort(v, ROUNDS, sizeof(v[0]), by_value);
	return (double)v[ROUNDS / 2] / NS_PER_MS;
}

static int measure(struct repo *r, const char *good, const char *bad, struct err *e)
{
	int64_t git[ROUNDS], ours[ROUNDS];
	AUTO_FREE char *without = xasprintf("^%s", good);
	struct range range = { 0 };
	struct rusage usage;

	for (int i = 0; i < ROUNDS; i++) {
		AUTO(str) struct str out = STR_INIT;
		int64_t t0 = clock_monotonic_ns(), t1;
		int n = repo_git(r, &out, e, "rev-list", "--parents", bad, without, NULL);

		t1 = clock_monotonic_ns();
		range_done(&range);
		if (n == 0)
			n = range_load(r, good, bad, 0, NULL, &range, e);
		if (n < 0)
			return n;
		git[i] = t1 - t0;
		ours[i] = clock_monotonic_ns() - t1;
	}
	getrusage(RUSAGE_SELF, &usage);

	double theirs = median_ms(git), own = median_ms(ours);

	printf("%u commits, %u merges: git rev-list --parents %.1f ms, range_load %.1f ms, ratio %.2f (at most 2); peak memory %.0f MB\n",
	       graph_candidates(&range.g), range.merges, theirs, own, own / theirs,
	       (double)usage.ru_maxrss / 1024);
	range_done(&range);
	return 0;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct repo *r = NULL;
	char good[65], bad[65];

	if (argc != 5) {
		fprintf(stderr, "usage: bench_range REPOSITORY STORE GOOD BAD\n");
		return 2;
	}
	int n = repo_open(argv[1], &r, &e);

	if (n == 0)
		n = repo_prepare(r, argv[2], &e);
	if (n == 0)
		n = repo_resolve(r, argv[3], good, &e);
	if (n == 0)
		n = repo_resolve(r, argv[4], bad, &e);
	if (n == 0)
		n = measure(r, good, bad, &e);
	if (n < 0)
		fprintf(stderr, "bench_range: %s\n", e.msg);
	repo_close(r);
	return n < 0 ? err_exit_code(&e) : 0;
}
