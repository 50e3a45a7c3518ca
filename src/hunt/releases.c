/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The range goes through the journal's own text (repo/dag.h), so a search over releases is resumed and verified as any other.
 */
#include "hunt/releases.h"

#include "kernel/deb.h"
#include "sys/fs.h"

#include <string.h>

bool releases_is_one(const char *node)
{
	return starts_with(node, "deb=") || starts_with(node, "image=");
}

void releases_variant(const char *node, struct variant *ret)
{
	if (!releases_is_one(node) || variant_scan(node, ret, NULL) < 0)
		variant_of_commit(node, ret);
}

char *releases_short(const char *node)
{
	if (starts_with(node, "deb="))
		return xstrndup(node + 4, strcspn(node + 4, "="));
	/* most images are called bzImage: the folder tells them apart */
	return xstrdup(str_path_tail(starts_with(node, "image=") ? node + 6 : node));
}

static int add_packages(const char *spec, struct strvec *ret, struct err *e)
{
	AUTO(deb_packages) struct deb_packages p = { 0 };
	int r = deb_list(spec, &p, e);

	for (size_t i = 0; r == 0 && i < p.n; i++)
		strvec_addf(ret, "deb=%s=%s", p.v[i].name, p.v[i].version);
	return r;
}

/* One line of a file: a package name stands for its newest version, not for several. */
static int add_entry(const char *line, struct strvec *ret, struct err *e)
{
	AUTO(variant) struct variant v = { 0 };
	AUTO(deb_package) struct deb_package p = { 0 };
	int r = variant_parse(NULL, line, &v, e);

	if (r < 0)
		return r;
	if (v.image)
		strvec_addf(ret, "image=%s%s", v.image, line + strcspn(line, ":"));
	else if ((r = deb_resolve(v.deb, &p, e)) == 0)
		strvec_addf(ret, "deb=%s=%s%s", p.name, p.version,
			    v.n_changes ? strchr(line, ':') : "");
	return r;
}

static int add_file(const char *path, struct strvec *ret, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	char *save = NULL;
	unsigned line = 0;
	int r = fs_read_named(path, 1 << 20, &text, e);

	if (r < 0)
		return r;
	for (char *p = strtok_r(text.p, "\n", &save); p; p = strtok_r(NULL, "\n", &save)) {
		line++;
		p += strspn(p, " \t");
		p[strcspn(p, "\r#")] = '\0';
		for (size_t n = strlen(p); n && strchr(" \t", p[n - 1]);)
			p[--n] = '\0';
		if (!*p)
			continue;
		if (!releases_is_one(p))
			return err_set(e, ERR_USAGE,
				       "%s: entry %u, '%.80s': deb=PACKAGE or image=PATH is wanted",
				       path, line, p);
		if ((r = add_entry(p, ret, e)) < 0)
			return err_wrap(e, "%s: entry %u", path, line);
	}
	return 0;
}

int releases_list(const char *over, struct strvec *ret, struct err *e)
{
	int r;

	if (starts_with(over, "deb="))
		r = add_packages(over + 4, ret, e);
	else if (fs_exists(over) && !fs_is_dir(over))
		r = add_file(over, ret, e);
	else
		return err_set(
			e, ERR_USAGE,
			"--over %.200s: there is no such file, and it is no deb=PATTERN either",
			over);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ret->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(ret->v[i], ret->v[k]))
				return err_set(e, ERR_USAGE, "--over: '%s' stands there twice",
					       ret->v[i]);
	if (ret->n < 2)
		return err_set(e, ERR_USAGE, "--over %.200s names %zu release%s: nothing to search",
			       over, ret->n, ret->n == 1 ? "" : "s");
	return 0;
}

/* By its whole text, else by a part that only one has. */
static int find(const struct strvec *list, const char *what, size_t *ret, struct err *e)
{
	size_t found = 0;

	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->v[i], what)) {
			*ret = i;
			return 0;
		}
	for (size_t i = 0; i < list->n; i++)
		if (strstr(list->v[i], what)) {
			found++;
			*ret = i;
		}
	if (found == 1)
		return 0;
	return err_set(e, ERR_USAGE, "'%.200s' is %s of the list; its entries are like '%s'", what,
		       found ? "part of several entries" : "no entry", list->v[0]);
}

int releases_range(const struct strvec *list, const char *good, const char *bad, struct range *ret,
		   struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	size_t from = 0, to = list->n - 1;
	int r = good ? find(list, good, &from, e) : 0;

	if (r == 0 && bad)
		r = find(list, bad, &to, e);
	if (r < 0)
		return r;
	if (from >= to)
		return err_set(e, ERR_USAGE, "%s does not come before %s in the list",
			       list->v[from], list->v[to]);
	str_addf(&text, "culprit-range 1\ngood %s\nbad %s\nends 0 %zu 1 0 1\n", list->v[from],
		 list->v[to], to - from);
	for (size_t i = from; i <= to; i++) {
		if (i == from)
			str_addf(&text, "b 0 - %s\n", list->v[i]);
		else
			str_addf(&text, "c 1 %zu %s\n", i - from - 1, list->v[i]);
	}
	return range_parse(text.p, ret, e);
}
