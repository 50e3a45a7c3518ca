#!/usr/bin/env bats
# The search on real repositories: builds and runs are real, the program's cost is known.

load lib
setup() {
	setup_culprit
}

digest() { find "$1" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum; }
search() { culprit_run bisect "$@" --build 'sh build.sh' --bench ./program --no-head-to-head; }
# bisect FROM TO whose run number N kills culprit; $bench is the benchmark that did it, and goes on afterwards.
kill_in_run() {
	cat >../bench.sh <<-EOF
		count=\$((\$(cat "\$HOME/count") + 1))
		echo \$count >"\$HOME/count"
		[ \$count != $1 ] || kill -9 "\$(cat "\$HOME/pid")"
		./program
	EOF
	echo 0 >"$HOME/count"
	bench="sh $PWD/../bench.sh"
	sh -c 'echo $$ >"$HOME/pid"; exec culprit bisect "$2" "$3" --build "sh build.sh" --bench "$1"' - "$bench" "$2" "$3" || true
	[ "$(cat "$HOME/count")" -eq "$1" ]
}
verdict() { jq -r .verdict <<<"$output"; }

@test 'names the planted commit, and the user repository is untouched' {
	make_history 24
	plant 15 +8%
	cd project
	before=$(digest .git)
	culprit_run bisect c1 c24 --build 'sh build.sh' --bench ./program --json
	expect_status 0
	[ "$(verdict)" = named ]
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c15)" ]
	jq -e '.schema == 1 and .probability > 0.95 and .low < .change and .change < .high and .kind == "commit"' <<<"$output"
	jq -e '.builds <= 12 and .runs > 4 and (.suspects | length) >= 1 and .metric == "time"' <<<"$output"
	[ "$before" = "$(digest .git)" ]
	[ -z "$(git status --porcelain)" ]
	culprit_run verify
	expect_status 0
	culprit_run bisect c1 c24 --build 'sh build.sh' --bench ./program
	expect_status 0
	expect_err 'stored answer'
	expect_out "$(git rev-parse c15 | cut -c1-12)"
	expect_out 'change 15'
}

@test 'first commit, last commit, and a range of one' {
	make_history 8
	plant 2 +10%
	cd project
	search c1 c8 --json
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c2)" ]
	search c1 c2 --json
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c2)" ]
	cd ..
	rm -rf project
	make_history 8
	plant 8 +10%
	cd project
	search c1 c8 --json
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c8)" ]
}

@test 'refuses when the ends do not differ' {
	make_history 10
	cd project
	# a comment is all that differs, so the artefacts do too
	printf '\n# end\n' >>program.sh && git commit -qam end
	search c1 main --json --margin 2%
	expect_status 0
	[ "$(verdict)" = no-change ]
	[ "$(jq -r .culprit <<<"$output")" = null ]
	search c1 main --margin 2%
	expect_out 'do not differ by 2 %'
}

@test 'commits that do not build: around the answer a name, at the answer a set that holds it' {
	make_history 16
	plant 9 +10%
	break_build 4
	break_build 12
	cd project
	search c1 c16 --json
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c9)" ]
	cd ..
	rm -rf project
	make_history 16
	plant 9 +10%
	break_build 8
	break_build 9
	cd project
	search c1 c16 --json
	expect_status 0
	[ "$(verdict)" = set ]
	jq -r '.suspects[].commit' <<<"$output" | sort >suspects
	for c in c8 c9 c10; do git rev-parse $c; done | sort >wanted
	diff suspects wanted
	jq -e '[.skipped[].reason | contains("does not build")] | any' <<<"$output"
}

@test 'a fix is searched the other way round' {
	make_history 20
	plant 1 +30%
	plant 13 -20%
	cd project
	culprit_run bisect --fix c2 c20 --build 'sh build.sh' --bench ./program --no-head-to-head --json
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c13)" ]
	[ "$(jq -r .direction <<<"$output")" = fix ]
	jq -e '.change < -0.1' <<<"$output"
	culprit_run verify
	expect_status 0
}

@test 'looks inside a merge, or names the merge with --first-parent' {
	make_history 6
	cd project
	git checkout -qb side c3
	sed -i 's/noise % 1000/noise % 999/' program.sh && git commit -qam 'side: harmless'
	sed -i 's/1000000/1100000/g' program.sh && git commit -qam 'side: slow'
	slow=$(git rev-parse HEAD)
	git checkout -q main
	git merge -q --no-ff -m 'Merge side' side
	merge=$(git rev-parse HEAD)
	echo x >notes/x && git add notes/x && git commit -qm 'after'
	search c1 main --json
	[ "$(jq -r .culprit <<<"$output")" = "$slow" ]
	search c1 main --first-parent --json
	[ "$(jq -r .culprit <<<"$output")" = "$merge" ]
}

@test 'two changes: each is searched and named' {
	make_history 24
	plant 7 +20%
	plant 18 +20%
	cd project
	search c1 c24 --json
	expect_status 0
	if [ "$(verdict)" = named ]; then
		jq -r .culprit <<<"$output" >found
	else
		[ "$(verdict)" = multiple ]
		jq -r '.changes[].culprit' <<<"$output" >found
		[ "$(wc -l <found)" -eq 2 ]
	fi
	git rev-parse c7 c18 >planted
	while read -r name; do grep -q "$name" planted; done <found
}

@test 'killed at any moment, the same command goes on to the same answer' {
	make_history 20
	plant 12 +8%
	cd project
	for after in 0.3 0.8 1.5 2.5; do
		timeout -s KILL $after culprit bisect c1 c20 --build 'sh build.sh' --bench ./program --no-head-to-head >/dev/null 2>&1 || true
	done
	culprit_run resume
	[ "$status" -eq 0 ] || [ "$status" -eq 2 ]
	search c1 c20 --json
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c12)" ]
	culprit_run verify
	expect_status 0
	[ "$(culprit log --json | jq '.hunts | length')" -eq 1 ]
}

@test 'stopped by a signal it says how to go on' {
	make_history 12
	plant 7 +8%
	cd project
	# a background job of a shell ignores ^C: env gives the signal its default back
	env --default-signal=INT culprit bisect c1 c12 --build 'sh build.sh' \
		--bench "touch $BATS_TEST_TMPDIR/began; sleep 0.2; ./program" 2>"$BATS_TEST_TMPDIR/said" 3>&- &
	for ((i = 0; i < 600; i++)); do [ -e "$BATS_TEST_TMPDIR/began" ] && break; sleep 0.05; done
	kill -INT $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 130 ]
	grep -q 'culprit resume goes on from here' "$BATS_TEST_TMPDIR/said"
	culprit_run resume --json
	expect_status 0
	culprit_run status
	expect_out "$(git rev-parse c7 | cut -c1-12)"
}

@test 'suspects, marks and a git bisect log' {
	make_history 16
	plant 11 +10%
	cd project
	search c1 c16 --suspect c3 --json
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c11)" ]
	printf 'git bisect start\ngit bisect bad %s\ngit bisect good %s\ngit bisect skip %s\n' "$(git rev-parse c14)" \
		"$(git rev-parse c5)" "$(git rev-parse c8)" >log
	search c1 c16 --from log --json
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c11)" ]
	search c1 c16 --suspect nowhere/at/all
	expect_status 2
	expect_one_line 'neither a commit nor a path'
}

@test 'ends that cannot be measured are refused in one line' {
	make_history 6
	break_build 1
	cd project
	search c1 c6
	expect_status 4
	expect_one_line 'c1 does not build (failed)'
	culprit_run bisect c2 c6 --build 'sh build.sh' --bench 'exit 1'
	expect_status 4
	expect_one_line 'the benchmark fails on c'
	search c6 c2
	expect_status 2
	expect_one_line 'the order is bisect GOOD BAD'
	search c2 c2
	expect_status 2
	search c2
	expect_status 2
	search c2 nosuch
	expect_status 2
	expect_one_line nosuch
	search -- c2 --exec=x
	expect_status 2
}

@test 'the plan is printed and nothing is done' {
	make_history 30
	cd project
	search c1 c30 --dry-run --json
	expect_status 0
	jq -e '.command == "plan" and .candidates == 29 and (.cases | length) == 2' <<<"$output"
	[ "$(culprit log --json 2>/dev/null | jq '.hunts | length')" -eq 0 ]
}

@test 'a budget ends the search with what is known, and more budget goes on' {
	make_history 24
	plant 15 +3%
	cd project
	search c1 c24 --budget 1ms --json
	expect_status 3
	[ "$(verdict)" = undecided ]
	jq -e '.suspects | length > 0' <<<"$output"
	search c1 c24 --budget 10m --json
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c15)" ]
}

@test 'a search that was interrupted takes none of its own runs for the fresh ones of the head-to-head' {
	make_history 4
	plant 3 +10%
	cd project
	# the eighth run kills culprit: in a range of one commit its ends are what is compared afterwards
	kill_in_run 8 c2 c3
	culprit_run bisect c2 c3 --build 'sh build.sh' --bench "$bench" --json
	expect_status 0
	jq -e '.head_to_head.metrics[0].n | add > 0' <<<"$output"
	culprit_run verify
	expect_status 0
}

@test 'what a resumed search cost holds the builds that were made before' {
	make_history 4
	plant 3 +10%
	cd project
	# the third run kills culprit: both ends are built then
	kill_in_run 3 c1 c4
	# what they took, as if each had taken 1000 s
	sqlite3 .culprit/culprit.db 'drop trigger build_no_update; update build set seconds = 1000'
	[ "$(sqlite3 .culprit/culprit.db 'select count(*) from build')" -eq 2 ]
	culprit_run bisect c1 c4 --build 'sh build.sh' --bench "$bench" --json
	expect_status 0
	jq -e '.seconds > 2000 and .seconds < 2900 and .builds >= 3' <<<"$output"
}

@test 'verify of what another version wrote names both versions where it does not replay' {
	make_history 4
	plant 3 +10%
	cd project
	search c1 c4 --json
	expect_status 0
	sqlite3 .culprit/culprit.db 'drop trigger hunt_no_update; update hunt set version = "0.0.9"'
	culprit_run verify
	expect_status 0
	expect_out 'verified; '
	[[ "$output" != *0.0.9* ]] || complain 'it replays: its version does not matter'
	sqlite3 .culprit/culprit.db 'drop trigger reading_no_update; update reading set value = value * 3 where run % 2'
	culprit_run verify
	expect_status 4
	expect_out 'NOT verified'
	expect_out "It was made by culprit 0.0.9 and this is $(culprit --version | cut -d' ' -f2), which may decide otherwise"
	culprit_run verify --json
	expect_status 4
	jq -e '.version == "0.0.9" and .verified_by != "0.0.9"' <<<"$output"
	sqlite3 .culprit/culprit.db "update hunt set version = '$(culprit --version | cut -d' ' -f2)'"
	culprit_run verify
	expect_status 4
	[[ "$output" != *'decide otherwise'* ]] || complain 'the same version: the journal was changed'
}

@test 'undo withdraws, the same command measures again and answers; verify agrees' {
	make_history 12
	plant 7 +10%
	cd project
	culprit_run bisect c1 c12 --build 'sh build.sh' --bench ./program --json
	expect_status 0
	culprit_run undo 12
	expect_status 0
	culprit_run bisect c1 c12 --build 'sh build.sh' --bench ./program --json
	expect_status 0
	[[ "$stderr" != *'stored answer'* ]]
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c7)" ]
	culprit_run verify
	expect_status 0
}


@test 'marks by hand are believed; what is left to doubt is settled by fresh builds' {
	make_history 16
	plant 9 +10%
	cd project
	search c1 c16 --budget 1ms
	culprit_run mark c8 good
	expect_status 0
	culprit_run mark c9 bad
	expect_status 0
	search c1 c16 --json
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c9)" ]
	culprit_run verify
	expect_status 0
}

@test 'commits that build to the same thing are one candidate; ends that do are no change' {
	git init -q project
	cd project
	for k in 1 2 3; do git commit -q --allow-empty -m "empty $k"; done
	culprit_run bisect HEAD~2 HEAD --bench 'echo time: 5 ms' --json
	expect_status 0
	[ "$(verdict)" = no-change ]
	culprit_run bisect HEAD~2 HEAD --bench 'echo time: 5 ms'
	expect_out 'byte for byte'
}

@test 'what the benchmark reads matters, and what nothing reads does not' {
	git init -q project
	cd project
	echo 'echo time: 100 ms' >bench.sh
	echo one >README && mkdir lib && echo 'x=0' >lib/part.sh
	printf '. lib/part.sh\necho time: $((1000 + x)) us\n' >bench.sh
	git add -A && git commit -qm first && git tag first
	for k in 1 2 3 4 5 6; do echo "$k" >README && git commit -qam "docs $k"; done
	echo 'x=120' >lib/part.sh && git commit -qam slow && slow=$(git rev-parse HEAD)
	for k in 7 8 9; do echo "$k" >README && git commit -qam "docs $k"; done
	culprit_run bisect first HEAD --bench 'sh bench.sh' --no-head-to-head --json
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$slow" ]
	jq -e '.cannot_matter == 9' <<<"$output"
}

@test 'on a terminal: that the ends differ, how many commits are left, and what is being built, in 80 columns' {
	make_history 24
	plant 15 +8%
	cd project
	TERM=xterm script -qec "stty cols 80; culprit bisect c1 c24 --build 'sleep 0.6; sh build.sh' --bench 'sleep 0.3; ./program' --no-head-to-head" /dev/null |
		tr '\r' '\n' | sed 's/\x1b\[K//' >seen
	cat seen
	grep -E '^culprit: the ends differ: time [0-9.]+ [um]s -> 1\.[0-9]+ ms; searching 23 commits$' seen
	grep -E '^do c1 and c24 differ\?  [0-9]+ runs?  (running|warming up) [0-9a-f]{8}$' seen
	grep -E '^[0-9]+ % on [0-9]+ commits  [0-9]+ builds, [0-9]+ runs  about [0-9:]+ left  building [0-9a-f]{8}$' seen
	grep -E '^[0-9]+ % on [0-9a-f]{8}  [0-9]+ builds' seen
	! grep -q '100 %' seen
}

@test 'a name that the head-to-head contradicts is none' {
	make_history 12
	plant 4 +10%
	cd project
	# as if the machine had been slow whenever the slow side was looked at, until the search has its answer, which is journaled first
	# shellcheck disable=SC2016 # for the shell of the run
	bench='set -- $(./program); ! grep -qs "action[^ ]:.answer" STORE/culprit.db STORE/culprit.db-wal STORE/culprit.db-intake || [ $2 -lt 1050000 ] ||
		set -- time: $(($2 * 10 / 11)) ns; echo "$@"'
	culprit_run bisect c1 c12 --build 'sh build.sh' --bench "${bench//STORE/$PWD/.culprit}"
	expect_status 3
	[[ "$output" = *'the likeliest commit and its parent, run against each other, do not show the change'* ]] || complain 'no reason'
	[[ "$output" = *"$(git rev-parse --short=12 c4) "* && "$output" != *' culprit   '* ]] || complain 'a name all the same'
	culprit_run verify 1
	expect_status 0
}
