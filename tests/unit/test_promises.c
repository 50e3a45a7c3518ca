/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promised rates of the A/B method, by simulation at fixed seeds against binomial bounds at 1e-4: they never fail by chance,
 * and each has its counter-proof, a method known to be wrong that the same bound must refuse. The full tables are
 * docs/design/013-verdicts.md (build/sim_verdicts).
 */
#include "unit.h"

#include "brain/judge.h"
#include "stats/dist.h"
#include "target/sim.h"

enum { MOST = 60 };
static const enum sim_noise noises[] = {
	SIM_GAUSS, SIM_SKEW, SIM_OUT, SIM_BIMOD, SIM_T3, SIM_OUT15
};

static void draw(double *a, double *b, size_t n, enum sim_noise noise, uint64_t key, double shift)
{
	for (size_t i = 0; i < n; i++) {
		a[i] = 100 * exp(0.01 * sim_noise_draw(noise, key, 0, i));
		b[i] = 100 * exp(shift + 0.01 * sim_noise_draw(noise, key, 1, i));
	}
}

/* Is `wrong` of `n` more than chance allows at this rate? */
static bool too_many(unsigned wrong, unsigned n, double rate)
{
	return dist_binomial_upper(wrong - 1.0, n, rate) < 1e-4;
}

static void intervals_cover(void **state UNUSED)
{
	static const size_t sizes[] = { 4, 5, 10, 30 };
	enum { REPS = 500 };

	for (size_t k = 0; k < ARRAY_LEN(noises); k++) {
		for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
			unsigned missed = 0;

			for (uint64_t r = 0; r < REPS; r++) {
				double a[MOST], b[MOST];
				struct comparison c;

				draw(a, b, sizes[s], noises[k], sim_key(11, r), 0.013);
				compare_samples(a, sizes[s], b, sizes[s], 0.05, &c);
				missed += c.low > expm1(0.013) || c.high < expm1(0.013);
			}
			if (too_many(missed, REPS, .05))
				fail_msg("%s n %zu: %u of %d missed", sim_noise_name(noises[k]),
					 sizes[s], missed, REPS);
		}
	}
}

/* The first final verdict of a plan. */
static enum verdict stop_early(const double *a, const double *b, const struct judge_plan *plan)
{
	struct judge_params p = { .margin = 0.01, .better = BETTER_LOWER };
	struct judgement j = { 0 };

	for (unsigned look = 0; look < plan->looks && !j.final; look++)
		judge_runs(a, plan->n[look], b, plan->n[look], &p, plan, look, &j);
	return j.verdict;
}

static void early_stopping_keeps_alpha(void **state UNUSED)
{
	enum { REPS = 500 };
	struct judge_plan plan, peeking;
	unsigned naive = 0;

	judge_plan_make(0.05, 0, 1, &plan);
	peeking = plan;
	for (unsigned i = 0; i < peeking.looks; i++)
		peeking.alone[i] = 0.05;
	for (size_t k = 0; k < ARRAY_LEN(noises); k++) {
		unsigned wrong = 0;

		for (uint64_t r = 0; r < REPS; r++) {
			double a[MOST], b[MOST];
			enum verdict v;

			draw(a, b, 56, noises[k], sim_key(12, r), 0);
			v = stop_early(a, b, &plan);
			wrong += v == VERDICT_SLOWER || v == VERDICT_FASTER;
			v = stop_early(a, b, &peeking);
			naive +=
				noises[k] == SIM_T3 && (v == VERDICT_SLOWER || v == VERDICT_FASTER);
		}
		if (too_many(wrong, REPS, .04))
			fail_msg("%s: %u of %d false", sim_noise_name(noises[k]), wrong, REPS);
	}
	/* Looking eight times at a 95 % interval is what the bound must catch. */
	assert_true(too_many(naive, REPS, .04));
}

static void families_keep_alpha_over_all_looks(void **state UNUSED)
{
	enum { REPS = 250, METRICS = 8, REAL = 2 };
	struct judge_params p = { .margin = 0.01, .better = BETTER_LOWER };
	struct judge_plan plan;
	unsigned wrong = 0, uncorrected = 0, found = 0;

	judge_plan_make(0.05, 28, METRICS, &plan);
	for (uint64_t r = 0; r < REPS; r++) {
		static double a[METRICS][MOST], b[METRICS][MOST];
		struct judgement j[METRICS] = { 0 };
		bool any = false, any_alone = false;

		for (unsigned m = 0; m < METRICS; m++)
			draw(a[m], b[m], 28, SIM_GAUSS, sim_key(13, r * METRICS + m),
			     m < REAL ? 0.02 : 0);
		for (unsigned look = 0; look < plan.looks; look++) {
			for (unsigned m = 0; m < METRICS; m++) {
				if (look && j[m].final)
					continue;
				judge_runs(a[m], plan.n[look], b[m], plan.n[look], &p, &plan, look,
					   &j[m]);
				any_alone =
					any_alone || (m >= REAL && j[m].verdict <= VERDICT_FASTER);
			}
			judge_family(j, METRICS, &plan, look);
		}
		for (unsigned m = 0; m < METRICS; m++) {
			bool different =
				j[m].verdict == VERDICT_SLOWER || j[m].verdict == VERDICT_FASTER;

			any = any || (m >= REAL && different);
			found += m < REAL && different;
		}
		wrong += any;
		uncorrected += any_alone;
	}
	assert_false(too_many(wrong, REPS, .05));
	assert_true(too_many(uncorrected, REPS, .05));
	assert_true(found > 0.97 * REPS * REAL);
}

static void recovery_covers(void **state UNUSED)
{
	enum { REPS = 500, N = 12 };
	const double loss = expm1(0.05), share = 0.7;

	for (size_t k = 0; k < ARRAY_LEN(noises); k++) {
		unsigned missed = 0, shown = 0;

		for (uint64_t r = 0; r < REPS; r++) {
			double good[N], bad[N], fixed[N], spare[N];
			struct recovery x;

			draw(good, bad, N, noises[k], sim_key(14, 2 * r), log1p(loss));
			draw(spare, fixed, N, noises[k], sim_key(14, 2 * r + 1),
			     log1p(loss * (1 - share)));
			judge_recovery(good, N, bad, N, fixed, N, 0.05, &x);
			shown += !isnan(x.share);
			missed += x.low > share || x.high < share;
		}
		assert_true(shown > REPS * 0.9);
		if (too_many(missed, shown, .05))
			fail_msg("%s: %u of %u missed", sim_noise_name(noises[k]), missed, shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_cover),
		cmocka_unit_test(early_stopping_keeps_alpha),
		cmocka_unit_test(families_keep_alpha_over_all_looks),
		cmocka_unit_test(recovery_covers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
