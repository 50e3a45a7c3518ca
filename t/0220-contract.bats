#!/usr/bin/env bats
# The JSON contract key by key, and the exit statuses, inside a real `git bisect run` as well. Values come from --target sim: no builds.

load lib
setup() {
	setup_culprit
	git init -q project
	cd project || return 1
	for k in $(seq 1 16); do git commit -q --allow-empty -m "change $k" && git tag "c$k"; done
	printf '%%level 100\n%%sd 0.5%%\n%%change c9 +6%%\nc4 broken\n' >../model
}

sim() { culprit_run "$@" --target sim=../model --json; }

@test 'compare' {
	sim compare c1 c9 c8
	expect_status 1
	jq -e '.schema == 1 and .command == "compare" and .variants == ["c1", "c9", "c8"]' <<<"$output"
	jq -e '[.metrics[] | select(.primary)] | length == 2' <<<"$output"
	jq -e '.metrics[0] | [.benchmark, .metric, .unit, .better, .variant, .baseline, .evidence, .verdict] | map(type) | all(. == "string")' <<<"$output"
	jq -e '.metrics[0] | [.change, .low, .high, .level, .margin, .more_runs] | map(type) | all(. == "number")' <<<"$output"
	jq -e '.metrics[0] | (.n | length == 2) and (.builds == [1, 1]) and (.boots | length == 2) and (.warnings | type == "array")' <<<"$output"
	jq -e '.metrics[0] | .variant == "c9" and .baseline == "c1" and .better == "lower" and .level >= 0.95 and .margin == 0.01' <<<"$output"
	jq -e '.metrics[0] | .low <= .change and .change <= .high and .verdict == "slower"' <<<"$output"
	jq -e '[.metrics[].verdict] | all(. as $v | ["slower", "faster", "on-par", "undecided", "identical"] | index($v) != null)' <<<"$output"
	[ "$(wc -l <<<"$output")" -eq 1 ]
}

@test 'bisect, every verdict has the same keys' {
	local verdict
	for verdict in named set no-change undecided; do
		case $verdict in
		named) sim bisect c1 c16 ;;
		set) printf 'c8 broken\nc9 broken\n' >>../model && sim bisect c1 c16 ;;
		no-change) sim bisect c10 c16 ;;
		undecided) sim bisect c1 c16 --budget 1ms --new ;;
		esac
		[ "$(jq -r .verdict <<<"$output")" = $verdict ] || complain "not $verdict"
		case $verdict in undecided) expect_status 3 ;; *) expect_status 0 ;; esac
		jq -e '.schema == 1 and .command == "bisect" and .kind == "commit" and .direction == "regression"' <<<"$output"
		jq -e '[.builds, .boots, .runs, .seconds, .probability] | map(type) | all(. == "number")' <<<"$output"
		jq -e 'has("change") and has("low") and has("high") and has("culprit") and has("metric")' <<<"$output"
		jq -e '[.skipped, .warnings, .suspects] | map(type) | all(. == "array")' <<<"$output"
		jq -e '.suspects | map((.commit | test("^[0-9a-f]{40}$")) and (.probability | type == "number")) | all' <<<"$output"
		if [ $verdict = named ]; then
			[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c9)" ]
		else
			jq -e '.culprit == null' <<<"$output"
		fi
	done
	printf '%%level 100\n%%sd 0.5%%\n%%change c9 -6%%\n' >../model
	sim bisect --fix c1 c16
	jq -e '.direction == "fix" and .verdict == "named"' <<<"$output"
}

@test 'simulate' {
	culprit_run simulate g3s -N 32 --histories 20 --json
	expect_status 0
	jq -e '.schema == 1 and .command == "simulate" and .scenario == "g3s" and .policy == "P4" and .histories == 20 and (.seed | type == "number")' <<<"$output"
	jq -e '(.right + .false + .no_change + .multiple + .set + .undecided - 1 | fabs) < 1e-9' <<<"$output"
	jq -e '[.right, .false, .set_holds_culprit, .stated, .actual, .builds.mean, .builds.p90, .runs.mean, .runs.p90] | map(type) | all(. == "number" or . == "null")' <<<"$output"
	jq -e '.builds.mean > 1 and .runs.p90 >= .runs.mean * 0.5' <<<"$output"
}

@test 'exit statuses of compare' {
	sim compare c1 c9 && expect_status 1
	sim compare c9 c1 && expect_status 0
	sim compare c1 c2 && expect_status 0
	sim compare c1 c9 -n 3 && expect_status 3
	sim compare c1 c4 && expect_status 4
	sim compare c1 nosuch && expect_status 2
	sim compare c1 c9 --exit-code=bisect && expect_status 1
	sim compare c1 c2 --exit-code=bisect && expect_status 0
	sim compare c1 c9 -n 3 --exit-code=bisect && expect_status 125
	sim compare c1 c4 --exit-code=bisect && expect_status 125
	# the baseline is not what git bisect asks about
	sim compare c4 c9 --exit-code=bisect && expect_status 132
	culprit_run compare c1 c1:env.BAD=1 --bench '[ -z "$BAD" ]' --exit-code=bisect
	expect_status 125
	culprit_run compare c1 c2 --bench 'exit 1' --exit-code=bisect -n 5
	[ "$status" -eq 0 ] || [ "$status" -eq 132 ]
	sim compare c1 nosuch --exit-code=bisect
	[ "$status" -ge 128 ]
}

@test 'git bisect run with compare as its script finds the commit and steps over the broken one' {
	printf '%%level 100\n%%sd 0.5%%\n%%change c12 +6%%\nc8 broken\n' >../model
	git bisect start c16 c1
	[ "$(git rev-parse HEAD)" = "$(git rev-parse c8)" ]
	git bisect run culprit compare c1 HEAD --target sim=../model --exit-code=bisect >../said 2>&1
	cat ../said
	[ "$(git rev-parse refs/bisect/bad)" = "$(git rev-parse c12)" ]
	grep -q 'is the first bad commit' ../said
	git bisect reset
	[ -z "$(git status --porcelain)" ]
}
