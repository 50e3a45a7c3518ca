#!/usr/bin/env bats
# The journal's commands on a journal that tests/tool/fill_journal made; hunts that measure are in other files.

load lib
setup() {
	setup_culprit
	fill=$(dirname "$(readlink -f "$CULPRIT")")/fill_journal
	[ -x "$fill" ] || skip 'fill_journal is not beside the program'
	make_history 5
	cd project || return 1
	store=$PWD/.culprit
}
fill() { "$fill" "$store" "$@"; }
# Holds the lock in the background; `let_go` ends it.
hold() {
	coproc HOLDER { exec "$fill" "$store" hold; }
	local said
	read -r said <&"${HOLDER[0]}"
	[ "$said" = held ]
}
let_go() {
	local pid=$HOLDER_PID
	eval "exec ${HOLDER[1]}>&-"
	wait "$pid"
}

@test 'without a hunt every command says how to begin' {
	for command in status log 'show 1' 'show b1' undo 'mark c2 bad' export clean; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run $command
		expect_status 4
		expect_one_line "no hunt yet in $store; start with culprit compare A B"
	done
	[ ! -e "$store" ] || complain 'a store was made'
}

@test 'outside of a repository the store is under XDG state' {
	mkdir ../outside && cd ../outside
	culprit_run log
	expect_status 4
	expect_one_line "$HOME/.local/state/culprit"
	XDG_STATE_HOME=$PWD/state culprit_run log
	expect_one_line "$PWD/state/culprit;"
	XDG_STATE_HOME=relative culprit_run log
	expect_one_line "$HOME/.local/state/culprit;"
	"$fill" "$HOME/.local/state/culprit" compare
	culprit_run log
	expect_status 0
	expect_out 'v1 v2'
}

@test '--store names another folder, and is found from anywhere' {
	"$fill" ../elsewhere compare
	culprit_run log --store ../elsewhere
	expect_status 0
	expect_out 'v1 v2'
	mkdir -p deep/er && cd deep/er
	fill compare
	culprit_run log
	expect_status 0
}

@test 'log lists hunts, newest first' {
	fill compare
	fill bisect
	culprit_run log
	expect_status 0
	[ -z "$stderr" ]
	[[ "${lines[2]}" =~ ^\ +2\ +2023-11-14\ 22:13\ +bisect\ +v1\ ..\ v2\ +open:\ 1\ build,\ 1\ boot,\ 1\ run$ ]] || complain 'hunt 2'
	[[ "${lines[3]}" =~ ^\ +1\ .*compare\ +v1\ v2\ \(deflate\)\ +wall\ \+100.0\ %\ slower$ ]] || complain 'hunt 1'
	culprit_run log -n 1
	[ "${#lines[@]}" -eq 3 ]
	culprit_run log --json
	expect_status 0
	[ "$(grep -c '"hunt":' <<<"$output")" -eq 2 ]
}

@test 'log N shows everything in order' {
	fill compare
	culprit_run log 1
	expect_status 0
	expect_out 'status  answered: 3 builds (1 failed), 2 boots, 4 runs (2 failed)'
	expect_out 'build  b1 for v1: ok, 2.5 s'
	expect_out 'run    r2 of b1, deflate #0: ok, wall 250.0 ms, ops 4.000 ops/s'
	expect_out 'run    r3 of b1, deflate #1: failed (exit status 3)'
	expect_out 'build  b3 for v3: failed (exit status 2)'
	expect_out 'note   escape ?[31m'
	sed -n 's/^ *\([0-9]*\)  [0-9:]*  .*/\1/p' <<<"$output" >places
	[ "$(wc -l <places)" -eq 12 ]
	sort -n -c -u places || complain 'not in order'
	culprit_run log 1 --json
	expect_status 0
	expect_out '"value": 0.25'
	expect_out '"seed": "7"'
}

@test 'a hunt that does not exist, or is no number, is told' {
	fill compare
	for command in 'log 7' 'show 7' 'export 7' 'undo --hunt 7'; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run $command
		expect_status 4
		expect_one_line "there is no hunt 7; 'culprit log' lists them"
	done
	culprit_run log v1
	expect_status 2
	expect_one_line "the number of a hunt wants a whole number, not 'v1'"
}

@test 'show gives what was stored' {
	fill compare
	culprit_run show b1
	expect_status 0
	[ "$output" = 'building v1' ]
	expect_err 'build b1 of v1: ok, 2.5 s, trees/v1'
	culprit_run show build 3
	expect_err 'failed, exit status 2'
	culprit_run show r3
	[ "$output" = oops ]
	expect_err 'hunt 1: failed, exit status 3'
	culprit_run show run 3 --json
	expect_out '"output": "oops\n"'
	culprit_run show 1
	expect_status 0
	expect_out 'slower'
	culprit_run show hunt 1 --json
	expect_out '"verdict"'
	for what in b9 r99; do
		culprit_run show $what
		expect_status 4
		expect_one_line 'there is no'
	done
	for what in x b bx r0 'tree 1' ''; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run show $what
		expect_status 2
		expect_one_line 'show'
	done
	fill bisect
	culprit_run show 2
	expect_status 4
	expect_one_line "hunt 2 has no answer yet (open); 'culprit resume' goes on with it"
}

@test 'status tells who measures what' {
	fill compare
	culprit_run status
	expect_status 0
	expect_out 'measuring  nobody'
	expect_out 'answer     wall +100.0 % slower'
	expect_out '2 kept trees'
	hold
	culprit_run status
	expect_out "measuring  'culprit run v9' (pid $HOLDER_PID, since "
	expect_out 'now        run r7 of deflate on v9'
	culprit_run status --json
	expect_out '"in_flight": {'
	culprit_run undo
	expect_status 4
	expect_one_line "the store is in use by 'culprit run v9'"
	culprit_run clean
	expect_one_line "the store is in use by 'culprit run v9'"
	culprit_run log
	expect_status 0
	let_go
	culprit_run status
	expect_out 'measuring  nobody; hunt 2 is open'
	culprit_run show r7
	expect_status 4
	expect_one_line 'run r7 has not ended'
}

@test 'undo withdraws the newest and says what' {
	fill compare
	culprit_run undo
	expect_status 0
	[ "$output" = 'withdrawn from hunt 1: run    r6 of b2, deflate #1: failed (exit status 3)' ]
	expect_err "'culprit resume' goes on without it"
	culprit_run log
	expect_out 'open: 3 builds (1 failed), 2 boots, 3 runs (1 failed), 1 withdrawn'
	culprit_run undo 3
	[ "${#lines[@]}" -eq 3 ]
	[[ "${lines[2]}" == *'boot   v'* ]] || complain 'a boot goes after its runs'
	culprit_run undo 100
	expect_status 2
	expect_one_line 'hunt 1 has only 4 to withdraw, not 100'
	culprit_run undo 4 --json
	expect_out '"withdrawn": ['
	culprit_run undo
	expect_status 2
	expect_one_line 'hunt 1 has nothing (more) to withdraw'
	culprit_run undo many
	expect_status 2
	expect_one_line "undo wants a whole number, not 'many'"
	culprit_run log 1
	[ "$(grep -c 'withdrawn\]' <<<"$output")" -eq 8 ]
}

@test 'mark tells the newest open search' {
	fill compare
	culprit_run mark c2 bad
	expect_status 4
	expect_one_line 'no search is open'
	culprit_run mark c2 bad --hunt 1
	expect_status 2
	expect_one_line 'hunt 1 is a compare, not a search'
	# shellcheck disable=SC2046 # words on purpose
	fill bisect $(git rev-list c1..c4)
	culprit_run mark c2 bad
	expect_status 0
	[ "$output" = "hunt 2: $(git rev-parse c2 | cut -c1-12) is marked bad" ]
	culprit_run log 2
	expect_out "mark   $(git rev-parse c2 | cut -c1-12) bad"
	culprit_run mark c3 skip --json
	expect_out '"mark": "skip"'
	culprit_run mark c5 good
	expect_status 2
	expect_one_line 'is not in the range of hunt 2'
	culprit_run mark nosuch good
	expect_status 2
	expect_one_line 'nosuch'
	for words in '' c2 'c2 fine' 'c2 good bad' 'good c2'; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run mark $words
		expect_status 2
		expect_one_line 'mark wants a commit and good, bad or skip'
	done
}

@test 'export gives raw samples in three formats' {
	fill compare
	culprit_run export
	expect_status 0
	[ -z "$stderr" ]
	[ "${#lines[@]}" -eq 5 ]
	[[ "${lines[1]}" == *$',deflate,wall,s,lower,0.25,\r' ]] || complain 'wall of v1'
	culprit_run export 1 --all
	[ "${#lines[@]}" -eq 11 ]
	expect_out 'failed,exit status 3'
	culprit_run export --variant v2 --metric wall
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[1]}" == 1,v2,* ]] || complain 'v2'
	culprit_run export --format go
	[ "$output" = 'culprit-hunt: 1
variant: v1
BenchmarkDeflate 1 250000000 ns/op 4 ops-ops/s
variant: v2
BenchmarkDeflate 1 500000000 ns/op 2 ops-ops/s' ] || complain 'go'
	culprit_run export --json
	[ "$(grep -c '"value":' <<<"$output")" -eq 4 ]
	culprit_run export --format tsv
	expect_status 2
	expect_one_line 'csv, json or go'
	culprit_run export --logs
	expect_status 2
	expect_one_line '--logs goes with --bundle FILE'
}

@test 'export --bundle writes one file, whole or not at all' {
	fill compare
	culprit_run export --bundle ../hunt.bundle --logs
	expect_status 0
	[ -z "$output" ]
	expect_err "hunt 1 is in ../hunt.bundle; 'culprit verify ../hunt.bundle' checks it"
	[ -s ../hunt.bundle ]
	culprit_run export --bundle ../nosuch/hunt.bundle
	expect_status 4
	expect_one_line 'nosuch'
}

@test 'clean keeps what a hunt needs and takes leftovers' {
	fill compare
	fill bisect
	mkdir -p .culprit/trees/half && echo x >.culprit/trees/half/file
	touch .culprit/trees/v1.inputs .culprit/trees/old.inputs .culprit/trees/gone.inputs .culprit/note.tmp123
	culprit_run clean --max 0 --dry-run
	expect_status 0
	expect_out 'trees/v1'
	expect_out 'trees/half'
	expect_out 'left by a killed build'
	expect_out 'would free'
	expect_out '1 of them because a hunt without an answer needs it'
	[[ "$output" != *trees/old* ]] || complain 'the open search needs it'
	[ -e .culprit/trees/v1/program ]
	culprit_run clean
	expect_status 0
	[ "$(ls -m .culprit/trees)" = 'old, old.inputs, v1, v1.inputs, v2' ]
	[ ! -e .culprit/note.tmp123 ]
	[ -e .culprit/trees/v1/program ]
	culprit_run clean --older 30d --json
	expect_out '"kept_trees": 3'
	culprit_run clean --max 0
	expect_status 0
	[ "$(ls -m .culprit/trees)" = 'old, old.inputs' ]
	culprit_run show b1
	expect_err 'no tree kept'
	[ "$output" = 'building v1' ]
	culprit_run export
	[ "${#lines[@]}" -ge 3 ]
	culprit_run clean --max lots
	expect_status 2
	expect_one_line '--max wants a size'
}

# A limit on file size stands for the full disk: not a byte of the journal can be written.
@test 'on a full disk the journal can be read and clean can clean' {
	fill compare
	said=$(ulimit -f 0 && culprit log 2>&1)
	[[ "$said" == *'wall +100.0 % slower'* ]] || complain "$said"
	said=$(ulimit -f 0 && culprit undo 2>&1) && complain 'undo wrote something'
	[[ "$said" == culprit:*'may not grow further'* ]] || complain "$said"
	said=$(ulimit -f 0 && culprit clean --max 0 2>&1) && complain 'the journal was told'
	[ -z "$(ls .culprit/trees)" ]
	culprit_run clean --max 0
	expect_status 0
	culprit_run show b1
	expect_err 'no tree kept'
}

@test 'a journal that is damaged, newer or not ours is refused in one line' {
	mkdir -p .culprit
	echo 'this is no database, it only stands here in its place.............................................' >.culprit/culprit.db
	for command in log status 'undo 1' export clean; do
		# shellcheck disable=SC2086 # words on purpose
		culprit_run $command
		expect_status 4
		expect_one_line 'is damaged'
	done
}

@test 'a store that cannot be written can be read' {
	fill compare
	[ "$(id -u)" -ne 0 ] || skip 'root may write everywhere; tests/unit/test_store.c has this as another user'
	chmod -R a-w .culprit
	culprit_run log
	chmod -R u+w .culprit
	expect_status 0
	chmod -R a-w .culprit
	culprit_run undo
	chmod -R u+w .culprit
	expect_status 4
	expect_one_line 'cannot be written'
}

@test 'a hunt that was begun with --new can be gone on with, also beside others of the same question' {
	make_history 8
	plant 5 +12%
	cd project
	args=(c1 c8 --build 'sh build.sh' --bench ./program --no-relayout)
	culprit_run bisect "${args[@]}"
	expect_status 0
	culprit_run bisect "${args[@]}" --new
	expect_status 0
	culprit_run undo --hunt 2 1
	expect_status 0
	culprit_run resume --json
	expect_status 0
	[ "$(jq .hunt <<<"$output")" -eq 2 ]
	[ "$(jq -r .verdict <<<"$output")" = named ]
	culprit_run undo --hunt 1 1
	culprit_run resume 1 --json
	expect_status 0
	[ "$(jq .hunt <<<"$output")" -eq 1 ]
}
