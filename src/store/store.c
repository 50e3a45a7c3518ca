/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening the journal, and who may measure.
 *
 * WAL mode lets `culprit status` and `log` read while a hunt writes. A WAL file cannot be opened where its index (-shm) can neither be
 * found nor made: in a folder that we may not write, on a full disk. There, and if nobody has left anything in a -wal, SQLite is told that
 * the file cannot change (immutable), which is true for us: whoever had it open would have the index.
 *
 * The lock is an open-file-description lock rather than flock: it can be asked for without taking it (F_OFD_GETLK), so
 * `culprit status` never makes a culprit that starts at that moment believe that the store is busy. It ends with its holder,
 * however that dies; the text in the file only says who it is.
 */
#include "store/store.h"

#include "base/log.h"
#include "base/num.h"
#include "store/db.h"
#include "store/intake.h"
#include "store/schema.h"
#include "sys/clock.h"
#include "sys/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_FILE "lock"

static void nap_ns(int64_t ns)
{
	struct timespec t = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };

	nanosleep(&t, NULL);
}

/* file:PATH?immutable=1 with what URIs reserve escaped */
static char *immutable_uri(const char *path)
{
	AUTO(str) struct str s = STR_INIT;

	str_puts(&s, "file:");
	for (; *path; path++)
		if (strchr("%?#", *path))
			str_addf(&s, "%%%02x", (unsigned char)*path);
		else
			str_putc(&s, *path);
	str_puts(&s, "?immutable=1");
	return str_take(&s);
}

/* Reads the file's head. Returns SQLite's code. */
static int probe(struct store *st)
{
	return sqlite3_exec(st->db, "select count(*) from sqlite_schema", NULL, NULL, NULL);
}

/*
 * A run writes a few small rows at the end of ten trees: a smaller page is less to write and to sum up. The -wal file is copied into the
 * database, with two fsyncs, when it has 16 MB: at the usual 4 MB that came every 70 runs.
 */
static const char pragmas[] = "pragma page_size=2048; pragma wal_autocheckpoint=8000;"
			      "pragma journal_mode=wal; pragma synchronous=normal";

/*
 * Changing the mode needs the file for itself and does not wait by the busy timeout; two culprits that make the same store
 * at the same moment meet here.
 */
static int set_wal(struct store *st, struct err *e)
{
	int code = SQLITE_OK;

	for (int i = 0; i < DB_BUSY_MS / 20; i++) {
		code = sqlite3_exec(st->db, pragmas, NULL, NULL, NULL);
		if ((code & 0xff) != SQLITE_BUSY)
			break;
		nap_ns(20 * NS_PER_MS);
	}
	return code ? db_err(st, code, "opening the journal", e) : 0;
}

static int open_for_writing(struct store *st, struct err *e)
{
	AUTO_FREE char *ignore = fs_join(st->dir, ".gitignore");
	int r = fs_mkdirs(st->dir, e);

	if (r < 0)
		return err_wrap(e, "creating the store");
	if (!fs_exists(ignore) && fs_write_atomic(ignore, "*\n", 2, e) < 0)
		return err_wrap(e, "creating the store");
	r = db_open(st, st->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e);
	if (r < 0)
		return r;
	/* SQLite opens a file that it may not write for reading, without a word */
	if (sqlite3_db_readonly(st->db, "main") == 1)
		return db_err(st, SQLITE_READONLY, "opening the journal", e);
	st->writable = true;

	int code = probe(st);

	if (code)
		return db_err(st, code, "opening the journal", e);
	r = set_wal(st, e);
	return r < 0 ? r : schema_migrate(st, e);
}

/* Could the index not be made, and is there nothing that it would index? */
static bool can_read_alone(const struct store *st, int code)
{
	AUTO_FREE char *wal = xasprintf("%s-wal", st->path);
	struct stat sb;

	switch (code & 0xff) {
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
	case SQLITE_FULL:
	case SQLITE_IOERR:
		return stat(wal, &sb) < 0 || sb.st_size == 0;
	default:
		return false;
	}
}

static int open_for_reading(struct store *st, struct err *e)
{
	if (!fs_exists(st->path))
		return err_set(e, ERR_MISSING, "%s holds no hunt yet", st->dir);

	int r = db_open(st, st->path, SQLITE_OPEN_READWRITE, e);

	if (r < 0)
		return r;

	int code = probe(st);

	if (code && can_read_alone(st, code)) {
		AUTO_FREE char *uri = immutable_uri(st->path);

		sqlite3_close(st->db);
		st->db = NULL;
		r = db_open(st, uri, SQLITE_OPEN_READONLY, e);
		if (r < 0)
			return r;
		code = probe(st);
	}
	if (code)
		return db_err(st, code, "opening the journal", e);
	/* an older journal is brought up to date where that is possible, then nothing more is written */
	st->writable = sqlite3_db_readonly(st->db, "main") == 0;
	r = schema_migrate(st, e);
	if (r == 0 && st->writable)
		r = intake_recover(st, INTAKE_ANY, e);
	st->writable = false;
	return r < 0 ? r : db_script(st, "opening the journal", "pragma query_only=on", e);
}

int store_open(const char *dir, enum store_mode mode, struct store **ret, struct err *e)
{
	struct store *st = xcalloc(1, sizeof(*st));
	int r;

	st->lock_fd = -1;
	st->dir = xstrdup(dir);
	st->path = fs_join(dir, STORE_FILE);
	r = mode == STORE_WRITE ? open_for_writing(st, e) : open_for_reading(st, e);
	if (r < 0) {
		store_close(st);
		return r;
	}
	*ret = st;
	return 0;
}

void store_close(struct store *st)
{
	if (!st)
		return;
	store_unlock(st);
	db_close(st);
	free(st);
}

const char *store_dir(const struct store *st)
{
	return st->dir;
}

/* --- the lock ----------------------------------------------------------------------------------------------------- */

/* What the holder wrote: "PID SINCE COMMAND". `out` gets a sentence about it. Returns since when, realtime; -1 if it does not say. */
static int64_t holder_text(int fd, struct str *out)
{
	char buf[500];
	ssize_t n = pread(fd, buf, sizeof(buf) - 1, 0);
	long long pid = 0, since = 0;
	int at = 0;

	buf[n > 0 ? n : 0] = '\0';
	/* one who has just died or just begun may have left the text of somebody else */
	if (sscanf(buf, "%lld %lld %n", &pid, &since, &at) < 2 || pid <= 0 ||
	    (kill((pid_t)pid, 0) < 0 && errno == ESRCH)) {
		str_puts(out, "another culprit");
		return -1;
	}

	char when[20];

	clock_format(since, when);
	str_addf(out, "'%s' (pid %lld, since %s)", buf + at, pid, when);
	return since;
}

static int lock_try(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock);
}

static int lock_wait(int fd, int64_t wait_ns, bool (*tick)(void *, const char *holder), void *arg,
		     struct err *e)
{
	const int64_t step = NS_PER_S / 4;
	int64_t end = clock_monotonic_ns() + wait_ns;

	for (;;) {
		AUTO(str) struct str holder = STR_INIT;

		if (lock_try(fd) == 0)
			return 0;
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return err_errno(e, "locking the store");
		holder_text(fd, &holder);
		if (tick && wait_ns > 0 && !tick(arg, holder.p))
			return err_set(e, ERR_STOPPED, "stopped while waiting for %s", holder.p);

		int64_t left = end - clock_monotonic_ns();

		if (left <= 0)
			return err_set(
				e, ERR_BUSY,
				"the store is in use by %s; wait for it, stop it, or give another folder with --store",
				holder.p);
		nap_ns(left < step ? left : step);
	}
}

int store_lock(struct store *st, const char *command, int64_t wait_ns,
	       bool (*tick)(void *, const char *holder), void *arg, struct err *e)
{
	AUTO_FREE char *path = fs_join(st->dir, LOCK_FILE);
	AUTO(str) struct str text = STR_INIT;
	int r;

	if (st->lock_fd >= 0)
		return 0;

	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		return err_errno(e, "locking the store: %s", path);
	r = lock_wait(fd, wait_ns, tick, arg, e);
	if (r == 0 && st->writable)
		r = intake_recover(st, INTAKE_OURS, e);
	if (r < 0) {
		close(fd);
		return r;
	}
	/* who lets go leaves no text behind */
	st->abandoned = pread(fd, &(char){ 0 }, 1, 0) == 1;
	str_addf(&text, "%lld %lld %.300s", (long long)getpid(), (long long)clock_realtime_ns(),
		 command);
	/* the text is only for people; on a full disk 'culprit clean' must still be able to lock */
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text.p, text.n, 0) < 0)
		(void)0;
	st->lock_fd = fd;
	return 0;
}

void store_unlock(struct store *st)
{
	struct err e = ERR_INIT;

	if (st->lock_fd < 0)
		return;
	/* nobody is left to be told: what is not in the file either is lost as a run in flight is */
	if (intake_close(st, &e) < 0)
		log_debug("closing the journal: %s", e.msg);
	if (ftruncate(st->lock_fd, 0) < 0)
		(void)0; /* the lock itself goes with the descriptor */
	close(st->lock_fd);
	st->lock_fd = -1;
}

bool store_was_abandoned(const struct store *st)
{
	return st->abandoned;
}

bool store_holder(const char *dir, struct str *out, int64_t *ret_since_ns)
{
	AUTO_FREE char *path = fs_join(dir, LOCK_FILE);
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool held;

	if (fd < 0)
		return false;
	held = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	if (held)
		*ret_since_ns = holder_text(fd, out);
	close(fd);
	return held;
}
