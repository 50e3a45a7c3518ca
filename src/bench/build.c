/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build - checkout, build, artefact, in this order, each undone if the next fails.
 *
 * Reproducible means: one path, one locale, one time zone, one SOURCE_DATE_EPOCH, one umask, a fixed layout of the environment's
 * relevant part. The user's other variables stay: toolchains are found through them; those that compilers read
 * are part of the key.
 */
#include "bench/build.h"

#include "bench/absent.h"
#include "bench/artefact.h"
#include "bench/inputs.h"
#include "bench/making.h"
#include "bench/place.h"
#include "sys/clock.h"
#include "sys/fs.h"
#include "sys/proc.h"

#include <stdio.h>
#include <string.h>

#define LOG_MAX (INT64_C(4) << 20)
#define LOG_TAIL (INT64_C(1) << 20)

static const char *const compiler_variables[] = {
	"CC",
	"CXX",
	"CPP",
	"LD",
	"AR",
	"CFLAGS",
	"CXXFLAGS",
	"CPPFLAGS",
	"LDFLAGS",
	"LIBRARY_PATH",
	"CPATH",
	"RUSTFLAGS",
	"GOFLAGS",
	"CGO_ENABLED",
	"PKG_CONFIG_PATH",
	"CMAKE_PREFIX_PATH",
	"NODE_ENV",
};

struct building {
	const struct build_request *q;
	struct build_result *ret;
	char *store; /* absolute */
	char *path;  /* "trees/KEY" */
	char *dir;   /* absolute */
	char *inputs_path;
	bool is_checked_out;
	struct strvec env;
	struct snapshot *before;
	struct inputs *inputs;
};

void build_result_done(struct build_result *r)
{
	free(r->reason);
	free(r->path);
	free(r->remark);
	str_done(&r->log);
	for (char **p = r->inputs; p && *p; p++)
		free(*p);
	free(r->inputs);
	*r = (struct build_result){ .log = STR_INIT };
}

/* --- key ------------------------------------------------------------------------------------------------------------ */

static void add_text(struct sha256 *h, const char *name, const char *value)
{
	sha256_add(h, name, strlen(name) + 1);
	if (value)
		sha256_add(h, value, strlen(value) + 1);
	else
		sha256_add(h, "\001", 1);
}

static int refuse_artefact(const struct variant *v, struct err *e)
{
	return err_set(e, ERR_USAGE,
		       "'%s' exists already and is not built: it needs a target that boots it",
		       v->text);
}

int build_key(const struct build_request *q, char ret_key[65], char ret_tree[65], bool *ret_ok,
	      struct str *why, struct err *e)
{
	AUTO(str) struct str changes = STR_INIT, tools = STR_INIT;
	AUTO_FREE char *layout = xasprintf("%u", q->layout);
	const struct project *p = q->project;
	struct sha256 *h;
	int r;

	if (!q->variant->oid)
		return refuse_artefact(q->variant, e);
	r = q->maker ? q->maker->tree(q->maker->arg, q, ret_ok, ret_tree, why, e)
		     : variant_tree(q->repo, q->variant, ret_ok, ret_tree, why, e);
	if (r < 0 || !*ret_ok)
		return r;
	h = sha256_new();
	making_put_changes(q->variant, true, &changes);
	build_toolchain(&tools);
	add_text(h, "culprit build", "1");
	add_text(h, "tree", ret_tree);
	add_text(h, "changes", changes.p);
	add_text(h, "build", p->build);
	add_text(h, "subdir", p->subdir);
	for (const char **a = p->artefacts; a && *a; a++)
		add_text(h, "artefact", *a);
	add_text(h, "files", q->overlay_key);
	add_text(h, "layout", layout);
	if (q->maker)
		add_text(h, "maker", q->maker->recipe);
	if (p->build || q->maker)
		add_text(h, "tools", tools.p);
	for (size_t i = 0; (p->build || q->maker) && i < ARRAY_LEN(compiler_variables); i++)
		add_text(h, compiler_variables[i], getenv(compiler_variables[i]));
	sha256_finish(h, ret_key);
	return 0;
}

/* --- steps ---------------------------------------------------------------------------------------------------------- */

static int check_out(struct building *b, struct err *e)
{
	AUTO(str) struct str why = STR_INIT;
	AUTO_FREE char *trees = fs_join(b->store, "trees");
	bool ok = false;
	int r = fs_mkdirs(trees, e);

	if (r == 0) /* what a killed culprit left */
		r = fs_remove_tree(b->dir, e);
	if (r < 0)
		return r;
	b->is_checked_out = true;
	r = variant_checkout(b->q->repo, b->q->variant, b->dir, &ok, b->ret->tree, &why, e);
	if (r < 0)
		return r;
	if (why.n)
		str_addf(&b->ret->log, "%s\n", why.p);
	if (ok) {
		b->ret->remark = why.n ? str_take(&why) : NULL;
		return 0;
	}
	r = making_disk_full(b->store, why.p, e);
	making_refuse(b->ret, OUTCOME_SKIPPED, &why);
	return r;
}

/* A word on a program that the shell takes for missing. */
static void explain_absent(struct building *b, const struct proc_spec *spec, const struct str *said)
{
	AUTO(str) struct str why = STR_INIT;

	str_puts(&why, b->ret->reason);
	absent_explain(said->p, spec->cwd, spec->bind_from, spec->bind_to, spec->env, &why);
	free(b->ret->reason);
	b->ret->reason = str_take(&why);
}

static int run_command(struct building *b, struct place *place, struct err *e)
{
	const struct project *p = b->q->project;
	AUTO_FREE char *cwd = p->subdir ? fs_join(place->src, p->subdir) : xstrdup(place->src);
	AUTO_FREE char *text = xasprintf("umask 022\n%s", p->build);
	AUTO(str) struct str out = STR_INIT;
	const char *argv[] = { "sh", "-c", "--", text, NULL };
	struct proc_result result;
	int r = making_environ(b->q, b->store, place->src, &b->env, e);

	if (r < 0)
		return r;
	place_protect(place, b->q->protect);
	struct proc_spec spec = {
		.argv = argv,
		.cwd = cwd,
		.env = (const char *const *)b->env.v,
		.timeout_ns = p->build_timeout_ns,
		.output_max = LOG_MAX,
		.output_tail = LOG_TAIL,
		.merge_stderr = true,
		.bind_from = place->is_bound ? place->tree : NULL,
		.bind_to = place->is_bound ? place->src : NULL,
		.read_only = (const char *const *)place->read_only.v,
		.writable = (const char *const *)place->writable.v,
		.tick = b->q->tick,
		.tick_arg = b->q->tick_arg,
		.stop = b->q->stop,
	};

	r = proc_run(&spec, &out, NULL, &result, e);
	if (r < 0)
		return r;
	str_add(&b->ret->log, out.p, out.n);
	r = making_ended(b->q, b->store, &result, b->ret, e);
	if (r == 0 && b->ret->reason)
		explain_absent(b, &spec, &out);
	return r;
}

static int build_it(struct building *b, struct err *e)
{
	const struct project *p = b->q->project;
	struct place place;
	int r;

	if (p->subdir) {
		AUTO_FREE char *dir = fs_join(b->dir, p->subdir);

		if (!fs_is_dir(dir)) {
			AUTO(str) struct str why = STR_INIT;

			str_addf(&why, "this revision has no folder '%s'", p->subdir);
			making_refuse(b->ret, OUTCOME_SKIPPED, &why);
			return 0;
		}
	}
	if (!p->build)
		return 0;
	r = place_take(b->store, b->path, &place, e);
	if (r < 0)
		return r;
	r = run_command(b, &place, e);
	place_done(&place);
	return r;
}

/* Before the artefact is hashed, which reads files. */
static int learn(struct building *b, struct err *e)
{
	int r;

	if (!b->inputs)
		return 0;
	r = inputs_look(b->inputs, b->dir, e);
	if (r == 0)
		r = inputs_save(b->inputs, b->inputs_path, e);
	if (r == 0)
		b->ret->inputs = inputs_list(b->inputs);
	return r;
}

static int hash_artefact(struct building *b, struct err *e)
{
	const struct project *p = b->q->project;
	AUTO(str) struct str changes = STR_INIT, why = STR_INIT;
	AUTO_FREE char *missing = NULL;

	making_put_changes(b->q->variant, true,
			   &changes); /* another environment is another candidate */
	int r = artefact_hash(b->dir, p->subdir, p->artefacts, b->before, changes.p,
			      b->ret->artefact, &missing, e);

	if (r == 0 && missing) {
		str_addf(&why,
			 p->build ? "the build ended well but made no '%s' (artefacts)"
				  : "there is no '%s' (artefacts), and no build command to make it",
			 missing);
		making_refuse(b->ret, OUTCOME_FAILED, &why);
	}
	return r;
}

static int steps(struct building *b, struct err *e)
{
	int r = check_out(b, e);

	if (r < 0 || b->ret->reason)
		return r;
	if (b->q->learn_inputs && inputs_can_learn(b->store))
		r = inputs_begin(b->dir, &b->inputs, e);
	if (r == 0 && b->q->overlay)
		r = b->q->overlay(b->q->overlay_arg, b->dir, e);
	if (r == 0)
		r = snapshot_take(b->dir, &b->before, e);
	if (r == 0)
		r = build_it(b, e);
	if (r == 0 && !b->ret->reason)
		r = learn(b, e);
	if (r == 0 && !b->ret->reason)
		r = hash_artefact(b, e);
	return r;
}

/* What a maker leaves at trees/KEY is kept, counted and cleaned as a tree is. */
static int make_otherwise(struct building *b, struct err *e)
{
	AUTO_FREE char *trees = fs_join(b->store, "trees");
	struct inputs *in;
	int r = fs_mkdirs(trees, e);

	if (r == 0)
		r = fs_remove_tree(b->dir, e);
	if (r == 0)
		r = b->q->maker->make(b->q->maker->arg, b->q, b->dir, b->ret, e);
	if (r < 0 || b->ret->reason || !b->ret->inputs)
		return r;
	in = inputs_of_list(b->ret->inputs);
	r = inputs_save(in, b->inputs_path, e);
	inputs_free(in);
	return r;
}

/* No half-kept tree: neither a failed one nor one whose build was cut off. */
static int drop_tree(struct building *b, struct err *e)
{
	int r = fs_remove_tree(b->dir, e);

	return r == 0 ? fs_remove_tree(b->inputs_path, e) : r;
}

int build_run(const struct build_request *q, const char *key, struct build_result *ret,
	      struct err *e)
{
	struct building b = { .q = q, .ret = ret, .path = xasprintf("trees/%s", key) };
	struct err ignored = ERR_INIT;
	int64_t begin = clock_monotonic_ns();

	*ret = (struct build_result){ .outcome = OUTCOME_OK, .log = STR_INIT };
	int r = q->variant->oid ? fs_realpath(q->store_dir, &b.store, e)
				: refuse_artefact(q->variant, e);

	if (r == 0) {
		b.dir = fs_join(b.store, b.path);
		b.inputs_path = xasprintf("%s.inputs", b.dir);
		b.is_checked_out = q->maker;
		r = q->maker ? make_otherwise(&b, e) : steps(&b, e);
	}
	bool keep = r == 0 && (!ret->reason || (q->keep_failed && ret->outcome != OUTCOME_SKIPPED));

	if (!keep && b.is_checked_out) {
		int x = drop_tree(&b, r < 0 ? &ignored : e);

		r = r < 0 ? r : x;
	}
	ret->path = keep ? TAKE_PTR(b.path) : xstrdup("");
	ret->seconds = (double)(clock_monotonic_ns() - begin) / 1e9;
	snapshot_free(b.before);
	inputs_free(b.inputs);
	strvec_done(&b.env);
	free(b.inputs_path);
	free(b.store);
	free(b.path);
	free(b.dir);
	if (r < 0)
		build_result_done(ret);
	return r;
}

/* --- inputs --------------------------------------------------------------------------------------------------------- */

int build_inputs_again(const char *store_dir, const char *path, struct err *e)
{
	AUTO_FREE char *dir = fs_join(store_dir, path);
	AUTO_FREE char *saved = xasprintf("%s.inputs", dir);
	struct inputs *in;

	if (!fs_exists(saved))
		return 0;
	int r = inputs_load(saved, &in, e);

	if (r < 0)
		return r;
	r = inputs_look(in, dir, e);
	if (r == 0)
		r = inputs_save(in, saved, e);
	inputs_free(in);
	return r;
}

char **build_saved_inputs(const char *store_dir, const char *path)
{
	AUTO_FREE char *saved = xasprintf("%s/%s.inputs", store_dir, path);
	struct err e = ERR_INIT;
	struct inputs *in;
	char **list;

	if (!fs_exists(saved) || inputs_load(saved, &in, &e) < 0)
		return NULL;
	list = inputs_list(in);
	inputs_free(in);
	return list;
}
