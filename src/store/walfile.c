/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walfile - a layer (a "VFS") over SQLite's own that gathers the writes of a commit.
 *
 * SQLite writes each page of a commit to the -wal file by two system calls, 24 bytes and the page: 22 for a run of a benchmark, all of them one after the other in the
 * file. Here what follows on what is held is added to it, and all of it is written when the page comes whose frame says that it ends a
 * commit (bytes 4 to 7 of its header, "Database size in pages after the commit", are not zero: https://sqlite.org/fileformat2.html#wal_file_format). So when
 * SQLite tells other processes of the commit, which it does after that, its bytes are with the kernel as ever, and a full disk is met by the very call that
 * ends the commit. Anything else that is done with the file writes what is held first.
 *
 * Refused: locking_mode=exclusive, which would save the locks too, since readers (`culprit log` beside a hunt) would wait for its end.
 */
#include "store/walfile.h"

#include "base/mem.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

/* SQLite's own layer writes less than 128 KiB at once. */
enum { HEADER = 24, ROOM = 64 * 1024 };

struct walfile {
	sqlite3_file base;
	char *held;
	int n;
	sqlite3_int64 at; /* where in the file it goes */
	/* What was written last; only a frame's header, and the page behind one that ends no commit, are held. */
	enum { OTHER, FRAME, LAST_FRAME } last;
	/* SQLite's own file follows */
};

static sqlite3_vfs layer, *below;

static sqlite3_file *own(sqlite3_file *f)
{
	return (sqlite3_file *)((char *)f + sizeof(struct walfile));
}

static int flush(sqlite3_file *f)
{
	struct walfile *w = (struct walfile *)f;
	int n = w->n;

	w->n = 0;
	w->last = OTHER;
	return n ? own(f)->pMethods->xWrite(own(f), w->held, n, w->at) : SQLITE_OK;
}

static int wal_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	struct walfile *w = (struct walfile *)f;
	const unsigned char *b = p;
	bool follows = !w->n || (at == w->at + w->n && n <= ROOM - w->n);
	int code = follows ? SQLITE_OK : flush(f);

	if (code)
		return code;
	if (n > ROOM)
		return own(f)->pMethods->xWrite(own(f), p, n, at);
	bool hold = n == HEADER || w->last == FRAME;

	w->last = n != HEADER ? OTHER : b[4] | b[5] | b[6] | b[7] ? LAST_FRAME : FRAME;
	if (!w->n)
		w->at = at;
	memcpy(w->held + w->n, p, (size_t)n);
	w->n += n;
	return hold ? SQLITE_OK : flush(f);
}

static int wal_close(sqlite3_file *f)
{
	struct walfile *w = (struct walfile *)f;
	int code = flush(f), closed = own(f)->pMethods->xClose(own(f));

	free(TAKE_PTR(w->held));
	return code ? code : closed;
}

/* --- what is passed on ------------------------------------------------------------------------------------------------ */

static int wal_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	int code = flush(f);

	return code ? code : own(f)->pMethods->xRead(own(f), p, n, at);
}

static int wal_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	int code = flush(f);

	return code ? code : own(f)->pMethods->xTruncate(own(f), size);
}

static int wal_sync(sqlite3_file *f, int flags)
{
	int code = flush(f);

	return code ? code : own(f)->pMethods->xSync(own(f), flags);
}

static int wal_size(sqlite3_file *f, sqlite3_int64 *ret)
{
	int code = flush(f);

	return code ? code : own(f)->pMethods->xFileSize(own(f), ret);
}

static int wal_control(sqlite3_file *f, int what, void *arg)
{
	int code = flush(f);

	return code ? code : own(f)->pMethods->xFileControl(own(f), what, arg);
}

static int wal_lock(sqlite3_file *f, int how)
{
	return own(f)->pMethods->xLock(own(f), how);
}

static int wal_unlock(sqlite3_file *f, int how)
{
	return own(f)->pMethods->xUnlock(own(f), how);
}

static int wal_is_locked(sqlite3_file *f, int *ret)
{
	return own(f)->pMethods->xCheckReservedLock(own(f), ret);
}

static int wal_sector(sqlite3_file *f)
{
	return own(f)->pMethods->xSectorSize(own(f));
}

static int wal_device(sqlite3_file *f)
{
	return own(f)->pMethods->xDeviceCharacteristics(own(f));
}

static const sqlite3_io_methods wal_methods = {
	.iVersion = 1,
	.xClose = wal_close,
	.xRead = wal_read,
	.xWrite = wal_write,
	.xTruncate = wal_truncate,
	.xSync = wal_sync,
	.xFileSize = wal_size,
	.xLock = wal_lock,
	.xUnlock = wal_unlock,
	.xCheckReservedLock = wal_is_locked,
	.xFileControl = wal_control,
	.xSectorSize = wal_sector,
	.xDeviceCharacteristics = wal_device,
};

/* Any other file is SQLite's own from here on. */
static int layer_open(sqlite3_vfs *v UNUSED, const char *name, sqlite3_file *f, int flags,
		      int *ret_flags)
{
	struct walfile *w = (struct walfile *)f;

	if (!(flags & SQLITE_OPEN_WAL))
		return below->xOpen(below, name, f, flags, ret_flags);
	*w = (struct walfile){ .base.pMethods = NULL };
	int code = below->xOpen(below, name, own(f), flags, ret_flags);

	/* without methods it counts as never opened */
	if (code)
		return code;
	w->held = xmalloc(ROOM);
	w->base.pMethods = &wal_methods;
	return SQLITE_OK;
}

static bool is_there;

static void make_layer(void)
{
	below = sqlite3_vfs_find(NULL);
	if (!below)
		return;
	layer = *below;
	layer.szOsFile += (int)sizeof(struct walfile);
	layer.zName = "culprit";
	layer.pNext = NULL;
	layer.xOpen = layer_open;
	is_there = sqlite3_vfs_register(&layer, 0) == SQLITE_OK;
}

const char *walfile_vfs(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_layer);
	return is_there ? layer.zName : NULL;
}
