/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "base/str.h"
#include "text/json.h"

#include <math.h>

static void members_keep_their_order(void **state UNUSED)
{
	AUTO(str) struct str compact = STR_INIT, pretty = STR_INIT;
	struct json_out w[2] = { JSON_OUT_INIT(&compact, JSON_STYLE_COMPACT),
				 JSON_OUT_INIT(&pretty, JSON_STYLE_PRETTY) };

	for (int i = 0; i < 2; i++) {
		json_out_object(&w[i], NULL);
		json_out_int(&w[i], "schema", 1);
		json_out_text(&w[i], "z", "last\tfirst \"quoted\" \\");
		json_out_array(&w[i], "a");
		json_out_number(&w[i], NULL, 0.1);
		json_out_number(&w[i], NULL, NAN);
		json_out_number(&w[i], NULL, -INFINITY);
		json_out_bool(&w[i], NULL, true);
		json_out_close(&w[i]);
		json_out_array(&w[i], "empty");
		json_out_close(&w[i]);
		json_out_raw(&w[i], "raw", "{\"k\":1}");
		json_out_text(&w[i], "none", NULL);
		json_out_close(&w[i]);
	}
	assert_string_equal(compact.p, "{\"schema\":1,\"z\":\"last\\tfirst \\\"quoted\\\" \\\\\","
				       "\"a\":[0.1,null,null,true],\"empty\":[],\"raw\":{\"k\":1},"
				       "\"none\":null}");
	assert_string_equal(pretty.p,
			    "{\n  \"schema\": 1,\n"
			    "  \"z\": \"last\\tfirst \\\"quoted\\\" \\\\\",\n"
			    "  \"a\": [\n    0.1,\n    null,\n    null,\n    true\n  ],\n"
			    "  \"empty\": [],\n  \"raw\": {\"k\":1},\n  \"none\": null\n}\n");
}

static void doubles_read_back_the_same(void **state UNUSED)
{
	static const double rows[] = { 0.1,   1.0 / 3, 12345678901234567.0, 5e-324, 1.797e308, -0.0,
				       0.064, 1e22 };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str s = STR_INIT;
		struct json_out w = JSON_OUT_INIT(&s, JSON_STYLE_COMPACT);
		AUTO(json_root) struct json *root = NULL;
		double back = 0;

		json_out_number(&w, NULL, rows[i]);
		assert_int_equal(json_parse(s.p, s.n, "x", &root, NULL), 0);
		assert_true(json_to_number(root, NULL, &back));
		assert_true(back == rows[i]);
	}
}

static void bytes_that_are_no_text_are_replaced(void **state UNUSED)
{
	static const struct {
		const char *text, *json;
	} rows[] = {
		{ "gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\"" },
		{ "a\xff", "\"a\xef\xbf\xbd\"" },
		{ "\xc3", "\"\xef\xbf\xbd\"" },					/* cut short */
		{ "\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },			/* overlong */
		{ "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" }, /* a surrogate */
		{ "\x01\x7f", "\"\\u0001\\u007f\"" },
		{ "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str s = STR_INIT;

		json_quote(&s, rows[i].text);
		assert_string_equal(s.p, rows[i].json);
	}
}

static void values_are_found_by_path(void **state UNUSED)
{
	static const char text[] = "{\"a\": {\"b\": [1, {\"c\": \"deep\"}, 2.5]}, \"x.y\": true,"
				   " \"big\": 18446744073709551615, \"n\": null}";
	AUTO(json_root) struct json *root = NULL;
	AUTO(str) struct str s = STR_INIT;
	const char *key;
	void *iter = NULL;
	double d;
	int64_t i;
	bool b;

	assert_int_equal(json_parse(text, sizeof(text) - 1, "x", &root, NULL), 0);
	assert_string_equal(json_to_text(root, "a.b[1].c"), "deep");
	assert_true(json_to_number(root, "a.b[0]", &d));
	assert_double(d, 1, 0);
	assert_true(json_to_number(root, "a.b[2]", &d));
	assert_double(d, 2.5, 0);
	assert_true(json_to_number(root, "big", &d));
	assert_double(d, 18446744073709551615.0, 1e-15);
	assert_false(json_to_int(root, "a.b[2]", &i));
	assert_false(json_to_number(root, "a.b[9]", &d));
	assert_false(json_to_number(root, "a.b[1]", &d));
	assert_null(json_to_text(root, "a.b[0]"));
	assert_null(json_get(root, "a.z.c"));
	assert_null(json_get(root, "x.y"));
	assert_true(json_to_bool(json_member(root, "x.y"), NULL, &b));
	assert_true(b);
	assert_int_equal(json_count(json_get(root, "a.b")), 3);
	assert_int_equal(json_count(root), 4);
	assert_int_equal(json_kind(json_get(root, "n")), JSON_IS_NULL);
	assert_non_null(json_next(root, &iter, &key));
	assert_string_equal(key, "a");
	assert_non_null(json_next(root, &iter, &key));
	assert_string_equal(key, "x.y");
	json_put(json_get(root, "a"), &s);
	assert_string_equal(s.p, "{\"b\":[1.0,{\"c\":\"deep\"},2.5]}");
}

static void bad_text_is_located(void **state UNUSED)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "{\"a\": 1,\n  \"b\": }", "f.json:2:8: not JSON: " },
		{ "{\"a\":1,\"a\":2}", "f.json:1:10: not JSON: duplicate object key" },
		{ "[1] x", "f.json:1:5: not JSON: end of file expected" },
		{ "", "f.json:1:0: not JSON: " },
		{ "[NaN]", "f.json:1:4: not JSON: " },
		{ "[1e999]", "f.json:1:6: not JSON: " },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json *root = NULL;
		struct err e = ERR_INIT;

		assert_int_equal(
			json_parse(rows[i].text, strlen(rows[i].text), "f.json", &root, &e),
			-ERR_USAGE);
		assert_null(root);
		if (!starts_with(e.msg, rows[i].message))
			fail_msg("'%s' does not begin with '%s'", e.msg, rows[i].message);
	}
}

static void depth_is_bounded(void **state UNUSED)
{
	AUTO(str) struct str s = STR_INIT;
	struct json *root = NULL;
	struct err e = ERR_INIT;

	str_pad(&s, '[', 100000);
	assert_int_equal(json_parse(s.p, s.n, "deep", &root, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "depth"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_keep_their_order),
		cmocka_unit_test(doubles_read_back_the_same),
		cmocka_unit_test(bytes_that_are_no_text_are_replaced),
		cmocka_unit_test(values_are_found_by_path),
		cmocka_unit_test(bad_text_is_located),
		cmocka_unit_test(depth_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
