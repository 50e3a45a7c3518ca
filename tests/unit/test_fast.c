/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loops in vector registers against libm.
 */
#include "unit.h"

#include "base/str.h"
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

#if defined(__x86_64__)
/* The same loops compiled for one width each (meson.build). */
#define WIDTH(w)                                                                                   \
	void fast_log_mixture_##w(float *ret, size_t n, double x0, double h, unsigned bells,       \
				  const double *m, const double *g, const double *c,               \
				  double floor);                                                   \
	void fast_add_##w(double *acc, const float *add, size_t n, double sign);                   \
	void fast_sums_##w(const double *l, size_t n, struct fast_sums *ret);                      \
	void fast_moments_##w(const struct fast_sums *sums, size_t n_sums, size_t n, double x0,    \
			      double h, struct fast_moments *ret);                                 \
	void fast_information_##w(size_t n, const double *q, const double *x, double e,            \
				  double entropy_e, double *ret);                                  \
	static const struct width width_##w = { fast_log_mixture_##w, fast_add_##w, fast_sums_##w, \
						fast_moments_##w, fast_information_##w }

struct width {
	void (*log_mixture)(float *, size_t, double, double, unsigned, const double *,
			    const double *, const double *, double);
	void (*add)(double *, const float *, size_t, double);
	void (*sums)(const double *, size_t, struct fast_sums *);
	void (*moments)(const struct fast_sums *, size_t, size_t, double, double,
			struct fast_moments *);
	void (*information)(size_t, const double *, const double *, double, double, double *);
};
WIDTH(sse2);
WIDTH(avx2);
WIDTH(avx512f);
static const struct width width_any = { fast_log_mixture, fast_add, fast_sums, fast_moments,
					fast_information };

/* Everything that the loops give for drawn input, one after another. */
static void run_all(const struct width *w, uint64_t key, struct str *out)
{
	struct draw r = { .key = key };
	double m[FAST_BELLS], g[FAST_BELLS], c[FAST_BELLS], acc[NODES], q[2 * FAST_LANES],
		x[2 * FAST_LANES], information[2 * FAST_LANES];
	float table[NODES];
	struct fast_sums sums;
	struct fast_moments mo;

	for (int b = 0; b < FAST_BELLS; b++) {
		m[b] = 10 * next(&r);
		g[b] = 0.1 + 3 * next(&r);
		c[b] = next(&r);
	}
	for (int i = 0; i < NODES; i++)
		acc[i] = -30 * next(&r);
	for (int i = 0; i < 2 * FAST_LANES; i++) {
		q[i] = next(&r);
		x[i] = 60 * next(&r);
	}
	w->log_mixture(table, NODES, next(&r), next(&r), FAST_BELLS, m, g, c, 1e-5 * next(&r));
	w->add(acc, table, NODES, 1);
	w->sums(acc, NODES, &sums);
	w->moments(&sums, 1, NODES, next(&r), next(&r), &mo);
	w->information(2 * FAST_LANES, q, x, 0.01 * next(&r), 0.05, information);
	str_add(out, (const char *)table, sizeof(table));
	str_add(out, (const char *)acc, sizeof(acc));
	str_addf(out, "%a %a %a", mo.log_sum, mo.mean, mo.var);
	str_add(out, (const char *)information, sizeof(information));
}

static void the_width_changes_not_a_bit(void **state)
{
	const struct width *widths[] = { &width_sse2,
					 __builtin_cpu_supports("avx2") ? &width_avx2 : NULL,
					 __builtin_cpu_supports("avx512f") ? &width_avx512f
									   : NULL };

	(void)state;
	for (uint64_t key = 0; key < 500; key++) {
		AUTO(str) struct str any = STR_INIT;

		run_all(&width_any, key, &any);
		for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
			AUTO(str) struct str other = STR_INIT;

			if (!widths[i])
				continue;
			run_all(widths[i], key, &other);
			assert_int_equal(any.n, other.n);
			assert_memory_equal(any.p, other.p, any.n);
		}
	}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mixtures_are_those_of_libm),
		cmocka_unit_test(nothing_is_not_infinite),
		cmocka_unit_test(moments_are_those_of_the_sum),
		cmocka_unit_test(adding_and_taking_away_leaves_nothing),
		cmocka_unit_test(information_is_that_of_libm),
#if defined(__x86_64__)
		cmocka_unit_test(the_width_changes_not_a_bit),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
