/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "bench/direct.h"

/* `words` are separated by '|'; NULL = for the shell. */
static void check(const char *command, const char *words)
{
	AUTO(strvec) struct strvec v = STRVEC_INIT;
	AUTO(str) struct str all = STR_INIT;

	if (!direct_words(command, &v)) {
		assert_int_equal(v.n, 0);
		if (words)
			fail_msg("'%s' was left to the shell", command);
		return;
	}
	for (size_t i = 0; i < v.n; i++)
		str_addf(&all, "%s%s", i ? "|" : "", v.v[i]);
	if (!words)
		fail_msg("'%s' was taken for '%s'", command, all.p);
	assert_string_equal(all.p, words);
}

static void programs_with_words(void **state)
{
	(void)state;
	check("./bench", "./bench");
	check("  ./bench\t-n 3  --x=y a,b:c@d%e+f/g \n", "./bench|-n|3|--x=y|a,b:c@d%e+f/g");
	check("true", "true");
	check("perf bench sched messaging -g 10", "perf|bench|sched|messaging|-g|10");
	check("./bench 'a b' \"c d\" '' --f='x;y*'z", "./bench|a b|c d||--f=x;y*z");
	check("./bench '$HOME' \"it's\"", "./bench|$HOME|it's");
}

static void what_a_shell_does(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"",	   "  ",	"\n",	  "a; b",      "a && b", "a | b",     "a > b",
		"a 2>&1",  "a < b",	"a &",	  "(a)",       "{ a; }", "a $X",      "a \"$X\"",
		"a `b`",   "a \"`b`\"", "a \\b",  "a \"\\b\"", "a *",	 "a b?",      "a [bc]",
		"a {b,c}", "a ~",	"a # b",  "! a",       "X=1 a",	 "X= a",      "'X'=1 a",
		"cd a",	   "echo a",	"time a", "exec a",    "if a",	 "[ a = b ]", "test a",
		". a",	   "'cd' a",	"a 'b",	  "a \"b",     "a\nb",	 "''",	      "ulimit -n 5",
		"a \"!\"",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		check(lines[i], NULL);
}

static void only_what_a_shell_would_find(void **state)
{
	(void)state;
	static const char *const tree[] = { "/p/src", "/s/src", NULL };
	static const struct {
		const char *path;
		bool found;
	} rows[] = {
		{ "PATH=/usr/bin:/bin", true }, { "PATH=bin:/usr/bin", false },
		{ "PATH=/usr/bin:.", false },	{ "PATH=/usr/bin:", false },
		{ "PATH=:/usr/bin", false },	{ "PATH=/p/src/bin:/bin", false },
		{ "PATH=/bin:/s/src", false },	{ "PATH=/p/srcs/bin:/p", true },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *const env[] = { "A=1", rows[i].path, NULL };

		if (direct_is_found("x", env, tree) != rows[i].found)
			fail_msg("%s", rows[i].path);
		assert_true(direct_is_found("./x", env, tree));
	}
	assert_false(direct_is_found("x", NULL, tree));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_with_words),
		cmocka_unit_test(what_a_shell_does),
		cmocka_unit_test(only_what_a_shell_would_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
