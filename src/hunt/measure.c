/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of every step is: do it, journal it, then use it. A build is looked for in this session, then in the
 * store's cache (its tree must still be there), then made. Identical artefacts get one number, which is what tells the search
 * that two commits are one candidate.
 */
#include "hunt/measure.h"

#include "base/num.h"
#include "hunt/booting.h"
#include "hunt/evict.h"
#include "hunt/freeze.h"
#include "hunt/kernels.h"
#include "hunt/prebuilt.h"
#include "hunt/simulated.h"
#include "kernel/kbuild.h"
#include "sys/clock.h"
#include "sys/fs.h"

#include <stdio.h>
#include <string.h>

static int64_t artefact_number(struct session *s, const char *artefact)
{
	for (size_t i = 0; i < s->artefacts.n; i++)
		if (!strcmp(s->artefacts.v[i], artefact))
			return (int64_t)i;
	strvec_add(&s->artefacts, artefact);
	return (int64_t)s->artefacts.n - 1;
}

static struct mbuild *add_build(struct session *s, const struct build_row *row, bool cached)
{
	struct mbuild *b = xcalloc(1, sizeof(*b));

	b->id = row->id;
	b->outcome = row->outcome;
	b->reason = xstrdup(row->reason ? row->reason : "");
	b->path = xstrdup(row->path ? row->path : "");
	b->commit = xstrdup(row->commit ? row->commit : "");
	b->artefact = xstrdup(row->artefact ? row->artefact : "");
	b->seconds = row->seconds;
	b->layout = (unsigned)row->layout;
	b->cached = cached;
	b->artefact_no = row->outcome == OUTCOME_OK ? artefact_number(s, b->artefact) : -1;
	ARRAY_PUSH(&s->builds, b);
	return b;
}

/* The cached build is usable if its tree is still on disk, or if it failed by its own fault. */
static bool cache_usable(const struct session *s, const struct build_row *row)
{
	if (row->outcome != OUTCOME_OK && !s->opt.keep_failed)
		return row->outcome == OUTCOME_FAILED;
	AUTO_FREE char *dir = fs_join(s->store_dir, row->path);

	return *row->path && fs_is_dir(dir);
}

int measure_store_build(struct session *s, const struct variant *v, const char *key,
			const struct build_result *res, unsigned layout, struct build_row *row,
			struct err *e)
{
	AUTO(str) struct str toolchain = STR_INIT;

	build_toolchain(&toolchain);
	*row = (struct build_row){
		.key = xstrdup(key),
		.variant = xstrdup(v->text),
		.commit = xstrdup(v->oid ? v->oid : ""),
		.tree = xstrdup(res->tree),
		.path = xstrdup(res->path ? res->path : ""),
		.artefact = xstrdup(res->artefact),
		.toolchain = str_take(&toolchain),
		.layout = (int)layout,
		.outcome = res->outcome,
		.reason = xstrdup(res->reason ? res->reason : ""),
		.seconds = res->seconds,
		.at_ns = clock_realtime_ns(),
	};
	int r = store_build_add(s->store, row, res->log.p, res->log.n, &row->id, e);

	if (r == 0 && !s->first_made)
		s->first_made = row->id;
	s->trees_grew = s->trees_grew || *row->path;
	return r;
}

static int lay_before_build(void *arg, const char *tree, struct err *e)
{
	return freeze_overlay(arg, tree, e);
}

static int make_build(struct session *s, const struct build_request *q, const char *key,
		      const struct variant *v, struct mbuild **ret, struct err *e)
{
	struct build_result res = { 0 };
	struct build_row row = { 0 };
	int r;

	session_doing(s, "building", v->text);
	r = build_run(q, key, &res, e);
	if (r == 0)
		r = measure_store_build(s, v, key, &res, q->layout, &row, e);
	if (r == 0) {
		*ret = add_build(s, &row, false);
		(*ret)->inputs = TAKE_PTR(res.inputs);
		/* the benchmark may need it, and what it says then does not tell why it is not there */
		if (res.remark && !s->said_incomplete)
			session_warn(s, "%.*s: %s", strlen(v->text) >= 40 ? 12 : 60, v->text,
				     res.remark);
		s->said_incomplete = s->said_incomplete || res.remark;
		if (res.outcome == OUTCOME_OK) {
			s->ok_builds++;
			s->build_seconds += res.seconds;
		}
	}
	build_row_done(&row);
	build_result_done(&res);
	return r;
}

/* A variant whose tree cannot be made (a revert that conflicts, a missing blob): an outcome with its reason, journaled too. */
static int record_untreeable(struct session *s, const struct variant *v, const char *why,
			     struct mbuild **ret, struct err *e)
{
	struct build_result res = { .outcome = OUTCOME_SKIPPED, .reason = xstrdup(why) };
	struct build_row row = { 0 };
	AUTO(str) struct str key = STR_INIT;
	int r;

	res.log = (struct str)STR_INIT;
	variant_key(v, &key);
	r = measure_store_build(s, v, key.p, &res, 0, &row, e);
	if (r == 0)
		*ret = add_build(s, &row, false);
	build_row_done(&row);
	build_result_done(&res);
	return r;
}

/* A frozen file that the build command names makes other builds; one that only the benchmark uses does not. */
static bool build_uses_frozen(const struct session *s)
{
	const char *build = s->config.project.build;

	for (size_t i = 0; build && i < s->data_files.n; i++) {
		const char *slash = strrchr(s->data_files.v[i], '/');

		if (strstr(build, slash ? slash + 1 : s->data_files.v[i]))
			return true;
	}
	return false;
}

void measure_request(struct session *s, const struct variant *v, unsigned layout,
		     struct build_request *ret)
{
	*ret = (struct build_request){
		.repo = s->repo,
		.store_dir = s->store_dir,
		.project = &s->config.project,
		.variant = v,
		.maker = s->kbuild ? kbuild_maker(s->kbuild) : NULL,
		.layout = layout,
		.jobs = s->jobs,
		.data_dir = s->data_dir,
		.overlay = lay_before_build,
		.overlay_key = build_uses_frozen(s) ? s->data_hash : NULL,
		.overlay_arg = s,
		.protect = (const char *const *)s->protect.v,
		.keep_failed = s->opt.keep_failed,
		.stop = s->ui->stop,
	};
}

int measure_cached(struct session *s, const char *key, struct build_row *ret, struct err *e)
{
	int r = store_build_find(s->store, key, ret, e);

	if (r == 0 && !cache_usable(s, ret)) {
		build_row_done(ret);
		return err_set(e, ERR_MISSING, "the tree was cleaned");
	}
	return r;
}

/* The time of a build that an earlier process of this hunt made: it belongs to what the hunt cost, and to its budget's report. */
static void count_earlier(struct session *s, const struct build_row *row)
{
	int64_t running_ns = clock_monotonic_ns() - s->began_ns;

	if (s->hunt_began_ns && row->at_ns >= s->hunt_began_ns &&
	    row->at_ns < clock_realtime_ns() - running_ns)
		s->spent_ns += (int64_t)(row->seconds * 1e9);
}

static int find_or_build(struct session *s, const struct variant *v, unsigned layout,
			 bool learn_inputs, struct mbuild **ret, struct err *e)
{
	struct build_request q;
	char key[65], tree[65];
	AUTO(str) struct str why = STR_INIT;
	struct build_row row = { 0 };
	bool ok = false;
	int r;

	if (s->simulated) {
		if ((r = simulated_build(s, v, layout, &row, e)) == 0)
			*ret = add_build(s, &row, false);
		build_row_done(&row);
		return r;
	}
	if (v->deb || v->image) {
		if ((r = prebuilt_find(s, v, &row, e)) == 0)
			*ret = add_build(s, &row, false);
		s->trees_grew = true;
		build_row_done(&row);
		return r;
	}
	if ((r = store_settle(s->store, e)) < 0)
		return r;
	measure_request(s, v, layout, &q);
	q.learn_inputs = learn_inputs;
	q.tick = session_tick;
	q.tick_arg = s;
	r = build_key(&q, key, tree, &ok, &why, e);
	if (r < 0)
		return r;
	if (!ok)
		return record_untreeable(s, v, why.p, ret, e);
	r = measure_cached(s, key, &row, e);
	if (r == 0) {
		*ret = add_build(s, &row, true);
		(*ret)->inputs = build_saved_inputs(s->store_dir, row.path);
		count_earlier(s, &row);
		build_row_done(&row);
		return 0;
	}
	if (r != -ERR_MISSING)
		return r;
	return make_build(s, &q, key, v, ret, e);
}

int measure_build(struct session *s, const struct variant *v, const char *node, unsigned layout,
		  bool learn_inputs, struct mbuild **ret, struct err *e)
{
	struct mbuild *b;
	int r = session_check_stop(s, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < s->builds.n; i++) {
		b = s->builds.v[i];
		if (!strcmp(b->node, node) && b->layout == layout) {
			booting_settings(b, v); /* the journal does not have them */
			*ret = b;
			return 0;
		}
	}
	if (s->journal_only)
		return err_set(e, ERR_BROKEN, "the journal has no build of %.40s", node);
	r = find_or_build(s, v, layout, learn_inputs, &b, e);
	if (r < 0)
		return r;
	b->node = xstrdup(node);
	b->layout = layout;
	booting_settings(b, v);
	r = s->hunt ? store_use_build(s->store, s->hunt, b->id, node, e) : 0;
	if (r == 0 && s->trees_grew)
		r = evict_trees(s, e);
	s->trees_grew = false;
	if (r < 0)
		return r;
	s->n_builds++;
	if (s->kbuild && (r = kernels_note_drift(s, b, e)) < 0)
		return r;
	if (b->outcome != OUTCOME_OK)
		session_note(s, "%.12s: build %s: %s", v->text, outcome_name(b->outcome),
			     b->reason);
	*ret = b;
	return 0;
}

int measure_adopt(struct session *s, int64_t build, const char *node, struct mbuild **ret,
		  struct err *e)
{
	struct build_row row = { 0 };
	int r;

	for (size_t i = 0; i < s->builds.n; i++)
		if (s->builds.v[i]->id == build && !strcmp(s->builds.v[i]->node, node)) {
			*ret = s->builds.v[i];
			return 0;
		}
	r = store_build_get(s->store, build, &row, e);
	if (r < 0)
		return r;
	*ret = add_build(s, &row, true);
	(*ret)->node = xstrdup(node);
	(*ret)->env = xcalloc(1, sizeof(char *));
	if (row.outcome == OUTCOME_OK && !s->journal_only)
		(*ret)->inputs = build_saved_inputs(s->store_dir, row.path);
	s->n_builds++;
	count_earlier(s, &row);
	build_row_done(&row);
	return 0;
}

int measure_ensure(struct session *s, struct mbuild *b, const struct variant *v, struct err *e)
{
	AUTO_FREE char *dir = fs_join(s->store_dir ? s->store_dir : "", b->path);
	struct mbuild *again;
	int r;

	if (s->journal_only || b->outcome != OUTCOME_OK || (*b->path && fs_is_dir(dir)))
		return 0;
	session_note(s, "the tree of %s was cleaned: building it again", b->node);
	r = find_or_build(s, v, b->layout, false, &again, e);
	if (r < 0)
		return r;
	/* the same recipe gives the same artefact; if it does not, the old numbers are another build's */
	if (again->outcome != OUTCOME_OK || strcmp(again->artefact, b->artefact))
		session_warn(
			s,
			"the second build of %s differs from the first: its build is not reproducible",
			b->node);
	if (again->outcome == OUTCOME_OK) {
		free(b->path);
		b->path = xstrdup(again->path);
	}
	again->node = xstrdup("");
	again->env = xcalloc(1, sizeof(char *));
	return 0;
}

struct visit *visit_open(struct session *s, const struct mbuild *b)
{
	return s->open_visit && s->open_visit->build == b ? s->open_visit : NULL;
}

/* Each kind of remark ("cycles was ...", by its first word) once a hunt. */
static int say_remarks(struct session *s, const struct run_result *res, struct err *e)
{
	for (size_t i = 0; i < res->remarks.n; i++) {
		const char *text = res->remarks.v[i];
		size_t n = strcspn(text, " "), k = 0;
		AUTO_FREE char *note = xasprintf("remark: %s", text);
		int r;

		while (k < s->remarks.n && strncmp(s->remarks.v[k], text, n + 1))
			k++;
		if (k < s->remarks.n)
			continue;
		strvec_add(&s->remarks, text);
		session_warn(s, "%s", text);
		if ((r = store_note(s->store, s->hunt, note, e)) < 0)
			return r;
	}
	return 0;
}

/* The machine slept during the run: its times are no measurement, so it gets no end in the journal, but a note. */
static int void_run(struct session *s, const struct visit *v, struct run_result *res, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;

	str_addf(&text, "run r%lld is void: the machine was suspended for ",
		 (long long)v->last_run);
	num_put_duration(&text, res->suspended_ns);
	str_puts(&text, "; it is repeated");
	session_warn(s, "%s", text.p);
	run_result_done(res);
	return store_note(s->store, s->hunt, text.p, e);
}

static int attempt_run(struct session *s, struct visit *v, int index, struct run_result *ret,
		       struct err *e)
{
	int r = session_check_stop(s, e);

	if (r < 0)
		return r;
	r = store_run_begin(s->store, s->hunt, v->boot, s->bench->name, index, &v->last_run, e);
	if (r < 0)
		return r;
	session_doing(s, index < 0 ? "warming up" : "running", v->build->node);
	*ret = (struct run_result){ .output = STR_INIT };
	r = s->target->run(v->handle, ret, e);
	if (r < 0)
		return r;
	/* a run that was cut short by the user is not an observation */
	if ((r = session_check_stop(s, e)) < 0)
		run_result_done(ret);
	return r;
}

/*
 * One run with its journal rows. `index` >= 0 counts, < 0 is a warm-up. The metric is chosen, and the choice journaled, before
 * the first run that counts is: killed in between, the next process would not know what to read from it.
 */
static int one_run(struct session *s, struct visit *v, int index, bool chooses,
		   struct run_result *ret, struct err *e)
{
	int r, chosen = 0;

	for (;;) {
		if ((r = attempt_run(s, v, index, ret, e)) < 0)
			return r;
		if (!ret->suspended_ns)
			break;
		if ((r = void_run(s, v, ret, e)) < 0)
			return r;
	}
	if (chooses && ret->outcome == OUTCOME_OK)
		chosen = measure_choose_metric(s, ret, e);
	r = store_run_end(s->store, v->last_run, ret->outcome, ret->reason ? ret->reason : "",
			  ret->seconds, &ret->readings, ret->output.p, ret->output.n,
			  chosen < 0 ? NULL : e);
	r = chosen < 0 ? chosen : r;
	if (r == 0)
		r = say_remarks(s, ret, e);
	if (r == 0)
		r = booting_heard(s, v, ret, e);
	if (r < 0)
		run_result_done(ret);
	return r;
}

int visit_begin(struct session *s, struct mbuild *b, struct visit **ret, struct err *e)
{
	struct visit *v;
	int r = session_check_stop(s, e);

	if (r < 0)
		return r;
	visit_end(s);
	v = s->open_visit = xcalloc(1, sizeof(*v));
	v->build = b;
	if ((r = booting_now(s, b, v, e)) < 0)
		return r;
	unsigned warmup = booting_warmup(s, b);

	b->visited = true;
	for (unsigned k = 0; v->outcome == OUTCOME_OK && k < warmup; k++) {
		struct run_result res;

		if ((r = one_run(s, v, -1 - (int)k, false, &res, e)) < 0)
			return r;
		run_result_done(&res);
	}
	*ret = v;
	return 0;
}

void measure_count(struct session *s, enum outcome outcome, double seconds)
{
	s->n_runs++;
	s->spent_ns += (int64_t)(seconds * 1e9);
	if (outcome == OUTCOME_OK) {
		s->ok_runs++;
		s->run_seconds += seconds;
	}
}

static struct node_tally *tally_of(struct session *s, const char *node)
{
	for (size_t i = 0; i < s->n_tallies; i++)
		if (!strcmp(s->tallies[i].node, node))
			return &s->tallies[i];
	array_reserve_((void **)&s->tallies, &s->cap_tallies, s->n_tallies + 1,
		       sizeof(*s->tallies));
	s->tallies[s->n_tallies] = (struct node_tally){ .node = xstrdup(node) };
	return &s->tallies[s->n_tallies++];
}

void measure_tally(const struct session *s, const char *node, struct run_tally *ret)
{
	*ret = (struct run_tally){ .last_reason = "" };
	for (size_t i = 0; i < s->n_tallies; i++)
		if (!strcmp(s->tallies[i].node, node)) {
			const struct node_tally *t = &s->tallies[i];

			*ret = (struct run_tally){ t->ok, t->failed, t->last_run,
						   t->last_reason ? t->last_reason : "" };
		}
}

static void tally_failed(struct node_tally *t, const struct visit *v, const char *reason)
{
	t->failed++;
	t->last_run = v->last_run;
	free(t->last_reason);
	t->last_reason = xstrdup(reason);
}

/* A run that ended: its totals and its node's. A probe that went well has not shown yet that a counted run does. */
static void count_run(struct session *s, const struct visit *v, const struct run_result *res,
		      bool is_probe)
{
	struct node_tally *t = tally_of(s, v->build->node);

	if (res->outcome == OUTCOME_OK) {
		s->ok_runs++;
		s->run_seconds += res->seconds;
		t->ok += !is_probe;
		return;
	}
	tally_failed(t, v, res->reason ? res->reason : outcome_name(res->outcome));
}

void visit_refuse(struct session *s, const struct visit *v, const char *reason)
{
	struct node_tally *t = tally_of(s, v->build->node);

	t->ok -= t->ok > 0;
	tally_failed(t, v, reason);
}

int visit_run(struct session *s, struct visit *v, struct run_result *ret, struct err *e)
{
	int r = one_run(s, v, v->next_index, true, ret, e);

	if (r < 0)
		return r;
	v->next_index++;
	s->n_runs++;
	count_run(s, v, ret, false);
	return 0;
}

int visit_probe(struct session *s, struct visit *v, struct run_result *ret, struct err *e)
{
	int r = one_run(s, v, -1 - (int)s->bench->warmup, true, ret, e);

	if (r == 0)
		count_run(s, v, ret, true);
	return r;
}

const char *measure_node(const struct session *s, int64_t build)
{
	for (size_t i = 0; i < s->builds.n; i++)
		if (s->builds.v[i]->id == build)
			return s->builds.v[i]->node;
	return "";
}
