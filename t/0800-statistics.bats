#!/usr/bin/env bats
# The search keeps its targets in simulation, and the test can see when it does not: rates against a binomial bound at 1e-4, at fixed seeds.
# The whole table is `make bench-stats`.

load lib

setup() { setup_culprit; }

table() {
	culprit_run simulate --targets "$1" --seeds 777,2024 --jobs "$(nproc)" "${@:2}"
}

@test 'the search reaches the targets of the reduced table' {
	table "$root/bench/stats-targets-ci.txt"
	expect_status 0
	[ "$(grep -c ' ok$' <<<"$output")" -ge 40 ] || complain "rows are missing"
	! grep -q WORSE <<<"$output"
}

@test 'a method without build offsets is found out' {
	grep '^off_d3 *P4 ' "$root/bench/stats-targets-ci.txt" >off.txt
	table off.txt --offset-scale 0
	expect_status 1
	expect_out 'WORSE'
	table off.txt
	expect_status 0
}

@test 'names given too early are found out' {
	printf 'g2s P4 120 false<=1%%\n' >early.txt
	table early.txt --alpha 0.5
	expect_status 1
	expect_out 'WORSE'
	table early.txt
	expect_status 0
}
