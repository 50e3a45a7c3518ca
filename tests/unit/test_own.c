/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "bench/environ.h"
#include "bench/needs.h"
#include "bench/own.h"
#include "sys/fs.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static void only_what_the_commands_name(void **state UNUSED)
{
	static const struct {
		struct benchmark b;
		bool tmp, port;
	} rows[] = {
		{ { .command = "true" }, false, false },
		{ { .command = "true", .prepare = "mkdir $CULPRIT_TMP/x" }, true, false },
		{ { .command = "serve ${CULPRIT_PORT}" }, false, true },
		{ { .command = "true", .cleanup = "rm $CULPRIT_TMP/$CULPRIT_PORT" }, true, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(strvec) struct strvec env = STRVEC_INIT;
		AUTO(own) struct own own = { NULL };
		struct err e = ERR_INIT;

		assert_int_equal(own_take(&rows[i].b, "/store", 1, &env, &own, &e), 0);
		assert_int_equal(environ_get(&env, OWN_TMP) != NULL, rows[i].tmp);
		assert_int_equal(environ_get(&env, OWN_PORT) != NULL, rows[i].port);
		assert_int_equal(own.folder != NULL, rows[i].tmp);
	}
}

static void the_folder_is_private_and_goes_with_all_in_it(void **state UNUSED)
{
	struct benchmark b = { .command = "$CULPRIT_TMP" };
	AUTO(strvec) struct strvec env = STRVEC_INIT;
	struct own one, two;
	struct err e = ERR_INIT;

	assert_int_equal(own_take(&b, "/store", 1, &env, &one, &e), 0);
	assert_int_equal(own_take(&b, "/store", 1, &env, &two, &e), 0);
	assert_string_not_equal(one.folder, two.folder);
	AUTO_FREE char *kept = xstrdup(one.folder), *file = fs_join(one.folder, "file");

	assert_int_equal(fs_write_atomic(file, "x", 1, &e), 0);
	own_done(&one);
	assert_false(fs_exists(kept));
	/* of the one that is left, as of a culprit that was killed: another store's stays */
	assert_int_equal(own_sweep("/other"), 0);
	assert_true(fs_is_dir(two.folder));
	assert_int_equal(own_sweep("/store"), 1);
	assert_false(fs_exists(two.folder));
	own_done(&two);
}

static void a_port_that_is_taken_is_passed_over(void **state UNUSED)
{
	struct benchmark b = { .command = "$CULPRIT_PORT" };
	AUTO(strvec) struct strvec env = STRVEC_INIT;
	struct sockaddr_in a = { .sin_family = AF_INET };
	struct own own;
	struct err e = ERR_INIT;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(own_take(&b, "/store", 77, &env, &own, &e), 0);
	AUTO_FREE char *first = xstrdup(environ_get(&env, OWN_PORT));

	assert_int_equal(strlen(first), 5);
	a.sin_port = htons((uint16_t)atoi(first));
	assert_int_equal(bind(fd, (const struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(own_take(&b, "/store", 77, &env, &own, &e), 0);
	assert_string_not_equal(environ_get(&env, OWN_PORT), first);
	close(fd);
}

static void what_is_needed_beside_programs(void **state UNUSED)
{
	static const char *device[] = { "/dev/culprit-none", NULL },
			  *here[] = { "/dev/null", NULL };
	static const char *modules[] = { "culprit_none size=2", NULL },
			  *pattern[] = { "/bin/s?", NULL };
	static const char *nowhere[] = { "/culprit-none/*/cc1", NULL }, *pack[] = { "gcc", NULL };
	static const struct {
		struct benchmark b;
		bool here;
		const char *words; /* "" = nothing is missing */
	} rows[] = {
		{ { .needs = device },
		  true,
		  "needed and not there: /dev/culprit-none; install it" },
		{ { .needs = device }, false, "" },
		{ { .needs = here, .modules = modules }, true, "" },
		{ { .needs = device, .modules = modules },
		  true,
		  "needed and not there: /dev/culprit-none (as root: modprobe culprit_none size=2, a module that this "
		  "machine's kernel does not have)" },
		{ { .programs = pattern }, true, "" },
		{ { .programs = nowhere, .packages = pack },
		  false,
		  "a program that it needs is not here: /culprit-none/*/cc1 (apt install gcc)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = ERR_INIT;
		int r = needs_check(&rows[i].b, rows[i].here, &e);

		assert_int_equal(r, *rows[i].words ? -ERR_ENV : 0);
		if (r < 0)
			assert_string_equal(e.msg, rows[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_the_commands_name),
		cmocka_unit_test(the_folder_is_private_and_goes_with_all_in_it),
		cmocka_unit_test(a_port_that_is_taken_is_passed_over),
		cmocka_unit_test(what_is_needed_beside_programs),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
