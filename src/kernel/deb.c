/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deb - see deb.h.
 *
 * apt's own programs and not its archive's index files: they know the user's sources, mirrors, proxies, keys and pins. Two are asked: `apt-cache pkgnames
 * PREFIX` (all names, 20 ms) and `apt-cache show NAMES` (versions, sums, dependencies). The unpacked folder is the cache, made under another name and
 * renamed when whole; the .deb itself is not kept, as it would only double the space.
 */
#include "kernel/deb.h"

#include "kernel/debtool.h"
#include "kernel/debversion.h"
#include "sys/fs.h"

#include <fnmatch.h>
#include <string.h>

enum { APT_SECONDS = 60, META_DEPTH = 4 };

void deb_package_done(struct deb_package *p)
{
	free(p->name);
	free(p->version);
	free(p->sha256);
	free(p->file);
	*p = (struct deb_package){ 0 };
}

void deb_packages_done(struct deb_packages *p)
{
	for (size_t i = 0; i < p->n; i++)
		deb_package_done(&p->v[i]);
	free(p->v);
	*p = (struct deb_packages){ 0 };
}

/* ---- what apt knows ---- */

/* One stanza of `apt-cache show`. */
struct stanza {
	char *name, *version, *sha256, *architecture, *depends;
	bool fetchable; /* has a file in the archive; what is merely installed has none */
};

static void stanza_done(struct stanza *s)
{
	free(s->name);
	free(s->version);
	free(s->sha256);
	free(s->architecture);
	free(s->depends);
	*s = (struct stanza){ 0 };
}

static void read_field(const char *line, struct stanza *s)
{
	const struct {
		const char *key;
		char **into;
	} rows[] = { { "Package: ", &s->name },
		     { "Version: ", &s->version },
		     { "SHA256: ", &s->sha256 },
		     { "Architecture: ", &s->architecture },
		     { "Depends: ", &s->depends } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (starts_with(line, rows[i].key) && !*rows[i].into)
			*rows[i].into = xstrdup(line + strlen(rows[i].key));
	s->fetchable |= starts_with(line, "Filename: ");
}

/* The package of the same name stem that a meta-package depends on ("linux-image-6.12.117+deb12-amd64 (= 6.12...)"), or NULL. */
static char *meta_target(const struct stanza *s)
{
	const char *at = s->depends ? strstr(s->depends, "linux-image-") : NULL;

	return at ? xstrndup(at, strcspn(at, " ,|(")) : NULL;
}

static bool same(const struct deb_packages *all, const struct stanza *s)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->v[i].name, s->name) && !strcmp(all->v[i].version, s->version))
			return true;
	return false;
}

/* Takes a whole stanza. A meta-package leaves its target in *meta, if wanted. */
static void take_stanza(struct stanza *s, struct deb_packages *ret, char **meta)
{
	bool ours = s->name && s->version && s->fetchable &&
		    (!s->architecture || !strcmp(s->architecture, "amd64"));
	AUTO_FREE char *target = ours ? meta_target(s) : NULL;

	if (target && meta && !*meta)
		*meta = TAKE_PTR(target);
	else if (ours && !target && !same(ret, s))
		*ARRAY_GROW(ret) = (struct deb_package){ .name = TAKE_PTR(s->name),
							 .version = TAKE_PTR(s->version),
							 .sha256 = TAKE_PTR(s->sha256) };
	stanza_done(s);
}

static int show(const struct strvec *names, struct deb_packages *ret, char **meta, struct err *e)
{
	AUTO(strvec) struct strvec argv = STRVEC_INIT;
	AUTO(str) struct str out = STR_INIT;
	AUTO(stanza) struct stanza s = { 0 };
	const char *line;
	int r;

	strvec_add(&argv, "apt-cache");
	strvec_add(&argv, "show");
	for (size_t i = 0; i < names->n; i++)
		strvec_add(&argv, names->v[i]);
	r = debtool_run((const char *const *)argv.v, NULL, APT_SECONDS, NULL, &out, e);
	if (r < 0)
		return r;
	line = out.p;
	for (;;) {
		size_t n = strcspn(line, "\n");
		AUTO_FREE char *text = xstrndup(line, n);

		if (n)
			read_field(text, &s);
		else
			take_stanza(&s, ret, meta);
		if (!line[n])
			break;
		line += n + 1;
	}
	take_stanza(&s, ret, meta);
	return 0;
}

static int package_names(const char *prefix, struct strvec *ret, struct err *e)
{
	const char *argv[] = { "apt-cache", "pkgnames", prefix, NULL };
	AUTO(str) struct str out = STR_INIT;
	char *save = NULL;
	int r = debtool_run(argv, NULL, APT_SECONDS, NULL, &out, e);

	if (r < 0)
		return r;
	for (char *line = strtok_r(out.p, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		strvec_add(ret, line);
	return 0;
}

/* ---- patterns ---- */

bool deb_name_matches(const char *pattern, const char *name)
{
	static const char *const flavours[] = { "-cloud", "-rt", "-dbg", "-unsigned",
						"-signed-template" };

	if (fnmatch(pattern, name, 0) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(flavours); i++) {
		size_t n = strlen(flavours[i]);

		for (const char *at = name; (at = strstr(at, flavours[i])); at += n)
			if ((at[n] == '-' || !at[n]) && !strstr(pattern, flavours[i]))
				return false;
	}
	return true;
}

static int by_version(const void *a, const void *b)
{
	const struct deb_package *x = a, *y = b;
	int r = debversion_compare(x->version, y->version);

	return r ? r : debversion_compare(x->name, y->name);
}

static void sort_packages(struct deb_packages *p)
{
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_version);
}

/* The error for a name or pattern that nothing answers to: with the newest kernels that there are. */
static int nothing_found(const char *pattern, struct err *e)
{
	enum { SHOWN = 8 };
	AUTO(strvec) struct strvec names = STRVEC_INIT, kernels = STRVEC_INIT;
	AUTO(deb_packages) struct deb_packages all = { 0 };
	AUTO(str) struct str list = STR_INIT;
	int r = package_names("linux-image-", &names, e);

	for (size_t i = 0; i < names.n; i++)
		if (deb_name_matches("linux-image-[0-9]*-amd64", names.v[i]))
			strvec_add(&kernels, names.v[i]);
	if (r == 0 && kernels.n)
		r = show(&kernels, &all, NULL, e);
	if (r < 0)
		return r;
	if (!all.n)
		return err_set(
			e, ERR_MISSING,
			"no package '%s', and apt knows no kernel at all: run 'apt-get update'",
			pattern);
	sort_packages(&all);
	for (size_t i = all.n > SHOWN ? all.n - SHOWN : 0; i < all.n; i++)
		str_addf(&list, "%s%s", *list.p ? ", " : "", all.v[i].name);
	if (all.n > SHOWN)
		str_addf(&list, " and %zu older", all.n - SHOWN);
	return err_set(e, ERR_MISSING, "no package '%s'; apt has %s", pattern, list.p);
}

static int no_such_version(const char *name, const char *version, const struct deb_packages *all,
			   struct err *e)
{
	AUTO(str) struct str list = STR_INIT;

	for (size_t i = 0; i < all->n; i++)
		str_addf(&list, "%s%s", i ? ", " : "", all->v[i].version);
	return err_set(e, ERR_MISSING, "package '%s' has no version '%s'; apt has %s", name,
		       version, *list.p ? list.p : "none that it could fetch");
}

/* ---- what a text means ---- */

static int list_pattern(const char *pattern, struct deb_packages *ret, struct err *e)
{
	AUTO_FREE char *prefix = xstrndup(pattern, strcspn(pattern, "*?["));
	AUTO(strvec) struct strvec names = STRVEC_INIT, matching = STRVEC_INIT;
	int r = package_names(prefix, &names, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < names.n; i++)
		if (deb_name_matches(pattern, names.v[i]))
			strvec_add(&matching, names.v[i]);
	r = matching.n ? show(&matching, ret, NULL, e) : 0;
	return r < 0 ? r : ret->n ? 0 : nothing_found(pattern, e);
}

/* A plain name; a meta-package leads on to what it stands for. */
static int list_name(const char *name, unsigned depth, struct deb_packages *ret, struct err *e)
{
	AUTO(strvec) struct strvec one = STRVEC_INIT;
	AUTO_FREE char *meta = NULL;
	int r;

	strvec_add(&one, name);
	r = show(&one, ret, &meta, e);
	if (r < 0 && starts_with(e->msg, "apt-cache: No packages found"))
		return nothing_found(name, e);
	if (r < 0)
		return r;
	if (!ret->n && meta && depth < META_DEPTH)
		return list_name(meta, depth + 1, ret, e);
	return ret->n ? 0 : nothing_found(name, e);
}

/* Only the packages of this version stay. */
static int keep_version(const char *name, const char *version, struct deb_packages *p,
			struct err *e)
{
	AUTO(deb_packages) struct deb_packages all = *p;

	*p = (struct deb_packages){ 0 };
	for (size_t i = 0; i < all.n; i++)
		if (!strcmp(all.v[i].version, version)) {
			ARRAY_PUSH(p, all.v[i]);
			all.v[i] = (struct deb_package){ 0 };
		}
	return p->n ? 0 : no_such_version(name, version, &all, e);
}

/* A package file: its own fields say what it is. */
static int list_file(const char *path, struct deb_packages *ret, struct err *e)
{
	const char *argv[] = { "dpkg-deb", "-f", path, "Package", "Version", NULL };
	AUTO(deb_package) struct deb_package p = { 0 };
	AUTO(str) struct str out = STR_INIT;
	AUTO(stanza) struct stanza s = { 0 };
	char hex[65], *save = NULL;
	int r = debtool_need("dpkg-deb", e);

	if (r == 0)
		r = fs_realpath(path, &p.file, e);
	if (r == 0)
		r = debtool_run(argv, NULL, APT_SECONDS, NULL, &out, e);
	if (r < 0)
		return r;
	for (char *line = strtok_r(out.p, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		read_field(line, &s);
	if (!s.name || !s.version)
		return err_set(e, ERR_USAGE, "'%s' does not say which package it is", path);
	r = sha256_file(path, hex, e);
	if (r < 0)
		return r;
	*ARRAY_GROW(ret) = (struct deb_package){ .name = TAKE_PTR(s.name),
						 .version = TAKE_PTR(s.version),
						 .sha256 = xstrdup(hex),
						 .file = TAKE_PTR(p.file) };
	return 0;
}

static bool valid_spec(const char *name)
{
	return *name && *name != '-' &&
	       name[strspn(
		       name,
		       "abcdefghijklmnopqrstuvwxyz0123456789+.-~*?[]!:_ABCDEFGHIJKLMNOPQRSTUVWXYZ")] ==
		       0;
}

int deb_list(const char *spec, struct deb_packages *ret, struct err *e)
{
	AUTO(deb_packages) struct deb_packages found = { 0 };
	AUTO_FREE char *name = xstrndup(spec, strcspn(spec, "="));
	const char *version = spec[strlen(name)] ? spec + strlen(name) + 1 : NULL;
	int r;

	if (strchr(spec, '/')) {
		r = list_file(spec, &found, e);
	} else if (!valid_spec(name) || (version && !*version)) {
		r = err_set(
			e, ERR_USAGE,
			"'deb=%s' is not PACKAGE, PACKAGE=VERSION or a pattern like linux-image-6.12.*",
			spec);
	} else {
		r = debtool_need("apt-cache", e);
		if (r == 0)
			r = strpbrk(name, "*?[") ? list_pattern(name, &found, e)
						 : list_name(name, 0, &found, e);
		sort_packages(&found);
	}
	if (r == 0 && version && !strchr(spec, '/'))
		r = keep_version(name, version, &found, e);
	if (r < 0)
		return r;
	*ret = found;
	found = (struct deb_packages){ 0 };
	return 0;
}

int deb_resolve(const char *spec, struct deb_package *ret, struct err *e)
{
	AUTO(deb_packages) struct deb_packages all = { 0 };
	int r = deb_list(spec, &all, e);

	if (r < 0)
		return r;
	*ret = all.v[all.n - 1];
	all.v[all.n - 1] = (struct deb_package){ 0 };
	return 0;
}
