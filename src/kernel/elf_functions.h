/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_functions - the functions of a program or library as lines for the emulator's plug-in (exact/symbols.h): `HEXOFFSET NAME`, offsets in the file.
 *
 * From .symtab, else from .dynsym. A function ends where its symbol says: what lies behind it has the name "?", so that code of a stripped file
 * is not taken for the last function that kept its name.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* `prefix` is put before each name: "libz.so.1:". Nothing is added for what is no ELF file of a program; a broken one: ERR_USAGE. */
int elf_functions(const char *path, const char *prefix, struct str *out, struct err *e) MUST_USE;
