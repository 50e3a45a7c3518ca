/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/needs.h"

#include "sys/fs.h"

#include <glob.h>
#include <string.h>
#include <sys/utsname.h>

#define MODULES_DEP_MAX (INT64_C(16) << 20)

static bool matches(const char *pattern)
{
	glob_t g;
	bool any = glob(pattern, 0, NULL, &g) == 0;

	if (any)
		globfree(&g);
	return any;
}

static bool is_program(const char *name)
{
	AUTO_FREE char *path = fs_find_program(name, NULL);
	AUTO_FREE char *sbin = path ? NULL : fs_find_program(name, "/usr/sbin:/sbin");

	return path || sbin || (*name == '/' && matches(name));
}

static void put_packages(const struct benchmark *b, bool how, struct str *ret)
{
	const char *component = NULL;
	int n = 0;

	str_puts(ret, " (apt install");
	for (const char **p = b->packages; *p; p++) {
		const char *slash = strchr(*p, '/');

		str_addf(ret, " %s", slash ? slash + 1 : *p);
		if (slash) {
			component = *p;
			n = (int)(slash - *p);
		}
	}
	if (component)
		str_addf(ret, ", from Debian's %.*s", n, component);
	if (component && how)
		str_addf(
			ret,
			", which is added to the components of the archive in /etc/apt/sources.list or "
			"sources.list.d/*.sources, before apt update");
	str_puts(ret, ")");
}

void needs_put_programs(const struct benchmark *b, bool how, struct str *ret)
{
	bool any = false;

	for (const char **p = b->programs; p && *p; p++) {
		if (is_program(*p))
			continue;
		str_addf(ret, "%s%s", any ? ", " : "", *p);
		any = true;
	}
	if (any && b->packages && b->packages[0])
		put_packages(b, how, ret);
}

static bool is_module(const char *name)
{
	AUTO_FREE char *module = xasprintf("/sys/module/%s", name);

	for (char *p = module; *p; p++)
		if (*p == '-')
			*p = '_';
	return fs_exists(module);
}

/* A program, a path that exists, or a kernel module that is there. */
static bool is_there(const char *need)
{
	return is_program(need) || (*need == '/' && fs_exists(need)) || is_module(need);
}

/* Can it be loaded here at all? `name` has the word's length `n`. */
static bool kernel_has(const char *name, size_t n)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO_FREE char *file = xasprintf("/%.*s.ko", (int)n, name);
	struct err ignored = ERR_INIT;
	struct utsname u;

	uname(&u);
	AUTO_FREE char *path = xasprintf("/lib/modules/%s/modules.dep", u.release);

	return fs_read(path, MODULES_DEP_MAX, &text, &ignored) == 0 && strstr(text.p, file);
}

/* What a guest would load for it is what to load here. */
static void put_modules(const struct benchmark *b, struct str *ret)
{
	bool any = false;

	for (const char **m = b->modules; m && *m; m++) {
		const char *spec = *m + (**m == '?');
		size_t n = strcspn(spec, " ");
		AUTO_FREE char *name = xstrndup(spec, n);

		if (is_module(name))
			continue;
		str_puts(ret, any ? "; " : " (as root: ");
		str_addf(ret, "modprobe %s", spec);
		if (!kernel_has(spec, n))
			str_puts(ret, ", a module that this machine's kernel does not have");
		any = true;
	}
	if (any)
		str_puts(ret, ")");
}

void needs_put_others(const struct benchmark *b, struct str *ret)
{
	bool any = false;

	for (const char **p = b->needs; p && *p; p++) {
		if (is_there(*p))
			continue;
		str_addf(ret, "%s%s", any ? ", " : "", *p);
		any = true;
	}
	if (any)
		put_modules(b, ret);
}

int needs_check(const struct benchmark *b, bool here, struct err *e)
{
	AUTO(str) struct str programs = STR_INIT, others = STR_INIT;

	needs_put_programs(b, true, &programs);
	if (programs.n)
		return err_set(e, ERR_ENV, "a program that it needs is not here: %s", programs.p);
	if (here)
		needs_put_others(b, &others);
	if (others.n)
		return err_set(e, ERR_ENV, "needed and not there: %s%s", others.p,
			       strchr(others.p, '(') ? "" : "; install it");
	return 0;
}
