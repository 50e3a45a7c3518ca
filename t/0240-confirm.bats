#!/usr/bin/env bats
# confirm: a culprit taken out of BAD, by revert, patch or setting, beside GOOD and BAD. The program that is built costs what the files of cost/ say,
# with half a percent of noise.

load lib
setup() {
	setup_culprit
	system_path
	build=(--build 'sh build.sh' --bench ./program)
}

# Writes FILE with TEXT and commits it as NAME, which becomes a tag.
step() { # NAME FILE TEXT [MESSAGE]
	mkdir -p "$(dirname "$2")"
	printf '%s\n' "$3" >"$2"
	git add -A
	GIT_COMMITTER_DATE="$((1700000000 + 60 * ++steps)) +0000" git commit -q -m "${4:-$1}"
	git tag "$1"
}
oid() { git rev-parse "$1"; }

# base, other; slow (a +8 %); notes; second (b +8 %); last
make_project() {
	steps=0
	git init -q project
	cd project || return
	cat >build.sh <<-'END'
		sum=1000000
		for f in cost/*; do sum=$((sum + $(cat "$f"))); done
		cat >program <<-PROGRAM
			#!/bin/sh
			noise=\$(od -An -N2 -tu2 /dev/urandom)
			echo "time: \$(($sum + $sum * (noise % 1000 - 500) / 100000)) ns"
		PROGRAM
		chmod +x program
	END
	mkdir cost
	echo 0 >cost/a
	echo 0 >cost/b
	step base notes/1 one
	step other notes/2 two
	step slow cost/a 80000 'a: do it twice'
	step notes notes/1 three
	step second cost/b 80000
	step last notes/2 four
}
digest() { find "$1" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum; }

@test 'a revert brings all of it back: confirmed, stored, verified, and the repository is untouched' {
	make_project
	before=$(digest .git)
	culprit_run confirm slow --on notes --good base "${build[@]}"
	expect_status 0
	expect_out "culprit    $(oid slow | head -c 12)  a: do it twice"
	expect_out 'confirmed  without it: '
	expect_out 'on par with good within 1 %'
	expect_out 'reverting recovers '
	[ "$before" = "$(digest .git)" ]
	first=$output
	culprit_run confirm slow --on notes --good base "${build[@]}" --json
	expect_status 0
	jq -e '.schema == 1 and .command == "confirm" and .verdict == "confirmed" and .good.source == "option"' <<<"$output"
	jq -e '.findings[0] | .metric == "time" and .loss.verdict == "slower" and (.left.verdict | . == "on-par" or . == "identical")
		and .recovered.low > 0.8 and .recovered.high < 1.2 and .recovered.level == 0.95' <<<"$output"
	jq -e --arg c "$(oid slow)" '.culprit.commit == $c and .reverted == [$c] and .means == "revert"' <<<"$output"
	culprit_run show 1
	[ "$output" = "$first" ] || complain 'show says something else'
	culprit_run verify 1
	expect_status 0
	expect_out 'hunt 1 (confirm): verified'
	culprit_run log
	expect_out "$(oid slow | head -c 12) confirmed"
}

@test 'one of two culprits: about a half comes back' {
	make_project
	culprit_run confirm slow --on last --good other "${build[@]}" --json
	expect_status 0
	jq -e '.verdict == "partly" and (.findings[0].recovered | .low > 0.25 and .low < 0.5 and .high > 0.5 and .high < 0.75)' <<<"$output"
	culprit_run show 1
	expect_out 'partly     without it: '
	expect_out 'slower than good'
	expect_out 'the rest has another cause'
	culprit_run verify 1
	expect_status 0
}

@test 'an innocent commit is refuted, and where there is no loss none is explained' {
	make_project
	culprit_run confirm notes --on last --good other "${build[@]}"
	expect_status 1
	expect_out 'refuted    without it: '
	expect_out 'on par with bad within 1 %'
	culprit_run confirm other --on other --good base "${build[@]}"
	expect_status 1
	expect_out 'no-loss    bad: '
	culprit_run verify 2
	expect_status 0
	culprit_run confirm notes --on notes "${build[@]}" -c project.artefacts=program --build 'echo "echo time: 5 ns" >program; chmod +x program' --json
	expect_status 1
	jq -e '.verdict == "no-loss" and .runs == 0 and .good.source == "parent"' <<<"$output"
	culprit_run verify 3
	expect_status 0
	culprit_run confirm notes --on last --good other -c project.artefacts=program "${build[@]}"
	expect_status 1
	expect_out 'refuted    without it the artefacts are the same, byte for byte'
	culprit_run verify 4
	expect_status 0
}

@test 'a conflict names the files and the commits in the way, and what it proposes works' {
	make_project
	step more cost/a 90000 'a: and once more'
	step late notes/2 five
	culprit_run confirm slow --on late --good other "${build[@]}" --json
	expect_status 4
	jq -e --arg c "$(oid more)" '.verdict == "conflict" and .files == ["cost/a"] and ([.dependents[].commit] == [$c]) and .dependents_complete
		and .runs == 0' <<<"$output"
	culprit_run show 1
	expect_out 'conflicts in cost/a'
	expect_out "in the way $(oid more | head -c 12)  a: and once more"
	expect_out "--with $(oid more | head -c 12)"
	culprit_run verify 1
	expect_status 0
	# the second culprit stays
	culprit_run confirm slow --on late --good other --with more "${build[@]}" --json
	expect_status 0
	jq -e --arg a "$(oid more)" --arg b "$(oid slow)" '.verdict == "partly" and .reverted == [$a, $b]' <<<"$output"
	printf -- '--- a/cost/a\n+++ b/cost/a\n@@ -1 +1 @@\n-90000\n+0\n' >../mine.diff
	culprit_run confirm slow --on late --good other --patch ../mine.diff "${build[@]}" --json
	expect_status 0
	jq -e '.means == "patch" and .verdict == "partly"' <<<"$output"
	culprit_run confirm slow --on base --good other --patch ../mine.diff "${build[@]}"
	expect_status 2
	expect_err 'changes nothing: all of it is there already'
}

@test 'a commit that was reverted already, one that BAD never had, and a rest that does not build' {
	make_project
	step undo cost/a 0 "Revert it
This reverts commit $(oid slow)."
	culprit_run confirm slow --on undo --good other "${build[@]}"
	expect_status 4
	expect_out 'empty      reverting '
	expect_out "it was reverted before, by $(oid undo | head -c 12)"
	culprit_run confirm last --on notes --good other "${build[@]}"
	expect_status 4
	expect_err "notes does not contain $(oid last | head -c 12)"
	expect_out 'bad does not hold what the commit did'
	culprit_run confirm slow --on last --good other --bench ./program --build 'grep -q 80000 cost/a || [ "$(cat cost/b)" = 0 ] || { echo "error: a is too small"; exit 1; }; sh build.sh' --json
	expect_status 4
	jq -e '.verdict == "broken" and (.why | test("a is too small")) and .broken_build > 0' <<<"$output"
	b=$(jq .broken_build <<<"$output")
	culprit_run show "b$b"
	expect_out 'error: a is too small'
	culprit_run show 3
	expect_out "its log: culprit show b$b"
	for hunt in 1 2 3; do culprit verify $hunt; done
}

@test 'a merge is taken out against the parent that is asked for' {
	make_project
	git checkout -q -b side base
	step aside cost/b 80000 'b: on a side branch'
	git checkout -q -b trunk slow
	GIT_COMMITTER_DATE='1700009000 +0000' git merge -q --no-ff -m 'merge aside' aside
	git tag merged
	culprit_run confirm merged --on merged "${build[@]}" --json
	expect_status 0
	jq -e '.verdict == "confirmed" and .good.source == "parent" and .findings[0].recovered.low > 0.5' <<<"$output"
	jq -e --arg n "$(oid merged | head -c 12)^" '.good.name == $n' <<<"$output"
	culprit_run confirm merged --on merged --mainline 2 "${build[@]}" --json
	expect_status 0
	jq -e --arg c "$(oid merged),2" '.verdict == "confirmed" and .reverted == [$c] and (.good.name | endswith("^2"))' <<<"$output"
	culprit_run verify
	expect_status 0
	culprit_run confirm slow --on last --mainline 2 "${build[@]}"
	expect_status 2
	expect_one_line "--mainline 2: $(oid slow | head -c 12) has 1 parent"
}

@test 'a setting instead of a revert' {
	make_project
	slow=(--build 'sh build.sh' --bench 'n=$(./program | tr -dc 0-9); [ -z "$FAST" ] || n=$((n * 100 / 108)); echo "time: $n ns"')
	culprit_run confirm --knob env.FAST=1 --on notes --good other "${slow[@]}"
	expect_status 0
	expect_out 'with it    notes:env.FAST=1'
	expect_out 'the setting recovers '
	culprit_run show 1 --json
	jq -e '.verdict == "confirmed" and .means == "knob" and .culprit == {}' <<<"$output"
	culprit_run verify 1
	expect_status 0
	for knob in cmdline=quiet sysctl.vm.x=1 config=CONFIG_X=n revert=last nonsense env.=1; do
		culprit_run confirm --knob "$knob" --on notes --good other "${slow[@]}"
		expect_status 2
		expect_one_line "--knob"
	done
	culprit_run confirm --knob env.FAST=1 --on notes "${slow[@]}"
	expect_status 2
	expect_one_line 'without a commit say what to compare with: --good REV'
}

@test 'after a search confirm alone knows the rest' {
	make_project
	culprit_run bisect base notes "${build[@]}"
	expect_status 0
	expect_out "confirm    culprit confirm $(oid slow | head -c 12)"
	culprit_run confirm
	expect_status 0
	expect_err "$(oid slow | head -c 12) was named by hunt 1"
	expect_out 'good       base, the good end of hunt 1'
	expect_out 'bad        notes'
	expect_out 'confirmed  without it: '
	culprit_run confirm "$(oid slow | head -c 8)" --on last --json
	expect_status 0
	jq -e '.verdict == "partly" and .of_hunt == 1 and .good == {"name": "base", "source": "hunt"}' <<<"$output"
	culprit_run verify
	expect_status 0
}

@test 'a repair: taken out again it is as slow as before' {
	make_project
	step mended cost/a 0 'a: once will do'
	step end notes/1 six
	culprit_run bisect --fix last end "${build[@]}" --introduced slow
	expect_status 0
	culprit_run confirm
	expect_status 0
	expect_out 'before     last, the older end of hunt 1'
	expect_out 'after      end'
	expect_out 'on par with before within 1 %'
	expect_out ' of the gain'
	culprit_run verify
	expect_status 0
}

@test 'a confirmation without words is resumed with its commit' {
	make_project
	culprit_run bisect base notes "${build[@]}"
	expect_status 0
	culprit_run confirm --budget 1ms
	expect_status 3
	expect_out 'undecided  nothing was measured'
	expect_out 'budget     spent'
	culprit_run bisect notes last "${build[@]}"
	expect_status 0
	expect_out "confirm    culprit confirm $(oid second | head -c 12)"
	culprit_run resume 2
	expect_err "$(oid slow | head -c 12) was named by hunt 1"
	culprit_run confirm slow --json
	jq -e --arg c "$(oid slow)" '.hunt == 2 and .culprit.commit == $c' <<<"$output"
}

@test 'the other way: picked onto GOOD it brings the loss' {
	make_project
	culprit_run confirm slow --on last --good base --both "${build[@]}" --json
	expect_status 0
	jq -e '.verdict == "partly" and (.findings[0] | .picked.verdict == "slower" and .reproduced.low > 0.25 and .reproduced.high < 0.75)' <<<"$output"
	culprit_run show 1
	expect_out 'other way  picked onto good: '
	culprit_run verify 1
	expect_status 0
	step more cost/a 80400
	culprit_run confirm more --on more --good base --both "${build[@]}"
	expect_status 1
	expect_out 'other way  not measured: picking '
	expect_out ' conflicts in cost/a'
	culprit_run verify
	expect_status 0
}

@test 'another layout: work survives it, luck does not, and a script takes none' {
	make_project
	culprit_run confirm slow --on notes --good other --relayout "${build[@]}" -c project.artefacts=program
	expect_status 0
	expect_out 'layout     not known: this build takes no other code layout'
	culprit_run verify
	expect_status 0
	culprit_run confirm slow --on notes --good other --relayout --bench ./program -c project.artefacts=program \
		--build '[ -z "$CULPRIT_LAYOUT" ] || echo 1000 >cost/a; sh build.sh' --json
	expect_status 0
	jq -e '.verdict == "confirmed" and .layout.verdict == "layout" and (.layout.findings | length) == 1' <<<"$output"
	culprit_run show 2
	expect_out "layout     does not survive another code layout: it is the layout's: "
	culprit_run verify
	expect_status 0
}

@test 'another layout: a C program that does more work' {
	command -v valgrind >/dev/null || skip 'no valgrind here'
	git init -q c
	cd c || return
	steps=0
	source_of() { printf 'int work(int n)\n{\n\tunsigned x = 1;\n\n\tfor (int i = 0; i < n; i++)\n\t\tx = x * 1664525u + 1013904223u;\n\treturn x & 1;\n}\n\nint main(void)\n{\n\treturn work(%d) > 1;\n}' "$1"; }
	step before tally.c "$(source_of 400000)"
	step slower tally.c "$(source_of 440000)"
	step after README 'tally'
	culprit_run confirm slower --on after --relayout --build 'cc -O1 -o tally tally.c' --bench ./tally --measure callgrind --json
	expect_status 0
	jq -e '.verdict == "confirmed" and .findings[0].recovered.share == 1 and .layout.verdict == "survives"' <<<"$output"
	culprit_run show 1
	expect_out 'layout     survives another code layout: +'
	culprit_run verify
	expect_status 0
}

@test 'a plan costs nothing, and what cannot be asked gets one line' {
	make_project
	culprit_run confirm slow --on notes --good other --relayout "${build[@]}" --dry-run
	expect_status 0
	expect_out '5 sides'
	expect_out 'Nothing was built or run.'
	culprit_run log
	[[ "$output" != *confirm* ]] || complain 'a plan is a hunt'
	culprit_run confirm "${build[@]}"
	expect_status 2
	expect_one_line 'confirm wants a commit'
	culprit_run confirm slow "${build[@]}"
	expect_status 2
	expect_one_line 'so say --on BAD'
	culprit_run confirm nosuch --on last "${build[@]}"
	expect_status 2
	expect_one_line "unknown revision 'nosuch'"
	culprit_run confirm base --on last "${build[@]}"
	expect_status 2
	expect_one_line 'is the first commit: it has no parent; say --good REV'
	culprit_run confirm slow last --on last "${build[@]}"
	expect_status 2
	expect_one_line 'confirm wants one commit'
	culprit_run confirm slow --on last --with slow "${build[@]}"
	expect_status 2
	expect_one_line '--with slow is the commit itself'
	culprit_run confirm slow --on last --knob env.X=1 --patch x "${build[@]}"
	expect_status 2
	expect_one_line 'three ways to take a commit out'
	culprit_run confirm slow --on last --good last "${build[@]}"
	expect_status 2
	expect_one_line 'are the same commit'
}
