/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpio - an archive in the form that the kernel unpacks as its first root file system ("newc", magic 070701).
 *
 * The same entries give the same bytes, whatever the order of adding, the host's clock, the user and the file system: entries are
 * sorted, owners are 0, times are CPIO_TIME, inode numbers are places in the list. Files of the host are read when the archive is written.
 * Format: cpio(5), and Documentation/driver-api/early-userspace/buffer-format.rst of the kernel.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <sys/types.h>

enum { CPIO_TIME = 1704067200 }; /* 2024-01-01 00:00 UTC, the date that the guest starts with */

struct cpio_entry {
	char *path;  /* in the archive, without a slash at its start: "usr/bin/sh" */
	mode_t mode; /* type and permissions */
	char *host;  /* S_IFREG: the file whose bytes these are, or NULL: `bytes` are */
	char *bytes; /* contents, or the target of a link */
	size_t n;
	unsigned dev_major, dev_minor; /* of a device */
};
/* Zero is a valid empty archive. */
struct cpio {
	struct cpio_entry *v;
	size_t n, cap;
};
void cpio_done(struct cpio *c);

/*
 * Each takes a path of the archive, with or without a slash at its start; "." and ".." as a component: ERR_USAGE. Parent folders come by
 * themselves (0755). What was added first stays where a path is added twice, except that a folder made for a child takes the mode given later.
 */
int cpio_add_dir(struct cpio *c, const char *path, mode_t permissions, struct err *e) MUST_USE;
int cpio_add_bytes(struct cpio *c, const char *path, mode_t permissions, const char *bytes,
		   size_t n, struct err *e) MUST_USE;
int cpio_add_file(struct cpio *c, const char *path, mode_t permissions, const char *host,
		  struct err *e) MUST_USE;
int cpio_add_link(struct cpio *c, const char *path, const char *target, struct err *e) MUST_USE;
/* A character device. */
int cpio_add_device(struct cpio *c, const char *path, mode_t permissions, unsigned major,
		    unsigned minor, struct err *e) MUST_USE;
bool cpio_has(const struct cpio *c, const char *path);

/* SHA-256 of all that would be written (the host's files are read). Sorts the entries. */
int cpio_key(struct cpio *c, char ret[65], struct err *e) MUST_USE;
/* Written to a temporary file beside it and renamed. A file of the host that changed its size meanwhile: ERR_ENV. */
int cpio_write(struct cpio *c, const char *path, struct err *e) MUST_USE;
