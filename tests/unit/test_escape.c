/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/escape.h"
#include "text/table.h"
#include "unit.h"

#define HOSTILE "<script>alert('x')</script>\x1b[31m\xe2\x80\xae" "evil\xe2\x80\x8b & \"q\"\n\x01"

static void hidden_characters_are_written_out(void **state UNUSED)
{
	static const char *const rows[][2] = {
		{ "plain", "plain" },
		{ "a\tb\nc\rd", "a b c d" },
		{ "\x1b[31m", "<U+001B>[31m" },
		{ "\xe2\x80\xaeko", "<U+202E>ko" }, /* right-to-left override */
		{ "\xe2\x81\xa6x\xe2\x81\xa9", "<U+2066>x<U+2069>" },
		{ "a\xe2\x80\x8b"
		  "b",
		  "a<U+200B>b" },
		{ "\xc2\x9b"
		  "1m",
		  "<U+009B>1m" }, /* C1: a terminal's CSI */
		{ "\xff", "\xef\xbf\xbd" },
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" }, /* overlong */
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str out = STR_INIT;

		escape_plain(&out, rows[i][0]);
		assert_string_equal(out.p, rows[i][1]);
	}
}

static void html_has_no_markup_left(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT;

	escape_html(&out, HOSTILE);
	assert_null(strpbrk(out.p, "<>\"'\x1b\n\x01"));
	assert_non_null(strstr(out.p, "&lt;script&gt;"));
	assert_non_null(strstr(out.p, "&lt;U+202E&gt;evil"));
	assert_non_null(strstr(out.p, " &amp; "));
}

static void markdown_has_no_markup_left(void **state UNUSED)
{
	static const char *const rows[][2] = {
		{ "# no heading", "\\# no heading" },
		{ "a | b", "a \\| b" },
		{ "[x](y) `z` *w* <b>", "\\[x\\](y) \\`z\\` \\*w\\* \\<b\\>" },
		{ "back\\slash", "back\\\\slash" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str out = STR_INIT;

		escape_markdown(&out, rows[i][0]);
		assert_string_equal(out.p, rows[i][1]);
	}
}

static void a_header_stays_one_header(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT, coded = STR_INIT, empty = STR_INIT;

	escape_header(
		&out,
		"a title\nBcc: everybody@example.org with so many words that it has to be folded somewhere",
		9);
	for (const char *p = out.p; (p = strchr(p, '\n')); p++)
		assert_int_equal(p[1], ' ');
	assert_null(strstr(out.p, "\nBcc"));
	escape_header(&coded, "caf\xc3\xa9", 9);
	assert_string_equal(coded.p, "=?UTF-8?B?Y2Fmw6k=?=");
	escape_header(&empty, "", 9);
	assert_string_equal(empty.p, "");
}

static void a_cut_ends_in_dots_and_fits(void **state UNUSED)
{
	AUTO(str) struct str out = STR_INIT, whole = STR_INIT;
	char text[500];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	escape_plain_cut(&out, text, 40);
	assert_int_equal(text_columns(out.p), 40);
	assert_string_equal(out.p + 38, "..");
	escape_plain_cut(&whole, "short", 40);
	assert_string_equal(whole.p, "short");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_characters_are_written_out),
		cmocka_unit_test(html_has_no_markup_left),
		cmocka_unit_test(markdown_has_no_markup_left),
		cmocka_unit_test(a_header_stays_one_header),
		cmocka_unit_test(a_cut_ends_in_dots_and_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
