/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "stats/changepoint.h"
#include "stats/dist.h"
#include "stats/fpop.h"
#include "target/sim.h"

/* --- the optimum ------------------------------------------------------------------------------------------------------- */

/* Least bounded cost of one segment: between two neighbouring knees the best level is a mean. */
static double segment_cost(const double *x, size_t n, double bound)
{
	double best = HUGE_VAL, level = 0;

	for (size_t k = 0; k < 2 * n; k++) {
		/* Just right of every knee: the mean of the values that are near there. */
		double probe = x[k / 2] + (k % 2 ? bound : -bound) + 1e-9, sum = 0, near = 0,
		       cost = 0;

		for (size_t i = 0; i < n; i++)
			if (fabs(x[i] - probe) < bound) {
				sum += x[i];
				near++;
			}
		level = near > 0 ? sum / near : probe;
		for (size_t i = 0; i < n; i++)
			cost += fmin((x[i] - level) * (x[i] - level), bound * bound);
		best = fmin(best, cost);
	}
	return best;
}

static double total_cost(const double *x, size_t n, const size_t *start, size_t k, double bound,
			 double penalty)
{
	double sum = -penalty;

	for (size_t i = 0; i < k; i++)
		sum += penalty +
		       segment_cost(x + start[i], (i + 1 < k ? start[i + 1] : n) - start[i], bound);
	return sum;
}

static void segmentation_is_the_optimum(void **state UNUSED)
{
	for (uint64_t r = 0; r < 300; r++) {
		uint64_t key = sim_key(5, r);
		size_t n = 1 + (size_t)(r % 22), start[24], k;
		double x[24], best[24], level = 0, penalty = 3 + 9 * sim_uniform(key, 100, 0, 0);
		double bound = r % 3 ? 3 : HUGE_VAL;

		for (size_t i = 0; i < n; i++) {
			if (sim_uniform(key, 101, i, 0) < .15)
				level = 8 * sim_uniform(key, 102, i, 0);
			x[i] = level + sim_normal(key, 103, i, 0);
			if (sim_uniform(key, 104, i, 0) < .1)
				x[i] += 10 * sim_normal(key, 105, i, 0);
		}
		double finite = isfinite(bound) ? bound : 1e6;

		best[0] = -penalty;
		for (size_t e = 1; e <= n; e++) {
			best[e] = HUGE_VAL;
			for (size_t b = 0; b < e; b++)
				best[e] = fmin(best[e], best[b] + penalty +
								segment_cost(x + b, e - b, finite));
		}
		k = fpop_segments(x, n, bound, penalty, start);
		assert_int_equal(start[0], 0);
		assert_double(total_cost(x, n, start, k, finite, penalty), best[n], 1e-8);
	}
}

static void a_million_points_stay_one_segment(void **state UNUSED)
{
	enum { N = 1000000 };
	AUTO_FREE double *x = xmalloc(N * sizeof(*x));
	AUTO_FREE size_t *start = xmalloc(N * sizeof(*start));
	uint64_t key = sim_key(6, 0);

	for (size_t i = 0; i < N; i++)
		x[i] = 2 * sqrt(3) * (sim_uniform(key, 100, i, 0) - .5);
	assert_int_equal(fpop_segments(x, N, 3, changepoint_penalty(N, .05), start), 1);
	for (size_t i = N - 40; i < N; i++)
		x[i] += 3;
	assert_int_equal(fpop_segments(x, N, 3, changepoint_penalty(N, .05), start), 2);
	assert_in_range(start[1], N - 42, N - 38);
}

/* --- series ------------------------------------------------------------------------------------------------------------ */

static void quiet(double *v, size_t n, double at, uint64_t seed)
{
	uint64_t key = sim_key(seed, 0);

	for (size_t i = 0; i < n; i++)
		v[i] = at * exp(0.01 * sim_normal(key, 100, i, 0));
}

static void find(const double *v, size_t n, struct changepoints *ret)
{
	struct changepoint_params p;

	changepoint_params_default(&p);
	changepoints_find(v, n, &p, ret);
}

static void steps_are_found_with_their_size(void **state UNUSED)
{
	double v[60];
	struct changepoints c;

	quiet(v, 60, 100, 1);
	for (int i = 20; i < 60; i++)
		v[i] *= i < 45 ? 1.06 : 1.0;
	find(v, 60, &c);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.v[0].at, 20);
	assert_int_equal(c.v[1].at, 45);
	assert_int_equal(c.v[0].from, 0);
	assert_int_equal(c.v[0].to, 45);
	assert_true(c.v[0].first <= 20 && c.v[0].last >= 20 && c.v[0].last - c.v[0].first < 4);
	assert_true(c.v[0].low < 0.06 && c.v[0].high > 0.06 && c.v[0].low > 0.04);
	assert_true(c.v[1].high < 0);
	assert_true(c.v[0].p < 1e-6);
	assert_double(c.sd, 0.01, 0.004);
	assert_int_equal(c.pending, 0);
	changepoints_done(&c);
}

static void spikes_are_no_changes(void **state UNUSED)
{
	double v[40];
	struct changepoints c;

	for (size_t width = 1; width <= 2; width++) {
		quiet(v, 40, 100, 2);
		for (size_t i = 0; i < width; i++)
			v[17 + i] *= 1.5;
		v[31] *= 0.3;
		find(v, 40, &c);
		assert_int_equal(c.n, 0);
		assert_int_equal(c.pending, 0);
		changepoints_done(&c);
	}
	/* Five in a row are a change and its end. */
	quiet(v, 40, 100, 2);
	for (int i = 17; i < 22; i++)
		v[i] *= 1.5;
	find(v, 40, &c);
	assert_int_equal(c.n, 2);
	changepoints_done(&c);
}

static void the_last_point_is_too_early_to_say(void **state UNUSED)
{
	double v[30];
	struct changepoints c;

	quiet(v, 30, 100, 3);
	v[29] *= 1.2;
	find(v, 30, &c);
	assert_int_equal(c.n, 0);
	assert_int_equal(c.pending, 1);
	assert_double(c.pending_shift, 0.2, 0.02);
	changepoints_done(&c);
	/* With three more like it, it is a change. */
	for (int i = 26; i < 29; i++)
		v[i] *= 1.2;
	find(v, 30, &c);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.v[0].at, 26);
	assert_int_equal(c.pending, 0);
	changepoints_done(&c);
}

static void series_without_noise(void **state UNUSED)
{
	double v[20], equal[20], zero[20] = { 0 };
	struct changepoints c;

	for (int i = 0; i < 20; i++) {
		equal[i] = 7;
		v[i] = i < 12 ? 1000000 : 1000400;
	}
	find(v, 20, &c);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.v[0].at, 12);
	assert_int_equal(c.v[0].first, 12);
	assert_int_equal(c.v[0].last, 12);
	assert_double(c.v[0].shift, 4e-4, 1e-9);
	changepoints_done(&c);
	find(equal, 20, &c);
	assert_int_equal(c.n, 0);
	changepoints_done(&c);
	find(zero, 20, &c);
	assert_int_equal(c.n, 0);
	changepoints_done(&c);
	/* Told that the values are no better than 1 %, the step is no change. */
	struct changepoint_params p;

	changepoint_params_default(&p);
	p.floor = 0.01;
	changepoints_find(v, 20, &p, &c);
	assert_int_equal(c.n, 0);
	changepoints_done(&c);
}

static void short_series_say_nothing(void **state UNUSED)
{
	double v[] = { 1, 1, 1, 9, 9 };
	struct changepoints c;

	for (size_t n = 0; n <= 5; n++) {
		find(v, n, &c);
		assert_int_equal(c.n, 0);
		assert_true(isnan(c.sd));
		changepoints_done(&c);
	}
}

static void negative_values_have_a_scale_too(void **state UNUSED)
{
	double v[30];
	struct changepoints c;

	quiet(v, 30, 1, 4);
	for (int i = 0; i < 30; i++)
		v[i] = (v[i] - 1) * 100 + (i < 15 ? -5 : 5);
	find(v, 30, &c);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.v[0].at, 15);
	changepoints_done(&c);
}

static void drift_is_seen_in_what_is_left(void **state UNUSED)
{
	double v[200], g = 0;
	struct changepoints c;

	quiet(v, 200, 100, 7);
	find(v, 200, &c);
	assert_false(c.memory);
	changepoints_done(&c);
	for (uint64_t i = 0; i < 200; i++) {
		g = sim_ar_step(g, .8, sim_normal(sim_key(8, 0), 100, i, 0), i);
		v[i] *= exp(0.01 * g);
	}
	find(v, 200, &c);
	assert_true(c.memory);
	changepoints_done(&c);
}

/* Is `wrong` of `n` more than chance allows at this rate, once in 10,000? */
static bool too_many(unsigned wrong, unsigned n, double rate)
{
	return dist_binomial_upper(wrong - 1.0, n, rate) < 1e-4;
}

/* Of series without a change, those that yield one at this alpha; x in units of their noise goes through a careless penalty too. */
static unsigned count_false(enum sim_noise noise, size_t n, double alpha, unsigned reps,
			    unsigned *careless)
{
	AUTO_FREE double *v = xmalloc(n * sizeof(*v));
	AUTO_FREE size_t *start = xmalloc((n + 1) * sizeof(*start));
	unsigned wrong = 0;

	for (uint64_t r = 0; r < reps; r++) {
		struct changepoint_params p;
		struct changepoints c;

		for (size_t i = 0; i < n; i++)
			v[i] = 100 * exp(0.01 * sim_noise_draw(noise, sim_key(9, r), n, i));
		changepoint_params_default(&p);
		p.alpha = alpha;
		changepoints_find(v, n, &p, &c);
		wrong += c.n > 0;
		for (size_t i = 0; i < n; i++)
			v[i] = log(v[i]) / c.sd;
		*careless += fpop_segments(v, n, 3, 4, start) > 1;
		changepoints_done(&c);
	}
	return wrong;
}

/* The promised rate, against the binomial bound at 1e-4: never red by chance, red if the penalty breaks. */
static void false_alarms_keep_their_rate(void **state UNUSED)
{
	static const enum sim_noise noises[] = { SIM_GAUSS, SIM_SKEW, SIM_OUT, SIM_BIMOD, SIM_T3 };
	static const struct {
		size_t n;
		double alpha;
	} rows[] = { { 8, .05 }, { 20, .05 }, { 60, .05 }, { 300, .05 }, { 60, .01 }, { 60, .2 } };
	enum { REPS = 400 };

	for (size_t k = 0; k < ARRAY_LEN(noises); k++) {
		for (size_t q = 0; q < ARRAY_LEN(rows); q++) {
			unsigned careless = 0, wrong = count_false(noises[k], rows[q].n,
								   rows[q].alpha, REPS, &careless);

			if (too_many(wrong, REPS, rows[q].alpha))
				fail_msg("%s n %zu alpha %g: %u of %d", sim_noise_name(noises[k]),
					 rows[q].n, rows[q].alpha, wrong, REPS);
			/* The same bound sees a penalty that is too small. */
			if (rows[q].n >= 60 && !too_many(careless, REPS, rows[q].alpha))
				fail_msg("%s n %zu: a penalty of 4 passes with %u",
					 sim_noise_name(noises[k]), rows[q].n, careless);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segmentation_is_the_optimum),
		cmocka_unit_test(a_million_points_stay_one_segment),
		cmocka_unit_test(steps_are_found_with_their_size),
		cmocka_unit_test(spikes_are_no_changes),
		cmocka_unit_test(the_last_point_is_too_early_to_say),
		cmocka_unit_test(series_without_noise),
		cmocka_unit_test(short_series_say_nothing),
		cmocka_unit_test(negative_values_have_a_scale_too),
		cmocka_unit_test(drift_is_seen_in_what_is_left),
		cmocka_unit_test(false_alarms_keep_their_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
