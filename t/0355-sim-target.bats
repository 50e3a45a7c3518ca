#!/usr/bin/env bats
# --target sim=FILE: the ordinary commands on a real repository, with values that a file gives to its commits.

load lib
setup() {
	setup_culprit
	git init -q project
	cd project || return 1
	for k in $(seq 1 30); do git commit -q --allow-empty -m "change $k" && git tag "c$k"; done
	printf '# made up\n%%level 12.5\n%%sd 1%%\n%%tau 0.2%%\n%%change c23 +4%%\nc10 broken\nc11 broken\n' >../model
}

name_of() { git rev-parse "$1"; }

@test 'bisect: a planted change is named, with no build, journaled and verified' {
	culprit_run bisect c1 c30 --target sim=../model --json
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(name_of c23)" ]
	jq -e '.evidence == "model" and .metric == "value" and .benchmark == "simulated" and (.warnings | any(contains("simulated")))' <<<"$output"
	jq -e '.head_to_head.metrics[0].evidence == "model"' <<<"$output"
	[ ! -e .culprit/trees ] || [ -z "$(ls .culprit/trees)" ]
	first=$(jq 'del(.seconds)' <<<"$output")
	culprit_run verify
	expect_status 0
	culprit_run bisect c1 c30 --target sim=../model --json
	[ "$(jq 'del(.seconds)' <<<"$output")" = "$first" ]
	# the same seed gives the same hunt, another one another
	culprit_run bisect c1 c30 --target sim=../model --json --new
	[ "$(jq 'del(.seconds, .hunt)' <<<"$output")" = "$(jq 'del(.hunt)' <<<"$first")" ]
	culprit_run bisect c1 c30 --target sim=../model --json --seed 4
	[ "$(jq -r .culprit <<<"$output")" = "$(name_of c23)" ]
	[ "$(jq .runs <<<"$output")" != "$(jq .runs <<<"$first")" ] || [ "$(jq .old_median <<<"$output")" != "$(jq .old_median <<<"$first")" ]
}

@test 'bisect: values that were measured, commits without any are skipped, another file is another question' {
	for k in 1 4 8 12 16 20 24 28 30; do
		if [ "$k" -lt 17 ]; then v='100 101 99 100.5'; else v='110 111 109 110.5'; fi
		printf '%s values %s\n' "$(git rev-parse --short "c$k")" "$v"
	done >../measured
	culprit_run bisect c1 c30 --target sim=../measured --json
	expect_status 0
	[ "$(jq -r .verdict <<<"$output")" = set ]
	jq -e '[.suspects[].commit] | length == 4' <<<"$output"
	[[ "$(jq -r '.suspects[].commit' <<<"$output")" == *"$(name_of c20)"* ]]
	jq -e '.skipped | map(.reason) | any(contains("says nothing of it"))' <<<"$output"
	sed -i 's/11[01]/100/g; s/109/99/g; s/110.5/100.5/g' ../measured
	culprit_run bisect c1 c30 --target sim=../measured --json
	[[ "$stderr" != *'stored answer'* ]]
	[ "$(jq -r .verdict <<<"$output")" = no-change ]
}

@test 'compare and run take it as well' {
	culprit_run compare c1 c30 --target sim=../model --json
	expect_status 1
	jq -e '.metrics[0].verdict == "slower" and .metrics[0].evidence == "model" and (.metrics[0].change - 0.04 | fabs) < 0.02' <<<"$output"
	culprit_run verify
	expect_status 0
	culprit_run run c1 c23 -n 3 --target sim=../model --json
	expect_status 0
	jq -e '[.measured[].n] == [3, 3]' <<<"$output"
}

@test 'killed midway the hunt goes on to the same answer as one that was not' {
	culprit_run bisect c1 c30 --target sim=../model --json
	whole=$(jq -c '[.culprit, .builds, .runs, .probability]' <<<"$output")
	for after in 0.05 0.1 0.15; do
		timeout -s KILL "$after" culprit bisect c1 c30 --target sim=../model --store ../other >/dev/null 2>&1 || true
	done
	culprit_run bisect c1 c30 --target sim=../model --store ../other --json
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(jq -r '.[0]' <<<"$whole")" ]
	culprit_run verify --store ../other
	expect_status 0
}

@test 'mistakes' {
	culprit_run bisect c1 c30 --target sim
	expect_status 2 && expect_one_line '--target sim=FILE'
	culprit_run bisect c1 c30 --target vmm
	expect_status 2 && expect_one_line "unknown target 'vmm'"
	culprit_run bisect c1 c30 --target local=x
	expect_status 2 && expect_one_line "takes no '=x'"
	culprit_run bisect c1 c30 --target sim=nowhere
	expect_one_line nowhere
	printf 'c99 level 3\n' >../f
	culprit_run bisect c1 c30 --target sim=../f
	expect_status 2 && expect_one_line c99
	printf '%%change c5 4%%\n%%level 0\n' >../f
	culprit_run bisect c1 c30 --target sim=../f
	expect_status 2 && expect_one_line '../f:2: the level must be above 0'
	printf '%%change c5 4%%\nc5 level 3\n' >../f
	culprit_run bisect c1 c30 --target sim=../f
	expect_status 2 && expect_one_line '%change needs a %level'
	printf '%%level 5\n%%change c5\n' >../f
	culprit_run bisect c1 c30 --target sim=../f
	expect_status 2 && expect_one_line '../f:2:'
	printf '%%level 5\n%%change c5 -100%%\n' >../f
	culprit_run bisect c1 c30 --target sim=../f
	expect_status 2 && expect_one_line 'leaves nothing'
	culprit_run compare c1 c1:env.X=3 --target sim=../model
	expect_status 2 && expect_one_line 'plain commits only'
	culprit_run compare c1 c10 --target sim=../model
	expect_status 4 && expect_one_line 'broken in ../model'
	: >../f
	culprit_run bisect c1 c30 --target sim=../f
	expect_status 2 && expect_one_line 'needs commits with their values'
}

@test 'explain: the culprit of a search in another folder, and the same again by number' {
	culprit_run bisect c1 c30 --target sim=../model
	expect_status 0
	mkdir ../elsewhere
	cd ../elsewhere
	culprit_run explain --store ../project/.culprit --json
	expect_status 0
	jq -e --arg c "$(git -C ../project rev-parse c23)" --arg p "$(git -C ../project rev-parse c22)" '.variants == [$p, $c] and (.surroundings.rows | length) == 0' <<<"$output"
	jq -e '.metrics[0] | .metric == "value" and .evidence == "model" and .n == [5, 5]' <<<"$output"
	culprit_run explain 2 --store ../project/.culprit
	expect_status 0
	expect_err 'was measured before'
	culprit_run verify 2 --store ../project/.culprit
	expect_status 0
}
