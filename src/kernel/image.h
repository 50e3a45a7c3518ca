/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image - a kernel to boot: the file, and what lies beside it.
 *
 * Two forms are known: a bzImage (Documentation/arch/x86/boot.rst of the kernel; vmlinuz of the distributions) and an ELF vmlinux. Both for x86-64 alone.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* Paths are absolute; what is not there is NULL. */
struct kernel_image {
	char *image;
	char *modules;	  /* lib/modules/RELEASE */
	char *config;	  /* .config */
	char *system_map; /* System.map; NULL too for the line that Debian puts in its place */
	char *release;	  /* "6.12.117+deb12-amd64"; NULL for a vmlinux that does not say */
	char *package;	  /* "linux-image-6.12.117+deb12-amd64 6.12.117-1~deb12u1", or NULL */
};
void kernel_image_done(struct kernel_image *k);

/*
 * image=PATH[,modules=DIR]. DIR may be the folder of modules itself, or one that holds lib/modules/RELEASE or RELEASE. Without it, and for the rest: config-RELEASE,
 * System.map-RELEASE, .config and System.map beside the image or at the top of its source tree, ../lib/modules/RELEASE. ERR_MISSING if there is no such file;
 * ERR_USAGE for what is no kernel, or one for another machine, saying what it is.
 */
int kernel_image_open(const char *path, const char *modules, struct kernel_image *ret,
		      struct err *e) MUST_USE;
/* The kernel in a folder where a package was unpacked: boot/vmlinuz-*, lib/modules or usr/lib/modules. */
int kernel_image_in_tree(const char *root, struct kernel_image *ret, struct err *e) MUST_USE;
/*
 * SHA-256 of the image's bytes and of the names and sizes of its modules: equal keys, the same thing to measure. (The modules' bytes follow from
 * the same build; reading 100 MB for each commit would not be free.)
 */
int kernel_image_key(const struct kernel_image *k, char ret[65], struct err *e) MUST_USE;

/*
 * The uncompressed kernel (ELF) that a bzImage carries, written to `path`, whose folder must exist; for an ELF image a plain copy. It starts through PVH without the
 * decompressor, which an emulator takes seconds for. *ret_pvh: has it the entry point that this needs (CONFIG_PVH)?
 */
int kernel_image_extract(const struct kernel_image *k, const char *path, bool *ret_pvh,
			 struct err *e) MUST_USE;
