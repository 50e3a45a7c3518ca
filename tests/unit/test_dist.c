/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "stats/dist.h"

#include <stdio.h>
#include <unistd.h>

/* A cdf and a quantile have up to three arguments; the rows of vectors/dist.txt name them. */
static double call(const char *name, const double *a)
{
	static const struct {
		const char *name;
		double (*one)(double);
		double (*two)(double, double);
		double (*three)(double, double, double);
	} table[] = {
		{ "normal_cdf", dist_normal_cdf, NULL, NULL },
		{ "normal_quantile", dist_normal_quantile, NULL, NULL },
		{ "t_cdf", NULL, dist_t_cdf, NULL },
		{ "t_quantile", NULL, dist_t_quantile, NULL },
		{ "beta_cdf", NULL, NULL, dist_beta_cdf },
		{ "beta_quantile", NULL, NULL, dist_beta_quantile },
		{ "f_cdf", NULL, NULL, dist_f_cdf },
		{ "f_quantile", NULL, NULL, dist_f_quantile },
		{ "chi2_cdf", NULL, dist_chi2_cdf, NULL },
		{ "chi2_upper", NULL, dist_chi2_upper, NULL },
		{ "chi2_quantile", NULL, dist_chi2_quantile, NULL },
		{ "binomial_cdf", NULL, NULL, dist_binomial_cdf },
		{ "binomial_upper", NULL, NULL, dist_binomial_upper },
		{ "binomial_quantile", NULL, NULL, dist_binomial_quantile },
		{ "ranksum_cdf", NULL, NULL, dist_ranksum_cdf },
		{ "signrank_cdf", NULL, dist_signrank_cdf, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		if (strcmp(table[i].name, name))
			continue;
		if (table[i].one)
			return table[i].one(a[0]);
		return table[i].two ? table[i].two(a[0], a[1]) : table[i].three(a[0], a[1], a[2]);
	}
	fail_msg("no function '%s'", name);
	return NAN;
}

static void vectors_of_scipy(void **state UNUSED)
{
	AUTO_FREE char *path =
		xasprintf("%s/tests/unit/vectors/dist.txt", getenv("CULPRIT_SRCDIR"));
	FILE *f = fopen(path, "r");
	char line[256];
	int rows = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char name[32];
		double v[4];
		int k = sscanf(line, "%31s %lf %lf %lf %lf", name, &v[0], &v[1], &v[2], &v[3]);

		if (line[0] == '#')
			continue;
		assert_true(k >= 3);
		double got = call(name, v), want = v[k - 2];

		/* Relative, so that a tail of 1e-12 is checked too. */
		if (!(fabs(got - want) <= 1e-10 * fabs(want) + 1e-300))
			fail_msg("%.80s: got %.17g", line, got);
		rows++;
	}
	fclose(f);
	assert_true(rows > 300);
}

static void outside_the_domain_is_nan(void **state UNUSED)
{
	double v[] = {
		dist_normal_cdf(NAN),
		dist_normal_quantile(-0.1),
		dist_normal_quantile(1.5),
		dist_t_cdf(1, 0),
		dist_t_cdf(1, -2),
		dist_t_cdf(NAN, 3),
		dist_t_quantile(2, 3),
		dist_t_quantile(0.5, NAN),
		dist_beta_cdf(0.5, 0, 1),
		dist_beta_quantile(0.5, 1, -1),
		dist_f_cdf(1, 0, 1),
		dist_f_quantile(0.5, 1, HUGE_VAL),
		dist_chi2_cdf(1, -1),
		dist_chi2_upper(NAN, 1),
		dist_chi2_quantile(-1, 1),
		dist_binomial_cdf(1, 2.5, 0.5),
		dist_binomial_upper(1, -1, 0.5),
		dist_binomial_quantile(0.5, 3, 2),
		dist_ranksum_cdf(1, 0, 3),
		dist_ranksum_cdf(1, 3, 61),
		dist_signrank_cdf(1, 1.5),
	};

	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		if (!isnan(v[i]))
			fail_msg("row %zu: %g is not NaN", i, v[i]);
	assert_true(isinf(dist_normal_quantile(1)));
}

/* The library prints its warnings on stdout, where culprit's answer goes: inside the domain and out of it, nothing may come. */
static void nothing_is_printed(void **state UNUSED)
{
	static const double x[] = { -HUGE_VAL, -1e308, -40,  -1,    -1e-300,  0,  1e-308,
				    1e-20,     1e-3,   0.3,  0.5,   0.999,    1,  3,
				    60,	       1e5,    1e15, 1e300, HUGE_VAL, NAN };
	static const size_t n = ARRAY_LEN(x);
	FILE *tmp = tmpfile();
	int saved;

	assert_non_null(tmp);
	fflush(stdout);
	saved = dup(1);
	assert_true(saved >= 0 && dup2(fileno(tmp), 1) == 1);
	for (size_t i = 0; i < n; i++) {
		dist_normal_cdf(x[i]);
		dist_normal_quantile(x[i]);
		for (size_t j = 0; j < n; j++) {
			dist_t_cdf(x[i], x[j]);
			dist_t_quantile(x[i], x[j]);
			dist_chi2_cdf(x[i], x[j]);
			dist_chi2_upper(x[i], x[j]);
			dist_chi2_quantile(x[i], x[j]);
			dist_signrank_cdf(x[i], x[j]);
			for (size_t k = 0; k < n; k++) {
				dist_beta_cdf(x[i], x[j], x[k]);
				dist_f_cdf(x[i], x[j], x[k]);
				dist_binomial_cdf(x[i], x[j], x[k]);
				dist_binomial_upper(x[i], x[j], x[k]);
				dist_ranksum_cdf(x[i], x[j], x[k]);
				dist_beta_quantile(x[i], x[j], x[k]);
				dist_f_quantile(x[i], x[j], x[k]);
				dist_binomial_quantile(x[i], x[j], x[k]);
			}
		}
	}
	fflush(stdout);
	long printed = lseek(fileno(tmp), 0, SEEK_END);

	dup2(saved, 1);
	close(saved);
	if (printed) {
		char text[200] = "";

		rewind(tmp);
		if (fread(text, 1, sizeof(text) - 1, tmp) > 0)
			fail_msg("%ld bytes on stdout, first: %.160s", printed, text);
	}
	fclose(tmp);
}

static void pooled_degrees_of_freedom(void **state UNUSED)
{
	const double equal[] = { 2, 2 }, one[] = { 3, 0 }, tiny[] = { 1e-300, 1e-300 },
		     df[] = { 4, 4 };

	assert_double(dist_pooled_df(equal, df, 2), 8, 1e-15);
	assert_double(dist_pooled_df(one, df, 2), 4, 1e-15);
	assert_double(dist_pooled_df(tiny, df, 2), 8, 1e-15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_of_scipy),
		cmocka_unit_test(nothing_is_printed),
		cmocka_unit_test(pooled_degrees_of_freedom),
		cmocka_unit_test(outside_the_domain_is_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
