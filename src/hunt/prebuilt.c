/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The key says which package in which version, or which bytes: apt is asked what a name means today, so that the same words next month
 * are another build and another question.
 */
#include "hunt/prebuilt.h"

#include "kernel/debfetch.h"
#include "kernel/kept.h"
#include "sys/clock.h"
#include "sys/fs.h"

#include <string.h>

/* A kernel that was found, before it is kept. */
struct found {
	struct kernel_image kernel;
	struct deb_package package;
	bool copy;
	char *name; /* exact, for people and questions */
	char key[65];
};

static void found_done(struct found *f)
{
	kernel_image_done(&f->kernel);
	deb_package_done(&f->package);
	free(f->name);
}

static void hash_text(const char *text, char ret[65])
{
	struct sha256 *h = sha256_new();

	sha256_add(h, text, strlen(text));
	sha256_finish(h, ret);
}

static const char *modules_of(const struct variant *v)
{
	for (size_t i = 0; i < v->n_changes; i++)
		if (v->changes[i].kind == CHANGE_MODULES)
			return v->changes[i].value;
	return NULL;
}

/* Which kernel is meant; nothing is fetched. */
static int look_up(const struct variant *v, struct found *ret, struct err *e)
{
	AUTO_FREE char *full = NULL;
	char hash[65];
	int r;

	if (v->deb) {
		if ((r = deb_resolve(v->deb, &ret->package, e)) < 0)
			return r;
		ret->name = xasprintf("%s=%s", ret->package.name, ret->package.version);
		full = xasprintf("deb %s %s", ret->name,
				 ret->package.sha256 ? ret->package.sha256 : "");
	} else {
		if ((r = kernel_image_open(v->image, modules_of(v), &ret->kernel, e)) < 0 ||
		    (r = kernel_image_key(&ret->kernel, hash, e)) < 0)
			return r;
		ret->copy = true;
		ret->name = xasprintf("%s %.12s", v->image, hash);
		full = xasprintf("image %s %s", hash,
				 ret->kernel.modules ? ret->kernel.modules : "");
	}
	hash_text(full, ret->key);
	return 0;
}

static char *place(const struct found *f)
{
	return xasprintf("kernels/%.32s", f->key);
}

/* Fetched if need be, and kept in the store. */
static int keep(struct session *s, struct found *f, struct err *e)
{
	struct deb_hooks hooks = { session_tick, s, s->ui->stop };
	AUTO_FREE char *path = place(f);
	AUTO_FREE char *dir = fs_join(s->store_dir, path);
	AUTO_FREE char *mark = fs_join(dir, "kernel"); /* its time says when it was used */
	struct kernel_image have = { 0 };
	struct err ignored = ERR_INIT;
	int r = 0;

	if (kept_read(dir, &have, &ignored) == 0) {
		fs_touch(mark);
		kernel_image_done(&f->kernel);
		f->kernel = have;
		return 0;
	}
	if (f->package.name) {
		session_doing(s, "fetching", f->package.name);
		r = deb_fetch(s->store_dir, &f->package, &hooks, &f->kernel, e);
	}
	return r < 0 ? r : kept_write(dir, &f->kernel, f->copy, e);
}

static int journal(struct session *s, const struct variant *v, const struct found *f,
		   enum outcome outcome, const char *reason, double seconds, struct build_row *ret,
		   struct err *e)
{
	char artefact[65] = "";
	int r = outcome == OUTCOME_OK ? kernel_image_key(&f->kernel, artefact, e) : 0;

	if (r < 0)
		return r;
	*ret = (struct build_row){
		.key = xstrdup(f->key),
		.variant = xstrdup(v->text),
		.commit = xstrdup(""),
		.tree = xstrdup(f->name ? f->name : ""),
		.path = outcome == OUTCOME_OK ? place(f) : xstrdup(""),
		.artefact = xstrdup(artefact),
		.toolchain = xstrdup(""),
		.outcome = outcome,
		.reason = xstrdup(reason),
		.seconds = seconds,
		.at_ns = clock_realtime_ns(),
	};
	return store_build_add(s->store, ret, NULL, 0, &ret->id, e);
}

/* Of the release itself, not of this machine: a search goes on without it. */
static bool is_the_releases(int r)
{
	return r == -ERR_MISSING || r == -ERR_USAGE;
}

/* In the journal, and its folder in the store. */
static int known(struct session *s, const char *key, struct build_row *ret, struct err *e)
{
	int r = store_build_find(s->store, key, ret, e);
	AUTO_FREE char *dir = r == 0 ? fs_join(s->store_dir, ret->path) : NULL;
	struct kernel_image k = { 0 };
	struct err ignored = ERR_INIT;

	if (r < 0 || ret->outcome != OUTCOME_OK || kept_read(dir, &k, &ignored) == 0) {
		kernel_image_done(&k);
		return r;
	}
	build_row_done(ret);
	return -ERR_MISSING;
}

int prebuilt_find(struct session *s, const struct variant *v, struct build_row *ret, struct err *e)
{
	AUTO(found) struct found f = { 0 };
	int64_t t0 = clock_monotonic_ns();
	struct err why = ERR_INIT;
	int r = look_up(v, &f, &why);

	if (r == 0) {
		r = known(s, f.key, ret, e);
		if (r != -ERR_MISSING)
			return r;
		r = keep(s, &f, &why);
	}
	if (r < 0 && !(is_the_releases(r) && s->goes_on_without)) {
		if (e)
			*e = why;
		return r;
	}
	if (!*f.key)
		hash_text(v->text, f.key);
	return journal(s, v, &f, r < 0 ? OUTCOME_SKIPPED : OUTCOME_OK, r < 0 ? why.msg : "",
		       (double)(clock_monotonic_ns() - t0) / 1e9, ret, e);
}

int prebuilt_for_programs(struct session *s, const char *spec, char **ret_name, struct err *e)
{
	AUTO(found) struct found f = { 0 };
	AUTO(variant) struct variant v = { 0 };
	int r = variant_parse(NULL, spec, &v, e);

	if (r == 0 && !v.deb && !v.image)
		r = err_set(e, ERR_USAGE, "'%s' is no kernel: deb=PACKAGE or image=PATH", spec);
	if (r == 0)
		r = look_up(&v, &f, e);
	if (r == 0)
		r = keep(s, &f, e);
	if (r < 0)
		return err_wrap(e, "the kernel of the guest");
	s->guest_kernel = place(&f);
	*ret_name = TAKE_PTR(f.name);
	return 0;
}
