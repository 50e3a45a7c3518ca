/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The posterior against brute force: every candidate on its own, sides by walking the graph, both levels by a dense double sum;
 * a unit's likelihood against the sum over all ways in which its values may be wild.
 */
#include "unit.h"

#include "brain/choose.h"
#include "brain/posterior.h"

static double bell(double x, double m, double v)
{
	return exp(-(x - m) * (x - m) / (2 * v)) / sqrt(2 * M_PI * v);
}

static void add_value(struct data *d, struct classes *c, uint32_t node, double value)
{
	uint32_t u = data_unit(d, node);

	if (!d->units.v[u].nodes.n)
		ARRAY_PUSH(&d->units.v[u].nodes, node);
	struct obs_boot boot = { .id = (int64_t)d->boots.n, .ok = true };
	struct obs_value v = { .raw = value, .boot = (uint32_t)d->boots.n, .unit = u };

	ARRAY_PUSH(&d->boots, boot);
	ARRAY_PUSH(&d->values, v);
	if (c)
		classes_test(c, node);
}

/* The likelihood of values y[0..n) of one unit at level x: offset by a dense sum, each value sound or wild. */
static double brute_unit(const double *y, unsigned n, double x, double s, double tau, double eps,
			 double wild)
{
	double sum = 0, all = 0;

	for (double z = -6; z <= 6; z += 0.02) {
		double p = bell(z, 0, 1), f = 1;

		for (unsigned i = 0; i < n; i++)
			f *= (1 - eps) * bell(y[i], x + z * tau, s * s) + eps * wild;
		sum += p * f;
		all += p;
	}
	return sum / all;
}

static void a_unit_is_sound_or_wild_value_by_value(void **state UNUSED)
{
	static const struct {
		unsigned n;
		double y[5];
	} rows[] = {
		{ 1, { 0.3 } },		 { 2, { 0, 1 } },	 { 2, { 0, 9 } },
		{ 3, { -0.5, 0.4, 8 } }, { 3, { 0, 0.2, 0.3 } }, { 5, { -0.7, 0.1, 0.5, 1.1, 12 } },
	};

	for (size_t r = 0; r < ARRAY_LEN(rows); r++)
		for (double tau = 0; tau <= 1; tau += 0.5) {
			struct data d = { 0 };
			struct mixture m;

			for (unsigned i = 0; i < rows[r].n; i++)
				add_value(&d, NULL, 0, exp(rows[r].y[i]));
			data_summarise(&d, 0, false);
			d.noise.eps = 0.03;
			mixture_make(&m, &d, 0, 1, 0, 0.05);
			for (double x = -2; x <= 10; x += 0.5) {
				double want =
					brute_unit(rows[r].y, rows[r].n, x, 1, tau, 0.03, 0.05);
				double got = m.floor;

				for (unsigned k = 0; k < m.n; k++)
					got += m.w[k] * bell(x, m.m[k], m.a[k] + tau * tau);
				got *= exp(m.log_scale);
				/* From three values on bells are a little wider (k_n = 1.08); the floor only adds. */
				double floor = m.floor * exp(m.log_scale);

				assert_true(got > 0.75 * want);
				assert_true(got < 1.25 * want + 1.2 * floor);
			}
			data_done(&d);
		}
}

struct brute {
	double p[64], none;
};

static void brute_posterior(const struct graph *g, const struct posterior_in *in, double s,
			    struct brute *ret)
{
	const struct data *d = in->data;
	double wild = 0, size = 0, sum = 0, w_tau[9], lo = 1e300, hi = -1e300, tausum = 0;
	static const double mult[] = { 0, .06, .12, .18, .26, .38, .55, .8, 1.2 };
	struct mixture m[32];
	struct posterior p = { 0 };

	assert_true(posterior_compute(&p, in));
	size = p.scale;
	wild = 1 / (3 * fmax(size, 3 * s));
	posterior_done(&p);
	for (uint32_t u = 0; u < d->units.n; u++) {
		mixture_make(&m[u], d, u, s, 0, wild);
		for (unsigned k = 0; k < m[u].n; k++) {
			lo = fmin(lo, m[u].m[k]);
			hi = fmax(hi, m[u].m[k]);
		}
	}
	lo -= size;
	hi += size;
	memset(ret, 0, sizeof(*ret));
	for (int t = 1; t < 9; t++) {
		double x = mult[t] * size / in->offset_scale;

		w_tau[t] = x / (1 + x * x);
		tausum += w_tau[t];
	}
	w_tau[0] = tausum; /* half of the weight */
	enum { GRID = 240 };
	double h = (hi - lo) / GRID, small = 0;

	for (int t = 0; t < 9; t++) {
		double tau2 = mult[t] * mult[t] * size * size;
		static double f[32][GRID];

		for (uint32_t u = 0; u < d->units.n; u++)
			for (int i = 0; i < GRID; i++) {
				f[u][i] = m[u].floor;
				for (unsigned k = 0; k < m[u].n; k++)
					f[u][i] += m[u].w[k] *
						   bell(lo + h * i, m[u].m[k], m[u].a[k] + tau2);
			}
		for (uint32_t c = 0; c < g->n; c++) {
			double good[GRID], bad[GRID];

			if (g->boundary[c])
				continue;
			for (int i = 0; i < GRID; i++) {
				good[i] = bad[i] = 1;
				for (uint32_t u = 0; u < d->units.n; u++)
					*(graph_reaches(g, c, d->units.v[u].nodes.v[0])
						  ? &bad[i]
						  : &good[i]) *= f[u][i];
			}
			for (int i = 0; i < GRID; i++)
				for (int j = 0; j < GRID; j++) {
					double shift = fabs(h * (j - i));
					double e = w_tau[t] * good[i] * bad[j] * h * h /
						   (2 * fmax(shift, in->margin) *
						    (1 + log(1 / in->margin)));

					*(shift >= in->margin ? &ret->p[c] : &small) += e;
				}
		}
		for (int i = 0; i < GRID; i++) {
			double one = w_tau[t] * h;

			for (uint32_t u = 0; u < d->units.n; u++)
				one *= f[u][i];
			ret->none += one;
		}
	}
	for (uint32_t c = 0; c < g->n; c++)
		sum += ret->p[c];
	ret->none = 0.1 * ret->none + 0.24 * small / graph_candidates(g);
	ret->none /= ret->none + 0.8 * sum / graph_candidates(g);
	for (uint32_t c = 0; c < g->n; c++)
		ret->p[c] /= sum;
}

static struct graph diamond(void)
{
	struct graph_builder b = { 0 };
	uint32_t good = graph_add(&b, NULL, 0, true), tip[2] = { good, good }, last;

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 2; k++)
			tip[k] = graph_add(&b, &tip[k], 1, false);
	last = graph_add(&b, tip, 2, false);
	last = graph_add(&b, &last, 1, false);
	return graph_finish(&b, good, last);
}

static void compare_with_brute_force(const struct graph *g, uint32_t culprit, uint32_t rounds)
{
	struct data d = { 0 };
	struct classes c;
	AUTO_FREE int8_t *mark = xcalloc(g->n, 1);
	struct posterior p = { 0 };
	struct brute b;
	uint32_t tested[] = { g->good, g->bad, g->n / 2, g->n / 3, g->n - 3, 2 };
	uint64_t x = 88172645463325252u + culprit;

	classes_init(&c, g);
	for (uint32_t r = 0; r < rounds; r++)
		for (size_t i = 0; i < 2 + r && i < ARRAY_LEN(tested); i++) {
			double noise = 0;

			for (int k = 0; k < 12; k++) {
				x ^= x << 13;
				x ^= x >> 7;
				x ^= x << 17;
				noise += (double)(x >> 11) / 9007199254740992.0;
			}
			add_value(&d, &c, tested[i],
				  100 * exp(0.03 * graph_reaches(g, culprit, tested[i]) +
					    0.01 * (noise - 6)));
		}
	data_summarise(&d, g->good, false);
	/* One run sd, as after many runs: the test is about levels, offsets and classes. */
	d.noise.s = 0.01;
	d.noise.nu = 1000;
	struct posterior_in in = {
		.classes = &c, .data = &d, .margin = 0.01, .offset_scale = 0.006, .mark = mark
	};

	assert_true(posterior_compute(&p, &in));
	brute_posterior(g, &in, 0.01, &b);
	for (uint32_t i = 0; i < g->n; i++) {
		if (g->boundary[i])
			continue;
		double got = p.p[c.of[i]] / c.size[c.of[i]];

		if (fabs(got - b.p[i]) > 0.02)
			fail_msg("commit %u: %g, brute force %g", i, got, b.p[i]);
	}
	assert_true(fabs(p.none - b.none) < 0.025);

	/* What a careful mind thinks of offsets depends on whether their scale was measured; what is likely does not. */
	struct posterior measured = { .n = 0 };

	in.offset_measured = true;
	assert_true(posterior_compute(&measured, &in));
	assert_double(measured.none, p.none, 1e-12);
	assert_true(measured.none_careful < p.none_careful);
	assert_true(measured.none_careful > p.none);
	posterior_done(&measured);
	posterior_done(&p);
	classes_done(&c);
	data_done(&d);
}

static void classes_equal_brute_force(void **state UNUSED)
{
	struct graph g[2] = { graph_line(9), diamond() };

	for (int k = 0; k < 2; k++) {
		for (uint32_t culprit = 1; culprit < g[k].n; culprit += 2)
			for (uint32_t rounds = 2; rounds <= 5; rounds++)
				compare_with_brute_force(&g[k], culprit, rounds);
		graph_done(&g[k]);
	}
}

static void classes_are_equal_signatures(void **state UNUSED)
{
	struct graph g = diamond();
	struct classes c;
	static const uint32_t tested[] = { 4, 3, 8, 6 };

	classes_init(&c, &g);
	for (size_t t = 0; t < ARRAY_LEN(tested); t++) {
		classes_test(&c, tested[t]);
		for (uint32_t a = 1; a < g.n; a++)
			for (uint32_t b = 1; b < g.n; b++) {
				bool same = true;

				for (size_t k = 0; k <= t; k++)
					same &= graph_reaches(&g, a, tested[k]) ==
						graph_reaches(&g, b, tested[k]);
				assert_int_equal(same, c.of[a] == c.of[b]);
			}
		for (uint32_t a = 1; a < g.n; a++)
			for (size_t k = 0; k <= t; k++)
				assert_int_equal(class_side(&c, c.of[a], tested[k]),
						 graph_reaches(&g, a, tested[k]));
	}
	classes_done(&c);
	graph_done(&g);
}

/* The sketch against the exact probability, by walking from every commit. */
static void the_sketch_is_near_the_truth(void **state UNUSED)
{
	struct graph_builder gb = { 0 };
	uint32_t good = graph_add(&gb, NULL, 0, true), tip[3] = { good, good, good };

	for (uint32_t i = 0; i < 300; i++) {
		uint32_t k = i * 7 % 3, two[2] = { tip[k], tip[(k + 1) % 3] };

		tip[k] = i % 9 == 4 && two[0] != two[1] ? graph_add(&gb, two, 2, false)
							: graph_add(&gb, &tip[k], 1, false);
	}
	uint32_t last = graph_add(&gb, tip, 3, false);
	struct graph g = graph_finish(&gb, good, last);
	struct classes c;
	struct sketch k = { 0 };

	classes_init(&c, &g);
	classes_test(&c, 150);
	classes_test(&c, 77);
	double p[8] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < c.n; i++)
		sum += p[i] = c.mass[i] * (1 + i);
	for (uint32_t i = 0; i < c.n; i++)
		p[i] /= sum;
	sketch_make(&k, &c, p);
	for (uint32_t t = 1; t < g.n; t++) {
		double q = 0;

		for (uint32_t a = 1; a < g.n; a++)
			if (graph_reaches(&g, a, t))
				q += p[c.of[a]] * c.prior[a] / c.mass[c.of[a]];
		assert_true(fabs(sketch_q(&k, t) - q) < 0.03);
		assert_true(fabs(sketch_q_given(&k, t, p) - q) < 0.03);
	}
	sketch_done(&k);
	classes_done(&c);
	graph_done(&g);
}

/* However the values of a unit fall, some bell holds them: two speeds of a machine leave none near their mean. */
static void a_unit_always_has_a_bell(void **state UNUSED)
{
	static const double rows[][6] = { { 0, 0, 1, 1 },
					  { 0, 0.01, 0.9, 1, 0, 1 },
					  { -3, -1, 1, 3 },
					  { 0, 1, 2, 3, 4, 5 },
					  { 0, 0, 0, 9, 9, 9 } };
	static const unsigned size[] = { 4, 6, 4, 6, 6 };

	for (size_t r = 0; r < ARRAY_LEN(rows); r++)
		for (double s = 1e-6; s < 2; s *= 3) {
			struct data d = { 0 };
			struct mixture m;

			for (unsigned i = 0; i < size[r]; i++)
				add_value(&d, NULL, 0, exp(rows[r][i]));
			data_summarise(&d, 0, false);
			mixture_make(&m, &d, 0, s, 0, 0.1);
			assert_true(m.n > 0 && m.floor > 0 && isfinite(m.log_scale));
			for (unsigned k = 0; k < m.n; k++)
				assert_true(m.w[k] > 0 && m.a[k] > 0);
			data_done(&d);
		}
}

/* Mutual information against its two limits, and against a direct integral in between. */
static void information_has_the_right_limits(void **state UNUSED)
{
	assert_double(choose_information(0.5, 1e-6, 0), 0.25 * 1e-6 / 2, 1e-9);
	assert_double(choose_information(0.5, 1e6, 0), log(2), 1e-9);
	assert_true(choose_information(0.5, 9, 0.1) < choose_information(0.5, 9, 0.01));
	assert_double(choose_information(0, 9, 0), 0, 1e-12);
	for (double x = 0.5; x < 12; x *= 2) {
		double mi = 0, d = sqrt(x);

		for (double y = -8; y < 8 + d; y += 0.01) {
			double a = bell(y, 0, 1), b = bell(y, d, 1), m = (a + b) / 2;

			mi += 0.01 * (a / 2 * log(a / m) + b / 2 * log(b / m));
		}
		assert_true(fabs(choose_information(0.5, x, 0) / mi - 1) < 0.12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_unit_is_sound_or_wild_value_by_value),
		cmocka_unit_test(a_unit_always_has_a_bell),
		cmocka_unit_test(classes_equal_brute_force),
		cmocka_unit_test(classes_are_equal_signatures),
		cmocka_unit_test(the_sketch_is_near_the_truth),
		cmocka_unit_test(information_has_the_right_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
