/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest writes, whole, in pieces, and broken. */
#include "target/frames.h"

#include "unit.h"

static void frames_come_in_order_with_any_bytes(void **state UNUSED)
{
	AUTO(str) struct str text = STR_INIT;
	struct frame f;
	size_t at = 0;
	bool broken;

	str_puts(&text, "culprit ready -1 9\nuptime 12\nculprit stdout 0 5\na\n");
	str_add(&text, "\0\nb\n", 4);
	assert_true(frame_next(&text, &at, &f, &broken));
	assert_string_equal(f.kind, "ready");
	assert_int_equal(f.run, -1);
	assert_true(frame_next(&text, &at, &f, &broken));
	assert_string_equal(f.kind, "stdout");
	assert_int_equal(f.n, 5);
	assert_memory_equal(f.body, "a\n\0\nb", 5);
	assert_false(frame_next(&text, &at, &f, &broken));
	assert_false(broken);
	assert_int_equal(at, text.n);
}

static void a_frame_that_is_not_whole_waits(void **state UNUSED)
{
	const char whole[] = "culprit end 3 2\nok\n";

	for (size_t n = 0; n < sizeof(whole) - 1; n++) {
		AUTO(str) struct str text = STR_INIT;
		struct frame f;
		size_t at = 0;
		bool broken;

		str_add(&text, whole, n);
		assert_false(frame_next(&text, &at, &f, &broken));
		assert_false(broken);
		assert_int_equal(at, 0);
	}
}

static void what_is_no_frame_is_said(void **state UNUSED)
{
	static const char *const rows[] = {
		"hello\n",
		"culprit stdout 0\n",
		"culprit stdout 0 -4\n",
		"culprit stdout 0 99999999999\n",
		"culprit stdout 0 2 more\nok\n",
		"culprit stdout 0 2\nokay",
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str text = STR_INIT;
		struct frame f;
		size_t at = 0;
		bool broken;

		str_puts(&text, rows[i]);
		assert_false(frame_next(&text, &at, &f, &broken));
		assert_true(broken);
	}
}

static void values_are_found_by_their_whole_key(void **state UNUSED)
{
	static const char body[] = "wall 5\nwall_ns 123\nstatus exit 0\nmaxrss x";
	struct frame f = { .body = body, .n = sizeof(body) - 1 };
	AUTO_FREE char *status = frame_value(&f, "status");
	int64_t n;

	assert_string_equal(status, "exit 0");
	assert_true(frame_int(&f, "wall_ns", &n));
	assert_int_equal(n, 123);
	assert_false(frame_int(&f, "maxrss", &n));
	assert_false(frame_int(&f, "stat", &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_come_in_order_with_any_bytes),
		cmocka_unit_test(a_frame_that_is_not_whole_waits),
		cmocka_unit_test(what_is_no_frame_is_said),
		cmocka_unit_test(values_are_found_by_their_whole_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
