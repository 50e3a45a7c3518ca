/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/answer.h"
#include "text/json.h"
#include "text/table.h"
#include "unit.h"

#include <string.h>

static void change_is(const char *row, const char *wanted)
{
	struct json *root = NULL;
	AUTO(str) struct str out = STR_INIT;

	assert_int_equal(json_parse(row, strlen(row), "row", &root, NULL), 0);
	answer_change(root, &out);
	assert_string_equal(out.p, wanted);
	json_free(root);
}

typedef void put_answer(const struct json *, const struct answer_style *, struct str *);

/* The answer in words has each of `says`, and not `never` (NULL: anything may be there). */
static void text_has(const char *json, put_answer *put, const char *const *says, size_t n,
		     const char *never)
{
	struct answer_style style = { .width = 200 };
	struct json *root = NULL;
	AUTO(str) struct str out = STR_INIT;

	assert_int_equal(json_parse(json, strlen(json), "answer", &root, NULL), 0);
	put(root, &style, &out);
	for (size_t i = 0; i < n; i++)
		if (!strstr(out.p, says[i]))
			fail_msg("no '%s' in:\n%s", says[i], out.p);
	if (never)
		assert_null(strstr(out.p, never));
	json_free(root);
}

static void changes_are_per_cent_or_factors(void **state UNUSED)
{
	static const char *const rows[][2] = {
		{ "{\"change\":0.071,\"low\":0.064,\"high\":0.078}", "+7.1 % [+6.4, +7.8]" },
		{ "{\"change\":5.83,\"low\":3,\"high\":12.7}", "6.83 times [4.00, 13.7]" },
		{ "{\"change\":127.2,\"low\":98.96,\"high\":131}", "128 times [100, 132]" },
		{ "{\"change\":4.2}", "5.20 times" },
		{ "{\"change\":-0.982,\"low\":-0.991,\"high\":-0.959}", "-98.2 % [-99.1, -95.9]" },
		{ "{}", "-" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		change_is(rows[i][0], rows[i][1]);
}

static void named_says(const char *low, const char *high, const char *wanted)
{
	struct answer_style style = { 0 };
	struct json *root = NULL;
	AUTO(str) struct str out = STR_INIT;
	AUTO_FREE char *text = xasprintf(
		"{\"command\":\"bisect\",\"verdict\":\"named\",\"culprit\":\"0123456789abcdef\",\"probability\":0.96,"
		"\"change\":0.5,\"low\":%s,\"high\":%s,\"change_source\":\"head-to-head\",\"direction\":\"regression\","
		"\"named\":{\"subject\":\"x\"},\"head_to_head\":{\"metrics\":[{\"n\":[14,13]}]}}",
		low, high);

	assert_int_equal(json_parse(text, strlen(text), "answer", &root, NULL), 0);
	answer_bisect(root, &style, &out);
	if (!strstr(out.p, wanted))
		fail_msg("no '%s' in: %s", wanted, out.p);
	json_free(root);
}

static void an_open_interval_confirms_nothing(void **state UNUSED)
{
	named_says("0.2", "0.8",
		   "+50.0 % [+20.0, +80.0] worse, against its parent in 14 + 13 fresh runs\n");
	named_says(
		"-0.1", "0.8",
		"+50.0 % [-10.0, +80.0], not decided against its parent in 14 + 13 fresh runs\n");
}

static void no_suspects_where_none_was_measured(void **state UNUSED)
{
	static const char answer[] =
		"{\"command\":\"bisect\",\"verdict\":\"undecided\",\"why\":\"x\",\"probability\":0.7,\"builds\":2,"
		"\"level\":0.95,\"suspects\":[{\"commit\":\"0123456789abcdef\",\"probability\":0.5},{\"commit\":\"0\"}]}";
	struct answer_style style = { 0 };
	struct json *root = NULL;
	AUTO(str) struct str out = STR_INIT;

	assert_int_equal(json_parse(answer, strlen(answer), "answer", &root, NULL), 0);
	answer_bisect(root, &style, &out);
	assert_non_null(strstr(out.p, "no commit between the ends was measured yet\n"));
	assert_null(strstr(out.p, "0123456789ab"));
	json_free(root);
}

static void undecided_says_what_is_missing(void **state UNUSED)
{
	static const char answer[] =
		"{\"command\":\"bisect\",\"verdict\":\"undecided\",\"why\":\"the budget is spent\",\"probability\":0.928,"
		"\"level\":0.95,\"suspects\":[{\"commit\":\"0123456789abcdef\",\"probability\":0.997,\"subject\":\"x\"}]}";
	struct answer_style style = { 0 };
	struct json *root = NULL;
	AUTO(str) struct str out = STR_INIT;

	assert_int_equal(json_parse(answer, strlen(answer), "answer", &root, NULL), 0);
	answer_bisect(root, &style, &out);
	assert_non_null(
		strstr(out.p, "the likeliest commit has P = 92.8 %, and 95 % is asked for\n"));
	assert_non_null(strstr(
		out.p,
		"if there is one change, the smallest set that holds it with 95 %: 1 commit\n"));
	json_free(root);
}

/* Commits that nothing measured tells apart: what one has is not what they have together. */
static void commits_alike_share_a_probability(void **state UNUSED)
{
	static const char answer[] =
		"{\"command\":\"bisect\",\"verdict\":\"undecided\",\"why\":\"the budget is spent\",\"out_of_budget\":true,"
		"\"probability\":0.163,\"alike\":6,\"alike_probability\":0.977,\"builds\":4,\"level\":0.95,"
		"\"change\":0.08,\"low\":0.07,\"high\":0.09,"
		"\"suspects\":[{\"commit\":\"0123456789abcdef\",\"probability\":0.167,\"subject\":\"x\"},{\"commit\":\"0\"}]}";
	static const char *const says[] = {
		" the likeliest commit has P = 16.3 %, and 95 % is asked for\n",
		" it is one of 6 that no measured commit tells apart, P = 97.7 % together\n",
		" change     +8.0 % [+7.0, +9.0] between the ends, by all builds so far\n",
		" budget     spent; the same command with a larger one, without --new, goes on from here\n",
	};
	struct answer_style style = { 0 };
	struct json *root = NULL;
	AUTO(str) struct str out = STR_INIT;

	assert_int_equal(json_parse(answer, strlen(answer), "answer", &root, NULL), 0);
	answer_bisect(root, &style, &out);
	for (size_t i = 0; i < ARRAY_LEN(says); i++)
		if (!strstr(out.p, says[i]))
			fail_msg("no '%s' in:\n%s", says[i], out.p);
	json_free(root);
}

/* A subject of 60 ideographs, which take 120 columns, and a long note. */
static void a_search_fits_the_terminal(void **state UNUSED)
{
	AUTO(str) struct str answer = STR_INIT, subject = STR_INIT;

	for (unsigned i = 0; i < 60; i++)
		str_puts(&subject, "\xe4\xb8\xad");
	str_addf(
		&answer,
		"{\"command\":\"bisect\",\"verdict\":\"named\",\"culprit\":\"0123456789abcdef\",\"probability\":0.99,"
		"\"named\":{\"subject\":\"%s\"},\"suspects\":[{},{\"commit\":\"1123456789abcdef\",\"subject\":\"%s\","
		"\"probability\":0.01}],\"warnings\":[\"the probability allows for builds that differ for no reason by "
		"more than these show: no fresh build of the same commit could be had\"]}",
		subject.p, subject.p);
	for (unsigned width = 0; width <= 80; width += 80) {
		struct answer_style style = { .color = width > 0, .width = width };
		struct json *root = NULL;
		AUTO(str) struct str out = STR_INIT;
		size_t widest = 0;

		assert_int_equal(json_parse(answer.p, answer.n, "answer", &root, NULL), 0);
		answer_bisect(root, &style, &out);
		for (char *save = NULL, *line = strtok_r(out.p, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			if (text_columns(line) > widest)
				widest = text_columns(line);
		assert_true(width ? widest <= 80 && widest > 70 : widest > 130);
		json_free(root);
	}
}

static void a_release_has_its_name(void **state UNUSED)
{
	static const char answer[] =
		"{\"command\":\"bisect\",\"verdict\":\"named\",\"kind\":\"release\",\"probability\":0.99,\"candidates\":5,"
		"\"culprit\":\"deb=linux-image-6.12.1-amd64=6.12.1-1\",\"named\":{\"subject\":\"6.12.1-1\"},"
		"\"change\":0.5,\"low\":0.4,\"high\":0.6,\"change_source\":\"head-to-head\",\"evidence\":\"emulated\",\"hunt\":7}";
	static const char *const says[] = { "5 releases", "linux-image-6.12.1-amd64  6.12.1-1",
					    "more work, against the release before it",
					    "explain    culprit explain 7\n" };
	struct answer_style style = { 0 };
	struct json *root = NULL;
	AUTO(str) struct str out = STR_INIT;

	assert_int_equal(json_parse(answer, strlen(answer), "answer", &root, NULL), 0);
	answer_bisect(root, &style, &out);
	for (size_t i = 0; i < ARRAY_LEN(says); i++)
		if (!strstr(out.p, says[i]))
			fail_msg("no '%s' in: %s", says[i], out.p);
	json_free(root);
}

/* Work is called work, with all its digits, and time keeps its words. */
static void what_an_emulator_counts_is_work(void **state UNUSED)
{
	static const char answer[] =
		"{\"command\":\"compare\",\"variants\":[\"a\",\"b\"],\"level\":0.95,\"hunt\":9,\"blind\":[\"cache\",\"tlb\"],"
		"\"metrics\":[{\"metric\":\"instructions\",\"unit\":\"\",\"variant\":\"b\",\"primary\":true,"
		"\"evidence\":\"emulated\",\"baseline_median\":2228432778,\"median\":2230000001,\"change\":0.0007,"
		"\"low\":0.0006,\"high\":0.0008,\"verdict\":\"slower\",\"n\":[4,4]},"
		"{\"metric\":\"llc-misses\",\"unit\":\"\",\"variant\":\"b\",\"evidence\":\"model\","
		"\"baseline_median\":10,\"median\":12,\"change\":0.2,\"low\":0.1,\"high\":0.3,"
		"\"verdict\":\"slower\",\"n\":[4,4]}]}";
	static const char *const says[] = {
		"2,228,432,778",      "2,230,000,001",	     "more work",
		"llc-misses (model)", "blind to cache, tlb", "Which functions: culprit explain 9\n"
	};
	struct answer_style style = { .width = 160 };
	struct json *root = NULL;
	AUTO(str) struct str out = STR_INIT;

	assert_int_equal(json_parse(answer, strlen(answer), "answer", &root, NULL), 0);
	answer_compare(root, &style, &out);
	for (size_t i = 0; i < ARRAY_LEN(says); i++)
		if (!strstr(out.p, says[i]))
			fail_msg("no '%s' in: %s", says[i], out.p);
	json_free(root);
	assert_string_equal(answer_work_word("measured", VERDICT_SLOWER, "wall", "s"), "slower");
	assert_string_equal(answer_work_word("emulated", VERDICT_FASTER, "wall", "s"), "less work");
	assert_string_equal(answer_work_word("emulated", VERDICT_ON_PAR, "wall", "s"), "on par");
}

/* Zero has no scale of its own: a clock that ticks gives zero as the median of short runs. */
static void zero_shares_its_rows_scale(void **state UNUSED)
{
	static const char run[] =
		"{\"command\":\"run\",\"measured\":[{\"variant\":\"HEAD\",\"metric\":\"sys\",\"unit\":\"s\",\"n\":3,"
		"\"median\":0,\"values\":[0,0,0.00081]}]}";
	static const char compare[] =
		"{\"command\":\"compare\",\"metrics\":[{\"variant\":\"B\",\"metric\":\"sys\",\"unit\":\"s\",\"n\":[3,3],"
		"\"baseline_median\":0,\"median\":0.00081,\"verdict\":\"undecided\"}],\"variants\":[\"A\",\"B\"]}";
	static const char confirm[] =
		"{\"command\":\"confirm\",\"verdict\":\"undecided\",\"findings\":[{\"metric\":\"sys\",\"unit\":\"s\",\"verdict\":\"undecided\","
		"\"good_median\":0,\"bad_median\":0.00081,\"fixed_median\":0.0005,\"loss\":{\"verdict\":\"undecided\"}}]}";
	static const char *const says[] = { " 0 us ", " 810.0 us " };

	text_has(run, answer_run, says, ARRAY_LEN(says), NULL);
	text_has(compare, answer_compare, says, ARRAY_LEN(says), NULL);
	text_has(confirm, answer_confirm, says, ARRAY_LEN(says), NULL);
}

static const char explained[] =
	"{\"command\":\"explain\",\"variants\":[\"0123456789abcdef0123456789abcdef01234567\",\"b\"],\"hunt\":3,\"runs\":4,"
	"\"metrics\":[{\"metric\":\"instructions\",\"unit\":\"\",\"primary\":true,\"baseline_median\":1000000.5,\"median\":1100000,"
	"\"change\":0.1,\"verdict\":\"slower\",\"evidence\":\"emulated\"},"
	"{\"metric\":\"llc-misses\",\"unit\":\"\",\"baseline_median\":7,\"median\":7,\"change\":0,\"evidence\":\"model\"}],"
	"\"functions\":{\"per_operation\":true,\"runs\":[2,2],\"count\":9,\"repeating\":7,\"total\":[1000,1100],\"gained\":190,\"lost\":100,\"noise\":2,"
	"\"rows\":[{\"function\":\"f\",\"before\":10,\"after\":100,\"difference\":90,\"spread\":0,\"status\":\"repeats\"},"
	"{\"function\":\"old\",\"before\":100,\"after\":0,\"difference\":-100,\"spread\":0,\"status\":\"repeats\"},"
	"{\"function\":\"v\",\"before\":10.25,\"after\":20,\"difference\":9.75,\"spread\":1,\"status\":\"varies\"},"
	"{\"function\":\"unsure\",\"before\":1,\"after\":2,\"difference\":1,\"spread\":3,\"status\":\"noise\"}],"
	"\"shifts\":[{\"gone\":[\"old\"],\"come\":[\"new\"],\"lost\":100,\"gained\":100}]},"
	"\"surroundings\":{\"count\":40,\"noise\":1,\"follow_memory\":2,\"rows\":["
	"{\"group\":\"sysctl\",\"key\":\"vm.x\",\"before\":\"1\",\"after\":\"\",\"rank\":0},"
	"{\"group\":\"dmesg\",\"key\":\"k #\",\"before\":null,\"after\":\"k 7\",\"rank\":14}]},"
	"\"remarks\":[\"not supported: cycles\"]}";

static void an_explanation_in_words(void **state UNUSED)
{
	static const char *const says[] = {
		" A  0123456789ab\n B  b\n",
		"instructions  1,000,000  1,100,000  +10.0 %\n",
		"model: caches that are computed",
		"instructions: more work\n",
		"for each operation (medians)",
		" f             10  100         +90  10.0 times    none\n",
		" old          100    0        -100        gone    none\n",
		"None: the same digits in every run",
		" v         10.250   20     +9.7500     +95.1 %       1\n",
		"2 more functions differ by no more than runs of one side do: noise.",
		"functions gained 190 and lost 100, which leaves +90 of 1,000.",
		"cost shift: old -100, new +100: as if code had moved; the sum is zero",
		"9 functions ran; 7 of them repeat",
		" sysctl  vm.x  1  (empty)\n",
		" dmesg   k 7   -  said\n",
		"38 more: --json",
		"Left out: 1 that differ by themselves",
		"note: not supported: cycles",
	};
	text_has(explained, answer_explain, says, ARRAY_LEN(says), "unsure");
}

/* What an emulator counts is work, in every sentence of a confirmation. */
static void a_confirmation_of_emulated_counts_never_says_slower(void **state UNUSED)
{
#define ROW(change, verdict)                                                                                      \
	"{\"metric\":\"instructions\",\"unit\":\"\",\"evidence\":\"emulated\",\"primary\":true,\"margin\":0.001," \
	"\"change\":" change ",\"low\":" change ",\"high\":" change ",\"verdict\":\"" verdict                     \
	"\"}"
	static const char answer[] =
		"{\"command\":\"confirm\",\"verdict\":\"partly\",\"culprit\":{\"commit\":\"0123456789abcdef\",\"subject\":\"x\"},"
		"\"good\":{\"name\":\"v1\",\"source\":\"parent\"},\"bad\":{\"name\":\"v2\"},\"fixed\":{\"name\":\"v2:revert=0\"},"
		"\"means\":\"revert\",\"findings\":[{\"metric\":\"instructions\",\"unit\":\"\",\"evidence\":\"emulated\","
		"\"verdict\":\"partly\",\"good_median\":1000,\"bad_median\":1100,\"fixed_median\":1025,"
		"\"recovered\":{\"share\":0.75,\"low\":0.75,\"high\":0.75},\"reproduced\":{\"share\":0.5,\"low\":0.004,\"high\":0.9},"
		"\"loss\":" ROW("0.1", "slower") ",\"left\":" ROW("0.025", "slower") ",\"back\":" ROW(
			"-0.07",
			"faster") ",\"picked\":" ROW("0.05",
						     "slower") "}],"
							       "\"layout\":{\"verdict\":\"survives\",\"findings\":["
							       "{\"verdict\":\"survives\",\"row\":" ROW(
								       "0.1", "slower") "}]}}";
#undef ROW
	static const char *const says[] = {
		" good       v1, the commit's parent\n",
		" partly     without it: +2.5 % [+2.5, +2.5] more work than good\n",
		"reverting recovers 75 % of the extra work\n",
		"the rest has another cause\n",
		" other way  picked onto good: +5.0 % [+5.0, +5.0] more work than good\n",
		"that is 50.0 % [0.4, 90.0] of the extra work\n",
		" layout     survives another code layout: +10.0 %",
	};
	text_has(answer, answer_confirm, says, ARRAY_LEN(says), "slower");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_per_cent_or_factors),
		cmocka_unit_test(undecided_says_what_is_missing),
		cmocka_unit_test(commits_alike_share_a_probability),
		cmocka_unit_test(a_search_fits_the_terminal),
		cmocka_unit_test(no_suspects_where_none_was_measured),
		cmocka_unit_test(an_open_interval_confirms_nothing),
		cmocka_unit_test(what_an_emulator_counts_is_work),
		cmocka_unit_test(a_release_has_its_name),
		cmocka_unit_test(zero_shares_its_rows_scale),
		cmocka_unit_test(an_explanation_in_words),
		cmocka_unit_test(a_confirmation_of_emulated_counts_never_says_slower),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
