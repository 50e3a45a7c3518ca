#!/usr/bin/env bats
# culprit doctor on whatever machine this is; what it makes of other machines is in tests/unit/test_machine.c.

load lib
setup() { setup_culprit; }

@test 'doctor names the machine, every finding with its severity, and what can be used' {
	culprit_run doctor
	expect_status 0
	[ -z "$stderr" ]
	expect_out 'CPUs, '
	expect_out 'git         yes'
	printf '%s\n' "$output" | sed '1,/^$/d; /^$/,$d' | while IFS= read -r line; do
		[[ "$line" =~ ^(bias|noise|note|good)\ +[^\ ] ]] || [[ "$line" =~ ^\ {7}[^\ ] ]] || complain "odd line: $line"
	done
}

@test 'the same as JSON' {
	culprit_run doctor --json
	expect_status 0
	printf '%s' "$output" | python3 -c '
import json, os, sys
d = json.load(sys.stdin)
assert d["schema"] == 1 and d["command"] == "doctor"
assert d["machine"]["cpus"] == os.cpu_count()
assert {f["severity"] for f in d["findings"]} <= {"good", "note", "noise", "bias"}
assert any(a["name"] == "git" and a["usable"] for a in d["abilities"])
'
}

@test 'a tool that is missing is named with its package' {
	mkdir few
	ln -s "$(command -v git)" few/git
	run --separate-stderr env PATH="$PWD/few" "$CULPRIT" doctor
	expect_status 0
	expect_out 'valgrind    no (--measure callgrind): not found: install valgrind'
}

@test 'calibrate: A against A is on par, with what can be seen' {
	make_history 2
	cd project
	culprit_run doctor --calibrate c1 -n 8 --build 'sh build.sh' --bench ./program --json
	expect_status 0
	jq -e '.mode == "calibrate" and .sd > 0 and .sd < 0.02 and (.detectable | length) == 4' <<<"$output"
	jq -e '.detectable[0].change > .detectable[3].change and .metrics[0].n == [8, 8]' <<<"$output"
	culprit_run doctor --calibrate c1 -n 8 --build 'sh build.sh' --bench ./program
	expect_out 'run-to-run spread'
	culprit_run verify
	expect_status 0
	expect_out 'hunt 1 (calibrate): verified'
	culprit_run undo 3
	culprit_run doctor --calibrate c1 -n 8 --build 'sh build.sh' --bench ./program --json
	expect_status 0
	jq -e '.metrics[0].n == [8, 8] and .runs == 16' <<<"$output"
	culprit_run verify
	expect_status 0
	culprit_run doctor extra
	expect_status 2
}
