/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "base/num.h"
#include "cli/opt.h"
#include "cli/term.h"

struct args {
	bool json, fast, runs_given;
	int verbose, when;
	int64_t budget, size, seed;
	unsigned runs;
	double level, margin;
	const char *store;
	struct strvec set;
	const char *called;
};

static int call(void *into, const char *value, struct err *e)
{
	if (!strcmp(value, "wrong"))
		return err_set(e, ERR_USAGE, "--call refuses 'wrong'");
	*(const char **)into = value;
	return 0;
}

static const char *const whens[] = { "auto", "always", "never", NULL };

static const struct opt table[] = {
	{ 'n', "runs", OPT_UINT, OPT_INTO(struct args, runs), "N", "measure at least N times", 1,
	  1000, OPT_SEEN(struct args, runs_given) },
	{ 's', "seed", OPT_INT, OPT_INTO(struct args, seed), "N", "draw from this seed" },
	{ 0, "budget", OPT_DURATION, OPT_INTO(struct args, budget), "TIME",
	  "stop after this long" },
	{ 0, "cache", OPT_SIZE, OPT_INTO(struct args, size), "SIZE",
	  "keep builds up to this size" },
	{ 0, "level", OPT_DOUBLE, OPT_INTO(struct args, level), "P", "of the intervals", 0.5,
	  0.999 },
	{ 0, "margin", OPT_RATIO, OPT_INTO(struct args, margin), "RATIO", "smaller does not matter",
	  0, 1 },
	OPT_GROUP("Output"),
	{ 0, "json", OPT_BOOL, OPT_INTO(struct args, json), NULL, "machine-readable" },
	{ 'f', "fast", OPT_BOOL, OPT_INTO(struct args, fast), NULL, "hurry" },
	{ 'v', "verbose", OPT_COUNT, OPT_INTO(struct args, verbose), NULL, "say more" },
	{ 0, "color", OPT_CHOICE, OPT_INTO(struct args, when), NULL, "colours", .choices = whens },
	{ 0, "store", OPT_STRING, OPT_INTO(struct args, store), "DIR", "where things are kept" },
	{ 'c', "set", OPT_STRINGS, OPT_INTO(struct args, set), "KEY=VALUE", "set a key" },
	{ 0, "call", OPT_CALL, OPT_INTO(struct args, called), "X", "call", .call = call },
	OPT_END,
};

static int parse(struct args *a, struct opt_args *rest, struct err *e, const char *const *argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return opt_parse(table, a, argc, argv, rest, e);
}
#define PARSE(a, rest, e, ...) parse(a, rest, e, (const char *const[]){ "run", __VA_ARGS__, NULL })

static void every_spelling(void **state UNUSED)
{
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct args a = { .fast = true };

	assert_int_equal(PARSE(&a, &rest, NULL, "--runs=7", "A", "--budget", "1h30m", "-vvs9",
			       "--no-fast", "B", "-c", "a.b=c", "--json", "--set=d= e", "--color",
			       "never", "--margin=2%", "--level", "0.9", "--cache=2G", "--store",
			       "--odd", "--call=x", "-"),
			 0);
	assert_int_equal(a.runs, 7);
	assert_true(a.runs_given);
	assert_int_equal(a.budget, 5400 * NS_PER_S);
	assert_int_equal(a.verbose, 2);
	assert_int_equal(a.seed, 9);
	assert_false(a.fast);
	assert_true(a.json);
	assert_int_equal(a.when, 2);
	assert_double(a.margin, 0.02, 1e-15);
	assert_double(a.level, 0.9, 1e-15);
	assert_int_equal(a.size, INT64_C(2) << 30);
	assert_string_equal(a.store, "--odd");
	assert_string_equal(a.called, "x");
	assert_int_equal(a.set.n, 2);
	assert_string_equal(a.set.v[0], "a.b=c");
	assert_string_equal(a.set.v[1], "d= e");
	assert_int_equal(rest.list.n, 3);
	assert_string_equal(rest.list.v[2], "-");
	assert_int_equal(rest.before, 3);
	assert_false(rest.dashes);
	strvec_done(&a.set);
}

static void dashes_end_the_options(void **state UNUSED)
{
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct args a = { 0 };

	assert_int_equal(PARSE(&a, &rest, NULL, "A", "B", "--", "--json", "path", "--"), 0);
	assert_true(rest.dashes);
	assert_int_equal(rest.before, 2);
	assert_int_equal(rest.list.n, 5);
	assert_string_equal(rest.list.v[rest.before], "--json");
	assert_false(a.json);
	assert_false(a.runs_given);
}

static void help_stops_reading(void **state UNUSED)
{
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT, bundled = OPT_ARGS_INIT;
	struct args a = { 0 };

	assert_int_equal(PARSE(&a, &rest, NULL, "A", "--help", "--nonsense"), 0);
	assert_true(rest.help);
	assert_int_equal(PARSE(&a, &bundled, NULL, "-vh"), 0);
	assert_true(bundled.help);
	assert_int_equal(a.verbose, 1);
}

static void mistakes_are_named(void **state UNUSED)
{
	static const struct {
		const char *argv[4];
		const char *message;
	} rows[] = {
		{ { "run", "--budget", "soon" },
		  "--budget wants a time like 90s, 5m or 1h30m, not 'soon'" },
		{ { "run", "--budget" }, "--budget wants a value: --budget TIME" },
		{ { "run", "--color" }, "--color wants a value: --color auto|always|never" },
		{ { "run", "-n" }, "-n wants a value: -n N" },
		{ { "run", "-n0" }, "-n wants a number from 1 to 1000, not '0'" },
		{ { "run", "--runs=3x" }, "--runs wants a whole number, not '3x'" },
		{ { "run", "--level=7" }, "--level wants a number from 0.5 to 0.999, not 7" },
		{ { "run", "--margin=-1%" }, "--margin wants a ratio from 0% to 100%, not -1%" },
		{ { "run", "--json=yes" }, "--json takes no value, not 'yes'" },
		{ { "run", "--jsno" }, "unknown option '--jsno', did you mean '--json'?" },
		{ { "run", "--bud", "5m" }, "unknown option '--bud', did you mean '--budget'?" },
		{ { "run", "--zzzzz" }, "unknown option '--zzzzz'; 'culprit help run' lists them" },
		{ { "run", "--no-runs" },
		  "unknown option '--no-runs'; 'culprit help run' lists them" },
		{ { "run", "-vx" }, "unknown option '-x' in '-vx'; 'culprit help run' lists them" },
		{ { "run", "--color=blue" }, "--color wants auto, always or never, not 'blue'" },
		{ { "run", "--call=wrong" }, "--call refuses 'wrong'" },
		{ { "run", "--cache=1e400" },
		  "--cache wants a size like 64K, 512M or 2G, not '1e400'" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
		struct args a = { 0 };
		struct err e = ERR_INIT;

		assert_int_equal(parse(&a, &rest, &e, rows[i].argv), -ERR_USAGE);
		assert_string_equal(e.msg, rows[i].message);
	}
}

static void help_is_aligned_and_wrapped(void **state UNUSED)
{
	static const struct opt small[] = {
		{ 'n', "runs", OPT_UINT, 0, "N",
		  "measure at least N times, and more where the noise asks for it" },
		OPT_GROUP("Output"),
		{ 0, "a-very-long-option-name", OPT_STRING, 0, "VALUE", "long" },
		{ 0, "secret", OPT_BOOL, 0, NULL, "not for people", .hidden = true },
		{ 0, "json", OPT_BOOL, 0, NULL, "one object" },
		OPT_END,
	};
	AUTO(str) struct str out = STR_INIT;

	opt_help(small, 60, &out);
	assert_string_equal(out.p, "  -n, --runs N              measure at least N times, and\n"
				   "                            more where the noise asks for it\n"
				   "\n"
				   "Output:\n"
				   "      --a-very-long-option-name VALUE\n"
				   "                            long\n"
				   "      --json                one object\n");
}

static void nearest_helps_only_when_near(void **state UNUSED)
{
	static const struct {
		const char *word, *best;
	} rows[] = {
		{ "comapre", "compare" }, { "com", "compare" },	 { "x", NULL },
		{ "benchmark", NULL },	  { "bisct", "bisect" }, { "lgo", "log" },
	};
	static const char *const names[] = { "run", "compare", "bisect", "log" };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct nearest near = NEAREST_INIT(rows[i].word);

		for (size_t k = 0; k < ARRAY_LEN(names); k++)
			nearest_offer(&near, names[k]);
		if (rows[i].best)
			assert_string_equal(near.best, rows[i].best);
		else
			assert_null(near.best);
	}
}

static void progress_is_paced_and_cut(void **state UNUSED)
{
	struct term_pace pace = { 0 };
	AUTO(str) struct str text = STR_INIT;

	assert_true(term_pace_due(&pace, 10 * NS_PER_S));
	assert_false(term_pace_due(&pace, 10 * NS_PER_S + 249 * NS_PER_MS));
	assert_true(term_pace_due(&pace, 10 * NS_PER_S + 250 * NS_PER_MS));
	str_puts(&text, "gr\xc3\xbc\xc3\x9f dich");
	term_cut(&text, 4);
	assert_string_equal(text.p, "gr\xc3\xbc\xc3\x9f");
	term_cut(&text, 40);
	assert_string_equal(text.p, "gr\xc3\xbc\xc3\x9f");
}

/* The options of one command line that another command takes over. */
static void picked_options(void **state UNUSED)
{
	static const char *const names[] = { "runs", "set", "json", "fast", "store", NULL };
	static const char *const argv[] = { "run",	 "arg", "-n5", "--budget", "1m", "-fv",
					    "--no-json", "-c",	"a=b", "--store",  "",	 "-c",
					    "c=d",	 "--",	"-n7", NULL };
	static const char *const expected[] = { "--runs=5",  "--fast",	 "--no-json",
						"--set=a=b", "--store=", "--set=c=d" };
	AUTO(strvec) struct strvec got = STRVEC_INIT;
	struct err e = ERR_INIT;

	assert_int_equal(opt_pick(table, names, (int)ARRAY_LEN(argv) - 1, argv, &got, &e), 0);
	assert_int_equal(got.n, ARRAY_LEN(expected));
	for (size_t i = 0; i < got.n; i++)
		assert_string_equal(got.v[i], expected[i]);
	assert_int_equal(
		opt_pick(table, names, 2, (const char *const[]){ "run", "--nosuch" }, &got, &e),
		-ERR_USAGE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spelling),
		cmocka_unit_test(dashes_end_the_options),
		cmocka_unit_test(help_stops_reading),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(help_is_aligned_and_wrapped),
		cmocka_unit_test(nearest_helps_only_when_near),
		cmocka_unit_test(progress_is_paced_and_cut),
		cmocka_unit_test(picked_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
