/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history - what the change-point method of src/stats promises, counted, and how it compares to its rivals. Prints the tables of
 * docs/design/012-history.md.
 *
 *     build/sim_history TABLE [REPETITIONS [SEED]]      TABLE: calibrate false rivals intervals
 *
 * Values are exp(ln 100 + level + 0.01 e), e a noise of STATISTICS.md section 4; every draw is a hash of (seed, repetition).
 */
#include "stats/changepoint.h"
#include "stats/dist.h"
#include "stats/fpop.h"
#include "stats/sample.h"
#include "target/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10000, TAG_DRIFT = 100, TAG_PLACE, TAG_SPIKE, TAG_SHUFFLE };
#define SD 0.01

enum kind { GAUSS, SKEW, BIMOD, OUT, T3, AR, QUANT, KINDS };
static const char *const kind_names[KINDS] = {
	"gauss", "skew", "bimod", "out", "t3", "ar", "quant"
};
static const enum sim_noise noises[KINDS] = { SIM_GAUSS, SIM_SKEW, SIM_BIMOD, SIM_OUT,
					      SIM_T3,	 SIM_AR,   SIM_GAUSS };

/* A series with its true changes; sizes of changes in sd. */
struct series {
	double v[MOST];
	size_t n, at[16], changes;
};

static void add_noise(struct series *s, enum kind kind, uint64_t key, double spikes)
{
	double memory = 0;

	for (size_t i = 0; i < s->n; i++) {
		double e = sim_noise_draw(noises[kind], key, 0, i);

		memory = sim_ar_step(memory, .8, sim_normal(key, TAG_DRIFT, i, 0), i);
		if (kind == AR)
			e += .7 * memory;
		if (sim_uniform(key, TAG_SPIKE, i, 0) < spikes)
			e += sim_uniform(key, TAG_SPIKE, i, 1) < 0.5 ? -12 : 12;
		s->v[i] = 100 * exp(s->v[i] + SD * e);
		if (kind == QUANT)
			s->v[i] = round(s->v[i]);
	}
}

/* A step of `size` sd at each of the places; up and down in turn. */
static void make_series(struct series *s, size_t n, const size_t *at, size_t changes, double size,
			enum kind kind, uint64_t key, double spikes)
{
	double level = 0;
	size_t k = 0;

	s->n = n;
	s->changes = changes;
	for (size_t i = 0; i < n; i++) {
		if (k < changes && i == at[k])
			level += (k++ % 2 ? -1 : 1) * size * SD;
		s->v[i] = level;
	}
	memcpy(s->at, at, changes * sizeof(*at));
	add_noise(s, kind, key, spikes);
}

/* --- rivals ----------------------------------------------------------------------------------------------------------- */

/* Each finds the starts of new levels; returns their number. */
typedef size_t finder(const struct series *s, uint64_t key, size_t *ret);

static size_t find_ours(const struct series *s, uint64_t key UNUSED, size_t *ret)
{
	struct changepoint_params p;
	struct changepoints c;

	changepoint_params_default(&p);
	changepoints_find(s->v, s->n, &p, &c);
	size_t n = c.n;

	for (size_t i = 0; i < n; i++)
		ret[i] = c.v[i].at;
	changepoints_done(&c);
	return n;
}

/* Ordinary least squares with the penalty that Gaussian noise needs for the same false-alarm rate (3.6 + ln n). */
static size_t find_squares(const struct series *s, uint64_t key UNUSED, size_t *ret)
{
	static double x[MOST], d[MOST];
	static size_t start[MOST];

	for (size_t i = 0; i < s->n; i++)
		x[i] = log(s->v[i]);
	for (size_t i = 0; i + 1 < s->n; i++)
		d[i] = fabs(x[i + 1] - x[i]);
	double sd = sample_median(d, s->n - 1) / 0.9538725524;

	for (size_t i = 0; i < s->n; i++)
		x[i] /= sd;
	size_t k = fpop_segments(x, s->n, HUGE_VAL, 3.6 + 1.3 * log((double)s->n), start);

	memcpy(ret, start + 1, (k - 1) * sizeof(*ret));
	return k - 1;
}

/* Energy distance statistic of the best split of x[0, n); its place in *ret_at. O(n^2). */
static double energy_split(const double *x, size_t n, size_t *ret_at)
{
	double within_left = 0, within_right = 0, between = 0, best = -1;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			within_right += fabs(x[i] - x[j]);
	for (size_t k = 1; k + 1 < n; k++) {
		double to_left = 0, to_right = 0, a = (double)k, b = (double)(n - k);

		for (size_t j = 0; j < n; j++)
			*(j < k - 1 ? &to_left : &to_right) += fabs(x[k - 1] - x[j]);
		within_left += to_left;
		within_right -= to_right;
		between += to_right - to_left;
		if (k < 2 || n - k < 2)
			continue;
		double e = 2 * between / (a * b) - 2 * within_left / (a * (a - 1)) -
			   2 * within_right / (b * (b - 1));
		double q = a * b / (a + b) * e;

		if (q > best) {
			best = q;
			*ret_at = k;
		}
	}
	return best;
}

/*
 * E-divisive (Matteson and James, 2014): split where the energy distance is largest, as long as a permutation test within
 * the segments, 199 times, gives p <= .05.
 */
static size_t find_energy(const struct series *s, uint64_t key, size_t *ret)
{
	static double x[MOST], y[MOST];
	size_t start[64] = { 0, s->n }, k = 1;

	for (size_t i = 0; i < s->n; i++)
		x[i] = log(s->v[i]);
	while (k < 60) {
		double best = -1;
		size_t where = 0, at = 0, beyond = 0;

		for (size_t i = 0; i < k; i++) {
			double q =
				start[i + 1] - start[i] >= 4
					? energy_split(x + start[i], start[i + 1] - start[i], &at)
					: -1;

			if (q > best) {
				best = q;
				where = start[i] + at;
			}
		}
		if (best <= 0)
			break;
		for (unsigned perm = 0; perm < 199 && beyond < 10; perm++) {
			double most = -1;

			memcpy(y, x, s->n * sizeof(*x));
			for (size_t i = 0; i < k; i++) {
				for (size_t j = start[i + 1] - 1; j > start[i]; j--) {
					double u = sim_uniform(key, TAG_SHUFFLE + (unsigned)k, perm,
							       j);
					size_t o =
						start[i] + (size_t)(u * (double)(j - start[i] + 1));
					double t = y[j];

					y[j] = y[o];
					y[o] = t;
				}
				if (start[i + 1] - start[i] >= 4)
					most = fmax(most,
						    energy_split(y + start[i],
								 start[i + 1] - start[i], &at));
			}
			beyond += most >= best;
		}
		if (beyond >= 10) /* (beyond + 1) / 200 > .05 */
			break;
		size_t i = k++;

		start[k] = s->n;
		for (; i > 0 && start[i - 1] > where; i--)
			start[i] = start[i - 1];
		start[i] = where;
	}
	memcpy(ret, start + 1, (k - 1) * sizeof(*ret));
	return k - 1;
}

/* Student's t test of two segments, equal variances; its two-sided p. */
static double t_test(const double *x, size_t n, const double *y, size_t m)
{
	double sx = n > 1 ? sample_sd(x, n) : 0, sy = m > 1 ? sample_sd(y, m) : 0;
	double df = (double)(n + m) - 2;
	double var = df > 0 ? (((double)n - 1) * sx * sx + ((double)m - 1) * sy * sy) / df : 0;
	double t = fabs(sample_mean(x, n) - sample_mean(y, m)) /
		   sqrt(var * (1 / (double)n + 1 / (double)m));

	return var > 0 ? 2 * dist_t_cdf(-t, df) : 1;
}

struct splits {
	const double *x;
	size_t start[MOST / 2], k;
};

static void split_by_t(struct splits *s, size_t from, size_t to)
{
	size_t at = 0;

	if (to - from < 4 || energy_split(s->x + from, to - from, &at) <= 0 || !at ||
	    t_test(s->x + from, at, s->x + from + at, to - from - at) > 0.01)
		return;
	split_by_t(s, from, from + at);
	s->start[s->k++] = from + at;
	split_by_t(s, from + at, to);
}

/*
 * As in Apache Otava (Hunter; Fleming et al., 2023): E-divisive's splits, each tested by t at ten times .001, then the weakest change is
 * taken back until all are below .001 between their own neighbours. No permutations.
 */
static size_t find_otava(const struct series *s, uint64_t key UNUSED, size_t *ret)
{
	static double x[MOST];
	struct splits c = { .x = x };

	for (size_t i = 0; i < s->n; i++)
		x[i] = log(s->v[i]);
	split_by_t(&c, 0, s->n);
	while (c.k) {
		double worst = 0;
		size_t which = 0;

		for (size_t i = 0; i < c.k; i++) {
			size_t from = i ? c.start[i - 1] : 0, at = c.start[i],
			       to = i + 1 < c.k ? c.start[i + 1] : s->n;
			double p = t_test(x + from, at - from, x + at, to - at);

			if (p > worst) {
				worst = p;
				which = i;
			}
		}
		if (worst <= 0.001)
			break;
		c.k--;
		memmove(c.start + which, c.start + which + 1, (c.k - which) * sizeof(*c.start));
	}
	memcpy(ret, c.start, c.k * sizeof(*ret));
	return c.k;
}

/* --- tables ------------------------------------------------------------------------------------------------------------ */

static void calibrate(unsigned reps, uint64_t seed)
{
	static const size_t sizes[] = { 6, 8, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1000 };
	static const enum kind kinds[] = { GAUSS, T3, SKEW, BIMOD };

	printf("quantiles of the largest penalty that splits a series without a change (50, 80, 95, 99 %%), %u series, seed %llu\n",
	       reps, (unsigned long long)seed);
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		for (size_t q = 0; q < ARRAY_LEN(sizes); q++) {
			static struct series s;
			AUTO_FREE double *critical = xmalloc(reps * sizeof(*critical));

			for (unsigned r = 0; r < reps; r++) {
				struct changepoint_params p;
				double lo = 0.5, hi = 200;
				size_t start[1000];
				struct changepoints c;

				make_series(&s, sizes[q], NULL, 0, 0, kinds[k],
					    sim_key(seed, ((uint64_t)(k * 16 + q) << 32) + r), 0);
				changepoint_params_default(&p);
				changepoints_find(s.v, s.n, &p, &c);
				for (size_t i = 0; i < s.n; i++)
					s.v[i] = log(s.v[i]) / c.sd;
				changepoints_done(&c);
				while (hi / lo > 1.01) {
					double mid = sqrt(lo * hi);

					*(fpop_segments(s.v, s.n, 3, mid, start) > 1 ? &lo : &hi) =
						mid;
				}
				critical[r] = lo;
			}
			sample_sort(critical, reps);
			printf("| %s | %zu | %.1f | %.1f | %.1f | %.1f | used at .05: %.1f |\n",
			       kind_names[kinds[k]], sizes[q],
			       sample_quantile_sorted(critical, reps, .5),
			       sample_quantile_sorted(critical, reps, .8),
			       sample_quantile_sorted(critical, reps, .95),
			       sample_quantile_sorted(critical, reps, .99),
			       changepoint_penalty(sizes[q], .05));
			fflush(stdout);
		}
	}
}

static void false_alarms(unsigned reps, uint64_t seed)
{
	static const size_t sizes[] = { 6, 8, 10, 15, 20, 30, 50, 100, 300, 1000 };
	static const double alphas[] = { 0.2, 0.05, 0.01 };

	for (size_t a = 0; a < ARRAY_LEN(alphas); a++) {
		printf("series without a change that yield one (in which memory is seen), in %%, alpha = %g, %u series, seed %llu\n| noise |",
		       alphas[a], reps, (unsigned long long)seed);
		for (size_t q = 0; q < ARRAY_LEN(sizes); q++)
			printf(" n = %zu |", sizes[q]);
		printf("\n");
		for (enum kind k = 0; k < KINDS; k++) {
			printf("| %s |", kind_names[k]);
			for (size_t q = 0; q < ARRAY_LEN(sizes); q++) {
				static struct series s;
				unsigned wrong = 0, memory = 0;

				for (unsigned r = 0; r < reps; r++) {
					struct changepoint_params p;
					struct changepoints c;

					make_series(
						&s, sizes[q], NULL, 0, 0, k,
						sim_key(seed, ((uint64_t)(k * 16 + q) << 32) + r),
						0);
					changepoint_params_default(&p);
					p.alpha = alphas[a];
					changepoints_find(s.v, s.n, &p, &c);
					wrong += c.n > 0;
					memory += c.memory;
					changepoints_done(&c);
				}
				printf(" %.1f (%.1f) |", 100.0 * wrong / reps,
				       100.0 * memory / reps);
			}
			printf("\n");
		}
	}
}

static void rivals(unsigned reps, uint64_t seed)
{
	static const struct {
		const char *name;
		size_t n, at[5], changes;
		double size, spikes;
		enum kind kind;
	} rows[] = {
		{ "none, gauss", 100, { 0 }, 0, 0, 0, GAUSS },
		{ "none, skew", 100, { 0 }, 0, 0, 0, SKEW },
		{ "none, t3", 100, { 0 }, 0, 0, 0, T3 },
		{ "none, out", 100, { 0 }, 0, 0, 0, OUT },
		{ "none, gauss, 4 % spikes", 100, { 0 }, 0, 0, .04, GAUSS },
		{ "none, ar", 100, { 0 }, 0, 0, 0, AR },
		{ "one of 1 sd in the middle", 100, { 50 }, 1, 1, 0, GAUSS },
		{ "one of 2 sd in the middle", 100, { 50 }, 1, 2, 0, GAUSS },
		{ "one of 3 sd in the middle", 100, { 50 }, 1, 3, 0, GAUSS },
		{ "3 sd, n = 20", 20, { 10 }, 1, 3, 0, GAUSS },
		{ "4 sd, 3 points from the end", 40, { 37 }, 1, 4, 0, GAUSS },
		{ "5 sd, 4 points from the end", 40, { 36 }, 1, 5, 0, GAUSS },
		{ "five of 4 sd", 100, { 15, 30, 50, 60, 85 }, 5, 4, 0, GAUSS },
		{ "five of 4 sd, 4 % spikes", 100, { 15, 30, 50, 60, 85 }, 5, 4, .04, GAUSS },
		{ "3 sd, skew", 100, { 50 }, 1, 3, 0, SKEW },
		{ "3 sd, t3", 100, { 50 }, 1, 3, 0, T3 },
		{ "3 sd, out", 100, { 50 }, 1, 3, 0, OUT },
		{ "dip of 6 points, 5 sd", 100, { 50, 56 }, 2, 5, 0, GAUSS },
	};
	static const struct {
		const char *name;
		finder *find;
	} methods[] = { { "ours", find_ours },
			{ "least squares", find_squares },
			{ "e-divisive", find_energy },
			{ "otava", find_otava } };

	printf("share of true changes found within 2 points; false changes per series; series answered exactly right; %u series, seed %llu\n| scenario |",
	       reps, (unsigned long long)seed);
	for (size_t m = 0; m < ARRAY_LEN(methods); m++)
		printf(" %s |", methods[m].name);
	printf("\n");
	for (size_t q = 0; q < ARRAY_LEN(rows); q++) {
		printf("| %s |", rows[q].name);
		for (size_t m = 0; m < ARRAY_LEN(methods); m++) {
			unsigned found = 0, wrong = 0, right = 0;

			for (unsigned r = 0; r < reps; r++) {
				static struct series s;
				uint64_t key = sim_key(seed, ((uint64_t)q << 32) + r);
				size_t got[MOST], k, hits = 0;

				make_series(&s, rows[q].n, rows[q].at, rows[q].changes,
					    rows[q].size, rows[q].kind, key, rows[q].spikes);
				k = methods[m].find(&s, key, got);
				for (size_t i = 0; i < s.changes; i++)
					for (size_t j = 0; j < k; j++)
						if (got[j] + 2 >= s.at[i] &&
						    got[j] <= s.at[i] + 2) {
							hits++;
							break;
						}
				found += (unsigned)hits;
				wrong += (unsigned)(k - hits);
				right += hits == s.changes && k == hits;
			}
			if (rows[q].changes)
				printf(" %.2f;", (double)found / reps / (double)rows[q].changes);
			printf(" %.3f; %.2f |", (double)wrong / reps, (double)right / reps);
			fflush(stdout);
		}
		printf("\n");
	}
}

static void intervals(unsigned reps, uint64_t seed)
{
	static const struct {
		size_t n, at;
		double size;
		enum kind kind;
	} rows[] = {
		{ 20, 10, 3, GAUSS },  { 40, 20, 2, GAUSS },  { 100, 50, 1, GAUSS },
		{ 100, 50, 2, GAUSS }, { 100, 50, 4, GAUSS }, { 100, 90, 3, GAUSS },
		{ 100, 50, 2, SKEW },  { 100, 50, 2, T3 },    { 100, 50, 2, BIMOD },
		{ 100, 50, 3, QUANT },
	};

	printf("series with one change, of which exactly one was found: how often the 95 %% intervals hold place and size; %u series, seed %llu\n",
	       reps, (unsigned long long)seed);
	printf("| n | at | size, sd | noise | one found | place held (median width) | size held |\n");
	for (size_t q = 0; q < ARRAY_LEN(rows); q++) {
		unsigned one = 0, place = 0, size = 0, sized = 0;
		AUTO_FREE double *width = xmalloc(reps * sizeof(*width));

		for (unsigned r = 0; r < reps; r++) {
			static struct series s;
			struct changepoint_params p;
			struct changepoints c;
			double d = expm1(rows[q].size * SD);

			make_series(&s, rows[q].n, &rows[q].at, 1, rows[q].size, rows[q].kind,
				    sim_key(seed, ((uint64_t)q << 32) + r), 0);
			changepoint_params_default(&p);
			changepoints_find(s.v, s.n, &p, &c);
			if (c.n == 1) {
				const struct changepoint *x = c.v;

				width[one++] = (double)(x->last - x->first + 1);
				place += x->first <= rows[q].at && rows[q].at <= x->last;
				sized += !isnan(x->low);
				size += x->low <= d && d <= x->high;
			}
			changepoints_done(&c);
		}
		printf("| %zu | %zu | %g | %s | %.3f | %.3f (%.0f) | %.3f |\n", rows[q].n,
		       rows[q].at, rows[q].size, kind_names[rows[q].kind], (double)one / reps,
		       (double)place / one, one ? sample_median(width, one) : NAN,
		       (double)size / sized);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(unsigned reps, uint64_t seed);
		unsigned reps;
	} tables[] = {
		{ "calibrate", calibrate, 3000 },
		{ "false", false_alarms, 2000 },
		{ "rivals", rivals, 400 },
		{ "intervals", intervals, 2000 },
	};
	unsigned long reps = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 777;

	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(tables); i++) {
		if (strcmp(argv[1], tables[i].name) || reps > 100000)
			continue;
		tables[i].run(reps ? (unsigned)reps : tables[i].reps, seed);
		return 0;
	}
	fprintf(stderr,
		"usage: sim_history calibrate|false|rivals|intervals [REPETITIONS [SEED]]\n");
	return 2;
}
