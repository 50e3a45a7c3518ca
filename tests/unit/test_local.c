/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "base/num.h"
#include "bench/environ.h"
#include "bench/place.h"
#include "sys/cgroup.h"
#include "sys/counters.h"
#include "sys/fs.h"
#include "sys/proc.h"
#include "target/target.h"

#include <signal.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

static char store[] = "/tmp/culprit-local-XXXXXX";

/* A boot of `b` in the tree "trees/t" of the store, `runs` runs of it; the last run's result. */
static struct run_result measure(struct benchmark b, unsigned runs)
{
	struct boot_request q = {
		.store_dir = store, .tree = "trees/t", .benchmark = &b, .jobs = 3, .seed = 11
	};
	AUTO(str) struct str context = STR_INIT, reason = STR_INIT;
	struct run_result got = { .output = STR_INIT };
	struct err e = ERR_INIT;
	enum outcome outcome;
	struct boot *boot;

	b.name = "test";
	if (b.timeout_ns == 0)
		b.timeout_ns = 60 * NS_PER_S;
	const struct target_ops *t = target_find("local");

	if (t->boot(&q, &boot, &outcome, &context, &reason, &e) < 0)
		fail_msg("boot: %s", e.msg);
	assert_int_equal(outcome, OUTCOME_OK);
	for (unsigned i = 0; i < runs; i++) {
		run_result_done(&got);
		if (t->run(boot, &got, &e) < 0)
			fail_msg("run: %s", e.msg);
	}
	t->shutdown(boot);
	return got;
}

static double value_of(const struct run_result *r, const char *metric)
{
	const struct reading *x = readings_find(&r->readings, metric);

	if (!x)
		fail_msg("no metric '%s' (%s)", metric, r->reason ? r->reason : "ok");
	return x->value;
}

static void measures_and_reads(void **state UNUSED)
{
	struct run_result r = measure(
		(struct benchmark){ .command = "echo 'latency: 12.5 ms'; echo talk >&2" }, 2);

	assert_int_equal(r.outcome, OUTCOME_OK);
	assert_null(r.reason);
	assert_true(value_of(&r, "wall") > 0);
	assert_true(value_of(&r, "user") >= 0);
	assert_true(value_of(&r, "sys") >= 0);
	/* what starting a program takes is not the program's */
	assert_null(readings_find(&r.readings, "max-rss"));
	assert_double(value_of(&r, "latency"), 12.5, 1e-12);
	assert_int_equal(readings_find(&r.readings, "latency")->better, BETTER_LOWER);
	assert_string_equal(r.readings.v[r.n_standard].metric, "latency");
	assert_true(r.whole_output);
	assert_string_equal(r.output.p, "latency: 12.5 ms\ntalk\n");
	assert_true(r.seconds > 0);
	run_result_done(&r);
}

static void memory_is_that_of_the_program(void **state UNUSED)
{
	struct run_result r = measure(
		(struct benchmark){
			.command = "dd if=/dev/zero of=/dev/null bs=16M count=1 2>/dev/null" },
		1);

	assert_true(value_of(&r, "max-rss") > 16 << 20);
	assert_true(value_of(&r, "max-rss") < 32 << 20);
	run_result_done(&r);
}

static void the_tree_is_seen_at_one_path(void **state UNUSED)
{
	const char *env[] = { "MINE=7", NULL };
	struct run_result r = measure(
		(struct benchmark){ .command = "pwd; echo $CULPRIT_SRC $JOBS $MINE; cat file",
				    .env = env },
		1);
	AUTO_FREE char *want = xasprintf("%s/src\n%s/src 3 7\nin the tree\n", store, store);

	assert_string_equal(r.output.p, want);
	run_result_done(&r);
}

static void outcomes_have_one_clear_line(void **state UNUSED)
{
	static const struct {
		const char *command, *reader, *regex, *reject, *primary;
		enum outcome outcome;
		const char *words;
	} rows[] = {
		{ "echo bad thing >&2; exit 3", NULL, NULL, NULL, NULL, OUTCOME_FAILED,
		  "exit status 3: 'bad thing'" },
		{ "no-such-benchmark", NULL, NULL, NULL, NULL, OUTCOME_FAILED,
		  "exit status 127 (command not found)" },
		{ "/etc/passwd", NULL, NULL, NULL, NULL, OUTCOME_FAILED,
		  "exit status 126 (not executable)" },
		{ "kill -SEGV $$", NULL, NULL, NULL, NULL, OUTCOME_CRASHED,
		  "signal 11 (Segmentation fault)" },
		{ "sh -c 'kill -ABRT $$'; exit $?", NULL, NULL, NULL, NULL, OUTCOME_CRASHED,
		  "signal 6 (Aborted)" },
		{ "echo started; sleep 100", NULL, NULL, NULL, NULL, OUTCOME_TIMEOUT,
		  "deadline of 200 ms passed: 'started'" },
		{ "trap '' TERM; sleep 0.01; echo 'x: 1'; echo 'FAIL: y' >&2", NULL, NULL, "^FAIL",
		  NULL, OUTCOME_FAILED, "printed 'FAIL: y', which 'reject' refuses" },
		{ "true", "lines", NULL, NULL, NULL, OUTCOME_FAILED, "printed nothing" },
		{ "echo 'hello you'", "lines", NULL, NULL, NULL, OUTCOME_FAILED,
		  "begins 'hello you'" },
		{ "echo 'x: nan'", NULL, NULL, NULL, NULL, OUTCOME_FAILED,
		  "'x' is not a finite number" },
		{ "echo hi; echo 'x: inf'", NULL, NULL, NULL, "x", OUTCOME_FAILED,
		  "'x' is not a finite number" },
		{ "echo 't: -3 ms'", NULL, NULL, NULL, NULL, OUTCOME_FAILED, "negative time" },
		{ "echo 'x: 1e400'", NULL, NULL, NULL, NULL, OUTCOME_FAILED,
		  "'x' is not a finite number" },
		{ "echo 'other: 3'", NULL, NULL, NULL, "x", OUTCOME_FAILED,
		  "metric 'x' was not found in what the benchmark printed; it printed: 'other: 3'" },
		{ "true", NULL, NULL, NULL, "x", OUTCOME_FAILED, "it printed nothing" },
		{ "echo done", NULL, "in ([0-9]+)", NULL, NULL, OUTCOME_FAILED,
		  "no line of the output matches" },
		{ "exit 125", "exit-status", NULL, NULL, NULL, OUTCOME_SKIPPED,
		  "cannot be tested" },
		{ "no-such", "exit-status", NULL, NULL, NULL, OUTCOME_FAILED, "not found" },
		{ "printf '\\001\\002\\377bin'; exit 1", NULL, NULL, NULL, NULL, OUTCOME_FAILED,
		  "'??" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *primary[] = { rows[i].primary, NULL };
		struct run_result r =
			measure((struct benchmark){ .command = rows[i].command,
						    .reader = rows[i].reader,
						    .regex = rows[i].regex,
						    .reject = rows[i].reject,
						    .primary = primary,
						    .timeout_ns = rows[i].outcome == OUTCOME_TIMEOUT
									  ? 200 * NS_PER_MS
									  : 0 },
				1);

		if (r.outcome != rows[i].outcome || !r.reason || !strstr(r.reason, rows[i].words))
			fail_msg("'%s': %s: %s", rows[i].command, outcome_name(r.outcome),
				 r.reason);
		assert_null(strchr(r.reason, '\n'));
		assert_int_equal(r.readings.n, 0);
		run_result_done(&r);
	}
}

static void talk_that_looks_like_a_metric_is_forgiven(void **state UNUSED)
{
	struct run_result r = measure(
		(struct benchmark){ .command =
					    "echo 'hello'; echo 'ratio: nan'; echo 'wall: 99 s'" },
		2);

	assert_int_equal(r.outcome, OUTCOME_OK);
	assert_true(value_of(&r, "wall") < 90);
	assert_false(r.whole_output);
	run_result_done(&r);
}

static void a_metric_of_our_name_that_is_meant_wins(void **state UNUSED)
{
	const char *primary[] = { "user", NULL };
	struct run_result r =
		measure((struct benchmark){ .command = "echo hello; echo 'user: 99 s'",
					    .primary = primary,
					    .better = BETTER_HIGHER },
			1);

	assert_double(value_of(&r, "user"), 99, 1e-12);
	assert_int_equal(readings_find(&r.readings, "user")->better, BETTER_HIGHER);
	assert_null(readings_find(&(struct readings){ r.readings.v, r.n_standard, 0 }, "user"));
	run_result_done(&r);
}

static void runs_of_a_boot_must_agree(void **state UNUSED)
{
	static const struct {
		const char *first, *second, *words;
	} rows[] = {
		{ "x: 1 ms", "x: 1 s",
		  "metric 'x' changed its unit from 'ms' to 's' between two runs" },
		{ "x: 1 ms", "y: 1 ms",
		  "metric 'x' was printed by an earlier run and is missing now; it printed: 'y: 1 ms'" },
		{ "x: 1 ms", "", "'x' was printed by an earlier run" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *text = xasprintf(
			"if test -e seen; then rm seen; echo '%s'; else echo > seen; echo '%s'; fi",
			rows[i].second, rows[i].first);
		struct run_result r =
			measure((struct benchmark){ .command = text, .reader = "lines" }, 2);

		assert_int_equal(r.outcome, OUTCOME_FAILED);
		if (!strstr(r.reason, rows[i].words) && rows[i].second[0])
			fail_msg("'%s' lacks '%s'", r.reason, rows[i].words);
		run_result_done(&r);
	}
}

static void prepare_and_cleanup_frame_the_run(void **state UNUSED)
{
	/* The server that prepare starts is alive during the command and gone after cleanup; its output is not ours. */
	struct run_result r = measure(
		(struct benchmark){ .prepare = "sleep 100 & echo $! > server",
				    .command = "kill -0 $(cat server) && echo 'alive: 1'",
				    .cleanup = "kill -0 $(cat server) && echo cleaned > state" },
		2);
	AUTO_FREE char *server = fs_join(store, "trees/t/server"),
		       *cleaned = fs_join(store, "trees/t/state");
	AUTO(str) struct str pid = STR_INIT;
	struct err e = ERR_INIT;

	assert_int_equal(r.outcome, OUTCOME_OK);
	assert_string_equal(r.output.p, "alive: 1\n");
	assert_true(fs_exists(cleaned));
	assert_int_equal(fs_read(server, 100, &pid, &e), 0);
	assert_int_equal(kill((pid_t)strtol(pid.p, NULL, 10), 0), -1);
	run_result_done(&r);

	r = measure((struct benchmark){ .prepare = "echo no room >&2; exit 2",
					.command = "echo 'x: 1'" },
		    1);
	assert_int_equal(r.outcome, OUTCOME_FAILED);
	assert_string_equal(r.reason, "prepare: exit status 2: 'no room'");
	run_result_done(&r);

	r = measure((struct benchmark){ .command = "echo 'x: 1'", .cleanup = "exit 4" }, 1);
	assert_int_equal(r.outcome, OUTCOME_FAILED);
	assert_string_equal(r.reason, "cleanup: exit status 4");
	assert_int_equal(r.readings.n, 0);
	run_result_done(&r);
}

static void floods_are_bounded(void **state UNUSED)
{
	struct run_result r = measure(
		(struct benchmark){ .command = "head -c 1000000000 /dev/zero; echo; echo 'x: 5'" },
		1);

	assert_int_equal(r.outcome, OUTCOME_OK);
	assert_double(value_of(&r, "x"), 5, 1e-12); /* the tail is read */
	assert_true(r.output.n < 300000);
	run_result_done(&r);
}

static void callgrind_counts_exactly(void **state UNUSED)
{
	struct benchmark b = {
		.command = "sh -c 'i=0; while [ $i -lt 100 ]; do i=$((i+1)); done'; true",
		.measure = MEASURE_CALLGRIND
	};
	AUTO_FREE char *valgrind = fs_find_program("valgrind", NULL);
	double first = 0;

	if (!valgrind)
		skip(); /* not installed */
	for (int i = 0; i < 2; i++) {
		struct run_result r = measure(b, 1);
		const struct reading *x = readings_find(&r.readings, "instructions");

		assert_int_equal(r.outcome, OUTCOME_OK);
		assert_non_null(x);
		assert_true(x->counter);
		assert_true(x->value > 100000);
		assert_int_equal(r.n_standard, 1);
		if (i)
			assert_true(x->value == first);
		first = x->value;
		run_result_done(&r);
	}
}

static void counters_are_values_or_not_supported(void **state UNUSED)
{
	struct benchmark b = {
		.command = "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done; sh -c 'exit 0'",
		.measure = MEASURE_PERF
	};
	struct run_result r = measure(b, 1);
	struct counter_set s;
	size_t supported = 0;

	counters_init(&s);
	assert_int_equal(r.outcome, OUTCOME_OK);
	for (size_t i = 0; i < COUNTERS; i++) {
		const struct reading *x = readings_find(&r.readings, s.v[i].name);

		supported += x != NULL;
		/* Migrations may be none; whatever else is reported has really happened. */
		if (x && strcmp(s.v[i].name, "cpu-migrations") &&
		    strcmp(s.v[i].name, "context-switches"))
			assert_true(x->value > 0);
		if (x)
			continue;
		const char *primary[] = { s.v[i].name, NULL };
		struct benchmark with = b;

		with.primary = primary;
		struct run_result refused = measure(with, 1);

		assert_int_equal(refused.outcome, OUTCOME_FAILED);
		assert_non_null(strstr(refused.reason, "is not supported: "));
		run_result_done(&refused);
	}
	run_result_done(&r);
	AUTO(str) struct str none = STR_INIT;

	counters_probe(&none);
	assert_int_equal(none.n == 0, supported == COUNTERS);
}

static void the_trees_own_peak_where_a_group_can_be_had(void **state UNUSED)
{
	AUTO_FREE char *parent = cgroup_parent();

	if (!parent)
		skip(); /* no right to make a control group */
	/* Two processes of 30 MB, each holding them until the other is full: the largest single one is below the tree's peak. */
	const char *primary[] = { "tree-peak", NULL };
	struct run_result r = measure(
		(struct benchmark){
			.primary = primary,
			.command =
				"rm -f a b; p() { (head -c 30000000 /dev/zero; touch $1; while ! test -e $2; do sleep 0.01; done) | tail | wc -c >/dev/null; }; "
				"p a b & p b a; wait" },
		1);

	assert_true(value_of(&r, "tree-peak") > value_of(&r, "max-rss"));
	assert_true(value_of(&r, "tree-peak") > 40e6);
	run_result_done(&r);
	/* No group stays. */
	AUTO_FREE char *dir = cgroup_make(parent);

	assert_non_null(dir);
	assert_true(cgroup_peak(dir) >= 0);
	cgroup_remove(dir);
	assert_false(fs_exists(dir));
	assert_null(cgroup_make("/nowhere"));
	assert_int_equal(cgroup_peak("/nowhere"), -1);
}

static void what_is_wrong_is_said_before_anything_runs(void **state UNUSED)
{
	static const char *const no_program[] = { "culprit-no-such-program", NULL };
	static const struct {
		struct benchmark b;
		int kind;
		const char *words;
	} rows[] = {
		{ { .name = "b", .command = "x", .reader = "liness" },
		  -ERR_USAGE,
		  "did you mean 'lines'" },
		{ { .name = "b", .command = "x", .regex = "abc" }, -ERR_USAGE, "no group" },
		{ { .name = "b", .command = "x", .reject = "(" }, -ERR_USAGE, "reject '('" },
		{ { .name = "b", .command = "x", .pin = "9999" }, -ERR_USAGE, "pin" },
		{ { .name = "b", .command = "x", .needs = (const char **)no_program },
		  -ERR_ENV,
		  "there: culprit-no-such-program; install it" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct boot_request q = { .store_dir = store,
					  .tree = "trees/t",
					  .benchmark = &rows[i].b };
		AUTO(str) struct str context = STR_INIT, reason = STR_INIT;
		struct err e = ERR_INIT;
		enum outcome outcome;
		struct boot *boot;

		assert_int_equal(
			target_find("local")->boot(&q, &boot, &outcome, &context, &reason, &e),
			rows[i].kind);
		if (!strstr(e.msg, rows[i].words) || !starts_with(e.msg, "benchmark 'b': "))
			fail_msg("'%s' lacks '%s'", e.msg, rows[i].words);
	}
	assert_null(target_find("nowhere"));
}

static void environments_have_the_drawn_size(void **state UNUSED)
{
	for (unsigned extra = 0; extra < 4096; extra += 819) {
		AUTO(strvec) struct strvec env = STRVEC_INIT;

		environ_user(&env);
		environ_set(&env, "A", "1");
		environ_set(&env, "A", "22");
		assert_string_equal(environ_get(&env, "A"), "22");
		environ_pad(&env, extra);
		assert_int_equal(environ_size(&env) % 4096, extra);
	}
	AUTO(strvec) struct strvec env = STRVEC_INIT;

	setenv("MAKEFLAGS", "-j", 1);
	setenv("GIT_DIR", "x", 1);
	environ_user(&env);
	assert_null(environ_get(&env, "MAKEFLAGS"));
	assert_null(environ_get(&env, "GIT_DIR"));
	assert_non_null(environ_get(&env, "PATH"));
	unsetenv("GIT_DIR");
}

/* One boot and one run of it: what the program saw but for what is drawn; the size of the padding in *pad. */
static void see_environment(uint64_t seed, const char *const *env, struct str *out, size_t *pad)
{
	struct benchmark b = {
		.name = "b",
		.command = "env | grep -v -e ^_= -e ^CULPRIT_PAD= -e ^CULPRIT_SEED= | sort;"
			   " echo ${#CULPRIT_PAD} ${#CULPRIT_SEED} $CULPRIT_SEED >&2"
	};
	struct boot_request q = {
		.store_dir = store, .tree = "trees/t", .benchmark = &b, .env = env, .seed = seed
	};
	AUTO(str) struct str context = STR_INIT, reason = STR_INIT;
	const struct target_ops *t = target_find("local");
	struct err e = ERR_INIT;
	enum outcome outcome;
	struct boot *boot;
	struct run_result r;
	unsigned digits;
	unsigned long long drawn;

	assert_int_equal(t->boot(&q, &boot, &outcome, &context, &reason, &e), 0);
	assert_int_equal(t->run(boot, &r, &e), 0);
	assert_int_equal(r.outcome, OUTCOME_OK);
	t->shutdown(boot);
	/* stderr comes last */
	str_trim_end(&r.output);
	char *last = strrchr(r.output.p, '\n');

	assert_int_equal(sscanf(last, "%zu %u %llu", pad, &digits, &drawn), 3);
	assert_int_equal(digits, 20);
	str_add(out, r.output.p, (size_t)(last - r.output.p));
	run_result_done(&r);
}

/* What one boot rests on is taken up by the next of the same build: it must be as if it were made anew. */
static void boots_after_each_other_differ_in_what_is_drawn_only(void **state UNUSED)
{
	AUTO(str) struct str a = STR_INIT, b = STR_INIT, c = STR_INIT, d = STR_INIT;
	const char *const env[] = { "MINE=8", NULL };
	size_t pad_a, pad_b, pad_c, pad_d;

	see_environment(1, NULL, &a, &pad_a);
	see_environment(2, NULL, &b, &pad_b);
	assert_string_equal(a.p, b.p);
	assert_int_not_equal(pad_a, pad_b);
	see_environment(1, env, &c, &pad_c);
	assert_non_null(strstr(c.p, "\nMINE=8\n"));
	setenv("CULPRITS_OWN", "x", 1);
	see_environment(1, NULL, &d, &pad_d);
	unsetenv("CULPRITS_OWN");
	assert_non_null(strstr(d.p, "\nCULPRITS_OWN=x\n"));
	str_clear(&b);
	see_environment(1, NULL, &b, &pad_b);
	assert_string_equal(a.p, b.p);
	assert_int_equal(pad_a, pad_b);
}

static void a_tree_that_goes_between_two_boots_is_missed(void **state UNUSED)
{
	AUTO_FREE char *tree = fs_join(store, "trees/t"), *away = fs_join(store, "trees/away");
	struct benchmark b = { .name = "b", .command = "true" };
	struct boot_request q = { .store_dir = store, .tree = "trees/t", .benchmark = &b };
	const struct target_ops *t = target_find("local");
	AUTO(str) struct str context = STR_INIT, reason = STR_INIT;
	struct err e = ERR_INIT;
	enum outcome outcome;
	struct boot *boot;

	assert_int_equal(t->boot(&q, &boot, &outcome, &context, &reason, &e), 0);
	t->shutdown(boot);
	assert_int_equal(rename(tree, away), 0);
	assert_int_equal(t->boot(&q, &boot, &outcome, &context, &reason, &e), -ERR_MISSING);
	assert_int_equal(rename(away, tree), 0);
}

static bool stop_now(void)
{
	return true;
}

static void stopping_is_not_an_outcome(void **state UNUSED)
{
	struct benchmark b = { .name = "b", .command = "sleep 100", .cleanup = "echo > cleaned" };
	struct boot_request q = {
		.store_dir = store, .tree = "trees/t", .benchmark = &b, .stop = stop_now
	};
	AUTO(str) struct str context = STR_INIT, reason = STR_INIT;
	AUTO_FREE char *cleaned = fs_join(store, "trees/t/cleaned");
	struct err e = ERR_INIT;
	struct run_result r;
	enum outcome outcome;
	struct boot *boot;
	const struct target_ops *t = target_find("local");

	assert_int_equal(t->boot(&q, &boot, &outcome, &context, &reason, &e), 0);
	assert_int_equal(t->run(boot, &r, &e), -ERR_STOPPED);
	assert_true(fs_exists(cleaned));
	t->shutdown(boot);
}

/* Without mount namespaces a tree is moved to STORE/src; killed meanwhile, the next use moves it back. */
static void a_tree_left_behind_goes_home(void **state UNUSED)
{
	AUTO_FREE char *src = fs_join(store, "src"), *note = fs_join(store, "src.tree");
	AUTO_FREE char *tree = fs_join(store, "trees/t");
	struct place p;
	struct err e = ERR_INIT;

	rmdir(src);
	assert_int_equal(fs_write_atomic(note, "trees/t", 7, &e), 0);
	assert_int_equal(rename(tree, src), 0);
	assert_int_equal(place_take(store, "trees/t", &p, &e), 0);
	assert_true(fs_is_dir(place_files(&p)));
	assert_false(p.is_bound && !fs_is_dir(tree));
	place_done(&p);
	assert_true(fs_is_dir(tree));
	assert_false(fs_exists(note));
	assert_int_equal(place_take(store, "trees/none", &p, &e), -ERR_MISSING);
}

static void without_namespaces_one_tree_at_a_time(void **state UNUSED)
{
	AUTO_FREE char *file = fs_join(store, "src/file"), *tree = fs_join(store, "trees/t");
	struct place p, other;
	struct err e = ERR_INIT;

	assert_int_equal(place_take_by(store, "trees/t", false, &p, &e), 0);
	assert_true(fs_exists(file));
	assert_false(fs_exists(tree));
	assert_string_equal(place_files(&p), p.src);
	assert_int_equal(place_take_by(store, "trees/t", false, &other, &e), -ERR_BUSY);
	place_done(&p);
	assert_true(fs_is_dir(tree));
	assert_false(fs_exists(file));
	assert_int_equal(place_take_by(store, "trees/t", false, &p, &e), 0);
	place_done(&p);
}

static int make_store(void **state UNUSED)
{
	AUTO_FREE char *file = NULL, *tree = NULL;
	struct err e = ERR_INIT;

	if (!mkdtemp(store))
		return -1;
	tree = fs_join(store, "trees/t");
	file = fs_join(tree, "file");
	return fs_mkdirs(tree, &e) | fs_write_atomic(file, "in the tree\n", 12, &e);
}

static int drop_store(void **state UNUSED)
{
	struct err e = ERR_INIT;

	return fs_remove_tree(store, &e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measures_and_reads),
		cmocka_unit_test(memory_is_that_of_the_program),
		cmocka_unit_test(the_tree_is_seen_at_one_path),
		cmocka_unit_test(outcomes_have_one_clear_line),
		cmocka_unit_test(talk_that_looks_like_a_metric_is_forgiven),
		cmocka_unit_test(a_metric_of_our_name_that_is_meant_wins),
		cmocka_unit_test(runs_of_a_boot_must_agree),
		cmocka_unit_test(prepare_and_cleanup_frame_the_run),
		cmocka_unit_test(floods_are_bounded),
		cmocka_unit_test(callgrind_counts_exactly),
		cmocka_unit_test(counters_are_values_or_not_supported),
		cmocka_unit_test(the_trees_own_peak_where_a_group_can_be_had),
		cmocka_unit_test(what_is_wrong_is_said_before_anything_runs),
		cmocka_unit_test(environments_have_the_drawn_size),
		cmocka_unit_test(boots_after_each_other_differ_in_what_is_drawn_only),
		cmocka_unit_test(a_tree_that_goes_between_two_boots_is_missed),
		cmocka_unit_test(stopping_is_not_an_outcome),
		cmocka_unit_test(a_tree_left_behind_goes_home),
		cmocka_unit_test(without_namespaces_one_tree_at_a_time),
	};

	return cmocka_run_group_tests(tests, make_store, drop_store);
}
