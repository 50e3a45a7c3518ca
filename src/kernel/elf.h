/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf - what a program of this machine needs beside itself: its loader and its shared libraries, found where the loader would find them.
 *
 * Nothing is executed (ldd does). Sought: the DT_RPATH of the library and of those that ask for it, its DT_RUNPATH, ld.so.cache, the default
 * folders; variants for newer CPUs (glibc-hwcaps) are passed over, since the guest's CPU is another one.
 * What a program opens by name while it runs (dlopen) cannot be seen, except what glibc itself opens.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct elf_info {
	char *interp;		      /* PT_INTERP, or NULL: static or a library */
	struct strvec needed;	      /* DT_NEEDED, in order */
	struct strvec rpath, runpath; /* folders, $ORIGIN as it stands */
	char *soname;
	unsigned machine; /* EM_X86_64 ... */
	bool is_64;
};
void elf_info_done(struct elf_info *x);

/* *ret_is_elf is false for scripts and data, and for object files; a truncated or broken ELF file: ERR_USAGE with its path. */
int elf_read(const char *path, struct elf_info *ret, bool *ret_is_elf, struct err *e) MUST_USE;

/* A library by the name that is asked for, and the file of the host that answers. */
struct elf_library {
	char *name, *path;
};
struct elf_libraries {
	struct elf_library *v;
	size_t n, cap;
};
void elf_libraries_done(struct elf_libraries *l);
/*
 * Appends the loader and every library that `program` needs, directly or not, without repeating what `l` has. `origin` stands for $ORIGIN, NULL = the
 * program's own folder. A library that cannot be found: ERR_ENV that names it and who needs it.
 */
int elf_closure(const char *program, const char *origin, struct elf_libraries *l,
		struct err *e) MUST_USE;
/* A library by name, as a program without paths of its own would find it; NULL if there is none. To be freed. */
char *elf_find_library(const char *name, bool is_64, unsigned machine) MUST_USE;

/*
 * The bytes of a section of an ELF file in memory, an object file or kernel module too. ERR_MISSING if it has none of that name; ERR_USAGE if it is no ELF
 * file; `what` names it in messages.
 */
int elf_section(const char *bytes, size_t n, const char *section, const char *what, struct str *ret,
		struct err *e) MUST_USE;
