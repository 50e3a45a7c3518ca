/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols - names for the addresses of code, with counters for each.
 *
 * The file has lines `hexaddr name` or, as /proc/kallsyms and System.map write them, `hexaddr T name [module]`; anything
 * in between (data symbols by their letter, absolute ones) is skipped. A line `file PATH` begins the symbols of a program or library: from
 * there on the numbers are offsets in that file. Code of such a file is recognised by its bytes, not by its address, since
 * programs share addresses and the plug-in is not told whose address space is running.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct symbol {
	uint64_t at; /* address, or offset in its file */
	const char *name;
	/* What generated code and the model add to, and the reading at the window's beginning. */
	uint64_t instructions, data_misses, code_misses, memory_misses;
	uint64_t at_begin[4];
};

struct symbol_file {
	const char *path;
	uint8_t *bytes; /* zeroes fill its last page */
	size_t pages;
	size_t first, count; /* its part of the table */
};

struct symbols {
	struct symbol *
		v; /* the kernel's by address, then each file's by offset; addresses are stable once loaded */
	size_t n, cap, kernel;
	struct symbol_file *files;
	size_t nfiles;
	char *text; /* what the names point into */
	struct symbol unknown_kernel, unknown_user;
	struct symbol_page *pages; /* of all files, by a hash of their bytes */
	size_t npages;
};

/* 0, or -1 after writing one line that says what is wrong into `why`. */
int symbols_load(struct symbols *s, const char *path, char *why, size_t why_size);
void symbols_done(struct symbols *s);

#define SYMBOLS_PAGE 4096
/*
 * The symbol that the instruction at `vaddr` belongs to. `page` is the guest's memory around it, SYMBOLS_PAGE bytes that begin where its page
 * does, or NULL when that is not to be had. Never NULL: the unknown ones stand for the rest.
 */
struct symbol *symbols_find(struct symbols *s, uint64_t vaddr, const uint8_t *page);

void symbols_begin(struct symbols *s);
/* `["name",instructions,data_misses,code_misses,memory_misses],...` of those that are not zero since symbols_begin. */
void symbols_write(struct symbols *s, FILE *out);
