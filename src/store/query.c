/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples are joined by SQLite and handed on one by one, so that exporting a million rows needs no memory. Only a hunt's uses of
 * builds are read beforehand: which of them a boot belongs to is a matter of order (the newest before it), and asking
 * SQLite for that again for each row would cost a search of the journal each time.
 */
#include "store/query.h"

#include "store/db.h"

#include <math.h>
#include <string.h>

/* --- samples ------------------------------------------------------------------------------------------------------ */

struct use {
	int64_t seq, build;
	char *node;
};
struct uses {
	struct use *v;
	size_t n, cap;
};

static void uses_done(struct uses *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->v[i].node);
	free(u->v);
	*u = (struct uses){ 0 };
}

static int read_uses(struct store *st, int64_t hunt, struct uses *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(
		st, "reading samples",
		"select j.seq, u.build, j.node from journal j join build_use u on u.seq = j.seq"
		" where j.hunt = ?1 order by j.seq",
		ARGS(ARG_I(hunt)), &q, e);

	if (r < 0)
		return r;
	while ((r = sql_step(&q, e)) > 0) {
		struct use *u = ARRAY_GROW(ret);

		u->seq = sql_int(&q, 0);
		u->build = sql_int(&q, 1);
		u->node = sql_text(&q, 2);
	}
	return r;
}

/* "" where the hunt never said that it uses the build. */
static const char *node_of(const struct uses *u, int64_t boot, int64_t build)
{
	for (size_t i = u->n; i-- > 0;)
		if (u->v[i].build == build && u->v[i].seq < boot)
			return u->v[i].node;
	return "";
}

static const char samples_query[] = "select r.boot, r.id, r.benchmark, r.position, r.began_ns,"
				    " e.outcome, e.reason, e.seconds, w.seq is not null,"
				    " b.id, b.variant, b.commit_id,"
				    " m.name, m.unit, m.better, m.counter, x.value, x.resolution"
				    " from journal j"
				    " join run_end e on e.seq = j.seq"
				    " join run r on r.id = e.run"
				    " join boot o on o.seq = r.boot"
				    " join build b on b.id = o.build"
				    " left join withdrawal w on w.seq = j.seq"
				    " left join reading x on x.run = r.id"
				    " left join metric m on m.id = x.metric"
				    " where j.hunt = ?1 and j.kind = 'run'"
				    " and (?2 is null or r.benchmark = ?2)"
				    " and (?3 is null or m.name = ?3 or m.name is null)"
				    " and (?4 or e.outcome = 'ok')"
				    " and (?5 or r.position >= 0)"
				    " and (?6 or w.seq is null)"
				    " order by r.id, x.at";

static const char *column(const struct sql *q, int col)
{
	return (const char *)sqlite3_column_text(q->s, col);
}

static int fill_sample(const struct sql *q, struct sample_row *s, struct err *e)
{
	const char *better = column(q, 14);

	s->boot = sql_int(q, 0);
	s->run = sql_int(q, 1);
	s->benchmark = column(q, 2);
	s->index = (int)sql_int(q, 3);
	s->began_ns = sql_int(q, 4);
	if (!outcome_parse(column(q, 5), &s->outcome))
		return db_damaged(q->st, q->what, "an outcome that is none", e);
	s->reason = column(q, 6);
	s->seconds = sql_real(q, 7);
	s->withdrawn = sql_int(q, 8) != 0;
	s->build = sql_int(q, 9);
	s->variant = column(q, 10);
	s->commit = column(q, 11);
	s->metric = column(q, 12);
	s->unit = s->metric ? column(q, 13) : "";
	s->better = BETTER_UNKNOWN;
	if (better && !better_parse(better, &s->better))
		return db_damaged(q->st, q->what, "a direction that is none", e);
	s->counter = sql_int(q, 15) != 0;
	s->value = sql_real(q, 16);
	s->resolution = s->metric ? sql_real(q, 17) : 0;
	return 0;
}

static bool wanted(const struct sample_filter *f, const struct sample_row *s)
{
	if (f->variant && strcmp(f->variant, s->node) && strcmp(f->variant, s->variant) &&
	    strcmp(f->variant, s->commit))
		return false;
	/* an ok run without a single value cannot be told from one that lacks this metric */
	return s->metric || f->with_failed;
}

static int each(struct store *st, int64_t hunt, const struct sample_filter *f,
		const struct uses *uses,
		int (*row)(void *, const struct sample_row *, struct err *), void *arg,
		struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	struct sample_row s = { .hunt = hunt, .order = -1 };
	int64_t run = 0, boot = 0;
	int r = sql_start(st, "reading samples", samples_query,
			  ARGS(ARG_I(hunt), ARG_T(f->benchmark), ARG_T(f->metric),
			       ARG_I(f->with_failed), ARG_I(f->with_warmup),
			       ARG_I(f->with_withdrawn)),
			  &q, e);

	if (r < 0)
		return r;
	while ((r = sql_step(&q, e)) > 0) {
		r = fill_sample(&q, &s, e);
		if (r < 0)
			return r;
		if (s.boot != boot)
			s.node = node_of(uses, s.boot, s.build);
		boot = s.boot;
		if (!wanted(f, &s))
			continue;
		if (s.run != run)
			s.order++;
		run = s.run;
		r = row(arg, &s, e);
		if (r < 0)
			return r;
	}
	return r;
}

/* The newest hunt's number for 0; ERR_MISSING if there is no such hunt. */
static int find_hunt(struct store *st, int64_t hunt, int64_t *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "looking for the hunt",
			  "select max(id) from hunt where ?1 = 0 or id = ?1", ARGS(ARG_I(hunt)), &q,
			  e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r < 0)
		return r;
	*ret = sql_int(&q, 0);
	if (*ret == 0 && hunt == 0)
		return err_set(e, ERR_MISSING, "%s holds no hunt yet", st->dir);
	if (*ret == 0)
		return err_set(e, ERR_MISSING, "there is no hunt %lld; 'culprit log' lists them",
			       (long long)hunt);
	return 0;
}

int query_samples_each(struct store *st, const struct sample_filter *f,
		       int (*row)(void *, const struct sample_row *, struct err *), void *arg,
		       struct err *e)
{
	AUTO(uses) struct uses uses = { 0 };
	int64_t hunt;
	int r = find_hunt(st, f->hunt, &hunt, e);

	if (r == 0)
		r = read_uses(st, hunt, &uses, e);
	return r < 0 ? r : each(st, hunt, f, &uses, row, arg, e);
}

/*
 * Few strings occur in many rows. Each column has its own list; in it the next one wanted is most often the one after the
 * last (metrics come in the same order run after run), so the search begins there.
 */
struct pool {
	const char **v;
	size_t n, cap, last;
};
struct collect {
	struct samples *out;
	struct pool pools[7];
};

static const char *intern(struct collect *c, unsigned column_no, const char *text)
{
	struct pool *p = &c->pools[column_no];

	if (!text)
		return NULL;
	for (size_t i = 0; i < p->n; i++) {
		size_t at = (p->last + i) % p->n;

		if (!strcmp(p->v[at], text)) {
			p->last = at;
			return p->v[at];
		}
	}
	p->last = p->n;
	ARRAY_PUSH(p, arena_strdup(&c->out->arena, text));
	return p->v[p->n - 1];
}

static int collect_row(void *arg, const struct sample_row *s, struct err *e UNUSED)
{
	struct collect *c = arg;
	struct sample_row *to = ARRAY_GROW(c->out);

	*to = *s;
	to->node = intern(c, 0, s->node);
	to->variant = intern(c, 1, s->variant);
	to->commit = intern(c, 2, s->commit);
	to->benchmark = intern(c, 3, s->benchmark);
	to->metric = intern(c, 4, s->metric);
	to->unit = intern(c, 5, s->unit);
	to->reason = intern(c, 6, s->reason);
	return 0;
}

int query_samples(struct store *st, const struct sample_filter *f, struct samples *ret,
		  struct err *e)
{
	AUTO(samples) struct samples out = { 0 };
	struct collect c = { .out = &out };
	int r = query_samples_each(st, f, collect_row, &c, e);

	for (size_t i = 0; i < ARRAY_LEN(c.pools); i++)
		free(c.pools[i].v);
	if (r < 0)
		return r;
	*ret = out;
	out = (struct samples){ 0 };
	return 0;
}

void samples_done(struct samples *s)
{
	free(s->v);
	arena_done(&s->arena);
	*s = (struct samples){ 0 };
}

/* --- progress ----------------------------------------------------------------------------------------------------- */

static const char counts_query[] =
	"with obs as (select j.seq, j.kind, j.at_ns, w.seq as gone from journal j"
	"  left join withdrawal w on w.seq = j.seq where j.hunt = ?1),"
	" used as (select distinct u.build from obs join build_use u on u.seq = obs.seq),"
	" runs as (select e.outcome, e.seconds, r.position from obs join run_end e on e.seq = obs.seq"
	"  join run r on r.id = e.run where obs.gone is null),"
	" boots as (select b.outcome from obs join boot b on b.seq = obs.seq where obs.gone is null)"
	" select"
	" (select count(*) from used),"
	" (select count(*) from used join build b on b.id = used.build where b.outcome <> 'ok'),"
	" (select count(*) from boots), (select count(*) from boots where outcome <> 'ok'),"
	" (select count(*) from runs where outcome = 'ok' and position >= 0),"
	" (select count(*) from runs where outcome <> 'ok'),"
	" (select count(*) from runs where outcome = 'ok' and position < 0),"
	" (select count(*) from obs where kind = 'mark' and gone is null),"
	" (select count(*) from obs where gone is not null),"
	" (select total(b.seconds) from used join build b on b.id = used.build),"
	" (select total(seconds) from runs),"
	" (select coalesce(max(at_ns), 0) from obs)";

int query_counts(struct store *st, int64_t hunt, struct hunt_counts *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(st, "counting the hunt's runs", counts_query, ARGS(ARG_I(hunt)), &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r < 0)
		return r;
	*ret = (struct hunt_counts){
		.builds = (unsigned)sql_int(&q, 0),
		.failed_builds = (unsigned)sql_int(&q, 1),
		.boots = (unsigned)sql_int(&q, 2),
		.failed_boots = (unsigned)sql_int(&q, 3),
		.runs = (unsigned)sql_int(&q, 4),
		.failed_runs = (unsigned)sql_int(&q, 5),
		.warmup_runs = (unsigned)sql_int(&q, 6),
		.marks = (unsigned)sql_int(&q, 7),
		.withdrawn = (unsigned)sql_int(&q, 8),
		.build_seconds = sql_real(&q, 9),
		.run_seconds = sql_real(&q, 10),
		.last_ns = sql_int(&q, 11),
	};
	return 0;
}

int query_run(struct store *st, int64_t run, struct run_row *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	struct run_row row;
	const char *outcome;
	int r = sql_start(
		st, "reading a run",
		"select r.id, r.hunt, r.boot, o.build, r.benchmark, b.variant, r.position, r.began_ns,"
		" e.outcome, e.reason, e.seconds from run r"
		" join boot o on o.seq = r.boot join build b on b.id = o.build"
		" left join run_end e on e.run = r.id where r.id = ?1",
		ARGS(ARG_I(run)), &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r < 0)
		return r;
	if (r == 0)
		return err_set(e, ERR_MISSING,
			       "there is no run %lld; 'culprit log N' shows those of hunt N",
			       (long long)run);
	row = (struct run_row){
		.id = sql_int(&q, 0),
		.hunt = sql_int(&q, 1),
		.boot = sql_int(&q, 2),
		.build = sql_int(&q, 3),
		.index = (int)sql_int(&q, 6),
		.began_ns = sql_int(&q, 7),
		.seconds = sql_real(&q, 10),
	};
	outcome = column(&q, 8);
	row.ended = outcome != NULL;
	if (outcome && !outcome_parse(outcome, &row.outcome))
		return db_damaged(q.st, q.what, "an outcome that is none", e);
	row.benchmark = sql_text(&q, 4);
	row.variant = sql_text(&q, 5);
	row.reason = sql_text(&q, 9);
	*ret = row;
	return 0;
}

void run_row_done(struct run_row *r)
{
	free(r->benchmark);
	free(r->variant);
	free(r->reason);
	*r = (struct run_row){ 0 };
}

/* Runs are made one at a time: only what began after the last that ended can be in flight. */
int query_in_flight(struct store *st, struct in_flight *ret, bool *ret_any, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	int r = sql_start(
		st, "looking for a run in flight",
		"select r.hunt, r.id, r.boot, r.benchmark, b.variant, r.began_ns from run r"
		" join boot o on o.seq = r.boot join build b on b.id = o.build"
		" where r.id > coalesce((select max(run) from run_end), 0)"
		" order by r.id desc limit 1",
		NO_ARGS, &q, e);

	if (r == 0)
		r = sql_step(&q, e);
	if (r < 0)
		return r;
	*ret_any = r > 0;
	if (r > 0)
		*ret = (struct in_flight){
			.hunt = sql_int(&q, 0),
			.run = sql_int(&q, 1),
			.boot = sql_int(&q, 2),
			.benchmark = sql_text(&q, 3),
			.variant = sql_text(&q, 4),
			.began_ns = sql_int(&q, 5),
		};
	return 0;
}

void in_flight_done(struct in_flight *f)
{
	free(f->benchmark);
	free(f->variant);
	*f = (struct in_flight){ 0 };
}

/* --- trees -------------------------------------------------------------------------------------------------------- */

static const char trees_query[] =
	"select b.id, b.path, b.variant,"
	" max(b.at_ns,"
	"  coalesce((select max(j.at_ns) from build_use u join journal j on j.seq = u.seq"
	"   where u.build = b.id), 0),"
	"  coalesce((select max(j.at_ns) from boot o join journal j on j.seq = o.seq"
	"   where o.build = b.id), 0)) as used,"
	" coalesce((select max(j.hunt) from build_use u join journal j on j.seq = u.seq"
	"  where u.build = b.id and (select s.status from hunt_state s where s.hunt = j.hunt"
	"   order by s.id desc limit 1) <> 'answered'), 0)"
	" from build b where b.path <> ''"
	" and not exists (select 1 from build_clean c where c.build = b.id)"
	" order by used, b.id";

int query_trees(struct store *st, struct tree_rows *ret, struct err *e)
{
	AUTO(sql) struct sql q = SQL_INIT;
	AUTO(tree_rows) struct tree_rows rows = { 0 };
	int r = sql_start(st, "reading the kept trees", trees_query, NO_ARGS, &q, e);

	if (r < 0)
		return r;
	while ((r = sql_step(&q, e)) > 0) {
		struct tree_row *t = ARRAY_GROW(&rows);

		t->build = sql_int(&q, 0);
		t->path = sql_text(&q, 1);
		t->variant = sql_text(&q, 2);
		t->used_ns = sql_int(&q, 3);
		t->needed = sql_int(&q, 4);
	}
	if (r < 0)
		return r;
	*ret = rows;
	rows = (struct tree_rows){ 0 };
	return 0;
}

void tree_rows_done(struct tree_rows *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i].path);
		free(r->v[i].variant);
	}
	free(r->v);
	*r = (struct tree_rows){ 0 };
}
