/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The readers of whole formats on the files of t/fixtures, each of which has a README with the command that made it. Values were taken from the files by
 * another program.
 */
#include "reader_unit.h"

#define L BETTER_LOWER
#define H BETTER_HIGHER
#define U BETTER_UNKNOWN

static void read_fixture(const char *file, struct numbers *ret, const char **ret_format)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO_FREE char *path = xasprintf("t/fixtures/%s", file);
	struct err e = ERR_INIT;

	if (fs_read(path, 64 << 20, &text, &e) < 0 ||
	    reader_file(NULL, text.p, text.n, file, ret, ret_format, &e) < 0)
		fail_msg("%s", e.msg);
}

static void samples_units_and_directions(void **state UNUSED)
{
	static const struct {
		const char *file, *format, *metric, *unit;
		size_t n;
		double first;
		enum better better;
		bool side;
	} rows[] = {
		{ "fio/old.json", "fio", "rr read iops", "ops/s", 1, 9846.153846, H, false },
		{ "fio/old.json", "fio", "rr read bw", "B/s", 1, 40329846, H, true },
		{ "fio/old.json", "fio", "rr read clat p99", "ns", 1, 2408448, L, false },
		{ "fio/old.json", "fio", "seqw write iops", "ops/s", 1, 32000, H, false },
		{ "fio/plus.json", "fio", "mix read iops", "ops/s", 1, 165333.333333, H, false },
		{ "fio/plus.json", "fio", "mix write clat p99.9", "ns", 1, 16512, L, true },
		{ "hyperfine/old.json", "hyperfine", "sleep 0.004 time", "s", 10, 0.0106779, L,
		  false },
		{ "hyperfine/old.json", "hyperfine", "sleep 0.004 user", "s", 1,
		  0.0010525999999999999, L, true },
		{ "google-benchmark/old.json", "google-benchmark", "BM_copy/64 time", "ns", 4,
		  340.23411397284053, L, false },
		{ "google-benchmark/old.json", "google-benchmark", "BM_copy/64 len", "", 4, 64, U,
		  true },
		{ "google-benchmark/aggregates.json", "google-benchmark", "BM_sort time", "us", 1,
		  74.16244221590156, L, false },
		{ "iperf3/old.json", "iperf3", "throughput", "bit/s", 1, 10578835773.187757, H,
		  false },
		{ "iperf3/old.json", "iperf3", "retransmits", "", 1, 20, L, true },
		{ "iperf3/old.json", "iperf3", "host cpu", "s/Gbit", 1,
		  0.13426304979670544 / 10.578835773187757, L, true },
		{ "iperf3/udp.json", "iperf3", "throughput", "bit/s", 1, 45857178.1289953, H,
		  false },
		{ "iperf3/udp.json", "iperf3", "jitter", "ms", 1, 0.011621810953943403, L, true },
		{ "iperf3/udp.json", "iperf3", "lost", "%", 1, 8.37696335078534, L, true },
		{ "iperf3/bidir.json", "iperf3", "reverse throughput", "bit/s", 1,
		  1674681596.171604, H, false },
		{ "pyperf/old.json", "pyperf", "json_loads time", "s", 8, 2.5942666666666668e-05, L,
		  false },
		{ "jmh/old.json", "jmh", "org.sample.Map.get (size=10) time", "ns/op", 5, 41.557, L,
		  false },
		{ "jmh/old.json", "jmh", "org.sample.Map.put gc.alloc.rate.norm", "B/op", 5, 24, U,
		  true },
		{ "criterion/old-sample.json", "criterion", "time", "ns", 20, 182.78571428571428, L,
		  false },
		{ "criterion/old-estimates.json", "criterion", "time", "ns", 1, 181.4, L, false },
		{ "asv/old.json", "asv", "bench.Sort.time_sort(100, 'quick') time", "s", 8,
		  0.000118175, L, false },
		{ "asv/old.json", "asv", "bench.peakmem_load memory", "B", 1, 48234496, L, false },
		{ "asv/old.json", "asv", "bench.track_size value", "", 1, 1234, U, false },
		{ "memtier/old.json", "memtier", "ops", "ops/s", 1, 103750.8, H, false },
		{ "memtier/old.json", "memtier", "p99", "ms", 1, 3.9, L, false },
		{ "memtier/old.json", "memtier", "Gets latency", "ms", 1, 1.9, L, true },
		{ "memtier/old-runs.json", "memtier", "p99.9", "ms", 3, 6.1, L, true },
		{ "lkp/old-matrix.json", "flat", "netperf.Throughput_Mbps", "", 6, 62591.63, H,
		  false },
		{ "lkp/old-stats.json", "flat", "netperf.Throughput_Mbps", "", 1, 62591.63, H,
		  false },
		{ "mmtests/old.json", "mmtests", "copy throughput", "MB/s", 5, 11844.57, H, false },
		{ "pytest-benchmark/old.json", "pytest-benchmark",
		  "tests/test_a.py::test_sort time", "s", 8, 0.000111373, L, false },
		{ "pytest-benchmark/old.json", "pytest-benchmark",
		  "tests/test_a.py::test_hash time", "s", 1, 1.284e-06, L, false },
		{ "perf-stat-json/old.json", "perf-stat-json", "task-clock", "ms", 5, 0.582421, L,
		  false },
		{ "perf-stat-json/old.json", "perf-stat-json", "page-faults", "", 5, 48, L, true },
		{ "stress-ng-yaml/old.yaml", "stress-ng-yaml", "fork bogo-ops/s", "ops/s", 1,
		  42.097276, H, false },
		{ "pts/old.xml", "pts", "Build - Time To Compile result", "s", 4, 28.65, L, false },
		{ "pts/old.xml", "pts", "Compress - Level: 3 - Compression Speed result", "MB/s", 4,
		  9277.24, H, false },
		{ "junit/bats.xml", "junit", "t.bats.adds time", "s", 1, 0.148, L, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(numbers) struct numbers got = { 0 };
		const struct series *x = NULL;
		const char *format;

		read_fixture(rows[i].file, &got, &format);
		assert_string_equal(format, rows[i].format);
		for (size_t k = 0; k < got.n && !x; k++) {
			AUTO_FREE char *name = series_name(&got.v[k], true);

			if (!strcmp(name, rows[i].metric))
				x = &got.v[k];
		}
		if (!x)
			fail_msg("%s: no '%s'", rows[i].file, rows[i].metric);
		if (strcmp(x->unit, rows[i].unit) != 0 || x->n != rows[i].n ||
		    x->better != rows[i].better || x->side != rows[i].side ||
		    !(fabs(x->v[0] / rows[i].first - 1) < 1e-14))
			fail_msg("%s: %s is %.17g %s, %zu of it, %s, %d", rows[i].file,
				 rows[i].metric, x->v[0], x->unit, x->n, better_name(x->better),
				 x->side);
	}
}

static void both_sides_have_the_same_metrics(void **state UNUSED)
{
	static const struct {
		const char *file;
		size_t metrics;
	} rows[] = {
		{ "fio/%s.json", 16 },
		{ "hyperfine/%s.json", 6 },
		{ "google-benchmark/%s.json", 10 },
		{ "iperf3/%s.json", 4 },
		{ "pyperf/%s.json", 2 },
		{ "jmh/%s.json", 6 },
		{ "criterion/%s-sample.json", 1 },
		{ "criterion/%s-messages.json", 2 },
		{ "asv/%s.json", 4 },
		{ "memtier/%s.json", 15 },
		{ "memtier/%s-runs.json", 10 },
		{ "lkp/%s-matrix.json", 5 },
		{ "mmtests/%s.json", 3 },
		{ "pytest-benchmark/%s.json", 2 },
		{ "perf-stat-json/%s.json", 3 },
		{ "stress-ng-yaml/%s.yaml", 17 },
		{ "pts/%s.xml", 2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		static const char *const sides[] = { "old", "new" };

		for (size_t s = 0; s < 2; s++) {
			AUTO(str) struct str file = STR_INIT;
			AUTO(numbers) struct numbers got = { 0 };
			const char *format, *cut = strstr(rows[i].file, "%s");

			str_add(&file, rows[i].file, (size_t)(cut - rows[i].file));
			str_addf(&file, "%s%s", sides[s], cut + 2);
			read_fixture(file.p, &got, &format);
			if (got.n != rows[i].metrics)
				fail_msg("%s: %zu metrics", file.p, got.n);
		}
	}
}

static void what_failed_is_said(void **state UNUSED)
{
	static const char *const rows[][2] = {
		{ "fio/error.json", "f: the job 'bad' failed: No space left on device" },
		{ "hyperfine/failed.json", "f: every run of 'false' failed" },
		{ "google-benchmark/error.json", "f: the benchmark 'BM_bad' failed: no device" },
		{ "perf-stat-json/multiplexed.json",
		  "f: no value in it that perf-stat-json knows; cycles: no number, counted for a part of the time, ask for fewer at once" },
		{ "iperf3/error.json",
		  "f: iperf3 failed: unable to connect to server: Connection refused" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *s = fixture_shown(NULL, rows[i][0]);

		assert_string_equal(s, rows[i][1]);
	}
}

static void what_is_no_number_is_a_note(void **state UNUSED)
{
	static const char *const rows[][2] = {
		{ "perf-stat-json/old.json", "cycles: no number, <not supported>" },
		{ "junit/bats.xml", "the test 't.bats.fails' has no time: it failed" },
		{ "asv/old.json",
		  "bench.Sort.time_sort(1000, 'quick') has no result: it failed or was skipped" },
		{ "pts/old.xml",
		  "CPU Temperature Monitor - System Monitor is no list of numbers (LINE_GRAPH)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(numbers) struct numbers got = { 0 };
		const char *format;

		read_fixture(rows[i][0], &got, &format);
		assert_true(got.notes.n > 0);
		assert_string_equal(got.notes.v[0], rows[i][1]);
	}
}

static void other_forms(void **state UNUSED)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		/* fio 2.x: latencies in us, bandwidth in KiB/s; a client; jobs of one name are parts of one run */
		{ "{\"fio version\":\"fio-2.16\",\"jobs\":[{\"jobname\":\"a\",\"error\":0,\"read\":{\"io_bytes\":8,\"bw\":512,\"iops\":128,"
		  "\"clat\":{\"mean\":7.5}}}]}",
		  "fio: a read iops [ops/s] + 128; a read bw [KiB/s] ++ 512; a read clat mean [us] -- 7.5" },
		{ "{\"fio version\":\"3\",\"client_stats\":[{\"jobname\":\"a\",\"read\":{\"total_ios\":1,\"iops\":1}},"
		  "{\"jobname\":\"a\",\"read\":{\"total_ios\":1,\"iops\":2}}]}",
		  "fio: a read iops [ops/s] + 1; a#2 read iops [ops/s] + 2" },
		{ "{\"fio version\":\"3\",\"jobs\":[]}", "f: its list of jobs is empty" },
		{ "{\"fio version\":\"3\",\"jobs\":[{\"jobname\":\"a\",\"read\":{\"total_ios\":0,\"iops\":0}}]}",
		  "f: no job of it did any I/O" },
		{ "{\"results\":[]}", "f: its list of results is empty" },
		{ "{\"results\":[{\"command\":\"a\",\"mean\":1,\"times\":[1,2,3],\"exit_codes\":[0,null,0]}]}",
		  "hyperfine: a time [s] - 1 3" },
		{ "{\"context\":{},\"benchmarks\":[]}", "f: its list of benchmarks is empty" },
		{ "{\"context\":{},\"benchmarks\":[{\"name\":\"a\",\"real_time\":2,\"cpu_time\":1},{\"name\":\"a_mean\",\"real_time\":9}]}",
		  "google-benchmark: a time [ns] - 2; a cpu [ns] -- 1" },
		{ "{\"version\":\"1.0\",\"benchmarks\":[{\"metadata\":{\"name\":\"a\"},\"runs\":[{\"values\":[0.071,0.072]}]}]}",
		  "pyperf: a time [s] - 0.070999999999999994 0.071999999999999995" },
		{ "{\"version\":\"1.0\",\"metadata\":{\"name\":\"a\",\"unit\":\"byte\"},\"benchmarks\":[{\"runs\":[{\"values\":[5]},{\"warmups\":[]}]}]}",
		  "pyperf: a memory [B] - 5" },
		{ "{\"version\":\"1.0\",\"benchmarks\":[{\"runs\":[]}]}",
		  "f: no run of '?' has values" },
		{ "[{\"benchmark\":\"a\",\"mode\":\"sample\",\"primaryMetric\":{\"score\":3,\"scoreUnit\":\"us/op\",\"scorePercentiles\":{\"99.0\":7}}}]",
		  "jmh: a sampled time [us/op] - 3; a sampled p99 [us/op] -- 7" },
		{ "{\"iters\":[1,2],\"times\":[1]}",
		  "f: it has 1 times and 2 counts of iterations" },
		{ "{\"iters\":[0],\"times\":[1]}",
		  "f: the time or the iterations of sample 1 are no number" },
		{ "{\"counter-value\":\"1,5\",\"event\":\"e\"}",
		  "f: the value of 'e' is no number: '1,5'" },
		{ "{\"counter-value\":\"<not counted>\",\"event\":\"e\"}",
		  "f: no value in it that perf-stat-json knows; e: no number, <not counted>" },
		{ "{\"cpu\":\"CPU1\",\"counter-value\":\"3.000000\",\"event\":\"cycles\"}",
		  "perf-stat-json: CPU1 cycles [] - 3" },
		{ "{\"a.b\":[1,2],\"c\":\"x\",\"time\":0.5}", "flat: a.b [] ? 1 2; time [] - 0.5" },
		{ "{\"will-it-scale.per_process_ops\":7,\"aim7.jobs-per-min\":8,\"fio.read_bw_MBps\":9}",
		  "flat: will-it-scale.per_process_ops [] + 7; aim7.jobs-per-min [] + 8; fio.read_bw_MBps [] + 9" },
		{ "{\"commit_hash\":\"a\",\"version\":1,\"results\":{\"b.time_x\":0.5,\"b.time_y\":{\"result\":[1,null],\"params\":[[\"p\",\"q\"]]}}}",
		  "asv: b.time_x time [s] - 0.5; b.time_y(p) time [s] - 1" },
		{ "<testsuite><testcase name='a' status='notrun' time='0'/><testcase name='b' status='run' time='2'/></testsuite>",
		  "junit: b time [s] - 2" },
		{ "{\"a\":[1,\"x\"]}", "f: metric 'a' should be a number and is \"x\"" },
		{ "{\"run information\":{},\"ALL STATS\":{\"Totals\":{\"Ops/sec\":0}}}",
		  "f: no operation was done in it" },
		{ "<testsuite><testcase name='a' time='1,234.5'/><testcase name='a' time='2'/></testsuite>",
		  "junit: a time [s] - 1234.5 2" },
		{ "<testsuite><testcase name='a' time='1,5'/></testsuite>",
		  "f: the time of the test 'a' is no number: '1,5'" },
		{ "<testsuite><testcase name='a' ti", "f: XML:1:12: not XML: unclosed token" },
		{ "<testsuite/>", "f: no test case in it passed and has a time" },
		{ "<PhoronixTestSuite><Result><Title>T</Title><Scale>x</Scale><Data><Entry><Identifier>a</Identifier><Value>1</Value></Entry>"
		  "<Entry><Identifier>b</Identifier><Value>2.5</Value></Entry></Data></Result></PhoronixTestSuite>",
		  "pts: T @a result [x] ? 1; T @b result [x] ? 2.5" },
		{ "metrics:\n  - stressor: a\n    bogo-ops: x\n",
		  "f: no metrics of a stressor in it: stress-ng writes them with --metrics" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *s = file_shown(NULL, rows[i].text, strlen(rows[i].text));

		assert_string_equal(s, rows[i].want);
	}
}

static void a_file_that_ends_anywhere(void **state UNUSED)
{
	static const char *const files[] = {
		"fio/error.json",   "hyperfine/old.json",      "google-benchmark/error.json",
		"iperf3/old.json",  "pyperf/old.json",	       "criterion/old-messages.json",
		"asv/old.json",	    "memtier/old.json",	       "lkp/old-matrix.json",
		"mmtests/old.json", "perf-stat-json/old.json", "stress-ng-yaml/old.yaml",
		"pts/old.xml",	    "junit/bats.xml",	       "pytest-benchmark/old.json",
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		cut_everywhere(files[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_units_and_directions),
		cmocka_unit_test(both_sides_have_the_same_metrics),
		cmocka_unit_test(what_failed_is_said),
		cmocka_unit_test(what_is_no_number_is_a_note),
		cmocka_unit_test(other_forms),
		cmocka_unit_test(a_file_that_ends_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
