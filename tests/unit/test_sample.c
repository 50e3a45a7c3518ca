/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "stats/rounding.h"
#include "stats/sample.h"

/* A fixed stream of numbers in [0, 1): tests are the same everywhere. */
static double next_uniform(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) / 9007199254740992.0;
}

static void nanosecond_sized_values_keep_their_spread(void **state UNUSED)
{
	double v[] = { 1e13 + 1, 1e13 + 2, 1e13 + 3, 1e13 + 4, 1e13 + 5 };

	assert_double(sample_sd(v, 5), 1.5811388300841898, 1e-12);
	assert_double(sample_mean(v, 5), 1e13 + 3, 1e-16);
}

static void medians_and_quantiles(void **state UNUSED)
{
	double v[] = { 10, 1, 3, 2 }, w[] = { 5, 1, 9 }, s[] = { 1, 2, 3, 10 };

	assert_double(sample_median(v, 4), 2.5, 0);
	assert_double(sample_median(w, 3), 5, 0);
	assert_double(sample_mad(v, 4), 1, 0); /* distances 1.5 .5 .5 7.5 */
	assert_double(sample_quantile_sorted(s, 4, 0), 1, 0);
	assert_double(sample_quantile_sorted(s, 4, 1), 10, 0);
	assert_double(sample_quantile_sorted(s, 4, 0.9), 7.9, 1e-15);
}

static void what_does_not_exist_is_nan(void **state UNUSED)
{
	double v[] = { 3 };

	assert_true(isnan(sample_median(v, 0)));
	assert_true(isnan(sample_mean(v, 0)));
	assert_true(isnan(sample_sd(v, 1)));
	assert_double(sample_median(v, 1), 3, 0);
	assert_true(isnan(sample_quantile_sorted(v, 1, 1.5)));
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Shapes that hurt careless quicksorts; the C library's sort is the oracle. */
static void sort_and_select_agree_with_the_library(void **state UNUSED)
{
	uint64_t seed = 1;
	enum { N = 30000 };
	static double v[N], want[N], copy[N];

	for (int shape = 0; shape < 7; shape++) {
		for (size_t n = 0; n <= N; n = n < 60 ? n + 1 : n * 3 + 7) {
			for (size_t i = 0; i < n; i++) {
				double u = next_uniform(&seed) - 0.5;

				v[i] = shape == 0   ? u
				       : shape == 1 ? (double)i
				       : shape == 2 ? -(double)i
				       : shape == 3 ? 7
				       : shape == 4 ? floor(3 * u)
				       : shape == 5 ? (double)(i % 2 ? i : n - i)
						    : (i < n / 2 ? (double)i : (double)(n - i));
			}
			memcpy(want, v, n * sizeof(*v));
			qsort(want, n, sizeof(*want), compare_doubles);
			memcpy(copy, v, n * sizeof(*v));
			sample_sort(copy, n);
			assert_memory_equal(copy, want, n * sizeof(*v));
			for (size_t k = 0; k < n; k += 1 + n / 5) {
				memcpy(copy, v, n * sizeof(*v));
				assert_double(sample_select(copy, n, k), want[k], 0);
			}
		}
	}
}

static void huber_resists_one_outlier(void **state UNUSED)
{
	double v[] = { 1, 2, 3, 4, 1000 }, two[] = { 1, 4 };
	double at = sample_huber(v, 5, 1.4826);

	assert_true(at > 2.5 && at < 4);
	assert_double(sample_huber(two, 2, 1), 2.5, 0);
	/* Without outliers it is the mean. */
	assert_double(sample_huber(v, 4, 10), 2.5, 1e-12);
}

static void coarse_values_show_their_step(void **state UNUSED)
{
	double coarse[] = { 0.5, 0.5, 0.75, 0.75, 1.25 }, fine[] = { 0.5, 0.6, 0.7, 0.8, 0.8 };
	double equal[] = { 2, 2, 2, 2 };

	assert_double(sample_step_sorted(coarse, 5), 0.25, 0);
	assert_double(sample_step_sorted(fine, 5), 0, 0);
	assert_double(sample_step_sorted(equal, 4), 0, 0);
	assert_double(sample_step_sorted(coarse, 3), 0, 0);
	assert_int_equal(sample_ties_sorted(coarse, 5), 4);
	assert_int_equal(sample_ties_sorted(fine, 5), 2);
}

static void equal_values_spread_over_their_unit(void **state UNUSED)
{
	double v[] = { 3, 1, 3, 2, 3, 3 }, want[] = { 2.625, 1, 2.875, 2, 3.125, 3.375 };
	AUTO_FREE double *got = rounding_spread(v, 6, 1);

	for (int i = 0; i < 6; i++)
		assert_double(got[i], want[i], 1e-15);
	assert_true(rounding_is_smoothed(v, 6));
	v[1] = 3;
	assert_false(rounding_is_smoothed(v, 6));
}

/* Ranks by the binomial distribution: R, qbinom(0.025, n, 0.5), and 1 - 2 * pbinom(k - 1, n, 0.5) >= 0.95. */
static void intervals_of_the_median_are_order_statistics(void **state UNUSED)
{
	static const struct {
		size_t n;
		double low, high; /* of 1, 2, .. n; 0 = none */
	} rows[] = { { 0, 0, 0 }, { 5, 0, 0 },	{ 6, 1, 6 },   { 8, 1, 8 },
		     { 9, 2, 8 }, { 10, 2, 9 }, { 20, 6, 15 }, { 100, 40, 61 } };
	double v[100], low, high;

	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		v[i] = (double)i + 1;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool any = sample_median_interval(v, rows[i].n, 0.95, &low, &high);

		assert_int_equal(any, rows[i].low > 0);
		if (!any)
			continue;
		assert_double(low, rows[i].low, 0);
		assert_double(high, rows[i].high, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_of_the_median_are_order_statistics),
		cmocka_unit_test(nanosecond_sized_values_keep_their_spread),
		cmocka_unit_test(medians_and_quantiles),
		cmocka_unit_test(what_does_not_exist_is_nan),
		cmocka_unit_test(sort_and_select_agree_with_the_library),
		cmocka_unit_test(huber_resists_one_outlier),
		cmocka_unit_test(equal_values_spread_over_their_unit),
		cmocka_unit_test(coarse_values_show_their_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
