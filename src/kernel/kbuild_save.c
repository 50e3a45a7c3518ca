/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is kept of a build: a few files of some megabytes, laid out as an unpacked package. vmlinux with its debug information is not among
 * them: the work folder's next build would be there before anybody asked for it.
 */
#include "kernel/kbuild.h"
#include "kernel/kbuild_work.h"

#include "bench/artefact.h"
#include "sys/fs.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { IMAGE_MAX = 1 << 30 };

static int copy_file(const char *from, const char *into, struct err *e)
{
	AUTO(str) struct str bytes = STR_INIT;
	int r = fs_read(from, IMAGE_MAX, &bytes, e);

	return r < 0 ? r : fs_write_atomic(into, bytes.p, bytes.n, e);
}

/* boot/NAME-RELEASE, from `from` in the O= folder. */
static int keep(struct work *w, const char *from, const char *name, const char *release,
		struct err *e)
{
	AUTO_FREE char *source = fs_join(w->out, from);
	AUTO_FREE char *into = xasprintf("%s/boot/%s-%s", w->dir, name, release);

	return copy_file(source, into, e);
}

static bool has_modules(const struct work *w)
{
	AUTO_FREE char *path = fs_join(w->out, ".config");
	AUTO(str) struct str text = STR_INIT;

	return fs_read(path, IMAGE_MAX, &text, NULL) == 0 && strstr(text.p, "\nCONFIG_MODULES=y\n");
}

/* Into w->dir/lib/modules, stripped, without the links to the work folders. */
static int keep_modules(struct work *w, const char *release, struct err *e)
{
	AUTO_FREE char *path = xasprintf("INSTALL_MOD_PATH=%s", w->dir);
	const char *const args[] = { "modules_install", path, "INSTALL_MOD_STRIP=1", NULL };
	AUTO_FREE char *folder = xasprintf("%s/lib/modules/%s", w->dir, release);
	AUTO_FREE char *build = fs_join(folder, "build");
	AUTO_FREE char *source = fs_join(folder, "source");
	int r;

	if (!has_modules(w))
		return 0;
	if ((r = kbuild_make(w, w->out, args, NULL, e)) < 0 || w->ret->reason)
		return r;
	if ((r = fs_remove_tree(build, e)) < 0)
		return r;
	return fs_remove_tree(source, e);
}

static int hash(struct work *w, struct err *e)
{
	static const char *const plain[] = { "boot/vmlinuz-*", NULL };
	static const char *const modular[] = { "boot/vmlinuz-*", "lib/modules", NULL };
	AUTO(str) struct str changes = STR_INIT;
	AUTO_FREE char *missing = NULL;
	AUTO_FREE char *lib = fs_join(w->dir, "lib/modules");

	making_put_changes(w->q->variant, false, &changes);
	int r = artefact_hash(w->dir, NULL, fs_is_dir(lib) ? modular : plain, NULL, changes.p,
			      w->ret->artefact, &missing, e);

	return r == 0 && missing ? err_set(e, ERR_ENV, "'%s' is gone from %s", missing, w->dir) : r;
}

/* One word that make prints; anything else is a tree that is no kernel's. */
static int ask(struct work *w, const char *target, struct str *ret, struct err *e)
{
	const char *const args[] = { "-s", target, NULL };
	int r = kbuild_make(w, w->out, args, ret, e);

	if (r < 0 || w->ret->reason)
		return r;
	if (!ret->n || ret->n > 200 || strpbrk(ret->p, " \t'\"") || strstr(ret->p, "..")) {
		AUTO(str) struct str why = STR_INIT;

		str_addf(&why, "make %s said '%.100s', which is no answer", target, ret->p);
		making_refuse(w->ret, OUTCOME_FAILED, &why);
	}
	return 0;
}

int kbuild_save(struct work *w, struct err *e)
{
	AUTO(str) struct str image = STR_INIT, release = STR_INIT;
	AUTO_FREE char *boot = fs_join(w->dir, "boot");
	int r = ask(w, "image_name", &image, e);

	if (r == 0 && !w->ret->reason)
		r = ask(w, "kernelrelease", &release, e);
	if (r < 0 || w->ret->reason)
		return r;
	if ((r = fs_mkdirs(boot, e)) < 0 || (r = keep(w, image.p, "vmlinuz", release.p, e)) < 0 ||
	    (r = keep(w, "System.map", "System.map", release.p, e)) < 0 ||
	    (r = keep(w, ".config", "config", release.p, e)) < 0 ||
	    (r = keep_modules(w, release.p, e)) < 0 || w->ret->reason)
		return r;
	return hash(w, e);
}

int kbuild_config_in(const char *dir, struct str *ret, struct err *e)
{
	AUTO_FREE char *pattern = fs_join(dir, "boot/config-*");
	glob_t g;
	int r;

	if (glob(pattern, 0, NULL, &g) != 0)
		return err_set(e, ERR_MISSING, "there is no configuration in '%s'", dir);
	r = fs_read(g.gl_pathv[0], IMAGE_MAX, ret, e);
	globfree(&g);
	return r;
}
