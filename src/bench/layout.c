/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout - which options, and why these.
 *
 * -falign-functions and -falign-loops move code without changing an instruction that runs. On x86-64 each function also gets K bytes of
 * NOPs before its entry (-fpatchable-function-entry=K,K: all K in front, none executed), so that its start is not at a round address as
 * it is in every ordinary build. Link order was refused: it needs the linker's command line of each build system.
 */
#include "bench/layout.h"

#include "base/str.h"
#include "bench/environ.h"
#include "sys/fs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct choice {
	unsigned functions, loops, nops;
};

static struct choice choose(unsigned layout)
{
	static const unsigned functions[] = { 64, 32, 128, 16 }, loops[] = { 32, 64, 16 };

	return (struct choice){ functions[(layout - 1) % ARRAY_LEN(functions)],
				loops[(layout - 1) % ARRAY_LEN(loops)], (layout * 11) % 61 + 2 };
}

void layout_options(unsigned layout, char ret[200])
{
	struct choice c;

	*ret = '\0';
	if (!layout)
		return;
	c = choose(layout);
	int n = snprintf(ret, 200, "-falign-functions=%u -falign-loops=%u", c.functions, c.loops);

#ifdef __x86_64__
	snprintf(ret + n, 200 - (size_t)n, " -fpatchable-function-entry=%u,%u", c.nops, c.nops);
#else
	(void)n;
#endif
}

/* cc, gcc-12, x86_64-linux-gnu-g++, clang++-14, c99: a driver that takes gcc's options? */
static bool is_compiler(const char *name)
{
	static const char *const drivers[] = { "gcc", "g++", "clang", "clang++",
					       "cc",  "c++", "c99",   "c89" };

	for (size_t i = 0; i < ARRAY_LEN(drivers); i++) {
		size_t n = strlen(drivers[i]);
		const char *at = name;

		for (; (at = strstr(at, drivers[i])); at++) {
			const char *behind = at + n;

			if (at != name && at[-1] != '-')
				continue;
			if (*behind == '-')
				behind++;
			if (behind[strspn(behind, "0123456789.")] == '\0')
				return true;
		}
	}
	return false;
}

static int write_script(const char *dir, const char *name, const char *options, struct err *e)
{
	AUTO_FREE char *path = fs_join(dir, name);
	/* The folder is taken out of PATH wherever it stands: a build may have put its own in front meanwhile. */
	AUTO_FREE char *text = xasprintf(
		"#!/bin/sh\n"
		"# The compiler of this name further down in PATH, with another code layout.\n"
		"here=${0%%/*} path=:$PATH:\n"
		"while case $path in *\":$here:\"*) ;; *) false ;; esac; do\n"
		"\tpath=${path%%%%\":$here:\"*}:${path#*\":$here:\"}\n"
		"done\n"
		"path=${path#:}\n"
		"PATH=${path%%:}\n"
		"exec %s %s \"$@\"\n",
		name, options);
	int r = fs_exists(path) ? 0 : fs_write_atomic(path, text, strlen(text), e);

	if (r == 0 && chmod(path, 0755) < 0)
		r = err_errno(e, "making '%s' executable", path);
	return r;
}

/* A script for every compiler in one folder of PATH. */
static int write_scripts(const char *from, const char *dir, const char *options, struct err *e)
{
	DIR *d = opendir(from);
	struct dirent *x;
	int r = 0;

	while (d && r == 0 && (x = readdir(d)))
		if (is_compiler(x->d_name))
			r = write_script(dir, x->d_name, options, e);
	if (d)
		closedir(d);
	return r;
}

int layout_enter(const char *store_dir, unsigned layout, struct strvec *env, struct err *e)
{
	char options[200];
	AUTO_FREE char *dir = xasprintf("%s/layout/%u", store_dir, layout);
	AUTO_FREE char *path = xstrdup(environ_get(env, "PATH"));
	int r = fs_mkdirs(dir, e);

	layout_options(layout, options);
	for (char *p = path, *save = NULL; r == 0 && (p = strtok_r(p, ":", &save)); p = NULL)
		r = write_scripts(p, dir, options, e);
	if (r < 0)
		return r;
	AUTO_FREE char *longer = xasprintf("%s:%s", dir, environ_get(env, "PATH"));
	AUTO_FREE char *number = xasprintf("%u", layout);
	AUTO_FREE char *rust =
		xasprintf("%s%s-C llvm-args=-align-all-functions=%u",
			  environ_get(env, "RUSTFLAGS") ? environ_get(env, "RUSTFLAGS") : "",
			  environ_get(env, "RUSTFLAGS") ? " " : "", 5 + layout % 3);

	environ_set(env, "PATH", longer);
	environ_set(env, "CULPRIT_LAYOUT", number);
	environ_set(env, "RUSTFLAGS", rust);
	/* Else ccache, told to run one of our scripts as the compiler, would know two layouts by their equal size and time. */
	environ_set(env, "CCACHE_COMPILERCHECK", "content");
	return 0;
}
