/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "stats/contrast.h"

/* One name's counts in the runs of both sides. */
struct counted {
	const char *name;
	double a[3], b[3];
};

static void fill(struct contrast *c, const struct counted *v, size_t n, unsigned runs, double per)
{
	for (unsigned side = 0; side < 2; side++)
		for (unsigned k = 0; k < runs; k++) {
			contrast_run(c, side, per);
			for (size_t i = 0; i < n; i++)
				if ((side ? v[i].b[k] : v[i].a[k]) != 0)
					contrast_add(c, v[i].name, strlen(v[i].name),
						     side ? v[i].b[k] : v[i].a[k]);
		}
	contrast_finish(c);
}

static const struct contrast_row *row(const struct contrast *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].name, name))
			return &c->v[i];
	return NULL;
}

static void standing_of_a_name(void **state)
{
	static const struct {
		struct counted counts;
		enum contrast_status status;
	} rows[] = {
		{ { "same digits", { 7, 7, 7 }, { 9, 9, 9 } }, CONTRAST_REPEATS },
		{ { "new", { 0, 0, 0 }, { 9, 9, 9 } }, CONTRAST_REPEATS },
		{ { "far apart", { 100, 101, 100 }, { 120, 121, 120 } }, CONTRAST_VARIES },
		{ { "apart by less than wide", { 100, 110, 105 }, { 119, 121, 120 } },
		  CONTRAST_NOISE },
		{ { "overlaps", { 100, 110, 105 }, { 109, 121, 120 } }, CONTRAST_NOISE },
		{ { "one side repeats", { 7, 7, 7 }, { 9, 8, 9 } }, CONTRAST_NOISE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(contrast) struct contrast c = { 0 };

		fill(&c, &rows[i].counts, 1, 3, 1);
		assert_int_equal(c.n, 1);
		if (c.v[0].status != rows[i].status)
			fail_msg("%s: %s", rows[i].counts.name,
				 contrast_status_name(c.v[0].status));
	}
}

static void one_run_claims_no_repeating(void **state)
{
	static const struct counted v = { "f", { 7 }, { 9 } };
	AUTO(contrast) struct contrast c = { 0 };

	(void)state;
	fill(&c, &v, 1, 1, 1);
	assert_int_equal(c.v[0].status, CONTRAST_ONCE);
	assert_int_equal(c.repeating, 0);
}

static void largest_first_and_unchanged_left_out(void **state)
{
	static const struct counted v[] = {
		{ "small", { 10, 10 }, { 11, 11 } },
		{ "equal", { 10, 10 }, { 10, 10 } },
		{ "large down", { 1000, 1000 }, { 10, 10 } },
		{ "large up", { 10, 10 }, { 900, 900 } },
	};
	AUTO(contrast) struct contrast c = { 0 };

	(void)state;
	fill(&c, v, ARRAY_LEN(v), 2, 1);
	assert_int_equal(c.n, 3);
	assert_string_equal(c.v[0].name, "large down");
	assert_string_equal(c.v[1].name, "large up");
	assert_string_equal(c.v[2].name, "small");
	assert_int_equal(c.names, 4);
	assert_int_equal(c.repeating, 4);
	assert_double(c.gained, 891, 1e-12);
	assert_double(c.lost, 990, 1e-12);
	assert_double(c.total[0], 1030, 1e-12);
	assert_double(c.total[1], 931, 1e-12);
}

static void counts_are_for_each_operation_and_added_up(void **state)
{
	AUTO(contrast) struct contrast c = { 0 };

	(void)state;
	for (unsigned side = 0; side < 2; side++)
		for (int k = 0; k < 2; k++) {
			contrast_run(&c, side, 10);
			contrast_add(&c, "f and more", 1, 30);
			contrast_add(&c, "f", 1, side ? 70 : 20);
		}
	contrast_finish(&c);
	assert_int_equal(c.n, 1);
	assert_double(c.v[0].median[0], 5, 1e-12);
	assert_double(c.v[0].median[1], 10, 1e-12);
}

/* --- shifts --- */

static void say(const struct contrast_shifts *s, struct str *out)
{
	for (size_t i = 0; i < s->n; i++) {
		str_puts(out, i ? "; " : "");
		for (size_t k = 0; k < s->v[i].gone.n; k++)
			str_addf(out, "%s%s", k ? "+" : "", s->v[i].gone.v[k]);
		str_puts(out, " -> ");
		for (size_t k = 0; k < s->v[i].come.n; k++)
			str_addf(out, "%s%s", k ? "+" : "", s->v[i].come.v[k]);
		str_addf(out, " %g %g", s->v[i].lost, s->v[i].gained);
	}
}

static void what_moved(void **state)
{
	static const struct {
		const char *what, *expected;
		struct counted v[4];
	} rows[] = {
		{ "nothing is gone",
		  "",
		  { { "f", { 100, 100 }, { 90, 90 } }, { "g", { 10, 10 }, { 20, 20 } } } },
		{ "renamed",
		  "old -> new 100 100",
		  { { "old", { 100, 100 }, { 0 } }, { "new", { 0 }, { 100, 100 } } } },
		{ "renamed, and another is new",
		  "old -> new 100 102",
		  { { "old", { 100, 100 }, { 0 } },
		    { "new", { 0 }, { 102, 102 } },
		    { "other", { 0 }, { 60, 60 } } } },
		{ "inlined: the call is saved",
		  "callee -> caller 100 80",
		  { { "callee", { 100, 100 }, { 0 } }, { "caller", { 500, 500 }, { 580, 580 } } } },
		{ "what is new carries all of it or is not it",
		  "",
		  { { "callee", { 100, 100 }, { 0 } }, { "new", { 0 }, { 80, 80 } } } },
		{ "grew by more than was lost",
		  "",
		  { { "callee", { 100, 100 }, { 0 } }, { "caller", { 500, 500 }, { 700, 700 } } } },
		{ "grew by too little",
		  "",
		  { { "callee", { 100, 100 }, { 0 } }, { "caller", { 500, 500 }, { 540, 540 } } } },
		{ "taken out of line",
		  "caller -> callee 90 100",
		  { { "caller", { 580, 580 }, { 490, 490 } }, { "callee", { 0 }, { 100, 100 } } } },
		{ "several into one",
		  "a+b -> caller 180 150",
		  { { "a", { 100, 100 }, { 0 } },
		    { "b", { 80, 80 }, { 0 } },
		    { "caller", { 500, 500 }, { 650, 650 } } } },
		{ "the closest of two",
		  "callee -> near 100 95",
		  { { "callee", { 100, 100 }, { 0 } },
		    { "near", { 50, 50 }, { 145, 145 } },
		    { "far", { 50, 50 }, { 110, 110 } } } },
		{ "noise moves nothing",
		  "",
		  { { "callee", { 100, 1 }, { 0 } }, { "caller", { 500, 500 }, { 580, 580 } } } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(contrast) struct contrast c = { 0 };
		AUTO(contrast_shifts) struct contrast_shifts s = { 0 };
		AUTO(str) struct str got = STR_INIT;
		size_t n = 0;

		while (n < ARRAY_LEN(rows[i].v) && rows[i].v[n].name)
			n++;
		fill(&c, rows[i].v, n, 2, 1);
		contrast_find_shifts(&c, 1, &s);
		say(&s, &got);
		if (strcmp(got.p, rows[i].expected))
			fail_msg("%s: '%s', expected '%s'", rows[i].what, got.p, rows[i].expected);
	}
}

/* Between two releases hundreds of functions come and go: like costs alone say nothing then, like names with them do. */
static void in_a_crowd_names_must_be_alike(void **state)
{
	AUTO(contrast) struct contrast c = { 0 };
	AUTO(contrast_shifts) struct contrast_shifts s = { 0 };
	AUTO(str) struct str got = STR_INIT;

	(void)state;
	for (unsigned side = 0; side < 2; side++)
		for (int k = 0; k < 2; k++) {
			contrast_run(&c, side, 1);
			for (int i = 0; i < 40; i++) {
				AUTO_FREE char *name = xasprintf(
					"libquitelong.so.1:%s%c%c%d", side ? "zzz" : "qqqq",
					'a' + i % 26, 'a' + i * 7 % 26, i * i);

				contrast_add(&c, name, strlen(name), 100 + 20 * i + (int)side);
			}
			contrast_add(&c, side ? "folio_add_anon_rmap" : "page_add_anon_rmap",
				     side ? 19 : 18, 500);
		}
	contrast_finish(&c);
	contrast_find_shifts(&c, 50, &s);
	say(&s, &got);
	assert_string_equal(got.p, "page_add_anon_rmap -> folio_add_anon_rmap 500 500");
}

static void small_changes_are_let_alone(void **state)
{
	static const struct counted v[] = { { "old", { 100, 100 }, { 0 } },
					    { "new", { 0 }, { 100, 100 } } };
	AUTO(contrast) struct contrast c = { 0 };
	AUTO(contrast_shifts) struct contrast_shifts s = { 0 };

	(void)state;
	fill(&c, v, 2, 2, 1);
	contrast_find_shifts(&c, 101, &s);
	assert_int_equal(s.n, 0);
}

static void nothing_at_all(void **state)
{
	AUTO(contrast) struct contrast c = { 0 };
	AUTO(contrast_shifts) struct contrast_shifts s = { 0 };

	(void)state;
	contrast_finish(&c);
	contrast_find_shifts(&c, 0, &s);
	assert_int_equal(c.n, 0);
	assert_int_equal(s.n, 0);
	assert_null(row(&c, "f"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(standing_of_a_name),
		cmocka_unit_test(one_run_claims_no_repeating),
		cmocka_unit_test(largest_first_and_unchanged_left_out),
		cmocka_unit_test(counts_are_for_each_operation_and_added_up),
		cmocka_unit_test(what_moved),
		cmocka_unit_test(in_a_crowd_names_must_be_alike),
		cmocka_unit_test(small_changes_are_let_alone),
		cmocka_unit_test(nothing_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
