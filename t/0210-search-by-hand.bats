#!/usr/bin/env bats
# What a person adds to a search: metrics, suspects, marks, logs, paths, and how the choices show in the answer.

load lib
setup() {
	setup_culprit
}

search() { culprit_run bisect "$@" --build 'sh build.sh' --bench ./program --no-head-to-head; }
verdict() { jq -r .verdict <<<"$output"; }

@test 'the head-to-head is about the metric that was searched, whatever else is primary' {
	make_history 8
	plant 5 +20%
	cd project
	culprit_run bisect c1 c8 --build 'sh build.sh' --bench './program; echo "other: $(od -An -N2 -tu2 /dev/urandom) ms"' \
		-c 'benchmarks.default.primary=[time, other]' --json
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c5)" ]
	jq -e '[.head_to_head.metrics[] | select(.primary) | .metric] == ["time"]' <<<"$output"
	jq -e '.head_to_head.metrics[0].n[0] == 5 and .change_source == "head-to-head"' <<<"$output"
	culprit_run verify
	expect_status 0
}
