/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "text/table.h"

static void fill(struct table *t)
{
	table_column(t, "metric", TABLE_LEFT | TABLE_SHRINK);
	table_column(t, "change", TABLE_RIGHT);
	table_column(t, "verdict", TABLE_LEFT);
	table_section(t, "deflate");
	table_cell(t, TEXT_PLAIN, "wall");
	table_cell(t, TEXT_PLAIN, "%+.1f %%", 7.1);
	table_cell(t, TEXT_BAD, "slower");
	table_cell(t, TEXT_PLAIN, "largest process's memory");
	table_cell(t, TEXT_PLAIN, "-12.0 %%");
	table_cell(t, TEXT_GOOD, "better");
}

static void columns_are_aligned(void **state UNUSED)
{
	AUTO(table) struct table t = TABLE_INIT;
	AUTO(str) struct str out = STR_INIT;

	fill(&t);
	table_put(&t, 0, false, &out);
	assert_string_equal(out.p, "metric                     change  verdict\n"
				   "------------------------  -------  -------\n"
				   "deflate\n"
				   "wall                       +7.1 %  slower\n"
				   "largest process's memory  -12.0 %  better\n");
}

static void a_narrow_terminal_cuts_text_not_numbers(void **state UNUSED)
{
	static const struct {
		unsigned width;
		const char *line;
	} rows[] = {
		{ 100, "largest process's memory  -12.0 %  better\n" },
		{ 42, "largest process's memory  -12.0 %  better\n" },
		{ 30, "largest pr..  -12.0 %  better\n" },
		{ 10, "larges..  -12.0 %  better\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(table) struct table t = TABLE_INIT;
		AUTO(str) struct str out = STR_INIT;

		fill(&t);
		table_put(&t, rows[i].width, false, &out);
		if (!ends_with(out.p, rows[i].line))
			fail_msg("width %u: %s", rows[i].width, out.p);
	}
}

static void colour_changes_no_column(void **state UNUSED)
{
	AUTO(table) struct table t = TABLE_INIT;
	AUTO(str) struct str out = STR_INIT;

	t.indent = 1;
	fill(&t);
	table_put(&t, 0, true, &out);
	assert_string_equal(
		out.p,
		" \033[1mmetric\033[0m                     \033[1mchange\033[0m  \033[1mverdict\033[0m\n"
		" ------------------------  -------  -------\n"
		" \033[1mdeflate\033[0m\n"
		" wall                       +7.1 %  \033[31mslower\033[0m\n"
		" largest process's memory  -12.0 %  \033[32mbetter\033[0m\n");
}

static void width_is_what_is_seen(void **state UNUSED)
{
	static const struct {
		const char *text;
		size_t columns;
	} rows[] = {
		{ "", 0 },
		{ "plain", 5 },
		{ "gr\xc3\xbc\xc3\x9f", 4 },
		{ "e\xcc\x81", 1 },		   /* e + combining acute */
		{ "\xe6\x97\xa5\xe6\x9c\xac", 4 }, /* two ideographs */
		{ "\xf0\x9f\x98\x80", 2 },
		{ "\xff\xfe", 2 },
		{ "\xe6\x97", 2 }, /* cut short */
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(text_columns(rows[i].text), rows[i].columns);
}

static void hostile_cells_stay_on_their_line(void **state UNUSED)
{
	AUTO(table) struct table t = TABLE_INIT;
	AUTO(str) struct str out = STR_INIT;

	t.no_header = true;
	table_column(&t, "", TABLE_LEFT);
	table_column(&t, "", TABLE_LEFT);
	table_cell(&t, TEXT_PLAIN, "a\nb\033[2J");
	table_cell(&t, TEXT_PLAIN, "x");
	table_cell(&t, TEXT_PLAIN, "short row");
	table_put(&t, 0, false, &out);
	assert_string_equal(out.p, "a b [2J    x\nshort row\n");
}

static void text_wraps_at_spaces(void **state UNUSED)
{
	static const struct {
		const char *text, *wrapped;
	} rows[] = {
		{ "", "\n" },
		{ "one", "one\n" },
		{ "one two three four", "one two\n  three\n  four\n" },
		{ "a   b", "a   b\n" },
		{ "one     twotwo", "one\n  twotwo\n" },
		{ "\033[1mone\033[0m two three", "\033[1mone\033[0m two\n  three\n" },
		/* seven ideographs; a family of three that are one picture is not parted */
		{ "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87"
		  "x",
		  "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\n  \xe4\xb8\xad\xe6\x96"
		  "\x87x\n" },
		{ "one  \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa6",
		  "one\n  \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa6\n" },
		{ "averyveryverylongword x", "averyveryverylongword\n  x\n" },
		{ "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc \xc3\xbc\xc3\xbc\xc3\xbc",
		  "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc \xc3\xbc\xc3\xbc\xc3\xbc\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str out = STR_INIT;

		text_wrap(&out, rows[i].text, 2, 2, 10);
		assert_string_equal(out.p, rows[i].wrapped);
	}
}

static void an_empty_table_is_nothing(void **state UNUSED)
{
	AUTO(table) struct table t = TABLE_INIT;
	AUTO(str) struct str out = STR_INIT;

	table_put(&t, 80, true, &out);
	assert_string_equal(out.p, "");
	assert_int_equal(table_rows(&t), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_aligned),
		cmocka_unit_test(a_narrow_terminal_cuts_text_not_numbers),
		cmocka_unit_test(colour_changes_no_column),
		cmocka_unit_test(width_is_what_is_seen),
		cmocka_unit_test(hostile_cells_stay_on_their_line),
		cmocka_unit_test(text_wraps_at_spaces),
		cmocka_unit_test(an_empty_table_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
