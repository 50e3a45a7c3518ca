/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file - the small files of /proc and /sys, whole; and folders to be removed.
 */
#pragma once

#include "base/str.h"

/* Replaces what `out` holds, up to its ceiling. False when it cannot be read; `out` is empty then. */
bool file_read(const char *path, struct str *out);
/* One write, as /proc and /sys want it. False with errno set. */
bool file_write(const char *path, const char *text);
/* A folder and everything in it, of one file system; what cannot be removed stays. */
void file_remove_tree(const char *path);
