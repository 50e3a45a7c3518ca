/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store_unit.h"

#include "store/query.h"

/* A hunt with two builds, an A-B-A order of boots, a warm-up, a failed run and a withdrawn one; ids in `f`. */
struct filled {
	struct store *st;
	int64_t hunt, build[2], boot[3], run[8];
};

static int64_t run_failed(struct store *st, int64_t hunt, int64_t boot, int index)
{
	int64_t run = 0;

	OK(store_run_begin(st, hunt, boot, "bench", index, &run, &oops));
	OK(store_run_end(st, run, OUTCOME_FAILED, "exit status 3", 0.5, NULL, NULL, 0, &oops));
	return run;
}

static struct filled fill(const struct place *p)
{
	struct filled f = { .st = open_store(p, STORE_WRITE) };
	unsigned n;

	begin_hunt(f.st, "before");
	f.hunt = begin_hunt(f.st, "k");
	f.build[0] = add_build(f.st, "a", OUTCOME_OK, "trees/a");
	f.build[1] = add_build(f.st, "b", OUTCOME_OK, "trees/b");
	OK(store_use_build(f.st, f.hunt, f.build[0], "A", &oops));
	OK(store_use_build(f.st, f.hunt, f.build[1], "B", &oops));
	for (int i = 0; i < 3; i++)
		OK(store_boot_add(f.st, f.hunt, f.build[i & 1], NULL, OUTCOME_OK, NULL, 0,
				  &f.boot[i], &oops));
	f.run[0] = run_once(f.st, f.hunt, f.boot[0], -1, 4);
	f.run[1] = run_once(f.st, f.hunt, f.boot[0], 0, 1);
	f.run[2] = run_once(f.st, f.hunt, f.boot[1], 0, 2);
	f.run[3] = run_failed(f.st, f.hunt, f.boot[1], 1);
	f.run[4] = run_once(f.st, f.hunt, f.boot[2], 0, 8);
	f.run[5] = run_once(f.st, f.hunt, f.boot[2], 1, 16);
	OK(store_undo(f.st, f.hunt, 1, &n, &oops));
	return f;
}

static void samples_pass_the_filter(void **state)
{
	struct place *p = *state;
	struct filled f = fill(p);
	static const struct {
		struct sample_filter f;
		const char *runs; /* numbers in filled.run, one for each row */
	} rows[] = {
		{ { 0 }, "112244" },
		{ { .metric = "wall" }, "124" },
		{ { .metric = "wall", .with_warmup = true }, "0124" },
		{ { .metric = "wall", .with_failed = true }, "1234" },
		{ { .metric = "wall", .with_withdrawn = true }, "1245" },
		{ { .metric = "wall", .variant = "A" }, "14" },
		{ { .metric = "wall", .variant = "B", .with_failed = true }, "23" },
		{ { .metric = "wall", .variant = "abcd" }, "124" },
		{ { .metric = "wall", .variant = "C" }, "" },
		{ { .metric = "none" }, "" },
		{ { .benchmark = "bench" }, "112244" },
		{ { .benchmark = "none" }, "" },
		{ { .hunt = 1 }, "" },
		{ { .hunt = 2, .metric = "ops" }, "124" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(samples) struct samples s = { 0 };

		OK(query_samples(f.st, &rows[i].f, &s, &oops));
		assert_int_equal(s.n, strlen(rows[i].runs));
		for (size_t k = 0; k < s.n; k++)
			assert_int_equal(s.v[k].run, f.run[rows[i].runs[k] - '0']);
	}
	store_close(f.st);
}

static void a_sample_carries_its_context(void **state)
{
	struct place *p = *state;
	AUTO(samples) struct samples s = { 0 };
	struct filled f = fill(p);
	struct sample_filter all = { .with_failed = true,
				     .with_warmup = true,
				     .with_withdrawn = true };

	OK(query_samples(f.st, &all, &s, &oops));
	assert_int_equal(s.n, 11);

	const struct sample_row *ops = &s.v[5], *failed = &s.v[6], *gone = &s.v[10];

	assert_int_equal(ops->hunt, f.hunt);
	assert_int_equal(ops->build, f.build[1]);
	assert_int_equal(ops->boot, f.boot[1]);
	assert_string_equal(ops->node, "B");
	assert_string_equal(ops->variant, "v1:revert=ab");
	assert_string_equal(ops->commit, "abcd");
	assert_string_equal(ops->benchmark, "bench");
	assert_string_equal(ops->metric, "ops");
	assert_string_equal(ops->unit, "ops/s");
	assert_int_equal(ops->better, BETTER_HIGHER);
	assert_true(ops->value == 0.5 && ops->resolution == 0.01 && ops->seconds == 2);
	assert_int_equal(ops->order, 2);
	assert_int_equal(ops->index, 0);
	assert_int_equal(ops->outcome, OUTCOME_OK);
	assert_null(failed->metric);
	assert_true(isnan(failed->value));
	assert_int_equal(failed->outcome, OUTCOME_FAILED);
	assert_string_equal(failed->reason, "exit status 3");
	assert_int_equal(failed->order, 3);
	assert_true(gone->withdrawn);
	assert_int_equal(s.v[0].index, -1);
	for (size_t i = 1; i < s.n; i++)
		assert_true(s.v[i].began_ns >= s.v[i - 1].began_ns);
	store_close(f.st);
}

static int stop_at_two(void *arg, const struct sample_row *s UNUSED, struct err *e)
{
	return ++*(int *)arg == 2 ? err_set(e, ERR_ENV, "enough") : 0;
}

static void a_reader_can_stop(void **state)
{
	struct place *p = *state;
	struct filled f = fill(p);
	struct err e = ERR_INIT;
	int seen = 0;

	assert_int_equal(
		query_samples_each(f.st, &(struct sample_filter){ 0 }, stop_at_two, &seen, &e),
		-ERR_ENV);
	assert_int_equal(seen, 2);
	assert_int_equal(query_samples_each(f.st, &(struct sample_filter){ .hunt = 9 }, stop_at_two,
					    &seen, &e),
			 -ERR_MISSING);
	store_close(f.st);
}

/* The same build under two names (A against A): each boot belongs to the name used last before it. */
static void a_boot_belongs_to_the_newest_use(void **state)
{
	struct place *p = *state;
	AUTO(samples) struct samples s = { 0 };
	struct store *st = open_store(p, STORE_WRITE);
	int64_t hunt = begin_hunt(st, "k"), build = add_build(st, "a", OUTCOME_OK, "trees/a"),
		boot = 0;
	static const char *const names[] = { "left", "right", "left" };

	for (int i = 0; i < 3; i++) {
		OK(store_use_build(st, hunt, build, names[i], &oops));
		OK(store_boot_add(st, hunt, build, NULL, OUTCOME_OK, NULL, 0, &boot, &oops));
		run_once(st, hunt, boot, 0, 1);
	}
	OK(query_samples(st, &(struct sample_filter){ .metric = "wall" }, &s, &oops));
	assert_int_equal(s.n, 3);
	for (int i = 0; i < 3; i++)
		assert_string_equal(s.v[i].node, names[i]);
	store_close(st);
}

static void progress_is_counted(void **state)
{
	struct place *p = *state;
	struct filled f = fill(p);
	struct hunt_counts c;
	int64_t bad = add_build(f.st, "c", OUTCOME_FAILED, ""), boot = 0;

	OK(store_use_build(f.st, f.hunt, bad, "C", &oops));
	OK(store_use_build(f.st, f.hunt, f.build[0], "A", &oops));
	OK(store_boot_add(f.st, f.hunt, f.build[0], NULL, OUTCOME_CRASHED, "panic", 0, &boot,
			  &oops));
	OK(store_mark(f.st, f.hunt, "A", "good", &oops));
	OK(query_counts(f.st, f.hunt, &c, &oops));
	assert_int_equal(c.builds, 3);
	assert_int_equal(c.failed_builds, 1);
	assert_int_equal(c.boots, 4);
	assert_int_equal(c.failed_boots, 1);
	assert_int_equal(c.runs, 3);
	assert_int_equal(c.failed_runs, 1);
	assert_int_equal(c.warmup_runs, 1);
	assert_int_equal(c.marks, 1);
	assert_int_equal(c.withdrawn, 1);
	assert_double(c.build_seconds, 3.75, 1e-12);
	assert_double(c.run_seconds, 15.5, 1e-12);
	assert_true(c.last_ns > 0);
	OK(query_counts(f.st, 1, &c, &oops));
	assert_int_equal(c.builds + c.boots + c.runs, 0);
	assert_int_equal(c.last_ns, 0);
	store_close(f.st);
}

static void only_the_last_run_can_be_in_flight(void **state)
{
	struct place *p = *state;
	struct filled f = fill(p);
	AUTO(in_flight) struct in_flight fl = { 0 };
	bool any = true;
	int64_t run = 0;

	OK(query_in_flight(f.st, &fl, &any, &oops));
	assert_false(any);
	OK(store_run_begin(f.st, f.hunt, f.boot[2], "bench", 2, &run, &oops));
	OK(query_in_flight(f.st, &fl, &any, &oops));
	assert_true(any);
	assert_int_equal(fl.run, run);
	assert_int_equal(fl.hunt, f.hunt);
	assert_string_equal(fl.benchmark, "bench");
	run_once(f.st, f.hunt, f.boot[2], 3, 1);
	in_flight_done(&fl);
	OK(query_in_flight(f.st, &fl, &any, &oops));
	assert_false(any);
	store_close(f.st);
}

static void trees_say_who_needs_them(void **state)
{
	struct place *p = *state;
	struct filled f = fill(p);
	AUTO(tree_rows) struct tree_rows t = { 0 }, after = { 0 };
	int64_t unused = add_build(f.st, "u", OUTCOME_OK, "trees/u");

	add_build(f.st, "failed", OUTCOME_FAILED, "");
	OK(query_trees(f.st, &t, &oops));
	assert_int_equal(t.n, 3);
	for (size_t i = 0; i < t.n; i++) {
		assert_int_equal(t.v[i].needed, t.v[i].build == unused ? 0 : f.hunt);
		assert_true(i == 0 || t.v[i].used_ns >= t.v[i - 1].used_ns);
	}
	OK(store_hunt_end(f.st, f.hunt, "answered", "{}", &oops));
	OK(store_build_cleaned(f.st, unused, &oops));
	OK(query_trees(f.st, &after, &oops));
	assert_int_equal(after.n, 2);
	assert_int_equal(after.v[0].needed, 0);
	store_close(f.st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_pass_the_filter),	TEST(a_sample_carries_its_context),
		TEST(a_reader_can_stop),	TEST(a_boot_belongs_to_the_newest_use),
		TEST(progress_is_counted),	TEST(only_the_last_run_can_be_in_flight),
		TEST(trees_say_who_needs_them),
	};

	return cmocka_run_group_tests_name("query", tests, NULL, NULL);
}
