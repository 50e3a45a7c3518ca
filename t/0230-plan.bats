#!/usr/bin/env bats
# --dry-run: its prices are those of this benchmark, and what it foretells is about what happens.

load lib
setup() {
	setup_culprit
	make_history 30
	plant 17 +8%
	cd project || return 1
}

plan() { culprit_run "$@" --build 'sh build.sh' --bench ./program --dry-run --json; }

@test 'in a new store the time is not known, and it is said how to learn it' {
	plan bisect c1 c30
	expect_status 0
	jq -e '.run_seconds == null and .cases[0].seconds == null and .cases[0].runs > 4' <<<"$output"
	culprit_run bisect c1 c30 --build 'sh build.sh' --bench ./program --dry-run
	expect_out "'culprit run REV -n 2' with the same --build and --bench tells"
	expect_out 'Nothing was built or run'
}

@test 'a price is that of this benchmark, not of another one or of the simulator' {
	printf '%%level 5\n%%sd 1%%\n' >../model
	culprit_run run c1 c2 -n 20 --target sim=../model
	culprit_run run c1 -n 2 --build 'sh build.sh' --bench 'sleep 0.5; ./program'
	plan bisect c1 c30
	jq -e '.run_seconds > 0.4 and .build_seconds != 0.01' <<<"$output"
	culprit_run run c1 -n 2 --build 'sh build.sh' --bench ./program
	plan bisect c1 c30
	jq -e '.run_seconds < 0.4' <<<"$output"
	plan compare c1 c30
	jq -e '.run_seconds < 0.4 and (.cases | length) == 2' <<<"$output"
}

@test 'what is foretold is about what happens: builds and runs of a clear change' {
	culprit_run run c1 -n 2 --build 'sh build.sh' --bench ./program
	plan bisect c1 c30
	builds=$(jq .cases[0].builds <<<"$output") runs=$(jq .cases[1].runs <<<"$output")
	culprit_run bisect c1 c30 --build 'sh build.sh' --bench ./program --no-head-to-head --json
	# the change is far above the noise: no more than the plan of a clear one, and half as much again for luck
	jq -e --argjson b "$builds" --argjson r "$runs" '.builds <= 1.5 * $b and .runs <= $r' <<<"$output"
}
