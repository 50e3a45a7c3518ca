#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The shipped workloads, suites, and what a benchmark's commands see of a run. No program of a workload runs here.
load lib
setup() { setup_culprit; TEST=$BATS_TEST_TMPDIR; }

# A folder with three workloads, of which one cannot run.
own_workloads() {
	export CULPRIT_WORKLOADS=$TEST/workloads
	mkdir -p "$CULPRIT_WORKLOADS"
	cat >"$CULPRIT_WORKLOADS/plain.yaml" <<'END'
benchmarks:
  plain: {about: one number, suites: [small], command: 'echo "rate: 5 ops/s"', programs: [sh]}
END
	cat >"$CULPRIT_WORKLOADS/kinds.yaml" <<'END'
benchmarks:
  kinds: {about: a number of a kind, suites: [small, other], arguments: [one, two], command: 'echo "$CULPRIT_ARGUMENT: 5 ops/s"', programs: [sh]}
END
	cat >"$CULPRIT_WORKLOADS/lacking.yaml" <<'END'
benchmarks:
  lacking: {about: nothing, suites: [small], command: no-such-program, programs: [no-such-program], packages: [some-package]}
END
}

@test 'every shipped workload says what decides, what it is blind to and with which packages it comes' {
	culprit_run workloads --json
	expect_status 0
	jq -e '.workloads | length >= 25' <<<"$output"
	bad=$(jq -r '.workloads[] | select([.about, .operations, .primary[0], .blind[0], .programs[0], .packages[0], .suites[0]] | any(. == null)) | .name' <<<"$output")
	[ -z "$bad" ] || complain "not whole: $bad"
	# every suite is one of those that the manual names
	jq -e '[.workloads[].suites[]] | unique == ["applications", "network", "process", "reports", "storage"]' <<<"$output"
}

@test 'without any of its programs each workload names them and their packages' {
	mkdir -p "$TEST/few"
	for p in sh git; do ln -sf "$(command -v $p)" "$TEST/few/$p"; done
	run --separate-stderr env PATH="$TEST/few" "$CULPRIT" workloads --json
	expect_status 0
	bad=$(jq -r '.workloads[] | select(.missing | test("\\(apt install [a-z]") | not) | .name' <<<"$output")
	[ -z "$bad" ] || complain "no package: $bad"
}

@test 'a suite lists its own, and a name shows the file' {
	own_workloads
	culprit_run workloads other
	expect_status 0
	expect_out 'kinds:*'
	expect_out 'kinds:one|two'
	! grep -q plain <<<"$output" || complain 'plain is in another suite'
	culprit_run workloads
	expect_out 'no-such-program (apt install some-package)'
	culprit_run workloads plain
	expect_out 'about: one number'
}

@test 'run and compare take a suite, pass over what cannot run, and keep each answer' {
	own_workloads
	make_history 2
	cd project
	culprit_run run HEAD --workload small -n 2
	expect_status 0
	expect_out 'plain: one number'
	expect_out 'kinds:one: a number of a kind'
	expect_out 'kinds:two: a number of a kind'
	expect_err 'lacking is left out: no-such-program (apt install some-package)'
	culprit_run compare HEAD~1 HEAD --workload small -n 2 --json
	jq -e '[.answers[].metrics[0].benchmark] == ["kinds-one", "kinds-two", "plain"]' <<<"$output"
	jq -e '.skipped == [{"workload": "lacking", "missing": "no-such-program (apt install some-package)"}]' <<<"$output"
	# the family of all: the first verdict counts only if it stands among them
	jq -e '.together | .tests == 3 and .worse == 0' <<<"$output"
	culprit_run compare HEAD~1 HEAD --workload small -n 2
	expect_out 'all together'
	expect_out 'geometric mean of 3'
	# each is found again alone
	culprit_run run HEAD --workload kinds:two -n 2
	expect_status 0
	expect_err 'this was measured before'
	culprit_run bisect HEAD~1 HEAD --workload small
	expect_status 2
	expect_one_line "'small' is a suite, which run and compare take; name one of its workloads"
}

@test 'what stands behind a colon is the argument, where there is one' {
	own_workloads
	make_history 2
	cd project
	culprit_run run HEAD --workload kinds:three --json
	expect_status 0
	jq -e '[.measured[].metric] | index("three")' <<<"$output"
	[ "$(jq -r '[.. | .benchmark? // empty] | unique | join(" ")' <<<"$output")" = kinds-three ]
	culprit_run run HEAD --workload kinds --json
	jq -e '[.measured[].metric] | index("one")' <<<"$output"
	culprit_run run HEAD --workload plain:x
	expect_status 2
	expect_one_line "the workload 'plain' takes no argument ':x'"
	culprit_run run HEAD --workload 'kinds:a b'
	expect_status 2
	expect_one_line "'kinds-a b' is no name"
}

@test 'a run has a folder and a port of its own, and neither outlives it' {
	make_history 2
	cd project
	culprit_run run HEAD -n 2 --bench 'echo $CULPRIT_TMP >>'"$TEST"'/folders; cat $CULPRIT_TMP/there; [ $CULPRIT_PORT -ge 20000 ] && echo "target: $CULPRIT_TARGET" >&2' \
		-c 'benchmarks.default.prepare=[ -z "$(ls -A $CULPRIT_TMP)" ] && echo "rate: 5 ops/s" >$CULPRIT_TMP/there' -c benchmarks.default.primary=rate
	expect_status 0
	[ "$(sort -u "$TEST/folders" | wc -l)" -eq "$(wc -l <"$TEST/folders")" ] || complain 'one folder for several runs'
	while read -r folder; do [ ! -e "$folder" ] || complain "$folder is left"; done <"$TEST/folders"
	culprit_run run HEAD -n 1 --bench '! env | grep -qE "^CULPRIT_(T|PO)"'
	expect_status 0
}

@test 'parts are placed by cpus' {
	make_history 2
	cd project
	culprit_run run HEAD -n 1 --bench '[ "$CULPRIT_CPUS_1+$CULPRIT_CPUS_2" = 0+2-3 ]' -c 'benchmarks.default.cpus=[0, 2-3]'
	expect_status 0
	culprit_run run HEAD -n 1 --bench true -c 'benchmarks.default.cpus=[left]'
	expect_status 2
	expect_one_line "benchmarks.default.cpus wants CPUs like 2-3,5, not 'left'"
}

@test 'a device that is not there comes with the module that makes it' {
	make_history 2
	cd project
	culprit_run run HEAD --bench true -c 'benchmarks.default.needs=[/dev/culprit-none]' -c 'benchmarks.default.modules=[culprit_none nr=2]'
	expect_status 4
	expect_err 'needed and not there: /dev/culprit-none (as root: modprobe culprit_none nr=2, a module that this machine'
}
