#!/usr/bin/env bats
# kill -9, a sleeping machine, a clock that steps back: tests/tool/faults.c stands between culprit and the system. The benchmark
# prints what the program's text says, so that an undisturbed hunt and a killed one read the same values.

load lib
setup() {
	setup_culprit
	system_path
	faults=$(dirname "$(readlink -f "$CULPRIT")")/faults.so
	[ -e "$faults" ] || skip 'faults.so is not beside the program'
	make_history 20
	plant 13 +8%
	cd project || return 1
	bench='echo "time: $(sed -n "s/.*((\([0-9]*\) .*/\1/p" program) ns"'
	store=$BATS_TEST_TMPDIR/killed
}
disturbed() { LD_PRELOAD=$faults culprit "$@"; }

# Kills the command at points drawn from the seed until it comes to its end; the answer is in ./killed.json, its status in $status,
# the number of kills in $kills.
kill_until_done() {
	local seed=$1 calls=$2 at
	shift 2
	RANDOM=$seed
	kills=0
	while :; do
		# later and later, since what each start does again may be more than a quarter of a short command's calls
		at=$((1 + RANDOM % (calls / 4 + calls * kills / 40)))
		status=0
		FAULT_KILL_AT=$at disturbed "$@" --store "$store" >killed.json 2>killed.err || status=$?
		[ "$status" -eq 137 ] || break
		kills=$((kills + 1))
		[ "$kills" -lt 200 ] || { echo "seed $seed: it never ends: $calls calls, $*"; return 1; }
	done
	echo "seed $seed: $kills kills, status $status, $(cat killed.err)"
	[ "$kills" -ge 3 ]
}
# Nothing is left but the store; and in it nothing half written once `clean` has looked.
nothing_left() {
	[ -z "$(find "$BATS_TEST_TMPDIR/tmp" -mindepth 1)" ] || complain "left: $(find "$BATS_TEST_TMPDIR/tmp")"
	culprit clean --store "$store" >/dev/null
	[ -z "$(find "$store" -name '*.tmp*')" ] || complain "$(find "$store" -name '*.tmp*')"
	[ -z "$(git status --porcelain --ignored | grep -v 'killed\.\|whole\.json\|count')" ] || complain "$(git status --porcelain --ignored)"
}

@test 'kill -9 at any point of a bisect: the same command goes on to the same answer' {
	command=(bisect c1 c20 --build 'sh build.sh' --bench "$bench" --json)
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	FAULT_COUNT=$PWD/count disturbed "${command[@]}" --store ../whole >whole.json
	[ "$(jq -r .culprit whole.json)" = "$(git rev-parse c13)" ]
	for seed in 5 6; do
		rm -rf "$store"
		kill_until_done $seed "$(cat count)" "${command[@]}"
		[ "$status" -eq 0 ]
		[ "$(jq -c '[.verdict, .culprit, .builds, .new_median, .old_median]' killed.json)" = \
			"$(jq -c '[.verdict, .culprit, .builds, .new_median, .old_median]' whole.json)" ]
		jq -e --argjson kills "$kills" --slurpfile whole whole.json \
			'.runs >= $whole[0].runs and .runs <= $whole[0].runs + $kills and .failed_runs == 0' killed.json
		[ "$(culprit log --store "$store" --json | jq '.hunts | length')" -eq 1 ]
		culprit verify --store "$store"
	done
	nothing_left
}

@test 'kill -9 at any point of a comparison, of runs and of a calibration' {
	for words in 'compare c12 c13' 'run c12 c13 -n 6' 'doctor --calibrate c12 -n 7' \
		'confirm c13 --on c14 --good c11 --both'; do
		# shellcheck disable=SC2206 # words on purpose
		command=($words --build 'sh build.sh' --bench "$bench" --json)
		rm -rf "$store" ../whole
		FAULT_COUNT=$PWD/count disturbed "${command[@]}" --store ../whole >whole.json || [ $? -eq 1 ]
		kill_until_done 3 "$(cat count)" "${command[@]}"
		# the clock's own metrics differ; what the benchmark printed does not, nor how often it was asked
		same='[.runs, .failed_runs, (.metrics // .measured | .[] | select(.metric == "time") |
			[.n, .verdict, .change, .low, .high, .median])]'
		[ "$(jq -c "$same" killed.json)" = "$(jq -c "$same" whole.json)" ] || complain "$(jq -c "$same" killed.json whole.json)"
		culprit verify --store "$store"
	done
}

@test 'kill -9 at any point of a confirmation with another layout' {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	command=(confirm c13 --on c14 --good c11 --relayout --build 'sh build.sh; echo "# $CULPRIT_LAYOUT" >>program' --bench "$bench" --json)
	FAULT_COUNT=$PWD/count disturbed "${command[@]}" --store ../whole >whole.json
	jq -e '.verdict == "confirmed" and .layout.verdict == "survives"' whole.json
	for seed in 4 8; do
		rm -rf "$store"
		kill_until_done $seed "$(cat count)" "${command[@]}"
		[ "$status" -eq 0 ]
		same='[.verdict, .runs, .layout.verdict, (.findings[], .layout.findings[] | .recovered, (.loss, .left, .back, .row | .n, .change, .low, .high))]'
		[ "$(jq -c "$same" killed.json)" = "$(jq -c "$same" whole.json)" ] || complain "$(jq -c "$same" killed.json whole.json)"
		culprit verify --store "$store"
	done
	nothing_left
}

# Kills 60 short runs of c1 at a moment when some of them are only in the intake.
leave_short_runs() {
	local back
	FAULT_COUNT=$PWD/count disturbed "${command[@]}" --store ../whole >/dev/null
	for ((back = 40; back < 400; back += 20)); do
		rm -rf "$store"
		FAULT_KILL_AT=$(($(cat count) - back)) disturbed "${command[@]}" --store "$store" >/dev/null 2>&1 || [ $? -eq 137 ]
		[ ! -s "$store/culprit.db-intake" ] || return 0
	done
	complain 'no kill has left anything'
}

@test 'kill -9 and then a full disk: clean works, and what waited is there once there is room' {
	mkdir ../disk
	mount -t tmpfs -o size=3m none ../disk 2>/dev/null || skip 'no mount allowed here'
	store=$(cd .. && pwd)/disk/store
	command=(run c1 -n 60 --build 'sh build.sh' --bench true)
	leave_short_runs
	dd if=/dev/zero of=../disk/fill bs=4k 2>/dev/null || true
	said=
	for words in 'log 1' 'clean --max 0 --dry-run' 'run c1 -n 60 --bench true'; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run $words --store "$store"
		said+="$status $stderr;"
	done
	left=$(stat -c %s "$store/culprit.db-intake")
	rm ../disk/fill
	culprit_run "${command[@]}" --store "$store" --json
	umount ../disk
	[[ "$said" == '0 ;0 ;4 culprit: '*'no space left for '*"'culprit clean';" ]] || complain "$said"
	[ "$left" -gt 0 ]
	jq -e '[.measured[] | select(.metric == "wall") | .n] == [60]' <<<"$output"
}

@test 'kill -9 between short runs: who only reads sees all but the one in flight, and damage is told' {
	command=(run c1 -n 60 --build 'sh build.sh' --bench true)
	leave_short_runs
	cp -r "$store" ../damaged
	printf '\377' | dd of=../damaged/culprit.db-intake bs=1 seek=100 conv=notrunc status=none
	for words in log status 'log 1' 'show r1' 'verify 1' 'export 1' clean 'undo 1' 'run c1 -n 60 --bench true'; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run $words --store ../damaged
		expect_status 4
		expect_one_line 'culprit.db-intake is damaged (its sum is not that of its bytes); move it away'
	done
	before=$(sqlite3 "$store/culprit.db" 'select count(*) from run_end')
	culprit_run log 1 --store "$store"
	expect_status 0
	[ ! -s "$store/culprit.db-intake" ] || complain 'nothing was taken in'
	after=$(sqlite3 "$store/culprit.db" 'select count(*) from run_end')
	[ "$after" -gt "$before" ] && [ "$(grep -c ' run  *r[0-9]' <<<"$output")" -eq "$after" ] || complain "$before $after"
	[ "$(($(sqlite3 "$store/culprit.db" 'select count(*) from run') - after))" -le 1 ] || complain 'more than one is lost'
	culprit_run "${command[@]}" --store "$store" --json
	expect_status 0
	jq -e '[.measured[] | select(.metric == "wall") | .n] == [60] and .failed_runs == [0]' <<<"$output"
	culprit_run verify 1 --store "$store"
	expect_status 0
}

@test 'a machine that sleeps during a run: the run is void, said and repeated' {
	status=0
	FAULT_SUSPEND=$BATS_TEST_TMPDIR/sleep disturbed run c1 -n 2 --build 'sh build.sh' --store "$store" --json \
		--bench "[ -e $BATS_TEST_TMPDIR/once ] || touch $BATS_TEST_TMPDIR/once $BATS_TEST_TMPDIR/sleep; $bench" \
		>answer 2>said || status=$?
	[ "$status" -eq 0 ] || { cat said; false; }
	grep -q 'run r1 is void: the machine was suspended for 90 s; it is repeated' said || { cat said; false; }
	jq -e '[.measured[] | select(.metric == "time") | .n] == [2] and .failed_runs == [0]' answer
	culprit_run log --store "$store" 1
	expect_out 'note   run r1 is void'
	[[ "$output" != *' r1 of '* ]] || complain 'the void run counts'
	culprit_run verify --store "$store"
	expect_status 0
}

@test 'a clock that steps back changes nothing but dates' {
	FAULT_STEP_BACK=1 disturbed bisect c1 c20 --build 'sh build.sh' --bench "$bench" --no-head-to-head --store "$store" --json >answer
	[ "$(jq -r .culprit answer)" = "$(git rev-parse c13)" ]
	jq -e '.seconds >= 0 and .seconds < 600' answer
	culprit_run log --store "$store" 1 --json
	expect_status 0
	jq -e '[.. | .seconds? // empty | numbers] | length > 5 and min >= 0 and max < 600' <<<"$output"
	culprit_run verify --store "$store"
	expect_status 0
	FAULT_STEP_BACK=1 disturbed clean --older 1d --store "$store"
	FAULT_STEP_BACK=1 disturbed status --store "$store"
}

# Processes whose command line begins with the mark.
living() { pgrep -f "^$mark" || true; }
await() { for ((i = 0; i < 600; i++)); do "$@" && return; sleep 0.05; done; complain "waited in vain for $*"; }
is_dead() { [ -z "$(living)" ]; }

# Kills culprit when FILE is there and something with the mark lives: a run of c$1 with --build $2 and --bench $3.
kill_once_there() { # K BUILD BENCH FILE
	rm -f "$4"
	culprit run "c$1" -n 1 --build "$2" --bench "$3" >/dev/null 2>&1 3>&- &
	pid=$!
	await test -e "$4"
	await living_now
	kill -KILL $pid
	wait $pid || true
}

@test 'kill -9 in a build or a run: nothing of it lives on, daemons neither once the store is used again' {
	mark=culprit-test-$$-$RANDOM
	deep="(bash -c 'exec -a $mark-deep sleep 300'; :) & touch $BATS_TEST_TMPDIR/began; wait"
	for where in build bench; do
		build='sh build.sh' run=./program
		[ $where = bench ] || build="$deep; sh build.sh"
		[ $where = build ] || run="$deep; ./program"
		kill_once_there 1 "$build" "$run" "$BATS_TEST_TMPDIR/began"
		await is_dead
	done
	# a run's daemons die too: what runs a benchmark knows all that came of it; a build's live on until the store is used again
	for where in bench build; do
		deep="(setsid bash -c 'exec -a $mark-daemon sleep 300' &); touch $BATS_TEST_TMPDIR/daemon; sleep 300"
		build='sh build.sh' run=$deep
		[ $where = bench ] || build=$deep
		kill_once_there 2 "$build" "$run" "$BATS_TEST_TMPDIR/daemon"
		[ $where = build ] || await is_dead
	done
	culprit_run run c2 -n 1 --build 'sh build.sh' --bench ./program
	expect_status 0
	expect_err 'ended 1 process that a killed culprit had left'
	is_dead || complain "$(living)"
	culprit_run run c3 -n 1 --build 'sh build.sh' --bench ./program
	[ -z "$stderr" ] || complain 'said twice'
}
living_now() { [ -n "$(living)" ]; }

@test 'status: what a killed culprit had in flight is not what the next one does now' {
	kill_once_there 1 'sh build.sh' "touch $BATS_TEST_TMPDIR/began; sleep 300" "$BATS_TEST_TMPDIR/began"
	ask="'$CULPRIT' status --store '$PWD/.culprit'"
	# a run that follows a short one is shown when it has lasted a moment
	until_shown="for k in \$(seq 500); do $ask >$BATS_TEST_TMPDIR/running; grep -q ^now $BATS_TEST_TMPDIR/running && break; done"
	culprit_run run c2 -n 1 --build "$ask >$BATS_TEST_TMPDIR/building; sh build.sh" --bench "$until_shown; ./program"
	expect_status 0
	grep -q "^measuring  'culprit run' (pid" "$BATS_TEST_TMPDIR/building" || complain "$(cat "$BATS_TEST_TMPDIR/building")"
	! grep '^now' "$BATS_TEST_TMPDIR/building" || complain 'a dead run goes on'
	grep -q '^now        run r[0-9]* of default on c2, for' "$BATS_TEST_TMPDIR/running" || complain "$(cat "$BATS_TEST_TMPDIR/running")"
}

@test 'kill -9 in clean and in undo: nothing is half removed that a later command would use' {
	culprit bisect c11 c14 --build 'sh build.sh' --bench "$bench" --no-head-to-head --store "$store" >/dev/null
	cp -r "$store" "$store.whole"
	for at in 3 9 17 26 40 58 90; do
		rm -rf "$store" && cp -r "$store.whole" "$store"
		FAULT_KILL_AT=$at disturbed clean --max 0 --store "$store" >/dev/null 2>&1 || [ $? -eq 137 ]
		culprit verify --store "$store"
		culprit clean --max 0 --store "$store" >/dev/null
		[ -z "$(ls -A "$store/trees")" ] || complain "$at: $(ls "$store/trees")"
	done
	for at in 2 6 11; do
		rm -rf "$store" && cp -r "$store.whole" "$store"
		status=0
		FAULT_KILL_AT=$at disturbed undo 3 --store "$store" >/dev/null 2>&1 || status=$?
		[ "$status" -eq 137 ]
		culprit_run bisect c11 c14 --build 'sh build.sh' --bench "$bench" --no-head-to-head --store "$store" --json
		expect_status 0
		[ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse c13)" ]
		culprit_run verify --store "$store"
		expect_status 0
	done
}

@test 'variants with equal trees share a build, and their runs are told apart' {
	git commit -q --allow-empty -m 'nothing' && git tag same
	for _ in 1 2; do
		culprit_run run c20 same c1 -n 4 --build 'sh build.sh' --bench "$bench" --store "$store" --json
		expect_status 0
		jq -e '[.measured[] | select(.metric == "time") | .n] == [4, 4, 4] and .runs == 12' <<<"$output"
		culprit_run verify --store "$store"
		expect_status 0
		culprit_run undo 5 --store "$store"
	done
}
