/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "stats/compare.h"
#include "stats/differences.h"
#include "stats/dist.h"
#include "stats/sample.h"

static double next_uniform(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) / 9007199254740992.0;
}

/* The Mann-Whitney count of an arrangement: bit i set = the i-th smallest value belongs to b. */
static unsigned count_of(unsigned arrangement, unsigned total)
{
	unsigned u = 0, seen_a = 0;

	for (unsigned i = 0; i < total; i++)
		if (arrangement & (1u << i))
			u += seen_a;
		else
			seen_a++;
	return u;
}

/* Every arrangement of n + m values, for all n, m <= 8: the rank by its definition, and p. */
static void null_by_enumeration(void **state UNUSED)
{
	static const double levels[] = { 0.5, 0.2, 0.1, 0.05, 0.015, 0.01, 0.001 };

	for (unsigned n = 1; n <= 8; n++) {
		for (unsigned m = 1; m <= 8; m++) {
			double cases[65] = { 0 }, all = 0, tail = 0;

			for (unsigned s = 0; s < 1u << (n + m); s++) {
				if ((unsigned)__builtin_popcount(s) != m)
					continue;
				cases[count_of(s, n + m)]++;
				all++;
			}
			for (size_t a = 0; a < ARRAY_LEN(levels); a++) {
				unsigned k = 0;

				tail = cases[0];
				while (2 * k + 1 <= n * m && 2 * tail / all <= levels[a])
					tail += cases[++k];
				assert_int_equal(mann_whitney_rank(n, m, levels[a]), k);
			}
			tail = 0;
			for (unsigned u = 0; u <= n * m; u++) {
				tail += cases[u];
				assert_double(mann_whitney_p(n, m, u), fmin(1, 2 * tail / all),
					      1e-13);
			}
			assert_double(mann_whitney_finest(n, m), fmin(1, 2 / all), 1e-14);
		}
	}
}

/* Over all arrangements of the values 1 .. n + m the interval misses 0 exactly as often as it says,
 * and p agrees. */
static void coverage_by_enumeration(void **state UNUSED)
{
	static const double levels[] = { 0.2, 0.05, 0.01 };

	for (unsigned n = 1; n <= 8; n++) {
		for (unsigned m = 1; m <= 8; m++) {
			for (size_t l = 0; l < ARRAY_LEN(levels); l++) {
				unsigned all = 0, misses = 0;
				struct comparison c = { 0 };

				for (unsigned s = 0; s < 1u << (n + m); s++) {
					double a[8], b[8];
					size_t na = 0, nb = 0;

					if ((unsigned)__builtin_popcount(s) != m)
						continue;
					for (unsigned i = 0; i < n + m; i++)
						if (s & (1u << i))
							b[nb++] = 100 + i;
						else
							a[na++] = 100 + i;
					compare_samples(a, na, b, nb, levels[l], &c);
					bool miss = c.low > 0 || c.high < 0;

					all++;
					misses += miss;
					assert_int_equal(miss, c.p <= levels[l] * (1 + 1e-12));
				}
				if (c.warnings & COMPARE_FEW) {
					assert_int_equal(misses, 0);
					continue;
				}
				assert_double(1 - (double)misses / all, c.achieved, 1e-12);
				assert_true(c.achieved >= c.level);
			}
		}
	}
}

/* Largest k with 2 P(U <= k - 1) <= alpha, by counting arrangements: no code of ours in it. */
static size_t rank_by_counting(unsigned n, unsigned m, double alpha)
{
	double cases[65] = { 0 }, all = 0, tail;
	size_t k = 0;

	for (unsigned s = 0; s < 1u << (n + m); s++) {
		if ((unsigned)__builtin_popcount(s) != m)
			continue;
		cases[count_of(s, n + m)]++;
		all++;
	}
	for (tail = cases[0]; 2 * k + 1 <= n * m && 2 * tail / all <= alpha; tail += cases[k])
		k++;
	return k;
}

/* Intervals and shifts against sorting all differences and counting all arrangements, for all n and m up to 8. */
static void interval_by_brute_force(void **state UNUSED)
{
	uint64_t seed = 42;

	for (unsigned n = 1; n <= 8; n++) {
		for (unsigned m = 1; m <= 8; m++) {
			double a[8], b[8], d[64];
			size_t k = 0;
			struct comparison c;

			for (unsigned i = 0; i < n; i++)
				a[i] = 1 + next_uniform(&seed);
			for (unsigned j = 0; j < m; j++)
				b[j] = 1 + floor(8 * next_uniform(&seed)) / 8; /* ties too */
			for (unsigned i = 0; i < n; i++)
				for (unsigned j = 0; j < m; j++)
					d[k++] = log(b[j]) - log(a[i]);
			sample_sort(d, k);
			compare_samples(a, n, b, m, 0.1, &c);
			assert_double(c.shift, exp(sample_median_sorted(d, k)) - 1, 1e-14);
			size_t rank = rank_by_counting(n, m, 0.1);

			if (!rank) {
				assert_true(isnan(c.low) && isnan(c.high) &&
					    (c.warnings & COMPARE_FEW));
				continue;
			}
			assert_double(c.low, exp(d[rank - 1]) - 1, 1e-14);
			assert_double(c.high, exp(d[k - rank]) - 1, 1e-14);
		}
	}
}

/* r-mathlib's own Wilcoxon is the second oracle, up to the limit of the exact part. */
static void null_by_rmathlib(void **state UNUSED)
{
	static const struct {
		size_t n, m;
	} rows[] = { { 9, 4 }, { 12, 12 }, { 20, 7 }, { 30, 30 }, { 40, 25 }, { 60, 60 } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t n = rows[i].n, m = rows[i].m;

		for (uint64_t u = 0; u < n * m / 2; u += 1 + n * m / 40) {
			double want = 2 * dist_ranksum_cdf((double)u, (double)n, (double)m);

			if (!(fabs(mann_whitney_p(n, m, u) - fmin(1, want)) <= 1e-10 * want))
				fail_msg("n %zu m %zu u %zu: %.17g, R %.17g", n, m, (size_t)u,
					 mann_whitney_p(n, m, u), want);
		}
	}
}

/* Just above the exact part the approximation may cost a rank or two, never give more than a hair.
 */
static void approximation_joins_the_exact_part(void **state UNUSED)
{
	static const double levels[] = { 0.05, 0.01, 0.001 };

	for (size_t l = 0; l < ARRAY_LEN(levels); l++) {
		size_t below = mann_whitney_rank(60, 60, levels[l]),
		       above = mann_whitney_rank(61, 61, levels[l]);

		assert_true(above > below && above < below + 70);
		/* p and rank invert each other on both sides of the border. */
		for (size_t n = 60; n <= 61; n++) {
			size_t k = mann_whitney_rank(n, n, levels[l]);

			assert_true(mann_whitney_p(n, n, k - 1) <= levels[l]);
			assert_true(mann_whitney_p(n, n, k) > levels[l]);
		}
	}
	/* One value against many is exact: 2 k / (m + 1) <= alpha. */
	assert_int_equal(mann_whitney_rank(1, 999, 0.05), 25);
	assert_int_equal(mann_whitney_rank(3, 3, 0.05), 0);
	assert_int_equal(mann_whitney_rank(4, 4, 0.05), 1);
}

/* The selection in the implicit matrix against sorting it, on shapes with many ties, tails and
 * unequal sizes. */
static void selection_by_brute_force(void **state UNUSED)
{
	static const struct {
		size_t n, m;
	} sizes[] = { { 1, 1 },	      { 1, 5000 }, { 300, 300 },
		      { 1500, 1600 }, { 3, 2000 }, { 2500, 1000 } };
	uint64_t seed = 7;

	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		size_t n = sizes[s].n, m = sizes[s].m, total = n * m;
		AUTO_FREE double *x = xmalloc(n * sizeof(*x));
		AUTO_FREE double *y = xmalloc(m * sizeof(*y));
		AUTO_FREE double *d = xmalloc(total * sizeof(*d));

		for (int shape = 0; shape < 5; shape++) {
			for (size_t i = 0; i < n + m; i++) {
				double u = next_uniform(&seed);
				double v = shape == 0	? u
					   : shape == 1 ? floor(4 * u)
					   : shape == 2 ? pow(u, -8)
					   : shape == 3 ? (u < 0.5 ? u : 1e6 + u)
							: floor(10 * u) / 10 * 3;

				*(i < n ? &x[i] : &y[i - n]) = v;
			}
			sample_sort(x, n);
			sample_sort(y, m);
			for (size_t i = 0; i < total; i++)
				d[i] = y[i % m] - x[i / m];
			sample_sort(d, total);
			uint64_t ranks[] = { 1, (total + 39) / 40, (total + 1) / 2, total / 2 + 1,
					     total };
			double got[5];

			differences_select(x, n, y, m, ranks, 5, got);
			for (int r = 0; r < 5; r++)
				assert_double(got[r], d[ranks[r] - 1], 0);
			assert_double(differences_median(x, n, y, m),
				      sample_median_sorted(d, total), 0);
		}
	}
}

static void large_samples_are_exact_too(void **state UNUSED)
{
	enum { N = 200000 };
	AUTO_FREE double *a = xmalloc(N * sizeof(*a));
	AUTO_FREE double *b = xmalloc(N * sizeof(*b));
	struct comparison c;

	/* Evenly spaced: every order statistic of the differences is known. */
	for (size_t i = 0; i < N; i++) {
		a[i] = exp((double)i / N);
		b[i] = exp((double)i / N + 0.03);
	}
	compare_samples(a, N, b, N, 0.05, &c);
	assert_double(c.shift, expm1(0.03), 1e-9);
	assert_true(c.low > expm1(0.0279) && c.high < expm1(0.0321) && c.low < c.shift &&
		    c.shift < c.high);
	assert_true(c.p < 1e-20);
}

static void shift_and_scale_behave(void **state UNUSED)
{
	double a[] = { 12, 14, 13, 15, 12.5, 13.5 }, b[] = { 13, 15.5, 14.2, 16, 13.1, 14.9 };
	double a10[6], b10[6], back[6];
	struct comparison c, ten, reversed, shuffled;

	for (int i = 0; i < 6; i++) {
		a10[i] = 10 * a[i];
		b10[i] = 10 * b[i];
		back[5 - i] = b[i];
	}
	compare_samples(a, 6, b, 6, 0.05, &c);
	compare_samples(a10, 6, b10, 6, 0.05, &ten);
	compare_samples(b, 6, a, 6, 0.05, &reversed);
	compare_samples(a, 6, back, 6, 0.05, &shuffled);
	assert_double(ten.shift, c.shift, 1e-12);
	assert_double(ten.low, c.low, 1e-12);
	assert_double(log1p(reversed.shift), -log1p(c.shift), 1e-12);
	assert_double(log1p(reversed.low), -log1p(c.high), 1e-12);
	assert_double(reversed.p, c.p, 1e-12);
	assert_double(shuffled.high, c.high, 0);
}

static void values_of_zero_and_less(void **state UNUSED)
{
	double a[] = { -1, 0, 1, 2, 3, 4 }, b[] = { 9, 10, 11, 12, 13, 14 },
	       zero[] = { 0, 0, 0, 0, 0 };
	struct comparison c;

	compare_samples(a, 6, b, 6, 0.05, &c);
	assert_true(c.warnings & COMPARE_RAW_SCALE);
	assert_double(c.shift, 10 / 1.5, 1e-12);
	compare_samples(zero, 5, b, 6, 0.05, &c);
	assert_true(c.warnings & COMPARE_NO_BASE);
	assert_true(isnan(c.shift) && isnan(c.low));
	assert_true(c.p < 0.05);
	compare_samples(zero, 5, zero, 5, 0.05, &c);
	assert_true(c.warnings & COMPARE_ALL_EQUAL);
	assert_double(c.p, 1, 0);
}

static void the_ends_of_the_double_range_stay_finite(void **state UNUSED)
{
	double a[] = { 1e308, -1e308, 1e-308, 3, 5 }, b[] = { 1.7e308, 1e307, -1.7e308, 2, 1 };
	double tiny[] = { 5e-324, 1e-323, 2e-323, 5e-324, 1e-322 },
	       huge[] = { 1e308, 1e307, 1.5e308, 1e306, 1e305 };
	struct comparison c;

	compare_samples(a, 5, b, 5, 0.05, &c);
	assert_true(isfinite(c.low) && isfinite(c.high) && c.low <= c.shift && c.shift <= c.high);
	compare_samples(huge, 5, tiny, 5, 0.05, &c);
	assert_true(c.shift >= -1 && c.high < 0);
}

static void single_values_have_no_interval(void **state UNUSED)
{
	double a[] = { 16.394 }, b[] = { 15.465 };
	struct comparison c;

	compare_samples(a, 1, b, 1, 0.05, &c);
	assert_double(c.shift, 15.465 / 16.394 - 1, 1e-14);
	assert_true(isnan(c.low) && isnan(c.high) && isnan(c.achieved) && isnan(c.sd));
	assert_true(c.warnings & COMPARE_FEW);
	assert_double(c.p, 1, 0);
}

static void welch_by_scipy(void **state UNUSED)
{
	/*
	 * scipy 1.10.1: ttest_ind(log(b), log(a), equal_var=False) of these, and the interval
	 * from t.ppf(.975, df) with Satterthwaite's df.
	 */
	double a[] = { 10, 11, 12.5 }, b[] = { 12, 13, 14, 16 };
	struct comparison c;

	compare_welch(a, 3, b, 4, 0.05, &c);
	assert_double(c.p, 0.07138406665738664, 1e-12);
	assert_double(log1p(c.low), -0.026835401160599598, 1e-12);
	assert_double(log1p(c.high), 0.44011375731244007, 1e-12);
}

static void symptoms_are_seen(void **state UNUSED)
{
	enum { N = 30 };
	double calm[N], two[N], drift[N], wide[N], out[N], equal[N];
	struct comparison c;
	uint64_t seed = 3;

	for (int i = 0; i < N; i++) {
		double z = next_uniform(&seed) + next_uniform(&seed) + next_uniform(&seed) - 1.5;

		calm[i] = 100 + z;
		two[i] = 100 + (i % 3 ? 10 : 0) + z;
		drift[i] = 100 + 0.2 * i + z;
		wide[i] = 100 + 8 * z;
		out[i] = calm[i] + (i == 11 ? 40 : 0);
		equal[i] = 100;
	}
	static const unsigned all = COMPARE_BIMODAL | COMPARE_OUTLIERS | COMPARE_DRIFT |
				    COMPARE_SPREAD | COMPARE_TIES | COMPARE_ALL_EQUAL;
	const struct {
		const double *b;
		unsigned want;
	} rows[] = {
		{ two, COMPARE_BIMODAL },
		{ drift, COMPARE_DRIFT | COMPARE_SPREAD },
		{ wide, COMPARE_SPREAD },
		{ out, COMPARE_OUTLIERS },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		compare_samples(calm, N, rows[i].b, N, 0.05, &c);
		assert_int_equal(c.warnings & all, rows[i].want);
	}
	compare_samples(calm, N, calm, N, 0.05, &c);
	assert_int_equal(c.warnings, 0);
	compare_samples(equal, N, equal, N, 0.05, &c);
	assert_int_equal(c.warnings & all, COMPARE_TIES | COMPARE_ALL_EQUAL);
	assert_double(c.low, 0, 0);
	assert_double(c.high, 0, 0);
}

static void warnings_have_names(void **state UNUSED)
{
	for (unsigned bit = 1; bit <= COMPARE_NO_BASE; bit <<= 1) {
		assert_string_not_equal(compare_warning_name((enum compare_warning)bit), "?");
		assert_string_not_equal(compare_warning_text((enum compare_warning)bit), "?");
	}
}

/* A time that reached 0 is on the raw scale; it cannot have fallen by more than all of it. Values that can be negative can. */
static void nothing_falls_below_nothing(void **state UNUSED)
{
	const double before[] = { 115, 116, 115, 167, 120, 118 };
	const double after[] = { 0, 2, 2, 2, 3, 2 }, below[] = { -80, -70, -60, -90, -75, -85 };
	struct comparison c;

	compare_samples(before, 6, after, 6, 0.05, &c);
	assert_true(c.warnings & COMPARE_RAW_SCALE);
	assert_double(c.low, -1, 0);
	assert_true(c.shift >= -1 && c.high < -0.9);
	compare_welch(before, 6, after, 6, 0.05, &c);
	assert_true(c.low >= -1);
	compare_samples(before, 6, below, 6, 0.05, &c);
	assert_true(c.low < -1 && c.shift < -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(null_by_enumeration),
		cmocka_unit_test(nothing_falls_below_nothing),
		cmocka_unit_test(coverage_by_enumeration),
		cmocka_unit_test(interval_by_brute_force),
		cmocka_unit_test(null_by_rmathlib),
		cmocka_unit_test(approximation_joins_the_exact_part),
		cmocka_unit_test(selection_by_brute_force),
		cmocka_unit_test(large_samples_are_exact_too),
		cmocka_unit_test(shift_and_scale_behave),
		cmocka_unit_test(values_of_zero_and_less),
		cmocka_unit_test(the_ends_of_the_double_range_stay_finite),
		cmocka_unit_test(single_values_have_no_interval),
		cmocka_unit_test(welch_by_scipy),
		cmocka_unit_test(symptoms_are_seen),
		cmocka_unit_test(warnings_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
