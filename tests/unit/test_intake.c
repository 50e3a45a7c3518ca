/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that wait outside the database: what a kill, a cut, a spoilt byte or a full disk leaves of them. A copy of the store's files while it is
 * open is what a kill would have left.
 */
#include "store_unit.h"

#include "store/db.h"
#include "store/intake.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEAD = 80, CHUNK = 16, SEQ_AT = 16, START_AT = 32, SUM_AT = 72 };

static char *intake_of(const struct place *p)
{
	return xasprintf("%s-intake", p->file);
}

static int64_t size_of(const char *path)
{
	struct stat sb;

	return stat(path, &sb) ? -1 : sb.st_size;
}

static int64_t ask(const struct place *p, const char *query)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *q = NULL;

	assert_int_equal(sqlite3_open(p->file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	int64_t n = sqlite3_column_int64(q, 0);

	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}

static int64_t ended(const struct place *p)
{
	return ask(p, "select count(*) from run_end");
}

/* --- a hunt of short runs ----------------------------------------------------------------------------------------- */

struct hunting {
	struct store *st;
	int64_t hunt, build, boot, run;
	int n; /* runs begun */
};

/* Ends the run that is in flight, with two readings and an output of `n` bytes that cannot be packed. */
static void end_run(struct hunting *h, double seconds, size_t n)
{
	struct readings r = { 0 };
	AUTO_FREE char *output = xmalloc(n + 1);
	uint32_t x = (uint32_t)h->run;

	for (size_t i = 0; i < n; i++)
		output[i] = (char)((x = x * 1664525 + 1013904223) >> 24);
	readings_add(&r, "wall", "s", h->n / 8.0, 0, BETTER_LOWER, false);
	readings_add(&r, "ops", "ops/s", 7, 0.01, BETTER_HIGHER, false);
	OK(store_run_end(h->st, h->run, OUTCOME_OK, NULL, seconds, &r, output, n, &oops));
	readings_done(&r);
}

static void begin_run(struct hunting *h)
{
	OK(store_run_begin(h->st, h->hunt, h->boot, "bench", h->n, &h->run, &oops));
	h->n++;
}

static void begin_boot(struct hunting *h)
{
	OK(store_boot_add(h->st, h->hunt, h->build, "{\"env\":7}", OUTCOME_OK, NULL, 0, &h->boot,
			  &oops));
}

/* One short run has ended and is in the database: what comes next waits, if the lock is held. */
static struct hunting begin_hunting(const struct place *p, bool with_lock)
{
	struct hunting h = { .st = open_store(p, STORE_WRITE) };

	if (with_lock)
		OK(store_lock(h.st, "culprit run", 0, NULL, NULL, &oops));
	h.hunt = begin_hunt(h.st, "k");
	h.build = add_build(h.st, "b", OUTCOME_OK, "trees/b");
	OK(store_use_build(h.st, h.hunt, h.build, "n", &oops));
	store_hold(h.st);
	begin_boot(&h);
	begin_run(&h);
	end_run(&h, 0.001, 0);
	return h;
}

static void go_on(struct hunting *h, int runs)
{
	for (int i = 0; i < runs; i++) {
		begin_boot(h);
		begin_run(h);
		end_run(h, 0.001, 20);
	}
}

/* --- copies -------------------------------------------------------------------------------------------------------- */

struct files {
	struct str db, wal, intake;
};

static void files_done(struct files *f)
{
	str_done(&f->db);
	str_done(&f->wal);
	str_done(&f->intake);
}

static void read_one(const struct place *p, const char *end, struct str *out)
{
	AUTO_FREE char *path = xasprintf("%s%s", p->file, end);

	if (fs_exists(path))
		OK(fs_read(path, 1 << 24, out, &oops));
}

static struct files take_files(const struct place *p)
{
	struct files f = { STR_INIT, STR_INIT, STR_INIT };

	read_one(p, "", &f.db);
	read_one(p, "-wal", &f.wal);
	read_one(p, "-intake", &f.intake);
	return f;
}

static void write_one(const struct place *p, const char *end, const char *bytes, size_t n)
{
	AUTO_FREE char *path = xasprintf("%s%s", p->file, end);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void put_files(const struct place *p, const struct files *f)
{
	AUTO_FREE char *index = xasprintf("%s-shm", p->file);

	unlink(index);
	write_one(p, "", f->db.p, f->db.n);
	write_one(p, "-wal", f->wal.p, f->wal.n);
	write_one(p, "-intake", f->intake.p, f->intake.n);
}

/* What store_lock says of the files as they are. */
static int start_again(const struct place *p, struct err *e)
{
	struct store *st = open_store(p, STORE_WRITE);
	int r = store_lock(st, "culprit run", 0, NULL, NULL, e);

	store_close(st);
	return r;
}

static void expect_runs(const struct place *p, int64_t runs)
{
	AUTO(observations) struct observations o = { 0 };
	AUTO_FREE char *intake = intake_of(p);
	struct store *st = open_store(p, STORE_WRITE);
	int64_t n = 0;

	OK(store_lock(st, "culprit run", 0, NULL, NULL, &oops));
	OK(store_observations(st, 1, &o, &oops));
	for (size_t i = 0; i < o.n; i++) {
		assert_true(i == 0 || o.v[i].seq == o.v[i - 1].seq + 1);
		if (o.v[i].kind != OBS_RUN)
			continue;
		assert_int_equal(o.v[i].index, n++);
		assert_int_equal(o.v[i].readings.n, 2);
		assert_true(o.v[i].readings.v[0].value == (double)n / 8);
		assert_string_equal(o.v[i].readings.v[1].metric, "ops");
	}
	assert_int_equal(n, runs);
	assert_true(size_of(intake) <= 0);
	store_close(st);
	assert_int_equal(ask(p, "select count(*) from pragma_foreign_key_check"), 0);
}

/* --- the same rows ------------------------------------------------------------------------------------------------- */

static void dump(const struct place *p, struct str *out)
{
	static const char *const queries[] = {
		"select seq, hunt, kind, node, text from journal",
		"select * from boot",
		"select id, hunt, boot, benchmark, position from run",
		"select seq, run, outcome, reason, seconds, hex(output) from run_end",
		"select run, at, metric, value, resolution from reading",
		"select * from metric",
	};
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(p->file, &db), SQLITE_OK);
	for (size_t i = 0; i < ARRAY_LEN(queries); i++) {
		sqlite3_stmt *q = NULL;

		assert_int_equal(sqlite3_prepare_v2(db, queries[i], -1, &q, NULL), SQLITE_OK);
		while (sqlite3_step(q) == SQLITE_ROW) {
			for (int k = 0; k < sqlite3_column_count(q); k++)
				str_addf(out, "%d:%s|", sqlite3_column_type(q, k),
					 (const char *)sqlite3_column_text(q, k));
			str_putc(out, '\n');
		}
		sqlite3_finalize(q);
	}
	sqlite3_close(db);
}

static void all_kinds_of_rows(const struct place *p, bool with_lock)
{
	struct hunting h = begin_hunting(p, with_lock);
	struct readings many = { 0 };
	int64_t boot = 0;

	OK(store_note(h.st, h.hunt, "", &oops));
	OK(store_action(h.st, h.hunt, "{\"kind\":\"measure\"}", &oops));
	OK(store_boot_add(h.st, h.hunt, h.build, NULL, OUTCOME_CRASHED, "signal 11", 0.25, &boot,
			  &oops));
	go_on(&h, 3);
	begin_run(&h); /* void: it gets no end */
	OK(store_note(h.st, h.hunt, "run is void", &oops));
	begin_run(&h);
	OK(store_run_end(h.st, h.run, OUTCOME_FAILED, "exit status 3", 0.01, NULL, NULL, 0, &oops));
	begin_run(&h);
	for (int i = 0; i < 7; i++)
		readings_add(&many, i % 2 ? "ops" : "wall", i % 2 ? "ops/s" : "s", -i / 4.0, i,
			     i % 2 ? BETTER_HIGHER : BETTER_LOWER, false);
	OK(store_run_end(h.st, h.run, OUTCOME_OK, NULL, 0.01, &many, "text", 4, &oops));
	begin_run(&h); /* a metric that nobody has seen */
	readings_add(&many, "new", "B", 1, 0, BETTER_LOWER, true);
	OK(store_run_end(h.st, h.run, OUTCOME_OK, NULL, 0.01, &many, NULL, 0, &oops));
	go_on(&h, 2);
	OK(store_use_build(h.st, h.hunt, h.build, "again", &oops));
	go_on(&h, 2);
	begin_run(&h);
	end_run(&h, 5, 0); /* no short run */
	go_on(&h, 2);
	readings_done(&many);
	store_close(h.st);
}

static void rows_that_waited_are_those_that_did_not(void **state)
{
	struct place *p = *state;
	AUTO(str) struct str at_once = STR_INIT, waited = STR_INIT;

	all_kinds_of_rows(p, false);
	dump(p, &at_once);
	OK(fs_remove_tree(p->store, &oops));
	all_kinds_of_rows(p, true);
	dump(p, &waited);
	assert_true(at_once.n > 2000);
	assert_string_equal(waited.p, at_once.p);
}

static void the_database_is_not_written_between_short_runs(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *intake = intake_of(p);
	struct hunting h = begin_hunting(p, true);

	go_on(&h, 1);
	int64_t size = size_of(intake), rows = ended(p);

	assert_true(size > HEAD + CHUNK);
	assert_int_equal(rows, 1);
	go_on(&h, 1);
	assert_true(size_of(intake) > size);
	assert_int_equal(ended(p), 1);
	store_close(h.st);
	assert_int_equal(ended(p), 3);
	assert_int_equal(size_of(intake), 0);
}

static void who_asks_through_the_store_sees_all(void **state)
{
	struct place *p = *state;
	AUTO(observations) struct observations o = { 0 };
	struct hunting h = begin_hunting(p, true);

	go_on(&h, 2);
	OK(store_observations(h.st, h.hunt, &o, &oops));
	assert_int_equal(o.n, 7);
	assert_int_equal(o.v[6].run, h.run);
	assert_int_equal(o.v[5].boot, h.boot);
	go_on(&h, 1);
	store_close(h.st);
	expect_runs(p, 4);
}

/* What ends the waiting, seen from outside. */
static void what_waits_goes_in_when_it_must(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *intake = intake_of(p);

	for (int what = 0; what < 5; what++) {
		struct hunting h = begin_hunting(p, true);

		go_on(&h, 2);
		assert_int_equal(ended(p), 1);
		if (what == 0)
			OK(store_settle(h.st, &oops));
		if (what == 1)
			store_show(h.st);
		if (what == 2)
			OK(store_mark(h.st, h.hunt, "n", "good", &oops));
		if (what == 3)
			store_unlock(h.st);
		if (what == 4) {
			begin_run(&h);
			end_run(&h, 0.06, 0);
		}
		assert_int_equal(ended(p), 3);
		assert_int_equal(size_of(intake), 0);
		store_close(h.st);
		expect_runs(p, 3 + (what == 4));
		OK(fs_remove_tree(p->store, &oops));
	}
}

static void a_large_batch_does_not_wait(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *intake = intake_of(p);
	struct hunting h = begin_hunting(p, true);
	int64_t most = 0;

	for (int i = 0; i < 40; i++) {
		begin_run(&h);
		if (size_of(intake) > most)
			most = size_of(intake);
		end_run(&h, 0.001, 20000);
	}
	assert_true(most > 128 << 10 && most < 300 << 10);
	assert_true(ended(p) > 20);
	store_close(h.st);
	expect_runs(p, 41);
}

/* What SQLite would refuse is refused by the call that said it, and spoils no batch. */
static void what_the_tables_refuse_is_told_at_once(void **state)
{
	struct place *p = *state;
	struct hunting h = begin_hunting(p, true);
	struct readings r = { 0 };

	go_on(&h, 1);
	assert_true(store_run_end(h.st, h.run, OUTCOME_OK, NULL, 0.001, NULL, NULL, 0, NULL) < 0);
	go_on(&h, 1);
	begin_run(&h);
	readings_add(&r, "wall", "s", NAN, 0, BETTER_LOWER, false);
	assert_true(store_run_end(h.st, h.run, OUTCOME_OK, NULL, 0.001, &r, NULL, 0, NULL) < 0);
	readings_done(&r);
	store_close(h.st);
	expect_runs(p, 3);
}

/* --- kill -9 ------------------------------------------------------------------------------------------------------- */

enum step { BOOT, BEGIN, END, NOTE, SHOW };

static void do_step(struct hunting *h, enum step s)
{
	switch (s) {
	case BOOT:
		begin_boot(h);
		return;
	case BEGIN:
		begin_run(h);
		return;
	case END:
		end_run(h, 0.001, 30);
		return;
	case NOTE:
		OK(store_note(h->st, h->hunt, "n", &oops));
		return;
	case SHOW:
		store_show(h->st);
		return;
	}
}

/* Killed after k steps: the runs that ended before the last beginning are there. */
static void a_kill_loses_at_most_the_run_in_flight(void **state)
{
	struct place *p = *state;
	static const struct {
		enum step step;
		int64_t runs;
	} rows[] = { { BOOT, 1 },  { BEGIN, 1 }, { END, 1 },   { BOOT, 1 }, { NOTE, 1 },
		     { BEGIN, 2 }, { END, 2 },	 { SHOW, 3 },  { BOOT, 3 }, { BEGIN, 3 },
		     { SHOW, 3 },  { END, 3 },	 { BEGIN, 4 }, { END, 4 } };

	for (size_t k = 1; k <= ARRAY_LEN(rows); k++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			struct hunting h = begin_hunting(p, true);

			for (size_t i = 0; i < k; i++)
				do_step(&h, rows[i].step);
			raise(SIGKILL);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		if (k % 2) /* a reader takes it in, too */
			store_close(open_store(p, STORE_READ));
		if (k % 2)
			assert_int_equal(ended(p), rows[k - 1].runs);
		expect_runs(p, rows[k - 1].runs);
		OK(fs_remove_tree(p->store, &oops));
	}
}

/* A store as a kill leaves it, with `n` runs that are only in the file, and one in flight; ends[k] is how long the file was when run k had begun. */
static struct files leave_runs(const struct place *p, int n, size_t *ends)
{
	AUTO_FREE char *intake = intake_of(p);
	struct hunting h = begin_hunting(p, true);
	struct files f;

	for (int i = 0; i < n; i++) {
		begin_boot(&h);
		begin_run(&h);
		ends[i] = (size_t)size_of(intake);
		end_run(&h, 0.001, 0);
	}
	begin_run(&h);
	ends[n] = (size_t)size_of(intake);
	f = take_files(p);
	assert_int_equal(f.intake.n, ends[n]);
	store_close(h.st);
	/* without a -wal, which each opening would copy into the database again; nothing is taken in without the lock */
	put_files(p, &f);
	store_close(open_store(p, STORE_WRITE));
	str_clear(&f.db);
	str_clear(&f.wal);
	read_one(p, "", &f.db);
	return f;
}

static void a_cut_file_gives_what_is_whole_in_it(void **state)
{
	struct place *p = *state;
	size_t ends[2], whole;
	AUTO(files) struct files f = leave_runs(p, 1, ends);

	for (whole = f.intake.n; f.intake.n; f.intake.n--) {
		put_files(p, &f);
		expect_runs(p, 1 + (f.intake.n >= ends[1]));
	}
	put_files(p, &f);
	expect_runs(p, 1);
	assert_true(whole > 400);
}

static void every_spoilt_byte_is_told(void **state)
{
	struct place *p = *state;
	size_t ends[3];
	AUTO(files) struct files f = leave_runs(p, 2, ends);

	for (size_t i = 0; i < f.intake.n; i++) {
		struct err e = ERR_INIT, other = ERR_INIT;
		struct store *st = NULL;
		char was = f.intake.p[i];

		f.intake.p[i] ^= (char)(1 << i % 8);
		put_files(p, &f);
		assert_int_equal(start_again(p, &e), -ERR_BROKEN);
		assert_non_null(strstr(e.msg, "culprit.db-intake is damaged ("));
		assert_non_null(strstr(e.msg, "move it away"));
		assert_int_equal(store_open(p->store, STORE_READ, &st, &other), -ERR_BROKEN);
		assert_string_equal(other.msg, e.msg);
		f.intake.p[i] = was;
	}
	put_files(p, &f);
	expect_runs(p, 3);
}

/* Killed between the commit and the emptying: it is not taken in twice. */
static void what_is_in_is_not_taken_in_again(void **state)
{
	struct place *p = *state;
	size_t ends[4];
	AUTO(files) struct files f = leave_runs(p, 3, ends);

	put_files(p, &f);
	for (int i = 0; i < 3; i++) {
		expect_runs(p, 4);
		write_one(p, "-intake", f.intake.p, f.intake.n);
	}
	store_close(open_store(p, STORE_READ));
	expect_runs(p, 4);
}

/* --- after another start of the machine ---------------------------------------------------------------------------- */

static uint64_t sum_more(uint64_t sum, const char *p, size_t n)
{
	for (uint64_t w; n >= 8; p += 8, n -= 8) {
		memcpy(&w, p, 8);
		sum = (sum ^ w) * UINT64_C(0x100000001b3);
	}
	for (; n; p++, n--)
		sum = (sum ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	return sum;
}

/* Makes the sums right again after a change. */
static void sum_up(struct str *file)
{
	uint64_t sum = sum_more(UINT64_C(0xcbf29ce484222325), file->p, SUM_AT);
	uint32_t n;

	memcpy(file->p + SUM_AT, &sum, 8);
	for (size_t at = HEAD; at < file->n; at += CHUNK + n) {
		memcpy(&n, file->p + at, 4);
		sum = sum_more(sum_more(sum, file->p + at, 8), file->p + at + CHUNK, n);
		memcpy(file->p + at + 8, &sum, 8);
	}
}

static void a_power_failure_leaves_what_is_whole_from_the_beginning(void **state)
{
	struct place *p = *state;
	size_t ends[4];
	AUTO(files) struct files f = leave_runs(p, 3, ends);

	memset(f.intake.p + START_AT, 'x', 36);
	sum_up(&f.intake);
	put_files(p, &f);
	expect_runs(p, 4);
	/* in the second chunk, whose end is that of the first run */
	f.intake.p[ends[1] - 3] ^= 1;
	put_files(p, &f);
	expect_runs(p, 1);
	/* a length without its bytes */
	memset(f.intake.p + ends[0], 0, f.intake.n - ends[0]);
	put_files(p, &f);
	expect_runs(p, 1);
	memset(f.intake.p, 0, f.intake.n);
	put_files(p, &f);
	expect_runs(p, 1);
}

static void what_goes_on_from_lost_rows_is_told_or_dropped(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	size_t ends[3];
	AUTO(files) struct files f = leave_runs(p, 2, ends);
	int64_t seq;

	memcpy(&seq, f.intake.p + SEQ_AT, 8);
	seq++;
	memcpy(f.intake.p + SEQ_AT, &seq, 8);
	sum_up(&f.intake);
	put_files(p, &f);
	assert_int_equal(start_again(p, &e), -ERR_BROKEN);
	assert_non_null(strstr(e.msg, "the journal does not have"));
	memset(f.intake.p + START_AT, 'x', 36);
	sum_up(&f.intake);
	put_files(p, &f);
	expect_runs(p, 1);
}

/* Rows whose sums are right and which no culprit writes: an unknown row, a short one, one that refers to nothing. */
static void rows_that_are_none_are_told(void **state)
{
	struct place *p = *state;
	size_t ends[3];
	AUTO(files) struct files f = leave_runs(p, 2, ends);
	/* the first row of the second chunk: journal (seq, hunt, ...), each 'i' and eight bytes */
	static const struct {
		size_t at;
		char byte;
		const char *why;
	} rows[] = { { 0, 99, "a row that is none" },
		     { 1, 'q', "a row that is none" },
		     { 1, 't', "a row that is none" },
		     { 11, 77, "it refers to what is not there" } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t at = ends[0] + CHUNK + rows[i].at;
		char was = f.intake.p[at];
		struct err e = ERR_INIT;

		f.intake.p[at] = rows[i].byte;
		sum_up(&f.intake);
		put_files(p, &f);
		assert_int_equal(start_again(p, &e), -ERR_BROKEN);
		if (!strstr(e.msg, rows[i].why))
			fail_msg("row %zu: %s", i, e.msg);
		assert_int_equal(ended(p), 1);
		f.intake.p[at] = was;
	}
	sum_up(&f.intake);
	put_files(p, &f);
	expect_runs(p, 3);
}

static void another_versions_file_is_refused(void **state)
{
	struct place *p = *state;
	struct err e = ERR_INIT;
	size_t ends[2];
	AUTO(files) struct files f = leave_runs(p, 1, ends);

	f.intake.p[8]++;
	sum_up(&f.intake);
	put_files(p, &f);
	assert_int_equal(start_again(p, &e), -ERR_BROKEN);
	assert_non_null(strstr(e.msg, "another version"));
}

/* --- others -------------------------------------------------------------------------------------------------------- */

/* A reader beside a living one leaves its file alone. */
static void who_reads_beside_a_hunt_takes_nothing(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *intake = intake_of(p);
	struct hunting h = begin_hunting(p, true);

	go_on(&h, 3);
	int64_t size = size_of(intake);
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct store *st = NULL;

		_exit(store_open(p->store, STORE_READ, &st, NULL) < 0 || size_of(intake) != size);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(ended(p), 1);
	go_on(&h, 1);
	store_close(h.st);
	expect_runs(p, 5);
}

/* Two that measure by turns, each killed: all that each began anew is there. */
static void two_by_turns_lose_nothing(void **state)
{
	struct place *p = *state;

	for (int k = 0; k < 6; k++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			struct hunting h = begin_hunting(p, true);

			go_on(&h, 1 + k);
			raise(SIGKILL);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	store_close(open_store(p, STORE_READ));
	for (int k = 0; k < 6; k++) {
		AUTO_FREE char *query = xasprintf(
			"select count(*) from journal where kind = 'run' and hunt = %d", k + 1);

		assert_int_equal(ask(p, query), 1 + k);
	}
}

static int read_as_nobody(const struct place *p)
{
	struct store *st = NULL;
	struct err e = ERR_INIT;

	if (getuid() == 0 && (setgid(65534) || setuid(65534)))
		return 99;
	if (store_open(p->store, STORE_READ, &st, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		return 1;
	}
	store_close(st);
	return 0;
}

static void in_a_read_only_place_it_is_left_alone(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *intake = intake_of(p);
	size_t ends[3];
	AUTO(files) struct files f = leave_runs(p, 2, ends);
	int status;

	chmod(p->file, 0444);
	chmod(intake, 0444);
	chmod(p->store, 0555);
	pid_t pid = fork();

	if (pid == 0)
		_exit(read_as_nobody(p));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(size_of(intake), f.intake.n);
	chmod(p->store, 0755);
}

/* A limit on file size stands for a full disk. */
static int fill_up(const struct place *p)
{
	struct hunting h = begin_hunting(p, true);
	struct err e = ERR_INIT, again = ERR_INIT;
	AUTO_FREE char *intake = intake_of(p);
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	go_on(&h, 3);
	limit.rlim_cur = limit.rlim_max = (rlim_t)size_of(intake) + 20;
	if (setrlimit(RLIMIT_FSIZE, &limit) ||
	    store_run_begin(h.st, h.hunt, h.boot, "bench", h.n, &h.run, &e) != -ERR_ENV ||
	    !strstr(e.msg, "culprit.db-intake may not grow"))
		return 1;
	if (store_settle(h.st, &again) != -ERR_ENV || !strstr(again.msg, "may not grow"))
		return 2;
	store_close(h.st);
	return 0;
}

static void a_full_disk_loses_no_run_that_was_written(void **state)
{
	struct place *p = *state;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(fill_up(p));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* of the third of three, the end was not in the file yet */
	expect_runs(p, 3);
}

static void only_a_plain_file_is_used(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *intake = intake_of(p), *elsewhere = fs_join(p->dir, "elsewhere");

	store_close(open_store(p, STORE_WRITE));
	OK(fs_write_atomic(elsewhere, "theirs", 6, &oops));
	for (int kind = 0; kind < 4; kind++) {
		struct err e = ERR_INIT;

		assert_int_equal(kind == 0   ? symlink(elsewhere, intake)
				 : kind == 1 ? symlink("nowhere", intake)
				 : kind == 2 ? mkfifo(intake, 0666)
					     : mkdir(intake, 0777),
				 0);
		assert_int_equal(start_again(p, &e), -ERR_BROKEN);
		assert_non_null(strstr(e.msg, "culprit.db-intake is no plain file: remove it"));
		OK(fs_remove_tree(intake, &oops));
	}
	assert_int_equal(size_of(elsewhere), 6);
	assert_int_equal(start_again(p, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_that_waited_are_those_that_did_not),
		TEST(the_database_is_not_written_between_short_runs),
		TEST(who_asks_through_the_store_sees_all),
		TEST(what_waits_goes_in_when_it_must),
		TEST(a_large_batch_does_not_wait),
		TEST(what_the_tables_refuse_is_told_at_once),
		TEST(a_kill_loses_at_most_the_run_in_flight),
		TEST(a_cut_file_gives_what_is_whole_in_it),
		TEST(every_spoilt_byte_is_told),
		TEST(what_is_in_is_not_taken_in_again),
		TEST(a_power_failure_leaves_what_is_whole_from_the_beginning),
		TEST(what_goes_on_from_lost_rows_is_told_or_dropped),
		TEST(rows_that_are_none_are_told),
		TEST(another_versions_file_is_refused),
		TEST(who_reads_beside_a_hunt_takes_nothing),
		TEST(two_by_turns_lose_nothing),
		TEST(in_a_read_only_place_it_is_left_alone),
		TEST(a_full_disk_loses_no_run_that_was_written),
		TEST(only_a_plain_file_is_used),
	};

	return cmocka_run_group_tests_name("intake", tests, NULL, NULL);
}
