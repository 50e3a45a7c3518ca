/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clean - give disk space back: kept trees, kernels and initramfs images beyond a ceiling or an age, and what killed processes left behind.
 *
 * A tree can be built again, so it may go; the journal never does. A tree that a hunt without an answer uses stays. Each removal is
 * journaled before the files go: a kill in between leaves a folder that nobody claims, which the next clean takes. (A full disk: see
 * open_to_clean.)
 */
#include "base/num.h"
#include "bench/place.h"
#include "cli/cmd.h"
#include "cli/journal_text.h"
#include "cli/storedir.h"
#include "cli/term.h"
#include "hunt/reclaim.h"
#include "store/query.h"
#include "sys/clock.h"
#include "sys/fs.h"
#include "sys/walk.h"
#include "text/json.h"
#include "text/table.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

struct clean_args {
	struct common_opts common;
	int64_t max_bytes, older_ns;
	bool dry_run;
};

const struct opt cmd_clean_options[] = {
	{ 0, "max", OPT_SIZE, OPT_INTO(struct clean_args, max_bytes), "SIZE",
	  "keep at most this much of what can be built or fetched again, the latest used first (default 10G)" },
	{ 0, "older", OPT_DURATION, OPT_INTO(struct clean_args, older_ns), "TIME",
	  "and none that was not used for this long: 30d" },
	{ 'n', "dry-run", OPT_BOOL, OPT_INTO(struct clean_args, dry_run), NULL,
	  "show what would go, remove nothing" },
	OPT_COMMON_STORE(struct clean_args, common),
	OPT_COMMON_OUTPUT(struct clean_args, common),
	OPT_END,
};

struct victim {
	int64_t build; /* 0 = nobody's */
	char *path;    /* relative to the store */
	char *variant;
	const char *why;
	int64_t bytes, used_ns;
};
struct plan {
	struct victim *v;
	size_t n, cap;
	int64_t bytes;	       /* that go */
	int64_t kept_bytes;    /* of trees, kernels and initramfs images that stay */
	unsigned kept, needed; /* trees that stay, and those that stay because a hunt needs them */
};

static void plan_done(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].path);
		free(p->v[i].variant);
	}
	free(p->v);
	*p = (struct plan){ 0 };
}

/* -1 if it is not there. */
static int64_t size_of(const struct store *st, const char *path)
{
	AUTO_FREE char *full = fs_join(store_dir(st), path);

	return fs_exists(full) ? fs_tree_size(full) : -1;
}

static void add(struct plan *p, int64_t build, const char *path, const char *variant,
		const char *why, int64_t bytes, int64_t used_ns)
{
	struct victim *v = ARRAY_GROW(p);

	*v = (struct victim){ build, xstrdup(path), xstrdup(variant), why, bytes, used_ns };
	p->bytes += bytes;
}

/* Why it may go, or NULL. `total` is what all trees take that have not gone yet. */
static const char *reason_to_go(const struct clean_args *a, const struct reclaimable *x,
				int64_t bytes, int64_t total)
{
	if (bytes < 0)
		return "is gone already";
	if (a->older_ns > 0 && clock_realtime_ns() - x->used_ns > a->older_ns)
		return "old";
	return total > a->max_bytes ? "over the ceiling" : NULL;
}

static int64_t size_with(const struct store *st, const struct reclaimable *x)
{
	int64_t own = size_of(st, x->path), more = x->with ? size_of(st, x->with) : 0;

	return own < 0 ? own : own + (more > 0 ? more : 0);
}

static void add_both(const struct store *st, struct plan *p, const struct reclaimable *x,
		     const char *why)
{
	int64_t own = size_of(st, x->path), more = x->with ? size_of(st, x->with) : -1;

	add(p, x->build, x->path, x->build ? x->variant : "", why, own > 0 ? own : 0, x->used_ns);
	if (more >= 0)
		add(p, 0, x->with, x->variant, "belongs to a kernel that goes", more, x->used_ns);
}

/* They come least recently used first, so what is over the ceiling goes in that order. */
static void plan_kept(const struct store *st, const struct clean_args *a,
		      const struct reclaimables *t, struct plan *p)
{
	AUTO_FREE int64_t *bytes = xcalloc(t->n, sizeof(*bytes));
	int64_t total = 0;

	for (size_t i = 0; i < t->n; i++) {
		bytes[i] = size_with(st, &t->v[i]);
		total += bytes[i] > 0 ? bytes[i] : 0;
	}
	for (size_t i = 0; i < t->n; i++) {
		const struct reclaimable *x = &t->v[i];
		const char *why = reason_to_go(a, x, bytes[i], total);
		int64_t size = bytes[i] > 0 ? bytes[i] : 0;

		if (why && (!x->needed || bytes[i] < 0)) {
			add_both(st, p, x, why);
			total -= size;
			continue;
		}
		p->kept += x->build > 0;
		p->needed += why != NULL;
		p->kept_bytes += size;
	}
}

static bool goes(const struct plan *p, const char *path)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->v[i].path, path))
			return true;
	return false;
}

/*
 * In a folder of the store what nobody claims: the store is locked, so nothing is being made. A file KEY.SOMETHING belongs to the tree or kernel
 * KEY and goes with it.
 */
static void plan_leftovers(const struct store *st, const char *folder, const char *why,
			   const struct reclaimables *t, struct plan *p)
{
	AUTO_FREE char *dir = fs_join(store_dir(st), folder);
	DIR *d = opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d)) != NULL) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		AUTO_FREE char *path = fs_join(folder, entry->d_name);
		AUTO_FREE char *of = xstrdup(path);
		char *dot = strrchr(of, '.');

		if (dot && !reclaim_claims(t, of))
			*dot = '\0';
		if (!reclaim_claims(t, of))
			add(p, 0, path, "", why, size_of(st, path), 0);
		else if (strcmp(of, path) && goes(p, of))
			add(p, 0, path, "", "belongs to what goes", size_of(st, path), 0);
	}
	if (d)
		closedir(d);
}

/* Does a hunt without an answer measure with the frozen files of this folder (named by the first 16 digits of their hash)? */
static bool data_is_needed(const struct hunt_rows *hunts, const char *name)
{
	for (size_t i = 0; i < hunts->n; i++)
		if (strcmp(hunts->v[i].status, "answered") && strstr(hunts->v[i].question, name))
			return true;
	return false;
}

/* Under data/: copies of benchmark files, which a hunt that needs them makes anew from the checkout. */
static int plan_data(struct store *st, struct plan *p, struct err *e)
{
	AUTO(hunt_rows) struct hunt_rows hunts = { 0 };
	AUTO_FREE char *dir = fs_join(store_dir(st), "data");
	int r = store_hunts(st, &hunts, e);
	DIR *d = r < 0 ? NULL : opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d)) != NULL) {
		if (*entry->d_name == '.' || data_is_needed(&hunts, entry->d_name))
			continue;
		AUTO_FREE char *path = fs_join("data", entry->d_name);

		add(p, 0, path, "", "benchmark files of finished hunts", size_of(st, path), 0);
	}
	if (d)
		closedir(d);
	return r;
}

/* The work folders of kernel builds: the next build is a whole one then, though with ccache's help. */
static void plan_kernel(const struct store *st, struct plan *p)
{
	AUTO_FREE char *dir = fs_join(store_dir(st), "kernel");

	if (fs_is_dir(dir))
		add(p, 0, "kernel", "", "work folders of kernel builds", size_of(st, "kernel"), 0);
}

/* NAME.tmpPID, see fs_write_atomic; an index for one patch, see repo/changes.c. */
static bool is_unfinished(const char *name)
{
	const char *tmp = strstr(name, ".tmp");

	return starts_with(name, "scratch-index-") ||
	       (tmp && tmp[4] && !tmp[4 + strspn(tmp + 4, "0123456789")]);
}

struct looking {
	const struct store *st;
	struct plan *p;
};

static int look_at(void *arg, const struct walk_entry *x, struct err *e UNUSED)
{
	/* planned apart, and what is in them may be somebody else's, whatever its name */
	static const char *const others[] = { "trees",	"kernels", "debs",   "initramfs", "data",
					      "kernel", "ccache",  "guests", "src" };
	struct looking *l = arg;

	for (size_t i = 0; S_ISDIR(x->st->st_mode) && i < ARRAY_LEN(others); i++)
		if (!strcmp(x->path, others[i]))
			return WALK_SKIP;
	if (S_ISREG(x->st->st_mode) && is_unfinished(x->name))
		add(l->p, 0, x->path, "", "half written", size_of(l->st, x->path), 0);
	return WALK_ON;
}

/* Files that a kill caught half written, wherever culprit or git writes some. */
static int plan_unfinished(const struct store *st, struct plan *p, struct err *e)
{
	struct looking l = { st, p };

	return walk_tree(store_dir(st), look_at, &l, e);
}

/* --- showing ------------------------------------------------------------------------------------------------------ */

static void put_sum(const struct plan *p, bool dry_run, struct str *out)
{
	str_puts(out, dry_run ? "would free " : "frees ");
	num_put_size(out, p->bytes);
	str_addf(out, "; %u tree%s, ", p->kept, p->kept == 1 ? "" : "s");
	num_put_size(out, p->kept_bytes);
	str_puts(out, ", stay");
	if (p->needed)
		str_addf(out, ", %u of them because a hunt without an answer needs %s", p->needed,
			 p->needed == 1 ? "it" : "them");
	str_putc(out, '\n');
}

/* Keys of builds are long and say nothing to people: 12 digits of them do. */
static void put_path(const char *path, struct str *out)
{
	const char *name = strrchr(path, '/');
	size_t digits = name ? strspn(name + 1, "0123456789abcdef") : 0;

	if (digits <= 12) {
		str_puts(out, path);
		return;
	}
	str_add(out, path, (size_t)(name - path) + 13);
	str_puts(out, "..");
	str_puts(out, name + 1 + digits);
}

static void show_text(const struct plan *p, bool dry_run)
{
	AUTO(table) struct table t = TABLE_INIT;
	AUTO(str) struct str out = STR_INIT;

	table_column(&t, "goes", TABLE_LEFT);
	table_column(&t, "size", TABLE_RIGHT);
	table_column(&t, "last used", TABLE_LEFT);
	table_column(&t, "why", TABLE_LEFT);
	table_column(&t, "variant", TABLE_LEFT | TABLE_SHRINK);
	for (size_t i = 0; i < p->n; i++) {
		AUTO(str) struct str size = STR_INIT, path = STR_INIT, variant = STR_INIT;
		char when[20] = "-";

		num_put_size(&size, p->v[i].bytes);
		if (p->v[i].used_ns)
			clock_format(p->v[i].used_ns, when);
		put_path(p->v[i].path, &path);
		journal_put_node(p->v[i].variant, &variant);
		table_cell(&t, TEXT_PLAIN, "%s", path.p);
		table_cell(&t, TEXT_PLAIN, "%s", size.p);
		table_cell(&t, TEXT_PLAIN, "%s", when);
		table_cell(&t, TEXT_PLAIN, "%s", p->v[i].why);
		table_cell(&t, TEXT_PLAIN, "%s", variant.p);
	}
	if (p->n)
		table_put(&t, term_stdout_width(), term_stdout_color(), &out);
	put_sum(p, dry_run, &out);
	term_print(&out);
	fflush(stdout);
}

static void show_json(const struct plan *p, bool dry_run)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out w = JSON_OUT_INIT(&out, JSON_STYLE_PRETTY);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "clean");
	json_out_bool(&w, "dry_run", dry_run);
	json_out_int(&w, "bytes", p->bytes);
	json_out_int(&w, "kept_bytes", p->kept_bytes);
	json_out_int(&w, "kept_trees", p->kept);
	json_out_int(&w, "needed_trees", p->needed);
	json_out_array(&w, "removed");
	for (size_t i = 0; i < p->n; i++) {
		json_out_object(&w, NULL);
		json_out_text(&w, "path", p->v[i].path);
		json_out_int(&w, "bytes", p->v[i].bytes);
		json_out_text(&w, "why", p->v[i].why);
		if (p->v[i].build)
			json_out_int(&w, "build", p->v[i].build);
		else
			json_out_null(&w, "build");
		json_out_close(&w);
	}
	json_out_close(&w);
	json_out_close(&w);
	term_print(&out);
}

/* --- removing ----------------------------------------------------------------------------------------------------- */

/* Journaled before the files go, if the journal can be written. */
static int remove_one(struct store *st, bool writable, const struct victim *v, struct err *e)
{
	AUTO_FREE char *full = fs_join(store_dir(st), v->path);
	int r = v->build && writable ? store_build_cleaned(st, v->build, e) : 0;

	return r < 0 ? r : fs_remove_tree(full, e);
}

static int remove_all(struct store *st, bool writable, const struct plan *p, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < p->n && r == 0; i++)
		r = remove_one(st, writable, &p->v[i], e);
	return r;
}

/*
 * On a full disk, which is when people clean, there may be no room to open the journal for writing, or for what a killed hunt has left to be taken
 * in. Then the trees go first and the journal is told of it afterwards; whoever wants to use a tree looks for its folder, so that a kill in between costs nothing.
 */
static int open_to_clean(const char *option, struct store **ret, bool *ret_writable, struct err *e)
{
	struct err first = ERR_INIT;
	int r = storedir_open(option, STORE_WRITE, ret, e);

	if (r == 0)
		r = store_lock(*ret, "culprit clean", 0, NULL, NULL, e);
	*ret_writable = r == 0;
	if (r != -ERR_ENV)
		return r;
	first = *e;
	store_close(TAKE_PTR(*ret));
	if (storedir_open(option, STORE_READ, ret, e) == 0)
		return store_lock(*ret, "culprit clean", 0, NULL, NULL, e);
	*e = first;
	return -ERR_ENV;
}

static int note_removed(const char *option, const struct plan *p, struct err *e)
{
	__attribute__((cleanup(opened_store_done))) struct store *st = NULL;
	int r = storedir_open(option, STORE_WRITE, &st, e);

	for (size_t i = 0; i < p->n && r == 0; i++)
		if (p->v[i].build)
			r = store_build_cleaned(st, p->v[i].build, e);
	return r;
}

static int clean(struct store *st, const struct clean_args *a, bool writable, struct plan *p,
		 struct err *e)
{
	AUTO(reclaimables) struct reclaimables kept = { 0 };
	int r = place_mend(store_dir(st), e);

	if (r < 0 || (r = reclaim_list(st, &kept, e)) < 0)
		return r;
	plan_kept(st, a, &kept, p);
	plan_leftovers(st, "trees", "left by a killed build", &kept, p);
	plan_leftovers(st, "kernels", "left by a killed fetch", &kept, p);
	plan_leftovers(st, "debs", "no kernel is made of it", &kept, p);
	plan_leftovers(st, "initramfs", "half written", &kept, p);
	if ((r = plan_data(st, p, e)) < 0)
		return r;
	plan_kernel(st, p);
	if ((r = plan_unfinished(st, p, e)) < 0)
		return r;
	if (!a->common.json)
		show_text(p, a->dry_run);
	return a->dry_run ? 0 : remove_all(st, writable, p, e);
}

static int run(const struct clean_args *a, const struct strvec *args, struct err *e)
{
	AUTO(plan) struct plan p = { 0 };
	struct store *st = NULL;
	bool writable;
	int r;

	if (args->n)
		return err_set(e, ERR_USAGE, "clean takes no arguments, not '%.60s'", args->v[0]);
	r = open_to_clean(a->common.store, &st, &writable, e);
	if (r == 0)
		r = clean(st, a, writable, &p, e);
	store_close(st);
	if (r == 0 && !writable && !a->dry_run)
		r = note_removed(a->common.store, &p, e);
	if (r == 0 && a->common.json)
		show_json(&p, a->dry_run);
	return r;
}

int cmd_clean(int argc, const char *const *argv)
{
	struct clean_args a = { .max_bytes = INT64_C(10) << 30 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status = CMD_OK;

	if (cmd_start(cmd_clean_options, &a, &a.common, argc, argv, &rest, &status) &&
	    run(&a, &rest.list, &e) < 0)
		status = cmd_fail(&e);
	common_opts_done(&a.common);
	return status;
}
