/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Letters from answers that are written here: what may be claimed, how wide it gets, and what hostile names come out as. */
#include "report/answer.h"
#include "report/claim.h"
#include "report/write.h"
#include "text/json.h"
#include "text/table.h"
#include "unit.h"

#define LONG "a_very_long_metric_name_that_goes_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on"
#define EVIL "<script>alert(1)</script>\\u001b[31m\\u202egnp.exe"

#define ROW(metric, verdict, change, low, high)                                                           \
	"{\"benchmark\":\"default\",\"metric\":\"" metric                                                 \
	"\",\"unit\":\"s\",\"better\":\"lower\",\"variant\":\"b\",\"baseline\":\"a\",\"primary\":true,"   \
	"\"n\":[9,9],\"evidence\":\"measured\",\"baseline_median\":1.5,\"median\":1.6,\"change\":" change \
	",\"low\":" low ",\"high\":" high ",\"level\":0.95,\"margin\":0.01,\"verdict\":\"" verdict        \
	"\"}"

static struct json *parse(const char *text)
{
	struct json *root = NULL;
	struct err e = ERR_INIT;

	if (json_parse(text, strlen(text), "row", &root, &e) < 0)
		fail_msg("%s in %s", e.msg, text);
	return root;
}

static void claims_need_an_interval_on_one_side(void **state UNUSED)
{
	static const struct {
		const char *row;
		enum claim claim;
		const char *why;
	} rows[] = {
		{ ROW("wall", "slower", "0.07", "0.06", "0.08"), CLAIM_CHANGE, NULL },
		{ ROW("wall", "faster", "-0.07", "-0.08", "-0.06"), CLAIM_CHANGE, NULL },
		{ ROW("wall", "slower", "0.07", "-0.01", "0.08"), CLAIM_REFUSED,
		  "its interval crosses zero" },
		{ ROW("wall", "slower", "0.07", "0", "0.08"), CLAIM_REFUSED,
		  "its interval crosses zero" },
		{ ROW("wall", "slower", "0.07", "null", "null"), CLAIM_REFUSED, "no interval" },
		{ ROW("wall", "undecided", "0.07", "0.06", "0.08"), CLAIM_REFUSED, "undecided" },
		{ ROW("wall", "on-par", "0.001", "-0.004", "0.006"), CLAIM_SAME, NULL },
		{ ROW("wall", "on-par", "0.001", "-0.004", "0.06"), CLAIM_REFUSED,
		  "its interval passes the margin" },
		{ ROW("wall", "identical", "0", "null", "null"), CLAIM_SAME, NULL },
		{ "{}", CLAIM_REFUSED, "no verdict" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json *row = parse(rows[i].row);
		const char *why;

		if (claim_of(row, &why) != rows[i].claim)
			fail_msg("row %zu: %s", i, why ? why : "claimed");
		if (rows[i].why)
			assert_string_equal(why, rows[i].why);
		else
			assert_null(why);
		json_free(row);
	}
}

static void comparison(struct dossier *d, const char *rows)
{
	AUTO_FREE char *answer = xasprintf(
		"{\"command\":\"compare\",\"variants\":[\"a\",\"b\"],\"metrics\":[%s]}", rows);

	*d = (struct dossier){ .kind = xstrdup("compare"),
			       .version = xstrdup("1"),
			       .project = xstrdup("p") };
	d->main = (struct dossier_part){ .hunt = 1,
					 .answer = parse(answer),
					 .question = parse("{\"benchmark\":\"default\"}"),
					 .complete = true,
					 .status = xstrdup("answered") };
}

static void mail_of(const char *rows, struct str *out)
{
	AUTO(dossier) struct dossier d = { 0 };
	AUTO(letter) struct letter l = { 0 };

	comparison(&d, rows);
	letter_compose(&d, &l);
	write_mail(&d, &l, out);
}

static void subjects_say_what_may_be_said(void **state UNUSED)
{
	static const char *const rows[][2] = {
		{ ROW("wall", "slower", "0.07", "0.06", "0.08"),
		  "Subject: [REGRESSION] p: wall +7.0 %, a to b\n" },
		{ ROW("wall", "faster", "-0.07", "-0.08", "-0.06"),
		  "Subject: [IMPROVEMENT] p: wall -7.0 %, a to b\n" },
		{ ROW("wall", "undecided", "0.07", "-0.06", "0.08"),
		  "Subject: [UNDECIDED] p: wall, a to b\n" },
		{ ROW("wall", "on-par", "0.001", "-0.004", "0.006"),
		  "Subject: [NO CHANGE] p: wall, a to b\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str out = STR_INIT;

		mail_of(rows[i][0], &out);
		if (!starts_with(out.p, rows[i][1]))
			fail_msg("wanted %s got %.100s", rows[i][1], out.p);
	}
}

static void what_is_refused_is_named_and_not_claimed(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT;

	mail_of(ROW("wall", "slower", "0.07", "0.06",
		    "0.08") "," ROW("rss", "undecided", "0.31", "-0.1",
				    "0.5") "," ROW("user", "slower", "0.42", "-0.01", "0.8"),
		&out);
	assert_non_null(strstr(out.p, "- rss (the comparison): undecided\n"));
	assert_non_null(strstr(out.p, "- user (the comparison): its interval crosses zero\n"));
	assert_null(strstr(out.p, "31.0"));
	assert_null(strstr(out.p, "42.0"));
}

static void emulated_numbers_are_work(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT;
	static const char row[] =
		"{\"benchmark\":\"rr\",\"metric\":\"instructions-per-op\",\"unit\":\"\",\"better\":\"lower\","
		"\"variant\":\"b\",\"baseline\":\"a\",\"primary\":true,\"n\":[3,3],\"evidence\":\"emulated\","
		"\"baseline_median\":100,\"median\":121,\"change\":0.21,\"low\":0.2,\"high\":0.22,"
		"\"level\":0.95,\"margin\":0.01,\"verdict\":\"slower\"}";

	mail_of(row, &out);
	assert_true(starts_with(out.p, "Subject: [WORK] "));
	assert_non_null(strstr(out.p, "emulated: "));
	assert_null(strstr(out.p, "slower"));
	assert_null(strstr(out.p, "REGRESSION"));
	assert_null(strstr(out.p, "regzbot"));
}

static void no_line_of_a_mail_is_wider_than_72(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT;
	const char *body;

	mail_of(ROW(LONG LONG, "slower", "0.07", "0.06",
		    "0.08") "," ROW(EVIL, "undecided", "0.1", "-1",
				    "1") "," ROW("wall", "slower", "0.0701", "0.0699", "0.0703"),
		&out);
	body = strstr(out.p, "\n\n");
	assert_non_null(body);
	while (*body) {
		size_t n = strcspn(body, "\n");
		AUTO_FREE char *line = xstrndup(body, n);

		if (text_columns(line) > 72)
			fail_msg("%zu columns: %s", text_columns(line), line);
		body += n + (body[n] == '\n');
	}
}

static void hostile_names_are_harmless_in_every_form(void **state UNUSED)
{
	void (*const writers[])(const struct dossier *, const struct letter *,
				struct str *) = { write_mail, write_markdown, write_sru,
						  write_html };

	for (size_t i = 0; i < ARRAY_LEN(writers); i++) {
		AUTO(dossier) struct dossier d = { 0 };
		AUTO(letter) struct letter l = { 0 };
		AUTO(str) struct str out = STR_INIT;

		comparison(&d, ROW(EVIL, "slower", "0.07", "0.06",
				   "0.08") "," ROW(EVIL "2", "undecided", "0.1", "-1", "1"));
		letter_compose(&d, &l);
		writers[i](&d, &l, &out);
		assert_null(strchr(out.p, '\x1b'));
		assert_null(strstr(out.p, "\xe2\x80\xae"));
		if (writers[i] != write_mail && writers[i] != write_sru)
			assert_null(strstr(out.p, "<script>alert"));
	}
}

/* 10,000 samples of a search over 2,000 commits. */
static void a_page_of_ten_thousand_samples_is_under_a_megabyte(void **state UNUSED)
{
	AUTO(dossier) struct dossier d = { 0 };
	AUTO(letter) struct letter l = { 0 };
	AUTO(str) struct str out = STR_INIT;
	struct dossier_series *x;

	comparison(&d, ROW("wall", "slower", "0.07", "0.06", "0.08"));
	free(d.kind);
	d.kind = xstrdup("bisect");
	x = ARRAY_GROW(&d.series);
	x->hunt = 1;
	x->metric = xstrdup("wall");
	x->unit = xstrdup("s");
	for (uint32_t i = 0; i < 2000; i++)
		ARRAY_PUSH(&d.range,
			   ((struct dossier_commit){
				   .name = xasprintf("%040x", i),
				   .subject = xstrdup(
					   "a title of some words that is as long as titles are"),
				   .p = 1.0 / 2000,
				   .runs = i % 40 ? 0 : 200,
				   .median = 1,
			   }));
	for (uint32_t i = 0; i < 50; i++) {
		strvec_addf(&x->nodes, "%040x", 40 * i);
		strvec_addf(&x->sides, "%012x", 40 * i);
	}
	for (uint32_t i = 0; i < 10000; i++)
		ARRAY_PUSH(&x->dots, ((struct dossier_dot){ .side = i % 50,
							    .value = 1 + (i * 7919 % 1000) / 1e5,
							    .order = i }));
	letter_compose(&d, &l);
	write_html(&d, &l, &out);
	assert_in_range(out.n, 100000, 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims_need_an_interval_on_one_side),
		cmocka_unit_test(subjects_say_what_may_be_said),
		cmocka_unit_test(what_is_refused_is_named_and_not_claimed),
		cmocka_unit_test(emulated_numbers_are_work),
		cmocka_unit_test(no_line_of_a_mail_is_wider_than_72),
		cmocka_unit_test(a_page_of_ten_thousand_samples_is_under_a_megabyte),
		cmocka_unit_test(hostile_names_are_harmless_in_every_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
