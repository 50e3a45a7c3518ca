/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The drift is taken from the kept .config files, not from Kconfig: what counts is what was built. A symbol that is new and off is no
 * difference (kernel/config.h). It is one line for each pair of builds, with the first few symbols; all of them are in the configurations that
 * the builds keep.
 */
#include "hunt/kernels.h"

#include "kernel/config.h"
#include "kernel/kbuild.h"
#include "sys/fs.h"

#include <string.h>

enum { SYMBOLS_SHOWN = 8 };

int kernels_open(struct session *s, struct err *e)
{
	const struct kernel_config *c = &s->config.kernel;
	struct kbuild_request q = {
		.store_dir = s->store_dir,
		.top = s->top,
		.config = (const char *const *)c->config,
		.fixups = (const char *const *)c->fixups,
	};

	if (s->simulated || !s->repo || s->config.project.build)
		return 0;
	if (!(c->config && *c->config) && !kbuild_recognise(q.top))
		return 0;
	int r = kbuild_open(&q, &s->kbuild, e);

	if (r == 0)
		session_note(s, "a kernel's source: configuration %s", kbuild_describe(s->kbuild));
	return r;
}

/* The last usable build before `b` with the default layout, if any. */
static const struct mbuild *build_before(const struct session *s, const struct mbuild *b)
{
	const struct mbuild *found = NULL;

	for (size_t i = 0; i < s->builds.n && s->builds.v[i] != b; i++) {
		const struct mbuild *x = s->builds.v[i];

		if (x->outcome == OUTCOME_OK && !x->layout && *x->path)
			found = x;
	}
	return found;
}

static int load(const struct session *s, const struct mbuild *b, struct kconfig *ret, struct err *e)
{
	AUTO_FREE char *dir = fs_join(s->store_dir, b->path);
	AUTO(str) struct str text = STR_INIT;
	int r = kbuild_config_in(dir, &text, e);

	if (r == 0)
		kconfig_read(text.p, text.n, ret);
	return r;
}

static void put_node(const struct mbuild *b, struct str *out)
{
	str_addf(out, "%.*s", strlen(b->node) >= 40 ? 12 : 60, b->node);
}

int kernels_note_drift(struct session *s, const struct mbuild *b, struct err *e)
{
	const struct mbuild *old = build_before(s, b);
	AUTO(kconfig) struct kconfig before = { 0 }, now = { 0 };
	AUTO(str) struct str symbols = STR_INIT, text = STR_INIT;
	int r;

	if (!old || b->outcome != OUTCOME_OK || b->layout || !*b->path)
		return 0;
	if ((r = load(s, old, &before, e)) < 0 || (r = load(s, b, &now, e)) < 0)
		return r == -ERR_MISSING ? 0 : r; /* its files were cleaned: nothing to say */
	size_t n = kconfig_diff(&before, &now, SYMBOLS_SHOWN, &symbols);

	if (!n)
		return 0;
	str_puts(&text, "configuration of ");
	put_node(b, &text);
	str_puts(&text, " differs from that of ");
	put_node(old, &text);
	str_addf(&text, " in %zu symbol%s: %s", n, n == 1 ? "" : "s", symbols.p);
	/* between the ends, which are built first, it belongs to the answer; after that it is detail */
	if (s->said_drift)
		session_note(s, "%s", text.p);
	else
		session_warn(s, "%s", text.p);
	s->said_drift = true;
	return s->hunt ? store_note(s->store, s->hunt, text.p, e) : 0;
}
