/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gitfix.h"

#include "repo/dag.h"

/* main: 1 - 2 - 3 - M - 5;  M merges side (s1 - s2), which left at 1. */
static const char merged[] =
	"c a 1\ngit branch side\nc a 2\nc dir/x 3 2>/dev/null || { mkdir dir; c dir/x 3; }\n"
	"git checkout -q side\nc s 1\nc s 2\ngit checkout -q main\nm side\nc a 5\n";

static void load(struct fix *f, const char *good, const char *bad, unsigned flags,
		 const char *const *paths, struct range *r)
{
	struct err e = ERR_INIT;

	assert_ok(range_load(f->repo, fix_oid(f, good), fix_oid(f, bad), flags, paths, r, &e), &e);
	assert_true(r->g.boundary[r->g.good]);
	assert_false(r->g.boundary[r->g.bad]);
	for (uint32_t i = 0; i < r->g.n; i++)
		assert_int_equal(range_find(r, r->oid[i]), i);
}

static uint32_t node(struct fix *f, const struct range *r, const char *rev)
{
	int64_t i = range_find(r, fix_oid(f, rev));

	if (i < 0)
		fail_msg("%s is not in the range", rev);
	return (uint32_t)i;
}

/* The parents that a node has in the graph, as "REV REV". */
static void expect_parents(struct fix *f, const struct range *r, const char *rev, const char *p1,
			   const char *p2)
{
	const struct graph *g = &r->g;
	uint32_t i = node(f, r, rev), at = g->parent_start[i];

	assert_int_equal(g->parent_start[i + 1] - at, !!p1 + !!p2);
	if (p1)
		assert_int_equal(g->parents[at], node(f, r, p1));
	if (p2)
		assert_int_equal(g->parents[at + 1], node(f, r, p2));
}

static void a_line(void **state UNUSED)
{
	struct fix f;
	struct range r;

	fix_repo(&f, "c a 1\nc a 2\nc a 3\nc a 4\n");
	load(&f, "main~3", "main", 0, NULL, &r);
	assert_int_equal(r.g.n, 4);
	assert_int_equal(graph_candidates(&r.g), 3);
	assert_string_equal(r.oid[r.g.good], fix_oid(&f, "main~3"));
	assert_string_equal(r.oid[r.g.bad], fix_oid(&f, "main"));
	assert_true(r.good_is_ancestor);
	assert_false(r.swapped);
	assert_int_equal(r.merges, 0);
	expect_parents(&f, &r, "main", "main~1", NULL);
	expect_parents(&f, &r, "main~2", "main~3", NULL);
	assert_int_equal(range_find(&r, "none"), -1);
	range_done(&r);
	fix_end(&f);
}

static void a_merge_and_its_sides(void **state UNUSED)
{
	struct fix f;
	struct range r;

	fix_repo(&f, merged);
	load(&f, "main~4", "main", 0, NULL, &r);
	assert_int_equal(graph_candidates(&r.g), 6);
	assert_int_equal(r.g.n, 7);
	assert_int_equal(r.merges, 1);
	expect_parents(&f, &r, "main~1", "main~2", "side");
	expect_parents(&f, &r, "side~1", "main~4", NULL);
	range_done(&r);
	fix_end(&f);
}

static void a_side_branch_that_left_before_good(void **state UNUSED)
{
	struct fix f;
	struct range r;

	/* good is 3: the side's parent, 1, is no candidate and not good itself, but known to be good. */
	fix_repo(&f, merged);
	load(&f, "main~2", "main", 0, NULL, &r);
	assert_int_equal(graph_candidates(&r.g), 4);
	assert_int_equal(r.g.n, 6);
	assert_true(r.g.boundary[node(&f, &r, "main~4")]);
	expect_parents(&f, &r, "side~1", "main~4", NULL);
	expect_parents(&f, &r, "main~1", "main~2", "side");
	range_done(&r);
	fix_end(&f);
}

static void first_parent_takes_a_merge_as_one(void **state UNUSED)
{
	struct fix f;
	struct range r;

	fix_repo(&f, merged);
	load(&f, "main~4", "main", RANGE_FIRST_PARENT, NULL, &r);
	assert_int_equal(graph_candidates(&r.g), 4);
	assert_int_equal(r.merges, 0);
	expect_parents(&f, &r, "main~1", "main~2", NULL);
	assert_int_equal(range_find(&r, fix_oid(&f, "side")), -1);
	range_done(&r);
	/* good lies on the side branch: still a node of its own */
	load(&f, "side", "main", RANGE_FIRST_PARENT, NULL, &r);
	assert_string_equal(r.oid[r.g.good], fix_oid(&f, "side"));
	assert_int_equal(graph_candidates(&r.g), 4);
	range_done(&r);
	fix_end(&f);
}

static void an_octopus(void **state UNUSED)
{
	struct fix f;
	struct range r;

	fix_repo(&f, "c a 1\nfor b in x y z; do git checkout -q -b $b main; c $b 1; done\n"
		     "git checkout -q main; c a 2; m x y z\n");
	load(&f, "main~2", "main", 0, NULL, &r);
	assert_int_equal(graph_candidates(&r.g), 5);
	uint32_t m = node(&f, &r, "main");

	assert_int_equal(r.g.parent_start[m + 1] - r.g.parent_start[m], 4);
	assert_int_equal(r.merges, 1);
	range_done(&r);
	fix_end(&f);
}

static void good_on_another_branch(void **state UNUSED)
{
	struct fix f;
	struct range r;

	fix_repo(
		&f,
		"c a 1\nc a 2\ngit checkout -q -b old\nc o 1\nc o 2\ngit checkout -q main\nc a 3\nc a 4\n");
	load(&f, "old", "main", 0, NULL, &r);
	assert_false(r.good_is_ancestor);
	assert_false(r.swapped);
	assert_int_equal(r.bases, 1);
	assert_string_equal(r.oid[r.g.good], fix_oid(&f, "main~2"));
	assert_string_equal(r.good_oid, fix_oid(&f, "old"));
	assert_int_equal(graph_candidates(&r.g), 2);
	range_done(&r);
	fix_end(&f);
}

static void crossed_branches_have_two_bases(void **state UNUSED)
{
	struct fix f;
	struct range r;

	fix_repo(&f, "c a 0\ngit branch y\nc a 1\nt x1\ngit checkout -q y\nc b 1\nt y1\n"
		     "m x1\nc b 2\ngit checkout -q main\nm y1\nc a 2\n");
	load(&f, "y", "main", 0, NULL, &r);
	assert_int_equal(r.bases, 2);
	assert_false(r.good_is_ancestor);
	/* candidates: the merge on main and the commit after it; both bases are boundary */
	assert_int_equal(graph_candidates(&r.g), 2);
	assert_true(r.g.boundary[node(&f, &r, "x1")]);
	assert_true(r.g.boundary[node(&f, &r, "y1")]);
	range_done(&r);
	fix_end(&f);
}

static void a_merged_history_with_its_own_root(void **state UNUSED)
{
	struct fix f;
	struct range r;

	fix_repo(
		&f,
		"c a 1\ngit checkout -q --orphan other; git rm -q -f a\nc o 1\nc o 2\n"
		"git checkout -q main; tick; git merge -q --no-ff --allow-unrelated-histories -m join other\nc a 2\n");
	load(&f, "main~2", "main", 0, NULL, &r);
	assert_int_equal(graph_candidates(&r.g), 4);
	expect_parents(&f, &r, "other~1", NULL, NULL);
	assert_false(r.g.boundary[node(&f, &r, "other~1")]);
	range_done(&r);
	fix_end(&f);
}

static void ends_given_the_wrong_way_round(void **state UNUSED)
{
	struct fix f;
	struct range r;

	fix_repo(&f, merged);
	load(&f, "main", "main~4", 0, NULL, &r);
	assert_true(r.swapped);
	assert_string_equal(r.oid[r.g.good], fix_oid(&f, "main~4"));
	assert_string_equal(r.oid[r.g.bad], fix_oid(&f, "main"));
	assert_string_equal(r.good_oid, fix_oid(&f, "main"));
	assert_int_equal(graph_candidates(&r.g), 6);
	range_done(&r);
	fix_end(&f);
}

static void no_range_at_all(void **state UNUSED)
{
	struct fix f;
	struct range r;
	struct err e = ERR_INIT;

	fix_repo(&f, "c a 1\nc a 2\ngit checkout -q --orphan other\nc o 1\n");
	assert_err(range_load(f.repo, fix_oid(&f, "main"), fix_oid(&f, "main"), 0, NULL, &r, &e),
		   &e, ERR_USAGE, "nothing between");
	assert_err(range_load(f.repo, fix_oid(&f, "main"), fix_oid(&f, "other"), 0, NULL, &r, &e),
		   &e, ERR_USAGE, "no common history");
	fix_end(&f);
}

static void a_shallow_range_ends_at_the_cut(void **state UNUSED)
{
	struct fix f;
	struct range r;
	struct err e = ERR_INIT;

	fix_repo(
		&f,
		"c a 1\ngit checkout -q -b old\nc o 1\ngit checkout -q main\nc a 2\nc a 3\nc a 4\n");
	fix_sh(&f, "", "git clone -q --depth 2 --no-single-branch file://$PWD/r s 2>/dev/null");
	fix_open(&f, "s");
	assert_ok(range_load(f.repo, fix_oid(&f, "main~1"), fix_oid(&f, "main"), 0, NULL, &r, &e),
		  &e);
	assert_int_equal(graph_candidates(&r.g), 1);
	range_done(&r);
	assert_err(range_load(f.repo, fix_oid(&f, "old"), fix_oid(&f, "main"), 0, NULL, &r, &e), &e,
		   ERR_USAGE, "--unshallow");
	fix_end(&f);
}

static void paths_make_the_others_unlikely(void **state UNUSED)
{
	static const char *const paths[] = { "s", NULL }, *const none[] = { "nowhere", NULL };
	static const char *const below[] = { "x", NULL }, *const outside[] = { "../../..", NULL };
	struct fix f;
	struct range r;
	struct err e = ERR_INIT;

	fix_repo(&f, merged);
	load(&f, "main~4", "main", 0, paths, &r);
	assert_double(r.g.weight[node(&f, &r, "side")], 1, 0);
	assert_double(r.g.weight[node(&f, &r, "side~1")], 1, 0);
	assert_true(fabs(r.g.weight[node(&f, &r, "main")] - 1e-6) < 1e-12);
	assert_true(fabs(r.g.weight[node(&f, &r, "main~1")] - 1e-6) <
		    1e-12); /* the merge adds nothing itself */
	assert_true(r.g.weight[r.g.good] == 0);
	range_done(&r);
	/* with --first-parent the merge is what brings s */
	load(&f, "main~4", "main", RANGE_FIRST_PARENT, paths, &r);
	assert_double(r.g.weight[node(&f, &r, "main~1")], 1, 0);
	range_done(&r);
	fix_open(&f, "r/dir"); /* a path is the user's, who stands in dir/ */
	load(&f, "main~4", "main", 0, below, &r);
	assert_double(r.g.weight[node(&f, &r, "main~2")], 1, 0);
	range_done(&r);
	assert_err(range_load(f.repo, fix_oid(&f, "main~4"), fix_oid(&f, "main"), 0, none, &r, &e),
		   &e, ERR_USAGE, "touches nowhere");
	assert_err(
		range_load(f.repo, fix_oid(&f, "main~4"), fix_oid(&f, "main"), 0, outside, &r, &e),
		&e, ERR_USAGE, "outside repository");
	fix_end(&f);
}

static void expect_touched(struct fix *f, const struct range *r, const struct touched *t,
			   const char *rev, const char *wanted)
{
	AUTO(str) struct str got = STR_INIT;
	uint32_t i = node(f, r, rev);

	for (uint32_t k = t->start[i]; k < t->start[i + 1]; k++)
		str_addf(&got, "%c %s;", t->status[k], t->path[k]);
	assert_string_equal(got.p, wanted);
}

static void what_each_commit_touches(void **state UNUSED)
{
	struct fix f;
	struct range r;
	struct touched t;
	struct err e = ERR_INIT;

	fix_repo(
		&f,
		"c a 1\nc b 1\ngit branch side\nc 'new\nline \"q\"' 1\n"
		"tick; chmod +x a; git commit -q -a -m mode\n"
		"tick; ln -s a l; git add l; git mv b c; git commit -q -m 'link and rename'\n"
		"tick; rm l; echo f >l; git add l; git commit -q -m 'no link'\n"
		"git checkout -q side; c s 1; git checkout -q main; m side\n"
		"git checkout -q -b evil main; c e 1; c a 7; git checkout -q main; c a 8; tick\n"
		"git merge -q --no-ff -X ours -m evil evil >/dev/null || true; echo 9 >a; git add a; git commit -q --amend -m evil\n"
		"tick; git commit -q --allow-empty -m empty\n");
	load(&f, "main~7", "main", 0, NULL, &r);
	assert_ok(range_touched(f.repo, &r, &t, &e), &e);
	assert_int_equal(t.n, r.g.n);
	expect_touched(&f, &r, &t, "main~7", ""); /* the boundary is not asked about */
	expect_touched(&f, &r, &t, "main~6", "M a;");
	expect_touched(&f, &r, &t, "main~5", "D b;A c;A l;");
	expect_touched(&f, &r, &t, "main~4", "T l;");
	expect_touched(&f, &r, &t, "main~3", ""); /* a merge that only joins */
	expect_touched(&f, &r, &t, "side", "A s;");
	expect_touched(&f, &r, &t, "main~1", "M a;"); /* a merge with a change of its own */
	expect_touched(&f, &r, &t, "main", "");
	touched_done(&t);
	range_done(&r);
	load(&f, "main~8", "main~3", RANGE_FIRST_PARENT, NULL, &r);
	assert_ok(range_touched(f.repo, &r, &t, &e), &e);
	expect_touched(&f, &r, &t, "main~7", "A new\nline \"q\";");
	expect_touched(&f, &r, &t, "main~3", "A s;"); /* against the first parent */
	touched_done(&t);
	range_done(&r);
	fix_end(&f);
}

static void the_first_commit_touches_all_it_has(void **state UNUSED)
{
	struct fix f;
	struct range r;
	struct touched t;
	struct err e = ERR_INIT;

	fix_repo(
		&f,
		"c a 1\ngit checkout -q --orphan other; git rm -q -f a\nc o 1\n"
		"git checkout -q main; tick; git merge -q --no-ff --allow-unrelated-histories -m join other\n");
	load(&f, "main~1", "main", 0, NULL, &r);
	assert_ok(range_touched(f.repo, &r, &t, &e), &e);
	expect_touched(&f, &r, &t, "other", "A o;");
	touched_done(&t);
	range_done(&r);
	fix_end(&f);
}

static void a_range_survives_as_text(void **state UNUSED)
{
	static const char *const paths[] = { "s", NULL };
	struct fix f;
	struct range r, back;
	struct err e = ERR_INIT;
	AUTO(str) struct str text = STR_INIT, again = STR_INIT;

	fix_repo(&f, merged);
	load(&f, "main~2", "main", 0, paths, &r);
	range_write(&r, &text);
	assert_ok(range_parse(text.p, &back, &e), &e);
	range_write(&back, &again);
	assert_string_equal(text.p, again.p);
	assert_int_equal(back.g.n, r.g.n);
	assert_int_equal(back.merges, r.merges);
	assert_int_equal(back.g.good, r.g.good);
	assert_int_equal(back.g.bad, r.g.bad);
	assert_memory_equal(back.g.weight, r.g.weight, r.g.n * sizeof(double));
	assert_memory_equal(back.g.boundary, r.g.boundary, r.g.n);
	assert_true(back.good_is_ancestor);
	for (uint32_t i = 0; i < r.g.n; i++)
		assert_int_equal(range_find(&back, r.oid[i]), i);
	range_done(&r);
	range_done(&back);
	fix_end(&f);
}

static void names_of_releases_may_hold_blanks(void **state UNUSED)
{
	static const char text[] =
		"culprit-range 1\ngood linux 6.1\nbad linux 6.3\nends 0 2 1 0 1\n"
		"b 0 - linux 6.1\nc 1 0 linux 6.2\nc 0.5 1 linux 6.3\n";
	struct range r;
	struct err e = ERR_INIT;
	AUTO(str) struct str again = STR_INIT;

	assert_ok(range_parse(text, &r, &e), &e);
	assert_int_equal(range_find(&r, "linux 6.2"), 1);
	range_write(&r, &again);
	assert_string_equal(again.p, text);
	range_done(&r);
}

#define HEAD "culprit-range 1\ngood a\nbad b\n"
static void broken_texts_are_refused_by_line(void **state UNUSED)
{
	static const struct {
		const char *text;
		unsigned line;
	} rows[] = {
		{ "", 0 },
		{ "culprit-range 2\n", 1 },
		{ "culprit-range 1\nbad b\ngood a\nends 0 1 1 0 1\n", 2 },
		{ HEAD "ends 0 1 1 0\nb 0 - a\nc 1 0 b\n", 4 },
		{ HEAD "ends 0 1 1 0 1 x\nb 0 - a\nc 1 0 b\n", 4 },
		{ HEAD "ends 0 2 1 0 1\nb 0 - a\nc 1 0 b\n", 6 },
		{ HEAD "ends 1 1 1 0 1\nb 0 - a\nc 1 0 b\n", 6 },
		{ HEAD "ends 0 99999999999 1 0 1\nb 0 - a\nc 1 0 b\n", 4 },
		{ HEAD "ends 0 1 1 0 1\nb 0 - a\nc 1 1 b\n", 6 },   /* its own parent */
		{ HEAD "ends 0 1 1 0 1\nb 0 - a\nc 1 0,7 b\n", 6 }, /* a parent to come */
		{ HEAD "ends 0 1 1 0 1\nb 0 - a\nc 1 0, b\n", 6 },
		{ HEAD "ends 0 1 1 0 1\nb 0 - a\nc 0 0 b\n", 6 }, /* a candidate without weight */
		{ HEAD "ends 0 1 1 0 1\nb 0 - a\nc nan 0 b\n", 6 },
		{ HEAD "ends 0 1 1 0 1\nb 1 - a\nc 1 0 b\n", 5 },
		{ HEAD "ends 0 1 1 0 1\nb 0 - a\nc 1 0 a\n", 6 }, /* a name twice */
		{ HEAD "ends 0 1 1 0 1\nb 0 - a\nc 1 0 \n", 6 },
		{ HEAD "ends 0 1 1 0 1\nb 0 - a\n\nc 1 0 b\n", 6 },
		{ HEAD "ends 0 1 1 0 1\n", 4 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = ERR_INIT;
		struct range r;
		AUTO_FREE char *says = xasprintf("line %u of a stored range", rows[i].line);

		assert_err(range_parse(rows[i].text, &r, &e), &e, ERR_BROKEN, says);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line),
		cmocka_unit_test(a_merge_and_its_sides),
		cmocka_unit_test(a_side_branch_that_left_before_good),
		cmocka_unit_test(first_parent_takes_a_merge_as_one),
		cmocka_unit_test(an_octopus),
		cmocka_unit_test(good_on_another_branch),
		cmocka_unit_test(crossed_branches_have_two_bases),
		cmocka_unit_test(a_merged_history_with_its_own_root),
		cmocka_unit_test(ends_given_the_wrong_way_round),
		cmocka_unit_test(no_range_at_all),
		cmocka_unit_test(a_shallow_range_ends_at_the_cut),
		cmocka_unit_test(paths_make_the_others_unlikely),
		cmocka_unit_test(what_each_commit_touches),
		cmocka_unit_test(the_first_commit_touches_all_it_has),
		cmocka_unit_test(a_range_survives_as_text),
		cmocka_unit_test(names_of_releases_may_hold_blanks),
		cmocka_unit_test(broken_texts_are_refused_by_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
