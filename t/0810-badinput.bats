#!/usr/bin/env bats
# What a repository, a revision, a benchmark or a build may do wrong: one clear line that says what, where and what to do; exit
# 2 or 4; nothing lost, nothing left behind.

load lib
setup() {
	setup_culprit
	system_path
	make_history 6
	plant 4 +10%
	cd project || return 1
}
measure() { culprit_run run c1 -n 2 --build 'sh build.sh' --bench "$@"; }
search() { culprit_run bisect "$@" --build 'sh build.sh' --bench ./program --no-head-to-head --json; }
named() { [ "$(jq -r .culprit <<<"$output")" = "$(git rev-parse "$1")" ] || complain "not $1"; }

# --- repositories

@test 'outside of a repository' {
	mkdir ../outside && cd ../outside
	for command in 'run HEAD' 'compare v1 v2' 'bisect v1 v2' 'shell HEAD' 'doctor --calibrate HEAD'; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run $command --bench true
		expect_status 2
		expect_one_line "not a git repository (or any parent): '$PWD'; run culprit inside one"
	done
}

@test 'a bare repository keeps the store in its own folder' {
	git clone -q --bare . ../bare.git
	cd ../bare.git
	search c1 c6
	expect_status 0
	named c4
	[ -e culprit/culprit.db ]
}

@test 'a shallow clone says so, and works within what it has' {
	git clone -q --depth 4 "file://$PWD" ../shallow
	cd ../shallow
	search HEAD~3 HEAD
	expect_status 0
	expect_err 'shallow clone: commits older than its cut are not here (git fetch --unshallow gets them)'
	named HEAD~2
	search c1 HEAD
	expect_status 2
	expect_err "unknown revision 'c1'"
}

@test 'a SHA-256 repository' {
	git init -q --object-format=sha256 ../sha
	cd ../sha
	for k in 1 2 3 4; do
		echo "echo time: $((k > 2 ? 1200 : 1000)) ns" >b.sh
		echo "$k" >notes
		git add b.sh notes && git commit -q -m "change $k"
	done
	culprit_run bisect HEAD~3 HEAD --bench 'sh b.sh' --no-head-to-head --json
	expect_status 0
	named HEAD~1
	[ "$(jq -r '.culprit | length' <<<"$output")" -eq 64 ]
}

@test 'a linked worktree shares its repository, its store and its answers' {
	git worktree add -q ../linked c6
	cd ../linked
	search c1 c6
	expect_status 0
	named c4
	[ ! -e .culprit ] && [ -e ../project/.culprit/culprit.db ]
	[ -z "$(git status --porcelain --ignored)" ]
	cd ../project
	culprit_run bisect c1 c6 --build 'sh build.sh' --bench ./program --no-head-to-head
	expect_err 'stored answer'
}

@test 'submodules: inside of one, and a commit that only moves one matters' {
	git init -q ../super
	cd ../super
	git -c protocol.file.allow=always submodule --quiet add ../project sub
	git -C sub checkout -q c1
	echo 'cd sub && sh build.sh' >build.sh
	git add -A && git commit -qm first && git tag first
	for k in 1 2 3; do echo $k >README && git add README && git commit -qm "docs $k"; done
	git -C sub checkout -q c5 && git commit -qam 'moves the submodule' && git tag moved
	for k in 4 5 6; do echo $k >README && git commit -qam "docs $k"; done
	culprit_run bisect first HEAD --build 'sh build.sh' --bench sub/program --no-head-to-head --json
	expect_status 0
	named moved
	[ "$(jq .cannot_matter <<<"$output")" -eq 6 ] || complain 'the submodule was taken for idle'
	cd sub
	search c1 c6
	expect_status 0
	named c4
	[ -z "$(git -C .. status --porcelain)" ] || complain 'the store shows in the parent'
}

# --- revisions

@test 'revisions: unknown, ambiguous, options, the same, the wrong way round' {
	git branch c2 c3
	for revs in 'nosuch c6' 'c2 c6' 'c1 --output=x' '-- --output=x c6' '-- -x c6' 'c1 c1' 'c6 c1' 'c1' 'c1 c6 c3' 'c1 HEAD:build.sh' 'c1 HEAD^{tree}'; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run bisect --build 'sh build.sh' --bench ./program $revs
		expect_status 2
		expect_one_line culprit:
	done
	[ ! -e x ]
	culprit_run bisect --bench ./program nosuch c6
	expect_one_line "unknown revision 'nosuch'"
	culprit_run bisect --bench ./program c2 c6
	expect_one_line "'c2'"
	culprit_run bisect --bench ./program c6 c1
	expect_one_line 'the order is bisect GOOD BAD'
	culprit_run bisect --bench ./program c1 c1
	expect_one_line "both are commit $(git rev-parse c1 | cut -c1-12)"
}

@test 'GOOD on another branch: from the merge base, and it is said' {
	git checkout -qb side c2 && echo other >other && git add other && git commit -qm side
	search side c6
	expect_status 0
	expect_err "side is not an ancestor of c6: searching from their merge base $(git rev-parse c2 | cut -c1-12)"
	named c4
	git checkout -q --orphan alone && git commit -qm alone
	search alone c6
	expect_status 2
	expect_one_line 'have no common history'
}

@test 'an edited checkout is neither measured nor touched' {
	echo 'echo time: 1 ns' >program.sh
	echo new >untracked
	git add untracked
	before=$(git status --porcelain; cat program.sh; sha256sum .git/index)
	search c1 c6
	expect_status 0
	named c4
	[ "$before" = "$(git status --porcelain; cat program.sh; sha256sum .git/index)" ]
}

# --- benchmarks

@test 'a benchmark that is missing, not executable, silent or wrong: why, and where its output is' {
	while IFS='|' read -r command line; do
		measure "$command" -c benchmarks.default.primary=time
		expect_status 4
		expect_one_line "the benchmark fails on c1 (3 of 3 runs): $line"
		expect_err '; its output: culprit show r'
	done <<-'END'
		./nothere|exit status 127 (command not found): 'sh: 1: ./nothere: not found'
		./notes/1|exit status 126 (not executable)
		./notes|exit status 126 (not executable)
		true|metric 'time' was not found in what the benchmark printed; it printed nothing
		echo time: nan s|metric 'time' is not a finite number
		echo time: inf s|metric 'time' is not a finite number
		echo time: -inf s|metric 'time' is not a finite number
		echo time: 1e400 s|metric 'time' is not a finite number
		echo time: -5 s|metric 'time' is a negative time: -5 s
		echo time: 5x s|metric 'time'
		echo time:|metric 'time'
		head -c 200000 /dev/urandom|metric 'time'
		exit 3|exit status 3
		kill -SEGV $$|signal 11 (Segmentation fault)
		echo time: 1 s; echo FAIL >&2; exit 1|exit status 1: 'FAIL'
	END
	culprit_run show "${stderr##*culprit show }"
	expect_status 0
	[ "$output" = $'time: 1 s\nFAIL' ]
	[ -z "$(find . -name core -o -name 'core.*')" ]
}

@test 'metrics or units that change between runs are left out, and it is said' {
	flag=$BATS_TEST_TMPDIR/flag
	measure "if [ -e $flag ]; then rm $flag; echo time: 5 s; else touch $flag; echo time: 5 ms; fi" --json
	expect_status 0
	jq -e '.failed_runs == [1] and (.last_failures[0] | contains("changed its unit")) and
		([.measured[] | .n] | unique) == [2]' <<<"$output"
	rm -f "$flag"
	measure "if [ -e $flag ]; then rm $flag; echo speed: 5; else touch $flag; echo time: 5 s; fi"
	expect_status 0
	expect_out "runs of c1 failed and are left out, the last: the run gave no metric 'time'"
	culprit_run verify
	expect_status 0
}

@test 'a unit that another commit prints is not mixed with the first' {
	sed -i 's/ ns"/ us"/; s/000000/000/g' program.sh && git commit -qam 'in microseconds' && git tag us
	search c1 us
	expect_status 4
	expect_one_line "metric 'time' is in"
}

@test 'what a benchmark says of failing is believed only if asked to: reject' {
	measure 'echo "ERROR: nothing done"; echo time: 1 s' -c 'benchmarks.default.reject=^ERROR'
	expect_status 4
	expect_one_line "the benchmark printed 'ERROR: nothing done', which 'reject' refuses"
	measure 'echo time: 1 s' -c 'benchmarks.default.reject=['
	expect_status 2
	expect_one_line 'benchmarks.default.reject: Invalid regular expression in'

}

@test 'floods and binaries: bounded in memory, time and journal' {
	(
		ulimit -v 1000000
		culprit_run run c1 -n 1 --build 'sh build.sh' --bench 'head -c 300000000 /dev/zero; echo; echo time: 5 s' --json
		expect_status 0
	)
	measure 'head -c 100000 /dev/urandom; echo; echo time: 5 s; head -c 100000 /dev/urandom >&2' --json
	expect_status 0
	jq -e '[.measured[] | select(.metric == "time") | .median] == [5]' <<<"$output"
	culprit_run show r2 --json
	expect_status 0
	jq -e . <<<"$output" >/dev/null
	[ "$(du -k .culprit/culprit.db | cut -f1)" -lt 3000 ]
}

@test 'daemons and the deaf are ended' {
	mark=culprit-test-$$-$RANDOM
	measure "(exec -a $mark sleep 300) & (setsid sh -c 'trap \"\" TERM HUP; exec -a $mark sleep 300' &) ; echo time: 5 s" --json
	expect_status 0
	! pgrep -f "$mark" || complain 'a daemon lives'
	culprit_run run c1 -n 1 --build 'sh build.sh' -c benchmarks.default.timeout=200ms \
		--bench "trap '' TERM; echo $mark; while :; do sleep 0.05; done"
	expect_status 4
	expect_one_line 'deadline of 200 ms passed'
	! pgrep -f "$mark" || complain 'a deaf one lives'
}

@test 'a question is answered by nothing, on a terminal too' {
	command -v script >/dev/null || skip 'no script(1) here'
	ask='read a; read b </dev/tty || echo no terminal; echo time: 5 s'
	for build in 'sh build.sh' "$ask; sh build.sh"; do
		run timeout 60 script -qec "culprit run c1 -n 1 --new --build '$build' --bench '$ask' --json" /dev/null </dev/null
		[ "$status" -eq 0 ] || complain 'it hangs or fails'
		[[ "$output" == *'"median":5'* ]] || complain 'no answer'
	done
}

# --- builds

@test 'a build that hangs, floods or dies says so, and its tree does not stay' {
	while IFS='|' read -r build line; do
		culprit_run run c1 -n 1 -c project.build_timeout=300ms --bench ./program --build "$build"
		expect_status 4
		expect_one_line "$line"
		expect_err '; its log: culprit show b'
	done <<-'END'
		sleep 300|c1 does not build (timeout): deadline of 300 ms passed
		trap "" TERM; while :; do sleep 0.05; done|c1 does not build (timeout)
		yes error: all wrong|c1 does not build (timeout)
		kill -KILL $$|c1 does not build (crashed): signal 9 (Killed)
		nosuchtool|nosuchtool: not found
		head -c 5000 /dev/urandom; exit 1|c1 does not build (failed): exit status 1
	END
	[ -z "$(ls -A .culprit/trees)" ] || complain "$(ls .culprit/trees)"
	culprit_run run c1 -n 1 --bench ./program --build true -c project.artefacts=program
	expect_status 4
	expect_one_line "the build ended well but made no 'program'"
}

@test 'builds and runs write to their own tree: not to the checkout, .git, the store or a linked worktree' {
	unshare -m true 2>/dev/null || unshare -Um true 2>/dev/null || skip 'no mount namespaces here'
	git worktree add -q ../linked c5
	before=$(find . -path ./.culprit -prune -o -type f -print0 | sort -z | xargs -0 sha256sum)
	top=$PWD
	for evil in "echo x >$top/evil" "rm -rf $top/notes" "git -C $top commit --allow-empty -qm x" "rm -rf $top/.git/refs" \
		'echo x >../trees/x' 'echo x >>../culprit.db'; do
		culprit_run run c1 -n 1 --build "sh build.sh; $evil" --bench ./program
		expect_status 4
		expect_one_line 'c1 does not build (failed)'
		expect_err 'Read-only file system'
	done
	for evil in "cd $top; git checkout -q c2" 'echo x >$CULPRIT_DATA/x'; do
		measure "./program; $evil"
		expect_status 4
		expect_one_line 'Read-only file system'
	done
	expect_err '(builds and runs write to their own tree, not to the checkout)'
	cd ../linked
	culprit_run run c1 -n 1 --build "sh build.sh; echo x >$top/evil" --bench ./program
	expect_status 4
	culprit_run run c1 -n 1 --build "sh build.sh; echo x >$PWD/evil" --bench ./program
	expect_status 4
	cd "$top"
	[ -z "$(git -C ../linked status --porcelain)" ]
	[ "$before" = "$(find . -path ./.culprit -prune -o -type f -print0 | sort -z | xargs -0 sha256sum)" ]
	# their own tree, TMPDIR within the checkout and other places are theirs
	mkdir tmp
	TMPDIR=$PWD/tmp culprit_run run c1 -n 1 --build "sh build.sh; mkdir -p a/b; echo x >a/b/c; mktemp; git tag mine; echo >$HOME/cache" \
		--bench './program; rm a/b/c; echo x >a/b/c; mktemp >&2; : >$TMPDIR/x' --json
	expect_status 0
	[ -e "$HOME/cache" ]
	culprit_run verify
	expect_status 0
}

# --- configuration

@test 'no shell is run on data, wherever it stands' {
	# shellcheck disable=SC2016 # it must stay as it is
	evil='$(touch pwned)`touch pwned`'
	git tag "a$(tr -d ' ' <<<"$evil")" 2>/dev/null || true
	mkdir -p "dir$evil" && echo x >"dir$evil/f" && git add -A && git commit -qm "$evil" && git tag evil
	for words in "--metric=$evil" "-c benchmarks.default.primary=$evil" "-c benchmarks.default.pin=$evil" "-c project.subdir=$evil" \
		"-c project.artefacts=$evil" "-c benchmarks.default.files=$evil" "-c benchmarks.default.needs=$evil" \
		"-c metrics.x.formula=$evil" "-c project.jobs=$evil" "--benchmark=$evil" "--store=../s$evil" "--config=$evil"; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run run c1 -n 1 --build 'sh build.sh' --bench ./program ${words%% *} ${words#* }
		[ ! -e pwned ] || complain "$words runs"
		[ "$status" -eq 0 ] || [ "$status" -eq 2 ] || [ "$status" -eq 4 ] || complain "$words"
	done
	search c1 evil -- "dir$evil"
	[ -z "$(find .. -name pwned)" ] || complain 'something ran'
	culprit_run run evil:env.X="$evil" --bench 'echo "$X" | wc -c | sed "s/^/time: /"' -n 1
	[ -z "$(find .. -name pwned)" ] || complain 'something ran'
}

# --- the store

@test 'a store from a newer culprit, and a file of another program' {
	command -v sqlite3 >/dev/null || skip 'no sqlite3 here'
	search c1 c6
	sqlite3 .culprit/culprit.db 'pragma user_version=99'
	for command in log status 'undo 1' export clean verify "run c1 --bench true"; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run $command
		expect_status 4
		expect_one_line 'was written by a newer culprit (journal version 99'
	done
	rm .culprit/culprit.db* && sqlite3 .culprit/culprit.db 'create table t(x)'
	culprit_run run c1 --bench true
	expect_status 4
	expect_one_line 'is an SQLite file of another program'
}

@test 'a full disk: one line, nothing lost, and the same command goes on' {
	disk=$BATS_TEST_TMPDIR/disk
	mkdir "$disk"
	mount -t tmpfs -o size=2m none "$disk" 2>/dev/null || skip 'no mount allowed here'
	culprit_run run c1 -n 1 --store "$disk/s" --build 'sh build.sh; head -c 9000000 /dev/zero >big' --bench ./program
	said=$status$stderr
	culprit_run run c1 -n 2 --store "$disk/s" --build 'sh build.sh' --bench "head -c 9000000 /dev/zero >big; ./program"
	then=$status$stderr
	rm -rf "$disk/s/trees/"*/big
	culprit_run run c1 -n 2 --store "$disk/s" --build 'sh build.sh' --bench ./program --json
	last=$status
	dd if=/dev/zero of="$disk/fill" bs=64k 2>/dev/null || true
	culprit_run bisect c1 c6 --store "$disk/s" --build 'sh build.sh' --bench ./program --no-head-to-head
	full=$status$stderr
	culprit_run log --store "$disk/s"
	read=$status
	rm "$disk/fill"
	culprit_run bisect c1 c6 --store "$disk/s" --build 'sh build.sh' --bench ./program --no-head-to-head --json
	answer=$status$output
	umount "$disk"
	[[ "$said" == 4'culprit: the disk is full ('*"make room or run 'culprit clean'"* ]] || { echo "build: $said"; false; }
	[[ "$then" == 4*'No space left on device'* || "$then" == 4*'no space left for '*"free some, or shrink culprit's cache by 'culprit clean'" ]] || { echo "run: $then"; false; }
	[ "$last" -eq 0 ] && [ "$read" -eq 0 ]
	[[ "$full" == 4culprit:*'no space'* || "$full" == 4culprit:*full* || "$full" == 4culprit:*'No space'* ]] || { echo "journal: $full"; false; }
	[ "$(wc -l <<<"$full")" -eq 1 ]
	[[ "$answer" == 0* && "$answer" == *"$(git rev-parse c4)"* ]] || { echo "after: $answer"; false; }
}

@test 'a store damaged anywhere: what can be read is, the rest is one line, and never a crash' {
	search c1 c6
	expect_status 0
	cp -r .culprit ../whole
	# the header, the page behind it, and three places that are in use whatever the page size is
	size=$(stat -c %s .culprit/culprit.db)
	[ "$size" -gt 50000 ] || complain 'the journal is too small for this'
	for at in 100 4096 $((size / 5)) $((size / 2)) $((size - 8000)); do
		rm -rf .culprit && cp -r ../whole .culprit
		head -c 3000 /dev/zero | tr '\0' '\377' | dd of=.culprit/culprit.db bs=1 seek=$at conv=notrunc status=none
		damaged=0
		for command in 'log 1' verify export 'run c1 -n 1 --bench true'; do
			# shellcheck disable=SC2086 # words on purpose
			culprit_run $command
			[ "$status" -eq 0 ] && continue
			expect_status 4
			# a journal that reads well and does not verify says so on stdout
			[ "$command" = verify ] && [ -n "$output" ] || expect_one_line 'is damaged'
			damaged=$((damaged + 1))
		done
		[ "$damaged" -gt 0 ] || complain "nobody noticed the damage at $at"
	done
	# a byte of the answer: only who reads it can tell
	rm -rf .culprit && cp -r ../whole .culprit
	at=$(grep -abo '"culprit":"' .culprit/culprit.db | tail -1 | cut -d: -f1)
	printf '\377' | dd of=.culprit/culprit.db bs=1 seek="$at" conv=notrunc status=none
	culprit_run show 1
	expect_status 4
	expect_one_line 'the stored answer is damaged'
	culprit_run verify
	expect_status 4
	[[ "$output" = *'the stored answer is damaged'* ]] || complain 'verify did not see it'
	truncate -s $((size / 2)) .culprit/culprit.db
	culprit_run log
	expect_status 4
	expect_one_line "is damaged (database disk image is malformed); move it away to start anew, or 'sqlite3 "
}

@test 'a read-only store can be read, and what would write says so' {
	search c1 c6
	mount --bind .culprit .culprit 2>/dev/null || skip 'no mount allowed here'
	mount -o remount,ro,bind .culprit
	failed=
	for command in log 'log 1' 'show 1' 'show b1' verify export status "export --bundle $BATS_TEST_TMPDIR/bundle"; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run $command
		[ "$status" -eq 0 ] || failed+=" '$command': $stderr"
	done
	for command in clean undo 'mark c3 good' 'run c1 -n 1 --bench true'; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run $command
		[ "$status" -eq 4 ] && [ -z "$output" ] && [ "$(wc -l <<<"$stderr")" -eq 1 ] || failed+=" '$command': $status $stderr"
		[[ "$stderr" == *'cannot be written; give another folder with --store' || "$stderr" == *'Read-only file system' ]] ||
			failed+=" '$command': $stderr"
	done
	umount .culprit
	[ -z "$failed" ] || complain "$failed"
	for place in /dev/null build.sh; do
		culprit_run run c1 -n 1 --bench true --store $place
		expect_status 4
		expect_one_line "'$place' is in the way: not a folder"
	done
}

@test 'nothing is left behind: no process, no temporary file, no worktree, nothing in the repository' {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	before=$(find .git -type f -print0 | sort -z | xargs -0 sha256sum)
	mark=culprit-test-$$-$RANDOM
	search c1 c6
	expect_status 0
	culprit_run run c2 -n 1 --build 'exit 1' --bench ./program
	culprit_run run c1 -n 1 --build 'sh build.sh' --bench 'exit 1'
	culprit_run run c1:patch=nosuch -n 1 --build 'sh build.sh' --bench ./program
	culprit_run shell c1 -c true
	# ^C in a build
	env --default-signal=INT culprit run c3 -n 1 --bench ./program \
		--build "touch $BATS_TEST_TMPDIR/began; bash -c 'exec -a $mark sleep 300'; sh build.sh" >said 2>&1 3>&- &
	for ((i = 0; i < 600; i++)); do pgrep -f "^$mark" >/dev/null && break; sleep 0.05; done
	kill -INT $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 130 ]
	[ "$(cat said)" = 'culprit: stopped; what was measured is kept: culprit resume goes on from here' ] || complain "$(cat said)"
	[ -z "$(pgrep -f "^$mark")" ] || complain 'a build lives on'
	[ -z "$(ls -A "$TMPDIR")" ] || complain "left: $(ls "$TMPDIR")"
	rm said
	[ "$before" = "$(find .git -type f -print0 | sort -z | xargs -0 sha256sum)" ]
	[ "$(git worktree list | wc -l)" -eq 1 ]
	[ -z "$(git status --porcelain)" ]
	[ -z "$(ls -A .culprit/src)" ]
	# every tree that is there is one that a finished build made
	culprit clean --dry-run --json | jq -e '[.removed[] | select(.path | startswith("trees"))] == []'
}

@test 'the seed decides the order of the visits, and a budget of nothing ends at once' {
	order() {
		culprit run c3 c4 -n 6 --seed "$1" --store "../seed$2" --build 'sh build.sh' --bench 'echo time: 5 ms' --json >/dev/null
		culprit log 1 --store "../seed$2" | sed -n 's/.*run    r[0-9]* of \(b[0-9]*\),.*#0:.*/\1/p' | tr '\n' ' '
	}
	first=$(order 7 a)
	[ "$(wc -w <<<"$first")" -eq 12 ] || complain "$first"
	[ "$first" = "$(order 7 b)" ]
	for seed in 1 2 3 4 5; do
		[ "$first" = "$(order $seed "c$seed")" ] || break
	done
	[ "$seed" -lt 5 ] || complain 'no seed changes the order'
	search c1 c6 --budget 1ms
	expect_status 3
	jq -e '.verdict == "undecided" and .why == "the budget is spent"' <<<"$output"
	for wrong in '--budget soon' '--budget -5m' '--budget 0' '--budget 0s' '--seed x' '--seed 0' '--seed 99999999999999999999' '--alpha 2' '--margin -1%'; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run bisect c1 c6 --bench true $wrong
		expect_status 2
		expect_one_line "bisect: ${wrong% *} wants a"
	done
}
