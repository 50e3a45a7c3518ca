/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debfetch - see debfetch.h.
 *
 * The unpacked folder is made under another name and renamed when whole, so that a kill leaves no half of one; the .deb itself is not kept, as it would double the space.
 * What a killed process left is removed by the next one.
 */
#include "kernel/debfetch.h"

#include "sys/fs.h"

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FETCH_SECONDS = 1800, UNPACK_SECONDS = 600 };

char *deb_folder(const char *store_dir)
{
	const char *shared = getenv("CULPRIT_DEBS");

	return shared && *shared ? xstrdup(shared) : fs_join(store_dir, "debs");
}

/* ".tmp-PID" of processes that are gone. */
static void sweep(const char *folder)
{
	AUTO_FREE char *pattern = fs_join(folder, ".tmp-*");
	glob_t g;

	if (glob(pattern, GLOB_PERIOD, NULL, &g) != 0)
		return;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		long pid = strtol(strrchr(g.gl_pathv[i], '-') + 1, NULL, 10);

		if (pid > 1 && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
			(void)!fs_remove_tree(g.gl_pathv[i], NULL);
	}
	globfree(&g);
}

static int one_deb(const char *dir, char **ret, struct err *e)
{
	AUTO_FREE char *pattern = fs_join(dir, "*.deb");
	glob_t g;

	if (glob(pattern, 0, NULL, &g) != 0)
		return err_set(e, ERR_ENV, "apt-get left no package in '%s'", dir);
	*ret = xstrdup(g.gl_pathv[0]);
	globfree(&g);
	return 0;
}

static int download(const struct deb_package *p, const char *dir, const struct deb_hooks *hooks,
		    char **ret_file, struct err *e)
{
	AUTO_FREE char *which = xasprintf("%s=%s", p->name, p->version);
	const char *argv[] = { "apt-get", "-qq", "download", which, NULL };
	char hex[65];
	int r = debtool_need("apt-get", e);

	if (r == 0)
		r = debtool_run(argv, dir, FETCH_SECONDS, hooks, NULL, e);
	if (r == 0)
		r = one_deb(dir, ret_file, e);
	if (r == 0 && p->sha256)
		r = sha256_file(*ret_file, hex, e);
	if (r < 0)
		return err_wrap(e, "fetching %s", which);
	if (p->sha256 && strcmp(hex, p->sha256) != 0)
		return err_set(e, ERR_ENV, "fetching %s: its SHA-256 is %s, apt's lists say %s",
			       which, hex, p->sha256);
	return 0;
}

/* In a folder of our own `tmp`: the package, and it unpacked in tmp/root, which becomes `dir`. */
static int fetch_into(const struct deb_package *p, const char *tmp, const char *dir,
		      const struct deb_hooks *hooks, struct err *e)
{
	AUTO_FREE char *file = p->file ? xstrdup(p->file) : NULL, *root = fs_join(tmp, "root");
	int r = p->file ? 0 : download(p, tmp, hooks, &file, e);

	if (r == 0)
		r = debtool_need("dpkg-deb", e);
	if (r == 0) {
		const char *argv[] = { "dpkg-deb", "-x", file, root, NULL };

		r = debtool_run(argv, NULL, UNPACK_SECONDS, hooks, NULL, e);
	}
	if (r < 0)
		return r;
	/* Another process may have been faster: then its folder stands, and ours goes with tmp. */
	if (rename(root, dir) < 0 && errno != ENOTEMPTY && errno != EEXIST)
		return err_errno(e, "renaming '%s' to '%s'", root, dir);
	return 0;
}

int deb_fetch(const char *store_dir, const struct deb_package *p, const struct deb_hooks *hooks,
	      struct kernel_image *ret, struct err *e)
{
	AUTO_FREE char *folder = deb_folder(store_dir);
	AUTO_FREE char *tmp = xasprintf("%s/.tmp-%d", folder, (int)getpid());
	AUTO_FREE char *dir = xasprintf("%s/%s_%s%s%.12s", folder, p->name, p->version,
					p->file ? "_" : "", p->file ? p->sha256 : "");
	AUTO(kernel_image) struct kernel_image k = { 0 };
	int r = 0;

	if (!fs_is_dir(dir)) {
		sweep(folder);
		r = fs_mkdirs(tmp, e);
		if (r == 0)
			r = fetch_into(p, tmp, dir, hooks, e);
		(void)!fs_remove_tree(tmp, NULL);
	}
	if (r == 0)
		r = kernel_image_in_tree(dir, &k, e);
	if (r < 0)
		return r == -ERR_MISSING ? err_wrap(e, "package %s %s", p->name, p->version) : r;
	k.package = xasprintf("%s %s", p->name, p->version);
	*ret = k;
	k = (struct kernel_image){ 0 };
	return 0;
}
