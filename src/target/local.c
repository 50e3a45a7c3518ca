/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * local - programs on this machine.
 *
 * A boot is a visit: one environment size, drawn from the boot's seed, for all its runs; address layout randomisation stays on,
 * so that over the runs of a visit the luck of one stack or heap base averages out. Counting measures are the opposite: a fixed
 * small environment of a fixed size and no randomisation, so that equal programs give equal counts.
 *
 * A short benchmark has a boot for each run, and between two boots of one build only the padding differs: what they rest on is kept and
 * taken up again where everything that it was made of is the same, seen by a key of all of it.
 */
#include "target/local.h"

#include "bench/environ.h"
#include "bench/own.h"
#include "bench/place.h"
#include "bench/run.h"
#include "sys/cgroup.h"
#include "sys/counters.h"
#include "sys/fs.h"
#include "sys/strings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum { SEED_DIGITS = 20 };

struct boot {
	struct boot_request q;
	struct str key; /* what place, folder and environment were made of; empty: not to be kept */
	char *seed_digits;  /* in `env` */
	uint64_t runs;	    /* begun so far */
	struct place place; /* src = NULL without a tree */
	char *cwd;
	char *scratch;
	char *cgroup_parent; /* NULL: the tree's memory peak is not known */
	struct strvec env;
	struct run_memory memory;
};

static const char *usable(char *reason UNUSED)
{
	return NULL;
}

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014): neighbouring seeds give unrelated sizes. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void set_environ(struct boot *b)
{
	const struct boot_request *q = &b->q;
	bool counting = q->benchmark->measure == MEASURE_CALLGRIND;
	AUTO_FREE char *jobs = xasprintf("%u", environ_jobs(q->jobs));

	if (counting)
		environ_fixed(&b->env);
	else
		environ_user(&b->env);
	environ_set(&b->env, "JOBS", jobs);
	/* a shell would set it, but there may be none (bench/direct.h) */
	environ_set(&b->env, "PWD", b->cwd);
	environ_set(&b->env, "CULPRIT_SRC", b->place.src ? b->place.src : b->cwd);
	if (q->data_dir)
		environ_set(&b->env, "CULPRIT_DATA", q->data_dir);
	if (own_wanted(q->benchmark, OWN_TARGET))
		environ_set(&b->env, OWN_TARGET, "local");
	/* their places, before the padding: each run puts its own there */
	if (own_wanted(q->benchmark, OWN_TMP))
		environ_set(&b->env, OWN_TMP, "");
	if (own_wanted(q->benchmark, OWN_PORT))
		environ_set(&b->env, OWN_PORT, "");
	for (const char **v = q->benchmark->env; v && *v; v++)
		environ_put(&b->env, *v);
	for (const char *const *v = q->env; v && *v; v++)
		environ_put(&b->env, *v);
	AUTO_FREE char *zeros = xasprintf("%0*d", SEED_DIGITS, 0);

	environ_set(&b->env, "CULPRIT_SEED", zeros);
	b->seed_digits = (char *)environ_get(&b->env, "CULPRIT_SEED");
}

static void pad_environ(struct boot *b)
{
	bool counting = b->q.benchmark->measure == MEASURE_CALLGRIND;

	environ_pad(&b->env, counting ? 0 : (unsigned)(mix(b->q.seed) & 4095));
}

static int set_folder(struct boot *b, struct err *e)
{
	const struct boot_request *q = &b->q;
	const char *subdir = q->config ? q->config->project.subdir : NULL;
	int r;

	if (!q->tree)
		return fs_realpath(".", &b->cwd, e);
	r = place_take(q->store_dir, q->tree, &b->place, e);
	if (r < 0)
		return r;
	place_protect(&b->place, q->protect);
	b->cwd = subdir ? fs_join(b->place.src, subdir) : xstrdup(b->place.src);
	return 0;
}

/* Callgrind's files; one folder a boot, its name of one length. */
static int set_scratch(struct boot *b, struct err *e)
{
	const char *tmp = getenv("TMPDIR");

	if (b->q.benchmark->measure != MEASURE_CALLGRIND)
		return 0;
	b->scratch = xasprintf("%s/culprit-callgrind-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (mkdtemp(b->scratch))
		return 0;
	int r = err_errno(e, "creating '%s'", b->scratch);

	free(TAKE_PTR(b->scratch));
	return r;
}

static void discard(struct boot *b)
{
	struct err e = ERR_INIT;

	if (!b)
		return;
	if (b->scratch && fs_remove_tree(b->scratch, &e) < 0)
		errno = 0; /* a temporary folder; nothing depends on it */
	run_memory_done(&b->memory);
	str_done(&b->key);
	strvec_done(&b->env);
	place_done(&b->place);
	free(b->scratch);
	free(b->cgroup_parent);
	free(b->cwd);
	free(b);
}

/* --- kept from boot to boot; boots are the main thread's ----------------------------------------------------------------- */

enum { KEPT = 4 }; /* two sides, and some */
static struct {
	struct boot *v[KEPT];
	unsigned next;
} kept;

static void put_list(const char *const *list, struct str *out)
{
	strings_put(out, list);
	str_putc(out, '\0');
}

static void put_text(const char *text, struct str *out)
{
	str_putc(out, text ? 'x' : '-');
	if (text)
		str_add(out, text, strlen(text) + 1);
}

static void put_key(const struct boot_request *q, struct str *out)
{
	uint64_t sum = 0;

	/* setenv puts another string in its place */
	for (char **v = environ; *v; v++)
		sum = mix(sum ^ (uint64_t)(uintptr_t)*v);
	str_add(out, (const char *)&sum, sizeof(sum));
	str_add(out, (const char *)&q->jobs, sizeof(q->jobs));
	put_text(q->store_dir, out);
	put_text(q->tree, out);
	put_text(q->data_dir, out);
	put_text(q->config ? q->config->project.subdir : NULL, out);
	put_list(q->protect, out);
	put_list((const char *const *)q->benchmark->env, out);
	put_list(q->env, out);
	for (const char *const *v = own_variables; *v; v++)
		str_putc(out, own_wanted(q->benchmark, *v) ? 'x' : '-');
}

static bool can_be_kept(const struct boot *b)
{
	return b->place.is_bound && !b->scratch && !b->cgroup_parent && b->key.n;
}

/* What may have come or gone since: the tree, the folder that it is bound to, and ccache's (place_rules). */
static bool is_still_right(const struct boot *b)
{
	AUTO_FREE char *ccache = fs_join(b->q.store_dir, "ccache");
	bool has_ccache = b->place.writable.n && ends_with(b->place.writable.v[0], "/ccache");

	return fs_is_dir(b->place.tree) && fs_is_dir(b->place.src) &&
	       fs_is_dir(ccache) == has_ccache;
}

static struct boot *take_kept(const struct boot_request *q, const struct str *key)
{
	for (size_t i = 0; i < KEPT; i++) {
		struct boot *b = kept.v[i];

		if (!b || b->key.n != key->n || memcmp(b->key.p, key->p, key->n))
			continue;
		kept.v[i] = NULL;
		b->q = *q;
		b->runs = 0;
		if (is_still_right(b))
			return b;
		discard(b);
	}
	return NULL;
}

static void local_shutdown(struct boot *b)
{
	if (!b || !can_be_kept(b)) {
		discard(b);
		return;
	}
	run_memory_done(&b->memory);
	discard(kept.v[kept.next]);
	kept.v[kept.next] = b;
	kept.next = (kept.next + 1) % KEPT;
}

static bool wants(const struct benchmark *b, const char *metric)
{
	for (const char **p = b->primary; p && *p; p++)
		if (!strcmp(*p, metric))
			return true;
	return false;
}

static void describe(const struct boot *b, struct str *context)
{
	double load[1] = { 0 };
	bool counting = b->q.benchmark->measure == MEASURE_CALLGRIND;

	str_addf(context,
		 "{\"target\":\"local\",\"seed\":%llu,\"environment_bytes\":%zu,\"aslr\":%s",
		 (unsigned long long)b->q.seed, environ_size(&b->env), counting ? "false" : "true");
	if (b->q.benchmark->pin) /* checked: digits, commas and dashes */
		str_addf(context, ",\"pin\":\"%s\"", b->q.benchmark->pin);
	if (getloadavg(load, 1) == 1) {
		unsigned hundredths = (unsigned)(load[0] * 100 + 0.5); /* %f costs a microsecond */

		str_addf(context, ",\"load\":%u.%02u", hundredths / 100, hundredths % 100);
	}
	if (b->q.benchmark->measure == MEASURE_PERF) {
		AUTO(str) struct str none = STR_INIT;

		counters_probe(&none);
		str_addf(context, ",\"counters_not_supported\":\"%s\"", none.p);
	}
	str_addf(context, ",\"tree_peak\":%s,\"bound\":%s}", b->cgroup_parent ? "true" : "false",
		 b->place.is_bound ? "true" : "false");
}

/* *ret is NULL where the revision cannot be run. */
static int make_boot(const struct boot_request *q, struct boot **ret, struct str *reason,
		     struct err *e)
{
	struct boot *b = xcalloc(1, sizeof(*b));

	*ret = NULL;
	b->q = *q;
	b->key = (struct str)STR_INIT;
	int r = set_folder(b, e);

	if (r == 0)
		r = set_scratch(b, e);
	if (r < 0) {
		discard(b);
		return r;
	}
	const char *subdir = q->config ? q->config->project.subdir : NULL;
	AUTO_FREE char *folder = q->tree && subdir ? fs_join(place_files(&b->place), subdir) : NULL;

	if (folder && !fs_is_dir(folder)) {
		str_addf(reason, "this revision has no folder '%s'", subdir);
		discard(b);
		return 0;
	}
	set_environ(b);
	*ret = b;
	return 0;
}

static int local_boot(const struct boot_request *q, struct boot **ret_boot,
		      enum outcome *ret_outcome, struct str *context, struct str *reason,
		      struct err *e)
{
	AUTO(str) struct str key = STR_INIT;
	int r = run_check(q->benchmark, true, e);

	*ret_boot = NULL;
	*ret_outcome = OUTCOME_OK;
	if (r < 0)
		return r;
	if (q->tree && q->benchmark->measure != MEASURE_CALLGRIND)
		put_key(q, &key);
	struct boot *b = key.n ? take_kept(q, &key) : NULL;

	if (!b) {
		r = make_boot(q, &b, reason, e);
		if (r < 0)
			return r;
		if (!b) {
			*ret_outcome = OUTCOME_SKIPPED;
			return 0;
		}
		b->key = key;
		key = (struct str)STR_INIT;
	}
	pad_environ(b);
	if (wants(q->benchmark, "tree-peak"))
		b->cgroup_parent = cgroup_parent();
	describe(b, context);
	*ret_boot = b;
	return 0;
}

/*
 * $CULPRIT_SEED: a number for a benchmark that draws its input at random, so that a hunt can be repeated. Another one for each
 * run, always 20 digits, so that the environment's size stays the boot's; under a counting measure the same for all.
 */
static void set_run_seed(struct boot *b)
{
	bool counting = b->q.benchmark->measure == MEASURE_CALLGRIND;
	uint64_t x = counting ? 1 : mix(b->q.seed ^ mix(b->runs));

	b->runs++;
	for (size_t i = SEED_DIGITS; i-- > 0; x /= 10)
		b->seed_digits[i] = (char)('0' + x % 10);
}

static int local_run(struct boot *b, struct run_result *ret, struct err *e)
{
	struct run_setting s = {
		.benchmark = b->q.benchmark,
		.config = b->q.config,
		.env = (const char *const *)b->env.v,
		.cwd = b->cwd,
		.bind_from = b->place.is_bound ? b->place.tree : NULL,
		.bind_to = b->place.is_bound ? b->place.src : NULL,
		.read_only = (const char *const *)b->place.read_only.v,
		.writable = (const char *const *)b->place.writable.v,
		.scratch = b->scratch,
		.functions = b->q.functions,
		.cgroup_parent = b->cgroup_parent,
		.tick = b->q.tick,
		.tick_arg = b->q.tick_arg,
		.stop = b->q.stop,
	};

	AUTO(own) struct own own = { NULL };
	int r;

	set_run_seed(b);
	r = own_take(b->q.benchmark, b->q.store_dir, mix(b->q.seed ^ b->runs), &b->env, &own, e);
	if (r < 0)
		return r;
	s.env = (const char *const *)b->env.v;
	return run_once(&s, &b->memory, ret, e);
}

const struct target_ops target_local = {
	.name = "local",
	.help = "programs on this machine",
	.unusable = usable,
	.boot = local_boot,
	.run = local_run,
	.shutdown = local_shutdown,
	.boots_at_once = true,
};
