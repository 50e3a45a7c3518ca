/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execve() gives ENOENT both for a program that does not exist and for a script whose interpreter does not, and dash and busybox say
 * "not found" for both; bash names the interpreter itself, or says "required file not found". Line ends of DOS are the usual cause: the
 * interpreter is then "/bin/sh\r".
 *
 * The shells' words are looked at, not a start of our own, since most commands that need a shell start the script somewhere in their
 * middle.
 */
#include "bench/absent.h"

#include "sys/fs.h"

#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 256 };

/* The program that "sh: 1: NAME: not found" is about; the caller frees. NULL if no line is such. */
static char *find_name(const char *said)
{
	static const char *const words[] = { ": not found",
					     ": cannot execute: required file not found" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		const char *end = strstr(said, words[i]), *begin = end;

		while (begin && begin > said && begin[-1] != '\n' &&
		       !(begin[-1] == ' ' && begin - said >= 2 && begin[-2] == ':'))
			begin--;
		if (end && begin < end)
			return xstrndup(begin, (size_t)(end - begin));
	}
	return NULL;
}

/* PATH of this environment; NULL where it has none. */
static const char *path_of(const char *const *env)
{
	for (; env && *env; env++)
		if (starts_with(*env, "PATH="))
			return *env + strlen("PATH=");
	return NULL;
}

/* What the shell saw as `path`, as we see it; the caller frees. */
static char *seen_from_here(const char *path, const char *bind_from, const char *bind_to)
{
	size_t n = bind_to ? strlen(bind_to) : 0;

	if (n && !strncmp(path, bind_to, n) && (path[n] == '/' || !path[n]))
		return xasprintf("%s%s", bind_from, path + n);
	return xstrdup(path);
}

/* "/bin/sh" of "#! /bin/sh -e"; a CR is a part of it. Empty if there is none. */
static void read_interpreter(const char *path, struct str *ret)
{
	char line[LINE_MAX_BYTES] = "";
	FILE *f = fopen(path, "re");
	const char *p = line;

	if (!f)
		return;
	if (fgets(line, sizeof(line), f) && starts_with(line, "#!")) {
		p += 2 + strspn(line + 2, " \t");
		str_add(ret, p, strcspn(p, " \t\n"));
	}
	fclose(f);
}

void absent_explain(const char *said, const char *cwd, const char *bind_from, const char *bind_to,
		    const char *const *env, struct str *reason)
{
	AUTO_FREE char *name = find_name(said);

	if (!name)
		return;
	AUTO_FREE char *there = !strchr(name, '/')     ? fs_find_program(name, path_of(env))
				: *name == '/' || !cwd ? xstrdup(name)
						       : fs_join(cwd, name);
	AUTO_FREE char *path = there ? seen_from_here(there, bind_from, bind_to) : NULL;
	AUTO(str) struct str interpreter = STR_INIT;

	if (path)
		read_interpreter(path, &interpreter);
	if (*interpreter.p != '/' || fs_exists(interpreter.p))
		return;
	if (strchr(interpreter.p, '\r'))
		str_puts(reason, " (it is there, but its lines end as in DOS, with CR LF, so its "
				 "interpreter is not found)");
	else
		str_addf(reason, " (it is there, but its interpreter '%s' is not)", interpreter.p);
}
