/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promised rates of the A/B method, by simulation at a fixed seed against binomial bounds at 1e-4: they never fail by chance,
 * and each has its counter-proof, a deliberate fault that the same bound must refuse. The cells are those of the reduced tables of
 * `culprit simulate --ab --ci`; docs/design/013-verdicts.md has the full ones.
 */
#include "unit.h"

#include "hunt/sim_ab.h"

/* Counts a reduced table; fails for what is not as it should be, and wants at least one fault that was refused. */
static void table_holds(enum ab_kind k, unsigned faults)
{
	size_t n, refused = 0;
	AUTO_FREE struct ab_cell *c = ab_table(k, true, 0, &n);

	ab_run(c, n, 2024, 1);
	for (size_t i = 0; i < n; i++) {
		if (!ab_holds(&c[i]))
			fail_msg("%s row %zu: %s, n %u, shift %g: fault %d, but %s",
				 ab_kind_name(k), i, ab_noise_name(c[i].noise), c[i].n, c[i].d,
				 c[i].fault, c[i].ok ? "within the target" : "worse than it");
		refused += c[i].fault != AB_SOUND;
	}
	assert_int_equal(refused, faults);
}

static void intervals_cover(void **state UNUSED)
{
	table_holds(AB_COVERAGE, 1);
}

static void early_stopping_keeps_alpha(void **state UNUSED)
{
	table_holds(AB_LOOKS, 1);
}

static void families_keep_alpha_over_all_looks(void **state UNUSED)
{
	table_holds(AB_FAMILY, 1);
}

/* 3 real changes of 4 standard errors among 20 metrics: two thirds are found at the very least; the table of one metric finds half. */
static void families_find_what_changed(void **state UNUSED)
{
	size_t n;
	AUTO_FREE struct ab_cell *c = ab_table(AB_FAMILY, true, 0, &n);

	assert_int_equal(c[0].n, 20);
	assert_int_equal(c[0].real, 3);
	ab_run(c, 1, 2024, 1);
	assert_true(c[0].power > 0.68);
}

static void builds_are_units(void **state UNUSED)
{
	table_holds(AB_BUILDS, 1);
}

static void recovery_covers(void **state UNUSED)
{
	table_holds(AB_RECOVERY, 1);
}

static void the_number_of_more_runs_decides(void **state UNUSED)
{
	table_holds(AB_MORE, 1);
}

static void quiet_runs_raise_no_warnings(void **state UNUSED)
{
	table_holds(AB_SYMPTOMS, 0);
}

/* The same draws for any number of threads and any other cells before it. */
static void cells_depend_on_the_seed_alone(void **state UNUSED)
{
	struct ab_cell one[2] = { { .kind = AB_COVERAGE, .n = 5, .d = 1, .repetitions = 40 },
				  { .kind = AB_COVERAGE, .n = 6, .d = 1, .repetitions = 40 } };
	struct ab_cell two[2] = { one[0], one[1] };

	ab_run(one, 2, 5, 1);
	ab_run(two, 2, 5, 2);
	assert_double(one[0].half_width, two[0].half_width, 0);
	assert_double(one[1].half_width, two[1].half_width, 0);
	assert_true(one[0].half_width != one[1].half_width);
	ab_run(two, 2, 6, 1);
	assert_true(one[0].half_width != two[0].half_width);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_cover),
		cmocka_unit_test(early_stopping_keeps_alpha),
		cmocka_unit_test(families_keep_alpha_over_all_looks),
		cmocka_unit_test(families_find_what_changed),
		cmocka_unit_test(builds_are_units),
		cmocka_unit_test(recovery_covers),
		cmocka_unit_test(the_number_of_more_runs_decides),
		cmocka_unit_test(quiet_runs_raise_no_warnings),
		cmocka_unit_test(cells_depend_on_the_seed_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
