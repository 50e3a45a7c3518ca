/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debfetch - a package that deb.h found, fetched and unpacked: a kernel to boot. The folder of unpacked packages is a cache.
 */
#pragma once

#include "kernel/deb.h"
#include "kernel/debtool.h"
#include "kernel/image.h"

/* Where packages are unpacked: $CULPRIT_DEBS, else STORE/debs. To be freed. */
char *deb_folder(const char *store_dir) MUST_USE;
/*
 * Fetched, checked against its SHA-256 and unpacked under deb_folder, unless it is there: then apt is not asked. Safe beside other processes doing the same.
 * `ret` gets the kernel and its package's name and version. ERR_MISSING for a package without a kernel.
 */
int deb_fetch(const char *store_dir, const struct deb_package *p, const struct deb_hooks *hooks,
	      struct kernel_image *ret, struct err *e) MUST_USE;
