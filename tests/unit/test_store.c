/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store_unit.h"

#include "base/num.h"
#include "store/db.h"
#include "sys/clock.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- opening ------------------------------------------------------------------------------------------------------ */

static void a_new_store_ignores_itself(void **state)
{
	struct place *p = *state;
	AUTO(str) struct str s = STR_INIT;
	AUTO_FREE char *ignore = fs_join(p->store, ".gitignore");
	struct store *st = open_store(p, STORE_WRITE);

	assert_string_equal(store_dir(st), p->store);
	store_close(st);
	OK(fs_read(ignore, 100, &s, &oops));
	assert_string_equal(s.p, "*\n");
	assert_true(fs_exists(p->file));
}

static void reading_needs_a_journal(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	struct store *st = NULL;

	assert_int_equal(store_open(p->store, STORE_READ, &st, &e), -ERR_MISSING);
	assert_non_null(strstr(e.msg, "no hunt yet"));
	assert_null(st);
	assert_false(fs_exists(p->store));
}

static void a_reader_cannot_write(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;

	store_close(open_store(p, STORE_WRITE));

	struct store *st = open_store(p, STORE_READ);

	assert_int_equal(store_mark(st, 1, "x", "good", &e), -ERR_ENV);
	assert_non_null(strstr(e.msg, "reading only"));
	store_close(st);
}

static void sql_run(const struct place *p, const char *text)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(p->file, &db), SQLITE_OK);
	if (sqlite3_exec(db, text, NULL, NULL, NULL))
		fail_msg("%s: %s", text, sqlite3_errmsg(db));
	sqlite3_close(db);
}

/* The first column of the first row; valid until the next call. */
static const char *sql_text_of(const struct place *p, const char *query)
{
	static char text[100];
	sqlite3 *db = NULL;
	sqlite3_stmt *q = NULL;

	assert_int_equal(sqlite3_open(p->file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	snprintf(text, sizeof(text), "%s", (const char *)sqlite3_column_text(q, 0));
	sqlite3_finalize(q);
	sqlite3_close(db);
	return text;
}

static void a_newer_journal_is_refused(void **state)
{
	struct place *p = *state;
	static const enum store_mode modes[] = { STORE_READ, STORE_WRITE };

	store_close(open_store(p, STORE_WRITE));
	sql_run(p, "pragma user_version=999");
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		struct err e = ERR_INIT;
		struct store *st = NULL;

		assert_int_equal(store_open(p->store, modes[i], &st, &e), -ERR_BROKEN);
		assert_non_null(strstr(e.msg, "newer culprit (journal version 999"));
	}
}

static void another_programs_file_is_refused(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	struct store *st = NULL;

	assert_int_equal(mkdir(p->store, 0777), 0);
	sql_run(p, "create table theirs (a)");
	assert_int_equal(store_open(p->store, STORE_WRITE, &st, &e), -ERR_BROKEN);
	assert_non_null(strstr(e.msg, "another program"));
}

static void a_damaged_file_is_refused(void **state)
{
	struct place *p = *state;
	char junk[4096];

	assert_int_equal(mkdir(p->store, 0777), 0);
	memset(junk, 'x', sizeof(junk));
	OK(fs_write_atomic(p->file, junk, sizeof(junk), &oops));
	for (int i = 0; i < 2; i++) {
		struct err e = ERR_INIT;
		struct store *st = NULL;

		assert_int_equal(store_open(p->store, i ? STORE_READ : STORE_WRITE, &st, &e),
				 -ERR_BROKEN);
		assert_non_null(strstr(e.msg, "is damaged"));
		assert_non_null(strstr(e.msg, "move it away"));
	}
}

/* Pages overwritten in the middle: every call either works or says that the file is damaged. */
static void damage_inside_is_told(void **state)
{
	struct place *p = *state;
	AUTO(str) struct str s = STR_INIT;
	AUTO(observations) struct observations o = { 0 };
	struct store *st = open_store(p, STORE_WRITE);
	int64_t hunt = begin_hunt(st, "k"), build = add_build(st, "b", OUTCOME_OK, "trees/b"),
		boot = 0;
	struct err e = ERR_INIT;

	OK(store_boot_add(st, hunt, build, NULL, OUTCOME_OK, NULL, 0, &boot, &oops));
	for (int i = 0; i < 200; i++)
		run_once(st, hunt, boot, i, 1 + i);
	store_close(st);
	OK(fs_read(p->file, 1 << 24, &s, &oops));
	for (size_t at = 4096 + 100; at < s.n; at += 512)
		memset(s.p + at, 0x5a, 256);
	OK(fs_write_atomic(p->file, s.p, s.n, &oops));

	int r = store_open(p->store, STORE_READ, &st, &e);

	if (r == 0) {
		r = store_observations(st, hunt, &o, &e);
		store_close(st);
	}
	assert_int_equal(r, -ERR_BROKEN);
	assert_non_null(strstr(e.msg, "damaged"));
}

/* Runs `body` in a child that is not root; its return value is the child's exit status. */
static int as_nobody(int (*body)(const struct place *), const struct place *p)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (getuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(99);
		_exit(body(p));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int read_it(const struct place *p)
{
	struct err e = ERR_INIT;
	struct store *st = NULL;
	struct hunt_row h = { 0 };

	if (store_open(p->store, STORE_READ, &st, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		return 1;
	}
	if (store_hunt_get(st, 0, &h, &e) < 0)
		return 2;
	hunt_row_done(&h);
	store_close(st);
	return 0;
}

static int write_it(const struct place *p)
{
	struct err e = ERR_INIT;
	struct store *st = NULL;

	if (store_open(p->store, STORE_WRITE, &st, &e) != -ERR_ENV)
		return 1;
	return strstr(e.msg, "cannot be written") || strstr(e.msg, "ermission denied") ? 0 : 2;
}

static void a_read_only_place_can_be_read(void **state)
{
	struct place *p = *state;
	struct store *st = open_store(p, STORE_WRITE);

	begin_hunt(st, "k");
	store_close(st);
	chmod(p->file, 0444);
	chmod(p->store, 0555);
	assert_int_equal(as_nobody(read_it, p), 0);
	assert_int_equal(as_nobody(write_it, p), 0);
	chmod(p->store, 0755);
}

static void a_place_that_cannot_be_made_is_told(void **state)
{
	struct place *p = *state;

	chmod(p->dir, 0555);
	assert_int_equal(as_nobody(write_it, p), 0);
	chmod(p->dir, 0755);
}

/* A limit on file size stands for a full disk: the write fails, the journal stays whole. */
static int fill_it(const struct place *p)
{
	struct err e = ERR_INIT;
	struct store *st = NULL;
	struct rlimit limit = { .rlim_cur = 1 << 20, .rlim_max = 1 << 20 };
	char *big = xmalloc(1 << 16);
	uint32_t x = 1;
	int64_t id;
	int r = 0;

	signal(SIGXFSZ, SIG_IGN);
	if (store_open(p->store, STORE_WRITE, &st, &e) < 0 || setrlimit(RLIMIT_FSIZE, &limit))
		return 1;
	for (size_t i = 0; i < 1 << 16; i++)
		big[i] = (char)((x = x * 1664525 + 1013904223) >> 8);
	for (int i = 0; i < 100 && r == 0; i++) {
		struct build_row b = { .key = (char *)"k" };

		big[0] = (char)i;
		r = store_build_add(st, &b, big, 1 << 16, &id, &e);
	}
	free(big);
	/* still usable for reading, and a second failure is as clear as the first */
	struct build_rows rows = { 0 };

	if (r != -ERR_ENV || !strstr(e.msg, "may not grow") || store_builds(st, &rows, &e) < 0 ||
	    !rows.n)
		return 2;
	build_rows_done(&rows);
	store_close(st);
	return 0;
}

/* Where not even the index can be made, what is there can be read. */
static int read_without_room(const struct place *p)
{
	struct rlimit limit = { .rlim_cur = 0, .rlim_max = 0 };

	signal(SIGXFSZ, SIG_IGN);
	return setrlimit(RLIMIT_FSIZE, &limit) ? 9 : read_it(p);
}

static void a_full_disk_can_be_read(void **state)
{
	struct place *p = *state;
	struct store *st = open_store(p, STORE_WRITE);
	int status;

	begin_hunt(st, "k");
	store_close(st);

	pid_t pid = fork();

	if (pid == 0)
		_exit(read_without_room(p));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void a_full_disk_loses_nothing(void **state)
{
	struct place *p = *state;
	AUTO(build_rows) struct build_rows rows = { 0 };
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(fill_it(p));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);

	struct store *st = open_store(p, STORE_WRITE);

	OK(store_builds(st, &rows, &oops));
	assert_true(rows.n > 0);
	add_build(st, "after", OUTCOME_OK, "trees/x");
	store_close(st);
}

/* --- append-only -------------------------------------------------------------------------------------------------- */

static void nothing_can_be_changed_or_deleted(void **state)
{
	static const char *const tables[] = { "hunt",	 "hunt_state", "build",	    "build_clean",
					      "journal", "withdrawal", "build_use", "boot",
					      "run",	 "run_end",    "metric",    "reading",
					      "blob" };
	static const char *const columns[] = { "kind", "status", "key",	   "at_ns",	"kind",
					       "undo", "build",	 "reason", "benchmark", "reason",
					       "name", "value",	 "at_ns" };
	struct place *p = *state;
	struct store *st = open_store(p, STORE_WRITE);
	int64_t hunt = begin_hunt(st, "k"), build = add_build(st, "b", OUTCOME_OK, "trees/b"),
		boot = 0;
	unsigned undone = 0;
	char hash[65];
	sqlite3 *db = NULL;

	OK(store_use_build(st, hunt, build, "abcd", &oops));
	OK(store_boot_add(st, hunt, build, NULL, OUTCOME_OK, NULL, 0, &boot, &oops));
	run_once(st, hunt, boot, 0, 1);
	OK(store_undo(st, hunt, 1, &undone, &oops));
	OK(store_build_cleaned(st, build, &oops));
	OK(store_blob_put(st, "x", 1, hash, &oops));
	store_close(st);

	assert_int_equal(sqlite3_open(p->file, &db), SQLITE_OK);
	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		AUTO_FREE char *update =
			xasprintf("update %s set %s = %s", tables[i], columns[i], columns[i]);
		AUTO_FREE char *delete = xasprintf("delete from %s", tables[i]);

		assert_int_equal(sqlite3_exec(db, update, NULL, NULL, NULL), SQLITE_CONSTRAINT);
		assert_string_equal(sqlite3_errmsg(db), "the journal is append-only");
		assert_int_equal(sqlite3_exec(db, delete, NULL, NULL, NULL), SQLITE_CONSTRAINT);
		assert_string_equal(sqlite3_errmsg(db), "the journal is append-only");
	}
	sqlite3_close(db);
}

/* --- the lock ----------------------------------------------------------------------------------------------------- */

static bool count_ticks(void *arg, const char *holder)
{
	assert_non_null(strstr(holder, "'culprit compare A B' (pid "));
	++*(int *)arg;
	return true;
}

static void one_measures_and_the_second_is_told_who(void **state)
{
	struct place *p = *state;
	AUTO(str) struct str holder = STR_INIT;
	struct store *a = open_store(p, STORE_WRITE), *b = open_store(p, STORE_WRITE);
	struct err e = ERR_INIT;
	int64_t since = 0, before = clock_realtime_ns();
	int ticks = 0;

	assert_false(store_holder(p->store, &holder, &since));
	OK(store_lock(a, "culprit compare A B", 0, NULL, NULL, &oops));
	OK(store_lock(a, "culprit compare A B", 0, NULL, NULL, &oops));
	assert_int_equal(store_lock(b, "culprit bisect", 1000, count_ticks, &ticks, &e), -ERR_BUSY);
	assert_true(ticks >= 1);
	assert_non_null(strstr(e.msg, "'culprit compare A B' (pid "));
	assert_true(store_holder(p->store, &holder, &since));
	assert_non_null(strstr(holder.p, "since 20"));
	assert_true(since >= before && since <= clock_realtime_ns());
	store_close(a);
	assert_false(store_holder(p->store, &holder, &since));
	OK(store_lock(b, "culprit bisect", 0, NULL, NULL, &oops));
	store_close(b);
}

static void a_killed_holder_holds_nothing(void **state)
{
	struct place *p = *state;
	struct store *st = open_store(p, STORE_WRITE);
	int pipefd[2], status;
	char c;

	assert_int_equal(pipe(pipefd), 0);

	pid_t pid = fork();

	if (pid == 0) {
		struct store *mine = NULL;

		if (store_open(p->store, STORE_WRITE, &mine, NULL) < 0 ||
		    store_lock(mine, "culprit run", 0, NULL, NULL, NULL) < 0)
			_exit(1);
		if (write(pipefd[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(pipefd[0], &c, 1), 1);
	assert_int_equal(store_lock(st, "culprit run", 0, NULL, NULL, NULL), -ERR_BUSY);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	OK(store_lock(st, "culprit run", 0, NULL, NULL, &oops));
	close(pipefd[0]);
	close(pipefd[1]);
	store_close(st);
}

/* --- hunts, builds, blobs ----------------------------------------------------------------------------------------- */

static void a_hunt_comes_back_whole(void **state)
{
	struct place *p = *state;
	AUTO(hunt_row) struct hunt_row h = { 0 }, newest = { 0 };
	AUTO(hunt_rows) struct hunt_rows all = { 0 };
	struct store *st = open_store(p, STORE_WRITE);
	int64_t first = begin_hunt(st, "k"), second = begin_hunt(st, "k"),
		third = begin_hunt(st, "other");
	struct err e = ERR_INIT;

	OK(store_hunt_find(st, "k", &h, &oops));
	assert_int_equal(h.id, second);
	assert_string_equal(h.kind, "compare");
	assert_string_equal(h.key, "k");
	assert_string_equal(h.question, "{\"a\":1}");
	assert_string_equal(h.graph, "0 1 2\n");
	assert_true(h.seed == UINT64_MAX - 6);
	assert_true(h.began_ns > INT64_C(1700000000) * NS_PER_S);
	assert_string_equal(h.version, "0.1.0");
	assert_string_equal(h.status, "open");
	assert_null(h.answer);
	assert_int_equal(h.ended_ns, 0);
	OK(store_hunt_get(st, 0, &newest, &oops));
	assert_int_equal(newest.id, third);
	OK(store_hunts(st, &all, &oops));
	assert_int_equal(all.n, 3);
	assert_int_equal(all.v[0].id, third);
	assert_int_equal(all.v[2].id, first);
	assert_null(all.v[0].graph);
	assert_int_equal(store_hunt_get(st, 77, &newest, &e), -ERR_MISSING);
	assert_non_null(strstr(e.msg, "no hunt 77"));
	assert_int_equal(store_hunt_find(st, "nope", &newest, &e), -ERR_MISSING);
	store_close(st);
}

static void the_newest_state_counts(void **state)
{
	struct place *p = *state;
	struct store *st = open_store(p, STORE_WRITE);
	int64_t id = begin_hunt(st, "k");
	static const struct {
		const char *status, *answer;
	} rows[] = { { "stopped", NULL }, { "open", NULL }, { "answered", "{\"x\":2}" } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(hunt_row) struct hunt_row h = { 0 };

		OK(store_hunt_end(st, id, rows[i].status, rows[i].answer, &oops));
		OK(store_hunt_get(st, id, &h, &oops));
		assert_string_equal(h.status, rows[i].status);
		if (rows[i].answer)
			assert_string_equal(h.answer, rows[i].answer);
		else
			assert_null(h.answer);
		assert_int_equal(h.ended_ns != 0, strcmp(rows[i].status, "open") != 0);
	}
	assert_true(store_hunt_end(st, id, "happy", NULL, NULL) < 0);
	assert_int_equal(store_hunt_end(st, 99, "answered", NULL, NULL), -ERR_MISSING);
	store_close(st);
}

static void a_build_comes_back_whole(void **state)
{
	struct place *p = *state;
	AUTO(build_row) struct build_row b = { 0 };
	AUTO(str) struct str log = STR_INIT;
	struct store *st = open_store(p, STORE_WRITE);
	int64_t id = add_build(st, "key", OUTCOME_OK, "trees/key");
	struct err e = ERR_INIT;

	OK(store_build_get(st, id, &b, &oops));
	assert_string_equal(b.key, "key");
	assert_string_equal(b.variant, "v1:revert=ab");
	assert_string_equal(b.commit, "abcd");
	assert_string_equal(b.tree, "1234");
	assert_string_equal(b.path, "trees/key");
	assert_string_equal(b.artefact, "ff");
	assert_string_equal(b.toolchain, "gcc 12");
	assert_int_equal(b.layout, 3);
	assert_int_equal(b.outcome, OUTCOME_OK);
	assert_string_equal(b.reason, "none");
	assert_double(b.seconds, 1.25, 0);
	OK(store_build_log(st, id, &log, &oops));
	assert_string_equal(log.p, "log text");
	assert_int_equal(store_build_get(st, 99, &b, &e), -ERR_MISSING);
	assert_int_equal(store_build_log(st, 99, &log, &e), -ERR_MISSING);
	store_close(st);
}

/* What is found for a key after builds with these outcomes, in order; -1 = none. */
static void only_usable_builds_are_found(void **state)
{
	struct place *p = *state;
	struct store *st = open_store(p, STORE_WRITE);
	static const struct {
		const char *
			outcomes; /* o ok, c ok and cleaned, f failed, s skipped, t timeout, x crashed */
		int found;
	} rows[] = {
		{ "", -1 },   { "o", 0 },  { "oo", 1 }, { "f", 0 },   { "s", 0 },
		{ "t", -1 },  { "x", -1 }, { "ft", 0 }, { "oc", 0 },  { "c", -1 },
		{ "fc", -1 }, { "fo", 1 }, { "of", 0 }, { "tox", 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *key = xasprintf("k%zu", i);
		AUTO(build_row) struct build_row b = { 0 };
		int64_t id[8] = { 0 };
		struct err e = ERR_INIT;

		for (int k = 0; rows[i].outcomes[k]; k++) {
			char c = rows[i].outcomes[k];
			enum outcome o = c == 'f'   ? OUTCOME_FAILED
					 : c == 's' ? OUTCOME_SKIPPED
					 : c == 't' ? OUTCOME_TIMEOUT
					 : c == 'x' ? OUTCOME_CRASHED
						    : OUTCOME_OK;

			id[k] = add_build(st, key, o, o == OUTCOME_OK ? "trees/k" : "");
			if (c == 'c') {
				OK(store_build_cleaned(st, id[k], &oops));
				OK(store_build_cleaned(st, id[k], &oops));
			}
		}

		int r = store_build_find(st, key, &b, &e);

		assert_int_equal(r, rows[i].found < 0 ? -ERR_MISSING : 0);
		if (rows[i].found >= 0)
			assert_int_equal(b.id, id[rows[i].found]);
	}
	store_close(st);
}

static void blobs_are_kept_once(void **state)
{
	struct place *p = *state;
	AUTO(str) struct str out = STR_INIT, empty = STR_INIT;
	struct store *st = open_store(p, STORE_WRITE);
	char a[65], b[65], none[65];
	struct err e = ERR_INIT;

	OK(store_blob_put(st, "abc\0d", 5, a, &oops));
	OK(store_blob_put(st, "abc\0d", 5, b, &oops));
	assert_string_equal(a, b);
	OK(store_blob_get(st, a, &out, &oops));
	assert_int_equal(out.n, 5);
	assert_memory_equal(out.p, "abc\0d", 5);
	OK(store_blob_put(st, "", 0, none, &oops));
	assert_string_equal(none,
			    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	OK(store_blob_get(st, none, &empty, &oops));
	assert_int_equal(empty.n, 0);
	assert_int_equal(store_blob_get(st, "00", &out, &e), -ERR_MISSING);
	store_close(st);
}

/* --- observations ------------------------------------------------------------------------------------------------- */

static void observations_come_in_order(void **state)
{
	struct place *p = *state;
	AUTO(observations) struct observations o = { 0 };
	AUTO(str) struct str out = STR_INIT;
	struct store *st = open_store(p, STORE_WRITE);
	int64_t hunt = begin_hunt(st, "k"), other = begin_hunt(st, "o");
	int64_t build = add_build(st, "b", OUTCOME_OK, "trees/b"), boot = 0, run;
	static const enum observation_kind kinds[] = { OBS_ACTION, OBS_BUILD, OBS_BOOT,
						       OBS_RUN,	   OBS_MARK,  OBS_NOTE };

	OK(store_action(st, hunt, "{\"kind\":\"measure\"}", &oops));
	OK(store_use_build(st, hunt, build, "abcd", &oops));
	OK(store_mark(st, other, "zz", "skip", &oops));
	OK(store_boot_add(st, hunt, build, "{\"env\":7}", OUTCOME_OK, NULL, 0.5, &boot, &oops));
	run = run_once(st, hunt, boot, -1, 0.1);
	OK(store_mark(st, hunt, "abcd", "bad", &oops));
	OK(store_note(st, hunt, "a note", &oops));
	OK(store_observations(st, hunt, &o, &oops));
	assert_int_equal(o.n, ARRAY_LEN(kinds));
	for (size_t i = 0; i < o.n; i++) {
		assert_int_equal(o.v[i].kind, kinds[i]);
		assert_false(o.v[i].withdrawn);
		assert_true(i == 0 || o.v[i].seq > o.v[i - 1].seq);
	}
	assert_string_equal(o.v[0].text, "{\"kind\":\"measure\"}");
	assert_string_equal(o.v[1].node, "abcd");
	assert_int_equal(o.v[1].build, build);
	assert_int_equal(o.v[1].outcome, OUTCOME_OK);
	assert_double(o.v[1].seconds, 1.25, 0);
	assert_int_equal(o.v[2].boot, boot);
	assert_int_equal(o.v[2].build, build);
	assert_double(o.v[2].seconds, 0.5, 0);
	assert_int_equal(o.v[3].run, run);
	assert_int_equal(o.v[3].boot, boot);
	assert_int_equal(o.v[3].build, build);
	assert_int_equal(o.v[3].index, -1);
	assert_string_equal(o.v[3].benchmark, "bench");
	assert_int_equal(o.v[3].readings.n, 2);
	assert_string_equal(o.v[3].readings.v[0].metric, "wall");
	assert_true(o.v[3].readings.v[0].value == 0.1);
	assert_int_equal(o.v[3].readings.v[0].better, BETTER_LOWER);
	assert_string_equal(o.v[3].readings.v[1].unit, "ops/s");
	assert_true(o.v[3].readings.v[1].resolution == 0.01);
	assert_string_equal(o.v[4].node, "abcd");
	assert_string_equal(o.v[4].text, "bad");
	assert_string_equal(o.v[5].text, "a note");
	OK(store_run_output(st, run, &out, &oops));
	assert_string_equal(out.p, "out");
	store_close(st);
}

/* A run that began first and ended last has its place where it ended: that is when its values were known. */
static void the_place_is_that_of_the_end(void **state)
{
	struct place *p = *state;
	AUTO(observations) struct observations o = { 0 };
	struct store *st = open_store(p, STORE_WRITE);
	int64_t hunt = begin_hunt(st, "k"), build = add_build(st, "b", OUTCOME_OK, "trees/b");
	int64_t boot = 0, run = 0;
	struct err e = ERR_INIT;

	OK(store_boot_add(st, hunt, build, NULL, OUTCOME_OK, NULL, 0, &boot, &oops));
	OK(store_run_begin(st, hunt, boot, "bench", 0, &run, &oops));
	OK(store_use_build(st, hunt, build, "n", &oops));
	OK(store_run_end(st, run, OUTCOME_FAILED, "exit status 3", 2, NULL, NULL, 0, &oops));
	OK(store_observations(st, hunt, &o, &oops));
	assert_int_equal(o.n, 3);
	assert_int_equal(o.v[1].kind, OBS_BUILD);
	assert_int_equal(o.v[2].kind, OBS_RUN);
	assert_int_equal(o.v[2].outcome, OUTCOME_FAILED);
	assert_string_equal(o.v[2].reason, "exit status 3");
	assert_int_equal(o.v[2].readings.n, 0);
	assert_true(store_run_end(st, run, OUTCOME_OK, NULL, 0, NULL, NULL, 0, &e) < 0);
	store_close(st);
}

static void what_does_not_exist_is_told(void **state)
{
	struct place *p = *state;
	AUTO(str) struct str out = STR_INIT;
	struct store *st = open_store(p, STORE_WRITE);
	int64_t hunt = begin_hunt(st, "k"), id = 0;

	assert_int_equal(store_mark(st, 99, "n", "good", NULL), -ERR_MISSING);
	assert_int_equal(store_use_build(st, hunt, 99, "n", NULL), -ERR_MISSING);
	assert_int_equal(store_boot_add(st, hunt, 99, NULL, OUTCOME_OK, NULL, 0, &id, NULL),
			 -ERR_MISSING);
	assert_int_equal(store_run_begin(st, hunt, 99, "b", 0, &id, NULL), -ERR_MISSING);
	assert_int_equal(store_run_end(st, 99, OUTCOME_OK, NULL, 0, NULL, NULL, 0, NULL),
			 -ERR_MISSING);
	assert_int_equal(store_run_output(st, 99, &out, NULL), -ERR_MISSING);
	assert_int_equal(store_build_cleaned(st, 99, NULL), -ERR_MISSING);
	store_close(st);
}

static void undo_withdraws_the_newest(void **state)
{
	struct place *p = *state;
	struct store *st = open_store(p, STORE_WRITE);
	int64_t hunt = begin_hunt(st, "k"), build = add_build(st, "b", OUTCOME_OK, "trees/b"),
		boot = 0;
	unsigned n = 0;
	static const struct {
		unsigned ask, got;
		const char *standing; /* of boot, run, run, mark, action: 1 stands */
	} rows[] = { { 2, 2, "11001" }, { 0, 0, "11001" }, { 2, 2, "00001" }, { 1, 0, "00001" } };
	/* more than there are: nothing is withdrawn, which the row after it shows */
	static const unsigned too_many[] = { 5, 3, 3, 0 };

	OK(store_boot_add(st, hunt, build, NULL, OUTCOME_OK, NULL, 0, &boot, &oops));
	run_once(st, hunt, boot, 0, 1);
	run_once(st, hunt, boot, 1, 2);
	OK(store_mark(st, hunt, "n", "good", &oops));
	OK(store_action(st, hunt, "{}", &oops));
	OK(store_hunt_end(st, hunt, "answered", "{}", &oops));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(observations) struct observations o = { 0 };
		AUTO(hunt_row) struct hunt_row h = { 0 };

		if (too_many[i])
			assert_int_equal(store_undo(st, hunt, too_many[i], &n, &oops), -ERR_USAGE);
		OK(store_undo(st, hunt, rows[i].ask, &n, &oops));
		assert_int_equal(n, rows[i].got);
		OK(store_observations(st, hunt, &o, &oops));
		assert_int_equal(o.n, 5);
		for (size_t k = 0; k < o.n; k++) {
			assert_int_equal(o.v[k].withdrawn, rows[i].standing[k] == '0');
			assert_int_equal(o.v[k].withdrawn, o.v[k].withdrawn_at > o.v[k].seq);
		}
		OK(store_hunt_get(st, hunt, &h, &oops));
		assert_string_equal(h.status, "open");
		assert_null(h.answer);
	}
	store_close(st);
}

/* The readings of three metrics, one of which changes its unit, and of many invented ones. */
static void metrics_are_interned(void **state)
{
	struct place *p = *state;
	AUTO(observations) struct observations o = { 0 };
	struct store *st = open_store(p, STORE_WRITE);
	int64_t hunt = begin_hunt(st, "k"), build = add_build(st, "b", OUTCOME_OK, "trees/b"),
		boot = 0;

	OK(store_boot_add(st, hunt, build, NULL, OUTCOME_OK, NULL, 0, &boot, &oops));
	for (int i = 0; i < 3; i++) {
		struct readings r = { 0 };
		int64_t run = 0;

		for (int k = 0; k < 300; k++) {
			AUTO_FREE char *name = xasprintf("m%d", k);

			readings_add(&r, name, k == 1 && i == 2 ? "ms" : "s", k + i / 8.0, 0,
				     k == 2 ? BETTER_HIGHER : BETTER_LOWER, k == 3);
		}
		OK(store_run_begin(st, hunt, boot, "b", i, &run, &oops));
		OK(store_run_end(st, run, OUTCOME_OK, NULL, 1, &r, NULL, 0, &oops));
		readings_done(&r);
	}
	OK(store_observations(st, hunt, &o, &oops));
	assert_int_equal(o.n, 4);
	for (int i = 0; i < 3; i++) {
		const struct readings *r = &o.v[i + 1].readings;

		assert_int_equal(r->n, 300);
		for (int k = 0; k < 300; k++)
			assert_true(r->v[k].value == k + i / 8.0);
		assert_string_equal(r->v[1].unit, i == 2 ? "ms" : "s");
		assert_int_equal(r->v[2].better, BETTER_HIGHER);
		assert_true(r->v[3].counter);
		assert_false(r->v[4].counter);
	}
	store_close(st);
}

/* --- kill -9 ------------------------------------------------------------------------------------------------------ */

/* Does the k-th prefix of a hunt's work and is killed. */
static void work_and_die(const struct place *p, int steps, int tell)
{
	struct store *st = NULL;
	struct readings r = { 0 };
	int64_t hunt = 0, build = 0, boot = 0, run = 0;
	struct hunt_row h = { .kind = (char *)"run", .key = (char *)"k", .question = (char *)"{}" };
	struct build_row b = { .key = (char *)"b", .path = (char *)"trees/b" };
	int bad = store_open(p->store, STORE_WRITE, &st, NULL);

	readings_add(&r, "wall", "s", 1.5, 0, BETTER_LOWER, false);
	for (int i = 0; i < steps && !bad; i++)
		switch (i) {
		case 0:
			bad = store_hunt_begin(st, &h, &hunt, NULL);
			break;
		case 1:
			bad = store_build_add(st, &b, "log", 3, &build, NULL);
			break;
		case 2:
			bad = store_use_build(st, hunt, build, "n", NULL);
			break;
		case 3:
			bad = store_boot_add(st, hunt, build, NULL, OUTCOME_OK, NULL, 0, &boot,
					     NULL);
			break;
		case 4:
		case 6:
			bad = store_run_begin(st, hunt, boot, "bench", i, &run, NULL);
			break;
		case 5:
		case 7:
			bad = store_run_end(st, run, OUTCOME_OK, NULL, 1, &r, "o", 1, NULL);
			break;
		case 8:
			bad = store_hunt_end(st, hunt, "answered", "{}", NULL);
			break;
		default:
			break;
		}
	if (bad || write(tell, "x", 1) != 1)
		_exit(1);
	raise(SIGKILL);
}

static void kill_loses_only_what_is_in_flight(void **state)
{
	struct place *p = *state;
	static const size_t seen[] = {
		0, 0, 1, 2, 2, 3, 3, 4, 4
	}; /* observations after 1, 2, ... steps */

	for (int steps = 1; steps <= 9; steps++) {
		AUTO(observations) struct observations o = { 0 };
		AUTO(hunt_row) struct hunt_row h = { 0 };
		int pipefd[2], status;
		char c;

		assert_int_equal(pipe(pipefd), 0);
		pid_t pid = fork();

		if (pid == 0)
			work_and_die(p, steps, pipefd[1]);
		assert_int_equal(read(pipefd[0], &c, 1), 1);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		close(pipefd[0]);
		close(pipefd[1]);

		struct store *st = open_store(p, STORE_WRITE);

		OK(store_hunt_find(st, "k", &h, &oops));
		assert_string_equal(h.status, steps == 9 ? "answered" : "open");
		OK(store_observations(st, h.id, &o, &oops));
		assert_int_equal(o.n, seen[steps - 1]);
		for (size_t i = 2; i < o.n; i++)
			assert_true(o.v[i].readings.n == 1 && o.v[i].readings.v[0].value == 1.5);
		store_close(st);
		OK(fs_remove_tree(p->store, &oops));
	}
}

/* Ends runs until it is killed, saying so each time. */
static void work_until_killed(const struct place *p, int tell)
{
	struct store *st = NULL;
	struct readings r = { 0 };
	struct hunt_row h = { .kind = (char *)"run", .key = (char *)"k", .question = (char *)"{}" };
	struct build_row b = { .key = (char *)"b" };
	int64_t hunt = 0, build = 0, boot = 0, run = 0;
	int bad = store_open(p->store, STORE_WRITE, &st, NULL) < 0 ||
		  store_hunt_begin(st, &h, &hunt, NULL) < 0 ||
		  store_build_add(st, &b, NULL, 0, &build, NULL) < 0 ||
		  store_boot_add(st, hunt, build, NULL, OUTCOME_OK, NULL, 0, &boot, NULL) < 0;

	readings_add(&r, "wall", "s", 1.5, 0, BETTER_LOWER, false);
	for (int i = 0; !bad; i++)
		bad = store_run_begin(st, hunt, boot, "bench", i, &run, NULL) < 0 ||
		      store_run_end(st, run, OUTCOME_OK, NULL, 1, &r, NULL, 0, NULL) < 0 ||
		      write(tell, "x", 1) != 1;
	_exit(1);
}

/* Killed anywhere, also within a transaction: all runs whose end was told are there, at most one more, and each is whole. */
static void kill_within_a_transaction_leaves_whole_runs(void **state)
{
	struct place *p = *state;

	for (int round = 0; round < 10; round++) {
		AUTO(observations) struct observations o = { 0 };
		size_t told = 0;
		int pipefd[2], status;
		char c;

		assert_int_equal(pipe(pipefd), 0);
		pid_t pid = fork();

		if (pid == 0)
			work_until_killed(p, pipefd[1]);
		close(pipefd[1]);
		for (int i = 0; i < 5 + 13 * round; i++)
			told += (size_t)read(pipefd[0], &c, 1);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		while (read(pipefd[0], &c, 1) == 1)
			told++;
		close(pipefd[0]);

		struct store *st = open_store(p, STORE_WRITE);

		OK(store_observations(st, round + 1, &o, &oops));
		assert_true(o.n - 1 >= told && o.n - 1 <= told + 1);
		for (size_t i = 1; i < o.n; i++) {
			assert_int_equal(o.v[i].index, i - 1);
			assert_true(o.v[i].readings.n == 1 && o.v[i].readings.v[0].value == 1.5);
		}
		store_close(st);
	}
	assert_string_equal(sql_text_of(p, "pragma integrity_check"), "ok");
}

static int64_t add_boot(struct store *st, int64_t hunt, int64_t build)
{
	int64_t boot = 0;

	OK(store_boot_add(st, hunt, build, NULL, OUTCOME_OK, NULL, 0, &boot, &oops));
	return boot;
}

/* What comes after the end of a run under store_hold; false if it failed. */
enum after_end { AFTER_NOTHING, AFTER_NOTE, AFTER_BEGIN, AFTER_SETTLE, AFTER_MARK, AFTER_CLOSE };

static bool go_on(struct store *st, int64_t hunt, int64_t boot, enum after_end after)
{
	int64_t run;

	switch (after) {
	case AFTER_NOTHING:
		return true;
	case AFTER_NOTE:
		return store_note(st, hunt, "n", NULL) == 0;
	case AFTER_BEGIN:
		return store_run_begin(st, hunt, boot, "bench", 1, &run, NULL) == 0;
	case AFTER_SETTLE:
		return store_settle(st, NULL) == 0;
	case AFTER_MARK:
		return store_mark(st, hunt, "n", "good", NULL) == 0;
	case AFTER_CLOSE:
		store_close(st);
		return true;
	}
	return false;
}

static void end_held_and_die(const struct place *p, enum after_end after)
{
	struct readings r = { 0 };
	struct store *st = open_store(p, STORE_WRITE);
	int64_t hunt = begin_hunt(st, "k"), run = 0;
	int64_t boot = add_boot(st, hunt, add_build(st, "b", OUTCOME_OK, "trees/b"));

	readings_add(&r, "wall", "s", 1.5, 0, BETTER_LOWER, false);
	store_hold(st);
	if (store_run_begin(st, hunt, boot, "bench", 0, &run, NULL) == 0 &&
	    store_run_end(st, run, OUTCOME_OK, NULL, 1, &r, NULL, 0, NULL) == 0 &&
	    go_on(st, hunt, boot, after))
		raise(SIGKILL);
	_exit(1);
}

/* A kill before the next beginning loses the run that has just ended, and nothing else; after it, nothing. */
static void a_held_end_is_kept_by_what_comes_next(void **state)
{
	struct place *p = *state;
	static const struct {
		enum after_end after;
		unsigned runs;
	} rows[] = { { AFTER_NOTHING, 0 }, { AFTER_NOTE, 0 }, { AFTER_BEGIN, 1 },
		     { AFTER_SETTLE, 1 },  { AFTER_MARK, 1 }, { AFTER_CLOSE, 1 } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(observations) struct observations o = { 0 };
		unsigned runs = 0;
		int status;
		pid_t pid = fork();

		if (pid == 0)
			end_held_and_die(p, rows[i].after);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));

		struct store *st = open_store(p, STORE_WRITE);

		OK(store_observations(st, 1, &o, &oops));
		assert_int_equal(o.v[0].kind, OBS_BOOT);
		for (size_t k = 0; k < o.n; k++)
			runs += o.v[k].kind == OBS_RUN && o.v[k].readings.n == 1;
		assert_int_equal(runs, rows[i].runs);
		store_close(st);
		OK(fs_remove_tree(p->store, &oops));
	}
}

/* A metric that is first seen in a change that fails is written again by the next one. */
static void a_change_that_fails_forgets_its_metrics(void **state)
{
	struct place *p = *state;
	AUTO(observations) struct observations o = { 0 };
	struct store *st = open_store(p, STORE_WRITE);
	int64_t hunt = begin_hunt(st, "k"), run = 0;
	int64_t boot = add_boot(st, hunt, add_build(st, "b", OUTCOME_OK, "trees/b"));
	struct readings r = { 0 };
	struct err e = ERR_INIT;

	store_hold(st);
	readings_add(&r, "wall", "s", 1.5, 0, BETTER_LOWER, false);
	OK(store_run_begin(st, hunt, boot, "bench", 0, &run, &oops));
	OK(store_run_end(st, run, OUTCOME_OK, NULL, 1, &r, NULL, 0, &oops));
	assert_int_equal(store_boot_add(st, hunt, 99, NULL, OUTCOME_OK, NULL, 0, &boot, &e),
			 -ERR_MISSING);
	OK(store_run_end(st, run, OUTCOME_OK, NULL, 1, &r, NULL, 0, &oops));
	OK(store_observations(st, hunt, &o, &oops));
	assert_string_equal(o.v[o.n - 1].readings.v[0].metric, "wall");
	readings_done(&r);
	store_close(st);
}

/* A lock that is none of ours: the wait is cut short, as the busy timeout would end it. */
static void a_file_locked_by_another_program_is_told(void **state)
{
	struct place *p = *state;
	struct store *st = open_store(p, STORE_WRITE);
	int64_t hunt = begin_hunt(st, "k");
	struct err e = ERR_INIT;
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(p->file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "begin immediate", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_busy_timeout(st->db, 1);
	assert_int_equal(store_note(st, hunt, "x", &e), -ERR_BUSY);
	assert_non_null(strstr(e.msg, "another program keeps"));
	sqlite3_close(db);
	OK(store_note(st, hunt, "x", &oops));
	store_close(st);
}

/* Two processes that write at once, each to its own hunt: all arrives. */
static void two_writers_wait_for_each_other(void **state)
{
	struct place *p = *state;
	pid_t pids[2];
	int status;
	AUTO(hunt_rows) struct hunt_rows all = { 0 };

	for (int k = 0; k < 2; k++) {
		pids[k] = fork();
		if (pids[k] == 0) {
			struct store *st = NULL;
			struct hunt_row h = { .kind = (char *)"run",
					      .key = (char *)"k",
					      .question = (char *)"{}" };
			int64_t hunt;
			int bad = store_open(p->store, STORE_WRITE, &st, NULL) < 0 ||
				  store_hunt_begin(st, &h, &hunt, NULL) < 0;

			for (int i = 0; i < 300 && !bad; i++)
				bad = store_note(st, hunt, "x", NULL) < 0;
			if (!bad)
				store_close(st);
			_exit(bad);
		}
	}
	for (int k = 0; k < 2; k++) {
		assert_int_equal(waitpid(pids[k], &status, 0), pids[k]);
		assert_int_equal(status, 0);
	}

	struct store *st = open_store(p, STORE_READ);

	OK(store_hunts(st, &all, &oops));
	assert_int_equal(all.n, 2);
	for (int k = 0; k < 2; k++) {
		AUTO(observations) struct observations o = { 0 };

		OK(store_observations(st, all.v[k].id, &o, &oops));
		assert_int_equal(o.n, 300);
	}
	store_close(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_store_ignores_itself),
		TEST(reading_needs_a_journal),
		TEST(a_reader_cannot_write),
		TEST(a_newer_journal_is_refused),
		TEST(another_programs_file_is_refused),
		TEST(a_damaged_file_is_refused),
		TEST(damage_inside_is_told),
		TEST(a_read_only_place_can_be_read),
		TEST(a_place_that_cannot_be_made_is_told),
		TEST(a_full_disk_loses_nothing),
		TEST(a_full_disk_can_be_read),
		TEST(nothing_can_be_changed_or_deleted),
		TEST(one_measures_and_the_second_is_told_who),
		TEST(a_killed_holder_holds_nothing),
		TEST(a_hunt_comes_back_whole),
		TEST(the_newest_state_counts),
		TEST(a_build_comes_back_whole),
		TEST(only_usable_builds_are_found),
		TEST(blobs_are_kept_once),
		TEST(observations_come_in_order),
		TEST(the_place_is_that_of_the_end),
		TEST(what_does_not_exist_is_told),
		TEST(undo_withdraws_the_newest),
		TEST(metrics_are_interned),
		TEST(kill_loses_only_what_is_in_flight),
		TEST(a_held_end_is_kept_by_what_comes_next),
		TEST(a_change_that_fails_forgets_its_metrics),
		TEST(kill_within_a_transaction_leaves_whole_runs),
		TEST(a_file_locked_by_another_program_is_told),
		TEST(two_writers_wait_for_each_other),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
