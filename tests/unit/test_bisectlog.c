/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "repo/bisectlog.h"

#define A "1111111111111111111111111111111111111111"
#define B "2222222222222222222222222222222222222222"
#define C "3333333333333333333333333333333333333333"

static struct bisect_log parse(const char *text)
{
	struct bisect_log l = { 0 };
	struct err e = ERR_INIT;

	if (bisect_log_parse(text, "log", &l, &e) < 0)
		fail_msg("%s", e.msg);
	return l;
}

static void expect(const struct bisect_log *l, size_t i, enum bisect_mark mark, const char *rev)
{
	assert_true(i < l->n);
	assert_int_equal(l->v[i].mark, mark);
	assert_string_equal(l->v[i].rev, rev);
}

/* As git 2.39 writes it. */
static void a_log_as_git_prints_it(void **state UNUSED)
{
	struct bisect_log l = parse("git bisect start\n"
				    "# status: waiting for both good and bad commits\n"
				    "# bad: [" A "] it's slow\n"
				    "git bisect bad " A "\n"
				    "# good: [" B "] base\n"
				    "git bisect good " B "\n"
				    "# skip: [" C "] does not build\n"
				    "git bisect skip " C "\n"
				    "# only skipped commits left to test\n"
				    "# first bad commit: [" A "] it's slow\n");

	assert_int_equal(l.n, 3);
	expect(&l, 0, BISECT_BAD, A);
	expect(&l, 1, BISECT_GOOD, B);
	expect(&l, 2, BISECT_SKIP, C);
	assert_int_equal(l.v[2].line, 8);
	assert_int_equal(l.paths.n, 0);
	bisect_log_done(&l);
}

static void ends_and_paths_on_the_first_line(void **state UNUSED)
{
	struct bisect_log l = parse("git bisect start '--first-parent' '" A "' '" B "' '" C
				    "' '--' 'src/a b' 'it'\\''s'\n");

	assert_int_equal(l.n, 3);
	expect(&l, 0, BISECT_BAD, A);
	expect(&l, 1, BISECT_GOOD, B);
	expect(&l, 2, BISECT_GOOD, C);
	assert_true(l.first_parent);
	assert_int_equal(l.paths.n, 2);
	assert_string_equal(l.paths.v[0], "src/a b");
	assert_string_equal(l.paths.v[1], "it's");
	bisect_log_done(&l);
}

static void words_of_ones_own(void **state UNUSED)
{
	struct bisect_log l = parse(
		"git bisect start --term-old fast '--term-new=slow'\r\n"
		"git bisect slow v2\r\ngit bisect fast v1 v0\r\ngit bisect old w\ngit bisect new x");

	assert_int_equal(l.n, 5);
	expect(&l, 0, BISECT_BAD, "v2");
	expect(&l, 1, BISECT_GOOD, "v1");
	expect(&l, 2, BISECT_GOOD, "v0");
	expect(&l, 3, BISECT_GOOD, "w");
	expect(&l, 4, BISECT_BAD, "x");
	bisect_log_done(&l);
}

static void a_new_start_forgets(void **state UNUSED)
{
	struct bisect_log l = parse(
		"git bisect start a b -- p\ngit bisect good c\ngit bisect start\ngit bisect bad d\n");

	assert_int_equal(l.n, 1);
	expect(&l, 0, BISECT_BAD, "d");
	assert_int_equal(l.paths.n, 0);
	bisect_log_done(&l);
}

static void other_files_are_refused_by_line(void **state UNUSED)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "log: no mark in it" },
		{ "# nothing\n\n", "log: no mark in it" },
		{ "git bisect start\ngit bisect reset\n", "log: no mark in it" },
		{ "git bisect start\nrm -rf /\n", "log:2: not a line of a git bisect log: 'rm'" },
		{ "git commit x\n", "log:1: not a line" },
		{ "git bisect start\ngit bisect slow abc\n", "log:2: git bisect has no 'slow'" },
		{ "git bisect good\n", "log:1: no revision after 'good'" },
		{ "git bisect start '--frob' a\n", "log:1: unknown option '--frob'" },
		{ "git bisect good 'abc\n", "log:1: a quote is not closed" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct bisect_log l;
		struct err e = ERR_INIT;

		assert_int_equal(bisect_log_parse(rows[i].text, "log", &l, &e), -ERR_USAGE);
		if (!strstr(e.msg, rows[i].says))
			fail_msg("'%s', wanted '%s'", e.msg, rows[i].says);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_as_git_prints_it),
		cmocka_unit_test(ends_and_paths_on_the_first_line),
		cmocka_unit_test(words_of_ones_own),
		cmocka_unit_test(a_new_start_forgets),
		cmocka_unit_test(other_files_are_refused_by_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
