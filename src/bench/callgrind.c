/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callgrind - what has to be fixed for equal counts: the environment and the address layout (target/local.c), and process
 * numbers, since a shell spends 19 instructions more for each digit of its parent's.
 */
#include "bench/callgrind.h"

#include "bench/callgrind_cost.h"
#include "bench/direct.h"
#include "sys/fs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int callgrind_check(struct err *e)
{
	AUTO_FREE char *path = fs_find_program("valgrind", NULL);

	return path ? 0
		    : err_set(e, ERR_ENV,
			      "measuring with callgrind needs valgrind, which is not installed: apt install valgrind");
}

void callgrind_argv(const char *command, const char *dir, struct strvec *ret)
{
	/* A plain shell in front, so that the benchmark's own is not process 1, which the kernel treats otherwise. */
	strvec_add(ret, "sh");
	strvec_add(ret, "-c");
	strvec_add(ret, "\"$@\"; exit $?");
	strvec_add(ret, "sh");
	strvec_add(ret, "valgrind");
	strvec_add(ret, "--tool=callgrind");
	strvec_add(ret, "--trace-children=yes");
	strvec_addf(ret, "--callgrind-out-file=%s/callgrind.out.%%p", dir);
	strvec_addf(ret, "--log-file=%s/log.%%p", dir);
	direct_shell(command, ret);
}

/* The line "totals: N" of one file. Its body is skipped: only the last part of the file is read. */
static int add_totals(const char *path, double *sum, struct err *e)
{
	char buf[4096];
	FILE *f = fopen(path, "re");
	const char *p = NULL;
	size_t n = 0;

	if (!f)
		return err_errno(e, "opening '%s'", path);
	if (fseek(f, -(long)sizeof(buf) + 1, SEEK_END) < 0)
		rewind(f);
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	for (const char *q = buf; (q = strstr(q, "totals: ")); q++)
		p = q + strlen("totals: ");
	if (p)
		*sum += strtod(p, NULL);
	return p ? 0 : err_set(e, ERR_ENV, "valgrind left an unfinished file '%s'", path);
}

int callgrind_collect(const char *dir, double *ret_instructions, unsigned *ret_processes,
		      struct str *functions, struct err *e)
{
	AUTO(function_costs) struct function_costs costs = { 0 };
	DIR *d = opendir(dir);
	struct dirent *x;
	double sum = 0;
	unsigned n = 0;
	int r = 0;

	if (!d)
		return err_errno(e, "reading folder '%s'", dir);
	while ((x = readdir(d))) {
		AUTO_FREE char *path = fs_join(dir, x->d_name);

		if (starts_with(x->d_name, "callgrind.out.")) {
			if (r == 0)
				r = add_totals(path, &sum, e);
			if (r == 0 && functions)
				r = callgrind_cost_read(path, &costs, e);
			n++;
		}
		if (x->d_name[0] != '.')
			unlink(path);
	}
	closedir(d);
	if (r == 0 && functions)
		callgrind_cost_put(&costs, functions);
	*ret_instructions = sum;
	*ret_processes = n;
	return r;
}
