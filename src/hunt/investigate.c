/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each stage has a session and a hunt of its own: it can be looked at, verified, reported and resumed alone, its builds and, where the question is the same, its
 * answer come from the store. The inquiry's own hunt has notes only, one a stage. A stage that cannot be done (a commit that does not revert, an end that fails
 * with another benchmark) is a stage with a reason; the others go on. What is wrong with the machine or the command line ends it.
 */
#include "hunt/investigate.h"

#include "hunt/bisect.h"
#include "hunt/confirm.h"
#include "hunt/explain.h"
#include "hunt/trial.h"
#include "hunt/versus.h"
#include "sys/fs.h"
#include "text/json.h"

#include <string.h>

static const char stage_note[] = "stage ";

struct work {
	const struct investigate_options *o;
	struct inquiry q;
	char *store_dir;
	int64_t hunt;
	bool stopped; /* the budget is spent */
};

static void work_done(struct work *w)
{
	inquiry_done(&w->q);
	free(w->store_dir);
}

/* --- one stage -------------------------------------------------------------------------------------------------------- */

/* A stage while it is done. */
struct step {
	const struct investigate_options *o;
	const struct inquiry_stage *g;
	struct session *s;
	size_t n_patches;
	double margin;
	bool margin_given;
	char *answer;
};

static int run_ends(struct step *x, struct err *e)
{
	const char *variants[] = { x->o->good, x->o->bad };
	struct versus_options o = {
		.variants = variants,
		.n = 2,
		.alpha = x->o->alpha,
		.margin = x->margin,
		.seed = x->o->seed,
		.dry_run = x->o->dry_run,
	};
	bool stored;

	return versus_hunt(x->s, &o, &x->answer, &stored, e);
}

static int run_search(struct step *x, struct err *e)
{
	bool is_fix = x->g->kind == INQUIRY_FIX, stored;
	struct bisect_options o = {
		.good = is_fix ? x->o->fixed_in : x->g->good,
		.bad = is_fix ? x->o->bad : x->g->bad,
		.fix = is_fix,
		.introduced = is_fix ? x->g->commit : NULL,
		.alpha = x->o->alpha,
		.margin = x->margin,
		.coarser = !x->margin_given,
		.seed = x->o->seed,
		.dry_run = x->o->dry_run,
	};

	return bisect_hunt(x->s, &o, &x->answer, &stored, e);
}

static int run_confirm(struct step *x, struct err *e)
{
	struct confirm_options o = {
		.commit = x->g->commit,
		.good = x->o->good,
		.bad = x->o->bad,
		.good_source = "option",
		.alpha = x->o->alpha,
		.margin = x->margin,
		.seed = x->o->seed,
	};
	bool stored;

	return confirm_hunt(x->s, &o, &x->answer, &stored, e);
}

static int run_explain(struct step *x, struct err *e)
{
	/* twelve digits: it is what the side is called */
	AUTO_FREE char *parent = xasprintf("%.12s^", x->g->commit);
	const char *variants[] = { parent, x->g->commit };
	struct versus_options o = {
		.variants = variants,
		.n = 2,
		.alpha = x->o->alpha,
		.margin = x->margin,
		.seed = x->o->seed,
		.explain = true,
		.fixed_runs = EXPLAIN_RUNS,
		.max_runs = EXPLAIN_RUNS,
	};
	bool stored;

	return versus_hunt(x->s, &o, &x->answer, &stored, e);
}

static int run_try(struct step *x, struct err *e)
{
	struct trial_options o = {
		.good = x->o->good,
		.bad = x->o->bad,
		.good_source = "option",
		.patches = x->o->patches,
		.n = x->n_patches,
		.alpha = x->o->alpha,
		.margin = x->margin,
		.seed = x->o->seed,
	};
	bool stored;

	return trial_hunt(x->s, &o, &x->answer, &stored, e);
}

/* The command that would do this stage alone. */
static void arguments(const struct work *w, const struct inquiry_stage *g, struct strvec *ret)
{
	switch (g->kind) {
	case INQUIRY_ENDS:
		strvec_add(ret, w->o->good);
		strvec_add(ret, w->o->bad);
		break;
	case INQUIRY_SEARCH:
		strvec_add(ret, g->good);
		strvec_add(ret, g->bad);
		break;
	case INQUIRY_FIX:
		strvec_add(ret, "--fix");
		strvec_addf(ret, "--introduced=%s", g->commit);
		strvec_add(ret, w->o->bad);
		strvec_add(ret, w->o->fixed_in);
		break;
	case INQUIRY_CONFIRM:
		strvec_add(ret, g->commit);
		strvec_addf(ret, "--on=%s", w->o->bad);
		strvec_addf(ret, "--good=%s", w->o->good);
		break;
	case INQUIRY_EXPLAIN:
		strvec_addf(ret, "%.12s^", g->commit);
		strvec_add(ret, g->commit);
		break;
	case INQUIRY_TRY:
		strvec_addf(ret, "--on=%s", w->o->bad);
		strvec_addf(ret, "--good=%s", w->o->good);
		for (const char *const *p = w->o->patches; p && *p; p++)
			strvec_add(ret, *p);
		break;
	case INQUIRY_DONE:
	case INQUIRY_KINDS:
		break;
	}
}

static void say_stage(struct session *s, const struct inquiry_stage *g)
{
	AUTO(str) struct str text = STR_INIT;

	str_puts(&text, inquiry_command(g->kind));
	if (g->commit)
		str_addf(&text, " %.12s", g->commit);
	if (g->kind == INQUIRY_SEARCH)
		str_addf(&text, " %.12s .. %.12s", g->good, g->bad);
	if (g->metric)
		str_addf(&text, " by %s", g->metric);
	if (g->benchmark && strcmp(g->benchmark, "default"))
		str_addf(&text, " (%s)", g->benchmark);
	session_stage(s, "%s", text.p);
}

/* Is it a fault of this stage alone? Then the others go on. */
static bool is_of_the_stage(const struct inquiry_stage *g, int r)
{
	return g->kind != INQUIRY_ENDS && (r == -ERR_USAGE || r == -ERR_ENV || r == -ERR_MISSING);
}

/* *ret_answer is the caller's; *ret_hunt also where there is none. */
static int do_stage(struct work *w, const struct inquiry_stage *g, char **ret_answer,
		    int64_t *ret_hunt, struct err *e)
{
	static int (*const run[INQUIRY_KINDS])(struct step *, struct err *) = {
		[INQUIRY_ENDS] = run_ends,	 [INQUIRY_SEARCH] = run_search,
		[INQUIRY_CONFIRM] = run_confirm, [INQUIRY_EXPLAIN] = run_explain,
		[INQUIRY_FIX] = run_search,	 [INQUIRY_TRY] = run_try,
	};
	AUTO(strvec) struct strvec args = STRVEC_INIT;
	bool one_metric = g->kind == INQUIRY_SEARCH || g->kind == INQUIRY_FIX;
	struct session s = { 0 };
	struct step x = { .o = w->o, .g = g, .s = &s, .n_patches = w->q.n_patches };

	*ret_hunt = 0;
	arguments(w, g, &args);
	int r = w->o->open(w->o->arg, inquiry_command(g->kind), g->benchmark,
			   one_metric ? g->metric : NULL, (const char *const *)args.v, &s, e);

	if (r < 0)
		return r;
	x.margin = w->o->margin(w->o->arg, &s, &x.margin_given);
	say_stage(&s, g);
	r = run[g->kind](&x, e);
	*ret_hunt = s.hunt;
	*ret_answer = x.answer;
	if (r == 0 && session_over_budget(&s))
		w->stopped = true;
	session_close(&s);
	return r;
}

/* What a stage of each kind would take: the ends, a search, and the three sides of a confirmation. */
static int plan(struct work *w, char **ret_answer, struct err *e)
{
	static const char *const keys[] = { "ends", "search" };
	struct inquiry_stage stages[] = {
		{ .kind = INQUIRY_ENDS,
		  .benchmark = w->q.benchmarks.n ? w->q.benchmarks.v[0] : NULL },
		{ .kind = INQUIRY_SEARCH,
		  .benchmark = w->q.benchmarks.n ? w->q.benchmarks.v[0] : NULL,
		  .good = (char *)w->o->good,
		  .bad = (char *)w->o->bad },
	};
	AUTO(str) struct str out = STR_INIT;
	struct json_out j = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);
	int r = 0;

	json_out_object(&j, NULL);
	json_out_int(&j, "schema", 1);
	json_out_text(&j, "command", "plan");
	json_out_text(&j, "for", "hunt");
	json_out_int(&j, "benchmarks", (int64_t)w->q.benchmarks.n);
	for (size_t i = 0; i < ARRAY_LEN(stages) && r == 0; i++) {
		AUTO_FREE char *answer = NULL;
		int64_t hunt;

		if ((r = do_stage(w, &stages[i], &answer, &hunt, e)) == 0)
			json_out_raw(&j, keys[i], answer);
	}
	json_out_close(&j);
	if (r == 0)
		*ret_answer = str_take(&out);
	return r;
}

/* --- the inquiry's own hunt --------------------------------------------------------------------------------------------- */

static int patch_hash(const char *path, char ret[65], struct err *e)
{
	AUTO(str) struct str bytes = STR_INIT;

	if (!fs_exists(path) || fs_is_dir(path))
		return err_set(e, ERR_USAGE, "--patch %s: there is no such file", path);
	int r = fs_read(path, INT64_C(64) << 20, &bytes, e);

	if (r < 0)
		return err_wrap(e, "--patch");
	struct sha256 *h = sha256_new();

	sha256_add(h, bytes.p, bytes.n);
	sha256_finish(h, ret);
	return 0;
}

static int question(const struct work *w, struct session *s, struct str *out, struct err *e)
{
	const struct investigate_options *o = w->o;
	struct json_out j = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);
	const char *revs[] = { o->good, o->bad, o->fixed_in };
	static const char *const keys[] = { "good", "bad", "fixed_in" };
	char oid[65];
	bool given;
	int r = 0;

	json_out_object(&j, NULL);
	for (size_t i = 0; i < ARRAY_LEN(revs) && r == 0; i++) {
		if (revs[i] && (r = repo_resolve(s->repo, revs[i], oid, e)) == 0)
			json_out_text(&j, keys[i], oid);
	}
	json_out_texts(&j, "benchmarks", (const char *const *)w->q.benchmarks.v);
	json_out_array(&j, "patches");
	for (size_t i = 0; i < w->q.n_patches && r == 0; i++)
		if ((r = patch_hash(o->patches[i], oid, e)) == 0)
			json_out_text(&j, NULL, oid);
	json_out_close(&j);
	json_out_bool(&j, "explains", w->q.explains);
	json_out_int(&j, "most", o->most);
	json_out_number(&j, "alpha", o->alpha);
	json_out_number(&j, "margin", o->margin(o->arg, s, &given));
	json_out_text(&j, "good_name", o->good);
	json_out_text(&j, "bad_name", o->bad);
	json_out_text(&j, "fixed_name", o->fixed_in);
	json_out_close(&j);
	return r;
}

/* *ret_answer is the stored answer, if it stands. */
static int begin(struct work *w, struct session *s, char **ret_answer, struct err *e)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO(hunt_row) struct hunt_row row = { 0 };
	bool known;
	int r = question(w, s, &text, e);

	if (r < 0)
		return r;
	r = session_hunt(s, "hunt", text.p, NULL, w->o->seed, &row, &known, e);
	w->hunt = s->hunt;
	w->store_dir = xstrdup(s->store_dir);
	if (r == 0 && known)
		session_answered(s, &row, ret_answer);
	return r;
}

static void compose(const struct work *w, char **ret)
{
	AUTO(str) struct str out = STR_INIT;
	struct json_out j = JSON_OUT_INIT(&out, JSON_STYLE_COMPACT);

	json_out_object(&j, NULL);
	json_out_int(&j, "schema", 1);
	json_out_text(&j, "command", "hunt");
	json_out_int(&j, "hunt", w->hunt);
	inquiry_answer(&w->q, &j);
	json_out_bool(&j, "out_of_budget", w->stopped);
	json_out_close(&j);
	*ret = str_take(&out);
}

static void put_note(const struct inquiry_stage *g, struct str *out)
{
	struct json_out j = JSON_OUT_INIT(out, JSON_STYLE_COMPACT);

	str_puts(out, stage_note);
	json_out_object(&j, NULL);
	json_out_int(&j, "kind", g->kind);
	json_out_int(&j, "hunt", g->hunt);
	json_out_text(&j, "benchmark", g->benchmark);
	json_out_text(&j, "metric", g->metric);
	json_out_text(&j, "good", g->good);
	json_out_text(&j, "bad", g->bad);
	json_out_text(&j, "commit", g->commit);
	json_out_text(&j, "why", g->why);
	json_out_close(&j);
}

/* What the journal has of this stage, or adds it. */
static int note_stage(struct work *w, const struct inquiry_stage *g, struct err *e)
{
	AUTO(observations) struct observations obs = { 0 };
	AUTO(str) struct str note = STR_INIT;
	struct store *st;
	bool known = false;
	int r = store_open(w->store_dir, STORE_WRITE, &st, e);

	if (r < 0)
		return r;
	put_note(g, &note);
	r = store_observations(st, w->hunt, &obs, e);
	for (size_t i = 0; i < obs.n; i++)
		known = known || (obs.v[i].kind == OBS_NOTE && !strcmp(obs.v[i].text, note.p));
	if (r == 0 && !known)
		r = store_note(st, w->hunt, note.p, e);
	store_close(st);
	return r;
}

static int end(struct work *w, bool done, char **ret_answer, struct err *e)
{
	struct store *st;
	int r = store_open(w->store_dir, STORE_WRITE, &st, e);

	if (r < 0)
		return r;
	compose(w, ret_answer);
	r = store_hunt_end(st, w->hunt, done ? "answered" : "stopped", *ret_answer, e);
	store_close(st);
	return r;
}

static int go_on(struct work *w, struct err *e)
{
	struct inquiry_stage g;
	int r = 0;

	for (inquiry_next(&w->q, &g); g.kind != INQUIRY_DONE && r == 0 && !w->stopped;
	     inquiry_next(&w->q, &g)) {
		AUTO_FREE char *answer = NULL;

		r = do_stage(w, &g, &answer, &g.hunt, e);
		if (r < 0 && is_of_the_stage(&g, r)) {
			g.why = xstrdup(e->msg);
			*e = (struct err)ERR_INIT;
			r = 0;
		}
		if (r == 0 && (r = note_stage(w, &g, e)) == 0)
			r = inquiry_add(&w->q, &g, answer, e);
		inquiry_stage_done(&g);
	}
	inquiry_stage_done(&g);
	return r;
}

int investigate(const struct investigate_options *o, char **ret_answer, bool *ret_stored,
		struct err *e)
{
	AUTO(work)
	struct work w = { .o = o,
			  .q = { .good = o->good,
				 .bad = o->bad,
				 .fixed_in = o->fixed_in,
				 .explains = !o->no_explain,
				 .most = o->most } };
	struct session s = { 0 };
	int r = o->open(o->arg, "hunt", NULL, NULL, NULL, &s, e);

	*ret_stored = false;
	if (r < 0)
		return r;
	for (const char *const *p = o->patches; p && *p; p++)
		w.q.n_patches++;
	session_benchmarks(&s, &w.q.benchmarks);
	if (!o->dry_run)
		r = begin(&w, &s, ret_answer, e);
	session_close(&s);
	if (r < 0)
		return r;
	if (o->dry_run)
		return plan(&w, ret_answer, e);
	if (*ret_answer) {
		*ret_stored = true;
		return 0;
	}
	if ((r = go_on(&w, e)) < 0)
		return r;
	return end(&w, !w.stopped, ret_answer, e);
}

/* --- from the journal ------------------------------------------------------------------------------------------------- */

static int read_stage(struct work *w, struct store *st, const char *text, struct err *e)
{
	__attribute__((cleanup(json_root_done))) struct json *note = NULL;
	AUTO(hunt_row) struct hunt_row row = { 0 };
	int64_t kind = 0, hunt = 0;
	int r = json_parse_stored(text, "the note of a stage", &note, e);

	if (r < 0)
		return r;
	json_to_int(note, "kind", &kind);
	json_to_int(note, "hunt", &hunt);
	struct inquiry_stage g = {
		.kind = (enum inquiry_kind)kind,
		.hunt = hunt,
		.benchmark = json_copy_text(note, "benchmark"),
		.metric = json_copy_text(note, "metric"),
		.good = json_copy_text(note, "good"),
		.bad = json_copy_text(note, "bad"),
		.commit = json_copy_text(note, "commit"),
		.why = json_copy_text(note, "why"),
	};

	if (kind <= INQUIRY_DONE || kind >= INQUIRY_KINDS) {
		inquiry_stage_done(&g);
		return err_set(e, ERR_BROKEN, "a stage of the inquiry is of no known kind");
	}
	if (hunt && !g.why)
		r = store_hunt_get(st, hunt, &row, e);
	if (r == 0)
		r = inquiry_add(&w->q, &g, row.answer, e);
	inquiry_stage_done(&g);
	return r;
}

int investigate_recompute(struct store *st, const struct hunt_row *row,
			  const struct observations *obs, char **ret_answer, struct err *e)
{
	__attribute__((cleanup(json_root_done))) struct json *whole = NULL;
	AUTO(work) struct work w = { .hunt = row->id };
	int r = json_parse_stored(row->question, "the question", &whole, e);
	const struct json *own = json_get(whole, "question");

	w.q.good = json_to_text(own, "good_name");
	w.q.bad = json_to_text(own, "bad_name");
	w.q.fixed_in = json_to_text(own, "fixed_name");
	for (size_t i = 0; i < obs->n && r == 0; i++)
		if (obs->v[i].kind == OBS_NOTE && starts_with(obs->v[i].text, stage_note))
			r = read_stage(&w, st, obs->v[i].text + sizeof(stage_note) - 1, e);
	if (r == 0)
		compose(&w, ret_answer);
	return r;
}

bool investigate_next_hunt(const struct observations *obs, size_t *at, int64_t *ret_hunt)
{
	while (*at < obs->n) {
		const struct observation *o = &obs->v[(*at)++];
		__attribute__((cleanup(json_root_done))) struct json *note = NULL;
		const char *text;

		if (o->kind != OBS_NOTE || !starts_with(o->text, stage_note))
			continue;
		text = o->text + sizeof(stage_note) - 1;
		if (json_parse(text, strlen(text), "the note of a stage", &note, NULL) == 0 &&
		    !json_to_text(note, "why") && json_to_int(note, "hunt", ret_hunt) && *ret_hunt)
			return true;
	}
	return false;
}
