/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration of one commit, made in an O= folder of its own (STORE/kernel/conf), so that the .config of the build is touched only when it
 * differs: a new time on it makes Kbuild look at every file again.
 *
 * Layers go into the file one after another, each without what a later one sets: of a choice (Kconfig's), the last member that is set wins. What
 * would make two builds of one source differ is turned off in any configuration: signatures by a key that is made for each O= folder,
 * random structure layouts, source versions and headers inside of the image. BUG() with line numbers stays if it is set: there a comment does change
 * the image, and the two are two candidates.
 */
#include "kernel/kbuild_work.h"

#include "sys/fs.h"

#include <string.h>

enum { CONFIG_MAX = 16 << 20, LAYERS = 4 };

static const char repeatable[] = "# CONFIG_LOCALVERSION_AUTO is not set\n"
				 "# CONFIG_MODULE_SIG is not set\n"
				 "CONFIG_SYSTEM_TRUSTED_KEYS=\"\"\n"
				 "CONFIG_SYSTEM_REVOCATION_KEYS=\"\"\n"
				 "CONFIG_BUILD_SALT=\"\"\n"
				 "# CONFIG_IKHEADERS is not set\n"
				 "# CONFIG_MODULE_SRCVERSION_ALL is not set\n"
				 "# CONFIG_RANDSTRUCT_FULL is not set\n"
				 "# CONFIG_RANDSTRUCT_PERFORMANCE is not set\n"
				 "# CONFIG_GCC_PLUGIN_RANDSTRUCT is not set\n"
				 "# CONFIG_GCC_PLUGIN_LATENT_ENTROPY is not set\n";

/* Layout 1 is the kernel's own symbol; further ones move functions and loops by options. The symbol is as old as v5.12: options then, too. */
const char *kbuild_layout_flags(unsigned layout)
{
	static const char *const flags[] = { "-falign-functions=64",
					     "-falign-functions=128 -falign-loops=32",
					     "-falign-functions=32 -falign-loops=64",
					     "-falign-functions=256 -falign-jumps=32" };

	return layout ? flags[(layout - 1) % ARRAY_LEN(flags)] : "";
}

static int read_into(const char *path, struct kconfig *c, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	int r = fs_read(path, CONFIG_MAX, &text, e);

	if (r == 0)
		kconfig_read(text.p, text.n, c);
	return r;
}

static bool is_set_later(struct kconfig *const *later, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (kconfig_get(later[i], name))
			return true;
	return false;
}

static void put_layers(struct kconfig *const *layers, size_t n, struct str *out)
{
	for (size_t i = 0; i < n; i++) {
		struct kconfig left = { 0 };

		for (size_t k = 0; k < layers[i]->n; k++)
			if (!is_set_later(layers + i + 1, n - i - 1, layers[i]->v[k].name))
				kconfig_set(&left, layers[i]->v[k].name, layers[i]->v[k].value);
		kconfig_write(&left, out);
		kconfig_done(&left);
	}
}

/* What the variant asks for (config.X), and the symbol of another code layout, which need not exist. */
static int take_changes(const struct build_request *q, struct kconfig *asked, struct kconfig *wish,
			struct err *e)
{
	int r = 0;

	kconfig_read(repeatable, sizeof(repeatable) - 1, wish);
	if (q->layout)
		kconfig_set(wish, "DEBUG_FORCE_FUNCTION_ALIGN_64B", "y");
	for (size_t i = 0; i < q->variant->n_changes && r == 0; i++)
		if (q->variant->changes[i].kind == CHANGE_CONFIG)
			r = kconfig_change(asked, q->variant->changes[i].key,
					   q->variant->changes[i].value, e);
	return r;
}

/* olddefconfig decides; whoever asked for a symbol must have got it, or the measurement would be of something else. */
static void check_asked(struct work *w, const struct kconfig *asked, const struct kconfig *got)
{
	AUTO(str) struct str missed = STR_INIT, why = STR_INIT;

	if (kconfig_missed(&w->k->fragments, got, 20, &missed))
		str_addf(&w->ret->log,
			 "not in this configuration, though a fragment asks for it: %s\n",
			 missed.p);
	str_clear(&missed);
	if (!kconfig_missed(asked, got, 4, &missed))
		return;
	str_addf(
		&why,
		"the configuration does not take CONFIG_%s: its dependencies or a 'select' say otherwise",
		missed.p);
	making_refuse(w->ret, OUTCOME_SKIPPED, &why);
}

/* The base layer, from the tree's own make target or as the file was. */
static int make_base(struct work *w, const char *path, struct kconfig *ret, struct err *e)
{
	const char *const args[] = { w->k->base_target, NULL };
	int r;

	if (!w->k->base_target) {
		kconfig_merge(ret, &w->k->base);
		return 0;
	}
	if ((r = fs_remove_tree(path, e)) < 0 || (r = kbuild_make(w, w->conf, args, NULL, e)) < 0 ||
	    w->ret->reason)
		return r;
	return read_into(path, ret, e);
}

/* Copies the new .config to the build's folder if it is another one. */
static int install(struct work *w, const char *path, struct err *e)
{
	AUTO_FREE char *into = fs_join(w->out, ".config");
	AUTO(str) struct str new = STR_INIT, old = STR_INIT;
	int r = fs_read(path, CONFIG_MAX, &new, e);

	if (r == 0)
		r = fs_mkdirs(w->out, e);
	if (r == 0 && fs_exists(into))
		r = fs_read(into, CONFIG_MAX, &old, e);
	if (r < 0 || (old.n == new.n && !memcmp(old.p, new.p, new.n)))
		return r;
	return fs_write_atomic(into, new.p, new.n, e);
}

static int resolve(struct work *w, const char *path, struct kconfig *const layers[LAYERS],
		   struct err *e)
{
	static const char *const args[] = { "olddefconfig", NULL };
	AUTO(str) struct str text = STR_INIT;
	AUTO(kconfig) struct kconfig got = { 0 };
	int r = fs_mkdirs(w->conf, e);

	put_layers(layers, LAYERS, &text);
	if (r == 0)
		r = fs_write_atomic(path, text.p, text.n, e);
	if (r < 0 || (r = kbuild_make(w, w->conf, args, NULL, e)) < 0 || w->ret->reason)
		return r;
	if ((r = read_into(path, &got, e)) < 0)
		return r;
	check_asked(w, layers[LAYERS - 1], &got);
	return w->ret->reason ? 0 : install(w, path, e);
}

int kbuild_configure(struct work *w, struct err *e)
{
	AUTO_FREE char *path = fs_join(w->conf, ".config");
	AUTO(kconfig) struct kconfig base = { 0 }, wish = { 0 }, asked = { 0 };
	struct kconfig *const layers[LAYERS] = { &base, &w->k->fragments, &wish, &asked };
	int r = take_changes(w->q, &asked, &wish, e);

	if (r == 0)
		r = make_base(w, path, &base, e);
	if (r < 0 || w->ret->reason)
		return r;
	return resolve(w, path, layers, e);
}
