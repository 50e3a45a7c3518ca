/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One connection writes through the layer; another, with SQLite's own, must see each commit when it has returned. */
#include "scratch.h"

#include "store/walfile.h"
#include "sys/fs.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static sqlite3 *open_db(const char *vfs, const char *name)
{
	AUTO_FREE char *path = fs_join(scratch, name);
	sqlite3 *db;

	assert_int_equal(
		sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs),
		SQLITE_OK);
	return db;
}

static void run(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &why))
		fail_msg("%s: %s", sql, why);
}

static int64_t ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	int64_t n = sqlite3_column_int64(s, 0);

	sqlite3_finalize(s);
	return n;
}

static sqlite3 *begin(const char *name)
{
	sqlite3 *db = open_db(walfile_vfs(), name);

	assert_non_null(walfile_vfs());
	run(db, "pragma page_size=2048; pragma journal_mode=wal; pragma synchronous=normal;"
		"create table t (id integer primary key, b blob); create index i on t(b)");
	return db;
}

static void each_commit_is_seen_at_once(void **state UNUSED)
{
	/* bytes in one commit; with a cache of 10 pages the larger ones are written in pieces before the commit */
	static const int sizes[] = { 1, 100, 3000, 60000, 70000, 200000, 1000000, 5, 0, 2000 };
	sqlite3 *writer = begin("seen"), *reader = open_db(NULL, "seen");
	int64_t rows = 0;

	run(writer, "pragma cache_size=10");
	for (size_t round = 0; round < 6; round++)
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			AUTO_FREE char *sql = xasprintf(
				"begin; insert into t (b) values (randomblob(%d)); insert into t (b) values (randomblob(9)); %s",
				sizes[i], i % 4 == 3 ? "rollback" : "commit");

			if (round == 3)
				run(writer,
				    i % 2 ? "pragma synchronous=full" : "pragma wal_checkpoint");
			run(writer, sql);
			rows += i % 4 == 3 ? 0 : 2;
			assert_int_equal(ask(reader, "select count(*) from t"), rows);
			assert_int_equal(ask(writer, "select count(*) from t"), rows);
		}
	assert_int_equal(
		ask(reader,
		    "select count(*) from pragma_integrity_check where integrity_check <> 'ok'"),
		0);
	sqlite3_close(reader);
	sqlite3_close(writer);
}

static int64_t count_writes(void)
{
	AUTO(str) struct str text = STR_INIT;
	struct err e = ERR_INIT;

	if (fs_read("/proc/self/io", 4096, &text, &e) < 0)
		skip(); /* a kernel without it */
	return strtoll(strstr(text.p, "syscw:") + 6, NULL, 10);
}

static void a_commit_is_one_write(void **state UNUSED)
{
	sqlite3 *db = begin("one");

	run(db, "insert into t (b) values (randomblob(10))");
	for (int i = 0; i < 5; i++) {
		int64_t before = count_writes();

		run(db, "insert into t (b) values (randomblob(9000))");
		assert_int_equal(count_writes() - before, 1);
	}
	sqlite3_close(db);
}

/* Killed after each commit: what it counted is there. */
static void a_kill_loses_nothing_that_was_committed(void **state UNUSED)
{
	int p[2];

	assert_int_equal(pipe(p), 0);
	pid_t pid = fork();

	if (pid == 0) {
		sqlite3 *db = begin("kill");

		for (int i = 0; i < 50; i++)
			run(db, "insert into t (b) values (randomblob(3000))");
		run(db, "begin; insert into t (b) values (randomblob(3000))");
		if (write(p[1], "", 1) == 1)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	assert_int_equal(read(p[0], &(char){ 0 }, 1), 1);
	waitpid(pid, NULL, 0);
	sqlite3 *db = open_db(NULL, "kill");

	assert_int_equal(ask(db, "select count(*) from t"), 50);
	assert_int_equal(
		ask(db,
		    "select count(*) from pragma_integrity_check where integrity_check <> 'ok'"),
		0);
	sqlite3_close(db);
}

/* The commit itself fails, in words, and the next one works when there is room again. */
static void a_full_disk_is_met_by_the_commit(void **state UNUSED)
{
	struct rlimit old, small = { 40000, 0 };
	sqlite3 *db = begin("full");

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	run(db, "insert into t (b) values (randomblob(100))");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	run(db, "begin; insert into t (b) values (randomblob(60000))");
	assert_int_not_equal(sqlite3_exec(db, "commit", NULL, NULL, NULL), SQLITE_OK);
	if (!sqlite3_get_autocommit(db))
		run(db, "rollback");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(ask(db, "select count(*) from t"), 1);
	run(db, "insert into t (b) values (randomblob(60000))");
	sqlite3_close(db);
	db = open_db(NULL, "full");
	assert_int_equal(ask(db, "select count(*) from t"), 2);
	assert_int_equal(
		ask(db,
		    "select count(*) from pragma_integrity_check where integrity_check <> 'ok'"),
		0);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_commit_is_seen_at_once),
		cmocka_unit_test(a_commit_is_one_write),
		cmocka_unit_test(a_kill_loses_nothing_that_was_committed),
		cmocka_unit_test(a_full_disk_is_met_by_the_commit),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
