#!/usr/bin/env bats
# hunt: the whole investigation on a made project. Its program's two costs are the sums of the files of a/ and b/, with half a percent of noise: two metrics
# depend on the first, one on the second.

load lib
setup() {
	setup_culprit
	system_path
	steps=0
	git init -q project
	cd project || return
	cat >build.sh <<-'END'
		a=1000000; for f in a/*; do a=$((a + $(cat "$f"))); done
		b=500000; for f in b/*; do b=$((b + $(cat "$f"))); done
		cat >program <<-PROGRAM
			#!/bin/sh
			set -- \$(od -An -N6 -tu2 /dev/urandom)
			echo "throughput: \$((1000000000000 / ($a + $a * (\$1 % 1000 - 500) / 100000))) op/s"
			echo "rtt: \$(($a + $a * (\$2 % 1000 - 500) / 100000)) ns"
			echo "seek: \$(($b + $b * (\$3 % 1000 - 500) / 100000)) ns"
		PROGRAM
		chmod +x program
	END
	printf 'project:\n  build: sh build.sh\nbenchmarks:\n  net:\n    command: ./program\n    primary: [throughput, rtt, seek]\n' >culprit.yaml
	mkdir a b ../patches
	echo 0 >a/x
	echo 0 >b/x
}
# Commits what there is as the next step; each touches a file of its own, or `notes` if CONFLICTS is set: then no revert applies.
step() { # [MESSAGE]
	steps=$((steps + 1))
	echo "$steps" >"notes${CONFLICTS-$steps}"
	git add -A
	GIT_COMMITTER_DATE="$((1700000000 + 60 * steps)) +0000" git commit -q -m "${1:-change $steps}"
	git tag "c$steps"
}
upto() { while [ "$steps" -lt "$1" ]; do step; done; }
# Twice at c6 and at c11, repaired by half at c18.
make_project() {
	upto 5
	echo 80000 >a/x
	step 'net: copy it twice'
	upto 10
	echo 30000 >b/x
	step 'disk: seek more'
	upto 14
	git checkout -q --detach
	echo 0 >b/x
	git commit -qam 'disk: seek less'
	git format-patch -q -1 --stdout >../patches/seek.patch
	git checkout -q main
	upto 17
	echo 0 >a/x
	step 'net: copy it once again'
	upto 20
}
oid() { git rev-parse "$1"; }

@test 'two culprits of different metrics, a fix and a patch: found, proved and explained, stored and verified' {
	make_project
	culprit_run hunt c1 c14 --fixed-in c20 --patch ../patches/seek.patch --json
	expect_status 0
	[ "$(jq -r .verdict <<<"$output")" = explained ]
	[ "$(jq -r '[.culprits[].commit] | sort | join(" ")' <<<"$output")" = "$(printf '%s\n' "$(oid c6)" "$(oid c11)" | sort | tr '\n' ' ' | sed 's/ $//')" ]
	jq -e --arg net "$(oid c6)" --arg disk "$(oid c11)" '
		def by(m): .metrics[] | select(.metric == m) | .culprits;
		by("rtt") == by("rtt") and (by("rtt") | length) == 1 and by("rtt")[0].commit == $net
		and by("throughput")[0].commit == $net and by("seek")[0].commit == $disk
		and by("seek")[0].verdict == "confirmed" and by("seek")[0].recovered.low > 0.8' <<<"$output"
	# one search for the two metrics that move together, one for the third
	[ "$(jq '[.stages[] | select(.command == "bisect" and .commit == null)] | length' <<<"$output")" -eq 2 ]
	jq -e --arg fix "$(oid c18)" --arg net "$(oid c6)" '.culprits[] | select(.commit == $net).fix.commit.commit == $fix' <<<"$output"
	jq -e --arg disk "$(oid c11)" '.culprits[] | select(.commit == $disk).fix.verdict == "no-change"' <<<"$output"
	jq -e '.trials[0].patches[0].findings | map({(.metric): .verdict}) | add == {"throughput": "refuted", "rtt": "refuted", "seek": "confirmed"}' <<<"$output"
	culprit_run hunt c1 c14 --fixed-in c20 --patch ../patches/seek.patch
	expect_status 0
	expect_err 'stored answer'
	expect_out 'all that got worse is explained'
	expect_out 'not in c20: no change between bad and it'
	expect_out 'seek.patch: throughput not helped; rtt not helped; seek repaired'
	culprit_run verify 1
	expect_status 0
	expect_out 'hunt 1 (hunt): verified'
	culprit_run log
	expect_out 'explained: '
	# a stage can be gone on from by itself
	culprit_run confirm "$(oid c11)"
	expect_status 0
	expect_err 'was named by hunt'
	[ -z "$(git status --porcelain)" ]
}

@test 'killed in the middle, it goes on to the same answer' {
	make_project
	culprit hunt c1 c14 --json --seed 7 >../first 2>../err &
	pid=$!
	until [ "$(sqlite3 .culprit/culprit.db 'select count(*) from hunt' 2>../sqlite || echo 0)" -ge 4 ]; do kill -0 "$pid" || break; done
	kill -9 "$pid"
	wait "$pid" || true
	[ ! -s ../first ]
	culprit_run resume --json
	expect_status 0
	[ "$(jq -r .verdict <<<"$output")" = explained ]
	[ "$(jq '.culprits | length' <<<"$output")" -eq 2 ]
	[ "$(jq .hunt <<<"$output")" -eq 1 ]
	culprit_run verify 1
	expect_status 0
}

@test 'a culprit that cannot be reverted is named all the same, with the metrics that changed with it' {
	CONFLICTS=
	make_project
	culprit_run hunt c1 c14 --no-explain --json
	expect_status 0
	[ "$(jq -r .verdict <<<"$output")" = named ]
	jq -e '[.culprits[].confirmations[].verdict] == ["conflict", "conflict"]' <<<"$output"
	[ "$(jq '[.stages[] | select(.command == "bisect")] | length' <<<"$output")" -eq 2 ]
	[ "$(jq '[.stages[] | select(.command == "explain")] | length' <<<"$output")" -eq 0 ]
	culprit_run hunt c1 c14 --no-explain
	expect_out 'reverted   conflict: '
	expect_out 'what to do then: culprit show '
	expect_out 'not all could be proved by a revert'
}

@test 'nothing got worse: said so; the plan is printed and nothing done; mistakes are one line' {
	upto 6
	culprit_run hunt c1 c6 --dry-run
	expect_status 0
	expect_out 'For each culprit'
	[ ! -e .culprit/culprit.db ] || [ "$(sqlite3 .culprit/culprit.db 'select count(*) from hunt')" -eq 0 ]
	culprit_run hunt c1 c6 --margin 2%
	expect_status 0
	expect_out 'nothing got worse'
	culprit_run hunt c1
	expect_status 2
	expect_one_line 'hunt wants two revisions'
	culprit_run hunt c1 nothere
	expect_status 2
	expect_one_line 'nothere'
	culprit_run hunt c1 c6 --patch ../patches/absent
	expect_status 2
	expect_one_line '--patch'
}
