/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "base/str.h"
#include "target/sim_file.h"

#include <math.h>

static void parse(struct sim_file *f, const char *text)
{
	struct err e = ERR_INIT;

	if (sim_file_parse(f, text, strlen(text), "h.txt", &e) < 0)
		fail_msg("%s", e.msg);
}

static void a_line_of_levels(void **state)
{
	struct sim_file f;
	struct sim s;

	(void)state;
	parse(&f, "# a comment\n"
		  "a - level 50\n"
		  "b a level 50   # the same\n"
		  "\n"
		  "c b level 51\n"
		  "d c broken\n"
		  "e d level 51");
	assert_int_equal(f.g.n, 5);
	assert_int_equal(f.p.n, 4);
	assert_string_equal(f.names[f.g.bad], "e");
	sim_open_file(&s, &f, 1, 0);
	assert_double(sim_run(&s, 0, 0, 0, 0), 50, 1e-12);
	assert_double(sim_run(&s, 4, 0, 0, 7), 51, 1e-12);
	assert_false(sim_builds(&s, 3));
	sim_done(&s);
	sim_file_done(&f);
}

static void the_truth_is_where_the_level_changes(void **state)
{
	struct sim_file f;

	(void)state;
	/* The merge takes its second parent's level: it is no culprit. */
	parse(&f, "r - level 100\nx r level 100\ny r level 104\nm x,y level 104\nz m level 104\n");
	assert_true(f.truth_known);
	assert_int_equal(f.n_culprits, 1);
	assert_string_equal(f.names[f.culprits[0]], "y");
	sim_file_done(&f);
	parse(&f, "r - values 1 2\ns r level 3\n");
	assert_false(f.truth_known);
	sim_file_done(&f);
	parse(&f, "%culprit s\nr - values 1 2\ns r values 3\n");
	assert_true(f.truth_known);
	assert_int_equal(f.culprits[0], 1);
	sim_file_done(&f);
}

static void values_come_in_turn_and_then_at_random(void **state)
{
	struct sim_file f;
	struct sim s;
	unsigned first = 0;

	(void)state;
	parse(&f, "a - values 1.5 2.5 3.25\nb a values -4\n");
	assert_double(f.p.resolution, .01, 1e-12);
	sim_open_file(&s, &f, 1, 0);
	assert_double(sim_run(&s, 0, 0, 0, 0), 1.5, 0);
	assert_double(sim_run(&s, 0, 0, 0, 2), 3.25, 0);
	assert_double(sim_run(&s, 0, 0, 0, 3), 1.5, 0);
	assert_double(sim_run(&s, 1, 0, 0, 3), -4, 0);
	sim_done(&s);
	for (uint32_t h = 1; h <= 300; h++) {
		sim_open_file(&s, &f, 1, h);
		first += sim_run(&s, 0, 0, 0, 0) == 1.5;
		sim_done(&s);
	}
	assert_in_range(first, 65, 135);
	sim_file_done(&f);
}

static void settings_shape_the_noise(void **state)
{
	struct sim_file f;
	struct sim s;
	double sum = 0, sq = 0;

	(void)state;
	parse(&f,
	      "%sd 0.02\n%tau 0.001\n%drift 0.003 0.9\n%warm 0.5\n%warmup 2\n%margin 3%\n"
	      "%good b\n%bad d\na - level 7\nb a level 7\nc b level 7\nd c level 7\ne d level 9\n");
	assert_int_equal(f.p.noise, SIM_GAUSS);
	assert_double(f.p.drift_phi, .9, 0);
	assert_int_equal(f.p.warmup, 2);
	assert_double(sim_scenario_margin(&f.p), .03, 1e-12);
	assert_string_equal(f.names[f.g.good], "b");
	assert_string_equal(f.names[f.g.bad], "d");
	assert_int_equal(graph_candidates(&f.g), 2);
	assert_int_equal(f.n_culprits, 0);
	f.p.drift_sd = f.p.tau = 0;
	sim_open_file(&s, &f, 1, 0);
	for (unsigned i = 1; i <= 5000; i++) {
		double y = log(sim_run(&s, 1, 0, 0, i) / 7);
		sum += y;
		sq += y * y;
	}
	assert_double(sum / 5000, 0, .0015);
	assert_double(sqrt(sq / 5000), .02, .001);
	sim_done(&s);
	sim_file_done(&f);
}

static void other_ends_leave_the_rest_out(void **state)
{
	struct sim_file f;

	(void)state;
	/* good is on a side branch: what it holds is known to be good. */
	parse(&f,
	      "%good g\n%bad m\nr - level 1\ng r level 1\nx r level 1\nm x,g level 1\nlater m level 2\n");
	assert_int_equal(f.g.n, 4);
	assert_int_equal(graph_candidates(&f.g), 2);
	sim_file_done(&f);
}

static void mistakes_get_one_line_with_their_place(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "", "h.txt: needs at least a good and a bad commit" },
		{ "a - level 1\n", "h.txt: needs at least a good and a bad commit" },
		{ "a - level 1\nb\n",
		  "h.txt:2: 'b' needs its parents ('-' for none) and then level, values or broken" },
		{ "a - level 1\nb x level 1\n",
		  "h.txt:2: parent 'x' of 'b' is not above it; parents come before their children" },
		{ "a - level 1\nb a,a level 1\n", "h.txt:2: parent 'a' of 'b' is given twice" },
		{ "a - level 1\nb , level 1\n", "h.txt:2: 'b' has no parents; a root says '-'" },
		{ "a - level 1\na - level 1\n", "h.txt:2: commit 'a' is given twice" },
		{ "a - level 0\n", "h.txt:1: level '0' must be above 0" },
		{ "a - level 1 2\n", "h.txt:1: '2' is one word too many" },
		{ "a - broken now\n", "h.txt:1: 'now' is one word too many" },
		{ "a - values\n", "h.txt:1: 'a' has no values" },
		{ "a - speed 1\n",
		  "h.txt:1: after its parents 'a' needs 'level VALUE', 'values V...' or 'broken', not 'speed'" },
		{ "%taus 1\n", "h.txt:1: unknown setting '%taus', did you mean '%tau'?" },
		{ "%tau\n", "h.txt:1: '%tau' needs a value" },
		{ "%tau -1\n", "h.txt:1: '-1' must be at least 0" },
		{ "%drift 1 1\n", "h.txt:1: the drift's memory '1' must be below 1" },
		{ "%margin 0\n", "h.txt:1: the margin must be above 0" },
		{ "%noise loud\n",
		  "h.txt:1: unknown noise 'loud'; there are gauss, skew, out, bimod, t3, det, out15 and ar" },
		{ "%good x\na - level 1\nb a level 1\n", "h.txt: no commit 'x'" },
		{ "%good b\na - level 1\nb a level 1\n",
		  "h.txt: no commits lie after the good end 'b' and up to 'b'" },
		{ "a - level 1\nb a broken\n", "h.txt: the end 'b' must build" },
		{ "%culprit a\na - level 1\nb a level 1\n",
		  "h.txt: the culprit 'a' is not between the good and the bad end" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = ERR_INIT;
		struct sim_file f;
		assert_int_equal(
			sim_file_parse(&f, rows[i].text, strlen(rows[i].text), "h.txt", &e),
			-ERR_USAGE);
		assert_string_equal(e.msg, rows[i].message);
		sim_file_done(&f);
	}
}

static void numbers_must_be_numbers(void **state)
{
	static const char *const bad[] = {
		"a - level nan\n",    "a - level 1x\n", "a - values 1 inf\n",
		"a - values 1e400\n", "%sd x\n",	"%warmup 1.5\n"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = ERR_INIT;
		struct sim_file f;
		assert_int_equal(sim_file_parse(&f, bad[i], strlen(bad[i]), "h.txt", &e),
				 -ERR_USAGE);
		assert_true(starts_with(e.msg, "h.txt:1: "));
		sim_file_done(&f);
	}
	struct err e = ERR_INIT;
	struct sim_file f;
	assert_int_equal(sim_file_parse(&f, "a - level 1\0\n", 13, "h.txt", &e), -ERR_USAGE);
	assert_string_equal(e.msg, "h.txt: is not a text file");
	sim_file_done(&f);
}

static void many_commits_are_found_by_name(void **state)
{
	AUTO(str) struct str text = STR_INIT;
	struct sim_file f;

	(void)state;
	str_puts(&text, "c0 - level 100\n");
	for (unsigned i = 1; i < 5000; i++)
		str_addf(&text, "c%u c%u level %u\n", i, i - 1, i < 3000 ? 100 : 103);
	parse(&f, text.p);
	assert_int_equal(f.n_culprits, 1);
	assert_string_equal(f.names[f.culprits[0]], "c3000");
	sim_file_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_of_levels),
		cmocka_unit_test(the_truth_is_where_the_level_changes),
		cmocka_unit_test(values_come_in_turn_and_then_at_random),
		cmocka_unit_test(settings_shape_the_noise),
		cmocka_unit_test(other_ends_leave_the_rest_out),
		cmocka_unit_test(mistakes_get_one_line_with_their_place),
		cmocka_unit_test(numbers_must_be_numbers),
		cmocka_unit_test(many_commits_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
