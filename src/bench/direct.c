/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * direct - most benchmarks are one program with its arguments, and for those a shell is a third of a millisecond of somebody else's
 * work in every run: it starts, and becomes the program. GNU make leaves it out in the same cases, for the same reason.
 *
 * What is in doubt goes to the shell: every character that means something to any of sh, dash, bash and busybox outside quotes, and
 * every name that one of them runs itself or reserves. `true` and `false` are programs too and do the same there.
 */
#include "bench/direct.h"

#include <string.h>

#define BLANKS " \t"
#define SPECIAL "\n\r\v\f#;&|<>(){}[]$`\\*?~!^"
#define SPECIAL_IN_QUOTES "$`\\!"

static bool is_of_the_shell(const char *word)
{
	static const char *const names[] = {
		".",	    ":",	"[",	  "alias",   "bg",	  "bind",     "break",
		"builtin",  "caller",	"case",	  "cd",	     "chdir",	  "command",  "compgen",
		"complete", "continue", "coproc", "declare", "dirs",	  "disown",   "do",
		"done",	    "echo",	"elif",	  "else",    "enable",	  "esac",     "eval",
		"exec",	    "exit",	"export", "fc",	     "fg",	  "fi",	      "for",
		"function", "getopts",	"hash",	  "help",    "history",	  "if",	      "in",
		"jobs",	    "kill",	"let",	  "local",   "logout",	  "mapfile",  "popd",
		"printf",   "pushd",	"pwd",	  "read",    "readarray", "readonly", "return",
		"select",   "set",	"shift",  "shopt",   "source",	  "suspend",  "test",
		"then",	    "time",	"times",  "trap",    "type",	  "typeset",  "ulimit",
		"umask",    "unalias",	"unset",  "until",   "wait",	  "while",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(word, names[i]))
			return true;
	return false;
}

/* The quoted part at *p, which is behind the quote when it returns. */
static bool take_quoted(const char **p, struct str *word)
{
	char quote = *(*p)++;
	const char *end = strchr(*p, quote);

	if (!end)
		return false;
	size_t n = (size_t)(end - *p);

	if (quote == '"' && strcspn(*p, SPECIAL_IN_QUOTES) < n)
		return false;
	str_add(word, *p, n);
	*p = end + 1;
	return true;
}

static bool take_word(const char **p, bool is_first, struct str *word)
{
	str_clear(word);
	while (**p && !strchr(BLANKS, **p)) {
		size_t n = strcspn(*p, BLANKS SPECIAL "'\"");

		/* NAME=value in front sets the environment */
		if (is_first && memchr(*p, '=', n))
			return false;
		str_add(word, *p, n);
		*p += n;
		if (**p == '\'' || **p == '"') {
			if (!take_quoted(p, word))
				return false;
		} else if (**p && !strchr(BLANKS, **p)) {
			return false;
		}
	}
	return true;
}

static bool take_words(const char *p, struct strvec *ret)
{
	AUTO(str) struct str word = STR_INIT;

	p += strspn(p, BLANKS);
	while (*p) {
		if (!take_word(&p, !ret->n, &word))
			return false;
		if (!ret->n && (!word.n || is_of_the_shell(word.p)))
			return false;
		strvec_add(ret, word.n ? word.p : "");
		p += strspn(p, BLANKS);
	}
	return ret->n;
}

bool direct_words(const char *command, struct strvec *ret)
{
	size_t n = strlen(command);

	/* a block in YAML ends with a line feed */
	while (n && strchr(BLANKS "\n", command[n - 1]))
		n--;
	AUTO_FREE char *line = xstrndup(command, n);

	if (take_words(line, ret))
		return true;
	strvec_done(ret);
	return false;
}

void direct_shell(const char *command, struct strvec *ret)
{
	strvec_add(ret, "sh");
	strvec_add(ret, "-c");
	strvec_add(ret, "--");
	strvec_add(ret, command);
}

static bool is_within(const char *path, const char *folder)
{
	size_t n = folder ? strlen(folder) : 0;

	return n && !strncmp(path, folder, n) && (!path[n] || strchr("/:", path[n]));
}

bool direct_is_found(const char *name, const char *const *env, const char *const tree[3])
{
	const char *path = NULL;

	for (const char *const *v = env; v && *v; v++)
		if (starts_with(*v, "PATH="))
			path = *v + strlen("PATH=");
	if (strchr(name, '/'))
		return true;
	for (const char *p = path; p; p = strchr(p, ':') ? strchr(p, ':') + 1 : NULL)
		if (*p != '/' || is_within(p, tree[0]) || is_within(p, tree[1]))
			return false;
	return path;
}
