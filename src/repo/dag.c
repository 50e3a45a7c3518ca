/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One `git rev-list --reverse --topo-order --parents BAD ^GOOD` gives the candidates, parents before children, which is the order in
 * which the graph wants its nodes. A parent that has not been seen is outside the range, so it lies on the boundary and is added on the
 * spot: `--boundary` would tell the same later and again. git does the walk because it has the commit-graph file and the caches;
 * what is left for us is one pass over its output with a hash map, about as long as printing it took.
 *
 * The rest is one more walk, `git merge-base`, which only ends that are not in line need.
 *
 * Several merge bases (criss-cross): candidates are what bad has and good has not, whatever the number of bases; only one can be
 * measured as the good end, the first that git names, which is the newest.
 */
#include "repo/dag.h"

#include "base/num.h"
#include "repo/place.h"

#include <assert.h>
#include <string.h>

enum { TINY_PER_MILLION = 1 }; /* weight of a commit that touches none of the paths, of 1e6 */

struct loader {
	struct range *r;
	struct graph_builder b;
	size_t cap_oid;
};

static uint32_t add_node(struct loader *l, const char *name, const uint32_t *parents, uint32_t n,
			 bool boundary)
{
	uint32_t id = graph_add(&l->b, parents, n, boundary);

	array_reserve_((void **)&l->r->oid, &l->cap_oid, id + 1, sizeof(*l->r->oid));
	l->r->oid[id] = arena_strdup(&l->r->names, name);
	oidmap_add(&l->r->map, l->r->oid, id);
	l->r->merges += n > 1;
	return id;
}

int64_t range_find(const struct range *r, const char *oid)
{
	return oidmap_find(&r->map, r->oid, oid);
}

static void empty(struct range *r)
{
	graph_done(&r->g);
	free(r->oid);
	r->oid = NULL;
	r->merges = 0;
	arena_done(&r->names);
	oidmap_done(&r->map);
}

void range_done(struct range *r)
{
	empty(r);
	free(r->good_oid);
	free(r->bad_oid);
	*r = (struct range){ 0 };
}

/* "COMMIT PARENT..." of one candidate; cut up in place. */
static void add_candidate(struct loader *l, char *line, bool first_parent_only)
{
	struct {
		uint32_t *v;
		size_t n, cap;
	} parents = { 0 };
	char *p = line + strcspn(line, " ");

	while (*p) {
		*p++ = '\0';
		char *name = p;

		p += strcspn(p, " ");
		if (parents.n && first_parent_only)
			break;
		char kept = *p;

		*p = '\0';
		int64_t id = range_find(l->r, name);

		if (id < 0)
			id = add_node(l, name, NULL, 0, true);
		ARRAY_PUSH(&parents, (uint32_t)id);
		*p = kept;
	}
	add_node(l, line, parents.v, (uint32_t)parents.n, false);
	free(parents.v);
}

static int walk(struct repo *r, struct loader *l, const char *from, const char *to, unsigned flags,
		struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	AUTO(strvec) struct strvec args = STRVEC_INIT;
	struct git_at at = repo_store_at(r);
	bool first = flags & RANGE_FIRST_PARENT;
	int n;

	strvec_add(&args, "rev-list");
	strvec_add(&args, "--reverse");
	strvec_add(&args, "--topo-order");
	strvec_add(&args, "--parents");
	if (first)
		strvec_add(&args, "--first-parent");
	strvec_add(&args, "--end-of-options");
	strvec_add(&args, to);
	strvec_addf(&args, "^%s", from);
	n = git_check(&at, (const char *const *)args.v, &g, e);
	if (n < 0)
		return err_wrap(e, "listing the commits between good and bad");
	for (char *p = g.out.p; *p;) {
		char *end = p + strcspn(p, "\n");
		char *next = end + (*end == '\n');

		*end = '\0';
		add_candidate(l, p, first);
		p = next;
	}
	return 0;
}

/*
 * How the ends lie to each other; *ret_base gets the commit that is to be measured as the good end.
 */
static int find_base(struct repo *r, struct range *ret, char ret_base[65], struct err *e)
{
	AUTO(git_result) struct git_result g = GIT_RESULT_INIT;
	struct git_at at = repo_store_at(r);
	int n;

	ret->bases = 0;
	n = git_run(
		&at,
		GIT_ARGS("merge-base", "--all", "--end-of-options", ret->good_oid, ret->bad_oid),
		&g, e);
	if (n < 0)
		return n;
	if (g.status > 1)
		return err_set(e, ERR_ENV, "looking for the merge base of good and bad: git: %s",
			       git_reason(&g));
	if (g.status || !g.out.n)
		return err_set(
			e, ERR_USAGE, "good %.12s and bad %.12s have no common history%s",
			ret->good_oid, ret->bad_oid,
			r->shallow ? " in this shallow clone: git fetch --unshallow gets the rest"
				   : "");
	for (const char *p = g.out.p; *p; p++)
		ret->bases += *p == '\n';
	g.out.p[strcspn(g.out.p, "\n")] = '\0';
	if (!git_is_oid(g.out.p))
		return err_set(e, ERR_ENV, "git merge-base answered '%s'", g.out.p);
	strcpy(ret_base, g.out.p);
	ret->good_is_ancestor = !strcmp(ret_base, ret->good_oid);
	ret->swapped = !strcmp(ret_base, ret->bad_oid);
	return 0;
}

/* One line a candidate: itself and the parents that it has in the graph (with --first-parent that is one). */
static void list_candidates(const struct range *g, struct str *out)
{
	for (uint32_t i = 0; i < g->g.n; i++) {
		if (g->g.boundary[i])
			continue;
		str_puts(out, g->oid[i]);
		for (uint32_t k = g->g.parent_start[i]; k < g->g.parent_start[i + 1]; k++) {
			str_putc(out, ' ');
			str_puts(out, g->oid[g->g.parents[k]]);
		}
		str_putc(out, '\n');
	}
}

/* "COMMIT 0 STATUS 0 PATH 0 STATUS 0 PATH 0 COMMIT 0 ...", commits in the order of the nodes; those without a difference may be missing. */
static int parse_touched(const struct range *g, struct str *out, struct touched *t, struct err *e)
{
	size_t cap_path = 0, cap_status = 0, n = 0;
	char *p = out->p, *end = out->p + out->n;
	uint32_t node = 0; /* start[] is set up to here */

	while (p < end) {
		if (git_is_oid(p)) {
			int64_t id = range_find(g, p);

			if (id < node)
				return err_set(e, ERR_ENV, "git diff-tree answered out of order");
			while (node < id)
				t->start[++node] = (uint32_t)n;
			p += strlen(p) + 1;
			continue;
		}
		char *path = p + strlen(p) + 1;

		if (path >= end || n >= UINT32_MAX - 1)
			return err_set(e, ERR_ENV, "git diff-tree gave a status without a path");
		array_reserve_((void **)&t->path, &cap_path, n + 1, sizeof(*t->path));
		array_reserve_((void **)&t->status, &cap_status, n + 1, 1);
		t->path[n] = path;
		t->status[n++] = *p;
		p = path + strlen(path) + 1;
	}
	while (node < t->n)
		t->start[++node] = (uint32_t)n;
	return 0;
}

/* With `paths`, only what lies below them; they mean what they mean to the user, who may stand in a subfolder: git puts the prefix. */
static int list_touched(struct repo *r, const struct range *g, const char *const *paths,
			struct touched *ret, struct err *e)
{
	AUTO(git_result) struct git_result out = GIT_RESULT_INIT;
	AUTO(strvec) struct strvec args = STRVEC_INIT;
	AUTO(str) struct str list = STR_INIT;
	struct git_at at = repo_store_at(r);
	struct touched t = { .n = g->g.n };
	int n;

	list_candidates(g, &list);
	at.stdin_bytes = list.p;
	at.stdin_n = list.n;
	if (paths && !r->bare) {
		at.work_tree = r->top;
		at.cwd = r->start;
	}
	for (const char *const *a = GIT_ARGS("diff-tree", "--stdin", "-r", "-z", "-c", "--root",
					     "--name-status", "--");
	     *a; a++)
		strvec_add(&args, *a);
	for (size_t i = 0; paths && paths[i]; i++)
		strvec_add(&args, paths[i]);
	n = git_run(&at, (const char *const *)args.v, &out, e);
	if (n < 0)
		return n;
	if (out.status)
		return err_set(e, paths ? ERR_USAGE : ERR_ENV,
			       "listing the files that commits touch: git: %s", git_reason(&out));
	t.start = xcalloc((size_t)t.n + 1, sizeof(*t.start));
	n = parse_touched(g, &out.out, &t, e);
	t.bytes = str_take(&out.out);
	if (n < 0)
		touched_done(&t);
	else
		*ret = t;
	return n;
}

int range_touched(struct repo *r, const struct range *g, struct touched *ret, struct err *e)
{
	return list_touched(r, g, NULL, ret, e);
}

void touched_done(struct touched *t)
{
	free(t->start);
	free(t->path);
	free(t->status);
	free(t->bytes);
	*t = (struct touched){ 0 };
}

/* Commits that touch the paths keep their weight, the others get a tiny one. */
static int weigh(struct repo *r, struct range *ret, const char *const *paths, struct err *e)
{
	struct touched t = { 0 };
	uint32_t touching = 0;
	int n = list_touched(r, ret, paths, &t, e);

	if (n < 0)
		return n;
	for (uint32_t i = 0; i < ret->g.n; i++) {
		if (t.start[i] == t.start[i + 1]) {
			ret->g.weight[i] *= TINY_PER_MILLION / 1e6;
			ret->outside += !ret->g.boundary[i];
		} else {
			touching++;
		}
	}
	touched_done(&t);
	if (!touching)
		return err_set(e, ERR_USAGE, "no commit between good and bad touches %s%s",
			       paths[0], paths[1] ? " or the other paths" : "");
	return 0;
}

/* The graph of what `to` has and `from` has not; node 0 is `base`. */
static int fill(struct repo *r, struct range *ret, const char *base, const char *from,
		const char *to, unsigned flags, struct err *e)
{
	struct loader l = { .r = ret };
	uint32_t good = add_node(&l, base, NULL, 0, true);
	int n = walk(r, &l, from, to, flags, e);
	int64_t bad = range_find(ret, to);

	ret->g = graph_finish(&l.b, good, bad < 0 ? good : (uint32_t)bad);
	return n;
}

static bool is_a_parent(const struct graph *g, uint32_t node)
{
	for (uint32_t k = 0; g->n && k < g->parent_start[g->n]; k++)
		if (g->parents[k] == node)
			return true;
	return false;
}

/*
 * Good is an ancestor of bad if and only if it is a parent of a candidate (a way from bad down to good leaves the candidates just
 * before good), so the usual case needs no second walk for the merge base. With --first-parent the parent may be hidden.
 */
static int load(struct repo *r, struct range *ret, unsigned flags, const char *const *paths,
		struct err *e)
{
	char base[65];
	int n;

	if (!strcmp(ret->good_oid, ret->bad_oid))
		return err_set(e, ERR_USAGE, "nothing between good and bad: both are commit %.12s",
			       ret->good_oid);
	n = fill(r, ret, ret->good_oid, ret->good_oid, ret->bad_oid, flags, e);
	if (n < 0)
		return n;
	ret->good_is_ancestor = is_a_parent(&ret->g, ret->g.good);
	ret->bases = 1;
	if (!ret->good_is_ancestor) {
		empty(ret);
		n = find_base(r, ret, base, e);
		if (n == 0)
			n = fill(r, ret, base, ret->swapped ? ret->bad_oid : ret->good_oid,
				 ret->swapped ? ret->good_oid : ret->bad_oid, flags, e);
		if (n < 0)
			return n;
	}
	if (ret->g.good == ret->g.bad)
		return err_set(e, ERR_USAGE, "nothing between good %.12s and bad %.12s",
			       ret->good_oid, ret->bad_oid);
	return paths && paths[0] ? weigh(r, ret, paths, e) : 0;
}

int range_load(struct repo *r, const char *good_oid, const char *bad_oid, unsigned flags,
	       const char *const *paths, struct range *ret, struct err *e)
{
	struct range made = { .good_oid = xstrdup(good_oid), .bad_oid = xstrdup(bad_oid) };
	int n = load(r, &made, flags, paths, e);

	if (n < 0) {
		range_done(&made);
		return n;
	}
	*ret = made;
	return 0;
}

static void put_node(const struct range *r, uint32_t i, struct str *out)
{
	const struct graph *g = &r->g;

	str_addf(out, "%c %.17g ", g->boundary[i] ? 'b' : 'c', g->weight[i]);
	for (uint32_t k = g->parent_start[i]; k < g->parent_start[i + 1]; k++)
		str_addf(out, "%s%u", k == g->parent_start[i] ? "" : ",", g->parents[k]);
	str_addf(out, "%s %s\n", g->parent_start[i] == g->parent_start[i + 1] ? "-" : "",
		 r->oid[i]);
}

void range_write(const struct range *r, struct str *out)
{
	str_addf(out, "culprit-range 1\ngood %s\nbad %s\n", r->good_oid, r->bad_oid);
	str_addf(out, "ends %u %u %d %d %u\n", r->g.good, r->g.bad, r->good_is_ancestor, r->swapped,
		 r->bases);
	for (uint32_t i = 0; i < r->g.n; i++)
		put_node(r, i, out);
}

/* The text being parsed, and where. */
struct lines {
	char *p;
	unsigned line;
};

static char *next_line(struct lines *l)
{
	char *line = l->p, *end = line + strcspn(line, "\n");

	if (!*line)
		return NULL;
	l->p = end + (*end == '\n');
	*end = '\0';
	l->line++;
	return line;
}

static int broken(const struct lines *l, struct err *e)
{
	return err_set(e, ERR_BROKEN, "line %u of a stored range cannot be read", l->line);
}

static bool scan_number(char **p, uint32_t *ret)
{
	uint64_t v = 0;
	char *start = *p;

	for (; **p >= '0' && **p <= '9' && v <= UINT32_MAX; (*p)++)
		v = v * 10 + (unsigned)(**p - '0');
	*ret = (uint32_t)v;
	return *p > start && v <= UINT32_MAX;
}

static bool skip(char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

/* "0,3" or "-" into parents[]; false if one is not a node yet. */
static bool scan_parents(char **p, uint32_t nodes, struct str *parents)
{
	if (skip(p, '-'))
		return true;
	do {
		uint32_t id;

		if (!scan_number(p, &id) || id >= nodes)
			return false;
		str_add(parents, (const char *)&id, sizeof(id));
	} while (skip(p, ','));
	return true;
}

static int parse_node(struct loader *l, char *p, const struct lines *at, struct err *e)
{
	AUTO(str) struct str parents = STR_INIT;
	bool boundary = *p == 'b';
	const char *after;
	double weight;

	if ((*p != 'b' && *p != 'c') || p[1] != ' ' ||
	    !num_scan_double(p + 2, &after, &weight, &(double){ 0 }))
		return broken(at, e);
	p += after - p;
	if (!skip(&p, ' ') || !scan_parents(&p, l->b.g.n, &parents) || !skip(&p, ' ') || !*p ||
	    range_find(l->r, p) >= 0)
		return broken(at, e);
	if (boundary ? weight != 0 || parents.n : !(weight > 0))
		return broken(at, e);
	uint32_t n = (uint32_t)(parents.n / sizeof(uint32_t));
	AUTO_FREE uint32_t *v = xmemdup(parents.p, parents.n);
	uint32_t id = add_node(l, p, v, n, boundary);

	l->b.g.weight[id] = weight;
	return 0;
}

/* "WORD TEXT": a copy of the text, or NULL. */
static char *take_field(struct lines *l, const char *word)
{
	char *p = next_line(l);
	size_t n = strlen(word);

	return p && starts_with(p, word) && p[n] == ' ' && p[n + 1] ? xstrdup(p + n + 1) : NULL;
}

static int parse_head(struct lines *l, struct range *r, uint32_t ends[2], struct err *e)
{
	AUTO_FREE char *version = take_field(l, "culprit-range");
	AUTO_FREE char *numbers = NULL;
	uint32_t v[5];

	if (!version || strcmp(version, "1"))
		return broken(l, e);
	if (!(r->good_oid = take_field(l, "good")) || !(r->bad_oid = take_field(l, "bad")) ||
	    !(numbers = take_field(l, "ends")))
		return broken(l, e);
	char *p = numbers;

	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		if ((i && !skip(&p, ' ')) || !scan_number(&p, &v[i]))
			return broken(l, e);
	if (*p)
		return broken(l, e);
	ends[0] = v[0];
	ends[1] = v[1];
	r->good_is_ancestor = v[2];
	r->swapped = v[3];
	r->bases = v[4];
	return 0;
}

int range_parse(const char *text, struct range *ret, struct err *e)
{
	AUTO_FREE char *copy = xstrdup(text);
	struct lines at = { copy, 0 };
	struct range made = { 0 };
	struct loader l = { .r = &made };
	uint32_t ends[2] = { 0, 0 };
	int n = parse_head(&at, &made, ends, e);

	for (char *p; n == 0 && (p = next_line(&at));)
		n = parse_node(&l, p, &at, e);
	if (n == 0 && (ends[0] >= l.b.g.n || ends[1] >= l.b.g.n || ends[0] == ends[1]))
		n = broken(&at, e);
	made.g = graph_finish(&l.b, ends[0], ends[1]);
	if (n < 0) {
		range_done(&made);
		return n;
	}
	*ret = made;
	return 0;
}
