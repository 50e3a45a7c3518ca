/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time - what GNU time prints with -v, with -p and by itself, and what the shell's `time` prints.
 *
 * Standard error is read too: that is where it goes. The names are those that culprit's own measurements have: wall, user, sys, max-rss.
 */
#include "reader/formats.h"
#include "reader/text.h"

#include <string.h>

static const struct label labels[] = {
	{ "Major (requiring I/O) page faults:", { "majflt", "", BETTER_LOWER, true }, NULL },
	{ "Minor (reclaiming a frame) page faults:", { "minflt", "", BETTER_LOWER, true }, NULL },
	{ "Voluntary context switches:",
	  { "voluntary context switches", "", BETTER_LOWER, true },
	  NULL },
	{ "Involuntary context switches:",
	  { "involuntary context switches", "", BETTER_LOWER, true },
	  NULL },
	{ "File system inputs:", { "file system inputs", "", BETTER_LOWER, true }, NULL },
	{ "File system outputs:", { "file system outputs", "", BETTER_LOWER, true }, NULL },
	{ 0 },
};

/* What follows the first line of a run, or is alone in it, has no name of its own. */
static const struct gather_metric wall = { "wall", "s", BETTER_LOWER, false },
				  user = { "user", "s", BETTER_LOWER, false },
				  sys = { "sys", "s", BETTER_LOWER, false },
				  maxrss = { "max-rss", "B", BETTER_LOWER, false };

/* "0:01.00", "1:02:03", "1.00": parts of sixty. */
static bool take_clock(struct text *t, const char **p)
{
	double seconds = 0;

	for (;;) {
		struct value v;

		if (!text_number(t, p, wall.name, &v))
			return false;
		seconds = seconds * 60 + v.value;
		if (**p != ':' || *p + 1 >= t->line + t->n) {
			gather_value(t->g, &wall, seconds, v.resolution);
			return true;
		}
		++*p;
	}
}

/* "0m1.004s" of a shell, "1.00" with -p; false if the line is another. */
static bool take_shell(struct text *t)
{
	static const struct {
		const char *word;
		const struct gather_metric *m;
	} rows[] = { { "real", &wall }, { "user", &user }, { "sys", &sys } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *p = text_behind(t, rows[i].word), *end = t->line + t->n;
		struct value v, s;

		if (!p || p == t->line + strlen(rows[i].word) ||
		    !text_number(t, &p, rows[i].m->name, &v))
			continue;
		if (p < end && *p == 'm') {
			p++;
			if (!text_number(t, &p, rows[i].m->name, &s))
				continue;
			v = (struct value){ v.value * 60 + s.value, s.resolution };
			if (p >= end || *p != 's')
				continue;
		} else if (p != end) {
			continue;
		}
		gather_value(t->g, rows[i].m, v.value, v.resolution);
		return true;
	}
	return false;
}

/* "0.00user 0.01system 0:01.00elapsed 0%CPU (0avgtext+0avgdata 1920maxresident)k" */
static bool take_default(struct text *t)
{
	const char *p = t->line, *rss;
	struct value u, s, k;

	if (!text_find(t, "system ") || !text_find(t, "elapsed ") ||
	    !text_number(t, &p, user.name, &u) || strncmp(p, "user ", 5) != 0)
		return false;
	p += 5;
	if (!text_number(t, &p, sys.name, &s) || strncmp(p, "system ", 7) != 0)
		return false;
	p += 7;
	take_clock(t, &p);
	gather_value(t->g, &user, u.value, u.resolution);
	gather_value(t->g, &sys, s.value, s.resolution);
	rss = text_find(t, "avgdata ");
	if (rss && (rss += strlen("avgdata ")) && text_number(t, &rss, maxrss.name, &k))
		gather_value(t->g, &maxrss, k.value * 1024, k.resolution * 1024);
	return true;
}

/* -v has user and system time first; the wall time is what counts. */
struct held {
	struct value user, sys;
	bool any_user, any_sys;
};

static bool hold(struct text *t, struct held *h)
{
	const char *u = text_behind(t, "User time (seconds):"),
		   *s = text_behind(t, "System time (seconds):");

	if (u)
		h->any_user = text_number(t, &u, user.name, &h->user);
	if (s)
		h->any_sys = text_number(t, &s, sys.name, &h->sys);
	return u || s;
}

static void release(struct text *t, struct held *h)
{
	if (h->any_user)
		gather_value(t->g, &user, h->user.value, h->user.resolution);
	if (h->any_sys)
		gather_value(t->g, &sys, h->sys.value, h->sys.resolution);
	*h = (struct held){ .any_user = false };
}

static void take_line(struct text *t, struct held *h)
{
	const char *p = text_behind(t, "Elapsed (wall clock) time (h:mm:ss or m:ss):");
	struct value v;

	if (p) {
		take_clock(t, &p);
		release(t, h);
	} else if ((p = text_behind(t, "Maximum resident set size (kbytes):"))) {
		if (text_number(t, &p, maxrss.name, &v))
			gather_value(t->g, &maxrss, v.value * 1024, v.resolution * 1024);
	} else if (text_behind(t, "Command exited with non-zero status") ||
		   text_behind(t, "Command terminated by signal")) {
		gather_problem(t->g, NULL, 0, "time says '%.*s'", (int)(t->n < 80 ? t->n : 80),
			       t->line);
	} else if (!hold(t, h) && !text_label(t, labels) && !take_shell(t)) {
		take_default(t);
	}
}

static int read_time(const struct reader_input *in, struct gather *g, struct err *e UNUSED)
{
	struct held h = { .any_user = false };
	struct text t;

	for (int k = 0; k < 2; k++) {
		text_begin(&t, g, "time", k ? in->err : in->out, k ? in->err_n : in->out_n);
		while (text_next(&t))
			take_line(&t, &h);
	}
	text_close(&t, in, "run it with /usr/bin/time -v");
	return 0;
}

static bool sniff_time(const char *head, size_t n)
{
	static const char *const marks[] = { "User time (seconds):", "real\t", "real ", NULL };

	return text_sniff(head, n, marks) || memmem(head, n, "maxresident)k", 13);
}

const struct reader reader_time = {
	.name = "time",
	.help = "what time prints: GNU time (-v, -p, by itself) and that of shells",
	.sniff = sniff_time,
	.read = read_time,
};
