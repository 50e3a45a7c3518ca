/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the text, word by word: a word is a path, a NAME=VALUE, a name to be replaced, or itself. Patterns for "secrets" in free text were
 * refused but for NAME=VALUE: what is guessed at is missed half of the time, and people then trust it.
 */
#include "hunt/redact.h"

#include "text/json.h"

#include <ctype.h>
#include <pwd.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LEFT_OUT "<left out>"

void redactor_done(struct redactor *r)
{
	strvec_done(&r->names);
	strvec_done(&r->projects);
	strvec_done(&r->done);
	*r = (struct redactor){ .more = false };
}

void redactor_add_name(struct redactor *r, const char *name)
{
	static const char *const common[] = { "root",	"localhost", "linux",	"debian", "ubuntu",
					      "fedora", "host",	     "user",	"test",	  "main",
					      "build",	"bench",     "culprit", "none",	  "local" };

	if (!name || strlen(name) < 3)
		return;
	for (size_t i = 0; i < ARRAY_LEN(common); i++)
		if (!strcasecmp(common[i], name))
			return;
	strvec_add(&r->names, name);
}

void redactor_add_project(struct redactor *r, const char *folder)
{
	if (folder && *folder == '/' && folder[1])
		strvec_add(&r->projects, folder);
}

void redactor_learn_host(struct redactor *r)
{
	char name[256] = "";
	const struct passwd *pw = getpwuid(getuid());

	if (!gethostname(name, sizeof(name) - 1)) {
		redactor_add_name(r, name);
		name[strcspn(name, ".")] = '\0';
		redactor_add_name(r, name);
	}
	redactor_add_name(r, pw ? pw->pw_name : NULL);
	redactor_add_name(r, getenv("USER"));
	redactor_add_name(r, getenv("SUDO_USER"));
}

/* `what` + `n` bytes, once. */
static void note(struct redactor *r, const char *what, const char *text, size_t n)
{
	AUTO_FREE char *line = xasprintf("%s %.*s", what, (int)(n < 200 ? n : 200), text);

	for (size_t i = 0; i < r->done.n; i++)
		if (!strcmp(r->done.v[i], line))
			return;
	strvec_add(&r->done, line);
}

bool redact_is_shown(const char *variable)
{
	static const char *const shown[] = { "LC_ALL",
					     "LANG",
					     "TZ",
					     "CC",
					     "CXX",
					     "LD",
					     "CFLAGS",
					     "CXXFLAGS",
					     "LDFLAGS",
					     "RUSTFLAGS",
					     "GOFLAGS",
					     "GOMAXPROCS",
					     "GOGC",
					     "JOBS",
					     "MAKEFLAGS",
					     "NODE_OPTIONS",
					     "NODE_ENV",
					     "PYTHONHASHSEED",
					     "MALLOC_ARENA_",
					     "OMP_NUM_",
					     "GLIBC_TUNABLES",
					     "MALLOC_",
					     "KBUILD_BUILD_TIMESTAMP" };

	for (size_t i = 0; i < ARRAY_LEN(shown); i++)
		if (!strcmp(variable, shown[i]) ||
		    (ends_with(shown[i], "_") && starts_with(variable, shown[i])))
			return true;
	return false;
}

static bool looks_secret(const char *name, size_t n)
{
	static const char *const parts[] = { "TOKEN",  "SECRET",  "PASSW", "CREDENTIAL",
					     "APIKEY", "API_KEY", "_KEY",  "AUTH" };

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		for (size_t k = 0; k + strlen(parts[i]) <= n; k++)
			if (!strncasecmp(name + k, parts[i], strlen(parts[i])))
				return true;
	return false;
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

static bool is_path_byte(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("/._-+@%~#,", c)) || (c & 0x80);
}

static bool is_within(const char *path, size_t n, const char *folder)
{
	size_t len = strlen(folder);

	return n >= len && !strncmp(path, folder, len) && (n == len || path[len] == '/');
}

/* Folders that every machine has. */
static bool is_system(const char *path, size_t n)
{
	static const char *const folders[] = { "/usr", "/bin",	"/sbin", "/lib", "/lib64",
					       "/etc", "/proc", "/sys",	 "/dev", "/run/lock" };

	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		if (is_within(path, n, folders[i]) && !is_within(path, n, "/usr/local") &&
		    !is_within(path, n, "/usr/src"))
			return true;
	return false;
}

/* What of it stays: relative in the project, the last part elsewhere. */
static void put_path(struct redactor *r, const char *path, size_t n, struct str *out)
{
	const char *last;

	for (size_t i = 0; i < r->projects.n; i++)
		if (is_within(path, n, r->projects.v[i])) {
			size_t len = strlen(r->projects.v[i]);

			str_putc(out, '.');
			str_add(out, path + len, n - len);
			return;
		}
	if (is_system(path, n)) {
		str_add(out, path, n);
		return;
	}
	note(r, "path", path, n);
	while (n > 1 && path[n - 1] == '/')
		n--;
	last = memrchr(path, '/', n);
	str_puts(out, "...");
	/* of /home/ada or /tmp the last part is what must not be seen */
	if (last > path && !(memchr(path + 1, '/', n - 1) == last && starts_with(path, "/home/")))
		str_add(out, last, n - (size_t)(last - path));
}

/* --- words -------------------------------------------------------------------------------------------------------- */

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || (c & 0x80);
}

/* The length of a name to be replaced that begins here, or 0. */
static size_t name_at(const struct redactor *r, const char *text, size_t at)
{
	if (at && is_word_byte(text[at - 1]))
		return 0;
	for (size_t i = 0; i < r->names.n; i++) {
		size_t n = strlen(r->names.v[i]);

		if (!strncmp(text + at, r->names.v[i], n) && !is_word_byte(text[at + n]))
			return n;
	}
	return 0;
}

/* NAME=VALUE with a secret's name: how long NAME= is, or 0. */
static size_t secret_at(const char *text, size_t at)
{
	size_t n = 0;

	if (at && is_word_byte(text[at - 1]))
		return 0;
	while (isalnum((unsigned char)text[at + n]) || text[at + n] == '_')
		n++;
	return n && text[at + n] == '=' && looks_secret(text + at, n) ? n + 1 : 0;
}

static size_t value_length(const char *p)
{
	if (*p == '"' || *p == '\'') {
		const char *end = strchr(p + 1, *p);

		return end ? (size_t)(end - p) + 1 : strlen(p);
	}
	return strcspn(p, " \t\n;&|)");
}

/* A path begins here: a slash that follows no other part of one. "file:" is before one, "https:" is not. */
static bool path_begins(const char *text, size_t at)
{
	if (text[at] != '/' || !is_path_byte(text[at + 1]))
		return false;
	if (at >= 5 && !strncmp(text + at - 5, "file:", 5))
		return true;
	return !at || !(is_path_byte(text[at - 1]) || text[at - 1] == ':' || text[at - 1] == '}') ||
	       (at > 1 && text[at - 1] == ':' && strchr(" :;=", text[at - 2])) ||
	       (at > 1 && isalpha((unsigned char)text[at - 1]) && text[at - 2] == '-');
}

void redact_text(struct redactor *r, const char *text, struct str *out)
{
	for (size_t i = 0; text[i];) {
		size_t n = secret_at(text, i);

		if (n) {
			str_add(out, text + i, n);
			str_puts(out, LEFT_OUT);
			note(r, "value of", text + i, n - 1);
			i += n + value_length(text + i + n);
		} else if ((n = name_at(r, text, i))) {
			str_puts(out, LEFT_OUT);
			note(r, "name", text + i, n);
			i += n;
		} else if (path_begins(text, i)) {
			while (is_path_byte(text[i + n]))
				n++;
			while (n > 1 && strchr(".,", text[i + n - 1]))
				n--;
			put_path(r, text + i, n, out);
			i += n;
		} else {
			str_putc(out, text[i++]);
		}
	}
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void put_variable(struct redactor *r, const char *text, struct json_out *w)
{
	size_t n = strcspn(text, "=");
	AUTO_FREE char *name = xstrndup(text, n);

	if (redact_is_shown(name)) {
		AUTO(str) struct str value = STR_INIT;

		redact_text(r, text, &value);
		json_out_text(w, NULL, value.p);
		return;
	}
	note(r, "value of", name, n);
	AUTO_FREE char *shown = xasprintf("%s=" LEFT_OUT, name);

	json_out_text(w, NULL, shown);
}

/* The members that `more` leaves out, wherever they are. */
static bool is_more(const char *key)
{
	static const char *const keys[] = { "cpu",     "kernel",  "hypervisor",	  "governor",
					    "build",   "command", "prepare",	  "cleanup",
					    "setup",   "regex",	  "last_failure", "reason",
					    "author",  "env",	  "files",	  "surroundings",
					    "remarks", NULL };

	for (const char *const *k = keys; key && *k; k++)
		if (!strcmp(*k, key))
			return true;
	return false;
}

static void copy(struct redactor *r, const struct json *v, const char *key, bool is_env,
		 struct json_out *w)
{
	const struct json *member;
	const char *name;
	void *iter = NULL;
	double x;
	int64_t i;
	bool b;

	switch (json_kind(v)) {
	case JSON_IS_OBJECT:
		json_out_object(w, key);
		while ((member = json_next(v, &iter, &name))) {
			bool hidden = r->more && is_more(name) &&
				      (json_kind(member) != JSON_IS_OBJECT ||
				       !strcmp(name, "surroundings"));

			if (hidden)
				note(r, "member", name, strlen(name));
			else
				copy(r, member, name, !strcmp(name, "env"), w);
		}
		json_out_close(w);
		break;
	case JSON_IS_ARRAY:
		json_out_array(w, key);
		for (size_t k = 0; k < json_count(v); k++)
			copy(r, json_at(v, k), NULL, is_env, w);
		json_out_close(w);
		break;
	case JSON_IS_STRING: {
		AUTO(str) struct str s = STR_INIT;

		if (is_env) {
			put_variable(r, json_to_text(v, NULL), w);
			break;
		}
		redact_text(r, json_to_text(v, NULL), &s);
		json_out_text(w, key, s.p);
		break;
	}
	case JSON_IS_INT:
		json_out_int(w, key, json_to_int(v, NULL, &i) ? i : 0);
		break;
	case JSON_IS_REAL:
		json_out_number(w, key, json_to_number(v, NULL, &x) ? x : 0);
		break;
	case JSON_IS_BOOL:
		json_out_bool(w, key, json_to_bool(v, NULL, &b) && b);
		break;
	case JSON_IS_NULL:
		json_out_null(w, key);
		break;
	}
}

int redact_json(struct redactor *r, const char *json, const char *name, struct str *out,
		struct err *e)
{
	__attribute__((cleanup(json_root_done))) struct json *root = NULL;
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);
	int ret = json_parse_stored(json, name, &root, e);

	if (ret == 0)
		copy(r, root, NULL, false, &w);
	return ret;
}
