/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loops in vector registers against libm.
 */
#include "unit.h"

#include "brain/posterior_fast.h"
#include "target/sim.h"

enum { NODES = 48, ROUNDS = 2000 };

struct draw {
	uint64_t key, n;
};

static double next(struct draw *d)
{
	return sim_uniform(d->key, 0, d->n++, 0);
}

static void mixtures_are_those_of_libm(void **state)
{
	struct draw r = { 0 };

	(void)state;
	for (int k = 0; k < ROUNDS; k++) {
		double m[FAST_BELLS], g[FAST_BELLS], c[FAST_BELLS];
		double scale = pow(10, -9 + 10 * next(&r)), x0 = scale * (next(&r) - 2);
		double h = scale * (0.01 + next(&r)), floor = pow(10, -8 * next(&r));
		unsigned bells = 1 + (unsigned)(next(&r) * FAST_BELLS);
		float ret[NODES];

		for (unsigned b = 0; b < bells; b++) {
			m[b] = scale * 10 * (next(&r) - 0.5);
			g[b] = (0.1 + 3 * next(&r)) / scale;
			c[b] = b ? next(&r) : 1;
		}
		fast_log_mixture(ret, NODES, x0, h, bells, m, g, c, floor);
		for (int i = 0; i < NODES; i++) {
			double sum = floor;

			for (unsigned b = 0; b < bells; b++) {
				double z = g[b] * (x0 + i * h - m[b]);

				sum += c[b] * exp(-z * z);
			}
			assert_double(ret[i], log(sum), 2e-5);
		}
	}
}

/* Far from every bell and with no floor to speak of: a large negative number, never an infinity. */
static void nothing_is_not_infinite(void **state)
{
	double m = 0, g = 1e9, c = 1;
	float ret[FAST_BLOCK];

	(void)state;
	fast_log_mixture(ret, FAST_BLOCK, 1, 1, 1, &m, &g, &c, 1e-260);
	for (int i = 0; i < FAST_BLOCK; i++)
		assert_true(ret[i] < -60 && ret[i] > -100);
}

static void moments_are_those_of_the_sum(void **state)
{
	struct draw r = { 0 };

	(void)state;
	r.key = 2;
	for (int k = 0; k < ROUNDS; k++) {
		double l[NODES], at = next(&r) * NODES, w = 0.3 + 3 * next(&r);
		double base = -3000 * next(&r), x0 = next(&r), h = next(&r) + 0.01;
		double s0 = 0, s1 = 0, s2 = 0;
		struct fast_sums sums;
		struct fast_moments mo;

		for (int i = 0; i < NODES; i++) {
			l[i] = base - w * (i - at) * (i - at) - next(&r);
			double e = exp(l[i] - base), x = x0 + i * h;

			s0 += e * h;
			s1 += e * h * x;
			s2 += e * h * (x - x0) * (x - x0);
		}
		double mean = s1 / s0, var = s2 / s0 - (mean - x0) * (mean - x0);

		fast_sums(l, NODES, &sums);
		fast_moments(&sums, 1, NODES, x0, h, &mo);
		assert_double(mo.log_sum, log(s0) + base, 1e-5);
		assert_double(mo.mean, mean, 1e-4 * h);
		assert_double(mo.var, fmax(var, 1e-6 * h * h), 2e-4 * h * h);
	}
}

static void adding_and_taking_away_leaves_nothing(void **state)
{
	double acc[NODES] = { 0 };
	float add[NODES];
	struct draw r = { 0 };

	(void)state;
	r.key = 3;
	for (int i = 0; i < NODES; i++)
		add[i] = (float)(-20 * next(&r));
	for (int k = 0; k < ROUNDS; k++) {
		fast_add(acc, add, NODES, 1);
		fast_add(acc, add, NODES, -1);
	}
	for (int i = 0; i < NODES; i++)
		assert_double(acc[i], 0, 1e-9);
}

static double entropy(double q)
{
	return q > 0 && q < 1 ? -q * log(q) - (1 - q) * log1p(-q) : 0;
}

static void information_is_that_of_libm(void **state)
{
	struct draw r = { 0 };

	(void)state;
	r.key = 4;
	for (int k = 0; k < ROUNDS; k++) {
		double q[2 * FAST_LANES], x[2 * FAST_LANES], ret[2 * FAST_LANES];
		double e = pow(10, -9 * next(&r)) * 0.3;

		for (int i = 0; i < 2 * FAST_LANES; i++) {
			q[i] = i ? next(&r) : 0;
			x[i] = i > 1 ? 60 * next(&r) * next(&r) : 0;
		}
		fast_information(2 * FAST_LANES, q, x, e, entropy(e), ret);
		for (int i = 0; i < 2 * FAST_LANES; i++) {
			double h = entropy(q[i] * (1 - e) + (1 - q[i]) * e) - entropy(e);
			double want =
				h > 1e-12 ? h * -expm1(-q[i] * (1 - q[i]) * x[i] / (2 * h)) : 0;

			assert_double(ret[i], want, 1e-9);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mixtures_are_those_of_libm),
		cmocka_unit_test(nothing_is_not_infinite),
		cmocka_unit_test(moments_are_those_of_the_sum),
		cmocka_unit_test(adding_and_taking_away_leaves_nothing),
		cmocka_unit_test(information_is_that_of_libm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
