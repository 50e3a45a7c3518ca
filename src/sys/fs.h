/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs - files and folders: whole reads with ceilings, atomic writes, trees, SHA-256.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* Reads at most `max` bytes; a longer file is an error that says so. "-" is stdin. */
int fs_read(const char *path, int64_t max, struct str *out, struct err *e) MUST_USE;
/* The same of a file that the user named: that there is none, or a folder, is their mistake (ERR_USAGE). */
int fs_read_named(const char *path, int64_t max, struct str *out, struct err *e) MUST_USE;
/* Writes a temporary beside it, fsyncs, renames. */
int fs_write_atomic(const char *path, const char *bytes, size_t n, struct err *e) MUST_USE;
int fs_mkdirs(const char *path, struct err *e) MUST_USE;
/* Removes a file or a tree; never follows symbolic links; makes read-only folders writable first.
 * Missing is fine. */
int fs_remove_tree(const char *path, struct err *e) MUST_USE;
bool fs_exists(const char *path);
bool fs_is_dir(const char *path);
/* Disk use of a tree in bytes (blocks, hard links once). */
int64_t fs_tree_size(const char *path);
/* When it was written last, in ns since 1970, or "used" by fs_touch; 0 if it is not there. */
int64_t fs_time(const char *path);
/* Used now: a cache that is cleaned by age goes by this. Says nothing where it cannot. */
void fs_touch(const char *path);
/* Free bytes for us on the file system of `path`; -1 if not known. */
int64_t fs_free_bytes(const char *path);
/* Absolute path without links; the caller frees. */
int fs_realpath(const char *path, char **ret, struct err *e) MUST_USE;
/* Full path of a program in `path` (NULL = our PATH), or NULL; the caller frees. A name with a slash is itself, if executable. */
char *fs_find_program(const char *name, const char *path) MUST_USE;
char *fs_join(const char *a, const char *b) MUST_USE;
/* The folder that holds it: "a/b" gives "a", "a" gives ".", "/a" gives "/". The caller frees. */
char *fs_dirname(const char *path) MUST_USE;

/* SHA-256, for keys of builds and artefacts. Hex in ret[65]. */
struct sha256;
struct sha256 *sha256_new(void) MUST_USE;
void sha256_add(struct sha256 *h, const void *bytes, size_t n);
void sha256_finish(struct sha256 *h, char ret[65]); /* frees h */
int sha256_file(const char *path, char ret[65], struct err *e) MUST_USE;
