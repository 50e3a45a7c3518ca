#!/usr/bin/env bats
# What known programs print, as the output of a benchmark: --reader, what is suggested, what is refused.

load lib
setup() {
	setup_culprit
	system_path
	fixtures=$BATS_TEST_DIRNAME/fixtures
	git init -q .
	git commit -q --allow-empty -m start
}

@test '--reader takes the values of a benchmark, those that count first' {
	culprit_run run -n 2 --bench "cat $fixtures/wrk.txt" --reader wrk --json
	expect_status 0
	jq -e '.measured[] | select(.metric == "requests/s") | .primary and .median == 10035.54' <<<"$output" >/dev/null ||
		complain 'requests/s is not the primary metric'
	[ -z "$stderr" ] || complain 'something on stderr'
}

@test 'output that a reader knows is pointed out, once' {
	culprit_run run -n 3 --bench "cat $fixtures/ping.txt"
	expect_status 0
	expect_err "the output is one of ping: '--reader ping'"
	[ "$(grep -c 'reader ping' <<<"$stderr")" -eq 1 ] || complain 'said more than once'
}

@test 'what perf did not count is no number, and a hunt by it fails with that reason' {
	culprit_run run -n 2 --bench "cat $fixtures/perf-stat-x.txt" --reader perf-stat
	expect_status 0
	expect_err 'cycles, instructions, branches, branch-misses: no number, <not supported>'
	expect_out page-faults
	culprit_run run -n 2 --bench "cat $fixtures/perf-stat-x.txt" --reader perf-stat -m cycles
	expect_err "metric 'cycles': no number, <not supported>"
}

@test 'a reader that is none, usages, errors and other units are one line' {
	culprit_run run --bench true --reader wrkk
	expect_status 2
	expect_one_line "did you mean 'wrk'"
	culprit_run compare --reader wrk "$fixtures/wrk-usage.txt" "$fixtures/wrk.txt"
	expect_status 2
	expect_one_line 'wrk printed its usage and no result'
	culprit_run compare "$fixtures/wrk-503.txt" "$fixtures/wrk.txt"
	expect_one_line 'all 10058 answers were errors'
}

@test 'units that change between the sides are brought to one' {
	printf 'BenchmarkA-8 1 100 us/op\nBenchmarkA-8 1 101 us/op\n' >a
	printf 'BenchmarkA-8 1 0.1 ms/op\nBenchmarkA-8 1 0.101 ms/op\n' >b
	culprit_run compare a b --json
	jq -e '.metrics[0] | .unit == "us/op" and (.change | fabs) < 1e-9' <<<"$output" >/dev/null || complain 'a change'
	culprit_run compare "$fixtures/netperf-stream.txt" "$fixtures/netperf-stream-g.txt"
	expect_out '8.082 Gbit/s'
	expect_out '10.02 Gbit/s'
}
