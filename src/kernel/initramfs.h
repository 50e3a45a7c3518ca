/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * initramfs - the whole file system of a guest in one file, made from programs of this machine: no image to download, no root needed.
 *
 * The same request on the same machine gives the same bytes. Each program comes with its loader and shared libraries (elf.h), each script with its interpreter. The guest's
 * layout is /usr-merged. /etc is the same everywhere (hosts, passwd, services ...), not the host's.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct kernel_image;

struct initramfs_file {
	const char *host, *guest; /* a file or a folder; its permissions are kept */
};
/* Lists are NULL-terminated and may be NULL. */
struct initramfs_request {
	const char *store_dir;
	const char *guest; /* culprit-guest: becomes /init */
	const char *const
		*programs; /* names, looked up in PATH, or paths with wildcards, of folders too */
	const struct initramfs_file *files;
	size_t n_files;
	const char *tree,
		*tree_at; /* a folder copied to a place; with the libraries that its programs need */
	const struct kernel_image *kernel;
	const char *const *
		modules; /* "null_blk queue_mode=2": see modules.h. Loaded in this order, dependencies first */
	const char *plan; /* /culprit/plan; "module" lines are put before it */
	const char *setup, *prepare, *command, *cleanup; /* shell text: /culprit/setup ... */
	/* Programs of the host that the four texts name as a word are copied too: "dd" of a prepare. */
	bool guess;
	struct strvec *
		ret_files; /* gets the files of this machine that were copied in, each once; NULL = not wanted */
};

/*
 * *ret_path (to be freed) is the file STORE/initramfs/KEY.cpio, made unless it is there; the key is the hash of everything in it. A program that
 * is not on this machine: ERR_MISSING that names it.
 */
int initramfs_build(const struct initramfs_request *q, char **ret_path, char ret_key[65],
		    struct err *e) MUST_USE;

/* The words of a shell text that are programs on this machine (of PATH, without what /bin/sh has built in), each once, in order. */
void initramfs_programs_of(const char *text, struct strvec *ret);
