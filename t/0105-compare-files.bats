#!/usr/bin/env bats
# compare on files of results in the formats of benchmarks: no repository, no configuration.

load lib
setup() {
	setup_culprit
	fixtures=$BATS_TEST_DIRNAME/fixtures
	cp -r "$fixtures" .
	cd fixtures || return
}

@test 'every pair of files of one format gives a table, and says which format it is' {
	local pairs=0
	for old in */old*; do
		new=${old/old/new}
		culprit_run compare "$old" "$new"
		[ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 3 ] || complain "$old: $status $stderr"
		[[ "$output" == *verdict* ]] || complain "$old: no table"
		[ -z "$stderr" ] || complain "$old: $stderr"
		culprit_run compare "$old" "$new" --json
		jq -e '(.formats | length == 2 and .[0] == .[1]) and ([.metrics[] | select(.primary)] | length > 0)' <<<"$output" >/dev/null ||
			complain "$old: $output"
		pairs=$((pairs + 1))
	done
	[ "$pairs" -ge 18 ]
}

@test 'samples are kept apart, and directions are known' {
	culprit_run compare pyperf/old.json pyperf/new.json --json
	expect_status 1
	jq -e '[.metrics[] | .n == [8, 8] and .better == "lower" and .verdict == "slower"] == [true, true]' <<<"$output"
	culprit_run compare jmh/old.json jmh/new.json
	expect_status 1
	expect_out 'org.sample.Map.put throughput'
	expect_out 'and 2 more: order of the runs unknown: drift not excluded'
	culprit_run compare lkp/old-matrix.json lkp/new-matrix.json
	expect_status 1
	expect_out 'order of the runs unknown'
}

@test 'one benchmark a file: its name does not matter; a third file; one metric' {
	culprit_run compare hyperfine/one.json hyperfine/one.json --json
	expect_status 3
	[ "$(jq -c '[.metrics[].metric]' <<<"$output")" = '["time","user","system"]' ]
	sed 's/sleep 0.006/.\/new/' hyperfine/one.json >renamed.json
	culprit_run compare hyperfine/one.json renamed.json hyperfine/one.json --json
	expect_status 3
	[ "$(jq -c '[.metrics[] | select(.primary) | .variant]' <<<"$output")" = '["renamed.json","hyperfine/one.json"]' ]
	culprit_run compare hyperfine/old.json hyperfine/new.json --metric 'sleep 0.002 time' --json
	[ "$(jq -c '[.metrics[].metric]' <<<"$output")" = '["sleep 0.002 time"]' ]
	culprit_run compare hyperfine/old.json hyperfine/new.json --metric throughput
	expect_status 2
	expect_one_line "hyperfine/old.json: no metric 'throughput'"
}

@test 'several results in one file are several runs; units that are one scaled are converted' {
	for i in 1 2 3 4 5 6; do
		echo '{"benchmarks":[{"name":"a","real_time":7'$i',"time_unit":"ms"}],"context":{}}' >>ms.json
		echo '{"benchmarks":[{"name":"a","real_time":0.07'$i',"time_unit":"s"}],"context":{}}' >>s.json
	done
	culprit_run compare ms.json s.json --json
	jq -e '.metrics[0] | .n == [6, 6] and .unit == "ms" and .baseline_median == 73.5 and .change == 0' <<<"$output"
	culprit_run compare iperf3/old.json iperf3/new.json
	expect_status 3
	expect_out 'one run of each says nothing of the noise'
	cat iperf3/old.json iperf3/new.json iperf3/old.json iperf3/new.json iperf3/old.json >many.json
	culprit_run compare many.json many.json --json
	jq -e '.metrics[0].n == [5, 5]' <<<"$output"
}

@test 'what cannot be read is one line: unknown, cut, failed, too large, of another format' {
	culprit_run compare hyperfine/old.json nowhere.json
	expect_status 2
	expect_one_line "'nowhere.json' is neither a file nor a revision"
	echo 'hello world' >text
	culprit_run compare hyperfine/old.json text
	expect_status 2
	expect_one_line "text:1: neither numbers nor 'name: value unit': 'hello world' (tried: numbers, "
	echo '{"a": [{}]}' >other.json
	culprit_run compare other.json other.json
	expect_status 2
	expect_one_line "other.json: JSON of no known format; its keys are 'a' (tried: fio, "
	head -c 500 hyperfine/old.json >cut.json
	culprit_run compare cut.json cut.json
	expect_status 2
	expect_one_line 'cut.json:'
	culprit_run compare fio/error.json fio/old.json
	expect_status 2
	expect_one_line "fio/error.json: the job 'bad' failed: No space left on device"
	culprit_run compare hyperfine/old.json hyperfine/new.json --reader fio
	expect_status 2
	expect_one_line 'hyperfine/old.json:1: this JSON is not what fio writes'
	culprit_run compare hyperfine/old.json hyperfine/new.json --reader hyperfien
	expect_status 2
	expect_one_line "did you mean 'hyperfine'"
	printf '{"results": [' >large.json
	truncate -s 257M large.json
	culprit_run compare large.json large.json
	expect_status 2
	expect_one_line '257 MiB of JSON, more than the 256 that are read'
	culprit_run compare pyperf/old.json jmh/old.json
	expect_status 2
	expect_one_line 'pyperf/old.json and jmh/old.json have no metric in common'
}

@test 'a benchmark that writes such a format is measured with its reader' {
	make_history 2
	cp hyperfine/one.json project/ 2>/dev/null || cp "$fixtures/hyperfine/one.json" project/
	cd project
	culprit_run run c1 -n 2 --bench "cat $fixtures/hyperfine/one.json" -c benchmarks.default.reader=hyperfine --json
	expect_status 0
	jq -e '[.measured[] | select(.primary) | .metric] == ["time"]' <<<"$output"
	culprit_run run c1 -n 1 --new --bench "head -c 100 $fixtures/hyperfine/one.json" -c benchmarks.default.reader=hyperfine
	expect_status 4
	expect_err 'its output:'
	expect_err 'not JSON'
}
