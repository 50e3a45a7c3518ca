/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log is a shell script that git writes for replaying, with single quotes around what needs them. It is not run: its lines are cut into words
 * by the quoting rules that git uses when writing ('...' and \'), and only `git bisect` with a known word after it is read.
 */
#include "repo/bisectlog.h"

#include <string.h>

struct reader {
	const char *name;
	unsigned line;
	struct bisect_log log;
	char *old_term, *new_term; /* the person's own words, or NULL */
};

static int wrong(const struct reader *r, struct err *e, const char *what, const char *word)
{
	return err_set(e, ERR_USAGE, "%s:%u: %s '%s'", r->name, r->line, what, word);
}

/* One word of the line, unquoted; false at the end of the line. *ret_closed = false if a quote is left open. */
static bool next_word(const char **p, struct str *word, bool *ret_closed)
{
	bool quoted = false;

	str_clear(word);
	*p += strspn(*p, " \t\r");
	if (!**p || **p == '\n')
		return false;
	for (; **p && **p != '\n'; (*p)++) {
		if (**p == '\'')
			quoted = !quoted;
		else if (!quoted && strchr(" \t\r", **p))
			break;
		else if (!quoted && **p == '\\' && (*p)[1] && (*p)[1] != '\n')
			str_putc(word, *++(*p));
		else
			str_putc(word, **p);
	}
	*ret_closed = !quoted;
	return true;
}

static int split(const struct reader *r, const char *line, struct strvec *words, struct err *e)
{
	AUTO(str) struct str word = STR_INIT;
	bool closed = true;

	while (next_word(&line, &word, &closed)) {
		if (!closed)
			return wrong(r, e, "a quote is not closed in", word.p);
		strvec_add(words, word.p);
	}
	return 0;
}

static void add_mark(struct reader *r, const char *rev, enum bisect_mark mark)
{
	ARRAY_RESERVE(&r->log, r->log.n + 1);
	r->log.v[r->log.n].rev = xstrdup(rev);
	r->log.v[r->log.n].mark = mark;
	r->log.v[r->log.n].line = r->line;
	r->log.n++;
}

static void forget_all(struct reader *r)
{
	bisect_log_done(&r->log);
	free(TAKE_PTR(r->old_term));
	free(TAKE_PTR(r->new_term));
}

/* The value of --NAME=VALUE or of --NAME VALUE, moving *i; NULL if words[*i] is not this option. */
static const char *option(const struct strvec *words, size_t *i, const char *name)
{
	const char *w = words->v[*i];
	size_t n = strlen(name);

	if (strncmp(w, name, n))
		return NULL;
	if (w[n] == '=')
		return w + n + 1;
	return !w[n] && *i + 1 < words->n ? words->v[++*i] : NULL;
}

/* git bisect start [--first-parent] [--term-old=W] [--term-new=W] [BAD [GOOD...]] [-- PATH...] */
static int start(struct reader *r, const struct strvec *words, struct err *e)
{
	bool bad_given = false;
	size_t i;

	forget_all(r);
	for (i = 3; i < words->n && strcmp(words->v[i], "--"); i++) {
		const char *v;

		if ((v = option(words, &i, "--term-old")) ||
		    (v = option(words, &i, "--term-good"))) {
			free(r->old_term);
			r->old_term = xstrdup(v);
		} else if ((v = option(words, &i, "--term-new")) ||
			   (v = option(words, &i, "--term-bad"))) {
			free(r->new_term);
			r->new_term = xstrdup(v);
		} else if (!strcmp(words->v[i], "--first-parent")) {
			r->log.first_parent = true;
		} else if (!strcmp(words->v[i], "--no-checkout")) {
			continue;
		} else if (starts_with(words->v[i], "-")) {
			return wrong(r, e, "unknown option", words->v[i]);
		} else {
			add_mark(r, words->v[i], bad_given ? BISECT_GOOD : BISECT_BAD);
			bad_given = true;
		}
	}
	for (i++; i < words->n; i++)
		strvec_add(&r->log.paths, words->v[i]);
	return 0;
}

static bool mark_of(const struct reader *r, const char *word, enum bisect_mark *ret)
{
	if (!strcmp(word, "skip"))
		*ret = BISECT_SKIP;
	else if (!strcmp(word, "good") || !strcmp(word, "old") ||
		 (r->old_term && !strcmp(word, r->old_term)))
		*ret = BISECT_GOOD;
	else if (!strcmp(word, "bad") || !strcmp(word, "new") ||
		 (r->new_term && !strcmp(word, r->new_term)))
		*ret = BISECT_BAD;
	else
		return false;
	return true;
}

static int read_line(struct reader *r, const char *line, struct err *e)
{
	AUTO(strvec) struct strvec words = STRVEC_INIT;
	enum bisect_mark mark;
	int n;

	if (*line == '#')
		return 0;
	n = split(r, line, &words, e);
	if (n < 0 || !words.n)
		return n;
	if (words.n < 3 || strcmp(words.v[0], "git") ||
	    (strcmp(words.v[1], "bisect") && strcmp(words.v[1], "bisect--helper")))
		return wrong(r, e, "not a line of a git bisect log:", words.v[0]);
	const char *word = words.v[2];

	if (!strcmp(word, "start"))
		return start(r, &words, e);
	if (!strcmp(word, "reset")) {
		forget_all(r);
		return 0;
	}
	if (!strcmp(word, "terms") || !strcmp(word, "run") || !strcmp(word, "log") ||
	    !strcmp(word, "visualize") || !strcmp(word, "view"))
		return 0;
	if (!mark_of(r, word, &mark))
		return wrong(r, e, "git bisect has no", word);
	if (words.n < 4)
		return wrong(r, e, "no revision after", word);
	for (size_t i = 3; i < words.n; i++)
		add_mark(r, words.v[i], mark);
	return 0;
}

int bisect_log_parse(const char *text, const char *name, struct bisect_log *ret, struct err *e)
{
	struct reader r = { .name = name };
	int n = 0;

	for (const char *p = text; n == 0 && *p;) {
		size_t len = strcspn(p, "\n");
		AUTO_FREE char *line = xstrndup(p, len);

		r.line++;
		n = read_line(&r, line, e);
		p += len + (p[len] == '\n');
	}
	if (n == 0 && !r.log.n)
		n = err_set(e, ERR_USAGE,
			    "%s: no mark in it; it should be what `git bisect log` prints", name);
	if (n < 0) {
		forget_all(&r);
		return n;
	}
	*ret = r.log;
	free(r.old_term);
	free(r.new_term);
	return 0;
}

void bisect_log_done(struct bisect_log *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].rev);
	free(l->v);
	strvec_done(&l->paths);
	*l = (struct bisect_log){ 0 };
}
