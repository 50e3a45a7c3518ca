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

# 20 commits; src/ changes in every third one, docs/ in the others. Values come from --target sim.
made_repository() {
	git init -q project
	cd project || return 1
	mkdir src docs
	for k in $(seq 1 20); do
		if ((k % 3 == 0)); then echo "$k" >src/part.c; else echo "$k" >docs/text; fi
		git add -A && git commit -qm "change $k" && git tag "c$k"
	done
	printf '%%level 100\n%%sd 0.5%%\n%%change c12 +6%%\n' >../model
}
sim() { culprit_run bisect "$@"; }

@test '-- PATHS narrows the range, and a change outside them is no name' {
	made_repository
	sim c1 c20 --target sim=../model --json -- src
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c12)" ]
	jq -e '.candidates == 19 and .outside_paths == 13' <<<"$output"
	culprit_run verify
	expect_status 0
	sim c1 c20 --target sim=../model -- src
	expect_out '19 commits, 13 of which touch none of the paths'
	# the same from a folder below, where the path is relative to it
	mkdir -p deep && cd deep
	sim c1 c20 --target sim=../../model --json -- ../src
	expect_status 0
	jq -e '.outside_paths == 13' <<<"$output"
	cd ..
	sim c1 c20 --target sim=../model --json -- no/such/path
	expect_status 2
	expect_one_line 'no/such/path'
}

@test 'a suspected path is looked at first; a wrong one costs runs, not the answer' {
	made_repository
	sim c1 c20 --target sim=../model --suspect src --json
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c12)" ]
	sim c1 c20 --target sim=../model --suspect docs --suspect c5 --json
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c12)" ]
	sim c1 c5 --target sim=../model --suspect c12
	expect_status 2
	expect_one_line 'the commit is not in the range'
}

@test 'a fix search does not take a commit for fixed that never had the regression' {
	git init -q project
	cd project
	one() { git commit -q --allow-empty -m "$1" && git tag "$1"; }
	one base
	# a side branch from before the regression: it measures well and repairs nothing
	git checkout -qb side && one s1 && one s2 && one s3
	git checkout -q main && one slow && one m1 && one m2
	git merge -q --no-ff -m merge side && git tag merge
	one m3 && one repair && one m4
	printf '%%level 100\n%%sd 0.5%%\n%%change slow +10%%\n%%change repair -9%%\n' >../model
	sim --fix m1 m4 --target sim=../model --json
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse repair)" ] || [ "$(jq -r .verdict <<<"$output")" = set ]
	jq -e '.warnings | any(contains("do not contain the regression"))' <<<"$output"
	for s in s1 s2 s3; do
		[ "$(jq -r .culprit <<<"$output")" != "$(git rev-parse $s)" ]
	done
	# none of them was measured at all
	culprit_run log 1 --json
	for s in s1 s2 s3; do
		[[ "$(jq -c '[.observations[]? | select(.kind == "build") | .node]' <<<"$output")" != *"$(git rev-parse $s)"* ]]
	done
}

@test 'a git bisect log saves builds, and its marks are believed' {
	made_repository
	sim c1 c20 --target sim=../model --json
	whole=$(jq .builds <<<"$output")
	git bisect start c20 c1 >/dev/null
	git bisect good c10 >/dev/null && git bisect bad c13 >/dev/null
	git bisect log >../log
	git bisect reset >/dev/null 2>&1
	sim c1 c20 --target sim=../model --from ../log --json --new
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c12)" ]
	[ "$(jq .builds <<<"$output")" -lt "$whole" ]
	printf 'git bisect good\n' >../log
	sim c1 c20 --target sim=../model --from ../log --new
	expect_status 2
	sim c1 c20 --target sim=../model --from ../nowhere --new
	expect_status 2
	expect_one_line nowhere
}

@test 'mark by hand: bad, good and skip; what cannot be marked is said' {
	made_repository
	sim c1 c20 --target sim=../model --budget 1ms
	expect_status 3
	culprit_run mark c12 maybe
	expect_status 2
	culprit_run mark nosuch good
	expect_status 2
	expect_one_line nosuch
	for word in good bad skip; do
		culprit_run mark c20 $word
		expect_status 2
		expect_one_line 'c20 is the BAD end of hunt 1'
	done
	culprit_run mark c1 bad
	expect_status 2
	expect_one_line 'c1 is the GOOD end of hunt 1'
	culprit_run mark c12 skip
	expect_status 0
	sim c1 c20 --target sim=../model --json
	expect_status 0
	[ "$(jq -r .verdict <<<"$output")" = set ]
	[[ "$(jq -r '.suspects[].commit' <<<"$output")" == *"$(git rev-parse c12)"* ]]
	# what the two have together is not what one of them has
	jq -e '.alike == 2 and .alike_probability > 0.95 and .probability < 0.6' <<<"$output"
}

@test 'the answer stays within 80 columns on a terminal of 80' {
	made_repository
	TERM=xterm script -qec "stty cols 80; culprit bisect c1 c20 --target sim=../model" /dev/null | tr '\r' '\n' |
		sed 's/\x1b\[[0-9;]*[mK]//g' >../seen
	cat ../seen
	grep -q 'against its parent in [0-9]* + [0-9]* fresh runs' ../seen
	[ "$(wc -L <../seen)" -le 80 ]
	# piped: no escape at all, and no progress line
	culprit bisect c1 c20 --target sim=../model --new >../piped 2>&1
	[ -z "$(grep -a $'\033' ../piped)" ]
	[ -z "$(grep -a $'\r' ../piped)" ]
	NO_COLOR=1 TERM=xterm script -qec "culprit bisect c1 c20 --target sim=../model" /dev/null >../plain
	[ -z "$(grep -a $'\033\[[0-9;]*m' ../plain)" ]
}

@test '-j builds the two ends side by side, and what they read is learnt all the same' {
	make_history 6
	plant 4 +10%
	cd project
	began=$BATS_TEST_TMPDIR/began
	# each build waits until the other has begun; alone it would fail
	culprit_run bisect c1 c6 -j 2 --no-head-to-head --json --bench ./program --build '
		echo x >>'"$began"'; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ "$(wc -l <'"$began"')" -ge 2 ] && break; sleep 0.2; done; [ "$(wc -l <'"$began"')" -ge 2 ] && sh build.sh'
	expect_status 0
	[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c4)" ]
	jq -e '.cannot_matter > 0' <<<"$output"
	culprit_run verify
	expect_status 0
}

@test 'shell VARIANT is in that build, with what a run would see; its status comes back' {
	make_history 4
	break_build 3
	cd project
	before=$(find .git -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
	culprit_run shell c2 --build 'sh build.sh' --bench ./program -x 'test -x program && ./program && echo "$JOBS" && exit 7'
	expect_status 7
	expect_out 'time: '
	# one that does not build can be looked at as well
	culprit_run shell c3 --build 'sh build.sh' -x 'ls program.sh && sh build.sh'
	expect_status 1
	expect_out program.sh
	expect_err 'this commit does not build'
	expect_err 'this build failed: '
	# also after it was found to fail, and a search still takes it for one that does not build
	culprit_run bisect c1 c4 --build 'sh build.sh' --bench ./program --budget 1ms
	culprit_run shell c3 --build 'sh build.sh' -x 'pwd'
	expect_status 0
	culprit_run run c3 --build 'sh build.sh' --bench ./program
	expect_status 4
	culprit_run shell c2:env.FOO=bar --build 'sh build.sh' -x 'echo "$FOO"'
	expect_status 0
	expect_out bar
	[ "$before" = "$(find .git -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)" ]
	[ -z "$(git status --porcelain)" ]
}
