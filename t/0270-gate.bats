#!/usr/bin/env bats
# gate: one exit status for CI, Markdown and JUnit beside it.

load lib
setup() {
	setup_culprit
	system_path
	make_history 4
	plant 3 +10%
	cd project || return
	printf '%s\n' 'project:' '  build: sh build.sh' 'benchmarks:' '  one:' '    command: ./program' '    primary: [time]' \
		'  two:' "    command: 'echo \"jobs: \$((1000 + RANDOM % 2)) op/s\"'" '    primary: [jobs]' >../culprit.yaml
	gate=(gate --config ../culprit.yaml --margin 2%)
}

@test 'worse with one of two benchmarks: status 1, and a table, a summary and JUnit that say so' {
	culprit_run "${gate[@]}" c2 c3 --markdown ../summary --junit ../junit.xml
	expect_status 1
	expect_out 'fail: performance got worse'
	grep -q '^### culprit: performance got worse' ../summary
	grep -q '| one | time |.*| slower |' ../summary
	grep -q '1 metric not worse' ../summary
	xmllint --noout ../junit.xml 2>/dev/null || ! command -v xmllint
	grep -q '<testsuite name="one" tests="1" failures="1" errors="0" skipped="0"' ../junit.xml
	grep -q '<testcase classname="two" name="jobs"/>' ../junit.xml
	# appended, as a job's page wants; JUnit is written anew
	culprit_run "${gate[@]}" c2 c3 --markdown ../summary --junit ../junit.xml --json
	expect_status 1
	[ "$(grep -c '^### culprit' ../summary)" -eq 2 ]
	[ "$(grep -c '<testsuites' ../junit.xml)" -eq 1 ]
	jq -e '.command == "gate" and .base == "c2" and (.benchmarks | length) == 2 and .benchmarks[0].comparison.level == 0.975' <<<"$output"
	# each comparison can be looked at by itself
	culprit_run verify 1
	expect_status 0
}

@test 'no worse: status 0; faster: status 0; one benchmark alone by name' {
	culprit_run "${gate[@]}" c1 c2
	expect_status 0
	expect_out 'pass: no metric got worse'
	culprit_run "${gate[@]}" c3 c2 -b one
	expect_status 0
	expect_out 'faster'
	culprit_run log
	[[ "$output" != *"(two)"*"c3"* ]]
}

@test 'undecided: status 3, or 1 where that is asked for' {
	culprit_run gate c1 c2 --build 'sh build.sh' --bench ./program --margin 0.01% -n 6 --junit ../junit.xml
	expect_status 3
	expect_out 'undecided: '
	grep -q '<skipped' ../junit.xml
	culprit_run gate c1 c2 --build 'sh build.sh' --bench ./program --margin 0.01% -n 6 --fail-on undecided --junit ../junit.xml
	expect_status 1
	grep -q '<failure' ../junit.xml
}

@test 'a head that does not build is broken, not worse; hostile names are escaped; mistakes are one line' {
	(cd .. && break_build 4)
	culprit_run "${gate[@]}" c3 c4 --markdown ../summary --junit ../junit.xml
	expect_status 4
	expect_out 'broken: '
	grep -q '<error message="c4 does not build' ../junit.xml
	grep -q 'could not be compared' ../summary
	culprit_run gate c2 c3 --build 'sh build.sh' --bench "./program | sed 's/time/a|b<i>/'" -m 'a|b<i>' -c benchmarks.default.better=lower --markdown ../hostile --junit ../hostile.xml
	grep -q 'a\\|b\\<i' ../hostile
	grep -q 'a|b&lt;i' ../hostile.xml
	culprit_run gate c2
	expect_status 2
	expect_one_line 'gate wants two revisions'
	culprit_run gate c2 c3 --build 'sh build.sh' --bench "./program | sed 's/time/zork/; s/ns//'" -m zork
	expect_status 2
	expect_err "is a larger 'zork' better or worse?"
	culprit_run gate c2 nothere --build 'sh build.sh' --bench ./program
	expect_status 2
	expect_one_line nothere
	culprit_run "${gate[@]}" c2 c3 --junit /nothere/x
	expect_status 4
	expect_err "writing '/nothere/x'"
}

@test 'gate --dry-run says what it would take and measures nothing' {
	culprit_run "${gate[@]}" c2 c3 --dry-run --markdown ../summary
	expect_status 0
	expect_out 'one: 2 sides'
	expect_out 'two: 2 sides'
	expect_out 'Nothing was built or run'
	[ ! -e ../summary ]
	[ ! -e .culprit/culprit.db ] || [ "$(sqlite3 .culprit/culprit.db 'select count(*) from hunt')" -eq 0 ]
}

@test 'a comparison of the gate, and a stage of a hunt, can be gone on with by itself: its command says all that was said' {
	culprit_run gate c2 c3 --build 'sh build.sh' --bench ./program --reader lines -n 12 -w 1 --margin 2% --json
	expect_status 1
	culprit_run undo --hunt 1 1
	expect_status 0
	culprit_run resume 1 --json
	expect_status 1
	jq -e '.command == "compare" and .hunt == 1' <<<"$output"
	culprit_run hunt c1 c4 --build 'sh build.sh' --bench ./program --reader lines -w 1 --no-explain --json
	expect_status 0
	stage=$(jq '[.stages[] | select(.command == "bisect")][0].hunt' <<<"$output")
	culprit_run undo --hunt "$stage" 1
	culprit_run resume "$stage" --json
	expect_status 0
	jq -e --argjson n "$stage" '.command == "bisect" and .hunt == $n' <<<"$output"
}
