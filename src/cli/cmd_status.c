/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status - is something being measured here, by whom, how far is it, and what does the store take on the disk?
 */
#include "base/num.h"
#include "cli/cmd.h"
#include "cli/journal_text.h"
#include "cli/storedir.h"
#include "cli/term.h"
#include "sys/clock.h"
#include "sys/fs.h"

#include <string.h>

struct status_args {
	struct common_opts common;
};

const struct opt cmd_status_options[] = {
	OPT_COMMON_STORE(struct status_args, common),
	OPT_COMMON_OUTPUT(struct status_args, common),
	OPT_END,
};

struct disk_use {
	int64_t total, trees, journal, free;
	size_t n_trees;
};

static int measure_disk(struct store *st, struct disk_use *ret, struct err *e)
{
	static const char *const files[] = { "culprit.db", "culprit.db-wal", "culprit.db-shm",
					     "culprit.db-intake" };
	AUTO(tree_rows) struct tree_rows trees = { 0 };
	AUTO_FREE char *dir = fs_join(store_dir(st), "trees");
	int r = query_trees(st, &trees, e);

	if (r < 0)
		return r;
	*ret = (struct disk_use){
		.total = fs_tree_size(store_dir(st)),
		.trees = fs_is_dir(dir) ? fs_tree_size(dir) : 0,
		.free = fs_free_bytes(store_dir(st)),
		.n_trees = trees.n,
	};
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO_FREE char *path = fs_join(store_dir(st), files[i]);

		if (fs_exists(path))
			ret->journal += fs_tree_size(path);
	}
	return 0;
}

struct state {
	struct hunt_row hunt;
	struct hunt_counts counts;
	struct disk_use disk;
	struct str holder; /* empty: nobody measures */
	struct in_flight flight;
	bool in_flight;
};

static void state_done(struct state *s)
{
	hunt_row_done(&s->hunt);
	str_done(&s->holder);
	in_flight_done(&s->flight);
}

static int read_state(struct store *st, struct state *s, struct err *e)
{
	int64_t since;
	int r = store_hunt_get(st, 0, &s->hunt, e);

	if (r < 0 || (r = measure_disk(st, &s->disk, e)) < 0)
		return r;
	/* a run without an end is in flight only while he who began it is there to end it */
	if (store_holder(store_dir(st), &s->holder, &since)) {
		r = query_in_flight(st, &s->flight, &s->in_flight, e);
		if (r < 0)
			return r;
		s->in_flight = s->in_flight && s->flight.began_ns >= since;
	}
	if (s->in_flight && s->flight.hunt != s->hunt.id) {
		hunt_row_done(&s->hunt);
		r = store_hunt_get(st, s->flight.hunt, &s->hunt, e);
		if (r < 0)
			return r;
	}
	return query_counts(st, s->hunt.id, &s->counts, e);
}

static void put_hunt(const struct state *s, struct str *out)
{
	char when[20];

	clock_format(s->hunt.began_ns, when);
	str_addf(out, "hunt       %lld: %s ", (long long)s->hunt.id, s->hunt.kind);
	journal_question(&s->hunt, out);
	str_addf(out, ", begun %s\nso far     ", when);
	journal_counts(&s->counts, out);
	str_puts(out, "; ");
	num_put_duration(out, (int64_t)(s->counts.build_seconds * 1e9));
	str_puts(out, " of building, ");
	num_put_duration(out, (int64_t)(s->counts.run_seconds * 1e9));
	str_puts(out, " of running\n");
	if (!strcmp(s->hunt.status, "answered")) {
		str_puts(out, "answer     ");
		journal_answer(&s->hunt, NULL, out);
		str_putc(out, '\n');
	}
}

static void put_now(const struct state *s, struct str *out)
{
	int64_t since = clock_realtime_ns() - s->flight.began_ns;

	if (!s->holder.n) {
		str_puts(out, "measuring  nobody");
		if (strcmp(s->hunt.status, "answered"))
			str_addf(out, "; hunt %lld is %s: 'culprit resume' goes on",
				 (long long)s->hunt.id, s->hunt.status);
		str_putc(out, '\n');
		return;
	}
	str_addf(out, "measuring  %s\n", s->holder.p);
	if (!s->in_flight)
		return;
	str_addf(out, "now        run r%lld of %s on ", (long long)s->flight.run,
		 s->flight.benchmark);
	journal_put_node(s->flight.variant, out);
	str_puts(out, ", for ");
	/* the clock may have stepped back meanwhile */
	num_put_duration(out, since > 0 ? since : 0);
	str_putc(out, '\n');
}

static void put_disk(const struct store *st, const struct disk_use *d, struct str *out)
{
	str_addf(out, "store      %s\ndisk       ", store_dir(st));
	num_put_size(out, d->total);
	str_addf(out, " (%zu kept tree%s ", d->n_trees, d->n_trees == 1 ? "" : "s");
	num_put_size(out, d->trees);
	str_puts(out, ", journal ");
	num_put_size(out, d->journal);
	str_puts(out, ")");
	if (d->free >= 0) {
		str_puts(out, ", ");
		num_put_size(out, d->free);
		str_puts(out, " free");
	}
	str_putc(out, '\n');
}

static void put_json(const struct store *st, const struct state *s, struct str *out)
{
	struct json_out w = JSON_OUT_INIT(out, JSON_STYLE_PRETTY);

	json_out_object(&w, NULL);
	json_out_int(&w, "schema", 1);
	json_out_text(&w, "command", "status");
	json_out_text(&w, "store", store_dir(st));
	json_out_text(&w, "holder", s->holder.n ? s->holder.p : NULL);
	journal_json_hunt(&w, &s->hunt);
	journal_json_counts(&w, &s->counts);
	if (s->in_flight) {
		json_out_object(&w, "in_flight");
		json_out_int(&w, "run", s->flight.run);
		json_out_text(&w, "benchmark", s->flight.benchmark);
		json_out_text(&w, "variant", s->flight.variant);
		json_out_number(&w, "began", (double)s->flight.began_ns / 1e9);
		json_out_close(&w);
	} else {
		json_out_null(&w, "in_flight");
	}
	json_out_object(&w, "disk");
	json_out_int(&w, "total", s->disk.total);
	json_out_int(&w, "trees", s->disk.trees);
	json_out_int(&w, "kept_trees", (int64_t)s->disk.n_trees);
	json_out_int(&w, "journal", s->disk.journal);
	json_out_int(&w, "free", s->disk.free);
	json_out_close(&w);
	json_out_close(&w);
}

static int run(const struct status_args *a, const struct strvec *args, struct err *e)
{
	__attribute__((cleanup(opened_store_done))) struct store *st = NULL;
	AUTO(state) struct state s = { .holder = STR_INIT };
	AUTO(str) struct str out = STR_INIT;
	int r;

	if (args->n)
		return err_set(e, ERR_USAGE, "status takes no arguments, not '%.60s'", args->v[0]);
	r = storedir_open(a->common.store, STORE_READ, &st, e);
	if (r < 0 || (r = read_state(st, &s, e)) < 0)
		return r;
	if (a->common.json) {
		put_json(st, &s, &out);
	} else {
		put_now(&s, &out);
		put_hunt(&s, &out);
		put_disk(st, &s.disk, &out);
	}
	term_print(&out);
	return 0;
}

int cmd_status(int argc, const char *const *argv)
{
	struct status_args a = { 0 };
	AUTO(opt_args) struct opt_args rest = OPT_ARGS_INIT;
	struct err e = ERR_INIT;
	int status = CMD_OK;

	if (cmd_start(cmd_status_options, &a, &a.common, argc, argv, &rest, &status) &&
	    run(&a, &rest.list, &e) < 0)
		status = cmd_fail(&e);
	common_opts_done(&a.common);
	return status;
}
