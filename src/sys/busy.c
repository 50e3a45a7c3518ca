/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/busy.h"

#include "base/mem.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN = 3 };

/* "PID (name, may hold blanks and parentheses) S ppid ... utime stime ...": the 14th and 15th word. */
static bool parse_stat(char *text, struct busy_process *p)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')');
	unsigned long long user, sys;

	if (!open || !close || close < open ||
	    sscanf(close + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
		   &sys) != 2)
		return false;
	*close = '\0';
	snprintf(p->name, sizeof(p->name), "%s", open + 1);
	for (char *c = p->name; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	p->ticks = user + sys;
	return true;
}

void busy_read(const char *root, struct busy *ret)
{
	AUTO_FREE char *dir = xasprintf("%s/proc", root);
	DIR *d = opendir(dir);
	struct dirent *x;

	*ret = (struct busy){ 0 };
	while (d && (x = readdir(d))) {
		struct busy_process p = { .pid = atoi(x->d_name) };
		AUTO_FREE char *path = xasprintf("%s/%s/stat", dir, x->d_name);
		char text[1024];
		FILE *f = p.pid > 0 ? fopen(path, "re") : NULL;

		if (f && fgets(text, sizeof(text), f) && parse_stat(text, &p))
			ARRAY_PUSH(ret, p);
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
}

void busy_done(struct busy *b)
{
	free(b->v);
	*b = (struct busy){ 0 };
}

/* By number alone: a kernel worker changes its name. A number used again within the moment has fewer ticks. */
static uint64_t ticks_before(const struct busy *b, const struct busy_process *p)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].pid == p->pid && b->v[i].ticks <= p->ticks)
			return b->v[i].ticks;
	return 0;
}

static int by_ticks(const void *a, const void *b)
{
	const struct busy_process *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void add(struct busy *sums, const char *name, uint64_t ticks)
{
	for (size_t i = 0; i < sums->n; i++)
		if (!strcmp(sums->v[i].name, name)) {
			sums->v[i].ticks += ticks;
			return;
		}
	struct busy_process p = { .ticks = ticks };

	memcpy(p.name, name, sizeof(p.name));
	ARRAY_PUSH(sums, p);
}

void busy_between(const struct busy *before, const struct busy *after, double seconds,
		  struct str *out)
{
	double per_cpu = (double)sysconf(_SC_CLK_TCK) * seconds;
	struct busy sums = { 0 };

	for (size_t i = 0; i < after->n; i++) {
		const struct busy_process *p = &after->v[i];
		uint64_t begun = ticks_before(before, p);

		if (p->pid != getpid() && p->ticks > begun)
			add(&sums, p->name, p->ticks - begun);
	}
	if (sums.n)
		qsort(sums.v, sums.n, sizeof(*sums.v), by_ticks);
	for (size_t i = 0; i < sums.n && i < SHOWN && (double)sums.v[i].ticks >= 0.01 * per_cpu;
	     i++)
		str_addf(out, "%s%s %.2f", i ? ", " : "", sums.v[i].name,
			 (double)sums.v[i].ticks / per_cpu);
	busy_done(&sums);
}
