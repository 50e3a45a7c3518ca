/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between two short runs SQLite cost more than all else that culprit does: ten rows in six statements, each of which finds the caches full of
 * somebody else's work. One after the other the same statements cost a tenth. So while runs are short what they say is kept as bytes, and SQLite
 * has it once a second.
 *
 * The rows are kept as what they are: which insert, and its values. So there is one way into the tables, for rows that wait and for those that do
 * not, and the file says nothing that the tables would not check. The numbers of journal.seq and run.id are given here; whoever has the lock is
 * the only one who gives any.
 *
 * What is in memory is the file as it will be: a head, then chunks, each of which is written when a run begins. Sums are chained from the head on, so
 * that no chunk of an earlier batch can pass for one of this.
 *
 * What a kill leaves is a prefix of the file. Anything else, as long as the machine has not been started anew since (the head says under which start it was
 * written), is damage and told. A power failure may leave anything, since nothing here is forced to the disk: then what is whole from the beginning on counts, and what
 * goes on from rows that the database has lost does not.
 *
 * Refused: to keep the file and give it to SQLite at the end (another program reads the database; a second's rows are the promise to it), and
 * a mapped file, which would save the write (a full disk is then a signal).
 */
#include "store/intake.h"

#include "base/log.h"
#include "base/num.h"
#include "store/rows.h"
#include "store/schema.h"
#include "sys/clock.h"
#include "sys/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SETTLE_EVERY_NS NS_PER_S
#define SETTLE_BYTES ((size_t)256 << 10)
/* One run may say much; more than this is no file of ours. */
#define FILE_MAX ((off_t)1 << 30)
#define LOCK_WAIT_NS (10 * NS_PER_S)

struct head {
	char magic[8];
	uint32_t version, schema;
	int64_t seq, run; /* the first ones that its rows may have */
	char start[40];	  /* of the machine */
	uint64_t sum;	  /* of what is before it here */
};
struct chunk {
	uint32_t n, n_again; /* bytes behind it, and as ~n: a length that is believed */
	uint64_t sum;	     /* of all before it, of its length and its bytes */
};
static const char magic[8] = "culprit\n";
enum { VERSION = 1 };

struct intake {
	int fd;		  /* locked; -1: there is none yet */
	bool is_refused;  /* it cannot be had: everything goes to the database at once */
	struct str file;  /* a head and chunks; empty: nothing waits */
	size_t open_at;	  /* where the last chunk begins */
	size_t n_written; /* to the file; what follows is the last chunk */
	uint64_t sum;	  /* up to there */
	int64_t seq, run; /* the next ones */
	int64_t since_ns; /* monotonic time at which the batch began */
	char start[40];
};

static int damaged(const struct store *st, const char *why, struct err *e)
{
	return err_set(
		e, ERR_BROKEN,
		"taking in the last runs: %s-intake is damaged (%s); move it away to go on without the last second of runs",
		st->path, why);
}

static int insert_chunks(struct store *st, const struct str *file, struct err *e)
{
	struct chunk c;
	bool is_right = true;
	int r = 0;

	for (size_t at = sizeof(struct head); r == 0 && is_right && at < file->n;
	     at += sizeof(c) + c.n) {
		memcpy(&c, file->p + at, sizeof(c));
		r = rows_insert(st, file->p + at + sizeof(c), c.n, &is_right, e);
	}
	return is_right ? r : damaged(st, "a row that is none", e);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* FNV-1a (Fowler, Noll, Vo), by words of eight bytes: for what a machine spoils, not against people. */
static uint64_t sum_more(uint64_t sum, const void *bytes, size_t n)
{
	const uint64_t prime = UINT64_C(0x100000001b3);
	const char *p = bytes;
	uint64_t word;

	for (; n >= sizeof(word); p += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sum = (sum ^ word) * prime;
	}
	for (; n; p++, n--)
		sum = (sum ^ (unsigned char)*p) * prime;
	return sum;
}

static uint64_t sum_of_head(const struct head *h)
{
	return sum_more(UINT64_C(0xcbf29ce484222325), h, offsetof(struct head, sum));
}

static uint64_t sum_of_chunk(uint64_t before, const struct chunk *c, const char *bytes)
{
	return sum_more(sum_more(before, c, offsetof(struct chunk, sum)), bytes, c->n);
}

/* Which start of the machine this is; "" where the kernel does not say. */
static void read_start(char ret[40])
{
	AUTO(str) struct str s = STR_INIT;

	memset(ret, 0, 40);
	if (fs_read("/proc/sys/kernel/random/boot_id", 100, &s, NULL) < 0)
		return;
	str_trim_end(&s);
	memcpy(ret, s.p, s.n < 40 ? s.n : 40);
}

static char *path_of(const struct store *st)
{
	return xasprintf("%s-intake", st->path);
}

/* *ret < 0: there is none. */
static int open_file(const struct store *st, int flags, int *ret, struct err *e)
{
	AUTO_FREE char *path = path_of(st);
	struct stat sb;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0666);

	*ret = -1;
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno != ELOOP && errno != EISDIR && errno != ENXIO)
		return err_errno(e, "opening %s", path);
	if (fd < 0 || fstat(fd, &sb) < 0 || !S_ISREG(sb.st_mode)) {
		if (fd >= 0)
			close(fd);
		return err_set(e, ERR_BROKEN, "%s is no plain file: remove it", path);
	}
	*ret = fd;
	return 0;
}

/* Who measures has it from its first use to its end; who reads, while it takes in what was left. */
static bool lock_file(int fd, int64_t wait_ns)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int64_t end = clock_monotonic_ns() + wait_ns;

	while (fcntl(fd, F_OFD_SETLK, &lock) < 0) {
		if (clock_monotonic_ns() >= end)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = NS_PER_MS }, NULL);
	}
	return true;
}

static void close_file(struct intake *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

/* Empty, in memory and on the disk. */
static int forget(struct store *st, struct err *e)
{
	struct intake *t = st->intake;

	str_clear(&t->file);
	t->n_written = t->open_at = 0;
	if (t->fd < 0 || ftruncate(t->fd, 0) == 0)
		return 0;
	t->is_refused = true;
	return err_errno(e, "emptying %s-intake", st->path);
}

static struct intake *of(struct store *st)
{
	if (!st->intake) {
		st->intake = xcalloc(1, sizeof(*st->intake));
		st->intake->fd = -1;
		st->intake->file = (struct str)STR_INIT;
		read_start(st->intake->start);
	}
	return st->intake;
}

static bool has_file(struct store *st)
{
	struct intake *t = of(st);
	struct err e = ERR_INIT;

	if (t->fd >= 0 || t->is_refused)
		return !t->is_refused;
	if (open_file(st, O_CREAT, &t->fd, &e) == 0 && t->fd >= 0 && lock_file(t->fd, NS_PER_S))
		return true;
	log_debug("no intake: %s", *e.msg ? e.msg : "another program holds it");
	close_file(t);
	t->is_refused = true;
	return false;
}

/* --- a change ----------------------------------------------------------------------------------------------------- */

/* The numbers that SQLite would give next. */
static int read_next(struct store *st, int64_t *ret_seq, int64_t *ret_run, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "reading the journal",
			  "select coalesce((select max(seq) from journal), 0) + 1,"
			  " coalesce((select max(id) from run), 0) + 1",
			  NO_ARGS, &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r < 0)
		return r;
	*ret_seq = sql_int(&q, 0);
	*ret_run = sql_int(&q, 1);
	return 0;
}

static int begin_batch(struct store *st, struct err *e)
{
	struct intake *t = st->intake;
	struct head h = { .version = VERSION, .schema = SCHEMA_VERSION };
	/* the rows go on from what the database has */
	int r = db_settle(st, e);

	if (r == 0)
		r = read_next(st, &t->seq, &t->run, e);
	if (r < 0)
		return r;
	memcpy(h.magic, magic, sizeof(h.magic));
	memcpy(h.start, t->start, sizeof(h.start));
	h.seq = t->seq;
	h.run = t->run;
	h.sum = t->sum = sum_of_head(&h);
	str_add(&t->file, (const char *)&h, sizeof(h));
	t->n_written = 0;
	t->open_at = t->file.n;
	t->since_ns = clock_monotonic_ns();
	st->let_in = intake_settle;
	return 0;
}

int intake_begin(struct store *st, struct err *e)
{
	int r = 0;

	st->waits = false;
	if (!st->holds || !st->is_short || st->lock_fd < 0 || !st->writable || !has_file(st))
		return 0;
	if (st->intake->file.n >= SETTLE_BYTES)
		r = intake_settle(st, e);
	if (r == 0 && !st->intake->file.n)
		r = begin_batch(st, e);
	st->waits = r == 0;
	return r;
}

int64_t intake_seq(struct store *st)
{
	return st->intake->seq++;
}

int64_t intake_run(struct store *st)
{
	return st->intake->run++;
}

int intake_row(struct store *st, enum row row, const struct arg *args, struct err *e)
{
	if (!st->waits)
		return row_insert(st, row, args, e);
	struct intake *t = st->intake;

	if (t->open_at == t->file.n)
		str_pad(&t->file, '\0', sizeof(struct chunk));
	row_put(&t->file, row, args);
	return 0;
}

/* What is behind it is the next one's. */
static void end_chunk(struct intake *t)
{
	struct chunk c = { .n = (uint32_t)(t->file.n - t->open_at - sizeof(c)) };

	if (t->file.n == t->open_at)
		return;
	c.n_again = ~c.n;
	c.sum = t->sum = sum_of_chunk(t->sum, &c, t->file.p + t->open_at + sizeof(c));
	memcpy(t->file.p + t->open_at, &c, sizeof(c));
	t->open_at = t->file.n;
}

int intake_write(struct store *st, struct err *e)
{
	struct intake *t = st->intake;
	AUTO_FREE char *path = NULL;

	end_chunk(t);
	while (t->n_written < t->file.n) {
		ssize_t n = pwrite(t->fd, t->file.p + t->n_written, t->file.n - t->n_written,
				   (off_t)t->n_written);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int error = n < 0 ? errno : ENOSPC;

			path = path_of(st);
			return db_io_err("writing a run", path, error, strerror(error), e);
		}
		t->n_written += (size_t)n;
	}
	return 0;
}

int intake_settle(struct store *st, struct err *e)
{
	struct intake *t = st->intake;

	if (!t || !t->file.n)
		return 0;
	end_chunk(t);
	/* what follows is not to come back here */
	st->let_in = NULL;
	int r = db_begin(st, DB_FORCE, e);

	if (r == 0)
		r = db_end(st, insert_chunks(st, &t->file, e), e);
	if (r < 0) {
		st->let_in = intake_settle;
		return r;
	}
	return forget(st, e);
}

int intake_settle_in_time(struct store *st, struct err *e)
{
	const struct intake *t = st->intake;

	if (!st->let_in ||
	    (t->file.n < SETTLE_BYTES && clock_monotonic_ns() - t->since_ns < SETTLE_EVERY_NS))
		return 0;
	return intake_settle(st, e);
}

int intake_close(struct store *st, struct err *e)
{
	struct intake *t = st->intake;
	int r = intake_settle(st, e);

	if (!t)
		return r;
	st->let_in = NULL;
	close_file(t);
	str_done(&t->file);
	free(t);
	st->intake = NULL;
	return r;
}

/* --- what was left ------------------------------------------------------------------------------------------------ */

static int read_all(struct store *st, int fd, struct str *out, struct err *e)
{
	char buf[65536];
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), (off_t)out->n)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, "reading %s-intake", st->path);
		if ((off_t)out->n + n > FILE_MAX)
			return damaged(st, "it is too long", e);
		str_add(out, buf, (size_t)n);
	}
	return 0;
}

/* A length without its bytes, as some file systems leave it when the power fails. */
static bool is_blank(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/*
 * Cuts the file to its whole chunks; *ret says under which start of the machine it was written. Nothing is left of a head
 * that is not whole.
 */
static int check_file(struct store *st, struct str *file, struct head *ret, bool *ret_same_start,
		      struct err *e)
{
	struct head *h = ret;
	struct chunk c;
	size_t at = sizeof(*h);

	*ret_same_start = true;
	if (file->n < sizeof(*h) || is_blank(file->p, sizeof(*h))) {
		str_clear(file);
		return 0;
	}
	memcpy(h, file->p, sizeof(*h));
	if (memcmp(h->magic, magic, sizeof(magic)) || h->sum != sum_of_head(h))
		return damaged(st, "its head is none", e);
	if (h->version != VERSION || h->schema != SCHEMA_VERSION)
		return damaged(st, "a culprit of another version has left it", e);
	*ret_same_start = !memcmp(h->start, st->intake->start, sizeof(h->start));
	for (uint64_t sum = h->sum; file->n - at >= sizeof(c); at += sizeof(c) + c.n) {
		memcpy(&c, file->p + at, sizeof(c));
		size_t rest = file->n - at - sizeof(c);
		bool has_length = c.n == ~c.n_again;

		if (has_length && c.n > rest)
			break;
		sum = has_length ? sum_of_chunk(sum, &c, file->p + at + sizeof(c)) : ~c.sum;
		if (sum == c.sum)
			continue;
		if (*ret_same_start)
			return damaged(st, "its sum is not that of its bytes", e);
		break;
	}
	str_cut(file, at);
	return 0;
}

/* Leaves in memory what the database lacks. */
static int compare_with_journal(struct store *st, struct str *file, const struct head *h,
				bool same_start, struct err *e)
{
	int64_t seq, run;
	int r = file->n ? read_next(st, &seq, &run, e) : 0;

	if (r < 0 || !file->n || (seq == h->seq && run == h->run))
		return r;
	if ((seq < h->seq || run < h->run) && same_start)
		return damaged(st, "it goes on from runs that the journal does not have", e);
	str_clear(file);
	return 0;
}

static int take_in(struct store *st, struct err *e)
{
	struct intake *t = st->intake;
	struct head h = { .version = 0 };
	bool same_start;
	int r = read_all(st, t->fd, &t->file, e);

	if (r == 0)
		r = check_file(st, &t->file, &h, &same_start, e);
	if (r == 0)
		r = compare_with_journal(st, &t->file, &h, same_start, e);
	if (r < 0)
		return r;
	t->open_at = t->n_written = t->file.n;
	r = t->file.n ? intake_settle(st, e) : forget(st, e);
	return r == -ERR_MISSING ? damaged(st, "it refers to what is not there", e) : r;
}

static void drop(struct store *st)
{
	str_clear(&st->intake->file);
	if (intake_close(st, NULL) < 0)
		(void)0; /* there is nothing in it */
}

int intake_recover(struct store *st, enum intake_whose whose, struct err *e)
{
	struct intake *t = of(st);
	struct stat sb;
	int r = open_file(st, 0, &t->fd, e);

	if (r == 0 && (t->fd < 0 || (whose == INTAKE_ANY && (fstat(t->fd, &sb) < 0 || !sb.st_size ||
							     !lock_file(t->fd, 0))))) {
		drop(st);
		return 0;
	}
	if (r == 0 && whose == INTAKE_OURS && !lock_file(t->fd, LOCK_WAIT_NS))
		r = err_set(e, ERR_BUSY,
			    "another program keeps %s-intake locked; end it and try again",
			    st->path);
	if (r == 0)
		r = take_in(st, e);
	if (r < 0 || whose == INTAKE_ANY)
		drop(st);
	return whose == INTAKE_ANY && r != -ERR_BROKEN ? 0 : r;
}
