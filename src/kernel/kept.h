/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept - a kernel that a hunt measures, in a folder of the store: which files it is made of, in one small text.
 *
 * What it names must not change while it is measured: an image that was given by its path is copied here, a package's files are in
 * the store's cache of packages.
 */
#pragma once

#include "kernel/image.h"

/* Write DIR/kernel, with the image copied beside it where `copy` says so, and the uncompressed kernel, if it can start by PVH, as DIR/vmlinux. */
int kept_write(const char *dir, const struct kernel_image *k, bool copy, struct err *e) MUST_USE;
/* ERR_MISSING where DIR is no such folder, or names a file that is gone. */
int kept_read(const char *dir, struct kernel_image *ret, struct err *e) MUST_USE;
/* What an emulator starts fastest: DIR/vmlinux, else the image. The caller frees. */
char *kept_start(const char *dir, const struct kernel_image *k) MUST_USE;
/*
 * The kernel in DIR, whether kept_write() was there or not: a tree that Kbuild built (boot/vmlinuz-*) is kept the first time it is asked for, so that no
 * boot of it runs the decompressor in the emulator. *ret_start as kept_start(). ERR_MISSING where there is none.
 */
int kept_find(const char *dir, struct kernel_image *ret, char **ret_start, struct err *e) MUST_USE;
