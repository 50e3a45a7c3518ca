/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The readers of programs' own texts, on what the real programs wrote: t/fixtures/README says how. */
#include "reader_unit.h"

static char *short_shown(const char *reader, const char *fixture)
{
	AUTO(str) struct str text = STR_INIT;
	AUTO_FREE char *path = xasprintf("t/fixtures/%s", fixture);
	struct err e = ERR_INIT;

	if (fs_read(path, 64 << 20, &text, &e) < 0)
		fail_msg("%s", e.msg);
	return file_shown_to(reader, text.p, text.n, 10);
}

static const struct fixture {
	const char *reader, *file, *want; /* reader NULL: found by looking */
} fixtures[] = {
	{ "ministat", "ministat.txt", "ministat: value [] ? 51.2 50.9 50.7 51.4 51" },
	{ NULL, "fio-terse3.txt",
	  "fio-terse: rr read iops [1/s] + 12400; rr read bw [KiB/s] ++ 49600; rr read clat mean [us] -- 3.275232; rr read clat p50 [us] -- 2; rr read clat p99 [us] - 9; rr read clat p99.9 [us] -- 76; rr write iops [1/s] + 13200; rr write bw [KiB/s] ++ 52800; rr write clat mean [us] -- 16.44479; rr write clat p50 [us] -- 3; rr write clat p99 [us] - 12; rr write clat p99.9 [us] -- 6848; rr ctx [] -- 6" },
	{ NULL, "fio-terse4.txt",
	  "fio-terse: rr read iops [1/s] + 5701; rr read bw [KiB/s] ++ 22804; rr read clat mean [us] -- 5.542431; rr read clat p50 [us] -- 3; rr read clat p99 [us] - 45; rr read clat p99.9 [us] -- 78; rr write iops [1/s] + 6068; rr write bw [KiB/s] ++ 24275; rr write clat mean [us] -- 94.526036; rr write clat p50 [us] -- 3; rr write clat p99 [us] - 35; rr write clat p99.9 [us] -- 32112; rr ctx [] -- 6" },
	{ NULL, "fio-terse5.txt",
	  "fio-terse: rr read iops [1/s] + 7873; rr read bw [KiB/s] ++ 31492; rr read clat mean [us] -- 37.662256; rr read clat p50 [us] -- 3; rr read clat p99 [us] - 38; rr read clat p99.9 [us] -- 16711; rr write iops [1/s] + 8380; rr write bw [KiB/s] ++ 33523; rr write clat mean [us] -- 23.113295; rr write clat p50 [us] -- 3; rr write clat p99 [us] - 17; rr write clat p99.9 [us] -- 9895; rr ctx [] -- 6" },
	{ NULL, "go.txt",
	  "go: Encode/format=json-8 time [ns/op] - 1726 1731 1719 1722 1735; Encode/format=json-8 memory [B/op] - 192 192 192 192 192; Encode/format=json-8 allocations [allocs/op] - 4 4 4 4 4; Decode-8 time [ns/op] - 22841 22790 22903 22856 22812; Decode-8 throughput [MB/s] ++ 11.21 11.23 11.18 11.2 11.22; Decode-8 memory [B/op] - 3104 3104 3104 3104 3104; Decode-8 allocations [allocs/op] - 61 61 61 61 61; Serve-8 time [ns/op] - 1043210; Serve-8 req/s [req/s] ? 9586; Serve-8 p99-ns [p99-ns] - 812345" },
	{ NULL, "hackbench.txt", "hackbench: Time [s] - 0.013 0.014 0.35" },
	{ NULL, "iperf3-P.txt",
	  "iperf3-text: throughput [bit/s] + 1970000000; retransmits [] -- 32" },
	{ NULL, "iperf3-u.txt",
	  "iperf3-text: throughput [bit/s] + 100000000; jitter [ms] -- 0.008" },
	{ NULL, "long.csv", "csv: latency [ms] ? 12.31 12.4; throughput [req/s] ? 8102 8077" },
	{ NULL, "memaslap-S.txt",
	  "memaslap: get misses [] -- 0; operations/s [1/s] + 25997; net rate [B/s] + 30513561.6; get min [us] -- 15; get max [us] -- 11764; get avg [us] - 301; get geomean [us] -- 104.33; get stdev [us] -- 1017.33; set min [us] -- 19; set max [us] -- 11691; set avg [us] - 307; set geomean [us] -- 105.87; set stdev [us] -- 1044.17; response min [us] -- 15; response max [us] -- 11764; response avg [us] - 302; response geomean [us] -- 104.48; response stdev [us] -- 1019.9" },
	{ NULL, "memaslap.txt",
	  "memaslap: get misses [] -- 0; operations/s [1/s] + 14598; net rate [B/s] + 17091788.8" },
	{ NULL, "netperf-D.txt", "netperf: THROUGHPUT [Trans/s] + 28620.2" },
	{ NULL, "netperf-I.txt", "netperf: THROUGHPUT [Trans/s] + 29550.69" },
	{ "netperf", "netperf-crr-nohead.txt", "netperf: THROUGHPUT [Trans/s] + 6758.65" },
	{ NULL, "netperf-k.txt",
	  "netperf: THROUGHPUT [Trans/s] + 18850.16; MIN_LATENCY [us] -- 7; MEAN_LATENCY [us] - 52.94; MAX_LATENCY [us] -- 13135; STDDEV_LATENCY [us] -- 456.74; RT_LATENCY [us] -- 53.05; P50_LATENCY [us] - 12; P90_LATENCY [us] - 16; P99_LATENCY [us] - 1542; LOCAL_CPU_UTIL [%] -- 100; REMOTE_CPU_UTIL [%] -- 100; LOCAL_SD [us/Tr] - 106.1; REMOTE_SD [us/Tr] - 106.1; TRANSACTION_RATE [Trans/s] ++ 18850.155; LOCAL_SEND_THROUGHPUT [Mbit/s] ++ 0.15; LOCAL_RECV_THROUGHPUT [Mbit/s] ++ 0.15; REMOTE_SEND_THROUGHPUT [Mbit/s] ++ 0.15; REMOTE_RECV_THROUGHPUT [Mbit/s] ++ 0.15; ELAPSED_TIME [s] ?? 1; LOCAL_SEND_CALLS [] ?? 18855; LOCAL_BYTES_SENT [B] ?? 18855" },
	{ NULL, "netperf-maerts-K.txt", "netperf: THROUGHPUT [Mbit/s] + 10441.51779" },
	{ NULL, "netperf-o.txt",
	  "netperf: THROUGHPUT [Trans/s] + 16929.16; MIN_LATENCY [us] -- 10; MEAN_LATENCY [us] - 58.83; MAX_LATENCY [us] -- 12947; STDDEV_LATENCY [us] -- 445.39; RT_LATENCY [us] -- 59.07; P50_LATENCY [us] - 13; P90_LATENCY [us] - 15; P99_LATENCY [us] - 1603; LOCAL_CPU_UTIL [%] -- 100; REMOTE_CPU_UTIL [%] -- 100; LOCAL_SD [us/Tr] - 118.139; REMOTE_SD [us/Tr] - 118.139; TRANSACTION_RATE [Trans/s] ++ 16929.161; LOCAL_SEND_THROUGHPUT [Mbit/s] ++ 0.14; LOCAL_RECV_THROUGHPUT [Mbit/s] ++ 0.14; REMOTE_SEND_THROUGHPUT [Mbit/s] ++ 0.14; REMOTE_RECV_THROUGHPUT [Mbit/s] ++ 0.14; ELAPSED_TIME [s] ?? 1; LOCAL_SEND_CALLS [] ?? 16967; LOCAL_BYTES_SENT [B] ?? 16967" },
	{ NULL,
	  "netperf-rr.txt", "netperf: THROUGHPUT [Trans/s] + 24536.72; LOCAL_CPU_UTIL [%] -- 100; REMOTE_CPU_UTIL [%] -- 100; LOCAL_SD [us/Tr] - 81.51; REMOTE_SD [us/Tr] - 81.51" },
	{ NULL, "netperf-stream-g.txt",
	  "netperf: THROUGHPUT [Mbit/s] + 10020; LOCAL_CPU_UTIL [%] -- 100; LOCAL_SD [us/KB] - 1.635" },
	{ NULL, "netperf-stream.txt",
	  "netperf: THROUGHPUT [Mbit/s] + 8081.78; LOCAL_CPU_UTIL [%] -- 100; REMOTE_CPU_UTIL [%] -- 100; LOCAL_SD [us/KB] - 2.027; REMOTE_SD [us/KB] - 2.027" },
	{ NULL, "netperf-udp-cpu.txt",
	  "netperf: LOCAL_SEND_THROUGHPUT [Mbit/s] ++ 24083.3; LOCAL_CPU_UTIL [%] -- 100; LOCAL_SD [us/KB] - 0.68; REMOTE_RECV_THROUGHPUT [Mbit/s] + 2595.8; REMOTE_CPU_UTIL [%] -- 100; REMOTE_SD [us/KB] - 0.68" },
	{ NULL, "openssl-rsa.txt",
	  "openssl-speed: rsa 2048 bits sign/s [1/s] + 1930; rsa 2048 bits verify/s [1/s] + 34915; 256 bits ecdsa (nistp256) sign/s [1/s] + 26358.8; 256 bits ecdsa (nistp256) verify/s [1/s] + 7650" },
	{ NULL, "openssl-sha.txt",
	  "openssl-speed: sha256 16 bytes [B/s] + 49885090; sha256 64 bytes [B/s] + 142178670; sha256 256 bytes [B/s] + 463714460; sha256 1024 bytes [B/s] + 712300420; sha256 8192 bytes [B/s] + 966914690; sha256 16384 bytes [B/s] + 1194120530" },
	{ NULL, "perf-bench-futex.txt", "perf-bench: futex/hash operations/s [1/s] + 317952" },
	{ NULL, "perf-bench-mem.txt",
	  "perf-bench: mem/memcpy default throughput [B/s] + 710507601.3; mem/memcpy x86-64-unrolled throughput [B/s] + 762150365.7; mem/memcpy x86-64-movsq throughput [B/s] + 1078573662; mem/memcpy x86-64-movsb throughput [B/s] + 868970632.6" },
	{ NULL, "perf-bench-messaging.txt", "perf-bench: sched/messaging total time [s] - 1.155" },
	{ NULL, "perf-bench-pipe.txt",
	  "perf-bench: sched/pipe total time [s] - 0.047; sched/pipe time per operation [us/op] -- 9.5372; sched/pipe operations/s [1/s] ++ 104852" },
	{ NULL, "perf-bench-wake.txt", "perf-bench: futex/wake time [ms] - 0.1406" },
	{ NULL, "perf-stat-A.txt",
	  "perf-stat: CPU0 task-clock [ms] - 105.85; CPU1 task-clock [ms] - 104; CPU0 context-switches [] -- 65; CPU1 context-switches [] -- 61; elapsed [s] - 0.103960159" },
	{ NULL, "perf-stat-r.txt",
	  "perf-stat: task-clock [ms] - 0.69; context-switches [] -- 1; cpu-migrations [] -- 0; page-faults [] -- 57; elapsed [s] - 0.04828" },
	{ NULL, "perf-stat-x.txt",
	  "perf-stat: task-clock [ms] - 0.62; context-switches [] -- 1; cpu-migrations [] -- 0; page-faults [] -- 59" },
	{ NULL, "perf-stat-xA.txt",
	  "perf-stat: CPU0 task-clock [ms] - 112.7; CPU1 task-clock [ms] - 112.71; CPU0 context-switches [] -- 190; CPU1 context-switches [] -- 123" },
	{ NULL, "perf-stat-xI.txt",
	  "perf-stat: task-clock [ms] - 0.83 0.1; page-faults [] -- 56 1" },
	{ NULL, "perf-stat-xS.txt", "perf-stat: S0 cpu-clock [ms] - 238.3" },
	{ NULL, "perf-stat-xr.txt",
	  "perf-stat: task-clock [ms] - 0.62; context-switches [] -- 1; cpu-migrations [] -- 0; page-faults [] -- 58" },
	{ NULL, "perf-stat.txt",
	  "perf-stat: task-clock [ms] - 0.69; context-switches [] -- 1; cpu-migrations [] -- 0; page-faults [] -- 61; elapsed [s] - 0.107875946; user [s] -- 0.001641; sys [s] -- 0" },
	{ NULL, "pgbench-r.txt",
	  "pgbench: failed transactions [] -- 0; latency average [ms] - 12.1; initial connection time [ms] -- 43.349; tps [1/s] + 82.642818" },
	{ NULL, "pgbench.txt",
	  "pgbench: failed transactions [] -- 0; latency average [ms] - 21.758; initial connection time [ms] -- 30.942; tps [1/s] + 91.921977" },
	{ NULL, "ping-D.txt",
	  "ping: rtt min [ms] -- 0.012; rtt avg [ms] - 0.02; rtt max [ms] -- 0.036; rtt mdev [ms] -- 0.004; rtt p50 [ms] - 0.02; rtt p90 [ms] - 0.024; rtt p99 [ms] - 0.035; packet loss [%] -- 0" },
	{ NULL, "ping-busybox.txt",
	  "ping: rtt min [ms] -- 0.037; rtt avg [ms] - 0.069; rtt max [ms] -- 0.087; packet loss [%] -- 0" },
	{ NULL, "ping.txt",
	  "ping: rtt min [ms] -- 0.034; rtt avg [ms] - 0.039; rtt max [ms] -- 0.045; rtt mdev [ms] -- 0.004; packet loss [%] -- 0" },
	{ NULL, "redis-csv.txt",
	  "redis-benchmark: SET requests/s [1/s] + 16168.15; SET latency avg [ms] - 2.549; SET latency min [ms] -- 0.024; SET latency p50 [ms] - 0.895; SET latency p95 [ms] - 8.239; SET latency p99 [ms] - 11.967; SET latency max [ms] -- 16.703; GET requests/s [1/s] + 17196.9; GET latency avg [ms] - 2.39; GET latency min [ms] -- 0.056; GET latency p50 [ms] - 0.671; GET latency p95 [ms] - 8.519; GET latency p99 [ms] - 12.583; GET latency max [ms] -- 18.047" },
	{ NULL, "redis-q.txt",
	  "redis-benchmark: SET requests/s [1/s] + 16638.94; SET latency p50 [ms] - 0.855; GET requests/s [1/s] + 16155.09; GET latency p50 [ms] - 0.743; LPUSH requests/s [1/s] + 16849.2; LPUSH latency p50 [ms] - 0.871" },
	{ NULL, "redis.txt",
	  "redis-benchmark: SET requests/s [1/s] + 18433.18; SET latency avg [ms] - 2.212; SET latency min [ms] -- 0.096; SET latency p50 [ms] - 0.759; SET latency p95 [ms] - 8.047; SET latency p99 [ms] - 11.807; SET latency max [ms] -- 17.535; GET requests/s [1/s] + 17137.96; GET latency avg [ms] - 2.428; GET latency min [ms] -- 0.096; GET latency p50 [ms] - 0.735; GET latency p95 [ms] - 7.919; GET latency p99 [ms] - 14.887; GET latency max [ms] -- 19.791" },
	{ NULL, "sockperf-pp.txt",
	  "sockperf: latency stdev [us] -- 191.632; dropped messages [] -- 0; latency avg [us] - 19.579; latency max [us] -- 5400.823; latency p99.999 [us] -- 5400.823; latency p99.99 [us] -- 5360.658; latency p99.9 [us] - 3050.436; latency p99 [us] - 20.143; latency p90 [us] - 5.619; latency p75 [us] - 4.871; latency p50 [us] - 4.295; latency p25 [us] - 4.067; latency min [us] -- 3.259" },
	{ NULL, "sockperf-refused.txt", "f: sockperf had no answer: is its server running?" },
	{ NULL, "sockperf-tp.txt",
	  "sockperf: messages/s [1/s] + 75389; bandwidth [MiB/s] + 1.007" },
	{ NULL, "sysbench-cpu.txt",
	  "sysbench: events/s [1/s] + 614.02; total time [s] - 1.0032; events [] + 617; latency min [ms] -- 0.42; latency avg [ms] - 1.62; latency max [ms] -- 22.6; latency p95 [ms] - 11.87" },
	{ NULL, "sysbench-memory.txt",
	  "sysbench: operations/s [1/s] + 907958.95; throughput [B/s] + 929751367.7; total time [s] - 2.308; events [] + 2097152; latency min [ms] -- 0; latency avg [ms] - 0; latency max [ms] -- 36.07" },
	{ NULL, "sysbench-p0.txt",
	  "sysbench: total time [s] - 1.1719; events [] + 1; latency min [ms] -- 1162.57; latency avg [ms] - 1162.57; latency max [ms] -- 1162.57" },
	{ NULL, "sysbench-threads.txt",
	  "sysbench: total time [s] - 1.0083; events [] + 274; latency min [ms] -- 1.97; latency avg [ms] - 7.35; latency max [ms] -- 15.2; latency p99 [ms] - 14.21" },
	{ NULL, "time-bash.txt", "time: wall [s] - 0.117; user [s] - 0.001; sys [s] - 0" },
	{ NULL, "time-default.txt",
	  "time: wall [s] - 0.1; user [s] - 0; sys [s] - 0; max-rss [B] - 1462272" },
	{ NULL, "time-fail.txt", "f: time says 'Command exited with non-zero status 1'" },
	{ NULL, "time-p.txt", "time: wall [s] - 0.13; user [s] - 0; sys [s] - 0" },
	{ NULL, "time-v.txt",
	  "time: wall [s] - 0; user [s] - 0; sys [s] - 0; max-rss [B] - 1921024; majflt [] -- 0; minflt [] -- 108; voluntary context switches [] -- 1; involuntary context switches [] -- 1; file system inputs [] -- 0; file system outputs [] -- 0" },
	{ NULL, "wide.csv",
	  "csv: latency [ms] ? 12.31 12.4 12.28 12.35 12.33; throughput [req/s] ? 8102 8077 8121 8090 8111" },
	{ NULL, "wide.tsv", "csv: sort, small seconds [s] ? 0.5 0.6" },
	{ "wrk", "wrk-503.txt",
	  "f: all 10058 answers were errors (not 2xx or 3xx): is the URL right?" },
	{ NULL, "wrk.txt",
	  "wrk: requests/s [1/s] + 10035.54; latency avg [s] - 0.00169; latency stdev [s] -- 0.00276; latency max [s] -- 0.01998; latency p50 [s] - 6.7e-05; latency p75 [s] - 0.00245; latency p90 [s] - 0.00496; latency p99 [s] - 0.0132; errors [] -- 0; transfer/s [B/s] ++ 2411724.8" },
};

static void what_the_programs_wrote(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_LEN(fixtures); i++) {
		AUTO_FREE char *s = short_shown(fixtures[i].reader, fixtures[i].file);

		if (strcmp(s, fixtures[i].want) != 0)
			fail_msg("%s:\n%s\nwanted:\n%s", fixtures[i].file, s, fixtures[i].want);
	}
}

/* The first metric of two forms of one program has one name and one unit, so that they can be set against each other. */
static void forms_of_one_program_agree(void **state UNUSED)
{
	static const struct {
		const char *a, *b, *metric;
	} rows[] = {
		{ "netperf-rr.txt", "netperf-k.txt", " THROUGHPUT [Trans/s] +" },
		{ "netperf-rr.txt", "netperf-o.txt", " LOCAL_SD [us/Tr] -" },
		{ "netperf-stream.txt", "netperf-stream-g.txt", " THROUGHPUT [Mbit/s] +" },
		{ "netperf-stream.txt", "netperf-maerts-K.txt", " THROUGHPUT [Mbit/s] +" },
		{ "redis.txt", "redis-q.txt", " GET latency p50 [ms] -" },
		{ "redis.txt", "redis-csv.txt", " GET latency p99 [ms] -" },
		{ "ping.txt", "ping-busybox.txt", " rtt avg [ms] -" },
		{ "perf-stat.txt", "perf-stat-x.txt", " task-clock [ms] -" },
		{ "time-v.txt", "time-bash.txt", " wall [s] -" },
		{ "fio-terse3.txt", "fio-terse5.txt", " read iops [1/s] +" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *a = short_shown(NULL, rows[i].a), *b = short_shown(NULL, rows[i].b);

		if (!strstr(a, rows[i].metric) || !strstr(b, rows[i].metric))
			fail_msg("no '%s' in both:\n%s\n%s", rows[i].metric, a, b);
	}
}

/* CRLF, a byte order mark, blanks at the ends of lines: the same result. */
static void line_ends_and_marks_do_not_matter(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_LEN(fixtures); i++) {
		AUTO(str) struct str text = STR_INIT, other = STR_INIT;
		AUTO_FREE char *path = xasprintf("t/fixtures/%s", fixtures[i].file);
		struct err e = ERR_INIT;

		if (!strncmp(fixtures[i].want, "f:", 2))
			continue;
		assert_int_equal(fs_read(path, 64 << 20, &text, &e), 0);
		str_puts(&other, "\xef\xbb\xbf");
		for (size_t k = 0; k < text.n; k++) {
			if (text.p[k] == '\n')
				str_putc(&other, '\r');
			str_putc(&other, text.p[k]);
		}
		AUTO_FREE char *s = file_shown_to(fixtures[i].reader, other.p, other.n, 10);

		if (strcmp(s, fixtures[i].want) != 0)
			fail_msg("%s:\n%s\nwanted:\n%s", fixtures[i].file, s, fixtures[i].want);
	}
}

/*
 * Cut anywhere, with the reader named: what is read then is what the whole file has, or it is refused. So no cut makes a number of half its
 * digits.
 */
static bool is_subset(const char *cut, const char *whole)
{
	const char *at = strchr(cut, ':') + 1;

	while (*at) {
		size_t n = strcspn(at, ";");
		/* a metric with fewer samples is a prefix of the whole one */
		AUTO_FREE char *part = xstrndup(at, n);
		const char *found = strstr(whole, part);

		if (!found || (found[n] && found[n] != ';' && found[n] != ' '))
			return false;
		at += n + (at[n] == ';');
	}
	return true;
}

static void a_cut_file_gives_no_other_numbers(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_LEN(fixtures); i++) {
		AUTO(str) struct str text = STR_INIT;
		AUTO_FREE char *path = xasprintf("t/fixtures/%s", fixtures[i].file);
		AUTO_FREE char *reader = xstrndup(fixtures[i].want, strcspn(fixtures[i].want, ":"));
		struct err e = ERR_INIT;

		assert_int_equal(fs_read(path, 64 << 20, &text, &e), 0);
		if (!strcmp(reader, "f") || text.n > 9000)
			continue;
		for (size_t n = 0; n < text.n; n++) {
			AUTO_FREE char *cut = xstrndup(text.p, n);
			AUTO_FREE char *s = file_shown_to(reader, cut, n, 10);

			assert_null(strchr(s, '\n'));
			if (strncmp(s, "f:", 2) && !is_subset(s, fixtures[i].want))
				fail_msg("%s cut at %zu: %s", fixtures[i].file, n, s);
		}
	}
}

static void what_is_refused(void **state UNUSED)
{
	static const struct {
		const char *reader, *text, *words;
	} rows[] = {
		{ "wrk", "Usage: wrk <options> <url>\n", "wrk printed its usage and no result" },
		{ "wrk", "unable to connect to 127.0.0.1:1 Connection refused\n",
		  "no result of wrk in the output, it says 'unable to connect" },
		{ "wrk", "", "wrk printed nothing" },
		{ "wrk", "  0 requests in 1.00s, 0.00B read\nRequests/sec:      0.00\n",
		  "wrk had no answer" },
		{ "wrk", "Requests/sec:   1.234,5\n",
		  "metric 'requests/s' of wrk: '1.234,5' is a number in the style of a locale: run it with LC_ALL=C" },
		{ "wrk", "Requests/sec:   12,5\n", "style of a locale" },
		{ "wrk", "Requests/sec:   nan\n", "'nan' is not a finite number" },
		{ "wrk", "Requests/sec:   12 parsecs\n", "has the unknown unit 'parsecs'" },
		{ "wrk", "Requests/sec:   12", "in a last line without its end" },
		{ "wrk", "  10 requests in 1.00s, 1B read\n  Non-2xx or 3xx responses: 10\n",
		  "all 10 answers were errors" },
		{ "hackbench", "Time: -1.0\n", "negative time" },
		{ "hackbench", "Time: 1e999\n", "not a finite number" },
		{ "ping", "3 packets transmitted, 0 received, 100% packet loss, time 9ms\n",
		  "ping had no answer" },
		{ "ping", "64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.034 ms\n",
		  "stopped before its summary" },
		{ "pgbench", "number of transactions actually processed: 0\ntps = 0.0\n",
		  "processed no transaction" },
		{ "sysbench", "    total number of events:              0\n", "0 events" },
		{ "netperf", "THROUGHPUT=0.00\nTHROUGHPUT_UNITS=Trans/s\n", "moved nothing" },
		{ "netperf", "Usage: netperf [global options]\n", "printed its usage" },
		{ "redis-benchmark", "Could not connect to Redis: Connection refused\n",
		  "it says 'Could not connect" },
		{ "memaslap", "Run time: 0.0s Ops: 0 TPS: 0 Net_rate: 0.0M/s\n", "did nothing" },
		{ "iperf3-text", "iperf3: error - unable to connect to server\n",
		  "iperf3: error - unable" },
		{ "go", "BenchmarkX-8 \t 10 \t NaN ns/op\n", "'NaN' is not a finite number" },
		{ "go", "--- FAIL: BenchmarkX-8\nFAIL\n", "failed: '--- FAIL: BenchmarkX-8'" },
		{ "go", "BenchmarkX-8 \t 10 \t 12 ns/o", "in a last line without its end" },
		{ "go", "BenchmarkX-8 \t 10 \t 1,5 ns/op\n", "style of a locale" },
		{ "perf-stat", " Performance counter stats for 'x':\n\n <not supported>  cycles\n",
		  "no result of perf stat" },
		{ "perf-stat", " Performance counter stats for 'x':\n\n 1.234.567  cycles\n",
		  "a count with a point" },
		{ "perf-stat", " Performance counter stats for 'x':\n\n 1.234  cycles\n",
		  "a count with a point" },
		{ "perf-stat", " Performance counter stats for 'x':\n\n 1,23 msec task-clock\n",
		  "style of a locale" },
		{ "fio-terse", "3;fio-3.33;rr;0;0;1984;496", "it was cut" },
		{ "ministat", "1\n2x\n", "line 2: '2x' is no number" },
		{ "ministat", "1\ninf\n", "not a finite number" },
		{ "ministat", "1\n1.234,5\n", "style of a locale" },
		{ "csv", "a,b\n1,2,3\n",
		  "line 2 has 3 cells and the first has 2: a decimal comma?" },
		{ "csv", "a;b\n1,5;2\n", "line 2: '1,5' is in the style of a locale" },
		{ "csv", "a;b\n1.5;2", "line 2: '1.5' is in a last line without its end" },
		{ "csv", "a,b\n1,2\n1,timeout\n",
		  "line 3: 'timeout' is no number, in the column of 'b'" },
		{ "csv", "a,b\n1,nan\n", "'nan' is not a finite number" },
		{ "csv", "a,b\nx,\"2\n", "line 2: a quote is not closed" },
		{ "csv", "a,b\nx,y\n",
		  "no result of a table in the output: it has no row with a number" },
		{ "csv", "1,2\n3,4\n", "begins with a line of its columns' names" },
		{ "time",
		  "\xff\xfe"
		  "r\0e\0a\0l\0",
		  "UTF-16" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *s = file_shown(rows[i].reader, rows[i].text, strlen(rows[i].text));

		if (strncmp(s, "f: ", 3) || !strstr(s, rows[i].words))
			fail_msg("%s of '%s': '%s' lacks '%s'", rows[i].reader, rows[i].text, s,
				 rows[i].words);
		assert_null(strchr(s, '\n'));
	}
}

/* What perf did not count, or not always, is no number: it is told, once for each reason. */
static void events_that_are_no_numbers(void **state UNUSED)
{
	static const char text[] = " Performance counter stats for 'x':\n\n"
				   "   <not supported>  cycles\n   <not supported>  branches\n"
				   "   <not counted>    faults\n   1000  instructions  (62.50%)\n"
				   "   7  page-faults\n   <not supported>  cycles\n";
	AUTO(numbers) struct numbers got = { 0 };
	const char *format;
	struct err e = ERR_INIT;

	assert_int_equal(reader_file(NULL, text, strlen(text), "f", &got, &format, &e), 0);
	assert_int_equal(got.n, 1);
	assert_string_equal(got.v[0].metric, "page-faults");
	assert_int_equal(got.notes.n, 3);
	assert_string_equal(got.notes.v[0], "cycles, branches: no number, <not supported>");
	assert_string_equal(got.notes.v[1], "faults: no number, <not counted>");
	assert_non_null(strstr(got.notes.v[2], "instructions: no number, counted for a part"));
	assert_string_equal(reader_no_number(&got.notes, "branches"), "no number, <not supported>");
	assert_null(reader_no_number(&got.notes, "branch"));
	assert_null(reader_no_number(&got.notes, "page-faults"));
}

static void single_lines(void **state UNUSED)
{
	static const struct {
		const char *reader, *text, *want;
	} rows[] = {
		{ "wrk", "    Latency   635.91us    0.89ms  1.5m   93.69%\nRequests/sec:  12.34k\n",
		  "wrk: requests/s [1/s] + 12340; latency avg [s] - 0.00063591; latency stdev [s] -- 0.00089; latency max [s] -- 90; errors [] -- 0" },
		{ "wrk",
		  "  Socket errors: connect 0, read 1, write 0, timeout 12\nRequests/sec:  1.00\n",
		  "wrk: requests/s [1/s] + 1; errors [] -- 13" },
		/* until 13 */
		{ "pgbench",
		  "latency average: 1.200 ms\ntps = 85.1 (including connections establishing)\ntps = 86.2 (excluding connections establishing)\n",
		  "pgbench: latency average [ms] - 1.2; tps including connections [1/s] ++ 85.1; tps [1/s] + 86.2" },
		{ "go",
		  "pkg: a\nBenchmarkX 1 2 ns/op\npkg: b\nBenchmarkX 1 3 ns/op\nUnit hit better=higher\nBenchmarkY 1 4 hit\n",
		  "go: a.X time [ns/op] - 2; b.X time [ns/op] - 3; b.Y hit [hit] + 4" },
		{ "go",
		  "BenchmarkX-8 \t 10 \t oops 12 ns/op\nBenchmarkX-8 \t 10 \t 12 ns/op\nBenchmarks 3 4 x\n",
		  "go: X-8 time [ns/op] - 12" },
		{ "perf-stat",
		  " Performance counter stats for 'x':\n\n 1,234,567  cycles:u  # 1 GHz\n 1,234.50 msec task-clock\n 500 cache-misses ( +- 3.1% ) (62.50%)\n 7 branches (100.00%)\n",
		  "perf-stat: cycles:u [] - 1234567; task-clock [ms] - 1234.5; branches [] -- 7" },
		{ "go", "BenchmarkX 1 2 us/op\nBenchmarkX 1 3 us/op\n",
		  "go: X time [us/op] - 2 3" },
		{ "perf-stat", "12,,cpu/event=0x3c,umask=0x0/,1000,100.00,,\n5,,x,1000,99.99,,\n",
		  "perf-stat: cpu/event=0x3c,umask=0x0/ [] -- 12" },
		{ "time", "real\t1m2.500s\nuser\t0m0.25s\n",
		  "time: wall [s] - 62.5; user [s] - 0.25" },
		{ "time",
		  "1.00user 0.10system 1:02:03elapsed 0%CPU (0avgtext+0avgdata 4maxresident)k\n",
		  "time: wall [s] - 3723; user [s] - 1; sys [s] - 0.1; max-rss [B] - 4096" },
		{ "csv", "latency,12.3,ms\nlatency,12.4,ms\n", "csv: latency [ms] ? 12.3 12.4" },
		{ "csv", "time,latency\n1700000000,5\n1700000060,\n1700000120,6\n",
		  "csv: latency [] ? 5 6" },
		{ "csv", "time\n2\n3\n",
		  "f: no result of a table in the output: it needs columns parted by commas, semicolons or tabs, it says 'time'" },
		{ "csv", "name;p99 [us]\n\"a;b\";1.5\n\"say \"\"x\"\"\";2\n",
		  "csv: a;b p99 [us] ? 1.5; say \"x\" p99 [us] ? 2" },
		{ "netperf", " 87380  16384  16384    10.00    27175.27\n",
		  "netperf: THROUGHPUT [Mbit/s] + 27175.27" },
		{ "netperf", " 87380 16384 16384 10.00 9.5 12.0 -1.00 1.5 -1.000\n",
		  "netperf: THROUGHPUT [Mbit/s] + 9.5; LOCAL_CPU_UTIL [%] -- 12; LOCAL_SD [us/KB] - 1.5" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *s =
			file_shown_to(rows[i].reader, rows[i].text, strlen(rows[i].text), 10);

		assert_string_equal(s, rows[i].want);
	}
}

static void lists_of_numbers_are_no_tables(void **state UNUSED)
{
	static const char *const rows[] = { "1, 2\n3, 4\n", "t: 1 ms\nt: 2 ms\n", "1\n2\n",
					    "real: 3\n" };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *s = file_shown(NULL, rows[i], strlen(rows[i]));

		assert_int_equal(strncmp(s, "numbers:", 8), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_programs_wrote),
		cmocka_unit_test(forms_of_one_program_agree),
		cmocka_unit_test(line_ends_and_marks_do_not_matter),
		cmocka_unit_test(a_cut_file_gives_no_other_numbers),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(events_that_are_no_numbers),
		cmocka_unit_test(single_lines),
		cmocka_unit_test(lists_of_numbers_are_no_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
