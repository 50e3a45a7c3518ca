/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grammar is REV[:KEY=VALUE]... with REV in git's own language, which uses ':' freely (HEAD:file, :/text, HEAD^{/fix: x}), as do
 * values (PATH=/a:/b, versions with an epoch). So a ':' cuts only where one of eight known keys and '=' follow, outside the
 * braces of ^{...} and @{...}. A quoting rule instead would have made every text that git prints need quoting.
 *
 * A patch is read when the variant is parsed: what is measured for hours must not change because a file did.
 */
#include "repo/variant.h"

#include "repo/place.h"
#include "repo/repo.h"
#include "sys/fs.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *name;
	enum change_kind kind;
	bool dotted; /* NAME.KEY=VALUE */
	bool tree;   /* changes the tree: wants a revision */
} keys[] = {
	{ "revert", CHANGE_REVERT, false, true },    { "patch", CHANGE_PATCH, false, true },
	{ "pick", CHANGE_PICK, false, true },	     { "env", CHANGE_ENV, true, false },
	{ "cmdline", CHANGE_CMDLINE, false, false }, { "sysctl", CHANGE_SYSCTL, true, false },
	{ "config", CHANGE_CONFIG, true, false },    { "modules", CHANGE_MODULES, false, false },
};

/* The row of keys[] that `p` starts with, up to and with its '='; -1 if none. */
static int find_key(const char *p, size_t *ret_key_n, const char **ret_value)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		size_t n = strlen(keys[i].name), key_n = 0;

		if (strncmp(p, keys[i].name, n))
			continue;
		if (keys[i].dotted) {
			if (p[n] != '.')
				continue;
			n++;
			while (isalnum((unsigned char)p[n + key_n]) ||
			       (p[n + key_n] && strchr("_.-/", p[n + key_n])))
				key_n++;
		}
		if (p[n + key_n] != '=')
			continue;
		*ret_key_n = key_n;
		*ret_value = p + n + key_n + 1;
		return (int)i;
	}
	return -1;
}

/* The end of the part that starts at `p`: the next ':' that cuts, or the end of the text. */
static const char *part_end(const char *p)
{
	unsigned depth = 0;
	const char *value;
	size_t key_n;

	for (char before = '\0'; *p; before = *p++) {
		if (*p == '{' && (depth || before == '^' || before == '@'))
			depth++;
		else if (*p == '}' && depth)
			depth--;
		else if (*p == ':' && !depth && find_key(p + 1, &key_n, &value) >= 0)
			break;
	}
	return p;
}

static int check_key(const struct change *c, const char *text, struct err *e)
{
	if (c->key && !*c->key)
		return err_set(e, ERR_USAGE, "'%s': a name is missing before '='", text);
	if (c->kind == CHANGE_ENV && (isdigit((unsigned char)*c->key) || strpbrk(c->key, ".-/")))
		return err_set(e, ERR_USAGE,
			       "'%s': '%s' cannot be the name of an environment variable", text,
			       c->key);
	if (c->kind == CHANGE_CONFIG && !starts_with(c->key, "CONFIG_"))
		return err_set(e, ERR_USAGE, "'%s': write config.CONFIG_%s=%s", text, c->key,
			       c->value);
	if (!*c->value && c->kind != CHANGE_ENV && c->kind != CHANGE_CMDLINE)
		return err_set(e, ERR_USAGE, "'%s': a value is missing after '='", text);
	return 0;
}

static int scan_change(const char *text, const char *p, const char *end, struct variant *v,
		       size_t *cap, struct err *e)
{
	const char *value;
	size_t key_n;
	int i = find_key(p, &key_n, &value);
	struct change c = { .kind = keys[i].kind, .value = xstrndup(value, (size_t)(end - value)) };

	if (keys[i].dotted)
		c.key = xstrndup(value - 1 - key_n, key_n);
	array_reserve_((void **)&v->changes, cap, v->n_changes + 1, sizeof(*v->changes));
	v->changes[v->n_changes++] = c;
	if (keys[i].tree && !v->rev)
		return err_set(e, ERR_USAGE, "'%s': %s= needs a revision to apply to, not %s", text,
			       keys[i].name, v->image ? "an image" : "a package");
	return check_key(&c, text, e);
}

static int scan(const char *text, struct variant *v, struct err *e)
{
	const char *p = part_end(text);
	AUTO_FREE char *base = xstrndup(text, (size_t)(p - text));
	size_t cap = 0;
	int n = 0;

	if (starts_with(base, "image="))
		v->image = xstrdup(base + strlen("image="));
	else if (starts_with(base, "deb="))
		v->deb = xstrdup(base + strlen("deb="));
	else
		v->rev = TAKE_PTR(base);
	if (!*(v->rev ? v->rev : v->image ? v->image : v->deb))
		return err_set(
			e, ERR_USAGE,
			"'%s' names nothing: a variant starts with a revision, image=PATH or deb=PACKAGE",
			text);
	while (n == 0 && *p) {
		const char *end = part_end(p + 1);

		n = scan_change(text, p + 1, end, v, &cap, e);
		p = end;
	}
	return n;
}

int variant_scan(const char *text, struct variant *ret, struct err *e)
{
	struct variant v = { .text = xstrdup(text) };
	int n = scan(text, &v, e);

	if (n < 0)
		variant_done(&v);
	else
		*ret = v;
	return n;
}

static char *from_start(const struct repo *r, const char *path)
{
	return *path == '/' || !r ? xstrdup(path) : fs_join(r->start, path);
}

/* What people give by mistake is told from a patch that does not apply. */
static bool is_patch(const struct str *bytes, const char *path, struct err *e)
{
	static const char *const begins[] = { "--- ", "diff ", "Index: ", "GIT binary patch" };
	const char *p = bytes->p + strspn(bytes->p, " \t\r\n");
	bool is_html = !strncasecmp(p, "<!doctype", 9) || !strncasecmp(p, "<html", 5);

	for (const char *line = bytes->p; line && !is_html; line = strchr(line, '\n')) {
		line += *line == '\n';
		for (size_t i = 0; i < ARRAY_LEN(begins); i++)
			if (starts_with(line, begins[i]))
				return true;
	}
	err_set(e, ERR_USAGE, "patch=%s %s", path,
		!*p	  ? "is empty"
		: is_html ? "is an HTML page: save the raw patch"
			  : "is no patch: it has no line that begins with '--- ' or 'diff '");
	return false;
}

static int load_patch(struct repo *r, struct change *c, struct err *e)
{
	AUTO_FREE char *path = from_start(r, c->value);
	AUTO(str) struct str bytes = STR_INIT;

	if (!strcmp(c->value, "-"))
		return err_set(e, ERR_USAGE,
			       "a patch is read from a file, not from standard input");
	if (!fs_exists(path))
		return err_set(e, ERR_USAGE, "patch=%s: there is no such file", c->value);
	if (fs_is_dir(path))
		return err_set(e, ERR_USAGE, "patch=%s is a folder, not a patch", c->value);
	int n = fs_read(path, INT64_C(64) << 20, &bytes, e);

	if (n < 0)
		return err_wrap(e, "patch=%s", c->value);
	if (!is_patch(&bytes, c->value, e))
		return -ERR_USAGE;
	c->key = c->value;
	c->value = xmalloc(65);
	struct sha256 *h = sha256_new();

	sha256_add(h, bytes.p, bytes.n);
	sha256_finish(h, c->value);
	c->patch_n = bytes.n;
	c->patch = str_take(&bytes);
	return 0;
}

/* An artefact or a folder of them must be there now, and is meant from here whatever the folder later. */
static int find_path(struct repo *r, char **path, const char *what, bool folder, struct err *e)
{
	AUTO_FREE char *from = from_start(r, *path);
	char *real;

	if (!fs_exists(from) || fs_is_dir(from) != folder)
		return err_set(e, ERR_USAGE, "%s=%s: there is no such %s", what, *path,
			       folder ? "folder" : "file");
	int n = fs_realpath(from, &real, e);

	if (n < 0)
		return n;
	free(*path);
	*path = real;
	return 0;
}

/* "MERGE,2": against the second parent. The number is cut off the value. */
static void take_parent(struct change *c)
{
	char *comma = strrchr(c->value, ',');
	size_t n = comma ? strspn(comma + 1, "0123456789") : 0;

	if (!n || n > 2 || comma[1 + n] || comma[1] == '0')
		return;
	c->parent = (unsigned)strtoul(comma + 1, NULL, 10);
	*comma = '\0';
}

static int resolve_change(struct repo *r, struct change *c, struct err *e)
{
	char oid[65];
	int n;

	switch (c->kind) {
	case CHANGE_REVERT:
	case CHANGE_PICK:
		take_parent(c);
		n = repo_resolve(r, c->value, oid, e);
		if (n < 0)
			return err_wrap(e, c->kind == CHANGE_PICK ? "pick=" : "revert=");
		free(c->value);
		c->value = xstrdup(oid);
		return 0;
	case CHANGE_PATCH:
		return load_patch(r, c, e);
	case CHANGE_MODULES:
		return find_path(r, &c->value, "modules", true, e);
	case CHANGE_ENV:
	case CHANGE_CMDLINE:
	case CHANGE_SYSCTL:
	case CHANGE_CONFIG:
		break;
	}
	return 0;
}

/* An unknown key was left in the revision: "v5.14:revrt=abc". */
static int explain_unknown(const struct repo *r, const char *rev, struct err *e)
{
	const char *colon = strrchr(rev, ':');
	size_t word_n = colon ? strspn(colon + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
	AUTO_FREE char *path = from_start(r, rev);

	if (word_n && strchr(".=", colon[1 + word_n]) && strchr(colon, '=')) {
		AUTO_FREE char *word = xstrndup(colon + 1, word_n);
		struct nearest near = NEAREST_INIT(word);

		for (size_t i = 0; i < ARRAY_LEN(keys); i++)
			nearest_offer(&near, keys[i].name);
		return err_set(e, ERR_USAGE, "unknown change '%s=' in '%s'%s%s%s", word, rev,
			       near.best ? ", did you mean '" : "", near.best ? near.best : "",
			       near.best ? "'?"
					 : "; known are revert, patch, pick, env.X, cmdline, "
					   "sysctl.X, config.X, modules");
	}
	if (fs_exists(path) && !fs_is_dir(path))
		return err_set(
			e, ERR_USAGE,
			"'%s' is a file, not a revision; a program or kernel to measure is given as image=%s",
			rev, rev);
	return -(int)ERR_USAGE;
}

static int resolve_rev(struct repo *r, struct variant *v, struct err *e)
{
	char oid[65];
	int n;

	if (!r)
		return err_set(e, ERR_USAGE,
			       "'%s' is a revision, and there is no git repository here", v->rev);
	n = repo_resolve(r, v->rev, oid, e);
	if (n == -ERR_USAGE)
		return explain_unknown(r, v->rev, e);
	if (n < 0)
		return n;
	/* Standing inside a git directory, files like HEAD are git's own. */
	AUTO_FREE char *path = from_start(r, v->rev);

	if (!starts_with(r->start, r->git_dir) && fs_exists(path) && !fs_is_dir(path))
		return err_set(
			e, ERR_USAGE,
			"'%s' is both a file and a revision: write ./%s for the file, or the full name "
			"(refs/heads/..., refs/tags/...) of the revision",
			v->rev, v->rev);
	v->oid = xstrdup(oid);
	return 0;
}

int variant_parse(struct repo *r, const char *text, struct variant *ret, struct err *e)
{
	struct variant v = { 0 };
	int n = variant_scan(text, &v, e);

	if (n == 0 && v.rev)
		n = resolve_rev(r, &v, e);
	if (n == 0 && v.image)
		n = find_path(r, &v.image, "image", false, e);
	for (size_t i = 0; n == 0 && i < v.n_changes; i++)
		n = resolve_change(r, &v.changes[i], e);
	if (n < 0)
		variant_done(&v);
	else
		*ret = v;
	return n;
}

void variant_done(struct variant *v)
{
	for (size_t i = 0; i < v->n_changes; i++) {
		free(v->changes[i].key);
		free(v->changes[i].value);
		free(v->changes[i].patch);
	}
	free(v->changes);
	free(v->text);
	free(v->rev);
	free(v->oid);
	free(v->image);
	free(v->deb);
	*v = (struct variant){ 0 };
}

void variant_of_commit(const char *oid, struct variant *ret)
{
	*ret = (struct variant){ .text = xstrdup(oid), .oid = xstrdup(oid) };
}

static void describe_change(const struct change *c, struct str *out)
{
	const char *slash = c->key ? strrchr(c->key, '/') : NULL;

	switch (c->kind) {
	case CHANGE_REVERT:
		str_addf(out, "without %.12s", c->value);
		break;
	case CHANGE_PICK:
		str_addf(out, "with %.12s", c->value);
		break;
	case CHANGE_PATCH:
		str_addf(out, "with %s", slash ? slash + 1 : c->key);
		break;
	case CHANGE_CMDLINE:
		str_addf(out, "with %s", c->value);
		break;
	case CHANGE_MODULES:
		str_addf(out, "with the modules of %s", c->value);
		break;
	case CHANGE_ENV:
	case CHANGE_SYSCTL:
	case CHANGE_CONFIG:
		str_addf(out, "with %s=%s", c->key, c->value);
		break;
	}
}

void variant_describe(const struct variant *v, struct str *out)
{
	const char *slash = v->image ? strrchr(v->image, '/') : NULL;

	if (v->image)
		str_puts(out, slash ? slash + 1 : v->image);
	else if (v->deb)
		str_puts(out, v->deb);
	else if (v->rev && !git_is_oid(v->rev))
		str_puts(out, v->rev);
	else
		str_addf(out, "%.12s", v->oid);
	for (size_t i = 0; i < v->n_changes; i++) {
		str_puts(out, i ? ", " : " ");
		describe_change(&v->changes[i], out);
	}
}

/* One line a part; a newline in a value must not look like the next part. */
static void put_escaped(struct str *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\n')
			str_puts(out, "\\n");
		else if (*s == '\\')
			str_puts(out, "\\\\");
		else
			str_putc(out, *s);
	}
	str_putc(out, '\n');
}

void variant_key(const struct variant *v, struct str *out)
{
	str_puts(out, v->oid ? "commit=" : v->image ? "image=" : "deb=");
	put_escaped(out, v->oid ? v->oid : v->image ? v->image : v->deb);
	for (size_t i = 0; i < v->n_changes; i++) {
		const struct change *c = &v->changes[i];
		size_t row = 0;

		while (keys[row].kind != c->kind)
			row++;
		str_puts(out, keys[row].name);
		if (keys[row].dotted)
			str_addf(out, ".%s", c->key);
		str_putc(out, '=');
		if (c->parent > 1) {
			AUTO_FREE char *against = xasprintf("%s,%u", c->value, c->parent);

			put_escaped(out, against);
		} else {
			put_escaped(out, c->value);
		}
	}
}
