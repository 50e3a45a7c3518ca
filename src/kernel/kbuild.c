/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kbuild - the work folder and its rules.
 *
 * make decides by modification times, so both folders must tell the truth about each other. variant_move() writes only what differs, with the time of
 * now; a source folder that is new (its files have the date of the commit) makes the O= folder worthless, and it goes. While a build runs, the
 * file STORE/kernel/unsettled stands there: after a kill, a deadline or ^C an object may be half written, so the O= folder goes as well; with
 * ccache that costs little. A build that fails by itself leaves make's own order behind.
 *
 * As other builds, make may write to its O= folder, ccache's and TMPDIR, and not to the rest of the store (the source among it), the user's checkout
 * or .git: one accident there would go into every later build.
 *
 * Reproducible: KBUILD_BUILD_TIMESTAMP, _USER, _HOST and _VERSION are fixed, LOCALVERSION is empty and given (so that no '+' of a changed tree is added),
 * and the linker is called through a script that turns --build-id=sha1 into none: the id is a hash over debug sections too, which
 * move with each comment. Paths are the same for every commit, so no prefix map is needed. Refused: a tree for each commit (a kernel's is 2 GB with
 * its objects, and every build would be a whole one); modules signed with a key that is made for the O= folder (kbuild_config.c).
 */
#include "kernel/kbuild.h"

#include "bench/environ.h"
#include "bench/place.h"
#include "kernel/kbuild_work.h"
#include "repo/repo.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 16 << 20, LOG_MAX = 8 << 20, LOG_TAIL = 1 << 20 };

/* Variables of the user that change what a kernel's make builds. */
static const char *const make_variables[] = { "ARCH",	       "CROSS_COMPILE", "LLVM",
					      "LLVM_IAS",      "HOSTCC",	"HOSTCFLAGS",
					      "KCFLAGS",       "KAFLAGS",	"KCPPFLAGS",
					      "KRUSTFLAGS",    "KCONFIG_SEED",	"SUBARCH",
					      "LDFLAGS_MODULE" };

bool kbuild_recognise(const char *top)
{
	AUTO_FREE char *kconfig = fs_join(top, "Kconfig");
	AUTO_FREE char *makefile = fs_join(top, "Makefile");
	AUTO(str) struct str text = STR_INIT;
	struct err ignored = ERR_INIT;

	return fs_exists(kconfig) && fs_exists(makefile) &&
	       fs_read(makefile, FILE_MAX, &text, &ignored) == 0 && strstr(text.p, "VERSION =") &&
	       strstr(text.p, "\nPATCHLEVEL =");
}

/* --- opening ------------------------------------------------------------------------------------------------------- */

static bool is_target(const char *name)
{
	return !strchr(name, '/') && ends_with(name, "config") && strcmp(name, ".config") &&
	       !strchr(name, '.');
}

static int read_config(const char *top, const char *name, struct kconfig *into, struct err *e)
{
	AUTO_FREE char *path = *name == '/' ? xstrdup(name) : fs_join(top, name);
	AUTO(str) struct str text = STR_INIT;
	struct kconfig c = { 0 };

	if (!fs_exists(path) || fs_is_dir(path))
		return err_set(
			e, ERR_USAGE,
			"kernel.config: '%.200s' is neither a make target (tinyconfig, defconfig) nor a file below %s",
			name, top);
	int r = fs_read(path, FILE_MAX, &text, e);

	if (r < 0)
		return err_wrap(e, "kernel.config");
	kconfig_read(text.p, text.n, &c);
	if (!c.n)
		r = err_set(e, ERR_USAGE, "kernel.config: '%.200s' sets no CONFIG_ symbol", name);
	kconfig_merge(into, &c);
	kconfig_done(&c);
	return r;
}

/* One entry of kernel.config, the first of them being the base. */
static int take_config(struct kbuild *k, const char *top, const char *name, bool first,
		       struct str *text, struct err *e)
{
	struct kconfig *into = first ? &k->base : &k->fragments;

	str_puts(text, first ? "" : " + ");
	if (!strcmp(name, "culprit")) {
		str_puts(text, "culprit's fragment");
		kconfig_read(kbuild_fragment, strlen(kbuild_fragment), into);
		return 0;
	}
	str_puts(text, name);
	if (!is_target(name))
		return read_config(top, name, into, e);
	if (!first)
		return err_set(e, ERR_USAGE,
			       "kernel.config: the make target '%s' has to be the first", name);
	k->base_target = xstrdup(name);
	return 0;
}

static int take_configs(struct kbuild *k, const struct kbuild_request *q, struct err *e)
{
	static const char *const own[] = { ".config", NULL };
	static const char *const tiny[] = { "tinyconfig", "culprit", NULL };
	AUTO_FREE char *dot_config = fs_join(q->top, ".config");
	AUTO(str) struct str text = STR_INIT;
	const char *const *list = q->config && *q->config ? q->config
				  : fs_exists(dot_config) ? own
							  : tiny;
	int r = 0;

	for (size_t i = 0; list[i] && r == 0; i++)
		r = take_config(k, q->top, list[i], i == 0, &text, e);
	k->text = str_take(&text);
	return r;
}

static int take_fixups(struct kbuild *k, const struct kbuild_request *q, struct err *e)
{
	size_t n = 0;

	while (q->fixups && q->fixups[n])
		n++;
	k->fixups = xcalloc(n + 1, sizeof(*k->fixups));
	for (; k->n_fixups < n; k->n_fixups++) {
		const char *name = q->fixups[k->n_fixups];
		AUTO_FREE char *path = *name == '/' ? xstrdup(name) : fs_join(q->top, name);
		AUTO(str) struct str bytes = STR_INIT;
		struct change *c = &k->fixups[k->n_fixups];
		int r = fs_is_dir(path) || !fs_exists(path)
				? err_set(e, ERR_USAGE, "'%.200s' is no patch file", name)
				: fs_read(path, FILE_MAX, &bytes, e);

		if (r < 0)
			return err_wrap(e, "kernel.fixups");
		struct sha256 *h = sha256_new();

		*c = (struct change){ .kind = CHANGE_PATCH,
				      .key = xstrdup(name),
				      .value = xmalloc(65),
				      .patch_n = bytes.n };
		sha256_add(h, bytes.p, bytes.n);
		sha256_finish(h, c->value);
		c->patch = str_take(&bytes);
	}
	return 0;
}

static void make_recipe(struct kbuild *k)
{
	AUTO(str) struct str s = STR_INIT;

	str_addf(&s, "kbuild 1\nbase %s\n", k->base_target ? k->base_target : "");
	kconfig_write(&k->base, &s);
	str_puts(&s, "fragments\n");
	kconfig_write(&k->fragments, &s);
	for (size_t i = 0; i < k->n_fixups; i++)
		str_addf(&s, "fixup %s\n", k->fixups[i].value);
	for (size_t i = 0; i < ARRAY_LEN(make_variables); i++)
		if (getenv(make_variables[i]))
			str_addf(&s, "%s=%s\n", make_variables[i], getenv(make_variables[i]));
	k->recipe = str_take(&s);
	struct sha256 *h = sha256_new();

	sha256_add(h, k->recipe, strlen(k->recipe));
	sha256_finish(h, k->identity);
}

static int open_all(struct kbuild *k, const struct kbuild_request *q, struct err *e)
{
	int r = fs_realpath(q->store_dir, &k->store, e);

	if (r < 0)
		return r;
	if (strpbrk(k->store, " \t:"))
		return err_set(
			e, ERR_USAGE,
			"a kernel cannot be built in '%s': make takes no blank and no colon in a path; give another folder with --store",
			k->store);
	if ((r = take_configs(k, q, e)) < 0 || (r = take_fixups(k, q, e)) < 0)
		return r;
	make_recipe(k);
	k->maker.recipe = k->recipe;
	return 0;
}

void kbuild_free(struct kbuild *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n_fixups; i++) {
		free(k->fixups[i].key);
		free(k->fixups[i].value);
		free(k->fixups[i].patch);
	}
	free(k->fixups);
	kconfig_done(&k->base);
	kconfig_done(&k->fragments);
	free(k->store);
	free(k->base_target);
	free(k->text);
	free(k->recipe);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

const struct build_maker *kbuild_maker(const struct kbuild *k)
{
	return &k->maker;
}

const char *kbuild_identity(const struct kbuild *k)
{
	return k->identity;
}

const char *kbuild_describe(const struct kbuild *k)
{
	return k->text;
}

/* --- the tree ------------------------------------------------------------------------------------------------------ */

/*
 * The variant with those fix-ups that apply to it. *ret borrows everything; the array alone is the caller's. A fix-up that does not apply is for another time of
 * the history: the fault is in the tree already mended, or not there yet.
 */
static int with_fixups(struct kbuild *k, const struct build_request *q, struct variant *ret,
		       struct str *left_out, struct err *e)
{
	struct variant v = *q->variant;
	bool ok = true;
	int r = 0;

	v.changes = xcalloc(v.n_changes + k->n_fixups + 1, sizeof(*v.changes));
	if (v.n_changes)
		memcpy(v.changes, q->variant->changes, v.n_changes * sizeof(*v.changes));
	for (size_t i = 0; i < k->n_fixups && r == 0; i++) {
		AUTO(str) struct str why = STR_INIT;
		char tree[65];

		v.changes[v.n_changes++] = k->fixups[i];
		r = variant_tree(q->repo, &v, &ok, tree, &why, e);
		if (r == 0 && !ok) {
			v.n_changes--;
			str_addf(left_out, "fix-up left out: %s\n", why.p);
		}
	}
	if (r < 0)
		free(v.changes);
	else
		*ret = v;
	return r;
}

static int tree_of(void *arg, const struct build_request *q, bool *ret_ok, char ret_tree[65],
		   struct str *why, struct err *e)
{
	AUTO(str) struct str left_out = STR_INIT;
	struct variant v;
	int r = variant_tree(q->repo, q->variant, ret_ok, ret_tree, why, e);

	if (r < 0 || !*ret_ok || !((struct kbuild *)arg)->n_fixups)
		return r;
	if ((r = with_fixups(arg, q, &v, &left_out, e)) < 0)
		return r;
	r = variant_tree(q->repo, &v, ret_ok, ret_tree, why, e);
	free(v.changes);
	return r;
}

/* --- steps --------------------------------------------------------------------------------------------------------- */

static int drop_objects(struct work *w, struct err *e)
{
	AUTO_FREE char *outs = fs_join(w->top, "out");
	int r = fs_remove_tree(w->conf, e);

	return r < 0 ? r : fs_remove_tree(outs, e);
}

static int settle(struct work *w, bool settled, struct err *e)
{
	AUTO_FREE char *mark = fs_join(w->top, "unsettled");
	int r = 0;

	if (settled)
		return fs_remove_tree(mark, e);
	if (fs_exists(mark))
		r = drop_objects(w, e);
	return r < 0 ? r : fs_write_atomic(mark, "", 0, e);
}

static int move_source(struct work *w, const struct variant *v, struct err *e)
{
	AUTO(str) struct str why = STR_INIT;
	bool ok = false, was_there = fs_is_dir(w->src);
	int r = was_there ? 0 : drop_objects(w, e);

	if (r == 0)
		r = variant_move(w->q->repo, v, w->src, &ok, w->ret->tree, &why, e);
	if (r == 0 && !ok && was_there) {
		/* a folder that git cannot make sense of any more: from the beginning */
		str_clear(&why);
		if ((r = fs_remove_tree(w->src, e)) == 0 && (r = drop_objects(w, e)) == 0)
			r = variant_move(w->q->repo, v, w->src, &ok, w->ret->tree, &why, e);
	}
	if (r < 0)
		return r;
	if (why.n)
		str_addf(&w->ret->log, "%s\n", why.p);
	if (ok) {
		w->ret->remark = why.n ? str_take(&why) : NULL;
		return 0;
	}
	r = making_disk_full(w->k->store, why.p, e);
	making_refuse(w->ret, OUTCOME_SKIPPED, &why);
	return r;
}

/* The last line that is not empty. */
static void take_last_line(const struct str *text, struct str *ret)
{
	const char *end = text->p + text->n, *begin;

	while (end > text->p && strchr(" \t\r\n", end[-1]))
		end--;
	for (begin = end; begin > text->p && begin[-1] != '\n';)
		begin--;
	str_clear(ret);
	str_add(ret, begin, (size_t)(end - begin));
}

int kbuild_make(struct work *w, const char *out, const char *const *args, struct str *capture,
		struct err *e)
{
	AUTO(strvec)
	struct strvec argv = STRVEC_INIT,
		      read_only = STRVEC_INIT, writable = STRVEC_INIT;
	AUTO(str) struct str text = STR_INIT;
	bool guarded = proc_can_bind();
	struct proc_result result;

	if (guarded)
		place_rules(w->k->store, w->q->protect, &read_only, &writable);
	strvec_add(&argv, "make");
	strvec_add(&argv, "--no-print-directory");
	strvec_addf(&argv, "-j%u", environ_jobs(w->q->jobs ? w->q->jobs : w->q->project->jobs));
	strvec_addf(&argv, "O=%s", out);
	strvec_add(&argv, "LOCALVERSION=");
	strvec_addf(&argv, "LD=%s", w->linker);
	for (; *args; args++)
		strvec_add(&argv, *args);
	ARRAY_RESERVE(&argv, argv.n + 1);
	argv.v[argv.n] = NULL;
	struct proc_spec spec = {
		.argv = (const char *const *)argv.v,
		.cwd = w->src,
		.env = (const char *const *)w->env.v,
		.timeout_ns = w->q->project->build_timeout_ns,
		.output_max = LOG_MAX,
		.output_tail = LOG_TAIL,
		.merge_stderr = true,
		/* mounted on itself, so that it stays the one folder of the store that can be written to */
		.bind_from = guarded ? out : NULL,
		.bind_to = guarded ? out : NULL,
		.read_only = (const char *const *)read_only.v,
		.writable = (const char *const *)writable.v,
		.tick = w->q->tick,
		.tick_arg = w->q->tick_arg,
		.stop = w->q->stop,
	};
	int r = fs_mkdirs(out, e);

	if (r < 0 || (r = proc_run(&spec, &text, NULL, &result, e)) < 0)
		return r;
	str_add(&w->ret->log, text.p, text.n);
	if (capture)
		take_last_line(&text, capture);
	return making_ended(w->q, w->k->store, &result, w->ret, e);
}

/* A linker that leaves build ids out. */
static int write_linker(struct work *w, struct err *e)
{
	const char *cross = getenv("CROSS_COMPILE"), *given = getenv("LD"), *llvm = getenv("LLVM");
	AUTO_FREE char *real = given	       ? xstrdup(given)
			       : llvm && *llvm ? xstrdup("ld.lld")
					       : xasprintf("%sld", cross ? cross : "");
	AUTO_FREE char *text = xasprintf(
		"#!/bin/sh\n"
		"# The linker, without build ids: they change with the debug information of a comment.\n"
		"for a; do\n"
		"\tshift\n"
		"\tcase $a in --build-id*) a=--build-id=none ;; esac\n"
		"\tset -- \"$@\" \"$a\"\n"
		"done\n"
		"exec %s \"$@\"\n",
		real);
	AUTO(str) struct str old = STR_INIT;

	w->linker = fs_join(w->top, "ld");
	/* the file's time stays: Kconfig's answers about the linker depend on it */
	if (fs_exists(w->linker) && fs_read(w->linker, FILE_MAX, &old, NULL) == 0 &&
	    !strcmp(old.p, text))
		return 0;
	int r = fs_write_atomic(w->linker, text, strlen(text), e);

	if (r == 0 && chmod(w->linker, 0755) < 0)
		r = err_errno(e, "making '%s' executable", w->linker);
	return r;
}

static int set_environ(struct work *w, struct err *e)
{
	static const char *const fixed[][2] = {
		{ "KBUILD_BUILD_TIMESTAMP", "Sat Jan  1 00:00:00 UTC 2000" },
		{ "KBUILD_BUILD_USER", "culprit" },
		{ "KBUILD_BUILD_HOST", "culprit" },
		{ "KBUILD_BUILD_VERSION", "1" },
		{ "KBUILD_OUTPUT", "" },
		{ "KCONFIG_CONFIG", ".config" },
		/* ccache would make paths relative to it, and __FILE__ with them */
		{ "CCACHE_BASEDIR", "" },
	};
	const char *flags = kbuild_layout_flags(w->q->layout);
	int r = making_environ(&(struct build_request){ .variant = w->q->variant,
							.project = w->q->project,
							.jobs = w->q->jobs,
							.data_dir = w->q->data_dir },
			       w->k->store, w->src, &w->env, e);

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(fixed); i++)
		environ_set(&w->env, fixed[i][0], fixed[i][1]);
	if (r == 0 && *flags) {
		const char *more = environ_get(&w->env, "KCFLAGS");
		AUTO_FREE char *all = xasprintf("%s%s%s", more ? more : "", more ? " " : "", flags);

		environ_set(&w->env, "KCFLAGS", all);
	}
	return r;
}

static int make_all(struct work *w, struct err *e)
{
	int r = set_environ(w, e);

	if (r == 0)
		r = write_linker(w, e);
	if (r == 0)
		r = kbuild_configure(w, e);
	if (r == 0 && !w->ret->reason)
		r = kbuild_make(w, w->out, (const char *const[]){ NULL }, NULL, e);
	if (r == 0 && !w->ret->reason)
		r = settle(w, true, e); /* what comes now reads the objects */
	if (r == 0 && !w->ret->reason)
		r = kbuild_save(w, e);
	/* unasked, since it is quick and a later hunt begins with this build */
	if (r == 0 && !w->ret->reason)
		r = kbuild_inputs(w->src, w->out, &w->ret->inputs, e);
	return r;
}

static int steps(struct work *w, struct err *e)
{
	AUTO(str) struct str left_out = STR_INIT;
	struct variant v;
	int r = fs_mkdirs(w->top, e);

	if (r < 0 || (r = settle(w, false, e)) < 0 ||
	    (r = with_fixups(w->k, w->q, &v, &left_out, e)) < 0)
		return r;
	str_add(&w->ret->log, left_out.p, left_out.n);
	r = move_source(w, &v, e);
	free(v.changes);
	if (r == 0 && !w->ret->reason)
		r = make_all(w, e);
	/* a command that failed by itself left no half-written file */
	if (r == 0 && (w->ret->outcome == OUTCOME_OK || w->ret->outcome == OUTCOME_FAILED ||
		       w->ret->outcome == OUTCOME_SKIPPED))
		r = settle(w, true, e);
	return r;
}

static int make_build(void *arg, const struct build_request *q, const char *dir,
		      struct build_result *ret, struct err *e)
{
	struct kbuild *k = arg;
	struct work w = { .k = k, .q = q, .ret = ret, .dir = dir };
	int r;

	w.top = fs_join(k->store, "kernel");
	w.src = fs_join(w.top, "src");
	w.conf = fs_join(w.top, "conf");
	w.out = xasprintf("%s/out/%u", w.top, q->layout);
	pthread_mutex_lock(&k->lock);
	r = steps(&w, e);
	pthread_mutex_unlock(&k->lock);
	strvec_done(&w.env);
	free(w.top);
	free(w.src);
	free(w.conf);
	free(w.out);
	free(w.linker);
	return r;
}

int kbuild_open(const struct kbuild_request *q, struct kbuild **ret, struct err *e)
{
	struct kbuild *k = xcalloc(1, sizeof(*k));
	int r;

	pthread_mutex_init(&k->lock, NULL);
	k->maker = (struct build_maker){
		.arg = k, .one_at_a_time = true, .tree = tree_of, .make = make_build
	};
	r = open_all(k, q, e);
	if (r < 0)
		kbuild_free(k);
	else
		*ret = k;
	return r;
}
