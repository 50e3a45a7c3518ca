/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walfile - SQLite's way to the disk, with each commit written to the -wal file at once. For db.c alone.
 */
#pragma once

/*
 * The name of it, for sqlite3_open_v2; NULL (SQLite's own) where it could not be made. Thread-safe.
 */
const char *walfile_vfs(void);
