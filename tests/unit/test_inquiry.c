/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes next in an investigation, from answers that are made up.
 */
#include "unit.h"

#include "hunt/inquiry.h"
#include "text/json.h"

#define C1 "1111111111111111111111111111111111111111"
#define C2 "2222222222222222222222222222222222222222"

static const char two_losses[] =
	"{\"metrics\":[{\"metric\":\"rtt\",\"primary\":true,\"verdict\":\"slower\",\"change\":0.05,\"low\":0.03,\"high\":0.07},"
	"{\"metric\":\"seek\",\"primary\":true,\"verdict\":\"slower\",\"change\":0.05,\"low\":0.04,\"high\":0.06},"
	"{\"metric\":\"load\",\"primary\":true,\"verdict\":\"faster\",\"change\":-0.3,\"low\":-0.31,\"high\":-0.29},"
	"{\"metric\":\"wall\",\"primary\":false,\"verdict\":\"slower\",\"change\":0.9,\"low\":0.89,\"high\":0.91}]}";
static const char no_loss[] =
	"{\"metrics\":[{\"metric\":\"rtt\",\"primary\":true,\"verdict\":\"on-par\",\"change\":0,\"low\":-0.01,\"high\":0.01}]}";

struct inquiry_fixture {
	struct inquiry q;
	struct inquiry_stage next;
};

static void begin(struct inquiry_fixture *f, const char *benchmark)
{
	*f = (struct inquiry_fixture){
		.q = { .good = "v1", .bad = "v2", .benchmarks = STRVEC_INIT, .most = 8 }
	};
	strvec_add(&f->q.benchmarks, benchmark);
}

static void end(struct inquiry_fixture *f)
{
	inquiry_stage_done(&f->next);
	inquiry_done(&f->q);
}

/* What is next, as "bisect net seek v1 v2" or "confirm net C1". */
static const char *next(struct inquiry_fixture *f)
{
	static char text[300];
	const struct inquiry_stage *s = &f->next;

	inquiry_stage_done(&f->next);
	inquiry_next(&f->q, &f->next);
	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s%s%s%s%s", inquiry_command(s->kind),
		 s->benchmark ? " " : "", s->benchmark ? s->benchmark : "", s->metric ? " " : "",
		 s->metric ? s->metric : "", s->good ? " " : "", s->good ? s->good : "",
		 s->bad ? " " : "", s->bad ? s->bad : "", s->commit ? " " : "",
		 s->commit ? s->commit : "");
	return text;
}

/* The stage that was next was done and answered. */
static void answer(struct inquiry_fixture *f, const char *json)
{
	struct err e = ERR_INIT;

	f->next.hunt = (int64_t)f->q.stages.n + 2;
	assert_int_equal(inquiry_add(&f->q, &f->next, json, &e), 0);
}

/* The ends are compared, and two metrics got worse. */
static void begin_with_losses(struct inquiry_fixture *f)
{
	begin(f, "net");
	next(f);
	answer(f, two_losses);
}

static const char *named(const char *commit)
{
	static char text[200];

	snprintf(text, sizeof(text), "{\"verdict\":\"named\",\"culprit\":\"%s\"}", commit);
	return text;
}

static const char *findings(const char *rtt, const char *seek)
{
	static char text[300];

	snprintf(text, sizeof(text),
		 "{\"verdict\":\"partly\",\"findings\":[{\"metric\":\"rtt\",\"verdict\":\"%s\"},"
		 "{\"metric\":\"seek\",\"verdict\":\"%s\"}]}",
		 rtt, seek);
	return text;
}

static const char *verdict(struct inquiry_fixture *f)
{
	static char ret[40];
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;
	struct err e = ERR_INIT;

	json_out_object(&w, NULL);
	inquiry_answer(&f->q, &w);
	json_out_close(&w);
	assert_int_equal(json_parse(out.p, out.n, "answer", &root, &e), 0);
	snprintf(ret, sizeof(ret), "%s", json_to_text(root, "verdict"));
	return ret;
}

static void nothing_got_worse(void **state)
{
	struct inquiry_fixture f;

	(void)state;
	begin(&f, "net");
	strvec_add(&f.q.benchmarks, "disk");
	assert_string_equal(next(&f), "compare net");
	answer(&f, no_loss);
	assert_string_equal(next(&f), "compare disk");
	answer(&f, no_loss);
	assert_string_equal(next(&f), "");
	assert_string_equal(verdict(&f), "none");
	end(&f);
}

static void one_commit_for_both(void **state)
{
	struct inquiry_fixture f;

	(void)state;
	begin(&f, "net");
	f.q.explains = true;
	f.q.fixed_in = "v3";
	f.q.n_patches = 1;
	strvec_add(&f.q.benchmarks, "disk");
	next(&f);
	answer(&f, two_losses);
	next(&f);
	answer(&f, no_loss);
	/* the clearer of the two; what is not primary or got better is not searched */
	assert_string_equal(next(&f), "bisect net seek v1 v2");
	answer(&f, named(C1));
	/* not where nothing got worse */
	assert_string_equal(next(&f), "confirm net " C1);
	answer(&f, findings("confirmed", "confirmed"));
	assert_string_equal(next(&f), "explain net seek " C1);
	answer(&f, "{}");
	assert_string_equal(next(&f), "bisect net seek " C1);
	assert_int_equal(f.next.kind, INQUIRY_FIX);
	answer(&f, named(C2));
	assert_string_equal(next(&f), "try net");
	answer(&f, "{}");
	assert_string_equal(next(&f), "");
	assert_string_equal(verdict(&f), "explained");
	end(&f);
}

static void the_other_metric_is_searched_by_itself(void **state)
{
	struct inquiry_fixture f;

	(void)state;
	begin_with_losses(&f);
	next(&f);
	answer(&f, named(C1));
	next(&f);
	answer(&f, findings("refuted", "confirmed"));
	assert_string_equal(next(&f), "bisect net rtt v1 v2");
	answer(&f, named(C2));
	assert_string_equal(next(&f), "confirm net " C2);
	answer(&f, findings("confirmed", "refuted"));
	assert_string_equal(next(&f), "");
	assert_string_equal(verdict(&f), "explained");
	end(&f);
}

static void a_part_is_searched_on_both_sides(void **state)
{
	struct inquiry_fixture f;

	(void)state;
	begin_with_losses(&f);
	next(&f);
	answer(&f, named(C1));
	next(&f);
	answer(&f, findings("confirmed", "partly"));
	assert_string_equal(next(&f), "bisect net seek " C1 " v2");
	answer(&f, "{\"verdict\":\"no-change\"}");
	assert_string_equal(next(&f), "bisect net seek v1 " C1 "^");
	answer(&f, named(C2));
	assert_string_equal(next(&f), "confirm net " C2);
	answer(&f, findings("refuted", "partly"));
	assert_string_equal(next(&f), "");
	assert_string_equal(verdict(&f), "partly");
	end(&f);
}

static void a_search_that_names_nothing_is_not_repeated(void **state)
{
	struct inquiry_fixture f;

	(void)state;
	begin_with_losses(&f);
	next(&f);
	answer(&f, "{\"verdict\":\"undecided\"}");
	assert_string_equal(next(&f), "bisect net rtt v1 v2");
	f.next.why = xstrdup("it cannot be done");
	answer(&f, NULL);
	assert_string_equal(next(&f), "");
	assert_string_equal(verdict(&f), "unexplained");
	end(&f);
}

static void several_changes_of_one_search_are_culprits_each(void **state)
{
	struct inquiry_fixture f;

	(void)state;
	begin_with_losses(&f);
	next(&f);
	answer(&f, "{\"verdict\":\"multiple\",\"changes\":[{\"verdict\":\"named\",\"culprit\":\"" C1
		   "\"},{\"verdict\":\"named\",\"culprit\":\"" C2 "\"}]}");
	assert_string_equal(next(&f), "confirm net " C1);
	answer(&f, findings("refuted", "partly"));
	assert_string_equal(next(&f), "confirm net " C2);
	answer(&f, findings("refuted", "partly"));
	f.q.most = 2;
	assert_string_equal(next(&f), "");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_got_worse),
		cmocka_unit_test(one_commit_for_both),
		cmocka_unit_test(the_other_metric_is_searched_by_itself),
		cmocka_unit_test(a_part_is_searched_on_both_sides),
		cmocka_unit_test(a_search_that_names_nothing_is_not_repeated),
		cmocka_unit_test(several_changes_of_one_search_are_culprits_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
