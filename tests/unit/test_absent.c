/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "bench/absent.h"

#include <sys/stat.h>

static void put_script(const char *name, const char *text)
{
	AUTO_FREE char *path = fs_join(scratch, name);
	struct err e = ERR_INIT;

	if (fs_write_atomic(path, text, strlen(text), &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(chmod(path, 0755), 0);
}

#define DOS                                                                                        \
	" (it is there, but its lines end as in DOS, with CR LF, so its interpreter is not found)"
#define LOST " (it is there, but its interpreter '/no/such' is not)"

static void a_script_that_is_there_is_not_missing(void **state UNUSED)
{
	static const struct {
		const char *said, *adds;
	} rows[] = {
		/* dash, busybox, bash */
		{ "sh: 1: ./crlf: not found\n", DOS },
		{ "sh: ./crlf: not found\n", DOS },
		{ "bash: line 1: ./lost: cannot execute: required file not found\n", LOST },
		{ "begun\nsh: 1: ./lost: not found\nended\n", LOST },
		/* by PATH, and as the shell saw it in its own mount */
		{ "sh: 1: lost: not found\n", LOST },
		{ "sh: 1: /there/lost: not found\n", LOST },
		/* nothing to add: it is not there, it has what it needs, it is no script; and other words */
		{ "sh: 1: ./none: not found\n", "" },
		{ "sh: 1: ./good: not found\n", "" },
		{ "sh: 1: ./text: not found\n", "" },
		{ "page not found: 404\n", "" },
		{ ": not found", "" },
		{ "", "" },
	};
	AUTO_FREE char *path = xasprintf("PATH=/nowhere:%s", scratch);
	const char *env[] = { "HOME=/", path, NULL };

	put_script("crlf", "#!/bin/sh\r\necho\r\n");
	put_script("lost", "#! /no/such -e\necho\n");
	put_script("good", "#!/bin/sh\necho\n");
	put_script("text", "echo\n");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(str) struct str reason = STR_INIT;

		absent_explain(rows[i].said, "/there", scratch, "/there", env, &reason);
		if (strcmp(reason.p, rows[i].adds))
			fail_msg("'%s' adds '%s'", rows[i].said, reason.p);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_script_that_is_there_is_not_missing),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
